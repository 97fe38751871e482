"""The archive with 10,000 audits: time of lists and searches, size; SQLite and PostgreSQL."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

import workbench as wb
from workbench.audits.archive import Archive, packed
from workbench.audits.audit import Audit
from workbench.audits.storing.audit_rows import AuditRows
from workbench.audits.storing.database import AuditsDatabase
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES

AUDITS = 10_000

#: Milliseconds that a list or a search may take.
TARGET = 100

_WORDS = (
    *("nightly", "release", "gaussian", "laplace", "losses"),
    *("pipeline", "canary", "model", "federated", "fix"),
)


def main(count: int = AUDITS) -> list[tuple[str, str, str]]:
    audit = audit_of(PAGES["scores"].kind())
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        database = AuditsDatabase.in_folder(Path(folder))
        rows += _measured("SQLite", Archive(database), audit, count)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        rows.append(("SQLite: size per audit", f"{size / count / 1024:.1f} kB", "–"))
        database.close()
    return rows + _on_postgresql(audit, count)


def _on_postgresql(audit: Audit, count: int) -> list[tuple[str, str, str]]:
    sys.path.insert(0, str(Path(wb.__file__).parents[1] / "tests"))
    from helpers.postgresql import postgresql

    with postgresql() as server:
        database = AuditsDatabase.at(server.new_database("archive"))
        rows = _measured("PostgreSQL", Archive(database), audit, count)
        with database.reading() as connection:
            size = connection.exec_driver_sql(
                "SELECT pg_database_size(current_database())"
            ).scalar_one()
        database.close()
    return [*rows, ("PostgreSQL: size per audit", f"{size / count / 1024:.1f} kB", "–")]


def _measured(where: str, archive: Archive, audit: Audit, count: int) -> list[tuple[str, str, str]]:
    _fill(archive, audit, count)
    named = replace(audit, name="one more")
    asked = {
        "list of all": lambda: archive.search(),
        "list of 50": lambda: archive.search(limit=50),
        "two words": lambda: archive.search("nightly 70"),
        "a word in no audit": lambda: archive.search("absent"),
        "a word in all audits": lambda: archive.search("scores"),
        "a tag": lambda: archive.search(tags=["release"]),
        "number of audits": lambda: len(archive),
        "open by name": lambda: archive["audit 70 nightly"],
        "save": lambda: archive.save(named),
    }
    rows = []
    for what, ask in asked.items():
        ask()
        times = []
        for _ in range(9):
            start = perf_counter()
            ask()
            times.append(1000 * (perf_counter() - start))
        shown = f"{min(times):.1f} ms, median {np.median(times):.1f}"
        rows.append((f"{where}: {what}", shown, f"≤ {TARGET} ms"))
    return rows


def _fill(archive: Archive, audit: Audit, count: int) -> None:
    """Save many audits in one transaction."""
    rows = AuditRows(archive.database)
    figures = packed(audit)
    with archive.database.writing() as connection:
        for number in range(count):
            word = _WORDS[number % len(_WORDS)]
            tags = (word, f"week {number % 52}")
            named = audit.named(f"audit {number} {word}", f"a note on audit {number}", tags)
            rows.insert(connection, named, figures)
