"""Values that JSON lacks are written as each reader expects them."""

import json
import math

import numpy as np
import pytest

from workbench import _json

VALUES = {"a": [1, math.nan, (math.inf, -math.inf)], "b": np.float64(0.1), "c": np.bool_(True)}


@pytest.mark.parametrize(
    ("policy", "written"),
    [
        ("null", [1, None, [None, None]]),
        ("text", [1, "NaN", ["Infinity", "-Infinity"]]),
        ("tagged", [1, {"float": "nan"}, [{"float": "inf"}, {"float": "-inf"}]]),
    ],
)
def test_non_finite_numbers_are_written_by_policy(policy, written):
    plain = _json.plain(VALUES, policy)
    assert plain == {"a": written, "b": 0.1, "c": True}
    assert json.loads(_json.dumps(plain)) == plain


def test_a_special_form_comes_first_and_inside():
    shown = _json.plain([np.arange(3), {"x": np.ones(1)}], "null", _as_size)
    assert shown == [{"size": 3}, {"x": {"size": 1}}]


def _as_size(value):
    return {"size": value.size} if isinstance(value, np.ndarray) else NotImplemented


def test_what_has_no_plain_form_is_refused():
    with pytest.raises(ValueError, match="a set cannot be written to JSON"):
        _json.plain({"a": {1}}, "null")
    with pytest.raises(ValueError, match="not JSON compliant"):
        _json.dumps(math.nan)
