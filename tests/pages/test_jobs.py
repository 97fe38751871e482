"""Long work: snapshots, progress, cancelling, what stays; and many tasks in processes."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import param
import pytest
from helpers.programs import program

from workbench.assets import board as assets
from workbench.pages.core import jobs
from workbench.pages.core.jobs import EVERY, job
from workbench.pages.core.page import Control, Fact, Page, Section, derived, number
from workbench.parallel import cores, map_in_processes
from workbench.progress import Cancelled, silent

PATIENCE = 30


class Steps(Page):
    """Counts up, one step each time that the test allows it."""

    title = "Steps"
    controls = (
        Section("Steps", (Control("n"), Control("other"))),
        Section("Count", (Control("count", when=lambda page: page.n > 1),)),
    )
    n = param.Integer(5, bounds=(1, 1_000_000), label="Steps")
    other = param.Number(0.0, bounds=(0, 1), label="Other")
    found = param.Parameter(precedence=-1)

    def __init__(self, **params):
        super().__init__(**params)
        self.allowed = threading.Semaphore(0)
        self.reported = []  # shared with snapshots

    @derived(needs=("n",))
    def twice(self):
        return 2 * self.n

    @job("Count the steps", needs=("twice",), into="found")
    def count(self, report):
        "One after the other."
        if self.n == 13:
            raise ValueError("13 is unlucky")
        found = ()
        for k in range(self.n):
            while not self.allowed.acquire(timeout=0.01):
                report()
            found = (*found, k)
            report((k + 1) / self.n, f"step {k + 1}", found)
            self.reported.append(k)
        self.n = 1  # of the snapshot: nobody sees it
        return (*found, "end")

    @number("Found", needs=("found",))
    def how_many(self):
        return Fact(str(len(self.found or ())))

    def allow(self, steps):
        for _ in range(steps):
            self.allowed.release()


@pytest.fixture
def page():
    made = Steps()
    yield made
    made.work.end()


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ended(page):
    until(lambda: not page.work.state("count").running)
    return page.work.state("count")


def test_a_job_works_on_a_snapshot_and_its_result_says_what_it_rests_on(page):
    page.work.begin("count")
    page.n = 3
    page.allow(5)
    state = ended(page)
    assert page.found == (0, 1, 2, 3, 4, "end")
    assert page.n == 3
    assert (state.status, state.fraction, state.shown, state.stale) == (
        "done",
        1.0,
        "this run",
        True,
    )
    assert state.words.startswith("Done in ")
    assert state.words.endswith("The settings have changed since.")
    page.n = 5
    assert not page.work.state("count").stale
    page.other = 0.5  # the job does not rest on it
    assert not page.work.state("count").stale


def test_nothing_that_a_snapshot_sets_is_seen_by_those_who_watch_the_page(page):
    seen = []
    page.param.watch(seen.append, "n")
    twin = page.snapshot()
    twin.n = 7
    assert (twin.n, twin.twice(), page.n, page.twice(), seen) == (7, 14, 5, 10, [])
    page.n = 6
    assert (twin.n, page.twice(), len(seen)) == (7, 12, 1)


class Marked(Steps):
    """Notes on itself that its steps were changed."""

    changed = param.Boolean(False, precedence=-1)

    def __init__(self, **params):
        super().__init__(**params)
        self.param.watch(self._mark, "n")

    def _mark(self, *events):
        self.changed = True


def test_a_page_goes_on_watching_itself_after_a_snapshot():
    page = Marked()
    twin = page.snapshot()
    page.n = 3
    assert (page.changed, twin.changed) == (True, False)


def test_progress_and_partial_results_come_while_it_runs(page, monkeypatch):
    monkeypatch.setattr(jobs, "EVERY", 0.0)
    page.work.begin("count")
    page.allow(4)
    until(lambda: page.work.state("count").fraction == 0.8)
    state = page.work.state("count")
    assert (state.running, state.words, len(page.found)) == (True, "step 4", 4)
    assert page.how_many().text == "4"
    page.work.begin("count")  # once is enough
    page.allow(1)
    ended(page)
    assert page.found[-1] == "end"


def test_cancelling_keeps_the_last_partial_result_even_one_that_was_not_told(page):
    page.work.begin("count")
    page.allow(3)
    until(lambda: len(page.reported) == 3)
    page.work.cancel("count")
    assert page.work.state("count").words in ("Cancelling …", ended(page).words)
    assert page.found == (0, 1, 2)
    assert page.work.state("count").words.endswith("The result shown is partial.")
    page.n = 4
    page.work.begin("count")
    page.work.cancel("count")
    assert ended(page).words.endswith(
        "The result shown is from an earlier run. The settings have changed since."
    )
    assert page.message == ""


def test_many_reports_are_few_changes_of_the_page(page, monkeypatch):
    changes, clock = [], itertools.count(1)
    a_hundred_to_one = SimpleNamespace(monotonic=lambda: next(clock) * EVERY / 100)
    monkeypatch.setattr(jobs, "time", a_hundred_to_one)
    page.param.watch(changes.append, "found")
    page.n = 20_000
    page.allow(20_000)
    page.work.run("count")
    assert 20_000 / 100 <= len(changes) <= 3 + next(clock) / 100


def test_an_error_is_shown_and_the_earlier_result_stays(page):
    page.allow(5)
    assert page.work.run("count") == (0, 1, 2, 3, 4, "end")
    page.n = 13
    with pytest.raises(ValueError, match="unlucky"):
        page.work.run("count")
    assert page.message == "Count the steps: 13 is unlucky"
    page.message = ""
    page.work.begin("count")
    state = ended(page)
    assert (state.status, state.error, state.shown) == (
        "failed",
        "13 is unlucky",
        "an earlier run",
    )
    assert page.message == "Count the steps: 13 is unlucky"
    assert page.found[-1] == "end"


def test_a_result_that_was_taken_away_is_not_spoken_of(page):
    page.allow(5)
    page.work.run("count")
    page.found = None
    page.n = 4
    assert page.work.state("count").shown == "nothing"
    assert not page.work.state("count").stale


def test_a_double_click_begins_a_job_and_does_not_cancel_it(page, monkeypatch):
    def direct(key, change):
        change()

    page.work.press("count", direct)
    page.work.press("count", direct)
    assert page.work.state("count").words == "Starting …"
    monkeypatch.setattr(jobs, "DOUBLE_CLICK", 0.0)
    page.work.press("count", direct)
    assert ended(page).status == "cancelled"


def test_changes_are_made_where_the_front_end_wants_them(page):
    posted = {}
    page.allow(5)
    page.work.begin("count", posted.__setitem__)
    until(lambda: not any(t.name == "job-count" for t in threading.enumerate()))
    assert page.found is None
    assert list(posted) == [("job", "count")]  # the latest is enough
    posted["job", "count"]()
    assert page.found[-1] == "end"


def test_a_page_that_nobody_looks_at_ends_its_jobs(page):
    page.work.begin("count")
    page.work.end()
    until(lambda: not any(t.name == "job-count" for t in threading.enumerate()))
    assert page.work.state("count").status == "cancelled"
    assert page.found is None


def test_a_job_is_a_plain_method_too(page):
    page.allow(5)
    assert page.count(silent)[-1] == "end"


def test_the_board_is_told_how_a_job_stands(page):
    assert assets.frame(Steps)["jobs"] == [{"name": "count", "title": "Count the steps"}]
    idle = '{"status": "idle", "tone": "", "fraction": null, "words": "", "offered": true}'
    assert assets.jobs(page) == {"job_count": idle}
    page.n = 1
    assert '"offered": false' in assets.jobs(page)["job_count"]


def test_the_dashboard_ends_the_jobs_of_a_page_that_ended(page):
    from workbench.dashboard.files import Receiver, UploadFolder
    from workbench.dashboard.live_page import LivePage, Viewer
    from workbench.dashboard.permissions import Permissions
    from workbench.dashboard.sent import Sent
    from workbench.dashboard.worker import Turns

    class Nobody:
        may = Permissions()
        turns = Turns()

        def changed(self, live, control, before, now): ...
        def show_jobs(self): ...
        def receiver(self):
            return Receiver(UploadFolder())

    live = LivePage("steps", page, Nobody(), lambda *call: None)
    viewer = Viewer(lambda text: None, Sent())
    live.carry_out({"kind": "job", "job": "count", "serial": 1}, viewer)
    until(lambda: page.work.state("count").running)
    live.end()
    until(lambda: not any(t.name == "job-count" for t in threading.enumerate()))
    assert page.work.state("count").status == "cancelled"


# -- many tasks ------------------------------------------------------------------------------------


def slow_square(x):
    time.sleep(0.05)
    return x * x


def unlucky(x):
    if x == 3:
        raise ValueError("3 is unlucky")
    return slow_square(x)


def where(x):
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    return os.getpid(), {pool["num_threads"] for pool in threadpool_info()}


def test_tasks_run_in_other_processes_with_one_thread_each():
    found = dict(map_in_processes(where, range(4)))
    assert sorted(found) == [0, 1, 2, 3]
    for process, threads in found.values():
        assert process != os.getpid()
        assert threads == {1}


def test_results_come_one_by_one_and_the_processes_serve_again():
    served = {pid for pid, _ in dict(map_in_processes(where, range(2))).values()}
    told = []
    for k, square in map_in_processes(slow_square, range(10)):
        told.append(square)
        assert square == k * k
    assert sorted(told) == [k * k for k in range(10)]
    # no process is new, though one of them may take all tasks of a map
    for _ in range(3):
        served |= {pid for pid, _ in dict(map_in_processes(where, range(2))).values()}
    assert len(served) <= cores()


def test_an_executor_gets_a_few_tasks_ahead_and_others_are_made_meanwhile():
    made, found = [], []

    def tasks():
        for k in range(10):
            made.append(k)
            yield k

    with ThreadPoolExecutor(2) as pool:
        for k, square in map_in_processes(slow_square, tasks(), executor=pool, ahead=3):
            found.append(square)
            assert len(made) <= len(found) + 3
            assert square == k * k
    assert sorted(found) == [k * k for k in range(10)]


@pytest.fixture(params=["processes", "threads"])
def executor(request):
    if request.param == "processes":
        yield None
    else:
        with ThreadPoolExecutor(2) as pool:
            yield pool


def leave_a_trace(folder, k):
    (folder / str(k)).touch()
    return slow_square(k)


def test_of_a_cancelled_map_most_tasks_are_never_begun(executor, tmp_path):
    asked = []

    def report(*told):
        asked.append(told)
        if len(asked) > 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        dict(map_in_processes(partial(leave_a_trace, tmp_path), range(2000), report, executor))
    # The processes are free for the next map: only what they had taken up comes before it.
    assert dict(map_in_processes(slow_square, range(2), executor=executor)) == {0: 0, 1: 1}
    assert len(list(tmp_path.iterdir())) < 200


def test_an_error_in_a_task_is_raised(executor):
    with pytest.raises(ValueError, match="3 is unlucky"):
        dict(map_in_processes(unlucky, range(2000), executor=executor))


SCRIPT = """
import os, sys, time
from workbench.parallel import cores, map_in_processes
def work():
    for k, process in map_in_processes(abs, range(1000)):
        print("first", flush=True)
        time.sleep({pause})
        break
{guard}
"""


def script(path, guard, pause=0):
    path.mkdir(exist_ok=True)
    (path / "main.py").write_text(SCRIPT.format(pause=pause, guard=guard))
    return [sys.executable, str(path / "main.py")]


def test_a_script_with_a_guard_works_and_one_without_is_told(tmp_path):
    guarded = script(tmp_path, 'if __name__ == "__main__": work()')
    done = subprocess.run(guarded, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "first\n"
    done = subprocess.run(
        script(tmp_path, "work()"), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "ProcessesEnded: the worker processes ended unexpectedly; in a script" in done.stderr


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="counts processes as Linux does")
def test_the_processes_of_a_killed_program_end(tmp_path):
    command = script(tmp_path, 'if __name__ == "__main__": work()', pause=60)
    with program(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout.readline() == "first\n"
        children = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and parent_of(entry) == started.pid
        ]
        started.send_signal(signal.SIGKILL)
        assert children
        until(lambda: not any(alive(child) for child in children))


def parent_of(entry):
    try:
        return int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"
