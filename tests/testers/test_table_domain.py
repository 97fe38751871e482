"""`TableDomain` and its columns: what is read, what is refused, and what an example gives."""

import math

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.mechanisms import category, integer, numeric, text
from workbench.mechanisms.table_columns import Category, Integer, Numeric
from workbench.mechanisms.table_domain import OutsideDomain


def test_short_forms_of_columns():
    domain = wb.TableDomain(
        {"x": (0.0, 1), "age": range(18, 91), "group": ["a", "b"], "flag": bool, "t": {"v", "u"}}
    )
    columns = domain.columns
    assert columns["x"] == numeric(0, 1) == Numeric(0.0, 1.0)
    assert columns["age"] == integer(18, 90) == Integer(18, 90)
    assert columns["group"] == category("a", "b") == category(["a", "b"])
    assert columns["flag"] == category(False, True)
    assert columns["t"] == Category(("u", "v"))  # sets have no order, so the domain gives one


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0, 100), r"write numeric\(0, 100\), integer\(0, 100\) or category\(0, 100\)"),
        ((0, 100), r"\(0.0, 100.0\) for real and range\(0, 101\) for whole ones"),
        ("a", r"column 'x' must be numeric\(low, high\), .* got 'a'"),
        (None, "got None"),
        ((1.0, 2.0, 3.0), "got"),
        (range(0), "a range must have values"),
        (range(0, 10, 2), "steps of 1"),
        ((2.0, 1.0), "low must be at most high, got 2 and 1"),
        ((0.0, math.inf), "high must be finite"),
        ([], "a column of category needs values"),
        (["a", "a"], "must differ, got 'a' twice"),
        ([[1], [2]], "must be a text, a number"),
        (["a", None], r"missing value is allowed by category\(…, missing=True\)"),
        ([1.0, math.nan], "missing=True"),
    ],
)
def test_what_is_no_column(given, words):
    with pytest.raises(ValueError, match=words):
        wb.TableDomain({"x": given})


def test_bounds_of_columns_are_checked():
    with pytest.raises(ValueError, match=r"whole number, got 0\.5; or numeric"):
        integer(0.5, 3)
    with pytest.raises(ValueError, match=r"texts are strings, got 3; .* category"):
        text("a", 3)
    with pytest.raises(ValueError, match="at most 10,000 values"):
        category(*range(10_001))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"columns": {}}, "columns must be a dict such as"),
        ({"columns": [("x", (0.0, 1.0))]}, "columns must be a dict"),
        ({"rows": 5}, r"rows must be the fewest and the most rows, such as \(1, 50\)"),
        ({"rows": (5, 2)}, r"must be \(fewest, most\)"),
        ({"rows": (-1, 2)}, r"rows\[0\] must be a whole number"),
        ({"rows": (0, 0)}, "at least 1"),
        ({"label": "yy"}, "label='yy' is no column; did you mean 'y'"),
        ({"label": "y", "user": "y"}, "are both 'y'"),
        ({"user": "x"}, "users are named by whole numbers, categories or texts; 'x' holds numbers"),
        ({"max_rows_per_user": 2}, 'needs the column of the users: user="id"'),
        ({"user": "id", "max_rows_per_user": 0}, "max_rows_per_user must be a whole number"),
        (
            {"user": "y", "max_rows_per_user": 1, "rows": (3, 5)},
            "3 rows need more users than the 2 of 'y' with 1 rows each",
        ),
    ],
)
def test_what_is_no_domain(arguments, words):
    with pytest.raises(ValueError, match=words):
        wb.TableDomain(**{"columns": {"x": (0.0, 1.0), "y": ["a", "b"]}, **arguments})


def test_users_are_numbered_where_no_column_names_them():
    domain = wb.TableDomain({"x": (0.0, 1.0)}, rows=(1, 9), user="id", max_rows_per_user=4)
    assert list(domain.columns) == ["id", "x"]
    assert domain.columns["id"] == integer(0, 9)
    assert domain.most_of_a_user == 4
    assert wb.TableDomain({"x": (0.0, 1.0)}, rows=(1, 9), user="id").most_of_a_user == 9
    named = wb.TableDomain({"x": (0.0, 1.0), "id": ["ann", "bob"]}, user="id")
    assert list(named.columns) == ["x", "id"]


FRAME = pd.DataFrame(
    {
        "id": ["u", "u", "v"],
        "age": [30, 40, 50],
        "paid": [0.5, np.nan, 2.5],
        "group": pd.Categorical(["a", "a", "b"], categories=["a", "b", "c"]),
        "ok": [True, False, True],
    }
)


def test_an_example_gives_a_domain_that_says_what_was_taken():
    domain = wb.TableDomain.of(FRAME, user="id", label="ok")
    assert domain.in_words() == (
        "Frames of 1 to 3 rows with id: 'u', 'v'; age: whole numbers from 30 to 50; paid: numbers "
        "from 0.5 to 2.5, or missing; group: 'a', 'b', 'c'; ok: False, True; id is the user, with "
        "at most 2 rows; ok is the label."
    )
    domain.check(FRAME)
    stated = wb.TableDomain.of(FRAME, columns={"age": range(18, 91)}, rows=(0, 20), user="id")
    assert (stated.columns["age"], stated.rows) == (integer(18, 90), (0, 20))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([f"name {k}" for k in range(60)], r"60 different texts; state those to try: columns=\{'c"),
        (pd.date_range("2020-01-01", periods=60), r"of which no column is made; .* frame.drop"),
        ([np.nan] * 60, r"'c' has no values; state it: columns=\{'c': …\}"),
        ([1.0, np.inf] * 30, r"infinite values; state its bounds: columns=\{'c': numeric\(1, 1\)"),
    ],
)
def test_an_example_of_which_no_domain_is_made(column, words):
    with pytest.raises(ValueError, match=words):
        wb.TableDomain.of(pd.DataFrame({"c": column}))


def test_an_example_is_a_frame_with_the_named_columns():
    with pytest.raises(ValueError, match="must be a DataFrame, got ndarray"):
        wb.TableDomain.of(np.zeros(3))
    with pytest.raises(ValueError, match="'agee' is no column; did you mean 'age'"):
        wb.TableDomain.of(FRAME, columns={"agee": range(5)})
    with pytest.raises(ValueError, match="'uid' is no column"):
        wb.TableDomain.of(FRAME, user="uid")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (lambda f: f.iloc[:, ::-1], "has the columns"),
        (lambda f: f.iloc[:0], "has 0 rows; the domain allows 1 to 3"),
        (lambda f: f.assign(age=[30, 40, 51]), r"51 in row 3 of 'age', which holds whole numbers"),
        (lambda f: f.assign(age=[30, np.nan, 50]), "nan in row 2 of 'age'"),
        (lambda f: f.assign(age=[30.5, 40, 50]), "30.5 in row 1"),
        (lambda f: f.assign(paid=[np.inf, 1, 1]), "inf in row 1 of 'paid'"),
        (lambda f: f.assign(group=["a", "b", "d"]), "'d' in row 3 of 'group'"),
        (lambda f: f.assign(id="u"), "a user with 3 rows; the domain allows 2"),
        (lambda f: f.to_numpy(), "no DataFrame, got ndarray"),
    ],
)
def test_a_frame_outside_of_a_domain(changed, words):
    domain = wb.TableDomain.of(FRAME, user="id")
    with pytest.raises(OutsideDomain, match=words):
        domain.check(changed(FRAME))


def test_a_given_pair_must_be_in_the_domain():
    domain = wb.TableDomain({"x": (0.0, 1.0)}, user="id", max_rows_per_user=2)
    a = pd.DataFrame({"id": [1, 1, 1, 2], "x": 0.5})

    def mechanism(frame, size, rng):
        return frame.x.sum() + rng.laplace(size=size)

    with pytest.raises(OutsideDomain, match="a user with 3 rows"):
        wb.audit_mechanism(
            mechanism, "pure(1)", (a, a[a.id != 1]), domain=domain, neighboring_relation="user"
        )


def test_notable_values_are_floats_where_programs_stumble():
    found = numeric(-1, 1, missing=True).notable
    assert {repr(x) for x in found} >= {"0.0", "-0.0", "5e-324", "-5e-324", "None", "1.0"}
    assert math.nextafter(1.0, 0) in found
    assert math.nextafter(-1.0, 0) in found
    assert all(x is None or -1 <= x <= 1 for x in found)
    assert set(numeric(0.5, 0.75).notable) <= {0.5, 0.75, *np.nextafter([0.5, 0.75], [1, 0])}
    assert integer(-3, 9).notable == (0, -2, 8, 1, -1, -3, 9)
    assert category("a", "b", missing=True).notable == (None, "a", "b")


def test_columns_make_series_of_one_type_even_when_empty():
    for column, kind in [
        (numeric(0, 1), "float64"),
        (integer(0, 1), "int64"),
        (integer(0, 1, missing=True), "Int64"),
        (category("a", "b"), "category"),
        (text("a"), str(pd.Series(["a"]).dtype)),
    ]:
        assert str(column.series([]).dtype) == str(column.series([column.at(0.0)]).dtype) == kind
    assert category("a", "b").series(["a"]).cat.categories.tolist() == ["a", "b"]
