"""TOML: the tables of a file, plain values as TOML, and the lines of its keys."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from workbench import _json
from workbench._markup import escape_json

_HEADER, _KEY = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$"), re.compile(r"\s*([\w.\"' -]+?)\s*=")


def tables_of(content: bytes | str) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises
    ------
    ValueError
        It is no TOML, or one whose numbers or brackets have no end.
    """
    try:
        text = content if isinstance(content, str) else content.decode()
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
    except ValueError as error:  # of UTF-8, TOML, or a number of thousands of digits
        raise ValueError(str(error).partition(";")[0]) from None


def to_toml(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Sections of plain values as TOML.

    Parameters
    ----------
    sections : mapping of str to mapping
        Of texts, numbers, truth values, lists and mappings of these.
    """
    parts = []
    for name, section in sections.items():
        lines = [f"{key} = {_value(value)}" for key, value in section.items()]
        parts.append("\n".join([f"[{name}]", *lines]) + "\n")
    return "\n".join(parts)


def line_of(text: str, key: tuple[str, ...]) -> int | None:
    """The line of a key, or of the nearest table around it, counted from 1; None for neither.

    Parameters
    ----------
    text : str
        TOML.
    key : tuple of str
        Tables and the key.
    """
    table: tuple[str, ...] = ()
    best, found = 0, None
    for number, line in enumerate(text.splitlines(), start=1):
        header, pair = _HEADER.match(line), _KEY.match(line)
        if header:
            place = table = _names(header[1])
        elif pair:
            place = (*table, *_names(pair[1]))
        else:
            continue
        if best < len(place) and place == key[: len(place)]:
            best, found = len(place), number
    return found


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip(" \"'") for part in dotted.split("."))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return escape_json(_json.dumps(value))  # TOML holds no DEL
    return repr(value)  # inf and nan, too
