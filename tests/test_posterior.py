"""The posterior mass of a privacy region, against brute force and on HIST's Figs. 2 and 3."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

import workbench as wb
from workbench.bounds.posterior import Counts, posterior_mass, posterior_parameter

CASES = [
    (Counts(309, 100, 900, 300), wb.GaussianPair(1.5)),
    (Counts(20, 0, 200, 180), wb.GaussianPair(1)),
    (Counts(0, 0, 50, 50), wb.GaussianPair(0.1)),
    (Counts(60, 10, 90, 40), wb.LaplacePair(1.5)),
    (Counts(60, 10, 90, 40), wb.RandomizedResponsePair(2, 0.05)),
]


@pytest.mark.parametrize(("counts", "pair"), CASES, ids=str)
def test_against_adaptive_quadrature_on_two_hundred_pieces(counts, pair):
    a = beta_distribution(counts.fp + 0.5, counts.tn + 0.5)
    b = beta_distribution(counts.fn + 0.5, counts.tp + 0.5)

    def integrand(x):
        return a.pdf(x) * (b.cdf(1 - pair.tradeoff(1 - x)) - b.cdf(pair.tradeoff(x)))

    cuts = a.ppf(np.linspace(1e-9, 1 - 1e-9, 200))
    brute = sum(quad(integrand, low, high, epsabs=1e-13)[0] for low, high in pairwise(cuts))
    assert posterior_mass(counts, pair) == pytest.approx(brute, abs=1e-8)


def test_against_simulation():
    counts, pair = CASES[0]
    rng = np.random.default_rng(0)
    n = 200_000
    alpha = rng.beta(counts.fp + 0.5, counts.tn + 0.5, n)
    beta = rng.beta(counts.fn + 0.5, counts.tp + 0.5, n)
    inside = (beta >= pair.tradeoff(alpha)) & (beta <= 1 - pair.tradeoff(1 - alpha))
    mass = posterior_mass(counts, pair)
    assert mass == pytest.approx(inside.mean(), abs=4 * np.sqrt(mass * (1 - mass) / n))


def mass_over_thresholds(sigma, thresholds):
    s = wb.example("subsampled-gaussian")
    pair = wb.SubsampledGaussianPair(0.25, sigma)
    tp, fp = s.tail_counts(thresholds)
    return np.array(
        [
            posterior_mass(Counts(int(t), int(f), s.n_q - int(f), s.n_p - int(t)), pair)
            for t, f in zip(tp, fp, strict=True)
        ]
    )


def test_hist_figures_2_and_3():
    """σ = 0.35 promises too much and is refuted; σ = 0.29 is true and nowhere refuted."""
    thresholds = np.linspace(-0.75, 1.3, 60)
    refuted = mass_over_thresholds(0.35, thresholds)
    assert refuted.min() < 1e-6
    # An attack that sees nothing is no evidence, however credible the region looks.
    assert refuted[thresholds < 0].min() > 0.99
    assert mass_over_thresholds(0.29, thresholds).min() > 0.05


def test_the_smallest_member_that_holds():
    counts = Counts(309, 100, 900, 300)
    mu = posterior_parameter(counts, wb.GaussianPair, (0.01, 5), 0.95)
    assert posterior_mass(counts, wb.GaussianPair(mu)) == pytest.approx(0.95)
    with pytest.raises(ValueError, match="widen the bounds"):
        posterior_parameter(counts, wb.GaussianPair, (0.01, 0.02))


def test_counts_must_be_counts():
    with pytest.raises(ValueError, match="fn must be a whole number of at least 0, got -3"):
        Counts(1, 2, 3, -3)
