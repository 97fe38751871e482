"""What is tested with which versions, from what ``pyproject.toml`` states.

The classifiers name the versions of Python. The extras say what is installed beside the package:
all but `NOT_TRIED`. The lower bounds of the requirements are what the run with the lowest versions
installs, and a bound below the lowest version that can be installed is named: nobody tried it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

#: Extras that no run of the matrix installs, with the reason.
NOT_TRIED = {
    "dev": "its tools are installed one by one, without the extras that it names",
    "opacus": "PyTorch with CUDA is several GB; `make test` runs it with one version",
}

#: Versions of Python that are tried where they are installed, and that no classifier promises yet.
NEXT = ("3.14",)

#: What `make quick` leaves out.
QUICK = (
    *("--ignore", "tests/browser"),
    *("-m", "not (browser or notebook or kernel or statistical or slow or exhaustive)"),
)

_PYTHON = "Programming Language :: Python :: "


def project() -> dict[str, Any]:
    """The table ``[project]`` of ``pyproject.toml``."""
    found: dict[str, Any] = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    return found


def pythons(stated: Mapping[str, Any]) -> list[str]:
    """Versions of Python that the classifiers name, such as "3.11", the oldest first."""
    named = (one.removeprefix(_PYTHON) for one in stated["classifiers"] if one.startswith(_PYTHON))
    return sorted((one for one in named if re.fullmatch(r"\d+\.\d+", one)), key=Version)


def extras(stated: Mapping[str, Any]) -> list[str]:
    """Extras that are installed beside the package."""
    return sorted(set(stated["optional-dependencies"]) - NOT_TRIED.keys())


def tools_for_tests(stated: Mapping[str, Any]) -> list[str]:
    """Requirements of the extra `dev`, without the extras of ours that it names."""
    own = stated["name"]
    return [one for one in stated["optional-dependencies"]["dev"] if Requirement(one).name != own]


def lower_bounds(stated: Mapping[str, Any]) -> dict[str, Version]:
    """The lowest version that is stated for each package that the package or an extra needs."""
    groups = [stated["dependencies"], *(stated["optional-dependencies"][e] for e in extras(stated))]
    found: dict[str, Version] = {}
    for requirement in (Requirement(one) for group in groups for one in group):
        for one in requirement.specifier:
            if one.operator == ">=":
                name, version = _canonical(requirement.name), Version(one.version)
                found[name] = max(version, found.get(name, version))
    return found


def untried(stated: Mapping[str, Any], installed: str) -> Iterator[str]:
    """Lower bounds that are not those of the versions that were installed, a sentence for each.

    Parameters
    ----------
    stated : mapping
        As `project`.
    installed : str
        The lowest versions that can be installed, a line ``name==version`` for each package.
    """
    versions = {
        _canonical(name): Version(version)
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", installed, re.MULTILINE)
    }
    for name, bound in lower_bounds(stated).items():
        lowest = versions.get(name)
        if lowest is None:
            yield f"pyproject.toml states {name}>={bound}, and {name} is not installed at all"
        elif lowest != bound:
            yield (
                f"pyproject.toml states {name}>={bound}, and the lowest version that can be "
                f"installed is {lowest}: state {name}>={lowest}"
            )


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
