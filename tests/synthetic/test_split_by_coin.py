"""A split by coins, the script that makes it, and the test whether a split can be random."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.people_in_tables import people, three
from scipy.stats import hypergeom

import workbench as wb
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.split_test import SPLIT_LEVEL, SplitTest
from workbench.synthetic.tables import read_synthetic_tables


def split_test(inside, table=None, seed=1, **how):
    """The test of a split of a table."""
    table = people(len(inside), 1) if table is None else table
    made = people(60, 2)
    return SplitTest.of(
        read_synthetic_tables(table[inside], table[~inside], made, seed=seed, **how)
    )


# -- making one ------------------------------------------------------------------------------------


def test_a_split_follows_from_its_number_and_keeps_the_order():
    table = people(200, 1)
    split = wb.synthetic.split_by_coin(table, seed=3)
    train, holdout = split
    again = wb.synthetic.split_by_coin(table, seed=split.seed)
    assert train.equals(again.train)
    assert train.index.is_monotonic_increasing
    assert sorted([*train.index, *holdout.index]) == list(table.index)
    assert 70 < len(train) < 130
    frame = split.to_frame()
    assert frame["in_training"].sum() == len(train)
    assert wb.synthetic.split_by_coin(table).seed != wb.synthetic.split_by_coin(table).seed


def test_a_unit_has_one_coin():
    table = people(400, 1).assign(who=np.arange(400) // 4)
    train, holdout = wb.synthetic.split_by_coin(table, unit="who", seed=3)
    assert not set(train["who"]) & set(holdout["who"])
    assert 30 < train["who"].nunique() < 70


@pytest.mark.parametrize("unit", [None, "who"])
def test_the_script_makes_the_same_split(tmp_path, unit):
    table = people(120, 1).assign(who=np.arange(120) // 2)
    table.to_csv(tmp_path / "people.csv", index=False)
    split = wb.synthetic.split_by_coin(table, unit=unit, seed=9)
    text = split.script("people.csv")
    assert len(text.splitlines()) < 16
    subprocess.run([sys.executable, "-c", text], cwd=tmp_path, check=True)
    for name, part in zip(("train", "holdout"), split, strict=True):
        assert pd.read_csv(tmp_path / f"{name}.csv")["id"].tolist() == part["id"].tolist()


def test_what_cannot_be_split_is_refused():
    with pytest.raises(TypeError, match="table must be a DataFrame; read a file with"):
        wb.synthetic.split_by_coin("people.csv")
    with pytest.raises(SyntheticTablesError, match="the table has 49 records"):
        wb.synthetic.split_by_coin(people(49, 1))
    with pytest.raises(SyntheticTablesError, match="the table has 12 units"):
        wb.synthetic.split_by_coin(people(600, 1), unit="city")
    with pytest.raises(SyntheticTablesError, match="unit='who' is no column of the table"):
        wb.synthetic.split_by_coin(people(60, 1), unit="who")
    with pytest.raises(SyntheticTablesError, match="records have no 'age'"):
        wb.synthetic.split_by_coin(people(600, 1), unit="age")


# -- whether one can be random ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "inside",
    [
        lambda t: t["pay"] > t["pay"].median(),
        lambda t: t["since"] < pd.Timestamp("2016-01-01"),
        lambda t: t["city"].isin([f"city {k}" for k in range(6)]),
        lambda t: t["smokes"] == "yes",
        lambda t: t["age"].rank(na_option="top") > 60,
    ],
)
def test_splits_that_follow_from_a_column_are_caught(inside):
    table = people(1000, 1)
    found = split_test(inside(table).to_numpy(), table)
    assert found.p_value <= SPLIT_LEVEL
    assert not found.passed
    assert "was not random" in found.explain()


@pytest.mark.parametrize("n", [100, 1000])
def test_a_test_set_of_another_year_is_caught(n):
    train, later = people(n, 1), people(n, 2)
    later["since"] += pd.Timedelta(days=4000)
    assert not split_test(np.arange(2 * n) < n, pd.concat([train, later])).passed
    raised = people(n, 2).assign(pay=lambda t: 30 * t["pay"])
    assert not split_test(np.arange(2 * n) < n, pd.concat([train, raised])).passed


def test_a_split_that_was_random_passes_as_coins_or_of_a_fixed_size():
    rng = np.random.default_rng(5)
    for share in (0.5, 0.8):
        found = split_test(rng.permutation(1000) < 1000 * share)
        assert found.passed
        assert found.coins_possible == (share == 0.5)
        assert "does not show that it was random" in found.explain()


def test_the_p_value_is_exact_given_what_was_named():
    """Of all ways to choose the members of the tested half, the share with as many hits or more."""
    found = split_test(np.random.default_rng(5).random(200) < 0.5)
    tested, named, hits = found.tested, found.named, found.hits
    ways = [math.comb(named, k) * math.comb(tested - named, named - k) for k in range(named + 1)]
    assert sum(ways) == math.comb(tested, named)
    assert found.p_value == pytest.approx(sum(ways[hits:]) / sum(ways), rel=1e-9)
    # One more hit has a smaller p-value, one fewer a larger one: no other tail is summed.
    assert hypergeom.sf(hits, tested, named, named) < found.p_value
    assert hypergeom.sf(hits - 2, tested, named, named) > found.p_value


@pytest.mark.statistical
@pytest.mark.parametrize("unit", [None, "who"])
def test_the_level_of_the_test_is_kept_for_dependent_rows(unit):
    """Rows of one person are alike; p-values at most α come with a probability of at most α."""
    rng = np.random.default_rng(0)
    base = people(100, 1)
    table = pd.concat([base.assign(who=np.arange(100)), base.assign(who=np.arange(100))])
    table["pay"] *= np.exp(rng.normal(0, 0.01, 200))
    if unit is None:
        tables = read_synthetic_tables(table[:100], table[100:], people(60, 2), seed=1)
    else:
        even = table["who"] % 2 == 0
        tables = read_synthetic_tables(table[even], table[~even], people(60, 2), seed=1, unit=unit)
    found = []
    for seed in range(400):
        coins = rng.permutation(200) < 100 if unit is None else rng.random(100) < 0.5
        drawn = replace(tables, member=coins[tables.canary], seed=seed)
        found.append(SplitTest.of(drawn).p_value)
    for level in (0.05, 0.25):
        # 400 draws: a valid test exceeds the limit with a probability of 1e-4.
        assert np.mean(np.array(found) <= level) <= level + 3.7 * math.sqrt(level / 400)


def test_the_number_of_members_is_tested():
    found = split_test(np.arange(400) % 5 > 0)
    assert found.members == 320
    assert found.coins < 1e-30
    assert not found.coins_possible
    with pytest.raises(SyntheticTablesError, match=r"320 of the 400 .* state split='fixed-size'"):
        wb.SyntheticAudit(people(320, 1), people(80, 2), people(60, 3))


def test_tables_of_coins_are_not_refused_for_their_number():
    for seed in range(20):
        train, holdout, made = three(200, seed)
        wb.SyntheticAudit(train, holdout, made, seed=seed)
