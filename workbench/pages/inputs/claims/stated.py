"""`StatedClaim`: what a person says was promised of a mechanism, as typed numbers.

A page with a `StatedClaim` has ``claim_kind`` and a parameter for each number of a claim, such as
``claim_epsilon``. The claim is kept as text that `workbench.parse_claim` reads. The claims of
`workbench.claims.parse.CLAIM_KINDS` appear here, and the pairs of plug-ins. A `KeptClaim` is kept
with the data set in view.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

import param

from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim, ClaimArgument, number_text
from workbench.claims.fields import read_fields
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.parse import CLAIM_KINDS, as_claim, parse_claim, text_of
from workbench.pages.core.page import Control
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField, NumberField, TextField
from workbench.pages.inputs.claims.choice import ARGUMENTS, own_name
from workbench.pages.inputs.claims.releases import EXAMPLE, MOST_STEPS, NOISE, check_releases
from workbench.pages.inputs.pair import parameters_of_kind, sliders_of_others
from workbench.pages.inputs.settings import LOG_DELTA
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import NEIGHBORING
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.own.kinds import PAIR_KINDS
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet

#: The kind of a claim of several pairs, which is typed as text.
COMPOSED = "composed"


@dataclass(frozen=True)
class ClaimKind:
    """A kind of claim that text can name: its title, and its arguments."""

    title: str
    arguments: tuple[str, ...]


#: Kinds of claims by the word of their text, the commonest first.
KINDS: dict[str, ClaimKind] = {
    word: ClaimKind(kind.title, tuple(own_name(kind, one.name) for one in kind.arguments))
    for word, kind in CLAIM_KINDS.items()
} | {
    "dpsgd": ClaimKind("DP-SGD", ("noise", "rate", "steps", "relation")),
    COMPOSED: ClaimKind("Phases or several releases", ("releases",)),
    "laplace": ClaimKind("Laplace mechanism", ("mu",)),
}
KINDS |= {
    name: ClaimKind(kind.label, tuple(parameters_of_kind(name).values()))
    for name, kind in PAIR_KINDS.others.items()
    if name not in KINDS
}


def _field(argument: ClaimArgument) -> param.Number:
    low, high = map(int, argument.bounds)
    if argument.name == "delta":  # of a claim, which may be any probability below 1
        low, high = 0, 1
    called = {"order": "Rényi order"}.get(argument.name, argument.label)
    return NumberField(
        argument.default,
        (low, high),
        inclusive_bounds=(not argument.above, argument.name != "delta"),
        step=argument.step,
        label=f"Claimed {called}",
    )


def _pair_field(slider: param.Number) -> param.Number:
    """The field for an argument of a plug-in's pair."""
    own: Any = slider
    return NumberField(own.default, own.bounds, step=own.step, label=own.label, doc=own.doc)


def _fields() -> dict[str, param.Parameter]:
    """A field for each argument of a claim, by its name without prefix."""
    pairs = {name: _pair_field(slider) for name, slider in sliders_of_others().items()}
    return (
        {name: _field(one) for name, one in ARGUMENTS.items()}
        | pairs
        | {
            "noise": NumberField(
                1.0,
                NOISE,
                step=0.05,
                label="Noise multiplier",
                doc="Standard deviation of the noise, divided by the clipping norm.",
            ),
            "rate": NumberField(
                0.01,
                (0, 1),
                inclusive_bounds=(False, True),
                step=0.01,
                label="Sampling rate",
                doc="Probability that a record is in a batch: batch size divided by the number of "
                "records.",
            ),
            "steps": IntegerField(
                1000,
                (1, MOST_STEPS),
                label="Steps",
                doc="Number of epochs divided by the sampling rate.",
            ),
            "relation": param.Selector(
                default=NEIGHBORING[0],
                objects={"add or remove": NEIGHBORING[0], "substitute": NEIGHBORING[1]},
                label="Neighboring datasets",
            ),
            "releases": TextField(
                EXAMPLE,
                other="10 * laplace(0.1)",
                check=check_releases,
                label="Phases or releases",
                doc="Mechanisms that see the same data one after the other, joined by +: "
                "dpsgd(noise, rate, steps) for each phase of a training between which the noise or "
                "the sampling rate changes, or relation=substitute in it; 10 * laplace(0.1) for "
                "ten releases; gaussian(1).",
            ),
            "fields": TextField(
                "",
                other="unit=user, neighbors=substitute",
                check=read_fields,
                label="What it is about (optional)",
                doc="Fields of the claim, which change no number and go into reports: unit (of "
                "privacy: record, user, household), neighbors (add-remove or substitute), "
                "mechanism, accountant, model (of trust: central, local, shuffle, federated), "
                "boundary (what is released, and to whom), such as unit=user, model=central.",
            ),
        }
    )


class StatedClaim(Part):
    """What was promised, as a person states it.

    Parameters
    ----------
    further : dict of str to str
        Titles of kinds that no text names, by their values.
    """

    kind = param.Selector(
        default=None,
        objects={"nothing yet": None, **{one.title: word for word, one in KINDS.items()}},
        label="What was promised?",
        doc="The privacy guarantee that somebody claims of the mechanism. The scores are tested "
        "against it. The test holds for every claim at once, so that a claim may be stated or "
        "changed after results were seen.",
    )

    def __init__(self, further: dict[str, str] | None = None):
        super().__init__("claim")
        self._further = further or {}

    def declared(self) -> dict[str, param.Parameter]:
        """The kind, and a field for each number of a claim."""
        found = super().declared()
        kind: Any = found[self.flat("kind")]
        kind.objects = {**kind.get_range(), **{v: k for k, v in self._further.items()}}
        return found | {self.flat(name): field for name, field in _fields().items()}

    @property
    def text(self) -> str:
        """The claim as text that `parse_claim` reads; "" for nothing, or what no text names."""
        if self.kind not in KINDS:
            return ""
        written = getattr(self.page, self.flat("fields"))
        if not written:
            return self._numbers
        given = read_fields(written).given
        claim = parse_claim(self._numbers)
        if claim.own_relation:  # which has a control of its own
            given.pop("neighbors", None)
        return text_of(claim.with_fields(**given))

    @property
    def _numbers(self) -> str:
        """The text without fields, of a kind that text can name."""
        values = {n: getattr(self.page, self.flat(n)) for n in KINDS[self.kind].arguments}
        if self.kind == COMPOSED:
            return text_of(parse_claim(values["releases"]))
        relation = values.pop("relation", NEIGHBORING[0])
        numbers = [*map(number_text, values.values())]
        if relation != NEIGHBORING[0]:
            numbers.append(f"relation={relation}")
        return f"{self.kind}({', '.join(numbers)})"

    def show(self, claim: str) -> None:
        """Set the controls to a claim that was kept, where they can show it."""
        with suppress(ValueError):
            self.page.set_quietly(**stated_values(claim))

    def stated(self) -> Claim | None:
        """The claim; None where nothing was promised yet, or for what no text names."""
        return parse_claim(self.text) if self.text else None


#: Names of a page's parameters for a claim.
CLAIM = tuple(f"claim_{name}" for name in ("kind", *_fields()))


class KeptClaim(StatedClaim):
    """What was promised of the mechanism whose scores are in view.

    It comes into view with the data set, and `keep_with_data` keeps what a person states. The page
    has a `ScoreSource` as its ``source``.
    """

    _of_data = ""

    def values_of(self, claim: Claim | str | None) -> dict[str, Any]:
        """The page's parameters for a claim; see `judged_values`."""
        return judged_values(claim)

    def values_with(self, dataset: DataSet | None) -> dict[str, Any]:
        """The page's parameters for what was promised of a data set that comes into view."""
        self._of_data = "" if dataset is None else dataset.claim
        try:
            return self.values_of(self._of_data)
        except ValueError as error:  # such as a claim that was stated in Python
            return {"claim_kind": None, "message": str(error)}

    def data_came(self, before: Scores | None) -> None:
        """Take a claim that was changed elsewhere, as in the import step."""
        dataset = self.page.source.dataset
        claim = "" if dataset is None else dataset.claim
        if claim != self._of_data:
            values = self.values_with(dataset)
            if claim != self.text:
                self.page.set_quietly(**values)

    def keep_with_data(self) -> None:
        """Keep the claim with the data set in view, where that can be changed."""
        dataset = self.page.source.dataset
        if dataset is None or dataset.claim == self.text:
            return  # without a look at the disk, as after most moves
        if self._is_kept(dataset):
            self._of_data = self.page.workspace.kept.promise(dataset.key, self.text).claim

    def still_stated(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that were kept of the page, without a claim that the data set has by now."""
        settings = self.renamed(dict(settings))
        dataset = self.page.source.dataset
        unnamed = settings.get("claim_kind") in self._further.values()
        if not self._is_kept(dataset) or (unnamed and not dataset.claim):
            return settings
        own = (*CLAIM, *map(self.flat, self.parameters))
        return {k: v for k, v in settings.items() if k not in own}

    def _is_kept(self, dataset: DataSet | None) -> TypeGuard[DataSet]:
        return dataset is not None and self.page.workspace.catalog.is_own(dataset.key)


def stated_controls(when: Callable[[Any], bool] = lambda page: True) -> list[Control]:
    """The controls of a claim; each number is offered while the chosen kind takes it.

    Parameters
    ----------
    when : callable, optional
        ``when(page)`` is True while a claim can be stated.
    """

    def taken(name: str) -> Callable[[Any], bool]:
        kinds = [word for word, one in KINDS.items() if name in (*one.arguments, "fields")]
        return lambda page: when(page) and page.claim_kind in kinds

    return [
        Control("claim_kind", when=when),
        *(Control(f"claim_{name}", when=taken(name)) for name in _fields()),
    ]


def stated_values(claim: Claim | str | None) -> dict[str, Any]:
    """The page's parameters for a claim.

    Parameters
    ----------
    claim : Claim, str or None
        Text is read by `parse_claim`; None or "" is no claim.

    Raises
    ------
    ValueError
        Text that is no claim, a pair that no text names, a number beyond the bounds of its field.
    """
    found = parse_claim(claim) if isinstance(claim, str) and claim else claim
    if not isinstance(found, Claim):
        return {"claim_kind": None, "claim_fields": ""}
    if isinstance(found, PairClaim) and isinstance(found.pair, GaussianPair):
        found = GDP(found.pair.mu).with_fields(**found.fields.given)  # the same trade-off function
    numbers = found.with_fields(**dict.fromkeys(found.fields.given, ""))
    return {**_number_values(numbers), "claim_fields": str(found.fields)}


def _number_values(found: Claim) -> dict[str, Any]:
    """The page's parameters for a claim without fields."""
    text = text_of(found)
    if not text:
        raise ValueError(
            f"the controls cannot show the claim {found}; state (ε, δ), μ, ρ, a Rényi bound or "
            "the parameters of DP-SGD, and use wb.judge for other claims"
        )
    word, _, given = text.removesuffix(")").partition("(")
    if (isinstance(found, PairClaim) and isinstance(found.pair, ComposedPair)) or word not in KINDS:
        check_releases(text)
        return {"claim_kind": COMPOSED, "claim_releases": text}
    *_, relation = given.partition("relation=")
    numbers = given.split(",")[:3] if word == "dpsgd" else given.split(",")
    values = dict(zip(KINDS[word].arguments, map(float, numbers), strict=False))
    for name, value in values.items():
        _require_bounds(name, value)
    fields: dict[str, Any] = {f"claim_{name}": value for name, value in values.items()}
    if word == "dpsgd":
        fields |= {
            "claim_steps": int(values["steps"]),
            "claim_relation": relation or NEIGHBORING[0],
        }
    return {"claim_kind": word, **fields}


def judged_values(claim: Claim | str | None) -> dict[str, Any]:
    """The page's parameters for a claim, with the δ at which a bound on ε answers it.

    Parameters
    ----------
    claim : Claim, str or None
        As of `stated_values`.
    """
    return {**stated_values(claim), **answering(as_claim(claim) if claim else None)}


def claim_settings(page: Any, claim: Claim | Pair | str) -> dict[str, Any]:
    """The parameters of a page for a claim that is given in Python.

    Raises
    ------
    ValueError
        Something that is no claim, one that the controls cannot show, or a page that tests none.
    """
    if not hasattr(page, "promised"):
        raise ValueError(f"the page {page.title!r} tests no claim; give scores to test one")
    return judged_values(as_claim(claim))


def answering(claim: Claim | None) -> dict[str, float]:
    """``log_delta`` at the δ of a claim, where it names one that the page shows."""
    delta = claim.parameters["delta"] if type(claim) is ApproxDP else 0.0
    return {"log_delta": math.log10(delta)} if delta >= 10.0 ** LOG_DELTA[0] else {}


def _require_bounds(name: str, value: float) -> None:
    field: Any = _fields()[name]
    low, high = field.bounds
    if not low <= value <= high:
        raise ValueError(
            f"the controls take a {field.label.lower()} from {low:g} to {high:g}, got {value!r}"
        )
