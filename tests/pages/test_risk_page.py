"""The page Risk: its answer, its numbers, and how other pages open it."""

import math
import time
from dataclasses import replace

import pytest

import workbench as wb
from workbench.pages.core.page import Answer
from workbench.pages.counts import CountsPage
from workbench.pages.inputs.claims.risk import COUNTED
from workbench.pages.inputs.data import draw_key, example_key
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.registry import PAGES
from workbench.pages.risk.page import RiskPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pages.training.page import TrainPage
from workbench.workspaces.workspace import Workspace


def only_promised(**claim):
    return RiskPage(evidence="none", **claim)


# -- the answer -----------------------------------------------------------------------------------


def test_both_ends_are_in_one_sentence_each():
    page = RiskPage()
    assert page.answer() == Answer(
        "Between 1 in 15 and 1 in 10",
        "An attacker who wrongly suspects 1 in 100 outsiders can find at most 1 in 10 insiders. "
        "The tested attack finds at least 1 in 15, with 95% confidence.",
        "open",
    )
    assert page.at_most().text == "0.0924"
    assert page.at_least().rounded == "0.0693"
    assert page.at_least().guarantee == "simultaneous"


def test_the_numbers_are_those_of_the_library():
    page = RiskPage(log_one_in=3.0, log_prior=-1.0, group=2)
    risk = wb.risk(wb.example("gaussian"), claim="gdp(1)", baseline=1e-3, prior=0.1, group=2)
    shown = page.risk()
    assert (shown.success, shown.advantage) == (risk.success, risk.advantage)
    assert (shown.precision, shown.odds) == (risk.precision, risk.odds)
    assert page.at_least().value == risk.at_least
    band = wb.tradeoff_band(wb.example("gaussian"))
    assert page.at_least().value == pytest.approx(band.tpr(1e-3).value, rel=1e-9)
    assert page.precision_shown().value == risk.precision.at_least
    assert page.advantage_shown().value == risk.advantage.at_least


def test_only_a_claim():
    page = only_promised(claim_kind="approx", claim_epsilon=2.0, claim_delta=1e-5)
    assert (page.answer().words, page.answer().tone) == ("At most 1 in 13", "open")
    assert page.at_least().text == "–"
    assert page.advantage_shown().text == page.precision_shown().text == ""
    assert page.provenance() == ""


def test_only_scores():
    page = RiskPage(claim_kind=None)
    assert (page.answer().words, page.answer().tone) == ("At least 1 in 15", "bad")
    assert page.at_most().text == "–"
    private = RiskPage(data=draw_key("gaussian", mu=0.0, n=500), claim_kind=None)
    assert private.answer().words == "Nothing is shown"
    assert private.answer().tone == "open"
    assert "does not prove privacy" in private.answer().evidence


def test_neither():
    page = only_promised()
    page.claim_kind = None
    assert page.answer().words == "Nothing to conclude yet"
    assert page.success()["data"] == []


def test_a_broken_promise_is_told_at_every_baseline():
    page = RiskPage(claim_kind="approx", claim_epsilon=1.0, claim_delta=1e-5)
    for log_one_in in (0.3, 1.0, 3.0, 6.0):
        page.log_one_in = log_one_in
        answer = page.answer()
        assert (answer.words, answer.tone) == ("The promise is broken", "bad")
        here = page.risk().contradicted
        assert ("the tests show more than it allows" in answer.evidence) is here
        assert ("without the release, the tests show more." in answer.evidence) is not here
    page.claim_epsilon = 8.0
    assert page.answer().words != "The promise is broken"


@pytest.mark.parametrize("attack", ["attribute", "reconstruction", "singling-out"])
def test_other_attacks_are_never_said_to_have_succeeded(attack):
    page = RiskPage(attack=attack)
    assert "rule out every promise below" in page.answer().evidence
    assert "attack finds" not in page.answer().evidence
    assert page.precision_promised().text == ""
    assert page.risk().prior is None


def test_counts_are_evidence_and_a_side_without_any_is_told():
    page = RiskPage(evidence="counts", claim_kind=None)
    counts = wb.Counts(tp=400, fn=100, fp=100, tn=400)
    assert page.risk().at_least == wb.risk(counts, baseline=0.01).at_least
    assert page.at_least().guarantee == "pointwise"
    page.counted_fp = page.counted_tn = 0
    assert page.answer().tone == "void"
    assert "no runs without the record" in page.answer().evidence


def test_a_confidence_chosen_after_looking_does_not_count():
    page = RiskPage()
    page.draw(page.answer_item())
    page.confidence = 0.9
    answer = page.answer()
    assert answer.words == "At most 1 in 10"
    assert "The tests do not count: the confidence was changed after results" in answer.evidence
    assert page.at_least().void
    assert page.advantage_shown().void
    page.claim_kind = None
    assert page.answer().tone == "void"
    # what is promised rests on no data
    page.evidence, page.claim_kind = "none", "gdp"
    assert "do not count" not in page.answer().evidence


def test_moving_the_baseline_computes_no_band_and_takes_little_time(monkeypatch):
    page = RiskPage()
    for item in page.items():
        page.draw(item)
    monkeypatch.setattr("workbench.pages.risk.measured.tradeoff_band", None)
    monkeypatch.setattr("workbench.pages.risk.measured.evidence_of", None)
    start = time.process_time()
    for step in range(20):
        page.log_one_in, page.log_prior = 1 + step / 10, -step / 10 - 0.5
        page.log_wished = 0.5 + step / 50
        for item in page.items():
            page.draw(item)
    assert time.process_time() - start < 20 * 0.05  # a third of it is measured


def test_the_line_is_dragged_on_the_axis_of_baselines():
    page = RiskPage()
    (item,) = page.figures()
    assert page.dragged(item, -3.0) == 3.0
    (rule,) = [one for one in page.draw(item)["layout"]["shapes"] if one.get("name") == "baseline"]
    assert rule["x0"] == pytest.approx(-2)


def test_the_chart_has_both_ends_of_the_library():
    page = RiskPage()
    traces = {one["name"]: one for one in page.success()["data"] if one["mode"] == "lines"}
    curve = page.curve()
    assert traces["promised: at most"]["y"] == pytest.approx(
        [math.log10(one) for one in curve.at_most]
    )
    assert set(traces) >= {"promised: at most", "shown: at least", "guessing alone"}


# -- from a risk to a noise -----------------------------------------------------------------------


def test_the_noise_keeps_the_wish():
    page = RiskPage(log_wished=1.0, group=2)
    sigma = float(page.gaussian_noise().text.removeprefix("σ = "))
    scale = float(page.laplace_noise().text.removeprefix("b = "))
    for pair in (wb.GaussianPair(1 / sigma), wb.LaplacePair(1 / scale)):
        assert 0.099 < wb.risk(pair, baseline=0.01, group=2).at_most <= 0.1
    assert page.dpsgd_noise().text == ""
    page.log_wished = 2.5
    assert page.gaussian_noise().note == "guessing alone is right more often"


def test_the_noise_of_a_training_keeps_the_wish():
    page = only_promised(claim_kind="dpsgd", claim_steps=50, claim_rate=0.1)
    sigma = float(page.dpsgd_noise().text.removeprefix("σ = "))
    assert 0.099 < wb.risk(wb.DPSGDPair(sigma, 0.1, 50), baseline=0.01).at_most <= 0.1


# -- as Python ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"group": 3, "log_prior": -0.5},
        {"attack": "attribute", "claim_kind": None},
        {"evidence": "counts", "counted_tp": 450, "claim_kind": "pure"},
        {"evidence": "none", "claim_kind": "dpsgd", "claim_steps": 20, "claim_rate": 0.1},
        {"evidence": "none"},
    ],
)
def test_the_code_computes_every_number(settings):
    page = RiskPage(**settings)
    shown, _, view = page.code({}).rpartition("view = ")
    assert view.startswith("wb.explore('risk'")
    exec(shown, made := {})
    for name, value in page.drawn_numbers().items():
        recorded = value.value if isinstance(value, wb.Bound) else value.text
        if recorded != "–":
            wb.same_number(made[name], recorded)


# -- the claim and the data -----------------------------------------------------------------------


def test_the_claim_is_that_of_the_scores_and_is_kept_with_them():
    workspace = Workspace()
    added = workspace.add_scores(wb.GaussianPair(1).sample(300, seed=1), "mine")
    page = RiskPage(workspace=workspace, data=added.key)
    assert page.claim() is None
    page.claim_kind = "pure"
    page.promised.keep_with_data()
    assert workspace.dataset(added.key).claim == "pure(1)"
    page.follow(example_key("gaussian"))
    assert str(page.claim()) == "gdp(1)"
    page.follow(added.key)
    assert str(page.claim()) == "pure(1)"
    page.evidence = "none"
    page.claim_epsilon = 3.0
    page.promised.keep_with_data()
    assert workspace.dataset(added.key).claim == "pure(1)"
    page.evidence = "scores"
    assert str(page.claim()) == "pure(1)"


# -- from other pages -----------------------------------------------------------------------------


def opened_from(page):
    """The page Risk as the button of another page opens it."""
    page.ask_risk()
    assert page.goes_to == "risk"
    there = RiskPage(workspace=page.workspace)
    assert there.restore(page.goes_with) == []
    return there


NOT_ABOUT_A_RISK = ("coveragelab", "import", "risk")


@pytest.mark.parametrize("name", [name for name in PAGES if name not in NOT_ABOUT_A_RISK])
def test_every_page_opens_it_and_its_answer_is_no_error(name):
    page = PAGES[name].kind()
    assert page.asks_risk()
    there = opened_from(page)
    assert there.answer().words
    assert there.evidence in ("scores", "counts", "none")


def test_coverage_has_no_verdict_about_anybody_and_the_page_does_not_lead_to_itself():
    assert not PAGES["coveragelab"].kind.asks_risk()
    assert not RiskPage.asks_risk()


def test_scores_come_with_their_claim_and_counts_with_themselves():
    page = ScoresPage(claim_kind="dpsgd", claim_steps=10)
    there = opened_from(page)
    assert (there.evidence, there.promised.text) == ("scores", page.promised.text)
    counts = CountsPage(tp=30, fn=5, fp=1, tn=40)
    there = opened_from(counts)
    assert {name: getattr(there, flat) for flat, name in COUNTED.items()} == {
        "tp": 30, "fn": 5, "fp": 1, "tn": 40
    }  # fmt: skip
    assert there.claim() is None


@pytest.mark.parametrize(
    ("page", "claim"),
    [
        (lambda: MechanismPage(mechanism="svt3"), "pure(1)"),
        (lambda: PairLabPage(pair_kind="laplace", pair_mu=0.5), "laplace(0.5)"),
        (lambda: PairLabPage(pair_kind="laplace", releases=3), "3 * laplace(3)"),
        (lambda: OneRunPage(mechanism="flawed"), "dpsgd(1.75, 0.1, 50)"),
        (lambda: OneRunPage(source="counts"), ""),
        (lambda: PairLabPage(hide_truth=True), ""),
    ],
)
def test_what_a_page_promises_is_the_claim(page, claim):
    assert opened_from(page()).promised.text == claim


def test_the_cost_of_a_selection_is_rounded_up():
    page = SelectionPage()
    claim = opened_from(page).claim()
    assert page.any_score().value <= claim.epsilon_0 <= 1.00001 * page.any_score().value


def test_the_accountants_claim_of_a_training():
    page = TrainPage()
    assert opened_from(page).claim().dominating_pair == page.claim_pair()


def test_a_claim_that_no_control_shows_is_left_out():
    page = ScoresPage(claim_kind="reference", reference_kind="dp-sgd", reference_log_steps=1.0)
    there = opened_from(page)
    assert there.evidence == "scores"
    shown = there.claim()
    assert shown is None or replace(shown) == page.own_claim()
