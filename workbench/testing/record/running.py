"""One run of a mechanism under a session, however it is called."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.mechanisms.adapting.adapted import AdaptedMechanism
from workbench.testing.record.generator import RecordingGenerator, watched
from workbench.testing.record.noisy import NoisySum
from workbench.testing.record.session import Session, Shift
from workbench.testing.record.trace import Trace

#: ``call(dataset, rng)``: one run.
Call = Callable[[Any, np.random.Generator], Any]


def called(mechanism: AdaptedMechanism) -> Call:
    """How one run of a mechanism is called; it returns the output of the run."""

    def run(dataset: Any, rng: np.random.Generator) -> Any:
        found = mechanism(dataset, 1, rng)
        return found[0] if isinstance(found, list) and len(found) == 1 else found

    return run


def run_once(
    call: Call,
    dataset: Any,
    seed: int,
    recorded: Trace | None = None,
    shift: Shift | None = None,
    eager: bool = False,
    far: float = 0.0,
) -> Session:
    """The session of one run, with its trace.

    Parameters
    ----------
    call : callable
    dataset : object
        Each run gets a copy.
    seed : int
    recorded, shift, eager, far
        As of `Session`.
    """
    session = Session(recorded, shift, eager, far)
    with watched(), session.active():
        rng = RecordingGenerator(np.random.PCG64(seed))
        session.finish(released(call(copy.deepcopy(dataset), rng)))
    return session


def released(output: Any) -> Any:
    """An output in which all noisy values are ordinary numbers and arrays."""
    if isinstance(output, NoisySum):
        return output.observed(released=True)
    if isinstance(output, dict):
        return {released(key): released(value) for key, value in output.items()}
    if isinstance(output, tuple) and hasattr(output, "_fields"):
        return type(output)(*map(released, output))
    if isinstance(output, list | tuple):
        return type(output)(map(released, output))
    if isinstance(output, np.ndarray) and output.dtype == object:
        found = np.empty(output.shape, dtype=object)
        for at in np.ndindex(output.shape):
            found[at] = released(output[at])
        return found
    if type(output).__module__.partition(".")[0] == "pandas" and hasattr(output, "map"):
        return output.map(released) if _has_objects(output) else output
    return output


def _has_objects(table: Any) -> bool:
    kinds = table.dtypes if hasattr(table, "columns") else [table.dtype]
    return any(kind == np.dtype("O") for kind in kinds)


def same_output(first: Any, second: Any) -> str:
    """How two outputs differ, in words; "" where they are the same up to rounding."""
    if isinstance(first, dict) and isinstance(second, dict):
        if list(first) != list(second):
            only = set(map(repr, first)) ^ set(map(repr, second))
            return f"keys {', '.join(sorted(only)[:3])}" if only else "the order of keys"
        found = (
            f"[{key!r}] {how}" for key in first if (how := same_output(first[key], second[key]))
        )
        return next(found, "")
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        if len(first) != len(second):
            return f"{len(first)} and {len(second)} entries"
        pairs = zip(first, second, strict=True)
        found = (f"[{i}] {how}" for i, (a, b) in enumerate(pairs) if (how := same_output(a, b)))
        return next(found, "")
    if hasattr(first, "columns") and hasattr(second, "columns"):
        if list(first.columns) != list(second.columns) or list(first.index) != list(second.index):
            return "the columns or rows of the table"
        return same_output(first.to_numpy(), second.to_numpy())
    if hasattr(first, "index") and hasattr(first, "to_numpy") and hasattr(second, "to_numpy"):
        if list(first.index) != list(second.index):
            return "the index of the table"
        return same_output(first.to_numpy(), second.to_numpy())
    return _same_array(first, second)


def _same_array(first: Any, second: Any) -> str:
    try:
        a, b = np.asarray(first), np.asarray(second)
    except ValueError:
        return "" if repr(first) == repr(second) else f"{first!r} and {second!r}"
    if a.shape != b.shape:
        return f"the shapes {a.shape} and {b.shape}"
    if a.dtype.kind in "fc" and b.dtype.kind in "fciub":
        tolerance = 1e-4 if a.dtype == np.float32 else 1e-9
        with np.errstate(invalid="ignore"):
            near = np.isclose(a, b, rtol=tolerance, atol=tolerance * 1e-3, equal_nan=True)
    else:
        near = np.asarray(a == b)
        if near.shape != a.shape:
            near = np.full(a.shape, repr(first) == repr(second))
    if near.all():
        return ""
    at = np.unravel_index(int(np.argmin(near)), a.shape)
    where = f"entry {list(map(int, at))}: " if a.ndim and a.size > 1 else ""
    x, y = a[at], b[at]
    return f"{where}{_shown(x)} and {_shown(y)}"


def _shown(x: Any) -> str:
    return f"{x:.6g}" if isinstance(x, float | np.floating) else str(x)
