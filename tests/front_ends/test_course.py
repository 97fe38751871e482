"""The course: every notebook has a week, and every explorable is linked where it is used."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.explorables.registry import EXPLORABLES, file_of

ROOT = Path(__file__).parents[2]
COURSE = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
README = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")

WEEKS = 14


def rows(text, heading):
    """Cells of the rows of the table whose header has this word first."""
    found = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


def test_every_notebook_has_one_week():
    linked = re.findall(r"\(guide/([0-9]{2}-[\w-]+\.ipynb)\)", COURSE)
    assert sorted(linked) == sorted(p.name for p in (ROOT / "notebooks").glob("[0-9]*.ipynb"))
    assert [row[0] for row in rows(COURSE, "week")] == [str(k) for k in range(1, WEEKS + 1)]


def test_every_week_has_a_goal_a_notebook_and_an_exercise():
    for week, goal, notebook, _explorable, exercise in rows(COURSE, "week"):
        assert len(goal) > 30, week
        assert "guide/" in notebook, week
        assert exercise, week


def test_the_readme_has_the_same_weeks():
    for whole, short in zip(rows(COURSE, "week"), rows(README, "week"), strict=True):
        assert short[0] == whole[0]
        assert short[2] == ", ".join(re.findall(r"\[(\d+)\]", whole[2]))
        assert short[3] == whole[3]


def test_every_explorable_has_a_week_by_its_title_in_the_order_of_the_registry():
    used = [row[3] for row in rows(COURSE, "week") if row[3] != "–"]
    assert used == [entry.title for entry in EXPLORABLES.values()]
    for row in rows(COURSE, "week"):
        for entry in EXPLORABLES.values():
            if entry.title == row[3]:
                assert f"({entry.explorable.notebook.lstrip('0')}" not in row[4]


def test_every_explorable_is_linked_with_its_question():
    for name, entry in EXPLORABLES.items():
        link = f'<a href="explorables/{file_of(name)}">{entry.title}</a>'
        save = f'<a href="explorables/{file_of(name)}" download>save</a>'
        assert f"{link} · {save} | {entry.asks} |" in COURSE


@pytest.fixture
def extension(monkeypatch):
    """The extension of the site that writes explorables."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    import explorables

    yield explorables
    del sys.modules["explorables"]


def test_the_site_has_all_files_and_makes_them_once(extension, monkeypatch, tmp_path):
    written = []

    def write(folder, names):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            written.append(name)
            (Path(folder) / file_of(name)).write_text(name)

    monkeypatch.setattr(extension, "write_explorables", write)
    monkeypatch.setattr(extension, "DOCS", tmp_path / "docs")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path / "site")
    for _ in range(2):
        extension._write(app, None)
    assert written == list(EXPLORABLES)
    found = sorted(path.name for path in (tmp_path / "site" / "explorables").iterdir())
    assert found == sorted(map(file_of, EXPLORABLES))
    extension._write(app, RuntimeError("the build failed"))


def test_the_check_of_the_site_finds_nothing_loaded_from_elsewhere(monkeypatch):
    from helpers.explorables import document_of

    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    import offline

    assert offline.loads_from_elsewhere(document_of("bin-width")) is None
