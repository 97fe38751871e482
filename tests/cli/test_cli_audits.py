"""`workbench audits`: lists, searches, comparisons, files; nothing that a terminal would obey."""

import json
import re
from dataclasses import replace

import pytest

import workbench as wb
from workbench.cli import main
from workbench.cli.score_audit.keeping import user
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.counts import CountsPage

HOSTILE = "\x1b[31mred\x07\n<b>bold</b> \u202e😀"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with two audits, "before" and "after", and their keys."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    page = CountsPage()
    ws = wb.workspace()
    before = ws.audits.save(audit_of(page), "before", "the old one", ["release"])
    page.tp += 20
    after = ws.audits.save(audit_of(page), "after the fix", tags=["release", "fix"])
    ws.close()
    return before.key, after.key


def run(capsys, *arguments):
    status = main(["audits", *arguments])
    return status, *capsys.readouterr()


def test_list_and_search(home, capsys):
    status, out, _ = run(capsys, "list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == ["key", home[1], home[0]]
    assert "after the fix" in out
    assert "≥ " in out
    assert len(run(capsys, "list", "--limit", "1")[1].splitlines()) == 2
    assert home[0] in run(capsys, "search", "OLD")[1]
    assert home[1] not in run(capsys, "search", "OLD")[1]
    assert home[1] in run(capsys, "search", "--tag", "fix", "--page", "counts")[1]
    assert run(capsys, "search", "absent")[1] == "no audit has these words\n"


def test_lists_as_json(home, capsys):
    _, out, _ = run(capsys, "list", "--json")
    report = json.loads(out)
    assert [one["name"] for one in report["audits"]] == ["after the fix", "before"]
    assert report["audits"][0]["tags"] == ["release", "fix"]
    assert report["audits"][0]["number"]["bound"]["guarantee"] == "pointwise"
    assert json.loads(run(capsys, "search", "old", "--json")[1])["audits"][0]["key"] == home[0]


def test_an_empty_archive_says_how_to_begin(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    assert run(capsys, "list")[1] == "no audits yet; save one on a page\n"


def test_show(home, capsys):
    _, out, _ = run(capsys, "show", "before")
    assert home[0] in out
    assert "the old one" in out
    assert "pointwise, 95%" in out
    card = json.loads(run(capsys, "show", home[0], "--json")[1])
    assert (card["key"], card["name"]) == (home[0], "before")


def test_compare_names_exactly_what_differs(home, capsys):
    _, out, _ = run(capsys, "compare", "before", "after the fix")
    first, second = out.splitlines()[:2]
    assert first.startswith("The parameter tp differs: ")
    assert " numbers differ: " in second
    report = json.loads(run(capsys, "compare", *home, "--json")[1])
    assert list(report["parameters"]) == ["tp"]
    assert (report["data"], report["software"], report["pages"]) == ({}, {}, [])
    assert any(one["differs"] for one in report["numbers"])
    assert run(capsys, "compare", "before")[0] == 2


def test_export_and_import(home, capsys, tmp_path, monkeypatch):
    path = tmp_path / "one.audit.zip"
    status, out, _ = run(capsys, "export", "before", str(path))
    assert (status, out) == (0, f"{path}: {path.stat().st_size:,} bytes\n")
    assert "was there already" in run(capsys, "import", str(path))[1]
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "other"))
    status, out, _ = run(capsys, "import", str(path))
    said = "imported: what it states was not checked here"
    assert (status, out) == (0, f"{home[0]}  before, {said}\n")
    assert "was there already" in run(capsys, "import", str(path))[1]
    shown = run(capsys, "show", "before")[1]
    assert re.search(r"^origin +This audit was imported on .* UTC by \S+\. What it", shown, re.M)
    assert run(capsys, "list")[1].splitlines()[1].endswith("imported")
    (row,) = json.loads(run(capsys, "list", "--json")[1])["audits"]
    card = json.loads(run(capsys, "show", "before", "--json")[1])
    assert row["imported"] == card["imported"]
    assert row["imported"]["by"] == user()
    assert run(capsys, "remove", "before")[0] == 0
    (tmp_path / "no.zip").write_text("hello")
    status, _, err = run(capsys, "import", str(tmp_path / "no.zip"))
    assert status == 2
    assert err.startswith("workbench: this is no file of a saved audit")


def test_remove_and_restore(home, capsys):
    status, out, _ = run(capsys, "remove", "before")
    assert (status, "audits restore " + home[0] in out) == (0, True)
    assert home[0] not in run(capsys, "list")[1]
    assert home[0] in run(capsys, "list", "--removed")[1]
    assert run(capsys, "restore", home[0])[0] == 0
    assert home[0] in run(capsys, "list")[1]
    assert "deleted" in run(capsys, "remove", "before", "--for-good")[1]
    status, _, err = run(capsys, "show", home[0])
    assert status == 2
    assert "there is no audit" in err


def test_nothing_that_a_terminal_obeys_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    ws = wb.workspace()
    audit = audit_of(CountsPage(), by="\udc80\x1b[0m")
    number = replace(audit.numbers[0], title=HOSTILE)
    audit = replace(audit, title=HOSTILE, numbers=(number, *audit.numbers[1:]))
    key = ws.audits.save(audit, HOSTILE, HOSTILE, ["\u202etag"]).key
    ws.close()
    for command in (
        ["list"],
        ["list", "--json"],
        ["search", "red"],
        ["show", key],
        ["show", key, "--json"],
        ["compare", key, key],
        ["compare", key, key, "--json"],
        ["export", key, str(tmp_path / "x.zip")],
        ["remove", key],
        ["restore", key],
        ["show", HOSTILE + "x"],
    ):
        _, out, err = run(capsys, *command)
        odd = {one for one in out + err if not one.isprintable()} - {"\n"}
        assert odd == set(), command


def test_what_is_wrong_with_the_database_is_said(home, capsys, tmp_path, monkeypatch):
    (tmp_path / "audits.sqlite").write_text("no database")
    status, out, err = run(capsys, "list")
    assert (status, out) == (2, "")
    assert "audits.sqlite is damaged" in err
    monkeypatch.setenv("WORKBENCH_DATABASE", "mysql://me:hunter2@host/x")
    status, _, err = run(capsys, "list")
    assert status == 2
    assert "a database of 'mysql' is not supported" in err
    assert "hunter2" not in err
