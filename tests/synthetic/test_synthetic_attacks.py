"""Attacks on synthetic tables: they see no membership that is measured, and they find copies."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.software.extras import MissingPackage
from workbench.synthetic.attacks import base
from workbench.synthetic.attacks.base import AttackView
from workbench.synthetic.attacks.marginals import MARGINALS, ORDER, marginals, query_scores
from workbench.synthetic.attacks.neighborhoods import Neighborhoods
from workbench.synthetic.attacks.neighbors import nearest
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.synthetic.encoding import encode
from workbench.synthetic.tables import read_synthetic_tables

SPECIAL = ("forest", "classifier")


def people(n, rng):
    """A table of four kinds of columns, with missing cells and equal rows."""
    health, age = rng.standard_normal(n), rng.integers(18, 90, n)
    frame = pd.DataFrame(
        {
            "age": age.astype(float),
            "pay": np.exp(rng.normal(10 + health / 2, 0.5)).round(),
            "born": pd.Timestamp("2000-01-01") - pd.to_timedelta(age * 365.0, unit="D"),
            "town": rng.choice([f"town {i}" for i in range(30)], n, p=np.arange(1, 31) / 465),
            "smoker": rng.random(n) < 1 / (1 + np.exp(health)),
        }
    )
    frame.loc[rng.random(n) < 0.1, "pay"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    frame.iloc[: n // 20] = frame.iloc[n // 20 : 2 * (n // 20)].to_numpy()
    return frame.astype({"age": float, "pay": float, "smoker": bool})


def with_noise(copies, rng, noise=0.02):
    made = copies.reset_index(drop=True).copy()
    for name in ("age", "pay"):
        made[name] += noise * made[name].std() * rng.standard_normal(len(made))
    return made


def leaking(n=600, share=0.3, seed=0):
    """A table, the coins of its records, and a synthetic table of which a share are near copies."""
    rng = np.random.default_rng(seed)
    table, member = people(2 * n, rng), rng.random(2 * n) < 0.5
    copied = rng.choice(np.flatnonzero(member), int(share * n), replace=False)
    fresh = people(n - copied.size, rng)
    return table, member, pd.concat([fresh, with_noise(table.iloc[copied], rng)], ignore_index=True)


def view_of(table, member, synthetic):
    tables = read_synthetic_tables(table[member], table[~member], synthetic, seed=1)
    return AttackView.of(tables), tables.member


@pytest.fixture(scope="module")
def case():
    return leaking()


@pytest.fixture(scope="module")
def seen(case):
    return view_of(*case)


# -- what attacks see ------------------------------------------------------------------------------


def test_scores_of_measured_records_are_bitwise_the_same_whoever_of_them_was_in(case):
    """The whole audit: tables in, scores of the measured share out, for all attacks."""
    table, member, synthetic = case
    # Of equal rows, the pool has those of training first: their order alone tells coins.
    once = ~table.duplicated(keep=False).to_numpy()
    table, member = table[once], member[once]
    first = wb.SyntheticAudit(table[member], table[~member], synthetic, seed=1)
    tables = first.tables
    row = np.where(
        tables.member,
        np.flatnonzero(member)[tables.place % member.sum()],
        np.flatnonzero(~member)[tables.place % (~member).sum()],
    )
    measured = row[~first._learning]
    other = member.copy()
    other[measured] = np.random.default_rng(2).permutation(other[measured])
    assert (other != member).sum() > 100
    second = wb.SyntheticAudit(table[other], table[~other], synthetic, seed=1)
    pd.testing.assert_frame_equal(first.tables.pool, second.tables.pool)
    assert {one.name for one in first.attacks} == set(ATTACKS)
    for name in ATTACKS:
        runs = [audit.attack(name).run for audit in (first, second)]
        np.testing.assert_array_equal(runs[0].scores, runs[1].scores, err_msg=name)
        assert (runs[0].included != runs[1].included).any()
        assert first.attack(name).rule == second.attack(name).rule
    assert first.chosen == second.chosen


@pytest.mark.parametrize("name", ATTACKS)
def test_scores_do_not_depend_on_the_order_of_pool_and_synthetic_rows(name, seen):
    view, member = seen
    rng = np.random.default_rng(3)
    order = rng.permutation(len(view.pool))
    moved = AttackView(
        view.columns,
        view.pool.iloc[order].reset_index(drop=True),
        view.synthetic.iloc[rng.permutation(len(view.synthetic))].reset_index(drop=True),
        view.seed,
    )
    known = rng.permutation(len(order))[:400]
    place = np.argsort(order)
    scores = ATTACKS[name].fit(view, known, member[known])(np.arange(len(order)))
    again = ATTACKS[name].fit(moved, place[known], member[known])(place)
    np.testing.assert_array_equal(scores, again)


@pytest.mark.parametrize("name", ATTACKS)
def test_equal_records_have_equal_scores(name, seen):
    view, member = seen
    known = np.arange(0, len(view.pool), 3)
    scores = ATTACKS[name].fit(view, known, member[known])(np.arange(len(view.pool)))
    of_row = pd.Series(scores).groupby(view.signals.encoded.pool.keys)
    assert (of_row.nunique() == 1).all()
    assert of_row.size().max() > 1


@pytest.mark.parametrize("name", ATTACKS)
def test_scores_are_finite_numbers_for_hard_tables(name):
    rng = np.random.default_rng(4)
    n = 60
    table = pd.DataFrame(
        {
            "one": np.repeat([0.0, 1.0], [n - 1, 1]),
            "wide": 10.0 ** rng.uniform(-300, 300, n),
            "gaps": np.where(rng.random(n) < 0.9, np.nan, rng.random(n)),
            "text": rng.choice(["a", "b"], n),
        }
    )
    member = np.arange(n) % 2 == 0
    view, inside = view_of(table, member, table.iloc[:1])
    known = np.arange(0, n, 2)
    scores = ATTACKS[name].fit(view, known, inside[known])(np.arange(n))
    assert scores.shape == (n,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", ATTACKS)
def test_all_records_may_be_equal(name):
    table = pd.DataFrame({"a": ["x"] * 40 + ["y"] * 40, "b": [1.5] * 80})
    member = np.arange(80) % 2 == 0
    view, inside = view_of(table, member, table.iloc[:40])
    known = np.arange(0, 80, 2)
    scores = ATTACKS[name].fit(view, known, inside[known])(np.arange(80))
    assert np.isfinite(scores).all()


def test_memberships_of_one_side_alone_teach_the_forest_nothing(seen):
    view, member = seen
    known = np.flatnonzero(member)[:50]
    scores = ATTACKS["forest"].fit(view, known, member[known])(np.arange(len(member)))
    assert np.ptp(scores) == 0


def test_what_needs_scikit_learn_is_left_out_where_it_is_missing(case, monkeypatch):
    table, member, synthetic = case
    monkeypatch.setattr(base, "find_spec", lambda name: None)
    audit = wb.SyntheticAudit(table[member], table[~member], synthetic, seed=1)
    assert {one.name for one in audit.attacks} == set(ATTACKS) - set(SPECIAL)


def test_an_attack_that_was_asked_for_says_what_it_needs(seen, monkeypatch):
    view, member = seen
    monkeypatch.setattr("workbench.software.extras.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"sklearn.*mechanisms"):
        ATTACKS["forest"].fit(view, np.arange(20), member[:20])


# -- what they find --------------------------------------------------------------------------------


def auc(scores, member):
    ranks = pd.Series(scores).rank().to_numpy()
    inside = int(member.sum())
    return (ranks[member].sum() - inside * (inside + 1) / 2) / (inside * (~member).sum())


@pytest.mark.parametrize("name", ATTACKS)
def test_copies_are_found(name):
    """All records of training are there, with noise; the classifier overfits little."""
    rng = np.random.default_rng(5)
    table, member = people(1200, rng), rng.random(1200) < 0.5
    view, inside = view_of(table, member, with_noise(table[member], rng))
    known = np.arange(400)
    scores = ATTACKS[name].fit(view, known, inside[known])(np.arange(400, 1200))
    assert auc(scores, inside[400:]) > (0.6 if name == "classifier" else 0.85)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_table_that_knows_nothing_gives_no_attack_anything(name):
    rng = np.random.default_rng(6)
    table, member = people(1200, rng), rng.random(1200) < 0.5
    view, inside = view_of(table, member, people(600, rng))
    known = np.arange(400)
    scores = ATTACKS[name].fit(view, known, inside[known])(np.arange(400, 1200))
    assert abs(auc(scores, inside[400:]) - 0.5) < 4 * np.sqrt(1 / (12 * 200))


def test_marginals_alone_are_found_by_queries():
    """A generator that releases marginals of one column, and no record."""
    rng = np.random.default_rng(7)
    found = {name: [] for name in ("queries", "distance")}
    for _ in range(4):
        table, member = people(500, rng), rng.random(500) < 0.5
        train = table[member]
        made = pd.DataFrame(
            {
                name: train[name].sample(len(train), random_state=rng.integers(2**31)).to_numpy()
                for name in train
            }
        )
        view, inside = view_of(table, member, made)
        for name, of in found.items():
            scores = ATTACKS[name].fit(view, np.arange(200), inside[:200])(np.arange(200, 500))
            of.append(auc(scores, inside[200:]))
    assert np.mean(found["queries"]) > 0.56
    assert np.mean(found["queries"]) > np.mean(found["distance"]) + 0.03


def test_one_percent_of_near_copies_is_found():
    """Of 4000 records of training, 40 are there with noise; some 24 of them are measured."""
    rng = np.random.default_rng(8)
    table, member = pd.DataFrame(rng.standard_normal((8000, 10))), rng.random(8000) < 0.5
    copied = table[member].iloc[:40] + rng.normal(0, 0.05, (40, 10))
    synthetic = pd.concat([pd.DataFrame(rng.standard_normal((3960, 10))), copied])
    names = ["distance-ratio", "density-ratio"]
    audit = wb.SyntheticAudit(table[member], table[~member], synthetic, seed=1, attacks=names)
    assert min(audit.epsilon(1e-5, attack=name).value for name in names) > 0.95


# -- distances -------------------------------------------------------------------------------------


def test_nearest_is_exact_for_small_tables():
    rng = np.random.default_rng(9)
    queries, points = (rng.standard_normal((n, 5), np.float32) for n in (300, 3000))
    squares = ((queries[:, None] - points[None]) ** 2).sum(axis=2)
    expected = np.sort(np.argsort(squares, axis=1)[:, :4], axis=1)
    np.testing.assert_array_equal(np.sort(nearest(queries, points, 4), axis=1), expected)


def test_nearest_finds_near_points_of_large_tables():
    rng = np.random.default_rng(10)
    points = rng.standard_normal((8000, 6), np.float32)
    queries = points[:500] + rng.normal(0, 0.01, (500, 6)).astype(np.float32)
    found = nearest(queries, points, 3)
    assert (found == np.arange(500)[:, None]).any(axis=1).all()
    squares = ((queries[:, None] - points[None]) ** 2).sum(axis=2)
    exact = np.argsort(squares, axis=1)[:, :3]
    assert np.mean([len({*a} & {*b}) / 3 for a, b in zip(found, exact, strict=True)]) > 0.85


@pytest.mark.parametrize("points", [1, 2, 7])
def test_few_points_are_all_found(points):
    rng = np.random.default_rng(11)
    found = nearest(
        rng.standard_normal((4, 2), np.float32),
        rng.standard_normal((points, 2), np.float32),
        points,
    )
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(points), (4, 1)))


def test_cells_may_have_fewer_points_than_neighbors_are_asked_for(monkeypatch, case):
    monkeypatch.setattr("workbench.synthetic.attacks.neighbors._CELL", 4)
    monkeypatch.setattr("workbench.synthetic.attacks.neighbors._PROBES", 1)
    rng = np.random.default_rng(14)
    found = nearest(*(rng.standard_normal((n, 2), np.float32) for n in (50, 200)), 6)
    assert (found == -1).any()
    assert all(len({*row} - {-1}) == (row >= 0).sum() > 0 for row in found)
    view, _ = view_of(*case)
    near = view.signals.neighborhoods
    for one in (near.synthetic, near.pool):
        np.testing.assert_array_equal(np.isinf(one.distances), one.times == 0)
        assert np.isfinite(one.mean(3)).all()
    assert np.isfinite(view.signals.features).all()


def test_a_record_is_no_neighbor_of_itself_and_its_copies_are():
    table = pd.DataFrame({"x": [*np.arange(60.0) ** 1.5, 1.0], "y": ["a", "b"] * 30 + ["b"]})
    member = np.arange(61) % 2 == 0
    view, _ = view_of(table, member, table.iloc[:10])
    near = Neighborhoods.of(view.signals.encoded).pool
    twice = (view.pool["x"] == 1.0).to_numpy()
    assert twice.sum() == 2
    assert (near.distances[twice, 0] == 0).all()
    assert (near.times[twice, 0] == 1).all()
    assert (near.distances[~twice, 0] > 0).all()


def test_distances_of_neighbors_are_sums_over_columns(seen):
    view, _ = seen
    encoded = view.signals.encoded
    near = view.signals.neighborhoods
    numbers = np.abs(encoded.pool.numbers[:, None] - encoded.synthetic.numbers[None])
    codes = encoded.pool.codes[:, None] != encoded.synthetic.codes[None]
    exact = np.minimum(numbers, 2).sum(axis=2) + codes.sum(axis=2)
    np.testing.assert_array_less(exact.min(axis=1) - 1e-4, near.synthetic.distances[:, 0])
    assert np.mean(np.isclose(exact.min(axis=1), near.synthetic.distances[:, 0], atol=1e-4)) > 0.6


def test_equal_rows_count_as_often_as_they_are_there():
    table = pd.DataFrame({"x": [*range(50), 7, 7], "y": ["a", "b"] * 26})
    table.loc[[7, 50, 51], "y"] = "b"
    synthetic = pd.concat([table.iloc[[7] * 5], table.iloc[:3]], ignore_index=True)
    view, _ = view_of(table, np.arange(52) % 2 == 0, synthetic)
    seven = (view.pool["x"] == 7).to_numpy()
    near = view.signals.neighborhoods
    assert (near.synthetic.times[seven, 0] == 5).all()
    assert (near.pool.times[seven, 0] == 2).all()
    np.testing.assert_allclose(near.synthetic.weight(1e-6)[seven], 5)
    np.testing.assert_allclose(near.synthetic.mean(5)[seven], 0)
    assert (near.synthetic.mean(6)[seven] > 0).all()


# -- queries ---------------------------------------------------------------------------------------


def test_the_evidence_of_one_column_is_that_of_its_cell():
    """Of 8 records in a cell 4 are expected in; 7 synthetic rows of a table of half the size."""
    table = pd.DataFrame({"town": ["a"] * 8 + ["b"] * 52})
    synthetic = pd.DataFrame({"town": ["a"] * 7 + ["b"] * 23})
    view, _ = view_of(table, np.arange(60) % 2 == 0, synthetic)
    scores = query_scores(view.signals.encoded)
    expected = np.array([4, 26])
    excess = (np.array([7, 23]) - expected) ** 2 / (1.5 * expected)
    terms = (np.array([7, 23]) - expected) / (1.5 * expected) / max(excess.mean(), 1)
    of = (view.pool["town"] == "b").to_numpy().astype(int)
    np.testing.assert_allclose(scores[:, 0], terms[of])
    assert not scores[:, 1:].any()


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 20, 60, 300])
def test_marginals_are_different_and_not_too_many(columns):
    found = marginals(columns)
    assert found == marginals(columns)
    assert len(set(found)) == len(found) <= MARGINALS
    assert all(len(set(one)) == len(one) <= ORDER and max(one) < columns for one in found)
    if columns <= 20:
        assert {(j,) for j in range(columns)} <= set(found)


# -- encoding --------------------------------------------------------------------------------------


def test_missing_cells_are_a_category_of_their_own(seen):
    view, _ = seen
    encoded = view.signals.encoded
    assert encoded.sizes == (2, 31, 2)
    gaps = view.pool["pay"].isna().to_numpy()
    np.testing.assert_array_equal(encoded.pool.codes[:, 0], gaps)
    np.testing.assert_array_equal(encoded.pool.numbers[gaps, 1], 0)
    np.testing.assert_array_equal(encoded.pool.codes[:, 1] == 30, view.pool["town"].isna())


def test_scales_are_those_of_the_pool(seen):
    view, _ = seen
    wild = view.synthetic.copy()
    wild["pay"] *= 1e6
    np.testing.assert_array_equal(
        encode(view.pool, wild, view.columns).pool.numbers, view.signals.encoded.pool.numbers
    )
    numbers = view.signals.encoded.pool.numbers
    assert np.abs(numbers.std(axis=0) - 1).max() < 0.2
    assert abs(np.corrcoef(numbers[:, 0], numbers[:, 2])[0, 1] + 1) < 1e-3


def test_extreme_numbers_do_not_hide_the_others():
    x = np.random.default_rng(12).standard_normal(400)
    x[0] = 1e307
    table = pd.DataFrame({"x": x, "y": np.arange(400) % 7})
    view, _ = view_of(table, np.arange(400) % 2 == 0, table.iloc[:50])
    numbers = view.signals.encoded.pool.numbers[:, 0]
    assert np.isfinite(numbers).all()
    assert 0.8 < np.sort(numbers)[:-1].std() < 1.2
    assert numbers.max() < 1000


def test_ten_thousand_categories_take_no_more_coordinates_than_a_few():
    rng = np.random.default_rng(13)
    table = pd.DataFrame(
        {"zip": rng.integers(0, 10_000, 30_000).astype(str), "x": rng.standard_normal(30_000)}
    )
    encoded = encode(
        *(table.iloc[part].astype({"zip": pd.CategoricalDtype(sorted(table["zip"].unique()))})
          for part in (slice(20_000), slice(20_000, None))),
        [wb.synthetic.AuditedColumn("zip", "category", 9000, 0.0),
         wb.synthetic.AuditedColumn("x", "numeric", 30_000, 0.0)],
    )  # fmt: skip
    points = encoded.vectors(encoded.pool)
    assert points.shape == (20_000, 33)
    apart = ((points[:1000, 1:] - points[1000:2000, 1:]) ** 2).sum(axis=1)
    same = encoded.pool.codes[:1000, 0] == encoded.pool.codes[1000:2000, 0]
    assert apart[same].max(initial=0) == 0
    assert apart[~same].min() > 0.2
    assert abs(apart[~same].mean() - 1) < 0.1
