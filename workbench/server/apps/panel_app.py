"""`PanelApp`: an app of the operator, and what runs its script for a visitor."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.application.handlers import Handler
from bokeh.document import Document
from bokeh.models import CustomJS
from panel.io.handlers import NotebookHandler, ScriptHandler
from tornado.httputil import HTTPServerRequest
from tornado.web import create_signed_value

from workbench.assets import audits
from workbench.pages.registry import PAGES
from workbench.server.apps.visits import VISIT
from workbench.server.handlers.static import STATIC
from workbench.software.private_names import current_documents_kept

logger = logging.getLogger(__name__)

#: What runs a file, by its ending.
KINDS = {".py": ScriptHandler, ".ipynb": NotebookHandler}

#: Names that are pages, or begin other addresses below ``/apps``.
_TAKEN = {*PAGES, audits.NAME, "start", "static", "components"}

#: The id of the link back to the pages, which says so when the connection has ended.
BACK = "workbench-back"
_LOST = f"""
const link = document.getElementById("{BACK}")
link.href = location.href
link.textContent = "The session has ended, or the connection is lost: reload this page"
"""

#: A line of a traceback: the file, and the number of the line.
_FRAME = re.compile(r'^ *File "(.+)", line (\d+)', re.MULTILINE)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class PanelApp:
    """A Panel app of the operator.

    Attributes
    ----------
    name : str
        Its title in the menu, and the end of its address.
    handler : bokeh.application.handlers.Handler
        Runs its script for each visitor.
    """

    name: str
    handler: Handler

    @classmethod
    def read(cls, name: str, path: Path) -> PanelApp:
        """The app in a script or a notebook, which is read and not yet run.

        Parameters
        ----------
        name : str
        path : Path
            A script as for ``panel serve``, or a notebook.

        Raises
        ------
        ValueError
            The name or the file cannot be used; says why.
        """
        asked = f"--app {name}={path}"
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{asked}: a name is a letter and at most 39 more letters, digits, '-' and '_'"
            )
        if name.lower() in _TAKEN:
            raise ValueError(f"{asked}: {name!r} is an address of the workbench; take another name")
        if path.suffix not in KINDS:
            raise ValueError(f"{asked}: an app is a script (.py) or a notebook (.ipynb)")
        if not path.is_file():
            raise ValueError(f"{asked}: there is no such file")
        try:
            handler = KINDS[path.suffix](filename=str(path.resolve()))
        except Exception as error:  # such as a notebook that is none, or cannot be read
            raise ValueError(f"{asked}: {' '.join(str(error).split())}") from error
        if handler.failed:
            raise ValueError(f"{asked}: {' '.join(str(handler.error).split())}")
        return cls(name, handler)


class VisitedApp(Handler):
    """Runs an app for the visitor who asks for it.

    Parameters
    ----------
    app : PanelApp
    """

    def __init__(self, app: PanelApp):
        super().__init__()
        self._app = app

    def modify_document(self, doc: Document) -> None:
        """Run the script; what it raises is noted in the visit, and in the log."""
        visit = VISIT.get()
        if visit is None:
            raise RuntimeError("an app runs for a visitor")
        visit.enter(doc)
        doc.title = self._app.name
        doc.template_variables["app_favicon"] = f".{STATIC}/icon.svg"
        doc.js_on_event("connection_lost", CustomJS(code=_LOST))
        handler, detail = self._app.handler, ""
        try:
            with current_documents_kept(), _display_kept():
                handler.modify_document(doc)
            detail = handler.error_detail or "" if handler.failed else ""
        except SystemExit as error:
            detail = f"SystemExit: {error}"
        if detail:
            visit.problem = detail.strip().splitlines()[-1]
            kind = visit.problem.partition(":")[0]  # messages may quote what is the visitor's
            where = ", ".join(f"{file}:{line}" for file, line in _FRAME.findall(detail)[1:])
            said = "the app %s failed for a visitor: %s (%s)"
            logger.error(said, self._app.name, kind, where or "in its script")

    def process_request(self, request: HTTPServerRequest) -> dict[str, Any]:
        """What a session knows of its visitor: the name, as the cookie of Panel has it."""
        visit = VISIT.get()
        if visit is None:
            return {}
        name = visit.person.name
        secret = pn.config.cookie_secret
        cookies = {"user": create_signed_value(secret, "user", name).decode()} if name else {}
        return {"cookies": cookies, "person": person_mark(visit.person.key)}


@contextmanager
def _display_kept() -> Iterator[None]:
    """Restore ``IPython.display.display``: Panel leaves a module there when a notebook has run."""
    try:
        yield
    finally:
        module = sys.modules.get("IPython.display")
        if module is not None:
            module.display = sys.modules["IPython.core.display_functions"].display  # type: ignore[attr-defined]


def person_mark(key: str) -> str:
    """What the token of a session says of its person, whose key it does not tell."""
    return sha256(f"app {key}".encode()).hexdigest()
