"""The Python that pages show: it runs, and imports public names only."""

import ast
from collections.abc import Iterator
from functools import partial

import pytest

from workbench.pages.compare import ComparePage
from workbench.pages.counts import CountsPage
from workbench.pages.coverage_lab import CoverageLabPage
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.code import Name, call, kept, script
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pages.watch import WatchPage


def own_function(values, rng):
    return rng.normal(sum(values))


PAGES = {
    "compare": ComparePage,
    "counts": CountsPage,
    "coverage": CoverageLabPage,
    "family": FamilyPage,
    "mechanism": MechanismPage,
    "own function": partial(MechanismPage, own_function),
    "one run": OneRunPage,
    "one run, a random half": partial(OneRunPage, design="fixed-half", rule="ends"),
    "one run, counts": partial(OneRunPage, source="counts"),
    "pair": PairLabPage,
    "plan": PlanPage,
    "scores": ScoresPage,
    "selection": SelectionPage,
    "watch": WatchPage,
}

#: Where shown code may import from: public names, and what jobs of two pages run.
PUBLIC = {
    "numpy",
    *("workbench", "workbench.onerun", "workbench.selection", "workbench.testing"),
    *("workbench.selection.audit", "workbench.coverage_lab.scenarios"),
}

#: Pages whose code takes longer than a test may, or needs an object that was given.
NOT_RUN = {"coverage", "mechanism", "own function"}


def imported(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("name", PAGES)
def test_shown_code_imports_public_names(name):
    assert set(imported(PAGES[name]().code({}))) <= PUBLIC


@pytest.mark.parametrize("name", sorted(set(PAGES) - NOT_RUN))
def test_shown_code_runs(name):
    shown, _, view = PAGES[name]().code({}).rpartition("view = ")
    assert view.startswith("wb.explore")
    exec(shown, made := {})
    assert set(made) - {"__builtins__", "wb"}


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
