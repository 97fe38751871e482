"""Frames: DataFrames, and the files that keep them: parquet and feather."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.cells import filled_lengths, tidy
from workbench.scores.refusals import called, damage_refused, listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import Table, notes_on_ends

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(data: bytes, filename: str) -> Table:
    """Read a parquet file."""
    from pyarrow import parquet

    return _from_arrow(parquet.read_table, data, filename, "parquet")


def read_feather(data: bytes, filename: str) -> Table:
    """Read a feather file."""
    from pyarrow import feather

    return _from_arrow(feather.read_table, data, filename, "feather")


def _from_arrow(read: Callable[[Any], Any], data: bytes, filename: str, kind: str) -> Table:
    import pyarrow as pa

    with damage_refused(filename, f".{kind}"):
        arrow = read(pa.BufferReader(data)).replace_schema_metadata()
        arrow = arrow.select([c for c in arrow.column_names if not c.startswith("__index_level_")])
        # A null is an empty cell, a NaN is a score: pandas would make them one.
        empty = {c: arrow[c].is_null().to_numpy() for c in arrow.column_names}
        frame = arrow.to_pandas()
    return from_frame(frame, filename, kind, empty)


def from_frame(
    frame: pd.DataFrame,
    filename: str,
    kind: str = "DataFrame",
    empty: Mapping[str, NDArray[np.bool_]] | None = None,
) -> Table:
    """Take the columns of a DataFrame.

    Parameters
    ----------
    frame : DataFrame
        Anything else is refused.
    filename : str
        The file it came from, "" for none.
    kind : str
        What messages call it.
    empty : mapping of str to ndarray of bool, optional
        The empty cells of each column; by default those that pandas takes for missing.

    Raises
    ------
    ScoresError
        No DataFrame, one without rows, or with a name twice.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ScoresError(
            f"cannot read scores from {type(frame).__name__}; give a path, the bytes or text of a "
            "file, or a DataFrame (arrays go straight into wb.Scores(p, q))"
        )
    names = [str(c) for c in frame.columns]
    if len(set(names)) < len(names):
        raise ScoresError(f"two columns have one name, rename one: {listed(names)}")
    if frame.empty:
        raise ScoresError(f"{called(filename) if filename else f'the {kind}'} has no rows")
    series = {c: frame.iloc[:, i] for i, c in enumerate(names)}
    unusable = {
        c: f"holds {s.dtype}, not real numbers; save the scores as floats"
        for c, s in series.items()
        if s.dtype.kind in "cmM"
    }
    if empty is None:
        empty = {c: s.isna().to_numpy() for c, s in series.items()}
    filled = filled_lengths(empty)
    return Table(
        name=Path(filename).stem,
        columns={c: tidy(s) for c, s in series.items() if c not in unusable},
        format=kind,
        notes=notes_on_ends(filled, len(frame)),
        rows=len(frame),
        filled=filled,
        unusable=unusable,
    )
