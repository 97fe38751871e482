"""Views by cell, so that those of a cell are freed when it runs again or is deleted."""

from __future__ import annotations

import sys
from typing import Any, Protocol


class Closes(Protocol):
    """An object that can be freed."""

    def close(self) -> None:
        """Free it."""


#: Cell -> its last run, and the objects that it made.
_made: dict[str, tuple[str, list[Closes]]] = {}


def enter(view: Closes) -> None:
    """Assign a view to the running cell, and close the views of an earlier run of the cell."""
    request = _request()
    metadata = request.get("metadata", {})
    for gone in metadata.get("deletedCells", ()):
        _close(gone)
    cell = metadata.get("cellId")
    if cell is None:
        return
    run = request["header"]["msg_id"]
    if _made.get(cell, (run, []))[0] != run:
        _close(cell)
    _, views = _made.setdefault(cell, (run, []))
    views.append(view)


def _close(cell: str) -> None:
    for view in _made.pop(cell, ("", []))[1]:
        view.close()


def _request() -> dict[str, Any]:
    """The message that runs the present cell; empty outside a kernel."""
    if "IPython" not in sys.modules:
        return {}
    from IPython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    return kernel.get_parent() if kernel is not None else {}
