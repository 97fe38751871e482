"""Choosing a distribution pair and its parameters, for any page that needs one.

``pair_choice("reference")`` is a mixin with the parameters ``reference_kind``, ``reference_mu``,
``reference_sigma``, … ; a page may hold several under different prefixes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair


@dataclass(frozen=True)
class Kind:
    """A family of pairs: how it is named, built, and which parameters it takes."""

    label: str
    build: Callable[..., Pair]
    arguments: dict[str, str]  # argument of the pair -> parameter of the page


KINDS = {
    "gaussian": Kind("Gaussian", GaussianPair, {"mu": "mu"}),
    "laplace": Kind("Laplace", LaplacePair, {"mu": "mu"}),
    "subsampled-gaussian": Kind(
        "Subsampled Gaussian", SubsampledGaussianPair, {"q": "q", "sigma": "sigma"}
    ),
    "randomized-response": Kind(
        "Randomized response",
        RandomizedResponsePair,
        {"epsilon": "epsilon", "delta": "pure_delta"},
    ),
}


def _parameters() -> dict[str, param.Parameter]:
    return {
        "mu": param.Number(
            1.0, bounds=(0, 5), step=0.05, label="μ", doc="Shift in units of the noise."
        ),
        "q": param.Number(
            0.25, bounds=(0.01, 1), step=0.01, label="Sampling rate q",
            doc="Chance that the record takes part.",
        ),
        "sigma": param.Number(
            0.3, bounds=(0.1, 3), step=0.01, label="Noise σ", doc="Standard deviation of the noise."
        ),
        "epsilon": param.Number(
            1.0, bounds=(0, 8), step=0.1, label="ε", doc="Of randomized response."
        ),
        "pure_delta": param.Number(
            0.0, bounds=(0, 0.5), step=0.01, label="δ (of the response)",
            doc="Chance that the truth is shown outright.",
        ),
    }  # fmt: skip


def pair_choice(prefix: str, optional: bool, label: str, default: str | None) -> type:
    """A mixin with a kind of pair and its parameters, all named ``prefix_…``.

    ``optional`` adds "none" to the kinds.
    """
    objects: dict[str, str | None] = {kind.label: name for name, kind in KINDS.items()}
    if optional:
        objects = {"none": None, **objects}
    members: dict[str, Any] = {
        f"{prefix}_kind": param.Selector(default=default, objects=objects, label=label)
    }
    members |= {f"{prefix}_{name}": value for name, value in _parameters().items()}
    return type(f"{prefix.capitalize()}Choice", (param.Parameterized,), members)


def pair_parameters(prefix: str) -> tuple[str, ...]:
    """Names of all parameters of the choice."""
    return (f"{prefix}_kind", *(f"{prefix}_{name}" for name in _parameters()))


def pair_controls(prefix: str, when: Callable[[Any], bool] = lambda page: True) -> list[Control]:
    """The choice's controls; each parameter is offered while the chosen kind takes it."""

    def offered(name: str) -> Callable[[Any], bool]:
        def check(page: Any) -> bool:
            kind = getattr(page, f"{prefix}_kind")
            return when(page) and kind is not None and name in KINDS[kind].arguments.values()

        return check

    return [
        Control(f"{prefix}_kind", when=when),
        *(Control(f"{prefix}_{name}", when=offered(name)) for name in _parameters()),
    ]


def chosen_pair(page: Any, prefix: str) -> Pair | None:
    """The pair as chosen, or None."""
    name = getattr(page, f"{prefix}_kind")
    if name is None:
        return None
    kind = KINDS[name]
    return kind.build(
        **{arg: getattr(page, f"{prefix}_{own}") for arg, own in kind.arguments.items()}
    )


def pair_values(prefix: str, pair: str, **arguments: float) -> dict[str, Any]:
    """The choice's parameters for a pair given by its class name, such as "GaussianPair"."""
    name = next(name for name, kind in KINDS.items() if kind.build.__name__ == pair)
    own = KINDS[name].arguments
    values = {f"{prefix}_{own[arg]}": value for arg, value in arguments.items()}
    return {f"{prefix}_kind": name, **values}
