"""`Promise`: the success that a claim allows, rounded up, for one record or a group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.risks.success import MOST_RECORDS, ROUND_OFF, success, upper_success

#: Absolute round-off of 1 − f where f is known as a float.
_OF_A_FLOAT = 1e-15


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
        if self.claim.max_total_variation() == 0:
            return np.asarray(baseline, dtype=float)
        return upper_success(partial(allowed_success, self.claim), baseline, self.group)

    @property
    def advantage(self) -> float:
        """The largest difference of success and baseline, at the least favorable baseline."""
        total_variation = self.claim.max_total_variation()
        if self.group == 1 or total_variation == 0:
            return min(total_variation * (1 + ROUND_OFF), 1.0)
        # f of a group is symmetric, and the difference largest where f(κ) = κ.
        low, high = 0.0, 0.5
        for _ in range(40):
            middle = (low + high) / 2
            if 1 - float(self.success(np.asarray(middle))) >= middle:
                low = middle
            else:
                high = middle
        return 1 - 2 * low


def allowed_success(claim: Claim, baseline: Floats) -> Floats:
    """1 − f of a claim at each baseline, up to `ROUND_OFF`.

    Parameters
    ----------
    claim : Claim
    baseline : ndarray
        In [0, 1].
    """
    found = success(claim.dominating_pair, baseline)
    if type(claim).min_tradeoff is not Claim.min_tradeoff:  # its pair leaks more than it allows
        tighter = 1 - np.asarray(claim.min_tradeoff(np.ravel(baseline)), dtype=float)
        found = np.minimum(found, tighter.reshape(np.shape(baseline)) + _OF_A_FLOAT)
    return found
