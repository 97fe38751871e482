"""Layouts: what is found by itself, what is asked for, what a page may offer."""

import logging

import numpy as np
import pandas as pd
import pytest

from workbench import ScoresError, read_scores
from workbench.scores.layouts.apply import apply_layout
from workbench.scores.layouts.guess import PAIRS, choices, guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.parsing.source import read_table

X = [0.1, 0.2, 0.3, 0.4]
Y = [0.5, 0.6, 0.7, 0.8]


def found(columns, **options):
    return guess_layout(read_table(pd.DataFrame(columns)), **options)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        *PAIRS,
        ("In", "OUT"),
        ("in_canary_scores", "out_canary_scores"),
        ("members", "non_members"),
        ("member", "non-member"),
        ("trainLoss", "testLoss"),
        ("scores P", "scores Q"),
    ],
)
def test_pairs_of_names(p, q):
    layout = found({"id": [1, 2, 3, 4], q: Y, p: X})
    assert layout == Layout("two columns", p=p, q=q)
    assert layout.describe() == f"P = column '{p}', Q = column '{q}'"


@pytest.mark.parametrize(
    ("score", "member"),
    [
        ("score", "member"),
        ("scores", "memberships"),
        ("loss", "is_member"),
        ("per_example_loss", "isTrain"),
        ("anything", "inTraining"),
    ],
)
def test_score_and_label_by_name(score, member):
    layout = found({"record id": [7, 8, 9, 10], member: [1, 0, 0, 1], score: X})
    assert layout == Layout("score and label", score=score, member=member, member_value="1")
    assert layout.describe() == f"P = rows of '{score}' whose '{member}' is '1', Q = all other rows"


def test_membership_goes_before_the_class_of_a_record():
    columns = {"label": [0, 1, 2, 1], "member": list("tftf"), "class": [0, 1, 0, 1], "score": X}
    layout = found(columns)
    assert (layout.member, layout.member_value) == ("member", "t")


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ([1, 0], "1"),
        ([1.0, 0.0], "1"),
        ([1, -1], "1"),
        ([True, False], "true"),
        (["True", "False"], "True"),
        (["IN", "OUT"], "IN"),
        (["train", "test"], "train"),
        (["non-member", "member"], "member"),
        (["yes", "no"], "yes"),
        (["a", "b"], None),
        (["in", "train"], None),
        ([0, 2], None),
    ],
)
def test_which_label_is_in(labels, value):
    layout = found({"score": X, "member": labels * 2})
    assert str(layout.member_value).lower() == str(value).lower()
    assert ("still to be chosen" in layout.describe()) is (value is None)


@pytest.mark.parametrize("value", ["1", 1, 1.0])
def test_a_label_is_given_as_text_or_number(value):
    s = read_scores(pd.DataFrame({"score": X, "member": [1, 0, 0, 1]}), member_value=value)
    assert s.p.tolist() == [0.1, 0.4]
    s = read_scores(pd.DataFrame({"score": X, "member": [1, 0, 0, 1]}), member_value=0)
    assert s.p.tolist() == [0.2, 0.3]


def test_a_boolean_label_is_given_as_boolean():
    frame = pd.DataFrame({"score": X, "outlier": [True, True, False, False]})
    assert read_scores(frame, member="outlier", member_value=False).p.tolist() == [0.3, 0.4]


def test_one_label_of_three_against_the_rest():
    frame = pd.DataFrame({"score": X, "split": ["train", "test", "val", "Train"]})
    s = read_scores(frame, member_value="train")
    assert (s.p.tolist(), s.q.tolist()) == ([0.1, 0.4], [0.2, 0.3])


def test_columns_without_names_are_taken_in_order_and_it_says_so(caplog, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("0.1,0.5\n0.2,0.6\n")
    with caplog.at_level(logging.INFO, "workbench"):
        assert read_scores(path).p.tolist() == [0.1, 0.2]
    assert "P = column 'column 1', Q = column 'column 2' (the columns have no names" in caplog.text
    assert "no header row" in caplog.text
    np.savez(tmp_path / "x.npz", X, Y)
    assert read_scores(tmp_path / "x.npz").q.tolist() == Y


def test_numbers_beside_labels_without_names():
    table = read_table("0.3,1\n0.4,0\n0.5,1\n0.6,0\n", "x.csv")
    assert guess_layout(table).kind == "score and label"


def test_overrides():
    frame = pd.DataFrame({"p": X, "q": Y, "a": Y, "b": X, "in": [1, 0, 0, 1]})
    s = read_scores(frame, p="a", q="b", name="mine")
    assert (s.p.tolist(), s.q.tolist(), s.name) == (Y, X, "mine")
    s = read_scores(frame, score="a", member="in")
    assert s.p.tolist() == [0.5, 0.8]
    s = read_scores(frame, score="a")
    assert s.p.tolist() == [0.5, 0.8]
    s = read_scores(frame[["p", "in"]], member="in", larger_is_member=False, sampling="one run")
    assert (s.p.tolist(), s.larger_is_member, s.sampling) == ([0.1, 0.4], False, "one run")


def test_columns_of_two_files():
    first = pd.DataFrame({"id": [1, 2], "a": [1.0, 2], "b": [3.0, 4]})
    second = pd.DataFrame({"id": [1, 2], "a": [5.0, 6], "b": [7.0, 8]})
    s = read_scores(first, path_q=second, score="b")
    assert (s.p.tolist(), s.q.tolist()) == ([3, 4], [7, 8])
    s = read_scores(first, path_q=second, p="a", q="b")
    assert (s.p.tolist(), s.q.tolist()) == ([1, 2], [7, 8])
    layout = guess_layout(read_table(first), read_table(second), p="a", q="b")
    assert layout.describe() == (
        "P = column 'a' of the first file, Q = column 'b' of the second file"
    )
    with pytest.raises(ScoresError, match="the file of Q is missing"):
        apply_layout(read_table(first), layout)


# -- clusters -------------------------------------------------------------------------------------


def test_clusters_are_never_guessed():
    frame = pd.DataFrame({"cluster": [1, 1, 2, 3], "score": X, "member": [1, 1, 0, 0]})
    assert read_scores(frame).sampling == "unknown"


@pytest.mark.parametrize(("rule", "p"), [("mean", [0.15]), ("max", [0.2]), ("first", [0.1])])
def test_a_cluster_column_beside_labels(rule, p):
    frame = pd.DataFrame({"subject": list("aabcd"), "score": [*X, 0.9], "member": [1, 1, 0, 0, 1]})
    s = read_scores(frame, cluster="subject", cluster_rule=rule)
    np.testing.assert_allclose(s.p, [*p, 0.9])
    assert (s.q.tolist(), s.sampling, s.rows_p) == ([0.3, 0.4], "clustered", 3)


def test_a_cluster_column_in_each_file():
    first = pd.DataFrame({"run": ["i0", "i0", "i1"], "score": [1.0, 3, 5]})
    second = pd.DataFrame({"run": ["o0", "o1"], "score": [0.0, 1]})
    s = read_scores(first, path_q=second, cluster="run")
    assert (s.p.tolist(), s.q.tolist()) == ([2, 5], [0, 1])


def test_rows_of_two_columns_cannot_be_clusters_of_both():
    with pytest.raises(ScoresError, match="cluster labels on both sides"):
        read_scores(pd.DataFrame({"p": X, "q": Y, "run": [1, 1, 2, 2]}), cluster="run")


def test_an_empty_cluster_is_pointed_out():
    frame = pd.DataFrame({"run": ["a", None, "b", "c"], "score": X, "member": [1, 1, 0, 0]})
    with pytest.raises(ScoresError, match=r"entry 1 .*cluster column 'run' is empty"):
        read_scores(frame, cluster="run")


def test_clusters_of_another_length(tmp_path):
    np.savez(tmp_path / "x.npz", scores=X, memberships=[1, 1, 0, 0], run=[1, 2, 3])
    with pytest.raises(ScoresError, match="'run' has 3 entries for 4 scores"):
        read_scores(tmp_path / "x.npz", cluster="run")


# -- for a page -----------------------------------------------------------------------------------


def test_choices_for_dropdowns():
    table = read_table(
        pd.DataFrame(
            {
                "id": range(100),
                "score": np.linspace(0, 1, 100),
                "split": ["train", "test"] * 50,
                "member": [1, 0] * 50,
                "note": [f"text {i}" for i in range(100)],
                "flag": [True, False] * 50,
                "same": ["x"] * 100,
            }
        )
    )
    offered = choices(table)
    assert offered.scores == ("id", "score", "member")
    assert offered.labels == {
        "split": ("test", "train"),
        "member": ("0", "1"),
        "flag": ("false", "true"),
    }
    assert offered.clusters == tuple(table.columns)


def test_a_text_column_with_few_numbers_is_no_score():
    table = read_table("a,b\n1,2\nx,3\ny,4\n", "x.csv")
    assert choices(table).scores == ("b",)


def test_every_label_offered_can_be_applied():
    table = read_table("score,split\n1,Train\n2,test\n3,val\n4,train\n", "x.csv")
    for label, n in zip(choices(table).labels["split"], (2, 1, 1), strict=True):
        layout = guess_layout(table, member_value=label)
        assert apply_layout(table, layout)[0].size == n
