"""The choice of a claim: every claim of the registry, with a control for each of its arguments.

A page with a `ClaimChoice` has ``claim_kind`` and a parameter for each argument, and a
`DeltaSetting` of its own. What `workbench.claims.parse.CLAIM_KINDS` has appears here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import param

from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim, ClaimArgument
from workbench.claims.pair import PairClaim
from workbench.claims.parse import CLAIM_KINDS
from workbench.claims.pure import PureDP
from workbench.claims.unclaimed import Unclaimed
from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import NumberField, number_of
from workbench.pages.inputs.settings import LOG_DELTA

#: The value of ``claim_kind`` for a pair.
PAIR = "pair"

#: Its values where nothing is claimed and the largest ε is asked for, at δ = 0 and at the page's δ.
NONE, NONE_AT_DELTA = Unclaimed.word, f"{Unclaimed.word}_at_delta"


def own_name(kind: type[Claim], argument: str) -> str:
    """The page's name of an argument; claims of plug-ins share none, as ranges differ."""
    if kind.word in CLAIM_KINDS.ours:
        return argument
    return f"{kind.word}_{argument}".replace("-", "_")


#: The page's parameter without prefix -> the argument of claims that it is.
ARGUMENTS = {
    own_name(kind, argument.name): argument
    for kind in CLAIM_KINDS.values()
    for argument in kind.arguments
}


def _parameter(name: str) -> str:
    """The page's parameter for an argument of a claim; sliders show δ as its logarithm."""
    return "log_delta" if name == "delta" else name


#: Names of the choice's parameters.
CLAIM_PARAMETERS = ("claim_kind", *map(_parameter, ARGUMENTS))


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
        default=ApproxDP.word,
        objects={
            **{kind.title: word for word, kind in CLAIM_KINDS.items()},
            PairClaim.title: PAIR,
            "none: largest ε (δ = 0)": NONE,
            "none: largest ε at δ": NONE_AT_DELTA,
        },
        label="Claim",
        doc="The privacy guarantee to test. Choosing a mechanism of the gallery sets its own "
        "claim.",
    )

    def declared(self) -> dict[str, param.Parameter]:
        """The kind, and a number for each argument of a claim."""
        numbers = {name: _field(one) for name, one in ARGUMENTS.items() if name != "delta"}
        return {**super().declared(), **numbers}

    def chosen(self) -> Claim:
        """The claim as chosen; not for a pair."""
        if self.claim_kind in (NONE, NONE_AT_DELTA):
            at_delta = self.claim_kind == NONE_AT_DELTA
            return Unclaimed(number_of(self.page.log_delta) if at_delta else 0.0)
        kind = CLAIM_KINDS[self.claim_kind]
        own = {one.name: _parameter(own_name(kind, one.name)) for one in kind.arguments}
        values = {argument: getattr(self.page, name) for argument, name in own.items()}
        if own.get("delta") == "log_delta":
            values["delta"] = number_of(values["delta"])
        return kind(**values)


def claim_controls() -> list[Control]:
    """The choice's controls; each argument is offered while the chosen claim takes it."""

    def taken(name: str) -> Callable[[Any], bool]:
        words = [
            word
            for word, kind in CLAIM_KINDS.items()
            if name in [own_name(kind, one.name) for one in kind.arguments]
        ]
        words += [NONE_AT_DELTA] if name == "delta" else []
        return lambda page: page.claim_kind in words

    own = [Control(_parameter(name), when=taken(name)) for name in ARGUMENTS]
    return [Control("claim_kind"), *own]


def claim_values(claim: Claim) -> dict[str, Any]:
    """The page's parameters for a claim of the registry.

    Raises
    ------
    ValueError
        A δ that the page's slider does not reach.
    """
    kind, values = type(claim), dict(claim.parameters)
    if isinstance(claim, Unclaimed) and claim.delta_0 == 0:
        return {"claim_kind": NONE}
    if kind.word in CLAIM_KINDS.others:
        own = {own_name(kind, name): value for name, value in values.items()}
        return {"claim_kind": kind.word, **own}
    if "delta" in values:
        delta = values.pop("delta")
        if delta == 0:
            kind = PureDP
        elif not LOG_DELTA[0] <= (log := math.log10(delta)) < LOG_DELTA[1]:
            raise ValueError(f"the page shows δ from 1e{LOG_DELTA[0]} to below 1, got {delta!r}")
        else:
            values["log_delta"] = log
    return {"claim_kind": kind.word if claim.stated else NONE_AT_DELTA, **values}
