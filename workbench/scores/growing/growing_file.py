"""`GrowingFile`: the rows that are appended to a file, or to a folder of parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.scores.growing.batches import GrowingRows, SourceChanged
from workbench.scores.growing.columnar import ArrowStream, RewrittenParquet
from workbench.scores.growing.folder import FolderRows
from workbench.scores.growing.lines import CsvLines, JsonLines, LineRows
from workbench.scores.growing.row_reader import RowReader
from workbench.scores.layouts.layout import Layout
from workbench.scores.parsing.limits import is_unicode
from workbench.scores.refusals import check_parser
from workbench.scores.sample import ScoresError

#: Scores of a group that are followed.
MOST_ROWS = 10**7

STAY = "The rows that were read before stay in use; nothing more is read"

_KINDS = ".csv, .tsv, .txt, .jsonl, .ndjson, .parquet, .arrow, .arrows"


@dataclass(frozen=True, eq=False)
class NewRows:
    """Scores that arrived since the last look, in the order of the file.

    Attributes
    ----------
    p, q : ndarray, shape (k,), (m,)
        Scores of P and of Q.
    """

    p: Floats
    q: Floats

    @property
    def size(self) -> int:
        """The number of scores."""
        return self.p.size + self.q.size


class GrowingFile:
    r"""A score file, or a folder of parts, that grows while it is read.

    Each row is read once. What is found, and in which order, does not depend on how many rows were
    there at which look.

    Parameters
    ----------
    path : path
        A csv, tsv or txt file (UTF-8), or one with a JSON object per line (jsonl, ndjson), to
        which lines are appended; an Arrow stream; a parquet file that is written anew with more
        rows; or a folder to which such files are added. It need not exist yet: a name without an
        extension is then that of a folder.
    p, q, score, member, member_value : str, optional
        As of `read_scores`; found in the first rows by default.

    Attributes
    ----------
    waits : str
        Why there are no further rows now, such as a last line that is not complete; "" if nothing
        is the matter.
    stopped : str
        Why there will be no further rows: the file was cut off or replaced, or cannot be read.
        What was used stays. "" as long as the file is followed.

    Raises
    ------
    ScoresError
        An extension of no such file.

    Notes
    -----
    An empty cell in one of two columns is no score. Rows that are no scores are left out, counted
    in ``left_out``, and the first of them is named.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> rows = [f"{k % 7},{k % 2}" for k in range(40)]
    >>> _ = path.write_text("score,member\n" + "\n".join(rows) + "\n4,")
    >>> file = wb.GrowingFile(path)
    >>> new = file.new_rows()
    >>> new.p.size, new.q.size, file.waits
    (20, 20, 'the last line is not complete')
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        p: str | None = None,
        q: str | None = None,
        score: str | None = None,
        member: str | None = None,
        member_value: object = None,
    ):
        self.path = _path(path)
        self._source: GrowingRows = _source(self.path)
        given = {"p": p, "q": q, "score": score, "member": member, "member_value": member_value}
        for name, value in given.items():
            label = name == "member_value"
            allowed, need = ((str, int, float), "a label") if label else (str, "a column's name")
            if value is not None:
                _checks.instance(value, allowed, name, need)
        if (p is None) != (q is None):
            raise ScoresError(f"p= and q= go together: {'p' if p is None else 'q'}= is missing")
        self._reader = RowReader(self.path.name, given)
        self.n_p = self.n_q = 0
        self.stopped = ""

    @property
    def name(self) -> str:
        """The name of the file or the folder."""
        return self.path.name

    @property
    def layout(self) -> Layout | None:
        """Where the scores are; None until the first rows have shown it."""
        return self._reader.layout

    @property
    def left_out(self) -> int:
        """Rows that are no scores."""
        return self._reader.left_out

    @property
    def waits(self) -> str:
        """Why there are no further rows now; "" if nothing is the matter."""
        return self._source.waits or self._reader.doubt

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or is worth knowing, as sentences without a full stop."""
        found = list(self._source.notes)
        if self.left_out:
            found.append(f"left out {self.left_out:,} rows, first: {self._reader.first_left_out}")
        return tuple(found)

    def new_rows(self) -> NewRows:
        """The scores that were appended since the last call; a large file comes in pieces.

        Returns
        -------
        NewRows
            Empty if there is nothing new. `waits` and `stopped` say why.
        """
        nothing = NewRows(np.empty(0), np.empty(0))
        while not self.stopped:
            try:
                batch = self._source.read()
                if batch is None:
                    break
                new = NewRows(*self._reader.take(batch))
            except SourceChanged as error:
                self.stopped = f"{error}. {STAY}"
                break
            except ScoresError as error:
                self.stopped = str(error)
                break
            except MemoryError:
                self.stopped = "there is not enough memory for further rows"
                break
            self._require_columns()
            if new.size:
                return self._counted(new)
        return nothing

    def _require_columns(self) -> None:
        layout = self.layout
        if layout is not None and self._source.needed is None:
            names = (layout.p, layout.q, layout.score, layout.member)
            self._source.needed = tuple(name for name in names if name is not None)

    def _counted(self, new: NewRows) -> NewRows:
        new = NewRows(new.p[: MOST_ROWS - self.n_p], new.q[: MOST_ROWS - self.n_q])
        self.n_p, self.n_q = self.n_p + new.p.size, self.n_q + new.q.size
        if max(self.n_p, self.n_q) >= MOST_ROWS:
            self.stopped = f"{MOST_ROWS:,} scores of a group are used, and no more are followed"
        return new


def _path(path: str | os.PathLike[str]) -> Path:
    """A path that a file may have."""
    _checks.instance(path, (str, os.PathLike), "path", "the path of a file or a folder")
    name = os.fspath(path)
    if not isinstance(name, str) or not name or "\x00" in name or not is_unicode(name):
        raise ScoresError(f"{_checks.shown(name)} is no path")
    return Path(name)


def _source(path: Path) -> GrowingRows:
    kind = path.suffix.lower()
    if path.is_dir() or not kind:
        return FolderRows(path)
    if kind in (".csv", ".tsv", ".txt"):
        return LineRows(path, CsvLines(path.name))
    if kind in (".jsonl", ".ndjson"):
        return LineRows(path, JsonLines())
    if kind in (".parquet", ".arrow", ".arrows"):
        check_parser(path.name)
    if kind == ".parquet":
        return RewrittenParquet(path)
    if kind in (".arrow", ".arrows"):
        return ArrowStream(path)
    raise ScoresError(
        f"'{path.name}' cannot be followed: rows can be appended to {_KINDS}, or files to a folder"
    )
