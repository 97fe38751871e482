"""Banded matrix factorization: sensitivity by brute force, against accountants and simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import toeplitz

import workbench as wb
from workbench.pairs.trainings.participation import participation_sensitivity


def matrix(coefficients, steps):
    column = np.zeros(steps)
    kept = min(len(coefficients), steps)
    column[:kept] = coefficients[:kept]
    return toeplitz(column, np.zeros(steps))


def patterns(steps, separation, participations):
    """All sets of steps that a record may be in."""
    for k in range(1, participations + 1):
        for chosen in itertools.combinations(range(steps), k):
            if all(b - a >= separation for a, b in itertools.pairwise(chosen)):
                yield chosen


def brute_force(coefficients, steps, separation, participations):
    """The largest norm over all sets of steps and all signs of the gradients."""
    c, most = matrix(coefficients, steps), 0.0
    for chosen in patterns(steps, separation, participations):
        for signs in itertools.product((1, -1), repeat=len(chosen) - 1):
            most = max(most, np.linalg.norm(c[:, list(chosen)] @ np.array([1, *signs])))
    return most


@pytest.mark.parametrize("steps", [1, 5, 9])
@pytest.mark.parametrize("separation", [1, 2, 4])
@pytest.mark.parametrize("participations", [1, 2, 4])
@pytest.mark.parametrize(
    "coefficients",
    [(1.0,), (1.0, 0.5), wb.square_root_coefficients(4), (2.0, 2.0, 0.0), (1.0, 0.9, 0.1, 0.05)],
    ids=str,
)
def test_the_sensitivity_is_that_of_the_worst_steps_and_signs(
    coefficients, steps, separation, participations
):
    found = participation_sensitivity(coefficients, steps, separation, participations)
    assert found == pytest.approx(brute_force(coefficients, steps, separation, participations))


@pytest.mark.parametrize("coefficients", [(1.0, -0.8), (0.5, -1.0, 2.0)], ids=str)
def test_columns_far_apart_may_have_any_entries(coefficients):
    for steps, separation in ((7, 3), (8, 4)):
        found = participation_sensitivity(coefficients, steps, separation, 3)
        assert found == pytest.approx(brute_force(coefficients, steps, separation, 3))
    with pytest.raises(ValueError, match="must be at least 0 and not rise"):
        participation_sensitivity(coefficients, 7, 1, 3)


def test_vectors_of_several_dimensions_do_not_move_more():
    rng = np.random.default_rng(0)
    coefficients = wb.square_root_coefficients(5)
    c, limit = matrix(coefficients, 8), participation_sensitivity(coefficients, 8, 2, 3)
    for chosen in patterns(8, 2, 3):
        x = np.zeros((50, 8, 3))
        drawn = rng.normal(size=(50, len(chosen), 3))
        x[:, list(chosen)] = drawn / np.linalg.norm(drawn, axis=2, keepdims=True)
        assert (np.linalg.norm(c @ x, axis=(1, 2)) <= limit + 1e-12).all()


def test_the_square_root_of_prefix_sums():
    square_root = matrix(wb.square_root_coefficients(30), 30)
    np.testing.assert_allclose(square_root @ square_root, np.tril(np.ones((30, 30))), atol=1e-12)
    assert wb.square_root_coefficients(1) == (1.0,)


def test_the_identity_is_dp_sgd():
    pair = wb.BandedMatrixPair(1.5, (1.0,), steps=300, sample_rate=0.02)
    same = wb.DPSGDPair(1.5, 0.02, 300)
    assert pair.epsilon_interval(1e-5) == same.epsilon_interval(1e-5)
    epsilon = np.linspace(0, 3, 7)
    np.testing.assert_array_equal(pair.profile(epsilon), same.profile(epsilon))
    assert pair.sensitivity == pytest.approx(math.sqrt(300))


@pytest.mark.parametrize("separation", [4, 7])
def test_sampled_parts_are_the_composition_of_their_columns(separation):
    """By the accountant of Google: a Poisson-sampled Gaussian for each column of the first part."""
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant

    coefficients, steps, sigma, rate = wb.square_root_coefficients(4), 82, 1.7, 0.1
    pair = wb.BandedMatrixPair(sigma, coefficients, steps, separation, rate)
    norms = np.linalg.norm(matrix(coefficients, steps), axis=0)[::separation]
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    for norm in norms:
        event = dp_event.GaussianDpEvent(sigma / norm)
        accountant.compose(dp_event.PoissonSampledDpEvent(rate, event))
    low, high = pair.epsilon_interval(1e-5)
    assert low - 1e-6 <= accountant.get_epsilon(1e-5) <= high * 1.002
    assert high <= accountant.get_epsilon(1e-5) * 1.002
    # Another part leaks at most as much: its columns are no longer.
    for first in range(1, separation):
        other = np.linalg.norm(matrix(coefficients, steps), axis=0)[first::separation]
        assert (other <= norms[: other.size] + 1e-12).all()


@pytest.mark.parametrize("coefficients", [(1.0, 0.5, 0.375), (1.0, -0.6)], ids=str)
def test_a_simulated_release_has_the_profile(coefficients):
    """All T rows of C x + z, with the exact likelihood ratio over all ways to be sampled."""
    n, steps, sigma, rate = 100_000, 7, 0.9, 0.3
    bands = len(coefficients)
    pair = wb.BandedMatrixPair(sigma, coefficients, steps, sample_rate=rate)
    rng, c = np.random.default_rng(3), matrix(coefficients, steps)
    places = np.arange(0, steps, bands)
    x = np.zeros((n, steps))
    x[:, places] = rng.random((n, places.size)) < rate
    released = x @ c.T + rng.normal(0, sigma, (n, steps))
    terms = []
    for used in itertools.product((0, 1), repeat=places.size):
        mean = c[:, places] @ np.array(used)
        weight = np.log(np.where(np.array(used) == 1, rate, 1 - rate)).sum()
        terms.append(weight + (released @ mean - mean @ mean / 2) / sigma**2)
    loss = np.logaddexp.reduce(terms, axis=0)
    for epsilon in (0.0, 0.3, 0.8, 1.5):
        gain = np.maximum(-np.expm1(epsilon - loss), 0.0)
        error = 4.5 * gain.std() / math.sqrt(n) + 1e-5
        assert pair.hockey_stick(epsilon) == pytest.approx(gain.mean(), abs=error)
    scores = pair.draw_p(20_000, rng)
    assert scores.mean() == pytest.approx(loss.mean(), abs=5 * loss.std() / math.sqrt(20_000))


def test_without_sampling_it_is_gaussian_whatever_the_steps_of_the_record():
    coefficients = wb.square_root_coefficients(3)
    pair = wb.BandedMatrixPair(2.0, coefficients, 8, separation=2, participations=3)
    worst = brute_force(coefficients, 8, 2, 3)
    assert pair.sensitivity == pytest.approx(worst)
    assert pair.exact
    assert pair.epsilon(1e-5) == pytest.approx(wb.GaussianPair(worst / 2.0).epsilon(1e-5))
    # By simulation, for all steps that the record may be in: the best test is no better.
    c = matrix(coefficients, 8)
    for chosen in patterns(8, 2, 3):
        mu = np.linalg.norm(c[:, list(chosen)].sum(axis=1)) / 2.0
        assert wb.GaussianPair(mu).epsilon(1e-5) <= pair.epsilon(1e-5) * (1 + 1e-12)


def test_the_error_of_prefix_sums_is_that_of_the_matrices():
    coefficients = wb.square_root_coefficients(5)
    pair = wb.BandedMatrixPair(1.3, coefficients, 40, sample_rate=0.1)
    noise = np.tril(np.ones((40, 40))) @ np.linalg.inv(matrix(coefficients, 40))
    error = 1.3 * np.linalg.norm(noise) / math.sqrt(40)
    assert pair.prefix_error == pytest.approx(error)
    drawn = np.random.default_rng(0).normal(0, 1.3, (4000, 40)) @ noise.T
    assert math.sqrt((drawn**2).mean()) == pytest.approx(error, rel=0.05)


def test_bands_pay_where_the_privacy_loss_is_large():
    """200 steps, 5% of the data in a batch, ε = 8: the error of prefix sums at equal ε."""
    from scipy.optimize import brentq

    def error(bands):
        coefficients = wb.square_root_coefficients(bands)

        def pair(sigma):
            return wb.BandedMatrixPair(sigma, coefficients, 200, sample_rate=0.05 * bands)

        sigma = brentq(lambda s: pair(s).epsilon(1e-5) - 8, 0.5, 20, rtol=1e-3)
        return pair(sigma).prefix_error

    assert error(8) < error(2) < error(1)


def test_what_the_pair_is():
    pair = wb.BandedMatrixPair(2, [1, 0.5], 10)
    assert pair == wb.BandedMatrixPair(**pair.parameters)
    assert hash(pair) == hash(wb.BandedMatrixPair(2.0, (1.0, 0.5), 10, 2))
    assert "2 bands" in pair.name
    one = wb.BandedMatrixPair(2.0, (1.0, 0.5), 2, sample_rate=0.5)
    assert one.closed_form == wb.SubsampledGaussianPair(0.5, 2 / math.hypot(1, 0.5))
    assert pair.compose(3).epsilon(1e-5) == pytest.approx(
        wb.GaussianPair(pair.sensitivity / 2 * math.sqrt(3)).epsilon(1e-5)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wb.BandedMatrixPair(0, (1,), 10), "noise_multiplier"),
        (lambda: wb.BandedMatrixPair(1, (), 10), "coefficients must be"),
        (lambda: wb.BandedMatrixPair(1, (0, 1), 10), "the first one not 0"),
        (lambda: wb.BandedMatrixPair(1, (1, np.inf), 10), "coefficients"),
        (lambda: wb.BandedMatrixPair(1, (1,), 0), "steps"),
        (lambda: wb.BandedMatrixPair(1, (1,), 10, 0), "separation"),
        (lambda: wb.BandedMatrixPair(1, (1,), 10, sample_rate=0), "sample_rate must lie"),
        (lambda: wb.BandedMatrixPair(1, (1, 1), 10, 1, 0.1), "at least the 2 bands"),
        (lambda: wb.BandedMatrixPair(1, (1, 2), 10, 1), "at least 0 and not rise"),
        (lambda: wb.BandedMatrixPair(1, (1,), 10, participations=0), "participations"),
        (
            lambda: wb.BandedMatrixPair(1, (1,), 10, sample_rate=0.1, participations=2),
            "leave them out",
        ),
        (lambda: wb.square_root_coefficients(0), "bands"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
