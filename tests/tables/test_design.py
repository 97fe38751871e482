"""Designs are recognized from memberships where chance would hardly show them."""

import numpy as np
import pytest

import workbench as wb
from workbench.tables.design import Design, complementary_pairs


def coins(models=40, records=30, seed=0, share=0.5):
    return np.random.default_rng(seed).random((models, records)) < share


def halves(models, records, seed=0):
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(models) < models // 2 for _ in range(records)], axis=1)


def paired(models, records, seed=0):
    first = coins(models // 2, records, seed)
    return np.stack([first, ~first], axis=1).reshape(models, records)


def test_designs_are_recognized():
    assert Design.of(coins()) == Design("independent coins", fair=True)
    assert Design.of(coins(share=0.2)) == Design("independent coins", fair=False)
    assert Design.of(halves(40, 30)).name == "exactly half"
    assert Design.of(halves(30, 40).T).name == "equal sizes"
    assert Design.of(paired(40, 30)).name == "complementary pairs"
    shuffled = paired(40, 30)[np.random.default_rng(1).permutation(40)]
    assert Design.of(shuffled).name == "complementary pairs"
    pairs = complementary_pairs(shuffled)
    assert (shuffled[pairs[:, 0]] != shuffled[pairs[:, 1]]).all()


def test_shares_that_differ_between_records_are_not_fair():
    rng = np.random.default_rng(0)
    member = rng.random((40, 300)) < rng.choice([0.3, 0.7], 300)
    assert not Design.of(member).has_fair_coins


def test_small_tables_are_not_taken_for_designs_by_chance():
    names = {Design.of(coins(4, 1, seed)).name for seed in range(50)}
    assert names == {"independent coins"}


def test_fair_coins_rarely_look_unfair():
    unfair = sum(not Design.of(coins(32, 50, seed)).has_fair_coins for seed in range(400))
    assert unfair <= 12  # 1%, and three standard deviations


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (halves(40, 30), "each record in exactly half of the models"),
        (coins(), "if rows are independent"),
    ],
)
def test_the_assumption_names_the_design(member, words):
    table = wb.ScoreTable(np.zeros(member.shape), member)
    assert table.assumption == words
    assert words in repr(table.each_record(delta=1e-5))


def test_bounds_use_one_model_of_each_complementary_pair():
    table = wb.ScoreTable(np.random.default_rng(1).normal(size=(40, 30)), paired(40, 30))
    assert table.assumption == "complementary pairs of models"
    limits = table.each_record(delta=1e-5)
    assert limits.table is table.independent
    assert limits.table.n_models == 20
    assert limits.assumption == "if rows are independent"
    assert (table.record(0).n_p, table.record(0).n_q) == (
        limits.table.n_in[0],
        limits.table.n_out[0],
    )
    plain = wb.ScoreTable(table.scores, coins(40, 30))
    assert plain.independent is plain


def test_scores_that_are_opposite_in_a_pair_keep_the_level():
    """P = Q, scores x and −x in the models of a pair: all models gave 11% at nominal 5%."""
    false = 0
    for seed in range(100):
        x = np.random.default_rng([5, seed]).normal(size=(32, 20))
        scores = np.stack([x, -x], axis=1).reshape(64, 20)
        table = wb.ScoreTable(scores, paired(64, 20, seed), sampling="independent runs")
        false += table.worst_record(0.0, method="simultaneous").value > 0
    assert false <= 9


def test_records_of_one_user_are_no_complementary_pairs():
    """They go in and out together: all models with them are complements of all without."""
    together = np.repeat(np.arange(64) % 2 == 0, 20).reshape(64, 20)
    for member in (together, together[np.argsort(~together[:, 0], kind="stable")]):
        assert complementary_pairs(member) is None
        assert Design.of(member).name == "exactly half"


def test_one_of_each_pair_is_a_table_of_independent_coins():
    member = paired(40, 30)
    table = wb.ScoreTable(np.zeros(member.shape), member)
    clean = table.one_of_each_pair()
    assert clean.design == Design("independent coins", fair=True)
    assert clean.model_names.tolist() == list(range(0, 40, 2))
    with pytest.raises(wb.ScoresError, match="do not come in complementary pairs"):
        clean.one_of_each_pair()


def test_a_member_without_a_score_is_refused():
    member = coins()
    present = np.ones_like(member)
    present[3, 2], member[3, 2] = False, True
    with pytest.raises(wb.ScoresError, match="model 3 was trained on record 2"):
        wb.ScoreTable(np.zeros(member.shape), member, present=present)
