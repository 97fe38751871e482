"""The fields of a plan, and the button that stores it before any score is opened."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.audits.plan import DIGITS, RegisteredPlan, time_text
from workbench.bounds.counts.intervals import interval_labels
from workbench.pages.core.page import Control, Section, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SCORE, NumberField
from workbench.pages.inputs.plan_choice import short_name
from workbench.scores.sample import CLUSTER_RULES, SAMPLINGS
from workbench.workspaces.planning import plan as store

_WRITTEN = "Write down an audit"


def _fixes(*choices: str) -> Any:
    return lambda page: page.planned_fixes in choices


class PlanWriting(Part):
    """The fields of a plan, which is stored with the sizes, δ and confidence of the page."""

    follows: ClassVar[tuple[str, ...]] = ("stored",)

    planned_name = param.String("", label="Name of the plan")
    planned_data = param.String(
        "",
        label="Where the scores will come from",
        doc="Description of the data, such as “losses of the nightly run on the held-out users”.",
    )
    planned_direction = param.Selector(
        default=True,
        objects={"larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger.",
    )
    planned_sampling = param.Selector(
        default="unknown",
        objects={"not stated" if s == "unknown" else s: s for s in SAMPLINGS},
        label="Independence of rows",
    )
    planned_rule = param.Selector(
        default="mean", objects=list(CLUSTER_RULES), label="Combine clusters by"
    )
    planned_fixes = param.Selector(
        default="threshold",
        objects={
            "a threshold": "threshold",
            "bins": "bins",
            "a threshold and bins": "both",
            "neither": "",
        },
        label="Fixed in advance",
        doc="A bound at a threshold, and an interval for given bins, are valid if these were fixed "
        "before the scores were seen.",
    )
    planned_threshold = NumberField(
        0.5,
        SCORE,
        label="Threshold",
        step=0.1,
        doc="The score that separates the attack's guesses of members and non-members.",
    )
    planned_bins = param.Integer(20, bounds=(2, 200), label="Number of bins")
    planned_low = NumberField(0.0, SCORE, label="From", step=0.1, doc="Lower end of the bins.")
    planned_high = NumberField(1.0, SCORE, label="To", step=0.1, doc="Upper end of the bins.")
    planned_interval = param.Selector(default="joint", objects=interval_labels(), label="Interval")
    planned_claim = param.String(
        "",
        label="Claim",
        doc="The claim to test, such as approx(2, 1e-5), gdp(1) or dpsgd(noise=1, rate=0.01, "
        "steps=1000); empty for none.",
    )
    planned_sizes = param.Selector(
        default="fixed",
        objects={
            "the scores per group above": "fixed",
            "not stated": "open",
            "any: the audit may end at any time": "anytime",
        },
        label="Sample sizes",
        doc="Bounds at other sizes than the plan's are not valid. An audit that may end at any "
        "time needs the bounds of the page “Watch”.",
    )
    store_plan = param.Event(
        label="Store the plan",
        doc="Stores it with the time and a hash. It is never changed. Open the scores afterwards.",
    )
    stored = param.Parameter(None, precedence=-1, doc="The RegisteredPlan that was stored.")

    section: ClassVar[Section] = Section(
        _WRITTEN,
        (
            Control("planned_name"),
            Control("planned_data"),
            Control("planned_direction"),
            Control("planned_sampling"),
            Control("planned_rule", when=lambda page: page.planned_sampling == "clustered"),
            Control("planned_fixes"),
            Control("planned_threshold", when=_fixes("threshold", "both")),
            Control("planned_bins", when=_fixes("bins", "both")),
            Control("planned_low", when=_fixes("bins", "both")),
            Control("planned_high", when=_fixes("bins", "both")),
            Control("planned_interval"),
            Control("planned_claim"),
            Control("planned_sizes"),
            Control("store_plan"),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the button."""
        self.page.param.watch(self._store_plan, "store_plan")

    @sentence(needs=("stored",), place="strip")
    def plan_stored(self) -> str:
        """What was stored, when, and what to do next."""
        plan: RegisteredPlan | None = self.stored
        if plan is None:
            return ""
        return (
            f"Plan “{short_name(plan)}” was stored at {time_text(plan.created)} with the hash "
            f"{plan.sha256[:DIGITS]}…, {self.page.workspace.audits.where}. Open the scores now, "
            "and choose it on the page “Scores”."
        )

    def _store_plan(self, *events: Any) -> None:
        fixes, sizes = self.planned_fixes, self.planned_sizes
        bins = {"bins": self.planned_bins, "range": (self.planned_low, self.planned_high)}
        n = self.page.sizes.n if sizes == "fixed" else None
        try:
            found = store(
                self.planned_name,
                self.planned_data,
                threshold=self.planned_threshold if fixes in ("threshold", "both") else None,
                bins=bins if fixes in ("bins", "both") else None,
                larger_is_member=self.planned_direction,
                sampling=self.planned_sampling,
                cluster_rule=self.planned_rule,
                delta=self.page.delta.value,
                confidence=self.page.confidence,
                interval=self.planned_interval,
                claim=self.planned_claim,
                n_p=n,
                n_q=n,
                stopping="anytime" if sizes == "anytime" else "fixed",
                workspace=self.page.workspace,
            )
        except ValueError as error:
            self.page.message = f"The plan was not stored: {error}"
        else:
            self.page.param.update(message="", stored=found)
