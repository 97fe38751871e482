"""Stores that are locked, read-only, damaged, of a newer version, or on a full disk.

In each case nothing is lost that was there before, what is added stays usable, and ``problem`` says
what was kept and what to do.
"""

import os
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import workbench as wb
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.home import owner_key, workspace
from workbench.workspaces.reading import Reading
from workbench.workspaces.storing import disk, guarded

ROOT = Path(wb.__file__).parents[1]

IN_MEMORY = "What is added or changed now is kept in memory, until this program ends"
UNCHANGED = "What was kept there before is unchanged"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(disk, "PATIENCE", 0.05)
    monkeypatch.setattr(guarded, "PAUSE", 0.0)


@pytest.fixture
def home(tmp_path, losses):
    """A folder with the data set "losses", chosen, and the settings of a page."""
    ws = workspace(tmp_path / "home")
    ws.active.choose(ws.add([losses]).key)
    ws.page_states.keep("scores", {"threshold": 0.4}, ws.current)
    ws.close()
    return tmp_path / "home"


def bytes_of(folder):
    """The content of all files, without those that SQLite makes while it runs."""
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def use_it(ws):
    """All that visitors do, with whatever store: nothing may raise, all of it must be seen."""
    dataset = ws.add_scores(wb.Scores([1, 2], [3, 4]), "new")
    ws.page_states.keep("scores", {"threshold": 0.7}, dataset.key)
    digest = ws.files.keep("canaries.csv", b"canaries")
    ws.active.choose(dataset.key)
    ws.kept.rename(dataset.key, "renamed")
    ws.kept.reread(dataset.key, replace(dataset.reading, larger_is_member=False), seen=True)
    assert ws.current == dataset.key
    assert ws.dataset("renamed").reread == "the direction of the score"
    assert ws.scores(dataset.key).p.tolist() == [1, 2]
    assert ws.tables(dataset.key)[0].columns["q"].tolist() == [3, 4]
    assert ws.page_states.get("scores", dataset.key) == {"threshold": 0.7}
    assert ws.file(digest) == b"canaries"
    ws.kept.remove(dataset.key)
    assert "renamed" not in ws.datasets
    ws.kept.restore(dataset.key)
    ws.active.choose(dataset.key)
    return dataset.key


def as_before(folder):
    """The workspace of a folder has what `home` put there, and what `use_it` did not reach."""
    ws = workspace(folder)
    assert ws.problem == ""
    assert ws.scores("losses").n_p == 3
    assert ws.page_states.get("scores", ws.datasets["losses"].key) == {"threshold": 0.4}
    return ws


# -- locked ----------------------------------------------------------------------------------------


@contextmanager
def locked(folder):
    """Another program that writes and does not finish."""
    other = sqlite3.connect(folder / "workspace.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_locked_store_is_waited_for(home, monkeypatch):
    import threading

    monkeypatch.setattr(disk, "PATIENCE", 30.0)
    ws = workspace(home)
    with locked(home):
        work = threading.Thread(target=ws.add_scores, args=(wb.Scores([1, 2], [3, 4]), "waited"))
        work.start()
        work.join(0.3)
        assert work.is_alive()
    work.join(30)
    assert ws.problem == ""
    ws.close()
    assert "waited" in as_before(home).datasets


def test_a_locked_store_goes_on_in_memory_and_catches_up(home):
    ws = workspace(home)
    with locked(home):
        key = use_it(ws)
        assert "another program is writing" in ws.problem.lower()
        assert "did not finish within 0.05 seconds" in ws.problem
        assert UNCHANGED in ws.problem
        assert IN_MEMORY in ws.problem
        assert "written as soon as the disk takes it" in ws.problem
        assert ws.scores("losses").n_p == 3  # readers need not wait
        assert ws.datasets.names == ["losses", "renamed"]
    heard = []
    ws.changes.watch(lambda workspace: heard.append(workspace.problem))
    ws.changes.refresh()  # as a page does all the time: writes what was waiting
    assert heard == [ws.problem] == [""]
    assert not ws.storage.waiting
    ws.page_states.keep("counts", {"tp": 1})
    ws.close()
    ws = as_before(home)
    assert ws.dataset(key).name == "renamed"
    assert ws.dataset(key).reread == "the direction of the score"
    assert ws.page_states.get("scores", key) == {"threshold": 0.7}
    assert ws.current == key
    assert ws.page_states.get("counts") == {"tp": 1}


def test_what_was_waiting_is_written_at_the_end(home):
    ws = workspace(home)
    with locked(home):
        key = use_it(ws)
    ws.close()
    assert as_before(home).scores(key).n_p == 2


def test_a_store_that_is_locked_when_it_is_opened_catches_up(home):
    with locked(home):
        ws = workspace(home)
        use_it(ws)
        assert "losses" in ws.datasets
    ws.storage.flush()
    assert ws.problem == ""
    assert ws.datasets.names == ["losses", "renamed"]


def test_a_purge_is_made_up_for(home):
    ws = workspace(home)
    key = ws.current
    ws.kept.remove(key)
    with locked(home):
        ws.kept.purge()
        with pytest.raises(WorkspaceError, match="there is no data set"):
            ws.dataset(key)
    ws.storage.flush()
    ws.close()
    assert not list((home / "tables").iterdir())


# -- read-only and full disks ----------------------------------------------------------------------


@contextmanager
def small_disk(folder, size="1m"):
    """A disk of its own in a folder."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)],
        capture_output=True,
    )
    if done.returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder):
    """A folder that cannot be written."""
    if os.geteuid():
        paths = [folder, *folder.rglob("*")]
        modes = {path: path.stat().st_mode for path in paths}
        for path in paths:
            path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    # No mode binds root: a read-only view of the folder, mounted over it.
    for options in (["--bind", str(folder)], ["-o", "remount,ro,bind"]):
        done = subprocess.run(["mount", *options, str(folder)], capture_output=True)
        if done.returncode:
            pytest.skip("a folder cannot be made read-only here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_read_only_store_can_be_read(home):
    before = bytes_of(home)
    with read_only(home):
        ws = workspace(home)
        assert f"{home} cannot be written; what is in it can be read" in ws.problem
        assert "WORKBENCH_HOME" in ws.problem
        assert ws.scores("losses").n_p == 3
        assert ws.page_states.get("scores", ws.current) == {"threshold": 0.4}
        key = use_it(ws)
        assert ws.datasets.names == ["losses", "renamed"]
        assert UNCHANGED in ws.problem
        assert IN_MEMORY in ws.problem
        ws.kept.remove("losses")
        assert ws.datasets.names == ["renamed"]
        ws.close()
    assert bytes_of(home) == before
    with pytest.raises(WorkspaceError):
        as_before(home).dataset(key)


def test_a_folder_in_which_nothing_can_be_made_is_a_problem_and_no_error(tmp_path):
    with read_only(tmp_path):
        ws = workspace(tmp_path / "home")
        assert "cannot be written" in ws.problem
        assert ws.storage.where == "in the memory of this program"
        use_it(ws)
        assert owner_key(tmp_path / "home") != owner_key(tmp_path / "home")
        ws.close()


def test_a_file_where_the_folder_should_be_is_a_problem_and_no_error(tmp_path):
    (tmp_path / "home").write_text("mine")
    for path in (tmp_path / "home", tmp_path / "home" / "inside"):
        ws = workspace(path)
        assert "cannot be used" in ws.problem
        use_it(ws)
        ws.close()
    assert (tmp_path / "home").read_text() == "mine"


def fill(path):
    """Write until there is no room."""
    with open(path, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def large(n=60_000):
    return wb.GaussianPair(1.0).sample(n, seed=1)


def test_a_full_disk_keeps_data_sets_in_memory_until_there_is_room(tmp_path, losses):
    folder = tmp_path / "disk"
    with small_disk(folder):
        ws = workspace(folder / "home")
        kept = ws.add([losses])
        filler = folder / "filler"
        with pytest.raises(OSError, match="No space left"):
            fill(filler)
        dataset = ws.add_scores(large(), "large")
        assert f"The disk of {folder / 'home'} is full; make room" in ws.problem
        assert UNCHANGED in ws.problem
        assert IN_MEMORY in ws.problem
        assert ws.scores(dataset.key).n_p == 60_000
        use_it(ws)
        assert not [p.name for p in (folder / "home" / "tables").iterdir() if "unfin" in p.name]
        assert ws.scores(kept.key).n_p == 3
        filler.unlink()
        ws.storage.flush()  # all but the large one, for which this disk is too small
        assert "is full" in ws.problem
        other = disk.DiskStore(folder / "home")
        assert [one.dataset.name for one in other.datasets.all().values()] == ["losses", "renamed"]
        other.close()
        ws.kept.rename(dataset.key, "too large")
        assert ws.datasets.names == ["losses", "renamed", "too large"]
        ws.kept.remove(dataset.key)
        ws.kept.purge()
        ws.storage.flush()
        assert ws.problem == ""
        ws.close()
        ws = workspace(folder / "home")
        assert ws.problem == ""
        assert ws.datasets.names == ["losses", "renamed"]
        assert ws.scores("renamed").n_p == 2
        ws.close()


LIMITED = """
import resource, workbench as wb
from workbench.workspaces.storing import guarded
guarded.PAUSE = 0.0
ws = wb.workspace()
wb.GaussianPair(1.0).sample(50_000, seed=1)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))
one = ws.add_scores(wb.GaussianPair(1.0).sample(50_000, seed=1), "large")
assert ws.scores(one.key).n_p == 50_000
assert ws.datasets.names == ["losses", "large"]
assert ws.scores("losses").n_p == 3
print(ws.problem)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
ws.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 5_000, 100_000])
def test_a_file_that_is_cut_while_it_is_written_is_no_loss(home, size):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(size=size)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "is full; make room" in done.stdout
    ws = as_before(home)  # the program wrote what was waiting when the limit was gone
    assert ws.scores("large").p.tobytes() == large(50_000).p.tobytes()
    ws.close()


# -- damaged ---------------------------------------------------------------------------------------


def damage_empty(database):
    database.write_bytes(b"")


def damage_garbage(database):
    database.write_bytes(b"this is no database" * 100)


def damage_cut(database):
    database.write_bytes(database.read_bytes()[:5000])


def damage_short(database):
    database.write_bytes(database.read_bytes()[:50])


def damage_pages(database):
    content = bytearray(database.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    database.write_bytes(content)


def damage_other(database):
    database.unlink()
    with sqlite3.connect(database) as other:
        other.execute("CREATE TABLE cookies (name TEXT)")
    other.close()


@pytest.mark.parametrize(
    "damage",
    [damage_empty, damage_garbage, damage_cut, damage_short, damage_pages, damage_other],
)
def test_a_damaged_database_is_left_alone(home, damage):
    damage(home / "workspace.sqlite")
    before = bytes_of(home)
    ws = workspace(home)
    assert f"{home / 'workspace.sqlite'} is damaged" in ws.problem
    assert "left as it is, as were the scores in" in ws.problem
    assert "rename it to begin anew" in ws.problem
    assert IN_MEMORY in ws.problem
    assert "as soon as" not in ws.problem
    assert ws.storage.where == "in the memory of this program"
    use_it(ws)
    ws.close()
    assert bytes_of(home) == before
    os.rename(home / "workspace.sqlite", home / "old")
    ws = workspace(home)
    assert ws.problem == ""
    assert len(ws.datasets) == 0
    ws.close()


def test_a_database_that_is_damaged_while_it_is_used_is_no_error(home):
    ws = workspace(home)
    assert ws.scores("losses").n_p == 3
    with open(home / "workspace.sqlite", "r+b") as file:
        size = file.seek(0, 2)
        file.seek(0)
        file.write(b"\xa5" * size)
    other = sqlite3.connect(":memory:")  # the pages in memory are dropped by another's change
    other.close()
    with ws.storage.store.disk.store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA shrink_memory")
    use_it(ws)
    assert "is damaged" in ws.problem
    assert "losses" in ws.datasets
    ws.close()


@pytest.mark.parametrize("how", ["missing", "cut", "changed", "empty"])
def test_scores_that_are_damaged_say_so_and_can_be_added_again(home, how, losses):
    ws = workspace(home)
    other = ws.add_scores(wb.Scores([1, 2], [3, 4]), "other")
    ws.close()
    (path,) = [p for p in (home / "tables").iterdir() if b"subject" in p.read_bytes()]
    content = path.read_bytes()
    match how:
        case "missing":
            path.unlink()
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "changed":
            path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        case "empty":
            path.write_bytes(b"")
    ws = workspace(home)
    with pytest.raises(WorkspaceError, match=r"'losses' cannot be read: .* missing or damaged"):
        ws.scores("losses")
    with pytest.raises(WorkspaceError, match="add the same file again to repair it"):
        ws.tables("losses")
    assert ws.problem == ""
    assert ws.scores(other.key).n_p == 2
    ws.kept.rename("losses", "still there")
    again = ws.add([losses])
    assert again.name == "still there"
    assert ws.scores(again.key).n_p == 3
    assert path.read_bytes() == content
    ws.close()


def test_a_damaged_file_is_not_handed_out(home):
    ws = workspace(home)
    digest = ws.files.keep("canaries.csv", b"canaries")
    (home / "files" / digest).write_bytes(b"canariez")
    assert ws.file(digest) is None
    assert ws.files.keep("canaries.csv", b"canaries") == digest
    assert ws.file(digest) == b"canaries"
    ws.close()


# -- of a newer version ----------------------------------------------------------------------------


def test_a_store_of_a_newer_version_is_not_touched(home):
    with sqlite3.connect(home / "workspace.sqlite") as database:
        database.execute("PRAGMA user_version=4")
        database.execute("ALTER TABLE datasets RENAME TO sets")
    database.close()
    names, before = sorted(p.name for p in home.iterdir()), bytes_of(home)
    ws = workspace(home)
    assert "made by a newer version of the workbench (format 4; this one knows 3)" in ws.problem
    assert "It was not touched. Update this program" in ws.problem
    assert IN_MEMORY in ws.problem
    use_it(ws)
    ws.close()
    assert bytes_of(home) == before
    assert sorted(p.name for p in home.iterdir()) == names


def test_a_newer_version_that_is_still_in_the_log_is_not_touched(home):
    other = sqlite3.connect(home / "workspace.sqlite")
    other.execute("PRAGMA user_version=4")
    ws = workspace(home)
    assert "made by a newer version" in ws.problem
    use_it(ws)
    ws.close()
    assert other.execute("SELECT count(*) FROM datasets").fetchone() == (1,)
    other.close()


def test_a_store_that_is_updated_while_it_is_used_is_not_touched(home):
    ws = workspace(home)
    with sqlite3.connect(home / "workspace.sqlite") as other:
        other.execute("PRAGMA user_version=4")
        other.execute("ALTER TABLE datasets RENAME COLUMN reread TO void")
    use_it(ws)
    assert "made by a newer version" in ws.problem
    assert ws.datasets.names == ["losses", "renamed"]
    assert other.execute("SELECT name FROM datasets").fetchall() == [("losses",)]
    other.close()
    ws.close()


@pytest.mark.parametrize("name", ["a b", "ü%20?x=1#y"])
def test_any_name_of_a_folder_that_is_read_only_will_do(tmp_path, losses, name):
    ws = workspace(tmp_path / name)
    ws.add([losses])
    ws.close()
    with read_only(tmp_path / name):
        ws = workspace(tmp_path / name)
        assert "cannot be written; what is in it can be read" in ws.problem
        assert ws.scores("losses").n_p == 3
        ws.close()


def test_reading_and_removal_are_possible_although_the_disk_fails(home, losses):
    ws = workspace(home)
    key = ws.current
    with locked(home):
        declared = replace(ws.dataset(key).reading, sampling="one run")
        assert ws.kept.reread(key, declared, seen=True).reading.sampling == "one run"
        ws.kept.remove(key)
        assert ws.add([losses], Reading(sampling="one run")).key == key
        assert ws.dataset(key).reading.sampling == "one run"
    ws.close()
    ws = as_before(home)
    assert ws.dataset(key).reading.sampling == "one run"
    ws.close()
