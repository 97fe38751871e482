"""The database of the server: its tables, its rights, and what is left alone."""

import sqlite3
import time
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from helpers.old_databases import write_database
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

import workbench as wb
from workbench.server.people.person import Person
from workbench.server.sharing.grants import Grants
from workbench.server.storing.database import FILE, ServerDatabase
from workbench.server.storing.schema import METADATA, PEOPLE, SHARES, SIGN_INS

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


# -- from version 1 --------------------------------------------------------------------------------

DAY = 24 * 3600.0


def share(id, to_kind, created, **more):
    """A row of version 1, with times in days from now."""
    known = {"owner": "ada", "kind": "data", "key": "a", "to_person": None, "token_hash": None}
    row = {"id": id, "to_kind": to_kind, "created": created, "expires": None, "revoked": None}
    row = {**known, **row, "opened": 0, **more}
    times = ("created", "expires", "revoked")
    return row | {one: time.time() + DAY * row[one] for one in times if row[one] is not None}


def link(id, created, expires, **more):
    return share(id, "link", created, expires=expires, token_hash=id, **more)


OLD = [
    share("before any link", "person", -20, to_person="1"),
    link("revoked", -10, 20, revoked=-2),
    share("accepted and revoked", "person", -9, to_person="2"),
    link("living", -8, 2),
    share("accepted both", "person", -7, to_person="3"),
    share("accepted the living", "person", -1, to_person="4"),
    share("everyone", "everyone", -1),
    share("left", "left", -1, to_person="5"),
    share("of another", "person", -1, to_person="2", owner="ben"),
    share("other data", "person", -1, to_person="2", key="b"),
    share("an audit", "person", -1, to_person="2", kind="audit"),
    share("over already", "person", -7, to_person="6", revoked=-6),
    link("deleted by now", -60, -50, key="c"),
    share("accepted long ago", "person", -59, to_person="2", key="c"),
]


def test_what_was_accepted_before_ends_with_the_link_that_can_be_found(tmp_path):
    write_database("server-1", tmp_path / FILE)
    columns = ", ".join(OLD[0])
    values = ", ".join(f":{one}" for one in OLD[0])
    with closing(sqlite3.connect(tmp_path / FILE)) as old, old:
        old.execute("DELETE FROM shares")
        old.executemany(f"INSERT INTO shares ({columns}) VALUES ({values})", OLD)
        old.execute("DELETE FROM shares WHERE id = 'deleted by now'")  # purged

    database = ServerDatabase(tmp_path)
    found = {row.id: row for row in rows(database, SHARES)}
    assert {id: row.link for id, row in found.items() if row.link} == {
        "accepted and revoked": "revoked",
        "accepted both": "living",
        "accepted the living": "living",
    }
    assert found["accepted and revoked"].revoked == found["revoked"].revoked
    assert found["accepted both"].expires == found["living"].expires
    grants = Grants(database)
    held = ["1", "2", "3", "4"]
    seen = {one: [(s.owner, s.id) for s in grants.given_to(Person(one))] for one in held}
    assert seen == {
        "1": [("ada", "before any link")],
        "2": [("ada", "accepted long ago"), ("ben", "of another"), ("ada", "other data"),
              ("ada", "an audit")],
        "3": [("ada", "accepted both")],
        "4": [("ada", "accepted the living")],
    }  # fmt: skip
    grants.revoke("ada", "living")
    assert [grants.given_to(Person(one)) for one in "34"] == [[], []]
    database.close()
    assert len(list(tmp_path.glob(f"{FILE}*"))) >= 2  # with a copy of version 1
