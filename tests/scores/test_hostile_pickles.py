"""A pickle in an uploaded file runs no code, whatever the file is called and wherever it hides.

The code would make a folder: files are read in other processes, where nothing that it raises would
be heard of.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from workbench.scores.parsing.formats import EXTENSIONS
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import ScoresError

PICKLED = (".pkl", ".pickle", ".pt", ".pth", ".joblib", ".npy", ".npz")


class Hostile:
    """Unpickles as a call that makes a folder."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def npy(folder):
    held = io.BytesIO()
    np.save(held, np.array([Hostile(folder)], dtype=object), allow_pickle=True)
    return held.getvalue()


def npz(folder):
    held = io.BytesIO()
    np.savez(held, p=np.array([Hostile(folder)], dtype=object), q=np.zeros(3))
    return held.getvalue()


def zipped(folder):
    """As torch.save and joblib write it: a pickle as a member."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in ("p.npy", "q.npy", "archive/data.pkl", "data.pkl"):
            archive.writestr(name, pickle.dumps(Hostile(folder)))
    return held.getvalue()


def arrow_table(folder):
    """A column of a type that pyarrow once unpickled from its description (CVE-2023-47248)."""
    described = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(Hostile(folder)),
    }
    field = pa.field("score", pa.float64(), metadata=described)
    pandas = {b"pandas": pickle.dumps(Hostile(folder))}
    schema = pa.schema([field, pa.field("member", pa.int64())], metadata=pandas)
    return pa.table([pa.array([1.0, 2.0, 0.5]), pa.array([1, 0, 1])], schema=schema)


def feather(folder):
    held = io.BytesIO()
    pyarrow.feather.write_feather(arrow_table(folder), held)
    return held.getvalue()


def parquet(folder):
    held = io.BytesIO()
    pyarrow.parquet.write_table(arrow_table(folder), held)
    return held.getvalue()


def text(folder):
    """A pickle of the first kind, which is text."""
    return pickle.dumps(Hostile(folder), protocol=0)


CONTENTS = {
    "pickle": lambda folder: pickle.dumps(Hostile(folder)),
    "text": text,
    "npy": npy,
    "npz": npz,
    "zip": zipped,
    "feather": feather,
    "parquet": parquet,
}


@pytest.mark.parametrize("suffix", sorted({*EXTENSIONS, *PICKLED}))
@pytest.mark.parametrize("content", list(CONTENTS))
def test_a_pickle_in_a_file_is_never_run(tmp_path, suffix, content):
    made = tmp_path / "made"
    path = tmp_path / f"scores{suffix}"
    path.write_bytes(CONTENTS[content](made))
    for source in (path, path.read_bytes()):
        with suppress(ScoresError):
            read_table(source, filename=path.name)
    assert not made.exists()


def test_the_pickles_would_run(tmp_path):
    for k, hidden in enumerate((pickle.dumps(Hostile(tmp_path / "0")), text(tmp_path / "1"))):
        pickle.loads(hidden)
        assert (tmp_path / str(k)).is_dir()
    np.load(io.BytesIO(npy(tmp_path / "2")), allow_pickle=True)
    assert (tmp_path / "2").is_dir()
