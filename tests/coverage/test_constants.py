"""The level of each method, checked without chance; and that half or twice the level is noticed."""

import numpy as np
import pytest
from helpers import constants
from helpers.constants import OF_FUNCTIONS, OF_LAB, OF_OTHERS

from workbench import _checks
from workbench.bounds.anytime.anytime import AnytimeAudit
from workbench.bounds.anytime.betting import (
    EpsilonClaims,
    MuClaims,
    VariationClaims,
    log_factors,
)
from workbench.coverage_lab import methods
from workbench.coverage_lab.methods import METHODS

CHECKS = OF_LAB | OF_OTHERS


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    """Bounds of counts are kept in the lab, whatever their level was changed to."""
    methods._of_counts.cache_clear()
    yield
    methods._of_counts.cache_clear()


FACTORS = {"half of the level": 0.5, "twice the level": 2.0}


def test_every_method_of_the_lab_that_has_a_level_is_checked():
    assert set(OF_LAB) == {name for name, m in METHODS.items() if m.group != "fails"}


@pytest.mark.parametrize("name", CHECKS)
def test_the_level_is_as_stated(name):
    CHECKS[name]()


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("name", CHECKS)
def test_another_level_is_noticed(name, factor, monkeypatch):
    """Every method takes its confidence through one check, which is made to return another one."""
    right = _checks.confidence
    monkeypatch.setattr(_checks, "confidence", lambda c: 1 - factor * (1 - right(c)))
    with pytest.raises(AssertionError):
        CHECKS[name]()


@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_functions_use_the_error_that_they_are_given(name):
    OF_FUNCTIONS[name][0]()


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_another_error_is_noticed(name, factor, monkeypatch):
    check, module, attribute = OF_FUNCTIONS[name]
    right = getattr(module, attribute)
    wrong = (
        (lambda values, claims, error: right(values, claims, factor * error))
        if callable(right)
        else factor * right
    )
    monkeypatch.setattr(module, attribute, wrong)
    with pytest.raises(AssertionError):
        check()


def test_permutation_p_values_count_the_data():
    constants.permutations()


@pytest.mark.parametrize("check", [constants.anytime, constants.anytime_in_lab])
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_half_or_twice_the_needed_wealth_is_noticed(check, factor, monkeypatch):
    """Half of its logarithm makes a level of 22%, which simulations hardly show."""
    right = AnytimeAudit.__init__

    def wrong(self, *args, **kwargs):
        right(self, *args, **kwargs)
        self._goal *= factor

    monkeypatch.setattr(AnytimeAudit, "__init__", wrong)
    with pytest.raises(AssertionError):
        check()


CLAIMS = [
    *((EpsilonClaims(delta), 0.25) for delta in (0.0, 1e-5, 0.05)),
    (VariationClaims(), 0.05),
    (MuClaims(), 0.1),
]


@pytest.mark.parametrize(("claims", "cell"), CLAIMS)
@pytest.mark.parametrize("ratio", [(1, 1), (1, 4)])
def test_no_bet_gains_on_average_at_the_edge_of_a_claim(claims, cell, ratio):
    """The exact mean of a block's factor, for masses of both sets; and some bets lose nothing.

    With the wealth that refutes this is the level: it starts at 1, and by Ville's inequality ever
    reaches 20 with a probability of at most 1/20.
    """
    largest = 0.0
    for cells, step in ((0, 0), (0, 40), (3, 1), (9, 64)):
        top = cell * (cells + 1)
        theta = cell * (cells + step / 64)
        factors = np.exp(log_factors(claims, theta, top, ratio))
        slope, rest = claims.line(theta, top)
        for share in (1.0, 0.5, 0.0):  # of the largest mass that the claim allows
            for y in np.geomspace(1e-6, 0.4, 25):
                mean = _means(factors, slope, rest, y, share, ratio)
                largest = max(largest, mean)
    assert 0.98 < largest <= 1 + 1e-9


def _means(factors, slope, rest, y, share, ratio):
    """The largest mean factor of a bet, if Q puts y on S and P as much as the claim allows.

    P puts ``share`` of y on S′, and Q as much as the claim allows.
    """
    a, b = ratio
    found = []
    for row, (s, d) in enumerate(zip(slope, rest, strict=True)):
        p_in, q_other, p_other = s * y + d, s * share * y + d * share, share * y
        p = np.array([p_in, p_other, 1 - p_in - p_other, 0.0])
        q = np.array([y, q_other, 1 - y - q_other, 0.0])
        if min(p.min(), q.min()) < 0:
            continue
        block = (p @ factors[row, :4]) ** a * (q @ factors[row, 4:]) ** b
        found.append(block.max())
    return max(found, default=0.0)
