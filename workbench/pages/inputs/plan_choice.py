"""The choice of a plan that was stored before, and what it does to bounds of a page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import param

from workbench.audits.deviations import (
    CONFIDENCE,
    INTERVAL,
    SIZES,
    AuditFacts,
    deviation_text,
    deviations,
    timely,
    voiding,
)
from workbench.audits.errors import ArchiveError
from workbench.audits.plan import Deviation, RegisteredPlan, label_of, time_text
from workbench.bounds.bound import Bound
from workbench.pages.core.page import FixedInAdvance, Page, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.value_selector import ValueSelector
from workbench.pages.inputs.data import same_numbers
from workbench.pages.inputs.score_source import DIRECTION
from workbench.scores.sample import Scores
from workbench.workspaces.planning import PlannedData

#: Characters of the name of a plan that a page shows.
LONGEST_NAME = 60

#: Seconds after which a page looks for plans that another program stored, and after which it tries
#: again where the database cannot be read.
LOOK_AGAIN, LOOK_AGAIN_LATER = 3.0, 60.0

#: What the menu calls the choice of no plan.
NONE = "none"

_MISSING = (
    "{label} is not in this workspace, so nothing here counts as fixed in advance by it. Use the "
    "database of audits that has the plan."
)


def short_name(plan: RegisteredPlan) -> str:
    """The name of a plan in one line, shortened where it is long."""
    name = " ".join(plan.name.split())
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _sentence(deviation: Deviation) -> str:
    text = deviation_text(deviation, "the plan")
    return f"{text[0].upper()}{text[1:]}."


class PlanChoice(ValueSelector):
    """Parameter type of a plan of the page's workspace: its SHA-256, "" for none.

    People choose it by name. A hash that the workspace does not know, such as that of a link, is
    kept: the page says that the plan is missing.

    Parameters
    ----------
    **more
        As for ``param.Selector``.
    """

    def __init__(self, **more: Any):
        super().__init__(default="", objects=[""], **more)

    def get_range(self) -> dict[str, str]:
        """The hashes on offer by what people read, the newest plan first."""
        page = self.owner if isinstance(self.owner, Page) else None
        found = {NONE: ""}
        if page is None:
            return found
        for plan in page.plans.known:
            name = short_name(plan)
            taken = name in found
            found[f"{name} ({plan.label})" if taken else name] = plan.sha256
        chosen = getattr(page, str(self.name))
        if chosen not in found.values():
            found[f"{label_of(chosen)} (missing)"] = chosen
        return found

    def _validate(self, val: Any) -> None:
        if not (isinstance(val, str) and re.fullmatch("|[0-9a-f]{64}", val)):
            raise ValueError(f"a plan is named by its SHA-256, got {val!r}")


class KnownPlans(Part):
    """The plans of the workspace, for a page with a `PlanChoice`; the page calls it ``plans``."""

    _known: tuple[RegisteredPlan, ...] = ()
    _look_again_at = 0.0

    @property
    def known(self) -> tuple[RegisteredPlan, ...]:
        """The plans of the workspace, the newest first, as they were when the page last looked."""
        workspace = self.page.workspace
        if time.monotonic() >= self._look_again_at and workspace.storage.may_have_audits:
            try:
                self._known, wait = tuple(workspace.audits.plans), LOOK_AGAIN
            except ArchiveError:  # every move of a slider asks for them
                wait = LOOK_AGAIN_LATER
            self._look_again_at = time.monotonic() + wait
        return self._known

    def refresh(self) -> None:
        """Take note that there may be other plans."""
        self._look_again_at = 0.0

    def find(self, sha256: str) -> RegisteredPlan | None:
        """The plan of a hash; None for "" and for one that the workspace does not have."""
        if sha256 not in ("", *(plan.sha256 for plan in self.known)):
            self._look_again_at = 0.0
        return next((plan for plan in self.known if plan.sha256 == sha256), None)


class PlannedAudit(Part):
    """The plan under which an audit of the data set in view may be made.

    A choice that a timely plan fixes is not judged by whether it was changed after results were
    seen, but by whether it is the plan's; see `workbench.audits.deviations`. The page has a
    `KnownPlans`, a `ScoreSource` and a `Validity`.

    Parameters
    ----------
    values : callable
        ``values(page, plan)`` is the parameters that follow a plan, as far as the page can show
        them.
    facts : callable
        ``facts(page, data)`` is what the audit does.
    rests_on : tuple of str
        The page's parameters that ``facts`` depends on.
    """

    #: Those that a plan fixes and that are marked when they are changed without one.
    FIXED: ClassVar[Mapping[str, str]] = {"confidence": CONFIDENCE, "interval": INTERVAL}

    follows: ClassVar[tuple[str, ...]] = (
        *("registered", "planned_data", "departures", "void_words"),
    )

    plan = PlanChoice(
        label="Plan",
        doc="A plan that was stored before the scores were opened. While the audit follows it, the "
        "bound at the threshold that it names is valid. Store one on the page “Sample size and "
        "power”, or with wb.plan.",
    )
    doubted = param.String("", precedence=-1, doc="What was changed although a plan fixed it.")
    registered = param.Parameter(None, precedence=-1, doc="The RegisteredPlan, or None.")
    planned_data = param.Parameter(None, precedence=-1, doc="What the plan asks about the data.")
    departures = param.Parameter((), precedence=-1, doc="Deviations of the audit from its plan.")
    void_words = param.Parameter("", precedence=-1, doc="Why no bound of the page is valid.")

    def __init__(
        self,
        values: Callable[[Any, RegisteredPlan], dict[str, Any]],
        facts: Callable[[Any, PlannedData], AuditFacts],
        rests_on: tuple[str, ...],
    ):
        super().__init__()
        self._values, self._facts, self._rests_on = values, facts, rests_on

    def start(self, given: frozenset[str]) -> None:
        """Follow the plan that was chosen."""
        self.page.param.watch(self._choose_plan, "plan")
        # After the marks of what was changed after looking.
        judged = ["looked", "doubted", "registered", "planned_data", "scores", *self._rests_on]
        self.page.param.watch(self._judge, judged, precedence=2)
        self._choose_plan()

    def refresh(self) -> None:
        """Take note of a plan that is known by now."""
        if self.plan and self.registered is None:
            self._choose_plan()

    def why_not_valid(self) -> str:
        """Why bounds are not valid; empty while they are."""
        return str(self.void_words)

    def fixed_by_plan(self, bound: Bound, result: str, what: str) -> Bound:
        """A bound that rests on what the plan fixes: with its label, or void for a deviation.

        Parameters
        ----------
        bound : Bound
        result : str
            The kind of result; see `workbench.audits.deviations.voiding`.
        what : str
            What the plan fixes, such as "The threshold was".
        """
        plan = self.registered
        # Not `departures`: a copy of the page that watches nothing may have been changed.
        deviation = voiding(self._departures_now(), result)
        if deviation is not None:
            return bound.voided(deviation_text(deviation, plan.label))
        found = self.page.validity.certified(bound)
        if found.void:
            return found
        said = f"{what} fixed in advance ({plan.label})."
        note = FixedInAdvance(f"{bound.note} {said}" if bound.note else said, plan.label)
        return replace(found, note=note)

    @sentence(needs=("plan", "registered", "departures"), place="strip")
    def departing(self) -> str:
        """How the audit deviates from its plan, or that the plan is missing; empty otherwise."""
        if self.registered is None:
            label = label_of(self.plan)
            return _MISSING.format(label=f"P{label[1:]}") if self.plan else ""
        void, other = (
            " ".join(_sentence(one) for one in self.departures if one.voids is voids)
            for voids in (True, False)
        )
        said = [f"The audit deviates from its plan. {void}"] if void else []
        if other:
            said.append(f"Deviations from the plan without an effect on bounds: {other}")
        return " ".join(said)

    @sentence(needs=("registered", "departures"), place="head")
    def planned(self) -> str:
        """The plan; empty without one."""
        plan = self.registered
        if plan is None:
            return ""
        how = "Under" if self.departures else "Follows"
        before = ", before these scores were opened" if timely(self.departures) else ""
        stored = f"stored at {time_text(plan.created)}{before}"
        return f"{how} plan “{short_name(plan)}” ({plan.label}), {stored}."

    def without_plan(self) -> dict[str, Any]:
        """The parameters without a plan: what was changed under it counts as any other change."""
        values = {"plan": "", "registered": None, "planned_data": None, "doubted": ""}
        return {**values, "looked": self.page.looked or self.doubted}

    def before_reset(self) -> None:
        """Leave the plan."""
        self.page.set_quietly(**self.without_plan())

    def _choose_plan(self, *events: Any) -> None:
        page = self.page
        if events and page.quiet:
            return
        plan = page.plans.find(self.plan)
        if plan is not None:
            self._follow_plan(plan)
        elif self.plan:  # of a link, or of another workspace
            page.set_quietly(registered=None, planned_data=None)
        else:
            page.set_quietly(**self.without_plan())
        page.validity.recall()
        self._judge()

    def _follow_plan(self, plan: RegisteredPlan) -> None:
        """Make the audit under a plan: set what it fixes, and use it for the data in view."""
        page = self.page
        page.note_shown()
        values = self._values(page, plan)
        moved = [n for n in self.FIXED if n in values and values[n] != getattr(page, n)]
        if moved and page.validity.in_view:
            values["doubted"] = self.FIXED[moved[-1]]
        page.set_quietly(registered=plan, planned_data=self._data_under(plan), **values)

    def _data_under(self, plan: RegisteredPlan) -> PlannedData | None:
        """What is known of the data set, for which the plan is used; None without one."""
        dataset = self.page.source.dataset
        return None if dataset is None else PlannedData.of(dataset, self.page.workspace, plan)

    def data_leaves(self) -> None:
        """Know nothing of the data, as they are read now, if the archive fails meanwhile."""
        self.page.set_quietly(planned_data=None)

    def data_came(self, before: Scores | None) -> None:
        """Use the plan for the data in view."""
        plan = self.registered
        if plan is not None:
            # Scores that were read in another way have the page forget what the plan fixes.
            same = before is not None and same_numbers(before, self.page.scores)
            again = {} if same else self._values(self.page, plan)
            self.page.set_quietly(planned_data=self._data_under(plan), **again)
        self._judge()

    def judge_changed(self, changed: list[str]) -> list[str]:
        """The changed choices that the plan does not fix; it judges the others."""
        if self.registered is None:
            return changed
        fixed = [name for name in changed if name in {*self.FIXED, DIRECTION}]
        words = self.page.validity.all_words()
        self.page.set_quietly(doubted=words[fixed[-1]] if fixed else "")
        return [name for name in changed if name not in fixed]

    def _judge(self, *events: Any) -> None:
        """Compare the audit with its plan, and say what is not valid."""
        found = self._departures_now()
        news = {"departures": found, "void_words": self._why_void(found)}
        news = {name: value for name, value in news.items() if getattr(self, name) != value}
        if news:  # most steps of a drag change nothing
            self.page.set_quietly(**news)

    @property
    def _data_now(self) -> PlannedData:
        return self.planned_data or PlannedData.of_scores(self.page.scores)

    def _departures_now(self) -> tuple[Deviation, ...]:
        plan = self.registered
        return () if plan is None else deviations(plan, self._facts(self.page, self._data_now))

    def _why_void(self, found: tuple[Deviation, ...]) -> str:
        plan = self.registered
        if plan is not None and timely(found):
            other = [one.what for one in found if one.what in self.FIXED.values()]
            turned = plan.larger_is_member != self.page.scores.larger_is_member
            doubted = self.doubted if other or turned else ""
            changed = self.page.looked or next(iter(other), doubted) or self._data_now.reread
        else:
            changed = self.page.looked or self.doubted or self.page.validity.read_anew
        if changed:
            return f"{changed} was changed after results were seen"
        deviation = voiding(found, SIZES)
        return "" if deviation is None else deviation_text(deviation, plan.label)
