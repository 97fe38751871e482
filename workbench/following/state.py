"""`FollowState`: what is known of a file that is followed, at a moment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from workbench import _checks
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim


@dataclass(frozen=True, repr=False)
class FollowState:
    """What is known of a score file that is followed, at a moment.

    Attributes
    ----------
    name : str
        Of the file.
    n_p, n_q : int
        Scores of P and of Q so far.
    arrived : datetime or None
        When the last of them were read.
    epsilon, mu, total_variation : Bound
        Anytime lower bounds; each by itself holds with its confidence, at all looks at once.
    claim : Claim or None
        The claim that is tested.
    log_e : float
        Natural logarithm of the e-value against it.
    refuted_at : int or None
        The row of each group by which the claim was refuted, for good; None if it is not.
    waits, stopped : str
        As of `GrowingFile`.
    notes : tuple of str
        What was left out or is worth knowing.
    """

    name: str
    n_p: int
    n_q: int
    arrived: datetime | None
    epsilon: Bound
    mu: Bound
    total_variation: Bound
    claim: Claim | None = None
    log_e: float = 0.0
    refuted_at: int | None = None
    waits: str = ""
    stopped: str = ""
    notes: tuple[str, ...] = ()

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def e_value(self) -> float:
        """The e-value against the claim: 1 before the first look, and where there is no claim."""
        return math.exp(self.log_e) if self.log_e < 709 else math.inf

    @property
    def rows(self) -> int:
        """Scores so far, of both groups."""
        return self.n_p + self.n_q

    def describe(self) -> str:
        """How the file stands, in sentences."""
        parts = [f"{self.rows:,} rows so far"]
        if self.arrived is not None:
            parts.append(f"the last arrived at {self.arrived:%H:%M:%S} UTC")
        parts += [f"not followed any more: {self.stopped}"] if self.stopped else []
        parts += [self.waits] if self.waits and not self.stopped else []
        return " · ".join([*parts, *self.notes])

    def __repr__(self) -> str:
        tested = f", e-value {self.e_value:.3g} against {self.claim}" if self.claim else ""
        refuted = "" if self.refuted_at is None else f", refuted at row {self.refuted_at:,}"
        return (
            f"FollowState({self.name!r}, {self.n_p:,} + {self.n_q:,} scores, "
            f"epsilon >= {self.epsilon.rounded}{tested}{refuted})"
        )

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            ("scores", f"{self.n_p:,} + {self.n_q:,}"),
            *(
                (bound.quantity, f"≥ {bound.rounded}")
                for bound in (self.epsilon, self.mu, self.total_variation)
            ),
        ]
        if self.claim is not None:
            verdict = "not refuted" if self.refuted_at is None else f"row {self.refuted_at:,}"
            rows.append((f"e-value against {self.claim}", f"{self.e_value:.3g}"))
            rows.append(("refuted at", verdict))
        return table(self.name, rows, self.describe())
