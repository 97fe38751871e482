"""`workbench test`: verdicts as exit statuses, formats, and what happens when all goes wrong."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.junit import assert_junit
from helpers.programs import program

import workbench as wb
from workbench.cli import main
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.mechanism_audit import MechanismAudit

pytestmark = pytest.mark.slow

#: Small enough for a test; the mechanism runs in this process, one tester looks.
QUICK = ("--testers=hockey-stick", "--trials=4", "--samples=4000", "--time-limit=0")

CODE = """
import os
import time
import numpy as np

if "NOTES" in os.environ:
    print("loading")


def private(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(size=size)


def broken(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(scale=0.1, size=size)


def raises(dataset, size, rng):
    raise KeyError("no such | column")


def ignores(dataset, size, rng):
    return np.sum(dataset) + np.random.default_rng(0).laplace(size=size)


def one_more(dataset, size, rng):
    return private(dataset, size + 1, rng)


def objects(dataset, size, rng):
    return [object()] * size


def hangs(dataset, size, rng):
    time.sleep(10**6)  # only its time limit ends it


def noted(dataset, size, rng):
    with open(os.environ["NOTES"], "a") as notes:
        notes.write("x")
    print("running")
    return private(dataset, size, rng)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A file outside of any package; functions of it are targets."""
    (tmp_path / "mine.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return lambda function: f"mine.py:{function}"


def run(capsys, *arguments):
    """Exit status and standard output."""
    status = main(["test", *map(str, arguments)])
    return status, capsys.readouterr().out


# -- the verdict ----------------------------------------------------------------------------------


def test_a_broken_mechanism_of_the_gallery_is_found_against_its_own_claim(capsys):
    status, said = run(capsys, "noisy-max-value", *QUICK, "--anytime")
    assert status == 1
    assert said.startswith("violation found: ε ≥ ")
    assert "where 1 is claimed (hockey-stick, trial " in said
    assert "Dataset: " in said
    assert "claim pure(1)" in said


def test_the_status_is_the_verdict(capsys, mine):
    private, broken = mine("private"), mine("broken")
    assert run(capsys, private, "--claim=pure(1)", *QUICK)[0] == 0
    assert run(capsys, broken, "--claim=pure(1)", *QUICK)[0] == 1
    status, said = run(capsys, broken, "--claim=pure(20)", *QUICK)
    assert status == 3
    assert "none, however large" in said
    status, said = run(capsys, private, "--claim=pure(4)", *QUICK, "--samples=100")
    assert status == 3
    assert said.startswith("too weak: a leak of ε = 8 would not have been found")


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("raises", "KeyError: 'no such | column'"),
        ("ignores", "ignores its rng"),
        ("one_more", "one row for each run: 800 runs were requested, got shape (801,)"),
        ("objects", "object"),
    ],
)
def test_what_is_no_mechanism_is_not_tested(capsys, mine, function, says):
    status, said = run(capsys, mine(function), "--claim=pure(1)", *QUICK, "--trials=2")
    assert status == 3
    assert said.startswith("nothing tested in 2 trials: ")
    assert says in said
    line = next(line for line in said.splitlines() if line.startswith("hockey-stick"))
    assert line.split("  ")[1] == "nothing tested"


def test_none_found_says_what_would_have_been(capsys, mine):
    _, said = run(capsys, mine("private"), "--claim=pure(1)", *QUICK)
    assert said.startswith("none found in 4 trials; a leak of ε ≥ ")
    assert "This does not show that the mechanism is private." in said
    line = next(line for line in said.splitlines() if line.startswith("hockey-stick"))
    assert line.split("  ")[-1].startswith("ε ≥ 1.")


def test_without_a_claim_the_largest_epsilon_is_proved(capsys, mine):
    status, said = run(capsys, mine("private"), *QUICK)
    assert status == 0
    assert re.match(r"ε ≥ 0\.\d+ at δ = 0 \(held-out, 95% for all trials and testers", said)
    assert "was audited without a claim" in said
    report = json.loads(run(capsys, mine("broken"), "--delta=1e-3", *QUICK, "--json")[1])
    assert report["verdict"] == "largest ε"
    assert report["evidence"]["bound"]["delta"] == 1e-3
    assert report["evidence"]["parameter"] == report["evidence"]["bound"]["value"] > 1


def test_what_must_be_detected_decides_whether_samples_are_too_few(capsys, mine):
    asked = (mine("private"), "--claim=approx(1, 1e-5)", *QUICK)
    assert run(capsys, *asked, "--must-detect=3")[0] == 0
    status, said = run(capsys, *asked, "--must-detect=1.1")
    assert status == 3
    assert "a leak of ε at δ = 1e-5 = 1.1 would not have been found" in said
    assert main(["test", *asked, "--must-detect=1"]) == 2
    assert "--must-detect must be above what is claimed, 1" in capsys.readouterr().err


def test_the_domain_and_the_relation_are_the_persons(capsys, mine):
    asked = (mine("private"), "--claim=pure(1)", *QUICK, "--json")
    wide = (
        "--low=-3",
        "--high=3",
        "--max-records=2",
        "--neighboring-relation=substitute",
        "--integer",
        "--columns=2",
    )
    report = json.loads(run(capsys, *asked, *wide)[1])
    evidence = report["evidence"]
    assert (report["status"], report["neighboring_relation"]) == (
        1,
        "substitute",
    )  # sums change by up to 12
    assert len(evidence["dataset"]) == len(evidence["neighbor"]) <= 2
    assert all(len(record) == 2 for record in evidence["dataset"])
    assert all(x in range(-3, 4) for record in evidence["dataset"] for x in record)
    assert json.loads(run(capsys, *asked)[1])["status"] == 0


# -- formats --------------------------------------------------------------------------------------


def test_json_holds_verdict_evidence_and_each_trial(capsys, mine):
    def refuse(token):
        raise AssertionError(f"{token} is not JSON")

    asked = (mine("broken"), "--claim=pure(1)", *QUICK, "--samples=50", "--json")
    status, said = run(capsys, *asked)
    weak = json.loads(said, parse_constant=refuse)
    assert weak["status"] == status
    asked = (mine("broken"), "--claim=pure(1)", *QUICK, "--json")
    report = json.loads(run(capsys, *asked)[1], parse_constant=refuse)
    assert report["version"] == 1
    assert (report["verdict"], report["claim"]) == ("violation found", "pure(1)")
    assert report["evidence"]["bound"]["guarantee"] == "held-out"
    assert report["evidence"]["parameter"] > 1
    assert abs(len(report["evidence"]["dataset"]) - len(report["evidence"]["neighbor"])) == 1
    assert [trial["index"] for trial in report["trials"]] == [0, 1, 2, 3]
    again = json.loads(run(capsys, *asked)[1])
    assert again["evidence"] == report["evidence"]  # the same seed, the same result


def test_markdown_is_a_table(capsys, mine):
    _, said = run(capsys, mine("raises"), "--claim=pure(1)", *QUICK, "--format=markdown")
    assert said.startswith("### Privacy audit of `mine.py:raises`")
    assert "Claim `pure(1)`: **nothing tested**." in said
    rows = [line for line in said.splitlines() if line.startswith("|")]
    assert {row.replace("\\|", "").count("|") for row in rows} == {4}
    assert len(rows) == 3
    assert "4 trials lost: KeyError: 'no such &#124; column'." in said


@pytest.mark.parametrize(
    ("function", "outcome"), [("private", None), ("broken", "failure"), ("raises", "skipped")]
)
def test_junit_has_the_elements_that_jenkins_and_gitlab_read(capsys, mine, function, outcome):
    asked = (mine(function), "--claim=pure(1)", *QUICK, "--format=junit")
    said = run(capsys, *asked)[1]
    assert said.isascii()
    root = ElementTree.fromstring(said)
    assert_junit(root)
    (case,) = root.iter("testcase")
    assert (case.get("classname"), case.get("name")) == (mine(function), "pure(1)")
    suite = root.find("testsuite")
    for tag, count in (("failure", "failures"), ("skipped", "skipped")):
        assert (case.find(tag) is not None) == (tag == outcome)
        assert suite.get(count) == str(int(tag == outcome))


# -- evidence that is kept ------------------------------------------------------------------------


def test_saved_evidence_is_checked_on_fresh_outputs(capsys, mine, tmp_path):
    path = tmp_path / "found.json"
    target = mine("broken")
    _, said = run(capsys, target, "--claim=pure(1)", *QUICK, "--json", "--save", path)
    saved = MechanismAudit.load(path)
    assert saved.violation
    assert saved.best.finding.parameter == json.loads(said)["evidence"]["parameter"]

    status, said = run(capsys, target, "--replay", path)
    assert status == 1
    assert "confirmed on fresh samples: ε ≥ " in said
    status, said = run(capsys, target, "--replay", path, "--seed=7", "--samples=3000", "--json")
    replay = json.loads(said)["replay"]
    assert (status, replay["seed"], replay["samples"]) == (1, 7, 3000)
    assert not replay["fitted_anew"]
    # The repaired mechanism does not show what the broken one did.
    status, said = run(capsys, mine("private"), "--replay", path)
    assert status == 0
    assert "not confirmed" in said
    for form in ("markdown", "junit"):
        assert "confirmed" in run(capsys, target, "--replay", path, "--format", form)[1]


def test_smaller_datasets_are_shown_on_request(capsys, mine):
    asked = ("svt5", *QUICK, "--samples=5000", "--shrink")
    assert "Smaller datasets: of " in run(capsys, *asked)[1]
    report = json.loads(run(capsys, *asked, "--json")[1])
    assert report["shrunk"]["violation"]
    assert len(report["shrunk"]["dataset"]) <= len(report["evidence"]["dataset"])
    assert report["evidence"]["event"] is not None
    assert "shrunk" not in json.loads(run(capsys, mine("private"), "--claim=pure(1)", *QUICK,
                                          "--shrink", "--json")[1])  # fmt: skip


def test_a_replay_takes_the_rest_from_the_file(capsys, mine, tmp_path):
    path = tmp_path / "found.json"
    assert main(["test", mine("broken"), "--replay", str(path), "--trials=3", "--low=0"]) == 2
    assert "all comes from the file; drop --low, --trials" in capsys.readouterr().err
    path.write_text('{"version": 1}')
    assert main(["test", mine("broken"), "--replay", str(path)]) == 2
    assert "is not a saved audit" in capsys.readouterr().err


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["svt55"], "did you mean svt5"),
        (["absent.py:f"], "there is no file"),
        (["mine.py:privat"], "did you mean private?"),
        (["mine.py:private", "--claim=pure(1)", "--delta=1e-5"], "delta=1e-05 is for the largest"),
        (["mine.py:private", "--claim=private(1)"], "cannot read the claim"),
        (["mine.py:private", "--claim=pure(1)", "--testers=mmd,chi2"], "chi2"),
        (["svt5", "--trials=0"], "trials"),
        (["svt5", "--samples=10"], "samples"),
        (["svt5", "--confidence=0.05"], "did you mean 0.95"),
        (["svt5", "--time-limit=-1"], "--time-limit must be above 0"),
        (["svt5", "--workers=none"], "--workers must be a number, got 'none', or 'processes'"),
        (["svt5", "--save=nowhere/found.json"], "there is no directory nowhere"),
        (["svt5", "--replay=found.json", "--shrink"], "drop --shrink"),
        (["svt5", "--replay=nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_input_is_a_message_and_status_2(arguments, says, capsys, mine):
    assert main(["test", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_mechanism_that_hangs_loses_its_trial(capsys, mine):
    asked = (mine("hangs"), "--claim=pure(1)", *QUICK, "--trials=1", "--time-limit=0.2")
    status, said = run(capsys, *asked)
    assert status == 3
    assert "it exceeded its time limit by the clock" in said


@pytest.mark.slow
def test_workers_change_nothing(capsys, mine):
    asked = (mine("broken"), "--claim=pure(1)", *QUICK, "--json")
    here = json.loads(run(capsys, *asked)[1])
    there = json.loads(run(capsys, *asked, "--workers=2")[1])
    assert there["evidence"] == here["evidence"]


# A program in the background of a script, as of `make test &`, is started with SIGINT ignored.
@pytest.mark.parametrize("sigint", [signal.SIG_DFL, signal.SIG_IGN], ids=["default", "ignored"])
def test_ctrl_c_prints_the_partial_result_and_nothing_that_the_mechanism_prints(
    mine, tmp_path, sigint
):
    notes = tmp_path / "notes"
    arguments = (mine("noted"), "--claim=pure(1)", *QUICK, "--trials=100000", "--json")
    with program(
        [sys.executable, "-m", "workbench", "test", *arguments],
        sigint,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"NOTES": str(notes), "PYTHONPATH": str(Path(wb.__file__).parents[1])},
        text=True,
    ) as process:
        waited = time.monotonic() + 60
        while not notes.exists() or notes.stat().st_size < 100:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < waited
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, warned = process.communicate(timeout=30)
    assert process.returncode == 3
    assert set(warned.split()) == {"loading", "running"}
    report = json.loads(said)
    assert (report["verdict"], report["complete"]) == ("stopped early", False)
    done = len(report["trials"])
    assert done >= 5
    said = report["explanation"]
    assert said.startswith(f"PARTIAL RESULT, stopped after {done} of 100000 planned trials: ")


def test_progress_is_for_terminals(mine):
    reader, writer = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-m", "workbench", "test", "noisy-max", *QUICK, "--json"],
        stdout=subprocess.PIPE,
        stderr=writer,
        env=os.environ | {"PYTHONPATH": str(Path(wb.__file__).parents[1])},
        text=True,
        check=False,
    )
    os.close(writer)
    shown = os.read(reader, 10_000).decode()
    os.close(reader)
    assert "%" in shown
    assert shown.endswith("\r\x1b[K")  # nothing is left of it
    assert json.loads(process.stdout)["status"] == process.returncode


# -- the gallery ----------------------------------------------------------------------------------


def test_the_gallery_is_listed(capsys):
    assert main(["mechanisms"]) == 0
    said = capsys.readouterr().out
    for name, card in GALLERY.items():
        line = next(line for line in said.splitlines() if line.split()[:1] == [name])
        assert str(card.claim) in line
        assert ("private" if card.private else "broken") in line
        assert card.about in said
