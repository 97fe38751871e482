"""Files read in one pass: the counts are those of the rows, whatever the format."""

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import workbench as wb
from workbench.progress import Cancelled
from workbench.scores.counting.one_pass import count_scores

ROWS = 30_000


def frame(n=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    member = rng.random(n) < 0.4
    score = rng.normal(member * 1.0, 1.0)
    return pd.DataFrame({"id": np.arange(n), "score": score, "member": member.astype(np.int8)})


def write_stream(table, path, rows=1000, file=False):
    table = pa.Table.from_pandas(table, preserve_index=False)
    new = pa.ipc.new_file if file else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


WRITERS = {
    "a.parquet": lambda f, path: f.to_parquet(path, row_group_size=7000),
    "one-group.parquet": lambda f, path: f.to_parquet(path),
    "a.feather": lambda f, path: f.to_feather(path),
    "stream.arrow": lambda f, path: write_stream(f, path),
    "file.arrow": lambda f, path: write_stream(f, path, file=True),
    "a.csv": lambda f, path: f.to_csv(path, index=False),
    "a.tsv": lambda f, path: f.to_csv(path, index=False, sep="\t"),
    "semicolons.csv": lambda f, path: f.to_csv(path, index=False, sep=";", decimal=","),
    "windows.csv": lambda f, path: f.to_csv(path, index=False, lineterminator="\r\n"),
    "quoted.csv": lambda f, path: f.to_csv(path, index=False, quoting=1),
    "spaces.txt": lambda f, path: np.savetxt(path, f, header="id score member", fmt="%.17g"),
}


def assert_same_counts(counted, p, q):
    """The counts above every value of the one are those among the scores."""
    assert counted.samples.is_counted
    assert (counted.n_p, counted.n_q) == (len(p), len(q))
    rows = wb.Scores(p, q, larger_is_member=counted.larger_is_member)
    for a, b in zip(
        counted.tail_counts(counted.values), rows.tail_counts(counted.values), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def sides(f):
    return f.score[f.member == 1].to_numpy(), f.score[f.member == 0].to_numpy()


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("larger", [True, False])
def test_every_format_gives_the_counts_of_its_rows(tmp_path, name, larger):
    f = frame()
    WRITERS[name](f, tmp_path / name)
    counted = count_scores(tmp_path / name, larger_is_member=larger)
    assert_same_counts(counted, *sides(f))
    assert counted.name == name.rsplit(".", 1)[0]
    assert counted.notes == ("P = rows of 'score' whose 'member' is '1', Q = all other rows",)
    p, q = sides(f)
    sign = 1 if larger else -1
    np.testing.assert_array_equal(counted.samples.in_order(100)[0], sign * p[:100])
    np.testing.assert_array_equal(counted.samples.in_order(100)[1], sign * q[:100])


@pytest.mark.parametrize("name", WRITERS)
def test_the_order_of_the_columns_does_not_matter(tmp_path, name):
    if name == "spaces.txt":
        pytest.skip("its writer names the columns itself")
    f = frame()
    WRITERS[name](
        f[["member", "score", *f.columns.difference(["member", "score"])]], tmp_path / name
    )
    assert_same_counts(count_scores(tmp_path / name), *sides(f))


def test_rows_in_a_process_of_its_own(tmp_path):
    f = frame()
    f.loc[:2, "score"] = [np.nan, np.inf, -np.inf]
    f.to_parquet(tmp_path / "a.parquet")
    apart = wb.read_scores(tmp_path / "a.parquet", counted=True)
    here = wb.read_scores(tmp_path / "a.parquet", counted=True, trusted=True)
    for name in ("values", "counts_p", "counts_q"):
        np.testing.assert_array_equal(getattr(apart, name), getattr(here, name))
    assert (apart.grid, apart.notes) == (here.grid, here.notes)
    for one, other in zip(apart.first, here.first, strict=True):
        np.testing.assert_array_equal(one, other)
    assert repr(apart) == repr(here)
    dropped = wb.read_scores(tmp_path / "a.parquet", counted=True, nonfinite="drop")
    assert dropped.discarded == 3
    kept = wb.read_scores(tmp_path / "a.parquet", nonfinite="drop", counted=False)
    assert (dropped.nonfinite_p, dropped.nonfinite_q) == (kept.nonfinite_p, kept.nonfinite_q)
    assert_same_counts(dropped, kept.p, kept.q)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("groups", [None, 1000])
def test_a_file_with_one_group_after_the_other(tmp_path, descending, groups):
    f = frame().sort_values("member", ascending=not descending)
    f.to_parquet(tmp_path / "a.parquet", row_group_size=groups)
    assert_same_counts(count_scores(tmp_path / "a.parquet"), *sides(f))
    f.to_csv(tmp_path / "a.csv", index=False)
    assert_same_counts(count_scores(tmp_path / "a.csv"), *sides(f))


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        (("in", "out"), None),
        (("Train", "test"), None),
        ((True, False), None),
        ((1.0, 0.0), None),
        ((1, -1), None),
        (("blue", "red"), "blue"),
        ((7, 3), 7),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_as_people_write_them(tmp_path, labels, value, suffix):
    f = frame(5000)
    f["member"] = np.where(f.member == 1, *labels)
    path = tmp_path / f"a{suffix}"
    f.to_csv(path, index=False) if suffix == ".csv" else f.to_parquet(path)
    counted = count_scores(path, member="member", member_value=value)
    assert_same_counts(counted, f.score[f.member == labels[0]], f.score[f.member == labels[1]])


def test_labels_that_do_not_make_two_groups(tmp_path):
    f = frame(1000)
    f["member"] = np.resize(["a", "b", "c"], 1000)
    f.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(wb.ScoresError, match=r"(?s)'a', 'b', 'c'.*member_value="):
        count_scores(tmp_path / "a.csv", member="member")
    counted = count_scores(tmp_path / "a.csv", member="member", member_value="b")
    assert (counted.n_p, counted.n_q) == (333, 667)
    with pytest.raises(wb.ScoresError, match="holds 'd'; its labels are 'a', 'b', 'c'"):
        count_scores(tmp_path / "a.csv", member="member", member_value="d")
    f["member"] = 1
    f.to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(wb.ScoresError, match="holds only '1'"):
        count_scores(tmp_path / "b.csv")
    f["member"] = pd.Series([1, 0] * 499 + [None, 1], dtype="Int8")
    f.to_parquet(tmp_path / "c.parquet")
    with pytest.raises(wb.ScoresError, match="'member' is empty in some rows"):
        count_scores(tmp_path / "c.parquet", member="member")


def test_two_columns_of_different_length(tmp_path):
    p, q = sides(frame())
    p = p.copy()
    p[5] = np.nan
    short = pa.table({"p": pa.array(p), "q": pa.array(q[: p.size])}).to_pandas()
    long = pa.table({"p": pa.array([*p, *[None] * (q.size - p.size)]), "q": pa.array(q)})
    pq.write_table(long, tmp_path / "a.parquet", row_group_size=1000)
    pd.DataFrame({"p": [*map(repr, p.tolist()), *[""] * (q.size - p.size)], "q": q}).to_csv(
        tmp_path / "a.csv", index=False
    )
    for name in ("a.parquet", "a.csv"):
        counted = count_scores(tmp_path / name)
        assert_same_counts(counted, p, q)
        assert "without its" in counted.notes[1]
    short.to_csv(tmp_path / "b.csv", index=False, na_rep="nan")
    assert_same_counts(count_scores(tmp_path / "b.csv"), p, q[: p.size])
    both = pa.table({"p": pa.array([1.0, 2.0, None]), "q": pa.array([1.0, 3.0, None])})
    pq.write_table(both, tmp_path / "c.parquet")
    with pytest.raises(wb.ScoresError, match="both end with empty cells"):
        count_scores(tmp_path / "c.parquet")


def test_a_file_for_each_group(tmp_path):
    p, q = sides(frame())
    pd.DataFrame({"score": p}).to_parquet(tmp_path / "p.parquet")
    pd.DataFrame({"score": q}).to_csv(tmp_path / "q.csv", index=False)
    counted = count_scores(tmp_path / "p.parquet", path_q=tmp_path / "q.csv")
    assert_same_counts(counted, p, q)


@pytest.mark.parametrize(
    "kind", ["float32", "float16", "int64", "int8", "uint64", "decimal", "dictionary"]
)
def test_kinds_of_numbers(tmp_path, kind):
    f = frame(4000)
    whole = (10 * f.score).round()
    column = {
        "decimal": lambda: pa.array(f.score.round(3), pa.float64()).cast(
            pa.decimal128(9, 3), safe=False
        ),
        "dictionary": lambda: pa.array(f.score.round(2)).dictionary_encode(),
        "uint64": lambda: pa.array((whole + 100).astype(np.uint64)),
    }.get(kind, lambda: pa.array((whole if "int" in kind else f.score).astype(kind)))()
    pq.write_table(pa.table({"score": column, "member": f.member}), tmp_path / "a.parquet")
    rows = column.cast(pa.float64()) if kind != "dictionary" else column.dictionary_decode()
    f["score"] = rows.to_numpy(zero_copy_only=False)
    counted = count_scores(tmp_path / "a.parquet")
    assert_same_counts(counted, *sides(f))
    if "int" in kind or kind == "decimal":
        assert counted.grid is None
        np.testing.assert_array_equal(counted.values, np.unique(f.score))


@pytest.mark.parametrize(
    "change",
    [
        lambda x: 1e6 + 1e-3 * x,
        lambda x: 1e300 * x,
        lambda x: 1e-310 * x,
        lambda x: np.sinh(30 * x),
        lambda x: np.where(np.arange(x.size) % 7 == 0, np.inf, x),
        lambda x: np.where(np.arange(x.size) % 7 == 0, -np.inf, x),
        lambda x: np.where(np.arange(x.size) % 7 == 0, np.nan, x),
        lambda x: np.where(np.arange(x.size) % 2 == 0, -0.0, np.where(x > 1, x, 0.0)),
        lambda x: np.round(x, 1),
        lambda x: x.astype(np.float32).astype(float),
    ],
)
@pytest.mark.parametrize("larger", [True, False])
def test_scores_of_every_size(tmp_path, change, larger):
    f = frame(20_000)
    f["score"] = change(f.score.to_numpy())
    f.to_parquet(tmp_path / "a.parquet")
    counted = count_scores(tmp_path / "a.parquet", larger_is_member=larger)
    assert_same_counts(counted, *sides(f))
    kept = wb.Scores(*sides(f))
    assert counted.nonfinite_p == kept.nonfinite_p
    assert counted.nonfinite_q == kept.nonfinite_q


def test_words_for_nan_and_signs(tmp_path):
    text = "score,member\nnan,1\nNA,0\nNone,1\n+1.5,0\n 2.5 ,1\ninf,1\n-Infinity,0\n,1\n1e400,0\n"
    (tmp_path / "a.csv").write_text(text)
    counted = count_scores(tmp_path / "a.csv")
    kept = wb.read_scores(tmp_path / "a.csv")
    assert_same_counts(counted, kept.p, kept.q)
    assert counted.nonfinite_p == kept.nonfinite_p


def test_text_among_the_numbers_is_named(tmp_path):
    lines = [f"{i / 7},{i % 2}" for i in range(300_000)]
    lines[250_000] = "oops,1"
    (tmp_path / "a.csv").write_text("\n".join(["score,member", *lines]))
    with pytest.raises(wb.ScoresError, match="oops"):
        count_scores(tmp_path / "a.csv")
    lines[250_000] = "1,2,3"
    (tmp_path / "a.csv").write_text("\n".join(["score,member", *lines]))
    with pytest.raises(wb.ScoresError, match="Expected 2 columns, got 3"):
        count_scores(tmp_path / "a.csv")


def test_what_needs_all_rows_is_refused(tmp_path):
    frame(100).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(wb.ScoresError, match="needs all rows in memory"):
        wb.read_scores(tmp_path / "a.csv", counted=True, cluster="id")
    with pytest.raises(wb.ScoresError, match="need all rows in memory"):
        wb.read_scores(tmp_path / "a.csv", counted=True, path_labels=tmp_path / "a.csv")
    with pytest.raises(wb.ScoresError, match="not DataFrame"):
        wb.read_scores(frame(100), counted=True)
    np.savez(tmp_path / "a.npz", p=[1.0], q=[2.0])
    with pytest.raises(wb.ScoresError, match=r"save it as one of \.parquet"):
        wb.read_scores(tmp_path / "a.npz", counted=True)
    with pytest.raises(wb.ScoresError, match="there is no file"):
        wb.read_scores(tmp_path / "none.parquet", counted=True)


def test_progress_and_cancel(tmp_path):
    pd.concat([frame(300_000)] * 4).to_parquet(tmp_path / "a.parquet", row_group_size=100_000)
    seen = []
    count_scores(
        tmp_path / "a.parquet", progress=lambda f=None, m=None, p=None: seen.append((f, m))
    )
    fractions = [f for f, _ in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert "1,200,000 of 1,200,000 scores" in seen[-1][1]

    def cancel(fraction=None, message=None, partial=None):
        raise Cancelled

    for trusted in (True, False):
        with pytest.raises(Cancelled):
            wb.read_scores(tmp_path / "a.parquet", counted=True, progress=cancel, trusted=trusted)


def test_the_time_left_is_said():
    from workbench.scores.counting.piece import progress_in_words

    began = time.monotonic() - 10
    assert progress_in_words(10**7, 2 * 10**7, 0.5, began) == (
        "10,000,000 of 20,000,000 scores, 10 s left"
    )
    assert progress_in_words(5, None, 0.01, began).endswith("scores, 17 min left")
    assert progress_in_words(5, None, 0.0, began) == "5 scores"
