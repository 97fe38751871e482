"""Results as JSON values, and back, exactly.

Numbers are read back bit for bit, including NaN and ±∞; arrays with their type and shape. Reading
only creates instances of the classes named here, so a file cannot run code.
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

#: Fields that are not saved.
_LEFT_OUT = {"mechanism", "recompute", "used"}

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
        kept = {f.name: plain(getattr(value, f.name)) for f in fields(value) if _kept(f.name)}
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
