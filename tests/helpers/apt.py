"""Installation of Debian packages that tests run, where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def can_install() -> bool:
    """Whether this process may run ``apt-get``."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(*packages: str, recommended: bool = True) -> None:
    """Install packages; nothing where `can_install` is false, and words where it fails."""
    if can_install():
        apt = ["apt-get", "-o", "Acquire::Retries=3"]
        less = () if recommended else ("--no-install-recommends",)
        run([*apt, "update"], [*apt, "install", "-y", *less, *packages])


def run(*commands: list[str]) -> None:
    """Run commands until one fails, and say so."""
    # They are for tests alone: no question is asked, and no service of the system is to start.
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in commands:
        sys.stdout.write(f"Running: {' '.join(command)}\n")
        sys.stdout.flush()
        if subprocess.run(command, env=environment, check=False).returncode:
            sys.stdout.write("That failed.\n")
            return
