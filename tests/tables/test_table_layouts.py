"""Every layout of score tables opens without an option, with the right sides, names and counts."""

import logging

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.helpers import table_layouts as layouts
from workbench.tables.layouts.registry import LAYOUTS


@pytest.fixture
def found():
    return layouts.audit()


def assert_scores(table, found, scores=None):
    """The table has the audit's scores, memberships and direction."""
    assert isinstance(table, wb.ScoreTable)
    np.testing.assert_array_equal(table.member, found.member)
    np.testing.assert_allclose(table.matrix, found.log_odds if scores is None else scores)
    assert table.larger_is_member
    name = table.record_names[3]
    assert table.record(name).p.size == found.member[:, 3].sum()
    assert table.record(name).p.mean() > table.record(name).q.mean()


def assert_signals(table, found, kind, **tolerance):
    assert isinstance(table, wb.SignalTable)
    assert table.kind == kind
    np.testing.assert_array_equal(table.member, found.member)
    values = {
        "log-odds": found.log_odds,
        "probability": found.probability,
        "loss": -np.log(found.probability),
    }
    np.testing.assert_allclose(table.signals, values[kind], **tolerance)


# -- LiRA ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", ["experiment-{m}_{n}", "experiment_{m}_of_{n}", "experiment-{s}", "{m}"]
)
def test_lira_folder(tmp_path, found, names):
    table = wb.read_score_table(layouts.lira(tmp_path / "exp", found, names=names))
    assert table.scores.shape == (16, 40, 2)
    assert_scores(table, found, found.log_odds + 0.05)  # the mean over two augmentations
    assert list(table.model_names[[0, 2, 10]]) == [
        names.format(m=m, n=16, s=1000 + 7 * m) for m in (0, 2, 10)
    ]
    assert table.design.name == "exactly half"
    assert "layout: lira, 16 experiments" in table.notes[0]
    assert any("every record is in exactly half of the models" in note for note in table.notes)
    assert not any("missing" in note or "left out" in note for note in table.notes)
    assert table.name == "exp"


def test_lira_with_another_share_of_models_is_named(tmp_path):
    found = layouts.audit()
    member = np.random.default_rng(1).random((16, 40)).argsort(axis=0) < 4
    found = layouts.Audit(found.log_odds, member, found.labels)
    table = wb.read_score_table(layouts.lira(tmp_path, found))
    assert any("every record is in exactly 4 of 16 models" in note for note in table.notes)


def test_lira_scores_without_augmentations(tmp_path, found):
    table = wb.read_score_table(layouts.lira(tmp_path, found, augmentations=0))
    assert table.scores.shape == (16, 40)
    assert_scores(table, found)


def test_lira_takes_labels_and_images_of_the_records(tmp_path, found):
    table = wb.read_score_table(layouts.lira(tmp_path, found))
    np.testing.assert_array_equal(table.attributes["label"], found.labels)
    image = table.attributes["image"]
    assert isinstance(image, np.memmap) or isinstance(image.base, np.memmap)
    assert image.shape == (40, 4, 4, 3)
    assert (image[7] == 7).all()


def test_lira_logits_are_signals(tmp_path, found):
    table = wb.read_score_table(layouts.lira(tmp_path, found, logits=True))
    assert isinstance(table, wb.SignalTable)
    assert table.kind == "log-odds"
    assert table.signals.shape == (16, 40, 2)
    np.testing.assert_allclose(table.signals[:, :, 0], found.log_odds, atol=1e-5)
    np.testing.assert_array_equal(table.member, found.member)


def test_lira_experiments_with_one_array_of_scores_each(tmp_path, found):
    for m in range(16):
        (tmp_path / str(m)).mkdir()
        np.save(tmp_path / str(m) / "keep.npy", found.member[m])
        np.save(tmp_path / str(m) / "scores.npy", found.log_odds[m])
    assert_scores(wb.read_score_table(tmp_path), found)


# -- ml_privacy_meter ----------------------------------------------------------------------------


def test_privacy_meter_signals_are_turned(tmp_path):
    found = layouts.audit(design="complementary pairs")
    table = wb.read_score_table(layouts.privacy_meter(tmp_path / "run", found))
    assert_signals(table, found, "probability", rtol=1e-6)
    assert table.population.shape == (16, 25)
    assert table.design.name == "complementary pairs"
    assert any("turned to (models, records)" in note for note in table.notes)
    assert any("models come in complementary pairs" in note for note in table.notes)


def test_privacy_meter_has_several_signals(tmp_path, found):
    folder = layouts.privacy_meter(tmp_path, found, signals=("loss", "rmia"))
    table = wb.read_score_table(folder)
    assert "signals/rmia_signals.npy" in table.notes[0]
    assert any("not used: signals 'loss'" in note for note in table.notes)
    table = wb.read_score_table(folder, scores="loss")
    assert "signals/loss_signals.npy" in table.notes[0]
    assert_signals(table, found, "probability", rtol=1e-6)  # also where they are called loss


def test_privacy_meter_points_around_a_record_are_its_augmentations(tmp_path, found):
    table = wb.read_score_table(layouts.privacy_meter(tmp_path, found, around=3))
    assert table.signals.shape == (16, 40, 3)
    np.testing.assert_allclose(table.signals[:, :, 0], found.probability, rtol=1e-6)
    np.testing.assert_allclose(table.signals[:, :, 2], 0.98 * found.probability, rtol=1e-6)


# -- privacy-estimates ---------------------------------------------------------------------------


def test_shadow_statistics_with_models(tmp_path, found):
    table = wb.read_score_table(layouts.shadow_statistics(tmp_path / "stats", found))
    assert_signals(table, found, "log-odds", atol=1e-5)
    assert list(table.records[:2]) == [100, 101]
    assert list(table.models) == list(range(16))
    np.testing.assert_array_equal(table.attributes["label"], found.labels)


def test_shadow_statistics_of_losses(tmp_path, found):
    table = wb.read_score_table(layouts.shadow_statistics(tmp_path / "stats", found, loss=True))
    assert_signals(table, found, "loss", rtol=1e-6)


def test_shadow_statistics_without_models(tmp_path, found):
    folder = layouts.shadow_statistics(tmp_path / "stats", found, models=False)
    table = wb.read_score_table(folder)
    assert table.signals.shape == (16, 40)
    assert (table.member == (np.arange(16) < 8)[:, None]).all()
    for r in (0, 20):
        for side in (True, False):
            signals = table.signals[table.member[:, r] == side, r]
            expected = found.log_odds[found.member[:, r] == side, r]
            np.testing.assert_allclose(np.sort(signals), np.sort(expected), atol=1e-5)
    assert any("does not store which model a signal is of" in note for note in table.notes)


def test_shadow_statistics_are_not_of_equally_many_models(tmp_path):
    found = layouts.audit(design="independent coins")
    table = wb.read_score_table(layouts.shadow_statistics(tmp_path / "s", found, models=False))
    counts = found.member.sum(axis=0)
    assert table.signals.shape == (counts.max() + (16 - counts).max(), 40)
    np.testing.assert_array_equal((~np.isnan(table.signals)).sum(axis=0), 16)
    np.testing.assert_array_equal(table.present, ~np.isnan(table.signals))
    np.testing.assert_array_equal(table.member.sum(axis=0), counts)
    assert any("pairs of model and record are missing" in note for note in table.notes)


# -- PrivacyGuard and SACRO-ML -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_privacy_guard_folder(tmp_path, found, kind):
    table = wb.read_score_table(layouts.privacy_guard(tmp_path / "pg", found, kind=kind))
    order = np.argsort(~found.member[0], kind="stable")  # train, then test
    assert table.kind == "probability"
    assert list(table.models[:2]) == ["target", "reference 0"]
    np.testing.assert_array_equal(table.member, found.member[:, order])
    np.testing.assert_allclose(table.signals, found.probability[:, order])
    assert table.population.shape == (16, 9)
    np.testing.assert_array_equal(table.attributes["user_id"], order + 5)


def test_privacy_guard_frame_alone_has_its_reference_models(tmp_path, found):
    folder = layouts.privacy_guard(tmp_path / "pg", found)
    table = wb.read_score_table(folder / "df_test_merge.parquet")
    outside = ~found.member[0]
    np.testing.assert_allclose(table.signals, found.probability[1:, outside])
    assert any("not used: score_orig" in note for note in table.notes)


def test_vulnerability_matrix_is_named(tmp_path):
    path = layouts.vulnerability_matrix(tmp_path / "vulnerability_matrix.csv")
    with pytest.raises(
        wb.ScoresError, match=r"one target model.*'is_member' has the labels.*'qmia_mean'"
    ):
        wb.read_score_table(path)
    scores = wb.read_scores(path, score="qmia_mean", member="is_member")
    assert scores.p.mean() > scores.q.mean()


# -- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("member", ["member", "memberships", "keep", "in", "is_member"])
def test_npz(tmp_path, found, member):
    np.savez(tmp_path / "t.npz", scores=found.log_odds, **{member: found.member})
    assert_scores(wb.read_score_table(tmp_path / "t.npz"), found)


@pytest.mark.parametrize("turn_scores", [False, True])
@pytest.mark.parametrize("turn_member", [False, True])
def test_npz_in_any_orientation(tmp_path, found, turn_scores, turn_member):
    """The design shows which axis is the models where both have records first."""
    scores = found.log_odds.T if turn_scores else found.log_odds
    member = found.member.T if turn_member else found.member
    np.savez_compressed(tmp_path / "t.npz", scores=scores, member=member)
    table = wb.read_score_table(tmp_path / "t.npz")
    assert_scores(table, found)
    assert ("turned to (models, records)" in table.notes[0]) == (turn_scores or turn_member)


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)])
def test_npz_with_augmentations(tmp_path, found, axes):
    scores = np.stack([found.log_odds, found.log_odds + 1], axis=2).transpose(axes)
    np.savez(tmp_path / "t.npz", scores=scores, member=found.member)
    with pytest.raises(wb.ScoresError, match="augmentations="):
        wb.read_score_table(tmp_path / "t.npz")
    table = wb.read_score_table(tmp_path / "t.npz", augmentations="mean")
    assert table.scores.shape == (16, 40, 2)
    assert_scores(table, found, found.log_odds + 0.5)


def test_npz_with_names_and_attributes(tmp_path, found):
    records = np.array([f"r{i}" for i in range(40)])
    images = np.zeros((40, 3, 3), np.uint8)
    np.savez(
        tmp_path / "t.npz",
        scores=found.log_odds.astype(np.float32),
        member=found.member,
        records=records,
        models=np.arange(16) * 10,
        label=found.labels,
        image=images,
        settings=np.arange(3),
    )
    table = wb.read_score_table(tmp_path / "t.npz")
    assert table.scores.dtype == np.float32
    assert table.record("r3").n_p == 8
    assert list(table.models[:2]) == [0, 10]
    np.testing.assert_array_equal(table.attributes["label"], found.labels)
    assert table.attributes["image"].shape == (40, 3, 3)
    assert any("not used: 'settings'" in note for note in table.notes)


def test_folder_of_arrays(tmp_path, found):
    np.save(tmp_path / "scores.npy", found.log_odds)
    np.save(tmp_path / "memberships.npy", found.member.astype(np.uint8))
    np.save(tmp_path / "label.npy", found.labels)
    table = wb.read_score_table(tmp_path)
    assert_scores(table, found)
    np.testing.assert_array_equal(table.attributes["label"], found.labels)


def test_arrays_of_other_names(tmp_path, found):
    np.savez(tmp_path / "t.npz", phi=found.log_odds, trained=found.member)
    with pytest.raises(wb.ScoresError, match=r"'phi' \(16, 40\)"):
        wb.read_score_table(tmp_path / "t.npz")
    table = wb.read_score_table(tmp_path / "t.npz", layout="arrays", scores="phi", member="trained")
    assert_scores(table, found)


def test_arrays_of_losses_are_smaller_for_members(tmp_path, found):
    np.savez(tmp_path / "t.npz", losses=-found.log_odds, member=found.member)
    table = wb.read_score_table(tmp_path / "t.npz")
    assert not table.larger_is_member
    np.testing.assert_array_equal(table.matrix, found.log_odds)
    assert any("'losses' is read as a loss" in note for note in table.notes)
    assert wb.read_score_table(tmp_path / "t.npz", larger_is_member=True).larger_is_member


# -- tables --------------------------------------------------------------------------------------


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".feather"])
def test_long_form(tmp_path, found, suffix):
    table = wb.read_score_table(write(layouts.long_form(found), tmp_path / f"t{suffix}"))
    assert_scores(table, found)
    assert list(table.models) == list(range(16))


@pytest.mark.parametrize(
    "names",
    [
        ("model_id", "sample_id", "score", "is_member"),
        ("run", "canary", "logit", "in"),
        ("seed", "index", "statistic", "keep"),
        ("shadow_model", "record_id", "Score", "Membership"),
        ("experiment", "example_id", "value", "included"),
    ],
)
def test_long_form_in_other_words(found, names):
    assert_scores(wb.read_score_table(layouts.long_form(found, names)), found)


def test_long_form_with_words_for_memberships_and_columns_about_records(found):
    frame = layouts.long_form(found)
    frame["record"] = "r" + frame["record"].astype(str)
    frame["member"] = np.where(frame["member"] == 1, "train", "test")
    frame["group"] = np.where(frame["record"].str.len() > 2, "late", "early")
    frame["time"] = np.arange(len(frame))
    table = wb.read_score_table(frame)
    assert set(table.attributes) == {"group"}
    late = np.array([len(name) > 2 for name in table.records])
    np.testing.assert_array_equal(table.attributes["group"] == "late", late)
    r = list(table.records).index("r17")
    np.testing.assert_array_equal(table.member[:, r], found.member[:, 17])
    assert any("not used: 'time'" in note for note in table.notes)


def test_long_form_with_columns_stated(found):
    frame = layouts.long_form(found, ("a", "b", "c", "d"))
    stated = {"model": "a", "record": "b", "scores": "c", "member": "d"}
    with pytest.raises(wb.ScoresError, match="member_value="):
        wb.read_score_table(frame, layout="long", **stated)
    stated["member_value"] = 1
    assert_scores(wb.read_score_table(frame, layout="long", **stated), found)


def test_long_form_lacks_cells(found):
    frame = layouts.long_form(found)
    whole = frame[~((frame["model"] == 3) & (frame["record"] < 5))]
    table = wb.read_score_table(whole)
    assert np.isnan(table.scores[3, :5]).all()
    assert np.isnan(table.scores).sum() == 5
    assert table.record(2).n_p + table.record(2).n_q == 15
    assert table.n_in[2] == np.delete(found.member[:, 2], 3).sum()
    assert any("5 of 640 pairs of model and record have no row" in note for note in table.notes)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("score", "member"), [("score_{}", "member_{}"), ("logit.{}", "is_member.{}")]
)
def test_wide_form(tmp_path, found, suffix, score, member):
    path = write(layouts.wide_form(found, score, member), tmp_path / f"t{suffix}")
    table = wb.read_score_table(path)
    assert_scores(table, found)
    assert list(table.records[:2]) == ["r0", "r1"]
    assert list(table.models) == [str(m) for m in range(16)]
    np.testing.assert_array_equal(table.attributes["label"], found.labels)


def test_wide_form_with_two_attacks_asks(found):
    frame = layouts.wide_form(found)
    for m in range(16):
        frame[f"loss_{m}"] = -found.log_odds[m]
    with pytest.raises(wb.ScoresError, match=r"open which .* scores .*'score', 'loss'.*scores="):
        wb.read_score_table(frame)
    assert_scores(wb.read_score_table(frame, scores="score"), found)
    table = wb.read_score_table(frame, scores="loss")
    assert not table.larger_is_member
    np.testing.assert_array_equal(table.matrix, found.log_odds)


# -- all -----------------------------------------------------------------------------------------


def test_the_layout_is_logged_and_noted(tmp_path, found, caplog):
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member)
    with caplog.at_level(logging.INFO, "workbench.tables.read"):
        table = wb.read_score_table(tmp_path / "t.npz", name="mine")
    assert [record.getMessage().split(": ", 1)[1] for record in caplog.records] == list(table.notes)
    assert table.name == "mine"


def test_progress_is_reported_and_cancels(tmp_path, found):
    fractions = []

    def report(fraction=None, message=None, partial=None):
        fractions.append(fraction)
        if fraction is not None and fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wb.read_score_table(layouts.lira(tmp_path, found), progress=report)
    numbers = [f for f in fractions if f is not None]
    assert numbers == sorted(numbers)
    assert len(numbers) > 5


def test_every_layout_says_who_writes_it():
    for name, layout in LAYOUTS.items():
        assert layout.name == name
        assert layout.about


def test_a_frame_of_the_library_comes_back(found):
    table = wb.ScoreTable(found.log_odds, found.member)
    m, r = np.indices(found.member.shape)
    frame = pd.DataFrame({"model": m.ravel(), "record": r.ravel()})
    frame["score"], frame["member"] = table.scores.ravel(), table.member.ravel()
    assert_scores(wb.read_score_table(frame), found)
