"""The lists in a JSON document, in each of the shapes in which tables are written.

- pandas' ``to_json``, every ``orient``: columns, index, records, split, table, values;
- ``{"columns": […], "data": [[…]]}``, as trackers of experiments save tables;
- lists by name, also within one or two levels of objects;
- the reports of one tool (`reports`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.scores.parsing.json_documents.reports import report_lists
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.refusals import nested_value, quoted
from workbench.scores.sample import ScoresError

#: Levels of objects below the document in which lists are looked for.
_DEEPEST = 2

_NO_LIST = "is not a plain list; scores are one number a run"


@dataclass(frozen=True)
class Lists:
    """The lists of a document.

    Attributes
    ----------
    lists : dict of str to list
    unusable : dict of str to str
        What is no list, with the reason.
    rows : int, optional
        Their number where the document has rows; None for separate lists.
    notes : tuple of str
    """

    lists: dict[str, Any]
    unusable: dict[str, str] = field(default_factory=dict)
    rows: int | None = None
    notes: tuple[str, ...] = ()


def lists_of(content: Any, what: str, limits: ReadLimits) -> Lists:
    """The lists of a JSON document.

    Parameters
    ----------
    content : object
        As `json.loads` returns it.
    what : str
        What messages call the file.
    limits : ReadLimits

    Raises
    ------
    ScoresError
        It has none, or rows of different lengths.
    """
    report = report_lists(content)
    if report:
        return Lists(*report)
    if isinstance(content, list) and content:
        found = _rows(content, what, limits)
        if found:
            return found
    if isinstance(content, dict) and content:
        found = _split(content, what, limits) or _of_pandas(content, what, limits)
        return found or _nested(content)
    raise ScoresError(
        f"{what} holds no scores that can be found; write an object of arrays, "
        '{"p": [...], "q": [...]}, or a list of records, [{"score": 0.5, "member": 1}, ...]'
    )


def _rows(content: list[Any], what: str, limits: ReadLimits) -> Lists | None:
    """Records, rows or single values; None for a mixture of them."""
    if all(isinstance(row, dict) for row in content):
        return _records([_flat(row) for row in content], what, limits)
    if all(isinstance(row, list) for row in content):
        width = len(content[0])
        return _table([f"column {i}" for i in range(1, width + 1)], content, what)
    if not any(isinstance(value, list | dict) for value in content):
        return Lists({"column 1": content}, rows=len(content))
    return None


def _split(content: dict[str, Any], what: str, limits: ReadLimits) -> Lists | None:
    """Rows below ``data``, whose names are ``columns`` or ``schema``."""
    rows, names = content.get("data"), content.get("columns")
    if not isinstance(rows, list) or not rows:
        return None
    schema = content.get("schema")
    if isinstance(schema, dict) and all(isinstance(row, dict) for row in rows):
        index = schema.get("primaryKey", [])
        found = [{k: v for k, v in _flat(row).items() if k not in index} for row in rows]
        return _records(found, what, limits)
    if isinstance(names, list) and all(isinstance(row, list) for row in rows):
        return _table([_name(name) for name in names], rows, what)
    return None


def _name(name: Any) -> str:
    """The name of a column; the levels of a name with several are joined."""
    return ".".join(map(str, name)) if isinstance(name, list) else str(name)


def _table(names: Sequence[str], rows: Sequence[list[Any]], what: str) -> Lists | None:
    """Columns of rows of cells."""
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise ScoresError(
                f"{what}: row {i} (counted from 0) has {len(row)} cells where {len(names)} are "
                "expected; correct it"
            )
    columns = map(list, zip(*rows, strict=True))
    return Lists(dict(_distinct(names, columns, what)), rows=len(rows)) if names else None


def _distinct(
    names: Sequence[str], columns: Iterator[list[Any]], what: str
) -> Iterator[tuple[str, list[Any]]]:
    seen: set[str] = set()
    for name, column in zip(names, columns, strict=True):
        if name in seen:
            raise ScoresError(f"{what}: two columns have one name, rename one: {quoted(name)}")
        seen.add(name)
        yield name, column


def _records(records: list[dict[str, Any]], what: str, limits: ReadLimits) -> Lists:
    keys = dict.fromkeys(key for record in records for key in record)
    limits.check_names(what, keys)
    _check_filled(what, len(keys) * len(records), sum(map(len, records)))
    return Lists({key: [r.get(key) for r in records] for key in keys}, rows=len(records))


def _of_pandas(content: dict[str, Any], what: str, limits: ReadLimits) -> Lists | None:
    """Columns by name and index, or the other way round."""
    inner = list(content.values())
    if not all(isinstance(one, dict) and one and not any(map(_is_nested, one.values()))
               for one in inner):  # fmt: skip
        return None
    if _is_by_index(content):
        return _records(inner, what, limits)
    limits.check_names(what, content)
    index = dict.fromkeys(i for column in inner for i in column)
    _check_filled(what, len(index) * len(content), sum(map(len, inner)))
    lists = {k: [c.get(i) for i in index] for k, c in content.items()}
    return Lists(lists, rows=len(index))


def _is_by_index(content: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether objects of one value a key are rows by their index rather than columns by name.

    The numbers are the index. Where both or none are numbers, there are more rows than columns.
    """
    inner = list(content.values())
    names = inner[0].keys()
    if any(one.keys() != names for one in inner):
        return False
    numbered = [all(key.isdecimal() for key in keys) for keys in (content, names)]
    if numbered[0] != numbered[1]:
        return numbered[0]
    return not numbered[0] and len(content) > len(names)


def _nested(content: dict[str, Any]) -> Lists:
    """Lists by name, of the document or of objects in it."""
    found: dict[tuple[str, ...], Any] = {}
    unusable: dict[str, str] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            within = dict(_lists_in(value, (name,)))
            found |= within
            if not within:
                unusable[name] = "holds no lists"
        elif isinstance(value, list):
            found |= _columns_of((name,), value)
        else:
            unusable[name] = _NO_LIST
    full = {path: ".".join(path) for path in found}
    unusable |= {full[path]: "is an empty list" for path, value in found.items() if not value}
    filled = {path: value for path, value in found.items() if value}
    names = {path: path[-1] for path in filled}
    if len({*names.values(), *unusable}) < len(names) + len(unusable):
        names = full
    moved = (f"{quoted(names[p])} is {quoted(full[p])}" for p in filled if names[p] != full[p])
    lists = {names[path]: value for path, value in filled.items()}
    return Lists(lists, unusable, notes=tuple(moved))


def _lists_in(
    content: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in content.items():
        if isinstance(value, list):
            yield from _columns_of((*path, name), value).items()
        elif isinstance(value, dict) and len(path) < _DEEPEST:
            yield from _lists_in(value, (*path, name))


def _columns_of(path: tuple[str, ...], value: list[Any]) -> dict[tuple[str, ...], Any]:
    """A list, or the columns of a list of records."""
    if not value or not all(isinstance(row, dict) for row in value):
        return {path: value}
    records = [_flat(row) for row in value]
    keys = dict.fromkeys(key for record in records for key in record)
    return {(*path, key): [r.get(key) for r in records] for key in keys}


def _flat(record: dict[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """A record with the values of objects in it beside the others: ``"metrics.loss"``."""
    if not any(isinstance(value, dict) for value in record.values()):
        return {before + k: v for k, v in record.items()} if before else record
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            flat |= _flat(value, f"{before}{key}.", depth + 1)
        else:
            flat[before + key] = value
    return flat


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def no_column(values: Any) -> str:
    """Why a list is no column of scores, "" where it may be one."""
    if not isinstance(values, list):
        return _NO_LIST
    for i, value in enumerate(values):
        if _is_nested(value):
            return f"is not a plain list: entry {i} (counted from 0) is {nested_value(value)}"
    return ""


def _check_filled(what: str, cells: int, filled: int) -> None:
    """Refuse a table that would be larger than its text by far."""
    if cells > 10**6 + 10 * filled:
        raise ScoresError(
            f"{what} would be a table of {cells} cells of which {filled} are filled; write records "
            "that all have the same few keys"
        )
