"""The coverage lab: its truths are true, it clears what holds and catches what fails."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binomtest, norm

import workbench as wb
from workbench.coverage_lab.lab import compare_methods, coverage
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.scenarios import SCENARIOS, scenario_of
from workbench.progress import Cancelled

REPLICATES = 60

#: Small runs are quicker in this process than in others.
SERIAL = {"delta": 1e-5, "executor": ThreadPoolExecutor(1)}


def normal(x, at=0.0, scale=1.0):
    return np.exp(-(((x - at) / scale) ** 2) / 2) / (scale * np.sqrt(2 * np.pi))


def cauchy(x, at=0.0):
    return 1 / (np.pi * (1 + (x - at) ** 2))


DENSITIES = {
    "unequal-variances": (lambda x: normal(x, scale=1.5), normal),
    "bimodal": (lambda x: (normal(x, -2) + normal(x, 2)) / 2, normal),
    "heavy-tails": (lambda x: cauchy(x, 1), cauchy),
}


@pytest.mark.parametrize("name", DENSITIES)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.9])
def test_the_truth_of_a_scenario_is_the_integral_of_its_densities(name, epsilon):
    p, q = DENSITIES[name]
    a = np.exp(epsilon)

    def excess(f, g):
        cuts = [-np.inf, -6, -1, 0.5, 3, 8, np.inf]
        return sum(quad(lambda x: max(f(x) - a * g(x), 0), *ends)[0] for ends in pairwise(cuts))

    truth = SCENARIOS[name].truth.profile(epsilon)
    assert truth == pytest.approx(max(excess(p, q), excess(q, p)), abs=2e-6)


def test_the_example_of_the_method_sheet():
    truth = SCENARIOS["unequal-variances"].truth
    assert truth.epsilon(0.05) == pytest.approx(1.301, abs=5e-4)


def test_the_truth_with_ties_is_that_of_the_table_of_outcomes():
    scenario = SCENARIOS["ties"]
    s = scenario.draw(200_000, 200_000, np.random.default_rng(0))
    values = np.union1d(s.p, s.q)
    tv = 0.5 * sum(abs((s.p == v).mean() - (s.q == v).mean()) for v in values)
    assert scenario.truth.total_variation == pytest.approx(tv, abs=0.005)


def test_clustered_rows_are_what_they_say():
    rng = np.random.default_rng(1)
    rows = SCENARIOS["clustered-rows"].draw(20_000, 20_000, rng)
    assert rows.p.std() == pytest.approx(1, abs=0.05)
    runs = rows.p.reshape(-1, 20)
    assert runs.mean(axis=1).var() == pytest.approx(0.8 + 0.2 / 20, abs=0.1)
    assert SCENARIOS["clustered-reduced"].draw(200, 100, rng).n_p == 10


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.statistical
def test_every_method_holds_where_it_claims_to(scenario):
    """60 seeded replicates each, a glance: `make coverage` takes 2000. Refuted at 1%."""
    held = [name for name, m in METHODS.items() if m.holds(SCENARIOS[scenario])]
    for result in compare_methods(held, scenario, n=(300, 200), reps=REPLICATES, **SERIAL):
        false = int(result.exceeded.sum())
        p = binomtest(false, REPLICATES, 0.05, alternative="greater").pvalue
        assert p == pytest.approx(result.p_value)
        assert p > 0.01 / max(len(held), 1), result


@pytest.mark.parametrize(
    ("method", "scenario", "reps"),
    [
        ("tuned-threshold", "laplace", 1500),
        ("tuned-katz-log", "no-leak", 100),
        ("gdp-of-histogram", "no-leak", 100),
        ("simultaneous", "clustered-rows", 200),
    ],
)
@pytest.mark.statistical
def test_the_lab_catches_what_fails(method, scenario, reps):
    result = coverage(method, scenario, n=1000, reps=reps, **SERIAL)
    assert not result.claims
    assert result.fails
    assert result.verdict == "fails"


@pytest.mark.statistical
def test_the_lab_catches_a_limit_for_one_size_that_is_watched():
    result = coverage("watched", "laplace", n=200, reps=100, **SERIAL)
    assert result.rate > 0.1
    assert result.fails


def tuned_mean(scores, delta, confidence):
    """A method of one's own: a bound on TV that is the plug-in estimate, and calls itself sure."""
    value = max(float(scores.p.mean() - scores.q.mean()), 0.0)
    return wb.Bound(
        quantity="total variation",
        value=value,
        guarantee="pointwise",
        method="histogram",
        assumption="independent runs",
        n_p=scores.n_p,
        n_q=scores.n_q,
        confidence=confidence,
    )


def test_a_method_and_a_pair_of_ones_own():
    result = coverage(tuned_mean, wb.GaussianPair(0), n=100, reps=200, **SERIAL)
    assert result.method == "tuned_mean"
    assert result.claims
    assert result.rate == pytest.approx(0.5, abs=0.1)
    assert result.fails


def test_a_method_that_returns_no_bound_is_told_so():
    with pytest.raises(ValueError, match=r"must return a Bound, .* returned float"):
        coverage(lambda s, delta, confidence: 1.0, "no-leak", n=50, reps=2, **SERIAL)


def test_replicates_do_not_depend_on_who_computes_them():
    """Two processes or one thread, with other methods beside it or none: the same values."""
    alone = coverage("simultaneous", "gaussian-2", n=(80, 70), reps=120, seed=3, **SERIAL)
    both = ["clopper-pearson", "simultaneous"]
    asked = {"n": (80, 70), "reps": 120, "delta": 1e-5, "seed": 3}
    _, beside = wb.compare_methods(both, "gaussian-2", **asked)
    np.testing.assert_array_equal(alone.values, beside.values)
    assert (alone.values > 0).all()


def test_progress_partial_results_and_cancel():
    told = []

    def report(fraction=None, message=None, partial=None):
        if partial is not None:
            told.append((fraction, message, partial))
        if len(told) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare_methods(["simultaneous"], "no-leak", n=50, reps=200, report=report, **SERIAL)
    fraction, message, (partial,) = told[-1]
    assert fraction == 0.5
    assert message == "100 of 200 replicates"
    assert partial.reps == 100


def test_how_a_result_reads():
    result = coverage("simultaneous", "no-leak", n=50, reps=100, **SERIAL)
    assert "false claims of 5.00% allowed, 100 replicates: holds" in repr(result)
    assert "simultaneous" in result._repr_html_()
    row = result.to_frame().iloc[0]
    assert (row["reps"], row["verdict"], row["truth"]) == (100, "holds", 0)
    low, high = result.interval
    assert 0 <= low <= result.rate < high
    assert np.isnan(result.share_of_truth)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "magic"}, "method must be one of 'simultaneous'"),
        ({"pair": "nowhere"}, "pair must be a Pair or one of no-leak"),
        ({"n": 1}, "n_p must be a whole number of at least 2"),
        ({"reps": 0}, "reps must be"),
        ({"confidence": 0.05}, "confidence must be above"),
    ],
)
def test_bad_input(arguments, said):
    given = {"method": "simultaneous", "pair": "no-leak", "n": 50, "reps": 10} | arguments
    with pytest.raises(ValueError, match=said):
        coverage(**given, **SERIAL)


def test_delta_has_no_default_and_everything_after_the_pair_is_named():
    with pytest.raises(TypeError, match="delta"):
        coverage("simultaneous", "no-leak")
    with pytest.raises(TypeError, match="positional"):
        coverage("simultaneous", "no-leak", 1000, delta=1e-5)


def test_a_scenario_knows_the_truth_of_every_bound():
    scenario = scenario_of("gaussian-2")
    band = wb.tradeoff_band(scenario.draw(100, 100, np.random.default_rng(0)))
    assert scenario.true_value(band.tpr(0.1)) == pytest.approx(1 - norm.cdf(norm.isf(0.1) - 2))
    assert scenario.true_value(band.delta(1.0)) == pytest.approx(wb.GaussianPair(2).profile(1.0))
    assert scenario.true_value(band.mu()) == pytest.approx(2)
