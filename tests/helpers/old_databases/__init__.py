"""Databases of former versions, as SQL; `make` writes them with a former program.

``audits-1.postgresql.sql`` has the tables only, by ``pg_dump --schema-only`` of what 8b96c56 made.
"""

import sqlite3
from contextlib import closing
from pathlib import Path


def statements(name: str, rows: bool = True) -> str:
    """The SQL of a database, such as ``audits-1``; without ``rows``, only with its version."""
    text, found, one = (Path(__file__).parent / f"{name}.sql").read_text("utf-8"), [], ""
    for line in text.splitlines(keepends=True):
        one += line
        if sqlite3.complete_statement(one):
            if rows or not one.startswith("INSERT ") or "workbench_version" in one:
                found.append(one)
            one = ""
    return "".join([*found, one])


def write_database(name: str, path: Path, rows: bool = True) -> None:
    """Make the file of a database of SQLite as a former program left it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as base:
        base.executescript(statements(name, rows))
        base.execute("PRAGMA journal_mode=WAL")
