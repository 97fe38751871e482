"""Trackers that cannot be reached: nothing is lost, nothing doubled, nothing raised."""

import logging
import os
import subprocess
import sys
from threading import Event

import numpy as np
import pytest
from helpers.tracker_doubles import FakeMLflow, FakeWandb
from helpers.trainer_doubles import HuggingFaceTrainer, install

import workbench as wb
from workbench.trackers.entries import LogEntry
from workbench.trackers.waiting import WaitingFolder

BOUND = wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5)
KEY = "dp_audit/epsilon_lower_delta_1e-05_95pct_pointwise"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def steps(mlflow):
    return [one.step for one in mlflow.metrics["run-1", KEY]]


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_what_a_tracker_does_not_take_waits_and_is_sent_later(folder, caplog):
    mlflow = FakeMLflow()
    mlflow.fail = lambda call: True
    for step in range(3):
        assert wb.trackers.log(BOUND, mlflow, step=step).waiting == step + 1
    assert len(files(folder / "workbench-waiting")) == 3
    warnings = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "wb.trackers.flush" in warnings[0].getMessage()
    mlflow.fail = lambda call: False
    assert wb.trackers.log(BOUND, mlflow, step=3).waiting == 0
    assert steps(mlflow) == [0, 1, 2, 3]
    assert not (folder / "workbench-waiting").exists()
    mlflow.fail = lambda call: True
    wb.trackers.log(BOUND, mlflow, step=4)  # away again: it is said again
    assert len([one for one in caplog.records if one.levelno == logging.WARNING]) == 2
    mlflow.fail = lambda call: False
    assert wb.trackers.flush(mlflow) == 0
    assert steps(mlflow) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("call", ["metrics", "tags", "text"])
def test_what_arrived_without_an_answer_is_not_doubled(call):
    mlflow = FakeMLflow()
    mlflow.lost = lambda made: made == call
    assert wb.trackers.log(BOUND, mlflow, step=7).waiting == 1
    mlflow.lost = lambda made: False
    assert wb.trackers.flush(mlflow) == 0
    assert steps(mlflow) == [7]
    assert len(mlflow.texts) == 1


@pytest.mark.parametrize("call", ["log", "artifact"])
@pytest.mark.parametrize("arrives", [True, False])
def test_the_history_of_wandb_is_not_doubled(call, arrives):
    wandb = FakeWandb()
    setattr(wandb.run, "lost" if arrives else "fail", lambda made: made == call)
    waiting = wb.trackers.log(BOUND, wandb, step=7).waiting
    wandb.run.lost = wandb.run.fail = lambda made: False
    wb.trackers.log(BOUND, wandb, step=8)
    assert waiting == (not (arrives and call == "artifact"))
    assert [one["dp_audit/step"] for one in wandb.run.history] == [7, 8]
    assert wandb.run.steps == {"dp_audit/*": "dp_audit/step"}
    assert wandb.run.summary[f"{KEY}.guarantee"] == "pointwise"


def test_a_tracker_that_does_not_answer_stops_nothing():
    mlflow = FakeMLflow()
    answers, began = Event(), Event()

    def fail(call):
        began.set()
        answers.wait(60)
        return False

    mlflow.fail = fail
    assert wb.trackers.log(BOUND, mlflow, step=0, timeout=0.05).waiting == 1
    assert began.wait(60)
    # The first call was waited for in vain, so later ones do not wait, however long they might.
    for step in (1, 2):
        assert wb.trackers.log(BOUND, mlflow, step=step, timeout=1e6).waiting == step + 1
    answers.set()
    while wb.trackers.flush(mlflow):
        pass
    assert steps(mlflow) == [0, 1, 2]


def test_a_program_that_was_killed_has_lost_nothing(folder):
    """Another program sends what it left, though the run was another one."""
    code = (
        "import os\n"
        "from helpers.tracker_doubles import FakeMLflow\n"
        "import workbench as wb\n"
        "mlflow = FakeMLflow()\n"
        "mlflow.fail = lambda call: os._exit(9)\n"
        "bound = wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5)\n"
        "wb.trackers.log(bound, mlflow, step=5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert done.returncode == 9
    assert len(files(folder / "workbench-waiting")) == 1
    elsewhere = FakeMLflow(run="run-2", uri="http://another")
    assert wb.trackers.flush(elsewhere) == 0
    assert not elsewhere.metrics
    mlflow = FakeMLflow(run="run-2")
    assert wb.trackers.flush(mlflow) == 0
    assert steps(mlflow) == [5]


def test_an_entry_that_another_program_sends_is_left_to_it(folder):
    fcntl = pytest.importorskip("fcntl")
    mlflow = FakeMLflow()
    mlflow.fail = lambda call: True
    wb.trackers.log(BOUND, mlflow, step=1)
    mlflow.fail = lambda call: False
    (name,) = files(folder / "workbench-waiting")
    with (folder / "workbench-waiting" / name).open("r+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert wb.trackers.flush(mlflow) == 1
        assert steps(mlflow) == []
    assert wb.trackers.flush(mlflow) == 0
    assert steps(mlflow) == [1]


def test_an_entry_that_is_never_taken_holds_up_no_other():
    mlflow = FakeMLflow()
    refused = []

    def fail(call):
        if not refused and call == "metrics":
            refused.append(call)
            return True
        return False

    mlflow.fail = fail
    wb.trackers.log(BOUND, mlflow, step=1)
    refused.clear()
    wb.trackers.log(BOUND, mlflow, step=2)
    assert steps(mlflow) == [2]
    assert wb.trackers.flush(mlflow) == 0
    assert steps(mlflow) == [2, 1]


def test_a_damaged_entry_is_named_and_left(folder, caplog):
    (folder / "q").mkdir()
    (folder / "q" / "0.entry.json").write_text("{")
    mlflow = FakeMLflow()
    assert wb.trackers.log(BOUND, mlflow, queue=folder / "q").waiting == 0
    assert "0.entry.json cannot be read" in caplog.text
    assert files(folder / "q") == ["0.entry.json"]


def test_a_folder_that_cannot_be_written_loses_nothing_that_is_taken(folder, caplog):
    (folder / "q").write_text("no folder")
    mlflow = FakeMLflow()
    assert wb.trackers.log(BOUND, mlflow, step=1, queue=folder / "q").waiting == 0
    assert steps(mlflow) == [1]
    mlflow.fail = lambda call: True
    assert wb.trackers.log(BOUND, mlflow, step=2, queue=folder / "q").waiting == 1
    assert f'"{KEY}"' in caplog.text  # the log has the entry


def test_entries_are_read_as_they_were_written(tmp_path):
    entry = LogEntry("mlflow", "w", "r", 3, {"a": float("inf"), "b": 0.1}, {"c": "ε"}, {"d": "e"})
    assert LogEntry.from_json(entry.to_json()) == entry
    for text in ("", "[]", "{}", '{"version": 2}', entry.to_json().replace('"step": 3', '"st": 3')):
        with pytest.raises(ValueError, match="no entry for a tracker"):
            LogEntry.from_json(text)
    waiting = WaitingFolder(tmp_path / "deep" / "folder")
    waiting.add(entry)
    ((_, found),) = waiting.entries("mlflow", "w")
    assert found == entry
    assert waiting.entries("mlflow", "v") == waiting.entries("wandb", "w") == []


# -- from a training -------------------------------------------------------------------------------


def watched(mlflow, monkeypatch, **more):
    install(monkeypatch)
    canaries = wb.live.RecordCanaries(40, seed=1)
    audit = wb.live.CanaryAudit(canaries, steps=12)
    callback = wb.live.hugging_face_callback(
        audit, lambda model: canaries.included * 1.0, tracker=mlflow, **more
    )
    HuggingFaceTrainer(callback, "model").train()
    return audit


def test_each_look_of_a_training_is_logged(monkeypatch):
    mlflow = FakeMLflow()
    audit = watched(mlflow, monkeypatch)
    found = mlflow.metrics["run-1", "dp_audit/epsilon_lower_delta_1e-05_95pct_anytime"]
    assert tuple(one.step for one in found) == audit.looks.planned
    assert [one.value for one in found] == audit.state.values.tolist()
    assert np.diff([one.value for one in found]).min() >= 0


def test_a_tracker_that_is_away_at_first_has_all_looks_at_the_end(monkeypatch):
    mlflow = FakeMLflow()
    mlflow.fail = lambda call: len(mlflow.calls) < 10
    audit = watched(mlflow, monkeypatch)
    found = mlflow.metrics["run-1", "dp_audit/epsilon_lower_delta_1e-05_95pct_anytime"]
    assert tuple(sorted(one.step for one in found)) == audit.looks.planned


def test_what_is_no_tracker_is_named_before_the_training(monkeypatch):
    with pytest.raises(TypeError, match="module mlflow or wandb"):
        watched(object(), monkeypatch)
    with pytest.raises(ValueError, match="no active run"):
        watched(FakeMLflow(run=None), monkeypatch)


def test_a_run_that_ends_under_the_audit_ends_no_training(monkeypatch, caplog):
    mlflow = FakeMLflow()
    mlflow.fail = lambda call: setattr(mlflow, "active", None) or False
    assert watched(mlflow, monkeypatch).step == 12
    assert "could not be given to the tracker" in caplog.text
