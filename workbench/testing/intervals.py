"""`check_interval`: whether an interval for four counts keeps its level, by exact sums."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from workbench import _checks
from workbench.bounds.counts.intervals import INTERVALS, CountInterval
from workbench.bounds.quantities import Epsilon, Mu, Question, TotalVariation
from workbench.testing.failure import Properties

#: True rates of "in" without the record and with it, at which levels are summed.
_RATES = np.r_[0.003, 0.01, 0.03, np.linspace(0.07, 0.97, 13)]

#: What sums of so many probabilities may be off by.
_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class LevelCheck:
    """The largest probability of a false limit that was found, by exact sums.

    Attributes
    ----------
    interval, guarantee : str
        Its label, and what it promises.
    error : float
        The probability that it states.
    worst : float
        The largest probability of a false limit over quantities, sides, sizes and true rates.
    where : str
        Of which limit, at which rates and sizes.
    """

    interval: str
    guarantee: str
    error: float
    worst: float
    where: str

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def kept(self) -> bool:
        """Whether the level is kept at all rates and sizes that were looked at."""
        return self.worst <= self.error * (1 + _ROUND_OFF)

    def __str__(self) -> str:
        kept = "keeps" if self.kept else "does not keep"
        return (
            f"{self.interval} {kept} its level: at most {self.worst:.4g} of limits are false where "
            f"{self.error:.4g} is stated ({self.where}); it promises to be {self.guarantee}"
        )


def check_interval(
    interval: CountInterval | str,
    *,
    confidence: float = 0.9,
    sizes: tuple[tuple[int, int], ...] = ((9, 9), (14, 6)),
) -> LevelCheck:
    """The exact level of an interval, if it is what it promises.

    Parameters
    ----------
    interval : CountInterval or str
        Or the name of one.
    confidence : float
        Of one limit.
    sizes : tuple of (int, int)
        Runs with and without the record. All tables of these sizes are summed over.

    Returns
    -------
    LevelCheck
        The largest probability of a false limit on ε at δ = 0 and 0.05, on μ and on the total
        variation, at a grid of true rates. An interval with the guarantee "approximate" may exceed
        the stated one; print it to see by how much.

    Raises
    ------
    CheckFailure
        A limit that is no number, a lower limit above the upper one or above one of a lower
        confidence, or a level that an interval with the guarantee "pointwise" does not keep.

    Examples
    --------
    >>> from workbench.testing import check_interval
    >>> check_interval("clopper-pearson", sizes=((6, 6),)).kept
    True
    """
    kind = (
        INTERVALS[_checks.one_of(interval, "interval", INTERVALS)]
        if isinstance(interval, str)
        else _checks.instance(interval, CountInterval, "interval", "a wb.CountInterval or a name")
    )
    confidence = _checks.confidence(confidence)
    demand = Properties(f"the interval {kind.label!r}")
    found = [
        level
        for n_p, n_q in sizes
        for question in (Epsilon(0.0), Epsilon(0.05), Mu(), TotalVariation())
        if (level := _level(kind, question, n_p, n_q, 1 - confidence, demand)) is not None
    ]
    demand.demand(found, "it gives limits on at least one quantity")
    worst, where = max(found)
    check = LevelCheck(kind.label, kind.guarantee, 1 - confidence, worst, where)
    if kind.guarantee == "pointwise":
        demand.demand(check.kept, "its level is kept at every rate", str(check))
    return check


def _level(
    kind: CountInterval, question: Question, n_p: int, n_q: int, error: float, demand: Properties
) -> tuple[float, str] | None:
    """The worst level of both sides, and where; None if the interval is of other quantities."""
    try:
        lower, upper = (_limits(kind, question, n_p, n_q, error, side) for side in _SIDES)
        surer = _limits(kind, question, n_p, n_q, error / 5, "lower")
    except ValueError:
        return None  # it says that it has no meaning for this quantity
    counts = {
        "tp": np.repeat(np.arange(n_p + 1), n_q + 1),
        "fp": np.tile(np.arange(n_q + 1), n_p + 1),
    }
    flat = {"lower": lower.ravel(), "upper": upper.ravel(), **counts}
    of = f"limits on {question.quantity} from {n_p} + {n_q} runs"
    demand.demand_each(
        ~(np.isnan(flat["lower"]) | np.isnan(flat["upper"])), f"{of} are numbers", **counts
    )
    demand.demand_each(flat["lower"] <= flat["upper"] + 1e-9, f"lower {of} are below upper", **flat)
    demand.demand_each(
        surer.ravel() <= flat["lower"] + 1e-9,
        f"lower {of} fall as the confidence rises",
        lower=flat["lower"],
        surer=surer.ravel(),
        **counts,
    )
    p, q = (one.ravel() for one in np.meshgrid(_RATES, _RATES))
    truth = np.array([float(question.from_rates(b, 1 - a)) for a, b in zip(p, q, strict=True)])
    truth = np.maximum(truth, question.chance_level)  # no mechanism has less
    masses = np.einsum(
        "ik,jk->ijk",
        binom.pmf(np.arange(n_p + 1)[:, None], n_p, p),
        binom.pmf(np.arange(n_q + 1)[:, None], n_q, q),
    )
    slack = 1e-12 * (1 + np.abs(truth))
    too_high = (lower[..., None] > truth + slack) * masses
    too_low = (upper[..., None] < truth - slack) * masses
    levels = np.stack([one.sum(axis=(0, 1)) for one in (too_high, too_low)])
    side, i = np.unravel_index(int(np.argmax(levels)), levels.shape)
    named = f"{question.quantity}({', '.join(f'{k}={v:g}' for k, v in _at(question).items())})"
    where = f"{_SIDES[side]} limits on {named}, {n_p} + {n_q} runs, rates {p[i]:.3g} and {q[i]:.3g}"
    return float(levels[side, i]), where


_SIDES = ("lower", "upper")


def _at(question: Question) -> dict[str, float]:
    return {"delta": question.delta} if isinstance(question, Epsilon) else {}


def _limits(
    kind: CountInterval, question: Question, n_p: int, n_q: int, error: float, side: str
) -> NDArray[np.float64]:
    """The limit of every table, shape (n_p + 1, n_q + 1)."""
    return np.array(
        [
            [
                _number(kind.limit(tp, fp, n_q - fp, n_p - tp, question, error, side))
                for fp in range(n_q + 1)
            ]
            for tp in range(n_p + 1)
        ]
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float | np.floating) else math.nan
