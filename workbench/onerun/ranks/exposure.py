"""`exposure`: how exposed secrets are, and a lower bound on ε from the ranks of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._format import percent
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.curves.exposure import MOST_CANDIDATES, without_leak
from workbench.onerun.bound import one_run_bound, values_assumption, values_note
from workbench.onerun.ranks.law import ExposureSum
from workbench.onerun.ranks.ranks import Ranks

#: What a bound from ranks counts: how many ranks are at most ``top``, or the sum of exposures.
STATISTICS = ("top", "sum")

#: `Bound.method` of bounds from the sum.
SUM = "one run, sum of exposures"


@dataclass(frozen=True, eq=False, repr=False)
class Exposure:
    """The exposure of each secret, and a lower bound on ε from the ranks of all.

    Attributes
    ----------
    ranks : ndarray of int, shape (m,)
    exposures : ndarray, shape (m,)
        log₂ K − log₂ rank, in bits. It describes how the attack fares on this one model: no bound,
        and no statement on another training.
    values : int
        Number K of candidates.
    statistic : {"top", "sum"}
        What the bound counts.
    top : tuple of int
        The numbers of first candidates, of each of which the bound is at its part of the error;
        empty for the sum.
    bound : Bound
        On ε, with its confidence: of replacing one value by another.
    """

    ranks: NDArray[np.int64]
    exposures: NDArray[np.float64]
    values: int
    statistic: str
    top: tuple[int, ...]
    bound: Bound

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)
        _checks.count(self.values, "values", 2, MOST_CANDIDATES)
        _checks.one_of(self.statistic, "statistic", STATISTICS)

    @property
    def mean(self) -> float:
        """Mean exposure in bits, of these canaries on this model; an estimate."""
        return float(self.exposures.mean())

    @property
    def mean_without_leak(self) -> float:
        """The mean exposure that ranks have on average where nothing leaks: below 1.45 bits."""
        return float(without_leak(self.values))

    def explain(self) -> str:
        """What each number is, and what it guarantees."""
        counted = (
            "the sum of the exposures"
            if self.statistic == "sum"
            else f"how many ranks are at most {' or '.join(f'{j:,}' for j in self.top)}"
        )
        return (
            f"{self.ranks.size:,} secrets with {self.values:,} candidates each. Their exposures, "
            f"{self.mean:.2f} bits on average ({self.mean_without_leak:.2f} where nothing leaks), "
            "describe this model: estimates without a guarantee. The bound is from "
            f"{counted}, which was to be chosen before the ranks were seen. {self.bound.explain()}"
        )

    def __str__(self) -> str:
        return f"mean exposure {self.mean:.2f} bits (estimate); {self.bound}"

    def __repr__(self) -> str:
        return f"Exposure({self})"

    def _repr_html_(self) -> str:
        bound = self.bound
        rows = [
            ("mean exposure (estimate)", f"{self.mean:.2f} bits"),
            ("where nothing leaks", f"{self.mean_without_leak:.2f} bits"),
            ("largest exposure (estimate)", f"{float(self.exposures.max()):.2f} bits"),
            (bound.symbol, f"{bound.relation} {bound.rounded}"),
        ]
        return table("Exposure", rows, self.explain())


def exposure(
    ranks: Ranks | ArrayLike,
    *,
    values: int | None = None,
    delta: float,
    confidence: float = 0.95,
    top: int | Sequence[int] = 1,
    statistic: str = "top",
) -> Exposure:
    """The exposure of secrets, and a lower bound on ε at δ from their ranks.

    Parameters
    ----------
    ranks : Ranks or array_like of int, shape (m,)
        The rank of each true value, 1 for the most likely; ties have the largest.
    values : int, optional
        Number K of candidates of each canary, where ``ranks`` are numbers.
    delta : float
        In [0, 1).
    confidence : float
        Above 1/2 and below 1.
    top : int or sequence of int
        The bound counts the ranks of at most this; fixed before the ranks were seen. Of several,
        such as (1, 10, 100), it is the largest bound, each at its part of the error probability.
    statistic : {"top", "sum"}
        "sum": the sum of the exposures, which needs no ``top`` and holds for ``delta=0`` only.

    Returns
    -------
    Exposure
        The exposures are estimates that describe this model; its ``bound`` has the guarantee.

    Raises
    ------
    ScoresError
        Ranks that are no ranks among so many candidates.
    ValueError
        "sum" at δ > 0; a ``top`` that names no candidate, or all.

    Notes
    -----
    Guarantee: pointwise, for what was fixed before the ranks were seen, if each value was drawn
    uniformly and independently. Canaries may influence each other. "top" is sharp; "sum" is valid
    and, for more than two values, not sharp: no mechanism exposes as much at all ranks at once.

    References
    ----------
    Exposure: Carlini, Liu, Erlingsson, Kos and Song (2019), *The Secret Sharer*, Definition 3. The
    bounds: proved in `workbench.onerun.steinke` ("top") and `workbench.onerun.ranks.law` ("sum").

    Examples
    --------
    >>> found = wb.exposure([1] * 30 + [400] * 70, values=1000, delta=1e-5)
    >>> print(found.bound)
    ε at δ = 1e-5 ≥ 5.66 (pointwise, 95%, independent uniform values)
    >>> f"{found.mean:.2f} bits, {found.mean_without_leak:.2f} where nothing leaks"
    '3.92 bits, 1.44 where nothing leaks'
    """
    given = _ranks(ranks, values)
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    _checks.one_of(statistic, "statistic", STATISTICS)
    if statistic == "sum":
        if delta > 0:
            raise ValueError(
                f"statistic='sum' holds at delta=0 only, got delta={delta:g}; take "
                "statistic='top' with a top= that was fixed before the ranks were seen"
            )
        tops: tuple[int, ...] = ()
        bound = _of_sum(given, confidence)
    else:
        tops = tuple(_tops(top))
        bound = _of_tops(given, tops, delta, confidence)
    return Exposure(
        ranks=given.ranks,
        exposures=given.exposures,
        values=given.values,
        statistic=statistic,
        top=tops,
        bound=bound,
    )


def _ranks(ranks: Ranks | ArrayLike, values: int | None) -> Ranks:
    if isinstance(ranks, Ranks):
        if values is not None:
            raise ValueError("the Ranks already state values; leave that out")
        return ranks
    if values is None:
        raise ValueError(
            "give values=, the number of candidates of each canary with the true one, or "
            f"workbench.Ranks; got ranks={_checks.shown(ranks)} alone"
        )
    return Ranks(ranks, values)  # type: ignore[arg-type]


def _tops(top: int | Sequence[int]) -> list[int]:
    if isinstance(top, int | float | np.number):
        return [_checks.count(top, "top", least=1)]
    found = _checks.counts(top, "top", least=1)
    return sorted(set(found))


def _of_tops(ranks: Ranks, tops: tuple[int, ...], delta: float, confidence: float) -> Bound:
    each = 1 - (1 - confidence) / len(tops)
    found = [
        one_run_bound(ranks.guesses(top), delta=delta, confidence=each, method="sharp")
        for top in tops
    ]
    best = max(found, key=lambda bound: bound.value)
    if len(tops) == 1:
        return best
    share = _SEVERAL.format(", ".join(f"{top:,}" for top in tops), percent(each))
    note = f"{best.note} {share}" if best.note else share
    return replace(best, confidence=confidence, note=note, recompute=None)


def _of_sum(ranks: Ranks, confidence: float) -> Bound:
    counted = ExposureSum(ranks.values, ranks.canaries)
    value = counted.epsilon(counted.of(ranks.ranks), 1 - confidence)
    m = ranks.canaries
    counts = ranks.guesses()
    sides = m if ranks.values == 2 else 0
    return Bound(
        quantity="epsilon",
        value=value,
        guarantee="pointwise",
        method=SUM,
        assumption=values_assumption(counts),
        n_p=sides,
        n_q=sides,
        confidence=confidence,
        at=QuantityArguments(delta=0.0),
        canaries=m,
        note=values_note(counts),
    )


#: Said of the best of several.
_SEVERAL = (
    "The largest of the bounds from the ranks of at most {}, each of which has {} confidence."
)
