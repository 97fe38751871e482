"""`Verdict`: what scores say about a claim, the evidence, and how it reads."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench._frames import to_frame
from workbench._markup import escape_html as escape
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.bounds.latex import escape as latex
from workbench.bounds.power.power import MOST_SCORES
from workbench.claims.base import Claim
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

REFUTED, NOT_REFUTED, TOO_FEW = VERDICTS = ("refuted", "not refuted", "too few samples")

#: The power of what "would have been caught", and below which twice the claim is too hard to catch.
CAUGHT, EVEN = 0.8, 0.5

#: P-values below this are bounds in which round-off decides: they do not measure the evidence.
ROUND_OFF = 1e-12


@dataclass(frozen=True)
class RefutingPoint:
    """The threshold at which scores contradict a claim most, and its error rates.

    Attributes
    ----------
    threshold : float
        In score units.
    true_positives, false_positives : int
        How many scores of P and of Q lie beyond it.
    fpr_upper, fnr_upper : float
        A point on or above the pair's trade-off function, at the confidence of the verdict: some
        attack has this false positive rate and at most this false negative rate.
    claimed_fnr : float
        The smallest false negative rate that the claim allows at ``fpr_upper``. The point alone
        refutes the claim where ``fnr_upper`` lies below it; the verdict rests on the joint test of
        both rates, which may refute a little more.
    p_value : float
        Of the claim, at this threshold alone.
    """

    threshold: float
    true_positives: int
    false_positives: int
    fpr_upper: float
    fnr_upper: float
    claimed_fnr: float
    p_value: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


@dataclass(frozen=True)
class Detectable:
    """The smallest leak beyond a claim that the band detects with 80% power, in one family.

    Attributes
    ----------
    mechanism : str
        "randomized response", "Gaussian", …
    symbol : str
        Of the two values below: "ε" (at the claim's δ, or of its order), "μ", or "factor", by which
        the reference pair's privacy losses are multiplied.
    caught : float
        The claim is refuted with a power of 80% at this value, and more beyond it; ∞ where the
        samples are too few for any.
    twice : float
        Twice the claimed value.
    power_at_twice : float
        The probability that the claim is refuted there.
    """

    mechanism: str
    symbol: str
    caught: float
    twice: float
    power_at_twice: float

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def too_weak(self) -> bool:
        """Whether twice the claim is hard to detect; for a claim of no leak, whether any leak is.

        Twice 0 is 0, so that a claim of no leak has no such double.
        """
        return math.isinf(self.caught) if self.twice == 0 else self.power_at_twice < EVEN

    def __str__(self) -> str:
        return f"{self.least} ({self.mechanism})"

    @property
    def least(self) -> str:
        """The smallest leak as text: "ε ≥ 2.17", "1.02 times the claimed privacy loss"."""
        caught = round_safely(self.caught, "up")
        if self.symbol == "factor":
            return f"{caught} times the claimed privacy loss"
        return f"{self.symbol} ≥ {caught}"

    @property
    def _twice(self) -> str:
        if self.symbol == "factor":
            return "a mechanism at twice the claim (all privacy losses doubled)"
        at = f"{self.symbol} = {plain(self.twice)}"
        return f"a mechanism at twice the claim ({self.mechanism}, {at})"


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """A claim judged by scores: refuted, not refuted, or too few samples. See `judge`.

    Attributes
    ----------
    scores : Scores
    claim : Claim
        A pair that was given as claim is a `PairClaim`.
    verdict : {"refuted", "not refuted", "too few samples"}
    confidence : float
        The probability, at least, with which no true claim is refuted: however many are judged, or
        of one that was fixed in advance, according to the guarantee.
    p_value : float
        The claim is refuted at every confidence up to 1 − p. Below 1e-12 only its being so small
        is known, and shown.
    bounds : tuple of Bound
        What the band says about the claimed quantity: ε at the claim's δ, or μ; and the true
        positive rate at the witness.
    witness : RefutingPoint, optional
        None where no score of P lies beyond any score of Q.
    power : tuple of Detectable
        What would have been caught: the mechanisms that are easiest to catch, which decide whether
        there are too few samples, and for some claims a second kind.
    sample_sizes : pair of int, optional
        Scores (n_p, n_q) that refute twice the claim with probability one half. Given with "too few
        samples", where at most 10⁹ scores per group suffice.
    guarantee : {"simultaneous", "one question"}
        Whether it holds together with all verdicts and bounds of the band, or as the only question
        that was asked of these scores.
    """

    scores: Scores
    claim: Claim
    verdict: str
    confidence: float
    p_value: float
    bounds: tuple[Bound, ...]
    witness: RefutingPoint | None
    power: tuple[Detectable, ...]
    sample_sizes: tuple[int, int] | None = None
    guarantee: str = "simultaneous"

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.verdict, "verdict", VERDICTS)

    @property
    def claimed(self) -> str:
        """The claim as text: "approx(2, 1e-5)", "no leakier than Gaussian, μ = 1"."""
        return str(self.claim)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == REFUTED

    def __bool__(self) -> NoReturn:
        """A TypeError: a verdict has three values, and "refuted" must not pass for True."""
        raise TypeError(
            f"a verdict is not true or false (this one is {self.verdict!r}): ask for "
            "verdict.refuted, or in a test call workbench.testing.assert_not_refuted(scores, claim)"
        )

    # -- how it reads ---------------------------------------------------------------------------

    def explain(self) -> str:
        """The verdict in plain sentences, and where the claim's fields are about something else."""
        return " ".join([_Sentences(self).explain(), *self.claim.differences()])

    def to_latex(self) -> str:
        """The sentences of `explain` in LaTeX; all texts are escaped."""
        return latex(self.explain())

    @property
    def summary(self) -> str:
        """The evidence in a few words: what was shown, would be detected, or would suffice."""
        return _Sentences(self).summary

    @property
    def terms(self) -> tuple[str, ...]:
        """Guarantee, confidence and assumption of the verdict."""
        guarantee = "held-out" if self.scores.held_out else self.guarantee
        return guarantee, percent(self.confidence), self.scores.assumption

    def __str__(self) -> str:
        return f"{self.claimed}: {self.verdict}, {self.summary} ({', '.join(self.terms)})"

    def __format__(self, spec: str) -> str:
        """The text by a format of texts, such as ``f"{verdict:>80}"``."""
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Verdict({self})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (b.symbol, f"{b.relation} {b.rounded}") for b in self.bounds
        ]
        words = _Sentences(self)
        rows.append(("p-value of the claim", f"{'<' if words.tiny else '≤'} {words.p}"))
        rows += [(f"caught with {percent(CAUGHT)} power", d) for d in self.power]
        shown = table(f"{self.claimed}: {self.verdict}", rows, " · ".join(self.terms))
        return f'<div title="{escape(self.explain())}">{beside(shown, self)}</div>'

    # -- how it travels -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The verdict and its evidence as plain Python values; of the scores only their sizes.

        Only a claim with fields has the entry ``fields``.
        """
        s, stated = self.scores, self.claim.fields.given
        return {
            "claim": self.claimed,
            **({"fields": stated} if stated else {}),
            "verdict": self.verdict,
            "guarantee": self.guarantee,
            "confidence": self.confidence,
            "p_value": self.p_value,
            "assumption": s.assumption,
            "n_p": s.n_p,
            "n_q": s.n_q,
            "bounds": [bound.to_dict() for bound in self.bounds],
            "witness": self.witness and asdict(self.witness),
            "power": [asdict(detectable) for detectable in self.power],
            "sample_sizes": self.sample_sizes
            and {"n_p": self.sample_sizes[0], "n_q": self.sample_sizes[1]},
            "explanation": self.explain(),
        }

    def to_frame(self) -> pd.DataFrame:
        """The verdict as one row, without bounds and the second family of alternatives."""
        import pandas as pd

        row = {k: v for k, v in self.to_dict().items() if not isinstance(v, (dict, list))}
        row["witness"] = self.witness and self.witness.threshold
        row["sample_sizes"] = self.sample_sizes and max(self.sample_sizes)
        return pd.DataFrame([row | asdict(self.power[0])])


@dataclass(frozen=True)
class _Sentences:
    """A verdict in words."""

    judged: Verdict

    def explain(self) -> str:
        """The verdict in plain sentences."""
        how = {
            REFUTED: self._when_refuted,
            NOT_REFUTED: self._when_not_refuted,
            TOO_FEW: self._when_too_few,
        }
        return how[self.judged.verdict]()

    @property
    def summary(self) -> str:
        """The evidence in a few words: what was shown, would be detected, or would suffice."""
        if self.judged.verdict == REFUTED:
            bound, w = self.judged.bounds[0], self.judged.witness
            shown = f"{bound.symbol} {bound.relation} {bound.rounded}"
            if bound.quantity == "tpr" and w is not None:
                shown += f" where the claim allows {round_safely(1 - w.claimed_fnr, 'up')}"
            return shown
        return self.detects if self.judged.verdict == NOT_REFUTED else self.enough

    @property
    def tiny(self) -> bool:
        """Whether the p-value is only known to be below `ROUND_OFF`."""
        return self.judged.p_value < ROUND_OFF

    @property
    def p(self) -> str:
        return f"{ROUND_OFF:g}" if self.tiny else round_safely(self.judged.p_value, "up")

    @property
    def level(self) -> str:
        alone = ", as the only claim, fixed in advance" * (self.judged.guarantee == "one question")
        confidence = percent(self.judged.confidence)
        return f"{confidence} confidence ({self.judged.scores.assumption}{alone})"

    def _when_refuted(self) -> str:
        text = f"The claim “{self.judged.claimed}” is refuted with {self.level}: {self.summary}."
        w, s = self.judged.witness, self.judged.scores
        if w is not None:
            beyond = "Above" if s.larger_is_member else "Below"
            text += (
                f" {beyond} the threshold {plain(w.threshold)} lie {w.true_positives:,} of "
                f"{s.n_p:,} scores of members and {w.false_positives:,} of {s.n_q:,} of "
                "non-members."
            )
            if w.fnr_upper < w.claimed_fnr:
                fpr = round_safely(w.fpr_upper, "up")
                text += (
                    f" They prove an attack with a false positive rate of {fpr} and a true "
                    f"positive rate of at least {round_safely(1 - w.fnr_upper, 'down')}; the claim "
                    f"allows at most {round_safely(1 - w.claimed_fnr, 'up')}."
                )
        return (
            f"{text} If the claim were true, evidence this strong at any threshold would have a "
            f"probability of {'less than' if self.tiny else 'at most'} {self.p}."
        )

    def _when_not_refuted(self) -> str:
        return (
            f"The claim “{self.judged.claimed}” is not refuted with {self.level}; that does not "
            f"show that it is true. {self.detectable_leak}{self.ties}"
        )

    def _when_too_few(self) -> str:
        s, first = self.judged.scores, self.judged.power[0]
        if first.twice == 0:
            return (
                f"Too few samples to tell whether the claim “{self.judged.claimed}” holds, with "
                f"{self.level}. {self.detectable_leak}{self.ties}"
            )
        power = round_safely(100 * first.power_at_twice, "nearest", 2)
        return (
            f"Too few samples to tell whether the claim “{self.judged.claimed}” holds, with "
            f"{self.level}: of {first._twice}, {s.n_p:,} scores of members and {s.n_q:,} of "
            f"non-members would have refuted it with a probability of {power}%, less than one "
            f"half; {self.enough}. {self.detectable_leak}{self.ties}"
        )

    @property
    def enough(self) -> str:
        if self.judged.sample_sizes is None:
            if self.judged.power[0].twice == 0:
                return "no mechanism, however much it leaks, would be detected"
            return f"even {MOST_SCORES:,} scores per group would not suffice"
        n_p, n_q = map(_about, self.judged.sample_sizes)
        if n_p == n_q:
            return f"about {n_p} scores per group would suffice"
        return f"about {n_p} scores of members and {n_q} of non-members would suffice"

    @property
    def detects(self) -> str:
        first = self.judged.power[0]
        leak = "no leak" if math.isinf(first.caught) else first.least
        return f"detects {leak} with {percent(CAUGHT)} power"

    @property
    def detectable_leak(self) -> str:
        """A sentence on the smallest leak of each family that would be refuted."""
        first, *others = self.judged.power
        if math.isinf(first.caught):
            leak, detail = "no mechanism", ", however much it leaks"
        else:
            leak = f"a mechanism with {first.least}"
            detail = f" ({first.mechanism}, the easiest to detect)" if others else ""
        text = (
            f"With these sample sizes, {leak} would be refuted with probability "
            f"{percent(CAUGHT)}{detail}"
        )
        for other in others:
            text += (
                f"; no {other.mechanism} mechanism would be"
                if math.isinf(other.caught)
                else f"; a {other.mechanism} mechanism, from {other.least}"
            )
        return f"{text}."

    @property
    def ties(self) -> str:
        """Power is that of attacks without ties."""
        q = self.judged.scores.samples.groups[1]
        if 2 * q.runs()[0].size > q.size:
            return ""
        return (
            " The scores have ties, which reduce this power: before an audit, break them at random "
            "by noise smaller than the gaps between the scores."
        )


def _about(n: int) -> str:
    return f"{int(float(round_safely(n, 'up', 2))):,}"
