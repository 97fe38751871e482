"""`Identifiers`: a number for each name of a model or record, in the order of arrival."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.scores.layouts.labels import text_of
from workbench.scores.refusals import called, quoted
from workbench.scores.sample import ScoresError

_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")


class Identifiers:
    """Names of models or of records that were seen.

    Parameters
    ----------
    column : str
        Their column, for messages.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, column: Any, filename: str) -> NDArray[np.intp]:
        """The number of each name of a batch.

        Parameters
        ----------
        column : pyarrow.Array
        filename : str
            For messages.

        Raises
        ------
        ScoresError
            An empty cell.
        """
        from pyarrow import types

        coded = column if types.is_dictionary(column.type) else column.dictionary_encode()
        if coded.null_count or coded.dictionary.null_count:
            raise ScoresError(
                f"column {quoted(self._column)} of {called(filename)} has empty cells; name the "
                "model and the record of every score"
            )
        numbers = self._numbers
        names = [text_of(name) for name in coded.dictionary.to_pylist()]
        if "" in names:
            raise ScoresError(
                f"column {quoted(self._column)} of {called(filename)} has empty cells; name the "
                "model and the record of every score"
            )
        own = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
        index = coded.indices.to_numpy(zero_copy_only=False)
        return np.asarray(own[index] if own.size else index, dtype=np.intp)

    def name(self, number: int) -> str:
        """The name of a number."""
        return next(name for name, own in self._numbers.items() if own == number)

    def ordered(self) -> tuple[NDArray[np.intp] | None, NDArray[Any]]:
        """The order that sorts whole numbers (None for texts), and the names in it."""
        texts = list(self._numbers)
        if not all(map(_WHOLE.fullmatch, texts)):
            return None, np.array(texts)
        names = np.array(texts, dtype=np.int64)
        order = np.argsort(names)
        return (None if (np.diff(order) == 1).all() else order), names[order]
