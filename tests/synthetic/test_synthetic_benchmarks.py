"""The measurements of synthetic audits: what they draw has the ε that they say, and they count."""

import math
import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.synthetic import command, generators, level, power
from benchmarks.synthetic.environments import KINDS, PYTHONS, answer, read, written
from benchmarks.synthetic.tables import GENERATORS, HOUSEHOLD, answering, drawn, population


def test_the_population_has_five_kinds_of_columns_and_rows_that_depend():
    table = population(np.random.default_rng(0), 600)
    assert set(table.columns) == set(KINDS)
    assert pd.api.types.is_datetime64_dtype(table["since"])
    assert table["smokes"].dtype == bool
    assert 0.1 < table["weight"].isna().mean() < 0.3
    assert table.duplicated().sum() > 0
    pay = np.log(table["pay"].to_numpy()).reshape(-1, HOUSEHOLD)
    assert np.corrcoef(pay[:, 0], pay[:, 1])[0, 1] > 0.7


@pytest.mark.parametrize("name", GENERATORS)
def test_a_record_more_or_less_changes_probabilities_by_what_is_stated(name):
    generator, pool = GENERATORS[name], population(np.random.default_rng(1), 20_000)
    member = np.arange(20_000) % 2 == 0
    made, turned = (
        generator.make(np.random.default_rng(2), pool, who) for who in (member, ~member)
    )
    assert generator.independent == made.equals(turned)
    if not generator.independent:  # each record answers for itself, and is there or not
        told = pool.index.isin(made.index)
        assert told.sum() == len(made)
        ratio = told[member].mean() / told[~member].mean()
        assert ratio == pytest.approx(math.exp(generator.epsilon), rel=0.05)


def test_all_is_revealed_as_often_as_stated():
    pool, member = population(np.random.default_rng(1), 30), np.arange(30) % 2 == 0
    make, rng = answering(1.0, 0.3), np.random.default_rng(3)
    made = [set(make(rng, pool, member).index) for _ in range(200)]
    assert 40 < sum(one == set(np.flatnonzero(member)) for one in made) < 80


def test_audits_of_a_known_generator_are_kept_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(level, "KEPT", tmp_path)
    monkeypatch.setattr(level, "RECORDS", 80)
    monkeypatch.setattr(level, "claims_of", lambda generator, i: {"a": i == 1, "b": False})
    rows = level.main(3, ("pool",))
    assert rows == [("pool", "a", "1", "3", "33.3%", "0.14"), ("pool", "b", "0", "3", "0.0%", "1")]
    monkeypatch.setattr(level, "claims_of", None)  # all is there
    assert level.main(3, ("pool",)) == rows
    assert "33.3%" in level.measured()


@pytest.mark.parametrize("name", ["pool", "answers"])
def test_one_audit_claims_something_of_every_attack_and_threat(name):
    found = level.claims_of(GENERATORS[name], 0, records=100)
    assert {"attack distance", "attacks, chosen", "attacks, all", "exact copies, ε"} <= set(found)
    assert ("exact copies, test of the coins" in found) == GENERATORS[name].independent


def test_tables_of_the_power_have_so_many_copies():
    train, _, made = power.tables(1000, 0.1, 0)
    assert abs(len(train) - 500) < 80
    assert len(made) == len(train)
    near = made.merge(train, on=["region", "since", "smokes"], suffixes=("", "_of"))
    close = (near["age"] - near["age_of"]).abs() < 2
    assert 0.05 * len(made) < near[close].index.size


def test_scripts_of_other_packages_say_what_is_missing(tmp_path, monkeypatch):
    train, _, _ = drawn(GENERATORS["population"], np.random.default_rng(0), 30)
    again = read(written(tmp_path, train=train), "train")
    pd.testing.assert_frame_equal(again, train.reset_index(drop=True), check_dtype=False)
    for script, variable in PYTHONS.items():
        monkeypatch.delenv(variable, raising=False)
        assert answer(script, tmp_path) == {"missing": f"{variable} names no interpreter"}
    monkeypatch.setenv("SDV_PYTHON", sys.executable)  # which lacks it
    (row,) = generators.main(1, ("copula",))
    assert "No module named" in " ".join(row)


def test_the_command_knows_its_tables(capsys, monkeypatch):
    assert benchmarks.main(["synthetic", "nothing"]) == 2
    monkeypatch.setitem(command.TABLES, "size", (("a", "b"), lambda: [("1", "2")]))
    assert benchmarks.main(["synthetic", "size"]) == 0
    assert "a  b" in capsys.readouterr().out
