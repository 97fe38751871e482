"""The answer of each page in its states: what is shown, holds, is missing, or is void."""

from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.coverage_lab.methods import BESIDE, METHODS
from workbench.pages.compare import ComparePage
from workbench.pages.core.page import Answer
from workbench.pages.counts import CountsPage
from workbench.pages.coverage_lab import CoverageLabPage
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.data import draw_key, example_key
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.records.page import RecordsPage
from workbench.pages.records.ranking import NOT_AUDITABLE
from workbench.pages.registry import PAGES
from workbench.pages.sample_sizes import Plan
from workbench.pages.selection.page import SelectionPage
from workbench.pages.training.page import TrainPage
from workbench.pages.training.words import trained_words
from workbench.pages.watch import WatchPage

#: Pages of this file: Scores and the step that opens files have tests of their own.
ANSWERED = [name for name in PAGES if name not in ("scores", "import")]

CHANGED = Answer(
    "Nothing may be concluded", "the confidence was changed after results were seen", "void"
)


def after_looking(page, **change):
    """The answer after a change that was made because of results."""
    page.draw(page.answer_item())
    page.param.update(**change)
    return page.answer()


@pytest.mark.parametrize("name", ANSWERED)
def test_every_page_has_an_answer_and_one_or_two_main_numbers(name):
    page = PAGES[name].kind
    assert page.answer_item() is not None
    assert 1 <= sum(item.main for item in page.numbers()) <= 2


@pytest.mark.parametrize("name", ANSWERED)
def test_an_answer_at_the_start_fits_into_two_lines(name):
    answer = PAGES[name].kind().answer()
    assert len(answer.words.split()) <= 8
    assert len(answer.evidence) <= 170
    assert "NaN" not in str(answer)
    assert "nan" not in str(answer).split()


# -- one attack, two attacks, a family -----------------------------------------------------------


def test_counts_show_a_leak_or_none():
    page = CountsPage()
    assert page.answer() == Answer(
        "A leak is shown",
        "400 of 500 members and 100 of 500 non-members are classified as members; ε ≥ "
        f"{page.epsilon().rounded} at δ = 1e-5, 95%, if the attack was fixed in advance",
        "bad",
    )
    none = CountsPage(tp=250, fn=250, fp=250, tn=250).answer()
    assert (none.words, none.tone) == ("No leak is shown", "open")
    assert "ε ≥ 0 at δ = 1e-5, 95%. A better attack" in none.evidence
    both_ends = CountsPage(sided="two")
    assert f"; ε in {both_ends.epsilon().rounded} at δ = 1e-5" in both_ends.answer().evidence


LEAKY, WEAK = draw_key("gaussian", mu=2.0, seed=0), draw_key("gaussian", mu=0.5, seed=1)


@pytest.mark.parametrize(("a", "b", "side"), [(LEAKY, WEAK, "A"), (WEAK, LEAKY, "B")])
def test_the_set_that_leaks_more_is_named_with_its_rates(a, b, side):
    page = ComparePage(a_data=a, b_data=b)
    assert page.answer() == Answer(
        f"{side} leaks more",
        "at false positive rates 0.001 to 0.98; 95% for all rates together",
        "bad",
    )
    rate, gap = page.comparison().largest_difference
    at = int(np.flatnonzero(page.comparison().fpr == rate)[0])
    c = page.comparison()
    low, high = (c.a_lower, c.b_upper) if side == "A" else (c.b_lower, c.a_upper)
    assert abs(gap) == low[at] - high[at] == (low - high).max()
    assert (gap > 0) == (side == "A")
    assert page.difference().text.startswith(f"{side}: ≥ 0.")


def test_sets_may_each_leak_more_somewhere_or_not_be_told_apart():
    answer = ComparePage().answer()
    assert (answer.words, answer.tone) == ("Each leaks more somewhere", "bad")
    assert answer.evidence.startswith("A at false positive rates 0.0001 to 0.0251 in 2 ranges, B ")
    same = ComparePage(a_data=LEAKY, b_data=LEAKY)
    assert (same.answer().words, same.answer().tone) == ("Not shown which leaks more", "open")
    assert same.comparison().largest_difference[1] == 0
    assert same.difference().text == "none"
    assert after_looking(same, confidence=0.9) == CHANGED
    assert same.difference().text == "–"


def test_families_that_are_ruled_out_are_named():
    page = FamilyPage(data=example_key("subsampled-gaussian"))
    free = f"ε ≥ {page.free_epsilon().rounded} at δ = 1e-5, 95%"
    assert page.answer() == Answer(
        "Gaussian is ruled out",
        f"only the bound for any pair holds, {free}; so are Laplace and Randomized response",
        "bad",
    )
    assert page.epsilon().void
    assert page.own_variances().void
    page.family = "subsampled-gaussian"
    assert page.answer() == Answer(
        "Subsampled Gaussian is not ruled out",
        f"assuming it, ε ≥ {page.epsilon().rounded}; for any pair, {free}; ruled out: Gaussian, "
        "Laplace and Randomized response",
    )
    page.family = "randomized-response"  # no member can give such scores
    assert page.answer().words == "Randomized response is ruled out"
    assert after_looking(page, confidence=0.9) == CHANGED


# -- one run, records ----------------------------------------------------------------------------


def test_of_the_bounds_of_one_run_that_of_fewest_assumptions_is_recommended():
    page = OneRunPage()
    assert page.answer() == Answer(
        "A leak is shown",
        f"ε ≥ {page.steinke().rounded} at δ = 1e-5, 95%. Report this: it needs "
        "no family and no independent canaries",
        "bad",
    )
    assert page.bits().value > page.steinke().value  # it is not chosen by its value
    moved = after_looking(page, threshold=0.5)
    assert (moved.words, moved.tone) == ("Nothing may be concluded", "void")
    assert "the guessing rule was changed" in moved.evidence


def test_guesses_that_show_nothing_coins_that_were_not_fair_and_a_fixed_half():
    counts = {"source": "counts", "canaries": 1000, "guessed": 1000}
    none = OneRunPage(**counts, right=500).answer()
    assert (none.words, none.tone) == ("No leak is shown", "open")
    coins = OneRunPage(**counts, right=700, included=400).answer()
    assert coins.tone == "void"
    assert "400 of 1,000 canaries were included" in coins.evidence
    half = OneRunPage(**counts, right=700, included=500, design="fixed-half").answer()
    assert half.tone == "bad"
    assert half.evidence.endswith("it assumes the Gaussian family and independent canaries")
    missing = OneRunPage(source="file").answer()
    assert (missing.words, missing.tone) == ("Nothing to conclude yet", "open")


def test_records_leak_none_is_shown_to_or_none_can_be_audited():
    page = RecordsPage()
    worst = page.worst().rounded
    assert page.answer() == Answer(
        "Some records leak",
        f"the record that leaks most has ε ≥ {worst} at δ = 1e-5, 95%; at least "
        f"{page.exceeding().text.removeprefix('≥ ')} of 400 exceed ε₀ = 1",
        "bad",
    )
    assert after_looking(page, confidence=0.9) == CHANGED
    rng = np.random.default_rng(0)
    member = rng.random((40, 30)) < 0.5
    quiet = RecordsPage(wb.ScoreTable(rng.normal(size=(40, 30)), member))
    assert quiet.answer().words == "No record is shown to leak"
    assert quiet.answer().tone == "open"
    always = np.zeros((4, 3), dtype=bool)
    always[0] = True
    lost = RecordsPage(wb.ScoreTable(rng.normal(size=(4, 3)), always))
    assert lost.answer() == Answer("Nothing may be concluded", NOT_AUDITABLE, "void")


def test_the_uncorrected_limit_is_called_an_estimate_that_may_lie_on_either_side():
    page = RecordsPage()
    assert page.maximum().guarantee == "estimate"
    assert page.relation().startswith(
        "The uncorrected limit is an estimate: the largest of 400 limits of one record each"
    )
    assert "above or below the truth" in page.relation()


# -- what is searched, simulated, trained, watched -----------------------------------------------


def test_a_search_finds_a_violation_and_a_repeated_one_concludes_nothing():
    page = MechanismPage()
    assert page.answer() == Answer(
        "Violation found",
        f"ε ≥ {page.strongest().rounded}, 95% for all trials together (hockey-stick, trial 4), "
        "claimed ≤ 1",
        "bad",
    )
    page.found = replace(page.found, settings=replace(page.found.settings, seed=1))
    again = page.answer()
    assert (again.words, again.tone) == ("Nothing may be concluded", "void")
    assert again.evidence.startswith("this is search no. 2: re-check")
    page.log_fresh = 5.0
    page.work.run("recheck")
    assert page.answer() == Answer(
        "Violation confirmed", f"ε ≥ {page.fresh().rounded}, 95% on new runs, claimed ≤ 1", "bad"
    )


def test_a_search_that_finds_nothing_says_what_it_would_have_found():
    page = MechanismPage(seed=1)
    assert page.answer().words == "Nothing to conclude yet"
    found = MechanismPage().found
    trials = tuple(
        replace(t, findings={k: v for k, v in t.findings.items() if not v.violation})
        for t in found.trials
    )
    page.found = replace(found, trials=trials, power={"renyi": 1.07, "mmd": 1.2})
    assert page.answer() == Answer(
        "No violation found",
        "in 4 of 20 trials; ε ≥ 1.07 on these datasets would be found with 80% power. This does "
        "not prove privacy",
    )
    page.found = replace(found, trials=())
    assert (page.answer().words, page.answer().tone) == ("Nothing was tested", "void")


def test_coverage_opens_on_one_method_that_fails_beside_those_that_hold():
    page = CoverageLabPage()
    assert [r.method for r in page.results if r.fails] == [BESIDE]
    assert all(r.claims and r.rate <= r.nominal for r in page.results if r.method != BESIDE)
    rate = next(r.rate for r in page.results if r.fails)
    assert page.answer() == Answer(
        "1 of 12 methods overclaims",
        f"“{METHODS[BESIDE].label}”: {rate:.1%} of 316 bounds exceed the truth, 5% allowed; the 11 "
        "with a guarantee stay within it",
        "bad",
    )
    assert page.numbers()[0].name == "caught"
    assert page.worst().note.startswith("5% allowed · ")


def test_coverage_without_failures_or_results_or_with_a_guarantee_that_fails():
    page = CoverageLabPage()
    kept = tuple(r for r in page.results if r.claims)
    page.results = kept
    highest = max(r.rate for r in kept)
    assert page.answer() == Answer(
        "No method overclaims",
        f"Laplace, μ = 2: at most {highest:.1%} of 316 bounds exceed the truth, 5% allowed",
        "good",
    )
    by_chance = np.zeros(316, dtype=bool)
    by_chance[:19] = True  # 6.0% of 316 bounds, which 5% may give
    page.results = (replace(kept[0], exceeded=by_chance),)
    assert page.answer().evidence.endswith("5% allowed, up to chance")
    assert page.worst().note.startswith("5% allowed up to chance · ")
    page.results = (replace(kept[0], exceeded=~by_chance),)
    assert page.answer().words == "A guarantee fails: please report"
    assert CoverageLabPage(seed=5).answer() == Answer(
        "Nothing to conclude yet", "Press “Simulate”.", "open"
    )


def test_selection_costs_privacy_or_nothing():
    page = SelectionPage()
    answer = page.answer()
    assert (answer.words, answer.tone) == ("Selection costs privacy", "bad")
    assert f"ε ≤ {page.generic_number().rounded} is proven for any score" in answer.evidence
    unknown = SelectionPage(runs_kind="point").answer()
    assert unknown.evidence.endswith("ε ≤ 33.2 is proven for any score")
    single = SelectionPage(runs_kind="point", log_mean=0.05).answer()
    assert (single.words, single.tone) == ("Selection costs nothing", "good")
    assert SelectionPage(mu=0.0).answer().words == "No cost of selection is shown"


def test_training_keeps_its_claim_so_far_or_does_not():
    page = TrainPage()
    answer = page.answer()
    assert (answer.words, answer.tone) == ("Claim not refuted", "open")
    claimed = f"claimed ε {page.claimed().text} at δ = 1e-5"
    assert answer.evidence.startswith(f"{claimed}: e-value 0.367, anytime, 95%; ε ≥ 0 at δ = 1e-5")
    page.finished = "flawed-white-box"
    assert (page.answer().words, page.answer().tone) == ("Claim refuted", "bad")
    page.finished = "one-shot-not-private"
    assert page.answer().words == "Nothing is claimed"
    assert "without noise" in page.answer().evidence
    assert trained_words(page.trained.audit)
    changed = after_looking(TrainPage(), confidence=0.99)
    assert changed == CHANGED
    assert TrainPage(seed=3).answer() == Answer("Nothing to conclude yet", "Press “Train”.", "open")


def test_a_claim_is_refuted_while_it_is_watched_or_not_yet():
    page = WatchPage()
    bound = f"ε ≥ {page.epsilon().rounded} at δ = 1e-5, 95%, whenever the audit stops"
    assert page.answer() == Answer(
        "Claim refuted", f"ε ≤ 0.5 at row 76, which is final; {bound}", "bad"
    )
    page.log_rows = 1.5
    assert (page.answer().words, page.answer().tone) == ("Not refuted so far", "open")
    true = WatchPage(claim=2.0).answer()
    assert true.evidence == f"ε ≤ 2: e-value 0.668, 20 refutes; {bound}"
    changed = after_looking(WatchPage(), confidence=0.9)
    assert (changed.words, changed.tone) == ("Nothing may be concluded", "void")


# -- plan and learn ------------------------------------------------------------------------------


def test_a_plan_says_how_many_scores_or_that_none_are_enough():
    aim = "to show ε > 1.5 at δ = 1e-5 in 80% of audits"
    page = PlanPage(seed=1)  # the simulation that the page starts with is of seed 0
    known = page.needed_known().text
    assert page.answer() == Answer(
        f"{known} scores per group at one fixed threshold",
        f"{aim}, exact; press “Simulate this bound” for the simultaneous bound",
    )
    size = replace(page.known(), power=replace(page.known().power, how="400 simulated audits"))
    page.plan = Plan(page.sizes.asked(), size)
    assert page.answer() == Answer(
        f"{known} scores per group",
        f"{aim}, with the simultaneous bound · 400 simulated audits",
        "good",
    )
    assert PlanPage(method="pointwise").answer() == Answer(
        f"{known} scores per group", f"{aim}, with a threshold fixed in advance · exact", "good"
    )
    never = PlanPage(target=9.0).answer()
    assert (never.words, never.tone) == ("No number of scores is enough", "void")
    assert "ε = 4.37 at δ = 1e-5, which is not above the target 9" in never.evidence


def test_known_pairs_open_where_a_tuned_threshold_is_seen_to_fail():
    page = PairLabPage()
    assert page.answer().words == "One draw says little"
    page.param.trigger("draw_many")
    assert page.answer() == Answer(
        "A tuned threshold is not valid",
        "the bound at the best of 201 thresholds exceeds the true ε in 19 of 101 draws, the "
        "simultaneous bound in 2; 5% allowed",
        "bad",
    )
    page.hide_truth = True
    assert page.answer().words == "Guess the truth"
    assert "19" not in str(page.answer())


@pytest.mark.statistical
@pytest.mark.parametrize("seed", [1000, 2000, 3000])
def test_the_lesson_of_known_pairs_does_not_depend_on_the_seed(seed):
    page = PairLabPage(seed=seed)
    page.param.trigger("draw_many")
    assert page.answer().words == "A tuned threshold is not valid"
    band, tuned = (int(f().text.split()[0]) for f in (page.simultaneous_above, page.best_above))
    assert tuned >= 12
    assert band <= 5


def test_where_tuning_does_no_harm_nothing_else_is_said():
    page = PairLabPage(pair_kind="randomized-response")
    page.past = page.past * 30
    assert page.answer() == Answer(
        "Tuning does no visible harm here",
        "the bound at the best of 201 thresholds exceeds the true ε in 0 of 30 draws, the "
        "simultaneous bound in 0; 5% allowed, but nothing guarantees it",
    )
    page.past = ((9.0, 9.0),) * 30
    assert page.answer().words == "The simultaneous bound fails here: please report"
