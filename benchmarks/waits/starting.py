"""The start of the server: until it answers, until the first page is there, and what it keeps.

CPU seconds are those of the server and of all processes that it started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path

from benchmarks.waits.measuring import ROOT, Wait, environment, printed_by
from workbench.pages.registry import MENU
from workbench.processes.family import family
from workbench.server.operations.memory import SOON
from workbench.server.sockets.documents import UNUSED

sys.path.insert(0, str(ROOT / "tests"))

from helpers.servers import free_port, owner_address

#: Seconds for which a server may start; after which one that does nothing is idle; and after which
#: it has let go of documents that no browser opened.
_PATIENCE, _QUIET, _LEFT = 120.0, 3.0, UNUSED + SOON + 3.0

_PANEL = "import time, panel; print(time.process_time())"


@dataclass(frozen=True)
class Started:
    """A server that answers.

    Attributes
    ----------
    pid : int
    url : str
    home : Path
        Its folder.
    """

    pid: int
    url: str
    home: Path

    def cpu(self) -> float:
        """CPU seconds until now."""
        return sum(map(_seconds_of, family(self.pid)))

    def memory(self) -> float:
        """Resident memory of the server itself, in MB."""
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def visit(self, *pages: str) -> None:
        """Have the documents of some pages sent to their owner."""
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        for page in pages:
            address = owner_address(self.home, self.url, page) if page == pages[0] else None
            with browser.open(address or f"{self.url}{page}", timeout=_PATIENCE) as answer:
                if b'"items":' not in answer.read():
                    raise RuntimeError(f"the page {page} was not sent")


def _seconds_of(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended; 0 once it has gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    ticks = text.rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def started(tree: Path = ROOT) -> Iterator[Started]:
    """`workbench serve` of a checkout, in an empty folder, from the moment when it is healthy."""
    with tempfile.TemporaryDirectory() as folder:
        home, port = Path(folder) / "home", free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)],
            cwd=tree,
            env=environment(tree, {"WORKBENCH_HOME": str(home)}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # of which `family` knows all
        )
        try:
            url = f"http://localhost:{port}/"
            _await_health(process, f"{url}health")
            yield Started(process.pid, url, home)
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _await_health(process: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address, timeout=20).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("the server did not start")


def until_healthy(tree: Path = ROOT) -> float:
    """CPU seconds until ``/health`` is 200."""
    with started(tree) as server:
        return server.cpu()


def until_first_page(tree: Path = ROOT) -> float:
    """CPU seconds until the document of the first page is there."""
    with started(tree) as server:
        server.visit("scores")
        return server.cpu()


def idle_memory(tree: Path = ROOT) -> float:
    """MB of the server while nobody has come."""
    with started(tree) as server:
        time.sleep(_QUIET)
        return server.memory()


def visited_memory(tree: Path = ROOT) -> float:
    """MB of the server once somebody has seen every page, and has left."""
    with started(tree) as server:
        server.visit(*(name for group in MENU.values() for name in group))
        time.sleep(_LEFT)
        return server.memory()


def import_panel() -> float:
    """CPU seconds of ``import panel``, with which a server of Panel apps starts."""
    return printed_by(_PANEL)


_PEER = {"peer": "import panel", "measure_peer": import_panel}

WAITS: tuple[Wait, ...] = (
    Wait("workbench serve until /health is 200", "at most 5 CPU s", until_healthy, **_PEER),
    Wait("workbench serve until the first page", "at most 5 CPU s", until_first_page, **_PEER),
    Wait("workbench serve, memory while idle", "at most 230 MB", idle_memory, "MB"),
    Wait(
        "workbench serve, memory once all pages were seen",
        "at most 350 MB",
        visited_memory,
        "MB",
    ),
)
