"""`workbench report`: from a saved audit, and from score files."""

import json
from pathlib import Path

import pytest
from helpers.pages import upload
from helpers.reports import page_audit

import workbench as wb
from workbench.cli import main
from workbench.pages.auditing.attached import attachments_of
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES

ROWS = "in,out\n" + "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of the workspace that the command opens."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    return tmp_path


def saved(name, with_scores):
    page = PAGES["family"].kind()
    upload(page, ("mine.csv", ROWS))
    workspace = wb.workspace()
    try:
        parts = attachments_of(page) if with_scores else ()
        return workspace.audits.save(audit_of(page), name=name, attachments=parts)
    finally:
        workspace.close()


def test_a_saved_audit_by_name_and_by_key(home, capsys):
    audit = saved("nightly", with_scores=True)
    for name in ("nightly", audit.key):
        path = home / f"{name}.html"
        assert main(["report", name, "-o", str(path)]) == 0
        assert 'id="sliders"' in path.read_text(encoding="utf-8")
    assert "kB" in capsys.readouterr().out


def test_without_its_scores_the_report_says_why_nothing_moves(home):
    saved("bare", with_scores=False)
    assert main(["report", "bare", "-o", str(home / "bare.html")]) == 0
    document = (home / "bare.html").read_text(encoding="utf-8")
    assert "cannot be moved: the scores of “mine” are not in this workspace" in document
    assert 'id="sliders"' not in document


def test_the_scores_that_were_saved_are_not_added_to_the_workspace(home):
    saved("nightly", with_scores=True)
    assert main(["report", "nightly", "-o", str(home / "a.md")]) == 0
    workspace = wb.workspace()
    try:
        assert workspace.catalog.own == []
    finally:
        workspace.close()


def test_score_files_are_audited_with_the_options(home):
    file, path = home / "it's a file.csv", home / "audit.json"
    file.write_text(ROWS, encoding="utf-8")
    options = ["--delta", "2e-6", "--confidence", "0.99", "--sampling", "independent runs"]
    named = ["--by", "Ada", "--name", "Release 7", "--smaller-is-member"]
    assert main(["report", str(file), "-o", str(path), *options, *named]) == 0
    card = json.loads(path.read_text(encoding="utf-8"))
    assert (card["name"], card["by"], card["page"]) == ("Release 7", "Ada", "scores")
    (data,) = card["data"]
    assert data["files"] == ["it's a file.csv"]
    assert data["reading"]["larger_is_member"] is False
    scores = wb.read_scores(file, larger_is_member=False, sampling="independent runs")
    expected = wb.epsilon_lower_bound(scores, 2e-6, 0.99)
    bounds = {one["name"]: one["bound"] for one in card["numbers"]}
    assert bounds["epsilon"]["value"] == expected.value
    assert bounds["epsilon"]["confidence"] == 0.99
    assert bounds["epsilon"]["void"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no file 'nothing', and there is no audit 'nothing'"),
        (["FILE", "--confidence", "0.93"], "--confidence must be one of 0.9, 0.95"),
        (["FILE", "--delta", "0"], "--delta must be above 0"),
        (["FILE", "FILE", "FILE"], "3 files were given"),
        (["FILE", "--score", "height"], "no column 'height'"),
        (["FILE", "-o", "audit.docx"], "a report ends in .html, .pdf, .md, .json, .ipynb"),
    ],
)
def test_bad_input_is_said_in_the_words_of_the_command(home, capsys, arguments, said):
    file = home / "scores.csv"
    file.write_text(ROWS, encoding="utf-8")
    given = [str(file) if one == "FILE" else one for one in arguments]
    assert main(["report", "-o", str(home / "x.md"), *given]) == 2
    error = capsys.readouterr().err
    assert error.startswith("workbench: ")
    assert said in error
    assert not (home / "x.md").exists()


def test_a_report_replaces_one_that_is_there(home):
    path = Path(home / "audit.md")
    path.write_text("old", encoding="utf-8")
    page_audit("counts").report(path)
    assert path.read_text(encoding="utf-8").startswith("# ")
