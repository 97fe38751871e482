"""Tables as parquet files that hold all that a `DataTable` does, and back.

Columns of unequal lengths are filled up with nulls. Lengths, types and notes are in the metadata of
the schema, under ``workbench``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _json
from workbench.scores.table import DataTable
from workbench.software.extras import check
from workbench.workspaces.errors import WorkspaceError

_ABOUT = b"workbench"
_FORMAT = 1


def to_parquet(table: DataTable) -> bytes:
    """The content of a parquet file that `from_parquet` reads.

    Raises
    ------
    WorkspaceError
        Text that is no valid Unicode.
    """
    check("pyarrow", "tables that are kept need")
    import pyarrow as pa
    from pyarrow import parquet

    longest = max((cells.size for cells in table.columns.values()), default=0)
    about = {
        "format": _FORMAT,
        "columns": [[name, x.dtype.name, x.size] for name, x in table.columns.items()],
        "table": {
            "name": table.name,
            "format": table.format,
            "notes": list(table.notes),
            "rows": table.rows,
            "filled": dict(table.filled),
            "unusable": dict(table.unusable),
            "first_row": table.first_row,
            "blank_rows": list(table.blank_rows),
            "decimal_comma": table.decimal_comma,
        },
    }
    try:
        arrays = [_to_arrow(cells, longest) for cells in table.columns.values()]
        schema = pa.schema(
            [(name, array.type) for name, array in zip(table.columns, arrays, strict=True)],
            metadata={_ABOUT: _json.dumps_ascii(about).encode()},
        )
    except UnicodeEncodeError:
        raise WorkspaceError(
            f"{table.label} holds text that is no valid Unicode (unpaired surrogates), which "
            "cannot be kept; correct the text"
        ) from None
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(arrays, schema=schema), sink, compression="zstd")
    return bytes(sink.getvalue())


def from_parquet(content: bytes) -> DataTable:
    """The table of `to_parquet`.

    Raises
    ------
    WorkspaceError
        Other content.
    """
    check("pyarrow", "tables that are kept need")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        arrow = parquet.read_table(pa.BufferReader(content), use_threads=False)
        about = _json.loads((arrow.schema.metadata or {})[_ABOUT])
        if about["format"] != _FORMAT:
            raise WorkspaceError(f"it has the format {about['format']!r}, not {_FORMAT}")
        columns = {
            name: _from_arrow(arrow.column(i), kind, size)
            for i, (name, kind, size) in enumerate(about["columns"])
        }
        fields = about["table"]
        for name in ("notes", "blank_rows"):
            fields[name] = tuple(fields[name])
        return DataTable(columns=columns, **fields)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, IndexError) as error:
        raise WorkspaceError(f"no table of a workspace: {error}") from error


def _to_arrow(cells: NDArray[Any], length: int) -> Any:
    import pyarrow as pa

    kind = pa.large_string() if cells.dtype == object else pa.from_numpy_dtype(cells.dtype)
    array = pa.array(cells, type=kind, from_pandas=False)
    missing = length - cells.size
    return array if not missing else pa.concat_arrays([array, pa.nulls(missing, kind)])


def _from_arrow(column: Any, kind: str, size: int) -> NDArray[Any]:
    cells = column.slice(0, size).to_numpy(zero_copy_only=False)
    return np.array(cells, dtype=object if kind == "object" else kind)
