"""The choice of a distribution pair and its parameters, for any page that needs one.

A page may have several `PairChoice` parts, each with a prefix: ``sample_kind``, ``sample_mu``, ….
The functions below take the prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import param

from workbench import _checks
from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pairs.base import Pair
from workbench.pairs.own.kinds import PAIR_KINDS as KINDS
from workbench.pairs.own.kinds import kind_of

#: Parameters of the page that are not called as the argument of the pair's class is.
_OWN = {"delta": "pure_delta"}


def _own(kind: str, argument: str) -> str:
    """The page's parameter for an argument; kinds of plug-ins share none, as ranges differ."""
    if kind in KINDS.ours:
        return _OWN.get(argument, argument)
    return f"{kind}_{argument}".replace("-", "_")


def sliders_of_others() -> dict[str, param.Number]:
    """A slider for each argument of the kinds of plug-ins."""
    return {
        _own(name, one): param.Number(
            kind.default(one),
            bounds=(low, high),
            step=(high - low) / 100,
            label=one,
            doc=f"Of the pair {kind.label}.",
        )
        for name, kind in KINDS.others.items()
        for one, (low, high) in kind.arguments.items()
    }


#: Parameters of all kinds; their names follow the prefix.
PARAMETERS = ("mu", "q", "sigma", "epsilon", "pure_delta", *sliders_of_others())


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


PairChoice.add(sliders_of_others())


def parameters_of_kind(kind: str) -> dict[str, str]:
    """The page's parameter, without its prefix, for each argument of a kind of pair."""
    return {argument: _own(kind, argument) for argument in KINDS[kind].arguments}


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


def chosen_arguments(page: Any, prefix: str) -> dict[str, float]:
    """The arguments of the pair as chosen, from the page's parameters of this prefix."""
    own = parameters_of_kind(getattr(page, f"{prefix}_kind"))
    return {argument: getattr(page, f"{prefix}_{name}") for argument, name in own.items()}


def chosen_pair(page: Any, prefix: str) -> Pair:
    """The pair as chosen, from the page's parameters of this prefix."""
    return KINDS[getattr(page, f"{prefix}_kind")].build(**chosen_arguments(page, prefix))


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
    name = next(name for name, kind in KINDS.ours.items() if kind.build.__name__ == pair)
    return kind_values(prefix, name, arguments)


def kind_values(prefix: str, kind: str, arguments: Mapping[str, float]) -> dict[str, Any]:
    """The page's parameters for a kind of pair with these arguments."""
    own = parameters_of_kind(kind)
    values = {f"{prefix}_{own[arg]}": value for arg, value in arguments.items()}
    return {f"{prefix}_kind": kind, **values}


def values_of_pair(prefix: str, pair: Pair) -> dict[str, Any]:
    """The page's parameters for a pair.

    Raises
    ------
    ValueError
        A pair that the controls do not offer.
    """
    kind = kind_of(pair)
    if kind is None:
        raise ValueError(f"pair must be one of {', '.join(KINDS)}, got {_checks.shown(pair)}")
    return kind_values(prefix, kind, pair.parameters)
