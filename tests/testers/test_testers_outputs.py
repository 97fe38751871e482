"""Outputs are checked, and turned into finite numbers and codes of outcomes."""

import numpy as np
import pytest

from workbench.testers.learning.encoding import Encoder, row_keys
from workbench.testers.learning.outputs import OutputsError, check_alike, check_outputs


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ([lambda: 0] * 3, "does not say the same of equal objects"),
        ([object()] * 3, "return its values as numbers, texts, lists or a dictionary"),
        (None, "a sequence with one output for each run"),
        ({"a": [1, 2, 3], "b": 1}, "every entry must have one value for each run"),
        (1.0, r"got \(\)"),
        (np.zeros((3, 2, 2)), r"\(3, 2, 2\)"),
        (np.zeros((3, 0)), r"\(3, 0\)"),
        ([{"a": 1}, None], "3 runs were requested, got 2"),
        ([1.0, 2.0], "3 runs were requested"),
        ([{"a": "x" * 1001}] * 3, "a text of 1,001 characters.*such as its length"),
        ([{"x" * 1001: 1}] * 3, "a key of 1,005 characters"),
        ([dict.fromkeys(range(1999), 1.0)] * 3, None),
        ([dict.fromkeys(range(2000), 1.0)] * 3, "more than 2,000 different keys.*how many"),
    ],
)
def test_what_no_mechanism_may_return(outputs, words):
    if words is None:  # the most that is allowed
        check_outputs(outputs, 3)
        return
    with pytest.raises(OutputsError, match=words):
        check_outputs(outputs, 3)


@pytest.mark.parametrize("outputs", [[1, 2, 3], [True, False, True], ["a", "b", ""], np.eye(3)])
def test_what_it_may_return(outputs):
    assert np.array_equal(check_outputs(outputs, 3), np.asarray(outputs))


def test_two_sides_must_be_alike():
    with pytest.raises(OutputsError, match="as many columns"):
        check_alike(np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(OutputsError, match="of one type"):
        check_alike(np.zeros(3), np.array(["a", "b"]))
    encoder = Encoder.fit(np.zeros((5, 2)), np.ones((5, 2)))
    with pytest.raises(OutputsError, match="had 2 columns before"):
        encoder.transform(np.zeros(4))
    with pytest.raises(OutputsError, match="another type"):
        encoder.outcomes(np.full((4, 2), "a"))


def odd_outputs():
    rng = np.random.default_rng(1)
    normal = rng.normal(size=400)
    yield "subnormal", normal * 1e-310
    yield "tiny", normal * 1e-300
    yield "huge", normal * 1e307
    yield "far away", normal + 1e14
    yield "heavy", rng.standard_cauchy(400) ** 5
    yield "two scales", np.r_[normal[:200], 1e14 * normal[200:]]
    yield "constant", np.full(400, 3.0)
    yield "nearly constant", np.r_[np.full(399, 3.0), 3.1]
    yield "half NaN", np.where(normal > 0, np.nan, normal)
    yield "all NaN", np.full(400, np.nan)
    yield "infinite", np.where(normal > 0, np.inf, -np.inf)
    yield "extremes", np.r_[normal, 1.7e308, -1.7e308]
    yield "whole", rng.integers(-(2**62), 2**62, 400)
    yield "boolean", normal > 0
    yield "text", rng.choice(["", "yes", "no", "ÿ"], 400)
    yield "columns", np.column_stack([normal, normal, np.full(400, np.nan), normal > 0])


@pytest.mark.parametrize(("name", "x"), list(odd_outputs()))
def test_numbers_are_finite_and_of_moderate_size(name, x):
    half = len(x) // 2
    encoder = Encoder.fit(x[:half], x[half:])
    y = encoder.transform(x)
    assert y.shape[0] == len(x)
    assert np.isfinite(y).all()
    assert np.abs(y).max() <= 40
    # The order is that of the outputs.
    if x.ndim == 1 and x.dtype.kind in "if":
        finite = np.isfinite(x.astype(float))
        order = np.argsort(x[finite], kind="stable")
        assert (np.diff(y[finite, 0][order]) >= 0).all()
    # Equal outputs have equal numbers and outcomes.
    assert np.array_equal(encoder.transform(x[::-1])[::-1], y)
    assert np.array_equal(encoder.outcomes(x[::-1])[::-1], encoder.outcomes(x))


def test_a_scale_does_not_matter():
    x = np.random.default_rng(0).normal(size=(300, 2))
    once, again = (Encoder.fit(s * x, s * x).transform(s * x) for s in (1.0, 2.0**40))
    assert np.allclose(once, again)
    assert np.allclose(np.quantile(once, [0.25, 0.75], axis=0), [[-0.5] * 2, [0.5] * 2], atol=0.1)


def test_odd_values_are_outcomes_of_their_own():
    x = np.array([0.0, 1.0, np.nan, np.inf, -np.inf, 2.0])
    y = Encoder.fit(x, x).transform(x)
    assert y[:, 1:].T.tolist() == [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]
    # What the fitting part did not show has no column, and no NaN comes of it.
    assert Encoder.fit(x[:2], x[:2]).transform(x).tolist()[2:5] == [[0.0], [40.0], [-40.0]]


def test_equal_rows_have_one_key():
    nans = np.array([np.nan, -np.nan]).view(np.uint64) | np.array([0, 5], np.uint64)
    assert np.unique(row_keys(nans.view(float))).size == 1
    assert np.unique(row_keys(np.array([0.0, -0.0]))).size == 1
    assert np.unique(row_keys(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))).size == 3
    # However wide the array of strings is.
    assert row_keys(np.array(["ab"]))[0] == row_keys(np.array(["ab", "abcdef"]))[0]
    assert np.unique(row_keys(np.array(["ab", "ba", "a", "", "b"]))).size == 5
    grid = np.array(np.meshgrid(*[np.arange(-1, 2)] * 8)).reshape(8, -1).T
    assert np.unique(row_keys(grid)).size == len(grid)


def test_rows_that_repeat_are_outcomes():
    rng = np.random.default_rng(0)
    discrete = rng.integers(0, 3, (500, 4))
    encoder = Encoder.fit(discrete, discrete)
    assert encoder.discrete
    assert encoder.n_outcomes == 81
    assert encoder.outcomes(np.full((1, 4), 7)) == [81]
    half = np.where(rng.random(500) < 0.5, np.nan, rng.normal(size=500))
    assert not Encoder.fit(half, half[:100] + 1).discrete
    continuous = rng.normal(size=500)
    assert Encoder.fit(continuous, continuous + 1).n_outcomes == 0
