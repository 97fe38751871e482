"""The verdict on a claim: refuted, not refuted, or too few samples to tell.

A claim is a trade-off function f that the pair's own does not pass below. The band, whose one event
is in `workbench.bounds.simultaneous.rank_band`, refutes f at a rank of Q when p_k(f) ≤ c there, so
the claim is refuted exactly if

    p = 1 − (1 − min_k p_k(f))^J ≤ 1 − confidence,

and p is a p-value of the claim that is corrected for all J ranks (J is a little more than their
number, for the share of the error budget that ties take). All verdicts on the same scores
rest on the same event: with the stated confidence, none of them refutes a true claim. Where one
claim is fixed before the scores are seen, p is its exact value instead
(`workbench.bounds.one_question.one_question`).

The verdict is "too few samples" for a claim that is not refuted where a mechanism that leaks twice
as much would have been refuted with a probability below one half
(the claim's
`Claim.alternatives` are the mechanisms, `workbench.bounds.power.power` the
probability).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import numpy as np

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench._markup import escape_html as escape
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.latex import escape as latex
from workbench.bounds.one_question.one_question import claim_counts, claim_p_value
from workbench.bounds.power.power import (
    MOST_SCORES,
    Detector,
    Mechanisms,
    Tradeoff,
    detector,
    scores_needed,
    simulated,
)
from workbench.bounds.simultaneous.band import TradeoffBand, tradeoff_band
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.curves.validation import Floats
from workbench.estimators.direction import direction_doubt
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores, ScoresError

if TYPE_CHECKING:
    import pandas as pd

REFUTED, NOT_REFUTED, TOO_FEW = VERDICTS = ("refuted", "not refuted", "too few samples")

#: What a verdict may promise.
Guarantee = Literal["simultaneous", "one question"]

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

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def too_weak(self) -> bool:
        """Whether twice the claim is hard to detect; for a claim of no leak, whether any leak is.

        Twice 0 is 0, so that a claim of no leak has no such double.
        """
        return math.isinf(self.caught) if self.twice == 0 else self.power_at_twice < EVEN

    def __str__(self) -> str:
        return f"{self._least} ({self.mechanism})"

    @property
    def _least(self) -> str:
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
        """The verdict in plain sentences."""
        how = {REFUTED: self._refuted, NOT_REFUTED: self._stands, TOO_FEW: self._too_few}
        return how[self.verdict]()

    def to_latex(self) -> str:
        """The sentences of `explain` in LaTeX; all texts are escaped."""
        return latex(self.explain())

    @property
    def summary(self) -> str:
        """The evidence in a few words: what was shown, would be detected, or would suffice."""
        if self.verdict == REFUTED:
            bound, w = self.bounds[0], self.witness
            shown = f"{bound.symbol} {bound.relation} {bound.rounded}"
            if bound.quantity == "tpr" and w is not None:
                shown += f" where the claim allows {round_safely(1 - w.claimed_fnr, 'up')}"
            return shown
        return self._detects if self.verdict == NOT_REFUTED else self._enough

    @property
    def _tiny(self) -> bool:
        """Whether the p-value is only known to be below `ROUND_OFF`."""
        return self.p_value < ROUND_OFF

    @property
    def _p(self) -> str:
        return f"{ROUND_OFF:g}" if self._tiny else round_safely(self.p_value, "up")

    @property
    def _level(self) -> str:
        alone = ", as the only claim, fixed in advance" * (self.guarantee == "one question")
        return f"{percent(self.confidence)} confidence ({self.scores.assumption}{alone})"

    def _refuted(self) -> str:
        text = f"The claim “{self.claimed}” is refuted with {self._level}: {self.summary}."
        w, s = self.witness, self.scores
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
            f"probability of {'less than' if self._tiny else 'at most'} {self._p}."
        )

    def _stands(self) -> str:
        return (
            f"The claim “{self.claimed}” is not refuted with {self._level}; that does not show "
            f"that it is true. {self._detectable_leak}{self._ties}"
        )

    def _too_few(self) -> str:
        s, first = self.scores, self.power[0]
        if first.twice == 0:
            return (
                f"Too few samples to tell whether the claim “{self.claimed}” holds, with "
                f"{self._level}. {self._detectable_leak}{self._ties}"
            )
        power = round_safely(100 * first.power_at_twice, "nearest", 2)
        return (
            f"Too few samples to tell whether the claim “{self.claimed}” holds, with "
            f"{self._level}: of {first._twice}, {s.n_p:,} scores of members and {s.n_q:,} of "
            f"non-members would have refuted it with a probability of {power}%, less than one "
            f"half; {self._enough}. {self._detectable_leak}{self._ties}"
        )

    @property
    def _enough(self) -> str:
        if self.sample_sizes is None:
            if self.power[0].twice == 0:
                return "no mechanism, however much it leaks, would be detected"
            return f"even {MOST_SCORES:,} scores per group would not suffice"
        n_p, n_q = map(_about, self.sample_sizes)
        if n_p == n_q:
            return f"about {n_p} scores per group would suffice"
        return f"about {n_p} scores of members and {n_q} of non-members would suffice"

    @property
    def _detects(self) -> str:
        first = self.power[0]
        leak = "no leak" if math.isinf(first.caught) else first._least
        return f"detects {leak} with {percent(CAUGHT)} power"

    @property
    def _detectable_leak(self) -> str:
        """A sentence on the smallest leak of each family that would be refuted."""
        first, *others = self.power
        if math.isinf(first.caught):
            leak, detail = "no mechanism", ", however much it leaks"
        else:
            leak = f"a mechanism with {first._least}"
            detail = f" ({first.mechanism}, the easiest to detect)" if others else ""
        text = (
            f"With these sample sizes, {leak} would be refuted with probability "
            f"{percent(CAUGHT)}{detail}"
        )
        for other in others:
            text += (
                f"; no {other.mechanism} mechanism would be"
                if math.isinf(other.caught)
                else f"; a {other.mechanism} mechanism, from {other._least}"
            )
        return f"{text}."

    @property
    def _ties(self) -> str:
        """Power is that of attacks without ties."""
        q = self.scores.groups[1]
        if 2 * q.runs()[0].size > q.size:
            return ""
        return (
            " The scores have ties, which reduce this power: before an audit, break them at random "
            "by noise smaller than the gaps between the scores."
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """Guarantee, confidence and assumption of the verdict."""
        guarantee = "held-out" if self.scores.held_out else self.guarantee
        return guarantee, percent(self.confidence), self.scores.assumption

    def __str__(self) -> str:
        return f"{self.claimed}: {self.verdict}, {self.summary} ({', '.join(self.terms)})"

    def __repr__(self) -> str:
        return f"Verdict({self})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (b.symbol, f"{b.relation} {b.rounded}") for b in self.bounds
        ]
        rows.append(("p-value of the claim", f"{'<' if self._tiny else '≤'} {self._p}"))
        rows += [(f"caught with {percent(CAUGHT)} power", d) for d in self.power]
        shown = table(f"{self.claimed}: {self.verdict}", rows, " · ".join(self.terms))
        return f'<div title="{escape(self.explain())}">{shown}</div>'

    # -- how it travels -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The verdict and its evidence as plain Python values; of the scores only their sizes."""
        s = self.scores
        return {
            "claim": self.claimed,
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


def judge(
    scores: Scores,
    claim: Claim | Pair | str,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    guarantee: Guarantee = "simultaneous",
) -> Verdict:
    """The verdict on a claim about a mechanism: refuted, not refuted, or too few samples.

    Parameters
    ----------
    scores : Scores
    claim : Claim, Pair or str
        What is promised. A pair claims that the mechanism leaks at most like it, in either
        direction: its symmetrised trade-off function. Text is read by `parse_claim`.
    confidence : float
        Probability, at least, with which no true claim is refuted, all simultaneous verdicts on
        these scores taken together.
    seed : int or numpy.random.Generator
        For the power; the verdict on the claim itself has no chance in it.
    guarantee : {"simultaneous", "one question"}
        "one question" is sharper, for one claim that was fixed before the scores were seen: no
        other claim, and no bound of that kind, may be asked of the same scores.

    Returns
    -------
    Verdict
        "refuted", with a witness; "too few samples" where a mechanism at twice the claim (twice ε,
        twice μ, twice the pair's privacy losses) would have been refuted with a probability below
        one half, with the sizes that would do; "not refuted" otherwise. A claim of no leak at all
        has no double: samples are too few for it where they would refute no leak.

    Raises
    ------
    ScoresError
        Nobody stated the direction of the scores, and members score significantly less member-like
        than non-members; a claim that is refuted all the same is returned.
    ValueError
        Text that is no claim, something else that is none, a confidence out of range, an unknown
        guarantee, a pair that its accountant cannot describe.

    Notes
    -----
    Guarantee: as chosen, distribution-free, for independent scores; ties included. A simultaneous
    verdict rests on the same event as `tradeoff_band`, one on a single claim on
    `workbench.bounds.one_question.one_question`. Power is that of the mechanisms that
    `Claim.alternatives` lists, under the best attack on scores without ties; it is simulated
    (4000 draws). Scores with ties have less power.

    Examples
    --------
    >>> import workbench as wb
    >>> scores = wb.GaussianPair(1).sample(10_000, seed=0)
    >>> print(wb.judge(scores, "gdp(0.8)"))
    gdp(0.8): refuted, μ ≥ 0.969 (simultaneous, 95%, independent runs)
    >>> print(wb.judge(scores, "approx(5, 1e-5)").verdict)
    not refuted
    """
    verdict = verdict_on(scores, claim, confidence, seed, guarantee)
    if not verdict.refuted and (doubt := direction_doubt(scores)):
        raise ScoresError(f"“{verdict.claimed}” is not judged. {doubt}")
    return verdict


def verdict_on(
    scores: Scores,
    claim: Claim | Pair | str,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
    guarantee: Guarantee = "simultaneous",
) -> Verdict:
    """The verdict as of `judge`, whatever the direction: for callers that ask for it themselves.

    Parameters
    ----------
    scores, claim, confidence, seed, guarantee
        As of `judge`.
    """
    claim = as_claim(claim)
    band = tradeoff_band(scores, _checks.confidence(confidence))
    claimed, sizes = claim.min_tradeoff, (scores.n_p, scores.n_q)
    at_ranks = band.tests.p_values(np.asarray(claimed(band.tests.alpha)))
    p_value = band.ranks.joint_p_value(float(at_ranks.min()))
    refuted = bool(at_ranks.min() <= band.level)
    alone = _checks.one_of(guarantee, "guarantee", get_args(Guarantee)) == "one question"
    if alone:
        p_value = min(claim_p_value(band.ranks, claimed), p_value)
        refuted = p_value <= 1 - band.confidence
        caught = simulated(claim_counts(band.ranks, claimed), *sizes, seed)
    else:
        caught = detector(claimed, *sizes, band.confidence, seed)
    witness = _witness(band, at_ranks, claimed)
    families = claim.alternatives()
    power = tuple(_detectable(caught, family) for family in families)
    verdict, enough = REFUTED if refuted else NOT_REFUTED, None
    if not refuted and power[0].too_weak:
        verdict = TOO_FEW
        twice = families[0].at(power[0].twice)
        if power[0].twice > families[0].claimed:
            enough = scores_needed(claimed, twice, EVEN, sizes, band.confidence, seed)
    bounds = _bounds(band, claim, refuted, witness, guarantee)
    return Verdict(
        *(scores, claim, verdict, band.confidence, p_value, bounds, witness, power, enough),
        guarantee=guarantee,
    )


def _witness(band: TradeoffBand, p_values: Floats, claimed: Tradeoff) -> RefutingPoint | None:
    """Among the ranks with the smallest p-values, the point that contradicts the claim most."""
    ranks, alpha, beta = band.points
    if not ranks.size:
        return None
    p = p_values[ranks]
    alpha, beta, ranks, p = (v[p <= max(p.min(), ROUND_OFF)] for v in (alpha, beta, ranks, p))
    fnr = np.asarray(claimed(alpha))
    j, best = np.unravel_index(np.argmax(fnr - beta), fnr.shape)
    threshold = float(band.thresholds[ranks[j]])
    true, false = band.scores.tail_counts(threshold)
    return RefutingPoint(
        threshold=threshold,
        true_positives=int(true),
        false_positives=int(false),
        fpr_upper=float(alpha[j, best]),
        fnr_upper=float(beta[j, best]),
        claimed_fnr=float(fnr[j, best]),
        p_value=float(p[j]),
    )


def _bounds(
    band: TradeoffBand,
    claim: Claim,
    refuted: bool,
    witness: RefutingPoint | None,
    guarantee: str,
) -> tuple[Bound, ...]:
    bound, claimed = claim.lower_bound(band), claim.parameter
    bounds = []
    if bound is not None and claimed is not None:
        if refuted and bound.value < claimed and witness is not None:
            # The claim's own test refutes more: a hair, where the bound's search ends short of
            # it, and what one question gains.
            kind = bound.guarantee if guarantee == "simultaneous" else guarantee
            bound = replace(bound, value=claimed, threshold=witness.threshold, guarantee=kind)
        bounds.append(bound)
    if witness is not None:
        bounds.append(band.tpr(witness.fpr_upper))
    return tuple(bounds)


def _detectable(caught: Detector, family: Mechanisms) -> Detectable:
    twice = 2 * family.claimed
    return Detectable(
        mechanism=family.name,
        symbol=family.symbol,
        caught=caught.least(family, CAUGHT),
        twice=twice,
        power_at_twice=caught.power(family.at(twice)),
    )


def _about(n: int) -> str:
    return f"{int(float(round_safely(n, 'up', 2))):,}"
