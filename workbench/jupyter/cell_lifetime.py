"""Which views belong to which cell, so that a cell that runs again or is gone frees its own."""

from __future__ import annotations

from typing import Any, Protocol


class Closes(Protocol):
    """Anything that can be freed."""

    def close(self) -> None:
        """Free it."""


#: Cell -> the run of it, and what it made.
_made: dict[str, tuple[str, list[Closes]]] = {}


def enter(view: Closes) -> None:
    """Count ``view`` to the cell that is running, and close what an earlier run of it made."""
    request = _request()
    told = request.get("metadata", {})
    for gone in told.get("deletedCells", ()):
        _close(gone)
    cell = told.get("cellId")
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
    """The message that runs the cell; empty outside a kernel."""
    from IPython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    return kernel.get_parent() if kernel is not None else {}
