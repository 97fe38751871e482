"""`pdf`: an HTML report printed by a Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from workbench.processes.child import ChildError, output_of
from workbench.reports.errors import ReportError

#: Names of Chromium's program, after the one that the environment variable CHROMIUM names.
NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable", "chrome"),
)

#: Seconds after which Chromium is stopped: by the clock, on a busy machine.
TIME_LIMIT = 150.0

MISSING = (
    "a PDF needs a Chromium, and none was found; install one (Debian, Ubuntu: apt-get install "
    "chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), or name its "
    "program in the environment variable CHROMIUM; an .html report needs none"
)


def chromium() -> str:
    """The path of a Chromium.

    Raises
    ------
    ReportError
        There is none; the message names the commands that install one.
    """
    named = os.environ.get("CHROMIUM")
    names = (named,) if named else NAMES
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise ReportError(
            f"CHROMIUM names {named!r}, which is no program: {MISSING}" if named else MISSING
        )
    return found


def pdf(document: str, time_limit: float = TIME_LIMIT) -> bytes:
    """An HTML document as PDF.

    Parameters
    ----------
    document : str
        The whole document; it is printed without a network.
    time_limit : float
        Seconds.

    Raises
    ------
    ReportError
        No Chromium, or it did not print.
    """
    program = chromium()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page, printed = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_text(document, encoding="utf-8", errors="replace")
        command = [
            program,
            *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND"),
            *(["--no-sandbox"] if _is_root() else []),
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            page.as_uri(),
        ]
        try:
            said = output_of(command, time_limit)
        except ChildError:
            raise ReportError(
                f"{program} did not print the report within {time_limit:g} s; if "
                "the machine is busy, try again later"
            ) from None
        if not printed.exists():
            raise ReportError(f"{program} printed no PDF: {said.strip()[-300:] or 'no message'}")
        return printed.read_bytes()


def _is_root() -> bool:
    """Chromium's sandbox refuses to run as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
