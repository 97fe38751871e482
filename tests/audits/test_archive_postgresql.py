"""The archive on a PostgreSQL server: killed programs, a server that goes away and comes back."""

import multiprocessing
import signal

import pytest
from helpers.archives import FIXED, ON_SERVER, filled, refused
from helpers.killing import kill_while_saving
from helpers.postgresql import PASSWORD

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.storing.database import AuditsDatabase

pytestmark = ON_SERVER


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_the_program_was_killed(
    server_url, tmp_path, page_audit
):
    kills = kill_while_saving(server_url, page_audit, tmp_path, times=3, seed=1)
    assert kills.unfinished == 3
    assert kills.acknowledged > 20
    assert kills.acknowledged <= kills.found <= kills.acknowledged + 3
    assert kills.half_written == 0


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_the_server_crashed(server, server_url, page_audit):
    archive = Archive(AuditsDatabase.at(server_url))
    keys = []
    for number in range(10):
        keys.append(archive.save(page_audit, f"audit {number}").key)
    server.stop(signal.SIGQUIT)  # without writing anything more
    server.start()
    assert [one.key for one in archive.search()] == keys[::-1]
    for key in keys:
        assert archive[key].key == key
    archive.close()


def test_the_database_itself_refuses_changes(server_url, page_audit):
    archive = filled(Archive(AuditsDatabase.at(server_url)), page_audit)
    for statement in FIXED:
        refused(archive, statement.replace("x'00'", "'\\x00'"))
    refused(archive, "TRUNCATE audits CASCADE")
    archive.close()


def test_a_server_that_goes_away_and_comes_back(server, server_url, page_audit):
    archive = Archive(AuditsDatabase.at(server_url))
    archive.save(page_audit, "before")
    server.stop()
    try:
        for ask in (archive.search, lambda: archive.save(page_audit, "meanwhile")):
            with pytest.raises(wb.ArchiveError, match=r"cannot be reached: .* unchanged\. Try a"):
                ask()
        assert "cannot be reached" in archive.problem
    finally:
        server.start()
    assert archive.problem == ""
    archive.save(page_audit, "after")
    assert [one.name for one in archive] == ["after", "before"]
    archive.close()


def test_a_connection_that_is_cut_in_the_middle_of_a_save(server, server_url, page_audit):
    archive = Archive(AuditsDatabase.at(server_url))
    archive.save(page_audit, "before")

    class Cut(Attachment):
        """Cuts all connections while it is written."""

        @property
        def kind(self):
            with server.admin() as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            return "file"

    attachment = object.__new__(Cut)
    for name, value in {"name": "a", "sha256": "0" * 64, "content": b"a", "data": ""}.items():
        object.__setattr__(attachment, name, value)
    with pytest.raises(wb.ArchiveError, match="cannot be reached"):
        archive.save(page_audit, "cut", attachments=[attachment])
    assert [one.name for one in archive] == ["before"]
    archive.save(page_audit, "after")
    assert [one.name for one in archive] == ["after", "before"]
    archive.close()


def test_no_password_is_ever_shown(server, server_url):
    from urllib.parse import quote

    secret = quote(PASSWORD, safe="")
    wrong = server.url(password="hunter2")
    for database in (AuditsDatabase.at(server_url), AuditsDatabase.at(wrong)):
        archive = Archive(database)
        told = [archive.where, repr(database), archive.problem]
        try:
            told.append(repr(archive))
        except wb.ArchiveError as error:
            told += [str(error), repr(error)]
        for text in told:
            assert PASSWORD not in text
            assert secret not in text
            assert "hunter2" not in text
        archive.close()
    assert "password authentication failed" in Archive(AuditsDatabase.at(wrong)).problem
    assert "Correct the user, the password or the name" in Archive(AuditsDatabase.at(wrong)).problem


def test_a_database_that_is_not_there_is_named(server):
    problem = Archive(AuditsDatabase.at(server.url("nothing"))).problem
    assert 'database "nothing" does not exist' in problem


def test_a_database_of_a_newer_version_is_refused(server_url, page_audit):
    archive = Archive(AuditsDatabase.at(server_url))
    archive.save(page_audit, "one")
    with archive.database.writing() as connection:
        connection.exec_driver_sql("UPDATE workbench_version SET version_num = '999'")
    with pytest.raises(wb.ArchiveError, match="newer version"):
        archive.save(page_audit, "two")
    with pytest.raises(wb.ArchiveError, match="newer version"):
        Archive(AuditsDatabase.at(server_url)).search()
    archive.close()


def opened_and_saved(url, barrier, audit):
    archive = Archive(AuditsDatabase.at(url))
    barrier.wait(60)
    return archive.save(audit).key


@pytest.mark.slow
def test_programs_that_open_a_new_database_at_once_do_not_collide(server_url, page_audit):
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(3) as pool:
        barrier = manager.Barrier(3)
        keys = pool.starmap(opened_and_saved, [(server_url, barrier, page_audit)] * 3)
    archive = Archive(AuditsDatabase.at(server_url))
    assert {one.key for one in archive} == set(keys)
    archive.close()


def test_other_ways_to_write_the_address(server_url, page_audit):
    for scheme in ("postgres", "postgresql+psycopg"):
        archive = Archive(AuditsDatabase.at(server_url.replace("postgresql", scheme, 1)))
        archive.save(page_audit)
        archive.close()
    assert len(Archive(AuditsDatabase.at(server_url))) == 2


def test_the_workspace_takes_the_address(server_url, tmp_path, page_audit):
    ws = wb.workspace(tmp_path, database=server_url)
    ws.audits.save(page_audit, "shared")
    assert ws.audits.where.startswith("in the PostgreSQL database 'postgres' on localhost:")
    ws.close()
    assert not (tmp_path / "audits.sqlite").exists()


def test_a_server_that_does_not_answer_is_given_up(monkeypatch):
    """A port that takes connections and says nothing."""
    import socket

    from workbench.storing import postgresql

    monkeypatch.setattr(postgresql, "PATIENCE", 2)
    with socket.socket() as silent:
        silent.bind(("localhost", 0))
        silent.listen()
        port = silent.getsockname()[1]
        archive = Archive(AuditsDatabase.at(f"postgresql://u:p@localhost:{port}/x"))
        assert "cannot be reached" in archive.problem
