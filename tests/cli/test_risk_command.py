"""`workbench risk`: both ends of a risk on the command line."""

import json

import pytest

import workbench as wb
from workbench.cli import main
from workbench.scores.examples import card

GAUSSIAN = str(card("gaussian").path)


def ran(capsys, *arguments):
    status = main(["risk", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_claim_alone_says_at_most(capsys):
    status, out, _ = ran(capsys, "approx(2, 1e-5)", "--one-in", "100")
    assert status == 0
    assert out.startswith("An attacker who wrongly suspects 1 in 100 outsiders can find at most 1 ")
    assert "right with the release      ≤ 0.0740" in out
    assert "Promised: approx(2, 1e-5)." in out
    assert "≥" not in out


def test_both_ends_as_json(capsys):
    status, out, _ = ran(
        capsys, "gdp(1)", GAUSSIAN, "--one-in", "1000", "--prior", "0.01", "--group", "2", "--json"
    )
    found, risk = (
        json.loads(out),
        wb.risk(wb.example("gaussian"), claim="gdp(1)", baseline=1e-3, prior=0.01, group=2),
    )
    assert status == 0
    for name in ("success", "advantage", "precision", "odds"):
        limits = getattr(risk, name)
        assert found[name] == {"at_least": limits.at_least, "at_most": limits.at_most}
    assert (found["claim"], found["group"], found["attack"]) == ("gdp(1)", 2, "membership")
    assert found["shown"]["guarantee"] == "simultaneous"
    assert not found["contradicted"]


def test_scores_alone_are_never_a_proof_that_a_secret_was_guessed(capsys):
    status, out, _ = ran(capsys, GAUSSIAN, "--one-in", "50", "--attack", "attribute")
    assert status == 0
    assert "rule out every promise below" in out
    assert "≤" not in out
    assert "Shown: simultaneous, 95%" in out


def test_a_broken_promise_has_a_status_of_its_own(capsys):
    status, out, _ = ran(capsys, "gdp(0.1)", GAUSSIAN, "--one-in", "50")
    assert status == 1
    assert "The promise is broken" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pure(1)", "--one-in", "0.5"), "--one-in must be above 1, got 0.5"),
        (("pure(1)", "--one-in", "nan"), "--one-in must be above 1, got nan"),
        (("pure(1)", "gdp(1)", "--one-in", "9"), "2 claims were given"),
        (("nope(1)", "--one-in", "9"), "cannot read the claim 'nope(1)'"),
        (("no-file.csv", "--one-in", "9"), "there is no file 'no-file.csv'"),
        (("pure(1)", "--one-in", "9", "--group", "0"), "--group must be a whole number"),
        (("pure(1)", "--one-in", "9", "--prior", "2"), "--prior must "),
        ((GAUSSIAN, "--one-in", "9", "--group", "3"), "needs a claim"),
    ],
)
def test_bad_input_is_told(capsys, arguments, said):
    status, out, err = ran(capsys, *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_a_file_with_brackets_in_its_name_is_a_file(capsys, tmp_path):
    path = tmp_path / "pure(1).csv"
    path.write_text("score,member\n" + "".join(f"{k / 9},{k % 2}\n" for k in range(40)))
    status, out, _ = ran(capsys, str(path), "--one-in", "9")
    assert status == 0
    assert "Promised" not in out
