"""The choice of references to draw beside scores: pairs, their compositions, DP-SGD.

Every kind of reference is built from a few controls and has the interface of a `Pair`. A page has
one `ReferenceChoice` for each of `PREFIXES`, with which the names of its parameters begin. No
reference is tested: what was promised is a claim, see `workbench.pages.inputs.claims.stated`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.inputs.pair import KINDS as PAIRS
from workbench.pages.inputs.pair import (
    mu_slider,
    noise_slider,
    parameters_of_kind,
    response_delta_slider,
    response_epsilon_slider,
    sampling_rate_slider,
    sliders_of_others,
)
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.base import Pair
from workbench.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair


@dataclass(frozen=True)
class Reference:
    """A kind of reference: its label, its parameters without prefix, and its builder."""

    label: str
    takes: tuple[str, ...]
    build: Callable[..., Pair]


def _dpsgd(multiplier: float, log_rate: float, log_steps: float, neighboring: str) -> Pair:
    return DPSGDPair(multiplier, number_of(log_rate), round(10**log_steps), neighboring)


def _composed(build: Callable[..., Pair], arguments: dict[str, str]) -> Callable[..., Pair]:
    """The pair itself, or ``times`` independent releases of it."""

    def make(times: int, **values: float) -> Pair:
        pair = build(**{arg: values[own] for arg, own in arguments.items()})
        return pair if times == 1 else ComposedPair(pair, times)

    return make


REFERENCES: dict[str, Reference] = {
    name: Reference(
        kind.label,
        (*parameters_of_kind(name).values(), "times"),
        _composed(kind.build, parameters_of_kind(name)),
    )
    for name, kind in PAIRS.items()
} | {
    "dp-sgd": Reference("DP-SGD", ("multiplier", "log_rate", "log_steps", "neighboring"), _dpsgd),
    "discrete-gaussian": Reference(
        "Discrete Gaussian",
        ("discrete_sigma", "times"),
        _composed(DiscreteGaussianPair, {"sigma": "discrete_sigma"}),
    ),
    "discrete-laplace": Reference(
        "Discrete Laplace",
        ("scale", "times"),
        _composed(DiscreteLaplacePair, {"scale": "scale"}),
    ),
}

#: What the parameters of each reference begin with; further ones are offered one by one.
PREFIXES = ("reference", "reference2", "reference3")


class ReferenceChoice(Part):
    """A reference that is drawn beside scores; see `REFERENCES` for each kind's parameters.

    Parameters
    ----------
    prefix : str
        One of `PREFIXES`.
    """

    kind = param.Selector(
        default=None,
        objects={"none": None, **{kind.label: name for name, kind in REFERENCES.items()}},
        label="Reference",
        doc="A mechanism to compare the scores with. It is drawn in the charts and not tested: "
        "only the claim is tested.",
    )
    shown = param.Boolean(True, label="Show", doc="Whether the reference is drawn.")
    mu = mu_slider()
    q = sampling_rate_slider()
    sigma = noise_slider()
    epsilon = response_epsilon_slider()
    pure_delta = response_delta_slider()
    times = param.Integer(
        1, bounds=(1, 200), label="Releases k", doc="Independent releases; the attacker sees all."
    )
    multiplier = param.Number(
        1.0,
        bounds=(0.3, 10),
        step=0.05,
        label="Noise multiplier",
        doc="Standard deviation of the noise, divided by the clipping norm.",
    )
    log_rate = LogNumber(
        -2.0,
        bounds=(-4, 0),
        step=0.05,
        label="Sampling rate",
        doc="Probability that a record is in a batch: batch size divided by the number of records.",
    )
    log_steps = LogNumber(
        3.0,
        bounds=(0, 5),
        step=0.1,
        whole=True,
        label="Steps",
        doc="Number of epochs divided by the sampling rate.",
    )
    neighboring = param.Selector(
        default=NEIGHBORING[0],
        objects={"add or remove": NEIGHBORING[0], "substitute": NEIGHBORING[1]},
        label="Neighboring datasets",
    )
    discrete_sigma = param.Number(1.0, bounds=(0.2, 20), step=0.1, label="Noise σ")
    scale = param.Number(1.0, bounds=(0.1, 20), step=0.1, label="Noise scale b")

    def __init__(self, prefix: str = PREFIXES[0]):
        super().__init__(prefix)

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters; the labels of a further reference end with its number."""
        found = super().declared()
        if number := self.prefix.removeprefix(PREFIXES[0]):
            for one in found.values():
                one.label = f"{one.label} ({number})"
        return found

    def pair(self) -> Pair | None:
        """The reference as chosen; None if there is none, or it is not shown."""
        if self.kind is None or not self.shown:
            return None
        kind = REFERENCES[self.kind]
        return kind.build(**{name: getattr(self, name) for name in kind.takes})

    @property
    def label(self) -> str:
        """What the chosen kind is called."""
        return REFERENCES[self.kind].label


ReferenceChoice.add(sliders_of_others())


def _names(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}_{name}" for name in ReferenceChoice.parameters)


#: Names of the parameters of the first reference, and of all of them.
REFERENCE = _names(PREFIXES[0])
ALL_REFERENCES = tuple(name for prefix in PREFIXES for name in _names(prefix))


def reference_controls() -> list[Control]:
    """The controls of all references: each is offered once the one before is chosen.

    Its parameters are offered while the chosen kind takes them.
    """

    def offered(prefix: str, name: str) -> Callable[[Any], bool]:
        def check(page: Any) -> bool:
            kind = getattr(page, f"{prefix}_kind")
            return kind is not None and (name == "shown" or name in REFERENCES[kind].takes)

        return check

    def chosen(place: int) -> Callable[[Any], bool]:
        around = PREFIXES[max(place - 1, 0) : place + 1]
        return lambda page: place == 0 or any(getattr(page, f"{one}_kind") for one in around)

    return [
        control
        for place, prefix in enumerate(PREFIXES)
        for control in (
            Control(f"{prefix}_kind", when=chosen(place)),
            *(
                Control(f"{prefix}_{name}", when=offered(prefix, name))
                for name in ReferenceChoice.parameters
                if name != "kind"
            ),
        )
    ]
