"""The page that compares two score sets, without a front end."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import (
    CSV,
    LABELED,
    REVERSED,
    added,
    as_plain,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
)

import workbench as wb
from workbench.pages.compare import ComparePage
from workbench.pages.inputs.data import draw_key, example_key


@pytest.fixture
def page():
    return ComparePage(a_data=example_key("ties"), b_data=example_key("gaussian"))


def pairs():
    a, b = draw_key("gaussian", mu=2.0, seed=0), draw_key("gaussian", mu=0.5, seed=1)
    return ComparePage(a_data=a, b_data=b)


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    controls = assert_what_does_not_declare_a_control_does_not_follow_it(page)
    assert len(controls) == 20


@pytest.mark.parametrize(
    ("name", "value", "follow"),
    [
        ("log_delta", -2.0, {"epsilon_a", "epsilon_b"}),
        ("a_data", "example:no-leak",
         {"answer", "difference", "epsilon_a", "size_a", "verdict", "provenance", "bands",
          "verdicts"}),
        ("b_data", "example:no-leak",
         {"answer", "difference", "epsilon_b", "size_b", "verdict", "provenance", "bands",
          "verdicts"}),
        ("confidence", 0.9,
         {"answer", "difference", "epsilon_a", "epsilon_b", "verdict", "bands", "verdicts"}),
        ("a_mu", 2.0, set()),  # of a source that is not chosen
    ],
)  # fmt: skip
def test_each_control_changes_what_it_should(page, name, value, follow):
    before = {item.name: as_plain(page.draw(item)) for item in items(page)}
    setattr(page, name, value)
    changed = {item.name for item in items(page) if as_plain(page.draw(item)) != before[item.name]}
    assert changed == follow


def test_the_numbers_and_the_verdict_are_those_of_the_library(page):
    a, b = wb.example("ties"), wb.example("gaussian")
    assert page.epsilon_a().value == wb.epsilon_lower_bound(a, delta=1e-5).value
    assert page.epsilon_b().value == wb.epsilon_lower_bound(b, delta=1e-5).value
    assert page.verdict() == wb.compare(a, b).explain()
    assert page.size_b().text == "10,000 + 10,000"
    assert "Do not rank A and B" in page.caution()


def test_the_leakier_pair_is_found_and_the_same_scores_are_not_told_apart():
    page = pairs()
    assert "A leaks more at false positive rates " in page.verdict()
    assert "B leaks more" not in page.verdict()
    above = next(t for t in page.verdicts()["data"] if t["name"] == "A leaks more")
    assert np.nanmin(above["y"]) > 0
    page.param.update(a_data=example_key("ties"), b_data=example_key("ties"))
    assert "does not show that they leak equally" in page.verdict()
    assert not page.comparison().verdict.any()


def test_drawing_again_draws_both_with_other_seeds():
    page = pairs()
    before = page.a, page.b
    assert not np.array_equal(page.a.q, page.b.q)
    page.draw_again = True
    assert not np.array_equal(page.a.q, before[0].q)
    assert not np.array_equal(page.b.q, before[1].q)
    assert page.loaded["a"].endswith("seed 2")
    assert page.loaded["b"].endswith("seed 3")
    page.b_data = example_key("gaussian")
    kept = page.b
    page.draw_again = True
    assert page.b is kept


def test_a_change_of_the_confidence_marks_everything_until_reset(page):
    before = [as_plain(page.draw(item)) for item in items(page)]
    page.confidence = 0.99
    for bound in (page.epsilon_a(), page.epsilon_b()):
        assert bound.void == "the confidence was changed after results were seen"
    assert "not valid: the confidence" in page.verdict()
    page.reset = True
    assert [as_plain(page.draw(item)) for item in items(page)] == before


def test_data_that_cannot_be_drawn_leave_the_former_in_view_and_say_whose_they_are(page):
    before = page.a, page.b, page.settings()
    with pytest.raises(ValueError, match="there is no data set"):
        page.b_data = "nothing"
    assert (page.a, page.b, page.settings()) == before
    good = added(page.workspace, ("good.csv", CSV))
    page.b_data = good.key
    assert page.message == ""
    assert page.a is before[0]
    assert page.b.n_p == 60
    assert "“good.csv”: P = column 'in'" in page.provenance()
    assert page.epsilon_b().assumption == "if rows are independent"
    assert page.epsilon_b().void is None


def test_another_data_set_is_a_new_audit_and_those_that_were_seen_keep_their_mark(page):
    one = added(page.workspace, ("one.csv", CSV))
    page.follow(one.key)
    page.confidence = 0.99
    assert "the confidence was changed" in page.verdict()
    new = added(page.workspace, ("labeled.csv", LABELED)).key
    page.a_data = new
    assert "the confidence was changed" in page.verdict()  # B was seen before
    page.b_data = new
    assert "not valid" not in page.verdict()
    page.a_data = one.key
    assert "the confidence was changed" in page.verdict()
    page.confidence = 0.95
    page.b_data = page.param.b_data.default
    assert "not valid" not in page.verdict()


def test_another_direction_of_one_set_marks_the_verdict(page):
    dataset = added(page.workspace, ("one.csv", CSV))
    page.b_data = dataset.key
    assert "not valid" not in page.verdict()
    turned = replace(dataset.reading, larger_is_member=False)
    page.workspace.kept.reread(dataset.key, turned, seen=True)
    page.refresh()
    assert not page.b.larger_is_member
    assert "the direction of the score was changed" in page.verdict()


def test_the_direction_is_asked_about_where_members_score_significantly_the_other_way(page):
    assert page.question() == ""
    losses = added(page.workspace, ("losses.csv", REVERSED))
    page.b_data = losses.key
    assert page.question().startswith("B: Is the direction right? Members do not score larger")
    page.a_data = losses.key
    assert "A: Is the direction right?" in page.question()


def test_the_edges_of_a_band_hold_between_the_rates(page):
    """Between two rates the lower limit of the first holds, and the upper one of the second."""
    c = page.comparison()
    most, least, *_ = page.bands()["data"]
    assert most["line"]["shape"] == least["line"]["shape"] == "hv"
    low = np.min(least["y"])
    np.testing.assert_array_equal(most["y"][:-1], np.maximum(c.a_upper[1:], low))
    np.testing.assert_array_equal(least["y"], np.maximum(c.a_lower, low))
    dense = wb.compare(page.a, page.b, fpr=np.sqrt(c.fpr[1:] * c.fpr[:-1]))
    assert np.all(np.array(most["y"])[:-1] >= dense.a_upper - 1e-12)
    assert np.all(np.array(least["y"])[:-1] <= np.maximum(dense.a_lower, low) + 1e-12)


def test_the_code_reproduces_the_numbers_and_the_view():
    a, b = wb.example("ties"), wb.Scores(*np.random.default_rng(0).normal(size=(2, 300)))
    given = wb.explore_compare(a, (b.p, b.q), spec={"confidence": 0.9})
    free = wb.explore_compare()
    a_data, b_data = draw_key("laplace", mu=1.0, n=500), example_key("no-leak")
    free.update(a_data=a_data, b_data=b_data, log_delta=-3.0)
    for view in (given, free):
        made = {"a": a, "b": b}
        exec(view.to_code(), made)
        assert made["epsilon_a"].value == view.epsilon_a.value
        assert made["epsilon_b"].value == view.epsilon_b.value
        assert made["comparison"].explain() == view.page.comparison().explain()
        assert made["view"].epsilon_b == view.epsilon_b
    with pytest.raises(AttributeError, match="'a_data'"):
        given.a_data = example_key("ties")


def test_a_view_is_restored_from_its_spec():
    view = wb.explore_compare()
    view.update(a_data=draw_key("gaussian", mu=1.5), b_data=example_key("no-leak"))
    view.a_n = 500
    view.draw_again()
    again = wb.explore_compare(spec=view.spec())
    assert again.numbers == view.numbers
    np.testing.assert_array_equal(again.page.a.p, view.page.a.p)


def test_one_set_alone_is_no_comparison():
    with pytest.raises(ValueError, match="only one was given"):
        wb.explore_compare(wb.example("ties"))
