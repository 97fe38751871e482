"""Bad input: each message says what is wrong, where, and what to do."""

import contextlib
import io
import json
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from workbench import ScoresError, read_scores
from workbench.scores.layouts.apply import apply_layout
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.formats import EXTENSIONS
from workbench.scores.parsing.source import read_table


def refused(source, *facts, filename=None, **options):
    """The message of refusing ``source``, which must state all ``facts``."""
    with pytest.raises(ScoresError) as caught:
        attempt(source, filename, **options)
    message = str(caught.value)
    for fact in facts:
        assert fact in message
    return message


def attempt(source, filename, **options):
    """Read a path or a frame, or with a file name its content."""
    if filename is None:
        return read_scores(source, **options)
    table = read_table(source, filename)
    return apply_layout(table, guess_layout(table, **options))


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def arrays(path, **named):
    np.savez(path, **named)
    return path


# -- the file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", EXTENSIONS)
def test_a_file_of_no_bytes(tmp_path, suffix):
    refused(written(tmp_path / f"x{suffix}", b""), f"'x{suffix}' is empty (0 bytes)")


def test_a_missing_file_and_what_is_near_it(tmp_path):
    written(tmp_path / "scores.csv", "p,q\n1,2\n")
    refused(tmp_path / "score.csv", "there is no file", "did you mean 'scores.csv'")
    refused(tmp_path / "zzz.npy", "there is no file", f"(looked in {tmp_path})")
    refused(tmp_path / "no folder" / "x.csv", "there is no file")


def test_a_folder(tmp_path):
    (tmp_path / "x.csv").mkdir()
    refused(tmp_path / "x.csv", "cannot be read")


def test_an_unknown_extension(tmp_path):
    refused(tmp_path / "x.dat", "'.dat'", *EXTENSIONS)
    refused(tmp_path / "x", "no extension", *EXTENSIONS)


@pytest.mark.parametrize("suffix", ["xlsx", "xls", "ods"])
def test_spreadsheets(tmp_path, suffix):
    refused(tmp_path / f"x.{suffix}", "spreadsheet", "save the sheet as csv")


class Bomb:
    """Unpickling it is noticed."""

    def __reduce__(self):
        return (pytest.fail, ("a file was unpickled",))


@pytest.mark.parametrize("suffix", ["pkl", "pickle", "pt", "pth", "joblib"])
def test_pickles_are_refused_with_a_recipe(tmp_path, suffix):
    path = written(tmp_path / f"x.{suffix}", pickle.dumps(Bomb()))
    message = refused(path, "unpickling runs whatever code", f"('{path.name}'", "np.savez(")
    assert len(message.split("\n")) == 4


def test_pickles_inside_numpy_files(tmp_path):
    np.save(tmp_path / "x.npy", np.array([Bomb(), 1], dtype=object), allow_pickle=True)
    refused(tmp_path / "x.npy", "holds pickled objects", "np.load('x.npy', allow_pickle=True)")
    arrays(tmp_path / "x.npz", p=np.array([Bomb(), 1], dtype=object), q=[1, 2])
    refused(tmp_path / "x.npz", "holds pickled objects", "np.load('x.npz', allow_pickle=True)")
    refused(written(tmp_path / "y.npy", pickle.dumps(Bomb())), "holds pickled objects")
    refused(pickle.dumps([1]), "holds pickled objects", filename="")


def test_the_recipe_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = {"in": [1.0, 2.0], "out": [0.0, 1.0]}
    written(tmp_path / "x.pkl", pickle.dumps(scores))
    recipe = refused(tmp_path / "x.pkl").split("\n", 1)[1]
    exec(re.sub(r"(?m)^ {4}", "", recipe), {})
    assert read_scores(tmp_path / "x-plain.npz").p.tolist() == [1, 2]


@pytest.mark.parametrize("suffix", ["parquet", "feather", "npy", "npz"])
@pytest.mark.parametrize("kept", [0.5, 0.97])
def test_truncated_files(tmp_path, suffix, kept):
    path = tmp_path / f"x.{suffix}"
    x = np.random.default_rng(0).normal(size=(500, 2))
    frame = pd.DataFrame(x, columns=["p", "q"])
    {
        "parquet": lambda: frame.to_parquet(path),
        "feather": lambda: frame.to_feather(path),
        "npy": lambda: np.save(path, x[:, 0]),
        "npz": lambda: np.savez_compressed(path, p=x[:, 0], q=x[:, 1]),
    }[suffix]()
    data = path.read_bytes()
    written(path, data[: int(kept * len(data))])
    refused(path, f"'x.{suffix}' is", "write or copy it again")


@pytest.mark.parametrize("name", ["messy", "ties", "unequal-variances", "digits-losses"])
def test_damaged_bytes_are_read_or_refused_with_a_message(name):
    from workbench.scores.examples import card

    path = card(name).path
    data, rng = path.read_bytes()[:20_000], np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(data[: rng.integers(1, len(data) + 1)])
        for place in rng.integers(0, min(len(damaged), 600), 3):
            damaged[place] = rng.integers(256)
        with contextlib.suppress(ScoresError):
            attempt(bytes(damaged), path.name)


@pytest.mark.parametrize("suffix", ["parquet", "feather", "npy", "npz", "json"])
def test_content_that_is_not_what_the_extension_says(tmp_path, suffix):
    refused(written(tmp_path / f"x.{suffix}", "p,q\n1,2\n"), f"'x.{suffix}'")


def test_text_that_is_no_text():
    refused(b"p;q\n\xe4;3\n", "not UTF-8 text (byte 4)", "CSV UTF-8", filename="x.csv")


def test_something_else_in_place_of_a_path():
    refused([1, 2, 3], "cannot read scores from list", "wb.Scores(p, q)")


# -- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "column", "bad"),
    [
        ("in,out\n1,2\n3,abc\n4,5\n", "row 3", "out", "abc"),
        ("1,2\n3,abc\n4,5\n6,7\n", "row 2", "column 2", "abc"),
        ("in,out\n1,2\n\n\n3,4\n5,1e\n", "row 6", "out", "1e"),
        ("\nin,out\n1,2\nx,4\n", "row 4", "in", "x"),
        ("in;out\n1,5;2\n1.234,5;3\n", "row 2", "in", "1,5"),
        ('in,out\n"1,5",2\n2.5,3\n', "row 2", "in", "1,5"),
        ("in,out\n1,2\nTrue,3\n", "row 3", "in", "True"),
        ("in\tout\n1\t2\n3\t4 5\n", "row 3", "out", "4 5"),
    ],
)
def test_text_in_a_column_of_numbers(text, place, column, bad):
    facts = (f"{place}, column {column!r}: {bad!r} is not a number", "nan for a missing score")
    message = refused(text, *facts, filename="x.csv")
    assert ("must not be mixed" in message) is ("," in bad)


def test_text_among_numbers_elsewhere(tmp_path):
    content = json.dumps({"p": [1, 2, "low"], "q": [1, 2]})
    refused(content, "entry 2 (counted from 0)", "'p'", "'low'", filename="x.json")
    refused(arrays(tmp_path / "x.npz", p=["1", "a", "b"], q=[1, 2]), "entry 1", "(1 more like it)")
    refused(pd.DataFrame({"p": [1, "?"], "q": [1, 2]}), "entry 1", "'p'", "'?'")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("p,q\n", ["a header but no rows below it"]),
        ("p,q\n,\n,\n", ["a header but no rows below it"]),
        ("\n \n\n", ["nothing but blank lines"]),
        ("p,q\n1,2\n3,4\n5,6,7\n", ["row 4 has 3 cells where 2 are expected", "stray separator"]),
        ("p,q\n1,2,3\n4,5,6\n", ["2 names in its header but 3 cells", "name every column"]),
        ('p,q\n1,2\n"3,4\n', ["no regular table"]),
    ],
)
def test_text_that_is_no_table(text, facts):
    refused(text, *facts, filename="x.csv")


def test_a_column_of_nothing_leaves_a_side_empty(tmp_path):
    refused(written(tmp_path / "x.csv", "p,q\n1,\n2,\n"), "side Q is empty", "at least 2")
    refused(arrays(tmp_path / "x.npz", p=[1.0, 2.0], q=[]), "side Q is empty")


@pytest.mark.parametrize(
    ("array", "facts"),
    [
        (np.zeros((5, 2)), ["2-dimensional, shape (5, 2)", "np.savez(", "ravel"]),
        (np.zeros(()), ["single value"]),
        (np.array([1j, 2]), ["complex128", "not real numbers"]),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), ["datetime64"]),
    ],
)
def test_arrays_that_cannot_be_scores(tmp_path, array, facts):
    np.save(tmp_path / "x.npy", array)
    refused(tmp_path / "x.npy", "'x.npy'", *facts)
    refused(arrays(tmp_path / "x.npz", p=array, q=[1, 2]), "'p' of 'x' (npz)", *facts)
    table = read_table(arrays(tmp_path / "y.npz", p=[1, 2], q=[3, 4], more=array))
    assert list(table.columns) == ["p", "q"]
    assert "'more' left out: it" in table.notes[0]


def test_dates_in_a_frame():
    frame = pd.DataFrame({"p": pd.to_datetime(["2020-01-01"]), "q": [1.0]})
    refused(frame, "'p' of the DataFrame holds datetime64", "not real numbers")


def test_frames_without_rows_or_with_names_twice():
    refused(pd.DataFrame({"p": [], "q": []}), "the DataFrame has no rows")
    refused(pd.DataFrame([[1, 2]], columns=["p", "p"]), "two columns have one name", "'p', 'p'")


@pytest.mark.parametrize("text", ["[]", "{}", "3", "[[], []]", "[[1], 2]", '[1, {"p": 2}]', "null"])
def test_json_without_scores(text):
    refused(text, "holds no scores", '{"p": [...], "q": [...]}', filename="x.json")


def test_json_that_is_no_json():
    refused('{"p": [1, 2],\n "q": }', "not valid JSON", "line 2, column 7", filename="x.json")


@pytest.mark.parametrize(
    "text", ['{"p":[1' + "0" * 400 + "]}", '{"p":[' + "1" * 5000 + "]}", "[" * 100_000]
)
def test_absurd_json(text):
    refused(text.encode(), "no json file", filename="x.json")


def test_a_zip_of_something_else_is_no_score_file():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("sheet.xml", "hello")
    table = read_table(buffer.getvalue())
    assert not table.columns
    assert "left out" in table.notes[0]


def test_bytes_that_are_no_text():
    buffer = io.BytesIO()
    np.save(buffer, np.array([b"\xff\xfe", b"ab"]))
    refused(buffer.getvalue(), "no npy file", filename="x.npy")


def test_nested_json():
    refused('{"p": [[1], [2]], "q": [1, 2]}', "'p'", "is not a plain list", filename="x.json")


# -- the layout -----------------------------------------------------------------------------------

FRAME = pd.DataFrame({"first": [0.1, 0.2, 0.3], "second": [1.0, 2.0, 3.0], "note": list("abc")})


def test_a_layout_that_cannot_be_found():
    facts = ["'first' (numbers)", "'second' (numbers)", "'note' (text)"]
    refused(FRAME, *facts, "p= and q=", "score= and member=", "path_q=")


def test_two_pairs_of_names_leave_it_open():
    columns = {name: [0.1, 0.2, 0.3] for name in ("p", "q", "in", "out")}
    refused(pd.DataFrame(columns), "it is open where")


def test_one_column_is_not_enough():
    refused(FRAME[["first"]], "one column of scores, 'first'", "path_q=")


def test_a_side_of_two_columns_is_open():
    refused(FRAME, "open which column", "'first' (numbers)", "p=", "score=", path_q=FRAME)
    refused(FRAME[["first"]], "open which column", "q=", path_q=FRAME)


@pytest.mark.parametrize(
    "options",
    [
        {"p": "frist", "q": "second"},
        {"score": "frist", "member": "note"},
        {"score": "first", "member": "frist"},
        {"score": "first", "member": "note", "member_value": "a", "cluster": "frist"},
        {"score": "frist", "path_q": FRAME},
    ],
)
def test_a_column_that_does_not_exist(options):
    facts = ["no column 'frist'", "'first', 'second', 'note'", "did you mean 'first'"]
    refused(FRAME, *facts, **options)


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        ({"p": "first"}, "q= is missing"),
        ({"q": "first"}, "p= is missing"),
        ({"p": "first", "q": "second", "member": "note"}, "not both"),
        ({"path_q": FRAME, "member": "note"}, "no use with one file per group"),
    ],
)
def test_arguments_that_contradict_each_other(options, fact):
    refused(FRAME, fact, **options)


@pytest.mark.parametrize(
    ("labels", "options", "facts"),
    [
        (["in", "in", "in"], {}, ["holds only 'in'", "path_q=", "member="]),
        ([1, 1, 1], {}, ["holds only '1'"]),
        (["a", "b", "c"], {}, ["3 labels, 'a', 'b', 'c'", "member_value='a'"]),
        (["a", "b", "b"], {}, ["2 labels, 'a', 'b'", "member_value="]),
        (["a", "b", "b"], {"member_value": "x"}, ["no row", "'x'", "'a', 'b'"]),
        (["in", None, "out"], {}, ["entry 1", "'member' is empty"]),
    ],
)
def test_labels(labels, options, facts):
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3], "member": labels})
    refused(frame, *facts, **options)


def test_an_empty_label_is_found_by_its_row():
    text = "score,member\n1,in\n2,out\n3,\n4,in\n"
    refused(text, "row 4", "label column 'member' is empty", filename="x.csv")


def test_scores_chosen_as_labels():
    frame = pd.DataFrame({"score": np.arange(50.0), "other": np.arange(50.0)})
    refused(frame, "50 different values", "member=", member="other", score="score")


def test_labels_and_scores_of_different_number(tmp_path):
    path = arrays(tmp_path / "x.npz", scores=[1.0, 2, 3], memberships=[1, 0])
    refused(path, "'scores' has 3 scores but 'memberships' has 2 labels")
