"""What misleads in files of score tables is refused or named, with what was used and what not."""

import os
import shutil
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.helpers import table_layouts as layouts
from workbench.scores.parsing import source
from workbench.tables.layouts import place


@pytest.fixture
def found():
    return layouts.audit()


def noted(table, *texts):
    """The notes of a table, which contain each of the texts."""
    for text in texts:
        assert any(text in note for note in table.notes), (text, table.notes)
    return table


def refused(source, *texts, **options):
    with pytest.raises(wb.ScoresError) as raised:
        wb.read_score_table(source, **options)
    for text in texts:
        assert text in str(raised.value)


# -- shapes and orientation ----------------------------------------------------------------------


def test_signals_of_a_subset_are_refused(tmp_path, found):
    folder = layouts.privacy_meter(tmp_path, found, subset=25)
    refused(
        folder,
        "signals of 25 records",
        "memberships are of 40",
        "does not store",
        "data_size to 40",
    )


def test_signals_of_other_models_are_refused(tmp_path, found):
    folder = layouts.privacy_meter(tmp_path, found)
    np.save(folder / "signals" / "rmia_signals.npy", np.ones((30, 8), np.float32) / 2)
    refused(folder, "shape (30, 8)", "memberships (16, 40)")


def test_signals_that_somebody_turned_are_taken_as_they_are(tmp_path, found):
    folder = layouts.privacy_meter(tmp_path, found)
    path = folder / "signals" / "rmia_signals.npy"
    np.save(path, np.load(path).T)
    table = noted(wb.read_score_table(folder), "taken as (models, records)")
    np.testing.assert_allclose(table.signals, found.probability, rtol=1e-6)


def test_as_many_models_as_records_is_asked_for(tmp_path):
    found = layouts.audit(models=20, records=20, design="independent coins")
    np.savez(tmp_path / "t.npz", scores=found.log_odds.T, member=found.member)
    refused(tmp_path / "t.npz", "open which axis is the models", "transposed='neither'")
    table = wb.read_score_table(tmp_path / "t.npz", transposed="scores")
    np.testing.assert_array_equal(table.scores, found.log_odds)
    np.testing.assert_array_equal(table.member, found.member)


def test_more_models_than_records_is_asked_for(tmp_path):
    found = layouts.audit(models=60, records=20, design="independent coins")
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member)
    refused(tmp_path / "t.npz", "open which axis is the models")
    table = wb.read_score_table(tmp_path / "t.npz", transposed="neither")
    assert (table.n_models, table.n_records) == (60, 20)
    table = wb.read_score_table(tmp_path / "t.npz", transposed="both")
    assert (table.n_models, table.n_records) == (20, 60)
    # The design says it, or names of the records.
    half = layouts.audit(models=60, records=20)
    np.savez(tmp_path / "half.npz", scores=half.log_odds, member=half.member)
    assert wb.read_score_table(tmp_path / "half.npz").n_models == 60
    np.savez(
        tmp_path / "named.npz", scores=found.log_odds, member=found.member, records=np.arange(20)
    )
    assert wb.read_score_table(tmp_path / "named.npz").n_records == 20


def test_shapes_that_do_not_fit_are_refused(tmp_path, found):
    np.savez(tmp_path / "t.npz", scores=found.log_odds[:, :30], member=found.member)
    refused(tmp_path / "t.npz", "(16, 30)", "(16, 40)", "same models and records")
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member)
    refused(tmp_path / "t.npz", "transposed='scores'", "do not fit", transposed="scores")
    with pytest.raises(ValueError, match="transposed must be one of 'neither', 'scores'"):
        wb.read_score_table(tmp_path / "t.npz", transposed=True)


def test_keep_and_scores_of_different_length_are_refused(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    np.save(folder / "experiment-3_16" / "keep.npy", found.member[3, :30])
    refused(folder, "experiment-3_16/keep.npy", "(30,)", "(40, 2)", "same order")


def test_keep_that_lists_numbers_of_records_is_refused(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    np.save(folder / "experiment-3_16" / "keep.npy", np.flatnonzero(found.member[3]))
    refused(folder, "if keep.npy lists the numbers of records")
    np.save(folder / "experiment-3_16" / "keep.npy", np.arange(40))
    refused(folder, "experiment-3_16/keep.npy", "not true and false")


def test_experiments_of_different_records_are_refused(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    np.save(folder / "experiment-5_16" / "scores" / f"{20:010d}.npy", np.zeros((41, 2)))
    np.save(folder / "experiment-5_16" / "keep.npy", np.zeros(41, bool))
    refused(folder, "'experiment-5_16'", "(41, 2)", "(40, 2)")


# -- what is missing -----------------------------------------------------------------------------


@pytest.mark.parametrize("names", ["experiment-{m}_{n}", "experiment-{s}"])
def test_half_of_the_experiments_are_missing(tmp_path, found, names):
    folder = layouts.lira(tmp_path, found, names=names)
    for m in range(0, 16, 2):
        shutil.rmtree(folder / names.format(m=m, n=16, s=1000 + 7 * m))
    table = noted(wb.read_score_table(folder), "8 of 16 experiments are here; missing: 8",
                  "not independent, though")  # fmt: skip
    assert table.n_models == 8
    np.testing.assert_array_equal(table.member, found.member[1::2])
    if names == "experiment-{m}_{n}":
        noted(table, "number 0, 2, 4, 6, 8 and 3 more")


def test_experiments_that_are_not_complete_are_left_out_by_name(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    shutil.rmtree(folder / "experiment-2_16" / "scores")
    (folder / "experiment-4_16" / "keep.npy").unlink()
    cut = folder / "experiment-6_16" / "scores" / f"{20:010d}.npy"
    cut.write_bytes(cut.read_bytes()[:-100])
    table = noted(
        wb.read_score_table(folder),
        "left out: 'experiment-2_16' has no scores",
        "left out: 'experiment-4_16' has no keep.npy",
        "left out: 'experiment-6_16'",
        "more than it holds",
        "13 of 16 experiments are here",
    )
    kept = [m for m in range(16) if m not in (2, 4, 6)]
    np.testing.assert_array_equal(table.member, found.member[kept])


def test_experiments_of_different_epochs_and_settings_are_named(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    (folder / "experiment-2_16" / "scores" / f"{20:010d}.npy").unlink()
    (folder / "experiment-2_16" / "hparams.json").write_text('{"epochs": 10, "expid": 2}')
    noted(
        wb.read_score_table(folder),
        "end with different epochs",
        "0000000010.npy in experiment-2_16",
        "hparams.json differ between experiments in 'num_experiments', 'epochs'",
    )


def test_an_experiment_that_was_copied_is_named(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    shutil.rmtree(folder / "experiment-9_16")
    shutil.copytree(folder / "experiment-1_16", folder / "experiment-9_16")
    noted(
        wb.read_score_table(folder),
        "the same values and memberships: experiment-1_16 and experiment-9_16",
    )


def test_one_experiment_points_to_the_folder_above(tmp_path, found):
    folder = layouts.lira(tmp_path / "exp", found)
    refused(folder / "experiment-0_16", "one experiment of LiRA", str(folder))
    refused(tmp_path, "its folder 'exp' is one (lira)", str(folder))


def test_logits_without_labels_are_refused(tmp_path, found):
    folder = layouts.lira(tmp_path, found, logits=True)
    (folder / "y_train.npy").unlink()
    refused(folder, "no y_train.npy of 40 labels", "score.py")


def test_labels_and_images_of_other_records_are_left_out(tmp_path, found):
    folder = layouts.lira(tmp_path, found)
    np.save(folder / "y_train.npy", np.zeros(50, int))
    (folder / "x_train.npy").write_bytes(b"\x93NUMPY damaged")
    table = noted(
        wb.read_score_table(folder), "left out: 'y_train.npy' has the shape (50,)", "x_train.npy"
    )
    assert not table.attributes


def test_shards_of_a_data_set_that_are_missing_or_cut_off(tmp_path, found):
    folder = layouts.shadow_statistics(tmp_path / "s", found, shards=2)
    (folder / "data-00001-of-00002.arrow").unlink()
    table = noted(wb.read_score_table(folder), "1 of 2 files of the data set are here")
    assert table.n_records == 20
    first = folder / "data-00000-of-00002.arrow"
    first.write_bytes(first.read_bytes()[:-700])
    refused(folder, "data-00000-of-00002.arrow", "damaged, truncated")


def test_means_and_deviations_are_no_table(tmp_path, found):
    keep = ("sample_index", "split", "lira_mean_in", "lira_mean_out")
    refused(
        layouts.shadow_statistics(tmp_path / "s", found, keep=keep),
        "from means and deviations no table can be made",
        "lira_mean_in",
    )
    frame = pd.DataFrame({"score_orig": [1.0], "score_mean_in": [0.5], "score_mean_out": [0.1]})
    refused(frame, "scores of one target model", "wb.read_scores reads those")


# -- records and models --------------------------------------------------------------------------


def test_records_in_all_models_or_in_none_are_kept_and_named(tmp_path):
    found = layouts.audit(design="independent coins")
    found.member[:, 3], found.member[:, 7], found.member[:, 9] = True, False, False
    found.member[:, 11] = np.arange(16) == 4
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member)
    table = noted(
        wb.read_score_table(tmp_path / "t.npz"),
        "2 records are in no model (7, 9); 1 record is in every model (3)",
        "1 record is in a single model, or in all but one (11)",
        "not auditable",
    )
    assert table.n_records == 40
    assert list(np.flatnonzero(~table.auditable)) == [3, 7, 9, 11]


def test_columns_of_nan_are_left_out_and_single_nan_are_named(tmp_path, found):
    scores = found.log_odds.copy()
    scores[:, [4, 8]] = np.nan
    scores[2, 5] = np.nan
    np.savez(tmp_path / "t.npz", scores=scores, member=found.member, label=found.labels)
    table = noted(
        wb.read_score_table(tmp_path / "t.npz"),
        "left out: 2 records with nothing but NaN (4, 8)",
        "1 value of 1 record is NaN (5)",
    )
    assert table.n_records == 38
    assert 4 not in table.record_names
    r = table.index(9)
    assert table.attributes["label"][r] == found.labels[9]
    np.testing.assert_array_equal(table.scores[:, r], found.log_odds[:, 9])


def test_one_model_is_refused(tmp_path, found):
    np.savez(tmp_path / "t.npz", scores=found.log_odds[:1], member=found.member[:1])
    refused(tmp_path / "t.npz", "one run", "wb.read_one_run")
    frame = layouts.long_form(found)
    refused(frame[frame["model"] == 2], "one run")


def test_names_that_occur_twice_are_refused(tmp_path, found):
    records = np.arange(40)
    records[7] = 6
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member, records=records)
    refused(tmp_path / "t.npz", "records occur twice", "'6'")


def test_two_rows_of_one_model_and_record_are_refused(tmp_path, found):
    frame = layouts.long_form(found)
    path = tmp_path / "t.csv"
    pd.concat([frame, frame.iloc[[10]]]).to_csv(path, index=False)
    one = frame.iloc[10]
    refused(
        path,
        f"model {int(one['model'])} and record {int(one['record'])} have 2 rows",
        "row 12 and row 642",
    )


def test_rows_without_a_name_or_a_membership_are_refused(found):
    frame = layouts.long_form(found)
    for column, text in (("record", "name the model"), ("member", "say of every score")):
        wrong = frame.astype({column: float})
        wrong.loc[3, column] = np.nan
        refused(wrong, repr(column), text)
    frame["member"] = np.where(frame["member"] == 1, "alpha", "beta")
    refused(frame, "'alpha', 'beta'", "member_value=")


def test_columns_that_name_no_models_and_records_do_not_fill_the_memory(found):
    n = 20_000
    numbers = np.arange(n)
    frame = pd.DataFrame({"model": numbers, "record": numbers, "score": 0.5, "member": numbers % 2})
    refused(frame, "20000 models and 20000 records", "20000 are filled")


def test_values_that_are_missing_because_of_the_membership_are_named(found):
    frame = layouts.long_form(found)
    table = wb.read_score_table(frame[(frame["record"] != 4) | (frame["member"] == 1)])
    noted(table, "if a value is missing because of the membership")
    assert not table.auditable[4]


def test_wide_form_with_a_score_or_a_membership_only_is_refused(found):
    refused(layouts.wide_form(found).drop(columns="member_3"), "'score_3' without the other")


def test_models_of_the_frames_differ(tmp_path, found):
    folder = layouts.privacy_guard(tmp_path / "pg", found)
    test = pd.read_parquet(folder / "df_test_merge.parquet")
    test.drop(columns=["score_ref_4", "member_ref_4"]).to_parquet(
        folder / "df_test_merge.parquet", index=False
    )
    refused(folder, "have different models")


# -- damaged, hostile and growing files ----------------------------------------------------------


def test_arrays_that_are_cut_off_are_refused(tmp_path, found):
    np.save(tmp_path / "scores.npy", found.log_odds)
    np.save(tmp_path / "memberships.npy", found.member)
    whole = (tmp_path / "scores.npy").read_bytes()
    (tmp_path / "scores.npy").write_bytes(whole[:-8])
    refused(tmp_path, "'scores.npy'", "more than it holds")
    (tmp_path / "scores.npy").write_bytes(whole[:40])
    refused(tmp_path, "'scores.npy'", "damaged, truncated")


def test_an_archive_that_is_cut_off_is_refused(tmp_path, found):
    path = tmp_path / "t.npz"
    np.savez(path, scores=found.log_odds, member=found.member)
    path.write_bytes(path.read_bytes()[:-300])
    refused(path, "'t.npz' is damaged, truncated")


def test_nothing_is_unpickled(tmp_path, found):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    folder = layouts.lira(tmp_path / "exp", found)
    scores = folder / "experiment-0_16" / "scores" / f"{20:010d}.npy"
    np.save(scores, np.array([Evil()], dtype=object), allow_pickle=True)
    noted(wb.read_score_table(folder), "left out: 'experiment-0_16'", "unpickling")
    np.savez(tmp_path / "t.npz", scores=np.array([[Evil()]], dtype=object), member=found.member)
    refused(tmp_path / "t.npz", "'member' (16, 40)")
    assert not (tmp_path / "made").exists()


def test_headers_do_not_allocate_more_than_the_file_holds(tmp_path, found):
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    with (tmp_path / "scores.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        file.write(bytes(800))
    np.save(tmp_path / "memberships.npy", found.member)
    refused(tmp_path, "'scores.npy'", "more than it holds")


def test_an_archive_that_expands_is_refused(tmp_path, found):
    path = tmp_path / "t.npz"
    header = {"descr": "<f8", "fortran_order": False, "shape": (1000, 160_000)}
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("scores.npy", "w", force_zip64=True) as file,
    ):
        np.lib.format.write_array_header_1_0(file, header)
        for _ in range(1280):
            file.write(bytes(10**6))
    refused(path, "would expand", "trusted=True")


def test_devices_and_pipes_are_not_read(tmp_path, found):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    folder = layouts.lira(tmp_path / "exp", found)
    keep = folder / "experiment-1_16" / "keep.npy"
    keep.unlink()
    os.mkfifo(keep)
    noted(wb.read_score_table(folder), "left out: 'experiment-1_16' has no keep.npy")
    os.mkfifo(tmp_path / "t.npz")
    refused(tmp_path / "t.npz", "a pipe")
    refused(tmp_path / "nothing.npz", "there is no file")
    refused("a\0b", "is no path")


def test_a_file_that_grows_while_it_is_read_is_named(tmp_path, found, monkeypatch):
    path = tmp_path / "t.parquet"
    frame = layouts.long_form(found)
    frame.to_parquet(path, index=False)
    size = path.stat().st_size

    def growing(path, **options):
        table = source.read_table(path, **options)
        more = frame.assign(model=frame["model"] + 16)
        pd.concat([frame, more]).to_parquet(path, index=False)
        return table

    monkeypatch.setattr(place, "read_table", growing)
    table = noted(
        wb.read_score_table(path),
        f"'t.parquet' changed while it was read, from {size} to",
        "what came later is not",
    )
    assert table.n_models == 16


def test_a_file_that_is_written_while_it_is_read_and_damaged_says_so(tmp_path, found, monkeypatch):
    path = tmp_path / "t.parquet"
    layouts.long_form(found).to_parquet(path, index=False)
    whole = path.read_bytes()

    def written(path, **options):
        path.write_bytes(whole[: len(whole) // 2])
        return source.read_table(path, **options)

    monkeypatch.setattr(place, "read_table", written)
    refused(path, "'t.parquet' changed while it was read", "once it is complete")


def test_experiments_that_grow_meanwhile_do_no_harm(tmp_path, found):
    """A training that still runs adds experiments to the folder that is read."""
    folder = layouts.lira(tmp_path, found)
    stop = threading.Event()

    def write():
        m = 100
        while not stop.is_set():
            one = folder / f"experiment-{m}_16" / "scores"
            one.mkdir(parents=True)
            m += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        table = wb.read_score_table(folder)
    finally:
        stop.set()
        writer.join()
    np.testing.assert_array_equal(table.member, found.member)


def test_a_place_that_is_no_table_says_what_is_known(tmp_path):
    (tmp_path / "readme.md").write_text("x")
    refused(tmp_path, "it holds readme.md", "- LiRA (tensorflow/privacy)", "- wide form")
    refused(tmp_path / "readme.md", "'.md' hold no tables")
    refused(pd.DataFrame({"a": [1.0], "b": [2]}), "it has the columns 'a', 'b'")
    np.save(tmp_path / "x.npy", np.zeros((3, 4)))
    refused(tmp_path / "x.npy", "np.savez('table.npz'")
    refused(pd.DataFrame({"a": [1.0]}), "no column for the scores", layout="long")
    with pytest.raises(ValueError, match="layout must be one of 'lira'"):
        wb.read_score_table(tmp_path, layout="mine")


def test_options_that_have_no_use_with_signals_are_refused(tmp_path, found):
    folder = layouts.privacy_meter(tmp_path, found)
    refused(folder, "larger_is_member= and augmentations= belong", larger_is_member=False)
