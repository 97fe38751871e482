"""`LiveCanaries`: what an audit of canaries in one training needs of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.curves.validation import Floats

#: Number of canaries, at least: one guess of each kind.
LEAST = 2


class LiveCanaries(ABC):
    """Canaries of one training, and their scores so far.

    Attributes
    ----------
    included : ndarray of bool, shape (count,)
        Which canaries are in.
    larger_is_member : bool
        Whether a larger score speaks for membership.
    """

    included: NDArray[np.bool_]
    larger_is_member: bool

    @property
    @abstractmethod
    def scores(self) -> Floats:
        """The scores from what was observed so far, one for each canary."""

    @abstractmethod
    def observe(self, observed: Any) -> None:
        """Take in what one step released."""
