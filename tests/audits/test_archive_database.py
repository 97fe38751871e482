"""The database of audits: written once, durable, migrated, and clear about what is wrong."""

import errno
import multiprocessing
import os
import sqlite3
import struct
import threading
from contextlib import contextmanager

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from helpers.archives import FIXED, filled, refused
from helpers.killing import kill_while_saving
from sqlalchemy import inspect

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.storing.database import FILE, AuditsDatabase
from workbench.audits.storing.schema import METADATA, REVISION
from workbench.storing import sqlite
from workbench.storing.schema import DatabaseSchema

# -- written once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", FIXED)
def test_the_database_itself_refuses_changes(in_memory, page_audit, statement):
    refused(filled(in_memory, page_audit), statement)


def test_replacing_a_row_is_a_change_too(in_memory, page_audit):
    archive = filled(in_memory, page_audit)
    refused(archive, "INSERT OR REPLACE INTO cards SELECT audit, 'x' FROM cards")


def test_a_position_of_a_series_takes_one_audit_and_keeps_it(in_memory, page_audit):
    archive = filled(in_memory, page_audit)
    with archive.database.writing() as connection:
        connection.exec_driver_sql("UPDATE series_audits SET audit = 'a'")
    refused(archive, "UPDATE series_audits SET audit = 'b'")
    refused(archive, "UPDATE series_audits SET audit = NULL")


# -- killed in the middle --------------------------------------------------------------------------


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_the_program_was_killed(tmp_path, page_audit):
    url = f"sqlite:///{tmp_path / 'audits.sqlite'}"
    kills = kill_while_saving(url, page_audit, tmp_path, times=4, seed=0)
    assert kills.unfinished == 4  # each was killed before its last save
    assert kills.acknowledged > 20
    assert kills.found >= kills.acknowledged
    assert kills.found <= kills.acknowledged + 4  # saved, but not yet said
    assert kills.half_written == 0


def test_a_commit_waits_for_the_disk(tmp_path):
    database = AuditsDatabase.in_folder(tmp_path)
    with database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    database.close()


# -- versions --------------------------------------------------------------------------------------


def test_the_migrations_make_the_tables_that_the_program_uses(database):
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, METADATA)
    assert [one for one in found if "workbench_version" not in str(one)] == []


def test_a_database_of_a_newer_version_is_refused_and_not_touched(tmp_path, page_audit):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    archive.close()
    with sqlite3.connect(tmp_path / FILE) as newer:
        newer.execute("UPDATE workbench_version SET version_num = '999'")
    newer.close()
    before = (tmp_path / FILE).read_bytes()
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    said = r"made by a newer version of the workbench \(format 999; this one knows \d+\)\. It was"
    for ask in (archive.search, lambda: archive.save(page_audit)):
        with pytest.raises(wb.ArchiveError, match=said) as caught:
            ask()
        assert caught.value.lasting
    assert "newer version" in archive.problem
    archive.close()
    assert (tmp_path / FILE).read_bytes() == before


def test_a_program_of_an_older_version_stops_writing(tmp_path, page_audit):
    """Another program has brought the database to a newer version meanwhile."""
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    with sqlite3.connect(tmp_path / FILE) as newer:
        newer.execute("UPDATE workbench_version SET version_num = '999'")
    newer.close()
    with pytest.raises(wb.ArchiveError, match="newer version"):
        archive.save(page_audit, "two")
    assert len(archive) == 1


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path, monkeypatch, page_audit):
    def fail(schema, connection, words):
        connection.exec_driver_sql("CREATE TABLE audits (half INTEGER)")
        raise RuntimeError("in the middle of the migration")

    with monkeypatch.context() as patched:
        patched.setattr(DatabaseSchema, "_make", fail)
        with pytest.raises(RuntimeError, match="in the middle of the migration"):
            Archive(AuditsDatabase.in_folder(tmp_path)).search()
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    assert len(archive) == 1


def test_tables_of_another_program_are_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / FILE) as other:
        other.execute("CREATE TABLE audits (theirs TEXT)")
    other.close()
    before = (tmp_path / FILE).read_bytes()
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    with pytest.raises(wb.ArchiveError, match=r"a table 'audits' that is not of the workbench"):
        archive.search()
    archive.close()
    assert (tmp_path / FILE).read_bytes() == before


def opened_at_once(folder, barrier):
    archive = Archive(AuditsDatabase.in_folder(folder))
    barrier.wait(60)
    return len(archive)


@pytest.mark.slow
def test_programs_that_open_a_new_database_at_once_do_not_collide(tmp_path):
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(4) as pool:
        barrier = manager.Barrier(4)
        found = pool.starmap(opened_at_once, [(tmp_path, barrier)] * 4)
    assert found == [0] * 4
    with sqlite3.connect(tmp_path / FILE) as check:
        versions = check.execute("SELECT version_num FROM workbench_version").fetchall()
    check.close()
    assert versions == [(REVISION,)]


def test_threads_that_open_new_databases_at_once_do_not_collide(tmp_path):
    """As when several people of a server save their first audit at the same moment."""
    folders = [tmp_path / str(one) for one in range(8)] * 2  # two threads for each
    together, failed = threading.Barrier(len(folders)), []

    def open_database(folder):
        together.wait()
        try:
            with AuditsDatabase.in_folder(folder).reading() as connection:
                assert set(METADATA.tables) <= set(inspect(connection).get_table_names())
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=open_database, args=[folder]) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_threads_save_at_once(archive, page_audit):
    threads = [
        threading.Thread(target=archive.save, args=(page_audit, f"audit {n}")) for n in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert sorted(one.name for one in archive) == [f"audit {n}" for n in range(8)]


# -- what can be wrong -----------------------------------------------------------------------------


@contextmanager
def locked(path):
    """Another program that writes and does not finish."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_who_writes_too_long_is_named_and_readers_never_wait(tmp_path, page_audit, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.1)
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    with locked(tmp_path / FILE):
        with pytest.raises(wb.ArchiveError, match=r"another program is writing .* within 0\.1 sec"):
            archive.save(page_audit, "two")
        assert len(archive) == 1
        assert archive["one"].name == "one"
    archive.save(page_audit, "two")
    assert len(archive) == 2


@pytest.mark.parametrize(
    "content", [b"", b"not a database", b"x" * 5000, b"SQLite format 3\0" + b"y"]
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path, content, page_audit):
    (tmp_path / FILE).write_bytes(content)
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    for ask in (archive.search, lambda: archive.save(page_audit)):
        with pytest.raises(wb.ArchiveError, match=r"audits\.sqlite is damaged .* left as it is"):
            ask()
    assert "is damaged" in archive.problem
    assert (tmp_path / FILE).read_bytes() == content


def test_a_database_with_damaged_pages_says_so(tmp_path, page_audit):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    for number in range(30):
        archive.save(page_audit, f"audit {number}")
    archive.close()
    content = bytearray((tmp_path / FILE).read_bytes())
    size = struct.unpack(">H", content[16:18])[0]
    for page in range(2, len(content) // size):
        content[page * size : page * size + 100] = os.urandom(100)
    (tmp_path / FILE).write_bytes(content)
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    with pytest.raises(wb.ArchiveError, match="is damaged"):
        [archive[one.key] for one in archive.search()]


def test_a_damaged_database_that_is_put_back_works_again(tmp_path, page_audit):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    archive.close()
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(b"broken" * 100)
    assert "is damaged" in archive.problem
    assert "is damaged" in repr(archive)
    assert "is damaged" in archive._repr_html_()
    (tmp_path / FILE).write_bytes(whole)
    assert archive.problem == ""
    assert len(archive) == 1


def no_rights(monkeypatch, code):
    real = os.open

    def refuse(path, flags, *rest, **named):
        if FILE in str(path) and flags & os.O_RDWR:
            raise OSError(code, os.strerror(code), str(path))
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_cannot_be_written_can_be_read(tmp_path, page_audit, monkeypatch, code):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    archive.close()
    no_rights(monkeypatch, code)
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    assert archive["one"].name == "one"
    with pytest.raises(wb.ArchiveError, match="cannot be written; what is in it can be read"):
        archive.save(page_audit, "two")
    assert len(archive) == 1
    archive.close()


def test_a_folder_where_nothing_can_be_made_is_named(tmp_path, monkeypatch):
    no_rights(monkeypatch, errno.EACCES)
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    with pytest.raises(wb.ArchiveError, match=r"audits\.sqlite cannot be written or made"):
        archive.search()


def test_a_path_through_a_file_is_named(tmp_path):
    (tmp_path / "file").touch()
    archive = Archive(AuditsDatabase.in_folder(tmp_path / "file" / "home"))
    with pytest.raises(wb.ArchiveError, match=r"cannot be used: (Not a directory|File exists)"):
        archive.search()


def test_a_full_disk_keeps_what_was_there(tmp_path, page_audit):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    archive.save(page_audit, "one")
    big = Attachment.of("file", "big", os.urandom(1_000_000))
    with archive.database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    # SQLite reports a limit on pages as it does a full disk.
    from sqlalchemy import event

    def limit(connection, *_):
        connection.execute(f"PRAGMA max_page_count={pages}")

    with archive.database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "checkout", limit)
    with pytest.raises(wb.ArchiveError, match=r"the disk of .* is full\. Nothing was changed"):
        archive.save(page_audit, "two", attachments=[big])
    event.remove(engine, "checkout", limit)
    assert [one.name for one in archive] == ["one"]
    archive.close()
    archive.save(page_audit, "two", attachments=[big])
    assert len(archive) == 2


# -- addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "",
        "audits.sqlite",
        "mysql://user:hunter2@host/audits",
        "postgresql://user:hunter2@host:port/audits",
        "postgresql://user:hunter@2@host/audits",
        "http://user:hunter2@host",
        "://hunter2",
        "\0hunter2",
    ],
)
def test_what_is_no_address_is_refused_without_quoting_it(url):
    with pytest.raises(wb.ArchiveError, match=r"must be a URL|not supported|more than one @") as no:
        AuditsDatabase.at(url)
    assert "hunter" not in str(no.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_has_an_address(url):
    assert AuditsDatabase.at(url).where == "in the memory of this program"


def test_a_missing_driver_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    archive = Archive(AuditsDatabase.at("postgresql://user:hunter2@localhost/audits"))
    with pytest.raises(wb.ArchiveError, match=r"pip install 'dp-audit-workbench\[postgresql\]'"):
        archive.search()
