"""The choice of a distribution pair and its parameters, for any page that needs one.

A page may have several `PairChoice` parts, each with a prefix: ``sample_kind``, ``sample_mu``, ….
The functions below take the prefix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pairs.base import Pair
from workbench.workspaces.draws import KINDS

#: Parameters of the page that are not called as the argument of the pair's class is.
_OWN = {"delta": "pure_delta"}

#: Parameters of all kinds; their names follow the prefix.
PARAMETERS = ("mu", "q", "sigma", "epsilon", "pure_delta")


def kind_selector(label: str, default: str) -> param.Selector:
    """A dropdown of the kinds of pairs."""
    kinds = {kind.label: name for name, kind in KINDS.items()}
    return param.Selector(default=default, objects=kinds, label=label)


def mu_slider(default: float = 1.0) -> param.Number:
    """The μ of Gaussian and Laplace pairs."""
    return param.Number(
        default, bounds=(0, 5), step=0.05, label="μ", doc="Shift in units of the noise scale."
    )


def sampling_rate_slider() -> param.Number:
    """The q of the subsampled Gaussian pair."""
    return param.Number(
        0.25,
        bounds=(0.01, 1),
        step=0.01,
        label="Sampling rate q",
        doc="Probability that the record is sampled.",
    )


def noise_slider() -> param.Number:
    """The σ of the subsampled Gaussian pair."""
    return param.Number(
        0.3,
        bounds=(0.1, 3),
        step=0.01,
        label="Noise σ",
        doc="Standard deviation of the noise.",
    )


def response_epsilon_slider() -> param.Number:
    """The ε of randomized response."""
    return param.Number(
        1.0, bounds=(0, 8), step=0.1, label="ε", doc="The ε of randomized response."
    )


def response_delta_slider() -> param.Number:
    """The δ of randomized response."""
    return param.Number(
        0.0,
        bounds=(0, 0.5),
        step=0.01,
        label="δ of the response",
        doc="Probability that the true answer is released.",
    )


class PairChoice(Part):
    """A pair of distributions; see `KINDS` for the parameters of each kind.

    Parameters
    ----------
    prefix : str
        What the page's names of the parameters begin with.
    default : str
        A key of `KINDS`.
    label : str
        Of the choice of the kind.
    mu : float
        The first μ.
    """

    kind = kind_selector("Pair", "gaussian")
    mu = mu_slider()
    q = sampling_rate_slider()
    sigma = noise_slider()
    epsilon = response_epsilon_slider()
    pure_delta = response_delta_slider()

    def __init__(
        self, prefix: str, default: str = "gaussian", label: str = "Pair", mu: float = 1.0
    ):
        super().__init__(prefix)
        self._kind, self._mu = kind_selector(label, default), mu_slider(mu)

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters, the kind with its label and default."""
        own = {self.flat("kind"): self._kind, self.flat("mu"): self._mu}
        return {**super().declared(), **own}

    def pair(self) -> Pair:
        """The pair as chosen."""
        return chosen_pair(self.page, self.prefix)


def parameters_of_kind(kind: str) -> dict[str, str]:
    """The page's parameter, without its prefix, for each argument of a kind of pair."""
    return {argument: _OWN.get(argument, argument) for argument in KINDS[kind].arguments}


def pair_parameters(prefix: str) -> tuple[str, ...]:
    """Names of the choice's parameters."""
    return (f"{prefix}_kind", *(f"{prefix}_{name}" for name in PARAMETERS))


def pair_controls(prefix: str, when: Callable[[Any], bool] = lambda page: True) -> list[Control]:
    """The choice's controls; each parameter is offered while the chosen kind takes it.

    Parameters
    ----------
    prefix : str
    when : callable, optional
        ``when(page)`` is True while the choice is offered.
    """

    def offered(name: str) -> Callable[[Any], bool]:
        def check(page: Any) -> bool:
            kind = getattr(page, f"{prefix}_kind")
            return when(page) and name in parameters_of_kind(kind).values()

        return check

    return [
        Control(f"{prefix}_kind", when=when),
        *(Control(f"{prefix}_{name}", when=offered(name)) for name in PARAMETERS),
    ]


def chosen_pair(page: Any, prefix: str) -> Pair:
    """The pair as chosen, from the page's parameters of this prefix."""
    kind = getattr(page, f"{prefix}_kind")
    return KINDS[kind].build(
        **{arg: getattr(page, f"{prefix}_{own}") for arg, own in parameters_of_kind(kind).items()}
    )


def pair_values(prefix: str, pair: str, **arguments: float) -> dict[str, Any]:
    """The page's parameters for a pair.

    Parameters
    ----------
    prefix : str
    pair : str
        Name of its class, such as "GaussianPair".
    **arguments : float
        Of the class.
    """
    name = next(name for name, kind in KINDS.items() if kind.build.__name__ == pair)
    own = parameters_of_kind(name)
    values = {f"{prefix}_{own[arg]}": value for arg, value in arguments.items()}
    return {f"{prefix}_kind": name, **values}
