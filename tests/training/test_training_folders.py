"""Training runs in folders: continued, spread, read by others, and kept from other programs."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.progress import Cancelled
from workbench.training import (
    BlackBox,
    CanariesInOneRun,
    DPSGDSettings,
    ManyRecords,
    Network,
    RunFolderError,
    TrainingPlan,
    TrainingPlanError,
    labeled_data,
    open_run,
    run_training_audit,
)
from workbench.training.runs import folder as folders
from workbench.training.runs import tasks, whole_file

SETTINGS = DPSGDSettings(
    Network((64, 6, 10)), steps=2, sample_rate=0.5, noise_multiplier=1.0, expected_batch=20
)


@pytest.fixture(scope="module")
def data():
    return labeled_data("digits").take(range(40))


@pytest.fixture(scope="module")
def audit(data):
    return BlackBox(SETTINGS, data, models=24)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    """Tasks of a few models, so that a run has many parts."""
    monkeypatch.setattr(tasks, "MOST", 3)


def stop_after(parts):
    """A report that cancels the work once so many parts are kept."""
    seen = []

    def report(fraction=None, message=None, partial=None):
        if fraction is not None:
            seen.append(fraction)
        if len(seen) >= parts:
            raise Cancelled

    return report


def same_rows(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in vars(a))


@pytest.fixture(scope="module")
def whole(audit):
    with ThreadPoolExecutor(1) as one:
        return run_training_audit(audit, seed=5, executor=one)


def test_a_run_that_was_stopped_is_continued_with_the_same_rows(tmp_path, audit, whole, threads):
    with pytest.raises(Cancelled):
        run_training_audit(audit, 5, stop_after(3), threads, tmp_path / "run")
    part = open_run(tmp_path / "run")
    assert 0 < part.models < 24
    assert not part.complete
    said = []
    run = run_training_audit(
        audit, 5, lambda f=None, m=None, p=None: said.append(m), threads, tmp_path / "run"
    )
    assert next(filter(None, said)) == f"{part.models} of 24 models"
    assert run.complete
    assert same_rows(run.rows, whole.rows)
    assert run.cpu_seconds > part.cpu_seconds > 0
    again = open_run(tmp_path / "run")
    assert same_rows(again.rows, whole.rows)
    assert len(again.provenance["sessions"]) == 2


def test_partial_results_are_the_first_models(audit, threads, monkeypatch):
    monkeypatch.setattr("workbench.training.runs.run.PACE", 0.0)
    partials = []
    run = run_training_audit(
        audit, 5, lambda f=None, m=None, p=None: partials.append(p) if p else None, threads
    )
    assert partials
    for one in partials:
        assert np.array_equal(one.trained.models, np.arange(one.models))
        assert same_rows(one.rows, run.rows.of_models(one.trained.models))


def test_other_programs_read_the_folder_without_an_option(tmp_path, audit, threads):
    run = run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    for place in (tmp_path / "run", tmp_path / "run" / "scores.parquet"):
        scores = wb.read_scores(place)
        assert not scores.larger_is_member
        assert scores.sampling == "independent runs"
        assert scores.name == run.result.name
        np.testing.assert_array_equal(np.sort(scores.p), np.sort(run.result.p))
        np.testing.assert_array_equal(np.sort(scores.q), np.sort(run.result.q))
    assert wb.read_scores(place, larger_is_member=True).larger_is_member
    assert not (tmp_path / "run" / "parts").exists()


def test_one_run_and_score_tables_are_opened_as_such(tmp_path, data, threads):
    one = CanariesInOneRun(SETTINGS, data, models=1, canaries=20)
    run = run_training_audit(one, 1, executor=threads, folder=tmp_path / "one")
    found = wb.read_one_run(tmp_path / "one")
    np.testing.assert_array_equal(found.scores, run.result.scores)
    np.testing.assert_array_equal(found.included, run.result.included)
    assert found.larger_is_member == run.result.larger_is_member
    assert found.design == run.result.design
    assert wb.read_scores(tmp_path / "one").sampling == "one run"
    many = ManyRecords(SETTINGS, data, models=16, records=12)
    run = run_training_audit(many, 1, executor=threads, folder=tmp_path / "many")
    table = wb.read_score_table(tmp_path / "many")
    np.testing.assert_array_equal(table.member, run.result.member)
    np.testing.assert_array_equal(table.matrix, run.result.matrix)
    assert table.larger_is_member == run.result.larger_is_member
    assert table.sampling == run.result.sampling == "independent runs"
    for read in (wb.read_scores, wb.read_one_run):  # rows of one model are not independent
        with pytest.raises(wb.ScoresError, match=r"read it with wb\.read_score_table"):
            read(tmp_path / "many")


def test_a_run_that_is_not_finished_is_refused_as_scores(tmp_path, audit, threads):
    with pytest.raises(Cancelled):
        run_training_audit(audit, 5, stop_after(1), threads, tmp_path / "run")
    for read in (wb.read_scores, wb.read_one_run, wb.read_score_table):
        with pytest.raises(wb.ScoresError, match="is not finished; continue it with"):
            read(tmp_path / "run")
    claimed = TrainingPlan(audit, 5, claim="accountant")
    with pytest.raises(ValueError, match="would depend on when one looks"):
        _ = replace(open_run(tmp_path / "run"), plan=claimed).verdict


def test_another_plan_and_other_files_are_refused(tmp_path, audit, threads):
    run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    with pytest.raises(RunFolderError, match="seed is 5 there, and 6 here"):
        run_training_audit(audit, 6, executor=threads, folder=tmp_path / "run")
    longer = replace(audit, settings=replace(SETTINGS, steps=3))
    with pytest.raises(RunFolderError, match=r"settings\.steps is 2 there, and 3 here"):
        run_training_audit(longer, 5, executor=threads, folder=tmp_path / "run")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.tex").write_text("x")
    with pytest.raises(RunFolderError, match=r"holds other files, such as 'thesis.tex'"):
        run_training_audit(audit, 5, executor=threads, folder=tmp_path / "own")
    assert os.listdir(tmp_path / "own") == ["thesis.tex"]
    with pytest.raises(RunFolderError, match="is a file; name a folder"):
        run_training_audit(audit, 5, folder=tmp_path / "own" / "thesis.tex")
    with pytest.raises(RunFolderError, match="no training run"):
        open_run(tmp_path / "own")


def test_two_programs_do_not_train_in_one_folder(tmp_path, audit, threads):
    with (
        folders.RunFolder(tmp_path / "run").in_use(),
        pytest.raises(RunFolderError, match="another program is training"),
    ):
        run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")


def test_a_full_disk_leaves_what_was_kept(tmp_path, audit, whole, threads, monkeypatch):
    written = []

    def fsync(number):
        written.append(number)
        if len(written) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(whole_file.os, "fsync", fsync)
    with pytest.raises(OSError, match="No space left"):
        run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    part = open_run(tmp_path / "run")
    assert part.models > 0
    assert same_rows(part.rows, whole.rows.of_models(part.trained.models))
    assert not list(tmp_path.rglob(f"{whole_file.UNFINISHED}*"))
    monkeypatch.undo()
    run = run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    assert same_rows(run.rows, whole.rows)


def test_damaged_parts_are_trained_again(tmp_path, audit, whole, threads, caplog):
    with pytest.raises(Cancelled):
        run_training_audit(audit, 5, stop_after(3), threads, tmp_path / "run")
    first, second, *_ = sorted((tmp_path / "run" / "parts").iterdir())
    first.write_bytes(b"")
    second.write_bytes(second.read_bytes()[:-9])
    (tmp_path / "run" / "parts" / ".unfinished-1").write_bytes(b"half")
    run = run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    assert same_rows(run.rows, whole.rows)
    assert "is damaged, its models are not used" in caplog.text


def test_many_parts_become_one(tmp_path, audit, whole, threads, monkeypatch):
    monkeypatch.setattr(folders, "MOST_PARTS", 2)
    with pytest.raises(Cancelled):
        run_training_audit(audit, 5, stop_after(6), threads, tmp_path / "run")
    assert (tmp_path / "run" / "rows.parquet").is_file()
    assert len(list((tmp_path / "run" / "parts").iterdir())) <= 2
    assert same_rows(open_run(tmp_path / "run").rows, whole.rows.of_models(range(24))) is False
    run = run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    assert same_rows(run.rows, whole.rows)


def test_parts_that_are_merged_and_not_yet_deleted_count_once(tmp_path, audit, threads):
    run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    rows = tmp_path / "run" / "rows.parquet"
    (tmp_path / "run" / "parts").mkdir()
    (tmp_path / "run" / "parts" / "000007.parquet").write_bytes(rows.read_bytes())
    assert open_run(tmp_path / "run").models == 24


def test_data_of_ones_own(tmp_path, threads):
    rng = np.random.default_rng(0)
    from workbench.training import LabeledData

    own = LabeledData(rng.random((40, 5)), rng.integers(0, 2, 40), 2, "mine")
    audit = BlackBox(replace(SETTINGS, network=Network((5, 2))), own, models=8)
    run = run_training_audit(audit, 0, executor=threads, folder=tmp_path / "run")
    assert same_rows(open_run(tmp_path / "run", own).rows, run.rows)
    with pytest.raises(TrainingPlanError, match="own, 'mine' of 40 records; give them as data="):
        open_run(tmp_path / "run")
    other = replace(audit, data=own.take(np.arange(40)[::-1]))
    with pytest.raises(RunFolderError, match="other data of the same name"):
        run_training_audit(other, 0, executor=threads, folder=tmp_path / "run")


def test_provenance(tmp_path, audit, threads):
    run = run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    said = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run.provenance == said
    assert said["seed"] == 5
    assert said["parameters"]["settings"]["noise_multiplier"] == 1.0
    assert said["reference"]["pair"] == "DPSGDPair"
    assert len(said["data_sha256"]) == 64
    assert {"numpy", "python", "dp-audit-workbench"} <= set(said["sessions"][0]["software"])
    assert said["finished"] >= said["sessions"][0]["began"]
    assert said["cpu_seconds"] > 0


def test_other_versions_are_said(tmp_path, audit, threads, caplog):
    with pytest.raises(Cancelled):
        run_training_audit(audit, 5, stop_after(1), threads, tmp_path / "run")
    about = tmp_path / "run" / "run.json"
    about.write_text(about.read_text().replace('"numpy": "', '"numpy": "0.'))
    run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    assert "begun with other versions (numpy 0." in caplog.text


def test_a_folder_of_another_format_is_not_touched(tmp_path, audit, threads):
    run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")
    about = tmp_path / "run" / "run.json"
    about.write_text(about.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(RunFolderError, match="another version of the workbench"):
        open_run(tmp_path / "run")
    about.write_text("{")
    with pytest.raises(RunFolderError, match=r"run.json' is damaged"):
        run_training_audit(audit, 5, executor=threads, folder=tmp_path / "run")


@pytest.mark.slow
def test_the_workers_of_a_cluster_give_the_same_rows(audit, whole):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        run = run_training_audit(audit, 5, executor=client.get_executor())
    assert same_rows(run.rows, whole.rows)


@pytest.mark.slow
def test_processes_give_the_same_rows(audit, whole):
    assert same_rows(run_training_audit(audit, 5).rows, whole.rows)
