"""What every page must do: say what its items rest on, draw in every state, and read well."""

import numpy as np
import param
import pytest
from helpers.pages import (
    assert_what_does_not_declare_a_control_does_not_follow_it,
    items,
)

from workbench.assets import board
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.pages.core.page import Control, Fact, Page, Section, figure
from workbench.pages.counts import CountsPage
from workbench.pages.coverage_lab import CoverageLabPage
from workbench.pages.inputs.data import draw_key
from workbench.pages.registry import PAGES

#: What a page starts with, if its own start is large or empty; a new page needs no entry.
SAMPLED = {"data": draw_key("gaussian", mu=1.0), "sample_n": 1000}
STARTS = {"scores": SAMPLED, "family": SAMPLED}


@pytest.fixture(params=PAGES)
def page(request):
    return PAGES[request.param].kind(**STARTS.get(request.param, {}))


def test_every_item_rests_on_parameters(page):
    for item in items(page):
        assert page.inputs(item) <= set(page.param)


def test_every_control_is_a_parameter_or_a_job_and_is_explained(page):
    for section in page.controls:
        for control in section.controls:
            assert control.name in page.param or control.name in page.jobs()


def test_every_chart_is_explained_and_summed_up(page):
    for item in page.figures():
        assert item.help
        assert page.draw(item)["layout"]["meta"]["summary"]


def test_numbers_are_bounds_or_facts(page):
    for item in page.numbers():
        assert item.help
        assert isinstance(page.draw(item), Bound | Fact)


def test_what_does_not_declare_a_control_does_not_follow_it(page):
    assert_what_does_not_declare_a_control_does_not_follow_it(page)


@pytest.mark.parametrize("layout", [{}, {"meta": {}}, {"meta": {"summary": " "}}, None])
def test_a_chart_without_a_summary_is_refused_where_it_is_drawn(layout):
    class Coin(Page):
        title = "A coin"
        controls = (Section("Coin", (Control("heads"),)),)
        heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

        @figure("Chances", needs=("heads",))
        def chances(self):
            "How often each side comes up."
            return {"data": [], "layout": layout}

    coin = Coin()
    with pytest.raises(ValueError, match=r"chances has no summary.*\"meta\"\] = "):
        coin.chances()
    (item,) = coin.figures()
    with pytest.raises(ValueError, match="has no summary"):
        coin.draw(item)


def test_a_chart_that_a_report_could_not_draw_is_refused_where_it_is_drawn():
    class Coin(Page):
        heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

        @figure("Chances", needs=("heads",))
        def chances(self):
            "How often each side comes up."
            trace = {"type": "scatter", "x": [0, 1], "y": [self.heads, 1 - self.heads]}
            return {"data": [trace], "layout": {"meta": {"summary": "A line."}}}

    with pytest.raises(ValueError, match=r"chances lacks margin, xaxis.*layout\.chart"):
        Coin().chances()


def test_a_chart_of_rows_is_as_high_as_its_rows_need():
    heights = [dot_rows.size(count)["height"] for count in (1, 4, 10, 18)]
    assert heights[:2] == [230, 230]
    assert heights[3] - heights[2] == 8 * dot_rows.ROW
    low, high = dot_rows.axis(18)["range"]
    inside = heights[3] - dot_rows.MARGIN["t"] - dot_rows.MARGIN["b"]
    assert inside / (low - high) == pytest.approx(dot_rows.ROW, abs=0.1)


# -- from counts -------------------------------------------------------------------------------


def test_the_counts_page_shows_the_references():
    page = CountsPage(confidence=0.9, sided="two")
    bayesian = page.by_interval()["bayesian"]
    assert (bayesian.value, bayesian.high) == pytest.approx((1.2849, 1.5690), abs=1e-4)
    assert bayesian.guarantee == "approximate"
    assert page.epsilon().guarantee == "pointwise"


@pytest.mark.parametrize(
    "counts",
    [(0, 5, 0, 5), (5, 0, 0, 5), (1000, 0, 0, 1000), (3, 0, 1, 0), (0, 10, 10, 0)],
    ids=str,
)
@pytest.mark.parametrize("sided", ["lower", "two"])
def test_zero_cells_draw(counts, sided):
    page = CountsPage(**dict(zip(("tp", "fn", "fp", "tn"), counts, strict=True)), sided=sided)
    for item in items(page):
        assert "NaN" not in board.content(page.draw(item))


def test_too_few_runs_are_told_with_the_number_that_would_do():
    page = CountsPage(tp=1, fn=0, fp=0, tn=1)
    assert page.epsilon().value == 0
    assert "too" in page.said()
    assert any(character.isdigit() for character in page.epsilon().note)


def test_a_side_without_runs_is_refused():
    page = CountsPage(tp=0, fn=0)
    with pytest.raises(ValueError, match=r"no runs with the record: tp \+ fn is 0"):
        page.epsilon()


def test_the_misses_of_a_limit_are_those_of_the_binomial():
    from scipy.stats import binom

    from workbench.bounds.counts.binomial import (
        clopper_pearson_upper,
        jeffreys_upper,
        miss_probability,
    )

    n, rates = 40, np.array([0.01, 0.1, 0.33])
    for limit, worst in ((clopper_pearson_upper, 0.05), (jeffreys_upper, 1)):
        limits = limit(np.arange(n + 1), n, 0.05)
        direct = [
            sum(binom.pmf(k, n, rate) for k in range(n + 1) if limits[k] < rate) for rate in rates
        ]
        found = miss_probability(rates, limit, n, 0.05)
        np.testing.assert_allclose(found, direct, atol=1e-12)
        assert (found <= worst).all()


# -- the coverage lab --------------------------------------------------------------------------


@pytest.mark.statistical
def test_the_lab_runs_and_says_what_it_found():
    page = CoverageLabPage(log_reps=2.0, log_n_p=2.0, log_n_q=2.0)
    assert "Press “Simulate”" in page.verdict()
    seen = []
    page.param.watch(lambda event: seen.append(event.new), "results")
    results = page.work.run("simulate")
    assert len(seen) >= 1
    assert all(result.reps == 100 for result in results)
    assert "no method exceeded that" in page.verdict()
    assert page.caught().text == f"0 of {len(results)}"
    for item in page.figures():
        assert page.draw(item)["data"]
    assert not page.work.state("simulate").stale
    page.log_delta = -3.0
    assert page.work.state("simulate").stale


@pytest.mark.statistical
def test_the_lab_shows_those_that_fail_as_failing():
    page = CoverageLabPage(setting="laplace", group="fails", log_reps=2.75)
    page.work.run("simulate")
    assert "the threshold was chosen after seeing its bound" in page.verdict()
    assert "@bad" in str(page.false_claims())
