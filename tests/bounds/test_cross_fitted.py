"""Cross-fitted divergences: against all halves, and their mean against the truth, exactly."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import multinomial

import workbench as wb
from workbench.estimators import cross_fitting
from workbench.estimators.cross_fitting import cross_fitted_hockey_stick


def of_all_halves(p, q, epsilon):
    """The definition: every half of P and of Q, the bins found on it, measured on the rest."""
    p, q = np.asarray(p), np.asarray(q)
    weight, n_p, n_q = math.exp(epsilon), int(p.sum()), int(q.sum())

    def parts(counts, size):
        rows = np.repeat(np.arange(counts.size), counts)
        for chosen in itertools.combinations(range(rows.size), size):
            yield np.bincount(rows[list(chosen)], minlength=counts.size)

    ways = []
    for m_p, m_q in sorted({(n_p // 2, n_q // 2), (n_p - n_p // 2, n_q - n_q // 2)}):
        found = []
        for a, b in itertools.product(parts(p, m_p), parts(q, m_q)):
            learned = a / m_p - weight * b / m_q
            included = np.where(np.abs(learned) < 1e-12, 0.5, learned > 0)
            measured = (p - a) / (n_p - m_p) - weight * (q - b) / (n_q - m_q)
            found.append(included @ measured)
        ways.append(np.mean(found))
    return float(np.mean(ways))


@pytest.mark.parametrize("epsilon", [0.0, math.log(2), 0.5, -0.3])
@pytest.mark.parametrize(
    ("p", "q"),
    [([3, 1, 2], [1, 2, 2]), ([2, 2, 3, 0], [1, 0, 1, 3]), ([0, 4], [3, 0]), ([1, 1], [2, 0])],
)
def test_it_is_the_mean_over_all_halves(p, q, epsilon):
    found = cross_fitted_hockey_stick(p, q, epsilon)
    assert found == pytest.approx(of_all_halves(p, q, epsilon), abs=1e-12)


def tables(n, law):
    """All tables of counts of n scores, and their probabilities."""
    bins = len(law)
    for cut in itertools.combinations(range(n + bins - 1), bins - 1):
        counts = np.diff(np.concatenate([[-1], cut, [n + bins - 1]])) - 1
        yield counts, float(multinomial.pmf(counts, n, law))


@pytest.mark.parametrize("epsilon", [0.0, 0.4])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((0.5, 0.3, 0.2), (0.5, 0.3, 0.2)),  # nothing leaks
        ((0.5, 0.3, 0.2), (0.4, 0.3, 0.3)),
        ((0.8, 0.1, 0.1), (0.1, 0.1, 0.8)),
        ((0.0, 0.5, 0.5), (0.5, 0.5, 0.0)),
    ],
)
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3)])
def test_its_mean_never_exceeds_the_divergence_exactly(p, q, epsilon, sizes):
    """Summed over all data sets. The mean of the plain estimate is at least the divergence."""
    weight = math.exp(epsilon)
    truth = sum(max(a - weight * b, 0.0) for a, b in zip(p, q, strict=True))
    crossed = plain = total = 0.0
    for (of_p, chance_p), (of_q, chance_q) in itertools.product(
        tables(sizes[0], p), tables(sizes[1], q)
    ):
        chance = chance_p * chance_q
        if chance == 0:
            continue
        total += chance
        crossed += chance * cross_fitted_hockey_stick(of_p, of_q, epsilon)
        gap = of_p / sizes[0] - weight * of_q / sizes[1]
        plain += chance * float(np.maximum(gap, 0.0).sum())
    assert total == pytest.approx(1)
    assert crossed <= truth + 1e-12
    assert plain >= truth - 1e-12
    if p == q and epsilon == 0:
        assert crossed == pytest.approx(0, abs=1e-12)
        assert plain > 0.1


def test_many_scores_are_nearly_normal(monkeypatch):
    rng = np.random.default_rng(0)
    p, q = (rng.multinomial(24_000, np.ones(12) / 12) for _ in range(2))
    for epsilon, error in ((0.0, 2e-6), (0.01, 1e-4), (0.3, 1e-8)):
        monkeypatch.setattr(cross_fitting, "_EXACT", 10**9)
        exact = cross_fitted_hockey_stick(p, q, epsilon)
        monkeypatch.setattr(cross_fitting, "_EXACT", 0)
        assert cross_fitted_hockey_stick(p, q, epsilon) == pytest.approx(exact, abs=error)


def test_both_directions_and_both_sides_of_total_variation():
    h = wb.histogram(wb.LaplacePair(1).sample(500, seed=1), bins=15)
    assert h.cross_fitted() == pytest.approx(h.cross_fitted(direction="Q‖P"), abs=1e-12)
    assert h.cross_fitted(1.0) < h.cross_fitted(0.5) < h.cross_fitted() < h.total_variation
    assert h.cross_fitted(0.7) < h.hockey_stick(0.7)
    with pytest.raises(ValueError, match="direction"):
        h.cross_fitted(direction="both")
    with pytest.raises(ValueError, match="epsilon"):
        h.cross_fitted(math.inf)


def test_separate_groups_have_a_total_variation_of_1():
    h = wb.histogram(wb.Scores([3, 4, 5, 6], [0, 1, 2, 2.5], larger_is_member=True), bins=2)
    assert h.cross_fitted() == h.total_variation == 1


def test_a_curve_has_the_estimates_of_its_histograms():
    s = wb.SubsampledGaussianPair(0.25, 0.3).sample(1000, seed=2)
    widths = [0.05, 0.3, 1.0]
    found = wb.bin_width_curve(s, widths=widths, range=(-1, 2))
    by_hand = [wb.histogram(s, width=w, range=(-1, 2)) for w in widths]
    assert found.widths.tolist() == widths
    assert found.bins.tolist() == [h.bins for h in by_hand]
    assert found.plain == pytest.approx([h.total_variation for h in by_hand], abs=1e-12)
    assert found.cross_fitted.tolist() == [h.cross_fitted() for h in by_hand]
    assert found.best == int(np.argmax(found.cross_fitted))
    swapped = wb.bin_width_curve(s, 0.5, "Q‖P", widths=widths)
    assert (swapped.cross_fitted < found.cross_fitted).all()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"widths": [0.1, -1]}, "width"),
        ({"widths": [1e-9]}, "too many"),
        ({"widths": []}, "widths"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"range": (1, 0)}, "low to high"),
    ],
)
def test_a_curve_says_what_is_wrong(options, says):
    with pytest.raises(ValueError, match=says):
        wb.bin_width_curve(wb.GaussianPair(1).sample(100, seed=0), **options)


def test_constant_scores_have_a_curve():
    found = wb.bin_width_curve(wb.Scores(np.ones(5), np.ones(5)))
    assert (found.plain == 0).all()
    assert (found.cross_fitted == 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize("pair", [wb.GaussianPair(0), wb.GaussianPair(0.5)])
def test_its_mean_is_at_most_the_truth_by_simulation(pair):
    """2000 draws of 300 a side, six widths; `benchmarks/estimates.py` has 20,000."""
    widths = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
    found = np.array(
        [
            [
                cross_fitted_hockey_stick(
                    *(np.bincount(np.floor((x + 5) / w).astype(int), minlength=300) for x in s)
                )
                for w in widths
            ]
            for s in (pair.sample(300, seed=seed) for seed in range(2000))
        ]
    )
    error = found.std(axis=0) / math.sqrt(len(found))
    assert (found.mean(axis=0) <= pair.total_variation + 3 * error).all()
