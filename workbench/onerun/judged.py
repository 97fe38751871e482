"""`judge_guesses`: the verdict on a claim from guesses on canaries with fair coins.

**P-value.** Let a claim allow at most δ(ε) at every ε, so that a mechanism that keeps it is
(ε, δ(ε))-DP for each ε. By Theorem 5.2 of Steinke, Nasr and Jagielski (2023) in its sharp form
(`workbench.onerun.steinke`), at least c of r guesses are right with a probability of at most
p_ε(c), for each ε. The tail is one number and all p_ε(c) are limits of it, so their minimum is one
as well, and nothing is paid for taking it: p(c) = min_ε p_ε(c) falls in c, so P[p(C) ≤ α] ≤ α. A
coarse grid of ε only makes p larger. For μ-GDP the recursion of Mahloujifar, Melis and Chaudhuri
(2024) limits the same tail, and is taken where it is smaller.

*Where each canary had one of K values*, the same holds with the p-values of guesses that name j of
them, and the claim is about replacing one value by another.

*Where the number of guesses follows from what was released*, there is a tail for each number, and
the minimum could be at another ε for each. So one ε is taken, that of the claim or else one that
follows from the claim and the number of canaries alone, with `any_number_p_value`.

**Power.** A mechanism at twice the claim that treats canaries alike and names those of which it is
surest is right with the probability that its trade-off function gives at this share of guesses;
"too few samples" is where it would be caught with a probability below one half. With values v and w
drawn at random, "v is named and w is not" has a probability of (K−j)/(K−1) of that of being right
if v is the truth, and j/(K−1) of that of being wrong if w is: of a mechanism that treats values
alike, a test of v against w, which lies on the trade-off function if nobody guesses better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench._format import percent, round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.power.verdict import (
    CAUGHT,
    NOT_REFUTED,
    REFUTED,
    TOO_FEW,
    VERDICTS,
    Detectable,
)
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.parse import as_claim
from workbench.onerun.bound import any_number_bound, one_run_bound, one_run_mu_bound
from workbench.onerun.guesses import RANDOM_PARTS, Guesses
from workbench.onerun.mahloujifar import refuted as refuted_by_recursion
from workbench.onerun.steinke import (
    PValue,
    any_number_p_value,
    delta_factor,
    for_values,
    sharp_p_value,
)
from workbench.pairs.base import Pair
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.scores.sample import NOBODY_DREW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.bounds.power.power import Mechanisms

    Tradeoff = Callable[[NDArray[np.float64]], NDArray[np.float64]]

#: The ε at which a claim is tested besides the one that it names.
_GRID = np.concatenate([np.linspace(0, 4, 33), np.linspace(4.25, 12, 32)])

#: mδ(ε) at the one ε at which a claim is tested if the number of guesses was chosen.
_SMALL_DELTA = 1e-3

#: `GuessVerdict.relation` of pairs of records, and of values.
SUBSTITUTION = "substitution"


@dataclass(frozen=True)
class GuessVerdict:
    """A claim judged by guesses on canaries: refuted, not refuted, or too few samples.

    Attributes
    ----------
    claim : Claim
    verdict : {"refuted", "not refuted", "too few samples"}
    confidence : float
    p_value : float
        Of the claim: a limit of the probability of as many right guesses if it is true.
    guesses : Guesses
    bound : Bound
        What the guesses show on their own: μ for a Gaussian claim, otherwise ε at the claim's δ, or
        at δ = 0; also for a Gaussian claim if the number of guesses was chosen.
    power : Detectable
        What would have been caught.
    relation : str
        Of neighbors, whose claim it judges: "add/remove", "substitution" or "replacing a label".
    void : str, optional
        Why it does not hold after all.
    unit : str
        What a canary is, such as "record"; "" where nobody said.
    """

    claim: Claim
    verdict: str
    confidence: float
    p_value: float
    guesses: Guesses
    bound: Bound
    power: Detectable
    relation: str
    void: str | None = None
    unit: str = ""

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.verdict, "verdict", VERDICTS)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted, by evidence that is valid."""
        return self.verdict == REFUTED and self.void is None

    @property
    def claimed(self) -> str:
        """The claim as text: "approx(2, 1e-5)"."""
        return str(self.claim)

    def __bool__(self) -> bool:
        """A TypeError: a verdict has three values, and "refuted" must not pass for True."""
        raise TypeError(
            f"a verdict is not true or false (this one is {self.verdict!r}): ask for "
            "verdict.refuted"
        )

    def explain(self) -> str:
        """The verdict in plain sentences, and where the claim's fields are about something else."""
        neighbors = "substitute" if self.relation == SUBSTITUTION else "add-remove"
        if self.guesses.of_labels:  # a claim on labels has no relation of its own
            neighbors = ""
        return " ".join([self._said(), *self.claim.differences(self.unit, neighbors)])

    def _said(self) -> str:
        made = self.guesses
        level = f"{percent(self.confidence)} confidence ({self.bound.assumption}, {self.relation})"
        hits = f"{made.correct:,} of {made.guesses:,} guesses on {made.canaries:,} are right"
        if self.verdict == REFUTED:
            text = (
                f"The claim “{self.claimed}” is refuted with {level}: {hits}, which has a "
                f"probability of at most {round_safely(self.p_value, 'up')} if it is true."
            )
        elif self.verdict == TOO_FEW:
            text = (
                f"Too few samples to tell whether the claim “{self.claimed}” holds, with {level}: "
                f"{hits}; of a mechanism at twice the claim, as many guesses would have refuted it "
                f"with a probability of {percent(self.power.power_at_twice)}."
            )
        else:
            text = (
                f"The claim “{self.claimed}” is not refuted with {level}: {hits}. That does not "
                f"show that it is true; with {percent(CAUGHT)} power these guesses detect "
                f"{self.power.least}."
            )
        return f"{text} Not valid: {self.void}." if self.void else text

    def __str__(self) -> str:
        bound = self.bound
        terms = ", ".join(filter(None, (percent(self.confidence), bound.assumption, self.void)))
        shown = f"{bound.symbol} {bound.relation} {bound.rounded}"
        return f"{self.claimed}: {self.verdict}, {shown} ({terms})"

    def __repr__(self) -> str:
        return f"GuessVerdict({self})"

    def _repr_html_(self) -> str:
        rows = [(self.bound.symbol, f"{self.bound.relation} {self.bound.rounded}")]
        rows += [("p-value of the claim", f"≤ {round_safely(self.p_value, 'up')}")]
        rows += [(f"caught with {percent(CAUGHT)} power", str(self.power))]
        return table(f"{self.claimed}: {self.verdict}", rows, self.explain())


def judge_guesses(
    guesses: Guesses,
    claim: Claim | Pair | str,
    confidence: float = 0.95,
    *,
    chosen_number: bool = False,
) -> GuessVerdict:
    """The verdict on a claim from guesses on canaries, each with its own fair coin or value.

    Parameters
    ----------
    guesses : Guesses
        Of fair coins, of matched pairs, or of values that were drawn uniformly.
    claim : Claim, Pair or str
        About adding or removing a canary; for matched pairs about substituting one, and for values
        about replacing one by another.
    confidence : float
        A true claim is refuted with a probability of at most one minus it.
    chosen_number : bool
        Whether the number of guesses follows from what was released, such as one that was chosen on
        other canaries of the same run, and was not fixed before. A part of the error probability is
        then kept for δ.

    Returns
    -------
    GuessVerdict

    Raises
    ------
    ValueError
        A design without coins; text that is no claim.

    Notes
    -----
    Guarantee: pointwise, for a rule of guessing that was fixed before the inclusions were known.
    Canaries may influence each other.

    References
    ----------
    Steinke, Nasr and Jagielski (2023), Theorem 5.2; Mahloujifar, Melis and Chaudhuri (2024).

    Examples
    --------
    >>> found = wb.judge_guesses(wb.Guesses(1000, 100, 95), "approx(1, 1e-5)")
    >>> print(found)
    approx(1, 1e-5): refuted, ε at δ = 1e-5 ≥ 2.17 (95%, independent fair coins)
    """
    need = "a workbench.Guesses, such as run.guess(...) returns"
    _checks.instance(guesses, Guesses, "guesses", need)
    claim, confidence = as_claim(claim), _checks.confidence(confidence)
    if guesses.design in RANDOM_PARTS:
        raise ValueError(
            f"a verdict needs a fair coin for each canary, got design={guesses.design!r}; match "
            "pairs first: wb.matched_pairs(run).guess(...)"
        )
    error = 1 - confidence
    chosen = _checks.flag(chosen_number, "chosen_number")
    p = claim_p_value(claim, guesses, chosen)
    power = _power(claim, guesses, error, chosen)
    verdict = REFUTED if p <= error else TOO_FEW if power.too_weak else NOT_REFUTED
    return GuessVerdict(
        claim=claim,
        verdict=verdict,
        confidence=confidence,
        p_value=p,
        guesses=guesses,
        bound=_bound(claim, guesses, confidence, chosen),
        power=power,
        relation=_relation(guesses),
        void=NOBODY_DREW if guesses.design == "given" else guesses.void,
    )


def _relation(guesses: Guesses) -> str:
    if guesses.of_labels:
        return "replacing a label"
    return SUBSTITUTION if _replaces(guesses) else "add/remove"


def claim_p_value(claim: Claim, guesses: Guesses, chosen_number: bool = False) -> float:
    """A limit of P[at least as many right guesses] under a claim: a p-value of it.

    Parameters
    ----------
    claim : Claim
    guesses : Guesses
    chosen_number : bool
        As in `judge_guesses`.
    """
    if guesses.guesses == 0:
        return 1.0
    if chosen_number:  # the recursion is for a number that was fixed in advance
        return _by_profile(claim, guesses, any_number_p_value)
    return min(_by_profile(claim, guesses, sharp_p_value), _by_recursion(claim, guesses))


def _by_profile(claim: Claim, guesses: Guesses, p_value: PValue) -> float:
    m, r, c = guesses.canaries, guesses.guesses, guesses.correct
    own = claim.named_epsilon  # it says all of such a claim
    at = _GRID if own is None else np.array([own])
    if p_value is any_number_p_value and own is None:
        of_delta = delta_factor(guesses.values, guesses.top)
        at = at[m * of_delta * np.asarray(claim.delta(at), float) <= _SMALL_DELTA][:1]
    deltas = np.asarray(claim.delta(at), float)
    of_values = for_values(p_value, guesses.values, guesses.top)
    tested = [
        of_values(m, r, c, float(epsilon), float(delta))
        for epsilon, delta in zip(at, deltas, strict=True)
        if 0 <= delta < 1
    ]
    return min([1.0, *tested])


def _by_recursion(claim: Claim, guesses: Guesses) -> float:
    """For μ-GDP: the smallest error level at which the recursion refutes μ, rounded up."""
    if not _recursion_refutes(claim, guesses, 0.5):
        return 1.0
    low, high = -30.0, math.log(0.5)
    for _ in range(30):
        middle = (low + high) / 2
        refutes = _recursion_refutes(claim, guesses, math.exp(middle))
        low, high = (low, middle) if refutes else (middle, high)
    return math.exp(high)


def _recursion_refutes(claim: Claim, guesses: Guesses, error: float) -> bool:
    if not isinstance(claim, GDP) or claim.mu <= 0:
        return False
    counts = guesses.canaries, guesses.guesses, guesses.correct
    mu, values = np.array([claim.mu]), (guesses.values, guesses.top)
    return bool(refuted_by_recursion(GaussianFamily(), mu, *counts, error, *values)[0])


def _refutes(claim: Claim, guesses: Guesses, correct: int, error: float, chosen: bool) -> bool:
    """Whether so many right guesses refute the claim: its p-value, without the search for it."""
    asked = replace(guesses, correct=correct)
    if chosen:
        return _by_profile(claim, asked, any_number_p_value) <= error
    if _by_profile(claim, asked, sharp_p_value) <= error:
        return True
    return _recursion_refutes(claim, asked, error)


def _replaces(guesses: Guesses) -> bool:
    """Whether neighbors differ in the record that a canary was, not in whether it was in."""
    return guesses.values > 2 or guesses.design == "matched-pairs"


def _bound(claim: Claim, guesses: Guesses, confidence: float, chosen: bool) -> Bound:
    if isinstance(claim, GDP) and not chosen:
        return one_run_mu_bound(guesses, confidence=confidence)
    asked = claim.quantity[1].get("delta") if claim.quantity else None
    delta = 0.0 if asked is None else asked
    if chosen:
        return any_number_bound(guesses, delta, confidence)
    return one_run_bound(guesses, delta=delta, confidence=confidence, method="sharp")


# -- power -----------------------------------------------------------------------------------------


def _power(claim: Claim, guesses: Guesses, error: float, chosen: bool) -> Detectable:
    """What these guesses detect of mechanisms that leak more than the claim."""
    from scipy.stats import binom

    family = claim.for_power.alternatives()[0]
    critical = _critical(claim, guesses, error, chosen)

    def power(parameter: float) -> float:
        if critical is None:
            return 0.0
        share = guesses.guesses / guesses.canaries
        right = _accuracy(family.at(parameter), share, guesses.values, guesses.top)
        return float(binom.sf(critical - 1, guesses.guesses, right))

    twice = 2 * family.claimed
    return Detectable(
        mechanism=family.name,
        symbol=family.symbol,
        caught=_least(power, family),
        twice=twice,
        power_at_twice=power(twice),
    )


def _critical(claim: Claim, guesses: Guesses, error: float, chosen: bool) -> int | None:
    """The fewest right guesses that refute the claim; None where all of them do not."""
    low, high = 0, guesses.guesses  # low does not refute
    if not high or not _refutes(claim, guesses, high, error, chosen):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        refutes = _refutes(claim, guesses, middle, error, chosen)
        low, high = (low, middle) if refutes else (middle, high)
    return high


def _accuracy(tradeoff: Tradeoff, share: float, values: int = 2, top: int = 1) -> float:
    """The share of right guesses of the best attack that guesses on a share of all canaries.

    "In" with a false positive rate α is right for (1 − f(α)) of (1 − f(α) + α); by symmetry "out"
    as often. Both together guess on 1 − f(α) + α of the canaries. With more values, those are
    (K−1)/(K−j) and (K−1)/j of the rates; the head of the module says why.
    """
    of_right, of_wrong = (values - 1) / (values - top), (values - 1) / top
    low, high = 0.0, 0.5
    for _ in range(50):
        alpha = (low + high) / 2
        if of_right * (1 - float(tradeoff(np.array([alpha]))[0])) + of_wrong * alpha > share:
            high = alpha
        else:
            low = alpha
    hit, miss = of_right * (1 - float(tradeoff(np.array([high]))[0])), of_wrong * high
    return hit / (hit + miss) if hit + miss > 0 else top / values


def _least(power: Callable[[float], float], family: Mechanisms) -> float:
    """The smallest parameter that is caught, rounded up; ∞ where none is."""
    low, high = family.claimed, max(2 * family.claimed, 0.1)
    while power(high) < CAUGHT:
        low, high = high, 2 * high
        if high > 1e3:
            return float("inf")
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= CAUGHT else (middle, high)
    return high
