"""How results show themselves in a notebook: a small table, in the colors of the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def table(title: str, rows: Iterable[Iterable[object]], note: str = "") -> str:
    """A table without a head, as HTML.

    Parameters
    ----------
    title : str
    rows : iterable of iterables
        Cells, shown as ``str`` makes them.
    note : str, optional
        What the numbers promise or rest on.
    """
    cells = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    under = f"<small>{escape(note)}</small>" if note else ""
    return f'<div><b>{escape(title)}</b><table style="margin:4px 0">{cells}</table>{under}</div>'


_CELL = "text-align:left;padding:2px 16px 2px 0"
