"""A workspace on disk: found again, shared by programs, readable by its owner only."""

import json
import os
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from helpers.programs import program

import workbench as wb
from workbench.workspaces.home import home_folder, owner_key, workspace
from workbench.workspaces.reading import Reading
from workbench.workspaces.storing import disk
from workbench.workspaces.storing.disk import KEPT_REMOVED, DiskStore
from workbench.workspaces.storing.schema import REVISION

ROOT = Path(wb.__file__).parents[1]


def run(code, **environment):
    """A program of its own, and what it prints."""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    return found.stdout.strip()


def content(folder):
    return sorted(
        path.name for path in folder.rglob("*") if path.parent.name in ("tables", "files")
    )


def test_everything_is_found_again(opened, losses):
    ws = opened()
    dataset = ws.add([losses], Reading(larger_is_member=False), files=["losses.csv"])
    marked = ws.kept.reread(dataset.key, replace(dataset.reading, larger_is_member=True), seen=True)
    given = ws.add_scores(wb.example("messy"), "mine")
    gone = ws.add_scores(wb.Scores([1, 2], [3, 4]), "gone")
    ws.kept.remove(gone.key)
    ws.active.choose(given.key)
    ws.page_states.keep("scores", {"threshold": 0.1 + 0.2}, dataset.key)
    ws.page_states.keep(
        "onerun", {"upload": digest} if (digest := ws.files.keep("a", b"x")) else {}
    )
    before = ws.kept.snapshot()
    ws = opened()
    assert ws.kept.snapshot() == before
    assert list(ws.datasets) == [marked, given]
    assert ws.current == given.key
    assert ws.page_states.get("scores", dataset.key) == {"threshold": 0.30000000000000004}
    assert ws.file(digest) == b"x"
    assert ws.scores(dataset.key).p.tolist() == [0.1, 0.3, 0.2]
    assert ws.tables(dataset.key)[0].place(1) == losses.place(1)
    messy, again = wb.example("messy"), ws.scores(given.key)
    assert again.p.tobytes() == messy.p.tobytes()
    assert repr(again) == repr(messy)
    assert ws.kept.restore(gone.key).name == "gone"


def test_the_same_folder_is_the_same_object(tmp_path):
    one = workspace(tmp_path / "a")
    assert workspace(str(tmp_path / "a" / ".." / "a")) is one
    assert workspace(tmp_path / "b") is not one
    one.close()
    assert workspace(tmp_path / "a") is not one


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "named"))
    assert home_folder() == tmp_path / "named"
    assert home_folder("~/x") == Path.home() / "x"
    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert home_folder() == tmp_path / "data" / "dp-audit-workbench"


def test_only_the_owner_can_read(opened, losses, tmp_path):
    old = os.umask(0)
    try:
        ws = opened()
        ws.add([losses])
        ws.files.keep("a", b"x")
        owner_key(tmp_path / "home")
    finally:
        os.umask(old)
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").rglob("*")}
    assert len(found) >= 6
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    for path, mode in found.items():
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_the_secret_of_the_owner_is_made_once(tmp_path):
    folder = tmp_path / "home"
    key = owner_key(folder)
    assert len(key) == 43
    assert owner_key(folder) == key
    assert (
        run(f"from workbench.workspaces.home import *; print(owner_key(Path({str(folder)!r})))")
        == key
    )
    assert owner_key(tmp_path / "other") != key
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(owner_key(tmp_path / "new"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
    for damaged in (b"", b"abc", b"\xff" * 43):
        (folder / "key").write_bytes(damaged)
        key = owner_key(folder)
        assert len(key) == 43
        assert owner_key(folder) == key


def test_the_same_content_is_stored_once(opened, losses, tmp_path):
    ws = opened()
    first = ws.add([losses])
    second = ws.add([losses], Reading(larger_is_member=False))
    assert len(content(tmp_path)) == 1
    ws.kept.remove(first.key)
    ws.kept.purge()
    assert ws.scores(second.key).n_p == 3
    assert len(content(tmp_path)) == 1
    ws.kept.remove(second.key)
    assert len(content(tmp_path)) == 1
    ws.kept.rename(second.key, "a telling name")
    ws.kept.purge()
    assert content(tmp_path) == []
    ws.close()
    left = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert [path.name for path in left] == ["workspace.sqlite"]
    assert b"telling" not in left[0].read_bytes()


def test_what_was_removed_long_ago_is_deleted(opened, losses, tmp_path):
    ws = opened()
    old, recent = ws.add([losses]), ws.add([losses], Reading(larger_is_member=False))
    for one, age in ((old, 1.1), (recent, 0.9)):
        entry = ws.kept.snapshot().entries[one.key]
        removed = datetime.now(UTC) - age * KEPT_REMOVED
        ws.storage.store.datasets.update(replace(entry, removed=removed))
    left = ("unfinished-1", "a" * 64 + ".parquet")
    long_ago = (datetime.now(UTC) - timedelta(days=2)).timestamp()
    for folder in ("tables", "files"):
        (tmp_path / "home" / folder).mkdir(exist_ok=True)
        for name in (*left, "unfinished-2"):
            (tmp_path / "home" / folder / name).write_bytes(b"half")
        for name in left:
            os.utime(tmp_path / "home" / folder / name, (long_ago, long_ago))
    kept = ws.files.keep("a", b"x")
    os.utime(tmp_path / "home" / "files" / kept, (long_ago, long_ago))
    ws = opened()
    assert list(ws.kept.snapshot().entries) == [recent.key]
    assert ws.file(kept) == b"x"
    found = content(tmp_path)
    assert [name for name in found if name.startswith("unf")] == []  # nobody writes them
    assert not [name for name in found if name.startswith("a" * 64)]
    assert ws.kept.restore(recent.key) == ws.dataset(recent.key)
    assert ws.scores(recent.key).n_p == 3


# -- several programs ------------------------------------------------------------------------------

ADD = """
import workbench as wb
from workbench.workspaces.storing import disk
disk.PATIENCE = 120.0
ws = wb.workspace()
for k in range(20):
    ws.add_scores(wb.Scores([1.0, 2.0], [0.0, {number} + k / 100]), "{number}-" + str(k))
    ws.page_states.keep("scores", {{"k": k}}, "example:gaussian")
assert ws.problem == "", ws.problem
"""


@pytest.mark.slow
def test_programs_see_what_others_changed(opened, losses, tmp_path):
    ws, heard = opened(), []
    ws.changes.watch(lambda workspace: heard.append(workspace.datasets.names))
    mine = ws.add([losses])
    assert not ws.changes.refresh()
    code = (
        "import workbench as wb; ws = wb.workspace(); ws.kept.rename('losses', 'renamed')\n"
        "key = ws.add_scores(wb.Scores([1, 2], [3, 4]), 'theirs').key\n"
        "ws.active.choose(key); print(key)"
    )
    key = run(code, WORKBENCH_HOME=str(tmp_path / "home"))
    assert ws.datasets.names == ["renamed", "theirs"]
    assert ws.current == key
    assert ws.scores("theirs").n_p == 2
    assert len(heard) == 1
    assert ws.changes.refresh()
    assert heard[1:] == [["renamed", "theirs"]]
    run(
        "import workbench as wb; wb.workspace().page_states.keep('scores', {'x': 1})",
        WORKBENCH_HOME=str(tmp_path / "home"),
    )
    assert not ws.changes.refresh()
    assert ws.page_states.get("scores") == {"x": 1}
    assert ws.dataset(mine.key).name == "renamed"


@pytest.mark.slow
def test_undo_leaves_alone_what_another_program_added(opened, losses, tmp_path):
    ws = opened()
    before = ws.kept.snapshot()
    ws.add([losses])
    code = "import workbench as wb; wb.workspace().add_scores(wb.Scores([1, 2], [3, 4]), 'theirs')"
    run(code, WORKBENCH_HOME=str(tmp_path / "home"))
    ws.kept.revert(before)
    assert ws.datasets.names == ["theirs"]


@pytest.mark.slow
def test_programs_that_write_at_once_lose_nothing(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "PATIENCE", 120.0)  # the machine may be busy
    ws = opened()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(tmp_path / "home")}
    programs = [
        subprocess.Popen([sys.executable, "-c", ADD.format(number=number)], env=environment)
        for number in range(1, 4)
    ]
    for k in range(20):
        ws.add_scores(wb.Scores([1.0, 2.0], [0.0, 9 + k / 100]), f"own-{k}")
    assert [program.wait(120) for program in programs] == [0, 0, 0]
    assert ws.problem == ""
    assert len(ws.datasets) == 80
    assert {ws.scores(one.key).n_q for one in ws.datasets} == {2}


@pytest.mark.slow
def test_a_program_that_is_killed_while_it_writes_breaks_nothing(opened, tmp_path):
    opened()
    code = (
        "import os, workbench as wb\n"
        "from workbench.workspaces.storing import disk_datasets\n"
        "ws = wb.workspace(); ws.add_scores(wb.Scores([1, 2], [3, 4]), 'whole')\n"
        "disk_datasets.DiskDataSets._put = lambda *_: os._exit(9)\n"
        "ws.add_scores(wb.Scores([1, 2], [5, 6]), 'half')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(tmp_path / "home")}
    killed = subprocess.run([sys.executable, "-c", code], env=environment)
    assert killed.returncode == 9
    ws = opened()
    assert ws.problem == ""
    assert ws.datasets.names == ["whole"]
    assert ws.add_scores(wb.Scores([1, 2], [5, 6]), "half").name == "half"


@pytest.mark.slow
def test_a_file_that_a_killed_program_was_writing_is_gone_at_the_next_start(opened, tmp_path):
    opened().add_scores(wb.Scores([1, 2], [3, 4]), "whole")
    code = (
        "import os, sys, workbench as wb\n"
        "ws = wb.workspace(); ws.catalog.own\n"
        "os.fsync = lambda *_: (print('writing', flush=True), sys.stdin.read())\n"
        "ws.add_scores(wb.Scores([1, 2], [5, 6]), 'half')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with program(command, env=environment, **pipes) as half:
        assert half.stdout.readline() == b"writing\n"
        opened()  # another program that starts now leaves it alone
        assert len(unfinished(tmp_path)) == 1
        half.kill()
        half.wait()
    assert len(unfinished(tmp_path)) == 1
    assert opened().datasets.names == ["whole"]
    assert unfinished(tmp_path) == []


def unfinished(folder):
    return list(folder.rglob("unfinished-*"))


@pytest.mark.slow
def test_opening_a_workspace_imports_no_more_than_it_needs(tmp_path):
    code = (
        "import sys, workbench as wb; wb.workspace\n"
        "print([m for m in ('sqlalchemy', 'platformdirs', 'pyarrow') if m in sys.modules])\n"
        "wb.workspace()\n"
        "print([m for m in ('panel', 'param', 'plotly', 'pyarrow', 'sklearn') if m in sys.modules])"
    )
    assert run(code, WORKBENCH_HOME=str(tmp_path)).splitlines() == ["[]", "[]"]


def test_the_database_says_its_version(opened, losses, tmp_path):
    ws = opened()
    ws.add([losses])
    ws.storage.flush()
    head = (tmp_path / "home" / "workspace.sqlite").read_bytes()[:100]
    assert head[:16] == b"SQLite format 3\0"
    assert int.from_bytes(head[60:64], "big") == int(REVISION)


def test_a_row_that_cannot_be_read_hides_no_other(opened, losses, tmp_path):
    import sqlite3

    ws = opened()
    ws.add([losses])
    bad = ws.add_scores(wb.Scores([1, 2], [3, 4]), "bad")
    ws.close()
    with sqlite3.connect(tmp_path / "home" / "workspace.sqlite") as database:
        told = json.dumps({"kind": "telepathy"})
        database.execute("UPDATE datasets SET source=? WHERE key=?", (told, bad.key))
    database.close()
    ws = opened()
    assert ws.datasets.names == ["losses"]
    assert "'bad'" in ws.problem
    assert "left as it is" in ws.problem
    assert ws.add_scores(wb.Scores([1, 2], [7, 8]), "more").name == "more"


@pytest.mark.parametrize("name", ["a b", "ü%20?x=1#y", "x" * 100])
def test_any_name_of_a_folder_will_do(tmp_path, name, losses):
    ws = workspace(tmp_path / name)
    ws.add([losses])
    ws.close()
    assert ws.problem == ""
    assert (tmp_path / name / "workspace.sqlite").is_file()
    again = DiskStore(tmp_path / name)
    assert len(again.datasets.all()) == 1
    again.close()


def test_the_choice_of_a_data_set_that_another_program_removed_is_none(opened, losses, tmp_path):
    ws = opened()
    ws.active.choose(ws.add([losses]).key)
    other = DiskStore(tmp_path / "home")
    other.datasets.update(replace(other.datasets.all()[ws.current], removed=datetime.now(UTC)))
    assert ws.current is None
    other.close()


@pytest.mark.slow
def test_what_is_waiting_is_written_when_a_program_ends(opened, tmp_path):
    ws = opened()
    code = """
import sqlite3, workbench as wb
from workbench.workspaces.home import home_folder
from workbench.workspaces.storing import disk
disk.PATIENCE = 0.1
ws = wb.workspace()
other = sqlite3.connect(home_folder() / "workspace.sqlite", isolation_level=None)
other.execute("BEGIN IMMEDIATE")
ws.add_scores(wb.Scores([1, 2], [3, 4]), "waiting")
assert ws.storage.waiting
other.execute("ROLLBACK")
"""
    run(code, WORKBENCH_HOME=str(tmp_path / "home"))
    assert ws.datasets.names == ["waiting"]
    assert not ws.storage.waiting
