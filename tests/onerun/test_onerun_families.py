"""What one-run bounds ask of a family: closed forms against the pairs, and against brute force."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.pairs.families.base import Family, PairFamily
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.registry import family_named
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

FAMILIES = {
    "gaussian": GaussianFamily(),
    "laplace": LaplaceFamily(),
    "randomized response": RandomizedResponseFamily(0.0),
    "randomized response, 0.05": RandomizedResponseFamily(0.05),
    "subsampled, 0.25": SubsampledGaussianFamily(0.25),
    "subsampled, 1": SubsampledGaussianFamily(1.0),
}
LEAKS = (0.05, 0.5, 1.0, 3.0, 8.0)
each_family = pytest.mark.parametrize("name", FAMILIES)


@each_family
def test_the_bit_error_is_that_of_the_pair_and_its_inverse(name):
    family = FAMILIES[name]
    for leak in LEAKS:
        error = family.bit_error(leak)
        assert error == pytest.approx((1 - family.pair(leak).total_variation) / 2, rel=1e-9)
        assert family.parameter_of_bit_error(error) == pytest.approx(leak, rel=1e-6)
    assert family.parameter_of_bit_error(0.5) == 0
    assert family.parameter_of_bit_error(0.0) == math.inf
    assert family.bit_error(0.0) <= 0.5


@each_family
def test_the_general_inverse_agrees(name):
    family = FAMILIES[name]
    for error in (0.45, 0.4):
        general = Family.parameter_of_bit_error(family, error)
        assert general == pytest.approx(family.parameter_of_bit_error(error), abs=1e-9)


@each_family
def test_the_least_mass_inverts_the_trade_off_function(name):
    """f̄(x) = f(1 − x) for a symmetrised f; never above it, by more than round-off."""
    family = FAMILIES[name]
    x = np.unique(np.r_[np.geomspace(1e-4, 0.5, 400), np.linspace(0.5, 0.999, 100)])
    for leak in LEAKS:
        truth = np.asarray(family.pair(leak).tradeoff(1 - x))
        closed, general = (
            np.array([f(np.array([value]))[0] for value in x])
            for f in (
                family.least_mass(np.array([leak])),
                Family.least_mass(family, np.array([leak])),
            )
        )
        assert np.all(closed <= truth + 1e-12)
        # One Newton step a call stays behind where x moves faster than in the recursion.
        behind = 1e3 if name.startswith("subsampled") else 1
        assert closed == pytest.approx(truth, rel=1e-6 * behind, abs=1e-9 * behind)
        assert np.all(general <= truth + 1e-12)
        # The table's chords lie below f̄, most where it bends.
        assert general == pytest.approx(truth, abs=2e-4)


def brute_force(pair, shares):
    """Errors of the most certain outcomes, from 4·10^5 quantiles of each side."""
    levels = (np.arange(400_000) + 0.5) / 400_000
    from scipy.special import ndtri

    base = ndtri(levels)
    if isinstance(pair, wb.GaussianPair):
        p, q = base + pair.mu, base
    elif isinstance(pair, wb.LaplacePair):
        lap = np.where(levels < 0.5, np.log(2 * levels), -np.log(2 * (1 - levels)))
        p, q = lap + pair.mu, lap
    else:  # the subsampled Gaussian: members that were used, and those that were not
        used = round(pair.q * levels.size)
        some = ndtri((np.arange(used) + 0.5) / used) * pair.sigma + 1
        rest = ndtri((np.arange(levels.size - used) + 0.5) / max(levels.size - used, 1))
        p, q = np.r_[some, rest * pair.sigma], base * pair.sigma
    loss = np.r_[pair.privacy_loss(p), pair.privacy_loss(q)]
    member = np.r_[np.ones(p.size), np.zeros(q.size)]
    order = np.argsort(-np.abs(loss), kind="stable")
    # Equal certainties: the mean error of the plateau, as a random order has it.
    certainty = np.abs(loss[order])
    wrong = ((loss[order] > 0) != member[order]).astype(float)
    start = np.r_[0, np.flatnonzero(np.abs(np.diff(certainty)) > 1e-9) + 1]
    sums = np.add.reduceat(wrong, start)
    length = np.diff(np.r_[start, wrong.size])
    total = np.cumsum(np.repeat(sums / length, length))
    k = np.maximum((shares * wrong.size).astype(int), 1)
    return total[k - 1] / k


@pytest.mark.parametrize("name", ["gaussian", "laplace", "subsampled, 0.25", "subsampled, 1"])
def test_the_guess_error_is_that_of_the_most_certain_outcomes(name):
    family = FAMILIES[name]
    shares = np.array([0.02, 0.1, 0.2, 0.3, 0.6, 0.9, 1.0])
    for leak in (0.5, 1.0, 3.0):
        found = family.guess_error(leak, shares)
        assert found == pytest.approx(brute_force(family.pair(leak), shares), rel=0.01, abs=2e-4)


@each_family
def test_the_guess_error_ends_at_the_bit_error_and_grows_with_the_share(name):
    family = FAMILIES[name]
    shares = np.linspace(0.001, 1, 300)
    for leak in LEAKS:
        error = family.guess_error(leak, shares)
        assert error[-1] == pytest.approx(family.bit_error(leak), abs=1e-8)
        assert np.all(np.diff(error) >= -1e-9)
    assert family.guess_error(0.0, shares)[-1] == pytest.approx(family.bit_error(0.0))


def test_the_general_guess_error_is_exact_for_symmetric_pairs():
    shares = np.linspace(0.01, 1, 50)
    for name in ("gaussian", "laplace", "randomized response, 0.05"):
        family = FAMILIES[name]
        general = Family.guess_error(family, 1.0, shares)
        assert general == pytest.approx(family.guess_error(1.0, shares), abs=1e-8)


def test_the_general_guess_error_refutes_less_for_others():
    """The symmetrised curve lets both sides be as certain as the better one."""
    family, shares = FAMILIES["subsampled, 0.25"], np.linspace(0.01, 1, 50)
    general = Family.guess_error(family, 2.0, shares)
    assert np.all(general <= family.guess_error(2.0, shares) + 1e-9)


@each_family
def test_huge_leaks_give_numbers(name):
    family = FAMILIES[name]
    shares = np.geomspace(1e-6, 1, 60)
    for leak in (50.0, 1024.0):
        error = family.guess_error(leak, shares)
        assert np.all((error >= 0) & (error <= 0.5 + 1e-9))
        mass = family.least_mass(np.array([leak]))(np.array([0.3]))
        assert 0 <= mass[0] <= 0.3 + 1e-12


def test_a_family_from_pairs_looks_no_further_than_told():
    family = PairFamily("Gaussian", wb.GaussianPair, largest=2.0, symbol="μ")
    assert family.symbol == "μ"
    assert family.parameter_of_bit_error(1e-4) == math.inf
    assert family.epsilon(math.inf, 1e-5) == math.inf
    assert family.epsilon(0.0, 1e-5) == 0
    with pytest.raises(ValueError, match="largest must be above 0"):
        PairFamily("Gaussian", wb.GaussianPair, largest=0)


def test_families_are_found_by_name():
    assert family_named("gaussian", delta=0.1, q=None) == GaussianFamily()
    assert family_named("laplace", delta=0.1, q=None) == LaplaceFamily()
    assert family_named("randomized-response", delta=0.1, q=None) == RandomizedResponseFamily(0.1)
    assert family_named("subsampled-gaussian", delta=0.1, q=0.5) == SubsampledGaussianFamily(0.5)
    for family in FAMILIES.values():
        assert family_named(family, delta=0.1, q=None) is family
        assert family.name
        assert family.symbol in "με1/σ"
