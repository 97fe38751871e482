"""The private generator keeps its claim exactly, and no smaller one; the wrong one does not."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.mechanisms import category, integer, numeric
from workbench.synthetic.generators.bins import ColumnBins
from workbench.synthetic.generators.forgotten import ForgottenMarginal
from workbench.synthetic.generators.marginals import PrivateMarginals
from workbench.synthetic.generators.refusals import GeneratorError

TINY = wb.TableDomain({"a": ["x", "y"], "b": ["x", "y"]}, rows=(0, 3))


def all_tables(rows):
    records = list(itertools.product("xy", "xy"))
    for some in itertools.combinations_with_replacement(records, rows):
        yield pd.DataFrame(some, columns=["a", "b"], dtype=object)


def neighbors():
    """Every table of up to 2 records, and each with one record more."""
    for rows in range(3):
        for table in all_tables(rows):
            for record in itertools.product("xy", "xy"):
                more = pd.DataFrame([record], columns=["a", "b"])
                yield table, pd.concat([table, more], ignore_index=True)


def flat(counts):
    return np.concatenate([one.ravel() for one in counts.values()])


@pytest.mark.parametrize("parents", [{}, {"b": "a"}, {"a": "b"}])
def test_a_record_moves_one_count_of_each_table_by_one(parents):
    """Sensitivity k in the 1-norm and √k in the 2-norm, over all tables of a tiny domain."""
    generator = PrivateMarginals(TINY, "pure(1)", parents)
    for table, more in neighbors():
        moved = flat(generator.counts(more)) - flat(generator.counts(table))
        assert sorted(moved)[-2:] == [1, 1]
        assert np.abs(moved).sum() == generator.tables == 2
        assert np.sum(moved**2) == generator.tables


def log_ratio(generator, reach=40):
    """The largest log likelihood ratio of the noisy counts of neighbors, by enumeration.

    Noise of counts is independent, so that it is the sum over the counts that differ.
    """
    z = np.arange(-reach, reach + 1)
    scale = generator.noise_scale
    log_mass = math.log(math.tanh(1 / (2 * scale))) - np.abs(z) / scale
    assert np.exp(log_mass).sum() == pytest.approx(1, abs=2 * math.exp(-reach / scale))
    # Where the noise is 1 less, since the count is 1 more, against as it is.
    one = max(np.max(log_mass[:-1] - log_mass[1:]), np.max(log_mass[1:] - log_mass[:-1]))
    return max(
        np.abs(flat(generator.counts(more)) - flat(generator.counts(table))).sum() * one
        for table, more in neighbors()
    )


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_largest_ratio_of_neighbors_is_the_claim_itself(epsilon):
    generator = PrivateMarginals(TINY, wb.PureDP(epsilon), {"b": "a"})
    assert log_ratio(generator) == pytest.approx(epsilon, rel=1e-12)


def test_the_noise_has_the_probabilities_of_the_proof():
    """At n = 200,000 no frequency is off by 5 standard errors; with half the scale, many are."""
    n = 200_000
    for factor, right in ((1.0, True), (0.5, False)):
        generator = PrivateMarginals(TINY, wb.PureDP(1.0 / factor))
        noise = generator._noise((n,), np.random.default_rng(0))
        assert np.array_equal(noise, noise.round())
        a = math.exp(-1 / PrivateMarginals(TINY, wb.PureDP(1.0)).noise_scale)
        z = np.arange(-8, 9)
        expected = (1 - a) / (1 + a) * a ** np.abs(z)
        found = np.array([(noise == one).mean() for one in z])
        off = np.abs(found - expected) / np.sqrt(expected * (1 - expected) / n)
        assert (off < 5).all() == right


def test_gaussian_noise_has_exactly_the_mu_of_the_claim():
    generator = PrivateMarginals(TINY, wb.GDP(0.7), {"b": "a"})
    assert math.sqrt(generator.tables) / generator.noise_scale == pytest.approx(0.7, rel=1e-12)
    noise = generator._noise((100_000,), np.random.default_rng(1))
    assert noise.std() == pytest.approx(generator.noise_scale, rel=0.02)


def test_gaussian_noise_has_the_delta_of_the_claim_and_no_more():
    generator = PrivateMarginals(TINY, wb.ApproxDP(1.0, 1e-5), {"b": "a"})
    delta = wb.GaussianPair(math.sqrt(generator.tables) / generator.noise_scale).delta(1.0)
    assert delta <= 1e-5
    assert delta == pytest.approx(1e-5, rel=1e-8)


def test_all_that_is_kept_follows_from_the_noisy_counts():
    """Two tables with the same noisy counts have the same synthetic tables."""
    generator = PrivateMarginals(TINY, "pure(1)", {"b": "a"})
    for table, more in itertools.islice(neighbors(), 8):
        first, second = (PrivateMarginals(TINY, "pure(1)", {"b": "a"}) for _ in range(2))
        first.fit(table, seed=3)
        second.fit(more, seed=4)
        second._noisy = first._noisy
        pd.testing.assert_frame_equal(first.sample(20, seed=5), second.sample(20, seed=5))
    kept = {k: v for k, v in vars(generator.fit(table, seed=1)).items() if k.startswith("_")}
    assert set(kept) == {"_noisy"}


def test_with_little_noise_the_synthetic_table_has_the_counts_of_the_tree():
    domain = wb.TableDomain(
        {"age": integer(18, 90), "smokes": ["yes", "no"], "weight": numeric(30, 150, missing=True)}
    )
    rng = np.random.default_rng(0)
    age = rng.integers(18, 91, 4000)
    table = pd.DataFrame(
        {
            "age": age,
            "smokes": np.where(rng.random(4000) < age / 100, "yes", "no"),
            "weight": np.where(rng.random(4000) < 0.1, np.nan, rng.uniform(50, 90, 4000)),
        }
    )
    generator = PrivateMarginals(domain, wb.PureDP(1e6), {"smokes": "age"}).fit(table, seed=1)
    found = generator.sample(40_000, seed=2)
    assert found["weight"].isna().mean() == pytest.approx(table["weight"].isna().mean(), abs=0.01)
    for low, high in ((18, 40), (60, 91)):
        share = [
            (one.loc[one["age"].between(low, high), "smokes"] == "yes").mean()
            for one in (table, found)
        ]
        assert share[1] == pytest.approx(share[0], abs=0.03)
    assert found["age"].between(18, 90).all()
    assert found["age"].dtype == "int64"


def test_every_value_has_a_cell_so_that_no_error_depends_on_the_table():
    domain = wb.TableDomain({"n": integer(0, 9), "c": ["x", "y"], "x": numeric(0.0, 1.0)})
    odd = pd.DataFrame(
        {
            "n": [-5, 100, np.nan, 3],
            "c": ["x", "z", None, "y"],
            "x": [np.inf, -np.inf, np.nan, 0.5],
        }
    )
    generator = PrivateMarginals(domain, "pure(1)", {"c": "n"})
    assert [one.sum() for one in generator.counts(odd).values()] == [4, 4, 4]
    assert generator.counts(odd)["x"].tolist() == [1, 0, 0, 0, 1, 0, 0, 1, 1]
    empty = odd.iloc[:0]
    for table in (odd, empty):
        found = generator.fit(table, seed=0).sample(50, seed=1)
        domain.check(found.head(10))
        assert len(found) == 50


@pytest.mark.parametrize("bins", [1, 3, 7, 10, 64])
def test_intervals_of_whole_numbers_have_all_of_them_and_no_other(bins):
    column = ColumnBins(integer(-3, 9), bins)
    values = pd.Series(range(-3, 10))
    cells = column.cells(values)
    assert set(cells) == set(range(min(bins, 13)))
    drawn = column.values(np.repeat(cells, 50), np.random.default_rng(0))
    assert set(drawn) == set(range(-3, 10))
    assert np.array_equal(column.cells(drawn), np.repeat(cells, 50))


def test_the_forgotten_table_is_released_as_it_is():
    """With noise that drowns everything else, each row still lies in the cell of a record."""
    domain = wb.TableDomain({"u": numeric(0.0, 1.0), "v": numeric(0.0, 1.0)})
    table = pd.DataFrame(np.random.default_rng(0).random((30, 2)), columns=["u", "v"])
    wrong = ForgottenMarginal(domain, wb.PureDP(1e-6), bins=50).fit(table, seed=1)
    cells = {tuple(row) for row in np.floor(table.to_numpy() * 50).astype(int)}
    found = {tuple(row) for row in np.floor(wrong.sample(500, seed=2).to_numpy() * 50).astype(int)}
    assert found == cells
    right = PrivateMarginals(domain, wb.PureDP(1e-6), bins=50).fit(table, seed=1)
    found = {tuple(row) for row in np.floor(right.sample(500, seed=2).to_numpy() * 50).astype(int)}
    assert len(found & cells) < 30


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"claim": "zcdp(1)"}, "claim must be wb.PureDP, wb.GDP or wb.ApproxDP"),
        ({"claim": "pure(0)"}, "above 0"),
        ({"claim": "pure(1e-13)"}, "noise of a scale of at most 1e"),
        ({"claim": "approx(1, 0)"}, "delta must"),
        ({"parents": {"b": "c"}}, "'c' in parents is no column"),
        ({"parents": {"b": "a", "a": "b"}}, "its own ancestor"),
        ({"parents": {"a": "a"}}, "its own ancestor"),
        ({"parents": ["a"]}, "parents must be a mapping"),
        ({"bins": 0}, "bins must be"),
    ],
)
def test_bad_arguments(arguments, says):
    with pytest.raises(ValueError, match=says):
        PrivateMarginals(**{"domain": TINY, "claim": "pure(1)", **arguments})


def test_too_many_cells():
    domain = wb.TableDomain({"a": integer(0, 5000), "b": category(*range(5000))})
    with pytest.raises(ValueError, match="cells, at most 1,000,000"):
        PrivateMarginals(domain, "pure(1)", {"b": "a"}, bins=5000)


def test_what_cannot_be_fitted_or_is_not():
    generator = PrivateMarginals(TINY, "pure(1)")
    with pytest.raises(GeneratorError, match="PrivateMarginals is not fitted"):
        generator.sample(3)
    with pytest.raises(GeneratorError, match="the table has no column 'b'"):
        generator.fit(pd.DataFrame({"a": ["x"]}))
    with pytest.raises(GeneratorError, match="must be a pandas DataFrame"):
        generator.fit([1, 2])
    with pytest.raises(ValueError, match="'c' in joint is no column"):
        ForgottenMarginal(TINY, "pure(1)", joint=("c",))
