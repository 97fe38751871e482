"""The tables of the five papers in the documentation, row by row against the command."""

import re
from pathlib import Path

import pytest

from benchmarks.papers.command import ROWS, row
from benchmarks.papers.item import Item, Verdict
from benchmarks.papers.registry import PAPERS
from benchmarks.papers.run import Run
from workbench.pages.registry import PAGES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "published-figures.md").read_text(encoding="utf-8")

ITEMS = [(paper.key, item) for paper in PAPERS.values() for item in paper.items]


def rows(key):
    """Cells of each row of the table that has the columns of `ROWS`, in a paper's section."""
    section = re.split(rf"^## {key}: .*$", TEXT, flags=re.M)[1].partition("\n## ")[0]
    found, inside = [], False
    for line in section.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells == list(ROWS):
            inside = True
        elif not cells:
            inside = False
        elif inside and set(cells) != {"---"}:
            found.append(cells)
    return found


def params(items):
    return [pytest.param(key, item, id=f"{key} {item.name}") for key, item in items]


@pytest.mark.parametrize("key", [paper.key for paper in PAPERS.values()])
def test_every_item_has_a_row_and_every_row_an_item(key):
    items = {item.name: item for k, item in ITEMS if k == key}
    assert {cells[0] for cells in rows(key)} == set(items)
    for name, _, place, printed, ours, kind, verdict in rows(key):
        assert place == items[name].place
        assert printed
        assert ours
        assert kind
        assert verdict.split(":")[0] in list(Verdict)
        assert "absent" not in verdict


@pytest.mark.parametrize("key", [paper.key for paper in PAPERS.values()])
def test_names_of_items_are_unique(key):
    names = [item.name for k, item in ITEMS if k == key]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize(("key", "item"), params(i for i in ITEMS if i[1].quick))
def test_rows_state_what_is_computed(key, item, tmp_path):
    found = item.make(Run(tmp_path))
    computed = [row(item, found, line) for line in found.lines]
    stated = [cells for cells in rows(key) if cells[0] == item.name]
    assert [cells for cells in stated if cells not in computed] == []
    assert unexplained(found) == []


def unexplained(found):
    """Lines that differ from print and do not say why."""
    return [line.what for line in found.lines if line.deviation and not line.why]


@pytest.mark.parametrize(("key", "item"), params(ITEMS))
def test_the_place_of_an_item_is_there(key, item: Item):
    pages = re.findall(r"\*([^*]+)\*", item.place)
    assert set(pages) <= {entry.title for entry in PAGES.values()}
    names = re.findall(r"`wb\.([\w.]+)", item.place)
    for name in names:
        found = __import__("workbench")
        for part in name.split("."):
            found = getattr(found, part)
    notebooks = re.findall(r"notebook (\d+)", item.place)
    for number in notebooks:
        assert list((ROOT / "notebooks").glob(f"{int(number):02}-*.ipynb"))
    assert pages or names or notebooks
