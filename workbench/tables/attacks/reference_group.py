"""Statistics of a group of reference models, of all of them and without each."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class ReferenceGroup:
    """Statistics of a group of models along the last axis: of all of them, and without each.

    Parameters
    ----------
    signals : ndarray, shape (..., N)
        NaN where one is missing.
    chosen : ndarray of bool, shape (..., N)
        Which of them are in the group.
    """

    def __init__(self, signals: NDArray[np.float64], chosen: NDArray[np.bool_]) -> None:
        self.chosen = chosen & ~np.isnan(signals)
        self.signals = signals
        self.n = self.chosen.sum(axis=-1, keepdims=True)

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """Difference from the mean; 0 outside the group."""
        return np.where(self.chosen, self.signals - self.mean(), 0.0)

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """Sum of the squared deviations, shape (..., 1)."""
        return np.square(self.deviations).sum(axis=-1, keepdims=True)

    def squares_of_each(self) -> NDArray[np.float64]:
        """By how much the sum of squares falls without each model, shape (..., N)."""
        return np.square(self.deviations) * (self.n / np.maximum(self.n - 1, 1))

    def variance(self, each: bool) -> NDArray[np.float64]:
        """Variance with n − 1, of all of them or without each; NaN of fewer than two."""
        squares, n = self.squares, self.n
        if each:
            squares, n = squares - self.squares_of_each(), n - self.chosen
        return np.where(n > 1, squares, np.nan) / np.maximum(n - 1, 1)

    def median(self, each: bool) -> NDArray[np.float64]:
        """Median, of all of them or without each; NaN of an empty group."""
        ordered = np.sort(np.where(self.chosen, self.signals, np.nan), axis=-1)
        half, last = self.n // 2, ordered.shape[-1] - 1

        def at(place: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.take_along_axis(ordered, np.clip(place, 0, last), axis=-1)

        below, middle, above = at(half - 1), at(half), at(half + 1)
        odd = self.n % 2 == 1
        whole = np.where(odd, middle, (below + middle) / 2)
        if not each:
            return whole
        x = self.signals
        # Without one below the middle the median moves up, and the other way around.
        moved_up = np.where(odd, (middle + above) / 2, middle)
        moved_down = np.where(odd, (below + middle) / 2, below)
        without = np.where(x < middle, moved_up, moved_down)
        without = np.where(odd & (x == middle), (below + above) / 2, without)
        alone = np.where(self.n == 1, np.nan, without)
        return np.where(self.chosen, alone, whole)

    def mean(self) -> NDArray[np.float64]:
        """Mean of all of them; NaN of an empty group."""
        total = np.where(self.chosen, self.signals, 0.0).sum(axis=-1, keepdims=True)
        return np.where(self.n > 0, total, np.nan) / np.maximum(self.n, 1)

    def mean_without(self, partner: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """Mean without each model and its partner; NaN of an empty group.

        Sums from both ends are added, since a difference would lose small signals beside large
        ones.

        Parameters
        ----------
        partner : ndarray of int, shape (N,), or None
            The model that is left out together with each.
        """
        x = np.where(self.chosen, self.signals, 0.0)
        if partner is None:
            units, size = np.arange(x.shape[-1]), 1
        else:  # the two of a pair beside each other
            units, size = np.argsort(np.minimum(np.arange(partner.size), partner), kind="stable"), 2
        sums = x[..., units].reshape(*x.shape[:-1], -1, size).sum(axis=-1)
        others = np.zeros_like(sums)
        np.cumsum(sums[..., :-1], axis=-1, out=others[..., 1:])
        others[..., :-1] += np.cumsum(sums[..., :0:-1], axis=-1)[..., ::-1]
        here = self.chosen[..., units].reshape(*sums.shape, size)
        n = self.n - here.sum(axis=-1)
        mean = np.empty_like(x)
        mean[..., units] = np.repeat(
            np.where(n > 0, others, np.nan) / np.maximum(n, 1), size, axis=-1
        )
        return mean
