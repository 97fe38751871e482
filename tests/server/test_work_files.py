"""What people download is made in processes, and is what the server itself would make."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import numpy as np
import pytest
from helpers.served import MINE, THEIRS, Served

import workbench as wb
from workbench.assets import share
from workbench.dashboard.limits import ServerLimits
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.page import Page
from workbench.processes.family import children
from workbench.processes.limits import on_linux
from workbench.reports.write import report_bytes
from workbench.server.background_work import BackgroundWork, BusyError
from workbench.server.handlers import base
from workbench.server.work import files
from workbench.server.work.files import PortableAudit, report_file
from workbench.server.work.runner import FORK_SERVER, InServer, ProcessRunner

pytestmark = pytest.mark.skipif(not on_linux(), reason="processes are forked on Linux only")

PATIENCE = 60


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture(scope="module")
def mine(served):
    """A data set of mine that is no example, in view on my pages."""
    workspace = served.visitors.workspace(MINE)
    rng = np.random.default_rng(0)
    scores = wb.Scores(rng.normal(1, 1, 300), rng.normal(0, 1, 300), name="my scores")
    key = workspace.add_scores(scores).key
    workspace.active.choose(key)
    return key


def whole(page: Page):
    """The audit of a page, once as the server has it and once as another process gets it."""
    audit = audit_of(page)
    portable = PortableAudit.of_page(audit)
    runner = ProcessRunner(ServerLimits(), "files")

    def elsewhere(kind, form="complete"):
        return runner.run("me", "Report", report_file, (portable, kind, form))

    return audit, elsewhere


@pytest.mark.exhaustive
def test_a_report_is_the_same_wherever_it_is_made(served, mine):
    page = served.page("scores", MINE)
    assert page.data_key == mine
    audit, elsewhere = whole(page)
    for kind in ("md", "json", "html"):
        assert elsewhere(kind) == report_bytes(audit, kind), kind
    for form in ("one-page", "both"):
        assert elsewhere("html", form) == report_bytes(audit, "html", form=form), form
    # It moves: the page was there, with its data and what it reacts to.
    assert b"my scores" in elsewhere("html")


def test_a_report_of_a_saved_audit_is_the_same_wherever_it_is_made(served, mine):
    workspace = served.visitors.workspace(MINE)
    saved = workspace.audits.save(audit_of(served.page("scores", MINE)))
    audit = workspace.audits[saved.key]
    runner = ProcessRunner(ServerLimits(), "files")
    for kind in ("md", "html"):
        attached = workspace.audits.attachments(audit.key)
        portable = PortableAudit.saved(audit, workspace, attached)
        there = runner.run("me", "Report", report_file, (portable, kind, "complete"))
        assert there == report_bytes(audit, kind, workspace), kind
    assert served.file(f"report/audit/{saved.key}.md", MINE) == report_bytes(audit, "md", workspace)
    assert served.get(f"report/audit/{saved.key}.md", THEIRS)[0] == 404


def test_a_chart_and_its_data_are_made_elsewhere(served, mine):
    page = served.page("scores", MINE)
    item = page.figures()[0]
    there = served.file(f"figure/scores/{item.name}.csv", MINE)
    assert there == share.figure_file(page, item, "csv")


def test_a_table_of_scores_is_sent_whole_in_pieces(served, mine, monkeypatch):
    monkeypatch.setattr(base, "PIECE", 1000)
    text = served.file(f"data/{mine}.csv", MINE).decode()
    scores = served.visitors.workspace(MINE).scores(mine)
    rows = text.splitlines()
    assert rows[0] == "score,member"
    assert [float(row.split(",")[0]) for row in rows[1:]] == [*scores.p, *scores.q]
    assert len(text) > 10 * 1000
    assert served.get(f"data/{mine}.csv", THEIRS)[0] == 404
    assert InServer().run("me", "t", files.scores_file, (scores,)) == text.encode()


def test_counted_scores_are_sent_as_values_and_counts():
    scores = wb.CountedScores([-1.5, 0.25], [10**10, 2], [3, 4 * 10**10])
    rows = files.scores_file(scores, print).decode().splitlines()
    assert rows == ["value,count_p,count_q", "-1.5,10000000000,3", "0.25,2,40000000000"]


def test_a_process_that_is_killed_costs_one_file(served, mine):
    answers = []
    makes = served.settings["makes"]
    asking = threading.Thread(target=lambda: answers.append(served.get("report/scores.html", MINE)))
    asking.start()
    deadline = time.monotonic() + PATIENCE
    forks = []
    while not forks:
        assert time.monotonic() < deadline
        time.sleep(0.001)
        if makes.running() and FORK_SERVER.pid:  # 0 is the parent of what is not of this program
            forks = children(FORK_SERVER.pid)
    for pid in forks:
        os.kill(pid, signal.SIGKILL)
    asking.join(PATIENCE)
    status, _, body = answers[0]
    assert status == 503
    assert "was ended from outside (signal 9)" in body.decode()
    assert served.get("report/counts.md", MINE)[0] == 200


def test_one_person_cannot_take_all_places_of_a_desk():
    end = threading.Event()

    async def visits():
        desk = BackgroundWork("reports", at_once=1, places=4, patience=PATIENCE, each=2)
        wait = lambda thing, report: end.wait(PATIENCE)  # noqa: E731
        mine = [asyncio.ensure_future(desk.made(int, wait, str(k), "me")) for k in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError, match="2 reports of yours are being made already"):
            await desk.made(int, wait, "3", "me")
        yours = asyncio.ensure_future(desk.made(int, wait, "4", "you"))
        await asyncio.sleep(0.05)
        end.set()
        await asyncio.gather(*mine, yours)
        return await desk.made(int, wait, "5", "me")

    began = time.monotonic()
    assert asyncio.run(visits())
    assert time.monotonic() - began < PATIENCE
