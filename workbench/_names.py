"""The public names, imported on first use, and which known names a wrong one may have meant.

``__init__.pyi`` is the list. A namespace such as ``workbench.bounds`` offers the names of the list
that are defined in its folder, and those of an ``__init__.pyi`` of its own.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from functools import cache

TYPE_CHECKING = False  # typing's own would cost `import workbench` milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

HERE = os.path.dirname(__file__)

#: What completion of ``wb.`` offers: what a newcomer needs, and the namespaces that have the rest.
FIRST = (
    # scores, and what they show
    *("Scores", "example", "read_scores", "explore", "histogram", "roc"),
    *("epsilon_lower_bound", "mu_lower_bound", "tradeoff_band", "gdp_fit", "compare", "judge"),
    "risk",
    # claims, and pairs whose privacy loss is known
    *("ApproxDP", "GDP", "PureDP"),
    *("GaussianPair", "DPSGDPair"),
    # other data: counts, one run, a synthetic table, many records, a mechanism, a growing file
    *("Counts", "one_run_bound", "SyntheticAudit"),
    *("ScoreTable", "read_score_table", "audit_mechanism", "mechanism", "follow"),
    # before and after
    *("samples_needed", "plan", "workspace", "audit", "save_figure"),
)


#: Namespaces of earlier versions, which still work and are shown no more.
FORMER = ("jupyter",)


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names are found when used.

    A name that does not exist raises an AttributeError that names those like it, and one that
    needs a package of an extra, which is not installed, a `MissingPackage`.

    Parameters
    ----------
    package : str
        Such as "workbench.bounds".
    """
    folder = os.path.join(HERE, *package.split(".")[1:])
    modules, homes = _listed(folder)
    homes = _inside(package) | homes
    if hidden := _modules(folder) & homes.keys():
        _keep(package, hidden)
    names = sorted({*modules, *homes})
    shown = sorted({*FIRST, *modules}) if package == "workbench" else names

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name in modules:
            return _imported(package, name, name)
        if name in homes:
            value = getattr(_imported(package, homes[name], name), name)
            if name == homes[name]:  # the module would take its place
                sys.modules[package].__dict__[name] = value
            return value
        if package == "workbench" and name in FORMER:
            return importlib.import_module(f"workbench.{name}")
        raise AttributeError(_unknown(package, folder, name, names))

    def __dir__() -> list[str]:  # noqa: N807
        return list(shown)

    return __getattr__, __dir__, names


def _imported(package: str, module: str, name: str) -> ModuleType:
    """A module of a package, for a name of it."""
    try:
        return importlib.import_module(f"{package}.{module}")
    except ModuleNotFoundError as error:
        from workbench.software.extras import missing

        if named := missing(error, f"{package}.{name} needs"):
            raise named from None
        raise


@cache
def _listed(folder: str) -> tuple[list[str], dict[str, str]]:
    """The modules that the stub of a folder lists, and its other names with their modules."""
    stub = os.path.join(folder, "__init__.pyi")
    modules: list[str] = []
    homes: dict[str, str] = {}
    if not os.path.exists(stub):
        return modules, homes
    with open(stub, encoding="utf-8") as file:
        lines = ast.parse(file.read()).body
    for line in lines:
        if isinstance(line, ast.ImportFrom) and line.level == 1:
            for alias in line.names:
                if line.module is None:
                    modules.append(alias.name)
                else:
                    homes[alias.name] = line.module
    return modules, homes


def _inside(package: str) -> dict[str, str]:
    """The names of ``workbench`` that are defined in a package, with their modules there."""
    _, homes = _listed(HERE)
    start = f"{package.removeprefix('workbench.')}."
    return {n: m.removeprefix(start) for n, m in homes.items() if m.startswith(start)}


@cache
def _modules(folder: str) -> frozenset[str]:
    """The names of the modules and packages in a folder."""
    return frozenset(name.removesuffix(".py") for name in os.listdir(folder))


def _keep(package: str, names: frozenset[str]) -> None:
    """Let names of a package stay what they are when modules of these names are imported.

    Python binds a module in its package once it is imported: `pairs.gdp_regret`, a function, would
    become the module that defines it.
    """
    module = sys.modules[package]

    class Namespace(type(module)):  # type: ignore[misc]
        def __setattr__(self, name: str, value: object) -> None:
            if name not in names or value is not sys.modules.get(f"{package}.{name}"):
                super().__setattr__(name, value)

    module.__class__ = Namespace


def _unknown(package: str, folder: str, name: str, names: list[str]) -> str:
    message = f"{package} has no {name!r}"
    if name.startswith("_") or name in _modules(folder):
        return message  # Python asks for it before it imports the module
    if hint := did_you_mean(name, names):
        return message + hint
    _, flat = _listed(HERE)
    if name in flat:
        return f"{message}; it is workbench.{name}"
    return f"{message}; {package}.__all__ lists what there is"


# -- wrong names -----------------------------------------------------------------------------------

#: Longer texts are no misspelt names, and comparing them would take long.
LONG = 200


#: How alike names are, at least (the ratio of `difflib`), and how much less than the best.
LIKE, CLOSE = 0.62, 0.15


def near(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of ``names`` that are like ``name``, the closest first; case does not count."""
    if not isinstance(name, str) or len(name) > LONG:
        return []
    from difflib import SequenceMatcher, get_close_matches

    known: dict[str, list[str]] = {}
    for one in (each for each in names if isinstance(each, str)):
        known.setdefault(one.casefold(), []).append(one)
    asked = name.casefold()
    found = get_close_matches(asked, known, n=3, cutoff=LIKE)
    ratios = [SequenceMatcher(None, one, asked).ratio() for one in found]
    best = [one for one, ratio in zip(found, ratios, strict=True) if ratio > ratios[0] - CLOSE]
    return [one for folded in best for one in known[folded]][:3]


def did_you_mean(name: str, names: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """A question with the closest names, such as "; did you mean score?"; "" if none is close.

    Parameters
    ----------
    name : str
        What was asked for.
    names : iterable of str
        What there is.
    shown : callable
        How a name is written, such as `repr`.
    """
    found = [shown(one) for one in near(name, names)]
    return f"; did you mean {' or '.join(found)}?" if found else ""
