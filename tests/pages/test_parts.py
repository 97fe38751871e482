"""The contract of parts: what a page gets of them, and what it refuses."""

from __future__ import annotations

import threading

import param
import pytest

from workbench.pages.core.page import Control, Fact, Page, Section, derived, number
from workbench.pages.core.part import Part
from workbench.pages.core.session import PageSession
from workbench.pages.plan import PlanPage
from workbench.pages.registry import PAGES
from workbench.workspaces.workspace import Workspace


class Heads(Part):
    heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

    @derived(needs=("heads",))
    def odds(self):
        return self.heads / (1 - self.heads)

    @number("Odds", needs=("odds",))
    def shown_odds(self):
        "Heads to tails."
        return Fact(f"{self.odds():.2f}")


class Weight(Part):
    weight = param.Number(1.0, bounds=(0, 9), label="Weight")


class OtherOdds(Part):
    @derived(needs=())
    def odds(self):
        return 2.0


class OtherHeads(Part):
    heads = param.Number(0.1, bounds=(0, 1), label="Heads")


@pytest.mark.parametrize(("other", "name"), [(OtherOdds, "odds"), (OtherHeads, "heads")])
def test_two_parts_with_one_name_are_refused(other, name):
    with pytest.raises(TypeError, match=rf"'first' and 'second' both have '{name}'"):

        class Coin(Page):
            first = Heads()
            second = other()


def test_a_part_with_results_is_there_once_and_one_of_parameters_may_have_prefixes():
    with pytest.raises(TypeError, match=r"'(shown_)?odds'"):

        class Coins(Page):
            first = Heads("a")
            second = Heads("b")

    class Weights(Page):
        first = Weight("a")
        second = Weight("b")

    page = Weights(a_weight=2.0)
    assert (page.first.weight, page.second.weight) == (2.0, 1.0)


def test_a_part_that_a_page_declares_again_is_the_later_one():
    class Coin(Page):
        chance = Heads()

    class Fair(Coin):
        chance = OtherHeads()

    assert type(Fair().chance) is OtherHeads


def test_a_parameter_that_is_set_to_none_is_another_value_than_its_default():
    class Named(Page):
        name_of_it = param.Parameter("a")

        @derived(needs=("name_of_it",))
        def shown(self):
            return self.name_of_it

    page = Named()
    assert page.shown() == "a"
    page.name_of_it = None
    assert page.shown() is None


@pytest.mark.parametrize("name", PAGES)
def test_a_copy_for_another_process_has_its_settings(name):
    page = PAGES[name].kind(workspace=Workspace())
    assert page.whole_for_process().settings() == page.settings()


def test_the_plan_page_is_pickled_as_the_others_are():
    import pickle

    copy = pickle.loads(pickle.dumps(PlanPage(workspace=Workspace()).whole_for_process()))
    assert copy.sizes.n == PlanPage().sizes.n


def test_a_value_that_is_computed_while_another_thread_changes_it_is_not_kept():
    computing, go_on = threading.Event(), threading.Event()

    class Slow(Page):
        controls = (Section("Slow", (Control("x"),)),)
        x = param.Number(0.0, bounds=(0, 9))

        @derived(needs=("x",))
        def twice(self):
            found = 2 * self.x
            if not go_on.is_set():
                computing.set()
                assert go_on.wait(60)
            return found

        @number("First", needs=("twice",))
        def first(self):
            "Twice x."
            return Fact(f"{self.twice()}")

        @number("Second", needs=("twice", "x"))
        def second(self):
            "Twice x, again."
            return Fact(f"{self.twice()}")

    page, shown, turns = Slow(), {}, []

    def draw():
        for item in session.items.values():
            session.draw(item, lambda item, value: shown.update({item.name: value.text}))

    session = PageSession(page, page.items(), draw, lambda turn, blocks: turns.append(turn))
    session.stale |= session.items.keys()
    session.queue.post("draw", lambda: None)
    drawer = threading.Thread(target=turns.pop())
    drawer.start()
    assert computing.wait(60)
    page.x = 2.0  # in this thread
    go_on.set()
    drawer.join(60)
    session.stale |= session.items.keys()
    session.queue.post("draw", lambda: None)
    turns.pop()()
    assert shown == {"first": "4.0", "second": "4.0"}
    session.end()
