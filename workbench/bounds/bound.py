"""`Bound`: a numeric limit with its guarantee, confidence and assumptions.

Every statistical result of the library is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from workbench import _checks
from workbench._format import percent
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.wording import SYMBOLS, Wording
from workbench.estimators.direction import direction_doubt
from workbench.scores.sample import ALIKE, NOBODY_DREW, Scores, require_scores

if TYPE_CHECKING:
    import pandas as pd

GUARANTEES = (
    "estimate",
    "approximate",
    "pointwise",
    "one question",
    "simultaneous",
    "held-out",
    "anytime",
    "proven",
)

#: What is asked of a confidence limit.
Side = Literal["lower", "two"]

#: What is known of the family that a bound from samples assumes; the last where the record of the
#: bound does not say.
FAMILY_CHECKS = ("not refuted", "refuted", "cannot be checked", "not recorded")


@dataclass(frozen=True, repr=False)
class Bound(Wording):
    """A number, the quantity that it bounds, and the guarantee and assumptions behind it.

    Parameters
    ----------
    quantity : str
        "epsilon" (at a δ), "mu", "total variation", "auc", "tpr" (at a false positive rate),
        "delta" (at an ε), "precision" (at a prior probability of being a member), "renyi" (the
        Rényi divergence of some order).
    value : float
        In the unit of the quantity; ``inf`` where no finite value exists. The lower end of a
        two-sided interval.
    guarantee : str
        "estimate" (none) · "approximate" (a level that is not kept) · "pointwise" ·
        "one question" · "simultaneous" · "held-out" · "anytime" (kept) · "proven" (of known
        distributions).
    method : str
        How it was computed, the key of :meth:`cite`.
    assumption : str
        "independent runs", "clustered", "one run", "if rows are independent"; "members and
        non-members of one population" where nobody drew who was in; "no samples" for
        what was read off a curve; for guesses on canaries "independent fair coins" (canaries may
        influence each other) or "independent bits" (they may not), "independent uniform values"
        for guesses out of more than two values; "fair coins of pairs of records" or "independent
        bits of pairs of records" for guesses which of two records was in; for scores of canaries
        "independent scores of canaries".
    n_p, n_q : int
        Number of scores of P and of Q used; of canaries, those in and out, or 0 where only the
        guesses are known.
    confidence : float, optional
        The confidence level; None for an estimate and for what is proven.
    at : QuantityArguments
        The δ of an ε, the ε of a δ, the false positive rate of a TPR, the prior of a precision,
        the order of a Rényi divergence; also attributes of the bound: ``bound.delta``, ….
    family : str, optional
        None is distribution-free; "Gaussian" holds if the pair is Gaussian, "monotone score" if
        the best of many runs is chosen by a score that is monotone in the privacy loss.
    checked : str, optional
        Of a bound from samples with a family, which must state it: "not refuted" or "refuted" by
        the check of exactly this family at this confidence, which voids it; "cannot be checked",
        such as from guesses; "not recorded" in a record from before checks were part of it.
    side : {"lower", "upper", "two"}
        The truth is at least, or at most, the value, or between ``low`` and ``high``. Ignored
        for estimates.
    high : float, optional
        The upper end of a two-sided interval; its confidence is that of both ends together.
    direction : str, optional
        "P‖Q" or "Q‖P": the divergence that attains the value.
    threshold : float, optional
        Where the value is attained, in score units.
    canaries, guesses, correct : int, optional
        The counts of an audit by one run.
    seed : int, optional
        The random number from which a split or an order followed; None where nothing was drawn.
    discarded : int
        Number of non-finite scores that were left out.
    void : str, optional
        Why the guarantee does not hold after all, or what refutes an estimate; None when nothing
        does.
    note : str, optional
        One sentence that a reader of this value needs, such as that n is too small.
    recompute : callable, optional
        From a confidence to this bound at that confidence, for `at_confidence`. It takes no part
        in comparisons and is left out when the bound is pickled or written to a dict.

    Raises
    ------
    ValueError
        An unknown quantity, guarantee or side, NaN, ``high`` without ``side="two"`` or the reverse,
        a bound from samples whose family has no ``checked``, a refuted one that is not void.

    Examples
    --------
    >>> bound = wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5)
    >>> print(bound)
    ε at δ = 1e-5 ≥ 1.16 (pointwise, 95%, assuming independent rows)
    >>> bound.delta
    1e-05
    >>> bound.at_confidence(0.99).value < bound.value
    True

    Formats of numbers round to the safe side, a lower bound down:

    >>> f"{bound.value:.2f}", f"{bound:.2f}", f"{bound:.1f}"
    ('1.16', '1.16', '1.1')
    """

    quantity: str
    value: float
    guarantee: str
    method: str
    assumption: str
    n_p: int
    n_q: int
    confidence: float | None = None
    at: QuantityArguments = field(default_factory=QuantityArguments)
    family: str | None = None
    checked: str | None = None
    side: str = "lower"
    high: float | None = None
    direction: str | None = None
    threshold: float | None = None
    seed: int | None = None
    discarded: int = 0
    void: str | None = None
    note: str | None = None
    canaries: int | None = None
    guesses: int | None = None
    correct: int | None = None
    recompute: Callable[[float], Bound] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.quantity, "quantity", SYMBOLS)
        _checks.one_of(self.guarantee, "guarantee", GUARANTEES)
        _checks.one_of(self.side, "side", (*get_args(Side), "upper"))
        _checks.number_or_infinite(self.value, "value")
        if self.high is not None:
            _checks.number_or_infinite(self.high, "high")
        if (self.side == "two") != (self.high is not None):
            raise ValueError(
                f"high is the upper end of a two-sided bound: got side={self.side!r} and "
                f"high={self.high!r}"
            )
        self._require_check()

    def _require_check(self) -> None:
        """A family is assumed by what comes from samples; estimates promise nothing."""
        assumed = self.family is not None and self.guarantee not in ("estimate", "proven")
        if self.checked is not None:
            _checks.one_of(self.checked, "checked", FAMILY_CHECKS)
        if assumed != (self.checked is not None):
            raise ValueError(
                "a bound from samples that assumes a family states the check of that family, and "
                f"no other does: got family={self.family!r}, guarantee={self.guarantee!r}, "
                f"checked={self.checked!r}"
            )
        if self.checked == "refuted" and self.void is None:
            raise ValueError("a bound whose family is refuted is void: state void=, got None")

    @classmethod
    def of_scores(cls, scores: Scores, value: float, **rest: Any) -> Bound:
        """A bound computed from scores, whose assumption, sizes and discarded scores it states.

        Its note says if the direction of the scores was not stated and is in doubt.

        Parameters
        ----------
        scores : Scores
        value : float
        **rest
            Further fields; ``n_p`` and ``n_q`` where not all scores were used.
        """
        require_scores(scores)
        sample: dict[str, Any] = {
            "assumption": scores.assumption,
            "n_p": scores.n_p,
            "n_q": scores.n_q,
            "discarded": scores.discarded,
        }
        if doubt := direction_doubt(scores):
            rest["note"] = f"{rest['note']} {doubt}" if rest.get("note") else doubt
        return cls(value=value, **(sample | rest)).unless_given()

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Bound:
        """The bound that `to_dict` described.

        Raises
        ------
        TypeError
            Not a dict, or one with other fields.
        ValueError
            A field out of range.
        """
        _checks.instance(values, dict, "values", "a dict of Bound.to_dict()")
        names = {f.name for f in fields(QuantityArguments)}
        at = {name: value for name, value in values.items() if name in names}
        rest = {name: value for name, value in values.items() if name not in names}
        if rest.get("family") is not None and rest.get("guarantee") not in ("estimate", "proven"):
            rest.setdefault("checked", "not recorded")
        return cls(at=QuantityArguments(**at), **rest)

    # -- as a number ------------------------------------------------------------------------------

    def __float__(self) -> float:
        """The value, the lower end of an interval, if it is valid; `value` has any.

        Raises
        ------
        ValueError
            The number is not valid; the message says why.
        """
        if self.void:
            raise ValueError(
                f"{self.symbol} {self.relation} {self.rounded} is not valid: {self.void}; "
                "bound.value has the number nevertheless"
            )
        return float(self.value)

    def _no_order(self, other: object) -> NoReturn:
        raise TypeError(
            "a Bound has no order, since it is a limit and not the truth; compare its number, "
            f"such as bound.value > {getattr(other, 'value', other)!r}"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_order

    @property
    def low(self) -> float | None:
        """The lower end of a two-sided interval, which is also the value; None of other bounds."""
        return self.value if self.side == "two" else None

    @property
    def delta(self) -> float | None:
        """The δ of an "epsilon"."""
        return self.at.delta

    @property
    def epsilon(self) -> float | None:
        """The ε of a "delta"."""
        return self.at.epsilon

    @property
    def fpr(self) -> float | None:
        """The false positive rate of a "tpr"."""
        return self.at.fpr

    @property
    def prior(self) -> float | None:
        """The prior probability of a "precision"."""
        return self.at.prior

    @property
    def order(self) -> float | None:
        """The order of a "renyi"."""
        return self.at.order

    # -- other bounds from this one ---------------------------------------------------------------

    def at_confidence(self, confidence: float) -> Bound:
        """The same question asked of the same data at another confidence.

        Parameters
        ----------
        confidence : float
            In (0.5, 1), such as 0.99.

        Raises
        ------
        ValueError
            A confidence out of range; a bound without its data: an estimate, a proven value, or
            one that was read from a file or computed in another process.

        Notes
        -----
        Only the bound at a confidence that was chosen before any of them was seen keeps its
        guarantee.

        Examples
        --------
        >>> wb.mu_from_counts(tp=9, fp=1, tn=9, fn=1).at_confidence(0.9).confidence
        0.9
        """
        confidence = _checks.confidence(confidence)
        if self.confidence is None:
            raise ValueError(f"{self} has no confidence, so there is none to change")
        if self.recompute is None:
            raise ValueError(
                "this bound does not keep the data that it was computed from; repeat the call "
                f"that made it ({self.method} at {percent(self.confidence)}) with "
                f"confidence={confidence!r}"
            )
        found = self.recompute(confidence)
        return found.voided(self.void) if self.void else found

    def voided(self, reason: str) -> Bound:
        """The same number with its guarantee declared void; estimates have none to lose."""
        _checks.text(reason, "reason")
        return self if self.guarantee == "estimate" else replace(self, void=reason)

    def as_estimate(self, why: str, assumption: str) -> Bound:
        """The same number without a guarantee.

        Parameters
        ----------
        why : str
            A clause that says why it is none; the note begins with it.
        assumption : str
            What would have to be true for the number to be more.
        """
        text = _checks.text(why, "why")
        note = f"{text[:1].upper()}{text[1:]}."
        return replace(
            self,
            guarantee="estimate",
            assumption=_checks.text(assumption, "assumption"),
            confidence=None,
            checked=None,
            side="lower",
            high=None,
            note=f"{note} {self.note}" if self.note else note,
            recompute=None,
        )

    def unless_given(self) -> Bound:
        """An estimate where nobody drew who was in, which the assumption says; else this bound."""
        if self.assumption != ALIKE or self.guarantee == "estimate":
            return self
        return self.as_estimate(NOBODY_DREW, ALIKE)

    # -- as text and data -------------------------------------------------------------------------

    def __repr__(self) -> str:
        drawn = "" if self.seed is None else f"; seed {self.seed}"
        return f"Bound({self}{drawn})"

    def cite(self) -> str:
        """BibTeX of the method's sources, and of this software."""
        from workbench.bounds.citations import OWN, bibtex

        return f"{bibtex(self.method)}\n\n{OWN}"

    def to_latex(self) -> str:
        r"""The bound in LaTeX, without its note; all texts are escaped.

        Examples
        --------
        >>> bound = wb.mu_from_counts(tp=400, fp=100, tn=400, fn=100)
        >>> print(bound.to_latex())
        $\mu \ge 1.42$ (pointwise, 95\% confidence, assuming independent rows)
        """
        from workbench.bounds.latex import latex_of

        return latex_of(self)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain Python values, those of ``at`` among them: ``"delta"``, ….

        ``"checked"`` is among them only where a check is stated, and ``"seed"`` where a number was
        drawn, so that records from before there were any stay as they are.
        """
        values: dict[str, Any] = {}
        left_out = {"recompute"}
        left_out |= {"checked"} if self.checked in (None, "not recorded") else set()
        left_out |= {"seed"} if self.seed is None else set()
        for f in fields(self):
            if f.name == "at":
                values |= asdict(self.at)
            elif f.name not in left_out:
                values[f.name] = getattr(self, f.name)
        return values

    def to_frame(self) -> pd.DataFrame:
        """One row with all fields; ``pd.concat`` stacks several."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()])

    def __getstate__(self) -> dict[str, Any]:
        """The fields without the data behind ``recompute``, which may be large."""
        return {name: value for name, value in vars(self).items() if name != "recompute"}
