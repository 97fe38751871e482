"""One-run bounds: reference values, what each rests on, and what is refused."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.onerun.bound import METHODS
from workbench.pairs.families.base import PairFamily
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily

DELTA = 1e-5
FAMILY_METHODS = ("fdp", "bits", "bits-hoeffding", "abstain")
COIN_METHODS = ("steinke", "sharp")


def all_guessed(n, errors, **how):
    return wb.one_run_bound(canaries=n, guesses=n, correct=n - errors, delta=DELTA, **how)


# -- values ---------------------------------------------------------------------------------------


def test_reference_values_of_bits():
    exact = all_guessed(1000, 309, method="bits", family="gaussian")
    assert exact.value == pytest.approx(3.670, abs=5e-4)
    hoeffding = all_guessed(1000, 309, method="bits-hoeffding", family="gaussian")
    assert hoeffding.value == pytest.approx(3.305, abs=5e-4)
    larger = all_guessed(10_000, 1587, method="bits", family="gaussian")
    assert larger.value == pytest.approx(9.688, abs=5e-4)
    mu = wb.one_run_mu_bound(canaries=1000, guesses=1000, correct=691, method="bits")
    assert mu.value == pytest.approx(0.8582, abs=5e-5)
    assert mu.quantity == "mu"
    mu = wb.one_run_mu_bound(canaries=10_000, guesses=10_000, correct=8413, method="bits")
    assert mu.value == pytest.approx(1.9496, abs=5e-5)


def test_reference_values_of_steinke_and_mahloujifar():
    counts = {"canaries": 1000, "guesses": 100, "correct": 90, "delta": DELTA}
    assert wb.one_run_bound(**counts).value == pytest.approx(1.6261, abs=5e-5)
    fdp = wb.one_run_bound(**counts, method="fdp", family="gaussian")
    assert fdp.value == pytest.approx(2.456, abs=5e-4)


def test_pure_dp_is_the_binomial_limit():
    """δ = 0: the smallest q with P[Binomial(100, q) ≥ 90] > 5% is 0.8363, and ε its log odds."""
    from scipy.stats import binom

    for method in COIN_METHODS:
        value = wb.one_run_bound(
            canaries=500, guesses=100, correct=90, delta=0, method=method
        ).value
        q = 1 / (1 + math.exp(-value))
        assert binom.sf(89, 100, q) == pytest.approx(0.05, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_no_evidence_gives_zero(method):
    families = (None,) if method in COIN_METHODS else (None, "gaussian", "laplace")
    for family in families:
        for correct in (0, 2, 10):
            bound = wb.one_run_bound(
                canaries=20, guesses=20, correct=correct, delta=DELTA, method=method, family=family
            )
            assert bound.value == 0
            assert "no leak" in bound.explain()


@pytest.mark.parametrize("method", METHODS)
def test_more_right_guesses_never_give_less(method):
    family = None if method in COIN_METHODS else "gaussian"
    values = [
        wb.one_run_bound(
            canaries=60, guesses=60, correct=c, delta=DELTA, method=method, family=family
        ).value
        for c in range(0, 61, 3)
    ]
    assert (np.diff(values) >= 0).all()
    assert values[-1] > 1
    assert math.isfinite(values[-1])


@pytest.mark.parametrize("method", METHODS)
def test_more_confidence_gives_less(method):
    family = None if method in COIN_METHODS else "laplace"
    values = [
        all_guessed(500, 100, method=method, family=family, confidence=level).value
        for level in (0.8, 0.95, 0.999)
    ]
    assert values[0] > values[1] > values[2] > 0


def test_what_abstaining_guesses_prove_without_abstentions_is_what_bits_prove():
    for family in ("gaussian", "laplace", "randomized-response"):
        bits = all_guessed(1000, 309, method="bits", family=family).value
        assert all_guessed(1000, 309, method="abstain", family=family).value == pytest.approx(
            bits, abs=1e-6
        )


def test_without_a_family_a_bound_is_that_of_the_worst_mechanism():
    free = all_guessed(1000, 309, method="bits")
    assert free.family is None
    named = all_guessed(1000, 309, method="bits", family="randomized-response")
    assert named.value == free.value
    assert named.family is None
    other = all_guessed(1000, 309, method="bits", family=RandomizedResponseFamily(1e-7))
    assert "δ = 1e-07" in other.family
    # A Gaussian with these errors leaks more at this δ than the worst mechanism need.
    assert all_guessed(1000, 309, method="bits", family="gaussian").value > free.value


def test_a_family_of_pairs_gives_what_its_closed_form_gives():
    by_pairs = PairFamily("Gaussian", wb.GaussianPair, largest=20)
    for method in ("bits", "fdp", "abstain"):
        counts = {"canaries": 200, "guesses": 200, "correct": 160, "delta": DELTA}
        closed = wb.one_run_bound(**counts, method=method, family=GaussianFamily()).value
        general = wb.one_run_bound(**counts, method=method, family=by_pairs).value
        assert general == pytest.approx(closed, rel=1e-4)
        assert general <= closed + 1e-7


def test_a_family_that_explains_nothing_is_refuted_and_says_so():
    bound = all_guessed(
        1000, 309, method="bits", family="subsampled-gaussian", q=0.25
    )  # total variation stays below 0.25, the errors show more
    assert bound.value == math.inf
    assert "family itself is refuted" in bound.note
    assert "refuted" in bound.explain()


def test_many_canaries_and_tiny_delta_stay_finite():
    for method in METHODS:
        if method == "fdp":  # a million steps are too many for a test
            continue
        family = None if method in COIN_METHODS else "gaussian"
        bound = wb.one_run_bound(
            canaries=10**6, guesses=10**6, correct=10**6, delta=1e-300, method=method, family=family
        )
        assert 5 < bound.value < 500


# -- what a bound says ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_every_bound_names_what_it_rests_on(method):
    family = None if method in COIN_METHODS else "gaussian"
    bound = wb.one_run_bound(
        canaries=80, guesses=80, correct=70, delta=DELTA, method=method, family=family, included=41
    )
    assert bound.guarantee == "pointwise"
    assert bound.family == ("Gaussian" if family else None)
    coins = method in (*COIN_METHODS, "fdp")
    assert bound.assumption == ("independent fair coins" if coins else "independent bits")
    assert ("influences" in bound.explain()) != coins
    assert (bound.canaries, bound.guesses, bound.correct) == (80, 80, 70)
    assert (bound.n_p, bound.n_q) == (41, 39)
    assert "@" in bound.cite()
    assert bound.to_frame().loc[0, "method"] == bound.method


def test_a_mu_bound_assumes_no_family():
    for method in FAMILY_METHODS:
        bound = wb.one_run_mu_bound(canaries=80, guesses=80, correct=70, method=method)
        assert bound.family is None
        assert 0 < bound.value < 3
    with pytest.raises(ValueError, match="says nothing on μ"):
        wb.one_run_mu_bound(canaries=80, guesses=80, correct=70, method="steinke")


# -- coins ----------------------------------------------------------------------------------------


def test_implausible_coins_are_remarked_upon():
    def note(included, **more):
        return wb.one_run_bound(
            canaries=1000, guesses=10, correct=9, delta=0, included=included, **more
        ).note

    assert note(520) is None
    assert "0.00017" in note(560)
    assert "0.00017" in note(440)
    assert "design='fixed-half'" in note(500)


def test_a_fixed_half_is_covered_by_the_bits_alone():
    fixed = {"design": "fixed-half", "included": 500}
    for method in ("bits", "bits-hoeffding"):
        bound = all_guessed(1000, 309, method=method, **fixed)
        assert bound.assumption == "independent bits, half of them in"
        assert bound.note is None
        assert "drawn at random" in bound.explain()
    for method in ("steinke", "sharp", "fdp", "abstain"):
        with pytest.raises(ValueError, match=r"fair coin for each canary.*as_scores"):
            all_guessed(1000, 309, method=method, **fixed)
    with pytest.raises(ValueError, match="even number"):
        all_guessed(1001, 309, method="bits", design="fixed-half")
    with pytest.raises(ValueError, match="got 499 of 1000"):
        all_guessed(1000, 309, method="bits", design="fixed-half", included=499)


# -- no guesses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", list(METHODS))
def test_without_guesses_bounds_are_zero(method):
    none = {"canaries": 100, "guesses": 0, "correct": 0}
    for delta in (0.0, 1e-5, 0.1):
        bound = wb.one_run_bound(**none, delta=delta, method=method)
        assert (bound.value, bound.guesses, bound.guarantee) == (0, 0, "pointwise")
        assert "no leak" in bound.explain()
    if METHODS[method].leak is not None:
        assert wb.one_run_mu_bound(**none, method=method).value == 0
        for family in ("gaussian", "laplace"):
            assert wb.one_run_bound(**none, delta=1e-5, method=method, family=family).value == 0


def test_a_rule_may_abstain_on_all_canaries():
    run = wb.OneRun(np.arange(20.0), np.arange(20) % 2)
    guesses = run.guess(k_in=0, k_out=0)
    assert (guesses.guesses, guesses.correct, guesses.errors) == (0, 0, 0)
    assert math.isnan(guesses.accuracy)
    assert wb.one_run_bound(guesses, delta=1e-5).value == 0


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"correct": 11}, "correct must be at most the 10 guesses, got 11"),
        ({"guesses": 101}, "guesses must be at most the 100 canaries, got 101"),
        ({"guesses": -1, "correct": 0}, "guesses must be a whole number of at least 0"),
        ({"correct": -1}, "correct must be a whole number of at least 0"),
        ({"correct": 7.5}, "correct must be a whole number"),
        ({"canaries": 0}, "canaries must be a whole number of at least 1"),
        ({"included": 0}, "all 100 canaries were out"),
        ({"included": 100}, "all 100 canaries were in"),
        ({"included": 101}, "included must be at most the 100 canaries"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"confidence": 0.05}, "did you mean 0.95"),
        ({"method": "magic"}, "method must be one of"),
        ({"design": "some"}, "design must be one of"),
        ({"family": "gaussian"}, "assumes no family"),
        ({"q": 0.5}, "assumes no family"),
        ({"method": "bits"}, "needs a guess on each canary, got 10 guesses on 100"),
        ({"method": "fdp", "family": "cauchy"}, "family must be one of"),
        ({"method": "fdp", "family": "subsampled-gaussian"}, "needs q="),
        ({"method": "fdp", "family": "subsampled-gaussian", "q": 0.0}, r"q must lie in \(0, 1\]"),
        ({"method": "fdp", "family": "gaussian", "q": 0.5}, "belongs to family="),
        ({"method": "fdp", "family": GaussianFamily(), "q": 0.5}, "given in full"),
    ],
)
def test_contradictions_are_refused(changed, words):
    counts = {"canaries": 100, "guesses": 10, "correct": 9, "delta": DELTA}
    with pytest.raises(ValueError, match=words):
        wb.one_run_bound(**{**counts, **changed})


def test_delta_has_no_default():
    with pytest.raises(TypeError, match="delta"):
        wb.one_run_bound(canaries=100, guesses=10, correct=9)


# -- counts that come as Guesses -----------------------------------------------------------------


def test_guesses_are_taken_in_place_of_numbers():
    numbers = {"canaries": 100, "guesses": 100, "correct": 80, "included": 52}
    guesses = wb.Guesses(**numbers)
    same = wb.one_run_bound(**numbers, delta=DELTA, method="sharp")
    assert wb.one_run_bound(guesses, delta=DELTA, method="sharp") == same
    assert wb.one_run_mu_bound(guesses) == wb.one_run_mu_bound(**numbers)


def test_counts_are_given_once_and_in_full():
    guesses = wb.Guesses(100, 10, 9)
    with pytest.raises(ValueError, match="already state canaries, design; leave that out"):
        wb.one_run_bound(guesses, canaries=100, design="fair-coins", delta=DELTA)
    with pytest.raises(ValueError, match="give canaries=, guesses= and correct="):
        wb.one_run_bound(10, canaries=100, delta=DELTA)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: wb.Threshold(math.nan), "threshold must be finite"),
        (lambda: wb.Ends(-1, 3), "k_in must be a whole number of at least 0"),
        (lambda: wb.Ends(1, 3).scaled(10, 0), "of must be a whole number of at least 1"),
    ],
)
def test_rules_check_their_numbers(make, words):
    with pytest.raises(ValueError, match=words):
        make()
