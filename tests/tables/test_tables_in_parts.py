"""Long tables that are read a batch of rows at a time: the same table, and the same refusals."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.helpers import table_layouts as layouts
from workbench.scores.counting import binary_rows, large
from workbench.tables.in_parts import growing


@pytest.fixture
def found():
    return layouts.audit(design="independent coins")


@pytest.fixture
def frame(found):
    return layouts.long_form(found)


def write_parts(folder, frame, parts, suffix):
    folder.mkdir()
    n = -(-len(frame) // parts)
    for k in range(parts):
        part = frame.iloc[k * n : (k + 1) * n].reset_index(drop=True)
        path = folder / f"part-{k}{suffix}"
        if suffix == ".parquet":
            part.to_parquet(path, index=False, row_group_size=40)
        elif suffix == ".feather":
            part.to_feather(path)
        else:
            part.to_csv(path, index=False)
    return folder


def same(table, other):
    for what in ("scores", "member", "models", "records"):
        np.testing.assert_array_equal(getattr(table, what), getattr(other, what))
    assert (table.present is None) == (other.present is None)
    if table.present is not None:
        np.testing.assert_array_equal(table.present, other.present)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".feather"])
def test_a_folder_of_parts_is_one_table(tmp_path, frame, suffix):
    folder = write_parts(tmp_path / "t", frame, 3, suffix)
    same(wb.read_score_table(folder), wb.read_score_table(frame))


@pytest.mark.parametrize("trusted", [False, True])
def test_a_large_file_is_read_in_batches(tmp_path, frame, trusted, monkeypatch):
    whole = frame[~((frame["model"] == 3) & (frame["record"] < 5))].copy()
    whole["member"] = np.where(whole["member"] == 1, "train", "test")
    whole["record"] = "r" + whole["record"].astype(str)
    whole.to_parquet(tmp_path / "t.parquet", index=False)
    expected = wb.read_score_table(whole)
    monkeypatch.setattr(large, "LARGE", 100)
    monkeypatch.setattr(binary_rows, "BATCH", 50)  # of this process: with trusted
    table = wb.read_score_table(tmp_path / "t.parquet", trusted=trusted)
    same(table, expected)
    assert table.notes == expected.notes


def test_columns_are_stated_and_others_named(tmp_path, found):
    frame = layouts.long_form(found, ("a", "b", "c", "d")).assign(time=1.5)
    folder = write_parts(tmp_path / "t", frame, 2, ".parquet")
    stated = {"model": "a", "record": "b", "scores": "c", "member": "d", "member_value": 1}
    table = wb.read_score_table(folder, layout="long", **stated)
    np.testing.assert_array_equal(table.scores, found.log_odds)
    assert any("not used: 'time'" in note for note in table.notes)


def test_parts_that_are_missing_cut_off_or_twice(tmp_path, frame):
    folder = write_parts(tmp_path / "t", frame, 4, ".parquet")
    last = folder / "part-3.parquet"
    whole = last.read_bytes()
    last.write_bytes(whole[: len(whole) // 2])
    (folder / "part-1.parquet").unlink()
    table = wb.read_score_table(folder)
    assert int(table.present.sum()) == 320
    assert any("'part-3.parquet' was not used" in note for note in table.notes)
    assert any("parts of 'part-…' are missing: '1'" in note for note in table.notes)
    (folder / "part-5.parquet").write_bytes((folder / "part-0.parquet").read_bytes())
    with pytest.raises(wb.ScoresError, match=r"model .* and record .* have more than one row"):
        wb.read_score_table(folder)


def test_two_rows_in_one_batch_are_refused(tmp_path, frame):
    folder = write_parts(tmp_path / "t", pd.concat([frame, frame.iloc[-3:]]), 1, ".parquet")
    with pytest.raises(wb.ScoresError, match="3 rows are of a model and record that had one"):
        wb.read_score_table(folder)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("record", None, "name the model and the record"),
        ("member", None, "say of every score"),
        ("member", 2, "Write 1 for members"),
    ],
)
def test_rows_that_say_too_little_are_refused(tmp_path, frame, column, value, text):
    frame[column] = frame[column].astype("Int64")
    frame.loc[7, column] = value
    folder = write_parts(tmp_path / "t", frame, 2, ".parquet")
    with pytest.raises(wb.ScoresError, match=text):
        wb.read_score_table(folder)


def test_columns_that_name_no_models_do_not_fill_the_memory(tmp_path):
    n = np.arange(20_000)
    frame = pd.DataFrame({"model": n, "record": n, "score": 0.5, "member": n % 2})
    folder = write_parts(tmp_path / "t", frame, 1, ".parquet")
    with pytest.raises(wb.ScoresError, match="20000 models and 20000 records"):
        wb.read_score_table(folder)


def test_progress_is_reported_and_cancels(tmp_path, frame):
    folder = write_parts(tmp_path / "t", frame, 3, ".parquet")
    shares = []

    def report(fraction=None, message=None, partial=None):
        shares.append(fraction)
        if message and "rows" in message:
            raise KeyboardInterrupt

    for trusted in (False, True):
        with pytest.raises(KeyboardInterrupt):
            wb.read_score_table(folder, trusted=trusted, progress=report)
    assert all(share is None or 0 <= share <= 1 for share in shares)


def test_a_growing_table_makes_room_for_models_and_records(found):
    """Whatever the order of the rows, and the size of the batches."""
    import pyarrow as pa

    frame = layouts.long_form(found)[["score", "model", "record", "member"]]
    columns = {"scores": "score", "model": "model", "record": "record", "member": "member"}
    for size in (1, 7, 640):
        table = growing.GrowingTable(columns)
        for start in range(0, len(frame), size):
            batch = pa.RecordBatch.from_pandas(frame[start : start + size], preserve_index=False)
            table.add(batch, "t", (start + size) / len(frame))
        values, member, present, names = table.result()
        np.testing.assert_array_equal(values, found.log_odds)
        np.testing.assert_array_equal(member, found.member)
        assert present.all()
        assert list(names["models"]) == list(range(16))


def test_tables_beside_arrays_do_no_harm(tmp_path, found):
    """A layout that cannot read what is in a folder leaves it to the others."""
    np.save(tmp_path / "scores.npy", found.log_odds)
    np.save(tmp_path / "memberships.npy", found.member)
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    np.testing.assert_array_equal(wb.read_score_table(tmp_path).scores, found.log_odds)


def test_a_folder_of_damaged_parts_says_so(tmp_path, frame):
    folder = write_parts(tmp_path / "t", frame, 2, ".parquet")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(wb.ScoresError, match="holds no part that can be read"):
        wb.read_score_table(folder)
