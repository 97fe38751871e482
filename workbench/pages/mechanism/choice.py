"""`MechanismChoice`: the mechanism, the claim to test, and the search strategy for datasets."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any, ClassVar

import param

from workbench.claims import GDP, ApproxDP, PureDP, RenyiDP, parse_claim
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.core.page import Control, Page, Section, derived, sentence
from workbench.pages.core.sliders import IntegerField, NumberField
from workbench.pages.inputs.pair import (
    KINDS,
    ClaimedPair,
    chosen_pair,
    pair_controls,
    pair_parameters,
    pair_values,
)
from workbench.pages.inputs.settings import DeltaSetting
from workbench.testers.finders.neighbors import RELATIONS
from workbench.testers.property_testers.base import Claimed
from workbench.testers.report import claim_in_words
from workbench.testers.running.load_mechanism import NamedMechanism

CLAIMS = {
    "(ε, δ)-DP": "approx",
    "pure ε-DP": "pure",
    "Rényi DP": "renyi",
    "μ-Gaussian DP": "gdp",
    "f-DP, trade-off function of a pair": "pair",
}

#: The value of ``mechanism`` for code that is not in the gallery.
OWN = "own"

FINDERS = {
    "Random search": "random",
    "Grid search": "grid",
    "Bayesian optimization": "bandit",
    "The gallery's worst-case pair": "pair",
}

NEIGHBORS = {
    "add-remove": "neighbors by adding or removing a record",
    "substitute": "neighbors by replacing a record",
}

CLAIM = ("claim_kind", "epsilon", "log_delta", "order", "mu", *pair_parameters("curve"))

DOMAIN = ("low", "high", "columns", "min_records", "max_records", "integer")

#: Settings for a plain function; mechanisms of the gallery define their own datasets.
BARE = ("relation", *DOMAIN, "time_limit")

#: Bounds of the values of records.
VALUE = (-1e12, 1e12)


def _is(name: str, *values: str) -> Callable[[Any], bool]:
    return lambda page: getattr(page, name) in values


def _is_bare(page: Any) -> bool:
    return not isinstance(page.chosen(), Mechanism)


class MechanismChoice(DeltaSetting, ClaimedPair, Page):
    """Base of the page: the mechanism, its claim and its datasets.

    Provides ``chosen()``, ``claim()``, ``source()`` and the sections ``choice``.

    Parameters
    ----------
    own : Mechanism or callable, optional
        Code that is offered beside the gallery, and chosen.
    claim : Claim, Pair or str, optional
        The claim to test at first; by default the mechanism's own.

    Raises
    ------
    ValueError
        A claim that the controls cannot show.
    """

    rests_on: ClassVar[str] = "mechanism"

    mechanism = param.Selector(
        default="svt3",
        objects={card.title: name for name, card in GALLERY.items()},
        label="Mechanism",
        doc="A mechanism of the gallery, or your own code. Code is never taken from the browser: "
        "start the server with workbench serve --mechanism file.py:function, or call "
        "wb.explore_mechanism(function) in a notebook.",
    )

    claim_kind = param.Selector(
        default="approx",
        objects=CLAIMS,
        label="Claim",
        doc="The privacy guarantee to test. A mechanism of the gallery sets its own claim.",
    )
    epsilon = NumberField(1.0, (0, 1000), step=0.1, label="ε")
    order = NumberField(2.0, (1, 10_000), inclusive_bounds=(False, True), step=0.5, label="Order α")
    mu = NumberField(1.0, (0, 100), step=0.1, label="μ")

    datasets = param.Selector(
        default="random",
        objects=FINDERS,
        label="Search strategy",
        doc="Random and grid search do not use earlier results; Bayesian optimization tries "
        "datasets where earlier trials showed more leak. The strategy affects the power of "
        "the search, not the validity of its findings.",
    )
    relation = param.Selector(
        default=RELATIONS[0],
        objects={"Adding or removing a record": "add-remove", "Replacing a record": "substitute"},
        label="Neighboring datasets differ by",
    )
    low = NumberField(0.0, VALUE, label="Smallest value")
    high = NumberField(1.0, VALUE, label="Largest value")
    columns = IntegerField(
        0, (0, 100), label="Columns", doc="If 0, a dataset is a one-dimensional array."
    )
    min_records = IntegerField(1, (0, 10_000), label="Minimum number of records")
    max_records = IntegerField(10, (1, 10_000), label="Maximum number of records")
    integer = param.Boolean(False, label="Integer values only")
    time_limit = NumberField(
        60.0,
        (1, 3600),
        step=1,
        label="Time limit per trial (seconds)",
        doc="A trial that exceeds it is discarded.",
    )

    choice: ClassVar[tuple[Section, ...]] = (
        Section("Mechanism", (Control("mechanism"),)),
        Section(
            "Claim",
            (
                Control("claim_kind"),
                Control("order", when=_is("claim_kind", "renyi")),
                Control("epsilon", when=_is("claim_kind", "approx", "pure", "renyi")),
                Control("log_delta", when=_is("claim_kind", "approx")),
                Control("mu", when=_is("claim_kind", "gdp")),
                *pair_controls("curve", when=_is("claim_kind", "pair")),
            ),
        ),
        Section(
            "Datasets",
            (Control("datasets"), *(Control(name, when=_is_bare) for name in BARE)),
        ),
    )

    def __init__(
        self,
        own: Callable[..., Any] | None = None,
        claim: Claimed | str | None = None,
        **params: Any,
    ):
        if isinstance(own, Mechanism) and GALLERY.get(own.name) is own:
            params = {"mechanism": own.name, **params}
            own = None
        self._own = own
        super().__init__(**params)
        if own is not None:
            offered = {f"{name_of(own)} (your code)": OWN, **self.param.mechanism.get_range()}
            self.param.mechanism.objects = offered
            if "mechanism" not in params:
                self.mechanism = OWN
        asked = {} if claim is None else claim_values(claim)
        self.param.update({**self._card_values(), **asked, **params})
        self.param.watch(self._take_card, ["mechanism", *CLAIM])

    # -- the choice --------------------------------------------------------------------------------

    @derived(needs=("mechanism",))
    def chosen(self) -> Mechanism | Callable[..., Any]:
        """The mechanism."""
        if self.mechanism == OWN and self._own is not None:
            return self._own
        return GALLERY[self.mechanism]

    @derived(needs=("mechanism", *CLAIM))
    def claim(self) -> Claimed:
        """The claim to test."""
        if self.claim_kind == "pair":
            return chosen_pair(self, "curve")
        if self.claim_kind == "renyi":
            return RenyiDP(self.order, self.epsilon)
        if self.claim_kind == "gdp":
            return GDP(self.mu)
        if self.claim_kind == "pure":
            return PureDP(self.epsilon)
        return ApproxDP(self.epsilon, float(f"{self.delta:.12g}"))

    def domain(self) -> Domain:
        """The datasets for a plain function.

        Raises
        ------
        ValueError
            Bounds that leave no dataset.
        """
        if self.low >= self.high:
            raise ValueError(
                f"the smallest value, {self.low:g}, must be below the largest, {self.high:g}"
            )
        if self.min_records > self.max_records:
            raise ValueError(
                f"the minimum number of records, {self.min_records}, must be at most the maximum, "
                f"{self.max_records}"
            )
        return Domain(**{name: getattr(self, name) for name in DOMAIN})

    def source(self) -> dict[str, Any]:
        """Arguments of ``audit_mechanism`` about the datasets."""
        mechanism = self.chosen()
        if isinstance(mechanism, Mechanism):
            return {"datasets": mechanism.pair if self.datasets == "pair" else self.datasets}
        if self.datasets == "pair":
            raise ValueError(
                f"{name_of(mechanism)} is not in the gallery and has no worst-case pair of "
                "datasets; choose another search strategy"
            )
        return {
            "datasets": self.datasets,
            "neighboring_relation": self.relation,
            "domain": self.domain(),
            "time_limit": self.time_limit,
        }

    # -- in words ----------------------------------------------------------------------------------

    @sentence(needs=("mechanism", *CLAIM), place="head")
    def described(self) -> str:
        """The mechanism and the claim to test."""
        mechanism, claim = self.chosen(), claim_in_words(self.claim())
        if not isinstance(mechanism, Mechanism):
            return f"{name_of(mechanism)}, your code · tested for {claim}"
        own = str(mechanism.claim)
        claims = f"claims {own}" if own == claim else f"claims {own}, tested for {claim}"
        parts = [mechanism.about.rstrip("."), claims, NEIGHBORS[mechanism.neighboring_relation]]
        return " · ".join([*parts, mechanism.source] if mechanism.source else parts)

    # -- the mechanism's own claim -----------------------------------------------------------------

    def _take_card(self, *events: Any) -> None:
        """Set the claim of a newly chosen mechanism, except what was changed together with it."""
        changed = {event.name for event in events}
        if "mechanism" in changed:
            card = self._card_values()
            self.param.update({name: card[name] for name in card if name not in changed})

    def _card_values(self) -> dict[str, Any]:
        mechanism = self.chosen()
        return claim_values(mechanism.claim) if isinstance(mechanism, Mechanism) else {}


def name_of(mechanism: Any) -> str:
    """The display name of a mechanism."""
    named = getattr(mechanism, "title", None) or getattr(mechanism, "name", None)
    text = str(named or getattr(mechanism, "__name__", type(mechanism).__name__))
    return text.rpartition(os.sep)[2] if isinstance(mechanism, NamedMechanism) else text


def claim_values(claim: Claimed | str) -> dict[str, Any]:
    """The page's parameters for a claim.

    Parameters
    ----------
    claim : Claim, Pair or str

    Raises
    ------
    ValueError
        A claim that the page's controls cannot show.
    """
    found = parse_claim(claim) if isinstance(claim, str) else claim
    if isinstance(found, ApproxDP):
        if found.delta_0 == 0:
            return {"claim_kind": "pure", "epsilon": found.epsilon_0}
        log_delta = math.log10(found.delta_0)
        if not -12 <= log_delta <= -1:
            raise ValueError(f"the page shows δ from 1e-12 to 0.1, got {found.delta_0!r}")
        return {"claim_kind": "approx", "epsilon": found.epsilon_0, "log_delta": log_delta}
    if isinstance(found, RenyiDP):
        return {"claim_kind": "renyi", "order": found.order, "epsilon": found.epsilon_0}
    if isinstance(found, PureDP):
        return {"claim_kind": "pure", "epsilon": found.epsilon_0}
    if isinstance(found, GDP):
        return {"claim_kind": "gdp", "mu": found.mu}
    if type(found) in [kind.build for kind in KINDS.values()]:
        chosen = pair_values("curve", type(found).__name__, **found.parameters)  # type: ignore[union-attr]
        return {"claim_kind": "pair", **chosen}
    raise ValueError(f"the page shows claims and the pairs {', '.join(KINDS)}; got {found!r}")
