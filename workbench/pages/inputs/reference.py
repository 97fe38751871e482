"""The choice of a reference to compare scores with: a pair, its composition, DP-SGD, or a claim.

Every kind of reference is built from a few controls and has the interface of a `Pair`. The names of
all parameters begin with ``reference_``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.pages.core.upload import Upload, UploadedFile
from workbench.pages.inputs.pair import KINDS as PAIRS
from workbench.pages.inputs.pair import (
    mu_slider,
    noise_slider,
    parameters_of_kind,
    response_delta_slider,
    response_epsilon_slider,
    sampling_rate_slider,
)
from workbench.pages.inputs.settings import LOG_DELTA
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.base import Pair
from workbench.pairs.claimed import ProfileTablePair, RenyiPair
from workbench.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair


@dataclass(frozen=True)
class Reference:
    """A kind of reference: its label, its parameters without prefix, and its builder."""

    label: str
    takes: tuple[str, ...]
    build: Callable[..., Pair | None]


def _dpsgd(multiplier: float, log_rate: float, log_steps: float, neighboring: str) -> Pair:
    return DPSGDPair(multiplier, number_of(log_rate), round(10**log_steps), neighboring)


def _composed(build: Callable[..., Pair], arguments: dict[str, str]) -> Callable[..., Pair]:
    """The pair itself, or ``times`` independent releases of it."""

    def make(times: int, **values: float) -> Pair:
        pair = build(**{arg: values[own] for arg, own in arguments.items()})
        return pair if times == 1 else ComposedPair(pair, times)

    return make


def read_claims(table: tuple[UploadedFile, ...]) -> ProfileTablePair:
    """The pair that an uploaded table claims in its columns epsilon and delta.

    Raises
    ------
    ValueError
        Not exactly one file, a missing column, or values that are no privacy profile.
    """
    if len(table) != 1:
        raise ValueError(f"{len(table)} files were given; a table of claims is one file")
    (file,) = table
    columns, name = file.table().columns, file.name
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


def _claimed_table(table: tuple[UploadedFile, ...]) -> Pair | None:
    """The claimed pair; None until a readable table is uploaded (the page's message says why)."""
    try:
        return read_claims(table)
    except ValueError:
        return None


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
    "claimed-approx": Reference(
        "Claimed (ε, δ)",
        ("claimed_epsilon", "log_claimed_delta"),
        lambda claimed_epsilon, log_claimed_delta: RandomizedResponsePair(
            claimed_epsilon, number_of(log_claimed_delta)
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


class ReferenceChoice(Part):
    """The reference that scores are compared with; see `REFERENCES` for each kind's parameters.

    The page's message says what is wrong with an uploaded table.
    """

    kind = param.Selector(
        default=None,
        objects={"none": None, **{kind.label: name for name, kind in REFERENCES.items()}},
        label="Reference",
        doc="What the mechanism is claimed to satisfy. It is drawn beside what the scores show.",
    )
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
    claimed_epsilon = param.Number(1.0, bounds=(0, 20), step=0.1, label="Claimed ε")
    log_claimed_delta = LogNumber(
        -5.0,
        bounds=LOG_DELTA,
        inclusive_bounds=(True, False),
        softbounds=(-12, -1),
        step=0.5,
        label="Claimed δ",
    )
    order = param.Number(8.0, bounds=(1.1, 64), step=0.1, label="Rényi order")
    table = Upload(
        default=(),
        label="Upload table of claims",
        doc="csv, tsv, parquet, feather, npz or json with columns epsilon and delta; each row "
        "claims (ε, δ)-DP. It stays in this server's memory, for this session only.",
    )

    def __init__(self) -> None:
        super().__init__("reference")

    def start(self, given: frozenset[str]) -> None:
        """Check tables that are uploaded."""
        self.page.param.watch(self._check_table, self.flat("table"))

    def pair(self) -> Pair | None:
        """The reference as chosen; None if there is none, or its table is not uploaded yet."""
        if self.kind is None:
            return None
        kind = REFERENCES[self.kind]
        return kind.build(**{name: getattr(self, name) for name in kind.takes})

    def _check_table(self, *events: Any) -> None:
        try:
            read_claims(self.table)
            self.page.message = ""
        except ValueError as error:
            self.page.message = str(error)


#: Names of the choice's parameters.
REFERENCE = tuple(f"reference_{name}" for name in ReferenceChoice.parameters)


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
