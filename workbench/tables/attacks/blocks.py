"""Signals in blocks of records, so that a large table needs little memory beside itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Signals of a block: 8 MB of floats.
_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Blocks:
    """Signals of all models, a few records at a time, the models along the last axis.

    Attributes
    ----------
    signals : ndarray, shape (M, R) or (M, R, A)
    member : ndarray of bool, shape (M, R)
    transform : callable
        Applied to the signals of a block, as floats.
    present : ndarray of bool, shape (M, R), optional
        Signals of other cells become NaN.
    """

    signals: NDArray[Any]
    member: NDArray[np.bool_]
    transform: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    present: NDArray[np.bool_] | None = None

    @property
    def n_records(self) -> int:
        """Number R of records."""
        return self.member.shape[1]

    @property
    def augmentations(self) -> int:
        """Number A of signals for each model and record."""
        return self.signals.shape[2] if self.signals.ndim == 3 else 1

    def __iter__(
        self,
    ) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.bool_]]]:
        """Records, their signals (B, A, M), and their memberships (B, 1, M)."""
        step = max(1, _BLOCK // (self.signals.shape[0] * self.augmentations))
        for start in range(0, self.n_records, step):
            place = slice(start, min(start + step, self.n_records))
            signals = self.signals[:, place]
            signals = signals.reshape(*signals.shape[:2], -1).transpose(1, 2, 0)
            values = self.transform(np.ascontiguousarray(signals, dtype=np.float64))
            if self.present is not None:
                values = np.where(self.present[:, place].T[:, None, :], values, np.nan)
            yield place, values, np.ascontiguousarray(self.member[:, place].T[:, None, :])
