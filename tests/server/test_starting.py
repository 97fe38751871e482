"""The start of the server: what it imports, and first states, which are drawn when first asked."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from functools import partial

import pytest
from helpers.served import NOBODY, Served
from helpers.servers import ROOT, free_port
from helpers.visits import wait

from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import Tab
from workbench.pages.counts import CountsPage
from workbench.server.app import App
from workbench.server.operations.state import Phase, ServerState
from workbench.server.sockets.connection import Connection
from workbench.workspaces.workspace import Workspace

#: Packages and modules that only some pages, files and jobs need.
LATER = (
    *("panel", "bokeh", "plotly", "matplotlib", "ipywidgets", "IPython", "notebook"),
    *("pandas", "pyarrow", "scipy.stats", "scipy.signal", "sklearn", "dp_accounting", "opacus"),
    "workbench.coverage_lab.probes",
)

#: Runs `workbench serve` until it is ready, and prints what it has loaded and drawn by then.
READY = """
import json, sys
from workbench.cli import main
from workbench.server import app

make, made = app.make_server, []

def make_server(served, options):
    made.append((served, make(served, options)))
    return made[0][1]

def run(loop):
    served, server = made[0]
    settings = server.application.settings
    settings["stopping"].complete = True  # nothing is at work

    def look():
        if settings["state"].phase == "serving":
            loop.stop()
        else:
            loop.call_later(0.01, look)

    loop.add_callback(look)
    loop.start()
    from workbench.server.work.runner import FORK_SERVER
    drawn = [tab.name for tab in served.tabs if tab.is_drawn]
    found = {"modules": sorted(sys.modules), "drawn": drawn, "forks": FORK_SERVER.pid}
    print(json.dumps(found), flush=True)

app.make_server, app._run = make_server, run
main(["serve", "--no-open", "--port", sys.argv[1], *sys.argv[2:]])
"""


def ready(tmp_path, monkeypatch, *options):
    """What `workbench serve` has loaded, drawn and started when it is ready."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    done = subprocess.run(
        [sys.executable, "-c", READY, str(free_port()), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_a_server_starts_without_what_only_some_pages_need(tmp_path, monkeypatch):
    found = ready(tmp_path, monkeypatch)
    assert [name for name in LATER if name in found["modules"]] == []
    assert found["drawn"] == []
    assert found["forks"] == 0


def test_a_server_of_an_app_imports_panel(tmp_path, monkeypatch):
    file = tmp_path / "app.py"
    file.write_text("import panel as pn\npn.pane.Markdown('ours').servable()\n", encoding="utf-8")
    found = ready(tmp_path, monkeypatch, "--app", f"ours={file}")
    assert {"panel", "bokeh"} <= set(found["modules"])
    assert found["drawn"] == []


class Made:
    """A factory of pages that counts them, and can be held up or fail."""

    def __init__(self):
        self.count, self.fails = Counter(), False
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def __call__(self, workspace, **given):
        self.count[threading.current_thread().name] += 1
        self.begun.set()
        assert self.go_on.wait(60)
        if self.fails:
            raise OSError("no data")
        return CountsPage(workspace=workspace, **given)


class CountsTab(Tab):
    """The page of counts, made by a `Made`."""

    def __init__(self, made, address="/counts"):
        super().__init__(CountsPage, address)
        self.factory = made


def test_who_asks_for_the_same_first_state_at_once_gets_one_that_is_drawn_once():
    made = Made()
    tab, found = CountsTab(made), []
    assert not tab.is_drawn
    made.go_on.clear()
    askers = [threading.Thread(target=lambda: found.append(tab.first())) for _ in range(5)]
    for one in askers:
        one.start()
    assert made.begun.wait(60)
    assert not tab.is_drawn
    made.go_on.set()
    for one in askers:
        one.join(60)
    assert tab.is_drawn
    assert made.count.total() == 1
    assert len(found) == 5
    assert all(one is found[0] for one in found)


def test_a_first_state_that_cannot_be_drawn_is_tried_again():
    made = Made()
    tab, made.fails = CountsTab(made), True
    for _ in range(2):
        with pytest.raises(OSError, match="no data"):
            tab.first()
        assert not tab.is_drawn
    made.fails = False
    assert '"frame"' in tab.first().text
    assert made.count.total() == 3


def test_a_page_that_cannot_be_drawn_breaks_no_other_one():
    made = Made()
    made.fails = True
    served = Served(App([CountsTab(made), Tab(CountsPage, "/others")]))
    try:
        wait(lambda: served.settings["state"].phase is Phase.SERVING)
        assert made.count.total() == 0
        assert served.get("counts", NOBODY)[0] == 500
        assert served.get("health")[0] == 200
        status, _, body = served.get("others", NOBODY)
        assert status == 200
        assert b'"items":' in body
        made.fails = False
        assert served.get("counts", NOBODY)[0] == 200
    finally:
        served.close()


class Browser:
    """A document of a new visitor, on the start page."""

    def __init__(self, made):
        self.texts = []
        nobody = partial(pytest.fail, "there is no session")
        tabs = {"counts": CountsTab(made)}
        self.connection = Connection(
            tabs, self.texts.append, nobody, known=lambda: False, shown="", sent=Sent()
        )
        self.connection.open()

    def shows(self, serial):
        self.connection.carry_out({"kind": "show", "show": "counts", "page": "", "serial": serial})

    def told(self, **entries):
        """The message with these entries, once it has come."""

        def found():
            read = map(json.loads, list(self.texts))
            return [one for one in read if entries.items() <= one.items()]

        wait(found)
        return found()[0]


def test_the_event_loop_draws_no_first_state():
    made = Made()
    browser, made.go_on = Browser(made), threading.Event()
    browser.shows(1)  # comes back, although the page is not drawn
    assert made.begun.wait(60)
    assert browser.texts == []
    made.go_on.set()
    browser.told(page="", handled=1)
    assert [json.loads(text)["page"] for text in browser.texts] == ["counts", ""]
    assert threading.current_thread().name not in made.count
    second = Browser(made)
    second.connection._tabs = browser.connection._tabs
    second.shows(1)  # drawn already: at once
    assert [json.loads(text)["page"] for text in second.texts] == ["counts", ""]


def test_a_visitor_is_told_that_a_page_cannot_be_drawn_and_may_ask_again():
    made = Made()
    browser, made.fails = Browser(made), True
    browser.shows(1)
    said = browser.told(page="", say="This page cannot be shown; the log of the server says why.")
    assert "items" not in said
    browser.told(page="", handled=1)
    made.fails = False
    browser.shows(2)
    browser.told(page="", handled=2)
    assert "items" in browser.told(page="counts")


def test_a_document_that_was_closed_meanwhile_is_sent_nothing():
    made = Made()
    browser, made.go_on = Browser(made), threading.Event()
    browser.shows(1)
    assert made.begun.wait(60)
    browser.connection.end()
    made.go_on.set()
    wait(lambda: browser.connection._tabs["counts"].is_drawn)
    assert browser.texts == []
    assert browser.connection._viewers == {}


def test_the_first_document_is_noted_once():
    state, visits = ServerState(), []
    state.when_visited = lambda: visits.append(True)
    assert visits == []
    state.opened(object(), "me")
    state.opened(object(), "you")
    assert visits == [True]


def test_a_first_state_is_that_of_a_page_that_was_just_made():
    tab = Tab(CountsPage, "/counts")
    page = CountsPage(workspace=Workspace())
    assert json.loads(tab.first().text)["settings"] == json.loads(json.dumps(page.settings()))
