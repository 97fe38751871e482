"""Backup and restore: whole, of one moment, and refused before anything is changed."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from helpers.servers import ROOT

import workbench as wb
from workbench.audits.storing.database import AuditsDatabase
from workbench.audits.storing.schema import AUDITS_SCHEMA, REVISION
from workbench.cli import main
from workbench.server.operations import backup as writing
from workbench.server.operations.backup import back_up
from workbench.server.operations.manifest import NAME, BackupError, Manifest, check
from workbench.server.operations.restore import restore
from workbench.storing.schema import DatabaseSchema
from workbench.workspaces.home import kept_secret, owner_key, workspace


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder but those that SQLite makes, with their contents."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


@pytest.fixture
def home(tmp_path):
    """A folder with data sets, states of pages, an audit, keys, and a person's own folder."""
    home = tmp_path / "home"
    own = workspace(home)
    own.add_scores(wb.Scores([0.1, 0.4, 0.2], [0.9, 0.3, 1.2]), "losses")
    own.page_states.keep("scores", {"threshold": 0.25}, "x")
    own.audits.search()  # makes the database
    owner_key(home)
    kept_secret(home / "server" / "secret")
    other = workspace(home / "server" / "people" / ("p" * 43))
    other.add_scores(wb.Scores([1.1, 1.4], [1.9, 1.3]), "theirs")
    (home / "server" / "uploads").mkdir()
    (home / "server" / "uploads" / "half").write_bytes(b"on its way")
    yield home
    own.close()
    other.close()


def scores_of(folder, name):
    opened = workspace(folder)
    try:
        return sorted(opened.scores(name).p)
    finally:
        opened.close()


def test_what_was_backed_up_is_there_again(home, tmp_path):
    manifest = back_up(home, tmp_path / "b.tar")
    assert stat.S_IMODE((tmp_path / "b.tar").stat().st_mode) == 0o600
    assert check(tmp_path / "b.tar") == manifest
    assert [path.name for path in tmp_path.iterdir() if path != home] == ["b.tar"]
    found, before = restore(tmp_path / "b.tar", tmp_path / "new")
    assert (found, before) == (manifest, None)
    new = tmp_path / "new"
    assert stat.S_IMODE(new.stat().st_mode) == 0o700
    for path in new.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert (new / "key").read_bytes() == (home / "key").read_bytes()
    assert (new / "server" / "secret").read_bytes() == (home / "server" / "secret").read_bytes()
    assert not (new / "server" / "uploads").exists()
    assert scores_of(new, "losses") == [0.1, 0.2, 0.4]
    assert scores_of(new / "server" / "people" / ("p" * 43), "theirs") == [1.1, 1.4]
    opened = workspace(new)
    assert opened.page_states.get("scores", "x") == {"threshold": 0.25}
    opened.close()


def test_a_backup_is_of_one_moment_while_data_sets_are_added(home, tmp_path):
    own, stop, added = workspace(home), threading.Event(), []

    def add():
        while not stop.is_set():
            number = len(added)
            own.add_scores(wb.Scores([0.5, number + 1.0], [0.1, 0.2]), f"set {number}")
            added.append(number)

    adding = threading.Thread(target=add)
    adding.start()
    try:
        for number in range(3):
            back_up(home, tmp_path / f"{number}.tar")
    finally:
        stop.set()
        adding.join()
    for number in range(3):
        folder = tmp_path / f"restored-{number}"
        restore(tmp_path / f"{number}.tar", folder)
        opened = workspace(folder)
        for one in opened.datasets:  # every table that a row names is there, and whole
            assert opened.scores(one.key).n_p > 0
        opened.close()
    assert len(added) > 0


def test_a_folder_that_is_not_empty_is_kept_unless_asked_and_then_moved_aside(home, tmp_path):
    back_up(home, tmp_path / "b.tar")
    there = tmp_path / "there"
    there.mkdir()
    (there / "mine").write_text("mine")
    with pytest.raises(BackupError, match=r"is not empty, and nothing was changed.*--replace"):
        restore(tmp_path / "b.tar", there)
    assert files(there) == {"mine": b"mine"}
    _, before = restore(tmp_path / "b.tar", there, replace=True)
    assert files(before) == {"mine": b"mine"}
    assert scores_of(there, "losses") == [0.1, 0.2, 0.4]
    (tmp_path / "empty").mkdir()
    assert restore(tmp_path / "b.tar", tmp_path / "empty")[1] is None


def refused(path, tmp_path, words):
    """A backup that is refused while the folder stays as it is."""
    home = tmp_path / "kept"
    home.mkdir(exist_ok=True)
    (home / "mine").write_text("mine")
    names = sorted(os.listdir(tmp_path))
    with pytest.raises(BackupError, match=words):
        restore(path, home, replace=True)
    assert files(home) == {"mine": b"mine"}
    assert sorted(os.listdir(tmp_path)) == names


def test_a_damaged_backup_is_refused_wherever_it_is_damaged(home, tmp_path):
    back_up(home, tmp_path / "b.tar")
    whole = (tmp_path / "b.tar").read_bytes()
    with tarfile.open(tmp_path / "b.tar") as archive:
        places = [(one.name, one.offset_data, one.size) for one in archive if one.size]
    bad = tmp_path / "bad.tar"
    for name, at, size in places:
        changed = bytearray(whole)
        changed[at + size // 2] ^= 1
        bad.write_bytes(changed)
        if name == NAME:
            with pytest.raises(BackupError):
                check(bad)
        else:
            with pytest.raises(BackupError, match="is damaged"):
                check(bad)
            refused(bad, tmp_path, "is damaged")
    for length in (0, 100, len(whole) // 2, len(whole) - 12000):
        bad.write_bytes(whole[:length])
        refused(bad, tmp_path, "backup")


def archive_of(path, members, manifest=None):
    """A tar of these members, with the manifest of a backup that has them."""
    if manifest is None:
        listed = {
            (one if isinstance(one, str) else one.name): {
                "size": len(content),
                "sha256": sha256(content).hexdigest(),
            }
            for one, content in members
        }
        manifest = {"program": "dp-audit-workbench", "format": 1, "version": "1", "made": "now",
                    "missing": [], "members": listed}  # fmt: skip
    with tarfile.open(path, "w") as archive:
        for one, content in [*members, (NAME, json.dumps(manifest).encode())]:
            info = tarfile.TarInfo(one) if isinstance(one, str) else one
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


@pytest.mark.parametrize(
    "name",
    ["../outside", "/etc/outside", "a/../../outside", "a//b", "./a", "a\\b", "c:a", "a\nb"],
)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path, name):
    archive_of(tmp_path / "evil.tar", [(name, b"evil")])
    refused(tmp_path / "evil.tar", tmp_path, "cannot be in a folder of ours|files that its")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_what_is_no_plain_file_is_refused(tmp_path, kind):
    info = tarfile.TarInfo("tables")
    info.type, info.linkname = kind, "/etc"
    archive_of(tmp_path / "evil.tar", [(info, b"")])
    refused(tmp_path / "evil.tar", tmp_path, "no plain file")


def test_a_file_twice_or_one_that_is_not_listed_is_refused(tmp_path):
    archive_of(tmp_path / "twice.tar", [("a", b"1"), ("a", b"1")])
    refused(tmp_path / "twice.tar", tmp_path, "a file twice")
    listed = json.loads(Manifest("now").to_json())
    archive_of(tmp_path / "more.tar", [("a", b"1")], listed)
    refused(tmp_path / "more.tar", tmp_path, "does not have the files")
    archive_of(tmp_path / "under.tar", [("a", b"1"), ("a/b", b"1")])
    refused(tmp_path / "under.tar", tmp_path, "damaged")


def test_a_newer_backup_is_refused(tmp_path):
    newer = {**json.loads(Manifest("now").to_json()), "format": 2, "version": "99"}
    archive_of(tmp_path / "newer.tar", [], newer)
    refused(tmp_path / "newer.tar", tmp_path, "version 99 of the workbench, which is newer")


@pytest.mark.parametrize("statement", ["PRAGMA user_version=99", "audits"])
def test_a_database_of_a_newer_version_is_refused(home, tmp_path, statement):
    name = "workspace.sqlite" if statement.startswith("PRAGMA") else "audits.sqlite"
    change = statement if name[0] == "w" else "UPDATE workbench_version SET version_num='99'"
    copy = sqlite3.connect(home / name)
    with copy:
        copy.execute(change)
    copy.close()
    back_up(home, tmp_path / "b.tar")
    refused(tmp_path / "b.tar", tmp_path, "is of a newer version of the workbench .format 99")


def test_what_is_no_backup_is_refused(tmp_path):
    for name, content in (("text", b"hello" * 1000), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, tmp_path, "no backup of the workbench")
    with tarfile.open(tmp_path / "other.tar", "w"):
        pass
    refused(tmp_path / "other.tar", tmp_path, "no backup of the workbench")


def test_where_a_backup_goes_is_free_and_elsewhere(home, tmp_path):
    (tmp_path / "there").write_text("mine")
    with pytest.raises(BackupError, match="is there already"):
        back_up(home, tmp_path / "there")
    with pytest.raises(BackupError, match="must be outside"):
        back_up(home, home / "b.tar")
    with pytest.raises(BackupError, match="nothing to back up"):
        back_up(tmp_path / "nowhere", tmp_path / "b.tar")
    assert (tmp_path / "there").read_text() == "mine"


def test_nothing_is_left_of_a_backup_that_fails(home, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_copy_database", full)
    with pytest.raises(OSError, match="No space left"):
        back_up(home, tmp_path / "b.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_the_commands_say_what_they_did(home, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    monkeypatch.setenv("WORKBENCH_DATABASE", "postgresql://me:canary@db/audits")
    assert main(["backup", str(tmp_path / "b.tar")]) == 0
    said = capsys.readouterr().out
    assert "written, read again and found whole" in said
    assert "NOT in the backup: audits in the PostgreSQL database 'audits' on db" in said
    assert "canary" not in said
    assert main(["restore", str(tmp_path / "b.tar"), "--verify"]) == 0
    assert "whole;" in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "b.tar")]) == 2
    assert "is not empty, and nothing was changed" in capsys.readouterr().err
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "new"))
    assert main(["restore", str(tmp_path / "b.tar")]) == 0
    assert "files restored" in capsys.readouterr().out


def test_other_commands_start_without_the_server():
    code = "import sys; from workbench.cli.serving import backup; print('panel' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "False\n"


def test_a_database_of_audits_in_the_folder_is_in_the_backup_under_any_name(
    home, tmp_path, monkeypatch, capsys
):
    address = f"sqlite:///{home}/mine.db"
    database = AuditsDatabase.at(address)
    with database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO series VALUES ('mine', 0.95, 'then')")
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    monkeypatch.setenv("WORKBENCH_DATABASE", address)
    assert main(["backup", str(tmp_path / "b.tar")]) == 0
    assert "NOT in the backup" not in capsys.readouterr().out
    database.close()
    restore(tmp_path / "b.tar", tmp_path / "new")
    again = AuditsDatabase.at(f"sqlite:///{tmp_path}/new/mine.db")
    with again.reading() as connection:
        assert connection.exec_driver_sql("SELECT name FROM series").scalar() == "mine"
    again.close()


# -- upgrades --------------------------------------------------------------------------------------

#: The version after the present one.
NEXT = str(int(REVISION) + 1)


def test_an_older_database_is_copied_before_it_is_changed(tmp_path, monkeypatch):
    older = AuditsDatabase.in_folder(tmp_path)
    with older.writing() as connection:
        connection.exec_driver_sql("INSERT INTO series VALUES ('of old', 0.95, 'then')")
    older.close()
    assert [path.name for path in tmp_path.glob("*before*")] == []

    def step(schema, connection):
        connection.exec_driver_sql("CREATE TABLE added (x TEXT)")
        connection.exec_driver_sql(f"UPDATE workbench_version SET version_num='{NEXT}'")

    monkeypatch.setattr(DatabaseSchema, "_migrate", step)
    newer = AuditsDatabase(older._kind, replace(AUDITS_SCHEMA, revision=NEXT))
    with newer.reading() as connection:
        connection.exec_driver_sql("SELECT x FROM added")
    newer.close()
    copy = tmp_path / f"audits.sqlite.before-{NEXT}.sqlite"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    # The way back: the copy takes the place of the database.
    for name in ("audits.sqlite", "audits.sqlite-wal", "audits.sqlite-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    copy.rename(tmp_path / "audits.sqlite")
    back = AuditsDatabase.in_folder(tmp_path)
    with back.reading() as connection:
        assert connection.exec_driver_sql("SELECT name FROM series").scalar() == "of old"
    back.close()


def test_a_migration_that_fails_leaves_the_database_and_one_copy(tmp_path, monkeypatch):
    older = AuditsDatabase.in_folder(tmp_path)
    with older.reading():
        pass
    older.close()

    def step(schema, connection):
        connection.exec_driver_sql("CREATE TABLE added (x TEXT)")
        raise ValueError("it failed")

    monkeypatch.setattr(DatabaseSchema, "_migrate", step)
    for _ in range(2):
        newer = AuditsDatabase(older._kind, replace(AUDITS_SCHEMA, revision=NEXT))
        with pytest.raises(ValueError, match="it failed"), newer.reading():
            pass
    assert [path.name for path in tmp_path.glob("*before*")] == [
        f"audits.sqlite.before-{NEXT}.sqlite"
    ]
    with sqlite3.connect(tmp_path / "audits.sqlite") as found:
        assert found.execute("SELECT version_num FROM workbench_version").fetchone() == (REVISION,)
        added = found.execute("SELECT count(*) FROM sqlite_master WHERE name='added'")
        assert added.fetchone() == (0,)
    found.close()


KILLED = """
import os, sys
from pathlib import Path
from workbench.server.operations import {module}
def kill(*given, **named):
    os.kill(os.getpid(), 9)
{module}.{step} = kill
{module}.{call}(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("module", "step", "call"),
    [
        ("backup", "_copy_database", "back_up"),
        ("backup", "check", "back_up"),
        ("restore", "require_known", "restore"),
        ("restore", "_put_in_place", "restore"),
    ],
)
def test_what_was_left_by_one_that_was_killed_is_deleted_by_the_next(
    home, tmp_path, module, step, call
):
    backup, new = tmp_path / "out" / "b.tar", tmp_path / "out" / "new"
    backup.parent.mkdir()
    if call == "restore":
        back_up(home, backup)
    given = (home, backup) if call == "back_up" else (backup, new)
    code = KILLED.format(module=module, step=step, call=call)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, given)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == -9
    assert any(
        re.search(r"unfinished|workbench-backup|restored", one) for one in os.listdir(backup.parent)
    )
    if call == "back_up":
        back_up(home, backup)
    restore(backup, new)
    assert sorted(os.listdir(backup.parent)) == ["b.tar", "new"]
    assert scores_of(new, "losses") == [0.1, 0.2, 0.4]


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, None], ids=["empty", "other", "pages"])
def test_a_database_that_no_restore_would_take_is_named_at_once(home, tmp_path, content):
    path = home / "server" / "people" / "audits.sqlite"
    if content is None:
        with sqlite3.connect(path) as base:
            base.execute("CREATE TABLE one (x)")
            base.executemany("INSERT INTO one VALUES (?)", [("x" * 500,)] * 50)
        base.close()
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(BackupError, match=r"audits\.sqlite is damaged .*Nothing was written"):
        back_up(home, tmp_path / "b.tar")
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["home"]
