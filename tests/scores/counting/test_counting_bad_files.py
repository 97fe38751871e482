"""Large files that are damaged, cut off, growing or incomplete: named, with what was used."""

import re

import numpy as np
import pyarrow as pa
import pytest
from scores.counting.test_one_pass import assert_same_counts, frame, sides, write_stream

import workbench as wb
from workbench.scores.counting import in_process, large
from workbench.scores.counting.one_pass import count_scores


def test_a_stream_that_is_cut_off(tmp_path):
    f = frame(10_000)
    write_stream(f, tmp_path / "a.arrow")
    content = (tmp_path / "a.arrow").read_bytes()
    for kept in (0.5, 0.33):
        (tmp_path / "b.arrow").write_bytes(content[: int(kept * len(content))])
        counted = count_scores(tmp_path / "b.arrow")
        n = counted.n_p + counted.n_q
        assert n == 1000 * (n // 1000) < 10_000
        assert_same_counts(counted, *sides(f[:n]))
        assert "'b.arrow' is cut off" in counted.notes[1]
        assert f"{n:,} scores before that were used" in counted.notes[1]
    # Between two batches, where a reader takes it for a whole one.
    (tmp_path / "b.arrow").write_bytes(content[:-8])
    assert (
        "the mark of its end is missing: 10,000 scores"
        in count_scores(tmp_path / "b.arrow").notes[1]
    )


@pytest.mark.parametrize("write", ["feather", "arrow"])
def test_an_arrow_file_without_its_end(tmp_path, write):
    f = frame(10_000)
    path = tmp_path / f"a.{write}"
    if write == "feather":
        f.to_feather(path, chunksize=1000)
    else:
        write_stream(f, path, file=True)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    counted = count_scores(path)
    n = counted.n_p + counted.n_q
    assert 0 < n < 10_000
    assert_same_counts(counted, *sides(f[:n]))
    assert f"{n:,} scores before that were used" in counted.notes[1]


def test_a_parquet_file_without_its_end(tmp_path):
    frame(10_000).to_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(wb.ScoresError, match=r"'a\.parquet' is damaged, truncated"):
        wb.read_scores(tmp_path / "a.parquet", counted=True)


def changes_while_it_is_read(path, change):
    """The counts of a file that is changed after its first batch."""
    changed = []

    def report(fraction=None, message=None, partial=None):
        if not changed:
            changed.append(True)
            change(path)

    return count_scores(path, progress=report)


def test_a_file_that_is_cut_off_while_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.scores.counting.text_rows._BLOCK", 100_000)
    monkeypatch.setattr("workbench.scores.counting.binary_rows.BATCH", 20_000)
    f = frame(1_000_000)
    f.to_parquet(tmp_path / "a.parquet", row_group_size=50_000)
    f.to_csv(tmp_path / "a.csv", index=False)

    def cut(path):
        with open(path, "rb+") as file:
            file.truncate(path.stat().st_size * 2 // 3)

    for name in ("a.parquet", "a.csv"):
        counted = changes_while_it_is_read(tmp_path / name, cut)
        n = counted.n_p + counted.n_q
        assert 0 < n < 1_000_000
        said = " ".join(counted.notes)
        assert f"{n:,} scores before that were used" in said
        assert "changed while it was read" in said


def test_a_file_that_grows_while_it_is_read(tmp_path):
    f = frame(1_000_000)
    f.to_csv(tmp_path / "a.csv", index=False)

    def grow(path):
        with open(path, "a") as file:
            file.write("1000000,1.5,1\n" * 1000)

    counted = changes_while_it_is_read(tmp_path / "a.csv", grow)
    assert_same_counts(counted, *sides(f))
    assert "changed while it was read" in counted.notes[1]
    assert "what it held at the beginning was used" in counted.notes[1]


def test_a_last_line_that_is_being_written(tmp_path):
    f = frame(1_000_000)
    f.to_csv(tmp_path / "a.csv", index=False)
    with open(tmp_path / "a.csv", "a") as file:
        file.write("1000000,1.2")

    def go_on(path):
        with open(path, "a") as file:
            file.write("5,1\n")

    counted = changes_while_it_is_read(tmp_path / "a.csv", go_on)
    assert_same_counts(counted, *sides(f))
    assert "the last line of 'a.csv' was being written: 1,000,000 scores" in counted.notes[1]


def test_a_last_line_without_its_end(tmp_path):
    (tmp_path / "a.csv").write_text("score,member\n1,0\n2,1\n3,0\n4,1")
    assert_same_counts(count_scores(tmp_path / "a.csv"), [2, 4], [1, 3])
    (tmp_path / "a.csv").write_text("score,member\n1,0\n2,1\n3,0\n4,1\n5")
    counted = count_scores(tmp_path / "a.csv")
    assert_same_counts(counted, [2, 4], [1, 3])
    assert "the last line is incomplete" in counted.notes[1]


def test_a_folder_of_parts_with_faults(tmp_path):
    f = frame(9000)
    parts = np.split(np.arange(9000), 9)
    for i, rows in enumerate(parts):
        f.iloc[rows].to_parquet(tmp_path / f"part-{i:05d}.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-00000.parquet.crc").write_bytes(b"x")
    assert_same_counts(wb.read_scores(tmp_path), *sides(f))
    assert wb.read_scores(tmp_path).name == tmp_path.name

    (tmp_path / "part-00002.parquet").unlink()
    (tmp_path / "part-00004.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "part-00006.parquet").write_bytes(b"")
    f.iloc[parts[7]].rename(columns={"score": "loss"}).to_parquet(tmp_path / "part-00007.parquet")
    counted = wb.read_scores(tmp_path)
    assert_same_counts(counted, *sides(f.iloc[np.concatenate([parts[i] for i in (0, 1, 3, 5, 8)])]))
    said = "\n".join(counted.notes)
    assert "parts of 'part-…' are missing: '2'" in said
    assert "'part-00004.parquet' was not used" in said
    assert "'part-00006.parquet' was not used: 'part-00006.parquet' is empty" in said
    assert "'part-00007.parquet' has no column 'score', only 'id', 'loss', 'member'" in said
    assert re.search(r"part-00007.*nothing was used", said)


def test_shards_that_their_names_count(tmp_path):
    f = frame(3000)
    for i in (0, 2):
        write_stream(f[1000 * i : 1000 * (i + 1)], tmp_path / f"data-{i:05d}-of-00004.arrow")
    counted = wb.read_scores(tmp_path, counted=True)
    assert counted.n_p + counted.n_q == 2000
    assert "parts of 'data-…' are missing: '1', '3'" in counted.notes


def test_folders_that_are_refused(tmp_path):
    with pytest.raises(wb.ScoresError, match="holds no part that can be read"):
        wb.read_scores(tmp_path, counted=True)
    frame(100).to_parquet(tmp_path / "a.parquet")
    frame(100).to_csv(tmp_path / "b.csv")
    with pytest.raises(wb.ScoresError, match="several kinds"):
        wb.read_scores(tmp_path, counted=True)


def test_thirty_gigabytes_of_nothing(tmp_path):
    for name in ("x.csv", "x.tsv", "x.parquet", "x.arrow", "x.feather"):
        path = tmp_path / name
        with path.open("wb") as file:
            file.truncate(30 * 10**9)
        with pytest.raises(wb.ScoresError):
            wb.read_scores(path)
        path.unlink()


def test_a_line_of_gigabytes_after_good_ones(tmp_path):
    with (tmp_path / "x.csv").open("wb") as file:
        file.write(b"score,member\n" + b"1.5,0\n2.5,1\n" * 10**5)
        file.truncate(30 * 10**9)
        file.seek(0, 2)
        file.write(b"\n1.5,1\n")
    with pytest.raises(wb.ScoresError, match="a line of more than 4 MB"):
        wb.read_scores(tmp_path / "x.csv")


def test_one_large_batch_is_read_in_parts(tmp_path, monkeypatch):
    f = frame(300_000)
    write_stream(f, tmp_path / "a.arrow", rows=300_000, file=True)
    monkeypatch.setattr("workbench.scores.counting.binary_rows._LARGE_BATCH", 1000)
    assert_same_counts(count_scores(tmp_path / "a.arrow"), *sides(f))


def test_a_page_that_expands_beyond_the_memory_ends_its_process_only(tmp_path):
    n = 150_000_000  # zeros: 1.2 GB in one batch of a stream, some MB in the file
    zeros = pa.array(np.zeros(n))
    table = pa.table({"score": zeros, "member": pa.array(np.zeros(n, np.int8))})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)
    del zeros, table
    with pytest.raises(wb.ScoresError, match=r"needs more than 1 GB of memory|is damaged"):
        wb.read_scores(tmp_path / "a.arrow", counted=True)
    assert in_process.MEMORY == 10**9


def test_what_is_counted_without_being_asked_for(tmp_path, monkeypatch):
    f = frame(1000)
    f.to_csv(tmp_path / "a.csv", index=False)
    assert not wb.read_scores(tmp_path / "a.csv").samples.is_counted
    monkeypatch.setattr(large, "LARGE", 1000)
    assert wb.read_scores(tmp_path / "a.csv").samples.is_counted
    assert not wb.read_scores(tmp_path / "a.csv", counted=False).samples.is_counted
    f.to_json(tmp_path / "a.json", orient="records")
    assert not wb.read_scores(tmp_path / "a.json").samples.is_counted
    assert not wb.read_scores(f).samples.is_counted


def test_a_loss_read_the_default_way_is_named(tmp_path):
    f = frame(1000).rename(columns={"score": "loss"})
    f.to_parquet(tmp_path / "a.parquet")
    counted = wb.read_scores(tmp_path / "a.parquet", counted=True)
    assert "may mean a loss" in counted.notes[-1]
    counted = wb.read_scores(tmp_path / "a.parquet", counted=True, larger_is_member=False)
    assert len(counted.notes) == 1
