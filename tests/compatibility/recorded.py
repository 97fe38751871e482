"""What a page or a program shows, as JSON values: alike for the version of the corpus and today's.

Only what every version has is used: names of items, `Bound.to_dict`, texts of facts and summaries,
`wb.Scores` and `wb.example`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

import workbench as wb
from workbench.bounds.bound import Bound

#: What a bound says: its words may change, this may not.
FIELDS = (
    *("quantity", "value", "high", "guarantee", "confidence", "assumption", "family", "side"),
    *("n_p", "n_q", "delta", "epsilon", "fpr", "prior", "order", "direction", "threshold"),
    *("discarded", "canaries", "guesses", "correct"),
)

#: Digits that two versions share: linear algebra rounds differently on other processors.
REL = 1e-6

_NUMERAL = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-−+]?\d+)?")


def shown_by(page: Any) -> dict[str, Any]:
    """Numbers of a page by name, and the numerals in the summary of each of its figures."""
    return {
        "numbers": {item.name: number(page.draw(item)) for item in page.numbers()},
        "figures": {item.name: _summary(page.draw(item)) for item in page.figures()},
    }


def number(value: Any) -> dict[str, Any]:
    """A `Bound`, or a fact, of which the numerals count."""
    if not isinstance(value, Bound):
        return {"numerals": numerals(value.text)}
    there = {k: v for k, v in value.to_dict().items() if k in FIELDS and v is not None}
    return {
        name: str(one) if isinstance(one, float) and math.isinf(one) else one
        for name, one in there.items()
    } | {"void": value.void is not None}


def numbers_in(names: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds among the variables of a program, by name."""
    return {name: number(one) for name, one in names.items() if isinstance(one, Bound)}


def given() -> dict[str, Any]:
    """What the cells of the notebook before have named."""
    scores = wb.Scores(np.linspace(0, 3, 80), np.linspace(-1, 2, 90))
    pair = {"a": wb.example("ties"), "b": wb.example("no-leak")}
    return {"wb": wb, "np": np, "scores": scores, **pair}


def run(code: str) -> dict[str, Any]:
    """The bounds that a program shows."""
    names = given()
    with redirect_stdout(StringIO()):
        exec(code, names)
    return numbers_in(names)


def numerals(text: str) -> list[str]:
    """The numerals of a text, in its order."""
    return [found.replace(",", "").replace("−", "-") for found in _NUMERAL.findall(text)]


def shown_before(found: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """What is shown, without items that the version of the corpus did not have."""
    return {
        kind: {name: found[kind][name] for name in items if name in found[kind]}
        for kind, items in expected.items()
    }


def differences(found: Any, expected: Any, at: str = "") -> dict[str, Any]:
    """Where two records differ: path of each difference -> what was found there."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return {at: found}
        different: dict[str, Any] = {}
        for name in [*expected, *(one for one in found if one not in expected)]:
            below = f"{at}/{name}" if at else name
            if (name in found) != (name in expected):
                different[below] = found.get(name)
            else:
                different |= differences(found[name], expected[name], below)
        return different
    return {} if _is_same(found, expected) else {at: found}


def _is_same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=REL, abs_tol=REL)
    return bool(found == expected)


def _summary(drawn: Mapping[str, Any]) -> list[str]:
    return numerals(drawn["layout"]["meta"]["summary"])
