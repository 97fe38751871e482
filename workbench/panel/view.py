"""`PanelView`: a view that is a Viewer of Panel."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

from panel.viewable import Viewer

from workbench.bounds.bound import Bound
from workbench.pages.core.page import Fact
from workbench.panel.document_loop import DocumentLoop, served_document
from workbench.panel.numbers import shown
from workbench.views.view import View


class _PageParameters:
    """The ``param`` of a view: that of its page; and of the class, that of every `Viewer`."""

    def __get__(self, view: PanelView | None, kind: type) -> Any:
        return Viewer.param if view is None else view.page.param


class PanelView(View, Viewer):  # type: ignore[misc]  # as a notebook shows any view
    """A `View` that was made after Panel was imported.

    Its ``numbers`` are live components besides. In the session of a visitor it is freed with it.
    """

    _loop_type = DocumentLoop
    param = _PageParameters()

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        if (document := served_document()) is not None:
            document.on_session_destroyed(partial(_close, weakref.ref(self)))

    __str__ = View.__repr__

    @property
    def numbers(self) -> dict[str, Bound | Fact]:
        """All numbers of the page by name; Panel shows each live."""
        return {
            name: shown(value, partial(self._view_of, name))
            for name, value in super().numbers.items()
        }


def _close(view: weakref.ref[PanelView], _: Any) -> None:
    if (alive := view()) is not None:
        alive.close()
