"""One policy for JSON: what is written, what is refused, and nothing beside it."""

import ast
import json
import math
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench import _json

PACKAGE = Path(wb.__file__).parent

VALUES = {"a": [1, math.nan, (math.inf, -math.inf)], "b": np.float64(0.1), "c": np.bool_(True)}


def users(path):
    """Calls of `json` in a module, by name and line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "json" and node.attr in ("dump", "dumps", "load", "loads"):
                yield f"{path.name}:{node.lineno} json.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and node.module == "json":
            yield from (
                f"{path.name}:{node.lineno} {one.name}"
                for one in node.names
                if one.name in ("dump", "dumps", "load", "loads")
            )


def test_all_json_goes_through_one_module():
    paths = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "_json.py"]
    assert len(paths) > 500
    assert [found for path in paths for found in users(path)] == []


@pytest.mark.parametrize(
    "code", ["import json\njson.dumps(1)", "import json\nf(json.loads)", "from json import dumps"]
)
def test_json_beside_it_is_found(tmp_path, code):
    (tmp_path / "one.py").write_text(code)
    assert len(list(users(tmp_path / "one.py"))) == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_json_lacks_is_refused_or_written_as_asked(value):
    for write in (_json.dumps, _json.dumps_ascii):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write([float(value)])
        for policy in ("null", "text", "tagged"):
            text = write(_json.plain({"a": (np.float64(value), np.int64(2), True)}, policy))
            read = json.loads(text, parse_constant=pytest.fail)
            assert read["a"][1:] == [2, True]
            assert (read["a"][0] is None) == (policy == "null")
    assert repr(_json.loads(_json.message([float(value)]))) == repr([float(value)])
    with pytest.raises(ValueError, match="a ndarray cannot be written"):
        _json.plain(np.zeros(2), "null")


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
    for write in (_json.dumps, _json.dumps_ascii):
        assert json.loads(write(plain)) == plain


def test_a_special_form_comes_first_and_inside():
    shown = _json.plain([np.arange(3), {"x": np.ones(1)}], "null", _as_size)
    assert shown == [{"size": 3}, {"x": {"size": 1}}]


def _as_size(value):
    return {"size": value.size} if isinstance(value, np.ndarray) else NotImplemented


def test_what_has_no_plain_form_is_refused():
    with pytest.raises(ValueError, match="a set cannot be written to JSON"):
        _json.plain({"a": {1}}, "null")


def test_text_is_kept_in_both_ways():
    value = {"ü": ["∞", "\ud800", "\x00"]}
    assert _json.loads(_json.dumps(value)) == _json.loads(_json.dumps_ascii(value)) == value
    assert _json.dumps_ascii(value).isascii()
