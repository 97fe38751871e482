"""The choice of a plan that was stored before, and what it does to bounds of a page."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
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
from workbench.pages.core.page import FixedInAdvance, Page
from workbench.pages.core.value_selector import ValueSelector
from workbench.pages.inputs.data import same_numbers
from workbench.pages.inputs.score_source import DIRECTION, ScoreSource
from workbench.workspaces.planning import PlannedData
from workbench.workspaces.workspace import Workspace

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
        page = self.owner if isinstance(self.owner, KnownPlans) else None
        found = {NONE: ""}
        if page is None:
            return found
        for plan in page.known_plans:
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


class KnownPlans(Page):
    """Base of the pages with a `PlanChoice`: the plans of the workspace."""

    def __init__(self, *args: Any, **params: Any):
        self._known_plans: tuple[RegisteredPlan, ...] = ()
        self._look_again_at = 0.0
        super().__init__(*args, **params)

    @property
    def known_plans(self) -> tuple[RegisteredPlan, ...]:
        """The plans of the workspace, the newest first, as they were when the page last looked."""
        if time.monotonic() >= self._look_again_at and self.workspace.storage.may_have_audits:
            try:
                self._known_plans, wait = tuple(self.workspace.audits.plans), LOOK_AGAIN
            except ArchiveError:  # every move of a slider asks for them
                wait = LOOK_AGAIN_LATER
            self._look_again_at = time.monotonic() + wait
        return self._known_plans

    def find_plan(self, sha256: str) -> RegisteredPlan | None:
        """The plan of a hash; None for "" and for one that the workspace does not have.

        Parameters
        ----------
        sha256 : str
        """
        if sha256 not in ("", *(plan.sha256 for plan in self.known_plans)):
            self._look_again_at = 0.0
        return next((plan for plan in self.known_plans if plan.sha256 == sha256), None)


class PlannedSource(KnownPlans, ScoreSource):
    """Base of the pages about one data set whose audit may be made under a plan.

    Provides ``plan`` (the saved setting), ``registered`` (the plan itself; None without one),
    ``departures`` from it, and ``void_words``, why no bound of the page is valid. A choice that a
    timely plan fixes is not judged by whether it was changed after results were seen, but by
    whether it is the plan's; see `workbench.audits.deviations`. Classes define ``planned_values``
    and ``audit_facts``, and name in ``PLANNED`` the parameters that the latter depends on.
    """

    #: Parameters that `audit_facts` depends on.
    PLANNED: ClassVar[tuple[str, ...]] = ()

    #: Those that a plan fixes and that are marked when they are changed without one.
    FIXED: ClassVar[Mapping[str, str]] = {"confidence": CONFIDENCE, "interval": INTERVAL}

    follows: ClassVar[tuple[str, ...]] = (
        *ScoreSource.follows,
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

    def __init__(self, workspace: Workspace | None = None, **params: Any):
        super().__init__(workspace=workspace, **params)
        self.param.watch(self._choose_plan, "plan")
        # After the marks of what was changed after looking.
        judged = ["looked", "doubted", "registered", "planned_data", "scores", *self.PLANNED]
        self.param.watch(self._judge, judged, precedence=2)
        self._choose_plan()

    # -- for classes to define -----------------------------------------------------------------

    def planned_values(self, plan: RegisteredPlan) -> dict[str, Any]:
        """The parameters that follow a plan, as far as the page can show them.

        Parameters
        ----------
        plan : RegisteredPlan
        """
        raise NotImplementedError

    def audit_facts(self, data: PlannedData) -> AuditFacts:
        """What the audit does.

        Parameters
        ----------
        data : PlannedData
            What is known of the data in view.
        """
        raise NotImplementedError

    # -- under a plan --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take note of other plans, and that the data set was renamed or read in another way."""
        self._look_again_at = 0.0
        if self.plan and self.registered is None:
            self._choose_plan()
        super().refresh()

    @property
    def looked_words(self) -> str:
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
        found = self.certified(bound)
        if found.void:
            return found
        said = f"{what} fixed in advance ({plan.label})."
        note = FixedInAdvance(f"{bound.note} {said}" if bound.note else said, plan.label)
        return replace(found, note=note)

    def following_words(self) -> str:
        """The plan; empty without one."""
        plan = self.registered
        if plan is None:
            return ""
        how = "Under" if self.departures else "Follows"
        before = ", before these scores were opened" if timely(self.departures) else ""
        stored = f"stored at {time_text(plan.created)}{before}"
        return f"{how} plan “{short_name(plan)}” ({plan.label}), {stored}."

    def departing_words(self) -> str:
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

    def without_plan(self) -> dict[str, Any]:
        """The parameters without a plan: what was changed under it counts as any other change."""
        values = {"plan": "", "registered": None, "planned_data": None, "doubted": ""}
        return {**values, "looked": self.looked or self.doubted}

    def _reset(self, *events: Any) -> None:
        self._set_quietly(**self.without_plan())
        super()._reset(*events)

    def _choose_plan(self, *events: Any) -> None:
        if events and self._quiet:
            return
        plan = self.find_plan(self.plan)
        if plan is not None:
            self._follow_plan(plan)
        elif self.plan:  # of a link, or of another workspace
            self._set_quietly(registered=None, planned_data=None)
        else:
            self._set_quietly(**self.without_plan())
        self.recall()
        self._judge()

    def _follow_plan(self, plan: RegisteredPlan) -> None:
        """Make the audit under a plan: set what it fixes, and use it for the data in view."""
        self.note_shown()
        values = self.planned_values(plan)
        moved = [n for n in self.FIXED if n in values and values[n] != getattr(self, n)]
        if moved and self.shows_results:
            values["doubted"] = self.FIXED[moved[-1]]
        self._set_quietly(registered=plan, planned_data=self._data_under(plan), **values)

    def _data_under(self, plan: RegisteredPlan) -> PlannedData | None:
        """What is known of the data set, for which the plan is used; None without one."""
        if self.dataset is None:
            return None
        return PlannedData.of(self.dataset, self.workspace, plan)

    def _take(self, key: str) -> None:
        before = self.scores
        # Nothing is known of the data, as they are read now, if the archive fails meanwhile.
        self._set_quietly(planned_data=None)
        super()._take(key)
        plan = self.registered
        if plan is not None:
            # Scores that were read in another way have the page forget what the plan fixes.
            again = {} if same_numbers(before, self.scores) else self.planned_values(plan)
            self._set_quietly(planned_data=self._data_under(plan), **again)
        self._judge()

    def _mark(self, changed: list[str], last: str) -> None:
        """Set the marks; a choice that the plan fixes is judged by the plan."""
        plan = self.registered
        if plan is None:
            super()._mark(changed, last)
            return
        fixed = {*self.FIXED, DIRECTION}
        super()._mark([name for name in changed if name not in fixed], last)
        doubted = [self.choice_words[name] for name in changed if name in fixed]
        self._set_quietly(doubted=doubted[-1] if doubted else "")

    def _judge(self, *events: Any) -> None:
        """Compare the audit with its plan, and say what is not valid."""
        found = self._departures_now()
        news = {"departures": found, "void_words": self._why_void(found)}
        news = {name: value for name, value in news.items() if getattr(self, name) != value}
        if news:  # most steps of a drag change nothing
            self._set_quietly(**news)

    @property
    def _data_now(self) -> PlannedData:
        return self.planned_data or PlannedData.of_scores(self.scores)

    def _departures_now(self) -> tuple[Deviation, ...]:
        plan = self.registered
        return () if plan is None else deviations(plan, self.audit_facts(self._data_now))

    def _why_void(self, found: tuple[Deviation, ...]) -> str:
        plan = self.registered
        if plan is not None and timely(found):
            other = [one.what for one in found if one.what in self.FIXED.values()]
            turned = plan.larger_is_member != self.scores.larger_is_member
            doubted = self.doubted if other or turned else ""
            changed = self.looked or next(iter(other), doubted) or self._data_now.reread
        else:
            changed = self.looked or self.doubted or self.reread
        if changed:
            return f"{changed} was changed after results were seen"
        deviation = voiding(found, SIZES)
        return "" if deviation is None else deviation_text(deviation, plan.label)
