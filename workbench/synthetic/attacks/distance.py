"""`DistanceAttack`: the distance of a record to the closest synthetic one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.synthetic.attacks.base import Attack, AttackView, Scorer


class DistanceAttack(Attack):
    """Minus the distance of a record to the closest synthetic record.

    Numbers and dates are in units of their interquartile range in pool and synthetic table
    together; a different category, or a missing cell, counts as one unit.
    """

    name = "distance"
    label = "distance to the closest synthetic record"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        from scipy.spatial import cKDTree

        pool, synthetic = _as_numbers(view)
        tree = cKDTree(synthetic)

        def scores(places: NDArray[np.intp]) -> NDArray[np.floating[Any]]:
            return -np.asarray(tree.query(pool[places], p=1)[0])

        return scores


def _as_numbers(view: AttackView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    both = pd.concat([view.pool, view.synthetic], ignore_index=True)
    parts = []
    for column in view.columns:
        values = both[column.name]
        if column.is_ordered:
            x = values.to_numpy("datetime64[us]").astype(float) if column.kind == "date" else values
            x = np.where(values.isna(), np.nan, np.asarray(x, float))
            low, middle, high = np.nanquantile(x, [0.25, 0.5, 0.75])
            scale = (high - low) or np.nanstd(x) or 1.0
            parts += [np.nan_to_num((x - middle) / scale), np.isnan(x).astype(float)]
        else:
            codes = values.cat.codes.to_numpy()
            parts += [np.where(codes == code, 0.5, 0.0) for code in range(-1, min(codes.max(), 20))]
    matrix = np.column_stack(parts)
    return matrix[: len(view.pool)], matrix[len(view.pool) :]
