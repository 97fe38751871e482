"""Audits, archives and a PostgreSQL server that the tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.archives import ON_SERVER
from helpers.postgresql import PostgreSQL, postgresql

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.audit import Audit
from workbench.audits.storing.database import AuditsDatabase
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.counts import CountsPage


@pytest.fixture(scope="session")
def page_audit() -> Audit:
    """An audit of counts, without a name."""
    return replace(audit_of(CountsPage()), live=None)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgreSQL]:
    """A PostgreSQL server."""
    with postgresql() as running:
        yield running


@pytest.fixture
def server_url(server: PostgreSQL) -> str:
    """URL of an empty database on the server."""
    return server.emptied()


@pytest.fixture(
    params=["memory", "file", pytest.param("postgresql", marks=ON_SERVER)], name="database"
)
def _database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AuditsDatabase]:
    """An empty database of each kind."""
    made: dict[str, Callable[[], AuditsDatabase]] = {
        "memory": AuditsDatabase.in_memory,
        "file": lambda: AuditsDatabase.in_folder(tmp_path / "home"),
        "postgresql": lambda: AuditsDatabase.at(request.getfixturevalue("server_url")),
    }
    database = made[request.param]()
    yield database
    database.close()


@pytest.fixture
def archive(database: AuditsDatabase) -> Archive:
    """An empty archive in each kind of database."""
    return Archive(database)


@pytest.fixture
def in_memory() -> Archive:
    """An empty archive in memory."""
    return wb.Workspace().audits
