"""Notebooks state the seed of whatever draws by chance, so that what they print stays the same."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

import workbench as wb

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def code_of(path: Path) -> Iterator[str]:
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            yield "\n".join(
                "" if line.lstrip().startswith(("%", "!")) else line
                for line in cell.source.split("\n")
            )


def without_seed(code: str) -> list[str]:
    """Calls of functions of the workbench that draw at once and were given no seed."""
    found = []
    for call in (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if not name.startswith("wb.") or name.startswith("wb.read_"):
            continue  # scores that are read draw later, if at all
        drawn = wb
        for part in name.split(".")[1:]:
            drawn = getattr(drawn, part, None)
        if not inspect.isfunction(drawn):
            continue
        seed = inspect.signature(drawn).parameters.get("seed")
        given = {keyword.arg for keyword in call.keywords}
        if seed is not None and seed.default is None and not given & {"seed", None}:
            found.append(ast.unparse(call))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_draws_by_chance_has_a_seed(path):
    assert [call for code in code_of(path) for call in without_seed(code)] == []


def test_a_call_without_a_seed_is_found():
    assert without_seed("wb.learn_ordering_nd(p, q)") == ["wb.learn_ordering_nd(p, q)"]
    assert without_seed("wb.learn_ordering_nd(p, q, seed=0)") == []
