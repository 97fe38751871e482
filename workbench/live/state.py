"""`LiveState`: what a live audit knows at a moment."""

from __future__ import annotations

from dataclasses import dataclass

from workbench import _checks
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.curves.validation import Floats


@dataclass(frozen=True, eq=False, repr=False)
class LiveState:
    """What a live audit knows at a moment.

    Attributes
    ----------
    unit : str
        What was counted: "runs of each kind", with the record and without it, or "steps".
    seen : int
        How many of them so far.
    epsilon, mu : Bound
        Anytime lower bounds; each by itself holds with its confidence at all moments at once.
    n, values : ndarray, shape (points,)
        The bound on ε as it grew: after ``n`` units it was this large.
    claim : Claim or None
        The claim that is tested.
    claimed : float or None
        The ε that it allows at the δ of the bound.
    refuted_at : int or None
        The unit by which it was refuted, for good.
    notes : tuple of str
        What is worth knowing, as sentences.
    closed : bool
        Whether nothing more can come in.
    """

    unit: str
    seen: int
    epsilon: Bound
    mu: Bound
    n: Floats
    values: Floats
    claim: Claim | None = None
    claimed: float | None = None
    refuted_at: int | None = None
    notes: tuple[str, ...] = ()
    closed: bool = False

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def verdict(self) -> str:
        """How the claim stands, in words; "" if there is none."""
        if self.claim is None:
            return ""
        if self.refuted_at is None:
            return f"{self.claim}: not refuted"
        return f"{self.claim}: refuted, by {self.refuted_at:,} {self.unit}"

    def __repr__(self) -> str:
        parts = [f"{self.seen:,} {self.unit}", str(self.epsilon), self.verdict]
        return f"LiveState({'; '.join(part for part in parts if part)})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (bound.symbol, f"{bound.relation} {bound.rounded}", " · ".join(bound.terms))
            for bound in (self.epsilon, self.mu)
        ]
        note = " ".join(part for part in (self.verdict, *self.notes) if part)
        return table(f"{self.seen:,} {self.unit}", rows, note)
