"""Find a PostgreSQL for the tests of the archive, and install one where there is none.

The PATH, then ``/usr/lib/postgresql/*/bin``; otherwise ``apt-get`` as root. Run as a script it says
what it does, and fails in plain words when it cannot.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from helpers.apt import install

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
        install("postgresql")
    found = find()
    if found is None:
        sys.stderr.write(
            "The tests of the archive need a PostgreSQL server, and none could be installed.\n"
            "Install one (Debian, Ubuntu: apt-get install postgresql).\n"
        )
        return 1
    sys.stdout.write(f"PostgreSQL for the tests: {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
