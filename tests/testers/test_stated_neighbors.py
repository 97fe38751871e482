"""Neighbors as the caller states them: any two objects, copied, saved and told as such."""

import json

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.figures.mechanism import neighbors as drawn
from workbench.testers.finders.neighbors import NotNeighbors
from workbench.testers.finders.records import OnlyText, copied
from workbench.testers.report import datasets_in_words

QUICK = {
    "trials": 2,
    "samples": 2000,
    "testers": ("hockey-stick",),
    "neighboring_relation": "stated",
}


class Opaque:
    """A dataset that is no array."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Opaque({self.value})"


def of_opaque(dataset, size, rng):
    return dataset.value + rng.laplace(size=size)


def of_features(dataset, size, rng):
    features, labels = dataset
    return features.sum() + labels.sum() + rng.laplace(size=size)


LABELED = (
    (np.zeros((3, 2)), np.array([0, 1, 0])),
    (np.zeros((3, 2)), np.array([0, 1, 9])),
)


@pytest.mark.parametrize(
    ("mechanism", "pair"),
    [
        (of_opaque, (Opaque(0), Opaque(9))),
        (of_features, LABELED),
        (lambda d, size, rng: d.sum() + rng.laplace(size=size), ([1, 1, 1], [4, 4, 4])),
        (lambda d, size, rng: d["x"][0] + rng.laplace(size=size), ({"x": [0]}, {"x": [9]})),
        (lambda d, size, rng: len(d) + rng.laplace(size=size), ("", "123456789")),
        (
            lambda d, size, rng: d.x.sum() + rng.laplace(size=size),
            (pd.DataFrame({"x": [1.0]}), pd.DataFrame({"x": [9.0], "y": ["a"]})),
        ),
    ],
)
@pytest.mark.parametrize("time_limit", [None, 60.0])
def test_any_two_objects_are_audited(mechanism, pair, time_limit):
    found = wb.audit_mechanism(mechanism, "pure(1)", pair, time_limit=time_limit, **QUICK)
    assert found.violation
    assert found.neighboring_relation == "stated"
    assert "(neighbors as stated by the caller)" in found.in_words()
    assert "fixed pair, neighbors as stated by the caller;" in found.explain()
    assert "neighboring_relation='stated'" in found.code


def test_a_list_of_stated_pairs():
    pairs = [LABELED, LABELED[::-1]]
    found = wb.audit_mechanism(of_features, "pure(1)", pairs, **QUICK)
    assert [trial.error for trial in found.trials] == [None, None]


def test_a_mechanism_cannot_change_the_next_dataset():
    def spoils(dataset, size, rng):
        total = dataset["x"].sum() + dataset["frame"].a.sum()
        dataset["x"][:] = 99
        dataset["frame"].loc[:, "a"] = 99
        return total + rng.laplace(size=size)

    one = {"x": np.zeros(2), "frame": pd.DataFrame({"a": [0.0]})}
    found = wb.audit_mechanism(spoils, "pure(1)", (one, one), **QUICK)
    assert not found.violation
    assert not found.errors
    assert one["x"].tolist() == [0, 0]


def test_a_dataset_that_cannot_be_copied_loses_the_trial():
    stream = (x for x in range(3))
    with pytest.raises(ValueError, match="type generator cannot be copied, as every call"):
        copied(stream)
    found = wb.audit_mechanism(of_opaque, "pure(1)", (stream, stream), **QUICK)
    assert "cannot be copied" in found.in_words()


def test_a_statement_needs_both_datasets():
    with pytest.raises(NotNeighbors, match="neighbor is None; state both"):
        wb.Neighbors([1], None, "stated")
    with pytest.raises(ValueError, match="cannot be searched for; give them: datasets=\\(dataset"):
        wb.audit_mechanism(of_opaque, "pure(1)", neighboring_relation="stated")
    with pytest.raises(NotNeighbors, match='state it: neighboring_relation="stated"'):
        wb.Neighbors([0, 0], [1, 1])
    pair = wb.Neighbors([0, 0], [1, 1], "stated")
    with pytest.raises(NotNeighbors, match="neighbors by stated; the claim is about add-remove"):
        wb.audit_mechanism(of_opaque, "pure(1)", pair, neighboring_relation="add-remove")


# -- files -----------------------------------------------------------------------------------------

FRAME = pd.DataFrame(
    {
        "id": [1, 1, 2, 3],
        "x": [0.1, np.nan, np.inf, -0.0],
        "c": pd.Categorical(["a", "b", "a", None], categories=["b", "a", "z"], ordered=True),
        "t": ["u", "v", None, "w"],
        "d": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2022-02-02"]),
        "i": pd.array([1, None, 3, 4], dtype="Int64"),
        "b": [True, False, True, True],
        7: [1, 2, 3, 4],
    },
    index=[5, 5, 6, 7],
)


@pytest.mark.parametrize(
    "dataset",
    [
        FRAME,
        FRAME.iloc[:0],
        (np.zeros((2, 3), np.float32), ["a", [1, 2.5, None]], {"k": (1,), 3: -0.0}),
        "text",
        3.5,
        np.array([1, "x", None], dtype=object),
        {"a": {"b": FRAME}},
        np.array([np.nan, np.inf, -0.0]),
    ],
    ids=str,
)
def test_a_file_keeps_datasets_as_they_were(dataset, tmp_path):
    def mechanism(given, size, rng):
        same(given, dataset)
        return rng.laplace(size=size)

    found = wb.audit_mechanism(mechanism, "pure(1)", (dataset, dataset), **QUICK)
    assert not found.errors
    found.save(tmp_path / "audit.json")
    json.loads((tmp_path / "audit.json").read_text(), parse_constant=pytest.fail)
    back = wb.MechanismAudit.load(tmp_path / "audit.json")
    same(back.trials[0].neighbors.dataset, dataset)
    assert back.to_dict() == found.to_dict()
    assert back.replay(mechanism).finding.bound.void is None


def same(a, b):
    """Nothing; an error where two datasets differ in a value or a type."""
    assert type(a) is type(b)
    if isinstance(a, pd.DataFrame):
        pd.testing.assert_frame_equal(a, b)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(a), np.signbit(b))
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    else:
        assert repr(a) == repr(b)


@pytest.mark.parametrize(
    "dataset", [Opaque(3), (1, Opaque(3)), pd.DataFrame({"x": [[1, 2]]}), np.array([1 + 2j])]
)
def test_what_a_file_cannot_hold_is_kept_as_text_that_says_so(dataset, tmp_path):
    def mechanism(given, size, rng):
        return rng.laplace(size=size)

    found = wb.audit_mechanism(mechanism, "pure(1)", (dataset, dataset), **QUICK)
    found.save(tmp_path / "audit.json")
    back = wb.MechanismAudit.load(tmp_path / "audit.json")
    kept = back.trials[0].neighbors
    assert kept.only_text
    assert kept.dataset == OnlyText(repr(dataset))
    assert "(the file has its text only)" in datasets_in_words(kept)
    assert back.to_dict() == found.to_dict()
    with pytest.raises(ValueError, match="only the text of these datasets, on which no mechanism"):
        back.replay(mechanism)
    assert drawn.datasets(kept)["data"] == []


# -- words and charts ------------------------------------------------------------------------------


def test_datasets_in_words():
    stated = wb.Neighbors(Opaque(1), (1, 2), "stated")
    assert datasets_in_words(stated) == (
        "Dataset: Opaque(1); neighbor: (1, 2) (neighbors as stated by the caller)."
    )
    large = wb.Neighbors(np.zeros((50, 3)), [1, 2], "stated")
    assert "Dataset: an array of shape (50, 3); neighbor: [1, 2] (" in datasets_in_words(large)
    small = pd.DataFrame({"id": [1, 2], "x": [0.1, np.nan]})
    pair = wb.Neighbors(small, small[1:])
    assert datasets_in_words(pair) == (
        "Dataset: [id=1, x=0.1; id=2, x=missing]; neighbor: [id=2, x=missing]."
    )
    many = pd.concat([small] * 9)
    user = wb.Neighbors(many, many[many.id != 1], "user", column="id")
    assert datasets_in_words(user) == "Dataset: 18 rows; the neighbor lacks all 9 rows of id = 1."
    label = many.assign(x=[7.0, *many.x[1:]])
    assert datasets_in_words(wb.Neighbors(many, label, "label", column="x")) == (
        "Dataset: 18 rows; the neighbor has x = 7.0 in place of 0.1 in [id=1, x=0.1]."
    )
    assert datasets_in_words(wb.Neighbors(many, small.iloc[:0], "stated")) == (
        "Dataset: 18 rows of id, x; neighbor: no rows (neighbors as stated by the caller)."
    )


def test_charts_of_frames_and_of_stated_answers():
    user = drawn.datasets(wb.Neighbors(FRAME, FRAME[FRAME.id != 1], "user", column="id"))
    cells = user["data"][0]
    assert "id: 1" in cells["customdata"]
    assert "c: missing" in cells["customdata"]
    assert user["layout"]["xaxis"]["ticktext"] == [str(name) for name in FRAME.columns]
    framed = [s["line"]["color"] for s in user["layout"]["shapes"] if s["line"]["width"]]
    assert framed == ["@p", "@p"]
    answers = drawn.datasets(wb.Neighbors([1, 1, 1, 1], [2, 1, 2, 1], "stated"))
    assert answers["data"][0]["customdata"] == [1, 1, 1, 1, 2, 1, 2, 1]
    assert "4 values each, of which 2 differ" in str(answers["layout"])
    assert drawn.datasets(wb.Neighbors(Opaque(1), 3, "stated"))["data"] == []
    for pair in (wb.Neighbors(FRAME, FRAME.iloc[1:]), wb.Neighbors(Opaque(1), 3, "stated")):
        assert "Neighboring datasets" in pair._repr_html_()
