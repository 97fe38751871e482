"""Objects that release by a method: mechanisms of diffprivlib, DP-Sniper and PyDP."""

from __future__ import annotations

import math
from typing import Any

from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.claims.pure import PureDP

#: Methods that release, of objects that are no functions: of diffprivlib, PyDP and DP-Sniper.
METHODS = ("randomise", "randomize", "quick_result", "m")

#: Those of them that take one value.
OF_ONE_VALUE = METHODS[:2]

#: Those of them whose objects state the ε and δ of one release.
_STATING = METHODS[:3]


def method_of(x: Any) -> str:
    """The method by which an object releases; "" if it is a function itself, or has none."""
    if callable(x):
        return ""
    return next((name for name in METHODS if callable(getattr(x, name, None))), "")


def stated_claim(x: Any, method: str) -> Claim | None:
    """What an object says that it claims; None if it does not.

    An attribute ``claim`` says it, and ``epsilon`` and ``delta`` of the libraries that are known.
    """
    claim = getattr(x, "claim", None)
    if isinstance(claim, Claim | str):
        return as_claim(claim)
    if method in _STATING:
        return of_budget(getattr(x, "epsilon", None), getattr(x, "delta", None))
    function, given = getattr(x, "func", None), getattr(x, "keywords", None)
    if isinstance(given, dict) and str(getattr(function, "__module__", "")).startswith(_TOOLS):
        return of_budget(given.get("epsilon", 1.0), None)
    return None


#: Where functions are whose parameter ``epsilon`` is what one call claims.
_TOOLS = "diffprivlib.tools"


def of_budget(epsilon: Any, delta: Any) -> Claim | None:
    """(ε, δ)-DP, or pure DP for δ = 0 or None; None for what are no such numbers."""
    try:
        values = float(epsilon), float(delta or 0.0)
    except (TypeError, ValueError):
        return None
    if not (math.isfinite(values[0]) and values[0] >= 0 and 0 <= values[1] < 1):
        return None
    return ApproxDP(*values) if values[1] else PureDP(values[0])


def relation_of(x: Any, method: str) -> str | None:
    """How the inputs of a known object are neighbors; None if it does not say.

    The inputs of diffprivlib's mechanisms and those of DP-Sniper are the values of queries.
    """
    return "stated" if method in {*OF_ONE_VALUE, "m"} else None


def pair_of(x: Any, method: str) -> tuple[Any, Any] | None:
    """Two inputs that differ by the sensitivity of a known object; None if it does not say."""
    sensitivity = getattr(x, "sensitivity", None)
    if method not in OF_ONE_VALUE or isinstance(sensitivity, bool):
        return None
    if not isinstance(sensitivity, int | float) or not 0 < sensitivity < math.inf:
        return None
    return type(sensitivity)(0), sensitivity
