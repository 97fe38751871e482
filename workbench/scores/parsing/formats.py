"""Formats: the reader of each kind of data file, and the kinds that are refused.

A new format is a function from content, file name and limits to a `DataTable`, and a line in
`READERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from workbench.scores.parsing.arrays import read_npy, read_npz
from workbench.scores.parsing.arrow_lists import read_arrow_lists
from workbench.scores.parsing.frames import read_arrow, read_feather, read_parquet
from workbench.scores.parsing.limits import ReadLimits
from workbench.scores.parsing.records import read_json
from workbench.scores.parsing.text import read_text
from workbench.scores.refusals import check_parser, damage_refused, refused_pickle
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
}
EXTENSIONS = tuple(READERS)

#: Readers of files that are no table of columns, which no extension names.
PARTS: dict[str, Reader] = {".arrow of lists": read_arrow_lists}

#: Kinds that pyarrow reads.
_OF_PYARROW = (".parquet", ".feather", ".arrow", *PARTS)

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


def parse(data: bytes, kind: str, filename: str, limits: ReadLimits) -> DataTable:
    """Read content in this process.

    Parameters
    ----------
    data : bytes
    kind : str
        The extension whose reader it is given to.
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
    with damage_refused(filename, kind):
        return (READERS | PARTS)[kind](data, filename, limits)


def check_kind(kind: str, filename: str) -> None:
    """Raise `MissingParserError` where what reads this kind of file is not installed."""
    if kind in _OF_PYARROW:
        check_parser(filename)


def kind_of_name(filename: str) -> str:
    """The format of a file by its extension; ScoresError for an unknown or refused one."""
    suffix = Path(filename).suffix.lower()
    if suffix in READERS:
        return suffix
    if suffix in _PICKLED:
        raise refused_pickle(filename, suffix)
    if suffix in _SPREADSHEETS:
        raise ScoresError(f"'{filename}' is a spreadsheet: save the sheet as csv and read that")
    raise ScoresError(
        f"'{filename}' has {f'the unknown extension {suffix!r}' if suffix else 'no extension'}; "
        f"these can be read: {', '.join(EXTENSIONS)}"
    )


def kind_of_content(data: bytes) -> str:
    """The format of content without a name, by its first bytes."""
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
