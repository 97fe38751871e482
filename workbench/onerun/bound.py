"""What guesses on the canaries of one run prove, by every published method."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.onerun import abstain, mahloujifar, per_bit
from workbench.onerun.canaries import REMARKABLE, Ends, Guesses, Threshold, coins_p_value
from workbench.onerun.steinke import PValue, epsilon_refuted, sharp_p_value, steinke_p_value
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named

COINS = "independent fair coins"
BITS = "independent bits"
HALVES = "independent bits, half of them in"


@dataclass(frozen=True)
class Method:
    """A way from counts to a bound.

    Attributes
    ----------
    label : str
        `Bound.method`.
    assumption : str
        `COINS`: the canaries may influence each other at will; `BITS`: they do not.
    p_value : callable, optional
        For (ε, δ) directly, without a family.
    leak : callable, optional
        The leak of a family below which all members are refuted, by counts and error level.
    every_guess : bool
        Whether a guess on each canary is needed.
    """

    label: str
    assumption: str
    p_value: PValue | None = None
    leak: Callable[[Family, Guesses, float], float] | None = None
    every_guess: bool = False


def _fdp(family: Family, g: Guesses, error: float) -> float:
    return mahloujifar.largest_refuted(
        family, canaries=g.canaries, guesses=g.guesses, correct=g.correct, error=error
    )


def _bits(family: Family, g: Guesses, error: float) -> float:
    return _of_limit(family, per_bit.exact_limit(g.errors, g.canaries, error))


def _hoeffding(family: Family, g: Guesses, error: float) -> float:
    return _of_limit(family, per_bit.hoeffding_limit(g.errors, g.canaries, error))


def _of_limit(family: Family, limit: float) -> float:
    return family.parameter_of_bit_error(limit) if limit < 0.5 else 0.0


def _abstain(family: Family, g: Guesses, error: float) -> float:
    return abstain.largest_refuted(
        family, canaries=g.canaries, guesses=g.guesses, errors=g.errors, error=error
    )


METHODS = {
    "steinke": Method("one run, STEINKE23", COINS, p_value=steinke_p_value),
    "sharp": Method("one run, sharp", COINS, p_value=sharp_p_value),
    "fdp": Method("one run, MAHLOUJIFAR24", COINS, leak=_fdp),
    "bits": Method("one run, bits (Clopper–Pearson)", BITS, leak=_bits, every_guess=True),
    "bits-hoeffding": Method("one run, bits (Hoeffding)", BITS, leak=_hoeffding, every_guess=True),
    "abstain": Method("one run, abstaining bits", BITS, leak=_abstain),
}

#: Methods that hold when exactly half of the canaries were in: each error is then a coin of its
#: own once the half is drawn, and the errors are spread less than binomial ones (Hoeffding 1956).
FIXED_HALF = ("bits", "bits-hoeffding")


def one_run_bound(
    *,
    canaries: int,
    guesses: int,
    correct: int,
    delta: float,
    confidence: float = 0.95,
    method: str = "steinke",
    family: str | Family | None = None,
    q: float | None = None,
    included: int | None = None,
    design: str = "fair-coins",
) -> Bound:
    """Lower bound on ε from guesses who was in one run's training data.

    Parameters
    ----------
    canaries, guesses, correct : int
        Canaries in all, those on which a guess was made, and right guesses. The number of guesses
        must have been fixed beforehand.
    delta : float
        In [0, 1).
    confidence : float
    method : str
        What the canaries may do to each other decides:

        ================ ========================= ====================== =====================
        method           holds if                  about                  abstentions
        ================ ========================= ====================== =====================
        "steinke"        fair coins                (ε, δ)                 allowed
        "sharp"          fair coins                (ε, δ), and is tight   allowed
        "fdp"            fair coins                a family               allowed
        "bits"           no influence on others    a family               a guess on each needed
        "bits-hoeffding" no influence on others    a family               a guess on each needed
        "abstain"        no influence on others    a family               allowed
        ================ ========================= ====================== =====================

    family : str or Family, optional
        "gaussian", "laplace", "randomized-response", "subsampled-gaussian" (with ``q``), or a
        `workbench.pairs.families.base.Family`. None is "randomized-response" at this δ, the
        smallest trade-off function of all (ε, δ)-DP mechanisms, and so assumes nothing about the
        mechanism.
    q : float, optional
        The known sampling probability of the subsampled Gaussian.
    included : int, optional
        Canaries that were in, if known; the bound's note then says if fair coins are implausible.
    design : {"fair-coins", "fixed-half"}
        How it was decided who was in. With "fixed-half" only "bits" and "bits-hoeffding" hold, for
        guesses that look at their own canary's score alone.

    Returns
    -------
    Bound
        ``n_p`` and ``n_q`` are the canaries in and out, or 0 where ``included`` is not known. 0
        where nothing is shown; ``inf`` where every member of the family is refuted.

    Raises
    ------
    ValueError
        Counts that contradict each other, a method that the design or the abstentions rule out, a
        family that is missing its parameter or has no use.

    Notes
    -----
    Guarantee: pointwise, for a rule of guessing that was fixed before it was known who was in
    (tuning on scores alone is no harm, unless it changes the number of guesses); see
    `workbench.onerun.tuning` for rules that were tuned. Sources: STEINKE23, MAHLOUJIFAR24, BITS,
    arXiv 2509.08704; "sharp" is the workbench's own, proved in `workbench.onerun.steinke`.
    """
    counts = Guesses(canaries, guesses, correct, included=included, design=design)
    return bound_of_guesses(
        counts, delta=delta, confidence=confidence, method=method, family=family, q=q
    )


def one_run_mu_bound(
    *,
    canaries: int,
    guesses: int,
    correct: int,
    confidence: float = 0.95,
    method: str = "fdp",
    included: int | None = None,
    design: str = "fair-coins",
) -> Bound:
    """Lower bound on μ: with this confidence the mechanism is not μ'-GDP for any smaller μ'.

    It refutes Gaussian trade-off functions without assuming one. Arguments as in `one_run_bound`;
    ``method`` is one of those that take a family.
    """
    counts = Guesses(canaries, guesses, correct, included=included, design=design)
    how = _method(method, counts)
    if how.leak is None:
        raise ValueError(
            f"method={method!r} is about (ε, δ) and says nothing on μ; take 'fdp' for canaries "
            "that may influence each other, 'abstain' or 'bits' for such that do not"
        )
    confidence = _checks.confidence(confidence)
    value = how.leak(GaussianFamily(), counts, 1 - confidence)
    return _bound(counts, how, quantity="mu", value=value, confidence=confidence)


def bound_of_guesses(
    counts: Guesses,
    *,
    delta: float,
    confidence: float = 0.95,
    method: str = "steinke",
    family: str | Family | None = None,
    q: float | None = None,
) -> Bound:
    """`one_run_bound` of guesses that were counted already."""
    how = _method(method, counts)
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    error = 1 - confidence
    if how.leak is None:
        if family is not None or q is not None:
            raise ValueError(
                f"method={method!r} assumes no family, got family={family!r}; leave it out, or "
                "take method='fdp', which uses it"
            )
        value = epsilon_refuted(
            how.p_value,  # type: ignore[arg-type]
            canaries=counts.canaries,
            guesses=counts.guesses,
            correct=counts.correct,
            delta=delta,
            error=error,
        )
        return _bound(counts, how, value=value, delta=delta, confidence=confidence)
    assumed = family_named("randomized-response" if family is None else family, delta=delta, q=q)
    leak = how.leak(assumed, counts, error)
    return _bound(
        counts,
        how,
        value=assumed.epsilon(leak, delta),
        delta=delta,
        confidence=confidence,
        family=None if assumed == RandomizedResponseFamily(delta) else assumed.name,
        extra=_EXHAUSTED.format(assumed.name) if math.isinf(leak) else None,
    )


def _method(method: str, counts: Guesses) -> Method:
    """The method, if it covers how the counts came about."""
    how = METHODS[_checks.one_of(method, "method", METHODS)]
    if how.every_guess and counts.guesses < counts.canaries:
        raise ValueError(
            f"method={method!r} needs a guess on each canary, got {counts.guesses} guesses on "
            f"{counts.canaries} canaries; take method='abstain' (no influence between canaries), "
            "'fdp' or 'sharp'"
        )
    if counts.design == "fixed-half":
        if method not in FIXED_HALF:
            raise ValueError(
                f"method={method!r} needs a fair coin for each canary; with design='fixed-half' "
                "who is in depends on who else is. Take method='bits', or OneRun.as_scores() and "
                "a bound of two samples"
            )
        if counts.canaries % 2:
            raise ValueError(
                f"design='fixed-half' needs an even number of canaries, got {counts.canaries}"
            )
        if isinstance(counts.rule, Ends):
            raise ValueError(
                f"with design='fixed-half' each guess must look at its own score alone, but the "
                f"rule '{counts.rule}' ranks all of them; guess by a threshold"
            )
    return how


def _bound(
    counts: Guesses,
    how: Method,
    *,
    quantity: str = "epsilon",
    extra: str | None = None,
    **more: Any,
) -> Bound:
    included = counts.included or 0
    notes = [note for note in (_coins_note(counts), extra) if note]
    rule = counts.rule
    return Bound(
        quantity=quantity,
        guarantee="pointwise",
        method=how.label,
        assumption=HALVES if counts.design == "fixed-half" else how.assumption,
        n_p=included,
        n_q=counts.canaries - included if included else 0,
        canaries=counts.canaries,
        guesses=counts.guesses,
        correct=counts.correct,
        threshold=rule.threshold if isinstance(rule, Threshold) else None,
        note=" ".join(notes) or None,
        **more,
    )


def _coins_note(counts: Guesses) -> str | None:
    """What the number of canaries that were in says about the coins, if anything."""
    if counts.included is None or counts.design != "fair-coins":
        return None
    m, k = counts.canaries, counts.included
    p = coins_p_value(k, m)
    if p < REMARKABLE:
        return (
            f"{k} of the {m} canaries were in, which fair coins give with p-value {p:.2g}: check "
            "how it was decided who was in, for the bound rests on it."
        )
    exactly_half = math.exp(math.lgamma(m + 1) - 2 * math.lgamma(m / 2 + 1) - m * math.log(2))
    if 2 * k == m and exactly_half < 0.05:
        return (
            f"Exactly half of the {m} canaries were in, which fair coins give with probability "
            f"{exactly_half:.2g}; if the half was fixed, state design='fixed-half'."
        )
    return None


_EXHAUSTED = (
    "No member of the family ({}) explains so few errors: the family itself is refuted, and with "
    "it the meaning of this ε."
)
