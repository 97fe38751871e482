"""`Tab`: a page of the app, and its first state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

from workbench.dashboard.sent import FirstState, first_state
from workbench.pages.core.page import Page
from workbench.pages.inputs.data import DataChoice
from workbench.workspaces.workspace import Workspace

#: The page of the import step, which is shown in a dialog and is no part of the history.
IMPORT = "import"

#: Makes one person's page: a `Page` class, or a ``functools.partial`` of one.
Factory = Callable[..., Page]


class Tab:
    """A page of the app, and its first state, which is the same for every visitor.

    Parameters
    ----------
    factory : Factory
        Makes the page of a visitor; takes the ``workspace``.
    address : str
        Its path on the server, ``"/"`` or ``"/name"``.
    title : str
        Its title in the menu; by default that of the page.
    group : str
        The group of the menu; "" for pages that are not in it.
    answers : str
        The question that the page answers.
    base : Workspace, optional
        Data sets that all visitors share.
    """

    def __init__(
        self,
        factory: Factory,
        address: str = "/",
        title: str = "",
        group: str = "",
        answers: str = "",
        base: Workspace | None = None,
    ):
        self.factory, self.address, self.group, self.answers = factory, address, group, answers
        #: Its name in messages: its address without the slash.
        self.name = address.strip("/") or "page"
        kind: Any = factory.func if isinstance(factory, partial) else factory
        self.kind = kind
        self.title: str = title or kind.title
        self._base = base
        self._first: FirstState | None = None
        self._lock = Lock()

    @property
    def data_key(self) -> str:
        """Key of the data set that the page begins with; "" on pages without data."""
        defaults = [
            parameter.default
            for parameter in self.kind.param.objects().values()
            if isinstance(parameter, DataChoice) and parameter.input.menu
        ]
        if not defaults:
            return ""
        chosen = None if self._base is None else self._base.active.key(self.kind.takes)
        return str(chosen or defaults[0])

    def make(self, workspace: Workspace, **given: Any) -> Page:
        """A new page on a workspace.

        Parameters
        ----------
        workspace : Workspace
        **given
            Further arguments of the factory.
        """
        return self.factory(workspace=workspace, **given)

    @property
    def is_drawn(self) -> bool:
        """Whether somebody has asked for the first state."""
        return self._first is not None

    def first(self) -> FirstState:
        """The first state of the page, drawn once for all visitors, when the first of them asks.

        That takes up to some seconds of a processor, while which others who ask for it wait. If it
        cannot be drawn, whoever asks next has it tried again.
        """
        with self._lock:
            if self._first is None:
                page = self.make(Workspace(base=self._base))
                page.follow(page.workspace.active.key(page.takes))
                self._first = first_state(page)
            return self._first
