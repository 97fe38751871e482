"""Score tables as data sets of a workspace."""

from __future__ import annotations

import numpy as np
import pytest

import workbench as wb
from workbench.tables.table import ScoreTable
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.link import DataReference, PageLink, read_link
from workbench.workspaces.score_tables.sources import DrawnTableSource
from workbench.workspaces.workspace import Workspace

DRAWN = DrawnTableSource().key


def table(seed=0, models=12, records=7, augmentations=0, **more):
    generator = np.random.default_rng(seed)
    shape = (models, records, augmentations) if augmentations else (models, records)
    scores = generator.standard_normal(shape).astype(np.float32)
    if augmentations:
        more = {"augmentations": "mean", **more}
    return ScoreTable(scores, generator.random((models, records)) < 0.5, name="canaries", **more)


def described(one):
    return (
        one.scores.dtype,
        one.scores.tolist(),
        one.member.tolist(),
        one.record_names.tolist(),
        one.model_names.tolist(),
        {name: values.tolist() for name, values in one.attributes.items()},
        (one.augmentations, one.larger_is_member, one.sampling, one.name, one.notes),
    )


def test_a_table_is_kept_as_it_is(opened):
    given = table(
        augmentations=3,
        records=5,
        models=12,
        larger_is_member=False,
        sampling="independent runs",
        notes=("read as shadow statistics",),
    )
    given = ScoreTable(
        given.scores,
        given.member,
        records=[f"<b>{k}</b>" for k in range(5)],
        models=[f"model {k}" for k in range(12)],
        attributes={"class": list("abcab"), "age": np.arange(5.0), "new": np.arange(5) > 2},
        augmentations="max",
        larger_is_member=False,
        sampling="independent runs",
        name="canaries",
        notes=given.notes,
    )
    first = opened()
    dataset = first.add_table(given, files=["stats.npz"])
    assert (dataset.kind, dataset.size) == ("table", "12 models × 5 records")
    assert (dataset.n_p, dataset.n_q) == (given.member.sum(), (~given.member).sum())
    again = opened()
    assert again.dataset(dataset.key) == dataset
    assert described(again.table(dataset.key)) == described(given)
    assert again.table(dataset.key) is again.table(dataset.key)
    assert again.dataset(dataset.key).describe().startswith("Score table of “stats.npz”")


def test_the_content_has_a_hash_and_is_kept_once(ws):
    dataset = ws.add_table(table(), "first")
    assert ws.add_table(table(), "second") == dataset
    assert ws.add_table(table(seed=1)).sha256 != dataset.sha256
    assert ws.find(dataset.sha256) == dataset
    turned = table()
    turned = ScoreTable(turned.scores, ~turned.member, name="canaries")
    assert ws.add_table(turned).sha256 != dataset.sha256


def test_scores_and_tables_are_not_mixed_up(ws):
    dataset = ws.add_table(table())
    scores = ws.add_scores(wb.Scores([1.0, 2.0], [0.0, 1.0]), "losses")
    with pytest.raises(WorkspaceError, match="'canaries' is a table of 12 models × 7 records"):
        ws.scores(dataset.key)
    with pytest.raises(WorkspaceError, match="'losses' holds two samples of scores"):
        ws.table(scores.key)
    assert [one.kind for one in ws.datasets] == ["table", "scores"]
    assert ws.datasets.to_frame()["kind"].tolist() == ["table", "scores"]
    assert "12 models × 7 records" in ws.datasets._repr_html_()


def test_a_table_and_scores_are_in_view_at_the_same_time(ws):
    heard = []
    ws.changes.watch(lambda one: heard.append(one.current_table))
    dataset = ws.add_table(table())
    ws.active.choose(dataset.key)
    ws.active.choose("example:gaussian")
    assert (ws.current, ws.current_table) == ("example:gaussian", dataset.key)
    assert (ws.active.key("scores"), ws.active.key("table")) == ("example:gaussian", dataset.key)
    assert heard[-1] == dataset.key
    with pytest.raises(ValueError, match="kind must be"):
        ws.active.key("images")


def test_what_was_done_to_tables_can_be_undone(ws):
    begin = ws.kept.snapshot()
    dataset = ws.add_table(table())
    ws.active.choose(dataset.key)
    chosen = ws.kept.snapshot()
    ws.kept.remove(dataset.key)
    assert ws.current_table is None
    removed = ws.kept.snapshot()
    ws.kept.revert(chosen)
    assert (ws.current_table, len(ws.datasets)) == (dataset.key, 1)
    ws.kept.revert(begin)
    assert (ws.current_table, len(ws.datasets)) == (None, 0)
    ws.kept.revert(removed)
    assert (ws.current_table, len(ws.datasets)) == (None, 0)
    assert described(ws.table(dataset.key)) == described(table())


def test_a_draw_has_a_known_truth_and_a_key():
    ws = Workspace()
    drawn = ws.table(DRAWN)
    assert ws.dataset(DRAWN).size == "128 models × 200 records"
    assert ws.dataset(DRAWN).name == "5 of 200 records leak"
    leaks = drawn.attributes["truth"] == "leaks"
    inside, outside = (
        np.where(mask, drawn.scores, 0).sum(axis=0) / mask.sum(axis=0)
        for mask in (drawn.member, ~drawn.member)
    )
    assert leaks.sum() == 5
    assert (inside - outside)[leaks].min() > 3 > 1 > abs(inside - outside)[~leaks].max()
    assert DrawnTableSource.of(DRAWN).key == DRAWN
    ws.active.choose(DRAWN)
    assert (ws.current, ws.current_table) == (None, DRAWN)
    for wrong in (
        "draw:table?",
        DRAWN + "&seed=1",
        DRAWN.replace("128", "999999"),
        "draw:table?x=1",
    ):
        with pytest.raises(WorkspaceError, match="drawn"):
            ws.dataset(wrong)


def test_links_name_tables_by_their_hash(ws):
    dataset = ws.add_table(table())
    link = read_link(PageLink.of("records", {}, {"data": dataset}).text())
    assert link.data[0].find(ws) == dataset
    assert DataReference.of("data", ws.dataset(DRAWN)).find(Workspace()).key == DRAWN


def test_a_table_of_the_base_is_read_and_not_changed(ws):
    base = Workspace()
    dataset = base.add_table(table())
    base.active.choose(dataset.key)
    mine = Workspace(ws.storage.store, base=base)
    assert mine.current_table == dataset.key
    assert mine.table(dataset.key) is base.table(dataset.key)
    with pytest.raises(WorkspaceError, match="given to the server"):
        mine.kept.remove(dataset.key)


def test_damaged_columns_are_refused(opened, tmp_path):
    ws = opened()
    dataset = ws.add_table(table())
    for path in (tmp_path / "home" / "tables").glob("*.parquet"):
        path.write_bytes(b"")
    ws = opened()
    with pytest.raises(WorkspaceError, match="missing or damaged"):
        ws.table(dataset.key)
    ws.add_table(table())
    assert described(ws.table(dataset.key)) == described(table())
