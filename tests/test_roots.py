"""Searches end on the side that they promise."""

import math

import numpy as np
import pytest

from workbench._roots import falling_root, smallest_integers, smallest_step, turning_point

ROOTS = np.array([0.3, 0.5, 1e-9, 0.999])


@pytest.mark.parametrize(
    "f",
    [
        lambda x, c: c - x,
        lambda x, c: np.where(x < c, 2.0, -1.0),  # a jump
        lambda x, c: np.where(np.abs(x - c) < 1e-10, 0.0, c - x),  # flat at 0
        lambda x, c: 1e200 * (c - x) ** 3,
        lambda x, c: np.exp(-30 * x) - np.exp(-30 * c),
    ],
    ids=["line", "jump", "flat", "huge", "exponential"],
)
def test_the_ends_enclose_where_a_function_falls_to_zero(f):
    before, after = falling_root(f, 0.0, 1.0, ROOTS)
    assert (f(before, ROOTS) > 0).all()
    assert (f(after, ROOTS) <= 0).all()
    assert (after - before <= 3e-14).all()


def test_without_a_root_both_ends_are_the_one_next_to_it():
    before, after = falling_root(lambda x, c: c - x, 2.0, 3.0, np.array([1.0, 2.0, 5.0]))
    np.testing.assert_array_equal(before, [2, 2, 3])
    np.testing.assert_array_equal(after, before)


def test_a_function_is_asked_a_fourth_as_often_as_by_halving():
    asked = []
    falling_root(lambda x: asked.append(x) or 0.1 - np.tanh(x), 0.0, 10.0)
    assert len(asked) < 15


def test_a_condition_turns_between_the_ends():
    before, after = turning_point(lambda x: x >= ROOTS, np.zeros(4), 1.0)
    assert (before < ROOTS).all()
    assert (after >= ROOTS).all()
    assert (after - before <= np.maximum(np.spacing(ROOTS), 2.0**-60)).all()
    # It is not asked at the ends, which stay where it never turns.
    never, always = turning_point(lambda x: np.array([False, True]), np.zeros(2), np.ones(2))
    np.testing.assert_allclose(never, [1, 0], atol=1e-15)
    np.testing.assert_array_equal(always[0], 1)


def test_whole_numbers_are_the_smallest():
    wanted = np.array([1, 2, 7, 100, 11])
    found = smallest_integers(lambda n: n >= wanted, 0, np.array([1, 100, 8, 100, 50]))
    np.testing.assert_array_equal(found, wanted)
    assert smallest_integers(lambda n: n < 0, np.full(2, -1.0), np.full(2, 5.0)).tolist() == [5, 5]


def test_a_step_is_enough_and_hardly_more():
    for wanted in (0.01, 0.1, 3.0, 51.0):
        found = smallest_step(lambda x, wanted=wanted: x >= wanted, 0.1, 100.0, 1e-3)
        assert wanted <= found <= wanted * 1.001 + 1e-12
    assert smallest_step(lambda x: False, 0.1, 100.0, 1e-3) == math.inf
