"""Hostile files: whatever is in one, it is read or refused with a message, and nothing ends."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import misbehaving_reader
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.programs import alive
from pyarrow import feather, parquet

import workbench as wb
from benchmarks.mutants import mutants, samples
from workbench import ScoresError, read_scores
from workbench.pages.importing.page import ImportPage
from workbench.processes import child
from workbench.processes.messages import WrongAnswer, packed, unpacked
from workbench.progress import silent
from workbench.scores.parsing import reader, reading_process, source
from workbench.scores.parsing.formats import EXTENSIONS
from workbench.scores.parsing.limits import GB, LIMITS, MB, ReadLimits
from workbench.scores.parsing.source import read_table
from workbench.scores.parsing.table_bytes import from_message, to_message

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc of Linux")


def refused(source, *facts, filename=None, **options):
    """The message of refusing a path, or with a file name its content."""
    read = read_scores if filename is None else read_table
    with pytest.raises(ScoresError) as caught:
        read(source, **({"filename": filename} if filename else {}), **options)
    for fact in facts:
        assert fact in str(caught.value)
    return str(caught.value)


def allowed(monkeypatch, **limits):
    monkeypatch.setattr(source, "LIMITS", ReadLimits(**limits))


def file_of(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


# -- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", EXTENSIONS)
def test_damaged_files_are_read_or_refused_with_a_message(tmp_path, suffix):
    outcomes = []
    for i, (name, data) in enumerate(mutants(1, 40, suffix)):
        path = tmp_path / f"{i}-{name}"
        path.write_bytes(data)
        try:
            outcomes.append(read_scores(path).n_p > 0)
        except ScoresError as error:
            outcomes.append(len(str(error)) > 20)
    assert outcomes == [True] * 40


#: Of the first 1200 damaged feather files, those that ended the process before arrow's own checks
#: of all lengths and offsets were made.
FATAL = (277, 441, 565, 567, 649, 771, 901, 963, 1105, 1189)


def test_lengths_and_offsets_that_lie_are_found_before_a_value_is_read():
    damaged = list(mutants(0, max(FATAL) + 1, ".feather"))
    for i in FATAL:
        name, data = damaged[i]
        message = refused(data, "is damaged", "write or copy it again", filename=name)
        assert "ended its process" not in message


@pytest.mark.parametrize("name", samples())
def test_the_files_that_are_damaged_were_sound(name):
    apart, here = (read_table(samples()[name], name, trusted=trusted) for trusted in (False, True))
    assert_same(apart, here)
    assert len(here.columns) > 0


def assert_same(one, other):
    assert list(one.columns) == list(other.columns)
    for c, cells in one.columns.items():
        assert cells.dtype == other.columns[c].dtype
        np.testing.assert_array_equal(cells, other.columns[c])
    for field in ("name", "format", "notes", "rows", "first_row", "blank_rows", "decimal_comma"):
        assert getattr(one, field) == getattr(other, field)
    assert dict(one.filled) == dict(other.filled)
    assert dict(one.unusable) == dict(other.unusable)


# -- size -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [16_000, 64_000])
def test_a_name_repeated_through_a_header(size):
    name = "score-of-a-member"
    header = ",".join([name] * (size // len(name)))
    facts = "two columns have one name", f"'{name}'"
    refused(f"{header}\n{header.replace(name, '1')}\n", *facts, filename="x.csv")


def test_too_many_columns(monkeypatch):
    content = json.dumps({f"c{i}": [1, 2] for i in range(100_000)})
    facts = "has 100000 columns, more than the 10000", "swap rows and columns"
    refused(content, *facts, filename="x.json")
    records = json.dumps([{f"c{i}": 1} for i in range(20_000)])
    refused(records, "has 20000 columns", filename="x.json")
    allowed(monkeypatch, columns=3)
    wide = {f"c{i}": [1.0, 2.0] for i in range(4)}
    frame, arrays = pd.DataFrame(wide), {c: np.array(x) for c, x in wide.items()}
    for name, content in {
        "x.csv": frame.to_csv(index=False).encode(),
        "x.parquet": file_of(frame.to_parquet),
        "x.feather": file_of(frame.to_feather),
        "x.npz": file_of(lambda file: np.savez(file, **arrays)),
        "x.npy": file_of(lambda file: np.save(file, frame.to_records(index=False))),
        "x.json": json.dumps(wide),
    }.items():
        refused(content, f"'{name}' has 4 columns, more than the 3", filename=name)


def test_a_line_that_never_ends():
    refused("1," * 10**6, "begins with a line of more than", filename="x.csv")


def test_records_that_share_no_keys():
    records = [{f"c{i % 2000}": 1} for i in range(20_000)]
    refused(json.dumps(records), "40000000 cells of which 20000 are filled", filename="x.json")


def test_names_of_columns_that_are_whole_texts():
    refused("p" * 5000 + ",q\n1,2\n", "5000 characters long", filename="x.csv")


def test_what_a_message_quotes_is_cut(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(f"p,q\n1,2\n{'x' * 100_000},3\n4,5\n")
    assert len(refused(path, "row 3, column 'p'", "is not a number")) < 500
    path.write_text("".join(f"{'c' * 300}{i}," for i in range(50)) + "z\n" + "1," * 50 + "2\n")
    assert len(refused(path, "it is open where", "and 39 more")) < 5000


def test_a_cell_as_large_as_a_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("p,q\n1,2\n3,4\n")
    with path.open("r+b") as file:
        file.truncate(3 * 10**6)  # a row of zeros
    refused(path, "column 'p' holds a text of 2,999,988 characters", "save the scores alone")


def test_a_label_as_long_as_a_book_is_no_cluster(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("score,member,run\n" + "1,in,a\n2,out,b\n" * 50 + f"3,in,{'x' * 10_000}\n")
    refused(path, "a label of 10000 characters", "number the clusters", cluster="run")


@linux
def test_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    refused(tmp_path / "x.csv", "cannot be read: it is a pipe, socket or device")
    for device in ("zero", "urandom"):
        link = tmp_path / f"{device}.csv"
        link.symlink_to(f"/dev/{device}")
        refused(link, f"{device}.csv' cannot be read: it is a pipe, socket or device")
        refused(link, "device", trusted=True)
    held = socket.socket(socket.AF_UNIX)
    held.bind(str(tmp_path / "s.npy"))
    refused(tmp_path / "s.npy", "cannot be read: it is a pipe, socket or device")
    held.close()
    (tmp_path / "folder.npz").mkdir()
    refused(tmp_path / "folder.npz", "cannot be read: it is a folder")


def test_a_file_of_5_gigabytes_of_nothing(tmp_path):
    with (tmp_path / "x.csv").open("wb") as file:
        file.truncate(5 * 10**9)
    refused(tmp_path / "x.csv", "has 5 GB, more than the 2 GB", "trusted=True", counted=False)
    refused(tmp_path / "x.csv", "begins with a line of more than 1,048,576 bytes")


def test_a_path_that_is_none(tmp_path):
    refused("a\0b.csv", "'a\\x00b.csv' is no path: embedded null byte")
    refused(tmp_path / ("x" * 5000 + ".csv"), "cannot be read: File name too long")
    refused(tmp_path / "\udcff.csv", "there is no file")


def test_an_archive_that_would_expand(monkeypatch):
    allowed(monkeypatch, expanded=10 * MB)
    zeros = file_of(lambda file: np.savez_compressed(file, p=np.zeros(10**7), q=np.ones(10)))
    facts = "'x.npz' would expand from 0.0", "MB to 0.08 GB", "trusted=True"
    refused(zeros, *facts, filename="x.npz")
    assert read_table(zeros, "x.npz", trusted=True).columns["p"].size == 10**7


def test_a_parquet_file_of_one_value(monkeypatch):
    allowed(monkeypatch, expanded=10 * MB)
    same = pa.table({"p": pa.nulls(10**7, pa.int8())})
    small = file_of(lambda file: parquet.write_table(same, file))
    refused(small, "'x.parquet' would expand", "to 0.08 GB", filename="x.parquet")


@linux
@pytest.mark.slow
def test_memory_that_no_header_speaks_of(monkeypatch):
    allowed(monkeypatch, memory=400 * MB, memory_per_byte=0, expanded=4000 * MB, expansion=10**6)
    text = pa.DictionaryArray.from_arrays(np.zeros(500, np.int8), ["x" * 10**6]).cast(pa.string())
    repeated = pa.table({"p": text})
    for name, write in {
        "x.parquet": lambda file: parquet.write_table(repeated, file),
        "x.feather": lambda file: feather.write_feather(repeated, file, compression="zstd"),
    }.items():
        data = file_of(write)
        assert len(data) < 10 * MB
        refused(data, f"'{name}' needs more than 0.4 GB of memory to read", filename=name)


def test_limits_grow_with_the_file_and_suffice_for_tens_of_millions_of_rows():
    rows = 25_000_000
    size = 2 * rows * 20
    assert size < LIMITS.file_size
    assert LIMITS.memory_for(size) >= 5 * size  # what pandas takes for such text
    assert LIMITS.seconds_for(size) > 200
    assert LIMITS.memory_for(10**12) == LIMITS.most_memory


# -- what was silently misread --------------------------------------------------------------------


def test_a_name_twice(tmp_path):
    twice = "two columns have one name, rename one: 'p', 'q', 'p', 'q'"
    refused("p,q,p,q\n1,2,3,4\n5,6,7,8\n", twice, filename="x.csv")
    refused('{"p": [1, 2], "q": [3, 4], "p": [5, 6]}', "rename one: 'p', 'p'", filename="x.json")
    refused('[{"p": 1, "q": 2, "q": 3}]', "rename one: 'q', 'q'", filename="x.json")
    array = file_of(lambda file: np.save(file, np.arange(3.0)))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        for name in ("p.npy", "q.npy", "p"):  # both are called p by numpy
            archive.writestr(name, array)
    refused(tmp_path / "x.npz", "rename one: 'p', 'p'")


@pytest.mark.parametrize(
    "text",
    [
        "p;q\n1.234;2,5\n2.345;3,5\n",
        "p;q\n1.234;2.345\n" + "5;6\n" * 200_000 + "1,5;3,25\n",
        "p\tq\n1.5\t1,234\n2.5\t2,345\n",
        "2 3\n1.5 1,5\n",
    ],
)
def test_decimal_points_beside_decimal_commas(text):
    facts = "which mark is the decimal one", "without marks between thousands"
    refused(text, *facts, filename="x.csv")


def test_points_and_commas_in_words_are_no_decimal_marks():
    table = read_table("score;note\n1,5;v1.2, or so\n2,5;on 1.2.2024\n", "x.csv")
    assert table.numbers("score").tolist() == [1.5, 2.5]


@pytest.mark.parametrize("number", [2**63, 2**64 + 5, -(2**63) - 10**6, 10**30])
def test_integers_that_64_bits_do_not_hold(number):
    for name, text in {
        "x.csv": f"p,q\n{number},1\n5,6\n",
        "x.json": json.dumps({"p": [number, 5], "q": [1, 6]}),
    }.items():
        table = read_table(text, name)
        assert table.notes == (
            "column 'p' holds integers beyond 2^63: as scores they are floats of 16 digits",
        )
        assert table.numbers("p").tolist() == [float(number), 5.0]


def test_integers_of_64_bits_stay_labels_of_their_own():
    rows = "".join(f"{i},{'in' if i % 2 else 'out'},{2**60 + i}\n" for i in range(6))
    table = read_table("score,member,user\n" + rows, "x.csv")
    layout = formats_layout(table, cluster="user")
    assert len(set(np.concatenate(layout[2]))) == 6


def formats_layout(table, **options):
    from workbench.scores.layouts.apply import apply_layout
    from workbench.scores.layouts.guess import guess_layout

    return apply_layout(table, guess_layout(table, **options))


DECISIONS = {"p": [True, False, True], "q": [False, False, True]}
DECIDED = {
    "csv": lambda path: path.write_text("p,q\ntrue,false\nfalse,false\ntrue,true\n"),
    "json": lambda path: path.write_text(json.dumps(DECISIONS)),
    "parquet": lambda path: pd.DataFrame(DECISIONS).to_parquet(path),
    "feather": lambda path: pd.DataFrame(DECISIONS).to_feather(path),
    "npz": lambda path: np.savez(path, **DECISIONS),
    "npy": lambda path: np.save(path, pd.DataFrame(DECISIONS).to_records(index=False)),
}


@pytest.mark.parametrize("suffix", DECIDED)
def test_decisions_are_no_scores(tmp_path, suffix):
    path = tmp_path / f"x.{suffix}"
    DECIDED[suffix](path)
    refused(path, "column 'p'", "decisions, not scores", "wb.epsilon_from_counts", "as 1 and 0")
    with pytest.raises(ScoresError, match="decisions, not scores"):
        read_scores(pd.DataFrame(DECISIONS))


def test_decisions_are_labels(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("score,member\n1,true\n2,false\n3,true\n4,false\n")
    assert read_scores(path).p.tolist() == [1, 3]


def test_a_side_of_nothing_but_nan(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("p,q\nnan,1\nnan,2\nnan,3\n")
    refused(path, "side P holds nothing but NaN", "check that the column is the right one")
    path.write_text("score,included\nnan,1\n1,0\nnan,1\n2,0\n")
    with pytest.raises(ScoresError, match="every canary that was in has the score NaN"):
        wb.read_one_run(path)


def test_a_mechanism_that_gives_nan_on_one_side_is_still_found():
    def mechanism(dataset, size, rng):
        return np.full(size, np.nan) if len(dataset) == 2 else rng.normal(size=size)

    found = wb.audit_mechanism(
        mechanism, wb.parse_claim("pure(1)"), datasets=[([0.0, 1.0], [0.0])], trials=1, samples=500
    )
    assert not found.trials[0].refused
    assert found.verdict == "violation found"


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", ">u8", ">f2", "<f8"])
def test_the_byte_order_of_other_machines(tmp_path, dtype):
    p, q = np.array([1, 2, 3], dtype=dtype), np.array([0, 1, 2], dtype=dtype)
    np.savez(tmp_path / "x.npz", p=p, q=q)
    fields = np.zeros(3, dtype=[("p", dtype), ("q", dtype)])
    fields["p"], fields["q"] = p, q
    np.save(tmp_path / "x.npy", fields)
    np.save(tmp_path / "p.npy", p)
    np.save(tmp_path / "q.npy", q)
    for s in (
        read_scores(tmp_path / "x.npz"),
        read_scores(tmp_path / "x.npy"),
        read_scores(tmp_path / "p.npy", path_q=tmp_path / "q.npy"),
        read_scores(pd.DataFrame({"p": p, "q": q})),
    ):
        assert (s.p.tolist(), s.q.tolist()) == ([1, 2, 3], [0, 1, 2])


@pytest.mark.parametrize("dtype", [">U3", ">f8", ">i2", ">u4"])
def test_labels_in_the_byte_order_of_other_machines(tmp_path, dtype):
    labels = np.array([1, 0] * 3).astype(dtype)
    np.savez(tmp_path / "x.npz", score=np.arange(6, dtype=">f8"), member=labels)
    fields = np.zeros(6, dtype=[("score", ">f8"), ("member", dtype)])
    fields["score"], fields["member"] = np.arange(6), labels
    np.save(tmp_path / "x.npy", fields)
    for name in ("x.npz", "x.npy"):
        assert read_scores(tmp_path / name).p.tolist() == [0, 2, 4]


def test_other_orders_and_versions_of_npy():
    table = read_table(file_of(lambda f: np.save(f, np.asfortranarray(np.arange(4.0)))), "x.npy")
    assert table.columns["array"].tolist() == [0, 1, 2, 3]
    fields = np.zeros(3, dtype=[("é", "f8"), ("q", "f8")])
    for version in ((2, 0), (3, 0)):
        data = file_of(lambda f, v=version: np.lib.format.write_array(f, fields, version=v))
        assert list(read_table(data, "x.npy").columns) == ["é", "q"]


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10**30), }",
        "{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "9" * 400 + ",), }",
    ],
)
def test_headers_of_npy_that_lie(header):
    text = header.encode().ljust(1013) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(24)
    packed = file_of(lambda f: zipfile.ZipFile(f, "w").writestr("p.npy", data))
    for name, content in {"x.npy": data, "x.npz": packed}.items():
        refused(content, f"'{name}' is damaged", filename=name)


def test_text_that_is_no_unicode(tmp_path):
    refused('{"p\\ud800": [1, 2], "q": [1, 2]}', "no valid Unicode", filename="x.json")
    refused('{"p": ["a\\ud800", "b"], "q": [1, 2]}', "no valid Unicode", filename="x.json")
    deep = "[" * 900 + "1" + "]" * 900  # escapes of valid text cost no recursion
    path = tmp_path / "deep.json"
    path.write_text(f'{{"p": [1, 2], "q": [1, 2], "x": {deep}, "y": ["\\ud83d\\ude00"]}}')
    assert wb.read_scores(path).n_p == 2
    np.savez(tmp_path / "x.npz", p=np.array(["\ud800", "b"]), q=[1, 2])
    refused(tmp_path / "x.npz", "'x.npz'")
    refused("p,q\n\ud800,2\n", "not UTF-8 text", filename="x.csv")


def test_columns_of_lists_are_left_out():
    table = pa.table({"p": [1.0, 2.0], "q": [0.0, 1.0], "more": [[1.0], [2.0, 3.0]]})
    for name, write in {
        "x.parquet": parquet.write_table,
        "x.feather": feather.write_feather,
    }.items():
        found = read_table(file_of(lambda file, w=write: w(table, file)), name)
        assert list(found.columns) == ["p", "q"]
        assert "'more' left out: it holds list<" in found.notes[-1]


def test_frames_of_anything():
    class Odd:
        def __str__(self):
            raise KeyError("no text")

    refused(pd.DataFrame({"p": [Odd(), Odd()], "q": [1, 2]}), "DataFrame cannot be read (KeyError")


# -- the process ----------------------------------------------------------------------------------


@pytest.fixture
def misbehaving(monkeypatch):
    """Processes that do what the name of a file says, and none from before."""
    readers = reading_process._Readers()
    monkeypatch.setattr(reading_process, "_readers", readers)
    monkeypatch.setattr(reader, "serve", misbehaving_reader.serve)
    yield readers
    for idle in readers.idle:
        idle.close()


FINE = b"p,q\n1,2\n3,4\n"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("crash.csv", ["is damaged", f"signal {int(signal.SIGSEGV)}", "write or copy it again"]),
        ("exit.csv", ["is damaged", "SystemExit: 3"]),
        ("pickle.csv", ["is damaged", "no header"]),
        ("deep.csv", ["is damaged", "no header"]),
        ("nothing.csv", ["is damaged"]),
        ("table.csv", ["is damaged", "a part is missing"]),
        ("long.csv", ["is damaged", "a message of 8589934592 bytes where 2000000072 are allowed"]),
        pytest.param("memory.csv", ["needs more than 2 GB of memory to read"], marks=linux),
    ],
)
@pytest.mark.slow
def test_a_process_that_misbehaves_costs_one_file(misbehaving, name, facts):
    for _ in range(2):
        refused(FINE, *facts, filename=name)
        assert list(misbehaving.idle) == []
        assert read_table(FINE, "fine.csv").columns["p"].tolist() == [1, 3]
    assert len(list(misbehaving.idle)) <= 1


def read_apart(name, seconds):
    serve = misbehaving_reader.serve_apart
    limits = {"memory": GB, "seconds": seconds, "most_answered": MB}
    return reading_process.ask_about(serve, Path(name), {"way": name}, silent, **limits)["kind"]


COMPUTED = "'burn.csv' took longer than 0.5 s of processor time to read"
WAITED = "'hang.csv' is not read: in the process that read it, 1"


@linux
@pytest.mark.parametrize(
    ("name", "patience", "facts"),
    [("burn.csv", 600, [COMPUTED, "trusted=True"]), ("hang.csv", 2, [WAITED, "Try again"])],
)
def test_a_process_that_takes_too_long_is_ended(misbehaving, monkeypatch, name, patience, facts):
    read_table(FINE, "fine.csv")
    (idle,) = misbehaving.idle
    allowed(monkeypatch, seconds=0.5)
    monkeypatch.setattr(child, "PATIENCE", patience)
    refused(FINE, *facts, filename=name)
    assert not idle.alive
    allowed(monkeypatch)
    assert read_table(FINE, "fine.csv").columns["q"].tolist() == [2, 4]


@linux
@pytest.mark.parametrize(
    ("name", "words"), [("burn.csv", COMPUTED), ("hang.csv", "of which it computed for")]
)
def test_a_process_for_batches_that_takes_too_long_is_ended(monkeypatch, name, words):
    monkeypatch.setattr(child, "PATIENCE", 600 if name == "burn.csv" else 2)
    seconds = {"burn.csv": 0.5, "hang.csv": 2}  # its imports take a part of them
    with pytest.raises(ScoresError, match=words):
        read_apart(name, seconds[name])


@linux
@pytest.mark.parametrize("name", ["late.csv", "starved.csv"])
def test_time_that_passes_without_work_is_nobodys_fault(misbehaving, monkeypatch, name):
    allowed(monkeypatch, seconds=0.5)
    monkeypatch.setattr(child, "PATIENCE", 600)
    assert read_table(FINE, name).columns["q"].tolist() == [2, 4]
    assert read_apart(name, 20) == "done"


@linux
def test_the_kernel_ends_a_process_whose_program_is_late(misbehaving, monkeypatch):
    allowed(monkeypatch, seconds=0.5)
    monkeypatch.setattr(child._Watch, "_used", lambda watch: 0.0)
    refused(FINE, COMPUTED, filename="burn.csv")


def test_a_file_does_not_suffer_for_those_before_it(misbehaving):
    read_table(FINE, "fine.csv")
    (warm,) = misbehaving.idle
    assert read_table(FINE, "once.csv").columns["p"].tolist() == [1, 3]
    (fresh,) = misbehaving.idle
    assert fresh.pid != warm.pid
    assert not warm.alive


def test_a_process_is_used_again(misbehaving):
    pids = set()
    for _ in range(5):
        read_table(FINE, "fine.csv")
        refused(b"p,q\n", filename="refused.csv")
        pids |= {idle.pid for idle in misbehaving.idle}
    assert len(pids) == 1


def test_large_files_leave_a_process_to_small_ones(monkeypatch):
    held, ask, begun = threading.Event(), reading_process._Reader.ask, []

    def slow(reader, request, *more):
        if "large" in request.get("filename", ""):
            begun.append(reader)
            held.wait(60)
        return ask(reader, request, *more)

    monkeypatch.setattr(reading_process._Reader, "ask", slow)
    monkeypatch.setattr(reading_process, "LARGE", 200)
    large = "p,q\n" + "1,2\n3,4\n" * 40
    threads = [threading.Thread(target=read_table, args=(large, "large.csv")) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            assert read_table("p,q\n1,2\n3,4\n", "s.csv").columns["p"].tolist() == [1, 3]
        assert len(begun) <= reading_process.AT_A_TIME - 1
    finally:
        held.set()
    for thread in threads:
        thread.join()
    assert len(begun) == 3


def test_threads_take_turns(misbehaving):
    names, found = [f"{i}.csv" for i in range(12)], {}

    def one(i):
        found[i] = read_table(f"p,q\n{i},2\n3,4\n", names[i]).columns["p"][0]

    threads = [threading.Thread(target=one, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: i for i in range(12)}
    assert 1 <= len(list(misbehaving.idle)) <= reading_process.AT_A_TIME


def test_where_no_process_can_be_started(monkeypatch, misbehaving):
    monkeypatch.setattr(sys, "executable", "/no/python/here")
    refused(FINE, "no process could be started", "trusted=True", filename="x.csv")
    assert read_table(FINE, "x.csv", trusted=True).columns["p"].tolist() == [1, 3]


def test_answers_that_are_no_table_are_noticed():
    rng = np.random.default_rng(0)
    tables = [read_table(data, name) for name, data in samples().items()]
    noticed = 0
    for i in range(1500):
        parts = sent(tables[i % len(tables)])
        k = int(rng.integers(len(parts)))
        damaged = bytearray(parts[k] or b"\0")
        for _ in range(rng.integers(1, 4)):
            damaged[rng.integers(len(damaged))] = rng.integers(256)
        parts[k] = bytes(damaged)[: None if rng.random() < 0.7 else rng.integers(len(damaged))]
        try:
            kept = parts if rng.random() < 0.9 else parts[:-1]
            table = from_message(unpacked(kept), "x")
        except WrongAnswer:
            noticed += 1
        else:
            assert all(isinstance(c, np.ndarray) and c.ndim == 1 for c in table.columns.values())
    assert noticed > 300


def test_answers_come_back_as_they_were_sent():
    for name, data in samples().items():
        table = read_table(data, name, trusted=True)
        assert_same(from_message(unpacked(sent(table)), table.name), table)


def sent(table):
    return [bytes(part) for part in packed(to_message(table))]


# -- anywhere -------------------------------------------------------------------------------------


def script(tmp_path, text, **options):
    """What a script prints that reads ``x.csv`` beside it."""
    (tmp_path / "x.csv").write_bytes(FINE)
    path = tmp_path / "script.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(wb.__file__).parents[1])},
        cwd=tmp_path,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_it_ends_with_its_program(tmp_path):
    (pid,) = script(
        tmp_path,
        "import os, workbench as wb\n"
        "from workbench.scores.parsing import reading_process\n"
        "wb.read_scores('x.csv')\n"
        "print(reading_process._readers.idle._children[0].pid, flush=True)\n"
        "os._exit(0)\n",
    )
    deadline = time.monotonic() + 20
    while alive(int(pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(int(pid))


def test_in_a_script_without_a_guard_and_in_a_daemonic_process(tmp_path):
    said = script(
        tmp_path,
        "import multiprocessing, workbench as wb\n"
        "print(wb.read_scores('x.csv').n_p)\n"
        "def read(): print(wb.read_scores('x.csv').n_p, flush=True)\n"
        "process = multiprocessing.get_context('fork').Process(target=read, daemon=True)\n"
        "process.start(); process.join(); assert process.exitcode == 0\n"
        "print(wb.read_scores('x.csv').n_p)\n",
    )
    assert said == ["2", "2", "2"]


def test_a_fork_has_processes_of_its_own(tmp_path):
    said = script(
        tmp_path,
        "import os, workbench as wb\n"
        "from workbench.scores.parsing import reading_process\n"
        "def pid():\n"
        "    wb.read_scores('x.csv')\n"
        "    return reading_process._readers.idle._children[0].pid\n"
        "print(pid(), flush=True)\n"
        "if not os.fork():\n"
        "    import gc\n"
        "    print(pid(), flush=True); gc.collect(); os._exit(0)\n"
        "os.wait(); print(pid(), flush=True)\n",
    )
    assert len(said) == 3
    assert said[0] == said[2] != said[1]


def test_where_the_folder_is_gone(tmp_path):
    (tmp_path / "gone").mkdir()
    said = script(
        tmp_path,
        "import os, workbench as wb\n"
        "path = os.path.abspath('x.csv')\n"
        "os.chdir('gone'); os.rmdir(os.getcwd())\n"
        "print(wb.read_scores(path).n_p)\n"
        "try: wb.read_scores('x.csv')\n"
        "except wb.ScoresError as error: print(str(error).split()[0])\n",
    )
    assert said == ["2", "there"]


def test_after_the_program_went_to_another_folder(tmp_path):
    said = script(
        tmp_path,
        "import os, workbench as wb\n"
        "wb.read_scores('x.csv')\n"
        "os.mkdir('other'); os.chdir('other'); os.rename('../x.csv', 'y.csv')\n"
        "print(wb.read_scores('y.csv').n_p)\n",
    )
    assert said == ["2"]


@linux
def test_it_inherits_no_socket_and_no_terminal(tmp_path):
    said = script(
        tmp_path,
        "import os, socket, workbench as wb\n"
        "from workbench.scores.parsing import reading_process\n"
        "held = socket.socket(); held.bind(('localhost', 0)); held.listen()\n"
        "held.set_inheritable(True)\n"
        "wb.read_scores('x.csv')\n"
        "pid = reading_process._readers.idle._children[0].pid\n"
        "fds = f'/proc/{pid}/fd'\n"
        "print(sum('socket' in os.readlink(f'{fds}/{fd}') for fd in os.listdir(fds)))\n"
        "print(os.getsid(pid) == pid)\n",
    )
    assert said == ["0", "True"]


def test_reading_imports_no_parser_here(tmp_path):
    np.savez(tmp_path / "x.npz", p=[1.0, 2.0], q=[0.0, 1.0])
    said = script(
        tmp_path,
        "import sys\n"
        "from workbench.scores.parsing.source import read_table\n"
        "read_table('x.csv'); read_table('x.npz')\n"
        "print('pandas' in sys.modules, 'pyarrow' in sys.modules)\n",
    )
    assert said == ["False", "False"]


# -- the page -------------------------------------------------------------------------------------


def test_a_refused_upload_leaves_what_was_there(misbehaving):
    page = ImportPage()
    page.upload = (("fine.csv", FINE),)
    page.param.trigger("accept")
    before = [one.key for one in page.workspace.datasets]
    assert page.workspace.scores(page.accepted).p.tolist() == [1, 3]
    damaged = next(data for _, data in mutants(0, 1, ".feather"))
    for name, data in {"crash.csv": FINE, "x.feather": damaged, "exit.csv": FINE}.items():
        page.upload = ((name, data),)
        assert f"'{name}' is damaged" in page.message
        page.param.trigger("accept")
        assert [one.key for one in page.workspace.datasets] == before
    page.upload = (("fine.csv", FINE),)
    assert page.message == ""


def test_the_command_line_says_what_is_wrong(tmp_path, capsys):
    from workbench.cli import main

    os.mkfifo(tmp_path / "x.csv")
    for command in ("audit", "serve"):
        assert main([command, str(tmp_path / "x.csv")]) == 2
        assert "it is a pipe, socket or device" in capsys.readouterr().err


def test_the_command_line_can_trust_a_file(tmp_path, capsys, monkeypatch):
    from workbench.cli import main

    allowed(monkeypatch, file_size=1)
    (tmp_path / "x.csv").write_text("p,q\n" + "1,0\n2,1\n" * 20)
    assert main(["audit", str(tmp_path / "x.csv")]) == 2
    assert "more than the 1e-09 GB" in capsys.readouterr().err
    assert main(["audit", str(tmp_path / "x.csv"), "--trusted"]) == 0
