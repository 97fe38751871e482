"""Three tables are read, checked and made alike; nothing of it tells who was in."""

import numpy as np
import pandas as pd
import pytest
from helpers.people_in_tables import people, three

import workbench as wb
from workbench.synthetic.cells import ColumnCells, dates_of, numbers_of
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.tables import FEWEST, row_hashes

read = wb.synthetic.read_synthetic_tables


def plain(n, seed):
    """A table without anything to remark."""
    rng = np.random.default_rng(seed)
    columns = {"pay": rng.normal(size=n), "city": rng.choice(["Oslo", "Rome", "Lima"], n)}
    return pd.DataFrame(columns)


def of(change, n=200, only=(0, 1, 2), **how):
    """The tables after a change of each, or of some."""
    tables = [plain(n, seed) for seed in (1, 2, 3)]
    for i in only:
        tables[i] = change(tables[i])
    return read(*tables, seed=1, **how)


def words(tables):
    return {remark.word for remark in tables.remarks}


def column(tables, name):
    return next(one for one in tables.columns if one.name == name)


# -- what columns are ------------------------------------------------------------------------------


def test_the_kinds_of_columns_are_found():
    tables = read(*three(), seed=1)
    kinds = {one.name: one.kind for one in tables.columns}
    assert kinds == {
        "id": "left out",
        "age": "numeric",
        "pay": "numeric",
        "city": "category",
        "smokes": "yes/no",
        "since": "date",
        "country": "left out",
    }
    assert "an id" in column(tables, "id").reason
    assert column(tables, "country").reason == "constant: every record has 'NO'"
    assert column(tables, "age").missing == pytest.approx(0.05, abs=0.03)
    assert list(tables.pool.columns) == list(tables.synthetic.columns)
    for name in ("city", "smokes"):
        assert (tables.pool[name].cat.categories == tables.synthetic[name].cat.categories).all()
    assert tables.to_frame()["name"].tolist() == list(kinds)


def test_kinds_can_be_stated():
    stated = {"age": "category", "since": "left out", "id": "numeric", "country": "category"}
    tables = read(*three(), columns=stated, seed=1)
    assert {c.name: c.kind for c in tables.columns if c.stated} == stated
    assert column(tables, "since").reason == "as stated"


def test_files_dicts_and_frames_are_the_same_tables(tmp_path):
    given = three(200)
    paths = [tmp_path / f"{name}.csv" for name in ("train", "holdout", "synthetic")]
    for frame, path in zip(given, paths, strict=True):
        frame.to_csv(path, index=False)
    tables = [
        read(*given, seed=1),
        read(*[frame.to_dict("list") for frame in given], seed=1),
        read(*map(str, paths), seed=1),
        read(*(pd.read_csv(path) for path in paths), seed=1),
    ]
    for other in tables[1:]:
        assert [c.kind for c in other.columns] == [c.kind for c in tables[0].columns]
        assert other.fingerprint == tables[0].fingerprint
        pd.testing.assert_frame_equal(other.pool, tables[0].pool)
        np.testing.assert_array_equal(other.member, tables[0].member)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1.5", "-2", "1e3"], [1.5, -2, 1000]),
        (["1,5", "2,25", "3"], [1.5, 2.25, 3]),
        (["1.234,5", "2"], [1234.5, 2]),
        (["1,000", "25"], [1000, 25]),
        (["1,000.5", "25"], [1000.5, 25]),
        (["007", "12"], None),
        (["1", "one"], None),
        ([], None),
    ],
)
def test_texts_are_read_as_numbers(texts, numbers):
    found = numbers_of(texts)
    assert (found if numbers is None else found[0].tolist()) == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-01-31", "2026-12-01"],
        ["31.01.2026", "01.12.2026"],
        ["01/31/2026", "12/01/2026"],
        ["31/01/2026", "01/12/2026"],
        ["31 Jan 2026", "01 Dec 2026"],
        ["2026-01-31 00:00:00", "2026-12-01"],
    ],
)
def test_texts_are_read_as_dates(texts):
    found, _ = dates_of(texts)
    assert found.astype("datetime64[D]").astype(str).tolist() == ["2026-01-31", "2026-12-01"]
    assert dates_of([*texts, "2026"]) is None or "2026" in texts[0]


def test_cells_of_other_types_are_read():
    import datetime
    from decimal import Decimal

    assert ColumnCells.of([Decimal("1.5"), None]).values[0] == 1.5
    assert ColumnCells.of(pd.Series([True, None], dtype="boolean")).values.tolist() == [
        "True",
        None,
    ]
    day = ColumnCells.of([datetime.date(2026, 1, 31), None])
    assert day.form == "date"
    assert day.missing.tolist() == [False, True]
    zone = pd.Series(pd.to_datetime(["2026-01-31 01:00"])).dt.tz_localize("Europe/Oslo")
    assert str(ColumnCells.of(zone).values[0]) == "2026-01-31T00:00:00.000000"
    assert ColumnCells.of(pd.Series(["a", "b"], dtype="category")).values.tolist() == ["a", "b"]
    assert ColumnCells.of([[1], [2]]).form == "nested"
    assert ColumnCells.of([1j, 2j]).form == "nested"
    assert ColumnCells.of([None, " "]).form == "nothing"
    assert ColumnCells.of(pd.period_range("2026-01", periods=2, freq="M")).form == "date"


# -- nothing tells who was in ----------------------------------------------------------------------


def test_what_is_read_does_not_depend_on_who_was_in(tmp_path):
    """The pool is the same table for every outcome of the coins, whatever readers make of parts.

    Words stand among numbers in a few rows: where all of them fall on one side, the other side is
    read as numbers, and `1.50` must not be told from `1.5` by that.
    """
    n = 120
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "code": np.array([f"{k:03d}" for k in rng.integers(0, 30, n)], object),
            "size": np.array([f"{k / 2:.2f}" for k in rng.integers(0, 9, n)], object),
            "flag": rng.choice(["true", "false"], n),
            "pay": rng.normal(size=n),
        }
    )
    table.loc[0, ["code", "size", "flag"]] = ["A7", "large", "unknown"]
    made = table.sample(60, random_state=1)
    made.to_csv(tmp_path / "made.csv", index=False)
    seen, member = set(), set()
    for seed in range(6):
        inside = np.random.default_rng(seed).random(n) < 0.5
        inside[0] = bool(seed % 2)
        for name, rows in (("train", inside), ("holdout", ~inside)):
            table[rows].to_csv(tmp_path / f"{name}.csv", index=False)
        sources = [tmp_path / f"{name}.csv" for name in ("train", "holdout", "made")]
        stated = {"code": "category", "size": "category", "flag": "category"}
        for given in (sources, [pd.read_csv(path) for path in sources]):
            tables = read(*given, columns=stated, seed=1)
            rows = sorted(map(tuple, tables.pool.astype(str).to_numpy().tolist()))
            seen.add(tuple(rows))
            member.add(tables.member.sum())
            assert [c.kind for c in tables.columns] == ["category"] * 3 + ["numeric"]
    assert len(seen) == 1
    assert len(member) > 1


def test_floats_of_lower_precision_do_not_tell_the_table():
    train, holdout, made = (plain(200, seed) for seed in (1, 2, 3))
    train = train.astype({"pay": np.float32})
    pool = read(train, holdout, made, seed=1).pool
    assert (pool["pay"] == pool["pay"].astype(np.float32)).all()


def test_the_order_of_the_pool_follows_from_the_number_and_from_no_row_order():
    train, holdout, made = three()
    tables = read(train, holdout, made, seed=7)
    again = read(train[::-1], holdout.sample(frac=1, random_state=1), made[::-1], seed=7)
    pd.testing.assert_frame_equal(tables.pool, again.pool)
    np.testing.assert_array_equal(tables.member, again.member)
    other = read(train, holdout, made, seed=8)
    assert not tables.pool.equals(other.pool)
    # Members stand anywhere: the places of 300 members among 600 have mean 300 ± 10.
    assert abs(np.flatnonzero(tables.member).mean() - 300) < 40
    for side, inside in ((train, True), (holdout, False)):
        rows = tables.member == inside
        taken = side.iloc[tables.place[rows]]
        np.testing.assert_array_equal(taken["pay"], tables.pool["pay"][rows])


def test_an_attack_sees_no_number_from_which_the_order_follows():
    tables = read(*three(), seed=7)
    view = wb.synthetic.AttackView.of(tables)
    assert view.seed != tables.seed
    assert {"member", "place", "units"}.isdisjoint(vars(view))


def test_repeated_rows_are_left_out_on_both_sides():
    rng = np.random.default_rng(0)
    table = plain(300, 1)
    again = pd.concat([table, table[:40], table[:10]], ignore_index=True)
    kept = set()
    for _ in range(5):
        inside = rng.random(len(again)) < 0.5
        tables = read(again[inside], again[~inside], plain(100, 2), duplicates="remove", seed=1)
        assert tables.records == 260
        assert np.unique(row_hashes(tables.pool)).size == 260
        kept.add(frozenset(row_hashes(tables.pool).tolist()))
        assert "shared rows" in words(tables)
        assert next(r for r in tables.remarks if r.word == "repeated rows").count == 50
    assert len(kept) == 1  # which rows stay never depends on the coins


def test_shared_rows_are_counted():
    train, holdout = plain(200, 1), plain(200, 2)
    both = pd.concat([holdout, train[:7], train[:3]])
    tables = read(train, both, plain(100, 3), seed=1)
    assert next(r for r in tables.remarks if r.word == "shared rows").count == 7 + 10
    assert next(r for r in tables.remarks if r.word == "repeated rows").count == 10
    assert tables.records == 410


# -- units -----------------------------------------------------------------------------------------


def with_units(split_units=True, dtype=int):
    rng = np.random.default_rng(0)
    table = people(600, 3)
    table["who"] = rng.integers(0, 150, 600)
    inside = (rng.random(150) < 0.5)[table["who"]] if split_units else rng.random(600) < 0.5
    return table[inside], table[~inside].astype({"who": dtype}), people(300, 4)


def test_all_records_of_a_unit_are_one_canary():
    train, holdout, made = with_units()
    tables = read(train, holdout, made, unit="who", seed=1)
    assert tables.canaries == pd.concat([train, holdout])["who"].nunique()
    assert tables.included.sum() == train["who"].nunique()
    assert "who" not in {c.name for c in tables.columns}
    np.testing.assert_array_equal(tables.included[tables.canary], tables.member)
    scores = np.random.default_rng(1).normal(size=tables.records)
    largest = pd.Series(scores).groupby(tables.units).max()
    np.testing.assert_array_equal(tables.combined(scores), largest)


@pytest.mark.parametrize("dtype", [int, float, str])
def test_a_unit_in_both_tables_is_refused(dtype):
    with pytest.raises(SyntheticTablesError, match=r"units are in both tables, such as '0', '1'"):
        read(*with_units(False, dtype), unit="who")


def test_units_have_names():
    train, holdout, made = with_units()
    train = train.assign(who=train["who"].where(train.index % 50 > 0))
    with pytest.raises(SyntheticTablesError, match=r"records of the training table have no 'who'"):
        read(train, holdout, made, unit="who")
    with pytest.raises(SyntheticTablesError, match="unit='whom' is no column of the training"):
        read(train, holdout, made, unit="whom")


# -- bad input -------------------------------------------------------------------------------------


def mixed(frame):
    return frame.assign(
        pay=frame["pay"].astype(object).where(np.arange(len(frame)) % 20 > 0, "lots")
    )


@pytest.mark.parametrize(
    ("change", "only", "says"),
    [
        (lambda f: f.rename(columns={"pay": "wage"}), (1,), "training table alone has 'pay'"),
        (lambda f: f.rename(columns={"pay": "a", "city": "b"}), (2,), "none of the records'"),
        (lambda f: f[:0], (0,), "the training table has 0 rows and 2 columns"),
        (lambda f: f[:0], (1,), "the holdout table has 0 rows"),
        (lambda f: f[:0], (2,), "the synthetic table has 0 rows"),
        (lambda f: f[[]], (2,), "the synthetic table has 200 rows and 0 columns"),
        (lambda f: f[: FEWEST // 2 - 1], (0, 1), "have 48 records together; an audit"),
        (lambda f: f[:1], (1,), "1 in the holdout table; at least 2 on each side"),
        (mixed, (0, 1, 2), "'pay' mixes numbers with other text: 'lots'; correct them, or state"),
        (mixed, (1,), "'pay' mixes numbers with other text: 'lots'"),
        (lambda f: f.assign(pay=f["city"]), (2,), "'pay' mixes numbers with other text: 'Lima'"),
        (lambda f: f.assign(pay=pd.Timestamp("2026-01-01")), (2,), "numbers in the training"),
        (lambda f: f[["city"]].assign(city="Oslo"), (0, 1, 2), "'city' is left out, constant"),
        (lambda f: pd.concat([f, f[["pay"]]], axis=1), (0,), "two columns 'pay'; rename"),
        (lambda f: {"pay": [1, 2], "city": ["Oslo"]}, (0,), "do not make a table"),
        (lambda f: "nowhere.csv", (2,), "the synthetic table: there is no file 'nowhere.csv'"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_audited_are_refused(change, only, says):
    with pytest.raises(SyntheticTablesError) as error:
        of(change, only=only)
    assert says in str(error.value)


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="the holdout table must be a DataFrame, a dict of columns"):
        of(lambda f: f.to_numpy(), only=(1,))


def test_stated_kinds_are_checked():
    with pytest.raises(SyntheticTablesError, match="'pays', which the tables do not have; did you"):
        of(lambda f: f, columns={"pays": "numeric"})
    with pytest.raises(ValueError, match=r"must be one of 'numeric', .* got 'number'; did you"):
        of(lambda f: f, columns={"pay": "number"})
    with pytest.raises(TypeError, match=r"columns must be a dict such as \{"):
        of(lambda f: f, columns=["pay"])
    with pytest.raises(SyntheticTablesError, match="'city' is stated as numeric and has no number"):
        of(lambda f: f, columns={"city": "numeric"})
    with pytest.raises(
        SyntheticTablesError, match="'city' is no date in each table, such as 'Lima'"
    ):
        of(lambda f: f, columns={"city": "date"})


@pytest.mark.parametrize(
    ("change", "only", "word", "says"),
    [
        (lambda f: f[["city"]], (2,), "other columns", "The synthetic table lacks 'pay'"),
        (lambda f: f.assign(x=1), (2,), "other columns", "Only the synthetic table has 'x'"),
        (lambda f: f.rename(columns={"pay": " Pay"}), (2,), "renamed columns", "'Pay' for 'pay'"),
        (lambda f: f.assign(k=1), (0, 1, 2), "left out", "'k' is left out: constant: every record"),
        (lambda f: f.assign(e=np.nan), (0, 1, 2), "left out", "'e' is left out: all cells of"),
        (lambda f: f.assign(e=[[1]] * len(f)), (0, 1, 2), "left out", "hold no single values"),
        (lambda f: f[["pay"]], (0, 1, 2), "one column", "Only one column is compared, 'pay'"),
        (lambda f: f[:20], (2,), "few synthetic records", "has 20 records only"),
        (lambda f: f.assign(pay=f["pay"].where(f["pay"] < 1, np.inf)), (0, 2), "infinite numbers",
         "in the training table and"),
        (lambda f: f.assign(city=f["city"].str.upper()), (2,), "other spelling", "'LIMA' as"),
        (lambda f: f.assign(city=f["city"] + "!"), (2,), "values outside", "'Lima!'"),
        (lambda f: f.assign(pay=f["pay"] + 100), (2,), "values outside", "of the records: 200"),
        (lambda f: f.assign(pay=f["pay"].map(lambda x: f"{x:.4f}".replace(".", ","))), (0, 1),
         "numbers with a comma", "is read as the decimal sign"),
        (lambda f: f.assign(d=pd.date_range("2026", periods=len(f)).strftime("%d.%m.%Y")),
         (0, 1, 2), "dates as text", "from text as %d.%m.%Y"),
    ],
)  # fmt: skip
def test_what_a_reader_should_know_is_told(change, only, word, says):
    tables = of(change, only=only)
    assert [r.text for r in tables.remarks if r.word == word and says in r.text], tables.remarks


def test_a_plain_table_has_no_remarks():
    made = plain(200, 3).assign(pay=lambda f: np.tanh(f["pay"]))
    assert read(plain(200, 1), plain(200, 2), made, seed=1).remarks == ()


def test_a_synthetic_table_that_is_the_training_table_is_told():
    train = plain(200, 1)
    told = words(read(train, plain(200, 2), train.sample(frac=1, random_state=1), seed=1))
    assert "training table" in told
    told = words(read(train, plain(200, 2), train[:-1], seed=1))
    assert "training table" not in told


def test_ids_are_named_and_left_out():
    places = iter(range(10**6))

    def numbered(frame):
        return frame.assign(
            customer_id=[7919 * next(places) for _ in range(len(frame))],
            row=[next(places) for _ in range(len(frame))],
            name=[f"person {next(places)}" for _ in range(len(frame))],
        )

    tables = of(numbered)
    assert {one.name for one in tables.left_out} == {"customer_id", "row", "name"}
    assert all(one.reason.startswith("an id: ") for one in tables.left_out)
    # Distinct numbers alone are no id: they may be money.
    assert column(of(lambda f: f.assign(sum=range(0, 7919 * len(f), 7919))), "pay").used


def test_ten_thousand_categories_are_told_and_kept():
    rng = np.random.default_rng(0)
    tables = of(lambda f: f.assign(z=[f"v{k}" for k in rng.integers(0, 10_000, len(f))]), n=20_000)
    assert column(tables, "z").kind == "category"
    assert next(r for r in tables.remarks if r.word == "many categories").count > 9000


def test_words_among_numbers_count_as_missing_where_that_is_stated():
    tables = of(mixed, columns={"pay": "numeric"})
    assert column(tables, "pay").missing == pytest.approx(0.05)
    assert "Words of 'pay' count as missing: 'lots'." in {r.text for r in tables.remarks}
    assert column(of(mixed, columns={"pay": "category"}), "pay").kind == "category"


def test_the_synthetic_table_may_write_dates_and_numbers_in_another_way():
    def as_text(frame):
        return frame.assign(
            d=frame["d"].dt.strftime("%m/%d/%Y"), pay=frame["pay"].map("{:.5f}".format)
        )

    frames = [plain(200, k).assign(d=pd.date_range("2025-01-01", periods=200)) for k in (1, 2, 3)]
    tables = read(*frames[:2], as_text(frames[2]), seed=1)
    assert column(tables, "d").kind == "date"
    assert tables.synthetic["d"].tolist() == frames[2]["d"].tolist()
    np.testing.assert_allclose(tables.synthetic["pay"], frames[2]["pay"], atol=1e-5)
