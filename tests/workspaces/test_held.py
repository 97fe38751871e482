"""What a killed program left is deleted, and nothing that a program is making, at any moment."""

import os

import pytest

from workbench.workspaces.storing import held
from workbench.workspaces.storing.files import ContentFiles
from workbench.workspaces.storing.held import delete_left, held_folder, new_file, new_folder

pytestmark = pytest.mark.skipif(not held.CAN_HOLD, reason="nothing can be held here")


def names(folder):
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("make", [new_file, new_folder])
def test_it_goes_once_nobody_holds_it(tmp_path, make):
    path, descriptor = make(tmp_path, "half-")
    (tmp_path / "other").touch()
    (tmp_path / "half-link").symlink_to(tmp_path / "other")
    delete_left(tmp_path, "half-")
    assert path.exists()
    assert path.stat().st_mode & 0o077 == 0
    os.close(descriptor)
    delete_left(tmp_path, "half-")
    assert names(tmp_path) == ["half-link", "other"]
    delete_left(tmp_path / "nowhere", "half-")


@pytest.mark.parametrize("make", [new_file, new_folder])
def test_who_looks_before_it_is_held_takes_nothing_away(tmp_path, monkeypatch, make):
    """Another program tidies between the making of a file and the lock on it."""
    is_held, seen = held._is_held, []

    def look_first(descriptor):
        if not seen:
            delete_left(tmp_path, "half-")
        seen.append(names(tmp_path))
        return is_held(descriptor)

    monkeypatch.setattr(held, "_is_held", look_first)
    path, descriptor = make(tmp_path, "half-")
    assert seen == [[], [path.name]]  # the first one was taken away, and another was made
    delete_left(tmp_path, "half-")
    assert path.exists()
    os.close(descriptor)


def test_a_folder_that_was_renamed_stays(tmp_path):
    with held_folder(tmp_path, "half-") as folder:
        (folder / "inside").touch()
        folder.rename(tmp_path / "whole")
    with held_folder(tmp_path, "half-") as folder:
        (folder / "inside").touch()
    assert names(tmp_path) == ["whole"]
    assert names(tmp_path / "whole") == ["inside"]


def test_content_that_is_written_while_another_program_tidies_is_there(tmp_path, monkeypatch):
    files, is_held = ContentFiles(tmp_path / "tables"), held._is_held

    def tidy_first(descriptor):
        if not seen:
            seen.append(descriptor)
            ContentFiles(tmp_path / "tables").tidy(set(), 86400.0)
        return is_held(descriptor)

    monkeypatch.setattr(held, "_is_held", tidy_first)
    for number in range(3):
        seen = []
        content = b"%d" % number
        assert files.read(files.write(content)) == content
    assert not [one for one in names(tmp_path / "tables") if one.startswith("unfinished")]
