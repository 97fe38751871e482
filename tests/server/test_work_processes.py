"""Work in processes: ended at its limits, by kill -9, with its person, and with the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import param
import pytest
from helpers.programs import alive

from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.pages.core.jobs import JobEnded, job
from workbench.pages.core.page import Control, Page, Section
from workbench.parallel import map_in_processes
from workbench.processes.family import family
from workbench.processes.limits import on_linux
from workbench.progress import Cancelled
from workbench.server.work.runner import FORK_SERVER, ProcessRunner

pytestmark = pytest.mark.skipif(not on_linux(), reason="processes are forked on Linux only")

#: Seconds that a busy machine may take.
PATIENCE = 60

MB = 2**20


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# -- work, as processes do it ----------------------------------------------------------------------


def add(a, b, report):
    report(0.5, "half", partial=a)
    return a + b


def pid_and_niceness(report):
    return os.getpid(), os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0)


def nap(task):
    time.sleep(0.05)
    return os.getpid()


def for_ever(report):
    """Reports the processes that work; never ends."""
    seen = set()
    report(0.0, str(os.getpid()))
    while True:
        for _, pid in map_in_processes(nap, range(4), report):
            seen.add(pid)
            report(0.5, None, partial=(os.getpid(), tuple(seen)))


def deaf(report):
    report(0.1, str(os.getpid()))
    while True:
        time.sleep(0.1)


def eat(report):
    eaten = []
    while True:
        eaten.append(b"x" * (10 * MB))
        report(None, f"{len(eaten)}")


def eat_elsewhere(task):
    eaten = [bytes(bytearray(os.urandom(1024)) * 1024) for _ in range(task)]
    time.sleep(PATIENCE)
    return len(eaten)


def eat_together(report):
    return list(map_in_processes(eat_elsewhere, [100, 100, 100, 100], report))


def fail(report):
    raise ValueError("13 is unlucky")


def leave(report):
    os._exit(3)


def read_environment(report):
    return Counter(os.environ)


# -- one person, one process -----------------------------------------------------------------------


class Heard:
    """Takes reports, and cancels when asked."""

    def __init__(self):
        self.messages, self.partial, self.cancelled = [], None, False

    def __call__(self, fraction=None, message=None, partial=None):
        if self.cancelled:
            raise Cancelled
        if message:
            self.messages.append(message)
        self.partial = self.partial if partial is None else partial


class Doing(threading.Thread):
    """Work of a person in a thread; how it ended."""

    def __init__(self, runner, person, function, *arguments):
        super().__init__(daemon=True)
        self.heard, self.error, self.result = Heard(), None, None
        self._work = partial(
            runner.run, person, f"Work of {person}", function, arguments, self.heard
        )
        self.start()

    def run(self):
        try:
            self.result = self._work()
        except Exception as error:
            self.error = error

    def ended(self):
        self.join(PATIENCE)
        assert not self.is_alive()
        return self


@pytest.fixture
def runner():
    made = ProcessRunner(ServerLimits())
    yield made
    assert made.drain(0) == 0, "a test left work behind"


def limited(**limits):
    return ProcessRunner(ServerLimits(**limits))


def test_work_is_done_in_another_process_with_its_progress(runner):
    heard = Heard()
    assert runner.run("me", "Add", add, ((1,), (2,)), heard) == (1, 2)
    assert (heard.messages, heard.partial) == (["half"], (1,))
    pid, niceness, session = runner.run("me", "Look", pid_and_niceness)
    assert pid not in (os.getpid(), FORK_SERVER.pid)
    assert session == pid
    assert niceness >= 10
    assert runner.running() == []


def test_an_error_is_raised_here(runner):
    with pytest.raises(ValueError, match="13 is unlucky") as failed:
        runner.run("me", "Fail", fail)
    assert str(failed.value) == "13 is unlucky"
    assert "in fail" in failed.value.__notes__[0]  # where, for the log
    with pytest.raises(JobEnded, match=r"ended by itself \(exit status 3\)"):
        runner.run("me", "Leave", leave)


def at_work(runner, person):
    """Work of a person that has processes of its own, which are returned."""
    doing = Doing(runner, person, for_ever)
    until(lambda: doing.heard.partial and len(doing.heard.partial[1]) >= 1)
    main, others = doing.heard.partial
    return doing, main, others


@pytest.mark.parametrize("which", ["the job", "a map process"])
def test_kill_9_of_a_process_is_heard_by_one_person(runner, which):
    mine, my_main, my_others = at_work(runner, "me")
    yours, your_main, your_others = at_work(runner, "you")
    assert {my_main, *my_others}.isdisjoint({your_main, *your_others})
    members = family(my_main)
    os.kill(my_main if which == "the job" else my_others[0], signal.SIGKILL)
    mine.ended()
    assert isinstance(mine.error, JobEnded)
    assert str(mine.error) == (
        "The process of this job was ended from outside (signal 9), perhaps because the machine "
        "ran out of memory."
    )
    until(lambda: not any(map(alive, members)))
    assert yours.is_alive()
    assert yours.error is None
    yours.heard.partial = None
    until(lambda: yours.heard.partial)  # it goes on
    assert alive(your_main)
    yours.heard.cancelled = True
    assert isinstance(yours.ended().error, Cancelled)
    assert runner.run("me", "Add", add, (1, 2)) == 3  # and so do I


def test_cancelled_work_that_does_not_heed_it_is_ended(runner):
    doing = Doing(runner, "me", deaf)
    until(lambda: doing.heard.messages)
    pid = int(doing.heard.messages[0])
    began = time.monotonic()
    doing.heard.cancelled = True
    assert isinstance(doing.ended().error, Cancelled)
    assert time.monotonic() - began >= 2  # it had its chance
    assert not alive(pid)


def test_the_work_of_a_person_who_leaves_ends(runner):
    mine, my_main, my_others = at_work(runner, "me")
    yours = Doing(runner, "you", deaf)
    until(lambda: yours.heard.messages)
    assert [(one.person, one.title) for one in runner.running()] == [
        ("me", "Work of me"),
        ("you", "Work of you"),
    ]
    runner.end("me")
    assert isinstance(mine.ended().error, Cancelled)
    until(lambda: not any(map(alive, (my_main, *my_others))))
    assert yours.is_alive()
    runner.end("you")
    yours.ended()


# -- limits ----------------------------------------------------------------------------------------


def test_work_that_needs_too_much_memory_is_ended_with_the_sentence_of_the_limit():
    runner = limited(job_memory=150 * MB)
    with pytest.raises(LimitError) as refused:
        runner.run("me", "Eat", eat)
    assert str(refused.value) == (
        "it needs more than 0.146 GB of memory, the limit of this server. Whoever runs this "
        "server can raise the limit with --max-job-memory"
    )
    assert runner.run("me", "Add", add, (1, 2)) == 3


def test_memory_is_that_of_all_processes_of_the_work_together():
    runner = limited(job_memory=250 * MB)
    doing = Doing(runner, "me", eat_together).ended()  # 100 MB in each of several processes
    assert isinstance(doing.error, LimitError) == (os.cpu_count() > 1), doing.error


def test_work_that_takes_too_long_is_ended_with_the_sentence_of_the_limit():
    runner = limited(job_seconds=1.0)
    with pytest.raises(LimitError, match=r"longer than 1 seconds.* with --max-job-seconds$"):
        runner.run("me", "Wait", deaf)


# -- places ----------------------------------------------------------------------------------------


def test_people_get_places_in_fair_turns():
    runner = limited(jobs_each=1, jobs=2)
    first = Doing(runner, "me", deaf)
    until(lambda: first.heard.messages)
    second = Doing(runner, "me", deaf)
    until(lambda: second.heard.messages)
    assert second.heard.messages == ["Waiting for a place: 1 job of yours is running (limit 1)"]
    yours = Doing(runner, "you", deaf)  # asked later, and goes first
    until(lambda: yours.heard.messages)
    assert yours.heard.messages[0].isdigit()
    theirs = Doing(runner, "them", deaf)
    until(lambda: theirs.heard.messages)
    assert theirs.heard.messages == [
        "Waiting for a place: 2 jobs of all people are running (limit 2)"
    ]
    assert [one.person for one in runner.waiting()] == ["me", "them"]
    # Mine ends: theirs is next, because I have had a turn.
    first.heard.cancelled = True
    first.ended()
    until(lambda: theirs.heard.messages[-1].isdigit())
    assert [one.person for one in runner.waiting()] == ["me"]
    # Work that waits can be cancelled.
    second.heard.cancelled = True
    assert isinstance(second.ended().error, Cancelled)
    assert runner.waiting() == []
    assert runner.drain(0) == 2
    assert runner.running() == []
    with pytest.raises(JobEnded, match="being stopped"):
        runner.run("me", "Add", add, (1, 2))


def test_a_server_that_stops_lets_work_finish():
    runner = limited()
    doing = Doing(runner, "me", deaf)
    until(lambda: doing.heard.messages)
    threading.Timer(0.5, lambda: setattr(doing.heard, "cancelled", True)).start()
    assert runner.drain(PATIENCE) == 0


# -- the server ------------------------------------------------------------------------------------

SERVER = """
import sys, threading, time
from functools import partial
sys.path[:0] = {folders!r}
from test_work_processes import deaf, for_ever
from workbench.dashboard.limits import ServerLimits
from workbench.server.work.runner import ProcessRunner

def say(fraction=None, message=None, partial=None):
    if message: print(message, flush=True)

if __name__ == "__main__":
    runner = ProcessRunner(ServerLimits())
    for function in (deaf, for_ever):
        threading.Thread(target=runner.run, args=("me", "w", function, (), say)).start()
"""


def test_nothing_outlives_a_server_that_was_killed(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER.format(folders=[str(one) for one in Path(__file__).parents[:2]]))
    server = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    try:
        mains = [int(server.stdout.readline()) for _ in range(2)]
        until(lambda: any(len(family(main)) > 1 for main in mains))
        members = {pid for main in mains for pid in family(main)}
        template = int(Path(f"/proc/{mains[0]}/stat").read_text().rpartition(")")[2].split()[1])
        assert template != server.pid
        assert all(map(alive, (*members, template)))
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    until(lambda: not any(map(alive, (*members, template))))


def test_the_fork_server_is_started_again(runner):
    runner.warm()
    before = FORK_SERVER.pid
    doing = Doing(runner, "me", deaf)
    until(lambda: doing.heard.messages)
    os.kill(before, signal.SIGKILL)
    assert isinstance(doing.ended().error, JobEnded)
    until(lambda: not alive(int(doing.heard.messages[0])))
    assert runner.run("me", "Add", add, (1, 2)) == 3
    assert FORK_SERVER.pid != before


# -- a page ----------------------------------------------------------------------------------------


class Counting(Page):
    """Has a job that never ends."""

    title = "Counting"
    controls = (Section("Count", (Control("n"), Control("count"))),)
    n = param.Integer(5, bounds=(1, 100))
    other = param.Parameter(precedence=-1)
    found = param.Parameter(precedence=-1)

    @job("Count", needs=("n",), into="found")
    def count(self, report):
        "Counts."
        report(0.1, str(os.getpid()), partial=self.n)
        while True:
            time.sleep(0.05)
            report()


def test_a_page_whose_job_was_killed_says_so_once_and_stays_as_it_is(runner):
    page = Counting()
    page.other = object()  # nothing that could be sent, and nothing that the job needs
    page.work.runner = runner.of("me")
    said = []
    page.param.watch(lambda event: said.append(event.new), "message")
    page.work.begin("count")
    until(lambda: page.found == 5)
    page.n = 7
    os.kill(int(page.work.state("count").message), signal.SIGKILL)
    until(lambda: not page.work.state("count").running)
    assert said == [
        "Count: The process of this job was ended from outside (signal 9), perhaps because the "
        "machine ran out of memory. The result shown is partial. Press “Count” to run it again."
    ]
    assert (page.n, page.found, page.work.state("count").status) == (7, 5, "failed")
    assert "The result shown is partial." in page.work.state("count").words
    page.work.begin("count")
    until(lambda: page.found == 7)
    page.work.end()
    until(lambda: runner.running() == [])


def test_a_page_without_a_runner_does_its_jobs_in_a_thread():
    page = Counting()
    with pytest.raises(ValueError, match="enough"):
        page.work.runner.run(page, page.jobs()["count"], enough)


def enough(*told, **named):
    raise ValueError("enough")


@pytest.mark.skipif(sys.platform != "linux", reason="huge pages are of Linux")
def test_a_server_has_no_huge_pages_and_its_jobs_may_have_them():
    code = """
from workbench.processes.limits import huge_pages
def allowed():
    with open("/proc/self/status") as lines:
        return next((line.split()[1] for line in lines if line.startswith("THP_enabled")), "?")
huge_pages(False)
before = allowed()
huge_pages(True)
print(before, allowed())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() in (["0", "1"], ["?", "?"])  # older kernels do not say
