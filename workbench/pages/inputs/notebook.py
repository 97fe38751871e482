"""`notebook_of`: a page as a notebook, which runs its code and shows it again."""

from __future__ import annotations

from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.inputs.spec import Spec
from workbench.pages.registry import PAGES

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


def page_name(page: Page) -> str:
    """The name of a page in addresses and for ``wb.explore``."""
    return next(name for name, entry in PAGES.items() if isinstance(page, entry.kind))


def code_of(page: Page, spec: dict[str, Any]) -> str:
    """The Python that reproduces a page.

    Parameters
    ----------
    page : Page
        The page.
    spec : dict
        Its state; see `Spec`.
    """
    if hasattr(page, "code"):
        return str(page.code(spec))
    return f"import workbench as wb\n\nview = wb.explore({page_name(page)!r}, spec={spec!r})\n"


def notebook_of(page: Page, fresh: Page | None = None) -> dict[str, Any]:
    """A notebook that computes the numbers of a page in its present state, and shows the page.

    Parameters
    ----------
    page : Page
        The page.
    fresh : Page, optional
        A page in the state at the start, to which the settings are compared; by default a new one.

    Returns
    -------
    dict
        JSON of a notebook in the format nbformat 4.5: a cell that says what it is, one with the
        code, and one that shows the page.
    """
    code = code_of(page, Spec(page, fresh or page.at_start()).changes())
    said = (
        f"# {page.title}\n\n{page.about}\n\nThe DP Audit Workbench wrote this notebook. It "
        "computes the numbers that the page showed. Data are not part of it: where a comment names "
        "a file or a variable, give its path or its values."
    )
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "what", "metadata": {}, "source": said},
            _code_cell("code", code.rstrip()),
            _code_cell("page", "view"),
        ],
    }


def _code_cell(identity: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": identity,
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
