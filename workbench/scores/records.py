"""Records: json, an object of arrays or a list of records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.scores.cells import filled_lengths, tidy
from workbench.scores.refusals import called, damage_refused
from workbench.scores.sample import ScoresError
from workbench.scores.table import Table, notes_on_ends, notes_on_unusable
from workbench.scores.text import utf8

if TYPE_CHECKING:
    import pandas as pd


def read_json(data: bytes, filename: str) -> Table:
    """Read lists by name, records with the same keys, or what pandas writes."""
    text = utf8(data, filename)
    with damage_refused(filename, ".json"):  # absurdly deep nesting and long numbers, too
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise ScoresError(
                f"{called(filename)} is not valid JSON: {error.msg} at line {error.lineno}, column "
                f"{error.colno}"
            ) from error
    lists, rows = _json_lists(content, filename)
    columns, unusable = {}, {}
    for key, values in lists.items():
        if not isinstance(values, list) or any(isinstance(v, list | dict) for v in values):
            unusable[key] = "is not a plain list; scores are one number a run"
        else:
            with damage_refused(filename, ".json"):
                columns[key] = tidy(_series(values))
    empty = {key: np.array([v is None for v in lists[key]], dtype=bool) for key in columns}
    filled = filled_lengths(empty)
    return Table(
        name=Path(filename).stem,
        columns=columns,
        format="json",
        notes=notes_on_unusable(unusable)
        + (notes_on_ends(filled, rows) if rows is not None else ()),
        rows=rows,
        filled=filled,
        unusable=unusable,
    )


def _json_lists(content: Any, filename: str) -> tuple[dict[str, Any], int | None]:
    """The lists of a JSON document, and the number of rows where it has rows."""
    if isinstance(content, list) and content:
        if all(isinstance(record, dict) for record in content):
            keys = dict.fromkeys(key for record in content for key in record)
            return {key: [r.get(key) for r in content] for key in keys}, len(content)
        if not any(isinstance(value, list | dict) for value in content):
            return {"column 1": content}, len(content)
    if isinstance(content, dict) and content:
        if all(isinstance(column, dict) for column in content.values()):  # pandas' to_json
            index = dict.fromkeys(i for column in content.values() for i in column)
            return {k: [c.get(i) for i in index] for k, c in content.items()}, len(index)
        return content, None
    raise ScoresError(
        f"{called(filename)} holds no scores that can be found; write an object of arrays, "
        '{"p": [...], "q": [...]}, or a list of records, [{"score": 0.5, "member": 1}, ...]'
    )


def _series(values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    numeric = all(v is None or type(v) in (int, float) for v in values)
    return pd.Series(values, dtype=np.float64 if numeric else object)
