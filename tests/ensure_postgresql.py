"""Find a PostgreSQL for the tests of the archive, and install one where there is none.

The PATH, then ``/usr/lib/postgresql/*/bin``; otherwise ``apt-get`` as root. Run as a script it says
what it does, and fails in plain words when it cannot.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

#: The programs that the tests run.
NEEDED = ("initdb", "postgres")


def find() -> Path | None:
    """The folder with the programs of a PostgreSQL server, the newest there is, or None."""
    named = shutil.which("initdb")
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    folders = [*([Path(named).resolve().parent] if named else []), *sorted(versions, reverse=True)]
    return next((one for one in folders if all((one / name).exists() for name in NEEDED)), None)


def main() -> int:
    if find() is None:
        _install()
    found = find()
    if found is None:
        sys.stderr.write(
            "The tests of the archive need a PostgreSQL server, and none could be installed.\n"
            "Install one (Debian, Ubuntu: apt-get install postgresql).\n"
        )
        return 1
    sys.stdout.write(f"PostgreSQL for the tests: {found}\n")
    return 0


def _install() -> None:
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return
    apt = ["apt-get", "-o", "Acquire::Retries=3"]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in ([*apt, "update"], [*apt, "install", "-y", "postgresql"]):
        sys.stdout.write(f"No PostgreSQL here; running: {' '.join(command)}\n")
        sys.stdout.flush()
        if subprocess.run(command, env=environment, check=False).returncode:
            sys.stdout.write("That failed.\n")
            return


if __name__ == "__main__":
    sys.exit(main())
