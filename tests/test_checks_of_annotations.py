"""Fields and arguments against their annotations: what is refused, and in which words."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike, NDArray

import workbench as wb
from benchmarks import _valid_calls as valid
from workbench import _checks

HUGE = 10**400


@dataclass(frozen=True, eq=False)
class Record:
    number: float = 0.5
    whole: int = 3
    maybe: float | None = None
    text: str = ""
    yes: bool = True
    one: Literal["a", "b"] = "a"
    pair: wb.GaussianPair | None = None
    parts: tuple[wb.Counts, ...] = ()
    two: tuple[int, str] = (1, "a")
    by_name: Mapping[str, float] = dataclasses.field(default_factory=dict)
    values: NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.zeros(2))
    mask: NDArray[np.bool_] = dataclasses.field(default_factory=lambda: np.zeros(2, bool))
    call: Callable[..., Any] = len
    confidence: float = 0.95
    n_p: int = 4
    anything: Any = None

    def __post_init__(self) -> None:
        _checks.columns(self)


@pytest.mark.parametrize(
    "good",
    [
        {"number": 1},
        {"number": np.float32(1)},
        {"number": float("inf")},
        {"whole": np.int64(3)},
        {"maybe": 1},
        {"pair": wb.GaussianPair(1)},
        {"parts": (valid.counts(),)},
        {"by_name": {"a": 0.5}},
        {"values": np.zeros(2, int)},
        {"anything": object()},
    ],
)
def test_what_an_annotation_accepts(good):
    Record(**good)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"number": "0.5"}, "number of Record must be a number; got '0.5' (str)"),
        ({"number": np.timedelta64(1, "D")}, "must be a number"),
        ({"number": np.array(0.5)}, "must be a number"),
        ({"maybe": "x"}, "must be a number or None"),
        ({"text": 1}, "must be text"),
        ({"yes": "no"}, "must be True or False"),
        ({"one": "c"}, "must be one of 'a', 'b'"),
        ({"pair": wb.GaussianPair}, "a workbench GaussianPair or None; got <class"),
        ({"pair": type("GaussianPair", (), {})()}, "(GaussianPair)"),
        ({"parts": [valid.counts()]}, "must be a tuple, each a workbench Counts"),
        ({"parts": (1,)}, "must be a tuple, each a workbench Counts"),
        ({"two": (1,)}, "must be a tuple of 2: a whole number, text"),
        ({"by_name": {"a": "x"}}, "must be a mapping, each value a number"),
        ({"by_name": []}, "must be a mapping"),
        ({"values": [0.0, 1.0]}, "must be a numpy array of float64"),
        ({"values": np.array(["a", "b"])}, "must be a numpy array of float64"),
        ({"values": np.ma.masked_array([0.5, 1.5], [0, 1])}, "must be a numpy array"),
        ({"mask": np.zeros(2)}, "must be a numpy array of bool"),
        ({"call": 1}, "must be a function"),
    ],
)
def test_what_a_field_refuses(bad, says):
    with pytest.raises(TypeError, match=re.escape(says)):
        Record(**bad)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"number": HUGE}, "must be a number; got 1000"),
        ({"number": float("nan")}, "number of Record must be a number; got nan (float)"),
        ({"whole": 0.5}, "must be a whole number; got 0.5"),
        ({"whole": HUGE}, "must be a whole number; got 1000"),
        ({"confidence": 2.0}, "confidence must lie strictly between 0 and 1, got 2.0"),
        ({"n_p": -1}, "n_p must be a whole number of at least 0, got -1"),
        (
            {"values": np.zeros(3)},
            "arrays of Record must have one shape, got values (3,), mask (2,)",
        ),
    ],
)
def test_what_is_out_of_range(bad, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        Record(**bad)


@_checks.arguments
def asked(
    pair: wb.GaussianPair,
    rng: np.random.Generator | None = None,
    x: ArrayLike = 0,
    delta: float = 0.5,
    sizes: Sequence[int] = (),
    *,
    by_name: Mapping[str, wb.Counts] | None = None,
) -> float:
    """As asked."""
    return delta


def test_arguments_are_checked_by_place_and_by_name():
    assert asked(wb.GaussianPair(1), None, [1], "0.5", np.zeros(2)) == "0.5"
    assert inspect.signature(asked).parameters["delta"].default == 0.5
    assert asked.__doc__ == "As asked."
    with pytest.raises(TypeError, match="pair must be a workbench GaussianPair; got 'pure"):
        asked("pure(1)")
    with pytest.raises(TypeError, match="rng must be a Generator or None; got 7"):
        asked(wb.GaussianPair(1), 7)
    with pytest.raises(TypeError, match="by_name must be a mapping"):
        asked(wb.GaussianPair(1), by_name={"a": 1})
    with pytest.raises(TypeError, match="missing 1 required"):
        asked()


def test_no_time_is_no_datetime():
    state = valid.OBJECTS["FollowState"]()
    with pytest.raises(TypeError, match="arrived of FollowState must be a datetime"):
        dataclasses.replace(state, arrived=pd.NaT)


RECORDS = sorted(
    call.name
    for call in valid.calls()
    if call.constructs and dataclasses.is_dataclass(valid.public(call.name))
)


@pytest.mark.parametrize("name", RECORDS)
def test_no_record_is_built_that_cannot_be_shown(name):
    (call,) = (call for call in valid.calls() if call.name == name)
    fine = call.arguments()
    for field in call.parameters:
        for odd in (object(), "x", -1, HUGE, float("nan"), None, {}, np.zeros((2, 2, 2)), wb.GDP):
            try:
                made = call.function()(**fine | {field: odd})
            except (TypeError, ValueError):
                continue
            assert repr(made)
            assert getattr(made, "_repr_html_", str)() is not None


def test_an_alias_is_what_it_stands_for():
    # NDArray is one from numpy 2.5 on, with Python 3.12 and newer.
    alias = pytest.importorskip("typing_extensions").TypeAliasType("alias", NDArray[np.float64])
    assert _checks._kind(alias).need == _checks._kind(NDArray[np.float64]).need
    assert _checks._kind(NDArray[np.float64]).accepts(np.zeros(3))
    assert not _checks._kind(NDArray[np.float64]).accepts(object())
