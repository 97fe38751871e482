"""`PAIR_KINDS`: the kinds of pairs that text, pages and links call by name, plug-ins included."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any

from workbench import _checks
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair
from workbench.software.plugins import Registry


@dataclass(frozen=True)
class PairKind:
    """A kind of pair, which is made from a few numbers: what a plug-in gives for a pair.

    Parameters
    ----------
    label : str
        Its name on the pages: "Logistic".
    build : callable
        Makes the pair from the arguments, which it takes by name. Equal arguments give equal
        pairs, and the ``parameters`` of the pair are these arguments.
    arguments : mapping of str to (float, float)
        Names of the arguments in their order, and the least and the largest value of each that
        the pages offer.
    defaults : mapping of str to float
        Values that the pages begin with; by default 1, or the nearest value in range.

    Raises
    ------
    ValueError
        No arguments, a range without inside, a default outside its range.

    Examples
    --------
    >>> kind = wb.PairKind("Laplace", wb.LaplacePair, {"mu": (0, 5)})
    >>> kind.build(mu=1.0)
    LaplacePair(mu=1.0)
    """

    label: str
    build: Callable[..., Pair]
    arguments: Mapping[str, tuple[float, float]]
    defaults: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _checks.text(self.label, "label").strip():
            raise ValueError("label must be a few words, such as 'Logistic'")
        _checks.function(self.build, "build", "a function of the arguments that returns a pair")
        if not isinstance(self.arguments, Mapping) or not self.arguments:
            raise ValueError(
                f"arguments must name at least one number and its range, such as "
                f"{{'scale': (0.1, 10)}}, got {_checks.shown(self.arguments)}"
            )
        _checks.instance(self.defaults, Mapping, "defaults", "a dict, such as {'scale': 1.0}")
        for name, bounds in self.arguments.items():
            low, high = (_checks.number(end, f"the range of {name}") for end in bounds)
            if not low < high:
                raise ValueError(f"the range of {name} must rise, got {low!r} to {high!r}")
            if not low <= self.default(name) <= high:
                raise ValueError(
                    f"the default of {name} must be from {low!r} to {high!r}, got "
                    f"{self.defaults[name]!r}"
                )

    def default(self, argument: str) -> float:
        """The value of an argument that the pages begin with."""
        low, high = self.arguments[_checks.one_of(argument, "argument", self.arguments)]
        return float(self.defaults.get(argument, min(max(1.0, low), high)))


#: Names of pairs that text and pages know besides, each with arguments of its own.
_BESIDES = ("dp-sgd", "discrete-gaussian", "discrete-laplace")


def _taken(name: str, found: Any) -> PairKind:
    """The kind of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    kind = _checks.instance(
        found, PairKind, "it", "a wb.PairKind, such as wb.PairKind('Logistic', build, ranges)"
    )
    if name in (*_BESIDES, *resolve_name("workbench.claims.parse:our_words")()):
        raise ValueError("the workbench has that name; its author has to choose another one")
    arguments = {one: kind.default(one) for one in kind.arguments}
    made = kind.build(**arguments)
    _checks.instance(made, Pair, "what it builds", "a pair, such as one of wb.Pair.from_functions")
    if dict(made.parameters) != arguments:
        raise ValueError(
            f"the pair that it builds has the parameters {_checks.shown(made.parameters)}, which "
            f"must be the arguments {_checks.shown(arguments)}"
        )
    if kind.build(**arguments) != made:
        raise ValueError("equal arguments must give equal pairs; define __eq__, or derive a "
                         "frozen dataclass from wb.Pair")  # fmt: skip
    return kind


#: Name -> kind. The names are those in keys of draws, such as "draw:gaussian?mu=1.0&n=100&seed=0".
PAIR_KINDS: Registry[PairKind] = Registry(
    "workbench.pairs",
    {
        "gaussian": PairKind("Gaussian", GaussianPair, {"mu": (0, 5)}),
        "laplace": PairKind("Laplace", LaplacePair, {"mu": (0, 5)}),
        "subsampled-gaussian": PairKind(
            "Subsampled Gaussian", SubsampledGaussianPair, {"q": (0.01, 1), "sigma": (0.1, 3)}
        ),
        "randomized-response": PairKind(
            "Randomized response", RandomizedResponsePair, {"epsilon": (0, 8), "delta": (0, 0.5)}
        ),
    },
    _taken,
)


def named_pair(name: str, **arguments: float) -> Pair:
    """The pair of a name, such as "gaussian", or one that a plug-in adds.

    Parameters
    ----------
    name : str
        "gaussian", "laplace", "subsampled-gaussian", "randomized-response", or the name of an
        entry point ``workbench.pairs``; `workbench.software.plugins` lists those.
    **arguments : float
        All arguments of that kind, by name.

    Returns
    -------
    Pair

    Raises
    ------
    ValueError
        An unknown name, an argument that is missing or superfluous, a number outside its range.

    Examples
    --------
    >>> wb.named_pair("laplace", mu=0.5)
    LaplacePair(mu=0.5)
    """
    kind = PAIR_KINDS[_checks.one_of(name, "name", PAIR_KINDS)]
    if set(arguments) != set(kind.arguments):
        raise ValueError(
            f"the pair {name!r} takes {', '.join(kind.arguments)}; got "
            f"{', '.join(arguments) or 'none of them'}"
        )
    return kind.build(**{one: _checks.number(x, one) for one, x in arguments.items()})


def kind_of(pair: object) -> str | None:
    """The name of the kind that a pair is of; None where no name gives it, and for no pair."""
    for name, kind in PAIR_KINDS.ours.items():
        if type(pair) is kind.build:
            return name
    if not isinstance(pair, Pair):
        return None
    known = pair.parameters
    for name, kind in PAIR_KINDS.others.items():
        if set(known) != set(kind.arguments) or not all(_is_number(x) for x in known.values()):
            continue
        try:
            if kind.build(**known) == pair:
                return name
        except ValueError:  # out of the range of this kind
            continue
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
