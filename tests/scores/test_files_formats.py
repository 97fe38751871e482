"""Reading: every format by every layout comes back as it was written; ways to write a csv."""

import io
import json
import logging

import numpy as np
import pandas as pd
import pytest

from workbench import ScoresError, read_scores
from workbench.scores.layouts.apply import apply_layout
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.source import read_table

RNG = np.random.default_rng(0)
P = RNG.normal(1, 1, 40)
Q = RNG.normal(0, 1, 40)
P[3], P[7], Q[5], Q[6] = np.nan, np.inf, -np.inf, np.nan

FRAME_WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False, na_rep="nan"),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t", na_rep="nan"),
    "txt": lambda frame, path: frame.to_csv(path, index=False, sep=";", na_rep="nan"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "json": lambda frame, path: path.write_text(json.dumps(frame.to_dict("records"))),
    "npz": lambda frame, path: np.savez(
        path, **{c: np.array(frame[c].tolist()) for c in frame.columns}
    ),
}


def same(s, p=P, q=Q):
    np.testing.assert_array_equal(np.sort(s.p), np.sort(p))
    np.testing.assert_array_equal(np.sort(s.q), np.sort(q))
    return True


def read(text, **options):
    """Scores of P and Q, and the table, from the text of a csv."""
    table = read_table(text, "upload.csv")
    p, q, _ = apply_layout(table, guess_layout(table, **options))
    return p, q, table


@pytest.mark.parametrize("suffix", FRAME_WRITERS)
@pytest.mark.parametrize("names", [("p", "q"), ("in", "out"), ("non-member loss", "Member Loss")])
def test_two_columns(tmp_path, suffix, names):
    path = tmp_path / f"scores.{suffix}"
    columns = dict(zip(names, (P, Q), strict=True))
    FRAME_WRITERS[suffix](pd.DataFrame(columns), path)
    member_first = names[0] != "non-member loss"
    s = read_scores(path)
    assert same(s) if member_first else same(s, Q, P)
    assert s.name == "scores"


@pytest.mark.parametrize("suffix", FRAME_WRITERS)
@pytest.mark.parametrize(
    "labels", [(1, 0), (True, False), ("in", "out"), ("Member", "Non-member"), ("yes", "no")]
)
def test_score_and_label(tmp_path, suffix, labels):
    path = tmp_path / f"scores.{suffix}"
    member = np.repeat(np.array(labels), 40)
    frame = pd.DataFrame({"id": range(80), "member": member, "loss": np.r_[P, Q]})
    FRAME_WRITERS[suffix](frame.sample(frac=1, random_state=0), path)
    assert same(read_scores(path))


@pytest.mark.parametrize("suffix", [*FRAME_WRITERS, "npy"])
def test_one_file_per_side(tmp_path, suffix):
    paths = [tmp_path / f"{side}.{suffix}" for side in ("p", "q")]
    for path, x in zip(paths, (P, Q), strict=True):
        if suffix == "npy":
            np.save(path, x)
        else:
            FRAME_WRITERS[suffix](pd.DataFrame({"score": x}), path)
    assert same(read_scores(paths[0], path_q=paths[1]))


@pytest.mark.parametrize("suffix", [*FRAME_WRITERS, "npy"])
def test_bytes_without_a_name_are_recognized(tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    if suffix == "npy":
        np.save(path, np.array(list(zip(P, Q, strict=True)), dtype=[("p", float), ("q", float)]))
    else:
        FRAME_WRITERS[suffix](pd.DataFrame({"p": P, "q": Q}), path)
    table = read_table(path.read_bytes())
    np.testing.assert_array_equal(table.numbers("p"), P)
    assert table.name == ""
    assert table.format == {"txt": "csv", "tsv": "csv"}.get(suffix, suffix)
    assert read_table(path.read_bytes(), path.name).name == "scores"


def test_a_frame_in_place_of_a_path():
    assert same(read_scores(pd.DataFrame({"p": P, "q": Q})))
    nullable = pd.DataFrame({"score": np.r_[P[8:], Q[8:]]}).astype("Float64")
    nullable["group"] = pd.Categorical(["train"] * 32 + ["test"] * 32)
    assert same(read_scores(nullable), P[8:], Q[8:])


def test_numbers_of_other_kinds_are_numbers(tmp_path):
    from decimal import Decimal

    frame = pd.DataFrame(
        {"p": [Decimal("1.5"), Decimal("2.5")], "q": np.array([1, 2], dtype=np.int8)}
    )
    frame.to_parquet(tmp_path / "x.parquet")
    s = read_scores(tmp_path / "x.parquet")
    assert (s.p.tolist(), s.q.tolist()) == ([1.5, 2.5], [1, 2])
    np.savez(tmp_path / "x.npz", p=np.array(["1.5", "nan"]), q=np.array([b"1", b"inf"]))
    assert read_scores(tmp_path / "x.npz").q.tolist() == [1, np.inf]


@pytest.mark.parametrize(
    "content",
    [
        {"p": [1, 2.5, "inf"], "q": [0, None]},
        {"p": {"0": 1, "1": 2.5, "2": "inf"}, "q": {"0": 0, "1": "nan", "2": None}},
        {"p": ["1", "2.5", "Infinity"], "q": [0, "NaN"], "made": "today", "seeds": [[1]]},
    ],
)
def test_json_objects(content):
    s = read_scores_from(json.dumps(content))
    assert (s[0].tolist(), s[1][0], np.isnan(s[1][1]), s[1].size) == ([1, 2.5, np.inf], 0, True, 2)


def read_scores_from(text):
    table = read_table(text, "x.json")
    return apply_layout(table, guess_layout(table))[:2]


def test_json_entries_that_are_no_columns_are_named():
    table = read_table('{"p": [1, 2], "q": [0, 1], "made": "today"}', "x.json")
    assert table.notes == ("'made' left out: it is not a plain list; scores are one number a run",)


# -- ways to write a csv --------------------------------------------------------------------------


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("separator", "point"), [(",", "."), (";", "."), (";", ","), ("\t", ",")])
@pytest.mark.parametrize("header", ["in|out\n", ""])
def test_dialects(bom, end, separator, point, header):
    text = header + "1.5|-2\n2.25|nan\n3e1|-inf\n"
    data = bom + text.replace("|", separator).replace(".", point).replace("\n", end).encode()
    p, q, table = read(data)
    assert p.tolist() == [1.5, 2.25, 30]
    np.testing.assert_array_equal(q, [-2, np.nan, -np.inf])
    assert ("no header row: columns are numbered" in table.notes) is (header == "")


def test_utf16_as_spreadsheets_write_it():
    p, q, _ = read("in\tout\r\n1,5\t2\r\n3\t4\r\n".encode("utf-16"))
    assert (p.tolist(), q.tolist()) == ([1.5, 3], [2, 4])


def test_numpy_text_with_its_comment_header():
    buffer = io.BytesIO()
    np.savetxt(buffer, np.c_[P[8:], Q[8:]], header="p q")
    p, q, _ = read(buffer.getvalue())
    np.testing.assert_array_equal((p, q), (P[8:], Q[8:]))


def test_names_that_pandas_gives_are_no_scores():
    p, q, _ = read(pd.DataFrame(np.c_[P[8:], Q[8:]]).to_csv(index=False))
    np.testing.assert_array_equal((p, q), (P[8:], Q[8:]))
    p, q, _ = read(pd.DataFrame({"p": P[8:], "q": Q[8:]}).to_csv())
    np.testing.assert_array_equal((p, q), (P[8:], Q[8:]))


def test_one_column_with_decimal_commas_and_an_empty_cell():
    table = read_table("score\n1,5\n\n2\n\n", "x.csv")
    np.testing.assert_array_equal(table.numbers("score"), [1.5, np.nan, 2])


def test_cells_with_spaces_and_quotes():
    p, q, _ = read('"in" , "out"\n 1.5 , "2"\n "3" , nan \n')
    assert (p.tolist(), q[0], np.isnan(q[1])) == ([1.5, 3], 2, True)


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "n/a", "null", "None", "#N/A", "<NA>"])
def test_words_for_nan(word):
    p, _, _ = read(f"p,q\n1,2\n{word},3\n4,5\n")
    np.testing.assert_array_equal(p, [1, np.nan, 4])


@pytest.mark.parametrize("word", ["inf", "Inf", "+inf", "Infinity"])
def test_words_for_infinity(word):
    assert read(f"p,q\n1,2\n{word},3\n-{word.lstrip('+')},5\n")[0].tolist() == [1, np.inf, -np.inf]


# -- empty cells ----------------------------------------------------------------------------------


def test_empty_cells_at_the_end_of_a_column_are_no_scores():
    p, q, table = read("p,q\n1,2\n3,\n4,\n")
    assert (p.tolist(), q.tolist()) == ([1, 3, 4], [2])
    assert "column 'q' ends with 2 empty cells" in table.notes


def test_empty_cells_in_the_middle_and_written_nan_at_the_end_are_scores():
    _, q, _ = read("p,q\n1,2\n3,\n4,5\n6,nan\n7,\n")
    np.testing.assert_array_equal(q, [2, np.nan, 5, np.nan])


def test_an_empty_score_in_the_last_row_is_counted_where_it_has_a_label():
    p, q, _ = read("score,member\n1,1\n2,0\n3,0\n4,1\n,1\n")
    np.testing.assert_array_equal(p, [1, 4, np.nan])
    assert q.tolist() == [2, 3]


def test_empty_rows_at_the_end_are_left_out_and_told():
    p, q, table = read("id;score;member\n1;5;1\n2;6;0\n;;\n;;\n")
    assert (p.tolist(), q.tolist()) == ([5], [6])
    assert "left out empty rows at the end: 2" in table.notes


def test_blank_lines_are_no_rows():
    p, q, _ = read("\n\np,q\n1,2\n\n3,4\n")
    assert (p.tolist(), q.tolist()) == ([1, 3], [2, 4])


def test_parquet_tells_an_empty_cell_from_nan(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = {"p": pa.array([1.0, 2.0, np.nan]), "q": pa.array([1.0, 2.0, None])}
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    s = read_scores(tmp_path / "x.parquet")
    assert (s.n_p, s.nonfinite_p.nan, s.n_q, s.nonfinite_q.nan) == (3, 1, 2, 0)


def test_a_frame_with_a_shorter_column_warns(caplog):
    with caplog.at_level(logging.WARNING, "workbench"):
        s = read_scores(pd.DataFrame({"p": pd.Series([1.0, 2, 3]), "q": pd.Series([1.0, 2])}))
    assert s.q.tolist() == [1, 2]
    assert "'q' is taken as shorter, without its 1 empty cells" in caplog.text


def test_two_columns_that_both_end_empty_are_refused():
    frame = pd.DataFrame({"p": [1, 2, np.nan], "q": [1, np.nan, np.nan]})
    with pytest.raises(ScoresError, match=r"both end with empty cells \(1 and 2 of 3\)"):
        read_scores(frame)


def test_non_finite_scores_of_a_file_are_counted(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("in,out\n1,2\n,inf\nnan,-inf\n4,5\n5,\n")
    s = read_scores(path)
    assert (str(s.nonfinite_p), str(s.nonfinite_q)) == ("2 NaN", "1 +∞, 1 −∞")
    dropped = read_scores(path, nonfinite="drop")
    assert (dropped.p.tolist(), dropped.q.tolist(), dropped.discarded) == ([1, 4, 5], [2, 5], 4)


def test_a_million_rows_are_read(tmp_path):
    path = tmp_path / "big.csv"
    one = "0.123456789,-1.234567891\n2.345678912,0.987654321\n"
    path.write_text("in,out\n" + one * 500_000)
    s = read_scores(path)
    assert (s.n_p, s.n_q) == (1_000_000, 1_000_000)
