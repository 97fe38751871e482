"""Attributes of the records of a table by which a page groups them, and their groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.pages.core.page import Page
from workbench.pages.core.value_selector import ValueSelector
from workbench.tables.table import ScoreTable

#: Attributes that are shown with a record, and are no groups.
SHOWN = ("image", "text")

#: Groups of an attribute at most; one with more, such as an income, is no group.
MOST_GROUPS = 60

#: The choice of all records.
ALL = ""


def groupings(table: ScoreTable) -> dict[str, list[str]]:
    """The attributes that group records, and the names of their groups, in order."""
    found = {}
    for name, column in table.attributes.items():
        if name not in SHOWN and np.ndim(column) == 1:
            values = list(dict.fromkeys(np.unique(texts(column)).tolist()))
            if 1 < len(values) <= MOST_GROUPS:
                found[name] = values
    return found


def texts(column: NDArray[Any]) -> NDArray[Any]:
    """An attribute as texts; empty cells are "none"."""
    if column.dtype == object:
        return np.array(["none" if cell is None else str(cell) for cell in column.tolist()])
    return column.astype(str)


class AttributeChoice(ValueSelector):
    """Parameter type of the attribute by which records are grouped, "" for none."""

    def get_range(self) -> dict[str, str]:
        """The attributes of the table in view."""
        return {"none": ALL, **{name: name for name in _groupings(self.owner)}}

    def _validate(self, val: Any) -> None:
        _check(self, val)


class GroupChoice(ValueSelector):
    """Parameter type of the group of records in view, "" for all."""

    def get_range(self) -> dict[str, str]:
        """The groups of the chosen attribute."""
        page = self.owner
        known = _groupings(page).get(getattr(page, "by", ""), []) if isinstance(page, Page) else []
        return {"all records": ALL, **{name: name for name in known}}

    def _validate(self, val: Any) -> None:
        _check(self, val)


def _groupings(page: Any) -> dict[str, list[str]]:
    return page.groupings() if isinstance(page, Page) and page.table is not None else {}


def _check(parameter: ValueSelector, value: Any) -> None:
    """Refuse what the table in view lacks; a page takes its settings before its table."""
    if getattr(parameter.owner, "table", None) is None:
        return
    if value not in parameter.get_range().values():
        raise ValueError(f"{parameter.label}: the table has no {value!r}")
