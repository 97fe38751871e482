"""What `wb.teaching.check` says of answers of every kind."""

import numpy as np
import pytest

import workbench as wb
from workbench.teaching import Feedback, check


def four():
    return 4.0


def test_an_answer_that_was_not_given_asks_for_nothing():
    def never():
        raise AssertionError

    said = check(..., never)
    assert said.status == "open"
    assert repr(said).startswith("… Not answered yet")


@pytest.mark.parametrize("answer", [4, 4.0, 4.009, np.float64(3.99), np.array([4.0]), np.int64(4)])
def test_a_number_is_right_within_the_tolerance(answer):
    assert check(answer, four, within=0.01, because="Two and two.").words == "Right. Two and two."


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (4.02, "too large"),
        (-np.inf, "too small"),
        (np.nan, "not a number"),
        ("4", "a number, not '4'"),
        (True, "a number, not True"),
        (None, "a number, not None"),
        ([1, 2], "a number, not [1, 2]"),
        ("x" * 200, "x…"),
    ],
)
def test_a_wrong_number_is_told_why(answer, says):
    said = check(answer, four, within=0.01)
    assert said.status == "wrong"
    assert says in said.words
    assert "4.0" not in said.words.replace(repr(answer), "")


def test_letters_and_truth_values():
    assert check(" B", lambda: "b").status == "right"
    assert check("a", lambda: "b").words == "Not yet: think again."
    assert check(False, lambda: False).status == "right"
    assert check(0, lambda: False).words == "Not yet: the answer is True or False, not 0."
    assert check(np.True_, lambda: np.bool_(True)).status == "right"


def test_a_bound_counts_as_its_value_on_both_sides():
    bound = wb.epsilon_lower_bound(wb.GaussianPair(1).sample(1000, seed=1), delta=1e-5)
    assert check(bound, lambda: bound.value).status == "right"
    assert check(bound.value, lambda: bound).status == "right"


def test_a_known_mistake_is_named_and_only_then_computed():
    mistakes = {"this is its square root.": lambda: 2.0}
    assert check(2, four, mistakes=mistakes).words == "Not yet: this is its square root."
    assert check(3, four, mistakes=mistakes).words == "Not yet: this number is too small."
    assert check(4, four, mistakes={"never": lambda: 1 / 0}).status == "right"


def test_an_infinite_truth_is_met_by_itself():
    assert check(np.inf, lambda: np.inf).status == "right"
    assert check(1e300, lambda: np.inf).words == "Not yet: this number is too small."


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: check(1, 4), "truth must be a function"),
        (lambda: check(1, four, within=-1), "within must"),
        (lambda: check(1, lambda: [4]), "the right answer must be a number, a text"),
        (lambda: Feedback("maybe", "words"), "must be one of 'open'"),
    ],
)
def test_a_question_that_cannot_be_checked_is_refused(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()


def test_words_are_no_markup():
    html = check(3, four, mistakes={"<b>bold</b>": lambda: 3})._repr_html_()
    assert "<b>bold" not in html
    assert "&lt;b&gt;bold" in html
