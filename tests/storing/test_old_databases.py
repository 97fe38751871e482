"""Databases that former programs wrote: every row comes along, and a way back is kept."""

import sqlite3
import threading
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from helpers.old_databases import write_database

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.schema import AUDITS_SCHEMA
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SERVER_SCHEMA
from workbench.storing import sqlite
from workbench.storing.schema import DatabaseSchema
from workbench.workspaces.home import workspace
from workbench.workspaces.storing.database import WorkspaceDatabase
from workbench.workspaces.storing.disk import DiskStore
from workbench.workspaces.storing.schema import WORKSPACE_SCHEMA

#: The file, how it is opened, and its schema.
KINDS = {
    "audits": ("audits.sqlite", AuditsDatabase.in_folder, AUDITS_SCHEMA),
    "server": ("server.sqlite", ServerDatabase, SERVER_SCHEMA),
    "workspace": (
        "workspace.sqlite",
        lambda folder: WorkspaceDatabase(folder, "", 10.0),
        WORKSPACE_SCHEMA,
    ),
}
OLD = ["audits-1", "audits-2", "server-1", "server-3", "workspace-1", "workspace-2"]


def rows_of(path):
    """All rows by table, each a dict by column, without Alembic's table and SQLite's own."""
    with closing(sqlite3.connect(path)) as base:
        base.row_factory = sqlite3.Row
        names = [
            row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        kept = [name for name in names if not name.startswith(("sqlite_", "workbench_"))]
        return {
            name: [dict(row) for row in base.execute(f"SELECT * FROM {name} ORDER BY 1")]
            for name in kept
        }


def one(base, statement):
    return base.execute(statement).fetchone()[0]


@pytest.mark.parametrize("name", OLD)
def test_every_row_comes_along_and_a_copy_is_kept(tmp_path, name):
    kind, version = name.split("-")
    file, opened, schema = KINDS[kind]
    path = tmp_path / file
    write_database(name, path)
    before = rows_of(path)
    assert sum(map(len, before.values())) > 3
    database = opened(tmp_path)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, schema.metadata)
    assert [one for one in found if "workbench_version" not in str(one)] == []
    assert database.version == schema.revision
    database.close()
    after = rows_of(path)
    for table, rows in before.items():
        names = rows[0] if rows else ()
        assert [{key: row[key] for key in names} for row in after[table]] == rows, table
    copies = [one for one in tmp_path.iterdir() if ".before-" in one.name]
    if version == schema.revision:
        assert copies == []
    else:
        assert [one.name for one in copies] == [f"{file}.before-{schema.revision}.sqlite"]
        assert rows_of(copies[0]) == before
        assert copies[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", OLD)
def test_an_old_file_becomes_what_a_new_one_is(tmp_path, name):
    """The same tables, columns, indexes and triggers."""
    file, opened, schema = KINDS[name.split("-")[0]]
    write_database(name, tmp_path / "old" / file)
    made = {}
    for which in ("old", "new"):
        (tmp_path / which).mkdir(exist_ok=True)
        database = opened(tmp_path / which)
        with database.reading():
            pass
        database.close()
        with closing(sqlite3.connect(tmp_path / which / file)) as base:
            asked = (
                "SELECT name, tbl_name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
            )
            found = {row[:3]: row[3] if row[2] == "trigger" else "" for row in base.execute(asked)}
            columns = {
                table: sorted(row[1:4] for row in base.execute(f"PRAGMA table_info({table})"))
                for _, table, kind in found
                if kind == "table"
            }
            head = one(base, "PRAGMA user_version")
            made[which] = (
                found,
                columns,
                one(base, "SELECT version_num FROM workbench_version"),
                head,
            )
    assert made["old"] == made["new"]
    assert made["new"][2:] == (schema.revision, int(schema.revision) if schema.alone else 0)


def test_the_data_sets_of_an_old_workspace_open(tmp_path):
    write_database("workspace-1", tmp_path / "workspace.sqlite")
    own = workspace(tmp_path)
    assert own.problem == ""
    assert own.datasets.names == ["set 0 ä", "set 1 ä"]
    assert own.dataset(own.current).name == "set 1 ä"
    key = own.datasets["set 0 ä"].key
    assert own.page_states.get("scores", key) == {"threshold": 0.1 + 0.2, "note": "ü"}
    assert own.add_scores(wb.Scores([1, 2], [3, 4]), "more").name == "more"
    own.close()


@pytest.mark.parametrize("version", ["1", "2"])
def test_an_old_audit_opens_with_all_that_belongs_to_it(tmp_path, version):
    write_database(f"audits-{version}", tmp_path / "audits.sqlite")
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    assert [one.name for one in archive.search(versions=True)] == ["two", "one ü"]
    assert [one.name for one in archive.search(removed=True)] == ["gone"]
    assert archive["one ü"].page == "counts"
    assert [one.name for one in archive.attachments("one ü")] == ["ä.csv"]
    assert len(archive.versions("two")) == 2
    assert len(archive.plans) == 1
    assert len(archive.series("nightly").audits) == 1
    archive.save(archive["one ü"], "three")
    archive.close()


def test_an_old_file_that_cannot_be_written_is_read_or_refused_in_words(tmp_path, monkeypatch):
    write_database("workspace-1", tmp_path / "workspace.sqlite")
    write_database("audits-1", tmp_path / "audits.sqlite")
    monkeypatch.setattr(sqlite, "is_writable", lambda path: False)
    store = DiskStore(tmp_path)
    assert len(store.datasets.all()) == 3
    assert store.seen.get("0" * 64) is None
    assert list(store.seen.sketched()) == []
    assert "cannot be written" in str(store.read_only)
    store.close()
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    with pytest.raises(wb.ArchiveError, match="cannot be written"):
        archive.search()
    assert [one.name for one in tmp_path.iterdir() if ".before-" in one.name] == []


@pytest.mark.parametrize("name", ["audits-1", "server-1", "workspace-1"])
def test_a_migration_that_fails_changes_nothing(tmp_path, name, monkeypatch):
    file, opened, _ = KINDS[name.split("-")[0]]
    write_database(name, tmp_path / file)
    before = rows_of(tmp_path / file)

    def fail(schema, connection):
        connection.exec_driver_sql("CREATE TABLE half (x)")
        raise RuntimeError("in the middle")

    monkeypatch.setattr(DatabaseSchema, "_migrate", fail)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="in the middle"), opened(tmp_path).reading():
            pass
    assert rows_of(tmp_path / file) == before
    monkeypatch.undo()
    with opened(tmp_path).reading() as connection:
        assert not connection.exec_driver_sql("SELECT * FROM sqlite_master WHERE name='half'").all()


def test_threads_that_migrate_at_once_do_not_collide(tmp_path):
    """As when several people of a server come back at the same moment after an update."""
    homes = [(name, tmp_path / f"{name} {n}") for name in OLD for n in range(2)]
    for name, folder in homes:
        write_database(name, folder / KINDS[name.split("-")[0]][0])
    together, failed = threading.Barrier(len(homes) * 2), []

    def migrate(name, folder):
        together.wait(60)
        try:
            _, opened, schema = KINDS[name.split("-")[0]]
            database = opened(folder)
            with database.reading():
                assert database.version == schema.revision
            database.close()
        except Exception as error:
            failed.append((name, error))

    threads = [threading.Thread(target=migrate, args=home) for home in homes * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed
