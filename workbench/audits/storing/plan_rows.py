"""`PlanRows`: plans in the database, and the data that they were used for."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, insert, select, true

from workbench import _json
from workbench.audits.plan import RegisteredPlan
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.schema import PLAN_USES, PLANS
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


class PlanRows:
    """Plans in the database; a plan is never changed and never deleted.

    Parameters
    ----------
    database : AuditsDatabase
    """

    def __init__(self, database: AuditsDatabase):
        self._database = database

    def add(self, plan: RegisteredPlan) -> RegisteredPlan:
        """The plan with its key; the one that is there, if it is."""
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

    def all(self) -> list[RegisteredPlan]:
        """All plans, newest first."""
        with self._database.reading() as connection:
            found = connection.execute(select(PLANS.c.plan).order_by(PLANS.c.position.desc())).all()
        plans = []
        for row in found:
            with self._database.decoding("a plan"):
                require_sound(row, [PLANS.c.plan])
                plans.append(RegisteredPlan.from_dict(_json.loads(row.plan)))
        return plans

    def use(self, plan: str, data_sha256: str, unseen: bool = False) -> PlanUse:
        """The first use of a plan, which is this one where there was none.

        Parameters
        ----------
        plan : str
            Key of the plan.
        data_sha256 : str
            Hash of the data.
        unseen : bool
            See `PlanUse`.
        """
        with self._database.writing() as connection:
            # Who uses it at the same time on a server waits here.
            connection.execute(
                select(PLANS.c.position).where(PLANS.c.key == plan).with_for_update()
            )
            uses = self._uses(connection, PLAN_USES.c.plan == plan)
            if data_sha256 not in [one.data_sha256 for one in uses]:
                uses.append(PlanUse(plan, data_sha256, datetime.now(UTC), unseen))
                connection.execute(
                    insert(PLAN_USES).values(
                        plan=plan,
                        data_sha256=data_sha256,
                        used=uses[-1].used.isoformat(),
                        unseen=unseen,
                    )
                )
        return uses[0]

    def uses(self, plan: str) -> tuple[PlanUse, ...]:
        """All uses of a plan, first use first."""
        with self._database.reading() as connection:
            return tuple(self._uses(connection, PLAN_USES.c.plan == plan))

    def all_uses(self) -> tuple[PlanUse, ...]:
        """All uses of all plans, first use first."""
        with self._database.reading() as connection:
            return tuple(self._uses(connection, true()))

    def _uses(self, connection: Connection, which: ColumnElement[bool]) -> list[PlanUse]:
        found = []
        asked = select(PLAN_USES).where(which).order_by(PLAN_USES.c.position)
        with self._database.decoding("a use of a plan"):
            for one in connection.execute(asked):
                require_sound(one, PLAN_USES.c)
                used = datetime.fromisoformat(one.used)
                found.append(PlanUse(one.plan, one.data_sha256, used, one.unseen))
        return found
