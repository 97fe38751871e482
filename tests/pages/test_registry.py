"""The list of pages: every entry can be served, explored, and is in the README."""

from pathlib import Path

import pytest

import workbench as wb
from workbench.pages import registry
from workbench.pages.core.page import Page
from workbench.pages.registry import MENU, PAGES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PAGES)
def test_an_entry_names_a_page_and_what_it_takes(name):
    entry = PAGES[name]
    assert issubclass(entry.kind, Page)
    assert entry.kind.title
    for where in (*entry.takes, *filter(None, [entry.given])):
        assert callable(registry.resolve_name(where))


def test_every_page_is_in_the_list():
    defined = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "workbench" / "pages").rglob("*.py")
        if "\n    about = " in path.read_text(encoding="utf-8")
    }
    assert {entry.where.partition(":")[0] for entry in PAGES.values()} == defined


def test_the_readme_lists_every_page_in_the_order_of_the_menu():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = (
        f"| {group} | {entry.title} | {entry.answers} |\n"
        for group, pages in MENU.items()
        for entry in pages.values()
    )
    assert "|---|---|---|\n" + "".join(rows) in text


def test_addresses_stay():
    """People keep links: a page may be added, none is renamed."""
    assert set(PAGES) >= {
        *("scores", "counts", "family", "compare", "onerun", "selection"),
        *("mechanism", "watch", "plan", "pairlab", "coveragelab"),
    }


@pytest.mark.parametrize("name", [name for pages in MENU.values() for name in pages])
def test_a_page_is_recognized_by_its_address(name):
    stem = name.removesuffix("lab")[:5].removesuffix("y")
    assert stem in PAGES[name].title.lower().replace(" ", "")


def test_the_menu_is_short_and_every_page_in_it_once():
    names = [name for pages in MENU.values() for name in pages]
    assert list(PAGES)[: len(names)] == names
    assert len({entry.title for entry in PAGES.values()}) == len(PAGES)
    for pages in MENU.values():
        assert len(pages) <= 6
        for entry in pages.values():
            assert len(entry.title.split()) <= 3
            assert entry.answers.endswith("?")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_explored_by_its_name(name):
    view = wb.explore(name)
    assert type(view.page) is PAGES[name].kind
    view.close()


def test_the_code_of_a_page_without_code_of_its_own_restores_the_view():
    view, made = wb.explore("coveragelab"), {}
    chosen = {"confidence": 0.9, "group": "approximate", "log_reps": 2.0}  # a short one
    for name, value in chosen.items():
        setattr(view, name, value)
    exec(view.to_code(), made)
    assert made["view"].spec() == view.spec() == chosen


def own(dataset, size, rng):
    return rng.normal(dataset.sum(), 1, size)


@pytest.mark.parametrize(
    ("subject", "name", "expected"),
    [
        (wb.GaussianPair(1).sample(50, seed=1), "scores", {}),
        (([0.0, 1.0], [2.0, 3.0]), "scores", {}),
        (wb.Counts(tp=5, fp=1, tn=9, fn=2), "counts", {"tp": 5, "fp": 1, "tn": 9, "fn": 2}),
        (wb.Guesses(canaries=9, guesses=8, correct=7), "onerun", {"right": 7}),
        (wb.LaplacePair(0.5), "pairlab", {"pair_kind": "laplace"}),
        (wb.selection.TwoPoint(10, 0.1), "selection", {"runs_kind": "two-point"}),
        (wb.mechanism("svt3"), "mechanism", {}),
        (own, "mechanism", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_object_is_explored_on_the_page_of_its_type(subject, name, expected):
    view = wb.explore(subject)
    assert isinstance(view.page, PAGES[name].kind)
    assert {key: getattr(view, key) for key in expected} == expected
    view.close()


def test_the_spec_of_explored_run_counts_restores_them():
    view = wb.explore(wb.selection.TwoPoint(10, 0.1))
    assert wb.explore("selection", spec=view.spec()).runs_kind == "two-point"
