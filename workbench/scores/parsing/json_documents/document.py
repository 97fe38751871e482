"""`read_json` and `read_json_lines`: from the text of a file to its table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _json
from workbench.scores.parsing.cells import filled_lengths, huge_integers, tidy
from workbench.scores.parsing.json_documents.shapes import Lists, lists_of, no_column
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.roc_points import with_groups
from workbench.scores.parsing.text import utf8
from workbench.scores.refusals import called
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, notes_on_ends, notes_on_huge, notes_on_unusable

if TYPE_CHECKING:
    import pandas as pd

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of a json file, in any of the shapes of `lists_of`, or with one on each line."""
    text = utf8(data, filename)
    try:
        content = _value(text, filename, limits)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _invalid(filename, error, error.lineno) from error
        return read_json_lines(data, filename, limits)
    return _table(content, text, filename, limits)


def read_json_lines(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of a file with a record on each line (JSON lines)."""
    text = utf8(data, filename)
    return _table(list(_lines(text, filename, limits)), text, filename, limits)


def _lines(text: bytes, filename: str, limits: ReadLimits) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _value(line, filename, limits)
        except json.JSONDecodeError as error:
            raise _invalid(filename, error, number) from error


def _value(text: bytes, filename: str, limits: ReadLimits) -> Any:
    """The value of a JSON text, in which no object has a key twice."""

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            limits.check_names(called(filename), (key for key, _ in pairs))
        return found

    return _json.loads(text, object_pairs_hook=checked)


def _invalid(filename: str, error: json.JSONDecodeError, line: int) -> ScoresError:
    return ScoresError(
        f"{called(filename)} is not valid JSON: {error.msg} at line {line}, column {error.colno}"
    )


def _table(content: Any, text: bytes, filename: str, limits: ReadLimits) -> DataTable:
    what = called(filename)
    if _SURROGATE.search(text) and not _encodes(content):
        raise ScoresError(
            f"{what} holds text that is no valid Unicode: \\ud800 to \\udfff come in pairs; "
            "correct it"
        )
    found = lists_of(content, what, limits)
    limits.check_names(what, [*found.lists, *found.unusable])
    numbers = content if isinstance(content, dict) else {}
    return with_groups(_of_lists(found, filename), numbers)


def _of_lists(found: Lists, filename: str) -> DataTable:
    unusable = {k: reason for k, values in found.lists.items() if (reason := no_column(values))}
    unusable = dict(found.unusable) | unusable
    columns = {k: tidy(_series(v)) for k, v in found.lists.items() if k not in unusable}
    empty = {k: np.array([v is None for v in found.lists[k]], dtype=bool) for k in columns}
    filled = filled_lengths(empty)
    ends = () if found.rows is None else notes_on_ends(filled, found.rows)
    return DataTable(
        name=Path(filename).stem,
        columns=columns,
        format="json",
        notes=found.notes
        + notes_on_unusable(unusable)
        + ends
        + notes_on_huge(c for c in columns if huge_integers(found.lists[c])),
        rows=found.rows,
        filled=filled,
        unusable=unusable,
    )


def _series(values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    numeric = all(v is None or type(v) in (int, float) for v in values)
    return pd.Series(values, dtype=np.float64 if numeric else object)


def _encodes(content: Any) -> bool:
    """Whether all texts of a JSON value are valid Unicode."""
    try:
        _json.message(content, ensure_ascii=False)
    except UnicodeEncodeError:
        return False
    return True
