"""A new database: whole or not there, made by one program, on any file system."""

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from helpers.servers import ROOT

from workbench.audits.storing.database import FILE, AuditsDatabase
from workbench.storing import database_file
from workbench.storing.database_file import UNFINISHED, is_database, make_file, tidy_beside


def build(path):
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("CREATE TABLE one (x)")
        base.commit()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["links", "no links"])
def file_system(request, monkeypatch):
    """File systems with and without hard links."""

    def refuse(source, target):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if request.param == "no links":
        monkeypatch.setattr(database_file.os, "link", refuse)


def test_the_file_has_its_tables_as_soon_as_it_is_there(file_system, tmp_path):
    path = tmp_path / "deep" / "folder" / "x.sqlite"
    seen = []

    def look(unfinished):
        seen.append(path.exists())
        build(unfinished)

    make_file(path, look)
    make_file(path, look)  # a second time: nothing
    assert seen == [False]
    assert names(path.parent) == ["x.sqlite"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_nlink == 1
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert is_database(path)


def test_of_programs_that_make_a_file_at_once_one_wins_and_nothing_is_overwritten(
    file_system, tmp_path
):
    path, meet, wrong = tmp_path / "x.sqlite", threading.Barrier(4), []

    def make(number):
        def numbered(unfinished):
            meet.wait(30)
            with closing(sqlite3.connect(unfinished)) as base:
                base.execute(f"CREATE TABLE made_by_{number} (x)")

        try:
            make_file(path, numbered)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (wrong, names(tmp_path)) == ([], ["x.sqlite"])
    with closing(sqlite3.connect(path)) as base:
        assert len(base.execute("SELECT name FROM sqlite_master").fetchall()) == 1


def test_a_file_that_cannot_be_finished_leaves_nothing(file_system, tmp_path):
    def fail(unfinished):
        build(unfinished)
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        make_file(tmp_path / "x.sqlite", fail)
    assert names(tmp_path) == []


def test_the_target_of_a_link_is_made(file_system, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x.sqlite").symlink_to(tmp_path / "elsewhere" / "y.sqlite")
    make_file(tmp_path / "x.sqlite", build)
    assert names(tmp_path / "elsewhere") == ["y.sqlite"]
    assert (tmp_path / "x.sqlite").is_symlink()


KILLED = """
import os, sys
from pathlib import Path
from workbench.storing import database_file
from workbench.audits.storing.database import AuditsDatabase
moment = sys.argv[2]
real = getattr(os, moment)
def kill(*given, **named):
    if moment == "unlink":
        os.kill(os.getpid(), 9)
    made = real(*given, **named)
    os.kill(os.getpid(), 9)
setattr(os, moment, kill)
AuditsDatabase.in_folder(Path(sys.argv[1])).writing().__enter__()
"""


@pytest.mark.parametrize("moment", ["close", "link", "unlink"])
def test_what_a_killed_program_left_is_deleted_by_the_next_one(tmp_path, moment):
    found = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), moment],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )
    assert found.returncode == -9, found.stderr
    assert any(UNFINISHED in name for name in names(tmp_path))
    database = AuditsDatabase.in_folder(tmp_path)
    with database.writing() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM audits").scalar() == 0
    database.close()
    assert names(tmp_path) == [FILE]


def test_only_what_belongs_to_the_database_is_tidied_once_it_is_there(tmp_path):
    kept = ["y.sqlite.unfinished-1", "x.sqlite.before-2.sqlite", "unfinished-3"]
    for name in [*kept, "x.sqlite.unfinished-4", "x.sqlite.unfinished-4-journal"]:
        (tmp_path / name).touch()
    tidy_beside(tmp_path / "x.sqlite")
    assert len(names(tmp_path)) == 5
    build(tmp_path / "x.sqlite")
    tidy_beside(tmp_path / "x.sqlite")
    assert names(tmp_path) == sorted([*kept, "x.sqlite"])


@pytest.mark.parametrize("content", [b"", b"\0", b"x", b"x" * 50, b"x" * 5000, b"\0" * 4096])
def test_what_is_no_database_is_none(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    assert not is_database(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == content


def test_a_database_that_is_cut_is_one(tmp_path):
    build(tmp_path / "x")
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:5000])
    assert is_database(tmp_path / "x")
