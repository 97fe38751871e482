"""`Plans`: the plans of an archive, each stored with its time before any score was seen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from workbench import _checks
from workbench.audits.errors import ArchiveError
from workbench.audits.plan import RegisteredPlan
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.plan_rows import PlanRows, PlanUse
from workbench.scores.refusals import did_you_mean


class Plans:
    """The plans of an archive, each stored with its time before any score was seen.

    ``plans["release 7"]`` finds one by its key or its name, the newest of that name. Iterating
    yields all, newest first. Plans are never changed and never deleted.

    Parameters
    ----------
    database : AuditsDatabase
    """

    def __init__(self, database: AuditsDatabase):
        self._rows = PlanRows(database)

    def add(self, plan: RegisteredPlan) -> RegisteredPlan:
        """Store a plan.

        Parameters
        ----------
        plan : RegisteredPlan

        Returns
        -------
        RegisteredPlan
            With its key.
        """
        _checks.instance(plan, RegisteredPlan, "plan", "a plan; wb.plan makes one")
        return self._rows.add(plan)

    def use(self, plan: RegisteredPlan | str, data_sha256: str, unseen: bool = False) -> PlanUse:
        """The first use of a plan; if there was none, it is this one.

        A plan fixes the choices for the first data that it is used for. Other data come later, and
        may have been chosen by what the first showed.

        Parameters
        ----------
        plan : RegisteredPlan or str
        data_sha256 : str
            Hash of the data.
        unseen : bool
            Whether it is chosen before any result of these data was shown.

        Returns
        -------
        PlanUse
            Its ``data_sha256`` is another one where the plan was used for other data before.
        """
        _checks.text(data_sha256, "data_sha256")
        return self._rows.use(self._stored(plan).key, data_sha256, unseen)

    def rivals(
        self, plan: RegisteredPlan, data_sha256: str, opened: datetime
    ) -> tuple[RegisteredPlan, ...]:
        """Plans of other bounds that could have been taken for the same data after looking.

        Who stores many plans and takes the one that suits the scores best has fixed nothing.

        Parameters
        ----------
        plan : RegisteredPlan
            Of the archive, and used for the data.
        data_sha256 : str
            Hash of the data.
        opened : datetime
            When the data were opened for the first time.

        Returns
        -------
        tuple of RegisteredPlan
            Where another plan was used for the data first, that one. Otherwise those that waited
            when the data were opened, unless ``plan`` was chosen before any result was shown.
        """
        uses, known = self._rows.all_uses(), {one.key: one for one in self}
        of_data = [one for one in uses if one.data_sha256 == data_sha256]
        if of_data and of_data[0].plan != plan.key:
            first = known[of_data[0].plan]
            return () if first.same_bound(plan) else (first,)
        if of_data and of_data[0].unseen:
            return ()
        gone = {one.plan for one in uses if one.used < opened}
        waited = (one for one in known.values() if one.created < opened and one.key not in gone)
        return tuple(one for one in waited if not one.same_bound(plan))

    def uses(self, plan: RegisteredPlan | str) -> tuple[PlanUse, ...]:
        """All data that a plan was used for, first use first.

        Parameters
        ----------
        plan : RegisteredPlan or str
        """
        return self._rows.uses(self._stored(plan).key)

    def __getitem__(self, name: str) -> RegisteredPlan:
        _checks.text(name, "name")
        plans = list(self)
        for plan in plans:
            if plan.key == name:
                return plan
        for plan in plans:
            if plan.name == name:
                return plan
        hint = did_you_mean(name, [plan.name for plan in plans])
        raise ArchiveError(f"there is no plan {_checks.shown(name)}{hint}")

    def __iter__(self) -> Iterator[RegisteredPlan]:
        return iter(self._rows.all())

    def __len__(self) -> int:
        return len(self._rows.all())

    def __repr__(self) -> str:
        return f"Plans({', '.join(repr(plan.name) for plan in self)})"

    def _stored(self, plan: RegisteredPlan | str) -> RegisteredPlan:
        if isinstance(plan, str):
            return self[plan]
        _checks.instance(plan, RegisteredPlan, "plan", "a plan, its key or its name")
        return plan if plan.key else self.add(plan)
