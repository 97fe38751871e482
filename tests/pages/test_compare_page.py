"""The page that compares two score sets, without a front end."""

import numpy as np
import pytest
from helpers.pages import (
    CSV,
    LABELED,
    as_plain,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
)

import workbench as wb
from workbench.pages.compare import ComparePage


@pytest.fixture
def page():
    return ComparePage(a_example="ties", b_example="gaussian")


def files(*named):
    return tuple((name, text.encode()) for name, text in named)


def pairs(**more):
    return ComparePage(a_source="pair", b_source="pair", a_mu=2.0, b_mu=0.5, **more)


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    controls = assert_what_does_not_declare_a_control_does_not_follow_it(page)
    assert len(controls) > 20


@pytest.mark.parametrize(
    ("name", "value", "follow"),
    [
        ("log_delta", -2.0, {"epsilon_a", "epsilon_b"}),
        ("a_example", "no-leak",
         {"epsilon_a", "size_a", "verdict", "provenance", "bands", "verdicts"}),
        ("b_example", "no-leak",
         {"epsilon_b", "size_b", "verdict", "provenance", "bands", "verdicts"}),
        ("confidence", 0.9, {"epsilon_a", "epsilon_b", "verdict", "bands", "verdicts"}),
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
    page.param.update(a_source="example", a_example="ties", b_source="example", b_example="ties")
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
    page.b_source = "example"
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


def test_a_bad_file_leaves_the_scores_and_says_whose_it_is(page):
    before = page.a, page.b
    page.b_source = "file"
    assert (page.a, page.b) == before
    assert page.message == ""
    for bad, says in (
        (files(("broken.csv", "in,out\n1,2\nthree,4\n5,6\n")), "row 3"),
        (files(("odd.csv", CSV.replace("in,out", "alpha,beta"))), "p= and q="),
        (files(*[("one.csv", CSV)] * 3), "3 files were given"),
    ):
        page.b_upload = bad
        assert (page.a, page.b) == before
        assert page.message.startswith("B: ")
        assert says in page.message
    page.b_upload = files(("good.csv", CSV))
    assert page.message == ""
    assert page.a is before[0]
    assert page.b.n_p == 60
    assert "“good”" in page.provenance()
    assert page.epsilon_b().assumption == "if rows are independent"
    assert page.epsilon_b().void is None


def test_a_second_file_and_another_direction_mark_the_verdict(page):
    page.param.update(a_source="file", a_upload=files(("one.csv", CSV)))
    assert "not valid" not in page.verdict()
    page.a_upload = files(("in.csv", "score\n3\n4\n5\n"), ("out.csv", "score\n1\n2\n2\n"))
    assert page.a.n_p == 3
    assert "the file was changed" in page.verdict()
    page.reset = True
    assert "not valid" not in page.verdict()
    page.a_larger_is_member = False
    assert not page.a.larger_is_member
    assert "the direction of the score was changed" in page.verdict()


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
    free.update(a_source="pair", a_kind="laplace", a_n=500, b_example="no-leak", log_delta=-3.0)
    for view in (given, free):
        made = {"a": a, "b": b}
        exec(view.to_code(), made)
        assert made["epsilon_a"].value == view.epsilon_a.value
        assert made["epsilon_b"].value == view.epsilon_b.value
        assert made["comparison"].explain() == view.page.comparison().explain()
        assert made["view"].epsilon_b == view.epsilon_b
    with pytest.raises(AttributeError, match="no 'a_example'"):
        given.a_example = "ties"


def test_a_view_is_restored_from_its_spec():
    view = wb.explore_compare()
    view.update(a_source="pair", a_mu=1.5, a_n=500, b_example="no-leak")
    view.draw_again()
    again = wb.explore_compare(spec=view.spec())
    assert again.numbers == view.numbers
    np.testing.assert_array_equal(again.page.a.p, view.page.a.p)


def test_one_set_alone_is_no_comparison():
    with pytest.raises(ValueError, match="only one was given"):
        wb.explore_compare(wb.example("ties"))


def test_files_with_labels_are_read(page):
    page.param.update(b_source="file", b_upload=files(("labeled.csv", LABELED)))
    assert page.message == ""
    assert (page.b.n_p, page.b.n_q) == (100, 100)
