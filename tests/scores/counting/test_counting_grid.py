"""Cells of the grid: intervals of floats in ascending order, whose ends are exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.scores.counting.grid import BITS, FINEST, Center, Grid
from workbench.scores.counting.tally import GridTally

ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.2e-308, 1.797e308, -1.797e308]

GRIDS = [
    Grid(),
    Grid((Center(1e6, -10),)),
    Grid((Center(-3.3, 1000),)),
    Grid((Center(5e-324, -1022),)),
    Grid((Center(1.7e308, 1022),)),
    Grid((Center(-1e-300, -1000),)),
    Grid((Center(0.7, -2), Center(0.0, 0), Center(1.0, -3))),
    Grid((Center(-1e9, 3), Center(0.0, 20))),
]


def floats_everywhere(grid, n=20_000, seed=0):
    """Floats of every size and sign, and many around the center of a grid."""
    rng = np.random.default_rng(seed)
    any_bits = rng.integers(-(2**63), 2**63 - 1, size=n).view(np.float64)
    near = [
        center.at + np.ldexp(rng.normal(size=n), min(center.exponent, 1000))
        for center in grid.centers
    ]
    return np.concatenate([any_bits, *near, [center.at for center in grid.centers], ODD])


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_keys_ascend_with_the_scores(grid):
    x = np.sort(floats_everywhere(grid))
    keys = grid.keys(x)
    assert (np.diff(keys) >= 0).all()
    assert keys[0] == 0
    assert keys[-1] == grid.size - 1


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_the_ends_of_cells_are_exact(grid):
    keys = np.unique(grid.keys(floats_everywhere(grid)))
    finite = keys[(keys > 0) & (keys < grid.size - 2)]
    largest, least = grid.largest(finite), grid.least(finite)
    np.testing.assert_array_equal(grid.keys(largest), finite)
    np.testing.assert_array_equal(grid.keys(least), finite)
    with np.errstate(over="ignore"):
        assert (grid.keys(np.nextafter(largest, np.inf)) > finite).all()
        assert (grid.keys(np.nextafter(least, -np.inf)) < finite).all()
    odd = np.array([0, grid.size - 2, grid.size - 1])
    np.testing.assert_array_equal(grid.largest(odd), [-np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(grid.least(odd), [-np.inf, np.inf, np.nan])


@pytest.mark.parametrize("grid", [*GRIDS[:3], *GRIDS[-2:]], ids=str)
def test_cells_are_as_narrow_as_they_say(grid):
    x = np.concatenate(
        [
            center.at + sign * np.ldexp(1.0, center.exponent) * np.geomspace(1e-6, 1e6, 2000)
            for center in grid.centers
            for sign in (-1, 1)
        ]
    )
    keys = np.unique(grid.keys(x))
    largest, least = grid.largest(keys), grid.least(keys)
    distances = [
        np.maximum(np.abs(largest - center.at), np.abs(least - center.at))
        for center in grid.centers
    ]
    for center, distance in zip(grid.centers, distances, strict=True):
        rounding = 4 * np.spacing(np.abs(center.at) + distance)
        assert (largest - least <= 2.0**-BITS * distance + rounding).all()


def test_zero_and_minus_zero_share_a_cell():
    for grid in GRIDS:
        assert np.diff(grid.keys(np.array([0.0, -0.0]))) == 0
    ends = Grid().least(Grid().keys(np.array([0.0])) + 1)
    assert not np.signbit(ends).any()


def test_the_grid_of_a_sample():
    rng = np.random.default_rng(1)
    assert Grid.of(np.array([])) == Grid()
    assert Grid.of(np.array([np.nan, np.inf])) == Grid()
    assert Grid.of(np.full(5, -3.0)).centers == (Center(-3.0, 0), Center(0.0, 2))
    near = Grid.of(1e6 + 1e-3 * rng.normal(size=1000))
    assert near.centers[0].at == pytest.approx(1e6, abs=1e-3)
    assert 2.0 ** near.centers[0].exponent == pytest.approx(1e-3, rel=1)
    assert Grid.of(np.array([5e-324, 0.0, 1.5e-323])).centers[0].exponent == -1022
    assert Grid.of(np.array([-1.7e308, 0.0, 1.7e308])).centers == (Center(0.0, 1022),)
    assert [c.at for c in Grid.of(np.array([0.2, 0.9, 0.5])).centers] == [0.5, 0.0, 1.0]
    assert FINEST < 126  # float32 has no gap between its numbers and zero there


@given(
    st.lists(st.floats(width=64), min_size=2, max_size=200),
    st.lists(st.floats(width=64), min_size=1, max_size=20),
    st.booleans(),
)
@settings(deadline=None, max_examples=200)
def test_counts_at_the_ends_of_cells_are_those_of_the_scores(values, others, larger):
    x = np.array(values)
    grid = Grid.of(np.array(others))
    tally = GridTally(grid)
    tally.add(x, 1)
    counts = tally.result()
    ends = counts.exact
    if ends is None:
        ends = grid.largest(counts.keys) if larger else grid.least(counts.keys)
    n = counts.counts[1]
    for i, end in enumerate(ends[~np.isnan(ends)]):
        if larger:
            assert n[i + 1 :].sum() == (x > end).sum() + np.isnan(x).sum()
        else:
            assert n[:i].sum() == (x < end).sum()
    assert n.sum() == x.size


def test_exact_values_are_kept_where_every_cell_has_one():
    rng = np.random.default_rng(2)
    x = rng.integers(-50, 50, size=10_000) / 7
    tally = GridTally(Grid.of(x))
    for part in np.split(x, 10):
        tally.add(part, 0)
    values, counts = np.unique(x, return_counts=True)
    np.testing.assert_array_equal(tally.result().exact, values)
    np.testing.assert_array_equal(tally.result().counts[0], counts)
    tally.add(np.array([values[0] * (1 + 1e-12)]), 1)
    assert tally.result().exact is None


def test_the_sum_of_counts_is_the_count_of_all():
    rng = np.random.default_rng(3)
    for x in (rng.normal(size=3000), rng.integers(0, 9, size=3000).astype(float)):
        groups = rng.integers(0, 2, size=x.size).astype(np.uint8)
        grid = Grid.of(x)
        together, apart = GridTally(grid), []
        together.add(x, groups)
        for part in np.split(np.arange(x.size), [100, 1500]):
            tally = GridTally(grid)
            tally.add(x[part], groups[part])
            apart.append(tally.result())
        whole, summed = together.result(), apart[0] + apart[1] + apart[2]
        np.testing.assert_array_equal(whole.keys, summed.keys)
        np.testing.assert_array_equal(whole.counts, summed.counts)
        assert (whole.exact is None) == (summed.exact is None)
        if whole.exact is not None:
            np.testing.assert_array_equal(whole.exact, summed.exact)
        for a, b in zip(whole.first, summed.first, strict=True):
            np.testing.assert_array_equal(a, b)
