"""The four counts of one attack, checked once for everybody who uses them."""

from __future__ import annotations

from dataclasses import dataclass

from workbench import _checks
from workbench.scores.sample import Scores, require_scores


@dataclass(frozen=True)
class Counts:
    """The four counts of one attack.

    Parameters
    ----------
    tp, fp, tn, fn : int
        Runs with the record that the attack called in (tp) and out (fn); runs without it that the
        attack called in (fp) and out (tn).

    Raises
    ------
    ValueError
        Negative or fractional counts, a side without runs.
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
        """Runs with the record."""
        return self.tp + self.fn

    @property
    def n_q(self) -> int:
        """Runs without the record."""
        return self.fp + self.tn

    @classmethod
    def at_threshold(cls, scores: Scores, threshold: float) -> Counts:
        """The counts of the attack that calls "in" what lies on the member side of a threshold."""
        require_scores(scores)
        threshold = _checks.number(threshold, "threshold")
        tp, fp = (int(k) for k in scores.tail_counts(threshold))
        return cls(tp=tp, fp=fp, tn=scores.n_q - fp, fn=scores.n_p - tp)

    def must_add_up(self, n_p: int | None, n_q: int | None) -> None:
        """Refuse counts that do not add up to the runs a side, where those are known.

        Raises
        ------
        ValueError
            They do not; the sums are quoted.
        """
        for name, n, terms, parts in (
            ("n_p", n_p, "tp + fn", (self.tp, self.fn)),
            ("n_q", n_q, "fp + tn", (self.fp, self.tn)),
        ):
            if n is not None and _checks.count(n, name) != sum(parts):
                raise ValueError(
                    f"the counts do not add up: {terms} = {parts[0]} + {parts[1]} = {sum(parts)}, "
                    f"but {name} = {n}; count every run exactly once"
                )
