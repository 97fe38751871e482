"""The posterior mass of a privacy region, against brute force and on HIST's Figs. 2 and 3."""

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

import workbench as wb
from workbench.curves.tradeoff import TradeoffCurve

CASES = [
    (wb.Counts(309, 100, 900, 300), wb.GaussianPair(1.5)),
    (wb.Counts(20, 0, 200, 180), wb.GaussianPair(1)),
    (wb.Counts(0, 0, 50, 50), wb.GaussianPair(0.1)),
    (wb.Counts(3, 0, 1, 0), wb.GaussianPair(0.5)),
    (wb.Counts(60, 10, 90, 40), wb.LaplacePair(1.5)),
    # The kink of f, α = β = 0.1132, in the middle of the posterior.
    (wb.Counts(887, 113, 887, 113), wb.RandomizedResponsePair(2, 0.05)),
    (wb.Counts(300, 100, 900, 700), TradeoffCurve([0, 0.05, 0.1, 0.4, 1], [1, 0.8, 0.7, 0.35, 0])),
    (wb.Counts(29_000, 4_000, 96_000, 71_000), wb.SubsampledGaussianPair(0.25, 0.29)),
]


def posteriors(counts):
    alpha = beta_distribution(counts.fp + 0.5, counts.tn + 0.5)
    return alpha, beta_distribution(counts.fn + 0.5, counts.tp + 0.5)


@pytest.mark.parametrize(("counts", "tradeoff"), CASES, ids=str)
def test_against_brute_force_over_quantiles(counts, tradeoff):
    """20 nodes in each of 2000 pieces of u = F_α(α)."""
    a, b = posteriors(counts)
    node, weight = np.polynomial.legendre.leggauss(20)
    cuts = np.r_[0, np.logspace(-14, -1, 500), np.linspace(0.1, 0.9, 1000)[1:-1]]
    cuts = np.r_[cuts, 1 - np.logspace(-14, -1, 500)[::-1], 1]
    width = np.diff(cuts)[:, None]
    u = cuts[:-1, None] + width * (node + 1) / 2
    alpha = np.where(u < 0.5, a.ppf(u), a.isf(1 - u))
    inside = b.cdf(1 - tradeoff.tradeoff(1 - alpha)) - b.cdf(tradeoff.tradeoff(alpha))
    brute = np.sum(inside * width * weight / 2)
    assert wb.posterior_mass(counts, tradeoff) == pytest.approx(brute, abs=1e-7)


@pytest.mark.parametrize(("counts", "pair"), [CASES[0], CASES[5]], ids=str)
def test_against_simulation(counts, pair):
    a, b = posteriors(counts)
    n = 200_000
    alpha, beta = a.rvs(n, random_state=0), b.rvs(n, random_state=1)
    inside = (beta >= pair.tradeoff(alpha)) & (beta <= 1 - pair.tradeoff(1 - alpha))
    mass = wb.posterior_mass(counts, pair)
    assert mass == pytest.approx(inside.mean(), abs=4 * np.sqrt(mass * (1 - mass) / n))


# -- HIST, Figs. 2 and 3 --------------------------------------------------------------------------

THRESHOLDS = np.linspace(-0.75, 1.3, 83)


def grid_mass(scores, pair, thresholds, size=1000):
    """HIST's Euler sum over midpoints of the unit square."""
    x = (np.arange(size) + 0.5) / size
    inside = (x >= pair.tradeoff(x)[:, None]) & (x <= 1 - pair.tradeoff(1 - x)[:, None])
    tp, fp = scores.tail_counts(thresholds)
    masses = []
    for t, f in zip(tp, fp, strict=True):
        a, b = posteriors(wb.Counts(int(t), int(f), scores.n_q - int(f), scores.n_p - int(t)))
        masses.append(a.pdf(x) @ inside @ b.pdf(x) / size**2)
    return np.array(masses)


@pytest.mark.statistical
def test_hist_figures_2_and_3():
    """10⁵ scores a side, q = 0.25, σ = 0.3: 0.35 is refuted where it can be, 0.29 nowhere.

    An attack that sees nothing is no evidence for 0.35, however credible the region looks there.
    The sum over a grid of a million points gives the wrong confident answer that HIST reports.
    """
    scores = wb.example("subsampled-gaussian")
    truth = wb.SubsampledGaussianPair(0.25, 0.3)
    samples = [scores] + [truth.sample(10**5, seed=seed) for seed in range(4)]
    for s in samples:
        false, true = (
            wb.posterior_over_thresholds(s, wb.SubsampledGaussianPair(0.25, sigma), THRESHOLDS)
            for sigma in (0.35, 0.29)
        )
        assert false.mass[(THRESHOLDS > 0.45) & (THRESHOLDS < 1.2)].max() < 1e-3
        assert false.mass[THRESHOLDS < 0.2].min() > 0.99
        assert true.mass.min() > 0.05
        assert true.tradeoff.sigma == 0.29
    some = THRESHOLDS[::8]
    by_grid = grid_mass(scores, wb.SubsampledGaussianPair(0.25, 0.29), some)
    assert by_grid.min() < 1e-3


def test_at_expected_counts_the_true_promise_is_credible_everywhere():
    truth = wb.SubsampledGaussianPair(0.25, 0.3)
    n = 10**5
    for alpha in (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9):
        fp, fn = round(n * alpha), round(n * truth.tradeoff(alpha, symmetric=False))
        counts = wb.Counts(n - fn, fp, n - fp, fn)
        assert wb.posterior_mass(counts, wb.SubsampledGaussianPair(0.25, 0.29)) > 0.5


def test_many_thresholds_are_one_at_a_time():
    s = wb.LaplacePair(1).sample(300, seed=2)
    thresholds = np.linspace(-12, 12, 150).reshape(3, 50)
    curve = wb.posterior_over_thresholds(s, wb.LaplacePair(0.8), thresholds)
    assert curve.mass.shape == (3, 50)
    for i in np.ndindex(3, 50):
        tp, fp = (int(k) for k in s.tail_counts(thresholds[i]))
        counts = wb.Counts(tp, fp, s.n_q - fp, s.n_p - tp)
        assert curve.mass[i] == pytest.approx(wb.posterior_mass(counts, curve.tradeoff), abs=1e-12)


# -- members of a family --------------------------------------------------------------------------

COUNTS = wb.Counts(309, 100, 900, 300)


def test_the_smallest_member_that_holds():
    found = wb.posterior_parameter(COUNTS, wb.GaussianPair, (0.01, 5), 0.95)
    assert wb.posterior_mass(COUNTS, wb.GaussianPair(found)) == pytest.approx(0.95)
    assert found.member == wb.GaussianPair(float(found))
    assert found.monotone
    # The regions of σ = 1/μ shrink as it grows; either end may come first.
    for bounds in ((0.2, 100), (100, 0.2)):
        sigma = wb.posterior_parameter(COUNTS, lambda s: wb.GaussianPair(1 / s), bounds, 0.95)
        assert 1 / float(sigma) == pytest.approx(float(found), rel=1e-6)


def test_where_the_mass_is_not_monotone_it_is_the_first():
    """μ runs up and down: of the many members with this mass, the first from the small end."""
    wave = lambda t: wb.GaussianPair(0.9 + 0.5 * np.sin(7 * t) + 0.3 * t)  # noqa: E731
    found = wb.posterior_parameter(COUNTS, wave, (0, 2), 0.95)
    assert not found.monotone
    assert wb.posterior_mass(COUNTS, found.member) == pytest.approx(0.95)
    before = [wb.posterior_mass(COUNTS, wave(t)) for t in np.linspace(0, float(found) - 1e-6, 40)]
    assert max(before) < 0.95
    later = [wb.posterior_mass(COUNTS, wave(t)) for t in np.linspace(float(found), 2, 40)]
    assert min(later) < 0.95 < max(later)


@pytest.mark.parametrize(
    ("family", "bounds"),
    [
        (wb.GaussianPair, (0.01, 0.02)),
        (wb.GaussianPair, (3, 5)),
        (lambda t: wb.GaussianPair(0.1 + 2 * t**2), (-1.5, 1.5)),
    ],
)
def test_without_a_small_end_there_is_no_smallest(family, bounds):
    with pytest.raises(ValueError, match="widen the bounds"):
        wb.posterior_parameter(COUNTS, family, bounds)


def test_counts_must_be_counts():
    with pytest.raises(ValueError, match="fn must be a whole number of at least 0, got -3"):
        wb.Counts(1, 2, 3, -3)
    assert wb.Counts(np.int64(1), 2.0, 3, 0) == wb.Counts(1, 2, 3, 0)
    with pytest.raises(ValueError, match="probability must lie strictly between 0 and 1, got 1"):
        wb.posterior_parameter(COUNTS, wb.GaussianPair, (0.1, 5), 1)
