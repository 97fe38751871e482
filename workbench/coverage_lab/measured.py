"""Stored coverage of the shipped methods, and the version of the code that was measured.

``data/make_coverage.py`` (`make coverage`) measures anew and writes ``data/coverage.json``.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench._format import percent, round_safely
from workbench.coverage_lab.lab import Coverage
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.scores.examples import data_folder

if TYPE_CHECKING:
    import pandas as pd

FILE = "coverage.json"

#: Packages whose code determines the value of a bound.
SOURCES = ("bounds", "curves", "estimators", "scores", "pairs")

#: Modules of these packages that only hold or describe a value.
WORDS = ("bounds.bound", "bounds.citations")

#: Modules whose classes change no value: as bases they do not count.
PICTURES = ("workbench._plot",)


@dataclass(frozen=True, eq=False)
class Measured:
    """Stored results of `workbench.coverage`.

    Attributes
    ----------
    version : str
        Version of the workbench that was measured.
    digest : str
        Fingerprint of its sources; see `source_digest`.
    records : sequence of mapping
        `Coverage.to_dict` of every method in every scenario and size.
    """

    version: str
    digest: str
    records: Sequence[Mapping[str, Any]]

    def to_frame(self) -> pd.DataFrame:
        """One row per record."""
        import pandas as pd

        return pd.DataFrame(list(self.records))

    @property
    def current(self) -> bool:
        """Whether the present code is the one that was measured."""
        return self.digest == source_digest()

    @cache  # noqa: B019  (there is one, for good)
    def sentence(self, source: str) -> str:
        """Sentence about the simulated coverage of a method.

        Parameters
        ----------
        source : str
            As in `Bound.method`.

        Returns
        -------
        str
            Empty where the method was not measured.
        """
        own = [r for r in self.records if r["source"] == source and _telling(r)]
        claiming = [r for r in own if r["claims"]]
        shown = claiming or own
        if not shown:
            return ""
        worst = max(shown, key=lambda r: r["rate"])
        allowed, reps = percent(1 - worst["confidence"]), f"{worst['reps']:,}"
        share = round_safely(100 * worst["rate"], "up", 2)
        scenarios = len({r["scenario"] for r in shown})
        code = f"version {self.version}" + ("" if self.current else ", before the latest changes")
        return (
            f"In simulation ({scenarios} scenarios, {reps} replicates each, {code}) it claimed too "
            f"much in at most {share}% of the replicates; {allowed} "
            f"{'are allowed' if claiming else 'is what it states'}."
        )


@cache
def measured() -> Measured:
    """The results in ``data/coverage.json``."""
    stored = json.loads((data_folder() / FILE).read_text(encoding="utf-8"))
    return Measured(stored["version"], stored["digest"], tuple(stored["records"]))


def store(results: Sequence[Coverage], version: str, folder: Path) -> None:
    """Write results to the file that `measured` reads.

    Parameters
    ----------
    results : sequence of Coverage
    version : str
        Version of the workbench.
    folder : Path
        Where the file is written.
    """
    content = {
        "version": version,
        "digest": source_digest(),
        "records": [_rounded(result.to_dict()) for result in results],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


@cache
def source_digest() -> str:
    """A fingerprint of the code that determines the values of the methods' bounds.

    It covers the methods and all that they import of the packages in ``SOURCES``, but for
    ``WORDS``; comments, docstrings and bases from ``PICTURES`` do not count.
    """
    package = Path(__file__).parents[1]
    found: dict[str, str] = {}
    waiting = ["coverage_lab.methods"]
    while waiting:
        name = waiting.pop()
        path = package / f"{name.replace('.', '/')}.py"
        if name in found or not path.is_file():
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = [
            node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
        ]
        for module in imported:
            own = module.removeprefix("workbench.")
            if own != module and own.split(".")[0] in SOURCES and own not in WORDS:
                waiting.append(own)
        found[name] = _without_docstrings(_without_pictures(tree))
    text = "\n".join(f"{name}\n{found[name]}" for name in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _without_pictures(tree: ast.Module) -> ast.Module:
    """A module without its imports from ``PICTURES``, and these as bases of classes."""
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module in PICTURES]
    names = {alias.name for node in imports for alias in node.names}
    tree.body = [node for node in tree.body if node not in imports]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.bases = [
                base for base in node.bases if not (isinstance(base, ast.Name) and base.id in names)
            ]
    return tree


def _without_docstrings(tree: ast.AST) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            words = (ast.Expr, ast.Constant)
            kept = [
                n for n in body if not (isinstance(n, words[0]) and isinstance(n.value, words[1]))
            ]
            node.body = kept  # type: ignore[attr-defined]
    return ast.dump(tree)


def _telling(record: Mapping[str, Any]) -> bool:
    """Whether a record is about a method used as intended."""
    method, scenario = METHODS.get(record["method"]), SCENARIOS.get(record["scenario"])
    return (
        method is not None and method.group != "fails" and bool(scenario and scenario.independent)
    )


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in record.items()}
