"""Find nginx, Caddy and what else the tests of deployment run, and install what is missing.

The PATH and ``/usr/sbin``; otherwise ``apt-get`` as root. Run as a script it says what it does, and
fails in plain words when it cannot.
"""

from __future__ import annotations

import os
import shutil
import sys

from helpers.apt import install

#: Program -> its package in Debian and Ubuntu.
NEEDED = {
    "nginx": "nginx-light",
    "caddy": "caddy",
    "openssl": "openssl",
    "systemd-analyze": "systemd",
}


def find(name: str) -> str | None:
    """The path of a program, or None."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def main() -> int:
    missing = [name for name in NEEDED if find(name) is None]
    if missing:
        install(*(NEEDED[name] for name in missing), recommended=False)
    missing = [name for name in NEEDED if find(name) is None]
    if missing:
        sys.stderr.write(
            f"The tests of deployment need {', '.join(missing)}, and could not install that.\n"
            f"(Debian, Ubuntu: apt-get install {' '.join(NEEDED[name] for name in missing)}).\n"
        )
        return 1
    sys.stdout.write(f"Proxies for the tests: {find('nginx')}, {find('caddy')}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
