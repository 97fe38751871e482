"""The image of a record, drawn as boxes in shades of one color: every renderer can draw them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.curves.validation import Floats
from workbench.figures.kit.marks import Mark, box

#: Pixels along each side at most, and shades.
MOST_PIXELS, SHADES = 32, 16


def picture(image: ArrayLike, x: tuple[float, float], y: tuple[float, float]) -> list[Mark]:
    """Boxes that show an image, and its frame.

    Parameters
    ----------
    image : array_like, shape (h, w) or (h, w, channels)
        Large values are bright; larger images are averaged down.
    x, y : (float, float)
        Ends of the area.
    """
    shades = np.round((SHADES - 1) * darkness(image)).astype(int)
    rows, columns = shades.shape
    at_x = np.linspace(*x, columns + 1)
    at_y = np.linspace(y[1], y[0], rows + 1)
    marks = []
    for row in range(rows):
        # Neighbors of one shade are one box.
        starts = np.flatnonzero(np.diff(shades[row], prepend=-1))
        for start, end in zip(starts, [*starts[1:], columns], strict=True):
            shade = int(shades[row, start])
            if shade:
                area = (
                    (float(at_x[start]), float(at_x[end])),
                    (
                        float(at_y[row + 1]),
                        float(at_y[row]),
                    ),
                )
                marks.append(box(*area, "ink", opacity=shade / (SHADES - 1)))
    return [*marks, box(x, y, "line")]


def darkness(image: ArrayLike) -> Floats:
    """Values from 0, the background, to 1 of the pixels of an image, at most `MOST_PIXELS` wide.

    Parameters
    ----------
    image : array_like, shape (h, w) or (h, w, channels)
    """
    values: NDArray[Any] = np.asarray(image, dtype=np.float64)
    if values.ndim == 3:
        values = values.mean(axis=2)
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    for axis in (0, 1):
        step = -(-values.shape[axis] // MOST_PIXELS)
        starts = np.arange(0, values.shape[axis], step)
        sizes = np.diff([*starts, values.shape[axis]])
        shape = (-1, 1) if axis == 0 else (1, -1)
        values = np.add.reduceat(values, starts, axis=axis) / sizes.reshape(shape)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.zeros(values.shape)
    values = (values - low) / (high - low)
    # The border shows which of bright and dark is the background.
    border = np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])
    return values if border.mean() < 0.5 else 1 - values
