"""Jobs of all pages give the same results in a process of their own as in a thread."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import workbench as wb
from workbench.dashboard.limits import ServerLimits
from workbench.pages.core.state import LeftBehind
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.registry import PAGES
from workbench.pages.sample_sizes import Plan
from workbench.processes.limits import on_linux
from workbench.server.work.runner import ProcessRunner
from workbench.workspaces.workspace import Workspace

pytestmark = pytest.mark.skipif(not on_linux(), reason="processes are forked on Linux only")

#: Settings with which each job is done in a moment.
TINY = {
    "onerun": {"seeds": 5},
    "mechanism": {"trials": 2, "log_samples": 3.0, "log_fresh": 3.0, "seed": 7},
    "records": {"scores_are": "log-odds"},
    "synthetic": {},
    "watch": {"sample_n": 200, "delta": 0.0},
    "selection": {"log_n": 4.0},
    "plan": {"target": 0.9, "method": "simultaneous"},
    "train": {"records": 50, "hidden": 0, "steps": 2, "log_models": 1.6},
    "coveragelab": {"log_reps": 2.0, "log_n_p": 2.0, "log_n_q": 2.0},
}

JOBS = [(name, job) for name, entry in PAGES.items() for job in entry.kind.jobs()]

#: Jobs that take minutes however small their settings are.
LONG = ("selection-train", "coveragelab-simulate", "plan-simulate", "watch-watch_many")

#: Attributes that differ from run to run: how long it took.
CLOCK = {"seconds", "cpu_seconds"}

#: Numbers that say how long it took.
TIMED = ("Runs of the mechanism", "Models")


@pytest.fixture(scope="module")
def runner():
    return ProcessRunner(ServerLimits()).of("me")


def page_of(name, runner=None):
    page = PAGES[name].kind(workspace=Workspace())
    for parameter, value in TINY[name].items():
        if parameter in page.param:
            setattr(page, parameter, value)
    page.settings()  # as front ends do, which is kept
    if runner is not None:
        page.work.runner = runner
    return page


def in_order(result):
    """A result with its parts in order: those of a plan come as they are done."""
    if not isinstance(result, Plan):
        return result
    parts = {
        "bounds": sorted(result.bounds, key=lambda one: one.n_p),
        "curve": sorted(result.curve, key=lambda one: one.n_p),
    }
    return replace(result, **{name: tuple(found) for name, found in parts.items()})


def differences(a, b, path="result"):
    """Paths at which two results differ."""
    if type(a) is not type(b):
        return [f"{path}: {type(a)} and {type(b)}"]
    if isinstance(a, np.ndarray):
        return [] if np.array_equal(a, b, equal_nan=a.dtype.kind == "f") else [path]
    if isinstance(a, dict):
        same_keys = [] if list(a) == list(b) else [f"{path}: keys"]
        return [d for k in a if k in b for d in differences(a[k], b[k], f"{path}.{k}")] + same_keys
    if isinstance(a, list | tuple):
        length = [] if len(a) == len(b) else [f"{path}: length"]
        pairs = enumerate(zip(a, b, strict=False))
        return [d for k, (x, y) in pairs for d in differences(x, y, f"{path}[{k}]")] + length
    if is_dataclass(a):
        names = [one.name for one in fields(a) if one.compare and one.name not in CLOCK]
        return [d for n in names for d in differences(getattr(a, n), getattr(b, n), f"{path}.{n}")]
    if hasattr(a, "__dict__") and not callable(a) and not isinstance(a, type):
        return differences(vars(a), vars(b), path)
    equal = a == b or (a != a and b != b) or callable(a)
    return [] if equal else [f"{path}: {a!r} and {b!r}"]


def test_the_long_jobs_are_jobs():
    assert set(LONG) <= {f"{name}-{job}" for name, job in JOBS}


@pytest.mark.parametrize(
    ("name", "job"),
    [
        pytest.param(*one, id=name, marks=[pytest.mark.exhaustive] if name in LONG else [])
        for one, name in ((one, "-".join(one)) for one in JOBS)
    ],
)
def test_a_job_has_the_same_result_in_a_process_as_in_a_thread(name, job, runner):
    here, there = page_of(name), page_of(name, runner)
    before = {"recheck": ["search"]}.get(job, [])
    for one in (*before, job):
        mine, other = here.work.run(one), there.work.run(one)
        assert mine is not None
        assert there.work.state(one).status == "done", there.work.state(one)
        assert differences(in_order(mine), in_order(other)) == []
    assert here.message == there.message == ""
    # The pages show the same, whichever process computed it.
    drawn = [{item.name: page.draw(item) for item in page.numbers()} for page in (here, there)]
    for item in here.numbers():
        if item.title not in TIMED:
            assert differences(drawn[0][item.name], drawn[1][item.name]) == []


def test_what_a_job_was_given_is_the_same_object_in_its_result(runner):
    page = page_of("mechanism", runner)
    page.work.run("search")
    page.work.run("recheck")
    assert page.rechecked.audit is page.found


MINE = """
import os
import numpy as np


def mine(dataset, size, rng):
    if os.environ.get("WORKBENCH_SECRET") or not os.getcwd().rpartition("/")[2].startswith("work"):
        raise RuntimeError("this is no sandbox")
    return np.sum(dataset) + rng.laplace(size=size)
"""


def test_a_mechanism_of_the_operator_runs_in_a_sandbox_of_the_job(runner, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_SECRET", "hunter2")
    (tmp_path / "mine.py").write_text(MINE)
    own = wb.find_mechanism(f"{tmp_path / 'mine.py'}:mine")
    page = MechanismPage(own, workspace=Workspace())
    page.param.update(trials=2, log_samples=3.0, max_records=3)
    page.settings()
    page.work.runner = runner
    found = page.work.run("search")
    assert not found.errors
    assert len(found.trials) == 2
    assert page.work.state("search").status == "done"


def test_a_page_for_a_process_has_what_the_work_needs_and_nothing_else():
    page = page_of("watch")
    scores = page.scores
    sent, values = page.for_process(("data", "log_delta"))
    assert isinstance(sent.scores, LeftBehind)
    assert sent.log_delta == page.log_delta
    assert values == {}
    assert not hasattr(sent, "workspace")
    with pytest.raises(AttributeError, match="not among the needs"):
        sent.scores.n_p  # noqa: B018
    whole, values = page.for_process(("scores",))
    assert whole.scores is values["scores"] is scores
