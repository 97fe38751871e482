"""A live page: its first state, what is sent after it, and what it lets go of."""

from __future__ import annotations

import gc
import json
import threading
import time
import weakref

import param
import pytest

from workbench.dashboard.files import Receiver, UploadFolder
from workbench.dashboard.live_page import LivePage, Viewer
from workbench.dashboard.permissions import Permissions
from workbench.dashboard.sent import Sent, first_state
from workbench.dashboard.worker import Turns
from workbench.pages.core.page import Control, Fact, Page, Section, figure, number
from workbench.pages.core.sliders import IntegerField
from workbench.pages.core.upload import Upload


class Dots(Page):
    """A line of dots, one of which can be moved."""

    title = "Dots"
    controls = (
        Section(
            "Dots",
            (Control("n"), Control("at"), Control("side"), Control("again"), Control("typed")),
        ),
        Section("File", (Control("upload"), Control("hidden", when=lambda page: page.n > 5))),
    )

    n = param.Integer(4, bounds=(1, 9), label="Dots")
    at = param.Number(0.5, bounds=(0, 1), step=0.1, label="Place")
    side = param.Selector(default=1, objects={"left": 0, "right": 1}, label="Side")
    again = param.Event(label="Again")
    typed = IntegerField(10, (0, 10**6), label="Typed")
    upload = Upload(default=(), label="A file")
    hidden = param.Boolean(False, label="Hidden")
    pressed = param.Integer(0, precedence=-1)
    secret = param.Parameter(precedence=-1)

    @param.depends("again", watch=True)
    def _again(self):
        self.pressed += 1

    @figure("Dots", needs=("n", "at"), drag={"place": "at"}, click="jump")
    def dots(self):
        line = {"type": "scatter", "mode": "lines", "x": list(range(self.n)), "y": [0] * self.n}
        place = {"type": "scatter", "mode": "markers", "x": [self.at], "y": [0]}
        parts = {"margin": {}, "xaxis": {}, "yaxis": {}, "shapes": [], "annotations": []}
        return {"data": [line, place], "layout": {**parts, "meta": {"summary": "Dots."}}}

    def jump(self, x, y):
        self.at = x

    @number("Number", needs=("n",))
    def count(self):
        if self.n == 9:
            raise ValueError("nine is too many")
        return Fact(str(self.n))

    @number("Late", needs=("n",), slow=True)
    def late(self):
        return Fact(f"late {self.n}")

    @number("Pressed", needs=("pressed", "side", "upload"))
    def times(self):
        return Fact(f"{self.pressed} {self.side} {len(self.upload)}")


class Nobody:
    """Who owns a page and does nothing with what it tells."""

    def __init__(self):
        self.told, self.may, self.turns = [], Permissions(), Turns()

    def changed(self, live, control, before, now):
        self.told.append((control, before, now))

    def show_jobs(self):
        pass

    def receiver(self):
        return Receiver(UploadFolder())


class Browser:
    """The other end: it keeps what a page would show."""

    def __init__(self, live=None):
        self.first = first_state(Dots())
        self.texts, self.serial = [], 0
        self.owner = Nobody()
        self.live = live or LivePage("dots", Dots(), self.owner, lambda *call: None, self.first)
        self.viewer = Viewer(self.texts.append, Sent(self.first.sent))
        self.live.resume(self.viewer)
        self.wait(lambda: self.texts)
        self.texts.clear()

    def does(self, **gesture):
        """Send a gesture, wait for its answer, and return the answer."""
        self.serial += 1
        self.live.carry_out({**gesture, "serial": self.serial}, self.viewer)
        return self.answer()

    def answer(self):
        def answers():
            return [news for news in map(json.loads, self.texts) if "handled" in news]

        self.wait(lambda: answers() and answers()[-1]["handled"] == self.serial)
        return answers()[-1]

    def wait(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "no answer came"
            time.sleep(0.01)


def test_the_first_state_holds_everything_that_is_drawn():
    first = json.loads(first_state(Dots()).text)
    assert first["items"]["count"]["all"]["value"] == "4"
    assert first["items"]["dots"]["traces"] == 2
    assert first["items"]["dots"]["1"]["x"] == [0.5]
    assert first["controls"]["at"] == {
        "offered": True,
        **{"low": 0, "high": 1, "step": 0.1, "decimals": 1, "value": 0.5},
    }
    assert first["controls"]["side"]["options"] == ["left", "right"]
    assert not first["controls"]["hidden"]["offered"]
    assert first["settings"]["side"] == "right"
    assert [c["kind"] for s in first["sections"] for c in s["controls"]] == [
        *("slider", "slider", "choice", "button", "number", "files", "switch")
    ]


def test_a_move_sends_the_part_of_the_figure_that_changed_and_nothing_else():
    browser = Browser()
    news = browser.does(kind="set", name="at", value=0.7)
    assert news["items"] == {
        "dots": {"traces": 2, "1": {"type": "scatter", "mode": "markers", "x": [0.7], "y": [0]}}
    }
    assert list(news["controls"]) == ["at"]
    assert news["settings"] == {"at": 0.7}
    assert len(browser.texts) == 1


def test_every_gesture_reaches_the_page():
    browser = Browser()
    assert browser.does(kind="drag", item="dots", shape="place", x=0.31)["settings"]["at"] == 0.3
    assert browser.does(kind="click", item="dots", x=0.9, y=0)["settings"]["at"] == 0.9
    assert browser.does(kind="set", name="side", value="left")["settings"]["side"] == "left"
    news = browser.does(kind="set", name="again", value=True)
    assert news["items"]["times"]["all"]["value"] == "1 0 0"
    assert browser.does(kind="set", name="n", value=7)["controls"]["hidden"]["offered"]
    assert "nine is too many" in browser.does(kind="set", name="n", value=9)["message"]
    assert browser.does(kind="dismiss")["message"] == ""


def test_a_slow_item_is_drawn_at_rest_also_when_all_is_as_before():
    browser = Browser()
    calls = []
    browser.live._later = lambda seconds, call: calls.append(call)
    assert browser.does(kind="set", name="n", value=5)["items"]["late"]["all"]["value"] == "…"
    browser.does(kind="set", name="n", value=4)
    calls[-1]()
    browser.wait(lambda: len(browser.texts) == 3)
    assert json.loads(browser.texts[-1])["items"]["late"]["all"]["value"] == "late 4"


def test_a_number_that_is_refused_is_a_message_until_one_is_taken():
    browser = Browser()
    news = browser.does(kind="set", name="typed", value=10**7)
    assert "Typed must be at most 1,000,000; got 10,000,000" in news["message"]
    assert news["controls"]["typed"]["value"] == 10
    news = browser.does(kind="set", name="typed", value=20)
    assert (news["message"], news["settings"]) == ("", {"typed": 20})


def test_what_follows_from_a_drag_comes_with_its_end():
    browser = Browser()
    news = browser.does(kind="set", name="n", value=7, done=False)
    assert (list(news["controls"]), news["settings"]) == (["n"], {"n": 7})
    assert "dots" in news["items"]
    assert browser.owner.told == []
    news = browser.does(kind="set", name="n", value=7)
    assert news["controls"]["hidden"]["offered"]
    assert [(control, before["n"]) for control, before, _ in browser.owner.told] == [("n", 4)]


def test_a_window_that_comes_while_another_one_drags_is_sent_the_controls_too():
    browser, texts = Browser(), []
    second = Viewer(texts.append, Sent())
    browser.live.open(second)
    browser.wait(lambda: texts)
    second.shown = False
    browser.does(kind="set", name="n", value=7, done=False)
    texts.clear()
    second.shown = True
    browser.live.resume(second)
    browser.wait(lambda: texts)
    news = json.loads(texts[0])
    assert (news["controls"]["n"]["value"], news["settings"]["n"]) == (7, 7)
    texts.clear()
    browser.does(kind="set", name="n", value=8, done=False)
    assert list(json.loads(texts[-1])["controls"]) == ["n"]  # from then on, what the step moves


def test_a_control_that_was_not_followed_is_shown_as_it_is():
    news = Browser().does(kind="set", name="at", value=7.0)
    assert news["controls"]["at"]["value"] == 1
    again = Browser()
    again.does(kind="set", name="side", value="left")
    assert again.does(kind="set", name="side", value="left")["controls"] == {
        "side": {"offered": True, "options": ["left", "right"], "value": "left"}
    }


@pytest.mark.parametrize("name", ["pressed", "secret", "message", "nothing", "__class__"])
def test_only_controls_can_be_set(name):
    browser = Browser()
    before = browser.live.page.settings()
    browser.does(kind="set", name=name, value=3)
    assert browser.live.page.settings() == before


@pytest.mark.parametrize(
    "gesture",
    [
        {},
        {"kind": "jump"},
        {"kind": "set", "name": "at"},
        {"kind": "drag", "item": "count", "shape": "place", "x": 1},
        {"kind": "click", "item": "nothing", "x": 1, "y": 1},
        {"kind": "job", "job": "jump"},
    ],
)
def test_what_is_no_gesture_is_answered_and_changes_nothing(gesture):
    news = Browser().does(**gesture)
    assert (news["items"], news["controls"], news["settings"]) == ({}, {}, {})


def test_an_answer_comes_whatever_happens(monkeypatch):
    browser = Browser()
    browser.does(kind="set", name="at", value=0.1)
    monkeypatch.setattr(browser.live.controls, "states", lambda names: 1 / 0)
    assert "division" in browser.does(kind="set", name="at", value=0.2)["message"]


def test_a_file_comes_in_pieces():
    browser = Browser()
    browser.does(kind="files", name="upload", files=[["a.csv", 5], ["b.csv", 0]])
    browser.does(kind="chunk", name="upload", file=0, content=b"abc")
    assert browser.live.page.upload == ()
    browser.does(kind="chunk", name="upload", file=0, content=b"de")
    found = [(file.name, file.content()) for file in browser.live.page.upload]
    assert found == [("a.csv", b"abcde"), ("b.csv", b"")]


@pytest.mark.parametrize(
    ("gestures", "says"),
    [
        ([{"kind": "files", "files": []}], "no file was chosen"),
        ([{"kind": "files", "files": [["a", -1]]}], "no file was chosen"),
        ([{"kind": "files", "files": [["a", 2**30 + 1]]}], "1,024 MB of one upload"),
        (
            [
                {"kind": "files", "files": [["a", 2]]},
                {"kind": "chunk", "file": 0, "content": b"abc"},
            ],
            "mixed up",
        ),
    ],
)
def test_an_upload_that_cannot_be_is_a_message(gestures, says):
    browser = Browser()
    for gesture in gestures:
        news = browser.does(name="upload", **gesture)
    assert says in news["message"]
    assert browser.live.page.upload == ()


def test_of_many_moves_that_wait_the_latest_is_drawn():
    browser, held = Browser(), threading.Event()
    browser.live.session.queue.post("held", held.wait)
    for k in range(50):
        browser.serial += 1
        gesture = {"kind": "set", "name": "at", "value": k / 50, "serial": browser.serial}
        browser.live.carry_out(gesture, browser.viewer)
    held.set()
    assert browser.answer()["settings"] == {"at": 0.98}
    assert len(browser.texts) <= 2


def test_a_page_that_ended_holds_nothing():
    browser = Browser()
    browser.does(kind="set", name="at", value=0.2)
    page = weakref.ref(browser.live.page)
    browser.live.end()
    texts = len(browser.texts)
    gesture = {"kind": "set", "name": "at", "value": 0.4, "serial": 9}
    browser.live.carry_out(gesture, browser.viewer)
    del browser.live
    deadline = time.monotonic() + 60
    while page() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert page() is None
    assert len(browser.texts) == texts


# -- settings --------------------------------------------------------------------------------------


def test_settings_restore_a_page():
    page = Dots(n=6, at=0.3, side=0, pressed=4, hidden=True)
    again = Dots()
    assert again.restore(json.loads(json.dumps(page.settings()))) == []
    assert again.settings() == page.settings()


def test_what_cannot_be_restored_is_named_and_the_rest_is_restored():
    page = Dots()
    settings = {**page.settings(), "n": 99, "at": "x", "side": "up", "upload": [["a.csv", 3]]}
    lost = page.restore({**settings, "unknown": 1, "hidden": True})
    assert sorted(lost) == ["A file", "Dots", "Place", "Side"]
    assert page.hidden


def test_an_uploaded_file_is_restored_where_its_content_is_known():
    page = Dots(upload=(("a.csv", b"1,2"),))
    settings = json.loads(json.dumps(page.settings()))
    (name, size, sha256), *_ = settings["upload"]
    assert (name, size) == ("a.csv", 3)
    again = Dots()
    assert again.restore(settings, {sha256: b"1,2"}.get) == []
    assert again.upload == page.upload
    assert Dots().restore(settings, {}.get) == ["A file"]


# -- several browsers ------------------------------------------------------------------------------


def test_two_browsers_see_the_same_page_and_each_hears_of_its_own_gestures():
    one = Browser()
    other = Browser(one.live)
    assert one.does(kind="set", name="at", value=0.7)["handled"] == 1
    other.wait(lambda: other.texts)
    news = json.loads(other.texts[-1])
    assert (news["handled"], news["settings"]) == (0, {"at": 0.7})
    assert other.does(kind="set", name="at", value=0.2)["handled"] == 1


def test_a_browser_that_looks_elsewhere_is_sent_no_drawings_until_it_looks_again():
    browser = Browser()
    browser.viewer.shown = False
    news = browser.does(kind="set", name="at", value=0.7)
    assert set(news) == {"page", "handled", "busy"}
    assert browser.live.page.at == 0.7
    browser.viewer.shown = True
    browser.texts.clear()
    browser.live.resume(browser.viewer)
    browser.wait(lambda: browser.texts)
    assert json.loads(browser.texts[-1])["items"]["dots"]["1"]["x"] == [0.7]


def test_a_browser_with_nothing_is_sent_the_whole_page():
    browser = Browser()
    browser.does(kind="set", name="n", value=6)
    texts = []
    browser.live.open(Viewer(texts.append, Sent()))
    browser.wait(lambda: texts)
    news = json.loads(texts[-1])
    assert news["frame"]["title"] == "Dots"
    assert news["items"]["count"]["all"]["value"] == "6"
    assert news["settings"]["n"] == 6


def test_a_page_as_it_is_can_be_put_into_a_document():
    browser = Browser()
    browser.does(kind="set", name="n", value=6)
    sent = Sent()
    page = json.loads(browser.live.whole(sent))
    assert page["items"]["late"]["all"]["value"] == "late 6"
    assert sent.items(browser.live.drawn.parts) == "{}"


def test_the_owner_hears_what_a_person_changed_and_what_was_before():
    browser = Browser()
    browser.does(kind="set", name="at", value=0.7)
    control, before, now = browser.owner.told[-1]
    assert (control, before["at"], now["at"]) == ("at", 0.5, 0.7)
    browser.live.change("program", lambda: setattr(browser.live.page, "n", 5))
    browser.wait(lambda: browser.owner.told[-1][2]["n"] == 5)
    assert browser.owner.told[-1][0] == ""
