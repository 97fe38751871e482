"""`RecordCanaries`: records that go into the training data by fair coins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.live.canaries.base import LEAST, LiveCanaries


class RecordCanaries(LiveCanaries):
    """Canary records of one training: each goes into the data by a fair coin.

    Parameters
    ----------
    count : int
        Number of canaries, at least 2.
    larger_is_member : bool
        False where the score is a loss.
    seed : int or numpy.random.Generator

    Examples
    --------
    >>> canaries = wb.live.RecordCanaries(4, larger_is_member=False, seed=0)
    >>> data = canaries.insert(np.zeros((10, 3)), np.ones((4, 3)))
    >>> bool(len(data) == 10 + canaries.included.sum())
    True
    """

    def __init__(
        self, count: int, larger_is_member: bool = True, seed: int | np.random.Generator = 0
    ):
        count = _checks.count(count, "count", LEAST, _checks.DRAWN)
        self.larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        self.included = _checks.random(seed).random(count) < 0.5
        self._observed: Callable[[], ArrayLike] | None = None

    def insert(self, data: ArrayLike, canaries: ArrayLike) -> NDArray[Any]:
        """Training data, followed by the canaries that are in.

        Parameters
        ----------
        data : array_like, shape (n, …)
            Without any canary: features, or labels in a call of their own. For tensors, append
            ``canaries[included]`` in the same way.
        canaries : array_like, shape (count, …)
            All of them.
        """
        given = _checks.listed(canaries, "canaries")
        if given.shape[:1] != self.included.shape:
            raise ValueError(
                f"canaries have shape {given.shape}; give all {self.included.size} of them, also "
                "those that stay out"
            )
        return np.concatenate([_checks.listed(data, "data"), given[self.included]])

    def observe(self, observed: ArrayLike | Callable[[], ArrayLike]) -> None:
        """Take the scores of all canaries under the present model.

        Parameters
        ----------
        observed : array_like, shape (count,), or callable
            A callable is called at looks only.
        """
        self._observed = observed if callable(observed) else lambda: observed

    @property
    def scores(self) -> Floats:
        """See `LiveCanaries`.

        Raises
        ------
        ValueError
            No scores yet, another number of them, or NaN.
        """
        if self._observed is None:
            raise ValueError("there are no scores yet; give them to the audit's observe()")
        return self.require(self._observed())

    def require(self, given: ArrayLike) -> Floats:
        """The scores of all canaries as an array, if that is what they are.

        Parameters
        ----------
        given : array_like, shape (count,)

        Raises
        ------
        ValueError
            Another number of them, or NaN.
        """
        found = _checks.array(given, "the scores of the canaries")
        if found.shape != self.included.shape:
            raise ValueError(
                f"the scores have shape {found.shape}; give one for each of the "
                f"{self.included.size} canaries, in and out"
            )
        if np.isnan(found).any():
            raise ValueError(
                f"the score of canary {int(np.isnan(found).argmax())} is NaN; decide before the "
                "training what such a score counts as, such as float('inf') for a loss"
            )
        return found
