"""The thread that ends a process at its time limit."""

import threading
from types import SimpleNamespace

import pytest

from workbench.processes import child
from workbench.processes.child import TimeLimit, _Watch


class AlmostDone(threading.Event):
    """A request ends just after a wait for its end was in vain."""

    def wait(self, timeout=None):
        if self.is_set():
            return True
        self.watch.end()
        return False


@pytest.fixture
def ended(monkeypatch):
    """The processes that are ended."""
    found = []
    monkeypatch.setattr(child, "stop", found.append)
    return found


def watch_of(limit, computed):
    """A watch over a process that has computed for so long."""
    watch = _Watch(SimpleNamespace(pid=0), limit, guards=False)
    watch._took = lambda: (computed, computed)
    return watch


def test_a_request_that_is_done_has_its_process_go_on(ended):
    limit = TimeLimit(1.0)
    watch = watch_of(limit, 0.6)
    watch._done = AlmostDone()
    watch._done.watch = watch
    watch.run()
    assert limit.seconds == 0.4  # less than the request took
    assert ended == []
    assert watch.overdue is None


def test_one_that_takes_too_long_has_its_process_ended(ended):
    watch = watch_of(TimeLimit(0.1), 0.6)
    watch.run()
    assert ended == [watch._process]
    assert watch.overdue.reason == "late"
