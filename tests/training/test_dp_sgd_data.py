"""Records to train on: shapes, labels, and the bundled data sets."""

import numpy as np
import pytest

from workbench.training.dp_sgd.data import LabeledData, labeled_data

X = np.arange(6.0).reshape(3, 2)


def test_the_data_sets_of_scikit_learn():
    digits, cancer = labeled_data("digits"), labeled_data("breast-cancer")
    assert (digits.size, digits.features, digits.classes) == (1797, 64, 10)
    assert (digits.x.min(), digits.x.max()) == (0, 1)
    assert (cancer.size, cancer.features, cancer.classes) == (569, 30, 2)
    assert np.mean(np.sum(cancer.x**2, axis=1)) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="name must be one of 'digits', 'breast-cancer'"):
        labeled_data("mnist")


def test_rows_are_taken_left_out_and_joined():
    data = LabeledData(X, [0, 1, 2], 3, "three")
    assert data.x.dtype == np.float32
    assert "three" in repr(data)
    assert "3 records" in repr(data)
    np.testing.assert_array_equal(data.without(1).y, [0, 2])
    np.testing.assert_array_equal(data.take(data.y > 0).y, [1, 2])
    np.testing.assert_array_equal(data.without(2).joined(data.take([2])).x, data.x)
    np.testing.assert_array_equal(data.relabeled(2).y, [0])
    np.testing.assert_array_equal(data.relabeled(2).x, data.x[[2]])
    blank = data.record([0, 0], 1)
    assert (blank.size, blank.y[0], blank.x.sum()) == (1, 1, 0)


def test_nothing_can_be_changed():
    given = X.copy()
    data = LabeledData(given, [0, 1, 2], 3)
    given[:] = 9
    assert data.x[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data.x[0, 0] = 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: data.take([0, 3]), r"rows must be a list of whole numbers from 0 to 2, got"),
        (lambda data: data.take(1), "rows must be a list of whole numbers from 0 to 2, got 1"),
        (lambda data: data.take([True, False]), "rows must be 3 bools, one each"),
        (lambda data: data.without(3), "row must be below 3, the number of records, got 3"),
        (lambda data: data.relabeled(-1), "row must be a whole number of at least 0, got -1"),
        (lambda data: data.record([1.0], 0), "x must have 2 features, got 1"),
        (lambda data: data.record([1.0, 2.0], 3), "from 0 to 2"),
        (lambda data: data.joined(labeled_data("digits")), "more must have 2 features and 3"),
    ],
)
def test_records_that_are_not_there_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(LabeledData(X, [0, 1, 2], 3))


@pytest.mark.parametrize(
    ("x", "y", "classes", "message"),
    [
        (X, [0, 1], 3, "one row of x for every label"),
        (X[0], [0, 1], 3, "one row of x for every label"),
        (X, [0, 1, 2], 1, "classes must be"),
        (X, [0, 1, 3], 3, "from 0 to 2"),
        (X, [-1, 1, 2], 3, "number the classes from 0"),
        (X, [0.5, 1, 2], 3, "whole numbers"),
        (X * np.nan, [0, 1, 2], 3, "x must be finite"),
        (X * 1e300, [0, 1, 2], 3, "x must be finite"),
        ([["a", "b"]], [0], 3, "x must be a number or an array of numbers"),
    ],
)
def test_bad_records_are_refused(x, y, classes, message):
    with pytest.raises(ValueError, match=message):
        LabeledData(x, y, classes)
