"""The page on private selection: its references, what it says of each number, audits, code."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.pages.core.page import Fact
from workbench.pages.selection.page import SelectionPage
from workbench.progress import Cancelled
from workbench.selection.audit import LEAST, audit, decisive_event, stages

selection = wb.selection


def items(page):
    return [*page.figures(), *page.numbers(), *page.sentences()]


def two_point(most, s, **more):
    return SelectionPage(runs_kind="two-point", log_most=most, log_s=s, **more)


# -- numbers -----------------------------------------------------------------------------------


def test_the_page_shows_the_references():
    page = two_point(1.0, -1.0, mu=0.2472)
    assert page.direct_number().value == pytest.approx(1.043, abs=5e-4)
    assert page.renyi_number().value == pytest.approx(1.12, abs=5e-3)
    assert page.worst_number().value == pytest.approx(1.754, abs=5e-4)
    assert page.generic_number().value == pytest.approx(3.279, abs=5e-4)
    assert "composition" in page.generic_number().method
    assert "between 1.75, of the worst order found, and 3.28" in page.holds()
    twenty = SelectionPage(runs_kind="point", log_mean=math.log10(20))
    assert twenty.composition_number().value == pytest.approx(11.48, abs=5e-3)
    assert twenty.worst_number().value == pytest.approx(8.07, abs=5e-3)
    assert "ε ≤ 11.5 is proven for any score" in twenty.answer().evidence
    page = two_point(2.0, -2.0, mu=0.8639)
    assert page.renyi_number().value == pytest.approx(6.276, abs=5e-4)
    assert page.direct_number().value == pytest.approx(5.88, abs=5e-3)
    assert page.worst_number().value == pytest.approx(11.62, abs=5e-3)
    page = SelectionPage()  # geometric, ν = 0.01, μ = 0.5
    shown = [page.generic_number(), page.worst_number(), page.direct_number()]
    assert [b.value for b in shown] == pytest.approx([5.434, 3.967, 2.490], abs=5e-4)


def test_each_number_says_what_it_is():
    page = SelectionPage()
    for bound in (page.direct_number(), page.renyi_number()):
        assert (bound.side, bound.family) == ("upper", "monotone score")
    assert (page.worst_number().side, page.worst_number().family) == ("lower", None)
    assert (page.generic_number().side, page.generic_number().family) == ("upper", None)
    assert "understates" in page.understated()
    assert "hold only if scores rank by privacy loss" in page.holds()
    assert "ε ≤ 5.44" in page.holds()
    assert "the generic bound is not for" in two_point(1.0, -1.0).holds()
    assert "by the generic bound; composition gives 153" in page.holds()
    alone = SelectionPage(runs_kind="point", log_mean=0.05)
    assert "no privacy cost" in alone.understated()


def test_a_training_is_reduced_and_the_reduction_is_told():
    page = SelectionPage(base_kind="dp-sgd")  # σ = 90.458, full batches, 500 steps
    assert page.one_mu() == pytest.approx(0.2472, abs=5e-5)
    assert page.exact_number().value == pytest.approx(page.direct_number().value, abs=2e-3)
    assert "exact" in page.reduced()
    page.log_rate, page.log_noise = -1.0, math.log10(9.0)
    assert "may be too small" in page.reduced()
    assert page.exact_number().value > page.direct_number().value
    page.reduction = "G"
    assert "approximation" in page.reduced()
    assert SelectionPage().exact_number().text == "–"
    assert SelectionPage().reduced() == ""


def test_the_epsilon_of_one_run_can_be_given():
    page = SelectionPage(base_kind="epsilon", base_epsilon=2.0, log_delta=-6.0)
    assert page.one_epsilon() == pytest.approx(2.0)
    assert wb.GaussianPair(page.one_mu()).profile(2.0) == pytest.approx(1e-6)
    assert page.base() == Fact("ε = 2.00", f"N(0,1) against N({page.one_mu():.3g}, 1)")


@pytest.mark.parametrize("kind", ["negative-binomial", "poisson", "point", "two-point"])
@pytest.mark.parametrize(
    "more",
    [
        {"eta": -0.9, "log_mean": 4.0, "log_most": 4.0, "log_s": -4.0},
        {"eta": 5.0, "log_mean": 4.0, "mu": 5.0, "log_delta": -12.0},
        {"log_mean": 0.05, "log_most": 0.3, "mu": 0.0, "log_delta": -1.0},
    ],
    ids=["heavy", "much", "nothing"],
)
def test_every_kind_draws_at_the_ends_of_its_sliders(kind, more):
    page = SelectionPage(runs_kind=kind, **more)
    for item in items(page):
        assert "NaN" not in board.content(page.draw(item))
    assert page.worst_number().value <= page.generic_number().value + 1e-6
    assert page.direct_number().value <= page.generic_number().value + 1e-6
    assert page.generic_number().value <= page.composition_number().value
    assert page.direct_number().value <= page.renyi_number().value + 1e-6


def test_the_curves_pass_through_the_numbers():
    page = SelectionPage()
    for chart, place in ((page.profile(), 1e-5), (page.against_runs(), 100.0)):
        dots = {t["name"]: t for t in chart["data"] if t["mode"] == "markers"}
        lines = {t["name"] for t in chart["data"] if t["mode"] == "lines"}
        # With 100 runs on average composition gives 152, far beyond the chart.
        assert lines - set(dots) <= {"any score, by composition"}
        assert len(dots) in (4, 5)
        for trace in chart["data"]:
            if trace["mode"] == "lines" and trace["name"] in dots:
                y = np.interp(math.log(place), np.log(trace["x"]), trace["y"])
                assert y == pytest.approx(dots[trace["name"]]["y"][0], rel=0.01)
                assert dots[trace["name"]]["x"] == [pytest.approx(place)]


# -- the order that leaks most -----------------------------------------------------------------


def test_the_order_is_drawn_in_blocks_with_its_event():
    page = SelectionPage()
    chart, found = page.order(), page.worst()
    blocks = [t for t in chart["data"] if "fill" in t]
    assert [b["x"][1] for b in blocks[:-1]] == list(found.order.edges)
    assert [b["fillcolor"].split("/")[0] for b in blocks] == ["@muted", "@muted", "@bad"]
    said = chart["layout"]["meta"]["summary"]
    assert "(−∞, −1.63) scores highest" in said
    assert "second: the event" in said
    assert "No order was found" in SelectionPage(mu=0.0).order()["layout"]["meta"]["summary"]


# -- audits ------------------------------------------------------------------------------------


def test_the_audit_shows_less_than_is_true_and_says_why():
    page = SelectionPage(log_n=4.5)
    assert page.shown().text == "–"
    assert page.gap() == ""
    partial = []
    page.param.watch(lambda event: partial.append(event.new), "simulated")
    done = page.work.run("simulate")
    assert list(done.found) == ["monotone", "worst order"]
    assert list(partial[0].found) == ["monotone"]
    assert 0 < done.found["monotone"].simultaneous.value <= page.direct().value
    assert done.found["monotone"].held_out.guarantee == "held-out"
    assert page.direct().value < page.shown().value <= float(page.worst())
    assert page.shown().guarantee == "simultaneous"
    assert "times in 31,623 selections" in page.gap()
    rows = page.audited()["layout"]["meta"]["summary"]
    for words in ("one run: 1.99", "exact: 2.50", "Rényi: ≤ 2.65", "≥ 3.96", "any score: ≤ 5.44"):
        assert words in rows
    grown = [t for t in page.grown()["data"] if t["mode"] == "lines+markers"]
    assert [t["x"] for t in grown] == [[10_000, 31_623]] * 2
    # What was simulated stays, with the settings that it was simulated for.
    page.mu = 2.0
    assert page.work.state("simulate").stale
    assert page.audited()["layout"]["meta"]["summary"] == rows


def test_an_audit_can_be_stopped_and_repeats_itself():
    heard = []

    def report(*_):
        heard.append(1)
        if len(heard) == 2:
            raise Cancelled

    asked = {"delta": 1e-5, "seed": 3}
    arguments = (selection.TwoPoint(10, 0.1), 0.8, selection.Monotone(), 30_000)
    stopped = audit(*arguments, **asked, report=report)
    first = next(stopped)
    with pytest.raises(Cancelled):
        next(stopped)
    whole = list(audit(*arguments, **asked))
    assert whole[0].simultaneous.value == first.simultaneous.value
    assert [bound.n_p for bound in whole[-1].growth] == stages(30_000) == [LEAST, 30_000]
    assert whole[0].held_out is None
    assert whole[-1].held_out.value > 0


def test_the_decisive_event_attains_epsilon():
    for runs, mu in ((selection.PointMass(1), 1.0), (selection.TwoPoint(10, 0.1), 0.2472)):
        curve = selection.tradeoff_curve(runs, mu)
        event = decisive_event(curve, 1e-5)
        found = math.log((event.likely - 1e-5) / event.rare)
        assert found == pytest.approx(float(curve.epsilon(1e-5)), abs=1e-3)
        assert event.rare < event.likely


# -- the worked example ------------------------------------------------------------------------


def test_the_worked_example_is_that_of_select():
    page = SelectionPage()
    three = page.three()
    assert three.released_p == pytest.approx([8.66e-3, 2.60e-4, 0.991], rel=2e-3)
    assert three.released_q == pytest.approx([2.66e-3, 1.34e-5, 0.997], rel=2e-3)
    assert "pure ε = 2.96, and ε = 2.925 at δ = 1e-5" in page.example()
    chart = page.outcomes()
    assert chart["data"][0]["x"][1::2] == pytest.approx(list(three.released_p))
    assert "B, released: loss 2.96" in chart["layout"]["meta"]["summary"]
    page.log_d = 4.0
    assert "choose a smaller b or d" in page.outcomes()["layout"]["meta"]["summary"]
    assert page.example() == ""


# -- in a notebook -----------------------------------------------------------------------------


def test_the_code_reproduces_the_numbers_and_the_view():
    views = (
        wb.explore_selection(spec={"log_n": 4.0}),
        wb.explore_selection(selection.NegativeBinomial(0, 0.01), mu=0.8, spec={"log_n": 4.0}),
        wb.explore_selection(selection.TwoPoint(100, 0.01), spec={"log_n": 4.0, "log_b": -2.5}),
        wb.explore_selection(selection.Poisson(20), spec={"log_n": 4.0, "base_kind": "dp-sgd"}),
        wb.explore_selection(
            selection.PointMass(7), show=("profile", "direct_number"), spec={"log_n": 4.0}
        ),
    )
    for view in views:
        made = {}
        exec(view.to_code(), made)
        assert made["direct_number"].value == view.direct_number.value
        assert made["view"].numbers == view.numbers
        assert made["scores"].n_p == 10**4


def test_given_run_counts_are_the_ones_shown():
    for runs in (
        selection.NegativeBinomial(0.5, 0.02),
        selection.Poisson(12.5),
        selection.PointMass(3),
        selection.TwoPoint(33, 0.07),
    ):
        view = wb.explore_selection(runs, mu=0.3)
        wanted = selection.epsilon(runs, 0.3, delta=1e-5).value
        assert view.direct_number.value == pytest.approx(wanted, rel=1e-9)
    with pytest.raises(ValueError, match="TwoPoint, got"):
        wb.explore_selection(selection.Table({1: 0.5, 2: 0.5}))
