"""Build a release, check what is in it, and install it with each extra in an empty environment.

::

    python -m tools.release notes            # what is new, from CHANGELOG.md
    python -m tools.release build            # dist/*.tar.gz and dist/*.whl, checked with twine
    python -m tools.release install core lab # the wheel in an empty environment for each extra

`make release` runs all three. Nothing is uploaded: at its end `build` says what a person has to do
before ``twine upload dist/*``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.matrix import NOT_TRIED, extras, project

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"

#: Without an extra.
CORE = "core"

#: Bytes of the wheel and of the sdist, at most.
MOST = {".whl": 8_000_000, ".gz": 12_000_000}

#: Folders of the sdist that the wheel has, with their names there.
_SHIPPED = {"workbench/": "workbench/", "data/": "workbench/_data/"}

_BOUND = 'print(wb.epsilon_lower_bound(wb.example("gaussian"), delta=1e-5))'

#: What each extra is for, in a line or two of Python.
SMOKE = {
    CORE: _BOUND,
    "all": _BOUND,
    "cluster": "import dask.distributed",
    "docs": "import sphinx, myst_nb",
    "files": (
        "import pandas\n"
        'pandas.DataFrame({"p": [1.0, 2.0], "q": [0.0, 1.0]}).to_parquet("scores.parquet")\n'
        'print(wb.read_scores("scores.parquet"))'
    ),
    "lab": 'print(wb.explore(wb.example("gaussian")))',
    "mechanisms": (
        "f = lambda data, size, rng: data.sum() + rng.laplace(size=size)\n"
        'print(wb.audit_mechanism(f, "pure(1)", trials=1, samples=500))'
    ),
    "panel": 'print(wb.dashboard(wb.example("gaussian")))',
    "paper": 'wb.save_figure(wb.roc(wb.example("gaussian")), "roc.svg")',
    "postgresql": "import psycopg",
    "reports": 'wb.audit(wb.example("gaussian")).report("audit.html")',
    "serve": "import workbench.server.app",
    "workspace": 'print(wb.workspace("workspace").datasets)',
}


class ReleaseError(Exception):
    """What is wrong with a release, in a sentence or several lines of them."""


def notes(version: str, changelog: str) -> str:
    """The section of a version in the changelog; "Unreleased" if it has none of its own.

    Raises
    ------
    ReleaseError
        There is neither, or nothing in it.
    """
    sections = dict(re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.M | re.S))
    found = sections.get(version, "").strip() or sections.get("Unreleased", "").strip()
    if not found:
        raise ReleaseError(
            f"CHANGELOG.md says nothing about {version}: add a section '## {version}'"
        )
    return f"# dp-audit-workbench {version}\n\n{found}\n"


def build() -> tuple[Path, Path]:
    """The wheel and the sdist in ``dist/``, checked by twine and by `faults`.

    Raises
    ------
    ReleaseError
        One of the checks fails.
    """
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--installer", "uv", "--outdir", str(DIST), str(ROOT))
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    found = [*faults(wheel, sdist)]
    if found:
        raise ReleaseError("\n".join(found))
    return wheel, sdist


def faults(wheel: Path, sdist: Path) -> Iterator[str]:
    """What is in a wheel or an sdist that should not be, or is missing, a sentence for each."""
    for archive in (wheel, sdist):
        size = archive.stat().st_size
        if size > MOST[archive.suffix]:
            yield f"{archive.name} has {size:,} bytes, more than {MOST[archive.suffix]:,}"
    with zipfile.ZipFile(wheel) as opened:
        built = set(opened.namelist())
    with tarfile.open(sdist) as opened:
        source = {name.partition("/")[2] for name in opened.getnames()}
    for folder, shipped in _SHIPPED.items():
        for name in sorted(name for name in source if name.startswith(folder)):
            if shipped + name.removeprefix(folder) not in built:
                yield f"the wheel has no {name}"
    for name in ("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml"):
        if name not in source:
            yield f"the sdist has no {name}"
    licenses = {name.rpartition("/")[2] for name in built if ".dist-info/licenses/" in name}
    for path in sorted([ROOT / "LICENSE", *ROOT.glob("workbench/assets/browser/vendor/*-LICENSE")]):
        if path.name not in licenses:
            yield f"the wheel has no license {path.name}"
    for name in sorted(built):
        if not name.startswith(("workbench/", "dp_audit_workbench-")) or name.endswith(".pyc"):
            yield f"the wheel has {name}"


def left_to_do(
    stated: dict[str, Any], version: str, changelog: str, citation: str
) -> Iterator[str]:
    """What a person has to state before an upload, a sentence for each."""
    address = re.search(r"^repository-code: *\"?([^\"\s]+)", citation, re.MULTILINE)
    urls = stated.get("urls", {})
    if address is None:
        yield (
            "state the address of the repository: 'repository-code: ADDRESS' in CITATION.cff, and "
            "'Repository = \"ADDRESS\"' under [project.urls] in pyproject.toml"
        )
    elif urls.get("Repository") != address[1]:
        yield f"state Repository = {address[1]!r} under [project.urls], as CITATION.cff does"
    if f"\n## {version} (" not in changelog:
        yield f"call the section Unreleased of CHANGELOG.md '## {version} (DATE)'"
    elif re.search(r"^## Unreleased\n+(?!## )\S", changelog, re.MULTILINE):
        yield "the changelog has unreleased changes: state a new version, also in CITATION.cff"


def install(wheel: Path, extra: str) -> str:
    """Install a wheel with an extra in an empty environment, run its line, and return a summary.

    Raises
    ------
    ReleaseError
        It does not install, or the line fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "environment"
        python = str(place / "bin" / "python")
        run("uv", "venv", "--quiet", "--python", sys.executable, str(place))
        named = str(wheel) if extra == CORE else f"{wheel}[{extra}]"
        run("uv", "pip", "install", "--quiet", "--python", python, named)
        (site,) = place.glob("lib/python*/site-packages")
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        run(python, "-c", f"import workbench as wb\n{SMOKE[extra]}", folder=folder)
        return f"{extra}: {size / 1e6:,.0f} MB installed, and it works"


def run(*command: str, folder: str | Path = ROOT) -> None:
    """Run a program.

    Raises
    ------
    ReleaseError
        It fails; with what it printed.
    """
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the status is 1 where a check fails."""
    parser = argparse.ArgumentParser(description="Build and check a release.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("notes", help="print the release notes")
    commands.add_parser("build", help="build the wheel and the sdist, and check them")
    installing = commands.add_parser("install", help="install the wheel in empty environments")
    installing.add_argument("extras", nargs="*", help=f"'{CORE}', or extras; by default all")
    given = parser.parse_args(arguments)
    stated = project()
    version = re.search(r'__version__ = "(.+)"', (ROOT / "workbench/__init__.py").read_text())[1]  # type: ignore[index]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    try:
        if given.command == "notes":
            print(notes(version, changelog))
        elif given.command == "build":
            for archive in build():
                print(
                    f"{archive.relative_to(ROOT)}: {archive.stat().st_size:,} bytes, twine: passed"
                )
            citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
            for sentence in left_to_do(stated, version, changelog, citation):
                print(f"Before an upload: {sentence}.")
        else:
            (wheel,) = DIST.glob("*.whl")
            for extra in given.extras or [CORE, *extras(stated)]:
                if extra not in SMOKE:
                    why = NOT_TRIED.get(extra, "no such extra")
                    raise ReleaseError(f"{extra} is not tried: {why}")
                print(install(wheel, extra), flush=True)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
