"""Guesses out of k values: k = 2 is what it was, levels by enumeration and simulation, refusals."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

import workbench as wb
from workbench.onerun import mahloujifar
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily

DELTA = 1e-5


@pytest.mark.parametrize("family", [None, "gaussian", "laplace"])
@pytest.mark.parametrize("counts", [(1000, 100, 90), (1000, 1000, 691), (60, 60, 60), (50, 40, 3)])
def test_two_values_are_in_and_out(family, counts):
    given = dict(zip(("canaries", "guesses", "correct"), counts, strict=True))
    asked = {**given, "delta": DELTA, "method": "fdp", "family": family}
    assert wb.one_run_bound(**asked, values=2) == wb.one_run_bound(**asked)


def test_the_reference_value_of_two_values_is_unchanged():
    found = wb.one_run_bound(
        canaries=1000, guesses=100, correct=90, delta=DELTA, method="fdp", family="gaussian"
    )
    assert found.value == pytest.approx(2.456, abs=5e-4)
    assert found.assumption == "independent fair coins"


def printed(family, leak, m, r, c, error, k):
    """The recursion as printed, for one member: whether it is refuted."""
    right, wrong = error * c / m, error * (r - c) / m
    for i in range(c - 1, -1, -1):
        more = max(
            wrong, (k - 1) * float(family.least_mass(np.array([leak]))(np.array([right]))[0])
        )
        right, wrong = right + i / (r - i) * (more - wrong), more
    return right + wrong > r / m


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_limit_is_where_the_printed_recursion_turns(k):
    family, m, r, c = GaussianFamily(), 80, 60, 45
    leak = mahloujifar.largest_refuted(
        family, canaries=m, guesses=r, correct=c, error=0.05, values=k
    )
    assert leak > 0.1
    assert printed(family, leak * (1 - 1e-6), m, r, c, 0.05, k)
    assert not printed(family, leak * (1 + 1e-4), m, r, c, 0.05, k)


def test_guesses_at_chance_show_nothing_and_more_values_make_the_same_share_count_more():
    counts = {"canaries": 500, "guesses": 500, "delta": DELTA, "method": "fdp"}
    assert wb.one_run_bound(**counts, correct=60, values=10).value == 0
    found = [wb.one_run_bound(**counts, correct=300, values=k).value for k in (2, 3, 10, 100)]
    assert np.all(np.diff(found) > 0.3)


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_level_is_kept_by_randomized_response_among_k_values(k, epsilon):
    """Exactly: every number of right guesses of the mechanism that leaks most at this ε."""
    m = 60
    right = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    counts = np.arange(m + 1)
    refuted = np.array(
        [
            mahloujifar.refuted(
                RandomizedResponseFamily(0.0), np.array([epsilon]), m, m, int(c), 0.05, k
            )[0]
            for c in counts
        ]
    )
    assert (np.diff(refuted.astype(int)) >= 0).all()
    missed = binom.pmf(counts, m, right) @ refuted
    assert missed <= 0.05
    assert missed > 0.004  # not idle


@pytest.mark.statistical
def test_gaussian_values_keep_their_level():
    """Each value shifts its own coordinate by μ/√2; the largest is the guess. 300 runs at 90%."""
    rng, mu, k, m = np.random.default_rng(5), 2.0, 5, 40
    missed = 0
    for _ in range(300):
        seen = rng.normal(size=(m, k))
        seen[:, 0] += mu / math.sqrt(2)
        correct = int((seen.argmax(axis=1) == 0).sum())
        refuted = mahloujifar.refuted(GaussianFamily(), np.array([mu]), m, m, correct, 0.1, k)
        missed += bool(refuted[0])
    assert missed <= 47  # at a rate of 10% it is above with a probability below 0.1%


def test_it_says_what_it_rests_on():
    found = wb.one_run_bound(
        canaries=500, guesses=200, correct=150, delta=DELTA, method="fdp", values=10
    )
    assert found.assumption == "independent uniform values"
    assert "drawn uniformly" in found.explain()
    assert "replacing one value by another" in found.explain()
    assert wb.one_run_mu_bound(canaries=500, guesses=200, correct=150, values=10).value > 1
    counts = wb.Guesses(500, 200, 150, values=10)
    assert wb.one_run_bound(counts, delta=DELTA, method="fdp").value == found.value


@pytest.mark.parametrize("method", ["steinke", "bits", "bits-hoeffding", "abstain"])
def test_methods_for_in_and_out_are_refused(method):
    with pytest.raises(ValueError, match="take method='sharp'"):
        wb.one_run_bound(canaries=50, guesses=50, correct=40, delta=DELTA, method=method, values=3)


@pytest.mark.parametrize("values", [1, 0, -2, 2.5, math.nan, "ten"])
def test_fewer_than_two_values_are_refused(values):
    with pytest.raises(ValueError, match="values must be"):
        wb.one_run_bound(
            canaries=50, guesses=50, correct=40, delta=DELTA, method="fdp", values=values
        )


def test_values_leave_nobody_out():
    with pytest.raises(ValueError, match="leave out included= and design="):
        wb.Guesses(50, 50, 40, included=25, values=3)
    with pytest.raises(ValueError, match="already state values"):
        wb.one_run_bound(wb.Guesses(50, 50, 40), delta=DELTA, method="fdp", values=3)


# -- the recursion against all of its steps, and in many digits ---------------------------------


def all_steps(leak, m, r, c, error):
    """Whether a Gaussian pair is refuted: every step of the recursion, one after the other."""
    right, wrong = error * c / m, error * (r - c) / m
    for i in range(c - 1, -1, -1):
        more = max(wrong, float(ndtr(ndtri(right) - leak)))
        right = right + i / (r - i) * (more - wrong)
        wrong = more
        if not right + wrong <= r / m:  # neither falls
            return True
    return False


@pytest.mark.parametrize("counts", [(10_000, 1832, 1100), (10**6, 10**5, 57_000)])
def test_large_counts_have_the_limit_of_the_printed_recursion(counts):
    """No step is left out that matters: 10⁵ guesses in blocks of three gave 1.2e-4 less."""
    m, r, c = counts
    leak = mahloujifar.largest_refuted(
        GaussianFamily(), canaries=m, guesses=r, correct=c, error=0.05
    )
    assert all_steps(leak, m, r, c, 0.05)
    assert not all_steps(leak * (1 + 1e-5), m, r, c, 0.05)


def test_the_limit_of_a_million_canaries_is_that_of_jax_privacy():
    """jax_privacy follows the recursion too, and takes the root from either side of 1e-6."""
    found = wb.one_run_bound(
        canaries=10**6, guesses=10**5, correct=57_000, delta=DELTA, method="fdp", family="gaussian"
    )
    assert 0.30636036 - 1e-6 < found.value <= 0.30636036


@pytest.mark.parametrize("counts", [(80, 60, 45), (400, 400, 260)])
def test_the_limit_in_forty_digits(counts):
    """Where the recursion turns in 40 digits; the bound lies below, by less than it states."""
    mpmath = pytest.importorskip("mpmath")
    m, r, c = counts
    error = mpmath.mpf("0.05")

    def excess(leak):
        # Φ(Φ⁻¹(x) − μ), with Φ⁻¹ by Newton's method from the double value.
        def mass(x):
            z = mpmath.mpf(float(ndtri(float(x))))
            for _ in range(3):
                z -= (mpmath.ncdf(z) - x) / mpmath.npdf(z)
            return mpmath.ncdf(z - leak)

        right, wrong = error * c / m, error * (r - c) / m
        for i in range(c - 1, -1, -1):
            more = max(wrong, mass(right))
            if more == wrong:
                break
            right, wrong = right + mpmath.mpf(i) / (r - i) * (more - wrong), more
            if right + wrong > mpmath.mpf(r) / m:
                return 1
        return -1

    with mpmath.workdps(40):
        leak = mahloujifar.largest_refuted(
            GaussianFamily(), canaries=m, guesses=r, correct=c, error=0.05
        )
        assert excess(mpmath.mpf(leak)) > 0
        assert excess(mpmath.mpf(leak) * (1 + mpmath.mpf("1e-5"))) < 0
