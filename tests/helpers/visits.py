"""A bench without a browser: who asks it, and when it has done everything."""

from __future__ import annotations

import time

from workbench.dashboard.live_page import Viewer
from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES


def tabs(*names):
    return {name: Tab(PAGES[name].kind, f"/{name}", base=None) for name in names}


class Reader:
    """A browser that hears of the bench."""

    def __init__(self, bench):
        self.told, self.serial, self.bench, self.viewers = [], 0, bench, {}
        self.answers = {}  # what was told first of each serial number
        bench.browsers.readers.append(self)

    def tell(self, **entries):
        self.told.append(entries)
        if "handled" in entries:
            self.answers.setdefault(entries["handled"], entries)

    def does(self, kind, **more):
        """Do something that is not about one page, and return what was answered."""
        self.serial += 1
        self.bench.carry_out({"kind": kind, "serial": self.serial, **more}, self)
        wait(lambda: self.serial in self.answers)
        settle(self.bench)
        return self.answers[self.serial]

    def sets(self, page, name, value):
        """Set a control of a page."""
        return self.on(page, kind="set", name=name, value=value)

    def on(self, page, **gesture):
        """Do something on a page."""
        self.serial += 1
        live = self.bench.pages.live(page)
        viewer = self.viewers.setdefault(page, Viewer(lambda text: None, Sent()))
        live.carry_out({**gesture, "serial": self.serial}, viewer)
        wait(lambda: viewer.handled == self.serial)
        settle(self.bench)


def wait(condition):
    """Until it holds; most do within less than a millisecond, and some take seconds."""
    deadline, pause = time.monotonic() + 60, 5e-5
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(pause)
        pause = min(2 * pause, 0.01)


def idle(bench):
    queues = [
        bench._queue,
        *(one._queue for one in bench._asked.values()),
        *(live.session.queue for live in bench.pages.open),
    ]
    return not any(queue._scheduled for queue in queues)


def settle(bench):
    """Until all pages have done what they were asked."""
    quiet = 0
    while quiet < 3:  # one page can ask another
        wait(lambda: idle(bench))
        quiet += 1


class Later:
    """What is to happen later happens when the test says so."""

    def __init__(self):
        self.calls = []

    def __call__(self, seconds, call):
        self.calls.append((seconds, call))

    def run(self):
        """Let everything happen that was asked for until now."""
        calls, self.calls = self.calls, []
        for _, call in calls:
            call()
