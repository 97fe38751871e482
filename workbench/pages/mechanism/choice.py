"""`MechanismChoice`: the mechanism, the claim to test, and the search strategy for datasets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

import param

from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.claims.parse import as_claim
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.adapting.adapted import AdaptedMechanism
from workbench.mechanisms.adapting.calls import OWN as PLAIN
from workbench.mechanisms.base import ARRAYS, Domain, Mechanism
from workbench.mechanisms.gallery import GALLERY, groups
from workbench.mechanisms.table_domain import TableDomain
from workbench.pages.core.page import Control, Section, derived, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import IntegerField, NumberField
from workbench.pages.core.value_selector import GroupedSelector
from workbench.pages.inputs.claims.choice import (
    CLAIM_PARAMETERS,
    PAIR,
    claim_controls,
    claim_values,
)
from workbench.pages.inputs.claims.risk import risk_without_scores
from workbench.pages.inputs.pair import (
    KINDS,
    pair_controls,
    pair_parameters,
    values_of_pair,
)
from workbench.pairs.base import Pair
from workbench.pairs.own.kinds import kind_of
from workbench.testers.finders.neighbors import RELATIONS
from workbench.testers.running.load_mechanism import NamedMechanism

#: The value of ``mechanism`` for code that is not in the gallery.
OWN = "own"

FINDERS = {
    "Random search": "random",
    "Grid search": "grid",
    "Bayesian optimization": "bandit",
    "The mechanism's own pair": "pair",
}

CLAIM = (*CLAIM_PARAMETERS, *pair_parameters("curve"))

DOMAIN = ("low", "high", "columns", "min_records", "max_records", "integer")

#: Settings for a plain function; mechanisms of the gallery define their own datasets.
BARE = ("relation", *DOMAIN, "time_limit")

#: Bounds of the values of records.
VALUE = (-1e12, 1e12)


def _is(name: str, *values: str) -> Callable[[Any], bool]:
    return lambda page: getattr(page, name) in values


def _has_relation(page: Any) -> bool:
    return not isinstance(page.chosen(), Mechanism) and not page.choice.adapted().stated_pair


def _is_bare(page: Any) -> bool:
    return _has_relation(page) and page.choice.tables() is None


def _has_limit(page: Any) -> bool:
    return not isinstance(page.chosen(), Mechanism) and page.choice.adapted().portable


class MechanismChoice(Part):
    """The mechanism, the claim to test and the datasets that are tried."""

    mechanism = GroupedSelector(
        default="svt3",
        objects={card.title: name for name, card in GALLERY.items()},
        groups={card.title: group for group, cards in groups().items() for card in cards},
        label="Mechanism",
        doc="A mechanism of the gallery, or your own code. Code is never taken from the browser: "
        "start the server with workbench serve --mechanism file.py:function, or call "
        "wb.explore_mechanism(function) in a notebook.",
    )

    datasets = param.Selector(
        default="random",
        objects=FINDERS,
        label="Search strategy",
        doc="Random and grid search do not use earlier results; Bayesian optimization tries "
        "datasets where earlier trials showed more leak. The strategy affects the power of "
        "the search, not the validity of its findings.",
    )
    relation = param.Selector(
        default=ARRAYS[0],
        objects={RELATIONS[name].by.capitalize(): name for name in ARRAYS},
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
        doc="Processor time. A trial that exceeds it is discarded.",
    )

    sections: ClassVar[tuple[Section, ...]] = (
        Section("Mechanism", (Control("mechanism"),)),
        Section(
            "Claim",
            (
                *claim_controls(),
                *pair_controls("curve", when=_is("claim_kind", PAIR)),
            ),
        ),
        Section(
            "Datasets",
            (
                Control("datasets"),
                Control("relation", when=_has_relation),
                *(Control(name, when=_is_bare) for name in DOMAIN),
                Control("time_limit", when=_has_limit),
            ),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Offer code that is given beside the gallery, and choose it."""
        page = self.page
        if page.given is not None:
            choice: Any = page.param.mechanism
            choice.objects = {f"{name_of(page.given)} (your code)": OWN, **choice.get_range()}
            if "mechanism" not in given:
                self.mechanism = OWN
            domain = mechanism_from(page.given).domain
            if isinstance(domain, TableDomain):
                names = {RELATIONS[name].by.capitalize(): name for name in domain.relations}
                page.param.relation.objects = names
        asked = {} if page.claim_given is None else shown_claim(page.claim_given)
        values = {**self._card_values(), **asked}
        page.param.update({name: one for name, one in values.items() if name not in given})
        page.param.watch(self._take_card, ["mechanism", *CLAIM])

    # -- the choice --------------------------------------------------------------------------------

    @derived(needs=("mechanism",))
    def adapted(self) -> AdaptedMechanism:
        """The mechanism as it is run, with what it says about itself."""
        return mechanism_from(self.chosen())

    def tables(self) -> TableDomain | None:
        """The data frames that the mechanism takes, if it takes such."""
        domain = self.adapted().domain
        return domain if isinstance(domain, TableDomain) else None

    @derived(needs=("mechanism",))
    def chosen(self) -> Any:
        """The mechanism."""
        if self.mechanism == OWN and self.page.given is not None:
            return self.page.given
        return GALLERY[self.mechanism]

    def about_risk(self) -> dict[str, Any]:
        """The claim that is tested; none where none is stated."""
        claim = self.page.claim()
        return risk_without_scores(claim if claim.stated else None)

    @derived(needs=("mechanism", *CLAIM))
    def claim(self) -> Claim:
        """The claim to test."""
        if self.page.claim_kind == PAIR:
            return PairClaim(self.page.curve.pair())
        return self.page.claiming.chosen()

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
        return Domain(**{name: getattr(self.page, name) for name in DOMAIN})

    def source(self) -> dict[str, Any]:
        """Arguments of ``audit_mechanism`` about the datasets."""
        mechanism = self.chosen()
        if isinstance(mechanism, Mechanism):
            datasets = mechanism.pair if self.datasets == "pair" else self.datasets
            # Code of somebody else has a process of its own, which the time limit asks for.
            own = {"time_limit": self.time_limit} if self.mechanism == OWN else {}
            return {"datasets": datasets, **own}
        adapted = self.adapted()
        limit = {"time_limit": self.time_limit} if adapted.portable else {}
        if adapted.stated_pair:  # which the search takes by itself
            return {**({} if self.datasets == "pair" else {"datasets": self.datasets}), **limit}
        if self.datasets == "pair":
            raise ValueError(
                f"{name_of(mechanism)} is not in the gallery and has no worst-case pair of "
                "datasets; choose another search strategy"
            )
        return {
            "datasets": self.datasets,
            "neighboring_relation": self.relation,
            **({"domain": self.domain()} if self.tables() is None else {}),
            **limit,
        }

    # -- in words ----------------------------------------------------------------------------------

    @sentence(needs=("mechanism", *CLAIM), place="head")
    def described(self) -> str:
        """The mechanism and the claim to test."""
        mechanism, claim = self.chosen(), str(self.claim())
        tested = f"tested for {claim}" if self.claim().stated else "tested without a claim"
        adapted = self.adapted()
        own = str(adapted.claim)
        claims = f"claims {own}" if own == claim else f"claims {own}, {tested}"
        if not isinstance(mechanism, Mechanism):
            parts = [
                f"{name_of(mechanism)}, your code",
                tested if adapted.claim is None else claims,
            ]
            if (tables := self.tables()) is not None:
                parts.append(tables.in_words().rstrip("."))
            if f"({PLAIN})" not in adapted.calls:
                parts.append(f"called as {adapted.calls}")
            if not adapted.portable:
                parts.append("runs in this process, without a time limit")
            return " · ".join(parts)
        neighbors = f"neighbors by {RELATIONS[mechanism.neighboring_relation].by}"
        parts = [mechanism.about.rstrip("."), claims, neighbors]
        return " · ".join([*parts, mechanism.source] if mechanism.source else parts)

    # -- the mechanism's own claim -----------------------------------------------------------------

    def _take_card(self, *events: Any) -> None:
        """Set the claim of a newly chosen mechanism, except what was changed together with it."""
        changed = {event.name for event in events}
        if "mechanism" in changed:
            card = self._card_values()
            self.page.param.update({name: card[name] for name in card if name not in changed})

    def _card_values(self) -> dict[str, Any]:
        adapted = self.adapted()
        claim = {} if adapted.claim is None else shown_claim(adapted.claim)
        if isinstance(self.chosen(), Mechanism):
            return claim
        return {**claim, **_shown_datasets(adapted)}


def _shown_datasets(adapted: AdaptedMechanism) -> dict[str, Any]:
    """The page's parameters for the datasets that a mechanism says that it takes."""
    shown: dict[str, Any] = {}
    if adapted.stated_pair:
        return {"datasets": "pair"}
    domain = adapted.domain
    known = domain.relations if isinstance(domain, TableDomain) else ARRAYS
    if adapted.neighboring_relation in known:
        shown["relation"] = adapted.neighboring_relation
    if isinstance(adapted.domain, Domain):
        shown |= {name: getattr(adapted.domain, name) for name in DOMAIN}
    return shown


def name_of(mechanism: Any) -> str:
    """The display name of a mechanism."""
    named = getattr(mechanism, "title", None) or getattr(mechanism, "name", None)
    text = str(named or getattr(mechanism, "__name__", type(mechanism).__name__))
    return text.rpartition(os.sep)[2] if isinstance(mechanism, NamedMechanism) else text


def shown_claim(claim: Claim | Pair | str) -> dict[str, Any]:
    """The page's parameters for a claim.

    Raises
    ------
    ValueError
        A claim that the page's controls cannot show.
    """
    found = as_claim(claim)
    if not isinstance(found, PairClaim):
        return claim_values(found)
    if kind_of(found.pair) is None:
        known = ", ".join(KINDS)
        raise ValueError(f"the page shows claims and the pairs {known}; got {found.pair!r}")
    return {"claim_kind": PAIR, **values_of_pair("curve", found.pair)}
