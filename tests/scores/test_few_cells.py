"""Columns of few cells, which are looked at without pandas: the same as with it."""

import numpy as np
import pandas as pd
import pytest

from workbench.scores.layouts import labels
from workbench.scores.parsing import cells

rng = np.random.default_rng(0)

COLUMNS = {
    "no floats": np.array([]),
    "no text": np.array([], dtype=object),
    "truth values": np.array([True, False, True]),
    "labels": rng.integers(0, 5, 100),
    "bytes": rng.integers(0, 5, 100).astype(np.uint8),
    "halves": rng.integers(0, 5, 100).astype(np.float16),
    "scores": rng.normal(size=2000),
    "single precision": rng.normal(size=100).astype(np.float32),
    "no finite numbers": np.array([1.0, np.nan, 0.0, -0.0, np.inf, -np.inf, np.nan]),
    "large": np.array([2**63, 1, 2**63], dtype=np.uint64),
    "text": np.array(["in", None, "out", "in", "", "1", "1.0"], dtype=object),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_values_are_those_of_pandas(column, monkeypatch):
    index, values = labels.factorized(column)
    theirs, distinct = pd.factorize(column)
    assert index.dtype == theirs.dtype
    assert index.tolist() == theirs.tolist()
    assert values.dtype == np.asarray(distinct).dtype
    assert values.tolist() == list(distinct)
    monkeypatch.setattr(labels, "_FEW", -1)
    again, same = labels.factorized(column)
    assert index.tolist() == again.tolist()
    assert values.tolist() == same.tolist()


#: Texts, of which some are numbers and some words for NaN.
TEXTS = (
    *("in", "out", "member", "non-member", "training", "banana", "True", "false", "e", "-", "+"),
    *("nan", "NA", "null", "None", "n/a", "#N/A", "<NA>", "inf", "-Infinity", "+inf", " "),
    *("1", " 2 ", "1e5", "0x1", "1,5", "1_000", "1 a", "٣", "½", "."),
)


@pytest.mark.parametrize("text", TEXTS)
def test_what_may_be_a_number_is_found(text):
    """Text in which nothing is looked for is neither a number nor a word for NaN."""
    column = np.array([text, None], dtype=object)
    for decimal_comma in (False, True):
        _, wrong = cells.parse_numbers(column, decimal_comma)
        assert cells.mostly_numbers(column, decimal_comma) == (not wrong[0])
