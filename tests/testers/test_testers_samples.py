"""`wb.test_samples`: a claim tested on two samples at hand."""

import numpy as np
import pytest

import workbench as wb
from workbench.testers.property_testers import registry
from workbench.testers.property_testers.base import Tester


def normals(n=2000):
    rng = np.random.default_rng(0)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


def test_a_bound_on_the_divergence_that_is_claimed():
    p, q = normals()
    bound = wb.test_samples(p, q, "approx(0.1, 1e-5)")
    assert (bound.quantity, bound.epsilon, bound.guarantee) == ("delta", 0.1, "held-out")
    assert 0.25 < bound.value < 0.3523
    assert (bound.n_p, bound.n_q) == (1600, 1600)
    assert bound == wb.find_violation(p, q, wb.ApproxDP(0.1, 1e-5)).bound
    assert bound == wb.test_samples(p, q, "approx(0.1, 1e-5)", seed=np.random.default_rng(0))
    assert bound != wb.test_samples(p, q, "approx(0.1, 1e-5)", seed=1)


def test_lists_and_one_column_will_do():
    p, q = normals()
    once = wb.test_samples(p, q, "gdp(0.5)")
    assert once == wb.test_samples(p.tolist(), q.tolist(), "gdp(0.5)")
    assert wb.test_samples(p[:, None], q[:, None], "gdp(0.5)").value == once.value


@pytest.mark.parametrize("name", list(registry.TESTERS))
def test_every_tester_by_name(name):
    p, q = normals(20_000)
    finding = wb.find_violation(p, q, wb.GDP(0.1), name)
    assert finding.violation
    assert registry.tester(name).name == name
    assert isinstance(registry.tester(registry.tester(name)), Tester)


@pytest.mark.parametrize(
    ("p", "q", "more", "words"),
    [
        (np.zeros(19), np.zeros(50), {}, "p has 19 outputs.*at least 20"),
        (np.zeros(50), [], {}, "q has 0 outputs"),
        (np.zeros((50, 2)), np.zeros((50, 3)), {}, "as many columns"),
        (np.zeros(50), np.full(50, "a"), {}, "of one type"),
        ([object()] * 50, np.zeros(50), {}, "p have <object.*return its values as numbers"),
        (np.zeros(50), np.zeros(50), {"tester": "chi-square"}, "tester must be one of"),
        (np.zeros(50), np.zeros(50), {"confidence": 0.05}, "did you mean 0.95"),
        (np.zeros(50), np.zeros(50), {"claim": "private"}, "cannot read the claim"),
        (np.arange(100.0).reshape(50, 2),) * 2 + ({"tester": "histogram"}, "cannot test this"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(p, q, more, words):
    with pytest.raises(ValueError, match=words):
        wb.test_samples(p, q, **{"claim": "pure(1)", **more})


def test_pytest_does_not_take_it_for_a_test():
    assert wb.test_samples.__test__ is False
