"""Scores: the counts against brute force, clusters, non-finite scores, messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import Scores, ScoresError

# Few values make many ties; the odd ones stand in the same list so that they meet often.
VALUES = st.sampled_from([-np.inf, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan])
SIDES = st.lists(VALUES, min_size=2, max_size=12).filter(lambda x: not np.isnan(x).all())


def some_scores(p, q, **options):
    pooled = np.array(p + q)
    if np.all(pooled == pooled[0]):
        pooled[0] = 7.0
    return Scores(pooled[: len(p)], pooled[len(p) :], **options)


@given(SIDES, SIDES, st.lists(VALUES, min_size=1, max_size=6), st.booleans())
def test_tail_counts_are_those_of_a_loop(p, q, thresholds, larger):
    s = some_scores(p, q, larger_is_member=larger)

    def above(side, t):
        if np.isnan(t):
            return 0
        return sum(np.isnan(x) or (x > t if larger else x < t) for x in side)

    tp, fp = s.tail_counts(thresholds)
    assert tp.tolist() == [above(s.p, t) for t in thresholds]
    assert fp.tolist() == [above(s.q, t) for t in thresholds]


@given(SIDES, SIDES, st.lists(VALUES, min_size=1, max_size=6), st.booleans())
def test_below_counts_are_those_of_a_loop(p, q, points, larger):
    s = some_scores(p, q, larger_is_member=larger)
    points = [x for x in points if not np.isnan(x)]
    below_p, below_q = s.samples.below_counts(points)
    assert below_p.tolist() == [sum(v < x for v in s.p) for x in points]
    assert below_q.tolist() == [sum(v < x for v in s.q) for x in points]


@given(SIDES, SIDES, st.booleans())
def test_most_member_like_q_walks_from_nan_to_the_far_end(p, q, larger):
    s = some_scores(p, q, larger_is_member=larger)
    got = s.samples.most_member_like_q(np.arange(1, s.n_q + 1))
    finite = np.sort(s.q[~np.isnan(s.q)])
    want = np.concatenate(
        [np.full(np.isnan(s.q).sum(), np.nan), finite[::-1] if larger else finite]
    )
    np.testing.assert_array_equal(got, want)


def test_a_scalar_threshold_gives_scalars_of_its_shape():
    tp, fp = Scores([1.0, 2.0], [0.0, 1.0]).tail_counts(1.0)
    assert (tp.shape, int(tp), int(fp)) == ((), 1, 0)
    assert Scores([1.0, 2.0], [0.0, 1.0]).tail_counts(np.zeros((2, 3)))[0].shape == (2, 3)


def test_quantiles_are_of_the_finite_scores_pooled():
    s = Scores([0.0, 2.0, np.inf, np.nan], [1.0, 3.0])
    assert s.quantile([0, 0.5, 1]).tolist() == [0, 2, 3]
    with pytest.raises(ScoresError, match="no finite score"):
        Scores([np.inf, np.nan], [np.inf, -np.inf]).quantile(0.5)


def test_sides_come_as_copies_that_cannot_be_written():
    mine = np.array([1.0, 2.0])
    s = Scores(mine, [0.0, 1.0])
    mine[0] = 99
    assert s.p[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        s.p[0] = 5
    p, q = s
    assert (p is s.p, q is s.q) == (True, True)


# -- non-finite -----------------------------------------------------------------------------------

ODD = [1.0, np.nan, np.nan, np.inf, -np.inf, 2.0]


def test_kept_non_finite_scores_are_counted_and_take_part():
    s = Scores(ODD, [0.0, np.nan])
    assert (s.nonfinite_p.nan, s.nonfinite_p.plus_inf, s.nonfinite_p.minus_inf) == (2, 1, 1)
    assert s.nonfinite_q.total == 1
    assert (s.n_p, s.n_q, s.discarded) == (6, 2, 0)
    assert s.samples.nan_counts == (2, 1)
    assert "P non-finite kept: 2 NaN, 1 +∞, 1 −∞" in repr(s)


def test_dropped_non_finite_scores_are_counted_too():
    s = Scores(ODD, [0.0, 1.0, np.nan], nonfinite="drop")
    assert (s.p.tolist(), s.q.tolist()) == ([1, 2], [0, 1])
    assert (s.discarded, s.rows_p, s.rows_q) == (5, 6, 3)
    assert "P non-finite dropped: 2 NaN" in repr(s)


@pytest.mark.parametrize("nonfinite", ["keep", "drop"])
def test_turning_the_direction_keeps_every_count(nonfinite):
    s = Scores([1.0, np.nan, 3.0], [0.0, 2.0, np.inf], nonfinite=nonfinite)
    s.tail_counts(1.0)
    turned = s.with_direction(False)
    assert turned.nonfinite_p == s.nonfinite_p
    assert (turned.discarded, turned.rows_p) == (s.discarded, s.rows_p)
    fresh = Scores([1.0, np.nan, 3.0], [0.0, 2.0, np.inf], False, nonfinite=nonfinite)
    np.testing.assert_array_equal(turned.tail_counts([0, 1.5]), fresh.tail_counts([0, 1.5]))
    assert s.larger_is_member
    stated = s.with_direction(True)
    assert stated.direction_stated
    assert not s.direction_stated
    assert stated.with_direction(True) is stated


def test_turning_the_direction_keeps_clusters():
    s = Scores([1.0, 3.0, 5.0], [0.0, 2.0], clusters=(["a", "a", "b"], ["c", "d"]))
    turned = s.with_direction(False)
    assert (turned.p.tolist(), turned.sampling, turned.rows_p) == ([2, 5], "clustered", 3)


# -- clusters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "p", "q"),
    [("mean", [2, 5], [1, 0]), ("max", [3, 5], [2, 0]), ("first", [1, 5], [0, 0])],
)
def test_cluster_rules(rule, p, q):
    s = Scores(
        [1.0, 5.0, 3.0],
        [0.0, 0.0, 2.0],
        clusters=(["b", "a", "b"], [7, 8, 7]),
        cluster_rule=rule,
        sampling="independent runs",
    )
    assert (s.p.tolist(), s.q.tolist()) == (p, q)
    assert (s.sampling, s.assumption) == ("clustered", "clustered")


def test_dropping_comes_before_clusters():
    labels = (list("aab"), list("cd"))
    s = Scores([1.0, np.nan, 3.0], [0.0, 2.0], clusters=labels, nonfinite="drop")
    assert s.p.tolist() == [1, 3]


def test_opposite_infinities_in_a_cluster_make_nan():
    s = Scores([np.inf, -np.inf, 3.0], [0.0, 2.0], clusters=(list("aab"), list("cd")))
    assert s.samples.nan_counts == (1, 0)


# -- messages -------------------------------------------------------------------------------------

GOOD = [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], GOOD), {}, "side P is empty"),
        ((GOOD, []), {}, "side Q is empty"),
        ((GOOD, [1.0]), {}, "side Q has 1 usable score; .* at least 2"),
        ((GOOD, [np.nan] * 3), {"nonfinite": "drop"}, "Q has 0 usable scores.*check the labels"),
        ((np.zeros((2, 3)), GOOD), {}, r"P has shape \(2, 3\).*ravel"),
        ((GOOD, 3.0), {}, r"Q has shape \(\).*1-d array"),
        (([[1.0], [2.0, 3.0]], GOOD), {}, "P is ragged"),
        (([1j, 2j], GOOD), {}, "complex"),
        (([1.0, "abc"], GOOD), {}, "P is not numeric: entry 1 is 'abc'"),
        ((GOOD, [np.nan] * 3), {}, "Q holds nothing but NaN; check that the column"),
        (([np.nan] * 5, GOOD), {"clusters": (range(5), [5, 6])}, "P holds nothing but NaN"),
        ((GOOD, GOOD), {"sampling": "iid"}, "sampling must be one of .*'one run'.* got 'iid'"),
        ((GOOD, GOOD), {"cluster_rule": "median"}, "cluster_rule must be one of"),
        ((GOOD, GOOD), {"nonfinite": "ignore"}, "nonfinite must be one of"),
        ((GOOD, GOOD), {"sampling": "clustered"}, "needs clusters="),
        (
            (GOOD, GOOD),
            {"sampling": "one run", "clusters": ([1, 2], [3, 4])},
            "cannot make the scores of one run independent",
        ),
        ((GOOD, GOOD), {"clusters": ([1, 2], [3])}, r"Q has 2 scores.* shape \(1,\)"),
        ((GOOD, GOOD), {"clusters": 5}, "must be a pair"),
        ((GOOD, GOOD), {"clusters": ([1, 2], [2, 3])}, r"1 cluster label on both sides \(2\)"),
        ((GOOD, GOOD), {"clusters": ([1, 1], [2, 3])}, "P has 1 usable score"),
    ],
)
def test_messages(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Scores(*arguments, **options)


def test_frame_and_assumption():
    s = Scores([1.0, 2.0], [0.0, 1.0, 5.0])
    assert s.to_frame().to_dict("list") == {"score": [1, 2, 0, 1, 5], "member": [1, 1, 0, 0, 0]}
    assert s.assumption == "if rows are independent"


def test_oriented_scores_are_larger_for_members_in_their_order_of_arrival():
    loss = Scores([1.0, 3.0, 2.0], [5.0, 4.0, np.inf], larger_is_member=False)
    p, q = loss.samples.oriented()
    assert (p.tolist(), q.tolist()) == ([-1, -3, -2], [-5, -4, -np.inf])
    t = loss.samples.in_score_units(-2.5)
    assert isinstance(t, float)
    tp, fp = loss.tail_counts(t)
    assert (tp, fp) == ((p > -2.5).sum(), (q > -2.5).sum())
    assert loss.samples.in_score_units([-1.0, 2.0]).tolist() == [1, -2]
    similar = Scores([1.0, 3.0], [5.0, 4.0])
    assert similar.samples.oriented()[0].tolist() == [1, 3]
    assert similar.samples.in_score_units(2) == 2


def test_a_loss_of_zero_is_shown_without_a_sign():
    shown = Scores([0.0, 0, 1], [0.0, 0, 0, 1], larger_is_member=False)._repr_html_()
    assert ">0<" in shown
    assert ">-0<" not in shown
    assert ">−0<" not in shown
