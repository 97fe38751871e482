"""What is tested, and for which promise: a mechanism, its claim, and where datasets come from."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

import param

from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.claims.parse import as_claim
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.core.page import Control, Page, Section, derived, sentence
from workbench.pages.core.sliders import IntegerField, NumberField
from workbench.pages.inputs.claim import (
    CLAIM_PARAMETERS,
    PAIR,
    chosen_claim,
    claim_choice,
    claim_controls,
    claim_values,
)
from workbench.pages.inputs.pair import (
    KINDS,
    chosen_pair,
    pair_choice,
    pair_controls,
    pair_parameters,
    pair_values,
)
from workbench.pairs.base import Pair
from workbench.testers.finders.neighbors import RELATIONS
from workbench.testers.running.load_mechanism import NamedMechanism

#: Own code among the mechanisms of the gallery.
OWN = "own"

FINDERS = {
    "Random": "random",
    "Grid": "grid",
    "Gaussian process": "bandit",
    "The card's own pair": "pair",
}

NEIGHBORS = {
    "add-remove": "neighbors by adding or removing a record",
    "substitute": "neighbors by replacing a record",
}

CLAIM = (*CLAIM_PARAMETERS, *pair_parameters("curve"))

DOMAIN = ("low", "high", "columns", "least", "most", "whole")

#: What only a plain function needs to be told, which brings no datasets along.
BARE = ("relation", *DOMAIN, "time_limit")

#: Values of records that may be typed.
VALUE = (-1e12, 1e12)


def _is(name: str, *values: str) -> Callable[[Any], bool]:
    return lambda page: getattr(page, name) in values


def _is_bare(page: Any) -> bool:
    return not isinstance(page.chosen(), Mechanism)


class MechanismChoice(Page, claim_choice(), pair_choice("curve", False, "As leaky as", "gaussian")):
    """The controls on the mechanism, its claim and its datasets.

    Parameters
    ----------
    own : Mechanism or callable, optional
        Offered beside the gallery, and chosen.
    claim : Claim, Pair or str, optional
        What is tested at first; by default what the mechanism says of itself.

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
        doc="Of the gallery, or the one that was named when the page was started. Code is never "
        "taken from the browser: name your own with workbench serve --mechanism file.py:function, "
        "or in a notebook with wb.explore_mechanism(function).",
    )

    log_delta = param.Number(-5.0, bounds=(-12, -1), step=0.5, label="log₁₀ δ", doc="−5 is 1e-5.")

    datasets = param.Selector(
        default="random",
        objects=FINDERS,
        label="Found by",
        doc="Random and grid know nothing; the Gaussian process goes where earlier trials looked "
        "promising. How they are found can cost power, never make a finding false.",
    )
    relation = param.Selector(
        default=RELATIONS[0],
        objects={"Adding or removing a record": "add-remove", "Replacing a record": "substitute"},
        label="Neighbors by",
    )
    low = NumberField(0.0, VALUE, label="Least value")
    high = NumberField(1.0, VALUE, label="Largest value")
    columns = IntegerField(0, (0, 100), label="Columns", doc="0: a plain vector.")
    least = IntegerField(1, (0, 10_000), label="Fewest records")
    most = IntegerField(10, (1, 10_000), label="Most records")
    whole = param.Boolean(False, label="Whole numbers only")
    time_limit = NumberField(
        60.0, (1, 3600), step=1, label="Seconds a trial may take", doc="Then it is lost."
    )

    choice: ClassVar[tuple[Section, ...]] = (
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
            (Control("datasets"), *(Control(name, when=_is_bare) for name in BARE)),
        ),
    )

    def __init__(
        self,
        own: Callable[..., Any] | None = None,
        claim: Claim | Pair | str | None = None,
        **params: Any,
    ):
        if isinstance(own, Mechanism) and GALLERY.get(own.name) is own:
            params = {"mechanism": own.name, **params}
            own = None
        self._own = own
        super().__init__(**params)
        if own is not None:
            offered = {f"{name_of(own)} (own code)": OWN, **self.param.mechanism.get_range()}
            self.param.mechanism.objects = offered
            if "mechanism" not in params:
                self.mechanism = OWN
        asked = {} if claim is None else shown_claim(claim)
        self.param.update({**self._card_values(), **asked, **params})
        self.param.watch(self._take_card, ["mechanism", *CLAIM])

    # -- what was chosen ---------------------------------------------------------------------------

    @derived(needs=("mechanism",))
    def chosen(self) -> Mechanism | Callable[..., Any]:
        """The mechanism."""
        if self.mechanism == OWN and self._own is not None:
            return self._own
        return GALLERY[self.mechanism]

    @derived(needs=("mechanism", *CLAIM))
    def claim(self) -> Claim:
        """The claim as the controls have it."""
        if self.claim_kind == PAIR:
            return PairClaim(chosen_pair(self, "curve"))  # type: ignore[arg-type]
        return chosen_claim(self)

    def domain(self) -> Domain:
        """The datasets that a plain function is given (ValueError where there are none)."""
        if self.low >= self.high:
            raise ValueError(
                f"the least value, {self.low:g}, must lie below the largest, {self.high:g}"
            )
        if self.least > self.most:
            raise ValueError(
                f"the fewest records, {self.least}, must be at most the most, {self.most}"
            )
        return Domain(**{name: getattr(self, name) for name in DOMAIN})

    def source(self) -> dict[str, Any]:
        """What ``audit_mechanism`` is told of the datasets, and of code that nobody knows."""
        mechanism = self.chosen()
        if isinstance(mechanism, Mechanism):
            return {"datasets": mechanism.pair if self.datasets == "pair" else self.datasets}
        if self.datasets == "pair":
            raise ValueError(
                f"{name_of(mechanism)} has no card with a pair of datasets; choose another way to "
                "find them"
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
        """What is tested."""
        mechanism, claim = self.chosen(), str(self.claim())
        if not isinstance(mechanism, Mechanism):
            return f"{name_of(mechanism)}, code of your own · tested for {claim}"
        own = str(mechanism.claim)
        claims = f"claims {own}" if own == claim else f"claims {own}, tested for {claim}"
        parts = [mechanism.about.rstrip("."), claims, NEIGHBORS[mechanism.neighboring_relation]]
        return " · ".join([*parts, mechanism.source] if mechanism.source else parts)

    # -- the card ----------------------------------------------------------------------------------

    def _take_card(self, *events: Any) -> None:
        """A mechanism brings its own claim, but for what was chosen together with it."""
        changed = {event.name for event in events}
        if "mechanism" in changed:
            card = self._card_values()
            self.param.update({name: card[name] for name in card if name not in changed})

    def _card_values(self) -> dict[str, Any]:
        mechanism = self.chosen()
        return shown_claim(mechanism.claim) if isinstance(mechanism, Mechanism) else {}


def name_of(mechanism: Any) -> str:
    """What a mechanism is called."""
    named = getattr(mechanism, "title", None) or getattr(mechanism, "name", None)
    text = str(named or getattr(mechanism, "__name__", type(mechanism).__name__))
    return text.rpartition(os.sep)[2] if isinstance(mechanism, NamedMechanism) else text


def shown_claim(claim: Claim | Pair | str) -> dict[str, Any]:
    """The page's parameters for a claim.

    Parameters
    ----------
    claim : Claim, Pair or str

    Raises
    ------
    ValueError
        A claim that the page's controls cannot show.
    """
    found = as_claim(claim)
    if not isinstance(found, PairClaim):
        return claim_values(found)
    pair = found.pair
    if type(pair) not in [kind.build for kind in KINDS.values()]:
        raise ValueError(f"the page shows claims and the pairs {', '.join(KINDS)}; got {pair!r}")
    chosen = pair_values("curve", type(pair).__name__, **pair.parameters)
    return {"claim_kind": PAIR, **chosen}
