"""A chart as a file and a number as text, which all front ends offer."""

from __future__ import annotations

from typing import Any

from workbench import _checks
from workbench.bounds.texts import bound_texts
from workbench.figures.paper.export import figure_bytes
from workbench.figures.paper.table import figure_csv
from workbench.pages.core.page import Fact, Item, NotChosen, Page

#: Files that a chart can be saved as, and their media types.
FIGURE_KINDS = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv; charset=utf-8",
}

#: Widths of a chart on paper, in inches, and kinds of letters. A wide PNG takes much memory.
LEAST_WIDTH, MOST_WIDTH = 2.0, 8.0
FAMILIES = ("serif", "sans")


def check_figure_file(kind: str, width: float, family: str) -> None:
    """Check what a chart is to be saved as.

    Parameters
    ----------
    kind : str
        A key of `FIGURE_KINDS`.
    width : float
        In inches.
    family : str
        One of `FAMILIES`.

    Raises
    ------
    ValueError
        One of them is not possible.
    """
    _checks.one_of(kind, "kind", list(FIGURE_KINDS))
    _checks.one_of(family, "family", FAMILIES)
    if not LEAST_WIDTH <= _checks.number(width, "width") <= MOST_WIDTH:
        raise ValueError(
            f"width must be from {LEAST_WIDTH:g} to {MOST_WIDTH:g} inches, not {width!r}"
        )


def figure_file(
    page: Page, item: Item, kind: str, width: float = 3.3, family: str = "serif"
) -> bytes:
    """A chart of a page in its present state as a file for a paper, or its data.

    Parameters
    ----------
    page : Page
    item : Item
        The figure.
    kind, width, family
        See `check_figure_file`.

    Raises
    ------
    ValueError
        See `check_figure_file`.
    """
    check_figure_file(kind, width, family)
    return drawn_file(page.draw(item), kind, width, family)


def drawn_file(figure: dict[str, Any], kind: str, width: float, family: str) -> bytes:
    """A chart that is drawn already as a file for a paper, or its data.

    Parameters
    ----------
    figure : dict
    kind, width, family
        See `check_figure_file`.
    """
    if kind == "csv":
        return figure_csv(figure).encode()
    return figure_bytes(figure, kind, width=width, family=family)


def number_texts(page: Page, item: Item) -> dict[str, str]:
    """A number of a page in its present state as texts that people copy.

    Parameters
    ----------
    page : Page
    item : Item
        The number.

    Returns
    -------
    dict of str to str
        "sentence", "latex" and "bibtex" of a bound, the "sentence" of a fact, and nothing for a
        bound that rests on a choice that nobody has made.
    """
    value = page.draw(item)
    if isinstance(value, Fact):
        note = f" ({value.note})" if value.note else ""
        return {"sentence": f"{item.title}: {value.text}{note}"}
    if isinstance(value.void, NotChosen):
        return {}
    return bound_texts(value)
