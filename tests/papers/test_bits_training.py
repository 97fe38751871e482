"""BITS' audits of one training, made small, and the loader of the data that they had."""

import numpy as np
import pytest

import workbench as wb
from benchmarks.papers import cifar10
from benchmarks.papers.bits import interfering, trained
from benchmarks.papers.run import Run


@pytest.mark.slow
def test_canary_gradients_show_the_flaw_and_clear_the_right_procedure():
    for bug, norm, shown in (("none", 1.0, False), ("divided-first", 16.0, True)):
        pilot, run = trained.trained(1.0, 1000, 2, bug, norm)
        assert (trained.bits(run, trained.best_threshold(pilot)) > 1) == shown
        assert (trained.steinke(run) > 1) == shown


def test_the_best_threshold_is_that_of_all_candidates():
    run = wb.OneRun([0.1, 0.4, 0.2, 0.9, 0.5], [False, True, False, True, False])
    best = trained.best_threshold(run)
    wrong = [((run.scores > t) != run.included).sum() for t in run.scores]
    assert ((run.scores > best) != run.included).sum() == min(wrong) == 1


@pytest.mark.slow
def test_theory_is_what_a_training_without_records_shows(tmp_path):
    run = Run(tmp_path)
    without = trained.bounds(run, 8.0, 1000, data="no records")["BITS"]
    # A bound of 1000 canaries has a standard deviation of about 0.6.
    assert np.mean(without) == pytest.approx(trained.theory(run, 8.0, 1000), abs=1.0)


@pytest.mark.slow
def test_random_canaries_interfere_in_a_training_as_simulated(tmp_path):
    run = Run(tmp_path)
    memoryless = np.mean(interfering.trained(run, "dirac", 650, 0))
    shared = np.mean(interfering.trained(run, "random", 1000, 0))
    assert shared == pytest.approx(interfering.simulated(run, "random", 1000), abs=1.0)
    assert memoryless > 2 * shared


def written(folder, labels):
    rows = np.zeros((len(labels), cifar10.RECORD), np.uint8)
    rows[:, 0], rows[:, 1:] = labels, 255
    folder.mkdir()
    rows[:2].tofile(folder / "data_batch_1.bin")
    rows[2:].tofile(folder / "data_batch_2.bin")


def test_cifar_10_is_read_where_its_files_are(tmp_path, monkeypatch):
    monkeypatch.setenv("CIFAR10", str(tmp_path / "bin"))
    assert cifar10.cifar10() is None
    written(tmp_path / "bin", [3, 1, 9])
    data = cifar10.cifar10()
    assert (data.size, data.features, data.classes) == (3, 3072, 10)
    assert data.y.tolist() == [3, 1, 9]
    assert data.x.min() == data.x.max() == 1
    assert cifar10.cifar10(2).y.tolist() == [3, 1]
    (tmp_path / "bin" / "data_batch_2.bin").write_bytes(b"short")
    with pytest.raises(ValueError, match="records of 3073 bytes, got 5 bytes"):
        cifar10.cifar10()


def test_a_figure_takes_cifar_10_or_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("CIFAR10", str(tmp_path / "bin"))
    with pytest.raises(ValueError, match="cifar-10 is not at hand"):
        trained.trained(1.0, 1000, 1, data="cifar-10")
    written(tmp_path / "bin", [0, 1, 2, 3])
    (run,) = trained.trained(1.0, 1000, 1, data="cifar-10")
    assert run.scores.size == 1000
