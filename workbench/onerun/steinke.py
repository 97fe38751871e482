"""p-values of correct guesses under (ε, δ)-DP: Steinke et al. (2023), and the sharp limit.

If each of m canaries was in by its own fair coin, and the mechanism is (ε, δ)-DP, how likely are at
least c correct among r guesses? With W binomial, r trials of success e^ε/(1 + e^ε):

- Steinke et al. (2023, Theorem 5.2) bound it by P[W ≥ c] + 2mδ · max_i P[c−i ≤ W < c]/i.
- The sharp limit is P[W ≥ c] · (1 + mδ · P[W < c]/(c · P[W = c])); some mechanism reaches it.

Proof of the second. Let π(k) be the probability of k correct guesses. Flipping the coin of a canary
drawn at random turns "it was guessed rightly and k others too" into "it was guessed wrongly and k
others rightly", so (ε, δ)-DP gives

    (k+1) π(k+1) ≤ e^ε (r−k) π(k) + m d_k   with d_k ≥ 0,  Σ d_k ≤ δ.

The masses B(k) = P[W = k] obey this with equality and d = 0. Hence ρ = π/B rises from k to k+1 by
at most g_k = m d_k/((k+1) B(k+1)), and with F = P[C ≥ c], W and W' independent::

    F − P[W ≥ c] = Σ_{i<c≤l} B(i) B(l) (ρ_l − ρ_i)
                 ≤ Σ_k g_k · P[W ≤ k, W < c] · P[W' > k, W' ≥ c].

The factor of d_k is largest at k = c − 1, since P[W ≤ k]/((r−k) B(k)) rises with k and
P[W > k]/((k+1) B(k+1)) falls. Spending all of δ there attains it. ∎

**A number of guesses that follows from what was released**, such as one that was chosen on other
canaries of the same run. Both limits are for a number r that is fixed in advance. At δ = 0 nothing
changes: given r, the correct ones are dominated by a binomial. At δ > 0 the proof above, with d_r
the part of δ that is spent where r guesses are made, gives

    P[refuted] ≤ Σ_r P[r guesses] · P[W_r ≥ c_r] + m Σ_r d_r · A_r,   Σ_r d_r ≤ δ,

where A_r = P[W_r ≥ c_r] · P[W_r < c_r]/(c_r · P[W_r = c_r]). If P[W_r ≥ c_r] ≤ (1 − s)·error and
mδ·A_r ≤ s·error for every r, this is at most the error. `any_number_p_value` keeps a share s of the
error for δ, which follows from m and δ alone.

**More than two values.** Each of m canaries has one of K values, drawn uniformly and independently,
and a guess names j of them, j fixed in advance; it is right if the true one is among these. The
mechanism is (ε, δ)-DP for replacing one value by another. Let S be what is named of a canary drawn
at random, v its value, and w another value, drawn uniformly. Replacing v by w turns "v ∈ S, w ∉ S
and k others are guessed rightly" into "the truth w is not in S, the other value v is, and k others
are guessed rightly". The first has the probability (k+1) π(k+1)/m · (K−j)/(K−1), since K − j of the
K − 1 other values are not in S, and the second (r−k) π(k)/m · j/(K−1). The events of different k
exclude each other, so (ε, δ)-DP gives

    (k+1) π(k+1) ≤ e^ε · j/(K−j) · (r−k) π(k) + m · (K−1)/(K−j) · d_k,   d_k ≥ 0,  Σ d_k ≤ δ.

That is the inequality above with ε + log(j/(K−j)), which may be negative, in place of ε, and with
δ · (K−1)/(K−j) in place of δ; both proofs go on from there, and `for_values` puts these in their
place. For j = 1 the δ stays what it is, and K = 2 is in or out.

A mechanism reaches it too: it draws r canaries, then the number k of right guesses with the
probability ρ_k B(k), where ρ has its one jump at c, then which are right and which values are
named, all uniformly. Replacing a value changes k by at most one, and what was c and becomes c − 1
alone changes its probability by more than e^ε, which costs exactly δ. ∎

None of them assumes that the canaries do not influence each other's scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betainc, betaincc, expit, gammaln, log_expit

from workbench.curves.validation import Floats

PValue = Callable[[int, int, int, float, float], float]

#: The least and the largest share of the error probability that `any_number_p_value` keeps for δ.
_DELTA_SHARES = 0.05, 0.5


def steinke_p_value(
    canaries: int, guesses: int, correct: int, epsilon: float, delta: float
) -> float:
    """Upper limit for P[at least ``correct`` right] under (ε, δ)-DP, by Steinke et al. (2023).

    Returns
    -------
    float
        At most 1.

    Notes
    -----
    The inequality as printed fails for p near 1 (m = 2, c = 1, ε = 1, δ = 0.01: 0.9306, and some
    mechanism reaches 0.9311). Against the sharp limit no case was found below p = 0.87, and only
    p < 0.5 is used: confidence is above one half.
    """
    p = _tail(guesses, correct, epsilon)
    if delta > 0 and correct > 0:
        # Below c the masses rise to the mode and fall after it: outside 12 standard deviations
        # they neither add to the sum nor raise its mean.
        middle = guesses * float(expit(epsilon))
        reach = 12 * math.sqrt(middle * float(expit(-epsilon))) + 40
        top = min(correct - 1, math.ceil(middle + reach))
        end = max(min(math.floor(middle - reach), top), 0)
        below = np.arange(top, end - 1, -1.0)
        masses = np.cumsum(np.exp(_log_mass(guesses, below, epsilon)))
        p += 2 * canaries * delta * float(np.max(masses / (correct - below)))
    return min(p, 1.0)


def sharp_p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    """The largest P[at least ``correct`` right] of all (ε, δ)-DP mechanisms.

    References
    ----------
    Sharpens Steinke et al. (2023), Theorem 5.2; the proof is in the head of the module.
    """
    p = _tail(guesses, correct, epsilon)
    if delta > 0 and correct > 0 and p < 1:
        log_mass = float(_log_mass(guesses, np.asarray(float(correct)), epsilon))
        if log_mass > -600:
            ratio = p * math.exp(-log_mass)
        else:  # both underflow, so far in the tail that a geometric series is close, and above
            ratio = 1 / (1 - (guesses - correct) / (correct + 1) * math.exp(epsilon))
        p += canaries * delta / correct * (1 - p) * ratio
    return min(p, 1.0)


def any_number_p_value(
    canaries: int, guesses: int, correct: int, epsilon: float, delta: float
) -> float:
    """Upper limit for P[refuted] where the number of guesses may follow from what was released.

    Returns
    -------
    float
        At most an error probability exactly if both parts are at most their shares of it.

    References
    ----------
    Steinke et al. (2023), sharpened; the proof is in the head of the module.
    """
    binomial = sharp_p_value(canaries, guesses, correct, epsilon, 0.0)
    if delta == 0:
        return binomial
    of_delta = sharp_p_value(canaries, guesses, correct, epsilon, delta) - binomial
    share = delta_share(canaries, delta)
    return min(max(binomial / (1 - share), of_delta / share), 1.0)


def delta_share(canaries: int, delta: float) -> float:
    """s: the share of the error probability that `any_number_p_value` keeps for δ > 0."""
    least, largest = _DELTA_SHARES
    return min(max(3 * canaries * delta, least), largest)


def for_values(p_value: PValue, values: int, top: int = 1) -> PValue:
    """The p-value of guesses that name ``top`` of ``values`` values each.

    Parameters
    ----------
    p_value : callable
        `sharp_p_value` or `any_number_p_value`, of guesses "in" or "out".
    values : int
        K, at least 2.
    top : int
        j, below K.

    Returns
    -------
    callable
        With the ε and δ of replacing one value by another.

    References
    ----------
    The proof is in the head of the module.
    """
    if values == 2:
        return p_value
    log_odds = math.log(top / (values - top))
    of_delta = delta_factor(values, top)

    def of_values(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
        return p_value(canaries, guesses, correct, epsilon + log_odds, delta * of_delta)

    return of_values


def delta_factor(values: int, top: int = 1) -> float:
    """(K−1)/(K−j): by how much more than δ guesses that name ``top`` of ``values`` may gain.

    Parameters
    ----------
    values, top : int
        As of `for_values`.
    """
    return (values - 1) / (values - top)


def epsilon_refuted(
    p_value: PValue, *, canaries: int, guesses: int, correct: int, delta: float, error: float
) -> float:
    """The largest ε at which the p-value is at most ``error``, rounded down; 0 if none.

    Parameters
    ----------
    p_value : callable
        `steinke_p_value`, `sharp_p_value` or `any_number_p_value`, or what `for_values` makes of
        the last two.
    canaries, guesses, correct : int
    delta : float
    error : float
        One minus the confidence.

    References
    ----------
    Steinke et al. (2023).
    """
    from scipy.optimize import brentq

    def excess(epsilon: float) -> float:
        return p_value(canaries, guesses, correct, epsilon, delta) - error

    if correct == 0 or excess(0.0) > 0:
        return 0.0
    high = 1.0
    while excess(high) <= 0:
        high *= 2
    root = float(brentq(excess, 0.0, high, xtol=1e-12))
    return max(root - 1e-9, 0.0)


def _tail(guesses: int, correct: int, epsilon: float) -> float:
    """P[W ≥ c]."""
    if correct == 0:
        return 1.0
    if epsilon > 30:  # the complement is the accurate side
        return float(betaincc(guesses - correct + 1, correct, expit(-epsilon)))
    return float(betainc(correct, guesses - correct + 1, expit(epsilon)))


def _log_mass(guesses: int, k: Floats, epsilon: float) -> Floats:
    """Log P[W = k]."""
    ways = gammaln(guesses + 1) - gammaln(k + 1) - gammaln(guesses - k + 1)
    return np.asarray(ways + k * log_expit(epsilon) + (guesses - k) * log_expit(-epsilon))
