"""The Python that reproduces a scores page: its data, its numbers, and the page in a notebook."""

from __future__ import annotations

from typing import Any

from workbench.bounds.quantities import Epsilon, Mu
from workbench.pages.core.sliders import number_of
from workbench.pages.inputs.code import call, data_code, lines, pair_code, script
from workbench.pages.inputs.score_source import INPUT

#: The false positive rate at which the strip shows a true positive rate.
LOW_FPR = 0.01


def score_code(page: Any, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script.

    Parameters
    ----------
    page : ScoresPage
    spec : dict
        The settings that ``wb.explore`` restores.

    Returns
    -------
    str
        Sets a variable for each number of the page, and ``scores``, ``band``, ``h``, ``curve``,
        ``promised`` and ``verdict`` where a claim is tested, and ``view``. Scores that were given
        in Python or as a file must exist as ``scores``; a comment says which they are.
    """
    learned = page.ordering == "learned"
    measured = "measured" if learned else "scores"
    pointwise = call(
        "wb.epsilon_lower_bound",
        "scores",
        delta=page.delta.value,
        confidence=page.confidence,
        guarantee="pointwise",
        threshold=page.threshold,
        interval=page.interval,
    )
    given = ["scores"] if page.source.kind in ("given", "file") else []
    # A plan belongs to a data set of a workspace, not to scores that are given.
    chosen = (*INPUT.parameters, INPUT.seed, "plan") if given else ()
    spec = {name: value for name, value in spec.items() if name not in chosen}
    return script(
        data_code(page, split=learned),
        "measured = wb.learn_ordering(scores).scores" if learned else "",
        f"band = {call('wb.tradeoff_band', measured, confidence=page.confidence)}",
        f"epsilon = {_epsilon(page, measured)}",
        f"mu = {_mu(page, measured)}",
        "total_variation = band.total_variation()",
        f"tpr = band.tpr({LOW_FPR})",
        f"epsilon_here = {pointwise}",
        lines(
            f"h = {call('wb.histogram', 'scores', **page.bins.arguments())}",
            "histogram_tv = h.total_variation",
        ),
        _over_steps(page),
        "curve = wb.roc(scores)\nauc = curve.auc",
        _claim(page, measured),
        "sizes = scores.n_p, scores.n_q",
        f"mu_fit = {_fit(page)}",
        f"view = {call('wb.explore', *given, spec=spec or None)}",
    )


def _epsilon(page: Any, measured: str) -> str:
    if page.asking.question != Epsilon(page.delta.value):
        return f"band.epsilon({page.delta.value!r})"
    return _one_question("wb.epsilon_lower_bound", page, measured, delta=page.delta.value)


def _mu(page: Any, measured: str) -> str:
    if page.asking.question != Mu():
        return "band.mu()"
    return _one_question("wb.mu_lower_bound", page, measured)


def _one_question(function: str, page: Any, measured: str, **at: float) -> str:
    return call(function, measured, **at, confidence=page.confidence, guarantee="one question")


def _claim(page: Any, measured: str) -> str:
    claim = page.own_claim()
    if claim is None:
        return ""
    text = page.promised.text
    promised = repr(text) if text else pair_code(claim.dominating_pair)
    judged = call("wb.judge", measured, "promised", confidence=page.confidence)
    return f"promised = {promised}\nverdict = {judged}\nclaim = verdict.verdict"


def _over_steps(page: Any) -> str:
    k, delta = page.steps_composed(), page.delta.value
    if k == 1:
        return ""
    return lines(
        f"steps_epsilon = wb.compose_band(band, {k}).epsilon({delta!r})",
        f"steps_histogram = wb.compose_histogram(h, {k}).epsilon({delta!r})",
    )


def _fit(page: Any) -> str:
    if page.fit_method == "threshold":
        return call("wb.gdp_fit", "scores", method="threshold", threshold=page.threshold)
    if page.fit_method == "tv":
        return call("wb.gdp_fit", "h", method="tv")
    if page.fit_method == "likelihood":
        return call("wb.gdp_fit", "scores", method="likelihood", confidence=page.confidence)
    return call("wb.gdp_fit", "curve", method="range", floor=number_of(page.log_floor))
