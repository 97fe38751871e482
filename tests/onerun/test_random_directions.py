"""Random canaries: their scores, the loss in few dimensions, and the largest cosine."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.onerun import Auditor, RandomDirections, dimension_study, false_claims
from workbench.onerun.simulate import random_release, unit_vectors


@pytest.mark.parametrize(("n", "d"), [(7, 3), (7, 7), (7, 40), (0, 5)])
@pytest.mark.parametrize("rows", [2, 100])
def test_canaries_are_unit_vectors(n, d, rows):
    blocks = unit_vectors(n, d, np.random.default_rng(0), rows)
    assert sum(map(len, blocks)) == n
    for x in blocks:
        np.testing.assert_allclose((x**2).sum(axis=1), 1)
        assert x.shape[1] <= min(n, d)


def test_scores_have_the_moments_of_the_theorem():
    """In: 1 and σ² + (k − 1)/d; out: 0 and σ² + k/d, for k that are in."""
    k, d, sigma, rng = 60, 30, 0.7, np.random.default_rng(1)
    drawn = [random_release(k, 50, d, sigma, rng, 16) for _ in range(400)]
    p, q = (np.concatenate([one[side] for one in drawn]) for side in (0, 1))
    assert p.mean() == pytest.approx(1, abs=0.03)
    assert q.mean() == pytest.approx(0, abs=0.04)
    assert p.var() == pytest.approx(sigma**2 + (k - 1) / d, rel=0.05)
    assert q.var() == pytest.approx(sigma**2 + k / d, rel=0.05)


def test_in_many_dimensions_they_are_independent_gaussians():
    run = RandomDirections(2.0, 10**8).run(2000, seed=0)
    inside, outside = run.scores[run.included], run.scores[~run.included]
    for side, mean in ((inside, 1.0), (outside, -1.0)):
        assert side.mean() == pytest.approx(mean, abs=0.15)
        assert side.std() == pytest.approx(1, abs=0.1)


def test_blocks_draw_what_earlier_versions_drew():
    run = wb.simulate_canaries(20, 10, 1.0, seed=0)
    assert run.norm == pytest.approx(4.172076941843507, rel=1e-12)
    assert float(np.sum(run.scores.p)) == pytest.approx(6.956076868984791, rel=1e-12)


def test_bounds_rise_with_the_dimension():
    study = dimension_study(
        RandomDirections(2.0, 2), {"bits": Auditor("bits", "gaussian")}, delta=1e-5,
        canaries=300, dimensions=(10, 300, 10_000, 10**6), seeds=5,
    )  # fmt: skip
    bounds = study.mean("bits")
    assert (np.diff(bounds) > 0).all()
    assert bounds[-1] < study.truth == wb.GaussianPair(2).epsilon(1e-5)
    assert list(study.to_frame().columns) == [
        *("auditor", "dimension", "seed", "epsilon", "bit_error", "truth"),
    ]


def test_the_largest_cosine_has_the_constant_2():
    study = dimension_study(
        RandomDirections(1.0, 2), {}, delta=1e-5, canaries=500, dimensions=(2000, 5000, 20_000),
        seeds=2,
    )  # fmt: skip
    constant = study.largest_cosine / np.sqrt(math.log(study.compared) / study.dimension)
    assert (constant > 1.6).all()
    assert (constant < 2.1).all()  # print has 4


def test_too_many_canaries_are_refused():
    with pytest.raises(ValueError, match="take fewer canaries"):
        RandomDirections(1.0, 10**6).run(20_000, seed=0)
    for wrong in ({"mu": 0.0}, {"mu": 1e-300}, {"dimension": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            RandomDirections(**{"mu": 1.0, "dimension": 10} | wrong)


@pytest.mark.statistical
@pytest.mark.parametrize("dimension", [10, 300])
def test_bounds_for_independent_canaries_did_not_exceed_the_truth_too_often(dimension):
    found = false_claims(
        RandomDirections(1.0, dimension), Auditor("bits", "gaussian"), canaries=100, delta=1e-5,
        runs=300, seed=1,
    )  # fmt: skip
    assert found.p_value > 0.01
