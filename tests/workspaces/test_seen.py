"""What a workspace keeps of data that were seen: in both stores, by ranks, rows and chance."""

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import workbench as wb
from workbench.bounds.random_split import SECOND_SPLIT
from workbench.scores import chance
from workbench.workspaces.reading import Reading
from workbench.workspaces.seen.identity import fingerprint_of
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.seen.record import Alike, SeenRecord, Showing
from workbench.workspaces.seen.sketch import RowSketch
from workbench.workspaces.storing.schema import REVISION
from workbench.workspaces.workspace import Workspace

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def drawn(seed=0, n=300, mu=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(mu, 1, n), rng.normal(0, 1, n)


@pytest.fixture
def new_program(monkeypatch):
    """A function after which numbers by chance are drawn anew, as in another program."""
    return lambda: monkeypatch.setattr(chance, "_GIVEN", {})


# -- the record -------------------------------------------------------------------------------


def test_what_was_first_stays_in_a_record():
    first = SeenRecord("x", NOW, "a", seed=1, shown=NOW, first={"confidence": 0.95})
    later = NOW + timedelta(hours=1)
    second = SeenRecord(
        "x", later, "b", seed=2, stated=True, shown=later, first={"confidence": 0.9}
    )
    for found in (first.merged(second), second.merged(first)):
        assert (found.opened, found.name, found.shown) == (NOW, "a", NOW)
        assert found.first["confidence"] == 0.95
    assert first.merged(second).seed == 1
    unseen = replace(first, shown=None)
    assert unseen.merged(second).seed == 2  # nothing depends on it yet
    assert unseen.merged(replace(second, stated=False)).seed == 1


def test_a_record_goes_to_json_and_back():
    sketch = RowSketch.of(wb.Scores(*drawn()))
    showing = Showing(NOW.isoformat(), "page", {"confidence": 0.95, "question": "mu"}, ("mu",))
    seen = SeenRecord(
        *("x", NOW, "a", "0" * 64, 99.0, 7, True, NOW, {"question": "mu"}),
        *((showing,), (Alike("y", 0.7, "rescaled"),), sketch),
    )
    text = json.dumps([seen.to_json(), sketch.to_json()])
    assert SeenRecord.from_json("x", *json.loads(text)) == seen


def test_the_stores_keep_it_alike(ws):
    scores = wb.Scores(*drawn())
    data = ws.add_scores(scores, "d")
    record = ws.seen.of(scores)
    assert (record.name, record.sha256, record.shown) == ("d", data.sha256, None)
    assert record.seed == data.reading.seed == ws.scores(data.key).chance
    shown = ws.seen.show(Sight(scores, "d"), {"confidence": 0.9, "question": "mu"}, "a test")
    again = ws.seen.show(Sight(scores, "d"), {"confidence": 0.99}, "another test")
    assert again.first == shown.first == {**shown.first, "confidence": 0.9, "question": "mu"}
    assert [one.by for one in again.showings] == ["a test", "another test"]
    assert again.shown == shown.shown
    assert ws.seen.of(scores) == again


def test_other_programs_on_the_folder_see_it(opened):
    ws = opened()
    scores = wb.Scores(*drawn())
    ws.seen.show(Sight(scores, "d"), {"question": "mu"}, "a test")
    assert opened().seen.of(scores).first["question"] == "mu"


def test_a_workspace_of_version_1_gets_its_table(opened, tmp_path):
    ws = opened()
    old = ws.add_scores(wb.Scores(*drawn()), "old")
    ws.close()
    with sqlite3.connect(tmp_path / "home" / "workspace.sqlite") as database:
        reading = {k: v for k, v in old.reading.to_dict().items() if k != "seed"}
        database.execute("UPDATE datasets SET reading = ?", [json.dumps(reading)])
        database.execute("DROP TABLE seen")
        database.execute("ALTER TABLE datasets DROP COLUMN claim")
        database.execute("DROP TABLE workbench_version")  # which that version did not have
        database.execute("PRAGMA user_version=1")
    database.close()
    ws = opened()
    assert ws.problem == ""
    assert ws.datasets["old"].reading == replace(old.reading, seed=None)
    # Its rows are noted when somebody asks, with the time at which it was added.
    p, q = drawn()
    other = ws.add_scores(wb.Scores(p[::-1], q[::-1]), "reversed")
    found = ws.openings.find(other.sha256, ws.scores(other.key))
    assert (found.at, found.sha256) == (old.created, old.sha256)
    assert "as “old”" in found.how
    with sqlite3.connect(tmp_path / "home" / "workspace.sqlite") as database:
        assert database.execute("PRAGMA user_version").fetchone() == (int(REVISION),)
    database.close()


# -- the same data ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [
        lambda p, q: wb.Scores(p[::-1], np.roll(q, 7)),
        lambda p, q: wb.Scores(3.7 * p + 11, 3.7 * q + 11),
        lambda p, q: wb.Scores(np.exp(p), np.exp(q)),
        lambda p, q: wb.Scores(-p, -q, larger_is_member=False),
        lambda p, q: wb.CountedScores.of(wb.Scores(p, q)),
    ],
    ids=["order", "units", "increasing", "direction", "counted"],
)
def test_the_same_ranks_are_the_same_data(again):
    ws = Workspace()
    p, q = drawn()
    first = ws.add_scores(wb.Scores(p, q), "d")
    other = again(p, q)
    assert ws.seen.of(other).name == "d"
    assert ws.openings.find("", other).sha256 == first.sha256


@pytest.mark.parametrize("unit", [1.0, 2.54])
def test_most_rows_of_seen_data_are_recognized(unit):
    ws = Workspace()
    p, q = drawn(n=2000)
    ws.add_scores(wb.Scores(p, q), "d")
    more = np.random.default_rng(9).normal(0, 1, 200)
    for part in (
        (unit * p[:1700], unit * q[100:1900]),
        (np.append(unit * p, unit * more), unit * q),
        (unit * p[:-1], unit * q),
    ):
        scores = wb.Scores(*part)
        ws.seen.open(Sight(scores, "part"))
        ((alike, record),) = [
            one for one in ws.seen.others(ws.seen.of(scores)) if one[1].name == "d"
        ]
        assert record.name == "d"
        assert alike.how == ("" if unit == 1 else "rescaled")
        assert alike.share > 0.7


def test_new_data_and_values_that_everybody_has_are_not_recognized():
    rng = np.random.default_rng(3)
    ws = Workspace()
    kinds = [
        lambda: rng.normal(0, 1, (2, 3000)),
        lambda: np.round(rng.normal(0, 1, (2, 200)), 2),
        lambda: rng.integers(0, 2, (2, 200)).astype(float),
        lambda: rng.permutation(400).reshape(2, 200).astype(float),  # ranks
        lambda: np.round(rng.exponential(1, (2, 60)), 4),
    ]
    for k, make in enumerate(kinds):
        for which in range(3):
            scores = wb.Scores(*make())
            ws.seen.open(Sight(scores, f"{k} {which}"))
            assert ws.seen.others(ws.seen.of(scores)) == []


def test_half_of_the_rows_is_where_most_begin():
    p, q = drawn(n=3000)
    whole = RowSketch.of(wb.Scores(p, q))
    new = np.random.default_rng(5).normal(0, 1, (2, 3000))
    for share in (0.2, 0.8):
        kept = int(share * 3000)
        mixed = wb.Scores(np.append(p[:kept], new[0, kept:]), np.append(q[:kept], new[1, kept:]))
        found, _ = RowSketch.of(mixed).shared(whole)
        assert found == pytest.approx(share, abs=0.15)


def test_exchanged_groups_are_recognized():
    ws = Workspace()
    p, q = drawn()
    ws.add_scores(wb.Scores(p, q), "d")
    turned = ws.add_scores(wb.Scores(q, p), "turned")
    assert (
        "members and non-members exchanged"
        in ws.openings.find(turned.sha256, ws.scores(turned.key)).how
    )


def test_few_different_scores_are_known_by_their_ranks_and_this_is_told():
    ws = Workspace()
    first = ws.add_scores(wb.Scores([0, 0, 1, 1], [0, 0, 0, 1]), "yesterday")
    found = ws.openings.find("f" * 64, wb.Scores([5, 9, 9, 5], [5, 9, 5, 5]))
    assert found.sha256 == first.sha256
    assert "the same ranks, which other data with so few different scores may have" in found.how


def test_a_table_is_known_in_any_order_of_records_and_models():
    rng = np.random.default_rng(1)
    scores, member = rng.normal(size=(12, 5)), rng.random((12, 5)) < 0.5
    member[0], member[1] = True, False
    known = fingerprint_of(wb.ScoreTable(scores, member)).digest
    rows, columns = rng.permutation(12), rng.permutation(5)
    again = wb.ScoreTable(3 * scores[rows][:, columns], member[rows][:, columns])
    turned = wb.ScoreTable(-scores, member, larger_is_member=False)
    other = scores.copy()
    other[0, 0] += 10
    assert fingerprint_of(again).digest == known == fingerprint_of(turned).digest
    assert fingerprint_of(wb.ScoreTable(other, member)).digest != known


# -- chance -------------------------------------------------------------------------------------


def held_out(scores):
    return wb.epsilon_lower_bound(scores, 0.01, guarantee="held-out")


def test_the_same_data_have_the_same_splits_in_every_program(opened, new_program):
    p, q = drawn()
    ws = opened()
    first = ws.scores(ws.add_scores(wb.Scores(p, q), "d").key)
    expected = held_out(first)
    for k in range(3):
        new_program()
        ws = opened()
        again = ws.add_scores(wb.Scores((k + 2) * p[::-1], (k + 2) * q), f"again {k}")
        scores = ws.scores(again.key)
        assert scores.chance == first.chance == again.reading.seed
        assert (held_out(scores).value, held_out(scores).void) == (expected.value, None)


def test_another_seed_after_a_look_is_a_second_try(opened, new_program):
    p, q = drawn()
    ws = opened()
    ws.add_scores(wb.Scores(p, q, seed=5), "d")
    ws.seen.show(Sight(wb.Scores(p, q), "d"), {}, "a test")
    new_program()
    ws = opened()
    second = ws.add_scores(wb.Scores(p, q, seed=6), "second")
    assert held_out(ws.scores(second.key)).void == SECOND_SPLIT
    assert held_out(ws.scores("d")).void is None
    assert (ws.datasets["d"].reading.seed, second.reading.seed) == (5, 6)


def test_a_seed_may_be_stated_before_anything_was_seen(ws):
    p, q = drawn()
    ws.add_scores(wb.Scores(p, q), "drawn")
    stated = ws.add_scores(wb.Scores(p, q, seed=12), "stated")
    assert held_out(ws.scores(stated.key)).seed == 12
    assert held_out(ws.scores(stated.key)).void is None


def test_a_file_is_read_with_a_seed(tmp_path):
    p, q = drawn(n=30)
    path = tmp_path / "x.csv"
    path.write_text("in,out\n" + "\n".join(f"{a},{b}" for a, b in zip(p, q, strict=True)))
    for counted in (False, True):
        scores = wb.read_scores(path, seed=7, counted=counted, trusted=True)
        assert (scores.seed, scores.chance) == (7, 7)
    with pytest.raises(ValueError, match="seed"):
        wb.read_scores(path, seed=-1)


def test_the_seed_is_shown_with_the_reading():
    assert Reading(seed=7).describe().endswith("seed 7")
    assert Reading.from_dict(Reading(seed=7).to_dict()).seed == 7
    old = {k: v for k, v in Reading().to_dict().items() if k != "seed"}
    assert Reading.from_dict(old) == Reading()
    with pytest.raises(ValueError, match="seed"):
        Reading(seed=-2)


def test_other_scores_of_the_same_file_have_a_number_of_their_own(losses):
    ws = Workspace()
    data = ws.add([losses])
    turned = ws.kept.reread(data.key, replace(data.reading, larger_is_member=False), seen=True)
    assert turned.reading.seed == data.reading.seed
    clustered = replace(data.reading.layout, cluster="subject")
    other = ws.kept.reread(data.key, replace(data.reading, layout=clustered), seen=True)
    assert other.reading.seed != data.reading.seed
