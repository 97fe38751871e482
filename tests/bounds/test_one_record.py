"""From a bound on a group to one on a record: exact constants, level, and what is refused."""

import math
import pickle

import numpy as np
import pytest

import workbench as wb
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments


def of_epsilon(value, delta, **more):
    given = {"guarantee": "proven", "method": "clopper-pearson", "assumption": "no samples"}
    at = QuantityArguments(delta=delta)
    return Bound(quantity="epsilon", value=value, n_p=0, n_q=0, at=at, **given | more)


def summed(epsilon, k):
    return sum(math.exp(i * epsilon) for i in range(k))


@pytest.mark.parametrize("k", [1, 2, 5, 100])
def test_at_delta_0_epsilon_is_that_of_the_group_over_its_size(k):
    found = wb.of_one_record(of_epsilon(3.0, 0.0), k)
    assert (found.value, found.delta) == (3.0 / k, 0.0)
    assert wb.of_one_record(of_epsilon(3.0, 0.0), k, delta=0.0).value == 3.0 / k
    assert wb.of_one_record(of_epsilon(3.0, 0.0), k, delta=1e-9).value == 0
    assert wb.of_one_record(of_epsilon(math.inf, 0.0), k).value == math.inf


@pytest.mark.parametrize("k", [1, 2, 5, 30])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5])
def test_group_privacy_and_back_is_what_it_was(epsilon, delta, k):
    """The group of an (ε, δ) record has (kε, δ S(ε)); the constant is exact in both directions."""
    of_group = delta * summed(epsilon, k)
    if of_group >= 1:
        with pytest.raises(ValueError, match="delta must lie"):
            of_epsilon(k * epsilon, of_group)
        return
    group = of_epsilon(k * epsilon, of_group)
    found = wb.of_one_record(group, k)
    assert found.value == pytest.approx(epsilon, rel=1e-12)
    assert found.delta == pytest.approx(delta, rel=1e-9)
    at_delta = wb.of_one_record(group, k, delta=delta * (1 - 1e-9))
    assert at_delta.value == pytest.approx(epsilon, rel=1e-6, abs=1e-8)
    # A smaller δ does not raise ε above that of the group over k; a larger one lowers it.
    assert wb.of_one_record(group, k, delta=delta / 2).value == pytest.approx(epsilon, rel=1e-12)
    if k > 1 and epsilon > 1e-3:
        at_twice = wb.of_one_record(group, k, delta=delta * 2).value
        assert at_twice < epsilon * (1 - 1e-3)
        if at_twice > 0:
            assert 2 * summed(at_twice, k) == pytest.approx(summed(epsilon, k), rel=1e-9)


def test_no_mechanism_is_accused_that_is_private():
    """If a record is (ε, δ)-DP, nothing that its group may show implies more, at any δ."""
    for epsilon, delta, k in ((0.5, 1e-5, 3), (1.0, 1e-3, 2), (0.2, 0.0, 7)):
        group = wb.group_pair(wb.RandomizedResponsePair(epsilon, delta), k)
        values = np.linspace(0, 1.1 * k * epsilon, 41)
        for value, of_group in zip(values.tolist(), group.profile(values).tolist(), strict=True):
            if of_group < 1e-12:  # round-off of 0: it is private at this ε, and shows nothing
                assert value >= k * epsilon * (1 - 1e-9)
                continue
            # It is not (ε, δ)-DP for any ε below the value, nor for any smaller δ.
            shown = of_epsilon(value, of_group * (1 - 1e-6))
            found = wb.of_one_record(shown, k, delta=delta)
            assert found.value <= epsilon * (1 + 1e-6) + 1e-9
    for mu, k in ((0.3, 4), (1.0, 2)):
        for of_group in (1e-6, 1e-3, 0.1):
            shown = of_epsilon(wb.GaussianPair(k * mu).epsilon(of_group), of_group)
            for delta in (1e-9, 1e-6, 1e-4):
                found = wb.of_one_record(shown, k, delta=delta)
                assert found.value <= wb.GaussianPair(mu).epsilon(delta) + 1e-9


def test_other_quantities():
    counts = {"tp": 990, "fp": 5, "tn": 995, "fn": 10}
    mu = wb.mu_from_counts(**counts)
    assert wb.of_one_record(mu, 4).value == mu.value / 4
    variation = wb.total_variation_from_counts(**counts)
    assert wb.of_one_record(variation, 4).value == variation.value / 4
    delta = wb.delta_from_counts(**counts, epsilon=2.0)
    found = wb.of_one_record(delta, 4)
    assert (found.epsilon, found.value) == (0.5, pytest.approx(delta.value / summed(0.5, 4)))
    at_0 = wb.of_one_record(wb.delta_from_counts(**counts, epsilon=0.0), 4)
    assert at_0.value == pytest.approx(variation.value / 4, rel=1e-3)


@pytest.mark.statistical
def test_the_level_is_that_of_the_bound_on_the_group():
    """Randomized response of the whole group, ε = 3 at δ = 0: 5 records of ε = 0.6 each."""
    runs, rng = 600, np.random.default_rng(11)
    rate = math.exp(3.0) / (1 + math.exp(3.0))
    above = 0
    counts = rng.binomial(400, [rate, 1 - rate], (runs, 2))
    for tp, fp in counts.tolist():
        found = wb.epsilon_from_counts(tp=tp, fp=fp, tn=400 - fp, fn=400 - tp, delta=0.0)
        above += wb.of_one_record(found, 5).value > 0.6
    assert above <= 30 + 3 * math.sqrt(30)


def test_guarantee_confidence_and_assumption_stay_and_the_note_says_where_it_is_from():
    group = wb.epsilon_from_counts(tp=990, fp=5, tn=995, fn=10, delta=1e-5, sided="two")
    found = wb.of_one_record(group, 4)
    for name in ("guarantee", "confidence", "assumption", "method", "threshold", "n_p", "n_q"):
        assert getattr(found, name) == getattr(group, name)
    assert (found.side, found.high) == ("lower", None)
    assert found.value == group.value / 4
    assert f"in {group.rounded} of 4 records, in or out together" in found.note
    later = found.at_confidence(0.99)
    assert later.confidence == 0.99
    assert later.delta == found.delta
    assert later.value <= group.at_confidence(0.99).value / 4
    assert pickle.loads(pickle.dumps(found)) == found
    assert Bound.from_dict(found.to_dict()) == found
    void = wb.of_one_record(group.voided("the seed was chosen"), 4)
    assert void.void == "the seed was chosen"


def test_a_delta_that_is_too_large_says_so():
    group = wb.epsilon_from_counts(tp=990, fp=5, tn=995, fn=10, delta=1e-5)
    found = wb.of_one_record(group, 4, delta=1e-5)
    assert found.value == 0
    assert "δ = 1e-5 is too large for it to say more" in found.note
    assert wb.of_one_record(group, 4, delta=1e-5 / 4 * 0.999).value > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wb.of_one_record(3.0, 4), "bound"),
        (lambda: wb.of_one_record(of_epsilon(3.0, 0.0), 0), "group"),
        (lambda: wb.of_one_record(of_epsilon(3.0, 0.0), 1.5), "group"),
        (lambda: wb.of_one_record(of_epsilon(3.0, 0.0), 2, delta=1.0), "delta"),
        (lambda: wb.of_one_record(of_epsilon(3.0, 0.0, side="upper"), 2), "must be a lower one"),
        (
            lambda: wb.of_one_record(wb.mu_from_counts(tp=9, fp=1, tn=9, fn=1), 2, delta=1e-5),
            "delta is of a bound on epsilon",
        ),
        (
            lambda: wb.of_one_record(wb.renyi_from_counts(tp=9, fp=1, tn=9, fn=1, order=2), 2),
            "says nothing of a single record",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
