"""Readers of DataFrames and of parquet, feather and arrow files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.parsing.cells import filled_lengths, tidy
from workbench.scores.parsing.limits import TRUSTED, ReadLimits
from workbench.scores.refusals import ONE_OF_THEM, called, nested_value
from workbench.scores.sample import ScoresError
from workbench.scores.statement import stated_in
from workbench.scores.table import DataTable, notes_on_ends, notes_on_unusable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: The first bytes of feather files, and the last ones of an arrow stream.
_FEATHER, _END_OF_STREAM = b"ARROW1", b"\xff\xff\xff\xff\0\0\0\0"


def read_parquet(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of a parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    about = file.metadata
    limits.check_names(called(filename), about.schema.to_arrow_schema().names)
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    if about.num_rows < 0 or sum(group.num_rows for group in groups) != about.num_rows:
        raise ValueError("its parts do not have the number of rows that it states")
    # What the content says of itself; what it truly takes, the process is held to.
    cells = 8 * about.num_rows * about.num_columns
    stored = sum(group.total_byte_size for group in groups)
    limits.check_expansion(called(filename), len(data), max(cells, stored))
    arrow = file.read(use_threads=False)
    statement = stated_in(arrow.schema.metadata)
    return replace(from_arrow(arrow, filename, "parquet", limits), statement=statement)


def read_feather(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of a feather file."""
    import pyarrow as pa
    from pyarrow import feather

    arrow = feather.read_table(pa.BufferReader(data), use_threads=False)
    return from_arrow(arrow, filename, "feather", limits)


def read_arrow(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of an arrow stream, as Hugging Face's ``datasets`` saves it.

    A file that has the form of feather is read as feather.
    """
    import pyarrow as pa

    if data.startswith(_FEATHER):
        return read_feather(data, filename, limits)
    source = pa.BufferReader(data)
    # A reader takes a stream that was cut off between two batches for a whole one.
    with pa.ipc.open_stream(source) as stream:
        limits.check_names(called(filename), stream.schema.names)
        batches = list(stream)
        if source.tell() != len(data) or not data.endswith(_END_OF_STREAM):
            raise ScoresError(
                f"{called(filename)} is cut off: the mark of its end is missing after "
                f"{sum(batch.num_rows for batch in batches):,} rows; nothing of it was used. "
                "Copy or write it again"
            )
        arrow = pa.Table.from_batches(batches, stream.schema)
    return from_arrow(arrow, filename, "arrow", limits)


def from_arrow(arrow: pa.Table, filename: str, kind: str, limits: ReadLimits) -> DataTable:
    """The table of an Arrow table, whose lengths and offsets are checked first.

    Parameters
    ----------
    arrow : pyarrow.Table
    filename : str
        For messages.
    kind : str
        What messages call it.
    limits : ReadLimits

    Raises
    ------
    ScoresError
        The content is refused.
    """
    limits.check_names(called(filename), arrow.column_names)
    arrow = arrow.replace_schema_metadata()
    arrow = arrow.select([c for c in arrow.column_names if not c.startswith("__index_level_")])
    nested = {
        field.name: _nested(arrow[field.name]) for field in arrow.schema if not is_plain(field.type)
    }
    arrow = arrow.select([c for c in arrow.column_names if c not in nested])
    # Lengths and offsets come from the file: before this nothing may touch a value.
    arrow.validate(full=True)
    # A null is an empty cell, a NaN is a score: pandas would make them one.
    empty = {c: arrow[c].is_null().to_numpy() for c in arrow.column_names}
    frame = arrow.to_pandas(use_threads=False)
    return from_frame(frame, filename, kind, empty, nested)


def _nested(column: pa.ChunkedArray) -> str:
    """Why a column without one value a row is left out."""
    import pyarrow.compute as pc
    from pyarrow import types

    kind, lists = column.type, f"holds {column.type}, not numbers"
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        first = column.slice(0, 1)
        first.validate(full=True)
        length = pc.list_value_length(first).to_pylist()
        lists += f", {length[0]} in the first row" if length and length[0] is not None else ""
        return f"{lists}; scores are one number a run: {ONE_OF_THEM}"
    return f"{lists}; scores are one number a run"


def is_plain(kind: pa.DataType) -> bool:
    """Whether an arrow type has one value a row, so that its content is no longer than its rows."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return is_plain(kind.value_type)
    text = (types.is_string, types.is_large_string, types.is_string_view)
    others = (types.is_primitive, types.is_decimal, types.is_null)
    return any(is_one(kind) for is_one in (*text, *others))


def from_frame(
    frame: pd.DataFrame,
    filename: str,
    kind: str = "DataFrame",
    empty: Mapping[str, NDArray[np.bool_]] | None = None,
    unusable: Mapping[str, str] | None = None,
) -> DataTable:
    """The table of a DataFrame.

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
    unusable : mapping of str to str, optional
        Columns that were left out, with the reason.

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
    what = called(filename) if filename else f"the {kind}"
    TRUSTED.check_names(what, names)
    left_out = dict(unusable or {})
    if not len(frame) or not (names or left_out):
        raise ScoresError(f"{what} has no rows")
    series = {c: frame.iloc[:, i] for i, c in enumerate(names)}
    odd = {
        c: f"holds {s.dtype}, not real numbers; save the scores as floats"
        for c, s in series.items()
        if s.dtype.kind in "cmM"
    }
    odd |= {c: reason for c, s in series.items() if (reason := _of_objects(s))}
    if empty is None:
        empty = {c: s.isna().to_numpy() for c, s in series.items()}
    filled = filled_lengths(empty)
    return DataTable(
        name=Path(filename).stem,
        columns={c: tidy(s) for c, s in series.items() if c not in odd},
        format=kind,
        notes=notes_on_ends(filled, len(frame)) + notes_on_unusable(left_out),
        rows=len(frame),
        filled=filled,
        unusable=odd | left_out,
    )


def _of_objects(series: pd.Series[Any]) -> str:
    """Why a column of Python objects is left out, "" where its cells are single values."""
    if series.dtype != object:
        return ""
    for i, cell in enumerate(series.array):
        if isinstance(cell, list | tuple | np.ndarray | Mapping):
            return f"holds no numbers: row {i} (counted from 0) is {nested_value(cell)}"
    return ""
