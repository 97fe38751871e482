"""`text_columns`: the columns of a text, parsed in parts of rows that fit into the cache.

What pandas takes a cell for depends on the other cells of its column. A column whose parts are all
whole numbers, all floats, all truth values or all words is the same in parts as in one piece; with
any other column the text is parsed anew as a whole.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.ordered import Cells
from workbench.scores.parsing.cells import huge_integers, mostly_numbers, tidy

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are parsed at a time.
_ROWS = 2**16


@dataclass(frozen=True)
class TextColumns:
    """Columns of a text, with the empty rows at its end.

    Parameters
    ----------
    columns : mapping of str to ndarray, each of shape (rows,)
        As of `workbench.scores.parsing.cells.tidy`.
    empty : mapping of str to ndarray of bool, each of shape (rows,)
        Which cells are empty.
    huge : tuple of str
        Columns of integers that 64 bits with a sign do not hold.
    """

    columns: Mapping[str, Cells]
    empty: Mapping[str, NDArray[np.bool_]]
    huge: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return next(iter(self.empty.values())).size


def text_columns(data: bytes, options: Mapping[str, Any], decimal_comma: bool) -> TextColumns:
    """The columns of a text.

    Parameters
    ----------
    data : bytes
        UTF-8.
    options : mapping
        Of ``pandas.read_csv``, with the names of the columns.
    decimal_comma : bool
        Whether ``1,5`` in a column of text may be a number.

    Raises
    ------
    pandas.errors.ParserError
        The text is no regular table.
    """
    return _in_parts(data, options, decimal_comma) or _as_a_whole(data, options, decimal_comma)


def _as_a_whole(data: bytes, options: Mapping[str, Any], decimal_comma: bool) -> TextColumns:
    import pandas as pd

    try:
        frame = pd.read_csv(io.BytesIO(data), low_memory=False, **options)
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=options["names"])
    # Integers beyond 64 bits with a sign are of other types for pandas.
    odd = [c for c in frame if frame[c].dtype in (np.uint64, object)]
    return TextColumns(
        {c: tidy(frame[c], decimal_comma) for c in frame},
        {c: frame[c].isna().to_numpy() for c in frame},
        tuple(c for c in odd if huge_integers(frame[c].array)),
    )


def _in_parts(data: bytes, options: Mapping[str, Any], decimal_comma: bool) -> TextColumns | None:
    """The same in parts of rows; None where the parts of a column do not fit together."""
    import pandas as pd

    parts: dict[str, list[Cells]] = {name: [] for name in options["names"]}
    empty: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in options["names"]}
    try:
        frames = pd.read_csv(io.BytesIO(data), low_memory=False, chunksize=_ROWS, **options)
    except pd.errors.EmptyDataError:
        return None
    with frames:
        for frame in frames:
            for name, found in parts.items():
                cells = _plain(frame[name])
                if cells is None or (found and cells.dtype != found[0].dtype):
                    return None
                if not found and cells.dtype == object and mostly_numbers(cells, decimal_comma):
                    return None  # text such as nan among numbers
                found.append(cells)
                empty[name].append(pd.isna(cells))
    if not all(parts.values()):
        return None
    return TextColumns(
        {name: np.concatenate(parts.pop(name)) for name in options["names"]},
        {name: np.concatenate(found) for name, found in empty.items()},
    )


def _plain(cells: pd.Series[Any]) -> Cells | None:
    """Numbers, truth values, or words with None in empty cells; None for anything else."""
    import pandas as pd

    if cells.dtype in (np.int64, np.float64, np.bool_):
        return cells.to_numpy()
    if cells.dtype != "str":
        return None
    codes, words = pd.factorize(cells)  # equal words are one object
    return np.array([*words, None], dtype=object)[codes]
