"""The import step with score tables of many records."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from workbench.assets import board
from workbench.pages.importing.page import ImportPage
from workbench.pages.importing.score_tables import read_table_upload
from workbench.workspaces.workspace import Workspace

RNG = np.random.default_rng(0)
MEMBER = RNG.random((16, 40)) < 0.5
SCORES = RNG.normal(size=(16, 40)) + 3 * MEMBER


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz():
    out = io.BytesIO()
    np.savez(out, scores=SCORES, member=MEMBER)
    return out.getvalue()


def long_csv():
    rows = (
        f"{m},{r},{int(MEMBER[m, r])},{float(SCORES[m, r])!r}" for m in range(16) for r in range(40)
    )
    return ("model,record,member,score\n" + "\n".join(rows)).encode()


def lira_zip(top="exp/"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for m in range(16):
            archive.writestr(f"{top}experiment-{m}_16/keep.npy", saved(MEMBER[m]))
            name = f"{top}experiment-{m}_16/scores/0000000100.npy"
            archive.writestr(name, saved(SCORES[m]))
    return out.getvalue()


KINDS = {
    "npz": (("t.npz", npz()),),
    "long": (("t.csv", long_csv()),),
    "zip of a folder": (("t.zip", lira_zip()),),
    "zip of its content": (("t.zip", lira_zip("")),),
    "two arrays": (("scores.npy", saved(SCORES)), ("member.npy", saved(MEMBER))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_shown_and_added(kind):
    ws = Workspace()
    page = ImportPage(ws, upload=KINDS[kind])
    assert (page.message, page.missing()) == ("", "")
    assert "16 models and 40 records" in page.score_table_words()
    for item in page.items():
        board.content(page.draw(item))
    assert "Bounds will state" not in page.independence()
    page.sampling = "independent runs"
    page.larger_is_member = False
    page.accept = True
    assert page.message == ""
    dataset = ws.dataset(page.accepted)
    assert (dataset.kind, dataset.size) == ("table", "16 models × 40 records")
    table = ws.table(dataset.key)
    assert (table.sampling, table.larger_is_member) == ("independent runs", False)
    assert np.array_equal(table.member, MEMBER)
    assert np.allclose(table.scores, SCORES)


def test_a_table_under_an_assumption_that_it_cannot_have_is_refused():
    page = ImportPage(Workspace(), upload=KINDS["npz"])
    page.sampling = "one run"
    assert "sampling must be" in page.message
    page.accept = True
    assert page.accepted == ""
    page.upload = (("scores.csv", b"in,out\n1,0\n2,1\n3,1\n"),)
    assert page.score_table is None
    assert page.message == ""
    assert page.tables


def test_scores_are_no_table():
    assert read_table_upload(()) is None
    for name, content in (
        ("a.csv", b"score,member\n1,1\n2,0\n"),
        ("a.csv", b""),
        ("a.csv", b"\xff\xfe\x00"),
        ("a.npy", saved(SCORES[0])),
        ("a.parquet", b"PAR1"),
        ("a.json", b"[1, 2]"),
    ):
        assert read_table_upload(_files((name, content))) is None


def _files(*pairs):
    return ImportPage(Workspace(), upload=pairs).upload


def _zip(**entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_hostile_archives_are_refused(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    hostile = {
        "outside": _zip(**{"../../evil.npy": b"x"}),
        "absolute": _zip(**{"/tmp/evil.npy": b"x"}),
        "no archive": b"PK\x03\x04 no archive",
        "empty": _zip(),
        "other": _zip(**{"readme.txt": b"hello"}),
        "clash": _zip(**{"a": b"x", "a/b": b"x"}),
    }
    for name, content in hostile.items():
        page = ImportPage(Workspace(), upload=((f"{name}.zip", content),))
        assert f"“{name}.zip”" in page.message
        assert page.score_table is None
    assert not list(tmp_path.rglob("evil.npy"))
    monkeypatch.setattr("workbench.pages.importing.score_tables.MOST_FILES", 3)
    page = ImportPage(Workspace(), upload=(("t.zip", lira_zip()),))
    assert "32 files, more than 3" in page.message


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(
        "workbench.pages.importing.score_tables.LIMITS", type("Small", (), {"file_size": 10**6})
    )
    bomb = _zip(**{"a/scores.npy": bytes(10**7)})
    page = ImportPage(Workspace(), upload=(("bomb.zip", bomb),))
    assert "larger unpacked" in page.message


def test_the_axes_are_asked_for_where_shapes_do_not_show_them():
    out = io.BytesIO()
    np.savez(out, scores=SCORES[:, :9], member=MEMBER[:, :9])
    page = ImportPage(Workspace(), upload=(("t.npz", out.getvalue()),))
    assert page.message.endswith("Choose “Axes of the arrays”.")
    assert page.axes_asked
    page.transposed = "neither"
    assert page.message == ""
    assert "16 models and 9 records" in page.score_table_words()


def test_an_axis_that_may_be_one_of_classes_is_a_question():
    rng = np.random.default_rng(0)
    member = rng.random((8, 20)) < 0.5
    arrays = io.BytesIO()
    np.savez(arrays, scores=rng.normal(size=(8, 20, 3)), member=member)
    page = ImportPage(Workspace(), upload=(("t.npz", arrays.getvalue()),))
    assert page.score_table is None
    assert "“Last axis of the scores”" in page.message
    assert any(control.name == "last_axis" for s in page.controls for control in s.controls)
    page.last_axis = "mean"
    assert page.message == ""
    assert page.score_table.augmentations == "mean"
