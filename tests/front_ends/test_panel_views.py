"""Views as components of Panel, without a browser."""

from __future__ import annotations

import asyncio
import gc
import json
import pickle
import subprocess
import sys
import threading
import time
import urllib.request
import weakref

import panel as pn
import param
import pytest
from bokeh.document import Document
from helpers.servers import free_port
from panel.io.location import Location
from panel.io.state import set_curdoc
from panel.viewable import Viewer

import workbench as wb
from workbench.assets.board import content
from workbench.bounds.bound import Bound
from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Page, Section, number
from workbench.pages.core.upload import Upload
from workbench.panel import component
from workbench.panel.component import PageComponent
from workbench.panel.view import PanelView
from workbench.software.extras import MissingPackage


@pytest.fixture(scope="module")
def scores():
    return wb.GaussianPair(1).sample(2000, seed=3)


@pytest.fixture
def view(scores):
    made = wb.explore(scores)
    yield made
    made.close()


class Sum(Page):
    """Adds up numbers, slowly."""

    title = "Sum"
    controls = (Section("Sum", (Control("n"), Control("files"), Control("add"))),)
    n = param.Integer(20, bounds=(1, 100), label="Numbers")
    files = Upload(default=(), label="Files")
    total = param.Parameter(precedence=-1)

    @job("Add up", needs=("n",), into="total")
    def add(self, report):
        "From 1 to n."
        total = 0
        for k in range(1, self.n + 1):
            time.sleep(0.05)
            total += k
            report(k / self.n, f"{k} added", total)
        return total

    @number("Total", needs=("total",))
    def shown(self):
        """The sum."""
        return Fact(str(self.total))


def until(call, seconds=30):
    """The first true result of a call."""
    deadline = time.monotonic() + seconds
    while not (found := call()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def opened(url):
    try:
        return urllib.request.urlopen(url, timeout=20)
    except OSError:
        return None  # not yet


def sent(view):
    """What the component of a view has sent so far, or would send a newcomer."""
    return view.__panel__().state["fields"]


# -- the whole page --------------------------------------------------------------------------------


def test_panel_takes_a_view_wherever_it_takes_a_component(view):
    assert isinstance(view, Viewer)
    shown = pn.panel(view)
    assert isinstance(shown, PageComponent)
    for layout in (pn.Column(view), pn.Row("before", view), pn.Tabs(("Audit", view))):
        assert shown in layout
    assert view.servable() is shown
    template = pn.template.FastListTemplate(title="Mine", main=[view])
    assert shown in template.main
    assert repr(view) == str(view)


def test_a_view_that_was_made_before_panel_was_imported_is_taken_as_well():
    code = """
import sys, workbench as wb
view = wb.explore(wb.GaussianPair(1).sample(200, seed=3))
assert "panel" not in sys.modules
import panel as pn
from workbench.panel.component import PageComponent
assert isinstance(pn.Column(view)[0], PageComponent)
assert view.servable() is pn.panel(view)
assert wb.dashboard(view).views["scores"] is view
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("gone", ["anywidget", "ipywidgets"])
def test_panel_needs_no_widgets_of_jupyter(gone):
    code = f"""
import sys
sys.modules[{gone!r}] = None
import panel as pn, workbench as wb
view = wb.explore(wb.GaussianPair(1).sample(200, seed=3))
assert len(pn.Column(view)) == 1
try:
    view.widget
except wb.MissingPackage as error:
    assert "pip install 'dp-audit-workbench[lab]'" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_panel_that_is_missing_or_old_is_named_with_the_command():
    code = """
import sys
sys.modules["panel"] = None
import workbench as wb
wb.explore(wb.GaussianPair(1).sample(200, seed=3))
try:
    wb.dashboard()
except wb.MissingPackage as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install 'dp-audit-workbench[panel]'" in done.stdout
    with pytest.raises(MissingPackage, match=r"1\.4\.2 is installed; run: pip install --upgrade"):
        component._check("1.4.2")
    component._check("2.0.0rc1")


def test_a_document_has_the_whole_state_and_no_script_twice(view):
    document = Document()
    root = pn.Row(view, view.charts["tradeoff"]).get_root(document)
    boards = [one for one in root.references() if hasattr(one, "esm")]
    assert len(boards) == 2
    assert all(len(one.esm) < 6000 for one in boards)
    whole = max((one.data.state["fields"] for one in boards), key=len)
    assert {"frame", "item_epsilon", "control_threshold", "handled"} <= whole.keys()


def test_only_changed_fields_are_sent(view, monkeypatch):
    messages = []
    shown = view.__panel__()
    monkeypatch.setattr(shown, "_send_msg", messages.append)
    view.threshold = 0.75
    (message,) = messages
    assert message["kind"] == "fields"
    assert message["version"] == shown.state["version"]
    assert {"item_distributions", "control_threshold"} <= message["fields"].keys()
    assert not {"item_sizes", "frame", "control_confidence"} & message["fields"].keys()
    view.threshold = 0.75
    assert len(messages) == 1


class Event:
    def __init__(self, **data):
        self.data = data


def test_gestures_questions_and_late_comers_are_answered(view, monkeypatch):
    messages = []
    shown = view.__panel__()
    monkeypatch.setattr(shown, "_send_msg", messages.append)
    shown._receive(
        Event(
            kind="gesture",
            gesture={"kind": "set", "name": "threshold", "value": 1.0, "serial": 7, "done": True},
            buffers=[],
        )
    )
    assert view.threshold == pytest.approx(1.0, abs=0.05)
    assert messages[-1]["fields"]["handled"] == 7
    shown._receive(Event(kind="state"))
    assert messages[-1] == {"kind": "fields", **shown.state}
    shown._receive(Event(kind="front"))
    assert messages[-1]["buffers"][0][:2] == b"\x1f\x8b"
    assert ".wb-view" in messages[-1]["style"]
    shown._receive(Event(kind="plotly"))
    assert messages[-1]["kind"] == "plotly"
    assert len(messages[-1]["buffers"][0]) > 100_000
    shown._receive(
        Event(kind="ask", id="1", what="file", item="distributions", **{"as": "csv"}, buffers=[])
    )
    assert messages[-1]["name"] == "distributions.csv"
    assert messages[-1]["buffers"][0]
    shown._receive(Event(kind="ask", id="2", what="file", item="nothing", **{"as": "csv"}))
    assert "nothing" in messages[-1]["error"]


def test_a_file_that_is_given_in_an_app_reaches_the_page(monkeypatch):
    view = PanelView(Sum(), lambda spec: "")
    shown = view.__panel__()

    def gesture(buffers=(), **asked):
        shown._receive(Event(kind="gesture", gesture=asked, buffers=list(buffers)))

    gesture(kind="files", name="files", files=[["mine.csv", 6]], serial=1)
    gesture([b"1,2"], kind="chunk", name="files", file=0, serial=2)
    gesture([b",3\n"], kind="chunk", name="files", file=0, serial=3)
    (file,) = view.page.files
    assert (file.name, file.content()) == ("mine.csv", b"1,2,3\n")
    assert shown.state["fields"]["handled"] == 3
    view.close()


# -- parts -----------------------------------------------------------------------------------------


def test_widgets_and_functions_are_bound_to_the_parameters_of_a_page(view):
    view.__panel__()
    before = sent(view)["item_distributions"]
    slider = pn.widgets.FloatSlider.from_param(view.param.threshold)
    doubled = pn.pane.Str(pn.bind(lambda value: f"{2 * value:.2f}", view.param.threshold))
    seen = []
    view.param.watch(lambda event: seen.append(event.new), "threshold")
    slider.value = 0.5
    assert view.threshold == 0.5
    assert seen == [0.5]
    assert doubled.object == "1.00"
    assert sent(view)["item_distributions"] != before  # our board follows at once
    view.threshold = 0.25
    assert slider.value == 0.25
    assert doubled.object == "0.50"


def test_a_widget_is_linked_as_panel_links(view):
    shown, number = pn.widgets.FloatSlider(start=-5, end=5), pn.widgets.FloatInput()
    link = view.link(shown, threshold="value")
    both = view.link(number, bidirectional=True, delta="value")
    assert shown.value == view.threshold
    assert number.value == pytest.approx(1e-5)
    view.threshold = 0.5
    assert shown.value == 0.5
    shown.value = 1.0
    assert view.threshold == 0.5
    number.value = 1e-4
    assert view.delta == pytest.approx(1e-4)
    link.unlink()
    both.unlink()
    view.update(threshold=0.0, delta=1e-6)
    assert shown.value == 1.0
    assert number.value == pytest.approx(1e-4)
    with pytest.raises(ValueError, match=r"view\.link\(widget, threshold='value'\)"):
        view.link(shown)
    with pytest.raises(AttributeError, match="did you mean threshold"):
        view.link(shown, treshold="value")


def test_charts_and_numbers_are_views_that_move_with_the_page(view):
    chart = view.charts["distributions"]
    assert isinstance(chart, Viewer)
    assert chart is view.charts["distributions"]
    assert list(view.charts) == [item.name for item in view.page.figures()]
    number = pn.panel(view.numbers["epsilon_here"])
    assert isinstance(number, PageComponent)
    view.__panel__()
    before = (sent(chart)["item_distributions"], number.state["fields"]["item_epsilon_here"])
    view.threshold = 0.75
    after = (sent(chart)["item_distributions"], number.state["fields"]["item_epsilon_here"])
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert after[0] == sent(view)["item_distributions"]
    chart.threshold = 0.25  # and back
    assert view.threshold == 0.25
    assert sent(chart)["item_distributions"] == sent(view)["item_distributions"] != after[0]
    with pytest.raises(KeyError, match="did you mean tradeoff"):
        view.charts["tradeof"]


def test_a_number_is_a_bound_and_a_component(view):
    number = view.numbers["epsilon"]
    assert isinstance(number, Bound)
    assert number == view.epsilon
    assert view.epsilon == number
    assert hash(number) == hash(view.epsilon)
    assert float(number) == view.bound.value
    assert number.guarantee == "simultaneous"
    assert repr(number) == repr(view.epsilon)
    assert type(pickle.loads(pickle.dumps(number))) is Bound
    assert number.to_dict() == view.epsilon.to_dict()
    assert pn.panel(number.voided("of a trial")) is not None
    sizes = view.numbers["sizes"]
    assert sizes == view.sizes
    assert isinstance(pn.panel(sizes), PageComponent)


def test_the_address_of_a_page_holds_parameters(view):
    location = Location(search="?threshold=0.75")
    location.sync(view.page, ["threshold", "confidence"])
    assert view.threshold == 0.75
    view.threshold = 0.5
    assert "threshold=0.5" in location.search


# -- dashboards ------------------------------------------------------------------------------------


def test_a_dashboard_has_a_page_for_each_subject(scores):
    one = wb.dashboard(scores, claim="gdp(0.2)", confidence=0.99)
    assert isinstance(one, Viewer)
    assert isinstance(pn.panel(one), PageComponent)
    assert one.pages["scores"].confidence == 0.99
    assert one.views["scores"].claim.text == "refuted"
    assert repr(one) == str(one) == "Dashboard of Scores"
    many = wb.dashboard(scores, scores, {"How many": "plan"}, wb.Counts(90, 10, 90, 10))
    assert list(many.views) == ["scores", "scores 2", "How many", "counts"]
    tabs = pn.panel(many)
    assert isinstance(tabs, pn.Tabs)
    assert len(tabs) == 4
    given = wb.explore(scores)
    assert wb.dashboard(given).views["scores"] is given
    assert list(wb.dashboard().pages) == ["scores"]


def test_a_dashboard_takes_the_theme_of_panel_or_its_own(scores):
    assert pn.panel(wb.dashboard(scores)).theme == ""
    assert pn.panel(wb.dashboard(scores, theme="dark")).theme == "dark"
    with pn.config.set(theme="dark"):
        assert pn.panel(wb.explore(scores)).theme == "dark"
    with pytest.raises(ValueError, match="theme"):
        wb.dashboard(scores, theme="blue")


# -- sessions, threads, jobs -----------------------------------------------------------------------


def test_visitors_share_nothing_and_are_forgotten_when_they_leave(scores):
    made = []

    def app():
        view = wb.explore(scores)
        made.append((weakref.ref(view), weakref.ref(view.page)))
        return pn.Column(view, view.charts["tradeoff"], view.numbers["epsilon"])

    port = free_port()
    # Long enough for both to be there when one is moved.
    soon = {"unused_session_lifetime_milliseconds": 3000, "check_unused_sessions_milliseconds": 100}
    server = pn.serve({"/": app}, port=port, show=False, threaded=True, **soon)
    try:
        for _ in range(2):
            until(lambda: opened(f"http://localhost:{port}/")).close()
        (one, _), (other, _) = made
        kept, beside = one(), other()
        if kept is not None and beside is not None:
            kept.threshold = 0.75
            assert beside.threshold != 0.75
            assert kept.page is not beside.page
        del kept, beside
        until(lambda: gc.collect() * 0 or all(ref() is None for refs in made for ref in refs))
    finally:
        server.stop()


def test_a_turn_holds_the_lock_of_the_document_in_which_somebody_did_something(scores):
    later = []

    class Held:
        session_context = object()

        def add_next_tick_callback(self, call):
            later.append(call)

        def on_session_destroyed(self, call):
            self.gone = call

    held = Held()
    with set_curdoc(held):
        view = wb.explore(scores)
    view.__panel__()
    slider = pn.widgets.FloatSlider.from_param(view.param.threshold)
    before = sent(view)["item_distributions"]
    slider.value = 0.5  # in another thread, or outside a turn
    assert sent(view)["item_distributions"] == before
    assert len(later) == 1
    later.pop()()
    assert sent(view)["item_distributions"] != before
    held.gone(None)


def test_threads_that_change_a_page_at_once_leave_it_drawn(scores):
    view = wb.explore(scores)
    view.__panel__()

    def press(values):
        for value in values:
            view.threshold = value

    def slide(values):
        for value in values:
            view.page.threshold = value

    threads = [
        threading.Thread(target=press, args=([0.1, 0.4, 0.2],)),
        threading.Thread(target=slide, args=([0.5, 0.3, 0.6],)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    view._draw()
    assert not view._session.stale
    assert sent(view)["item_distributions"] == content(view.page.distributions())


@pytest.mark.parametrize("cancel", [False, True])
def test_a_job_reports_while_it_runs_and_can_be_cancelled(cancel):
    async def run():
        view = PanelView(Sum(), lambda spec: "")
        shown = view.__panel__()
        total = pn.panel(view.numbers["shown"])
        states = []

        def press(serial):
            gesture = {"kind": "job", "job": "add", "serial": serial}
            shown._receive(Event(kind="gesture", gesture=gesture, buffers=[]))

        press(1)
        deadline = time.monotonic() + 30
        while not states or states[-1] not in ("done", "cancelled"):
            await asyncio.sleep(0.02)
            assert time.monotonic() < deadline, states
            states.append(json.loads(shown.state["fields"]["job_add"])["status"])
            if cancel and len(states) == 40:  # after what counts as a double click
                press(2)
        await asyncio.sleep(0.1)
        assert states[-1] == ("cancelled" if cancel else "done")
        assert "running" in states
        value = json.loads(total.state["fields"]["item_shown"])["value"]
        assert value == str(view.total)
        assert (value == "210") is not cancel
        view.close()

    asyncio.run(run())
