"""The choice of a claim: every claim of the registry, with a control for each of its arguments.

A page with a `ClaimChoice` has ``claim_kind`` and a parameter for each argument, and a
`DeltaSetting` of its own. What is added to `workbench.claims.parse.CLAIMS` appears here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import param

from workbench.claims.base import Claim, ClaimArgument
from workbench.claims.pair import PairClaim
from workbench.claims.parse import CLAIMS
from workbench.claims.pure import PureDP
from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import NumberField, number_of
from workbench.pages.inputs.settings import LOG_DELTA

#: The value of ``claim_kind`` for a pair.
PAIR = "pair"

#: Arguments of all claims, each once.
_ARGUMENTS = {argument.name: argument for kind in CLAIMS for argument in kind.arguments}


def _parameter(argument: str) -> str:
    """The page's parameter for an argument of a claim; sliders show δ as its logarithm."""
    return "log_delta" if argument == "delta" else argument


#: Names of the choice's parameters.
CLAIM_PARAMETERS = ("claim_kind", *map(_parameter, _ARGUMENTS))


def _field(argument: ClaimArgument) -> NumberField:
    return NumberField(
        argument.default,
        argument.bounds,
        inclusive_bounds=(not argument.above, True),
        step=argument.step,
        label=argument.label,
    )


class ClaimChoice(Part):
    """The claim, with the arguments of all claims but δ."""

    claim_kind = param.Selector(
        default=CLAIMS[0].word,
        objects={
            **{kind.title: kind.word for kind in CLAIMS},
            PairClaim.title: PAIR,
        },
        label="Claim",
        doc="The privacy guarantee to test. Choosing a mechanism of the gallery sets its own "
        "claim.",
    )

    def declared(self) -> dict[str, param.Parameter]:
        """The kind, and a number for each argument of a claim."""
        numbers = {name: _field(one) for name, one in _ARGUMENTS.items() if name != "delta"}
        return {**super().declared(), **numbers}

    def chosen(self) -> Claim:
        """The claim as chosen; not for a pair."""
        kind = next(kind for kind in CLAIMS if kind.word == self.claim_kind)
        values = {a.name: getattr(self.page, _parameter(a.name)) for a in kind.arguments}
        if "delta" in values:
            values["delta"] = number_of(values["delta"])
        return kind(**values)


def claim_controls() -> list[Control]:
    """The choice's controls; each argument is offered while the chosen claim takes it."""

    def taken(argument: str) -> Callable[[Any], bool]:
        words = [kind.word for kind in CLAIMS if argument in [a.name for a in kind.arguments]]
        return lambda page: page.claim_kind in words

    own = [Control(_parameter(name), when=taken(name)) for name in _ARGUMENTS]
    return [Control("claim_kind"), *own]


def claim_values(claim: Claim) -> dict[str, Any]:
    """The page's parameters for a claim of the registry.

    Raises
    ------
    ValueError
        A δ that the page's slider does not reach.
    """
    kind, values = type(claim), dict(claim.parameters)
    if "delta" in values:
        delta = values.pop("delta")
        if delta == 0:
            kind = PureDP
        elif not LOG_DELTA[0] <= (log := math.log10(delta)) < LOG_DELTA[1]:
            raise ValueError(f"the page shows δ from 1e{LOG_DELTA[0]} to below 1, got {delta!r}")
        else:
            values["log_delta"] = log
    return {"claim_kind": kind.word, **values}
