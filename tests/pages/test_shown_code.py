"""The Python that pages show: it runs, and imports public names only."""

import ast
from collections.abc import Iterator

import pytest

import workbench as wb
from workbench.pages.compare import ComparePage
from workbench.pages.counts import CountsPage
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.code import Name, call, kept, script
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pages.watch import WatchPage

PAGES = [
    ComparePage,
    CountsPage,
    FamilyPage,
    MechanismPage,
    OneRunPage,
    PairLabPage,
    PlanPage,
    ScoresPage,
    SelectionPage,
    WatchPage,
]

#: Where shown code may import from.
PUBLIC = {"workbench", "workbench.selection", "workbench.testing", "workbench.onerun"}

#: Pages whose names are not public yet.
DEEP = {OneRunPage, WatchPage}

#: Pages whose audit takes longer than a test may.
SLOW = {MechanismPage}


def imported(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.__name__)
def test_shown_code_imports_public_names(page, request):
    if page in DEEP:
        request.applymarker(pytest.mark.xfail(strict=True, reason="not public yet"))
    assert set(imported(page().code({}))) <= PUBLIC


@pytest.mark.parametrize("page", [p for p in PAGES if p not in SLOW], ids=lambda p: p.__name__)
def test_shown_code_runs(page):
    shown = page().code({})
    exec(shown.rpartition("view = ")[0], made := {})
    numbers = [value for value in made.values() if isinstance(value, wb.Bound)]
    assert numbers or page is SelectionPage or page is PlanPage or page is CountsPage
    assert "view = wb.explore" in shown


def test_the_code_of_a_mechanism_names_public_functions():
    page = MechanismPage(mechanism="svt3", trials=1, log_samples=3.0)
    exec(page.code({}).rpartition("view = ")[0], made := {})
    assert made["audit"].planned == 1


def test_calls_are_written_as_people_write_them():
    assert call("wb.f", "s", "2", delta=1e-5, q=None) == "wb.f(s, 2, delta=1e-05)"
    assert call("f", score=Name("worst.order")) == "f(score=worst.order)"
    long = call("wb.f", "scores", text="x" * 80)
    assert long.splitlines() == ["wb.f(", "    scores,", f"    text={'x' * 80!r},", ")"]
    assert script("a = 1", imports=["import math"]) == (
        "import workbench as wb\nimport math\n\na = 1\n"
    )


def test_a_view_keeps_its_settings_but_not_its_data():
    spec = {"show": ["epsilon"], "confidence": 0.9, "source": "pair", "claim": 1.0}
    assert kept(spec, "claim") == {"show": ["epsilon"], "confidence": 0.9, "claim": 1.0}
