"""The bundled table and generators: two are caught by an audit, and the private one is not."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.synthetic.generators.examples import GENERATORS
from workbench.synthetic.generators.patients import PATIENTS, patients


def test_the_table_is_one_of_its_public_domain_and_has_columns_of_several_kinds():
    table = patients()
    for start in range(0, len(table), 100):
        PATIENTS.check(table.iloc[start : start + 100])
    assert table.shape == (442, 9)
    assert not table.isna().any().any()
    assert {kind.kind for kind in table.dtypes} >= {"i", "f", "O"}
    assert set(table["weight"]) == {"underweight", "normal", "overweight", "obese"}
    table["age"] = 0
    assert patients()["age"].min() == 19  # each call has a table of its own


@pytest.mark.parametrize("name", GENERATORS)
def test_an_example_is_a_split_of_the_table_and_what_was_made_of_one_part(name):
    train, holdout, synthetic = wb.synthetic.example(name, seed=4)
    rows = sorted([*train.index, *holdout.index])
    assert rows == list(range(442))
    assert abs(len(train) - 221) < 50
    assert len(synthetic) == 442
    assert list(synthetic.columns) == list(train.columns)
    again = wb.synthetic.example(name, seed=4)
    for one, other in zip((train, holdout, synthetic), again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    other_train, _, _ = wb.synthetic.example(name, seed=5)
    assert not other_train.index.equals(train.index)


@pytest.mark.parametrize(
    ("name", "refuted"), [("leaking", True), ("private", False), ("wrong", True)]
)
def test_the_audit_catches_the_leaking_and_the_wrong_generator_only(name, refuted):
    """Nothing in it is random: the seeds are fixed. The claim of both others is ε = 1."""
    claim = wb.synthetic.example_generator("private").claim
    assert wb.synthetic.example_generator("wrong").claim == claim == wb.PureDP(1)
    tables = wb.synthetic.example(name, seed=0)
    audit = wb.SyntheticAudit(*tables, split="coin", attacks=["distance"], claim=claim, seed=1)
    assert audit.judge().refuted == refuted
    bound = audit.epsilon(1e-5)
    assert bound.void is None
    assert bound.guarantee != "estimate"
    assert (bound.value > 1.5) == refuted
    if name == "private":
        assert bound.value <= 1


def test_copies_are_of_different_records_as_long_as_there_are_some():
    table = pd.DataFrame({"x": np.arange(100.0), "name": [f"a{i}" for i in range(100)]})
    generator = wb.synthetic.CopyingGenerator(share=0.5, noise=0.0).fit(table)
    made = generator.sample(200, seed=1)
    pairs = set(zip(table["x"], table["name"], strict=True))
    copies = [row for row in zip(made["x"], made["name"], strict=True) if row in pairs]
    assert len(set(copies)) == 100
    assert len(made) == 200


def test_noise_of_copies_is_in_standard_deviations_and_whole_numbers_stay_whole():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "x": rng.normal(0, 10, 500),
            "n": rng.integers(0, 1000, 500),
            "c": list("abcde") * 100,
            "b": rng.random(500) < 0.5,
            "t": pd.date_range("2020-01-01", periods=500),
        }
    )
    generator = wb.synthetic.CopyingGenerator(share=1.0, noise=0.1).fit(table)
    made = generator.sample(500, seed=1)
    assert made.dtypes.equals(table.dtypes)
    moved = np.abs(np.sort(made["x"]) - np.sort(table["x"]))
    assert 0 < moved.mean() < 1
    exact = wb.synthetic.CopyingGenerator(share=1.0, noise=0.0).fit(table).sample(500, seed=1)
    changed = (exact["c"].to_numpy() != made["c"].to_numpy()).mean()
    assert 0.04 < changed < 0.12  # a tenth is drawn anew, and a fifth of these is the same
    apart = (exact["x"] - made["x"]).std() / table["x"].std()
    assert apart == pytest.approx(0.1, rel=0.15)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [({"share": 1.5}, "share must be in"), ({"noise": -1}, "noise must be in")],
)
def test_bad_arguments_of_copies(arguments, says):
    with pytest.raises(ValueError, match=says):
        wb.synthetic.CopyingGenerator(**arguments)


def test_what_cannot_be_copied():
    with pytest.raises(wb.synthetic.GeneratorError, match="has no rows"):
        wb.synthetic.CopyingGenerator().fit(patients().iloc[:0])
    with pytest.raises(wb.synthetic.GeneratorError, match="is not fitted"):
        wb.synthetic.CopyingGenerator().sample(5)
    with pytest.raises(ValueError, match="name must be one of 'leaking', 'private', 'wrong'"):
        wb.synthetic.example("leeking")


# -- proposed records ------------------------------------------------------------------------------


def crowd(extra):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": rng.normal(size=300), "y": rng.normal(size=300), "c": rng.choice(list("ab"), 300)}
    )
    return pd.concat([table, pd.DataFrame(extra)], ignore_index=True)


def test_an_outlier_and_a_rare_value_come_first_with_their_reasons():
    table = crowd({"x": [9.0, 0.0], "y": [9.0, 0.0], "c": ["a", "z"]})
    found = wb.synthetic.targets(table, 5)
    assert found.rows[0] == 300
    assert 301 in found.rows
    assert "x 9 among the largest" in found.reason[0]
    rare = found.reason[found.rows.tolist().index(301)]
    assert "c z in 1 of 302 records" in rare
    assert np.all(np.diff(found.distance) <= 0)
    assert found.to_frame().shape == (5, 3)


def test_a_record_with_a_double_is_no_outlier():
    far = {"x": [9.0, 9.0], "y": [9.0, 9.0], "c": ["a", "a"]}
    single = wb.synthetic.targets(crowd({key: cells[:1] for key, cells in far.items()}), 1)
    assert single.rows.tolist() == [300]
    many = {key: cells * 4 for key, cells in far.items()}
    assert not set(wb.synthetic.targets(crowd(many), 3).rows) & set(range(300, 308))


def test_distances_are_those_of_the_definition():
    table = crowd({"x": [4.0], "y": [0.0], "c": ["b"]}).drop(columns="c")
    found = wb.synthetic.targets(table, len(table))
    z = (table - table.median()) / table.clip(
        table.quantile(0.01), table.quantile(0.99), axis=1
    ).std(ddof=0)
    apart = np.sqrt(((z.to_numpy()[:, None] - z.to_numpy()[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    mean = np.sort(apart, axis=1)[:, :5].mean(axis=1)
    own = np.empty(len(table))
    own[found.rows] = found.distance
    near = np.abs(z.to_numpy()).max(axis=1) < 3  # beyond 4, numbers are compressed
    expected = mean / np.median(mean)
    np.testing.assert_allclose(own[near], expected[near], rtol=0.02)


def test_the_order_of_rows_and_the_unit_of_a_column_do_not_matter():
    table = crowd({"x": [6.0], "y": [0.0], "c": ["b"]})
    order = np.random.default_rng(1).permutation(len(table))
    first = wb.synthetic.targets(table, 4)
    moved = wb.synthetic.targets(table.iloc[order].assign(x=1000 * table["x"]), 4)
    assert order[moved.rows].tolist() == first.rows.tolist()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"k": 0}, "k must be"),
        ({"k": 1000}, "k must be at most the 301 records"),
        ({"columns": {"q": "numeric"}}, "which the tables do not have"),
        ({"table": pd.DataFrame({"x": [1, 1, 1]})}, "no column of the table can be compared"),
        ({"table": [1, 2]}, "must be a pandas DataFrame"),
    ],
)
def test_bad_arguments_of_targets(arguments, says):
    table = crowd({"x": [6.0], "y": [0.0], "c": ["b"]})
    with pytest.raises(ValueError, match=says):
        wb.synthetic.targets(**{"table": table, "k": 1, **arguments})


def test_targets_go_into_runs_with_their_reasons():
    table = crowd({"x": [6.0], "y": [0.0], "c": ["b"]})
    chosen = wb.synthetic.targets(table, 3)
    with ThreadPoolExecutor(1) as pool:
        found = wb.synthetic.generator_runs(
            wb.synthetic.CopyingGenerator(1.0), table, runs=4, targets=chosen, executor=pool
        )
    assert found.record_names.tolist() == chosen.rows.tolist()
    assert found.attributes["reason"].tolist() == chosen.reason.tolist()
