"""Objects that state their input domain, metric, measure and privacy map, such as OpenDP's.

They are known by these attributes; no library is imported. A dataset of a mechanism is made into
what the domain carries: a list of Python's numbers, or one number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.claims.base import Claim
from workbench.claims.zcdp import ZCDP
from workbench.mechanisms.adapting.releases import of_budget
from workbench.mechanisms.base import Domain

#: How datasets are neighbors at distance 1, by the name of a metric. The inputs of other metrics
#: are values of queries, whose relation is stated with the datasets.
METRICS = {
    "SymmetricDistance": "add-remove",
    "InsertDeleteDistance": "add-remove",
    "ChangeOneDistance": "substitute",
    "HammingDistance": "substitute",
    "SymmetricDifference": "add-remove",
    "AbsoluteDistance": "stated",
    "L1Distance": "stated",
    "L2Distance": "stated",
    "LInfDistance": "stated",
    "DiscreteDistance": "stated",
}

#: What is said of outputs that no seed determines.
CAVEAT = (
    "The noise comes from the operating system, so the seed determines the datasets and the "
    "testers, and another audit draws other outputs"
)


def is_measurement(x: Any) -> bool:
    """Whether an object states domain, metric, measure and privacy map."""
    kind = type(x)
    return (
        all(hasattr(kind, name) for name in ("input_domain", "input_metric", "output_measure"))
        and callable(x)
        and _map(x) is not None
    )


def _map(x: Any) -> Callable[[Any], Any] | None:
    """What an input distance allows as output distance: OpenDP's name, or that of Tumult Core."""
    return getattr(x, "map", None) or getattr(x, "privacy_function", None)


def relation(measurement: Any) -> str | None:
    """How its datasets at distance 1 are neighbors; None for a metric that is not known."""
    name = _word(measurement.input_metric)
    return METRICS.get(name)


def claim(measurement: Any) -> Claim | None:
    """What it claims for datasets at distance 1; None for a measure without one number for it."""
    privacy = _map(measurement)
    if privacy is None or relation(measurement) is None:
        return None
    loss: Any = None
    for distance in (1, 1.0):  # metrics of integers, and those of real numbers
        try:
            loss = privacy(distance)
            break
        except Exception:  # whatever a foreign library raises
            continue
    measure = re.sub(r"\s", "", str(measurement.output_measure))
    if measure.startswith(("Approximate(MaxDivergence", "FixedSmoothedMaxDivergence", "ApproxDP")):
        return of_budget(*loss) if isinstance(loss, tuple) and len(loss) == 2 else None
    if measure.startswith(("MaxDivergence", "PureDP")):
        return of_budget(loss, None)
    if measure.startswith(("ZeroConcentratedDivergence", "RhoZCDP")):
        known = of_budget(loss, None)
        return None if known is None else ZCDP(known.parameters["epsilon"])
    return None


def domain(measurement: Any) -> Domain | None:
    """The datasets that it takes; None where they are no vectors of records."""
    outer = measurement.input_domain
    inner = getattr(outer, "element_domain", None)
    kind = _element(measurement)
    if relation(measurement) == "stated" or inner is None or kind not in _CASTS or kind == "String":
        return None
    low, high = (0.0, 1.0)
    bounds = None if kind == "bool" else _quiet(lambda: inner.bounds)
    if bounds is not None:
        low, high = map(float, bounds)
    if not np.isfinite([low, high]).all() or low >= high:
        return None
    size = getattr(outer, "size", None)
    rows = {} if size is None else {"min_records": int(size), "max_records": int(size)}
    return Domain(low=low, high=high, integer=_CASTS[kind] is not float, **rows)


def carrier(measurement: Any) -> Carrier:
    """What makes of a dataset what a measurement takes."""
    vector = getattr(measurement.input_domain, "element_domain", None) is not None
    return Carrier(_element(measurement), vector)


@dataclass(frozen=True)
class Carrier:
    """Makes an array a list, or a number, of the types that a domain carries.

    Attributes
    ----------
    kind : str
        Of the elements: "f64", "i32", "bool"; "" for what is not known.
    vector : bool
        Whether it carries many of them.
    """

    kind: str
    vector: bool

    def __call__(self, dataset: Any) -> Any:
        if not isinstance(dataset, np.ndarray | np.generic):
            return dataset
        values = np.asarray(dataset)
        cast = _CASTS.get(self.kind)
        if cast is not None:
            fits = values.dtype.kind in "biuf" and cast is not str
            whole = cast is float or (fits and np.array_equal(values, np.floor(values)))
            if fits and not whole:
                raise ValueError(
                    f"it takes {'lists of ' if self.vector else ''}{self.kind}, and the dataset "
                    f"has {values[values != np.floor(values)].flat[0]!r}"
                )
            if fits and values.ndim <= 1:
                many = [cast(one) for one in np.atleast_1d(values).tolist()]
                return many if self.vector or len(many) != 1 else many[0]
        return values.tolist()


_CASTS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("f32", "f64"), float),
    **dict.fromkeys(("i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "usize"), int),
    "bool": bool,
    "String": str,
}


def _element(measurement: Any) -> str:
    """The type of the elements: "i32" of "Vec<i32>"."""
    carried = str(getattr(measurement.input_domain, "carrier_type", ""))
    match = re.fullmatch(r"(?:Vec<)?(\w+)>?", carried)
    return match[1] if match else ""


def _word(x: Any) -> str:
    """The first word of how an object is written: "L1Distance" of "L1Distance(f64)"."""
    match = re.match(r"(?:\w+::)*(\w+)", str(x))
    return match[1] if match else ""


def _quiet(get: Callable[[], Any]) -> Any:
    """A value, or None where asking for it raises."""
    try:
        return get()
    except Exception:  # whatever a foreign library raises
        return None
