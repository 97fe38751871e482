"""Where a composition has its mass: against exact tails, and against dp_accounting."""

import itertools

import numpy as np
import pytest
from scipy.special import bdtr, bdtrc

import workbench as wb
from workbench.pairs.accounting import pld
from workbench.pairs.accounting.dpsgd import SubstitutedStep
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair

#: σ and q of one step.
SETTINGS = [(0.4, 0.01), (0.6, 1e-4), (1.0, 0.01), (1.0, 0.5), (4.0, 0.1)]

TAILS = (1e-15, 1e-9, 1e-3)


def theirs(parts, tail):
    """The range that dp_accounting finds."""
    from dp_accounting.pld import common

    [(masses, k)] = parts

    with np.errstate(all="ignore"):
        return common.compute_self_convolve_bounds(list(masses), k, tail)


def masses():
    """Masses of steps under P and under Q, tilted ones, and some that are no steps."""
    rng = np.random.default_rng(0)
    for (sigma, q), kind in itertools.product(SETTINGS, (SubsampledGaussianPair, SubstitutedStep)):
        grid = pld.build(kind(q, sigma), 10_000, symmetric=True).grids[0][0]
        yield from (grid.p, grid.q[::-1])
        with np.errstate(all="ignore"):
            tilted = grid.p * np.exp(-np.linspace(0, 60, grid.p.size))
        yield tilted / tilted.sum()
    yield np.array([1.0])
    yield np.array([0.0, 1.0])
    yield np.array([0.5, 0.0, 0.0, 0.25])
    yield rng.dirichlet(np.ones(1000))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_range_is_that_of_dp_accounting():
    for one, k, tail in itertools.product(masses(), (1, 2, 1000, 10**7), TAILS[::2]):
        first, last = pld.convolution_range([(one, k)], tail)
        # Sums are rounded in another order: at a tie, the next whole number.
        assert np.abs(np.subtract(theirs([(one, k)], tail), (first, last))).max() <= 1
        assert first >= 0
        assert last <= (one.size - 1) * k


@pytest.mark.parametrize("share", [1e-6, 1e-3, 0.1, 0.5, 0.9])
def test_no_more_than_the_tail_is_outside(share):
    """The sum of k zeros and ones is binomial."""
    for k, tail in itertools.product((2, 100, 10**4, 10**6), TAILS):
        first, last = pld.convolution_range([(np.array([1 - share, share]), k)], tail)
        below = bdtr(first - 1, k, share) if first > 0 else 0.0
        assert below + bdtrc(last, k, share) <= tail * (1 + 1e-9)


def test_the_tail_counts():
    """The range is no wider than needed by much, and not that of another tail."""
    ranges = [pld.convolution_range([(np.array([0.9, 0.1]), 10**4)], tail) for tail in TAILS]
    assert all(first < a <= b < last for (first, last), (a, b) in itertools.pairwise(ranges))
    first, last = ranges[0]
    assert bdtr(first + 150, 10**4, 0.1) > 1e-15
    assert bdtrc(last - 150, 10**4, 0.1) > 1e-15


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("kind", [SubsampledGaussianPair, SubstitutedStep])
@pytest.mark.parametrize(("sigma", "q"), SETTINGS)
def test_compositions_are_those_with_the_range_of_dp_accounting(sigma, q, kind, monkeypatch):
    symmetric = kind is SubstitutedStep
    for k in (100, 10**4):
        ours = pld.build(kind(q, sigma), k, symmetric)
        with monkeypatch.context() as patched:
            patched.setattr(pld, "convolution_range", theirs)
            before = pld.build(kind(q, sigma), k, symmetric)
        epsilon = np.array([0.0, 0.1, 1.0, 5.0, 20.0])
        for direction in ("P‖Q", "Q‖P"):
            found = ours.log_hockey_stick(epsilon, direction)
            assert np.exp(found) == pytest.approx(
                np.exp(before.log_hockey_stick(epsilon, direction)), rel=1e-9, abs=1e-15
            )


#: δ from about the resolution of an accountant to one half.
DELTAS = (1e-12, 1e-9, 1e-5, 1e-2, 0.5)


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("neighboring_relation", ["add-remove", "substitute"])
@pytest.mark.parametrize(
    ("sigma", "q", "steps"),
    [(0.4, 0.001, 1000), (0.6, 0.02, 100), (1.0, 0.01, 10_000), (2.0, 0.5, 10), (10.0, 0.05, 2000)],
)
def test_the_limits_meet_those_of_dp_accounting(sigma, q, steps, neighboring_relation):
    """Ours contain the truth, and so do theirs."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution

    relation = {
        "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
        "substitute": NeighboringRelation.REPLACE_ONE,
    }[neighboring_relation]
    upper, lower = (
        privacy_loss_distribution.from_gaussian_mechanism(
            sigma,
            sampling_prob=q,
            neighboring_relation=relation,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1e-3,
        ).self_compose(steps)
        for pessimistic in (True, False)
    )
    ours = wb.DPSGDPair(sigma, q, steps, neighboring_relation)
    for delta in DELTAS:
        low, high = ours.epsilon_interval(delta)
        assert lower.get_epsilon_for_delta(delta) <= high * (1 + 1e-9) + 1e-9
        assert low <= upper.get_epsilon_for_delta(delta) * (1 + 1e-9) + 1e-9
