"""`workbench data`: what people and scripts do with the data sets of this computer."""

import json
import sqlite3

import pytest

import workbench as wb
from workbench.cli import main
from workbench.scores.examples import card
from workbench.workspaces.storing import disk

GAUSSIAN, MESSY = str(card("gaussian").path), str(card("messy").path)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def listed(capsys):
    capsys.readouterr()
    assert main(["data", "list", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_data_set_is_added_listed_renamed_and_removed(capsys, home):
    assert main(["data", "list"]) == 0
    assert "no data sets yet; add one with 'workbench data add FILE'" in capsys.readouterr().out
    assert main(["data", "add", MESSY, "--smaller-is-member", "--sampling", "one run"]) == 0
    said = capsys.readouterr().out
    assert "'messy': 1,600 + 1,400 scores" in said
    assert "smaller = member · one run" in said
    assert main(["data", "add", GAUSSIAN, "--name", "bell"]) == 0
    assert main(["data", "list"]) == 0
    said = capsys.readouterr().out
    assert "'messy'    1,600 +   1,400" in said
    assert "'bell'    10,000 +  10,000" in said
    assert main(["data", "rename", "bell", "normal"]) == 0
    assert [one["name"] for one in listed(capsys)["data"]] == ["messy", "normal"]
    assert main(["data", "remove", "messy"]) == 0
    assert "removed; its content is deleted after 30 days" in capsys.readouterr().out
    (left,) = listed(capsys)["data"]
    assert left["source"] == {"kind": "file", "names": ["gaussian.csv"]}
    assert left["reading"]["layout"]["p"] == "in"
    assert len(list((home / "tables").iterdir())) == 2
    assert main(["data", "remove", "normal", "--for-good"]) == 0
    assert list((home / "tables").iterdir()) == []


def test_what_was_promised_is_kept_with_a_data_set(capsys, home):
    assert main(["data", "add", MESSY, "--smaller-is-member", "--claim", "approx(2, 1e-5)"]) == 0
    assert "promised: approx(2, 1e-5)" in capsys.readouterr().out
    assert [one["claim"] for one in listed(capsys)["data"]] == ["approx(2, 1e-5)"]
    workspace = wb.workspace()
    view = wb.explore(workspace.datasets["messy"])
    assert (view.page.promised.text, view.epsilon.delta) == ("approx(2, 1e-5)", 1e-5)
    view.close()
    workspace.close()
    for bad in ("2 eps", "approx(-1, 1e-5)", "approx(2, 1)"):
        assert main(["data", "add", GAUSSIAN, "--claim", bad]) != 0
        assert "claim" in (said := capsys.readouterr().err) or "must" in said
    assert [one["claim"] for one in listed(capsys)["data"]] == ["approx(2, 1e-5)"]


def test_python_sees_the_same_data_sets(capsys, home):
    assert main(["data", "add", MESSY, "--smaller-is-member"]) == 0
    workspace = wb.workspace()
    assert workspace.scores("messy").p.tobytes() == wb.example("messy").p.tobytes()
    assert main(["data", "path"]) == 0
    assert capsys.readouterr().out.endswith(f"{home}\n")
    workspace.close()


def test_the_same_file_is_not_added_twice(capsys):
    for said in ("'gaussian': ", "'gaussian', which is there already: "):
        assert main(["data", "add", GAUSSIAN]) == 0
        assert capsys.readouterr().out.startswith(said)
    assert len(listed(capsys)["data"]) == 1


def test_one_file_per_group(tmp_path, capsys):
    for name, scores in (("in.csv", "1\n2\n3"), ("out.csv", "4\n5")):
        (tmp_path / name).write_text(f"loss\n{scores}\n")
    assert main(["data", "add", str(tmp_path / "in.csv"), str(tmp_path / "out.csv")]) == 0
    assert "3 + 2 scores\nFiles “in.csv” and “out.csv”" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["add", "nothing.csv"], "there is no file 'nothing.csv'"),
        (["add", GAUSSIAN, GAUSSIAN, GAUSSIAN], "3 files were given"),
        (["add", GAUSSIAN, "--p", "inn", "--q", "out"], "did you mean 'in'"),
        (["remove", "nothing"], "there is no data set 'nothing'"),
        (["rename", "nothing", "x"], "there is no data set 'nothing'"),
        (["remove", "example:gaussian"], "is always there"),
    ],
)
def test_bad_input_is_a_message(call, said, capsys):
    assert main(["data", *call]) == 2
    assert said in capsys.readouterr().err
    assert listed(capsys)["data"] == []


def test_options_are_named_as_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c\n1,2,3\n4,5,6\n")
    assert main(["data", "add", str(path)]) == 2
    assert "Give --p and --q" in capsys.readouterr().err


def test_a_change_that_could_not_be_written_is_no_success(capsys, home, monkeypatch):
    monkeypatch.setattr(disk, "PATIENCE", 0.1)
    assert main(["data", "add", GAUSSIAN]) == 0
    other = sqlite3.connect(home / "workspace.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for call in (["add", MESSY], ["remove", "gaussian"], ["rename", "gaussian", "x"]):
        capsys.readouterr()
        assert main(["data", *call]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "nothing was changed. Another program is writing" in said.err
    other.execute("ROLLBACK")
    other.close()
    assert [one["name"] for one in listed(capsys)["data"]] == ["gaussian"]


def test_a_store_that_is_damaged_says_so(capsys, home):
    home.mkdir()
    (home / "workspace.sqlite").write_bytes(b"garbage" * 100)
    assert main(["data", "list"]) == 0
    assert "is damaged" in capsys.readouterr().err
    assert main(["data", "add", GAUSSIAN]) == 2
    assert "is damaged" in capsys.readouterr().err
    assert (home / "workspace.sqlite").read_bytes() == b"garbage" * 100
