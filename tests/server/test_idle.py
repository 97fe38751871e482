"""Pages that nobody uses are put away, with a word, and their memory comes back."""

import asyncio
import ctypes
import gc
import json
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from threading import Barrier

import pytest
from helpers.served import MINE, Served, cookie_of
from helpers.servers import PATIENCE
from helpers.visits import Later, tabs, wait
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from workbench.dashboard import worker
from workbench.dashboard.limits import ServerLimits
from workbench.server import app, housekeeping
from workbench.server.handlers.document import READY
from workbench.server.housekeeping import duration
from workbench.server.operations import checks
from workbench.server.operations.state import Phase
from workbench.server.people.accounts import Accounts
from workbench.server.people.person import Role
from workbench.server.people.sign_ins import SignIns
from workbench.server.people.signed_in import AccountIdentity
from workbench.server.sharing import lending
from workbench.server.storing.database import ServerDatabase


class Browser:
    """A document with its socket."""

    def __init__(self, served, who=MINE, path="counts"):
        self.served, self.who = served, who
        _, _, body = served.get(path, who)
        self.token = re.search(r'data-token="([^"]+)"', body.decode())[1]
        self.messages, self.closed, self.serial = [], False, 0

    async def connect(self):
        origin = f"http://localhost:{self.served.port}"
        who = {"Origin": origin, "Cookie": cookie_of(self.who, self.served.port)}
        request = HTTPRequest(f"ws://localhost:{self.served.port}/counts/ws", headers=who)
        self.socket = await websocket_connect(request, subprotocols=["bokeh", self.token])
        assert await self.socket.read_message() == READY  # what is sent before that is not heard

    async def listen(self, seconds):
        """Hear messages for some time, or until the server hangs up."""
        deadline = time.monotonic() + seconds
        while not self.closed and time.monotonic() < deadline:
            try:
                text = await asyncio.wait_for(self.socket.read_message(), 0.2)
            except TimeoutError:
                continue
            if text is None:
                self.closed = True
            else:
                self.messages.append(json.loads(text))

    async def sets(self, value):
        self.serial += 1
        gesture = {"kind": "set", "name": "tp", "value": value, "page": "counts"}
        await self.socket.write_message(json.dumps({**gesture, "serial": self.serial}))

    async def answered(self):
        """Hear messages until the last gesture was carried out."""
        deadline = time.monotonic() + PATIENCE
        while not any(one.get("handled") == self.serial for one in self.messages):
            assert time.monotonic() < deadline
            await self.listen(0.2)

    @property
    def away(self):
        return [one["away"] for one in self.messages if "away" in one]


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setattr(housekeeping, "LOOK", 0.2)
    made = Served(limits=ServerLimits())
    made.visitors.here._grace = 0.0
    yield made
    made.close()


def put_away_after(served, seconds):
    """Let pages idle for so long; to be called once a slow machine has made them."""
    served.visitors.limits = replace(served.visitors.limits, idle=seconds)


def test_an_idle_page_is_told_so_and_closed_and_its_memory_freed(served):
    async def visit():
        browser = Browser(served)
        await browser.connect()
        await browser.sets(321)
        await browser.answered()
        put_away_after(served, 2.0)
        await browser.listen(PATIENCE)
        return browser

    browser = asyncio.run(visit())
    assert browser.closed
    assert browser.away == [
        "Put away after 2 seconds without use. Your data sets and settings are kept: reload the "
        "page to go on."
    ]
    wait(lambda: not served.visitors.here._by_key)
    assert (served.visitors.here.people, served.visitors.here.documents) == (0, 0)
    again = Browser(served)  # the reload
    first = served.visitors.bench(MINE).pages.live("counts").page
    assert first.tp == 321
    assert again.token


def test_a_page_in_use_stays_and_so_does_one_whose_job_runs(served, monkeypatch):
    async def visit(browser):
        await browser.connect()
        await browser.sets(299)
        await browser.answered()
        put_away_after(served, 5.0)
        for k in range(16):
            await browser.sets(300 + k)
            await browser.listen(0.4)
        return browser

    busy = asyncio.run(visit(Browser(served)))
    assert not busy.away
    assert not busy.closed
    bench = served.visitors.bench(MINE)
    monkeypatch.setattr(type(bench), "jobs_running", 1)

    async def waits():
        browser = Browser(served)
        await browser.connect()
        await browser.sets(300)
        await browser.answered()
        await browser.listen(6)
        return browser

    assert not asyncio.run(waits()).away


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (7200, "2 hours"),
        (3600, "1 hour"),
        (90, "1.5 minutes"),
        (5, "5 seconds"),
        (0.5, "0.5 seconds"),
    ],
)
def test_times_in_words(seconds, text):
    assert duration(seconds) == text


#: Rounds of each periodic task until what is kept once is there, and then; and memory blocks that
#: one more round may leave behind. Of the rounds, a third are of each task.
FIRST, ROUNDS, BLOCKS = 50, 400, 0.17
READINGS = 15


def test_shares_are_looked_at_again_whatever_failed(monkeypatch, caplog):
    looks, later = [], Later()

    class AtOnce:
        def submit(self, turn, blocks):
            turn()

    class Broken:
        def look_again(self):
            looks.append(len(looks))
            raise RuntimeError("it is broken")

    monkeypatch.setattr(app, "Turns", AtOnce)
    app._keep_looking(Broken(), later)
    for _ in range(3):
        later.run()
    assert looks == [0, 1, 2]
    assert "it is broken" in caplog.text


@pytest.mark.slow
def test_what_a_server_does_again_and_again_leaves_nothing_behind(tmp_path, monkeypatch, caplog):
    rounds = Counter()

    def counted(owner, name):
        done = getattr(owner, name)

        def once(*given):
            done(*given)
            rounds[name] += 1

        monkeypatch.setattr(owner, name, once)

    monkeypatch.setattr(checks, "EVERY", 0.0)
    monkeypatch.setattr(checks, "BEAT", 0.002)
    monkeypatch.setattr(housekeeping, "LOOK", 0.002)
    monkeypatch.setattr(housekeeping, "TIDY", 0.0)
    monkeypatch.setattr(app, "LOOK", 0.002)
    monkeypatch.setattr(lending, "PURGE", 0.0)
    tasks = {
        "_round": checks.Checks,
        "look_again": lending.Lending,
        "look": housekeeping.Housekeeping,
    }
    for name, owner in tasks.items():
        counted(owner, name)
    accounts = Accounts(ServerDatabase(tmp_path))
    accounts.add("ada", Role.EDITOR)
    caplog.set_level("CRITICAL")  # a record that pytest keeps is no leak of the server
    identity = AccountIdentity(accounts, SignIns(accounts.database))
    served = Served(app.App(list(tabs("counts").values())), identity=identity, home=tmp_path)

    def go_on(more):
        begin = Counter(rounds)
        wait(lambda: all(rounds[name] - begin[name] >= more for name in tasks))

    def least():
        """The least number of blocks in some rounds: a task under way has some more."""
        found = []
        for _ in range(READINGS):
            go_on(1)
            gc.collect()
            found.append(sys.getallocatedblocks())
        return min(found)

    try:
        wait(lambda: served.settings["state"].phase is Phase.SERVING)
        go_on(FIRST)
        others = Barrier(4)  # the servers of other tests may still be at work
        list(worker.THREADS.map(lambda k: others.wait(PATIENCE), range(4)))
        gc.collect()
        gc.freeze()  # what stays is not looked through again
        before, begin = least(), sum(rounds.values())
        go_on(ROUNDS)
        after, end = least(), sum(rounds.values())
    finally:
        gc.unfreeze()
        served.close()
    assert after - before < BLOCKS * (end - begin)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="of GNU's C library")
def test_large_arrays_have_pages_of_their_own_which_return_when_they_are_freed():
    code = """
import numpy as np
from workbench.processes.family import memory_in_use
from workbench.server.operations import memory
memory.return_large_arrays()
np.ones(3 * 10**6)  # as this is freed, the C library would put smaller ones into the heap
held = [np.ones(10**6), np.ones(10), np.ones(10**6), np.ones(10)]
among = [int(x.__array_interface__["data"][0]) for x in held]
with open("/proc/self/maps") as maps:
    heap = next(line.split()[0].split("-") for line in maps if "[heap]" in line)
low, high = (int(end, 16) for end in heap)
print([low <= place < high for place in among])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[False,", "True,", "False,", "True]"]
