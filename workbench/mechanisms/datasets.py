"""Arguments of mechanisms: datasets as arrays, and checks of the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

#: Parameters that count something, and those that may be 0 or below.
_WHOLE = ("steps", "bins", "answers", "copies", "block", "values", "reports")
_ANY = ("threshold", "rate")

#: Numbers that the runs of one call hold, at most, and steps of a descent.
_MOST, _MOST_STEPS = 5 * 10**7, 10**4


def vector(dataset: Any) -> NDArray[np.float64]:
    """A dataset with one number for each record, shape (records,); ValueError for another shape."""
    x = _checks.array(dataset, "dataset")
    if x.ndim != 1:
        raise ValueError(f"this mechanism takes a vector, shape (records,); got {x.shape}")
    return x


def column_sums(dataset: Any) -> NDArray[np.float64]:
    """Sums of the columns of a table, shape (columns,); ValueError for another shape."""
    x = _checks.array(dataset, "dataset")
    if x.ndim != 2:
        raise ValueError(f"this mechanism takes a table, shape (records, columns); got {x.shape}")
    return x.sum(axis=0)


def checked(run: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """A mechanism that refuses a size, a generator or a parameter with which it cannot run.

    Parameters
    ----------
    run : callable
        ``run(dataset, size, rng, *, …)``; see `workbench.mechanisms.base.Runs`.
    """

    @wraps(run)
    def checked_run(
        dataset: Any, size: int, rng: np.random.Generator, **parameters: Any
    ) -> Returned:
        x, size = _checks.array(dataset, "dataset"), _checks.count(size, "size")
        for name, value in parameters.items():
            if name in _WHOLE:
                parameters[name] = _checks.count(value, name, least=1)
            else:
                check = _checks.number if name in _ANY else _checks.positive
                parameters[name] = check(value, name)
        wide = x.size * max(parameters.get("values", 1), parameters.get("reports", 1))
        cells = size * max(wide, parameters.get("bins", 1), parameters.get("copies", 1), 1)
        if cells > _MOST or parameters.get("steps", 1) > _MOST_STEPS:
            raise ValueError(
                f"size times the values of a dataset, or its bins, must be at most {_MOST:,}, and "
                f"steps at most {_MOST_STEPS:,}; got {cells:,} and {parameters.get('steps', 1):,}"
            )
        return run(x, size, _checks.generator(rng, "rng"), **parameters)  # type: ignore[arg-type]

    return checked_run  # type: ignore[return-value]
