"""Exact levels: sums are right, every method keeps 5% in every setting, bad methods do not."""

from itertools import combinations, product

import numpy as np
import pytest
from helpers.hashed_coins import HASHED_BAND, HASHED_QUESTION
from scipy.stats import binom, multinomial

import workbench as wb
from workbench.coverage_lab.exact.methods import (
    EXACT_METHODS,
    QUESTIONS,
    ExactMethod,
    exceeds,
)
from workbench.coverage_lab.exact.orders import (
    least_at_ranks,
    level_of_blocks,
    level_of_equal,
    ordered,
)
from workbench.coverage_lab.exact.records import claimed, one_record
from workbench.coverage_lab.exact.settings import KINDS, Setting, level_of, settings, tilted
from workbench.coverage_lab.exact.tables import (
    binomial,
    least_false,
    level_of_three,
    level_of_two,
    likely,
)

QUICK = list(settings(quick=True))
EPSILON = "ε at δ = 0"


@pytest.mark.parametrize("method", dict.fromkeys(s.method for s in QUICK))
@pytest.mark.slow
def test_every_level_is_at_most_five_percent(method):
    levels = {setting: setting.level().level for setting in QUICK if setting.method == method}
    assert max(levels.values()) <= 0.05 + 1e-9, levels
    assert max(levels.values()) > 0


def test_all_kinds_and_sizes_of_scores_are_among_the_settings():
    every = list(settings())
    assert len(set(every)) == len({s.key for s in every}) == len(every)
    assert {s.kind for s in every} == set(KINDS)
    two = {(s.n_p, s.n_q) for s in every if s.kind == "two values"}
    assert {(8, 8), (2000, 2000), (50, 2000), (30, 12)} <= two
    assert {s.n_q for s in every if s.kind == "table"} == {1, 2, 3}


# -- the sums ----------------------------------------------------------------------------------


def test_least_counts_and_the_level_of_two_values():
    n_p, n_q, q, p = 9, 7, 0.3, 0.45

    def is_false(a, b):
        return a * n_q > 1.5 * b * n_p + 8

    columns = np.arange(n_q + 1)
    least = least_false(is_false, n_p, columns.tolist())
    expected = sum(
        binom.pmf(a, n_p, p) * binom.pmf(b, n_q, q)
        for a, b in product(range(n_p + 1), columns)
        if is_false(a, b)
    )
    level = level_of_two(least, columns, (n_p, n_q), np.array([p]), np.array([q]))
    assert level == pytest.approx(expected, abs=1e-12)
    # Counts that were not looked at are taken to be false.
    few = level_of_two(least[:3], columns[:3], (n_p, n_q), np.array([p]), np.array([q]))
    assert few > expected + binom.sf(2, n_q, q) / 2


def test_the_level_of_three_values():
    sizes, (p, q) = (6, 5), tilted((0.4, 0.35, 0.25), 0.8)

    def is_false(a1, a12, b1, b12):
        return 2 * a1 + a12 > 2 * b1 + b12 + 5 or a1 > b1 + 3

    expected = 0.0
    for a1, a2, b1, b2 in product(range(7), range(7), range(6), range(6)):
        if a1 + a2 <= 6 and b1 + b2 <= 5 and is_false(a1, a1 + a2, b1, b1 + b2):
            expected += multinomial.pmf([a1, a2, 6 - a1 - a2], 6, p) * multinomial.pmf(
                [b1, b2, 5 - b1 - b2], 5, q
            )
    assert level_of_three(is_false, sizes, p, q) == pytest.approx(expected, abs=1e-5)


def test_a_pair_on_three_values_has_the_stated_truth():
    p, q = tilted((0.5, 0.2, 0.3), 1.0)
    assert sum(p) == pytest.approx(1) == sum(q)
    assert max(np.log(np.divide(p, q))) == pytest.approx(1) == -min(np.log(np.divide(p, q)))


def test_orders_that_reach_a_limit_are_counted():
    n_p, limits = 4, np.array([3, 4, 4, 5, 5])

    def reaches(places):
        """Whether an order does: the places of P among all scores, from the top."""
        q_places = [i for i in range(9) if i not in places]
        above = [sum(i < at for i in places) for at in q_places]
        return any(t >= limit for t, limit in zip(above, limits, strict=True))

    orders = list(combinations(range(9), n_p))
    expected = np.mean([reaches(places) for places in orders])
    assert level_of_equal(limits, n_p) == pytest.approx(expected, abs=1e-12)
    assert level_of_blocks(limits, n_p, 0.3, 0.3) == pytest.approx(expected, abs=1e-12)


def test_the_level_of_two_blocks_by_simulation():
    n_p, n_q, p, q = 12, 10, 0.7, 0.3
    limits = np.maximum(np.arange(1, n_q + 1) + 6, 8)
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(20_000):
        u = np.concatenate(
            [rng.random(n_p) + (rng.random(n_p) < p), rng.random(n_q) + (rng.random(n_q) < q)]
        )
        v = np.sort(u[n_p:])[::-1]
        found += ((u[:n_p] > v[:, None]).sum(axis=1) >= limits).any()
    assert level_of_blocks(limits, n_p, p, q) == pytest.approx(found / 20_000, abs=0.01)


def test_scores_with_a_count_at_a_rank():
    p, q = ordered(3, 2, 5, 4)
    above = [(p > x).sum() for x in np.sort(q)[::-1]]
    assert above == [0, 3, 3, 3]
    assert np.unique(np.concatenate([p, q])).size == 9


def test_what_is_left_out_is_rare():
    for n, rate in ((20, 0.05), (2000, 0.5), (2000, 0.999), (3, 0.0)):
        inside = likely(n, rate)
        assert binomial(inside, n, np.array(rate)).sum() > 1 - 3e-7


# -- what the sums rest on ---------------------------------------------------------------------


@pytest.mark.parametrize("name", EXACT_METHODS)
@pytest.mark.parametrize(("question", "truth"), [(EPSILON, 0.0), (EPSILON, 1.0), ("μ", 0.0)])
def test_bounds_rise_with_scores_of_p_and_fall_with_scores_of_q(name, question, truth):
    """Only the neighborhood of the least counts is looked at: here all tables are."""
    method, (n_p, n_q) = EXACT_METHODS[name], (12, 10)
    false = np.zeros((n_p + 1, n_q + 1), bool)
    for a, b in product(range(n_p + 1), range(n_q + 1)):
        if 0 < a + b < n_p + n_q:
            scores = method.scores([n_p - a, a], [n_q - b, b])
            false[a, b] = exceeds(method, scores, QUESTIONS[question], truth)
    false[n_p, n_q] = false[n_p, n_q - 1] & false[n_p - 1, n_q]  # refused: one value only
    assert false.any() or name == "clopper-pearson"  # which never errs with so few scores
    assert (np.diff(false.astype(int), axis=0) >= 0).all()
    assert (np.diff(false.astype(int), axis=1) <= 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_worst_of_some_records_is_the_worst_of_each_alone(seed):
    """At its share of the error probability."""
    rng = np.random.default_rng(seed)
    records = int(rng.integers(2, 4))
    member = rng.random((24, records)) < 0.5
    scores = (rng.random((24, records)) < np.where(member, 0.9, 0.2)).astype(float)
    table = wb.ScoreTable(scores, member, sampling="independent runs", seed=seed)
    alone = [
        wb.ScoreTable(scores[:, [r]], member[:, [r]], sampling="independent runs", seed=seed)
        for r in range(records)
    ]
    shared = 1 - 0.05 / records
    worst = max(one.worst_record(0.0, shared, "simultaneous").value for one in alone)
    assert table.worst_record(0.0, method="simultaneous").value == pytest.approx(worst, rel=1e-6)
    some = any(claimed(one, shared, "records that exceed 0") for one in alone)
    assert claimed(table, 0.95, "records that exceed 0") == some


def test_a_table_of_one_record_has_the_stated_counts():
    table = one_record(3, 1, (5, 4))
    assert table.matrix[table.member].sum() == 3
    assert table.matrix[~table.member].sum() == 1
    assert (table.n_in, table.n_out) == (5, 4)


# -- known-bad methods -------------------------------------------------------------------------


def all_tables(method, question, sizes, rate, most):
    """The level at P = Q over all tables with counts up to ``most``; no monotony is used."""
    n_p, n_q = sizes
    level = 0.0
    for a, b in product(range(most + 1), repeat=2):
        scores = method.scores([n_p - a, a], [n_q - b, b]) if 0 < a + b < n_p + n_q else None
        if scores is not None and exceeds(method, scores, QUESTIONS[question], 0.0):
            level += binom.pmf(a, n_p, rate) * binom.pmf(b, n_q, rate)
    return level


@pytest.mark.parametrize(
    ("bad", "good", "question", "n", "rate", "most", "least"),
    [
        (HASHED_BAND, "simultaneous", "μ", 400, 0.7 / 400, 7, 0.2),
        (HASHED_QUESTION, "one-question", "μ", 68, 0.4 / 68, 5, 0.3),
        (HASHED_QUESTION, "one-question", EPSILON, 10, 0.95, 10, 0.2),
    ],
)
@pytest.mark.slow
def test_coins_that_follow_from_the_data_are_caught(bad, good, question, n, rate, most, least):
    assert all_tables(bad, question, (n, n), rate, most) > least
    assert all_tables(EXACT_METHODS[good], question, (n, n), rate, most) <= 0.05


@pytest.mark.parametrize("name", ["one-question", "exact", "one-question, yes or no"])
def test_methods_at_twice_their_level_are_caught(name, monkeypatch):
    """These come close to 5% somewhere, so twice as much is seen."""
    monkeypatch.setattr("workbench.coverage_lab.exact.methods.CONFIDENCE", 0.9)
    kind = "two values" if EXACT_METHODS[name].one_cut else "distinct"
    setting = Setting(name, EPSILON, kind, 20, 20, 1.0 if kind == "two values" else 0.0)
    assert setting.level().level > 0.08


def test_a_setting_without_a_method_is_refused():
    with pytest.raises(ValueError, match="needs a method"):
        level_of(Setting("magic", EPSILON, "distinct", 8, 8), None)


def mean_difference(scores, question):
    (above_p,), (above_q,) = scores.tail_counts(np.array([0.5]))
    return above_p / scores.n_p - above_q / scores.n_q


def test_a_method_of_ones_own():
    """The difference of means, which is no bound, is false about half of the time."""
    guess = ExactMethod("means", mean_difference)
    found = level_of(Setting("means", EPSILON, "two values", 20, 20), guess)
    assert found.level > 0.4
    assert least_at_ranks(lambda t, k: t > k, 5, 3).tolist() == [2, 3, 4]
