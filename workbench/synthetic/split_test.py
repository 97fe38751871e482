"""`SplitTest`: whether the split of the records can be random, as an exact test.

A classifier learns from a random half of the records which were in the training table, and then
names as members, of the other half, those that it finds most member-like, as many as were. It sees
the records and never the synthetic table. If the split was random, by coins or of a fixed size, the
memberships of the other half are, given their number, a uniformly random subset that the
classifier knows nothing of: the number of hits is hypergeometric, whatever the table and however
its rows depend on each other. So the p-value is exact.

**Level.** Where p ≤ `SPLIT_LEVEL`, the badge of the coins is withdrawn and every number is an
estimate. Withdrawing a valid badge makes no bound false, so that the level costs no confidence; it
costs one valid audit in a thousand its bound. A split that follows from a column, a date or another
year leaves p far below it at a hundred records already: 50 records, of which all are named right,
have p = 8e-15. A test can only show that a split was *not* random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench.onerun.guesses import coins_p_value
from workbench.scores import chance
from workbench.synthetic.tables import SyntheticTables

if TYPE_CHECKING:
    import pandas as pd

#: P-values at which a split is not taken for random.
SPLIT_LEVEL = 1e-3

#: Bins of a number or a date, and categories that are told apart, at most.
_BINS = 20


def _bins(learned: int) -> int:
    """Bins that so many canaries fill."""
    return min(max(math.isqrt(learned) // 2, 2), _BINS)


@dataclass(frozen=True)
class SplitTest:
    """Whether training and held-out records can be parts of one table that was split at random.

    Attributes
    ----------
    members, canaries : int
        Records (units, where there are some) that were in, and all.
    coins : float
        Two-sided p-value of this number of members under fair coins.
    tested : int
        Records or units whose membership a classifier named that had not seen theirs.
    named : int
        How many of them it named as members, which is as many as were.
    hits : int
        How many of these were members.
    p_value : float
        Probability of as many hits or more if the split was random; exact.
    """

    members: int
    canaries: int
    coins: float
    tested: int
    named: int
    hits: int
    p_value: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @classmethod
    def of(cls, tables: SyntheticTables) -> SplitTest:
        """The test of the tables of an audit, by chance that was drawn for them."""
        need = "a workbench.synthetic.SyntheticTables, such as audit.tables"
        _checks.instance(tables, SyntheticTables, "tables", need)
        included = tables.included
        learned = np.zeros(included.size, bool)
        learned[: included.size // 2] = True
        chance.generator(tables.chance, "split", 1).shuffle(learned)
        was_in = included[~learned]
        named, hits, p = named_members(member_odds(tables, learned)[~learned], was_in)
        return cls(
            members=int(included.sum()),
            canaries=included.size,
            coins=coins_p_value(int(included.sum()), included.size),
            tested=was_in.size,
            named=named,
            hits=hits,
            p_value=p,
        )

    @property
    def passed(self) -> bool:
        """Whether nothing contradicts a random split."""
        return self.p_value > SPLIT_LEVEL

    @property
    def coins_possible(self) -> bool:
        """Whether fair coins may give this number of members."""
        return self.coins > SPLIT_LEVEL

    def explain(self) -> str:
        """The finding in plain sentences."""
        share = f"{self.hits:,} of the {self.named:,} that it named were in"
        if self.passed:
            return (
                f"Nothing contradicts a random split: of {self.tested:,} that a classifier had not "
                f"learned from, {share} (p = {self.p_value:.2g}). That does not show that it was "
                "random."
            )
        return (
            f"The split was not random: of {self.tested:,} that a classifier had not learned from, "
            f"{share}, which a random split gives with probability {self.p_value:.2g}. Training "
            "and held-out records differ by themselves, so numbers here are estimates of that "
            "difference and of the leak together."
        )


def named_members(scores: NDArray[np.float64], was_in: NDArray[np.bool_]) -> tuple[int, int, float]:
    """How many records a classifier names as members, how many were, and the exact p-value.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        Larger for members, by what learned on other records; equal scores stay in this order, which
        has to be random.
    was_in : ndarray of bool, shape (n,)

    Returns
    -------
    named, hits : int
        As many are named as were in.
    p_value : float
        Of as many hits or more if the members are a uniformly random part of the records.
    """
    from scipy.stats import hypergeom

    named = int(was_in.sum())
    best = np.argsort(-scores, kind="stable")[:named]
    hits = int(was_in[best].sum())
    p = float(hypergeom.sf(hits - 1, was_in.size, named, named))
    return named, hits, min(max(p, 0.0), 1.0)


def member_odds(tables: SyntheticTables, learned: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Log-odds of being a member by a naive Bayes classifier, of each canary, the mean of its rows.

    Parameters
    ----------
    tables : SyntheticTables
    learned : ndarray of bool, shape (canaries,)
        Those from whose rows it learns.
    """
    here = learned[tables.canary]
    total = np.zeros(tables.records)
    for column in tables.used:
        cells = _binned(tables.pool[column.name], column.is_ordered, _bins(int(learned.sum())))
        size = int(cells.max()) + 1
        inside = np.bincount(cells[here & tables.member], minlength=size) + 0.5
        outside = np.bincount(cells[here & ~tables.member], minlength=size) + 0.5
        odds = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
        total += odds[cells]
    rows = np.bincount(tables.canary, minlength=tables.canaries)
    return np.bincount(tables.canary, total, tables.canaries) / rows


def _binned(values: pd.Series[Any], is_ordered: bool, bins: int) -> NDArray[np.int64]:
    """The bin of each cell: of equal shares of the pool, or a frequent category; 0 is missing."""
    if is_ordered:
        ranks = values.rank(method="average", pct=True).to_numpy()
        return np.where(np.isnan(ranks), 0, np.ceil(np.nan_to_num(ranks) * bins)).astype(np.int64)
    codes = values.cat.codes.to_numpy().astype(np.int64) + 1
    times = np.bincount(codes)
    frequent = np.argsort(-times, kind="stable")[:bins]
    return np.where(np.isin(codes, frequent), codes, codes.max() + 1)
