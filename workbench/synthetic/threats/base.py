"""`Threat`: how often an attack succeeds on members, and how often on held-out records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, round_safely
from workbench.bounds.bound import Bound
from workbench.onerun.bound import any_number_bound
from workbench.onerun.guesses import Guesses
from workbench.synthetic.choice import SPLITS
from workbench.synthetic.threats.rates import (
    MOST,
    ApproximateRisk,
    coin_test,
    difference_limits,
    rate_limits,
)
from workbench.synthetic.threats.successes import ThreatName

if TYPE_CHECKING:
    import pandas as pd

#: What tests assume of the split.
_SPLIT_WORDS = {
    "coin": "fair coins",
    "fixed-size": "a random part of fixed size",
    "given": "nothing of the split",
}


@dataclass(frozen=True, eq=False)
class Threat:
    """The successes of one attack on members and on held-out records.

    Parameters
    ----------
    name : {"singling-out", "linkability", "inference", "copies"}
    label : str
        With its columns: "inference of income".
    columns : tuple of str
        The columns that the attack looks at.
    hits, members : int
        Attacked members, and those of them on which it succeeded. With units, all counts are of
        units.
    held_out_hits, held_out : int
        The same of held-out records.
    split : {"coin", "fixed-size", "given"}
        How members were chosen.
    confidence : float
        Of what is shown; more than was asked where the error probability is divided among columns.
    delta : float
        Of `epsilon`.
    guesses : Guesses, optional
        "Member" for each success; None where the split was not random.
    approximate : ApproximateRisk, optional
        As anonymeter computes it; of singling out from counts of predicates.
    row : ndarray of int, shape (k,)
        The records on which it succeeded, by their rows in the training table or in the holdout.
    is_member : ndarray of bool, shape (k,)
    by : tuple of str, length k
        What singled the record out, what was inferred, or which columns are the same.
    used : tuple of tuples of str, length k
        The columns of that.
    synthetic_row : ndarray of int, shape (k,)
        The synthetic record that was used; −1 where none was.
    distance : ndarray of float, shape (k,)
        To that record; NaN where there is none.
    void : str, optional
        Why what assumes the split does not hold; None where nothing is known.

    Notes
    -----
    Which records are attacked and on which of them the attack succeeds follows from the synthetic
    table and from the unlabelled pool. `p_value` and `epsilon` therefore assume the split alone;
    limits of rates assume that records are independent.
    """

    name: ThreatName
    label: str
    columns: tuple[str, ...]
    hits: int
    members: int
    held_out_hits: int
    held_out: int
    split: str
    confidence: float
    delta: float
    guesses: Guesses | None = None
    approximate: ApproximateRisk | None = None
    row: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    is_member: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    by: tuple[str, ...] = ()
    used: tuple[tuple[str, ...], ...] = ()
    synthetic_row: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    distance: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    void: str | None = None

    def __post_init__(self) -> None:
        _checks.columns(self)
        _checks.one_of(self.name, "name", get_args(ThreatName))
        _checks.one_of(self.split, "split", SPLITS)
        _checks.confidence(self.confidence)
        _checks.delta(self.delta)
        for hits, tried in (("hits", "members"), ("held_out_hits", "held_out")):
            found, of = (_checks.count(getattr(self, one), one, most=MOST) for one in (hits, tried))
            if found > of:
                raise ValueError(f"{hits} must be at most the {of} {tried}, got {found}")
        lengths = {self.row.size, len(self.by), len(self.used)}
        if len(lengths) > 1:
            raise ValueError(
                f"row, by and used must be of the same records, got {self.row.size}, "
                f"{len(self.by)} and {len(self.used)}"
            )

    # -- numbers ----------------------------------------------------------------------------------

    @property
    def rate(self) -> float:
        """Share of the attacked members on which it succeeded, an estimate; NaN without members."""
        return self.hits / self.members if self.members else float("nan")

    @property
    def held_out_rate(self) -> float:
        """Share of the attacked held-out records on which it succeeded: the baseline."""
        return self.held_out_hits / self.held_out if self.held_out else float("nan")

    @cached_property
    def rate_limits(self) -> tuple[float, float]:
        """Exact limits of the rate on members, if records are independent."""
        return rate_limits(self.hits, self.members, self.confidence)

    @cached_property
    def held_out_limits(self) -> tuple[float, float]:
        """Exact limits of the rate on held-out records, if records are independent."""
        return rate_limits(self.held_out_hits, self.held_out, self.confidence)

    @cached_property
    def difference_limits(self) -> tuple[float, float]:
        """Exact limits of the difference of both rates, if records are independent."""
        return difference_limits(*self._counts, self.confidence)

    @cached_property
    def p_value(self) -> float:
        """Exact p-value of no leak at all: the synthetic table does not depend on the split.

        It assumes the split alone. With a split that was not random it is a test of equal rates in
        two populations of independent records, and says nothing of a leak.
        """
        return coin_test(*self._counts)

    @cached_property
    def epsilon(self) -> Bound | None:
        """Lower bound on ε, which assumes the split alone; None where it was not random."""
        if self.guesses is None:
            return None
        found = any_number_bound(self.guesses, self.delta, self.confidence)
        return found.voided(self.void) if self.void else found

    @property
    def _counts(self) -> tuple[int, int, int, int]:
        return self.hits, self.members, self.held_out_hits, self.held_out

    @property
    def is_test(self) -> bool:
        """Whether `p_value` is a test of a leak: the split was random, and nothing voids it."""
        return self.split != "given" and self.void is None

    @property
    def leaks(self) -> bool:
        """Whether the coin test refutes, at the confidence of this threat, that nothing leaks."""
        return self.is_test and self.p_value <= 1 - self.confidence

    @property
    def column_counts(self) -> dict[str, int]:
        """In how many successes on members each column was used, the most first."""
        inside = zip(self.used, self.is_member, strict=True)
        found = Counter(name for names, member in inside if member for name in names)
        return dict(found.most_common())

    # -- text and data ----------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"Threat({self.label}: {self.hits:,} of {self.members:,} members, "
            f"{self.held_out_hits:,} of {self.held_out:,} held out)"
        )

    def explain(self) -> str:
        """The counts, what they show, and what that assumes, in sentences."""
        level = percent(self.confidence)
        low, high = self.difference_limits
        ends = f"{_points(low, 'down')} and {_points(high, 'up')}"
        said = [
            f"{self.label[0].upper()}{self.label[1:]}: it succeeds on "
            f"{_of(self.hits, self.members)} members and on "
            f"{_of(self.held_out_hits, self.held_out)} held-out records.",
            f"The difference of the rates lies between {ends} percentage points (exact, {level}, "
            "if records are independent).",
        ]
        if self.split == "given":
            said.append(
                "The split was not random, so this is a difference of two populations, and no "
                "bound on a leak follows."
            )
        elif self.void:
            said.append(f"No leak can be shown: {self.void}.")
        else:
            chance = round_safely(self.p_value, "up", 2)
            said.append(
                f"If nothing leaked, so many of the successes would fall on members with a "
                f"probability of {chance} (exact, assumes {_SPLIT_WORDS[self.split]} only)."
            )
        if self.epsilon is not None:
            said.append(f"As guesses who was a member: {self.epsilon}.")
        if self.approximate is not None:
            risk = self.approximate
            said.append(
                f"anonymeter's figure is {risk.value:.3f} ({risk.low:.3f} to {risk.high:.3f}), "
                "approximate."
            )
        return " ".join(said)

    def to_frame(self) -> pd.DataFrame:
        """One row for each record on which the attack succeeded; none if it did not.

        Returns
        -------
        DataFrame
            ``threat``, ``table`` ("training" or "holdout"), ``row`` in it, ``by``,
            ``synthetic_row`` and ``distance``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "threat": self.label,
                "table": np.where(self.is_member, "training", "holdout"),
                "row": self.row,
                "by": list(self.by),
                "synthetic_row": self.synthetic_row,
                "distance": self.distance,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The counts and all that follows from them, for JSON."""
        approximate = self.approximate
        return {
            "threat": self.name,
            "label": self.label,
            "columns": list(self.columns),
            "hits": self.hits,
            "members": self.members,
            "held_out_hits": self.held_out_hits,
            "held_out": self.held_out,
            "split": self.split,
            "confidence": self.confidence,
            "rate_limits": list(self.rate_limits),
            "held_out_limits": list(self.held_out_limits),
            "difference_limits": list(self.difference_limits),
            "p_value": self.p_value,
            "epsilon": None if self.epsilon is None else self.epsilon.to_dict(),
            "approximate": None
            if approximate is None
            else {
                "risk": approximate.value,
                "low": approximate.low,
                "high": approximate.high,
                "attacks": approximate.attacks,
                "held_out_attacks": approximate.held_out_attacks,
            },
            "training_rows": self.row[self.is_member].tolist(),
            "column_counts": self.column_counts,
            "void": self.void,
        }


def leaking(threats: Iterable[Threat], confidence: float = 0.95) -> tuple[Threat, ...]:
    """The threats that are shown to leak, all together with this confidence, the surest first.

    Parameters
    ----------
    threats : iterable of Threat
    confidence : float
        With at least this probability, none of them is shown that does not leak.

    References
    ----------
    Holm (1979).
    """
    tested = sorted((one for one in threats if one.is_test), key=lambda one: one.p_value)
    error, found = 1 - _checks.confidence(confidence), []
    for place, one in enumerate(tested):
        if one.p_value * (len(tested) - place) > error:
            break
        found.append(one)
    return tuple(found)


def threats_frame(threats: Iterable[Threat]) -> pd.DataFrame:
    """A table of threats: one row for each, with its counts, limits, p-value and ε.

    Parameters
    ----------
    threats : iterable of Threat
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "threat": one.label,
                "hits": one.hits,
                "members": one.members,
                "held_out_hits": one.held_out_hits,
                "held_out": one.held_out,
                "difference_low": one.difference_limits[0],
                "difference_high": one.difference_limits[1],
                "p_value": one.p_value,
                "epsilon": float("nan") if one.epsilon is None else one.epsilon.value,
            }
            for one in threats
        ]
    )


def _of(hits: int, tried: int) -> str:
    share = f" ({100 * hits / tried:.2g}%)" if tried else ""
    return f"{hits:,} of {tried:,}{share}"


def _points(value: float, to: str) -> str:
    return round_safely(100 * value, to, 3)
