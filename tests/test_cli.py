"""The command line, as people and scripts call it."""

import json

import pytest

import workbench as wb
from workbench.cli import main
from workbench.scores.examples import card

GAUSSIAN = str(card("gaussian").path)


def test_audit_prints_each_number_with_its_guarantee(capsys, caplog):
    caplog.set_level("INFO")
    assert main(["audit", GAUSSIAN, "--delta", "1e-3", "--confidence", "0.9"]) == 0
    said = capsys.readouterr()
    bound = wb.epsilon_lower_bound(wb.read_scores(GAUSSIAN), 1e-3, 0.9)
    assert f"ε at δ = 0.001    ≥ {bound.rounded}" in said.out
    assert "simultaneous, 90 %, if rows are independent" in said.out
    assert "estimate" in said.out
    assert "P = column 'in'" in caplog.text


def test_audit_for_machines(capsys):
    assert main(["audit", GAUSSIAN, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["version"] == 1
    assert report["scores"]["n_p"] == 10_000
    assert {r["quantity"] for r in report["results"]} >= {"epsilon", "mu", "auc", "tpr"}
    assert all(r["guarantee"] for r in report["results"])


def test_audit_takes_the_layout_and_the_direction(tmp_path, capsys):
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{i + 20}" for i in range(60)))
    assert main(["audit", str(path)]) == 2
    assert "p= and q=" in capsys.readouterr().err
    assert main(["audit", str(path), "--p", "a", "--q", "b"]) == 0
    assert "--smaller-is-member" in capsys.readouterr().out
    assert main(["audit", str(path), "--p", "a", "--q", "b", "--smaller-is-member"]) == 0


def test_one_file_a_side(tmp_path, capsys):
    for name, shift in (("in", 1), ("out", 0)):
        rows = "\n".join(str(i + shift) for i in range(40))
        (tmp_path / f"{name}.csv").write_text("score\n" + rows)
    assert main(["audit", str(tmp_path / "in.csv"), str(tmp_path / "out.csv")]) == 0
    assert "n_p=40, n_q=40" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["audit", "nowhere.csv"], "nowhere.csv"),
        (["audit", GAUSSIAN, "--delta", "2"], "delta must lie in [0, 1)"),
        (["audit", GAUSSIAN, "--confidence", "0.05"], "did you mean 0.95"),
        (["audit", GAUSSIAN, GAUSSIAN, GAUSSIAN], "3 files were given"),
        (["serve", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_bad_input_is_a_message_and_status_2(arguments, says, capsys):
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


def test_examples_are_listed_with_their_truth(capsys):
    assert main(["examples"]) == 0
    said = capsys.readouterr().out
    for name in wb.examples()["name"]:
        assert name in said
    assert "ε = 4.377 at δ = 1e-5" in said
