"""`classified`: odds that a record is synthetic, by a cross-fitted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.processes.pool import one_thread
from workbench.software.extras import check
from workbench.synthetic.encoding import Encoded, EncodedRows

#: Rows of a table from which a classifier learns, at most.
_LEARNED = 5_000


def classified(encoded: Encoded) -> NDArray[np.float64]:
    """Share of trees that take a record of the pool for a synthetic one, shape (records,).

    Parameters
    ----------
    encoded : Encoded
    """
    check("sklearn", "a classifier of synthetic records needs")
    from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]

    halves = [_half(rows) for rows in (encoded.pool, encoded.synthetic)]
    found = np.full(len(encoded.pool), 0.5)
    for half in (False, True):
        known = [
            _cells(rows.take(_some(rows, np.flatnonzero(of == half))))
            for rows, of in zip((encoded.pool, encoded.synthetic), halves, strict=True)
        ]
        others = np.flatnonzero(halves[0] != half)
        if not (others.size and len(known[0]) and len(known[1])):
            continue
        model: Any = RandomForestClassifier(30, min_samples_leaf=3, random_state=0, n_jobs=1)
        is_synthetic = np.repeat([False, True], [len(one) for one in known])
        with one_thread():
            model.fit(np.concatenate(known), is_synthetic)
            found[others] = model.predict_proba(_cells(encoded.pool.take(others)))[:, 1]
    return found


def _half(rows: EncodedRows) -> NDArray[np.bool_]:
    """Which half a row is in, by its content."""
    return (rows.keys >> np.uint64(40)) % np.uint64(2) == 1


def _some(rows: EncodedRows, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows in the order of their hashes, and not too many: those with the smallest hashes."""
    return places[np.argsort(rows.keys[places], kind="stable")][:_LEARNED]


def _cells(rows: EncodedRows) -> NDArray[np.float32]:
    return np.hstack([rows.numbers, rows.codes.astype(np.float32)])
