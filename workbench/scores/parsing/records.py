"""Reader of json files: an object of arrays, a list of records, or the report of a tool."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _json
from workbench.scores.parsing.cells import filled_lengths, huge_integers, tidy
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.reports import report_lists
from workbench.scores.parsing.text import utf8
from workbench.scores.refusals import called
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable, notes_on_ends, notes_on_huge, notes_on_unusable

if TYPE_CHECKING:
    import pandas as pd


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(data: bytes, filename: str, limits: ReadLimits) -> DataTable:
    """The table of a json file: lists by name, records with the same keys, or pandas' own forms."""
    text = utf8(data, filename)

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            limits.check_names(called(filename), (key for key, _ in pairs))
        return found

    try:
        content = _json.loads(text, object_pairs_hook=checked)
    except json.JSONDecodeError as error:
        raise ScoresError(
            f"{called(filename)} is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}"
        ) from error
    if _SURROGATE.search(text) and not _encodes(content):
        raise ScoresError(
            f"{called(filename)} holds text that is no valid Unicode: \\ud800 to \\udfff come in "
            "pairs; correct it"
        )
    report = report_lists(content)
    lists, unusable, rows = (*report, None) if report else _json_lists(content, filename, limits)
    limits.check_names(called(filename), [*lists, *unusable])
    columns = {}
    for key, values in lists.items():
        if not isinstance(values, list) or any(isinstance(v, list | dict) for v in values):
            unusable[key] = "is not a plain list; scores are one number a run"
        else:
            columns[key] = tidy(_series(values))
    empty = {key: np.array([v is None for v in lists[key]], dtype=bool) for key in columns}
    filled = filled_lengths(empty)
    return DataTable(
        name=Path(filename).stem,
        columns=columns,
        format="json",
        notes=notes_on_unusable(unusable)
        + (notes_on_ends(filled, rows) if rows is not None else ())
        + notes_on_huge(c for c in columns if huge_integers(lists[c])),
        rows=rows,
        filled=filled,
        unusable=unusable,
    )


def _json_lists(
    content: Any, filename: str, limits: ReadLimits
) -> tuple[dict[str, Any], dict[str, str], int | None]:
    """The lists of a JSON document, what is none, and the number of rows where it has rows."""
    what = called(filename)
    if isinstance(content, list) and content:
        if all(isinstance(record, dict) for record in content):
            keys = dict.fromkeys(key for record in content for key in record)
            limits.check_names(what, keys)
            _check_filled(what, len(keys) * len(content), sum(map(len, content)))
            return {key: [r.get(key) for r in content] for key in keys}, {}, len(content)
        if not any(isinstance(value, list | dict) for value in content):
            return {"column 1": content}, {}, len(content)
    if isinstance(content, dict) and content:
        limits.check_names(what, content)
        if all(isinstance(column, dict) for column in content.values()):  # pandas' to_json
            index = dict.fromkeys(i for column in content.values() for i in column)
            _check_filled(what, len(index) * len(content), sum(map(len, content.values())))
            return {k: [c.get(i) for i in index] for k, c in content.items()}, {}, len(index)
        return content, {}, None
    raise ScoresError(
        f"{called(filename)} holds no scores that can be found; write an object of arrays, "
        '{"p": [...], "q": [...]}, or a list of records, [{"score": 0.5, "member": 1}, ...]'
    )


def _check_filled(what: str, cells: int, filled: int) -> None:
    """Refuse a table that would be larger than its text by far."""
    if cells > 10**6 + 10 * filled:
        raise ScoresError(
            f"{what} would be a table of {cells} cells of which {filled} are filled; write records "
            "that all have the same few keys"
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
