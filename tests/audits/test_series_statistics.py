"""Series of 50 audits that keep their claims refute any in at most 5% of cases, and find leaks."""

import numpy as np
import pytest

import workbench as wb
from benchmarks.series import (
    AUDITS,
    CONFIDENCE,
    NULL,
    Setting,
    gaussian,
    interval,
    refutations,
    series_constant,
)
from workbench.audits.series.spending import confidence_at
from workbench.bounds.power.power import critical_counts
from workbench.bounds.simultaneous.rank_band import rank_grid

#: Series per setting, scores per group in an audit.
REPLICATES, SIZE = 1000, 200


@pytest.mark.statistical
@pytest.mark.parametrize("setting", NULL, ids=lambda one: one.name)
def test_any_false_refutation_in_at_most_five_percent_of_series(setting):
    """Fails by chance in at most 1 of 200 runs if the true rate were 5%; it is near 2%."""
    found = refutations(setting, size=SIZE, replicates=REPLICATES)
    assert found.shape == (REPLICATES, AUDITS)
    rate = found.any(axis=1).mean()
    assert interval(found.any(axis=1).sum(), REPLICATES)[0] <= 1 - CONFIDENCE
    assert rate <= 1 - CONFIDENCE
    # The same simulation catches a series that spends 5% on every audit.
    constant = refutations(setting, series_constant, size=SIZE, replicates=REPLICATES)
    assert interval(constant.any(axis=1).sum(), REPLICATES)[0] > 1 - CONFIDENCE


@pytest.mark.statistical
def test_a_leak_is_found_by_the_first_audit_and_by_the_fiftieth():
    leak = Setting("leak", wb.GDP(1), gaussian(2))
    found = refutations(leak, size=SIZE, replicates=100)
    assert found[:, 0].mean() > 0.95
    assert found[:, 49].mean() > 0.95


def test_the_critical_counts_are_those_of_verdicts():
    """The simulation is fast because a verdict depends on counts alone."""
    rng, ranks = np.random.default_rng(4), rank_grid(SIZE)
    told = set()
    for k in (1, 3, 20, 50):
        confidence = confidence_at(k)
        critical = critical_counts(wb.GDP(1).min_tradeoff, SIZE, SIZE, confidence)
        for mu in (1.0, 1.4, 1.6, 2.0):
            p, q = rng.normal(mu, 1, SIZE), rng.normal(0, 1, SIZE)
            thresholds = np.sort(q)[::-1][ranks - 1]
            counts = np.array([(p > threshold).sum() for threshold in thresholds])
            refuted = wb.judge(wb.Scores(p, q), "gdp(1)", confidence).refuted
            assert refuted == bool((counts >= critical).any())
            told.add(refuted)
    assert told == {True, False}
