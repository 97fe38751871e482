"""Lower bounds on ε and μ from guesses on the canaries of one run, by every published method."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.onerun import abstain, mahloujifar, per_bit
from workbench.onerun.guesses import (
    DESIGNS,
    RANDOM_PARTS,
    REMARKABLE,
    Ends,
    Guesses,
    Threshold,
    coins_p_value,
)
from workbench.onerun.steinke import (
    PValue,
    any_number_p_value,
    delta_factor,
    delta_share,
    epsilon_refuted,
    for_values,
    sharp_p_value,
    steinke_p_value,
)
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named
from workbench.scores.sample import ALIKE

COINS = "independent fair coins"
BITS = "independent bits"
HALVES = "independent bits, half of them in"
VALUES = "independent uniform values"
PAIRS = "fair coins of pairs of records"
BIT_PAIRS = "independent bits of pairs of records"


@dataclass(frozen=True)
class OneRunMethod:
    """A method that turns counts of guesses into a bound.

    Attributes
    ----------
    label : str
        `Bound.method`.
    assumption : str
        `COINS`: canaries may influence each other's scores; `BITS`: they do not.
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
        family,
        canaries=g.canaries,
        guesses=g.guesses,
        correct=g.correct,
        error=error,
        values=g.values,
        top=g.top,
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
    "steinke": OneRunMethod("one run, Steinke et al. 2023", COINS, p_value=steinke_p_value),
    "sharp": OneRunMethod("one run, sharp", COINS, p_value=sharp_p_value),
    "fdp": OneRunMethod("one run, Mahloujifar et al. 2024", COINS, leak=_fdp),
    "bits": OneRunMethod("one run, bits (Clopper–Pearson)", BITS, leak=_bits, every_guess=True),
    "bits-hoeffding": OneRunMethod(
        "one run, bits (Hoeffding)", BITS, leak=_hoeffding, every_guess=True
    ),
    "abstain": OneRunMethod("one run, abstaining bits", BITS, leak=_abstain),
}

#: Methods that hold when exactly half of the canaries were in: each error is then a coin of its
#: own once the half is drawn, and the errors are spread less than binomial ones (Hoeffding 1956).
FIXED_HALF = ("bits", "bits-hoeffding")

#: Methods that hold where a canary had one of more than two values; the first is the default there.
OF_VALUES = ("sharp", "fdp")


def one_run_bound(
    guesses: Guesses | int,
    *,
    canaries: int | None = None,
    correct: int | None = None,
    delta: float,
    confidence: float = 0.95,
    method: str | None = None,
    family: str | Family | None = None,
    q: float | None = None,
    included: int | None = None,
    design: str | None = None,
    values: int | None = None,
    top: int | None = None,
) -> Bound:
    """Lower bound on ε at δ from guesses which canaries were in the training data of one run.

    Parameters
    ----------
    guesses : Guesses or int
        The counts, such as ``run.guess(k_in=100, k_out=100)`` returns them; or the number of
        guesses, which must have been fixed in advance.
    canaries, correct : int, optional
        Number of canaries and of correct guesses, where ``guesses`` is a number.
    delta : float
        In [0, 1).
    confidence : float
        Above 1/2 and below 1.
    method : str, optional
        By default "steinke", and "sharp" where each canary had one of more than two values. Choose
        it by whether canaries may influence each other's scores:

        ================ ========================= ====================== =====================
        method           assumption                bounds ε of            abstentions
        ================ ========================= ====================== =====================
        "steinke"        fair coins                any mechanism          allowed
        "sharp"          fair coins                any mechanism; tight   allowed
        "fdp"            fair coins                a family               allowed
        "bits"           independent canaries      a family               a guess on each needed
        "bits-hoeffding" independent canaries      a family               a guess on each needed
        "abstain"        independent canaries      a family               allowed
        ================ ========================= ====================== =====================

    family : str or Family, optional
        "gaussian", "laplace", "randomized-response", "subsampled-gaussian" (with ``q``), or a
        `workbench.pairs.families.base.Family`. None is "randomized-response" at this δ, the
        smallest trade-off function of all (ε, δ)-DP mechanisms, and so assumes nothing about the
        mechanism.
    q : float, optional
        The known sampling probability of the subsampled Gaussian.
    included : int, optional
        Number of canaries that were in, if known; the bound's note then says whether fair coins
        are implausible. Only where ``guesses`` is a number.
    design : {"fair-coins", "fixed-half", "fixed-size", "matched-pairs", "given"}, optional
        How inclusion was decided: by an independent fair coin for each canary (default), as a
        random half, as a random part of another size, or by a fair coin for each pair of records,
        of which one was in. With "fixed-half" only "bits" and "bits-hoeffding" hold, and only if
        each guess uses no score but its own canary's; with "fixed-size" none does. With
        "matched-pairs", which `matched_pairs` makes of both, all methods hold, and ε is that of
        substituting a record. With "given", where nobody drew who was in, the result is an
        estimate. Only where ``guesses`` is a number.
    values : int, optional
        For canaries that are all in, each with one of this many values, drawn uniformly (a random
        label, a random token, a secret among so many alternatives), where each guess names a value:
        "sharp" and "fdp" only. ε is then that of replacing one value by another. By default 2: in
        or out. Only where ``guesses`` is a number.
    top : int, optional
        The number of values that each guess names, fixed in advance; it is correct if the true one
        is among them. By default 1. Only where ``guesses`` is a number.

    Returns
    -------
    Bound
        ``n_p`` and ``n_q`` are the numbers of canaries in and out, or 0 where ``included`` is
        unknown. The value is 0 where nothing is shown, such as without guesses, and ``inf`` where
        every member of the family is refuted; the bound is void then. Otherwise guesses cannot
        check a family, which ``checked`` states.

    Raises
    ------
    ValueError
        Counts that contradict each other; a method that does not allow the design or the
        abstentions; a family without its parameter, or with a method that assumes none.

    Notes
    -----
    Guarantee: pointwise, for a guessing rule that was fixed before the inclusions were known. The
    rule may depend on the scores, but not the number of guesses; for tuned rules see
    `tune_one_run`.

    References
    ----------
    "steinke": Steinke, Nasr and Jagielski (2023), Theorem 5.2. "fdp": Mahloujifar, Melis and
    Chaudhuri (2024), arXiv 2410.22235. "bits", "bits-hoeffding": Xiang, Wang and Wang (2025),
    *Privacy Audit as Bits Transmission*. "abstain": Xiang et al. (2025), arXiv 2509.08704.
    "sharp": proved in `workbench.onerun.steinke`.

    Examples
    --------
    >>> wb.one_run_bound(100, canaries=1000, correct=90, delta=1e-5).rounded
    '1.62'

    Secrets of 1000 values each, of which an attack names 60 of 200 rightly:

    >>> wb.one_run_bound(200, canaries=200, correct=60, values=1000, delta=1e-5).rounded
    '5.79'
    """
    counts = _counts(guesses, canaries, correct, included, design, values, top)
    if method is None:
        method = "steinke" if counts.values == 2 else OF_VALUES[0]
    how = _method(method, counts)
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    error, at = 1 - confidence, QuantityArguments(delta=delta)
    if how.leak is None:
        if family is not None or q is not None:
            raise ValueError(
                f"method={method!r} assumes no family, got family={family!r}; leave it out, or "
                "take method='fdp', which uses it"
            )
        value = 0.0
        if counts.guesses:
            value = epsilon_refuted(
                for_values(how.p_value, counts.values, counts.top),  # type: ignore[arg-type]
                canaries=counts.canaries,
                guesses=counts.guesses,
                correct=counts.correct,
                delta=delta,
                error=error,
            )
        return _bound(counts, how, value=value, at=at, confidence=confidence)
    assumed = family_named("randomized-response" if family is None else family, delta=delta, q=q)
    leak = how.leak(assumed, counts, error) if counts.guesses else 0.0
    any_mechanism, exhausted = assumed == RandomizedResponseFamily(delta), math.isinf(leak)
    conditional: dict[str, Any] = {}
    if not any_mechanism:
        # The right family has a member that explains the guesses, but for the error probability.
        conditional = {
            "family": assumed.name,
            "checked": "refuted" if exhausted else "cannot be checked",
            "void": REFUTED if exhausted else None,
        }
    return _bound(
        counts,
        how,
        value=assumed.epsilon(leak, delta),
        at=at,
        confidence=confidence,
        extra=_EXHAUSTED.format(assumed.name) if exhausted else None,
        **conditional,
    )


#: Said of bounds by `any_number_bound`.
_ANY_NUMBER = (
    "The number of guesses follows from what was released and was not fixed in advance: a share of "
    "{:.0%} of the error probability is kept for δ."
)


def any_number_bound(guesses: Guesses, delta: float, confidence: float = 0.95) -> Bound:
    """Lower bound on ε at δ from guesses whose number may follow from what was released.

    Parameters
    ----------
    guesses : Guesses
        Their number is a function of what was released and of other canaries.
    delta, confidence : float
        As in `one_run_bound`.

    Returns
    -------
    Bound
        At δ = 0 that of `one_run_bound` by the method "sharp".

    References
    ----------
    Steinke, Nasr and Jagielski (2023), sharpened; the proof is in `workbench.onerun.steinke`, also
    for more than two values.
    """
    found = one_run_bound(guesses, delta=delta, confidence=confidence, method="sharp")
    if delta == 0 or guesses.guesses == 0:
        return found
    value = epsilon_refuted(
        for_values(any_number_p_value, guesses.values, guesses.top),
        canaries=guesses.canaries,
        guesses=guesses.guesses,
        correct=guesses.correct,
        delta=delta,
        error=1 - confidence,
    )
    of_delta = delta_factor(guesses.values, guesses.top)
    kept = _ANY_NUMBER.format(delta_share(guesses.canaries, delta * of_delta))
    note = f"{found.note} {kept}" if found.note else kept
    return replace(found, value=value, note=note, recompute=None)


def one_run_mu_bound(
    guesses: Guesses | int,
    *,
    canaries: int | None = None,
    correct: int | None = None,
    confidence: float = 0.95,
    method: str = "fdp",
    included: int | None = None,
    design: str | None = None,
    values: int | None = None,
    top: int | None = None,
) -> Bound:
    """Lower bound on μ: with this confidence the mechanism is not μ'-GDP for any smaller μ'.

    Parameters
    ----------
    guesses, canaries, correct, included, design, values, top
        As in `one_run_bound`.
    confidence : float
    method : {"fdp", "bits", "bits-hoeffding", "abstain"}
        As in `one_run_bound`.

    Returns
    -------
    Bound

    Raises
    ------
    ValueError
        As `one_run_bound`; a method that bounds ε alone.

    Notes
    -----
    It refutes Gaussian trade-off functions and does not assume that the true one is Gaussian.
    """
    counts = _counts(guesses, canaries, correct, included, design, values, top)
    how = _method(method, counts)
    if how.leak is None:
        raise ValueError(
            f"method={method!r} is about (ε, δ) and says nothing on μ; take 'fdp' for canaries "
            "that may influence each other, 'abstain' or 'bits' for such that do not"
        )
    confidence = _checks.confidence(confidence)
    value = how.leak(GaussianFamily(), counts, 1 - confidence) if counts.guesses else 0.0
    return _bound(counts, how, quantity="mu", value=value, confidence=confidence)


def _counts(
    guesses: Guesses | int,
    canaries: int | None,
    correct: int | None,
    included: int | None,
    design: str | None,
    values: int | None,
    top: int | None,
) -> Guesses:
    """The counts that were given, as `Guesses` or as numbers."""
    numbers = {
        "canaries": canaries, "correct": correct, "included": included, "design": design,
        "values": values, "top": top,
    }  # fmt: skip
    if isinstance(guesses, Guesses):
        twice = [name for name, value in numbers.items() if value is not None]
        if twice:
            raise ValueError(f"the Guesses already state {', '.join(twice)}; leave that out")
        return guesses
    if canaries is None or correct is None:
        raise ValueError(
            "give canaries=, guesses= and correct=, or the Guesses that run.guess(...) returns; "
            f"got guesses={guesses!r}, canaries={canaries!r}, correct={correct!r}"
        )
    return Guesses(
        canaries,
        guesses,
        correct,
        included=included,
        design=design or DESIGNS[0],
        values=2 if values is None else values,
        top=1 if top is None else top,
    )


def _method(method: str, counts: Guesses) -> OneRunMethod:
    """The method, if it covers how the counts came about."""
    how = METHODS[_checks.one_of(method, "method", METHODS)]
    if counts.values > 2 and method not in OF_VALUES:
        raise ValueError(
            f"method={method!r} is for guesses 'in' or 'out', got values={counts.values}; take "
            "method='sharp' (any mechanism) or 'fdp' (a family)"
        )
    if how.every_guess and 0 < counts.guesses < counts.canaries:
        raise ValueError(
            f"method={method!r} needs a guess on each canary, got {counts.guesses} guesses on "
            f"{counts.canaries} canaries; take method='abstain' (no influence between canaries), "
            "'fdp' or 'sharp'"
        )
    if counts.of_labels and how.assumption != COINS:
        raise ValueError(
            f"method={method!r} needs canaries that do not influence each other, which labels of "
            "one training do; take 'sharp', 'steinke' or 'fdp'"
        )
    if counts.design in RANDOM_PARTS:
        if counts.design != "fixed-half" or method not in FIXED_HALF:
            raise ValueError(
                f"method={method!r} needs a fair coin for each canary; with "
                f"design={counts.design!r} who is in depends on who else is. Guess pairs: "
                "wb.matched_pairs(run).guess(...); or take OneRun.as_scores() and a bound of two "
                "samples"
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
    how: OneRunMethod,
    *,
    quantity: str = "epsilon",
    extra: str | None = None,
    **more: Any,
) -> Bound:
    included = counts.included or 0
    sides = included, counts.canaries - included if included else 0
    if counts.design == "matched-pairs":
        sides = counts.canaries, counts.canaries
    notes = [note for note in (_coins_note(counts), values_note(counts), extra) if note]
    rule = counts.rule
    return Bound(
        quantity=quantity,
        guarantee="pointwise",
        method=how.label,
        assumption=_assumption(counts, how),
        n_p=sides[0],
        n_q=sides[1],
        canaries=counts.canaries,
        guesses=counts.guesses,
        correct=counts.correct,
        threshold=rule.threshold if isinstance(rule, Threshold) else None,
        note=" ".join(notes) or None,
        seed=counts.seed,
        **(more | {"void": more.get("void") or counts.void}),
    ).unless_given()


def values_assumption(counts: Guesses) -> str:
    """The assumption of bounds that allow any influence between canaries, each with a value."""
    if counts.condition is not None:
        return counts.condition
    return PAIRS if counts.design == "matched-pairs" else VALUES


def _assumption(counts: Guesses, how: OneRunMethod) -> str:
    if counts.condition is not None:
        return counts.condition
    if counts.values > 2:
        return VALUES
    if counts.design == "given":
        return ALIKE
    if counts.design == "matched-pairs":
        return PAIRS if how.assumption == COINS else BIT_PAIRS
    return HALVES if counts.design == "fixed-half" else how.assumption


def values_note(counts: Guesses) -> str | None:
    """What relation of neighbors bounds from values are about."""
    if counts.of_labels:
        return LABELS
    if counts.design == "matched-pairs":
        return SUBSTITUTION
    if counts.values == 2:
        return None
    named = f" Each guess named {counts.top:,} of them." if counts.top > 1 else ""
    return (
        f"Each canary had one of {counts.values} values, and the bound is about replacing one "
        f"value by another.{named}"
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


#: What a bound from pairs is about.
SUBSTITUTION = (
    "ε is that of substituting one record by another; a training that is (ε, δ)-DP for adding or "
    "removing a record is (2ε, (1 + e^ε)δ)-DP for substituting one."
)

#: What a bound from pairs of labels is about.
LABELS = "ε is that of replacing the label of one record by another (label privacy)."

#: Why a bound is void.
REFUTED = "the guesses rule out this family"

_EXHAUSTED = (
    "No member of the family ({}) explains so few errors: the family itself is refuted, and with "
    "it the meaning of this ε."
)
