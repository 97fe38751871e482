"""The quick tests on every Python that is there, with the newest and with the lowest versions.

`make matrix` installs nox and runs all sessions; one of them: ``make matrix SESSION=newest-3.13``.
An interpreter that is missing is skipped, with a line that says so. Options after ``--`` are those
of pytest: ``nox -s lowest-3.11 -- tests/bounds -n 2``.
"""

import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))

from tools import matrix

PROJECT = matrix.project()
PYTHONS = [*matrix.pythons(PROJECT), *matrix.NEXT]

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.stop_on_first_error = False


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The quick tests with the newest versions that pip may install."""
    _quick(session)


# Packages have no wheels for a Python that is newer than they are: the oldest takes the lowest.
@nox.session(python=PYTHONS[:1])
def lowest(session: nox.Session) -> None:
    """The quick tests with the lowest versions that ``pyproject.toml`` allows."""
    pins = Path(session.create_tmp()) / "lowest.txt"
    session.run(
        *("uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate"),
        *("--resolution", "lowest-direct", "--python", str(session.python)),
        *(part for extra in matrix.extras(PROJECT) for part in ("--extra", extra)),
        *("--output-file", str(pins), str(matrix.PYPROJECT)),
        silent=True,
    )
    wrong = list(matrix.untried(PROJECT, pins.read_text(encoding="utf-8")))
    if wrong:
        session.error("\n".join(wrong))
    _quick(session, "--constraint", str(pins))


def _quick(session: nox.Session, *options: str) -> None:
    own = f".[{','.join(matrix.extras(PROJECT))}]"
    session.install("--editable", own, *matrix.tools_for_tests(PROJECT), *options)
    session.run("uv", "pip", "list", "--quiet")
    session.run("python", "tests/ensure_node.py")
    session.run(
        *("python", "-m", "pytest", "--dist", "loadgroup", "-p", "no:cacheprovider"),
        *(session.posargs or ["-n", "auto", *matrix.QUICK]),
        env={"OMP_NUM_THREADS": "1"},
    )
