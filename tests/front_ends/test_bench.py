"""The bench of a visitor: one data set on all pages, undo, links, what is kept, who sees what."""

from __future__ import annotations

import gc
import json
import random
import re
from functools import partial
from threading import Event, Thread
from weakref import ref

import numpy as np
import param
import pytest
from helpers.visits import Reader, settle, tabs, wait

import workbench as wb
from workbench.dashboard.sent import Sent
from workbench.dashboard.visitor import pages
from workbench.dashboard.visitor.history import Change
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES
from workbench.server.people.person import OWNER, Person
from workbench.server.people_folders import PeopleFolders
from workbench.server.sockets.connection import Connection
from workbench.server.visitors import Visitors
from workbench.workspaces.home import workspace
from workbench.workspaces.link import read_link
from workbench.workspaces.workspace import Workspace

GAUSSIAN, LAPLACE = "example:gaussian", "example:laplace"
ABOUT_SCORES = ("scores", "family", "watch", "compare")


@pytest.fixture
def bench():
    made = VisitorSession(Workspace(), tabs(*ABOUT_SCORES, "counts"), lambda *call: None)
    yield made
    made.end()


@pytest.fixture
def reader(bench):
    return Reader(bench)


def settings(bench):
    return {
        name: dict(bench.pages.live(name).page.settings())
        for name in sorted(live.name for live in bench.pages.open)
    }


# -- one data set on all pages ---------------------------------------------------------------------


def test_a_data_set_that_is_chosen_is_in_view_on_every_page(bench, reader):
    before = bench.pages.live("family")
    reader.does("choose", data=LAPLACE)
    assert before.page.data == LAPLACE
    for name in ABOUT_SCORES:
        assert bench.pages.live(name).page.data_key == LAPLACE
    assert bench.pages.live("counts").page.data_key == ""


def test_a_draw_that_is_moved_on_one_page_is_in_view_on_the_others(bench, reader):
    reader.does("choose", data="draw:gaussian?mu=1.0&n=1000&seed=0")
    family = bench.pages.live("family")
    reader.sets("scores", "sample_mu", 2.0)
    assert "mu=2.0" in bench.workspace.current
    assert family.page.data_key == bench.workspace.current


def test_a_page_shows_a_data_set_as_it_was_left(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    reader.sets("scores", "threshold", 1.25)
    reader.sets("scores", "confidence", "99%")
    left = bench.pages.live("scores").page.settings()
    assert left["looked"] == "the confidence"
    reader.does("choose", data=LAPLACE)
    assert bench.pages.live("scores").page.threshold != 1.25
    reader.does("choose", data=GAUSSIAN)
    assert bench.pages.live("scores").page.settings() == left


def test_a_mark_is_not_lost_by_a_look_at_other_data(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    reader.sets("scores", "confidence", "90%")
    reader.does("choose", data=LAPLACE)
    reader.does("choose", data=GAUSSIAN)
    assert bench.pages.live("scores").page.epsilon().void


# -- undo ------------------------------------------------------------------------------------------


def test_undo_and_redo_go_over_pages_and_data(bench, reader):
    start = settings(bench)
    reader.sets("counts", "tp", 444)
    reader.does("choose", data=LAPLACE)
    reader.sets("scores", "threshold", 0.75)
    bench.pages.live("family")
    done = settings(bench)
    assert reader.does("undo")["goto"] == "scores"
    assert bench.pages.live("scores").page.threshold != 0.75
    assert bench.pages.live("scores").page.data == LAPLACE
    reader.does("undo")
    assert bench.workspace.current is None
    assert bench.pages.live("scores").page.data == GAUSSIAN
    assert reader.does("undo")["goto"] == "counts"
    fresh = {name: dict(PAGES[name].kind().settings()) for name in done}
    assert settings(bench) == fresh | start
    for _ in range(3):
        reader.does("redo")
    assert settings(bench) == done
    assert reader.does("redo") == {"handled": reader.serial}


def test_undo_brings_back_what_a_page_had_on_the_data_set_that_it_was_changed_to(bench, reader):
    reader.does("choose", data=LAPLACE)
    reader.sets("family", "confidence", "99%")
    on_laplace = dict(bench.pages.live("family").page.settings())
    reader.does("choose", data=GAUSSIAN)
    reader.sets("family", "confidence", "90%")
    reader.sets("family", "data", "Laplace, shift 1")
    assert bench.pages.live("family").page.settings() != on_laplace
    reader.does("undo")
    assert bench.pages.live("family").page.data == GAUSSIAN
    reader.does("choose", data=LAPLACE)
    assert bench.pages.live("family").page.settings() == on_laplace


def show_all(bench):
    """Have every page note that its results are shown, as a browser does."""
    for live in bench.pages.open:
        live.page.note_shown()


def act(bench, reader, rng):
    """Something that a person can do."""
    if rng.random() < 0.15:
        keys = [
            one["key"] for one in bench.browsers.state()["sets"] if one["key"] != "example:messy"
        ]
        reader.does("choose", data=rng.choice(keys))
        return
    name = rng.choice(["scores", "family", "watch", "compare", "counts"])
    page = bench.pages.live(name).page
    offered = [c.name for s in page.sections for c in s.controls if c.offered(page)]
    control = rng.choice([one for one in offered if one in page.param])
    parameter = page.param[control]
    if isinstance(parameter, Upload):
        return
    value = True
    if isinstance(parameter, param.Selector):
        labels = [one for one in parameter.get_range() if "000,000" not in one]
        value = rng.choice([one for one in labels if "messy" not in one.lower()])
    elif isinstance(parameter, param.Boolean) and not isinstance(parameter, param.Event):
        value = not getattr(page, control)
    elif isinstance(parameter, param.Number):
        low, high = parameter.get_soft_bounds()
        value = 5 if low is None else low + rng.random() * (high - low)
        value = round(value) if isinstance(parameter, param.Integer) else value
    reader.sets(name, control, value)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.slow
def test_a_hundred_random_actions_undone_one_by_one_end_at_the_start(bench, reader, seed):
    rng = random.Random(seed)
    names = (*ABOUT_SCORES, "counts")
    start = {name: dict(bench.pages.live(name).page.settings()) for name in names}
    show_all(bench)
    for _ in range(100):
        act(bench, reader, rng)
        show_all(bench)
    end = settings(bench)
    undone = 0
    while bench.history.labels[0]:
        reader.does("undo")
        undone += 1
    assert undone > 50
    assert settings(bench) == start
    assert bench.workspace.current is None
    for _ in range(undone):
        reader.does("redo")
    assert settings(bench) == end


def steps(reader, *values, **more):
    """Steps of a drag of the threshold."""
    for value in values:
        reader.on("scores", kind="set", name="threshold", value=value, done=False, **more)


def test_a_drag_is_undone_at_once(bench, reader):
    before = bench.pages.live("scores").page.threshold
    steps(reader, 0.2, 0.22, 0.24)
    assert bench.history.labels == ("", "")
    reader.sets("scores", "threshold", 0.26)
    assert len(bench.history._done) == 1
    reader.does("undo")
    assert bench.pages.live("scores").page.threshold == before
    reader.does("redo")
    assert bench.pages.live("scores").page.threshold == 0.26


def test_each_step_of_a_key_is_a_change_of_its_own(bench, reader):
    for value in (0.2, 0.22, 0.24):
        reader.sets("scores", "threshold", value)
    reader.does("undo")
    assert bench.pages.live("scores").page.threshold == 0.22


def test_a_drag_back_to_where_it_began_is_no_change(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    reader.sets("scores", "threshold", 0.5)
    done = len(bench.history._done)
    steps(reader, 0.7, 0.6)
    reader.sets("scores", "threshold", 0.5)
    assert len(bench.history._done) == done


@pytest.mark.parametrize("ends", ["socket", "session", "undo", "other control"])
def test_a_drag_whose_end_is_lost_counts_with_its_last_value(bench, reader, ends):
    live = bench.pages.live("scores")
    before = live.page.threshold
    steps(reader, 0.2, 0.3)
    assert bench.pages.kept.of("scores", live.page.data_key) is None
    if ends == "socket":
        live.close(reader.viewers["scores"])
    elif ends == "session":
        bench.end()
    elif ends == "undo":
        reader.does("undo")
        assert live.page.threshold == before
        reader.does("redo")
    else:
        reader.sets("scores", "confidence", "90%")
        reader.does("undo")
    settle(bench)
    assert live.page.threshold == 0.3
    assert len(bench.history._done) == 1
    assert bench.pages.kept.of("scores", live.page.data_key)["threshold"] == 0.3


def test_a_drag_of_the_data_is_kept_and_followed_at_its_end(bench, reader):
    reader.does("choose", data="draw:gaussian?mu=1.0&n=1000&seed=0")
    chosen, family = bench.workspace.current, bench.pages.live("family")
    for mu in (1.5, 2.0):
        reader.on("scores", kind="set", name="sample_mu", value=mu, done=False)
    assert bench.workspace.current == chosen
    reader.sets("scores", "sample_mu", 2.5)
    assert "mu=2.5" in bench.workspace.current == family.page.data_key
    reader.does("undo")
    assert bench.workspace.current == family.page.data_key == chosen


@pytest.mark.parametrize("ends", ["socket", "other gesture"])
def test_a_drag_of_the_data_that_ends_in_the_middle_of_a_step_can_be_undone(bench, reader, ends):
    reader.does("choose", data="draw:gaussian?mu=1.0&n=1000&seed=0")
    chosen, live = bench.workspace.current, bench.pages.live("scores")
    reader.on("scores", kind="set", name="sample_mu", value=1.5, done=False)
    held, go_on, viewer = Event(), Event(), reader.viewers["scores"]

    def hold():
        if ends == "other gesture":  # the page is further than what was drawn of it
            live.page.sample_mu = 2.0
        held.set()
        assert go_on.wait(60)

    live.change("hold", hold)
    assert held.wait(60)
    if ends == "socket":
        step = {"kind": "set", "name": "sample_mu", "value": 2.0, "done": False}
        live.carry_out({**step, "serial": viewer.received + 1}, viewer)
        live.close(viewer)
    else:
        bench.pages.finish_drags()
    go_on.set()
    settle(bench)
    for change in bench.history._done[1:]:
        now = change.settings[1]["data"]
        assert change.data[1].current == now != chosen
        assert bench.pages.kept.of("scores", now)["data"] == now
    reader.does("undo")
    settle(bench)
    assert live.page.data_key == bench.workspace.current == chosen


def test_an_undo_beside_a_change_of_another_page_loses_neither(bench):
    data = bench.workspace.kept.snapshot()
    history = bench.history
    for label in ("first", "second"):
        history.add(Change("counts", label, ({"tp": 1}, {"tp": label}), (data, data)))

    class Window:
        """It is shown what can be undone while another page reports a change."""

        def tell(self, **news):
            bench.browsers.readers.remove(self)
            other = Change("family", "other", ({"q": 1}, {"q": 2}), (data, data))
            thread = Thread(target=history.add, args=(other,))
            thread.start()
            thread.join(60)

    bench.browsers.readers.append(Window())
    assert history.undo().label == "second"
    assert history.labels == ("other", "")


def test_a_page_that_is_open_is_found_while_another_one_is_made(bench, monkeypatch):
    open_page, begun, go_on, make = bench.pages.live("scores"), Event(), Event(), bench.pages._make

    def slow(name):
        begun.set()
        assert go_on.wait(60)
        return make(name)

    monkeypatch.setattr(bench.pages, "_make", slow)
    maker = Thread(target=bench.pages.live, args=("counts",), daemon=True)
    maker.start()
    assert begun.wait(60)
    found = []
    finder = Thread(target=lambda: found.append(bench.pages.live("scores")), daemon=True)
    finder.start()
    finder.join(10)
    go_on.set()
    maker.join(60)
    assert found == [open_page]


def test_no_page_is_left_that_was_begun_anew_or_after_the_end(bench):
    bench.pages.begin("counts")
    before = bench.pages.live("counts")
    bench.pages.begin("counts")
    assert before.ended
    assert not bench.pages.live("counts").ended
    bench.end()
    bench.pages.begin("counts")
    assert bench.pages.open == []


def test_reset_sets_a_page_as_it_was_first_seen_and_can_be_undone(bench, reader):
    fresh = bench.pages.live("counts").page.settings()
    reader.sets("counts", "tp", 300)
    changed = bench.pages.live("counts").page.settings()
    reader.does("reset", reset="counts")
    assert bench.pages.live("counts").page.settings() == fresh
    reader.does("undo")
    assert bench.pages.live("counts").page.settings() == changed


# -- data sets -------------------------------------------------------------------------------------


@pytest.fixture
def losses(bench):
    rng = np.random.default_rng(5)
    scores = wb.Scores(rng.normal(1, 1, 300), rng.normal(0, 1, 300))
    return bench.workspace.add_scores(scores, "losses")


def test_a_data_set_is_renamed_removed_and_brought_back(bench, reader, losses):
    reader.does("choose", data=losses.key)
    reader.does("rename", data=losses.key, to="my losses")
    assert "my losses" in bench.workspace.datasets
    assert "removed" in reader.does("remove", data=losses.key)["say"]
    assert "my losses" not in bench.workspace.datasets
    reader.does("undo")
    assert "my losses" in bench.workspace.datasets
    reader.does("undo")
    assert "losses" in bench.workspace.datasets
    assert bench.pages.live("scores").page.data == losses.key


@pytest.mark.parametrize(
    ("gesture", "says"),
    [
        ({"kind": "choose", "data": "nothing"}, "no data set"),
        ({"kind": "choose", "data": "draw:gaussian?mu=1e9&n=10&seed=0"}, "mu"),
        ({"kind": "rename", "data": GAUSSIAN, "to": "mine"}, "cannot be changed"),
        ({"kind": "remove", "data": GAUSSIAN}, "cannot be changed"),
        ({"kind": "open link", "text": "abc"}, "cut or changed"),
        ({"kind": "open link", "text": ""}, "cut or changed"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(bench, reader, gesture, says):
    before = bench.workspace.kept.snapshot()
    kind = gesture.pop("kind")
    assert says in reader.does(kind, **gesture)["say"]
    assert bench.workspace.kept.snapshot() == before


@pytest.mark.parametrize("gesture", [{"kind": "jump"}, {"kind": "choose"}, {"kind": "reset"}])
def test_what_is_no_gesture_is_answered(bench, reader, gesture):
    kind = gesture.pop("kind")
    assert reader.does(kind, **gesture) == {"handled": 1}


# -- links -----------------------------------------------------------------------------------------


def other():
    return Reader(VisitorSession(Workspace(), tabs(*ABOUT_SCORES, "counts"), lambda *call: None))


def drawn(bench, name):
    page = bench.pages.live(name).page
    return {item.name: repr(page.draw(item)) for item in page.items() if item.kind == "number"}


def test_a_link_has_what_was_done_before_the_page_has_drawn_it(bench, reader):
    go_on, live = Event(), bench.pages.live("counts")
    live.change("work", go_on.wait)
    live.change("set", partial(setattr, live.page, "log_delta", -7.0))
    reader.serial += 1
    bench.carry_out({"kind": "link", "link": "counts", "serial": reader.serial}, reader)
    assert reader.serial not in reader.answers
    go_on.set()
    wait(lambda: reader.serial in reader.answers)
    link = read_link(reader.answers[reader.serial]["link"])
    assert link.settings["log_delta"] == -7.0


def test_a_page_that_is_at_work_for_long_has_no_link_yet(bench, reader, monkeypatch):
    monkeypatch.setattr(pages, "WAIT", 0.01)
    go_on = Event()
    bench.pages.live("counts").change("work", go_on.wait)
    reader.serial += 1
    bench.carry_out({"kind": "link", "link": "counts", "serial": reader.serial}, reader)
    wait(lambda: reader.serial in reader.answers)
    go_on.set()
    assert "once it is done" in reader.answers[reader.serial]["say"]


@pytest.mark.parametrize("name", [*ABOUT_SCORES, "counts"])
def test_a_link_shows_another_visitor_the_same_numbers(bench, reader, name):
    reader.does("choose", data="draw:laplace?mu=1.0&n=1000&seed=3")
    rng = random.Random(name)
    page = bench.pages.live(name).page
    for section in page.sections:
        for control in section.controls:
            parameter = page.param.objects().get(control.name)
            if isinstance(parameter, param.Number) and control.offered(page):
                low, high = parameter.get_soft_bounds()
                if low is not None and not control.name.startswith("sample"):
                    reader.sets(name, control.name, low + 0.3 * rng.random() * (high - low))
    text = reader.does("link", link=name)["link"]
    guest = other()
    assert guest.does("open link", text=text)["goto"] == name
    assert guest.bench.pages.live(name).page.settings() == bench.pages.live(name).page.settings()
    assert drawn(guest.bench, name) == drawn(bench, name)
    guest.does("undo")
    assert guest.bench.pages.live(name).page.settings() == PAGES[name].kind().settings()
    guest.bench.end()


def test_who_lacks_the_data_of_a_link_is_asked_for_them(bench, reader, losses):
    reader.does("choose", data=losses.key)
    reader.sets("scores", "threshold", 0.5)
    text = reader.does("link", link="scores")["link"]
    guest = other()
    asked = guest.does("open link", text=text)["ask"]
    assert "“losses”" in asked["words"]
    assert asked["name"] == "losses"
    assert re.fullmatch("[0-9a-f]{64}", asked["sha256"])
    same = guest.bench.workspace.add_scores(bench.workspace.scores(losses.key), "another name")
    assert guest.bench.links.waiting is not None
    guest.does("close import")
    assert (
        guest.bench.links.waiting is None
    )  # the next file that is opened is no answer to the link
    guest.does("open link", text=text)
    page = guest.bench.pages.live("scores").page
    assert (page.data, page.threshold) == (same.key, bench.pages.live("scores").page.threshold)
    assert losses.key not in text
    guest.bench.end()


def test_the_same_data_read_in_another_way_are_said_to_be(bench, reader, losses):
    reader.does("choose", data=losses.key)
    text = reader.does("link", link="scores")["link"]
    guest = other()
    scores = bench.workspace.scores(losses.key)
    turned = guest.bench.workspace.add_scores(scores.with_direction(False), "turned")
    answer = guest.does("open link", text=text)
    assert "the direction of the score differs" in answer["say"]
    same = guest.bench.workspace.add_scores(scores, "same")
    assert "say" not in guest.does("open link", text=text)
    assert (turned.key, guest.bench.pages.live("scores").page.data) == (turned.key, same.key)
    guest.bench.end()


def test_what_of_a_link_cannot_be_used_is_named(bench, reader):
    from workbench.workspaces.link import PageLink

    settings = {
        **bench.pages.live("scores").page.settings(),
        "threshold": 1e99,
        "confidence": "101%",
    }
    settings.pop("data")
    link = PageLink("scores", settings, ())
    reader.does("open link", text=link.text())
    message = bench.pages.live("scores").page.message
    assert re.fullmatch(
        r"These settings of the link could not be used: (Threshold, Confidence|Confidence, "
        r"Threshold)\.",
        message,
    )
    missing = PageLink("nowhere", {}, ())
    assert "“nowhere”" in reader.does("open link", text=missing.text())["say"]


OWNED = Person(OWNER, "me")

# -- visitors --------------------------------------------------------------------------------------


@pytest.fixture
def visitors(tmp_path):
    own = workspace(tmp_path)
    homes = PeopleFolders(tmp_path / "server", own=own)
    made = Visitors(tabs(*ABOUT_SCORES, "counts"), lambda *call: None, homes)
    yield made
    made.end()
    own.close()


def test_a_first_visit_costs_nothing_and_shows_what_everybody_sees(visitors):
    visit = visitors.visit(Person("v" * 43), "scores")
    assert visit.text == ""
    assert not visitors.here._by_key


def test_who_was_here_before_finds_the_page_as_it_was_left(visitors):
    who = Person("v" * 43)
    reader = Reader(visitors.bench(who))
    reader.sets("counts", "tp", 345)
    visit = visitors.visit(who, "counts")
    assert json.loads(visit.text)["settings"]["tp"] == 345
    visitors.here.end(who.key)
    assert not visitors.here._by_key
    assert json.loads(visitors.visit(who, "counts").text)["settings"]["tp"] == 345


def test_who_comes_back_by_the_start_page_finds_the_data_on_every_page(visitors):
    who, texts = Person("v" * 43), []
    new, back = (
        Connection(
            visitors.tabs,
            texts.append,
            session=partial(visitors.bench, who),
            known=partial(visitors.known, who),
            shown="",
            sent=Sent(),
        )
        for _ in range(2)
    )
    for connection in (new, back):
        connection.open()
    Reader(visitors.bench(who)).does("choose", data=LAPLACE)
    assert visitors.visit(who, "").text == ""
    back.carry_out({"kind": "show", "show": "scores", "page": "", "serial": 1})
    wait(lambda: any('"frame"' in text for text in texts))
    page = next(json.loads(text) for text in texts if '"frame"' in text)
    assert (page["page"], page["settings"]["data"]) == ("scores", LAPLACE)
    new.end()
    back.end()


def test_a_document_lets_go_of_an_import_step_that_was_closed(tmp_path):
    visitors = Visitors(tabs("scores", "import"), lambda *call: None, PeopleFolders(tmp_path))
    who, texts = Person("v" * 43), []
    connection = Connection(
        visitors.tabs,
        texts.append,
        session=partial(visitors.bench, who),
        known=partial(visitors.known, who),
        shown="",
        sent=Sent(),
    )
    connection.open()
    connection.carry_out({"kind": "import", "page": "", "serial": 1})
    wait(lambda: any('"page":"import"' in text for text in texts))
    page = ref(visitors.bench(who).pages.live("import").page)
    connection.carry_out({"kind": "close import", "page": "", "serial": 2})

    def is_gone():
        gc.collect()
        return page() is None

    wait(is_gone)
    connection.end()
    visitors.end()


def test_the_owner_finds_everything_after_a_restart(visitors, tmp_path):
    reader = Reader(visitors.bench(OWNED))
    rng = np.random.default_rng(5)
    added = visitors.homes.own.add_scores(
        wb.Scores(rng.normal(1, 1, 30), rng.normal(0, 1, 30)), "mine"
    )
    reader.does("choose", data=added.key)
    reader.sets("scores", "log_delta", -3.5)
    before = {name: reader.bench.pages.live(name).page.settings() for name in ABOUT_SCORES}
    reader.bench.end()
    visitors.homes.own.close()
    homes = PeopleFolders(tmp_path / "server", own=workspace(tmp_path))
    again = Visitors(visitors.tabs, lambda *call: None, homes)
    visit = again.visit(OWNED, "scores")
    assert json.loads(visit.text)["settings"]["log_delta"] == -3.5
    bench = again.bench(OWNED)
    assert {name: bench.pages.live(name).page.settings() for name in ABOUT_SCORES} == before
    bench.end()


def test_visitors_never_see_each_others_data(visitors):
    alice, bob = (Person(letter * 43) for letter in "ab")
    rng = np.random.default_rng(5)
    mine = visitors.bench(alice).workspace.add_scores(
        wb.Scores(rng.normal(1, 1, 30), rng.normal(0, 1, 30)), "secret"
    )
    guest = Reader(visitors.bench(bob))
    assert "secret" not in json.dumps(guest.bench.browsers.state())
    for attempt in (mine.key, "secret", mine.sha256):
        assert "say" in guest.does("choose", data=attempt)
        assert "say" in guest.does("remove", data=attempt)
    alices = Reader(visitors.bench(alice))
    alices.does("choose", data=mine.key)
    text = alices.does("link", link="scores")["link"]
    assert "ask" in guest.does("open link", text=text)
    assert guest.bench.workspace.current is None
