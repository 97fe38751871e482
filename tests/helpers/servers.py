"""Servers that tests start: on a free port, up when they are handed out, ended afterwards."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.programs import program

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
def running(command: list[str], url: str, log: Path) -> Iterator[str]:
    """A server in a process of its own, up and answering; ended by its own handle.

    Its workspace on disk is in the folder of the log.
    """
    LOGS[url] = log
    own = {**os.environ, "WORKBENCH_HOME": str(log.parent / "home")}
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
        yield url
