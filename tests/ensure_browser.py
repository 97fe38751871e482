"""Find a Chromium for the browser tests, and install one where there is none.

``$CHROMIUM``, then the PATH, then Playwright's own; otherwise ``apt-get`` as root, or Playwright's
download. Run as a script it says what it does, and fails in plain words when it cannot.

Debian's ``chromium-headless-shell`` is the same engine without the windows of the program: a page
of the workbench costs it 2 CPU seconds, ``chromium`` 3.6.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from helpers.apt import install, run

from workbench.reports.pdf import NAMES

SHELL = NAMES[0]


def find() -> str | None:
    """The path of a Chromium, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None) or _playwrights_own()


def main() -> int:
    if find() is None and os.environ.get("CHROMIUM"):
        return _fail(f"$CHROMIUM is {os.environ['CHROMIUM']!r}, which is no program")
    if not os.environ.get("CHROMIUM") and shutil.which(SHELL) is None:
        _install()
    found = find()
    if found is None:
        return _fail("no Chromium was found, and none could be installed")
    sys.stdout.write(f"Browser for the tests: {found}\n")
    return 0


def _playwrights_own() -> str | None:
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    except Exception:  # whatever is amiss there, there is no browser to be had
        return None
    return path if Path(path).exists() else None


def _install() -> None:
    install(SHELL)  # an older Debian has none
    if find() is None:
        install("chromium")
    if find() is None:
        run([sys.executable, "-m", "playwright", "install", "chromium"])


def _fail(reason: str) -> int:
    sys.stderr.write(
        f"The browser tests need Chromium: {reason}.\n"
        "Install it (Debian, Ubuntu: apt-get install chromium), or name one: CHROMIUM=/path/to/it\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
