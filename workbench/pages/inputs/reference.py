"""Choosing what the scores are held against: a pair, its composition, DP-SGD, or a claim.

Every kind is built from a few sliders into something with the interface of a `Pair`; the names of
all parameters begin with ``reference_``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.pair import KINDS as PAIRS
from workbench.pages.inputs.pair import pair_choice, pair_parameters
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.base import Pair
from workbench.pairs.claimed import ProfileTablePair, RenyiPair
from workbench.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.parsing.source import read_table


@dataclass(frozen=True)
class Reference:
    """A kind of reference: its name, the parameters it takes, and how they make a pair."""

    label: str
    takes: tuple[str, ...]
    build: Callable[..., Pair | None]


def _dpsgd(multiplier: float, log_rate: float, log_steps: float, neighboring: str) -> Pair:
    return DPSGDPair(multiplier, 10**log_rate, round(10**log_steps), neighboring)


def _composed(build: Callable[..., Pair], arguments: dict[str, str]) -> Callable[..., Pair]:
    """The pair itself, or ``times`` independent releases of it."""

    def make(times: int, **values: float) -> Pair:
        pair = build(**{arg: values[own] for arg, own in arguments.items()})
        return pair if times == 1 else ComposedPair(pair, times)

    return make


def read_claims(table: tuple[tuple[str, bytes], ...]) -> ProfileTablePair:
    """What an uploaded table claims in its columns epsilon and delta; ValueError if nothing."""
    if len(table) != 1:
        raise ValueError(f"{len(table)} files were given; a table of claims is one file")
    ((name, content),) = table
    columns = read_table(content, filename=name).columns
    missing = [column for column in ("epsilon", "delta") if column not in columns]
    if missing:
        raise ValueError(
            f"{name!r} has no column {missing[0]!r}, only {', '.join(columns)}; name the columns "
            "epsilon and delta in the header line"
        )
    try:
        return ProfileTablePair(*(tuple(columns[c].tolist()) for c in ("epsilon", "delta")))
    except ValueError as error:
        raise ValueError(f"{name!r}: {error}") from None


def _claimed_table(table: tuple[tuple[str, bytes], ...]) -> Pair | None:
    """None until there is a table that can be read; why it cannot is the page's message."""
    try:
        return read_claims(table)
    except ValueError:
        return None


REFERENCES: dict[str, Reference] = {
    name: Reference(
        kind.label, (*kind.arguments.values(), "times"), _composed(kind.build, kind.arguments)
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
    "claimed-approx": Reference(
        "Claimed (ε, δ)",
        ("claimed_epsilon", "log_claimed_delta"),
        lambda claimed_epsilon, log_claimed_delta: RandomizedResponsePair(
            claimed_epsilon, 10**log_claimed_delta
        ),
    ),
    "claimed-mu": Reference("Claimed μ", ("mu",), GaussianPair),
    "claimed-renyi": Reference(
        "Claimed Rényi bound",
        ("order", "claimed_epsilon"),
        lambda order, claimed_epsilon: RenyiPair((order,), (claimed_epsilon,)),
    ),
    "claimed-table": Reference("Claimed table of (ε, δ)", ("table",), _claimed_table),
}

#: Parameters of all kinds. Those of the sampled pairs are named as in `pair_choice`.
_OWN = {
    "times": param.Integer(
        1, bounds=(1, 200), label="Releases k", doc="Independent releases, all of them seen."
    ),
    "multiplier": param.Number(
        1.0, bounds=(0.3, 10), step=0.05, label="Noise multiplier",
        doc="Noise over clipping norm.",
    ),
    "log_rate": param.Number(
        -2.0, bounds=(-4, 0), step=0.05, label="log₁₀ of the sampling rate",
        doc="Chance that a record is in a batch: batch size over records in all.",
    ),
    "log_steps": param.Number(
        3.0, bounds=(0, 5), step=0.1, label="log₁₀ of the steps", doc="Epochs over sampling rate."
    ),
    "neighboring": param.Selector(
        default=NEIGHBORING[0],
        objects={"add or remove": NEIGHBORING[0], "substitute": NEIGHBORING[1]},
        label="Neighboring datasets",
    ),
    "discrete_sigma": param.Number(1.0, bounds=(0.2, 20), step=0.1, label="Noise σ"),
    "scale": param.Number(1.0, bounds=(0.1, 20), step=0.1, label="Noise scale b"),
    "claimed_epsilon": param.Number(1.0, bounds=(0, 20), step=0.1, label="Claimed ε"),
    "log_claimed_delta": param.Number(
        -5.0, bounds=(-12, -1), step=0.5, label="log₁₀ of the claimed δ"
    ),
    "order": param.Number(8.0, bounds=(1.1, 64), step=0.1, label="Rényi order"),
    "table": Upload(
        default=(), label="Table of claims",
        doc="csv, tsv, parquet, feather, npz or json with columns epsilon and delta; each row "
        "claims (ε, δ). It stays in this server's memory, for this session only.",
    ),
}  # fmt: skip

#: Names of all parameters of the choice, for what rests on it.
REFERENCE = (*pair_parameters("reference"), *(f"reference_{name}" for name in _OWN))


@param.depends("reference_table", watch=True)
def _say_what_is_wrong(page: Any) -> None:
    try:
        read_claims(page.reference_table)
        page.message = ""
    except ValueError as error:
        page.message = str(error)


_Pairs: Any = pair_choice("reference", optional=True, label="Reference", default=None)

ReferenceChoice: Any = type(
    "ReferenceChoice",
    (_Pairs,),
    {
        "reference_kind": param.Selector(
            default=None,
            objects={"none": None, **{kind.label: name for name, kind in REFERENCES.items()}},
            label="Reference",
            doc="What the mechanism promises, drawn beside what the scores show.",
        ),
        **{f"reference_{name}": parameter for name, parameter in _OWN.items()},
        "_say_what_is_wrong": _say_what_is_wrong,
    },
)
"""A mixin with a kind of reference and all parameters."""


def chosen_reference(page: Any) -> Pair | None:
    """The reference as chosen; None for none, and while its table is awaited."""
    if page.reference_kind is None:
        return None
    kind = REFERENCES[page.reference_kind]
    return kind.build(**{name: getattr(page, f"reference_{name}") for name in kind.takes})


def reference_controls() -> list[Control]:
    """The choice's controls; each parameter is offered while the chosen kind takes it."""

    def offered(name: str) -> Callable[[Any], bool]:
        def check(page: Any) -> bool:
            kind = page.reference_kind
            return kind is not None and name in REFERENCES[kind].takes

        return check

    return [
        Control("reference_kind"),
        *(Control(name, when=offered(name.removeprefix("reference_"))) for name in REFERENCE[1:]),
    ]
