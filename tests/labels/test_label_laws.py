"""The test of the law of labels: its level is exact, and wrong laws are refused."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import binomtest

import workbench as wb
from workbench.labels.law import LabelsError
from workbench.labels.law_test import DRAWS, LAW_LEVEL, STATISTICS
from workbench.labels.residuals import p_values_of_all

N = 1000


def records(seed, k=3, n=N, features=5):
    """Features, the true law and labels of it."""
    rng = np.random.default_rng([7, seed, k])
    x = rng.normal(size=(n, features))
    law = softmax(x @ rng.normal(size=(features, k)) + 0.5 * rng.normal(size=k), axis=1)
    return x, law, drawn(law, rng)


def drawn(law, rng):
    return (rng.random((len(law), 1)) > law.cumsum(axis=1)).sum(axis=1).clip(0, law.shape[1] - 1)


# -- the level ------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_the_level_of_a_rank_is_exact(level):
    """Of all draws at most the level has a p-value of at most it; of half the level, fewer.

    The labels are one of the draws, all of which are equally likely to be it.
    """
    rng = np.random.default_rng(1)
    normal = rng.normal(size=2000)
    pools = {
        "continuous": {"a": normal, "b": rng.gamma(2, size=2000)},
        "the same twice": {"a": normal, "b": np.abs(normal)},
        "few values": {"a": rng.poisson(1.0, 2000).astype(float)},
        "impossible": {"a": np.where(rng.random(2000) < 0.01, -np.inf, 0.0), "b": normal},
    }
    for pool in pools.values():
        together, each = p_values_of_all(pool)
        assert np.mean(together <= level) <= level
        assert all(np.mean(p <= level) <= level for p in each.values())
    together, _ = p_values_of_all(pools["continuous"])
    assert np.mean(together <= level) > 0.75 * level


@pytest.mark.statistical
def test_a_right_law_is_refused_at_most_once_in_a_hundred():
    """200 laws of all kinds; refused where at most 1% is refuted at 0.1%."""
    refused = 0
    for seed in range(200):
        rng = np.random.default_rng([3, seed])
        k, n = int(rng.integers(2, 12)), int(rng.integers(20, 300))
        law = rng.dirichlet(np.full(k, rng.choice([0.1, 1, 10])), n)
        if seed % 5 == 0:
            law = np.broadcast_to(law[:1], law.shape)
        x = rng.normal(size=(n, 2)) if seed % 2 else None
        refused += not wb.label_law_test(drawn(law, rng), law, features=x, seed=seed).passed
    assert binomtest(refused, 200, LAW_LEVEL, alternative="greater").pvalue > 1e-3


def test_the_smallest_p_value_can_refuse():
    assert len(STATISTICS) * 2 / (DRAWS + 1) < LAW_LEVEL


# -- wrong laws -----------------------------------------------------------------------------------

WRONG = {
    "uniform": lambda law, rng: np.full_like(law, 1 / law.shape[1]),
    "rows in another order": lambda law, rng: rng.permutation(law),
    "columns in another order": lambda law, rng: np.roll(law, 1, axis=1),
    "too sure": lambda law, rng: softmax(np.log(law) / 0.7, axis=1),
    "not sure enough": lambda law, rng: softmax(np.log(law) / 2, axis=1),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_law_is_refused(name):
    """At least 95% of 20, with features; the documentation has 200."""
    caught = 0
    for seed in range(20):
        x, law, labels = records(seed)
        wrong = WRONG[name](law, np.random.default_rng(seed))
        caught += not wb.label_law_test(labels, wrong, features=x, seed=seed).passed
    assert caught >= 19


def test_what_depends_on_the_records_alone_needs_features():
    """The shares of labels are right for all records together, and wrong for each."""
    x, law, labels = records(1)
    average = law.mean(axis=0)
    assert wb.label_law_test(labels, average, seed=1).passed
    test = wb.label_law_test(labels, average, features=x, seed=1)
    assert not test.passed
    assert test.finding == "features"
    assert "residuals over the features" in test.explain()


@pytest.mark.statistical
def test_a_proxy_that_remembers_these_labels_is_refused_without_features():
    """A forest is rarely sure of a label, and always right about those that it has seen."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    for seed in range(4):
        x, _, labels = records(seed)
        fitted = ensemble.RandomForestClassifier(25, random_state=seed).fit(x, labels)
        proxy = 0.999 * fitted.predict_proba(x) + 0.001 / 3
        test = wb.label_law_test(labels, proxy, seed=seed)
        assert not test.passed
        assert "fitted to these labels" in test.explain()


@pytest.mark.statistical
def test_a_regression_on_these_labels_is_refused_by_features():
    """Its residuals sum to nearly 0 over its features, which those of a true law do not."""
    linear = pytest.importorskip("sklearn.linear_model")
    caught = 0
    for seed in range(20):
        x, _, labels = records(seed)
        fitted = linear.LogisticRegression(max_iter=500).fit(x, labels)
        test = wb.label_law_test(labels, fitted.predict_proba(x), features=x, seed=seed)
        caught += not test.passed
    assert caught >= 19


def test_an_impossible_label_refutes_a_law():
    test = wb.label_law_test([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]], seed=1)
    assert test.p_value == 0
    assert test.impossible == 1
    assert "probability 0" in test.explain()


def test_a_law_that_leaves_nothing_open_has_no_statistic():
    test = wb.label_law_test([0, 1, 0], np.eye(2)[[0, 1, 0]], seed=1)
    assert test.passed
    assert test.statistics == ()
    assert test.finding == ""
    assert len(test.to_frame()) == 0


def test_its_table_has_a_row_for_each_statistic():
    x, law, labels = records(2)
    test = wb.label_law_test(labels, law, features=x, seed=1)
    assert list(test.to_frame()["statistic"]) == list(STATISTICS)
    assert test.to_frame()["p_value"].between(0, 1).all()
    assert "Nothing contradicts" in test.explain()
    assert "features" in test._repr_html_()
    assert wb.label_law_test(labels, law, features=x, seed=1).p_value == test.p_value


@pytest.mark.parametrize(
    ("features", "said"),
    [(np.zeros((3, 2)), "a row for each"), (np.full(N, np.nan), "finite"), (np.zeros((N, 0)), "1 to")],
)
def test_bad_features_are_refused(features, said):
    _, law, labels = records(1)
    with pytest.raises(LabelsError, match=said):
        wb.label_law_test(labels, law, features=features)
