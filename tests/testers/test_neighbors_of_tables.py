"""Neighboring frames: what the checker takes, and that every search proposes such frames."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.mechanisms import category, integer, numeric, text
from workbench.testers.finders import SEARCHES, finder
from workbench.testers.finders.base import FinishedTrial
from workbench.testers.finders.neighbors import NotNeighbors
from workbench.testers.finders.records import column_of, keys, left_places

pytestmark = pytest.mark.slow

A = pd.DataFrame(
    {
        "id": [1, 1, 2, 3],
        "x": [0.5, np.nan, 2.0, 0.0],
        "g": pd.Categorical(["a", "b", "a", None]),
        "y": ["u", "v", None, "w"],
    }
)


def test_order_index_and_types_do_not_matter():
    b = A.iloc[[3, 0, 2]].set_index(np.array([7, 7, 9])).astype({"g": object})
    assert wb.Neighbors(A, b).neighboring_relation == "add-remove"
    assert wb.Neighbors(A.astype({"id": float}), b.astype({"id": "Int64"})).dataset.shape == (4, 4)


def test_missing_cells_are_one_value_and_minus_zero_is_another():
    b = A.astype({"id": "Int64", "x": "Float64"})
    other = b.copy()
    other.loc[1, "y"] = "changed"
    pair = wb.Neighbors(A, other, "label", column="y")
    assert left_places(pair.dataset, pair.neighbor) == [1]
    minus = A.assign(x=[0.5, np.nan, 2.0, -0.0])
    assert left_places(A, minus) == [3]
    assert wb.Neighbors(A, minus, "substitute").neighboring_relation == "substitute"


def test_a_user_is_all_of_his_rows():
    one = wb.Neighbors(A, A[A.id != 1], "user", column="id")
    assert wb.Neighbors(A[A.id != 1], A, "user", column="id").column == one.column == "id"
    assert wb.Neighbors(A, A[A.id != 2], "user", column="id")  # of one row
    for b, words in [
        (A.iloc[1:], "of id = 1 1 rows are in both, and 1 in one of them only"),
        (A[A.id == 1], r"here in rows of 2 \('id'\)"),
        (A, "0 records are only in the first and 0 only in the second"),
        (A.assign(id=[4, 4, 2, 3]), "2 records are only in the first and 2 only in the second"),
    ]:
        with pytest.raises(NotNeighbors, match=words):
            wb.Neighbors(A, b, "user", column="id")


def test_a_label_is_one_cell():
    b = A.assign(y=["u", "v", None, "z"])
    assert wb.Neighbors(A, b, "label", column="y").column == "y"
    with pytest.raises(NotNeighbors, match=r"differ in 'g' of one record; here also in \['y'\]"):
        wb.Neighbors(A, b, "label", column="g")
    with pytest.raises(NotNeighbors, match="2 records are only in the first"):
        wb.Neighbors(A, A.assign(y=["u", "q", "q", "w"]), "label", column="y")


def test_columns_of_arrays_are_named_by_their_place():
    a = np.array([[1, 0.5], [1, 0.7], [2, 0.1]])
    assert wb.Neighbors(a, a[2:], "user", column=0).dataset is a
    b = a.copy()
    b[0, 1] = 9
    assert wb.Neighbors(a, b, "label", column=1).neighbor[0, 1] == 9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("user",), "need the column of the user of each row: wb.Neighbors"),
        (("label",), "need the column of the labels"),
        (("user", "idd"), "there is no column 'idd'; did you mean 'id'"),
        (("add-remove", "id"), "column='id' is of the relations user and label"),
        (("stated", "id"), "neighbors by stated have none"),
        (("users",), "did you mean 'user'"),
    ],
)
def test_the_column_of_a_relation(arguments, words):
    with pytest.raises(ValueError, match=words):
        wb.Neighbors(A, A.iloc[1:], *arguments)


def test_a_refusal_says_how_to_state_a_user():
    """A pair of frames that differ in all rows of a user."""
    with pytest.raises(NotNeighbors, match=r'wb.Neighbors\(a, b, "user", column="id"\)'):
        wb.Neighbors(A, A[A.id != 1])
    with pytest.raises(NotNeighbors, match="the same columns in the same order"):
        wb.Neighbors(A, A.iloc[1:, ::-1])
    with pytest.raises(NotNeighbors, match="both arrays or both DataFrames"):
        wb.Neighbors(A, A.to_numpy()[1:])
    double = pd.concat([A, A[["x"]]], axis=1)
    with pytest.raises(NotNeighbors, match="must have different names"):
        wb.Neighbors(double, double.iloc[1:])


def test_own_cells_may_be_lists():
    lists = pd.DataFrame({"x": [[1, 2], [3], [1, 2]]})
    assert wb.Neighbors(lists, lists.iloc[1:]).dataset.shape == (3, 1)


# -- what searches propose -------------------------------------------------------------------------

KINDS = {
    "numeric": numeric(-2, 1),
    "numeric, missing": numeric(0, 1, missing=True),
    "one number, missing": numeric(3, 3, missing=True),
    "integer": integer(-3, 7),
    "integer, missing": integer(0, 1, missing=True),
    "category": category("a", "b", "c"),
    "category of numbers, missing": category(1, 2.5, missing=True),
    "text": text("", "a, b", "é"),
}

RELATIONS = ("add-remove", "substitute", "user", "label")


def proposals(name, relation, domain, trials, seed=1):
    search, history = finder(name, relation, domain, seed), []
    while len(history) < trials and (proposal := search.propose(history)) is not None:
        history.append(FinishedTrial(proposal, float(len(proposal.dataset))))
    return [neighbors for neighbors, _ in history]


@pytest.mark.sampled(24)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", SEARCHES)
def test_proposals_are_neighbors_in_the_domain(name, relation, kind):
    """`Neighbors` has checked that they are neighbors."""
    domain = wb.TableDomain(
        {"c": KINDS[kind], "other": ["p", "q"]},
        rows=(0, 7),
        user="id",
        max_rows_per_user=3,
        label="c",
    )
    found = proposals(name, relation, domain, 11 if name == "bandit" else 60)
    assert len(found) > 10
    for pair in found:
        assert pair.neighboring_relation == relation
        for frame in (pair.dataset, pair.neighbor):
            domain.check(frame)
            assert frame.dtypes.tolist() == found[0].dataset.dtypes.tolist()
    contents = {(tuple(keys(n.dataset)), tuple(keys(n.neighbor))) for n in found}
    assert len(contents) > len(found) / 2


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["random", "grid"])
def test_proposals_are_neighbors_in_any_domain(name, seed):
    rng = np.random.default_rng(seed)
    columns = {f"c{k}": KINDS[rng.choice(list(KINDS))] for k in range(rng.integers(1, 5))}
    low = int(rng.integers(0, 4))
    users = (None, "id", "c0")[rng.integers(3)]
    if users == "c0":
        columns["c0"] = (category("x", "y", "z"), integer(5, 30))[rng.integers(2)]
    domain = wb.TableDomain(
        {"last": (0.0, 1.0), **columns},
        rows=(low, low + int(rng.integers(1, 9))),
        user=users,
        max_rows_per_user=None if users is None else int(rng.integers(1, 6)) + 3,
        label="last",
    )
    for relation in RELATIONS if users else ("add-remove", "substitute", "label"):
        for pair in proposals(name, relation, domain, 40, seed):
            domain.check(pair.dataset)
            domain.check(pair.neighbor)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_user_is_proposed_with_one_row_and_with_the_most(name):
    domain = wb.TableDomain({"x": (0.0, 1.0)}, rows=(0, 8), user="id", max_rows_per_user=5)
    counts = set()
    for pair in proposals(name, "user", domain, 30):
        own = left_places(pair.dataset, pair.neighbor)
        counts.add(len(own))
        assert len({column_of(pair.dataset, "id")[k] for k in own}) == 1
    assert {1, 5} <= counts
    assert max(counts) == 5


@pytest.mark.parametrize("name", ["random", "grid"])
def test_hard_cases_are_among_the_first_fifty(name):
    """Constants, one outlier, an empty group, duplicates, ends of precision, an empty table."""
    domain = wb.TableDomain({"x": numeric(0, 1, missing=True), "g": ["a", "b", "c"]}, rows=(0, 12))
    found = proposals(name, "add-remove", domain, 50)
    frames = [frame for pair in found for frame in (pair.dataset, pair.neighbor)]
    assert any(len(frame) == 0 for frame in frames)
    assert any(len(frame) == 12 for frame in frames)
    large = [frame for frame in frames if len(frame) > 4]
    assert any(frame.nunique().max() <= 1 for frame in large)  # constants, all duplicates
    assert any(sorted(frame.x.dropna().value_counts())[:1] == [1] for frame in large)  # an outlier
    assert any(0 in frame.g.value_counts().tolist() for frame in large)
    cells = {repr(x) for frame in frames for x in frame.x.tolist()}
    assert {"nan", "-0.0"} <= cells
    assert any("e-3" in cell for cell in cells)  # denormal
    assert any(0.999 < float(cell) < 1 for cell in cells)  # a step below 1


def test_a_search_repeats_itself_by_its_seed():
    domain = wb.TableDomain({"x": (0.0, 1.0), "g": ["a", "b"]}, user="id")
    for name in SEARCHES:
        first, again = (proposals(name, "user", domain, 10) for _ in range(2))
        for one, other in zip(first, again, strict=True):
            pd.testing.assert_frame_equal(one.dataset, other.dataset)
            pd.testing.assert_frame_equal(one.neighbor, other.neighbor)


@pytest.mark.parametrize(
    ("arguments", "relation", "words"),
    [
        ({"rows": (1, 1)}, "add-remove", r"no two frames of 1 to 1 rows .* \(TableDomain.rows\)"),
        ({"columns": {"x": (2.0, 2.0)}}, "substitute", "no two rows differ: the columns must have"),
        ({"columns": {"x": ["a"], "y": ["a", "b"]}, "label": "x"}, "label", "the column 'x' must"),
        ({}, "user", r"need a domain that names the column: wb.TableDomain\(…, user='id'\)"),
        ({}, "label", r"wb.TableDomain\(…, label='x'\)"),
        ({}, "stated", "cannot be searched for; give them"),
        (
            {"columns": {"x": (0.0, 1.0), "u": ["only"]}, "user": "u", "rows": (1, 5)},
            "user",
            "no two frames of 1 to 5 rows .* or more users",
        ),
    ],
)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_domain_of_tables_without_neighbors(name, arguments, relation, words):
    domain = wb.TableDomain(**{"columns": {"x": (0.0, 1.0)}, **arguments})
    with pytest.raises(ValueError, match=words):
        finder(name, relation, domain)


def test_arrays_are_not_searched_by_user():
    with pytest.raises(ValueError, match="got 'user'; for data frames give domain"):
        finder("random", "user")
    with pytest.raises(TypeError, match=r"or a workbench\.TableDomain; got"):
        finder("random", domain={"x": (0.0, 1.0)})
    with pytest.raises(ValueError, match="a list or generator of pairs; got DataFrame"):
        finder(A)
