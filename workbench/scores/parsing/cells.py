"""Text columns parsed to float arrays, and the lengths of columns without their empty ends.

An empty cell is not the same as the text ``nan``: the one may be no score at all, the other is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.ordered import Cells

if TYPE_CHECKING:
    import pandas as pd

#: Whether a text may be a number, or a word for NaN: every one has a digit or one of these words.
_MAY_BE_NUMBER = re.compile(r"\d|inf|nan?|n/a|null|none", re.IGNORECASE).search

NAN_WORDS = ("nan", "na", "n/a", "#n/a", "<na>", "null", "none")


def parse_numbers(
    cells: Cells, decimal_comma: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Text cells as numbers, and which of them are neither numbers, empty nor a word for NaN.

    Parameters
    ----------
    cells : ndarray of object, shape (n,)
        Text, None where empty.
    decimal_comma : bool
        Read ``1,5`` as 1.5, unless other cells write decimal points.

    Returns
    -------
    values, wrong : ndarray of float, ndarray of bool, shape (n,)
    """
    import pandas as pd

    text = pd.Series(cells, dtype="str").str.strip()
    values = _nearest(text)
    unread = np.flatnonzero(np.isnan(values) & text.notna().to_numpy())
    words = text.iloc[unread]
    if decimal_comma and not text.str.contains(".", regex=False).any():
        values[unread] = _nearest(words.str.replace(",", "."))
    wrong = np.zeros(values.size, dtype=bool)
    wrong[unread] = np.isnan(values[unread]) & ~words.str.lower().isin(NAN_WORDS).to_numpy()
    return values, wrong


def _nearest(text: pd.Series) -> NDArray[np.float64]:
    """The numbers nearest to texts, NaN where a text is none."""
    import pandas as pd

    values = pd.to_numeric(text, errors="coerce").to_numpy(dtype=np.float64).copy()
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # off in the last digit
        finite = np.flatnonzero(np.isfinite(values))
        values[finite] = [float(one) for one in text.iloc[finite]]
    return values


def mostly_numbers(cells: Cells, decimal_comma: bool = False) -> bool:
    """Whether at least half of the first thousand cells of text that are not empty are numbers.

    Parameters
    ----------
    cells : ndarray of object
    decimal_comma : bool
        Whether ``1,5`` may be a number.
    """
    head = cells[:1000]
    if not any(map(_MAY_BE_NUMBER, filter(None, head))):
        return False  # without pandas, whose import takes longer
    _, wrong = parse_numbers(head, decimal_comma)
    filled = sum(cell is not None for cell in head)
    return 0 < filled >= 2 * int(wrong.sum())


def tidy(cells: pd.Series[Any] | Cells, decimal_comma: bool = False) -> Cells:
    """Numbers or booleans as they are; text as numbers if all of it is, else as objects.

    Parameters
    ----------
    cells : Series or ndarray, shape (n,)
        A column as its parser gave it.
    decimal_comma : bool
        As in `parse_numbers`.

    Returns
    -------
    ndarray, shape (n,)
        Of objects where it is text, None in empty cells.
    """
    if isinstance(cells, np.ndarray):
        cells = native(cells)
        if cells.dtype.kind in "biuf":
            return cells
    import pandas as pd
    from pandas.api import types

    if isinstance(cells, np.ndarray):
        cells = pd.Series(np.char.decode(cells) if cells.dtype.kind == "S" else cells)
    whole = not cells.isna().any()
    if types.is_bool_dtype(cells.dtype) and whole:
        return cells.to_numpy(dtype=bool)
    if types.is_numeric_dtype(cells.dtype) and not types.is_bool_dtype(cells.dtype):
        if whole:
            return native(cells.to_numpy())
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    if cells.dtype != "str":
        cells = cells.astype(object).map(str, na_action="ignore")
    words = np.where(cells.isna().to_numpy(), np.array(None), cells.to_numpy(dtype=object))
    if not mostly_numbers(words, decimal_comma):
        return words
    values, wrong = parse_numbers(words, decimal_comma)
    return words if wrong.any() else values


def native(array: Cells) -> Cells:
    """The array in the byte order of this machine, floats with at most 64 bits."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def huge_integers(values: Iterable[object]) -> bool:
    """Whether there are integers that 64 bits with a sign do not hold."""
    return any(isinstance(v, int | np.integer) and abs(int(v)) >= 2**63 for v in values)


def filled_lengths(empty: Mapping[str, NDArray[np.bool_]]) -> dict[str, int]:
    """For each column the number of cells up to its last non-empty one."""
    filled = {}
    for name, blank in empty.items():
        # The appended cell ends the count where all are empty.
        filled[name] = blank.size - int(np.argmin(np.append(blank[::-1], False)))
    return filled
