"""Results as JSON values, and back, exactly.

Numbers are read back bit for bit, including NaN and ±∞; arrays with their type and shape. Reading
only creates instances of the classes named here, so a file cannot run code.

Datasets are arrays, data frames, numbers, strings, lists, tuples and dicts of these. Of any other,
the file has its text only, and a finding about it cannot be replayed from the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import NoneType
from typing import Any

import numpy as np

from workbench import _checks, _json
from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.claims.parse import parse_claim
from workbench.claims.unclaimed import Unclaimed
from workbench.pairs.base import Pair
from workbench.testers.finders.records import OnlyText, is_frame

#: Version of the format; increase it when the values change.
FORM = 2

_CLASSES = {
    "MechanismAudit": "workbench.testers.mechanism_audit",
    "AuditSettings": "workbench.testers.mechanism_audit",
    "Trial": "workbench.testers.evidence",
    "Picture": "workbench.testers.evidence",
    "Neighbors": "workbench.testers.finders.neighbors",
    "Finding": "workbench.testers.property_testers.base",
    "Bound": "workbench.bounds.bound",
    "QuantityArguments": "workbench.bounds.quantities",
}

#: Fields that are datasets.
_DATASETS = {"dataset", "neighbor"}

#: Fields that are not saved.
_LEFT_OUT = {"mechanism", "recompute", "used", "domain"}

#: Types of fields that are checked, by their annotations; and those of many values.
_SIMPLE: Mapping[str, Any] = {
    **{"int": int, "float": int | float, "bool": bool, "str": str, "None": NoneType},
    **{"Claim": Claim, "NDArray[Any]": np.ndarray},
}
_OF_MANY = re.compile(r"(tuple)\[(\w+), \.\.\.\]|(Mapping)\[str, (\w+)\]")

#: Kinds of arrays that datasets come in: whole numbers, real ones, booleans, strings.
_KINDS = "iufbU"


def plain(value: Any) -> Any:
    """A value as dicts, lists, strings, finite numbers, booleans and None.

    Raises
    ------
    ValueError
        It cannot be represented.
    """
    return _json.plain(value, "tagged", _special)


def _special(value: Any) -> Any:
    """The form of a value that is no plain list or number."""
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    if isinstance(value, PairClaim):
        return {"claimed pair": plain(value.pair)}
    if isinstance(value, Unclaimed):
        return {"no claim at delta": plain(value.delta_0)}
    if isinstance(value, Claim):
        return {"claim": str(value)}
    if isinstance(value, Pair):
        return {"pair": type(value).__name__, "parameters": plain(value.parameters)}
    if is_dataclass(value) and type(value).__name__ in _CLASSES:
        kept = {
            f.name: (_plain_dataset if f.name in _DATASETS else plain)(getattr(value, f.name))
            for f in fields(value)
            if _kept(f.name)
        }
        return {"class": type(value).__name__, "form": FORM, **kept}
    if isinstance(value, Mapping):
        return {"entries": [[plain(key), plain(each)] for key, each in value.items()]}
    return NotImplemented


def _plain_array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    if value.dtype.kind in _KINDS:
        kind = value.dtype.str
    elif value.dtype == object:
        kind = "object"
    else:
        raise ValueError(f"an array of {value.dtype} cannot be written to JSON")
    return {"array": kind, "shape": list(value.shape), "values": plain(value.ravel().tolist())}


def _plain_dataset(dataset: Any) -> Any:
    """A dataset that can be read again, or its text."""
    try:
        return _json.plain(dataset, "tagged", _dataset_part)
    except ValueError:
        return {"only text": repr(dataset)}


def _dataset_part(value: Any) -> Any:
    if isinstance(value, OnlyText):
        return {"only text": value.text}
    if is_frame(value):
        return _plain_frame(value)
    if type(value) is list:
        return {"list": [_json.plain(each, "tagged", _dataset_part) for each in value]}
    if type(value) is dict:
        both = [[key, each] for key, each in value.items()]
        return {"entries": [_json.plain(tuple(one), "tagged", _dataset_part) for one in both]}
    if isinstance(value, np.ndarray) and type(value) is np.ndarray:
        if value.dtype == object:
            items = [_json.plain(each, "tagged", _dataset_part) for each in value.ravel().tolist()]
            return {"array": "object", "shape": list(value.shape), "values": items}
        return _plain_array(value)
    if type(value) is tuple or value is None or isinstance(value, _ATOMS):
        return NotImplemented
    raise ValueError(f"a dataset with a {type(value).__name__} in it cannot be written to JSON")


#: What a dataset may consist of, in the end.
_ATOMS = (bool, int, float, str, np.generic)


def _plain_frame(frame: Any) -> dict[str, Any]:
    columns = [_plain_column(frame.iloc[:, k], name) for k, name in enumerate(frame.columns)]
    index = None if _is_counted(frame.index) else plain(frame.index.tolist())
    return {"frame": columns, "rows": len(frame), "index": index}


def _is_counted(index: Any) -> bool:
    return bool(index.nlevels == 1 and index.tolist() == list(range(len(index))))


def _plain_column(column: Any, name: Any) -> dict[str, Any]:
    """A column by its type; missing values of types other than float are null."""
    kind = str(column.dtype)
    made: dict[str, Any] = {"name": plain(name), "type": kind}
    if kind == "category":
        made["categories"] = plain(column.cat.categories.tolist())
        made["ordered"] = bool(column.cat.ordered)
        return {**made, "values": column.cat.codes.tolist()}
    if kind.startswith(("datetime64", "timedelta64")):
        return {**made, "values": column.astype("int64").tolist()}
    values = column.tolist()
    if kind.startswith("float"):
        return {**made, "values": plain(values)}
    missing = column.isna().tolist()
    values = [None if gone else each for each, gone in zip(values, missing, strict=True)]
    if not all(each is None or isinstance(each, _ATOMS) for each in values):
        raise ValueError(f"column {name!r} cannot be written to JSON")
    return {**made, "values": plain(values)}


def _frame(value: Mapping[str, Any]) -> Any:
    import pandas as pd

    found = [_column(each) for each in value["frame"]]
    frame = pd.DataFrame({k: column for k, (_, column) in enumerate(found)}, range(value["rows"]))
    frame.columns = pd.Index([name for name, _ in found])
    if value["index"] is not None:
        frame.index = pd.Index(list(revived(value["index"])))
    return frame


def _column(value: Mapping[str, Any]) -> tuple[Any, Any]:
    import pandas as pd

    name, kind, values = revived(value["name"]), value["type"], list(revived(value["values"]))
    if kind == "category":
        categories = list(revived(value["categories"]))
        dtype = pd.CategoricalDtype(categories, ordered=bool(value["ordered"]))
        return name, pd.Series(pd.Categorical.from_codes(values, dtype=dtype))
    if kind.startswith(("datetime64", "timedelta64")):
        return name, pd.Series(np.array(values, "int64")).astype(kind)
    return name, pd.Series(values, dtype=kind)


def _kept(name: str) -> bool:
    return name not in _LEFT_OUT


def revived(value: Any) -> Any:
    """The value of a result of `plain`; lists become tuples.

    Raises
    ------
    ValueError
        It is not a result of `plain`, or of another version.
    """
    if isinstance(value, list):
        return tuple(revived(each) for each in value)
    if not isinstance(value, Mapping):
        return value
    if "class" in value:
        return _instance(value)
    if "float" in value:
        return float(value["float"])
    if "claim" in value:
        return parse_claim(value["claim"])
    if "no claim at delta" in value:
        return Unclaimed(revived(value["no claim at delta"]))
    if "claimed pair" in value:
        return PairClaim(revived(value["claimed pair"]))
    if "pair" in value:
        return _pair(value["pair"])(**revived(value["parameters"]))
    if "entries" in value:
        return {revived(key): revived(each) for key, each in value["entries"]}
    if "array" in value:
        return _array(value)
    if "frame" in value:
        return _frame(value)
    if "list" in value:
        return [revived(each) for each in value["list"]]
    if "only text" in value:
        return OnlyText(str(value["only text"]))
    raise ValueError(f"cannot read {dict(value)!r}")


def _array(value: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    kind = np.dtype(value["array"])
    items = revived(value["values"])
    flat = np.empty(len(items), dtype=kind)
    flat[:] = items
    return flat.reshape(value["shape"])


def _instance(value: Mapping[str, Any]) -> Any:
    name, form = value["class"], value["form"]
    if name not in _CLASSES:
        raise ValueError(f"cannot read a {name!r}")
    if form != FORM:
        raise ValueError(f"it has form {form!r}, and this version of the workbench reads {FORM}")
    made = getattr(import_module(_CLASSES[name]), name)
    types = {f.name: str(f.type) for f in fields(made)}
    found = {key: revived(each) for key, each in value.items() if key in types}
    for key, each in found.items():
        if not _fits(each, types[key]):
            raise ValueError(f"{key} of a {name} must be {types[key]}, got {_checks.shown(each)}")
    return made(**found)


def _fits(value: Any, kind: str) -> bool:
    """Whether a value is of a type, as an annotation names it; True for one that is not known."""
    for one in kind.split(" | "):
        many = _OF_MANY.fullmatch(one)
        if many is None:
            fits = _is(value, one)
        elif many[1]:
            fits = isinstance(value, tuple) and all(_is(each, many[2]) for each in value)
        else:
            fits = isinstance(value, Mapping) and all(
                isinstance(key, str) and _is(each, many[4]) for key, each in value.items()
            )
        if fits:
            return True
    return False


def _is(value: Any, kind: str) -> bool:
    if kind in _CLASSES:
        return type(value).__name__ == kind
    if kind not in _SIMPLE:
        return True
    return isinstance(value, _SIMPLE[kind]) and (kind == "bool" or not isinstance(value, bool))


def _pair(name: str) -> type[Pair]:
    """A public class of pairs."""
    import workbench as wb

    found = getattr(wb, name, None)
    if not (isinstance(found, type) and issubclass(found, Pair)):
        raise ValueError(f"cannot read a pair {name!r}")
    return found
