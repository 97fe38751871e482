"""People who lend to each other at the same time, come and go: nobody waits for ever."""

from __future__ import annotations

import itertools
import time
import traceback
from contextlib import suppress
from threading import Event, Thread, Timer

import numpy as np
from helpers.sharing import ADA, BOB
from helpers.visits import tabs

import workbench as wb
from workbench.server.people_folders import PeopleFolders
from workbench.server.sharing.grant import ShareKind
from workbench.server.sharing.grants import Grants
from workbench.server.sharing.lending import Lending
from workbench.server.storing.database import ServerDatabase
from workbench.server.visitors import Visitors
from workbench.workspaces.errors import WorkspaceError

#: Seconds for which they come and go.
FOR = 2.0


def known():
    return {one.key: (one.name, one.role) for one in (ADA, BOB)}


def soon(seconds, call):
    timer = Timer(min(seconds, 0.01), call)
    timer.daemon = True
    timer.start()


def test_two_people_who_lend_to_each_other_wait_for_nobody(tmp_path):
    visitors = Visitors(tabs("scores"), soon, PeopleFolders(tmp_path), grace=0.0)
    grants = Grants(ServerDatabase(), known)
    lending = Lending(grants, visitors.workspace_of)
    visitors.lending = lending
    rng = np.random.default_rng(0)
    keys = {}
    for one in (ADA, BOB):
        visitors.bench(one)
        scores = wb.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50), name=one.name)
        keys[one.key] = visitors.workspace(one).add_scores(scores).key
    pairs = [(ADA, BOB), (BOB, ADA)]
    over, errors, turns = Event(), [], []

    def again(task):
        def run():
            for number in itertools.count():
                if over.is_set():
                    turns.append(number)
                    return
                try:
                    with suppress(WorkspaceError, TimeoutError):  # it was just taken back
                        task()
                except Exception as error:
                    errors.append("".join(traceback.format_exception(error)))

        return Thread(target=run, daemon=True)

    def lend(owner, other):
        grant = grants.add(owner.key, ShareKind.DATA, keys[owner.key], other.key)
        lending.changed()
        time.sleep(0.005)
        grants.revoke(owner.key, grant.id)
        lending.changed()

    def read(owner, other):
        workspace = visitors.workspace(other)
        for one in workspace.catalog.shared:
            assert workspace.scores(one.key).n_p == 50

    def show(owner, other):
        visitors.visit(other, "scores")
        bench = visitors.bench(other)
        for key in bench.services.sharing.lent():
            bench.workspace.active.choose(key)
        bench.pages.ask("scores", lambda live: live.page.scores.n_p)

    def go(owner, other):
        visitors.here.end(other.key)
        time.sleep(0.05)

    tasks = [lambda t=task, p=pair: t(*p) for task in (lend, read, show, go) for pair in pairs]
    threads = [again(task) for task in (*tasks, lending.look_again)]
    for thread in threads:
        thread.start()
    time.sleep(FOR)
    over.set()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert not errors, errors[0]
    assert min(turns) > 0
    visitors.end()


def test_a_page_that_is_being_made_keeps_nobody_waiting(tmp_path, monkeypatch):
    # Making it may read what others lend, who may be leaving at the same time.
    visitors = Visitors(tabs("scores"), soon, PeopleFolders(tmp_path), grace=600.0)
    pages = visitors.bench(ADA).pages
    begun, go_on, made, whole = Event(), Event(), [], pages._make

    def make(name):
        begun.set()
        assert go_on.wait(60)
        return whole(name)

    monkeypatch.setattr(pages, "_make", make)
    maker = Thread(target=lambda: made.append(pages.live("scores")), daemon=True)
    leaver = Thread(target=visitors.here.end, args=(ADA.key,), daemon=True)
    maker.start()
    assert begun.wait(60)
    leaver.start()
    leaver.join(10)
    waited = leaver.is_alive()
    go_on.set()
    maker.join(60)
    leaver.join(60)
    visitors.end()
    assert not waited
    assert made[0].ended
    assert pages.open == []
