"""The page on audits by one run: reference values, what voids a bound, files, its simulator."""

import numpy as np
import pytest
from scipy.stats import binom, norm

import workbench as wb
from workbench.assets import board
from workbench.bounds.bound import Bound
from workbench.onerun.growth_with_canaries import EXACT, HOEFFDING, STEINKE, growth
from workbench.onerun.simulate import DPSGD, Memoryless, SharedGaussian
from workbench.onerun.studies import study
from workbench.pages.core.page import Fact
from workbench.pages.one_run import growth as growing
from workbench.pages.one_run.audit import FROM_SCORES
from workbench.pages.one_run.page import OneRunPage
from workbench.progress import Cancelled

POINTWISE = ("steinke", "fdp", "abstain")


def items(page):
    return [*page.figures(), *page.numbers(), *page.sentences()]


def draw(page):
    return {item.name: board.content(page.draw(item)) for item in items(page)}


def upload(run, name="canaries.csv"):
    return ((name, run.to_frame().to_csv(index=False).encode()),)


def counted(m, r, c, **more):
    return OneRunPage(source="counts", canaries=m, guessed=r, right=c, **more)


# -- numbers -----------------------------------------------------------------------------------


def test_counts_give_the_references():
    page = counted(1000, 1000, 691)
    assert page.bits().value == pytest.approx(3.670, abs=1e-3)
    assert page.hoeffding().value == pytest.approx(3.305, abs=1e-3)
    assert counted(10_000, 10_000, 8413).bits().value == pytest.approx(9.688, abs=1e-3)
    page = counted(1000, 100, 90)
    assert page.steinke().value == pytest.approx(1.6261, abs=1e-4)
    assert page.fdp().value == pytest.approx(2.456, abs=1e-3)
    assert page.bits() == Fact("–", "needs a guess for every canary")
    nothing = counted(1000, 20, 2)
    assert [getattr(nothing, name)().value for name in POINTWISE] == [0, 0, 0]


def test_every_bound_names_its_family_and_its_assumption():
    page = counted(1000, 1000, 691, family="laplace")
    assert page.steinke().family is None
    assert page.steinke().assumption == "independent fair coins"
    for bound in (page.bits(), page.hoeffding(), page.abstain()):
        assert (bound.family, bound.assumption) == ("Laplace", "independent bits")
    assert page.fdp().assumption == "independent fair coins"


@pytest.mark.parametrize(
    ("mechanism", "rule"),
    [
        *(("laplace", "ends"), ("randomized-response", "threshold"), ("flawed", "threshold")),
        ("random-directions", "threshold"),
    ],
)
def test_every_mechanism_draws(mechanism, rule):
    page = OneRunPage(mechanism=mechanism, rule=rule, family="randomized-response")
    for text in draw(page).values():
        assert "NaN" not in text
    truth = page.simulated().epsilon(page.delta.value)
    for bound in page.by_method().values():
        assert not isinstance(bound, Bound) or bound.value <= truth


def test_the_flawed_training_is_refuted_at_each_claim():
    for claim in (1, 2, 4, 8):
        page = OneRunPage(mechanism="flawed", claim=claim)
        reference = page.reference()
        assert reference.name == "claimed"
        assert reference.epsilon == pytest.approx(claim, rel=0.01)
        assert page.bits().value > reference.epsilon
        assert "DP-SGD is not in the Gaussian family" in page.mismatch()
        right = OneRunPage(mechanism="dp-sgd", claim=claim)
        assert right.bits().value <= right.simulated().epsilon(right.delta.value)


# -- what a choice with the scores in view does ------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"threshold": 0.3}, {"rule": "ends"}, {"share_in": 5.0}], ids=lambda c: next(iter(c))
)
def test_a_rule_that_is_changed_after_looking_voids_the_pointwise_bounds_only(change):
    page = OneRunPage(rule="ends" if "share_in" in change else "threshold")
    assert page.steinke().void is None
    page.param.update(change)
    for name in POINTWISE:
        assert "after the scores were seen" in getattr(page, name)().void
    assert page.claimed().void is not None
    assert (page.paid().void, page.paid().guarantee) == (None, "simultaneous")
    assert (page.held_out().void, page.held_out().guarantee) == (None, "held-out")
    # For a run that is made afterwards the rule was fixed beforehand.
    page.seed = 5
    assert page.steinke().void is None
    assert page.claimed().void is not None


def test_a_confidence_that_is_changed_after_looking_voids_what_may_be_claimed_too():
    page = OneRunPage()
    page.confidence = 0.9
    assert "the confidence was changed" in page.steinke().void
    assert "the confidence was changed" in page.paid().void
    page = counted(100, 100, 80)
    page.confidence = 0.9
    assert page.steinke().void is None


def test_tuning_claims_more_than_may_be_claimed():
    page = OneRunPage()
    tuning = page.tuning()
    assert page.claimed().value == max(bound.value for bound in tuning.pointwise)
    assert page.claimed().value > page.paid().value
    assert page.paid().value <= page.reference().epsilon


# -- files ---------------------------------------------------------------------------------------


def test_a_file_is_audited_as_the_run_that_it_holds():
    run = Memoryless(wb.GaussianPair(1)).run(500, seed=3)
    page = OneRunPage(source="file", upload=upload(run))
    assert page.message == ""
    # The median does not know who was in.
    wanted = wb.one_run_bound(run.guess(threshold=page.threshold), delta=1e-5, method="steinke")
    assert page.steinke().value == wanted.value
    assert page.steinke().void is None
    assert "File “canaries”" in page.provenance()
    page.larger_is_member = False
    assert "the direction of the score was changed" in page.paid().void
    page.larger_is_member = True
    page.upload = upload(Memoryless(wb.GaussianPair(1)).run(500, seed=4))
    assert "the file was changed" in page.steinke().void
    page.source = "simulate"
    assert (page.threshold, page.steinke().void) == (0, None)


@pytest.mark.parametrize("members", [200, 150])
def test_a_random_part_is_matched_and_bounds_are_about_substitution(members):
    included = np.repeat([1, 0], [members, 400 - members])
    run = wb.OneRun(2 * included + np.random.default_rng(0).normal(size=400), included)
    design = "fixed-half" if members == 200 else "fixed-size"
    page = OneRunPage(source="file", design=design, upload=upload(run))
    assert page.message == ""
    pairs = wb.matched_pairs(page.run())
    assert pairs.canaries == page.pairs().canaries == members
    bound = wb.one_run_bound(pairs.guess(threshold=0), delta=1e-5)
    assert page.steinke().to_dict() == bound.to_dict()
    assert page.steinke().value > 0
    assert page.steinke().seed == page.run().chance
    assert "substituting a record" in str(page.steinke())
    assert page.paid().to_dict() == wb.tune_one_run(pairs, delta=1e-5).simultaneous.to_dict()
    assert page.held_out().guarantee == "held-out"
    assert page.counted().text.endswith(f"of {members}")
    assert page.counted().note.endswith("pairs")
    assert f"seed {page.run().chance}" in page.coins()
    assert ("left over" in page.coins()) == (members == 150)
    assert page.choice()["data"]
    assert "drawn at random" in page.answer().evidence
    # Abstaining on small differences.
    page.rule = "ends"
    ends = pairs.guess(k_in=round(members / 8), k_out=round(members / 8))
    assert (page.steinke().guesses, page.steinke().correct) == (ends.guesses, ends.correct)


def test_a_fixed_half_keeps_its_bound_from_single_canaries():
    included = np.repeat([1, 0], 200)
    run = wb.OneRun(included + np.random.default_rng(0).normal(size=400), included)
    page = OneRunPage(source="file", design="fixed-half", upload=upload(run))
    assert page.bits().assumption == "independent bits, half of them in"
    assert page.bits().canaries == 400
    part = OneRunPage(source="file", design="fixed-size", upload=upload(run))
    assert part.bits().assumption == "independent bits of pairs of records"


def test_counts_of_a_fixed_half_cannot_be_matched():
    counts = {"source": "counts", "canaries": 400, "guessed": 400, "right": 300, "included": 200}
    page = OneRunPage(**counts, design="fixed-half")
    assert page.steinke() == Fact("–", "needs a fair coin per canary, or scores to match")
    assert page.bits().value > 0
    assert "with the scores" in page.coins()
    of_pairs = OneRunPage(**counts | {"included": 0}, design="matched-pairs")
    assert "substituting a record" in str(of_pairs.steinke())


def test_a_simulated_half_has_the_truth_of_substitution():
    page = OneRunPage(design="fixed-half")
    assert page.run().members == 500
    assert page.pairs().canaries == 500
    truth = wb.GaussianPair(2**0.5).epsilon(1e-5)
    assert page.reference().epsilon == pytest.approx(truth)
    assert "substituting" in page.truth().note
    assert 0 < page.steinke().value < truth
    page.mechanism = "dp-sgd"
    assert page.truth() == Fact("–", "not known for substituting a record")
    assert page.reference() is None
    assert draw(page)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"score,included\n1,1\n2,1\n3,1\n", "nothing can be guessed"),
        (b"id,score,included\na,1,1\na,2,0\nb,3,1\n", "occurs twice"),
        (b"p,q\n1.5,2\n2.5,3\n", "one row for each canary"),
    ],
    ids=["all in", "repeated", "two columns"],
)
def test_a_file_that_is_no_run_is_told_and_leaves_what_there_was(content, said):
    page = OneRunPage(source="file", upload=upload(Memoryless(wb.GaussianPair(1)).run(50)))
    before = page.steinke()
    page.upload = (("other.csv", content),)
    assert said in page.message
    assert page.steinke().value == before.value


def test_without_a_file_the_page_asks_for_one():
    page = OneRunPage(source="file")
    assert "Upload a file" in page.said()
    assert draw(page)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((100, 200, 50), "Guesses must be at most the 100 canaries, got 200"),
        ((100, 50, 60), "Correct must be at most the 50 guesses, got 60"),
        ((100, 100, 90, 100), "All 100 canaries were in"),
    ],
    ids=str,
)
def test_counts_that_contradict_each_other_are_told_once(counts, said):
    page = counted(*counts[:3], included=counts[3] if len(counts) > 3 else 0)
    assert page.said().startswith(said)
    assert isinstance(page.steinke(), Fact)
    assert draw(page)


def test_coins_that_do_not_look_fair_get_a_warning_with_their_p_value():
    assert counted(1000, 1000, 691).coins() == ""
    told = counted(1000, 1000, 691, included=300).coins()
    assert told.startswith("Warning: 300 of 1,000")
    assert f"p = {2 * binom.cdf(300, 1000, 0.5):.2g}" in told
    assert "Warning" not in counted(1000, 1000, 691, included=480).coins()


# -- interference, families --------------------------------------------------------------------


def test_equal_scores_of_canaries_bound_nothing():
    page = OneRunPage(log_coordinates=0.0)  # all canaries get the noise of the one coordinate
    assert np.unique(page.run().scores).size == 1
    summary = page.draw(next(f for f in page.figures() if f.name == "methods"))["layout"]
    assert "Independent canaries, exact" in str(summary)
    assert f"{FROM_SCORES}: ε ≥ 0" in str(summary)
    assert page.of_scores().value == 0
    assert not page.message
    assert FROM_SCORES in str(OneRunPage(log_coordinates=2.0).methods())


def test_interference_is_told_as_an_observation():
    page = OneRunPage(log_coordinates=2.0)
    assert "an observation, not a theorem" in page.interference()
    assert OneRunPage(log_coordinates=3.0).interference() == ""
    assert OneRunPage(log_coordinates=2.0, mechanism="laplace").interference() == ""


def test_the_bound_from_scores_needs_independent_canaries_and_tests_it():
    page = OneRunPage()
    assert page.from_scores().assumption == "independent scores of canaries"
    assert page.from_scores().void is None
    assert page.steinke().value < page.from_scores().value <= page.reference().epsilon
    assert page.independence().startswith("No sign in the order of the canaries")
    page.confidence = 0.9
    assert "the confidence was changed" in page.from_scores().void
    page = OneRunPage(log_coordinates=2.0)
    assert page.from_scores().void == "the scores of the canaries depend on each other"
    assert page.independence().startswith("Warning: Canaries depend on each other")
    counts = counted(1000, 1000, 691)
    assert (counts.from_scores(), counts.independence()) == (Fact("–", "needs scores"), "")


def test_the_bounds_fall_as_the_interference_is_dragged():
    page = OneRunPage()
    assert page.interference() == ""
    alone, truth = page.bits().value, page.truth().text
    page.cosine = 0.3
    assert "gradients of cosine ±0.3" in page.interference()
    assert page.bits().value < 0.6 * alone
    assert page.truth().text == truth
    assert page.falling()["layout"]["shapes"][0]["x0"] == 0.3
    drawn = {trace["name"]: trace["y"] for trace in page.falling()["data"]}
    assert drawn[EXACT][0] > 2 * drawn[EXACT][6]
    page.mechanism = "laplace"
    assert "This chart needs the simulated Gaussian" in str(page.falling())


def test_random_canaries_are_audited_in_any_dimension(monkeypatch):
    page = OneRunPage(mechanism="random-directions", log_coordinates=4.0, leak=2.0)
    assert page.mismatch() == ""
    high, truth = page.bits().value, page.truth().text
    drawn = {trace["name"]: trace["y"] for trace in page.falling()["data"]}
    assert drawn[EXACT][0] < 0.2 * drawn[EXACT][-1]
    assert "2√(log n/d)" in page.cosines()["layout"]["meta"]["summary"]
    monkeypatch.setattr(growing, "dimension_study", lambda *given, **more: pytest.fail("again"))
    page.log_coordinates = 2.0
    assert page.bits().value < 0.5 * high
    assert page.truth().text == truth == "ε = 10.0"
    assert page.falling()["layout"]["shapes"][0]["x0"] == 100
    assert "100 dimensions varies by 1/√d = 0.1" in page.interference()
    page.log_coordinates = 0.0
    assert page.simulated().dimension == 2
    exec(page.code({}).rpartition("view = ")[0], made := {})
    assert (made["run"].scores == page.run().scores).all()
    page.mechanism = "gaussian"
    assert page.cosines()["layout"]["meta"]["optional"]


def test_a_wrong_family_is_told_and_claims_too_much():
    page = OneRunPage(mechanism="laplace", log_canaries=4.0)
    assert "not in the Gaussian family" in page.mismatch()
    assert page.bits().value > page.simulated().epsilon(page.delta.value)
    page.family = "laplace"
    assert page.mismatch() == ""
    assert page.bits().value <= page.simulated().epsilon(page.delta.value)


# -- charts --------------------------------------------------------------------------------------


def test_the_crossing_of_hypotheses_is_the_exact_limit():
    page = counted(1000, 1000, 691)
    assumed, followed = page.hypothetical()["data"]
    line = page.hypothetical()["layout"]["shapes"][-2]["x0"]
    before = [
        x
        for x, a, b in zip(assumed["x"], assumed["y"], followed["y"], strict=True)
        if a is not None and a > b
    ]
    step = assumed["x"][1] - assumed["x"][0]
    assert max(before) == pytest.approx(line, abs=2 * step)


def test_the_place_of_the_run_follows_its_guesses():
    page = counted(1000, 1000, 691)
    place = page.information()["layout"]["shapes"][-1]["x0"]
    assert place == pytest.approx(0.8582, abs=1e-4)
    page.right = 800
    assert page.information()["layout"]["shapes"][-1]["x0"] > place


# -- the job -------------------------------------------------------------------------------------


@pytest.mark.statistical
def test_more_canaries_are_simulated():
    page = OneRunPage(seeds=5)
    assert "Press" in page.growth()["layout"]["meta"]["summary"]
    found = page.work.run("simulate")
    for item in page.figures():
        assert "NaN" not in board.content(page.draw(item))
    assert found.truth == pytest.approx(page.simulated().epsilon(page.delta.value))
    drawn = {trace["name"]: trace for trace in page.growth()["data"]}
    assert list(drawn[EXACT]["y"]) == pytest.approx(list(found.mean(EXACT)))
    assert not page.work.state("simulate").stale
    page.leak = 1.5
    assert page.work.state("simulate").stale
    page.threshold = 0.3
    assert page.steinke().void is not None


def test_growth_joins_what_single_studies_find_and_can_be_cancelled():
    mechanism, heard = SharedGaussian(1.0, 50), []

    def report(fraction=None, message=None, partial=None):
        if partial is not None:
            heard.append(partial)
        if len(heard) == 2:
            raise Cancelled

    sizes = (50, 100, 200)
    whole = growth(mechanism, "gaussian", delta=1e-5, canaries=sizes, seeds=30)
    with pytest.raises(Cancelled):
        growth(mechanism, "gaussian", delta=1e-5, canaries=sizes, seeds=30, report=report)
    assert [part.canaries.size for part in heard] == [1, 2]
    for name in (EXACT, HOEFFDING, STEINKE):
        np.testing.assert_array_equal(heard[1].epsilon[name], whole.epsilon[name][:2])
    assert whole.epsilon[EXACT].shape == (3, 30)
    alone = study(
        mechanism,
        {EXACT: whole.auditors[EXACT]},
        delta=1e-5,
        canaries=(100,),
        seeds=30,
        seed=np.random.default_rng((0, 100, 1)),
    )
    np.testing.assert_array_equal(alone.epsilon[EXACT][0], whole.epsilon[EXACT][1])
    # One of four canaries on a coordinate: k of the three others are in, and shift it by k − 3/2.
    k = np.arange(4)
    wrong = float(binom.pmf(k, 3, 0.5) @ norm.cdf(1 - k))
    assert whole.bias[0] == pytest.approx(0, abs=0.03)
    assert whole.bias[2] == pytest.approx(wrong - norm.cdf(-0.5), abs=0.03)


def test_a_flawed_training_grows_beyond_its_claim():
    mechanism = DPSGD(1.145, 0.1, 50, average_first=True, batch_size=16)
    found = growth(mechanism, "gaussian", delta=1e-5, canaries=(1000,), seeds=5)
    assert found.range(EXACT)[0][0] > mechanism.claimed.epsilon(1e-5)


# -- in a notebook -------------------------------------------------------------------------------


def test_the_code_reproduces_the_numbers_and_the_view():
    run = Memoryless(wb.LaplacePair(1)).run(400)
    views = (
        wb.explore_one_run(wb.Guesses(1000, 1000, 691, included=480), spec={"family": "laplace"}),
        wb.explore_one_run(run, spec={"threshold": 0.4, "tuned": "abstain"}),
        wb.explore_one_run(run.to_frame(), spec={"rule": "ends"}),
        wb.explore_one_run(spec={"mechanism": "laplace", "rule": "ends", "share_in": 5.0}),
        wb.explore_one_run(spec={"log_coordinates": 2.0, "cosine": 0.05, "leak": 0.5, "seed": 3}),
        wb.explore_one_run(spec={"mechanism": "flawed", "claim": 4}),
        wb.explore_one_run(spec={"source": "counts", "right": 600}),
    )
    for view in views:
        made = {"run": run}
        exec(view.to_code(), made)
        assert made["steinke"].value == view.steinke.value
        if isinstance(view.bits, Bound):
            assert made["bits"].value == view.bits.value
        if isinstance(view.from_scores, Bound):
            assert made["from_scores"].value == view.from_scores.value
            assert made["from_scores"].void == view.from_scores.void
        if isinstance(view.paid, Bound):
            assert made["tuning"].simultaneous.value == view.paid.value
        assert made["view"].numbers == view.numbers


def test_given_canaries_are_not_chosen_anew():
    view = wb.explore_one_run(Memoryless(wb.GaussianPair(1)).run(100))
    with pytest.raises(AttributeError, match="no 'upload'"):
        view.upload = ()
    assert isinstance(view.bound, Bound)
