"""`FourCounts`: the checked counts of one attack, which all limits from counts start from."""

from __future__ import annotations

from dataclasses import dataclass

from workbench import _checks


@dataclass(frozen=True)
class FourCounts:
    """True and false positives and negatives of one attack.

    Parameters
    ----------
    tp, fn : int
        Runs with the record that the attack called in (``tp``) and out (``fn``).
    fp, tn : int
        Runs without the record that the attack called in (``fp``) and out (``tn``).

    Raises
    ------
    ValueError
        Negative or fractional counts; no runs with the record, or none without it.
    """

    tp: int
    fp: int
    tn: int
    fn: int

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "tn", "fn"):
            object.__setattr__(self, name, _checks.count(getattr(self, name), name))
        for side, n, names in (
            ("with", self.n_p, "tp + fn"),
            ("without", self.n_q, "fp + tn"),
        ):
            if n == 0:
                raise ValueError(
                    f"no runs {side} the record: {names} is 0; an audit needs both sides"
                )

    @property
    def n_p(self) -> int:
        """Number of runs with the record."""
        return self.tp + self.fn

    @property
    def n_q(self) -> int:
        """Number of runs without the record."""
        return self.fp + self.tn
