"""`KnownPairChoice`: pairs to sample from, also the last iterate, which is no claim."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.sliders import LogNumber
from workbench.pages.inputs.pair import (
    PairChoice,
    pair_parameters,
    parameters_of_kind,
    values_of_pair,
)
from workbench.pages.inputs.reference import REFERENCES, multiplier_slider, rate_slider
from workbench.pairs.base import Pair
from workbench.pairs.last_iterate import LastIteratePair

#: The kind of reference that this choice has besides those of `PairChoice`.
LAST_ITERATE = "last-iterate"


class KnownPairChoice(PairChoice):
    """A pair to sample from: one of `KINDS`, or the last iterate of DP-SGD.

    Other references are left out: batches of a fixed or a largest size are upper limits without
    scores of their own.
    """

    multiplier = multiplier_slider()
    log_rate = rate_slider()
    log_steps = LogNumber(2.0, bounds=(0, 4), step=0.1, whole=True, label="Steps")

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters, with the further kind."""
        found = super().declared()
        kinds: Any = found[self.flat("kind")]
        found[self.flat("kind")] = param.Selector(
            default=kinds.default,
            objects={**kinds.names, REFERENCES[LAST_ITERATE].label: LAST_ITERATE},
            label=kinds.label,
            doc="The last iterate is the final model of DP-SGD if all gradients stay the same: a "
            "heuristic for real training, whose own privacy loss is known exactly.",
        )
        return found

    def pair(self) -> Pair:
        """The pair as chosen."""
        if self.kind != LAST_ITERATE:
            return super().pair()
        kind = REFERENCES[LAST_ITERATE]
        return kind.build(**{name: getattr(self, name) for name in kind.takes})

    @property
    def released_once(self) -> bool:
        """Whether only one release is looked at: what several final models leak is not asked."""
        return bool(self.kind == LAST_ITERATE)


def known_parameters(prefix: str) -> tuple[str, ...]:
    """Names of the choice's parameters."""
    return (
        *pair_parameters(prefix),
        *(f"{prefix}_{one}" for one in REFERENCES[LAST_ITERATE].takes),
    )


def known_controls(prefix: str) -> list[Control]:
    """The choice's controls; each parameter is offered while the chosen kind takes it."""

    def offered(name: str) -> Callable[[Any], bool]:
        def check(page: Any) -> bool:
            kind = getattr(page, f"{prefix}_kind")
            if kind == LAST_ITERATE:
                return name in REFERENCES[kind].takes
            return name in parameters_of_kind(kind).values()

        return check

    first, *names = known_parameters(prefix)
    return [
        Control(first),
        *(Control(one, when=offered(one.removeprefix(f"{prefix}_"))) for one in names),
    ]


def values_of_known(prefix: str, pair: Pair) -> dict[str, Any]:
    """The page's parameters for a pair.

    Raises
    ------
    ValueError
        A pair that the controls do not offer.
    """
    if not isinstance(pair, LastIteratePair):
        return values_of_pair(prefix, pair)
    return {
        f"{prefix}_kind": LAST_ITERATE,
        f"{prefix}_multiplier": pair.noise_multiplier,
        f"{prefix}_log_rate": math.log10(pair.sample_rate),
        f"{prefix}_log_steps": math.log10(pair.steps),
    }
