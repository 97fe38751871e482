"""`workbench plan`: plans are stored, listed and shown, and the page finds them."""

import json

import pytest

import workbench as wb
from workbench.cli import main

ADD = ["plan", "add", "release 3", "--data", "the nightly run", "--threshold", "0.3"]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))


def run(capsys, *words, status=0):
    assert main(list(words)) == status
    return capsys.readouterr()


def test_a_plan_is_stored_listed_and_shown(capsys):
    assert "no plans yet; store one with" in run(capsys, "plan", "list").out
    said = run(capsys, *ADD, "--smaller-is-member", "--n-p", "100", "--claim", "gdp(1)").out
    assert "smaller = member" in said
    assert "100 members and any number of non-members" in said
    assert "Open the scores now" in said
    (kept,) = json.loads(run(capsys, "plan", "list", "--json").out)["plans"]
    assert (kept["name"], kept["threshold"], kept["claim"]) == ("release 3", 0.3, "gdp(1)")
    assert kept["sha256"][:8] in run(capsys, "plan", "list").out
    for name in ("release 3", kept["key"], kept["sha256"][:8], kept["sha256"]):
        assert kept["sha256"] in run(capsys, "plan", "show", name).out


def test_python_finds_the_plan_and_its_uses_are_shown(capsys):
    run(capsys, *ADD)
    workspace = wb.workspace()
    plan = workspace.audits.plans["release 3"]
    workspace.audits.plans.use(plan, "f" * 64)
    workspace.close()
    assert f"SHA-256 {'f' * 64}" in run(capsys, "plan", "show", "release 3").out
    shown = json.loads(run(capsys, "plan", "show", "release 3", "--json").out)
    assert [use["sha256"] for use in shown["uses"]] == ["f" * 64]


def test_bins(capsys):
    said = run(capsys, *ADD, "--bins", "20", "--range", "-3", "4").out
    assert "20 bins from -3 to 4" in said
    for words in (["--bins", "20"], ["--range", "0", "1"], ["--width", "1", "--bins", "2"]):
        error = run(capsys, *ADD, *words, status=2).err
        assert "bins need --range LOW HIGH and either --bins K or --width W" in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--n-p", "0"], "--n-p must be a whole number of at least 1"),
        (["--confidence", "0.05"], "did you mean 0.95"),
        (["--claim", "private"], "cannot read the claim 'private'"),
        (["--delta", "nan"], "delta must lie in [0, 1)"),
        (["--threshold", "nan"], "threshold must be finite"),
    ],
)
def test_refusals_name_options_and_nothing_is_stored(capsys, words, message):
    assert message in run(capsys, *ADD, *words, status=2).err
    assert json.loads(run(capsys, "plan", "list", "--json").out) == {"plans": []}


def test_an_unknown_plan(capsys):
    run(capsys, *ADD)
    assert "release 3" in run(capsys, "plan", "show", "release 4", status=2).err


def test_names_of_others_do_not_command_the_terminal(capsys):
    run(capsys, "plan", "add", "\x1b[2J<b>x</b>\nfake line", "--data", "d\x07")
    for words in (["list"], ["show", "\x1b[2J<b>x</b>\nfake line"]):
        said = run(capsys, "plan", *words).out
        assert "\x1b" not in said
        assert "\nfake" not in said
        assert "<b>x</b>" in said
