"""`record.audit_untrusted`: primitives without a fault keep their results, the rest is tested."""

import math

import numpy as np
import pytest

import workbench as wb
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.testing import record
from workbench.testing.record.running import called, run_once
from workbench.testing.record.statistics import _left, _outputs, _Rest

DATASET, NEIGHBOR = np.array([0.0, 1.0]), np.array([1.0, 1.0])


def flips(chance):
    """A sum that states its cost, and bits that are flipped with a probability."""

    def release(data, rng):
        total = record.laplace(data.sum(), sensitivity=1, epsilon=0.5, rng=rng)
        flip = rng.random(len(data)) < chance
        return np.array([total, *(data.astype(bool) ^ flip)])

    return release


def trace_of(mechanism, dataset=DATASET):
    return run_once(called(mechanism_from(mechanism)), dataset, 0).trace


def test_a_trusted_primitive_keeps_its_result_on_both_data_sets():
    mechanism = mechanism_from(flips(0.25))
    trace = trace_of(mechanism)
    rest = _Rest(mechanism, _outputs(trace.values))
    for dataset in (DATASET, NEIGHBOR):
        rows = np.array(rest(dataset, 200, np.random.default_rng(1)))
        assert set(rows[:, 0]) == {trace.output[0]}
        assert 0 < np.mean(rows[:, 1] != dataset[0]) < 0.5  # the flips are drawn anew


def test_more_calls_than_were_recorded_draw_noise_again():
    def several(data, rng):
        return [record.laplace(x, sensitivity=1, epsilon=1, rng=rng) for x in data]

    mechanism = mechanism_from(several)
    trace = trace_of(mechanism)
    rest = _Rest(mechanism, _outputs(trace.values))
    found = rest(np.zeros(3), 2, np.random.default_rng(1))
    assert [row[:2] for row in found] == [trace.output] * 2
    assert found[0][2] != found[1][2]


@pytest.mark.parametrize(
    ("claim", "left"),
    [
        ("pure(2)", "pure(1.5)"),
        ("approx(2, 1e-5)", "approx(1.5, 1e-05)"),
        ("pure(0.2)", "pure(0)"),
        ("gdp(1)", "gdp(1)"),
    ],
)
def test_the_claim_less_what_was_spent(claim, left):
    found = _left(wb.parse_claim(claim), trace_of(flips(0.1)).values)
    assert found == wb.parse_claim(left)


def test_what_is_left_of_a_gaussian_claim():
    def release(data, rng):
        return record.gaussian(data.sum(), sensitivity=1, sigma=2, rng=rng)

    left = _left(wb.GDP(1), trace_of(release).values)
    assert left.mu == pytest.approx(math.sqrt(1 - 0.25))


@pytest.mark.statistical
def test_the_rest_is_found_or_not():
    # Bits flipped with probability 1/(1 + e^0.5) cost 0.5; with 0.05 they cost log 19 = 2.9.
    right, wrong = flips(1 / (1 + math.exp(0.5))), flips(0.05)
    found = record.audit_untrusted(wrong, DATASET, NEIGHBOR, "pure(1)", samples=3000)
    assert found.audit.verdict == "violation found"
    assert found.claim == wb.PureDP(0.5)
    assert len(found.kept) == 1
    assert "were kept as in one recorded run" in str(found)
    assert found.to_dict()["kept"] == [found.kept[0].short]
    assert not found.to_frame().empty
    assert found._repr_html_()
    accused = sum(
        record.audit_untrusted(
            right, DATASET, NEIGHBOR, "pure(1)", samples=400, seed=seed
        ).audit.verdict
        == "violation found"
        for seed in range(10)
    )
    assert accused <= 3  # each with probability at most 5%: P(more) = 0.1%


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("randomized-response", "none found"),
        ("randomized-response-coin", "violation found"),
        ("median", "none found"),
        ("median-doubled", "violation found"),
    ],
)
def test_without_trusted_primitives_it_is_an_audit_of_the_mechanism(name, verdict):
    found = record.audit_untrusted(wb.mechanism(name), samples=20_000)
    assert found.kept == ()
    assert found.audit.verdict == verdict
    assert str(found) == found.audit.in_words()


def test_a_primitive_with_a_finding_is_not_trusted():
    def release(data, rng):
        return record.laplace(9 * data.sum(), sensitivity=1, epsilon=1, rng=rng)

    found = record.audit_untrusted(release, DATASET, NEIGHBOR, "pure(1)", samples=1000)
    assert found.kept == ()
    assert found.audit.verdict == "violation found"


def test_what_is_refused():
    def trusted(data, rng):
        return record.laplace(data.sum(), sensitivity=1, epsilon=1, rng=rng)

    with pytest.raises(ValueError, match="nothing is left to test"):
        record.audit_untrusted(trusted, DATASET, NEIGHBOR, "pure(1)")
    with pytest.raises(ValueError, match="what does the mechanism claim"):
        record.audit_untrusted(flips(0.1), DATASET, NEIGHBOR)
