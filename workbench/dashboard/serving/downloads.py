"""Request handlers of what people download, and of texts that are the same for everybody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from tornado.web import HTTPError, RequestHandler

from workbench.dashboard.serving.document import visitor_of
from workbench.dashboard.serving.visitors import Visitors
from workbench.dashboard.worker import WAITING
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace


class DataHandler(RequestHandler):
    """Handler of the scores of a data set as csv, for the visitor whose it is."""

    async def get(self, key: str) -> None:
        """Send the scores."""
        workspace = self.settings["visitors"].workspace(visitor_of(self))
        loop = asyncio.get_running_loop()
        try:
            dataset = workspace.dataset(key)
            text = await loop.run_in_executor(WAITING, _as_csv, workspace, key)
        except WorkspaceError as error:
            raise HTTPError(404, reason="there is no such data set") from error
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in dataset.name)
        self.set_header("Content-Type", "text/csv; charset=utf-8")
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}.csv")
        self.set_header("Cache-Control", "no-store")
        self.write(text)


def _as_csv(workspace: Workspace, key: str) -> str:
    """The scores of a data set with their labels, as they were read."""
    scores = workspace.scores(key)
    groups = ((scores.p.tolist(), 1), (scores.q.tolist(), 0))
    rows = [f"{score!r},{member}" for group, member in groups for score in group]
    return "\n".join(["score,member", *rows, ""])


class NotebookHandler(RequestHandler):
    """Handler of a page as a notebook, for the visitor whose page it is."""

    async def get(self, page: str) -> None:
        """Send the notebook."""
        visitors: Visitors = self.settings["visitors"]
        if page not in visitors.tabs:
            raise HTTPError(404)
        loop = asyncio.get_running_loop()
        notebook = await loop.run_in_executor(WAITING, visitors.notebook, visitor_of(self), page)
        self.set_header("Content-Type", "application/x-ipynb+json; charset=utf-8")
        self.set_header("Content-Disposition", f'attachment; filename="{page}.ipynb"')
        self.set_header("Cache-Control", "no-store")
        self.write(json.dumps(notebook, ensure_ascii=False, indent=1))


class TextHandler(RequestHandler):
    """Handler of JSON that is the same for everybody."""

    def initialize(self, texts: Mapping[str, Callable[[], str]]) -> None:
        """Take functions that return the texts, by their names."""
        self._texts = texts

    def get(self, name: str) -> None:
        """Send a text; a browser that has it asks whether it is still the same."""
        if name not in self._texts:
            raise HTTPError(404)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.write(self._texts[name]())


def patterns(texts: Mapping[str, Callable[[], str]]) -> list[tuple[Any, ...]]:
    """Tornado routes of what is neither a page nor a file.

    Parameters
    ----------
    texts : mapping of str to callable
        See `TextHandler`.
    """
    return [
        (r"/data/([^/]+)\.csv", DataHandler),
        (r"/notebook/([a-z]+)\.ipynb", NotebookHandler),
        (r"/([a-z]+)\.json", TextHandler, {"texts": texts}),
    ]
