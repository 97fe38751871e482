"""Request handler of explorables: made when one is first asked for, and kept in memory."""

from __future__ import annotations

from typing import Any

from tornado.web import HTTPError

from workbench.explorables.registry import EXPLORABLES, file_of
from workbench.progress import Report
from workbench.server.background_work import BackgroundWork
from workbench.server.handlers.downloads import DownloadHandler, Made
from workbench.server.handlers.shared import REPORT_POLICY
from workbench.server.work import files


class ExplorableHandler(DownloadHandler):
    """Handler of an explorable, which is shown in the window and is the same for everybody."""

    @property
    def _made(self) -> dict[str, bytes]:
        """Those that this server has made."""
        made: dict[str, bytes] = self.settings.setdefault("explorables", {})
        return made

    async def get(self, name: str) -> None:
        """Send the explorable."""
        if name not in EXPLORABLES:
            raise HTTPError(404)
        _ = self.person  # a server that asks people to sign in does so here, too

        def make(_: None, report: Report) -> Made:
            if name not in self._made:
                self._made[name] = self.elsewhere(
                    "Explorable", files.explorable_file, (name,), report
                )
            return file_of(name), self._made[name]

        await self.answer(lambda: None, make, "text/html; charset=utf-8")

    async def send_file(self, content: bytes, name: str, media_type: str) -> None:
        """Send the file to be shown, where its own scripts reach nothing of the server."""
        self.set_header("Content-Type", media_type)
        self.set_header("Content-Security-Policy", REPORT_POLICY)
        await self.send_pieces(content)


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of the explorables."""
    work = BackgroundWork("explorables", at_once=1, places=32, patience=180, each=8)
    given = {"background": work}
    return [(r"/explorables/([a-z-]+)\.html", ExplorableHandler, given)]
