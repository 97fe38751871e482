"""Request handler of the files of saved audits."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from tornado.web import HTTPError, RequestHandler

from workbench.dashboard.serving.document import visitor_of
from workbench.dashboard.worker import WAITING
from workbench.workspaces.workspace import Workspace

#: Characters of a name in the name of a file.
_LONGEST = 60


class AuditFileHandler(RequestHandler):
    """Handler of a saved audit as one file, for the visitor whose it is."""

    async def get(self, key: str) -> None:
        """Send the file."""
        workspace = self.settings["visitors"].workspace(visitor_of(self))
        loop = asyncio.get_running_loop()
        try:
            name, content = await loop.run_in_executor(WAITING, _exported, workspace, key)
        except ValueError as error:
            raise HTTPError(404, reason="there is no such audit") from error
        self.set_header("Content-Type", "application/zip")
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}")
        self.set_header("Cache-Control", "no-store")
        self.write(content)


def _exported(workspace: Workspace, key: str) -> tuple[str, bytes]:
    """The name and the content of the file of an audit."""
    name = workspace.audits.find(key).name
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:_LONGEST]
    return f"{plain or 'audit'}.audit.zip", workspace.audits.exported(key)


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of the files of saved audits."""
    return [(r"/audits/([A-Za-z0-9_-]+)\.audit\.zip", AuditFileHandler)]
