"""The scores page without a front end: what follows from its state, and what voids a bound."""

import math

import pytest
from helpers.pages import (
    CSV,
    LABELED,
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
    upload,
)

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.pages.inputs.reference import REFERENCES
from workbench.pages.scores.page import ScoresPage, nice_below
from workbench.pairs.gaussian import GaussianPair

CLAIMS = (("claims.csv", b"epsilon,delta\n0,0.4\n1,0.1\n4,1e-5\n"),)


@pytest.fixture
def page():
    return ScoresPage()


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    assert len(assert_what_does_not_declare_a_control_does_not_follow_it(page)) > 20


@pytest.mark.parametrize("name", wb.examples()["name"])
def test_every_example_draws(page, name):
    page.example_name = name
    assert page.message == ""
    for item in items(page):
        drawn = page.draw(item)
        if item.kind == "figure":
            assert drawn["layout"]["meta"]["summary"]
            for trace in drawn["data"]:
                assert len(trace["x"]) == len(trace["y"]) <= 2001
        elif isinstance(drawn, Bound):
            assert not math.isnan(drawn.value)
    low, high = page.param.threshold.softbounds
    assert low <= page.threshold <= high
    low, high = page.param.bin_width.softbounds
    assert low <= page.bin_width <= high


def test_every_number_has_its_guarantee_and_assumption(page):
    drawn = {item.name: page.draw(item) for item in page.numbers()}
    simultaneous = {"epsilon", "mu", "total_variation", "tpr"}
    assert {n for n, b in drawn.items() if getattr(b, "guarantee", "") == "simultaneous"} == (
        simultaneous
    )
    assert {b.assumption for b in drawn.values() if isinstance(b, Bound)} == {"independent runs"}
    upload(page, ("scores.csv", CSV))
    assert page.epsilon().assumption == "if rows are independent"
    page.sampling = "one run"
    assert page.epsilon().assumption == "one run"


def test_dragging_leaves_simultaneous_bounds_alone(page):
    before = page.epsilon(), page.mu(), page.total_variation(), page.tpr()
    page.threshold += 10 * page.param.threshold.step
    page.bin_width += 3 * page.param.bin_width.step
    page.bin_rule = "quantile"
    page.reference_kind = "laplace"
    assert (page.epsilon(), page.mu(), page.total_variation(), page.tpr()) == before
    page.log_delta = -3
    assert page.epsilon().void is None
    assert page.epsilon().value < before[0].value


def test_a_threshold_from_the_data_voids_its_pointwise_bound(page):
    assert "placed at the median of these scores" in page.epsilon_here().void
    page.threshold += page.param.threshold.step
    assert "after seeing" in page.epsilon_here().void


def test_a_threshold_set_before_fresh_draws_holds(page):
    page.source = "pair"
    page.threshold = 0.5
    assert page.epsilon_here().void
    page.draw_again = True
    assert page.threshold == 0.5
    assert page.epsilon_here().void is None
    page.threshold = 0.6
    assert page.epsilon_here().void
    page.draw_again = True
    page.sample_mu = 2.0  # the same seed: these draws resemble those that were seen
    assert page.epsilon_here().void


def test_fixed_bins_hold_only_when_set_before_fresh_draws(page):
    page.source = "pair"
    assert "derived from the data" in page.fixed_bins()
    page.param.update(bin_rule="count", fixed_range=True, range_low=-4, range_high=5)
    assert "after seeing" in page.fixed_bins()
    page.draw_again = True
    assert "Not valid" not in page.fixed_bins()
    assert "fixed in advance" in page.fixed_bins()
    page.bin_count += 1
    assert "after seeing" in page.fixed_bins()


@pytest.mark.parametrize("rule", ["scott", "fd", "quantile"])
def test_a_rule_voids_fixed_bin_limits_even_over_a_fixed_range(page, rule):
    page.source = "pair"
    page.param.update(bin_rule=rule, fixed_range=True, range_low=-4, range_high=5)
    page.draw_again = True
    assert "Not valid" in page.fixed_bins()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("confidence", 0.99, "the confidence"),
        ("larger_is_member", False, "the direction of the score"),
        ("sampling", "one run", "the sampling assumption"),
        ("score_column", "alt", "the column"),
    ],
)
def test_changes_of_the_second_kind_mark_the_bounds_until_reset(page, name, value, says):
    upload(page, ("labeled.csv", LABELED))
    assert page.epsilon().void is None
    before = page.epsilon()
    setattr(page, name, value)
    for bound in (page.epsilon(), page.mu(), page.total_variation(), page.tpr()):
        assert bound.void == f"{says} was changed after results were seen"
    assert "after results were seen" in page.in_words()
    page.reset = True
    assert page.epsilon() == before


def test_a_second_file_marks_the_bounds(page):
    upload(page, ("one.csv", CSV))
    assert page.epsilon().void is None
    page.upload = (("two.csv", LABELED.encode()),)
    assert "the file" in page.epsilon().void


def test_dropping_nonfinite_scores_marks_the_bounds(page):
    text = CSV.replace("\n0.4,", "\nnan,")
    upload(page, ("odd.csv", text))
    assert page.has_nonfinite
    assert "1 NaN kept" in page.sizes().note
    page.nonfinite = "drop"
    assert page.scores.discarded == 1
    assert "non-finite" in page.epsilon().void


def test_a_bad_file_leaves_the_scores_and_says_why(page):
    before = page.scores
    upload(page, ("broken.csv", "in,out\n1,2\nthree,4\n5,6\n"))
    assert page.scores is before
    assert "row 3" in page.message
    assert "three" in page.message
    upload(page, ("good.csv", CSV))
    assert page.message == ""
    assert page.scores.n_p == 60


def test_a_file_without_known_names_is_read_once_columns_are_chosen(page):
    upload(page, ("odd.csv", CSV.replace("in,out", "alpha,beta")))
    assert "Choose them under “How the file is read”" in page.message
    page.param.update(p_column="alpha", q_column="beta")
    assert page.message == ""
    assert page.scores.n_p == 60
    assert page.epsilon().void is None


def test_two_files_are_one_a_side(page):
    upload(page, ("in.csv", "score\n3\n4\n5\n"), ("out.csv", "score\n1\n2\n2\n1\n"))
    assert page.message == ""
    assert (page.scores.n_p, page.scores.n_q) == (3, 4)
    assert "first file" in page.provenance()


def test_clusters_become_one_score_each(page):
    rows = "\n".join(f"{i % 9},{i % 2},s{i // 10}-{i % 2}" for i in range(200))
    upload(page, ("clusters.csv", "score,member,subject\n" + rows))
    page.cluster_column = "subject"
    assert page.scores.n_p == 20
    assert page.epsilon().assumption == "clustered"
    assert "from 100 + 100 rows" in page.sizes().note


def test_the_direction_is_asked_about_and_never_flipped(page):
    upload(page, ("losses.csv", CSV.replace("in,out", "out,in")))
    assert "smaller = member" in page.question()
    assert page.scores.larger_is_member
    page.larger_is_member = False
    assert page.question() == ""


def test_moving_the_width_makes_it_fixed_and_a_rule_sets_it(page):
    scott = page.bin_width
    page.bin_width = scott + 2 * page.param.bin_width.step
    assert page.bin_rule == "width"
    page.bin_rule = "scott"
    assert page.bin_width == scott


def test_a_click_on_the_trade_off_curve_moves_the_threshold(page):
    page.move_to_fpr(0.1, 0.5)
    assert float(page.at_threshold().fpr) == pytest.approx(0.1, abs=0.02)


def test_results_are_computed_once_a_state(page):
    assert page.band() is page.band()
    before = page.band(), page.roc(), page.histogram()
    page.threshold += page.param.threshold.step
    assert (page.band(), page.roc(), page.histogram()) == before
    assert page.at_threshold() is page.at_threshold()


@pytest.mark.parametrize(("x", "nice"), [(0.034, 0.02), (5.0, 5.0), (999, 500), (1e-9, 1e-9)])
def test_nice_steps(x, nice):
    assert nice_below(x) == pytest.approx(nice)


@pytest.mark.parametrize("kind", REFERENCES)
def test_every_reference_is_drawn_beside_the_scores(page, kind):
    page.param.update(reference_kind=kind, reference_table=CLAIMS)
    reference = page.reference()
    offered = [c.name for s in page.controls for c in s.controls if c.offered(page)]
    assert {f"reference_{name}" for name in REFERENCES[kind].takes} <= set(offered)
    for chart in (page.tradeoff(), page.profile(), page.mu_curve()):
        assert "reference" in [trace.get("name") for trace in chart["data"]]
    assert 0 <= reference.total_variation <= 1


def test_an_uploaded_table_of_claims_is_the_reference(page):
    page.reference_kind = "claimed-table"
    assert page.reference() is None  # awaited
    assert page.claim().text == "–"
    page.reference_table = CLAIMS
    assert page.message == ""
    assert page.reference() == wb.ProfileTablePair((0, 1, 4), (0.4, 0.1, 1e-5))
    assert page.claim().text == "refuted"
    assert "no leakier than Table of 3 (ε, δ)" in page.judged()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("claims.csv", b"", "'claims.csv' is empty"),
        ("claims.xlsx", b"PK", "claims.xlsx"),
        ("claims.csv", b"eps,delta\n1,0.1\n", "no column 'epsilon', only eps, delta"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,0.3\n", "row 2: δ rises from 0.1"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,none\n", "row 2: δ must lie in [0, 1], got nan"),
        ("claims.csv", b"epsilon,delta\n1,0.1\n2,few\n", "row 2: δ must be a number, got 'few'"),
        ("claims.csv", b"epsilon,delta\n-1,0.1\n", "row 1: ε must lie in"),
    ],
)
def test_a_table_that_claims_nothing_is_refused_in_words(page, name, content, says):
    page.param.update(reference_kind="claimed-table", reference_table=((name, content),))
    assert says in page.message
    assert page.reference() is None
    for item in page.figures():
        assert page.draw(item)["layout"]["meta"]["summary"]
    page.reference_table = CLAIMS
    assert page.message == ""
    page.reference_table = CLAIMS * 2
    assert "2 files were given" in page.message


def test_a_composed_reference_is_the_composition(page):
    page.param.update(reference_kind="gaussian", reference_mu=0.5, reference_times=4)
    assert page.reference().epsilon(1e-5) == pytest.approx(GaussianPair(1.0).epsilon(1e-5))


def test_dp_sgd_as_a_reference_agrees_with_the_accountant(page):
    page.param.update(reference_kind="dp-sgd", reference_log_rate=-2.0, reference_log_steps=3.0)
    assert 1.818 <= page.reference().epsilon(1e-5) <= 1.838


def test_a_learned_ordering_sees_what_no_threshold_sees(page):
    page.example_name = "unequal-variances"
    by_threshold = page.total_variation().value
    page.ordering = "learned"
    learned = page.total_variation()
    assert learned.guarantee == "held-out"
    assert learned.void == "the attack statistic was changed after results were seen"
    assert by_threshold < 0.12 < learned.value < 0.1936
    assert "simultaneous" not in [trace.get("name") for trace in page.mu_curve()["data"]]
    page.reset = True
    assert page.ordering == "score"
    assert page.total_variation().void is None


def test_approximate_intervals_at_the_threshold_are_called_so(page):
    page.param.update(source="pair")
    page.param.trigger("draw_again")
    assert page.epsilon_here().guarantee == "pointwise"
    page.interval = "jeffreys"
    bound = page.epsilon_here()
    assert bound.guarantee == "approximate"
    assert bound.void == "the confidence interval was changed after results were seen"


def test_the_reference_is_judged_as_a_claim(page):
    page.reference_kind = None
    assert page.claim().text == "–"
    assert page.judged() == ""
    page.param.update(reference_kind="gaussian", reference_mu=0.5)
    assert page.claim().text == "refuted"
    assert "no leakier than Gaussian, μ = 0.5" in page.judged()
    page.reference_mu = 3.5
    assert page.claim().text == "not refuted"
    assert "would be refuted with probability 80%" in page.judged()
    page.confidence = 0.99
    assert "not valid: the confidence was changed after results were seen" in page.judged()


def test_a_served_file_is_read_once_and_its_scores_are_one_object_for_all(tmp_path, monkeypatch):
    from workbench.cli import files, main
    from workbench.dashboard import app

    served, read = [], []
    monkeypatch.setattr(app, "serve", lambda tabs, **how: served.extend(tabs))
    whole = files.read_table
    monkeypatch.setattr(
        files, "read_table", lambda path, **how: read.append(path) or whole(path, **how)
    )
    path = tmp_path / "mine.csv"
    path.write_text("in,out\n" + "\n".join(f"{k / 7},{k / 9}" for k in range(300)))
    assert main(["serve", "--no-open", str(path)]) == 0
    factories = [tab.factory for tab in served]
    make = next(one for one in factories if getattr(one, "func", None) is ScoresPage)
    monkeypatch.setattr("workbench.pages.inputs.score_source.read_table", lambda *_, **__: 1 / 0)
    one, other = make(), make()
    assert read == [path]
    assert one.scores is other.scores
    other.larger_is_member = False
    assert one.scores.larger_is_member
    assert one.restore(other.settings()) == []
    assert one.scores is other.scores


def test_the_direction_is_not_asked_about_where_nothing_leaks():
    page = ScoresPage()
    page.example_name = "no-leak"
    assert page.roc().auc < 0.5
    assert page.question() == ""


def test_columns_that_cannot_be_guessed_are_asked_for_one_by_one(page):
    upload(page, ("odd.csv", "foo,bar\n" + "\n".join(f"{i % 7},{i % 5}" for i in range(60))))
    assert "which columns hold the scores of members and of non-members?" in page.message
    page.p_column = "foo"
    assert page.message == "Now choose “Non-members (Q)”."
    page.q_column = "bar"
    assert page.message == ""
    assert (page.scores.n_p, page.scores.n_q) == (60, 60)
