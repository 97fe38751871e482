"""The Python that reproduces a scores page: its data, its numbers, and the page in a notebook."""

from __future__ import annotations

from typing import Any

from workbench.pages.inputs.pair import chosen_pair
from workbench.pages.inputs.score_source import ScoreSource
from workbench.pages.scores.page import ScoresPage
from workbench.pairs.base import Pair


def score_code(page: ScoresPage, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script.

    Parameters
    ----------
    page : ScoresPage
    spec : dict
        The settings that ``wb.explore`` restores.

    Returns
    -------
    str
        Sets ``scores``, ``epsilon``, ``mu``, ``total_variation``, ``epsilon_here``, ``h``, ``fit``
        and ``view``. Scores that were given in Python or as a file stay ``scores``, or are named by
        the first line.
    """
    measured = "scores" if page.ordering == "score" else "wb.learn_ordering(scores).scores"
    band = f"wb.tradeoff_band({measured}, confidence={page.confidence!r})"
    pointwise = (
        f"wb.epsilon_lower_bound(scores, delta={page.delta!r}, confidence={page.confidence!r}, "
        f'guarantee="pointwise", threshold={page.threshold!r}, interval="{page.interval}")'
    )
    return "\n".join(
        [
            "import workbench as wb",
            "",
            *data_code(page),
            f"band = {band}",
            f"epsilon = band.epsilon({page.delta!r})",
            "mu = band.mu()",
            "total_variation = band.total_variation()",
            f"epsilon_here = {pointwise}",
            f"h = wb.histogram(scores, {_bins(page)})",
            f"fit = {_fit(page)}",
            f"view = wb.explore({_explored(page, spec)})",
            "",
        ]
    )


def data_code(page: ScoreSource) -> list[str]:
    """The lines that make, or name, the ``scores`` in view."""
    if page.source == "given":
        return _turned(page, "# scores: as they were given in Python")
    if page.source == "file":
        names = ", ".join(repr(name) for name, _ in page.upload)
        return _turned(page, f"# scores = wb.read_scores(...) of {names}: {page.loaded}")
    if page.source == "pair":
        pair = chosen_pair(page, "sample")
        return [f"scores = {sample_code(pair, page.sample_n, page.seed)}"]
    return _turned(page, f'scores = wb.example("{page.example_name}")')


def sample_code(pair: Pair | None, n: int, seed: int) -> str:
    """The expression that draws from a pair."""
    arguments = ", ".join(f"{k}={v!r}" for k, v in pair.parameters.items()) if pair else ""
    return f"wb.{type(pair).__name__}({arguments}).sample({n}, seed={seed})"


def _turned(page: ScoreSource, line: str) -> list[str]:
    return [line, f"scores = scores.with_direction({page.larger_is_member})"]


def _bins(page: ScoresPage) -> str:
    if page.bin_rule == "quantile":
        return f'bins={page.bin_count}, rule="quantile"'
    bins = f"bins={page.bin_count}" if page.bin_rule == "count" else f"width={page.bin_width!r}"
    if page.fixed_range:
        return f"{bins}, range=({page.range_low!r}, {page.range_high!r})"
    return bins


def _fit(page: ScoresPage) -> str:
    if page.fit_method == "threshold":
        return f'wb.gdp_fit(scores, "threshold", threshold={page.threshold!r})'
    if page.fit_method == "tv":
        return 'wb.gdp_fit(h, "tv")'
    return f'wb.gdp_fit(scores, "range", floor={10**page.log_floor!r})'


def _explored(page: ScoresPage, spec: dict[str, Any]) -> str:
    given = ["scores"] if page.source in ("given", "file") else []
    return ", ".join([*given, f"spec={spec!r}"] if spec else given)
