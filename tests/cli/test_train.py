"""The command `workbench train`, as people use, stop and kill it."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.programs import program

from workbench.cli import main
from workbench.training import Rows, open_run, plans, read_plan

PLAN = """\
[data]
name = "digits"
rows = 60
[network]
sizes = [64, 8, 10]
[training]
steps = {steps}
sample_rate = 0.5
expected_batch = 30
noise_multiplier = {noise}
bug = "{bug}"
learning_rate = 0.02
[audit]
kind = "black-box"
record = {{ kind = "mislabeled" }}
{claim}
[run]
models = {models}
seed = 3
"""

CLAIM = '[claim]\nclaim = "accountant"'


def plan_file(tmp_path, steps=2, models=8, claim="", bug="none", noise=1.0):
    path = tmp_path / "small.toml"
    path.write_text(
        PLAN.format(steps=steps, models=models, claim=claim, bug=bug, noise=noise),
        encoding="utf-8",
    )
    return path


def command(*arguments):
    return [sys.executable, "-m", "workbench", "train", *map(str, arguments)]


@pytest.fixture
def in_threads(monkeypatch):
    """No new processes, which take seconds to start."""
    monkeypatch.setattr("workbench.cli.training.train.new_processes", ThreadPoolExecutor)


def test_a_plan_is_trained_and_its_folder_opened(tmp_path, capsys, in_threads):
    out = tmp_path / "out"
    plan = plan_file(tmp_path)
    assert main(["train", str(plan), "--out", str(out), "--workers", "1"]) == 0
    printed = capsys.readouterr()
    assert "8 models" in printed.out
    assert "n_p=4, n_q=4, smaller is member-like, sampling='independent runs'" in printed.out
    assert printed.err == ""  # progress is for terminals
    assert main(["train", str(plan), "--out", str(out), "--workers", "1"]) == 0  # nothing to do
    capsys.readouterr()
    assert main(["audit", str(out)]) in (0, 4)
    assert "smaller is member-like" in capsys.readouterr().out


def test_the_folder_is_named_as_the_plan(tmp_path, capsys, monkeypatch, in_threads):
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(plan_file(tmp_path)), "--workers", "1"]) == 0
    assert open_run(tmp_path / "small").complete


def test_the_exit_status_is_the_verdict(tmp_path, capsys, in_threads):
    plan = plan_file(tmp_path, claim=CLAIM)
    assert main(["train", str(plan), "--out", str(tmp_path / "few"), "--workers", "1"]) == 3
    assert "claim: " in capsys.readouterr().out
    # No noise, under a claim of much noise.
    plan = plan_file(tmp_path, 20, 80, CLAIM, "no-noise", noise=50.0)
    assert main(["train", str(plan), "--out", str(tmp_path / "bug"), "--workers", "1"]) == 1
    assert ": refuted" in capsys.readouterr().out


def test_a_claim_that_is_not_judged_is_named(tmp_path, capsys, in_threads):
    plan = plan_file(tmp_path, claim=CLAIM, models=1)
    one = plan.read_text().replace('"black-box"', '"one-run"\ncanaries = 20')
    plan.write_text(one.replace('record = { kind = "mislabeled" }\n', ""))
    assert main(["train", str(plan), "--out", str(tmp_path / "one"), "--workers", "1"]) == 3
    printed = capsys.readouterr().out
    assert "not judged, for the result is a OneRun" in printed
    assert ": 1 model, " in printed


@pytest.mark.parametrize("name", plans())
def test_bundled_plans_are_printed(capsys, name):
    assert main(["train", name, "--print"]) == 0
    assert capsys.readouterr().out.rstrip() == read_plan(name).to_toml().rstrip()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.toml"], "there is no file 'nothing.toml'"),
        (["PLAN", "--workers", "0"], "--workers must be a whole number of at least 1"),
        (["PLAN", "--out", "PLAN"], "is a file; name a folder"),
        (["PLAN", "--out", "/proc/run"], "cannot be written (No such file or directory)"),
        (["/proc"], "there is no file '/proc'"),
    ],
)
def test_bad_input(tmp_path, capsys, arguments, said):
    plan = str(plan_file(tmp_path))
    assert main(["train", *[plan if one == "PLAN" else one for one in arguments]]) == 2
    assert said in capsys.readouterr().err


def test_a_bad_plan_names_its_line(tmp_path, capsys):
    plan = plan_file(tmp_path, steps='"many"')
    assert main(["train", str(plan)]) == 2
    assert f"{plan}, line 7: training.steps must be" in capsys.readouterr().err


def test_a_full_disk(tmp_path, capsys, monkeypatch, in_threads):
    def full(number):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("workbench.training.runs.whole_file.os.fsync", full)
    assert main(["train", str(plan_file(tmp_path)), "--out", str(tmp_path / "out")]) == 3
    assert "stopped: No space left on device. nothing is kept" in capsys.readouterr().err


def wait_for_parts(folder, process, parts=2):
    """Wait until so many parts are kept; no time limit but that of the test."""
    while len(list((folder / "parts").glob("[0-9]*.parquet"))) < parts:
        assert process.poll() is None, "it ended first"
        time.sleep(0.02)


@pytest.mark.slow
def test_a_killed_run_is_continued_with_the_same_scores(tmp_path, capsys, in_threads):
    out = tmp_path / "out"
    plan = plan_file(tmp_path, steps=100, models=200)
    again = ["train", str(plan), "--out", str(out), "--workers", "1"]
    with program(command(plan, "--out", out, "--workers", 1)) as first:
        wait_for_parts(out, first)
        assert main(again) == 2
        assert "another program is training" in capsys.readouterr().err
        first.send_signal(signal.SIGKILL)
        first.wait()
    kept = open_run(out)
    assert 0 < kept.models < 200
    assert main(["train", str(out), "--workers", "1"]) == 0
    run = open_run(out)
    assert run.complete
    assert len(run.provenance["sessions"]) == 2
    audit, scored = run.audit, [0, int(kept.trained.models[-1]), 199]
    fresh = Rows.joined(audit.score_model(i, audit.generator(3, i)) for i in scored)
    np.testing.assert_array_equal(run.rows.of_models(scored).score, fresh.score)


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_can_be_continued(tmp_path):
    out = tmp_path / "out"
    plan = plan_file(tmp_path, steps=100, models=2000)
    with program(
        command(plan, "--out", out, "--workers", 1), stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_parts(out, process)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait() == 130
    assert "models are kept in" in said
    assert f"'workbench train {out}' continues" in said
    assert 0 < open_run(out).models < 2000
