"""The record of the places where people wait: what is kept, shown, and said to be slower."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.report import HEADING, row
from benchmarks.waits.measuring import Wait, cpu_of, printed_by
from benchmarks.waits.record import (
    RECORD,
    REGRESSION,
    Measured,
    all_waits,
    measured,
    read,
    regressions,
    write,
)

ONE = Measured(
    work="csv of 10⁷ rows",
    unit="CPU s",
    goal="at most 2.5 CPU s",
    ours=2.0,
    peer="pandas.read_csv",
    theirs=1.0,
    ratio=2.0,
    date="2026-11-28",
    machine="x86_64, 2 cores",
)


def test_a_ratio_that_grew_by_more_than_30_percent_is_slower():
    assert REGRESSION == 1.3
    slower = regressions([replace(ONE, ratio=2.61)], [ONE])
    assert slower == {ONE.work: "slower: 2 on 2026-11-28"}
    assert row(replace(ONE, ratio=2.61), slower[ONE.work])[3] == "2.61 slower: 2 on 2026-11-28"
    assert not regressions([replace(ONE, ratio=2.6)], [ONE])


def test_figures_alone_are_no_regression_where_the_peer_is_slower_too():
    assert not regressions([replace(ONE, ours=20.0, theirs=10.0)], [ONE])


@pytest.mark.parametrize("change", [{"peer": "pyarrow"}, {"work": "another"}])
def test_what_was_compared_with_something_else_is_no_regression(change):
    assert not regressions([replace(ONE, ratio=9.0, **change)], [ONE])


def test_a_peer_that_is_not_installed_is_no_regression_and_is_named():
    def peer():
        raise ImportError

    wait = Wait("w", "at most 1 CPU s", lambda tree: 1.0, peer="missing", measure_peer=peer)
    line = measured(wait, repetitions=1)
    assert math.isnan(line.ratio)
    assert not regressions([line], [replace(line, ratio=0.1)])
    assert row(line)[2] == "missing: not installed"


def test_a_wait_is_the_median_of_its_repetitions_in_turns_with_its_peer():
    figures = iter([3.0, 1.0, 2.0])
    turns = []

    def ours(tree):
        turns.append("ours")
        return next(figures)

    def peer():
        turns.append("peer")
        return 4.0

    line = measured(Wait("w", "", ours, peer="other", measure_peer=peer), repetitions=3)
    assert (line.ours, line.theirs, line.ratio) == (2.0, 4.0, 0.5)
    assert turns == ["ours", "peer"] * 3


def test_the_record_keeps_lines_of_other_work(tmp_path):
    path = tmp_path / "waits.csv"
    write([ONE, replace(ONE, work="other", peer="", theirs=math.nan)], path)
    write([replace(ONE, ours=1.5)], path)
    first, second = read(path)
    assert first == replace(ONE, ours=1.5)
    assert second.work == "other"
    assert second.peer == ""
    assert math.isnan(second.theirs)


def test_seconds_are_those_of_a_process_and_what_it_starts():
    burn = "import time\nwhile time.process_time() < {}: pass"
    inner = burn.format(0.2)
    outer = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {inner!r}])"
    assert 0.2 <= cpu_of(["-c", outer]) < 5
    with pytest.raises(RuntimeError, match="no such"):
        printed_by("raise OSError('no such')")


def test_another_checkout_is_measured_with_its_own_code(tmp_path):
    package = tmp_path / "workbench"
    package.mkdir()
    (package / "__init__.py").write_text("figure = 7")
    assert printed_by("import workbench; print(workbench.figure)", tree=tmp_path) == 7


def test_each_wait_has_a_name_of_its_own_and_a_goal():
    waits = list(all_waits())
    assert len({wait.work for wait in waits}) == len(waits)
    assert all(wait.goal for wait in waits)


def test_the_record_that_the_documentation_shows_is_of_these_waits():
    with RECORD.open(newline="") as lines:
        shown = [line["work"] for line in csv.DictReader(lines)]
    assert shown
    assert set(shown) <= {wait.work for wait in all_waits()}
    page = (Path(RECORD).parent / "performance.md").read_text()
    assert RECORD.name in page
    assert len(HEADING) == 7
