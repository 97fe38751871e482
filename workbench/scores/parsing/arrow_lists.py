"""Reader of arrow files whose cells are lists, such as the shards of Hugging Face data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.scores.parsing.cells import tidy
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.refusals import called
from workbench.scores.table import DataTable, notes_on_unusable

if TYPE_CHECKING:
    import pyarrow as pa

_FILE_MAGIC = b"ARROW1"

#: Lists within lists that are read.
_DEEPEST = 2


def read_arrow_lists(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of an arrow stream or file, with lists one after the other.

    Parameters
    ----------
    data : bytes
    filename : str
        For messages.
    limits : ReadLimits

    Returns
    -------
    DataTable
        A column of lists is the content of all its lists, in order; ``name/1`` has the length of
        each, and ``name/2`` those of the lists within them.

    Raises
    ------
    ScoresError
        The content is refused.
    """
    import pyarrow as pa

    opened = pa.ipc.open_file if data.startswith(_FILE_MAGIC) else pa.ipc.open_stream
    arrow = opened(pa.BufferReader(data)).read_all().replace_schema_metadata()
    limits.check_names(called(filename), arrow.column_names)
    # Lengths and offsets come from the file: before this nothing may touch a value.
    arrow.validate(full=True)
    columns: dict[str, Any] = {}
    unusable: dict[str, str] = {}
    for name in arrow.column_names:
        found = _flat(name, arrow[name])
        if found is None:
            unusable[name] = f"holds {arrow[name].type}, not numbers, text or lists of them"
        else:
            columns |= found
    return DataTable(
        name=Path(filename).stem,
        columns=columns,
        format="arrow",
        notes=notes_on_unusable(unusable),
        filled={name: cells.size for name, cells in columns.items()},
        unusable=unusable,
    )


def _flat(name: str, column: pa.ChunkedArray) -> dict[str, Any] | None:
    """A column and the lengths of its lists; None where it holds neither values nor lists."""
    import pyarrow.compute as pc
    from pyarrow import types

    found = {}
    for depth in range(1, _DEEPEST + 1):
        kind = column.type
        if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
            break
        lengths = pc.fill_null(pc.list_value_length(column), 0)
        found[f"{name}/{depth}"] = lengths.to_numpy().astype(np.int64)
        column = pc.list_flatten(column)
    if not (
        types.is_primitive(column.type)
        or types.is_string(column.type)
        or types.is_large_string(column.type)
        or types.is_null(column.type)
    ):
        return None
    found[name] = tidy(column.to_pandas())
    return found
