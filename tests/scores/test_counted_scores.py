"""Counted scores answer as the scores with the same rows."""

import gc
import pickle
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from workbench.scores.counting.counted import MOST_FIRST, CountedScores
from workbench.scores.input_checks import NonFiniteCounts
from workbench.scores.ordered import drawn

# Few values make many ties; the odd ones stand in the same list so that they meet often.
VALUES = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan])
SIDES = st.lists(VALUES, min_size=2, max_size=12).filter(lambda x: not np.isnan(x).all())


def both(p, q, **options):
    pooled = np.array(p + q)
    if np.all(pooled == pooled[0]):
        pooled[0] = 7.0
    scores = wb.Scores(pooled[: len(p)], pooled[len(p) :], **options)
    return scores, CountedScores.of(scores)


@given(SIDES, SIDES, st.lists(VALUES, min_size=1, max_size=6), st.booleans())
def test_counts_are_those_of_the_rows(p, q, points, larger):
    rows, counted = both(p, q, larger_is_member=larger)
    assert (counted.n_p, counted.n_q) == (rows.n_p, rows.n_q)
    assert counted.samples.nan_counts == rows.samples.nan_counts
    assert counted.nonfinite_p == rows.nonfinite_p
    for ask in (
        lambda scores: scores.tail_counts(points),
        lambda scores: scores.samples.below_counts(points),
    ):
        np.testing.assert_array_equal(ask(counted), ask(rows))
    for a, b in zip(counted.samples.ordered, rows.samples.ordered, strict=True):
        np.testing.assert_array_equal(a, b)
    ranks = np.arange(1, rows.n_q + 1)
    np.testing.assert_array_equal(
        counted.samples.most_member_like_q(ranks), rows.samples.most_member_like_q(ranks)
    )
    if np.isfinite(np.concatenate([rows.p, rows.q])).any():
        levels = np.linspace(0, 1, 30)
        np.testing.assert_array_equal(counted.quantile(levels), rows.quantile(levels))
    for a, b in zip(counted.samples.moments(), rows.samples.moments(), strict=True):
        assert a.size == b.size
        np.testing.assert_allclose([a.mean, a.variance], [b.mean, b.variance], atol=1e-12)


@given(SIDES, SIDES, st.booleans())
def test_the_other_direction_is_that_of_the_rows(p, q, larger):
    rows, counted = both(p, q, larger_is_member=larger)
    turned, expected = counted.with_direction(not larger), rows.with_direction(not larger)
    np.testing.assert_array_equal(turned.tail_counts(0.0), expected.tail_counts(0.0))
    for a, b in zip(turned.samples.in_order(), expected.samples.in_order(), strict=True):
        np.testing.assert_array_equal(a, b)


@given(SIDES, SIDES, st.booleans())
def test_distinct_values_are_the_same_of_rows_and_of_counts(p, q, larger):
    rows, counted = both(p, q, larger_is_member=larger)
    for name in ("values", "p", "q"):
        np.testing.assert_array_equal(
            getattr(counted.samples.distinct, name), getattr(rows.samples.distinct, name)
        )


def test_first_rows_are_kept_in_order_of_arrival():
    rows = wb.Scores([3.0, 1.0, 2.0], [0.0, 5.0], larger_is_member=False)
    p, q = CountedScores.of(rows).samples.in_order(2)
    assert (p.tolist(), q.tolist()) == ([-3, -1], [0, -5])
    with pytest.raises(wb.ScoresError, match="give the first rows"):
        CountedScores([0, 1], [1, 1], [1, 1]).samples.in_order()
    assert CountedScores(
        [0, 1], [1, 1], [1, 1], first=(np.ones(MOST_FIRST + 1), [0])
    ).samples.in_order()[0].size == (MOST_FIRST)


def test_rows_are_made_of_few_counts_only():
    few = CountedScores([1.0, 2.0], [1, 2], [2, 0])
    assert (few.p.tolist(), few.q.tolist()) == ([1, 2, 2], [1, 1])
    many = CountedScores([1.0, 2.0], [10**9, 2], [2, 5])
    for rows in (
        lambda: many.p,
        lambda: many.samples.ordered,
        lambda: list(many),
        many.samples.oriented,
    ):
        with pytest.raises(wb.ScoresError, match="too many to make rows"):
            rows()


def test_rules_make_new_values_and_add_counts():
    counted = CountedScores([-1.0, 0.0, 1.0], [5, 1, 5], [1, 5, 1], larger_is_member=False)
    ruled = counted.rescored(np.abs, "other runs")
    assert ruled.values.tolist() == [0, 1]
    assert (ruled.counts_p.tolist(), ruled.counts_q.tolist()) == ([1, 10], [5, 2])
    assert (ruled.larger_is_member, ruled.held_out) == (True, "other runs")
    with pytest.raises(ValueError, match="one score for each of 3 values"):
        counted.rescored(lambda x: x[:1], "")


def test_parts_are_those_of_the_rows():
    rows, counted = both([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0], larger_is_member=False)
    masks = np.array([True, False, True, True]), np.array([True, False, True])
    a, b = rows.part_of_sorted(*masks), counted.part_of_sorted(*masks)
    for x, y in zip(a.samples.ordered, b.samples.ordered, strict=True):
        np.testing.assert_array_equal(x, y)


def test_distinct_values_of_rows_are_held_as_long_as_they_are_used():
    scores = wb.Scores([0.0, 1.0, 1.0], [0.0, 2.0])
    used = scores.samples.distinct
    assert scores.samples.distinct is used
    known, values = ref(used), used.values.tolist()
    again = pickle.loads(pickle.dumps(scores))
    del used
    gc.collect()
    assert known() is None
    assert (
        scores.samples.distinct.values.tolist() == again.samples.distinct.values.tolist() == values
    )
    assert scores.chance == scores.chance


def test_pickles_bring_the_counts_back():
    counted = CountedScores([0.0, 1.0], [1, 2], [2, 1], name="a", grid="two cells", notes=("b",))
    _ = counted.samples.distinct
    again = pickle.loads(pickle.dumps(counted))
    assert "distinct" not in vars(again)
    assert repr(again) == repr(counted)
    assert (again.grid, again.notes, again.counts_p.tolist()) == ("two cells", ("b",), [1, 2])
    assert again.same_arrays(counted)


# -- random parts -----------------------------------------------------------------------------


def test_parts_have_the_sizes_asked_for_at_any_number():
    rng = np.random.default_rng(0)
    counts = np.array([3, 0, 10**10, 5, 7 * 10**9])
    part = drawn(counts, 4 * 10**9, rng)
    assert part.sum() == 4 * 10**9
    assert ((part >= 0) & (part <= counts)).all()
    assert drawn(np.array([2, 0, 2]), 2, rng).sum() == 2


def test_random_parts_are_hypergeometric():
    rng = np.random.default_rng(1)
    counts, size, reps = np.array([4, 1, 7]), 5, 20_000
    parts = np.array([drawn(counts, size, rng) for _ in range(reps)])
    from scipy.stats import hypergeom

    for i, n in enumerate(counts):
        expected = hypergeom(counts.sum(), n, size).pmf(np.arange(size + 1))
        seen = np.bincount(parts[:, i], minlength=size + 1) / reps
        np.testing.assert_allclose(seen, expected, atol=5 * np.sqrt(0.25 / reps))
    # Counts of two values are as dependent as they should be.
    n = counts.sum()
    covariance = -size * counts[0] * counts[2] / n**2 * (n - size) / (n - 1)
    assert np.cov(parts.T)[0, 2] == pytest.approx(covariance, abs=0.03)


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1, 1], [1, 1]), "ascending"),
        (([1, 1], [1, 1], [1, 1]), "ascending"),
        (([np.nan, 1], [1, 1], [1, 1]), "NaN last"),
        (([0, np.nan, np.nan], [1, 1, 1], [1, 1, 1]), "NaN last"),
        (([], [], []), "an entry at least"),
        (([0, 1], [1], [1, 1]), "a count for each of 2 values"),
        (([0, 1], [1, -1], [1, 1]), "counts_p must be whole numbers"),
        (([0, 1], [1, 1], [0.5, 2]), "counts_q must be whole numbers"),
        (([0, 1], [1, 0], [1, 1]), "side P has 1 usable score;"),
        (([0, np.nan], [0, 2], [1, 1]), "nothing but NaN"),
    ],
)
def test_counts_that_are_none(arguments, message):
    with pytest.raises(ValueError, match=message):
        CountedScores(*arguments)


def test_what_was_left_out_is_counted():
    out = NonFiniteCounts(2, 1, 0)
    counted = CountedScores([0, 1], [1, 1], [1, 1], nonfinite_p=out)
    assert (counted.discarded, counted.rows_p, counted.rows_q) == (3, 5, 2)
    assert "P non-finite dropped: 2 NaN" in repr(counted)
    with pytest.raises(ValueError, match="leave these out"):
        CountedScores([0, np.inf], [1, 1], [1, 1], nonfinite_p=out)
