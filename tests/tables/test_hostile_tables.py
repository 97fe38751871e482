"""Damaged folders and files of score tables: a table, or a refusal with a message."""

import json

import numpy as np
import pytest
from helpers import table_layouts as layouts
from helpers.damaged_folders import damaged, sound

import workbench as wb
from workbench.tables.attacks.signals import SignalTable

#: Damaged copies of each layout; `damaged` makes thousands of others with other seeds.
COPIES = 2


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    return sound(tmp_path_factory.mktemp("sound"))


def read(path):
    """What became of a place: "read" or "refused"; anything else raises."""
    try:
        table = wb.read_score_table(path)
    except wb.ScoresError as error:
        return "refused" if len(str(error)) > 20 else "refused without a message"
    assert repr(table)
    if isinstance(table, SignalTable):
        table = table.as_scores()
    assert table.n_models >= 2
    assert table.n_records >= 1
    return "read"


@pytest.mark.slow
def test_damaged_tables_are_read_or_refused_with_a_message(sources, tmp_path):
    outcomes = []
    for k, source in enumerate(sources.values()):
        for copy in range(COPIES):
            rng = np.random.default_rng([k, copy])
            outcomes.append(read(damaged(rng, source, tmp_path / f"{k}-{copy}")))
    assert {"read", "refused"} == set(outcomes)


#: Arrays of something else than numbers, and of nothing.
ODD = {
    "void": lambda shape: np.zeros(shape, "V4"),
    "fields": lambda shape: np.zeros(shape, [("p", "f8"), ("q", "i4")]),
    "dates": lambda shape: np.zeros(shape, "datetime64[s]"),
    "spans": lambda shape: np.zeros(shape, "timedelta64[D]"),
    "complex": lambda shape: np.zeros(shape, complex),
    "bytes": lambda shape: np.full(shape, b"abc"),
    "text": lambda shape: np.full(shape, "abc"),
    "no models": lambda shape: np.zeros((0, *shape[1:])),
    "no records": lambda shape: np.zeros((shape[0], 0)),
    "no axis": lambda shape: np.float64(3.0),
    "many axes": lambda shape: np.zeros((1,) * 30),
}

FILES = {
    "lira": ("experiment-1_8/keep.npy", "experiment-1_8/scores/0000000020.npy", "y_train.npy"),
    "lira-logits": ("experiment-1_8/logits/0000000020.npy", "y_train.npy"),
    "meter": ("models/memberships.npy", "signals/rmia_signals.npy", "signals/rmia_signals_pop.npy"),
    "arrays": ("scores.npy", "member.npy"),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", FILES)
def test_arrays_of_something_else(tmp_path, name, odd):
    found = layouts.audit(8, 12)
    make = {
        "lira": lambda: layouts.lira(tmp_path / "x", found),
        "lira-logits": lambda: layouts.lira(tmp_path / "x", found, logits=True),
        "meter": lambda: layouts.privacy_meter(tmp_path / "x", found),
        "arrays": lambda: _arrays(tmp_path / "x", found),
    }
    folder = make[name]()
    for file in FILES[name]:
        content = (folder / file).read_bytes()
        np.save(folder / file, ODD[odd](np.load(folder / file).shape))
        read(folder)
        (folder / file).write_bytes(content)
    assert read(folder) == "read"


def _arrays(folder, found):
    folder.mkdir()
    np.save(folder / "scores.npy", found.log_odds)
    np.save(folder / "member.npy", found.member)
    return folder


def test_arrays_without_records_or_models(tmp_path):
    for shape in ((0, 5), (5, 0), (0, 0)):
        path = tmp_path / "x.npz"
        np.savez(path, scores=np.zeros(shape), member=np.zeros(shape, bool))
        assert read(path) == "refused"


def test_a_name_may_state_any_number_of_experiments(tmp_path):
    found = layouts.audit(8, 12)
    many = 10**40
    folder = layouts.lira(tmp_path / "x", found, names=f"experiment-{{m}}_{many}")
    (note,) = (one for one in wb.read_score_table(folder).notes if "experiments are here" in one)
    assert f"8 of {many} experiments are here; missing: {many - 8} (number 8, 9, 10," in note
    for one in folder.glob("experiment-*"):
        (one / "hparams.json").write_text(json.dumps({"num_experiments": many}))
        one.rename(folder / one.name.split("_")[0])
    assert any(f"8 of {many} experiments" in note for note in wb.read_score_table(folder).notes)


@pytest.mark.parametrize("labels", [["cat"] * 12, [np.nan] * 12, [0.5] * 12, [7] * 12])
def test_classes_that_are_no_numbers(tmp_path, labels):
    found = layouts.audit(8, 12)
    outputs = np.full((8, 12, 3), 1 / 3)  # probabilities of classes, for certain
    np.savez(tmp_path / "x.npz", probs=outputs, member=found.member, labels=np.array(labels))
    assert read(tmp_path / "x.npz") == "refused"


def test_labels_that_are_no_classes_are_left_out(tmp_path):
    folder = layouts.lira(tmp_path / "x", layouts.audit(8, 12))
    np.save(folder / "y_train.npy", np.eye(12))  # a row for each record, which is no class
    table = wb.read_score_table(folder)
    assert "label" not in table.attributes
    assert any("'y_train.npy' holds float64[12, 12]" in note for note in table.notes)
