"""The ε that a threat shows: each record on which the attack succeeds is guessed to be a member.

The guesses look at the synthetic table and at the unlabelled pool alone. With fair coins, the
number of guesses r is then a function of what was released, and not fixed in advance, as
`workbench.onerun.steinke` asks. At δ = 0 nothing changes: given r, the correct ones are dominated
by a binomial. At δ > 0 its proof, with d_r the part of δ that is spent where r guesses are made,
gives

    P[refuted] ≤ Σ_r P[r guesses] · P[W_r ≥ c_r] + m Σ_r d_r · A_r,   Σ_r d_r ≤ δ,

where A_r = P[W_r ≥ c_r] · P[W_r < c_r]/(c_r · P[W_r = c_r]). If P[W_r ≥ c_r] ≤ (1 − s)·error and
mδ·A_r ≤ s·error for every r, this is at most the error. So a share s of the error is kept for δ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.run import OneRun
from workbench.onerun.steinke import epsilon_refuted, sharp_p_value

#: s: the share of the error probability that is kept for δ.
DELTA_SHARE = 0.1

#: Said of these bounds.
_NOTE = (
    "The number of guesses is that of successes, which was not fixed in advance: one tenth of the "
    "error probability is kept for δ."
)


def any_number_p_value(
    canaries: int, guesses: int, correct: int, epsilon: float, delta: float
) -> float:
    """Upper limit for P[refuted] where the number of guesses may depend on what was released.

    Parameters
    ----------
    canaries, guesses, correct, epsilon, delta
        As in `workbench.onerun.steinke.sharp_p_value`.

    Returns
    -------
    float
        At most an error probability exactly if both parts are at most their shares of it.
    """
    binomial = sharp_p_value(canaries, guesses, correct, epsilon, 0.0)
    if delta == 0:
        return binomial
    of_delta = sharp_p_value(canaries, guesses, correct, epsilon, delta) - binomial
    return min(max(binomial / (1 - DELTA_SHARE), of_delta / DELTA_SHARE), 1.0)


def epsilon_of_successes(guesses: Guesses, delta: float, confidence: float) -> Bound:
    """Lower bound on ε at δ from guesses whose number may depend on what was released.

    Parameters
    ----------
    guesses : Guesses
        As `guesses_of` makes them.
    delta, confidence : float

    Returns
    -------
    Bound

    References
    ----------
    Steinke, Nasr and Jagielski (2023), sharpened; the proof is in the head of the module.
    """
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    found = one_run_bound(guesses, delta=delta, confidence=confidence, method="sharp")
    if delta == 0 or guesses.guesses == 0:
        return found
    value = epsilon_refuted(
        any_number_p_value,
        canaries=guesses.canaries,
        guesses=guesses.guesses,
        correct=guesses.correct,
        delta=delta,
        error=1 - confidence,
    )
    note = f"{found.note} {_NOTE}" if found.note else _NOTE
    return replace(found, value=value, note=note, recompute=None)


def guesses_of(
    success: NDArray[np.bool_], member: NDArray[np.bool_], split: str, seed: int
) -> Guesses | None:
    """Guesses "member" on all records on which an attack succeeded.

    Parameters
    ----------
    success, member : ndarray of bool, shape (n,)
        Of the attacked records (units).
    split : {"coin", "fixed-size", "given"}
        How members were chosen. With "fixed-size" they are matched with held-out records at random,
        and a pair is guessed if the attack succeeded on one of the two.
    seed : int
        The random number of the matching.

    Returns
    -------
    Guesses or None
        None where nothing can be guessed with a guarantee: a split that was not random, or too few
        records on one side.
    """
    n, members = int(member.size), int(member.sum())
    if split == "given" or min(members, n - members) < 2:
        return None
    if split == "coin":
        correct = int((success & member).sum())
        return Guesses(n, int(success.sum()), correct, included=members)
    run = OneRun(success.astype(float), member, design="fixed-size", seed=seed)
    pairs = matched_pairs(run)
    differ = pairs.scores != 0
    correct = int(((pairs.scores > 0) == pairs.included)[differ].sum())
    return Guesses(
        pairs.canaries, int(differ.sum()), correct, design="matched-pairs", seed=pairs.chance
    )
