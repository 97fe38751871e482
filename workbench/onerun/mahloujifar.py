"""Members of a family that guesses refute without independence (Mahloujifar et al. 2024).

If each canary was included by its own fair coin and the mechanism is f-DP, then the probability p
of at least c correct among r guesses on m canaries can only be as large as a recursion allows.
With f̄ the inverse of x ↦ 1 − f(x), and R and h the parts of probability per canary on the correct
and the wrong side::

    R = p c/m,  h = p (r − c)/m
    for i = c−1, …, 0:   h' = max(h, f̄(R)),   R += i/(r − i) · (h' − h),   h = h'

f is refuted at the level p if R + h > r/m. Larger f̄ gives larger R and h, so the refuted members
are those with a leak up to some value.

R and h never fall. So f is refuted as soon as R + h > r/m, and R and h stay as they are from the
first step at which h' = h. One of both comes after a few √r steps, as in the sum of a binomial
tail, so the recursion is followed to its end. Steps that raise h by less than round-off count as
none, which refutes less.

From 4 million guesses on, steps are taken several at a time: h' from the R before them, and the
smallest of their factors i/(r − i). That makes R and h smaller, and so refutes less: the factors
fall, so R is a sum of the h so far with weights that are not negative, and smaller R and factors
give smaller h. A block is at most √r/1000 steps long, which changes ε by less than 1e-5 of itself.

Where each canary had one of k values, drawn uniformly, and each guess names one, (k − 1) f̄(R) takes
the place of f̄(R): every guess that is right for one value is wrong for k − 1 others, with a
probability of at least f̄ of that of being right, on average because f̄ is convex. f is then that of
replacing one value by another. A guess that names j values is right for v and wrong for w, both
drawn at random, in (k − j)/(k − 1) of its right cases, and wrong for w though it names v in
j/(k − 1) of its wrong ones: (k − 1)/j · f̄(R (k − j)/(k − 1)) takes the place.

Nothing is assumed about how the scores of different canaries depend on each other.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats, quiet
from workbench.pairs.families.base import Family

#: Blocks of the recursion in √r steps.
_FINENESS = 1000

#: A part of h by which a step that still matters raises it: more than the round-off of a step.
_MATTERS = 1e-14

#: Steps after which it is asked whether all members are decided.
_LOOK = 16

#: The search ends when the bracket is this narrow, as a part of the leak.
_WIDTH = 1e-5

#: Leaks below this are resolved to the same absolute width.
_SMALL = 1e-3


def largest_refuted(
    family: Family,
    *,
    canaries: int,
    guesses: int,
    correct: int,
    error: float,
    values: int = 2,
    top: int = 1,
) -> float:
    """Largest leak that the guesses refute at level ``error``; 0 if none.

    Parameters
    ----------
    family : Family
    canaries, guesses, correct : int
    error : float
        One minus the confidence.
    values : int
        k, at least 2: in or out, or the values of which each canary had one.
    top : int
        j, the values that a guess names, below k.

    Returns
    -------
    float
        Rounded down, by less than 1e-5 of itself; ``inf`` if the family's largest is refuted.

    References
    ----------
    Mahloujifar, Melis & Chaudhuri (2024).
    """

    def narrowed(candidates: Floats) -> tuple[float, float]:
        """The last candidate that is refuted, and the next; ±inf beyond the ends."""
        ok = refuted(family, candidates, canaries, guesses, correct, error, values, top)
        first = candidates.size if ok.all() else int(np.argmin(ok))
        return (
            float(candidates[first - 1]) if first > 0 else -np.inf,
            float(candidates[first]) if first < candidates.size else np.inf,
        )

    # The leak at which this share of wrong guesses would be usual is hardly ever refuted.
    false = max(guesses - correct, 0.5)
    odds = (values - top) / top
    share = false / (false + odds * (guesses - false))  # as if there were two values
    usual = min(family.parameter_of_bit_error(share), family.largest)
    if usual == 0:
        return 0.0
    if usual < family.largest:
        candidates = np.linspace(0.0, usual, family.at_once + 1)
    else:
        candidates = np.r_[0.0, np.geomspace(1e-5 * usual, usual, family.at_once)]
    low, high = narrowed(candidates)
    if high == 0:
        return 0.0
    if np.isinf(high):
        low, high = narrowed(np.geomspace(usual, family.largest, family.at_once + 1))
        if np.isinf(high):
            return np.inf
    while high - low > _WIDTH * max(high, _SMALL):
        below, above = narrowed(np.linspace(low, high, family.at_once + 2)[1:-1])
        low, high = max(low, below), min(high, above)
    return low


@quiet()
def refuted(
    family: Family,
    leaks: Floats,
    canaries: int,
    guesses: int,
    correct: int,
    error: float,
    values: int = 2,
    top: int = 1,
) -> NDArray[np.bool_]:
    """Whether each leak is refuted at level ``error``.

    Parameters
    ----------
    family : Family
    leaks : ndarray, shape (k,)
    canaries, guesses, correct : int
    error : float
        One minus the confidence.
    values, top : int
        k and j, as in `largest_refuted`.

    Returns
    -------
    ndarray of bool, shape (k,)

    References
    ----------
    Mahloujifar, Melis & Chaudhuri (2024).
    """
    least = family.least_mass(leaks)
    right = np.full_like(leaks, error * correct / canaries)
    wrong = np.full_like(leaks, error * (guesses - correct) / canaries)
    most = guesses / canaries * (1 + 1e-12)
    named, spared = (values - 1) / top, (values - top) / (values - 1)
    together = max(int(math.sqrt(guesses) / _FINENESS), 1)
    for step, first in enumerate(range(correct - 1, -1, -together)):
        i = max(first - together + 1, 0)
        more = np.maximum(wrong, named * least(spared * right))
        grows = more - wrong > _MATTERS * more
        right = right + i / (guesses - i) * (more - wrong)
        wrong = more
        if step % _LOOK == 0 and not (grows & (right + wrong <= most)).any():
            break
    # NaN comes of masses above 1, which are refuted too.
    return np.asarray(~(right + wrong <= most))
