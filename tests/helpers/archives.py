"""Archives with something in every table, and what their databases refuse."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.plan import RegisteredPlan

#: Tests that use the PostgreSQL server run in one process: it is started once.
ON_SERVER = pytest.mark.xdist_group("postgresql")

#: Changes that the database itself refuses.
FIXED = [
    "UPDATE audits SET name = 'x'",
    "UPDATE cards SET card = 'x'",
    "UPDATE figures SET sha256 = 'x'",
    "UPDATE contents SET content = x'00'",
    "UPDATE attachments SET name = 'x'",
    "UPDATE plans SET plan = 'x'",
    "UPDATE plan_uses SET data_sha256 = 'x'",
    "UPDATE series SET confidence = 0.5",
    "UPDATE series_audits SET confidence = 0.5",
    "UPDATE series_audits SET position = 7",
    "DELETE FROM audits",
    "DELETE FROM cards WHERE audit NOT IN (SELECT audit FROM removals)",
    "DELETE FROM figures WHERE audit NOT IN (SELECT audit FROM removals)",
    "DELETE FROM attachments",
    "DELETE FROM contents",
    "DELETE FROM plans",
    "DELETE FROM plan_uses",
    "DELETE FROM series_audits",
    "DELETE FROM series",
]


def filled(archive: Archive, page_audit: Audit) -> Archive:
    """An archive with a row in every table."""
    attached = [Attachment.of("file", "a.csv", b"1")]
    archive.save(page_audit, "one", attachments=attached)
    archive.save(page_audit, "removed")
    archive.remove("removed")
    plan = archive.plans.add(a_plan())
    archive.plans.use(plan, "0" * 64)
    archive.series("nightly")
    archive.reserve("nightly", wb.GaussianPair(1).sample(20, seed=1))
    return archive


def a_plan() -> RegisteredPlan:
    return RegisteredPlan("plan", "losses of run 7", datetime(2026, 1, 1, tzinfo=UTC))


def refused(archive: Archive, statement: str) -> None:
    """The database refuses a statement, in words."""
    with (
        pytest.raises(
            wb.ArchiveError, match=r"never changed|only after|kept|given once|constraint"
        ),
        archive.database.writing() as connection,
    ):
        connection.exec_driver_sql(statement)
