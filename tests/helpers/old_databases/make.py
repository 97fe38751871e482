"""Writes databases with the program that is imported, and dumps them as SQL beside this file.

``PYTHONPATH=CHECKOUT python tests/helpers/old_databases/make.py VERSION AUDITS SERVER WORKSPACE``,
where the checkout is of that version; 8b96c56 was the first one that was released. The last three
are the versions of its databases, for the names of the files.
"""

import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import workbench as wb
from workbench.audits.attachment import Attachment
from workbench.audits.plan import RegisteredPlan
from workbench.workspaces.home import workspace

HERE = Path(__file__).parent


def dumped(path: Path, to: Path) -> None:
    """Write the SQL that makes a database again."""
    with closing(sqlite3.connect(path)) as base:
        version = base.execute("PRAGMA user_version").fetchone()[0]
        to.write_text("\n".join([*base.iterdump(), f"PRAGMA user_version={version};", ""]))


def fill_workspace(folder: Path) -> None:
    own = workspace(folder)
    for number in range(3):
        scores = wb.Scores([number, 2.0, 3.0], [3.0, 4.0, 0.5])
        added = own.add_scores(scores, f"set {number} ä")
        own.keep_page_state("scores", {"threshold": 0.1 + 0.2, "note": "ü"}, added.key)
    own.remove(added.key)
    own.choose(own.datasets["set 1 ä"].key)
    own.keep_page_state("onerun", {"upload": own.keep_file("a", b"x")})
    archive = own.audits
    page = wb.explore("counts")
    audit = page.audit()
    audit = replace(audit, figures=audit.figures[:1])
    plan = RegisteredPlan("plan", "losses of run 7", datetime(2026, 1, 1, tzinfo=UTC))
    archive.plans.use(archive.plans.add(plan), "0" * 64)
    archive.series("nightly", 0.9)
    archive.reserve("nightly", wb.Scores([1, 2], [3, 4]))
    attached = [Attachment.of("file", "ä.csv", b"1,2")]
    archive.save(audit, "one ü", "a note", ["release"], attachments=attached)
    archive.save(audit, "two", previous="one ü")
    archive.save(audit, "gone")
    archive.remove("gone")
    own.close()


def fill_server(folder: Path) -> None:
    from workbench.server.people.accounts import Accounts
    from workbench.server.people.person import Role
    from workbench.server.people.sign_ins import SignIns
    from workbench.server.sharing.share import ShareKind
    from workbench.server.sharing.shares import Shares
    from workbench.server.storing.database import ServerDatabase

    database = ServerDatabase(folder)
    accounts, shares = Accounts(database), Shares(database)
    ada, ben = (accounts.add(name, Role.EDITOR) for name in ("Ada ü", "ben"))
    shares.add(ada.key, ShareKind.DATA, "a data set", ben.key)
    shares.add_link(ada.key, ShareKind.DATA, "another", 365)
    SignIns(database)
    with database.writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO sign_ins (id_hash, person, created, used, agent) "
            f"VALUES ('{'0' * 64}', '{ben.key}', 1.0, 2.0, 'Firefox')"
        )
    database.close()


def main(audits: str, server: str, of_workspace: str) -> None:
    """Write the three dumps."""
    folder = Path(tempfile.mkdtemp())
    fill_workspace(folder)
    fill_server(folder / "server")
    dumped(folder / "audits.sqlite", HERE / f"audits-{audits}.sql")
    dumped(folder / "server" / "server.sqlite", HERE / f"server-{server}.sql")
    dumped(folder / "workspace.sqlite", HERE / f"workspace-{of_workspace}.sql")


if __name__ == "__main__":
    main(*sys.argv[1:])
