"""The level of each method, checked without chance; and that half or twice the level is noticed."""

import pytest
from helpers import constants
from helpers.constants import OF_FUNCTIONS, OF_LAB, OF_OTHERS

from workbench import _checks
from workbench.coverage_lab.methods import METHODS

CHECKS = OF_LAB | OF_OTHERS
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
