"""Files as people export them: each is read right, asked about, or refused with a remedy."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from workbench.scores.files import read_scores
from workbench.scores.parsing import source
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.roc_points import groups_of
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import ScoresError

RNG = np.random.default_rng(34)
N_P, N_Q = 40, 60
P, Q = RNG.normal(1, 1, N_P), RNG.normal(0, 1, N_Q)
ROWS = pd.DataFrame({"score": np.r_[P, Q], "member": np.repeat([1, 0], [N_P, N_Q])})
CELLS = ROWS.to_numpy().tolist()
EXACT = {"double_precision": 15}


def by_name(levels):
    """Lists of both groups within objects."""
    found = {"member": P.tolist(), "nonmember": Q.tolist()}
    for level in levels:
        found = {level: found, "raw_results": []}
    return found


#: Content whose scores leave no doubt.
READ = {
    "records.json": ROWS.to_json(orient="records", **EXACT),
    "columns.json": ROWS.to_json(orient="columns", **EXACT),
    "index.json": ROWS.to_json(orient="index", **EXACT),
    "named-index.json": ROWS.rename("run {}".format).to_json(orient="index", **EXACT),
    "split.json": ROWS.to_json(orient="split", **EXACT),
    "table.json": ROWS.to_json(orient="table", **EXACT),
    "tracker.json": json.dumps({"columns": ["score", "member"], "data": CELLS, "ncols": 2}),
    "lines.jsonl": ROWS.to_json(orient="records", lines=True, **EXACT),
    "lines.ndjson": ROWS.to_json(orient="records", lines=True, **EXACT) + "\n\n",
    "lines.json": ROWS.to_json(orient="records", lines=True, **EXACT),
    "deep-lines.jsonl": "\n".join(
        json.dumps({"result": {"score": s}, "member": m}) for s, m in CELLS
    ),
    "nested.json": json.dumps(by_name(["predictions"])),
    "twice-nested.json": json.dumps(by_name(["predictions", "run"])),
    "with-settings.json": json.dumps({**by_name([]), "seed": 3, "settings": {"lr": 0.1}}),
    "below-results.json": json.dumps({"results": ROWS.to_dict("records"), "version": 2}),
    "rows.csv": ROWS.to_csv(index=False),
    "two-columns.json": json.dumps({"p": P.tolist(), "q": Q.tolist(), "notes": []}),
}

#: Content without names: which label is that of members is asked.
ASKED = {"values.json": json.dumps(CELLS), "rows.jsonl": "\n".join(map(json.dumps, CELLS))}

#: Ways to compress a file.
COMPRESSED = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
    ".zip": lambda data: archive({"scores.csv": data}),
}

#: Content that is refused, and facts of the message: what is wrong, where, and what to do.
REFUSED = {
    "ragged.json": ('{"columns": ["a", "b"], "data": [[1, 2], [3]]}', "row 1", "1 cells where 2"),
    "doubles.json": ('{"columns": ["a", "a"], "data": [[1, 2]]}', "one name", "rename"),
    "empty.json": ('{"p": [], "q": [1.0]}', "'p'", "is an empty list"),
    "lists.json": ('[{"score": [1, 2], "member": 1}]', "'score'", "a list of 2", "mean or maximum"),
    "percent.csv": ("score,member\n93.1%,1\n4%,0\n", "row 2", "'93.1%'", "remove the sign %"),
    "tensors.csv": ("score,member\ntensor(0.5),1\n", "'tensor(0.5)'", "score.item()"),
    "bad-line.jsonl": ('{"score": 1}\n{"score": }\n', "not valid JSON", "line 2, column 11"),
    "cut.jsonl": ('{"score": 1}\n{"sco', "not valid JSON", "line 2"),
    "auc.json": ('{"auc": 0.9}', "area under a ROC curve", "the curve (fpr, tpr) with"),
    "matrix.json": (
        '{"tp": 9, "fp": 1, "tn": 9, "fn": 1}',
        "wb.epsilon_from_counts(tp=9, fp=1, tn=9, fn=1",
        "page Counts",
    ),
    "no-sizes.json": ('{"fpr": [0, 1], "tpr": [0, 1]}', "no number of its members", '"n_members"'),
    "one-size.json": ('{"fpr": [0], "tpr": [0], "n_pos": 9}', "no number of its non-members"),
    "wrong-size.json": (
        '{"fpr": [0.5], "tpr": [0.25], "n_pos": 10, "n_neg": 10}',
        "'tpr' is 0.25 of 10 records, which is 2.50",
        "rounded or averaged",
    ),
    "falling.json": (
        '{"fpr": [0, 0.5, 0.4], "tpr": [0, 0.4, 1], "n_pos": 10, "n_neg": 10}',
        "do not grow together",
        "sort them by threshold",
    ),
    "percent-rates.json": ('{"fpr": 50, "tpr": 60, "n_pos": 10, "n_neg": 10}', "from 0 to 1"),
    "sheet.xlsx": ("PK", "save the sheet as csv", "pd.read_excel('sheet.xlsx').to_csv('sheet.csv'"),
    "old.xls": ("x", "pd.read_excel('old.xls')"),
    "matlab.mat": ("x", "scipy.io.loadmat('matlab.mat')", "np.savez('matlab.npz'"),
    "group.h5": ("x", "h5py.File('group.h5')"),
    "group.hdf5": ("x", "h5py.File('group.hdf5')"),
    "one.safetensors": ("x", "load_file('one.safetensors')"),
    "one.pt": ("x", "torch.load('one.pt', weights_only=True)"),
    "one.pkl": ("x", "pickle.load"),
    "twice.csv.gz.gz": ("x", "compressed twice", "unpack it"),
    "twice.npz.gz": ("x", "compressed twice"),
    "other.dat.gz": ("x", "'.dat'", "these can be read", ".gz"),
}  # fmt: skip


def archive(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return content.getvalue()


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def assert_both_groups(scores):
    np.testing.assert_allclose(np.sort(scores.p), np.sort(P), rtol=1e-12)
    np.testing.assert_allclose(np.sort(scores.q), np.sort(Q), rtol=1e-12)


@pytest.mark.parametrize("name", READ)
def test_exported_scores_are_read(tmp_path, name):
    assert_both_groups(read_scores(written(tmp_path, name, READ[name])))


@pytest.mark.parametrize("name", ASKED)
def test_rows_without_names_ask_for_the_label_of_members(tmp_path, name):
    path = written(tmp_path, name, ASKED[name])
    with pytest.raises(ScoresError, match="member_value="):
        read_scores(path)
    assert_both_groups(read_scores(path, member_value=1))


@pytest.mark.parametrize("compression", COMPRESSED)
@pytest.mark.parametrize("trusted", [False, True])
def test_compressed_files_are_read_as_what_is_in_them(tmp_path, compression, trusted):
    content = COMPRESSED[compression](READ["rows.csv"].encode())
    scores = read_scores(written(tmp_path, f"scores.csv{compression}", content), trusted=trusted)
    assert_both_groups(scores)
    assert scores.name == "scores"


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_remedy(tmp_path, name):
    content, *facts = REFUSED[name]
    with pytest.raises(ScoresError) as refusal:
        read_scores(written(tmp_path, name, content))
    for fact in facts:
        assert fact in str(refusal.value)


def test_pandas_writes_the_compressions(tmp_path):
    for compression in (".gz", ".bz2", ".xz", ".zip"):
        path = tmp_path / f"rows.csv{compression}"
        ROWS.to_csv(path, index=False)
        assert_both_groups(read_scores(path))
        path = tmp_path / f"rows.json{compression}"
        ROWS.to_json(path, orient="split", **EXACT)
        assert_both_groups(read_scores(path))


def test_an_archive_of_several_files_names_them():
    content = archive({"a/members.csv": "1\n2\n", "a/others.csv": "3\n", "a/.DS_Store": ""})
    with pytest.raises(ScoresError, match=r"archive of 2 files: 'a/members.csv', 'a/others.csv'"):
        read_table(content, "both.zip")
    only = archive({"a/": "", "a/rows.csv": READ["rows.csv"], "__MACOSX/a/._rows.csv": "x"})
    assert read_table(only, "one.zip").columns["score"].size == N_P + N_Q


def test_an_archive_of_a_folder_is_opened_as_the_folder(tmp_path):
    files = {name: "\n".join(map(repr, side.tolist())) for name, side in (("in", P), ("out", Q))}
    files = {f"results/{name}_scores_000009.csv": text for name, text in files.items()}
    path = written(tmp_path, "results.zip", archive({**files, "__MACOSX/x": ""}))
    assert_both_groups(read_scores(path))
    assert_both_groups(read_scores(path, trusted=True))


def test_an_archive_writes_nothing_outside_of_its_folder(tmp_path):
    evil = {"../../evil.csv": "1\n", "/tmp/evil-absolute.csv": "1\n", "in.csv": "1\n2\n"}
    (tmp_path / "a").mkdir()
    path = written(tmp_path / "a", "x.zip", archive(evil))
    with pytest.raises(ScoresError):
        read_scores(path)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a", "x.zip"]


def test_an_archive_that_states_an_endless_list_of_contents_is_refused(tmp_path):
    content = bytearray(archive({"a.csv": "1\n", "b.csv": "2\n"}))
    at = content.rfind(b"PK\x05\x06") + 12
    content[at : at + 4] = (2**30).to_bytes(4, "little")
    with pytest.raises(ScoresError, match="list of contents of 1,073,741,824 bytes"):
        read_scores(written(tmp_path, "x.zip", bytes(content)))


@pytest.mark.parametrize("compression", COMPRESSED)
def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch, compression):
    monkeypatch.setattr(source, "LIMITS", ReadLimits(expanded=10**6))
    content = COMPRESSED[compression](b"1.5\n" * 10**7)
    with pytest.raises(ScoresError, match="would expand from"):
        read_table(content, f"scores.csv{compression}")


@pytest.mark.parametrize("compression", COMPRESSED)
def test_a_file_that_was_cut_off_is_damaged(compression):
    content = COMPRESSED[compression](READ["rows.csv"].encode())
    with pytest.raises(ScoresError, match="damaged, truncated"):
        read_table(content[: len(content) // 2], f"scores.csv{compression}")


def test_lists_in_cells_are_named_with_their_length(tmp_path):
    frame = pd.DataFrame({"score": [[0.1, 0.2], [0.3, 0.4]], "member": [1, 0]})
    frame.to_parquet(tmp_path / "lists.parquet")
    for given in (tmp_path / "lists.parquet", frame):
        with pytest.raises(ScoresError, match=r"'score'.*mean or maximum"):
            read_scores(given)


def test_the_shorter_names_are_used_only_where_they_differ():
    runs = {"first": {"member": [1.0], "nonmember": [0.0]}, "second": {"member": [2.0]}}
    table = read_table(json.dumps(runs), "x.json")
    assert list(table.columns) == ["first.member", "first.nonmember", "second.member"]


def test_objects_of_single_values_are_columns_unless_their_names_number_rows():
    by_column = read_table('{"p": {"a": 1, "b": 2}, "q": {"a": 3, "b": 4}}', "x.json")
    by_row = read_table('{"0": {"p": 1, "q": 3}, "1": {"p": 2, "q": 4}}', "x.json")
    for table in (by_column, by_row):
        assert table.columns["p"].tolist() == [1, 2]
        assert table.columns["q"].tolist() == [3, 4]


# -- ROC curves -----------------------------------------------------------------------------------


def roc(p=P, q=Q, at=None):
    at = np.sort(np.r_[p, q])[::-1] if at is None else at
    rates = {
        "tpr": (p >= at[:, None]).mean(axis=1).tolist(),
        "fpr": (q >= at[:, None]).mean(axis=1).tolist(),
    }
    return {**rates, "n_members": p.size, "n_nonmembers": q.size}


def read_roc(folder, content):
    return read_scores(written(folder, "roc.json", json.dumps(content)))


def epsilon(scores, delta=1e-5):
    return wb.epsilon_lower_bound(scores, delta=delta).value


@pytest.mark.parametrize("turned", [False, True])
def test_a_whole_curve_has_the_bounds_of_its_scores(tmp_path, turned):
    content = roc()
    if turned:
        content |= {name: content[name][::-1] for name in ("tpr", "fpr")}
    found, plain = read_roc(tmp_path, content), wb.Scores(P, Q)
    assert (found.n_p, found.n_q) == (N_P, N_Q)
    for delta in (1e-5, 0.05):
        assert epsilon(found, delta) == epsilon(plain, delta)


def test_few_points_are_a_coarsening(tmp_path):
    at = np.array([1.5, 0.2])
    found = read_roc(tmp_path, roc(at=at))
    assert sorted(np.unique(found.p)) == [0, 1, 2]
    for i, threshold in enumerate(at):
        assert np.sum(found.p >= 2 - i) == np.sum(threshold <= P)
        assert np.sum(found.q >= 2 - i) == np.sum(threshold <= Q)
    assert epsilon(found, 1e-5) <= epsilon(wb.Scores(P, Q), 1e-5)


def test_one_point_is_two_values(tmp_path):
    content = {"fpr": 0.1, "tpr": 0.5, "num_pos": 40, "num_neg": 60, "auc": 0.8}
    found = read_roc(tmp_path, content)
    assert (found.p.sum(), found.q.sum()) == (20, 6)


@pytest.mark.parametrize("others", ["n_non_members", "num_nonmember", "n_neg", "n_out"])
def test_the_number_of_others_is_not_taken_for_that_of_members(tmp_path, others):
    content = {others: 60, "fpr": 0.1, "tpr": 0.5, "n_members": 40}
    found = read_roc(tmp_path, content)
    assert (found.n_p, found.n_q) == (40, 60)
    with pytest.raises(ScoresError, match="no number of its members"):
        read_roc(tmp_path, {others: 60, "fpr": 0.1, "tpr": 0.5})


def test_thresholds_beside_a_curve_may_be_infinite(tmp_path):
    content = roc(at=np.array([np.inf, 1.5, 0.2, -np.inf])) | {"thresholds": [np.inf, 1.5, 0.2, -9]}
    assert sorted(np.unique(read_roc(tmp_path, content).p)) == [1, 2, 3]


def test_arrays_and_the_two_numbers_in_npz_are_a_curve(tmp_path):
    content = {name: np.asarray(value) for name, value in roc().items()}
    np.savez(tmp_path / "roc.npz", **content)
    found = read_scores(tmp_path / "roc.npz")
    assert epsilon(found, 1e-5) == epsilon(wb.Scores(P, Q), 1e-5)


def test_scores_beside_a_curve_are_read_as_they_are():
    content = {**roc(), "signal_values": [1.0, 2.0, 3.0], "true_labels": [0, 1, 1]}
    table = read_table(json.dumps(content), "x.json")
    assert "signal_values" in table.columns


def test_the_groups_of_a_curve_have_its_counts():
    for _ in range(200):
        n_p, n_q = RNG.integers(1, 9, 2)
        p, q = RNG.integers(0, 5, n_p), RNG.integers(0, 5, n_q)
        at = np.sort(RNG.choice(6, RNG.integers(1, 6), replace=False))[::-1]
        true, false = ((x >= at[:, None]).sum(axis=1) for x in (p, q))
        new_p, new_q = groups_of(true, false, n_p, n_q)
        assert (new_p.size, new_q.size) == (n_p, n_q)
        ranks = np.arange(at.size)[::-1] + 1
        if true[-1] + false[-1] >= true[0] + false[0]:
            assert [(new_p >= r).sum() for r in ranks] == true.tolist()
            assert [(new_q >= r).sum() for r in ranks] == false.tolist()
