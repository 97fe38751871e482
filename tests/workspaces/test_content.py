"""The hash of tables whatever their format, and tables that come back from parquet as they were."""

import io
import json
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from workbench.scores.parsing.source import read_table
from workbench.scores.table import DataTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.storing.parquet import from_parquet, to_parquet

RNG = np.random.default_rng(0)
P, Q = RNG.normal(size=40), RNG.normal(size=40)


def in_every_format(columns):
    """The same columns as files of every format, read."""
    frame = pd.DataFrame(columns)
    parquet, feather, npz = io.BytesIO(), io.BytesIO(), io.BytesIO()
    frame.to_parquet(parquet)
    frame.to_feather(feather)
    np.savez(npz, **{name: np.asarray(x) for name, x in columns.items()})
    contents = {
        "x.csv": frame.to_csv(index=False).encode(),
        "y.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "x.parquet": parquet.getvalue(),
        "x.feather": feather.getvalue(),
        "x.npz": npz.getvalue(),
        "x.json": json.dumps({name: list(x) for name, x in columns.items()}).encode(),
    }
    return {name: read_table(data, name, trusted=True) for name, data in contents.items()}


@pytest.mark.parametrize(
    "columns",
    [
        {"p": P.tolist(), "q": Q.tolist()},
        {"score": P.tolist(), "member": [1, 0] * 20},
        {"score": P.tolist(), "member": ["in", "out"] * 20},
        {"score": [1, 2, 3, 4], "member": ["yes", "no", "yes", "no"]},
        {"score": [0.0, -0.0, 1.0], "group": ["a", "b", "ü"]},
    ],
    ids=["two", "labels", "words", "integers", "zeros"],
)
def test_the_hash_does_not_depend_on_the_format(columns):
    tables = in_every_format(columns)
    if isinstance(columns.get("member", [0])[0], str) or "group" in columns:
        tables.pop("x.npz")  # text there is no number, and no score
    assert len(tables) >= 5
    assert len({content_hash([table]) for table in tables.values()}) == 1


def test_a_shorter_column_has_the_hash_of_its_array():
    csv = read_table(b"p,q\n1,4\n2,5\n3,\n", "x.csv", trusted=True)
    npz = io.BytesIO()
    np.savez(npz, p=[1.0, 2, 3], q=[4.0, 5])
    assert content_hash([csv]) == content_hash([read_table(npz.getvalue(), "x.npz", trusted=True)])


def a_table(**columns):
    return DataTable("x", {name: np.asarray(x) for name, x in columns.items()}, "npz")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (a_table(p=[1.0, 2.0]), a_table(p=[1.0, 3.0])),
        (a_table(p=[1.0, 2.0]), a_table(r=[1.0, 2.0])),
        (a_table(p=[1.0, 2.0]), a_table(p=[2.0, 1.0])),
        (a_table(p=[1.0, 2.0]), a_table(p=[1.0, 2.0], q=[1.0])),
        (a_table(p=[1.0], q=[2.0]), a_table(p=[2.0], q=[1.0])),
        (a_table(p=[1.0, 2.0], q=[3.0]), a_table(p=[1.0], q=[2.0, 3.0])),
        (a_table(p=[2**53]), a_table(p=[2**53 + 1])),
        (a_table(p=[2**53, 0]), a_table(p=[2**53 + 1, 0])),
        (a_table(p=[np.nan]), a_table(p=[0.0])),
        (a_table(p=np.array(["a", None], object)), a_table(p=np.array(["a", ""], object))),
        (a_table(p=np.array(["a", "b"], object)), a_table(p=np.array(["a,b", ""], object))),
        (a_table(p=np.array(["a"], object)), a_table(p=np.array(["A"], object))),
    ],
)
def test_other_content_has_another_hash(a, b):
    assert content_hash([a]) != content_hash([b])
    assert content_hash([a, b]) != content_hash([b, a])
    assert content_hash([a, b]) != content_hash([a])


def test_what_is_no_content_does_not_count():
    table = a_table(p=[1.0, np.nan], q=[3.0, 4.0])
    nan = np.array([np.nan]).view(np.int64) ^ 1  # another NaN
    other = DataTable(
        "other name",
        {"q": np.array([3, 4], np.int8), "p": np.append(1.0, nan.view(float))},
        "csv",
        ("a note",),
        2,
        {"p": 2, "q": 2},
        first_row=2,
    )
    assert content_hash([table]) == content_hash([other])


def test_the_hash_stays_what_it_is():
    """Links name data by it: another hash would make strangers of them."""
    table = a_table(p=[1.5, -0.0], q=np.array([True, False]), t=np.array(["ü", None], object))
    assert content_hash([table]) == (
        "70921ceed743cd5f6d6c29acbd9bd7f6cf21d2a4eee759797084f605edcace19"
    )


# -- parquet ---------------------------------------------------------------------------------------


def same_table(a, b):
    for f in fields(DataTable):
        if f.name != "columns":
            assert getattr(a, f.name) == getattr(b, f.name), f.name
            assert type(getattr(a, f.name)) is type(getattr(b, f.name)), f.name
    assert list(a.columns) == list(b.columns)
    for name, x in a.columns.items():
        y = b.columns[name]
        assert x.dtype == y.dtype, name
        if x.dtype == object:
            assert x.tolist() == y.tolist(), name
        else:
            assert x.tobytes() == y.tobytes(), name


NUMBERS = [np.dtype(kind) for kind in "bhilqBHILQefd"] + [np.dtype(bool)]


def every_type():
    columns = {f"{kind.name} {kind.char}": np.array([0, 1, 1]).astype(kind) for kind in NUMBERS}
    columns["float"] = np.array([np.nan, -np.inf, -0.0])
    columns["text"] = np.array(["a", None, ""], object)
    columns["empty"] = np.array([None, None, None], object)
    columns["largest"] = np.array([2**63, 2**64 - 1, 0], np.uint64)
    columns["least"] = np.array([-(2**63), 2**63 - 1, 0], np.int64)
    return columns


@pytest.mark.parametrize(
    "table",
    [
        DataTable("x", every_type(), "csv", ("a", "b"), 3, dict.fromkeys(every_type(), 3)),
        DataTable(
            "ü", {}, "json", (), None, {}, {"m": "has 2 dimensions"}, 7, (3, 9), decimal_comma=True
        ),
        DataTable("", {"p": np.arange(5.0), "q": np.arange(2), "b": np.array([True])}, "npz"),
        DataTable("x", {"p": np.array([]), "t": np.array([], object)}, "npz"),
        DataTable("x", {"p": np.array(["a", None, "b"], object), "q": np.arange(5.0)}, "json"),
        DataTable(
            "odd",
            {name: np.arange(2.0) for name in ("", " ", "a.b", "a\nb", "\0", "ü", "x" * 5000, "'")},
            "DataFrame",
            rows=2,
        ),
    ],
    ids=["types", "nothing", "arrays", "empty", "text", "names"],
)
def test_a_table_comes_back_as_it_was(table):
    again = from_parquet(to_parquet(table))
    same_table(table, again)
    assert content_hash([again]) == content_hash([table])


@pytest.mark.parametrize("name", ["messy.csv", "ties.json", "digits-losses.feather"])
def test_a_file_comes_back_as_it_was_read(name):
    from workbench.scores.examples import data_folder

    table = read_table(data_folder() / name, trusted=True)
    same_table(table, from_parquet(to_parquet(table)))


def test_text_that_is_no_unicode_is_refused():
    for table in (a_table(p=np.array(["\ud800"], object)), a_table(**{"\ud800": [1.0]})):
        with pytest.raises(WorkspaceError, match="no valid Unicode"):
            to_parquet(table)


def test_other_content_is_no_table():
    frame = io.BytesIO()
    pd.DataFrame({"a": [1]}).to_parquet(frame)
    content = to_parquet(a_table(p=[1.0, 2.0]))
    for wrong in (b"", b"PAR1", frame.getvalue(), content[:-1], content[:200], content[50:]):
        with pytest.raises(WorkspaceError, match="no table of a workspace"):
            from_parquet(wrong)
