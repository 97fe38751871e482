"""The database of the server: its tables, its rights, and what is left alone."""

import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

import workbench as wb
from workbench.server.storing.database import FILE, ServerDatabase
from workbench.server.storing.schema import METADATA, PEOPLE, SIGN_INS

ANNA = {"key": "a", "name": "Anna", "folded": "anna", "role": "editor", "created": 1.0}


def rows(database, table):
    with database.reading() as connection:
        return connection.execute(select(table)).all()


@pytest.mark.parametrize("on_disk", [True, False])
def test_the_migrations_make_the_tables_that_the_server_uses(tmp_path, on_disk):
    database = ServerDatabase(tmp_path / "server" if on_disk else None)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = compare_metadata(context, METADATA)
    database.close()
    assert [one for one in found if "workbench_version" not in str(one)] == []


def test_only_the_user_of_the_server_may_read_it(tmp_path):
    folder = tmp_path / "home" / "server"
    database = ServerDatabase(folder)
    with database.writing() as connection:
        connection.execute(insert(PEOPLE), [ANNA])
        for path in folder.iterdir():  # the WAL and its index too
            assert path.stat().st_mode & 0o777 == 0o600, path
        assert len(list(folder.iterdir())) > 1
    assert folder.stat().st_mode & 0o777 == 0o700
    database.close()


def test_two_programs_see_each_others_changes(tmp_path):
    server, command = ServerDatabase(tmp_path), ServerDatabase(tmp_path)
    assert rows(server, PEOPLE) == []
    with command.writing() as connection:
        connection.execute(insert(PEOPLE), [ANNA])
    assert [row.name for row in rows(server, PEOPLE)] == ["Anna"]
    server.close()
    command.close()


def test_sign_ins_go_with_their_person(tmp_path):
    database = ServerDatabase(tmp_path)
    with database.writing() as connection:
        connection.execute(insert(PEOPLE), [ANNA])
        one = {"id_hash": "x", "person": "a", "created": 1.0, "used": 1.0, "agent": ""}
        connection.execute(insert(SIGN_INS), [one])
    with database.writing() as connection:
        connection.execute(PEOPLE.delete())
    assert rows(database, SIGN_INS) == []
    database.close()


def test_two_people_cannot_have_one_name():
    database = ServerDatabase()
    with database.writing() as connection:
        connection.execute(insert(PEOPLE), [ANNA])
    with pytest.raises(wb.ArchiveError) as caught, database.writing() as connection:
        connection.execute(insert(PEOPLE), [{**ANNA, "key": "b"}])
    assert isinstance(caught.value.__cause__, IntegrityError)


def test_a_database_of_a_newer_server_is_refused(tmp_path):
    database = ServerDatabase(tmp_path)
    rows(database, PEOPLE)
    database.close()
    with sqlite3.connect(tmp_path / FILE) as newer:
        newer.execute("UPDATE workbench_version SET version_num = '999'")
    newer.close()
    with pytest.raises(wb.ArchiveError, match="newer version"):
        rows(ServerDatabase(tmp_path), PEOPLE)
