"""Formats: the reader of each kind of data file, and the kinds that are refused.

A new format is a function from content, file name and limits to a `DataTable`, and a line in
`READERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from workbench.scores.layouts.confusion import refuse_counts
from workbench.scores.parsing.arrays import read_npy, read_npz
from workbench.scores.parsing.arrow_lists import read_arrow_lists
from workbench.scores.parsing.compressed import ARCHIVE, COMPRESSIONS, OF_PYARROW, unpacked
from workbench.scores.parsing.frames import read_arrow, read_feather, read_parquet
from workbench.scores.parsing.json_documents.document import read_json, read_json_lines
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.text import read_text
from workbench.scores.refusals import called, check_parser, damage_refused, refused_pickle
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: The table of content. Messages use the name of the file; ScoresError where it is refused.
Reader = Callable[[bytes, str, ReadLimits], DataTable]

READERS: dict[str, Reader] = {
    ".csv": read_text,
    ".txt": read_text,
    ".tsv": partial(read_text, kind="tsv"),
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".arrow": read_arrow,
    ".npy": read_npy,
    ".npz": read_npz,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
}
EXTENSIONS = tuple(READERS)

#: Readers of files that are no table of columns, which no extension names.
PARTS: dict[str, Reader] = {".arrow of lists": read_arrow_lists}

#: Kinds that pyarrow reads.
_OF_PYARROW = (".parquet", ".feather", ".arrow", *PARTS)

#: Kinds that are compressed by themselves; a second compression is none that programs write.
_COMPRESSED_ALREADY = (".parquet", ".feather", ".arrow", ".npz")

_FIRST_BYTES = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"FEA1": ".feather",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
    b"PK": ".npz",
    b"\x80": ".npy",  # a pickle, which that reader refuses with the remedy
}
_PICKLED = (".pkl", ".pickle", ".pt", ".pth", ".joblib")
_SPREADSHEETS = (".xlsx", ".xls", ".ods")

#: Kinds that are not read, and the lines that convert a file of each.
_CONVERTED = {
    ".mat": (
        "import numpy as np, scipy.io",
        "scores = scipy.io.loadmat({file}); "
        "np.savez({plain}, p=scores['p'].ravel(), q=scores['q'].ravel())",
    ),
    ".h5": (
        "import h5py, numpy as np",
        "scores = h5py.File({file}); np.savez({plain}, p=scores['p'][:], q=scores['q'][:])",
    ),
    ".safetensors": (
        "import numpy as np; from safetensors.numpy import load_file",
        "np.savez({plain}, **load_file({file}))",
    ),
    ".xlsx": (
        "import pandas as pd",
        "pd.read_excel({file}).to_csv({csv}, index=False)",
    ),
    ".dta": ("import pandas as pd", "pd.read_stata({file}).to_csv({csv}, index=False)"),
    ".sav": ("import pandas as pd", "pd.read_spss({file}).to_csv({csv}, index=False)"),
    ".sas7bdat": ("import pandas as pd", "pd.read_sas({file}).to_csv({csv}, index=False)"),
    ".orc": ("import pandas as pd", "pd.read_orc({file}).to_csv({csv}, index=False)"),
    ".xml": ("import pandas as pd", "pd.read_xml({file}).to_csv({csv}, index=False)"),
    ".html": ("import pandas as pd", "pd.read_html({file})[0].to_csv({csv}, index=False)"),
    ".sqlite": (
        "import pandas as pd, sqlite3",
        "pd.read_sql('SELECT * FROM scores', sqlite3.connect({file})).to_csv({csv}, index=False)",
    ),
    ".yaml": (
        "import pandas as pd, yaml",
        "pd.DataFrame(yaml.safe_load(open({file}))).to_csv({csv}, index=False)",
    ),
}
_LIKE = {
    ".hdf5": ".h5",
    ".hdf": ".h5",
    ".htm": ".html",
    ".db": ".sqlite",
    ".sqlite3": ".sqlite",
    ".yml": ".yaml",
    **dict.fromkeys(_SPREADSHEETS[1:], ".xlsx"),
}

#: Kinds that other programs convert, and how.
_ELSEWHERE = {
    ".rds": "an object of R; in R: write.csv(readRDS({file}), {csv}, row.names = FALSE)",
    ".rdata": "a workspace of R; in R: load({file}), then write.csv(x, {csv}, row.names = FALSE)",
    ".tfrecord": "records of TensorFlow; save the scores with np.savez({plain}, p=…, q=…)",
}

#: What is in the names of the event files of TensorBoard.
_EVENTS = ".tfevents."


def parse(data: bytes, kind: str, filename: str, limits: ReadLimits) -> DataTable:
    """Read content in this process.

    Parameters
    ----------
    data : bytes
    kind : str
        The extension whose reader it is given to; that of a compression may follow, ``".csv.gz"``.
    filename : str
        What messages call it.
    limits : ReadLimits

    Raises
    ------
    ScoresError
        The content is damaged, no table, or beyond a limit.
    MemoryError
        There is not enough memory.
    """
    kind, compression = split_kind(kind)
    if compression:
        with damage_refused(filename, compression):
            data, filename = unpacked(data, compression, filename, limits)
        kind = kind or _kind_in_archive(filename)
    with damage_refused(filename, kind):
        table = (READERS | PARTS)[kind](data, filename, limits)
    refuse_counts(table, {})
    return table


def split_kind(kind: str) -> tuple[str, str]:
    """The kind of the content, "" in an archive, and the compression, "" for none."""
    compression = next((c for c in COMPRESSIONS if kind.endswith(c)), "")
    return kind.removesuffix(compression), compression


def table_name(filename: str) -> str:
    """What a table is called: the name of its file without extensions."""
    kept = Path(filename)
    return Path(kept.stem).stem if kept.suffix.lower() in COMPRESSIONS else kept.stem


def _kind_in_archive(filename: str) -> str:
    kind = kind_of_name(filename)
    if split_kind(kind)[1]:
        raise ScoresError(f"{called(filename)} is compressed within an archive; unpack it")
    return kind


def check_kind(kind: str, filename: str) -> None:
    """Raise `MissingParserError` where what reads this kind of file is not installed."""
    kind, compression = split_kind(kind)
    if kind in _OF_PYARROW or compression in OF_PYARROW:
        check_parser(filename)


def kind_of_name(filename: str) -> str:
    """The format of a file by its extensions; ScoresError for an unknown or refused one."""
    suffix = Path(filename).suffix.lower()
    if suffix in READERS or suffix == ARCHIVE:
        return suffix
    if suffix in COMPRESSIONS:
        kind = kind_of_name(Path(filename).stem)
        if kind in _COMPRESSED_ALREADY or split_kind(kind)[1]:
            raise ScoresError(f"{called(filename)} is compressed twice; unpack it first")
        return kind + suffix
    if suffix in _PICKLED:
        raise refused_pickle(filename, suffix)
    if suffix in _CONVERTED or suffix in _LIKE:
        raise _to_convert(filename, _LIKE.get(suffix, suffix))
    if suffix in _ELSEWHERE:
        raise ScoresError(f"{called(filename)} is {_ELSEWHERE[suffix].format(**_names(filename))}")
    if _EVENTS in Path(filename).name:
        raise ScoresError(
            f"{called(filename)} has the events of TensorBoard: curves of a training, with a value "
            "for each step. An audit needs a score of each record; write those to a csv"
        )
    raise ScoresError(
        f"{called(filename)} has "
        f"{f'the unknown extension {suffix!r}' if suffix else 'no extension'}; "
        f"these can be read: {', '.join(EXTENSIONS)}, also compressed: {', '.join(COMPRESSIONS)}"
    )


def _to_convert(filename: str, kind: str) -> ScoresError:
    """The refusal of a file that two lines convert."""
    lines = "\n".join(f"    {line.format(**_names(filename))}" for line in _CONVERTED[kind])
    sheet = "a spreadsheet: save the sheet as csv and read that, or convert it"
    what = sheet if kind == ".xlsx" else "of a kind that is not read; convert it"
    return ScoresError(f"{called(filename)} is {what} in your own Python:\n{lines}")


def _names(filename: str) -> dict[str, str]:
    """A file and what it is converted to, as they are written in a program."""
    stem = Path(filename).stem
    return {"file": repr(filename), "plain": repr(f"{stem}.npz"), "csv": repr(f"{stem}.csv")}


def kind_of_content(data: bytes) -> str:
    """The format of content without a name, by its first bytes; a compressed file needs a name."""
    for first, kind in _FIRST_BYTES.items():
        if data.startswith(first):
            return kind
    return ".json" if data[:1000].lstrip()[:1] in (b"{", b"[") else ".csv"


def content_of(path: Path) -> bytes:
    """The content of a file; ScoresError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ScoresError(f"'{path}' cannot be read: {error.strerror}") from error
