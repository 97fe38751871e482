"""`RiskPage`: what an attacker could do with a release, in words."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench.pages.core.page import Control, Item, Page, Section
from workbench.pages.inputs.claims.stated import CLAIM, stated_controls
from workbench.pages.inputs.data import Sample
from workbench.pages.inputs.score_source import Arrival
from workbench.pages.inputs.settings import Validity
from workbench.pages.risk.asked import RiskAsked, RiskClaim
from workbench.pages.risk.code import risk_code
from workbench.pages.risk.measured import RiskMeasured, RiskScores
from workbench.pages.risk.noise import RiskNoise
from workbench.pages.risk.numbers import RiskNumbers
from workbench.scores.sample import Scores


class RiskPage(Page):
    """State and drawings of the page."""

    title = "What could an attacker do?"
    about = (
        "A promise says what no attacker can do, and tests show what one can. How often would an "
        "attacker be right with the release, and how often without it?"
    )
    main: ClassVar[tuple[str, ...]] = ("log_one_in", "log_wished")

    validity = Validity(resets=("log_one_in", "log_prior", "log_wished", "group", "confidence"))
    promised = RiskClaim()
    sample = Sample("sample")
    measuring = RiskMeasured()
    source = RiskScores()
    asking = RiskAsked()
    numbers_part = RiskNumbers()
    calibration = RiskNoise()

    controls: ClassVar[tuple[Section, ...]] = (
        RiskAsked.section,
        Section("Claim", tuple(stated_controls())),
        Section("Evidence", RiskMeasured.controls),
        RiskScores.section,
        RiskNoise.section,
        Section("", (Control("reset", menu=True),)),
    )

    def __init__(self, *given: Any, **params: Any):
        super().__init__(*given, **params)
        stated = {name: params[name] for name in CLAIM if name in params}
        self.set_quietly(**stated)  # the scores may have brought a claim of theirs

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view, with what was promised of them.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        arrival : Arrival
            How they come.
        """
        values: dict[str, Any] = {"message": ""}
        if arrival is Arrival.ANOTHER:
            values |= self.promised.values_with(self.source.dataset)
        self.set_quietly(scores=scores, loaded=said, **values)

    def still_true(self, settings: Any) -> dict[str, Any]:
        """Those of settings kept earlier that still describe the data set in view."""
        return self.promised.still_stated(settings)

    @classmethod
    def asks_risk(cls) -> bool:
        """False: it is that page."""
        return False

    def dragged(self, item: Item, x: float) -> float:
        """log₁₀ of N for where the line was dragged, on an axis of log₁₀ of 1/N."""
        return -x

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return risk_code(self, spec)
