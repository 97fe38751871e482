"""Files and folders that grow: what is read, in which order, and what is named and not read."""

import json
import os
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

import workbench as wb

RNG = np.random.default_rng(5)
SCORES = RNG.normal(size=400).round(6)
MEMBER = RNG.integers(0, 2, 400)
P, Q = SCORES[MEMBER == 1], SCORES[MEMBER == 0]
LINES = ["score,member", *(f"{x!r},{m}" for x, m in zip(SCORES.tolist(), MEMBER, strict=True))]


def table(start=0, stop=400):
    return pa.table({"score": SCORES[start:stop], "member": MEMBER[start:stop]})


def all_of(file):
    """All rows that are there now, as arrays of P and of Q."""
    found = []
    while (new := file.new_rows()).size:
        found.append(new)
    return tuple(
        np.concatenate([np.empty(0), *(getattr(one, side) for one in found)]) for side in "pq"
    )


def joined(parts):
    return [np.concatenate(side) for side in zip(*parts, strict=True)]


def assert_everything(parts):
    p, q = joined(parts)
    np.testing.assert_array_equal(p, P)
    np.testing.assert_array_equal(q, Q)


def csv_text(start, stop):
    head = LINES[:1] if start == 0 else []
    return "\n".join([*head, *LINES[1 + start : 1 + stop], ""]).encode()


def json_text(start, stop):
    rows = zip(SCORES[start:stop].tolist(), MEMBER[start:stop].tolist(), strict=True)
    return "".join(json.dumps({"score": x, "member": m}) + "\n" for x, m in rows).encode()


@pytest.mark.parametrize(("name", "text"), [("a.csv", csv_text), ("a.jsonl", json_text)])
@given(
    cuts=st.lists(st.integers(0, 6000), max_size=6), rows=st.lists(st.integers(0, 400), max_size=3)
)
@settings(max_examples=25, deadline=None)
def test_text_that_is_appended_in_any_pieces_gives_the_same_rows(
    name, text, cuts, rows, tmp_path_factory
):
    """Cuts fall between rows and within them, also within the header."""
    path = tmp_path_factory.mktemp("growing") / name
    whole = text(0, 400)
    ends = sorted({min(cut, len(whole)) for cut in cuts} | {len(text(0, n)) for n in rows})
    file, parts = wb.GrowingFile(path), []
    for start, stop in zip([0, *ends], [*ends, len(whole)], strict=True):
        with open(path, "ab") as out:
            out.write(whole[start:stop])
        parts.append(all_of(file))
    assert_everything(parts)
    assert (file.n_p, file.n_q, file.left_out, file.stopped) == (P.size, Q.size, 0, "")


def test_a_last_line_waits_until_its_end_is_written(tmp_path):
    path = tmp_path / "a.csv"
    whole = csv_text(0, 400)
    path.write_bytes(whole[:-3])
    file = wb.GrowingFile(path)
    first = all_of(file)
    assert sum(x.size for x in first) == 399
    assert file.waits == "the last line is not complete"
    assert not file.new_rows().size
    assert file.waits == "the last line is not complete"
    with open(path, "ab") as out:
        out.write(whole[-3:])
    assert_everything([first, all_of(file)])
    assert file.waits == ""


def test_a_file_may_come_later_and_go(tmp_path):
    path = tmp_path / "a.csv"
    file = wb.GrowingFile(path)
    assert not file.new_rows().size
    assert file.waits == "there is no file yet"
    path.write_bytes(csv_text(0, 200))
    first = all_of(file)
    path.unlink()
    assert not file.new_rows().size
    assert file.waits == "the file is gone"
    path.write_bytes(csv_text(0, 400))
    assert_everything([first, all_of(file)])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: os.truncate(path, 700), "the file became shorter"),
        (lambda path: path.write_bytes(csv_text(0, 400).replace(b"e", b"f")), "replaced"),
        (
            lambda path: path.write_bytes(csv_text(0, 180) + b"9.5,1\n" * 20 + csv_text(200, 400)),
            "replaced",
        ),
    ],
)
def test_a_file_that_shrinks_or_is_replaced_stops_and_says_what_was_used(change, said, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(csv_text(0, 200))
    file = wb.GrowingFile(path)
    p, q = all_of(file)
    change(path)
    assert not file.new_rows().size
    assert said in file.stopped
    assert "The rows that were read before stay in use" in file.stopped
    path.write_bytes(csv_text(0, 400))
    assert not file.new_rows().size, "what was stopped must not begin again"
    assert (file.n_p, file.n_q) == (p.size, q.size)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.arrows", "a.parquet"])
def test_a_pipe_is_refused_without_waiting_for_it(name, tmp_path):
    os.mkfifo(tmp_path / name)
    file = wb.GrowingFile(tmp_path / name)
    assert not file.new_rows().size
    assert "a pipe or a device" in file.stopped
    os.mkfifo(tmp_path / "b.csv")
    folder = wb.GrowingFile(tmp_path)
    assert not folder.new_rows().size
    assert any("it is no file" in note for note in folder.notes)


def test_bad_rows_are_left_out_counted_and_the_first_is_named(tmp_path):
    path = tmp_path / "a.csv"
    lines = LINES.copy()
    lines[41:41] = ["oops,1", "1.5", '"a,1', "2.5,", "", "3.5,maybe"]
    path.write_text("\n".join([*lines, ""]))
    file = wb.GrowingFile(path)
    assert_everything([all_of(file)])
    assert file.left_out == 5
    assert "left out 5 rows" in file.notes[0]


def test_the_line_of_a_bad_row_is_its_number_in_the_file(tmp_path):
    path = tmp_path / "a.csv"
    lines = LINES.copy()
    lines[41:41] = ["", "oops,1"]
    path.write_text("\n".join([*lines, ""]))
    file = wb.GrowingFile(path)
    all_of(file)
    assert file.notes == ("left out 1 rows, first: line 43 has no number as 'score'",)


def test_two_columns_may_be_of_unequal_length(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{x},{'' if i > 60 else -x}" for i, x in enumerate(SCORES[:100].tolist())]
    path.write_text("\n".join(["p,q", *rows, ""]))
    p, q = all_of(wb.GrowingFile(path))
    assert (p.size, q.size) == (100, 61)


def test_nan_and_infinity_are_scores(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\n".join([*LINES, "nan,1", "inf,0", ""]))
    p, q = all_of(wb.GrowingFile(path))
    assert np.isnan(p[-1])
    assert q[-1] == np.inf


def test_labels_that_show_late_are_waited_for(tmp_path):
    """Members come first: only row 200 shows that there are non-members."""
    path = tmp_path / "a.csv"
    rows = [*(f"{x!r},1" for x in P.tolist()), *(f"{x!r},0" for x in Q.tolist())]
    path.write_text("\n".join(["score,member", *rows[:100], ""]))
    file = wb.GrowingFile(path)
    assert not file.new_rows().size
    assert "same label" in file.waits
    with open(path, "a") as out:
        out.write("\n".join([*rows[100:], ""]))
    assert_everything([all_of(file)])


def test_labels_without_a_known_word_are_asked_for(tmp_path):
    path = tmp_path / "a.csv"
    rows = (f"{x!r},{'red' if m else 'blue'}" for x, m in zip(SCORES.tolist(), MEMBER, strict=True))
    path.write_text("\n".join(["score,member", *rows, ""]))
    file = wb.GrowingFile(path)
    assert not file.new_rows().size
    assert "'blue', 'red'" in file.waits
    assert_everything([all_of(wb.GrowingFile(path, member_value="red"))])


# -- parquet and arrow -----------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [50, 1000])
def test_a_parquet_file_that_is_written_anew_with_more_rows(groups, tmp_path):
    path = tmp_path / "a.parquet"
    file, parts = wb.GrowingFile(path), []
    for rows in (20, 100, 130, 400):
        parquet.write_table(table(0, rows), path, row_group_size=groups)
        parts.append(all_of(file))
    assert_everything(parts)


@pytest.mark.parametrize("groups", [50, 1000])
def test_a_parquet_file_with_other_earlier_rows_stops(groups, tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(table(0, 100), path, row_group_size=groups)
    file = wb.GrowingFile(path)
    assert all_of(file)[0].size
    changed = pa.concat_tables([table(0, 60), table(61, 400)])
    parquet.write_table(changed, path, row_group_size=groups)
    assert not file.new_rows().size
    assert "have changed" in file.stopped


def test_a_parquet_file_with_fewer_rows_stops_and_a_cut_one_waits(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(table(0, 100), path)
    file = wb.GrowingFile(path)
    first = all_of(file)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert not file.new_rows().size
    assert file.waits == "the file is cut off, or still being written"
    parquet.write_table(table(0, 400), path)
    assert_everything([first, all_of(file)])
    parquet.write_table(table(0, 90), path)
    assert not file.new_rows().size
    assert "fewer rows, 90 where 400 were used" in file.stopped


@given(cuts=st.lists(st.integers(0, 12_000), max_size=5))
@settings(max_examples=20, deadline=None)
def test_an_arrow_stream_in_any_pieces(cuts, tmp_path_factory):
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table().schema) as writer:
        for start in range(0, 400, 80):
            writer.write_table(table(start, start + 80))
    whole = sink.getvalue().to_pybytes()
    path = tmp_path_factory.mktemp("growing") / "a.arrows"
    file, parts = wb.GrowingFile(path), []
    ends = sorted(min(cut, len(whole)) for cut in cuts)
    for start, stop in zip([0, *ends], [*ends, len(whole)], strict=True):
        with open(path, "ab") as out:
            out.write(whole[start:stop])
        parts.append(all_of(file))
    assert_everything(parts)
    assert "closed the stream" in file.notes[0]


def test_an_arrow_file_and_other_kinds_are_refused_with_the_remedy(tmp_path):
    path = tmp_path / "a.arrow"
    with ipc.new_file(str(path), table().schema) as writer:
        writer.write_table(table())
    file = wb.GrowingFile(path)
    assert not file.new_rows().size
    assert "write the stream format" in file.stopped
    with pytest.raises(wb.ScoresError, match="cannot be followed"):
        wb.GrowingFile(tmp_path / "a.npz")


# -- folders ---------------------------------------------------------------------------------------


def settle(path, when):
    """Date a part, so that it counts as complete."""
    os.utime(path, ns=(when * 10**9,) * 2)


def test_the_parts_of_a_folder_come_in_the_order_in_which_they_were_written(tmp_path):
    folder, old = tmp_path / "parts", int(time.time()) - 1000
    file = wb.GrowingFile(folder)
    assert not file.new_rows().size
    assert file.waits == "there is no folder yet"
    folder.mkdir()
    (folder / "z.csv").write_bytes(csv_text(0, 100))
    settle(folder / "z.csv", old)
    first = all_of(file)
    (folder / "b.jsonl").write_bytes(json_text(100, 200))
    parquet.write_table(table(200, 300), folder / "a.parquet")
    (folder / "c.jsonl.tmp").write_bytes(json_text(0, 50))
    (folder / "notes.md").write_text("about")
    for name, when in (("b.jsonl", old + 1), ("a.parquet", old + 2)):
        settle(folder / name, when)
    second = all_of(file)
    with ipc.new_file(str(folder / "last.feather"), table().schema) as writer:
        writer.write_table(table(300, 400))
    settle(folder / "last.feather", old + 3)
    assert_everything([first, second, all_of(file)])
    assert any("'notes.md' is left out" in note for note in file.notes)
    assert_everything([all_of(wb.GrowingFile(folder))])  # a restart finds the same


def test_a_part_that_is_being_written_waits_and_a_damaged_one_is_named(tmp_path):
    old = int(time.time()) - 1000
    parquet.write_table(table(), tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    file = wb.GrowingFile(tmp_path)
    assert not file.new_rows().size
    assert file.waits == "'a.parquet' is still being written"
    (tmp_path / "a.parquet").write_bytes(whole[:-9])
    settle(tmp_path / "a.parquet", int(time.time()) - 5)
    assert not file.new_rows().size
    assert "cannot be read yet" in file.waits
    settle(tmp_path / "a.parquet", old)
    parquet.write_table(table(), tmp_path / "b.parquet")
    settle(tmp_path / "b.parquet", old + 1)
    assert_everything([all_of(file)])
    assert "'a.parquet' is left out: it is cut off or damaged" in file.notes
    (tmp_path / "b.parquet").write_bytes(whole)
    assert not file.new_rows().size
    assert any("'b.parquet' changed after it was used" in note for note in file.notes)
