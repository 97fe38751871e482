"""What both front ends share: the queue of tasks, and the session of a page."""

import param
import pytest

from workbench.pages.core.jobs import job
from workbench.pages.core.page import Control, Fact, Page, Section, number
from workbench.pages.core.queue import LatestWins
from workbench.pages.core.session import INTERRUPTED, PageSession
from workbench.pages.core.sliders import NumberField


class Turns:
    """A scheduler whose turns run when the test says so."""

    def __init__(self):
        self.waiting = []

    def __call__(self, turn, blocks):
        self.waiting.append((turn, blocks))

    def run(self):
        turn, blocks = self.waiting.pop(0)
        turn()
        return blocks


@pytest.fixture
def turns():
    return Turns()


@pytest.fixture
def done():
    return []


@pytest.fixture
def queue(turns, done):
    return LatestWins(lambda tasks: done.append([task() for task in tasks]), turns)


def test_all_that_waits_is_one_turn_with_the_latest_task_of_each_key(queue, turns, done):
    for key, value in (("a", 1), ("b", 2), ("a", 3)):
        queue.post(key, lambda value=value: value)
    assert len(turns.waiting) == 1
    assert queue.size == 2
    turns.run()
    assert done == [[2, 3]]
    assert queue.size == 0
    assert turns.waiting == []


def test_what_is_posted_in_a_turn_comes_in_the_next_also_after_an_error(queue, turns, done):
    def broken():
        assert queue.here
        queue.post("a", lambda: "later")
        raise ValueError("broken")

    queue.post("a", broken)
    with pytest.raises(ValueError, match="broken"):
        turns.run()
    assert (done, len(turns.waiting), queue.here) == ([], 1, False)
    turns.run()
    assert done == [["later"]]


def test_turns_that_wait_for_another_process_are_scheduled_as_such(queue, turns):
    queue.post_together({"file": lambda: None}, blocks=True)
    queue.post("a", lambda: None)
    assert turns.run() is True
    queue.post("a", lambda: None)
    assert turns.run() is False


def test_a_queue_that_was_cleared_goes_on_and_one_that_was_closed_does_not(queue, turns, done):
    queue.post("a", lambda: 1)
    queue.clear()
    turns.run()
    queue.post("a", lambda: 2)
    turns.run()
    assert done == [[], [2]]
    queue.post("a", lambda: 3)
    queue.close()
    turns.run()
    assert done == [[], [2]]


# -- the session -----------------------------------------------------------------------------------


class Lamp(Page):
    """A lamp with a job."""

    title = "Lamp"
    controls = (Section("Lamp", tuple(map(Control, ("power", "limit", "color", "blink", "burn")))),)
    power = param.Number(1.0, bounds=(0, 2), step=0.5, label="Power")
    limit = NumberField(5.0, bounds=(1, 10), label="Limit")
    color = param.Selector(default=1, objects={"red": 1, "blue": 2}, label="Color")
    blink = param.Event(label="Blink")
    blinks = param.Integer(0, precedence=-1)
    burned = param.Parameter(precedence=-1)

    @param.depends("blink", watch=True)
    def _blink(self):
        self.blinks += 1
        if self.blinks == 2:
            raise KeyboardInterrupt

    @job("Burn", needs=("power",), into="burned")
    def burn(self, report):
        "Until it is cancelled."

    @number("Light", needs=("power",))
    def light(self):
        """The light."""
        return Fact(str(self.power))


@pytest.fixture
def drawn():
    return []


@pytest.fixture
def session(turns, drawn):
    page = Lamp()

    def draw():
        for item in page.items():
            if item.name in made.stale:
                made.draw(item, lambda item, value: drawn.append(value.text))

    made = PageSession(page, page.items(), draw, turns)
    yield made
    made.end()


def does(session, turns, **gesture):
    session.receive({"serial": session.handled + 1, **gesture})
    turns.run()
    return session.page


def test_a_gesture_sets_and_draws_only_what_changed(session, turns, drawn):
    assert does(session, turns, kind="set", name="power", value=1.5).power == 1.5
    assert (drawn, session.handled, session.take_changed()) == (["1.5"], 1, {"power"})
    does(session, turns, kind="set", name="power", value=1.5)
    assert does(session, turns, kind="set", name="color", value="blue").color == 2
    assert (drawn, session.handled) == (["1.5"], 3)
    assert session.take_changed() == {"power", "color"}  # a control may show another value


def test_a_number_that_is_refused_is_a_message_until_the_next_is_taken(session, turns):
    page = does(session, turns, kind="set", name="limit", value=50)
    assert page.message == "Limit must be at most 10; got 50"
    assert does(session, turns, kind="set", name="limit", value=7).message == ""


@pytest.mark.parametrize("name", ["blinks", "burned", "message", "light", "nothing"])
def test_only_controls_can_be_set(session, turns, name):
    before = session.page.param.values()
    does(session, turns, kind="set", name=name, value=3)
    assert session.page.param.values() == before
    assert session.handled == 1


def test_an_interrupt_is_a_message_and_leaves_no_event_on(session, turns):
    does(session, turns, kind="set", name="blink", value=True)
    page = does(session, turns, kind="set", name="blink", value=True)
    assert (page.message, page.blink, page.blinks) == (INTERRUPTED, False, 2)
    assert does(session, turns, kind="set", name="blink", value=True).blinks == 3


def test_a_press_that_waits_is_not_replaced_by_the_progress_of_the_job(session, turns, monkeypatch):
    pressed = []
    monkeypatch.setattr(session.page.work, "press", lambda job, post: pressed.append(job))
    session.receive({"kind": "job", "job": "burn", "serial": 1})
    session.queue.post(("job", "burn"), lambda: None)
    turns.run()
    assert pressed == ["burn"]


def test_a_session_that_ended_changes_nothing(session, turns):
    session.receive({"kind": "set", "name": "power", "value": 0.5, "serial": 1})
    session.end()
    turns.run()
    assert session.page.power == 1.0
