"""Request handler of the files of saved audits."""

from __future__ import annotations

import asyncio
from typing import Any

from tornado.web import HTTPError

from workbench.dashboard.sharing import AuditLookup
from workbench.dashboard.worker import WAITING
from workbench.server.handlers.base import Handler
from workbench.server.handlers.downloads import file_name


class AuditFileHandler(Handler):
    """Handler of a saved audit as one file, for the visitor who may read it."""

    async def get(self, key: str) -> None:
        """Send the file."""
        audits = self.visitors.audits(self.person)
        loop = asyncio.get_running_loop()
        try:
            name, content = await loop.run_in_executor(WAITING, _exported, audits, key)
        except ValueError as error:
            raise HTTPError(404, reason="there is no such audit") from error
        await self.send_file(content, name, "application/zip")


def _exported(audits: AuditLookup, key: str) -> tuple[str, bytes]:
    """The name and the content of the file of an audit."""
    return f"{file_name(audits.audit(key).name)}.audit.zip", audits.exported(key)


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of the files of saved audits."""
    return [(r"/audits/([A-Za-z0-9_-]+)\.audit\.zip", AuditFileHandler)]
