"""`unlearning`: equivalence that is shown, a difference that is shown, or neither."""

import math

import numpy as np
import pytest
from scipy.stats import kstwo

import workbench as wb
from workbench.populations.closer import CLOSER, radius, relative_distance
from workbench.populations.unlearned import ANSWERS


def normal(mu, n, seed):
    return np.random.default_rng(seed).normal(mu, 1, n)


def test_alike_models_are_equivalent_and_closer_to_the_retrained_one():
    found = wb.unlearning(
        normal(1, 2000, 0), normal(0, 2000, 1), normal(0, 2000, 2), epsilon=0.5, delta=0.02
    )
    assert found.verdict == "equivalent"
    assert found.forward.value <= 0.5
    assert found.backward.value <= 0.5
    assert found.at_least.value == 0
    assert found.closer.verdict == "closer to retrained"
    assert (found.forward.side, found.forward.direction) == ("upper", "P‖Q")
    assert found.backward.direction == "Q‖P"
    assert "another score may tell" in found.explain()


@pytest.mark.parametrize("sampling", ["one run", "independent runs"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_model_that_forgot_nothing_or_too_much_differs(sampling, sign):
    seen = normal(2 * sign, 1000, 0)
    found = wb.unlearning(
        seen, seen[::-1], normal(0, 1000, 1), epsilon=0.5, delta=0.01, sampling=sampling
    )
    assert found.verdict == "different"
    assert found.at_least.value > 0.5
    assert found.at_least.void is None
    # ε of N(2, 1) against N(0, 1) at δ = 0.01 is a limit of every lower bound.
    assert found.at_least.value <= wb.GaussianPair(2).epsilon(0.01)
    assert found.closer.verdict == "closer to original"


def test_few_scores_decide_nothing_and_say_how_many_would():
    few = [normal(0, 40, seed) for seed in range(3)]
    found = wb.unlearning(*few, epsilon=0.5, delta=0.01)
    assert found.verdict == "undecided"
    assert math.isinf(found.at_most.value)
    assert 500 < found.scores_needed < 10_000
    assert f"{found.scores_needed:,} scores" in found.explain()
    assert found.closer.verdict == "undecided"


def test_nothing_is_equivalent_at_delta_zero():
    found = wb.unlearning(
        None, normal(0, 5000, 1), normal(0, 5000, 2), epsilon=3, delta=0,
        sampling="independent runs",
    )  # fmt: skip
    assert (found.verdict, found.scores_needed, found.closer) == ("undecided", None, None)
    assert "At δ = 0 no number of scores" in found.explain()


def test_independent_runs_need_fewer_scores():
    samples = normal(0, 1000, 1), normal(0, 1000, 2)
    most = [
        wb.unlearning(None, *samples, epsilon=1, delta=0.05, sampling=how).at_most.value
        for how in ("independent runs", "one run")
    ]
    assert most[0] < most[1]


def test_the_limit_is_at_most_what_is_asked_exactly_if_it_is_shown():
    samples = normal(0, 1000, 1), normal(0.1, 1000, 2)
    limit = wb.unlearning(None, *samples, epsilon=1, delta=0.05).at_most.value
    for asked in (0.9 * limit, 0.999 * limit, limit, 1.1 * limit):
        found = wb.unlearning(None, *samples, epsilon=asked, delta=0.05)
        assert (found.at_most.value <= asked) == (found.verdict == "equivalent")


def test_scores_in_the_other_direction_give_the_same():
    samples = [normal(mu, 500, seed) for seed, mu in enumerate((1, 0.2, 0))]
    a = wb.unlearning(*samples, epsilon=0.5, delta=0.05)
    b = wb.unlearning(*(-x for x in samples), epsilon=0.5, delta=0.05)
    assert a.verdict == b.verdict
    assert a.at_least.value == pytest.approx(b.at_least.value)
    assert a.closer.to_original == pytest.approx(b.closer.to_original)
    assert a.at_most.value == pytest.approx(b.at_most.value, abs=2e-4)


# -- which of two is closer ------------------------------------------------------------------------


def test_radii_are_quantiles_of_kolmogorovs_statistic():
    """Each of three radii has a third of the error: neither a half of it nor twice as much."""
    for n in (20, 500):
        missed = kstwo.sf(radius(n, 0.05 / 3), n)
        assert missed == pytest.approx(0.05 / 3, rel=1e-4)
    a, b, c = (normal(0, n, n) for n in (100, 200, 300))
    margin = relative_distance(a, b, c, 0.95).margin
    assert margin == pytest.approx(
        kstwo.isf(0.05 / 3, 100) + 2 * kstwo.isf(0.05 / 3, 200) + kstwo.isf(0.05 / 3, 300)
    )
    assert margin < relative_distance(a, b, c, 0.975).margin


@pytest.mark.statistical
def test_a_model_in_the_middle_is_closer_to_neither():
    """The laws −1, 0 and 1 apart have equal distances: any answer is wrong."""
    rng = np.random.default_rng(0)
    answers = [
        relative_distance(*(rng.normal(mu, 1, 60) for mu in (1, 0, -1)), 0.95).verdict
        for _ in range(1000)
    ]
    assert answers.count("undecided") >= 950
    assert set(answers) <= set(CLOSER)


@pytest.mark.statistical
@pytest.mark.parametrize("sampling", ["one run", "independent runs"])
def test_lower_limits_exceed_the_truth_in_at_most_the_error(sampling):
    rng = np.random.default_rng(1)
    truth = wb.GaussianPair(0.5).epsilon(0.01)
    wrong = sum(
        wb.unlearning(
            None, rng.normal(0.5, 1, 100), rng.normal(0, 1, 100), epsilon=1, delta=0.01,
            sampling=sampling,
        ).at_least.value > truth
        for _ in range(60)
    )  # fmt: skip
    assert wrong <= 8


# -- what is refused -------------------------------------------------------------------------------


def test_an_answer_is_no_truth_value():
    found = wb.unlearning(None, [0.0, 1.0], [0.0, 1.0], epsilon=1, delta=0.1)
    assert found.verdict in ANSWERS
    with pytest.raises(TypeError, match=r"ask for result\.verdict"):
        bool(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unlearned": [1.0]}, "unlearned must be two or more scores"),
        ({"retrained": [1.0, math.nan, 2.0]}, "1 of the 3 scores of retrained are NaN"),
        ({"original": [[1.0, 2.0]]}, "original must be two or more scores in one row"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"confidence": 0.05}, "confidence"),
        ({"sampling": "clustered"}, "sampling must be one of"),
    ],
)
def test_wrong_input_is_refused(change, message):
    given = {
        "original": [0.0, 1.0], "unlearned": [0.0, 1.0], "retrained": [0.0, 1.0],
        "epsilon": 1.0, "delta": 0.1,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        wb.unlearning(**(given | change))
