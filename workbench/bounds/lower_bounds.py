"""Lower bounds from two score samples: `epsilon_lower_bound` (at a δ) and `mu_lower_bound`."""

from __future__ import annotations

from typing import Any, Literal

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.strategies import (
    Anytime,
    HeldOut,
    OneQuestion,
    Pointwise,
    Simultaneous,
    Strategy,
)
from workbench.scores.sample import Scores

Guarantee = Literal["simultaneous", "one question", "pointwise", "held-out", "anytime"]

#: Name of a guarantee -> class of its settings.
STRATEGIES: dict[str, type[Strategy]] = {
    "simultaneous": Simultaneous,
    "one question": OneQuestion,
    "pointwise": Pointwise,
    "held-out": HeldOut,
    "anytime": Anytime,
}

#: Option of one guarantee only -> that guarantee.
_OWNERS = {
    "threshold": "pointwise",
    "interval": "pointwise",
    "ordering": "held-out",
    "splits": "held-out",
}


def epsilon_lower_bound(
    scores: Scores,
    delta: float,
    confidence: float = 0.95,
    guarantee: Guarantee | Strategy = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
    ordering: str | None = None,
    splits: int | None = None,
) -> Bound:
    """Lower bound on ε at a given δ: with this confidence, no smaller ε is (ε, δ)-DP.

    Parameters
    ----------
    scores : Scores
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1); 0.95 for 95%.
    guarantee : str or an object with settings
        "simultaneous" holds for all thresholds, all δ and both directions at once, so the threshold
        may be tuned at will. "one question" holds for all thresholds too, but only if ε at this δ
        is the one quantity asked for, fixed before these scores were seen. "pointwise" holds for a
        ``threshold`` that was chosen before these scores were seen. "held-out" tunes on one fifth
        of the scores, drawn by `Scores.chance`, and measures on the rest. "anytime" holds at
        every sample size at once, for rows in their order of arrival, so the audit may be watched
        and stopped. With settings: `Simultaneous()`,
        `OneQuestion()`, `Pointwise(threshold, interval)`, `HeldOut(ordering, splits)`,
        `Anytime(ratio)`.
    threshold : float, optional
        In score units; for "pointwise", which needs it.
    interval : str, optional
        For "pointwise", as in `Pointwise`.
    ordering : {"threshold", "likelihood-ratio"}, optional
        For "held-out", as in `HeldOut`.
    splits : int, optional
        For "held-out", as in `HeldOut`.

    Returns
    -------
    Bound
        Of quantity "epsilon"; 0 where nothing is shown.

    Raises
    ------
    ValueError
        A level out of range; a missing threshold; a threshold, interval, ordering or splits of
        another guarantee.
    ScoresError
        Too few scores for a held-out bound.

    See Also
    --------
    tradeoff_band : the whole curve behind the simultaneous bound.
    learn_ordering : a held-out ordering whose band serves all δ at once.
    AnytimeAudit : the anytime bound of scores that are still coming in.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(5000, seed=0)
    >>> bound = wb.epsilon_lower_bound(scores, delta=1e-5, guarantee="pointwise", threshold=2)
    >>> bound == wb.epsilon_lower_bound(scores, delta=1e-5, guarantee=wb.Pointwise(2))
    True
    """
    strategy = _strategy(guarantee, threshold, interval, ordering, splits)
    return strategy.epsilon(scores, delta, confidence)


def mu_lower_bound(
    scores: Scores,
    confidence: float = 0.95,
    guarantee: Guarantee | Strategy = "simultaneous",
    threshold: float | None = None,
    interval: str | None = None,
    ordering: str | None = None,
    splits: int | None = None,
) -> Bound:
    """Lower bound on μ: with this confidence, the pair is not μ'-GDP for any smaller μ'.

    It does not assume that the pair is Gaussian.

    Parameters
    ----------
    scores : Scores
    confidence : float
        In (0.5, 1); 0.95 for 95%.
    guarantee : str or an object with settings
        As in `epsilon_lower_bound`.
    threshold : float, optional
        In score units; for "pointwise", which needs it.
    interval : str, optional
        For "pointwise", as in `Pointwise`, but for "katz-log".
    ordering : {"threshold", "likelihood-ratio"}, optional
        For "held-out", as in `HeldOut`.
    splits : int, optional
        For "held-out", as in `HeldOut`.

    Returns
    -------
    Bound
        Of quantity "mu"; 0 where nothing is shown.

    Raises
    ------
    ValueError
        As `epsilon_lower_bound`.
    ScoresError
        Too few scores for a held-out bound.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(5000, seed=0)
    >>> 0.8 < wb.mu_lower_bound(scores).value < 1
    True
    """
    return _strategy(guarantee, threshold, interval, ordering, splits).mu(scores, confidence)


def _strategy(guarantee: str | Strategy, *options: Any) -> Strategy:
    """The settings object that a guarantee and its options stand for."""
    given = {k: v for k, v in zip(_OWNERS, options, strict=True) if v is not None}
    if isinstance(guarantee, Strategy):
        for name, value in given.items():
            raise ValueError(f"{name}={value!r} beside {guarantee!r}: say it in one place")
        return guarantee
    made = STRATEGIES[_checks.one_of(guarantee, "guarantee", STRATEGIES)]
    for name, value in given.items():
        if _OWNERS[name] != guarantee:
            raise ValueError(
                f"{name}={value!r} belongs to guarantee={_OWNERS[name]!r}; with "
                f"guarantee={guarantee!r} leave out {name}={value!r}"
            )
    if made is Pointwise and "threshold" not in given:
        raise ValueError("a pointwise bound needs threshold=, chosen before the scores were seen")
    return made(**given)
