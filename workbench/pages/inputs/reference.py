"""The choice of references to draw beside scores: pairs, their compositions, kinds of DP-SGD.

Every kind of reference is built from a few controls and has the interface of a `Pair`. Those of DP-
SGD share theirs, so that another kind of batches is compared at the same noise, rate and steps. A
page has one `ReferenceChoice` for each of `PREFIXES`, with which the names of its parameters begin.
No reference is tested: what was promised is a claim, see `workbench.pages.inputs.claims.stated`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import param

from workbench import _checks
from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, TextField, number_of
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
from workbench.pairs.accounting.batches import FixedBatchPair, TruncatedBatchPair
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.accounting.mixture import MixturePair
from workbench.pairs.base import Pair
from workbench.pairs.discrete import DiscreteGaussianPair, DiscreteLaplacePair
from workbench.pairs.last_iterate import LastIteratePair

#: The largest contribution of a record that can be typed.
MOST_CONTRIBUTION = 1000.0


@dataclass(frozen=True)
class Reference:
    """A kind of reference: its label, its parameters without prefix, and its builder.

    A heuristic is no limit of anything, and no claim.
    """

    label: str
    takes: tuple[str, ...]
    build: Callable[..., Pair]
    heuristic: bool = False


def _dpsgd(multiplier: float, log_rate: float, log_steps: float, neighboring: str) -> Pair:
    return DPSGDPair(multiplier, number_of(log_rate), round(10**log_steps), neighboring)


def _fixed_batches(
    multiplier: float, log_rate: float, log_records: float, log_steps: float
) -> Pair:
    records = round(10**log_records)
    size = max(round(number_of(log_rate) * records), 1)
    return FixedBatchPair(multiplier, size, records, round(10**log_steps))


def _cut_batches(
    multiplier: float, log_rate: float, log_records: float, cut: float, log_steps: float
) -> Pair:
    records, rate = round(10**log_records), number_of(log_rate)
    most = min(max(round(cut * rate * records), 1), records)
    return TruncatedBatchPair(multiplier, rate, most, records, round(10**log_steps))


def _last_iterate(multiplier: float, log_rate: float, log_steps: float) -> Pair:
    return LastIteratePair(multiplier, number_of(log_rate), round(10**log_steps))


def _mixture(contributions: str, multiplier: float, log_steps: float) -> Pair:
    return MixturePair(*read_contributions(contributions), multiplier, round(10**log_steps))


def read_contributions(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """How much a record contributes to a step, and the probability of each.

    Parameters
    ----------
    text : str
        Such as "0: 0.9, 1: 0.1", each contribution with its probability.

    Returns
    -------
    sensitivities, probabilities : tuple of float

    Raises
    ------
    ValueError
        A text of another form, a contribution above `MOST_CONTRIBUTION`, what `MixturePair`
        refuses.
    """
    try:
        parts = [one.split(":") for one in re.split(r"[,;]", text) if one.strip()]
        pairs = [(float(size), float(chance)) for size, chance in parts]
        sizes, chances = zip(*pairs, strict=True)
    except ValueError:
        raise ValueError(
            f"contributions must be written with their probabilities, such as 0: 0.9, 1: 0.1; got "
            f"{_checks.shown(text)}"
        ) from None
    if max(sizes) > MOST_CONTRIBUTION:
        raise ValueError(
            f"contributions must be at most {MOST_CONTRIBUTION:g} times the clipping norm, got "
            f"{max(sizes):g}"
        )
    MixturePair(sizes, chances, 1.0)  # refuses what is no distribution
    return sizes, chances


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
    "dp-sgd-fixed": Reference(
        "DP-SGD, fixed batches",
        ("multiplier", "log_rate", "log_records", "log_steps"),
        _fixed_batches,
    ),
    "dp-sgd-cut": Reference(
        "DP-SGD, cut batches",
        ("multiplier", "log_rate", "log_records", "cut", "log_steps"),
        _cut_batches,
    ),
    "last-iterate": Reference(
        "Last iterate (heuristic)",
        ("multiplier", "log_rate", "log_steps"),
        _last_iterate,
        heuristic=True,
    ),
    "mixture": Reference(
        "Mixture of Gaussians", ("contributions", "multiplier", "log_steps"), _mixture
    ),
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


def multiplier_slider() -> param.Number:
    """The noise of kinds of DP-SGD."""
    return param.Number(
        1.0,
        bounds=(0.3, 10),
        step=0.05,
        label="Noise multiplier",
        doc="Standard deviation of the noise, divided by the clipping norm.",
    )


def rate_slider() -> LogNumber:
    """The sampling rate of kinds of DP-SGD."""
    return LogNumber(
        -2.0,
        bounds=(-4, 0),
        step=0.05,
        label="Sampling rate",
        doc="Probability that a record is in a batch: batch size divided by the number of records.",
    )


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
        "only the claim is tested. DP-SGD: every step draws its batch record by record, and all "
        "steps are seen. Fixed batches: of one size, drawn without replacement, where a record is "
        "replaced. Cut batches: drawn record by record and cut to a largest size. Both are upper "
        "limits. Last iterate: only the final model is seen, and all gradients stay the same. It "
        "is a heuristic: real training may leak more or less. Mixture: in every step a record "
        "contributes a random amount, as if it were in several batches.",
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
    multiplier = multiplier_slider()
    log_rate = rate_slider()
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
    log_records = LogNumber(
        5.0,
        bounds=(1, 8),
        step=0.1,
        whole=True,
        label="Records",
        doc="Number of records of the training data. A batch holds the sampling rate times this "
        "many, rounded, and at least one.",
    )
    cut = param.Number(
        1.2,
        bounds=(1, 4),
        step=0.05,
        label="Largest batch",
        doc="As a multiple of the expected batch size; larger batches are cut at random.",
    )
    contributions = TextField(
        "0: 0.9, 1: 0.09, 2: 0.01",
        other="0: 0.5, 1: 0.5",
        check=read_contributions,
        label="Contributions and probabilities",
        doc="How much a record contributes to a step, in units of the clipping norm, each with its "
        "probability: 0: 0.9, 1: 0.09, 2: 0.01. The probabilities sum to 1.",
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


def references_shown(choices: Sequence[ReferenceChoice]) -> list[tuple[Pair, str, int]]:
    """The references that are drawn: pair, name and place of each.

    Of two of a kind, the later one has its number in its name.
    """
    found: list[tuple[Pair, str, int]] = []
    for choice in choices:
        pair, place = choice.pair(), PREFIXES.index(choice.prefix)
        if pair is not None:
            taken = choice.label in [name for _, name, _ in found]
            found.append((pair, f"{choice.label} ({place + 1})" if taken else choice.label, place))
    return found


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
