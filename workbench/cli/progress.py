"""Progress of long work, in one line of a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workbench._markup import visible
from workbench.progress import Report, silent

_CLEAR = "\r\x1b[K"

#: Seconds between two messages.
_PACE = 0.1


@contextmanager
def progress() -> Iterator[Report]:
    """A `Report` that writes to the terminal, or does nothing where there is none, as in a CI."""
    if not sys.stderr.isatty():
        yield silent
        return
    shown = 0.0

    def report(
        fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        nonlocal shown
        if fraction is None or time.monotonic() < shown + _PACE:
            return
        shown = time.monotonic()
        _write(f"{_CLEAR}{fraction:4.0%}  {visible(message or '')}")

    try:
        yield report
    finally:
        _write(_CLEAR)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
