"""The question that is fixed in advance on the page Scores: in time, late, and at another δ."""

import pytest

import workbench as wb
from workbench.pages.core.sliders import number_of
from workbench.pages.inputs.data import draw_key, example_key
from workbench.pages.inputs.spec import Spec
from workbench.pages.scores.page import ScoresPage

OTHER = example_key("laplace")


@pytest.fixture
def page():
    return ScoresPage()


def guarantees(page):
    return page.epsilon().guarantee, page.mu().guarantee


def test_a_question_asked_after_a_look_is_late_and_said_to_be(page):
    before = page.epsilon()
    page.asked = "epsilon"
    assert page.asked_late
    assert page.epsilon() == before
    assert "after results of these data were seen" in page.asked_afterwards()
    assert page.in_advance() == ""


@pytest.mark.parametrize("asked", ["epsilon", "mu"])
def test_it_is_in_time_for_the_data_that_come_next(page, asked):
    page.asked = asked
    page.data = OTHER
    assert guarantees(page) == tuple(
        "one question" if name == asked else "simultaneous" for name in ("epsilon", "mu")
    )
    bound = getattr(page, asked)()
    library = (
        wb.epsilon_lower_bound(page.scores, page.delta.value, guarantee="one question")
        if asked == "epsilon"
        else wb.mu_lower_bound(page.scores, guarantee="one question")
    )
    assert bound == library
    assert bound.void is None
    simultaneous = page.band().mu() if asked == "mu" else page.band().epsilon(page.delta.value)
    assert bound.value > simultaneous.value
    assert simultaneous.rounded in page.in_advance()


def test_data_that_come_back_know_what_they_were_asked_first(page):
    first = page.data
    page.asked = "epsilon"
    page.data = OTHER
    page.data = first
    assert page.asked_late
    page.data = OTHER
    assert page.epsilon().guarantee == "one question"
    page.asked = "mu"
    assert page.asked_late
    page.data = first
    page.asked = "epsilon"
    page.data = OTHER
    assert page.epsilon().guarantee == "one question"


def test_a_new_draw_is_new_data_and_one_that_was_seen_is_not(page):
    page.data = draw_key("gaussian", n=500, mu=1.0)
    page.asked = "mu"
    assert guarantees(page) == ("simultaneous", "simultaneous")
    page.param.trigger("draw_again")
    assert guarantees(page) == ("simultaneous", "one question")
    page.data = draw_key("gaussian", n=500, mu=1.0)
    assert guarantees(page) == ("simultaneous", "simultaneous")


def test_a_delta_that_moves_leaves_the_question_where_it_was(page):
    page.asked = "epsilon"
    page.data = OTHER
    sharp = page.epsilon()
    page.log_delta = -3.0
    assert page.epsilon().guarantee == "simultaneous"
    assert page.asked_delta == number_of(-5.0)
    assert str(sharp) in page.in_advance()
    page.log_delta = -5.0
    assert page.epsilon() == sharp


def test_other_choices_after_a_look_void_it_as_they_void_the_others(page):
    page.asked = "epsilon"
    page.data = OTHER
    page.confidence = 0.99
    assert page.epsilon().guarantee == "one question"
    assert page.epsilon().void == "the confidence was changed after results were seen"


def test_reset_asks_nothing(page):
    page.asked = "epsilon"
    page.data = OTHER
    page.param.trigger("reset")
    assert page.asked == "none"
    assert page.in_advance() == ""
    page.asked = "mu"
    assert page.asked_late
    page.asked = "epsilon"  # the question that was fixed before the first look
    assert page.epsilon().guarantee == "one question"


def test_its_state_is_restored_with_its_mark(page):
    page.asked = "epsilon"
    page.log_delta = -3.0
    late = Spec(page).state()
    page.data = OTHER
    page.log_delta = -5.0
    in_time = Spec(page).state()
    for state in (late, in_time):
        again = ScoresPage()
        Spec(again).restore(state)
        names = ("asked", "asked_late", "asked_delta", "log_delta")
        assert [getattr(again, n) for n in names] == [state[n] for n in names]


def test_a_spec_in_python_fixes_the_question_before_the_page_opens():
    scores = wb.example("gaussian")
    view = wb.explore(scores, spec={"asked": "epsilon", "log_delta": -6.0})
    assert view.page.epsilon() == wb.epsilon_lower_bound(scores, 1e-6, guarantee="one question")


def test_shown_code_asks_the_same(page):
    page.asked = "mu"
    page.data = OTHER
    code = page.code({})
    assert "mu = wb.mu_lower_bound(scores, confidence=0.95, guarantee='one question')" in code
    assert "epsilon = band.epsilon(1e-05)" in code
