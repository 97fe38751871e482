"""`Plans`: the plans of an archive, each stored with its time before any score was seen."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, insert, select, true

from workbench import _checks, _json
from workbench.audits.errors import ArchiveError
from workbench.audits.plan import RegisteredPlan
from workbench.audits.storing.schema import PLAN_USES, PLANS
from workbench.scores.refusals import did_you_mean
from workbench.storing.database import Database
from workbench.storing.rows import require_sound


@dataclass(frozen=True)
class PlanUse:
    """Data that a plan was used for.

    Parameters
    ----------
    plan : str
        Key of the plan.
    data_sha256 : str
        Hash of the data.
    used : datetime
        When it was first used for them.
    unseen : bool
        Whether it was chosen before any result of these data was shown.
    """

    plan: str
    data_sha256: str
    used: datetime
    unseen: bool = False


class Plans:
    """The plans of an archive, each stored with its time before any score was seen.

    ``plans["release 7"]`` finds one by its key or its name, the newest of that name. Iterating
    yields all, newest first. Plans are never changed and never deleted.

    Parameters
    ----------
    database : Database
        Of audits.
    """

    def __init__(self, database: Database):
        self._database = database

    def add(self, plan: RegisteredPlan) -> RegisteredPlan:
        """Store a plan, and return it with its key; the one that is there, if it is."""
        _checks.instance(plan, RegisteredPlan, "plan", "a plan; wb.plan makes one")
        with self._database.writing() as connection:
            self._database.exclude_others(connection)
            found = connection.scalar(select(PLANS.c.key).where(PLANS.c.sha256 == plan.sha256))
            kept = replace(plan, key=found or secrets.token_hex(8))
            if found is None:
                connection.execute(
                    insert(PLANS).values(
                        key=kept.key,
                        sha256=kept.sha256,
                        created=kept.created.isoformat(),
                        plan=_json.dumps_ascii(kept.to_dict()),
                    )
                )
        return kept

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
        key = self._stored(plan).key
        with self._database.writing() as connection:
            # Who uses it at the same time on a server waits here.
            connection.execute(select(PLANS.c.position).where(PLANS.c.key == key).with_for_update())
            uses = self._uses(connection, PLAN_USES.c.plan == key)
            if data_sha256 not in [one.data_sha256 for one in uses]:
                uses.append(PlanUse(key, data_sha256, datetime.now(UTC), unseen))
                connection.execute(
                    insert(PLAN_USES).values(
                        plan=key,
                        data_sha256=data_sha256,
                        used=uses[-1].used.isoformat(),
                        unseen=unseen,
                    )
                )
        return uses[0]

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
        with self._database.reading() as connection:
            uses = self._uses(connection, true())
        known = {one.key: one for one in self}
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
        """All data that a plan was used for, first use first."""
        key = self._stored(plan).key
        with self._database.reading() as connection:
            return tuple(self._uses(connection, PLAN_USES.c.plan == key))

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
        with self._database.reading() as connection:
            found = connection.scalars(select(PLANS.c.plan).order_by(PLANS.c.position.desc())).all()
        plans = []
        for text in found:
            with self._database.decoding("a plan"):
                require_sound([text], [PLANS.c.plan])
                plans.append(RegisteredPlan.from_dict(_json.loads(text)))
        return iter(plans)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Plans({', '.join(repr(plan.name) for plan in self)})"

    def _stored(self, plan: RegisteredPlan | str) -> RegisteredPlan:
        if isinstance(plan, str):
            return self[plan]
        _checks.instance(plan, RegisteredPlan, "plan", "a plan, its key or its name")
        return plan if plan.key else self.add(plan)

    def _uses(self, connection: Connection, which: ColumnElement[bool]) -> list[PlanUse]:
        found = []
        asked = select(PLAN_USES).where(which).order_by(PLAN_USES.c.position)
        with self._database.decoding("a use of a plan"):
            for one in connection.execute(asked):
                require_sound(one, PLAN_USES.c)
                used = datetime.fromisoformat(one.used)
                found.append(PlanUse(one.plan, one.data_sha256, used, one.unseen))
        return found
