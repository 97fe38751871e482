"""What a bound assumes is checked: just its family, on all examples, and what checks miss."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import items
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.checks import REFUTED
from workbench.bounds.parametric.departures import CutOff, UnequalErrors
from workbench.pages.family import FAMILIES, FamilyPage
from workbench.pages.inputs.data import example_key
from workbench.pages.scores.page import ScoresPage
from workbench.scores.examples import card

DELTA = 1e-5
OWN = {"family": "gaussian", "equal_variances": False}
KNOWN = [name for name in wb.examples()["name"] if card(name).truth.epsilon is not None]


def members(scores):
    """All families with all that is to be said of them, where these scores can be theirs at all."""
    asked = [
        {"family": "gaussian"},
        OWN,
        {"family": "laplace"},
        {"family": "randomized-response"},
        # That the known q is wrong shows where it is far off; see the test of what a pass hides.
        *({"family": "subsampled-gaussian", "q": q} for q in (0.01, 0.25)),
    ]
    for one in asked:
        try:
            wb.family_check(scores, **one)
        except ValueError:
            continue
        yield one


# -- normal scores with two variances ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "refuted"),
    [
        ("laplace", True),
        ("subsampled-gaussian", True),
        ("ties", True),
        ("one-shot-not-private", True),
        ("gaussian", False),
        ("unequal-variances", False),
        ("no-leak", False),
    ],
)
def test_two_variances_are_checked_on_just_that(name, refuted):
    scores = wb.example(name)
    check = wb.family_check(scores, **OWN)
    assert check.refuted == refuted
    bound = wb.parametric_bound(scores, delta=DELTA, **OWN)
    assert (bound.void, bound.checked) == (
        (REFUTED, "refuted") if refuted else (None, "not refuted")
    )
    assert bound.at_confidence(0.99).checked == bound.checked
    assert (check.threshold is not None) == refuted
    assert ("closest Gaussian pair has" in check.verdict) == refuted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ratio", [0.1, 1.0, 1.5, 30.0])
def test_two_normal_laws_are_refuted_at_most_at_the_stated_rate(ratio):
    rng, reps, confidence = np.random.default_rng(1), 150, 0.8
    wrong = sum(
        wb.family_check(
            wb.Scores(rng.normal(3, ratio, 200), rng.normal(0, 1, 400)),
            confidence=confidence,
            **OWN,
        ).refuted
        for _ in range(reps)
    )
    assert binomtest(wrong, reps, 1 - confidence, alternative="greater").pvalue > 0.01


def test_two_variances_are_refuted_only_where_one_is():
    """The second family contains the first, and the limits are the same."""
    rng = np.random.default_rng(2)
    both = []
    for shape in (1.0, 1.5, 2.0, 4.0, 30.0):
        for _ in range(20):
            s = wb.Scores(1 + rng.standard_t(shape, 300), rng.standard_t(shape, 300))
            both.append((wb.family_check(s, "gaussian").refuted, wb.family_check(s, **OWN).refuted))
    assert all(one for one, two in both if two)
    assert 10 < sum(two for _, two in both) < 90


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_scores_and_one_sided_ties_are_no_error(n):
    assert not wb.family_check(wb.GaussianPair(1).sample(n, seed=0), **OWN).refuted
    with pytest.raises(ValueError, match="all scores of P are equal"):
        wb.family_check(wb.Scores(np.ones(n), np.arange(n)), **OWN)
    with pytest.raises(ValueError, match="for family='gaussian'"):
        wb.family_check(wb.Scores(np.ones(n), np.arange(n)), "laplace", equal_variances=False)


# -- no bound that is not struck out exceeds the truth -------------------------------------------


def assert_below(bound, truth, at):
    """Bounds that promise something about the pair itself."""
    if bound.void or bound.guarantee == "estimate" or bound.side == "upper":
        return
    if bound.quantity == "epsilon" and bound.delta == truth.delta:
        assert bound.value <= truth.epsilon, (at, bound)
    if bound.quantity == "total variation":
        assert bound.value <= truth.tv, (at, bound)


@pytest.mark.parametrize("name", KNOWN)
def test_no_bound_of_an_example_exceeds_its_truth(name):
    scores, truth = wb.example(name), card(name).truth
    # A held-out bound depends on a split that is drawn: one of 20 may exceed the truth, and on
    # "ties" some splits do (fresh draws of that pair: 2 of 100).
    for guarantee in ("simultaneous", "one question", "anytime", wb.Pointwise(0.5)):
        assert_below(wb.epsilon_lower_bound(scores, DELTA, 0.95, guarantee), truth, guarantee)
    for asked in members(scores):
        refuted = wb.family_check(scores, **asked).refuted
        for quantity in ({"delta": DELTA}, {"quantity": "total variation"}):
            bound = wb.parametric_bound(scores, **quantity, **asked)
            assert bound.checked == ("refuted" if refuted else "not refuted")
            assert bool(bound.void) == refuted
            assert_below(bound, truth, asked)


@pytest.mark.parametrize("name", KNOWN)
def test_no_number_of_a_page_on_an_example_exceeds_its_truth(name):
    truth, pages = card(name).truth, [ScoresPage(data=example_key(name))]
    page = FamilyPage(data=example_key(name))
    seen = 0
    for family in (None, *FAMILIES.values()):
        shown = pages[0] if family is None else page
        if family is not None:
            page.family = family
        for item in items(shown):
            if item.kind == "number" and isinstance(bound := shown.draw(item), Bound):
                assert_below(bound, truth, (family, item.name))
                seen += 1
    assert seen > 10


@pytest.mark.parametrize("family", ["gaussian", "laplace"])
@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_scores_of_canaries_are_checked_as_scores_are(name, family):
    p, q = wb.example(name)
    run = wb.OneRun(np.r_[p[:4000], q[:4000]], np.arange(8000) < 4000)
    bound = wb.one_run_score_bound(run, delta=DELTA, family=family)
    refuted = wb.family_check(run.as_scores(), family).refuted
    assert bound.checked == ("refuted" if refuted else "not refuted")
    assert_below(bound, card(name).truth, family)


# -- the rule ------------------------------------------------------------------------------------


def test_a_bound_with_a_family_states_its_check():
    bound = wb.parametric_bound(wb.GaussianPair(1).sample(100, seed=0), delta=DELTA)
    for wrong, says in (
        ({"checked": None}, "states the check of that family"),
        ({"family": None}, "states the check of that family"),
        ({"checked": "certainly"}, "checked must be"),
        ({"checked": "refuted"}, "is void"),
    ):
        with pytest.raises(ValueError, match=says):
            replace(bound, **wrong)
    assert "does not show that it is right" in bound.explain()
    assert wb.gdp_fit(wb.GaussianPair(1).sample(100, seed=0)).checked is None


def test_guesses_cannot_check_a_family_unless_they_rule_it_out():
    asked = {"canaries": 1000, "delta": DELTA, "method": "fdp", "family": "gaussian"}
    bound = wb.one_run_bound(100, correct=90, **asked)
    assert (bound.checked, bound.void) == ("cannot be checked", None)
    assert "if the pair is Gaussian (cannot be checked)" in str(bound)
    assert "cannot show whether" in bound.explain()
    # Sampled with probability 0.1, a canary cannot be told so often.
    asked |= {"method": "bits", "family": "subsampled-gaussian", "q": 0.1}
    refuted = wb.one_run_bound(1000, correct=900, **asked)
    assert (refuted.value, refuted.checked) == (np.inf, "refuted")
    assert refuted.void == "the guesses rule out this family"
    # No family is assumed at all.
    asked = {"canaries": 1000, "delta": DELTA, "method": "fdp"}
    assert wb.one_run_bound(100, correct=90, **asked).checked is None


def test_a_record_from_before_stays_as_it_is_and_says_that_it_does_not_know():
    bound = wb.parametric_bound(wb.GaussianPair(1).sample(100, seed=0), delta=DELTA)
    old = {name: value for name, value in bound.to_dict().items() if name != "checked"}
    read = Bound.from_dict(old)
    assert read.checked == "not recorded"
    assert "(not recorded)" in str(read)
    assert read.to_dict() == old
    assert Bound.from_dict(bound.to_dict()) == bound
    free = wb.epsilon_lower_bound(wb.GaussianPair(1).sample(100, seed=0), DELTA)
    assert "checked" not in free.to_dict()


# -- an estimate lies within its own limits -----------------------------------------------------

DRAWN = [
    ("gaussian", None, wb.GaussianPair(0.0), 60),
    ("gaussian", None, wb.GaussianPair(1.0), 60),
    ("gaussian", None, wb.GaussianPair(40.0), 10),
    ("laplace", None, wb.LaplacePair(0.0), 60),
    ("laplace", None, wb.LaplacePair(1.0), 400),
    ("laplace", None, wb.LaplacePair(9.0), 60),
    ("subsampled-gaussian", 0.25, wb.SubsampledGaussianPair(0.25, 0.3), 400),
    ("subsampled-gaussian", 0.25, wb.SubsampledGaussianPair(0.25, 0.05), 60),
    ("subsampled-gaussian", 1.0, wb.GaussianPair(2.0), 60),
    ("randomized-response", None, wb.RandomizedResponsePair(0.1, 0.0), 60),
    ("randomized-response", None, wb.RandomizedResponsePair(4.0, 0.0), 60),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("family", "q", "pair", "n"), DRAWN)
def test_an_estimate_lies_within_its_limits_at_every_confidence(family, q, pair, n):
    fitted = 0
    for seed in range(20):
        s = pair.sample((n, n + 7), seed=seed)
        for confidence in (0.501, 0.8, 0.95, 0.9999):
            try:
                fit = wb.family_fit(s, family, confidence, q)
            except ValueError:  # of randomized response: all outcomes are the same
                continue
            if fit.fits:
                fitted += 1
                assert fit.lower <= fit.estimate <= fit.upper, (seed, confidence)
    assert fitted > 40


@pytest.mark.statistical
def test_the_estimate_of_a_subsampled_pair_is_as_good_as_its_interval():
    """An inverted AUC lies outside in 37 of these 60 draws, and is infinite in 11."""
    truth, found = 1 / 0.3, []
    for seed in range(60):
        s = wb.SubsampledGaussianPair(0.25, 0.3).sample(10**4, seed=seed)
        fit = wb.family_fit(s, "subsampled-gaussian", 0.95, 0.25)
        assert fit.lower <= fit.estimate <= fit.upper
        found.append((fit.estimate, (fit.lower + fit.upper) / 2))
    estimate, middle = np.sqrt(np.mean((np.array(found) - truth) ** 2, axis=0))
    assert estimate < 1.05 * middle
    assert estimate < 0.08


# -- what a check misses ------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("asked", "pair", "n"),
    [
        ({"family": "gaussian"}, wb.GaussianPair(2), (300, 300)),
        ({"family": "gaussian"}, wb.GaussianPair(1), (1500, 2500)),
        (OWN, wb.GaussianPair(2), (300, 600)),
        ({"family": "subsampled-gaussian", "q": 0.25}, wb.SubsampledGaussianPair(0.25, 0.3), 3000),
    ],
)
def test_the_power_is_about_what_is_stated(asked, pair, n):
    check = wb.family_check(pair.sample(n, seed=1), **asked)
    power, rng, reps = check.power(DELTA), np.random.default_rng(0), 60
    s = check.scores
    found = 0
    one = CutOff(check.family.law(check.estimate), power.found, s.n_p, s.n_q)
    for _ in range(reps):
        p, q = (group.quantile(rng.random(group.size)) for group in one.expected.samples.groups)
        found += wb.family_check(wb.Scores(p, q), **asked).refuted
    assert 0.6 < found / reps < 0.97


@pytest.mark.statistical
def test_a_check_of_few_scores_says_that_logistic_ones_deceive_it():
    """Truth 1.69, and a Gaussian bound of 3.3 that the check lets pass."""
    rng, passed = np.random.default_rng(3), []
    for _ in range(30):
        s = wb.Scores(rng.logistic(1.7, 1, 200), rng.logistic(0, 1, 200))
        check = wb.family_check(s, "gaussian")
        if not check.refuted:
            bound, power = wb.parametric_bound(s, delta=DELTA), check.power(DELTA)
            passed.append((bound.value, power.truth, power.claimed, power.adds))
    bound, truth, claimed, adds = np.mean(passed, axis=0)
    assert len(passed) > 25
    assert min(row[0] for row in passed) > 1.69
    # The bound less what the statement says is about the truth, and the pair it names is no better.
    assert bound - adds == pytest.approx(1.69, abs=0.3)
    assert truth < 1.69
    assert claimed == pytest.approx(bound, rel=0.25)


def test_a_sampling_rate_that_is_hardly_wrong_is_missed_and_that_is_said():
    scores = wb.example("gaussian")
    bound = wb.parametric_bound(scores, "subsampled-gaussian", delta=DELTA, q=0.9)
    power = wb.family_check(scores, "subsampled-gaussian", q=0.9).power(DELTA)
    assert (bound.void, bound.checked) == (None, "not refuted")
    assert bound.value > wb.GaussianPair(1).epsilon(DELTA) > power.truth


def test_more_scores_miss_less():
    pair = wb.GaussianPair(1)
    adds = [
        wb.family_check(pair.sample(n, seed=4), "gaussian").power(DELTA).adds
        for n in (2000, 20_000, 200_000)
    ]
    assert adds[0] > adds[1] > adds[2] > 0
    power = wb.family_check(pair.sample(2000, seed=4), "gaussian").power(DELTA)
    for text in (f"{power.found:.2f}", f"{power.claimed:.2f}", "about 80% power", "δ = 1e-5"):
        assert text in str(power)
    assert (
        "privacy loss never exceeds"
        in wb.family_check(pair.sample(2000, seed=4), "gaussian")._repr_html_()
    )


def test_departures_are_what_they_are_called():
    law = wb.family_check(wb.GaussianPair(1).sample(100, seed=0), "gaussian").family.law(1.0)
    assert law.epsilon(DELTA) == pytest.approx(wb.GaussianPair(1).epsilon(DELTA), rel=1e-3)
    capped = law.capped(1.5)
    assert 1.4 < capped.epsilon(DELTA) <= 1.5
    assert law.capped(20.0).epsilon(DELTA) == pytest.approx(law.epsilon(DELTA))
    # Never leakier than the fitted member.
    assert (capped.fnr >= law.fnr - 1e-15).all()
    two = UnequalErrors(0.2, 0.1, 1000, 3000)
    shares = two.expected.counts_p[1] / 1000, two.expected.counts_q[1] / 3000
    assert shares == pytest.approx((1 - 0.275, 0.175), abs=1e-9)
    binary = max(np.log((1 - 0.275) / 0.175), np.log((1 - 0.175) / 0.275))
    assert two.epsilon(0.0) == pytest.approx(binary)


def test_where_nothing_leaks_a_pass_hides_nothing():
    power = wb.family_check(wb.GaussianPair(0).sample(300, seed=0), "gaussian").power(DELTA)
    assert power.adds >= 0
    separated = wb.family_check(wb.Scores(np.arange(50) + 100.0, np.arange(50)), "laplace")
    assert separated.estimate == np.inf
    assert separated.power(DELTA).missed is None
    assert "no pair" in str(separated.power(DELTA))
    uneven = wb.RandomizedResponsePair(1.0, 0).sample((40, 4000), seed=0)
    power = wb.family_check(uneven, "randomized-response").power(DELTA)
    assert power.departure == "difference of both error rates"
    assert power.adds > 0
