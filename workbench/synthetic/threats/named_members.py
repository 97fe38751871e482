"""The guesses of a threat: each record on which the attack succeeds is named a member.

They look at the synthetic table and at the unlabelled pool alone. Their number follows from what
was released, for which `workbench.onerun.bound.any_number_bound` is the bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.onerun.guesses import Guesses
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.run import OneRun


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
