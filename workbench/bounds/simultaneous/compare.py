"""`compare`: which of two score sets leaks more, at each false positive rate.

Two lower bounds do not answer this: the lower one may come from the weaker audit. Each set
gets two-sided limits of its receiver operating characteristic, all valid together; at a false
positive rate α, set A leaks more where the lower limit of its true positive rate lies above B's
upper limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._format import percent, plain
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.simultaneous.roc_band import RocLimits, roc_limits
from workbench.curves.validation import Floats, inner_rates
from workbench.scores.sample import Scores, require_scores

#: False positive rates at which the two are compared: evenly in log from 1e-4, then evenly.
RATES: Floats = np.unique(np.concatenate([np.logspace(-4, -1, 61), np.linspace(0.1, 0.99, 90)]))

VERDICTS = {1: "A leaks more", -1: "B leaks more", 0: "cannot tell"}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two-sided limits of the true positive rates of two score sets. See `compare`.

    Attributes
    ----------
    a, b : Scores
    confidence : float
        The probability, at least, with which no verdict at any false positive rate is wrong.
    fpr : ndarray, shape (n,)
        False positive rates.
    a_lower, a_upper, b_lower, b_upper : ndarray, shape (n,)
        Limits for the largest true positive rate of a threshold on A's, and on B's, scores with
        at most that false positive rate.
    """

    a: Scores
    b: Scores
    confidence: float
    fpr: Floats
    a_lower: Floats
    a_upper: Floats
    b_lower: Floats
    b_upper: Floats

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def verdict(self) -> NDArray[np.int8]:
        """At each rate 1 where A leaks more, −1 where B does, 0 where the limits overlap."""
        more = (self.a_lower > self.b_upper).astype(np.int8)
        return more - (self.b_lower > self.a_upper).astype(np.int8)

    @property
    def ranges(self) -> list[tuple[float, float, int]]:
        """Ranges of false positive rates with the same verdict, as (from, to, verdict).

        A verdict holds between two rates too where the lower limit at the first exceeds the upper
        one at the second, since true positive rates grow with the false positive rate.
        """
        verdict = self.verdict
        a_between = self.a_lower[:-1] > self.b_upper[1:]
        b_between = self.b_lower[:-1] > self.a_upper[1:]
        between = a_between.astype(int) - b_between
        parts = (verdict[1:] != verdict[:-1]) | (between != verdict[1:])
        starts = np.concatenate([[0], np.flatnonzero(parts) + 1])
        ends = np.append(starts[1:], verdict.size) - 1
        return [
            (float(self.fpr[i]), float(self.fpr[j]), int(verdict[i]))
            for i, j in zip(starts, ends, strict=True)
        ]

    def explain(self) -> str:
        """The verdicts in a sentence or two."""
        level = f"{percent(self.confidence)} confidence"
        verdicts = [
            f"{VERDICTS[which]} at false positive rates {spans}"
            for which in (1, -1)
            if (spans := self._spans(which))
        ]
        if not verdicts:
            return (
                "These samples do not show which of the two leaks more at any false positive rate "
                f"({level}). That does not show that they leak equally."
            )
        return (
            f"{'; '.join(verdicts)} ({level} for all statements together). At the other rates the "
            "samples do not show which leaks more. This compares these two attacks, not the best "
            "possible ones."
        )

    @property
    def largest_difference(self) -> tuple[float, float]:
        """False positive rate of the largest certain difference, and the difference A − B there.

        The difference of the true positive rates is at least so large, in absolute value, with
        the confidence of the comparison; 0 where the limits overlap at every rate.
        """
        gaps = np.array([self.a_lower - self.b_upper, self.b_lower - self.a_upper])
        which, at = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        gap = max(float(gaps[which, at]), 0.0)
        return float(self.fpr[at]), gap if which == 0 or gap == 0 else -gap

    def _spans(self, which: int) -> str:
        """The ranges with one verdict, such as "0.01–0.02 and 0.1–0.15"."""
        spans = [
            f"{plain(low)}–{plain(high)}"
            for low, high, found in self.ranges
            if found == which and low < high
        ]
        return " and ".join(filter(None, [", ".join(spans[:-1]), *spans[-1:]]))

    def __repr__(self) -> str:
        verdicts = "; ".join(
            f"{VERDICTS[w]} in [{plain(x)}, {plain(y)}]" for x, y, w in self.ranges
        )
        return f"Comparison({verdicts}; confidence={self.confidence:g})"

    def _repr_html_(self) -> str:
        rows: list[tuple[Any, ...]] = [
            (f"{plain(low)} to {plain(high)}", VERDICTS[which]) for low, high, which in self.ranges
        ]
        said = f"simultaneous · {percent(self.confidence)} · A: {self.a.assumption}"
        return beside(table("False positive rate", rows, f"{said} · B: {self.b.assumption}"), self)


def compare(
    a: Scores, b: Scores, confidence: float = 0.95, fpr: ArrayLike | None = None
) -> Comparison:
    """Comparison of the leakage of two score sets, at all false positive rates together.

    Parameters
    ----------
    a, b : Scores
        Of two mechanisms or two attacks, drawn independently of each other or not.
    confidence : float
    fpr : array_like, shape (n,), optional
        Where to compare; by default 150 rates from 1e-4 to 0.99.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        A confidence or a rate out of range.

    Notes
    -----
    Guarantee: simultaneous and distribution-free. A quarter of the error probability goes to the
    upper and the lower limits of each set, so nothing needs to be independent between the sets.

    Examples
    --------
    >>> weak, strong = (wb.GaussianPair(mu).sample(5000, seed=0) for mu in (0.5, 2))
    >>> print(wb.compare(strong, weak, fpr=[0.01, 0.1]).verdict)
    [1 1]
    """
    require_scores(a, "a")
    require_scores(b, "b")
    confidence = _checks.confidence(confidence)
    rates = RATES if fpr is None else np.sort(np.ravel(inner_rates(fpr, "fpr")))
    if not rates.size:
        raise ValueError("fpr is empty; give at least one false positive rate, such as 0.01")
    error = (1 - confidence) / 4
    a_lower, a_upper = _true_positives(roc_limits(a, error), rates)
    b_lower, b_upper = _true_positives(roc_limits(b, error), rates)
    return Comparison(a, b, confidence, rates, a_lower, a_upper, b_lower, b_upper)


def _true_positives(limits: RocLimits, rates: Floats) -> tuple[Floats, Floats]:
    return 1 - limits.highest_fnr(rates), 1 - limits.lowest_fnr(rates)
