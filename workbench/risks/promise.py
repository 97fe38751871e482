"""`Promise`: the success that a claim allows, rounded up, for one record or a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.risks.success import ROUND_OFF, allowed_success

#: Records of a group, at most.
MOST_RECORDS = 1000


@dataclass(frozen=True)
class Promise:
    """What a claim allows an attacker.

    Parameters
    ----------
    claim : Claim
    group : int
        Records that are in or out together, at most.

    Notes
    -----
    A mechanism that is f-DP for one record allows a success of at most g(κ) = 1 − f(κ), and for
    groups of k records of at most g(g(… κ)), k times (Dong, Roth and Su 2022, Theorem 2.14): ε-DP
    gives kε, μ-GDP kμ.
    """

    claim: Claim
    group: int = 1

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.count(self.group, "group", 1, MOST_RECORDS)
        if not self.claim.stated:
            raise ValueError(
                f"nothing is claimed by {self.claim}; state a claim, such as 'approx(2, 1e-5)'"
            )

    def success(self, baseline: Floats) -> Floats:
        """The largest success at each baseline, never below the truth.

        Parameters
        ----------
        baseline : ndarray
            In [0, 1].
        """
        reached = np.asarray(baseline, dtype=float)
        if self.claim.max_total_variation() == 0:
            return reached
        for _ in range(self.group):
            reached = self._of_one(reached)
            if (reached == 1).all():
                break
        return reached

    def _of_one(self, baseline: Floats) -> Floats:
        found = allowed_success(self.claim, baseline)
        return np.minimum(np.maximum(found * (1 + ROUND_OFF), baseline), 1.0)

    @property
    def advantage(self) -> float:
        """The largest difference of success and baseline, at the least favorable baseline."""
        if self.group == 1:
            return min(self.claim.max_total_variation() * (1 + ROUND_OFF), 1.0)
        # f of a group is symmetric, and the difference largest where f(κ) = κ.
        low, high = 0.0, 0.5
        for _ in range(60):
            middle = (low + high) / 2
            if 1 - float(self.success(np.asarray(middle))) >= middle:
                low = middle
            else:
                high = middle
        return 1 - 2 * low
