"""Servers that tests start: on a free port, up when they are handed out, ended afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helpers.programs import program
from workbench.workspaces.home import make_ticket, owner_key

ROOT = Path(__file__).parents[2]

#: Seconds that a server may take to answer on a slow, shared machine.
PATIENCE = 60

#: Address of a server -> its log.
LOGS: dict[str, Path] = {}


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        return held.getsockname()[1]


@contextmanager
def running(
    command: list[str], url: str, log: Path, env: dict[str, str] | None = None
) -> Iterator[str]:
    """A server in a process of its own, up and answering; ended by its own handle.

    Its workspace on disk is in the folder of the log.
    """
    with _process(command, url, log, env):
        yield url


@contextmanager
def _process(
    command: list[str], url: str, log: Path, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[Any]]:
    LOGS[url] = log
    own = {**(env or os.environ), "WORKBENCH_HOME": str(log.parent / "home")}
    with (
        log.open("ab") as out,
        program(command, cwd=ROOT, env=own, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        deadline = time.monotonic() + PATIENCE
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{command} did not answer on {url}:\n{log.read_text()}")
            try:
                urllib.request.urlopen(url, timeout=20).close()
                break
            except OSError:
                time.sleep(0.2)
        yield process


def owner_address(home: Path, url: str, page: str = "") -> str:
    """An address that lets one browser in as the owner of a workspace."""
    return f"{url}{page}?key={make_ticket(owner_key(home))}"


class Restartable:
    """A server that keeps its port and its folder when it is stopped and started again.

    Parameters
    ----------
    folder : Path
        Of its log and its workspace.
    *command : str
        What starts it, but for the port; `workbench serve` by default.
    """

    def __init__(self, folder: Path, *command: str):
        serve = ("-m", "workbench", "serve", "--no-open", "--port")
        self.port, self.log = free_port(), folder / "server.log"
        self.home, self.url = folder / "home", f"http://localhost:{self.port}/"
        self._command = [sys.executable, *(command or serve), str(self.port)]
        self._running: Any = None

    def start(self) -> None:
        """Return once it answers."""
        self._running = _process(self._command, self.url, self.log)
        self.process = self._running.__enter__()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and wait until the process has ended by itself; its exit status.

        A server that is still writing when a time limit kills it says nothing to its browsers.
        """
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        self.close()
        return status

    def close(self) -> None:
        """End it, if it runs."""
        if self._running is not None:
            self._running.__exit__(None, None, None)
            self._running = None
