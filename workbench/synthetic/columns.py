"""`AuditedColumn`: what a column of the three tables is, found from all of them together.

The kind of a column follows from its values in the pool (training and held-out records together)
and in the synthetic table, never from which record was a member: what is decided here is the same
for every outcome of the coins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench._names import did_you_mean
from workbench.scores.refusals import listed, quoted
from workbench.synthetic.cells import (
    ColumnCells,
    dates_of,
    numbers_among,
    numbers_of,
    one_spelling,
    share_of_numbers,
    text_of,
)

#: What a column is; of the last kind are ids, constants and what cannot be compared.
COLUMN_KINDS = ("numeric", "category", "yes/no", "date", "left out")

#: The three tables, in the order of arguments.
TABLES = ("training", "holdout", "synthetic")

#: Pairs of words that make a column one of yes and no.
_YES_NO = tuple(
    frozenset(pair)
    for pair in (("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("0", "1"))
)

#: From this share of distinct values on, texts name records.
ID_SHARE = 0.95

#: Names of columns that are ids if their values differ.
_ID_NAME = re.compile(
    r"(^|[_\W])(id|uuid|guid|key|index|number|nr|no)$|^unnamed: \d+$|^index$", re.I
)

#: From this many categories on, a remark says so.
MANY_CATEGORIES = 1000


class SyntheticTablesError(ValueError):
    """Tables that cannot be audited; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class TableRemark:
    """Something that a reader of the audit should know of the tables.

    Attributes
    ----------
    word : str
        What it is about, such as "shared rows".
    text : str
        One sentence.
    count : int
        Of rows, cells or columns.
    """

    word: str
    text: str
    count: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class AuditedColumn:
    """A column of the three tables.

    Attributes
    ----------
    name : str
    kind : {"numeric", "category", "yes/no", "date", "left out"}
    distinct : int
        Distinct values in the pool, missing ones aside.
    missing : float
        Share of missing cells in the pool.
    reason : str
        Why it is left out; "" where it is used.
    stated : bool
        Whether its kind was stated rather than found.
    """

    name: str
    kind: str
    distinct: int
    missing: float
    reason: str = ""
    stated: bool = False

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.kind, "kind", COLUMN_KINDS)
        if (self.kind == "left out") != bool(self.reason):
            raise ValueError(
                f"reason must say why a column is left out, and only then: got kind={self.kind!r}, "
                f"reason={self.reason!r}"
            )

    @property
    def used(self) -> bool:
        """Whether attacks see it."""
        return self.kind != "left out"

    @property
    def is_ordered(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.kind in ("numeric", "date")


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column with its cells in the three tables, in the order of `TABLES`.

    Attributes
    ----------
    column : AuditedColumn
    values : tuple of ndarray
        Floats, datetime64[us], or texts with None; () where it is left out.
    remarks : tuple of TableRemark
    """

    column: AuditedColumn
    values: tuple[NDArray[Any], ...]
    remarks: tuple[TableRemark, ...] = ()


def checked_kinds(columns: Mapping[str, str] | None, names: Sequence[str]) -> dict[str, str]:
    """The stated kinds of columns.

    Raises
    ------
    SyntheticTablesError
        A column that there is not.
    ValueError
        A kind that there is not.
    """
    if columns is None:
        return {}
    _checks.instance(columns, Mapping, "columns", 'a dict such as {"age": "numeric"}')
    for name, kind in columns.items():
        if name not in names:
            hint = did_you_mean(str(name), names, repr)
            raise SyntheticTablesError(
                f"columns= names {quoted(name)}, which the tables do not have{hint}; their columns "
                f"are {listed(names)}"
            )
        _checks.one_of(kind, f"columns[{name!r}]", COLUMN_KINDS)
    return {str(name): kind for name, kind in columns.items()}


def read_column(name: str, given: Sequence[Any], stated: str | None = None) -> ReadColumn:
    """What a column is, and its cells.

    Parameters
    ----------
    name : str
    given : sequence of three Series or arrays
        In the order of `TABLES`.
    stated : str, optional
        One of `COLUMN_KINDS`.

    Raises
    ------
    SyntheticTablesError
        Numbers and words, or dates and something else, in one column.
    """
    if stated == "left out":
        return _left_out(name, (), "as stated", stated=True)
    cells = [ColumnCells.of(one) for one in _one_precision(given)]
    if any(one.form == "nested" for one in cells):
        where = TABLES[[one.form for one in cells].index("nested")]
        return _left_out(name, (), f"cells of the {where} table hold no single values")
    if cells[0].form == cells[1].form == "nothing":
        return _left_out(name, cells, "all cells of training and held-out records are missing")
    kind, values, remarks = _resolved(name, cells, stated)
    column, more = _described(name, kind, values, stated)
    return ReadColumn(column, tuple(values) if column.used else (), (*remarks, *more))


def _one_precision(given: Sequence[Any]) -> list[Any]:
    """Columns of floats in the precision of the coarsest, so that it does not tell the table."""
    kinds = [getattr(one, "dtype", None) for one in given]
    if not all(isinstance(kind, np.dtype) and kind.kind == "f" for kind in kinds):
        return list(given)
    least = min(kinds, key=lambda kind: kind.itemsize)  # type: ignore[union-attr]
    return [one.astype(least) for one in given]


def _left_out(
    name: str, cells: Sequence[ColumnCells], reason: str, *, stated: bool = False
) -> ReadColumn:
    missing = 1.0 if cells else 0.0
    return ReadColumn(AuditedColumn(name, "left out", 0, missing, reason, stated), ())


Resolved = tuple[str, list[NDArray[Any]], list[TableRemark]]


def _resolved(name: str, cells: list[ColumnCells], stated: str | None) -> Resolved:
    """The kind of a column, its cells in that form, and what there is to say."""
    forms = {one.form for one in cells} - {"nothing"}
    if stated in ("category", "yes/no"):
        return _categories(name, cells, stated)
    for kind, form, read in (("numeric", "number", numbers_of), ("date", "date", dates_of)):
        if stated not in (None, kind) or not forms <= {form, "text"}:
            continue
        found = [_read_texts(part, read) for part in (cells[:2], cells[2:])]
        if all(one is not None for one in found):
            values = [x for one in found if one for x in one[0]]
            signs = {one[1] for one in found if one and one[1]}
            if kind == "date":
                return kind, values, _about_dates(name, signs)
            return _numbers(name, values, stated, _about_signs(name, signs))
    if stated == "date":
        raise SyntheticTablesError(
            f"column {quoted(name)} is no date in each table, such as "
            f"{listed(_words(cells)[:3])}; write dates as 2026-01-31 in all tables, or state "
            f"another kind: columns={{{name!r}: 'category'}}"
        )
    if stated == "numeric":
        return _numbers_alone(name, cells)
    _refuse_mixed(name, cells)
    return _categories(name, cells, "category")


def _read_texts(
    cells: Sequence[ColumnCells], read: Callable[[Sequence[str]], tuple[NDArray[Any], str] | None]
) -> tuple[list[NDArray[Any]], str] | None:
    """ColumnCells as numbers or dates, and how texts were read; None where one text is none.

    Training and held-out records are read together, and the synthetic table, which something else
    wrote, by itself.
    """
    form, gap = _FORMS[read]
    words = _words([one for one in cells if one.form == "text"])
    meant, how = np.array([], gap.dtype), ""
    if words:
        found = read(words)
        if found is None:
            return None
        meant, how = found
    place = {word: i for i, word in enumerate(words)} | {None: -1}
    meant = np.append(meant, gap)
    return [
        one.values if one.form == form else meant[[place[word] for word in one.texts()]]
        for one in cells
    ], how


def _numbers_alone(name: str, cells: list[ColumnCells]) -> Resolved:
    """The numbers of a column that was stated as numeric; its words count as missing."""
    words = _words(cells)
    numbers = numbers_among(words)
    lost = [word for word, x in zip(words, numbers, strict=True) if np.isnan(x)]
    if len(lost) == len(words):
        raise SyntheticTablesError(
            f"column {quoted(name)} is stated as numeric and has no number, such as "
            f"{listed(lost[:3])}; state columns={{{name!r}: 'category'}}"
        )
    place = {word: i for i, word in enumerate(words)} | {None: -1}
    meant = np.append(numbers, np.nan)
    values = [meant[[place[word] for word in one.texts()]] for one in cells]
    text = f"Words of {quoted(name)} count as missing: {listed(lost)}."
    return _numbers(name, values, "numeric", [TableRemark("words as missing", text, len(lost))])


def _refuse_mixed(name: str, cells: list[ColumnCells]) -> None:
    """Raise where most cells are numbers or dates and some are not; categories otherwise."""
    forms = [one.form for one in cells]
    if "date" in forms:
        held = ", ".join(
            f"{form}s in the {table} table"
            for form, table in zip(forms, TABLES, strict=True)
            if form != "nothing"
        )
        raise SyntheticTablesError(
            f"column {quoted(name)} has {held}; write it in one way in all tables, or state "
            f"columns={{{name!r}: 'category'}} or 'left out'"
        )
    words = _words([one for one in cells if one.form == "text"])
    odd = [word for word, x in zip(words, numbers_among(words), strict=True) if np.isnan(x)]
    if odd and ("number" in forms or share_of_numbers(words) >= 0.5):
        raise SyntheticTablesError(
            f"column {quoted(name)} mixes numbers with other text: {listed(odd[:3])}; correct "
            f"them, or state columns={{{name!r}: 'numeric'}}, where they count as missing, or "
            "'category'"
        )


def _numbers(
    name: str, values: list[NDArray[Any]], stated: str | None, remarks: Sequence[TableRemark] = ()
) -> Resolved:
    remarks = list(remarks)
    infinite = [int(np.isinf(one).sum()) for one in values]
    if any(infinite):
        where = " and ".join(
            f"{n:,} in the {table} table" for n, table in zip(infinite, TABLES, strict=True) if n
        )
        text = f"Infinite numbers of {quoted(name)} count as missing: {where}."
        remarks.append(TableRemark("infinite numbers", text, sum(infinite)))
        values = [np.where(np.isinf(one), np.nan, one) for one in values]
    known = np.unique(np.concatenate(values))
    if stated is None and set(known[~np.isnan(known)].tolist()) == {0.0, 1.0}:
        return "yes/no", [ColumnCells("number", one).texts() for one in values], remarks
    return "numeric", values, remarks


def _about_signs(name: str, signs: set[str]) -> list[TableRemark]:
    if not signs - {"."}:
        return []
    how = "a sign of thousands" if "1,000" in signs else "the decimal sign"
    text = f"The comma in numbers of {quoted(name)} is read as {how}."
    return [TableRemark("numbers with a comma", text, 1)]


def _about_dates(name: str, forms: set[str]) -> list[TableRemark]:
    if not forms:
        return []
    how = " and ".join(sorted(forms - {"ISO8601"}))
    text = f"Dates of {quoted(name)} are read from text{' as ' + how if how else ''}."
    return [TableRemark("dates as text", text, 1)]


def _categories(name: str, cells: list[ColumnCells], kind: str) -> Resolved:
    """Texts of all tables, with synthetic spellings of a pool's category taken for it."""
    texts = _spelled(cells)
    pool = {word for one in texts[:2] for word in one if word is not None}
    folded: dict[str, set[str]] = {}
    for word in pool:
        folded.setdefault(_folded(word), set()).add(word)
    other = {word for word in texts[2] if word is not None} - pool
    same = {
        word: next(iter(folded[_folded(word)]))
        for word in other
        if len(folded.get(_folded(word), ())) == 1
    }
    remarks = []
    if same:
        shown = ", ".join(f"{quoted(a)} as {quoted(b)}" for a, b in sorted(same.items())[:3])
        text = (
            f"Of {quoted(name)}, the synthetic table has other spellings, which are taken for the "
            f"same: {shown}{', …' if len(same) > 3 else ''}."
        )
        remarks.append(TableRemark("other spelling", text, len(same)))
        texts[2] = _taken({word: same.get(word, word) for word in texts[2]}, texts[2])
    if kind == "category" and frozenset(folded) in _YES_NO:
        kind = "yes/no"
    return kind, texts, remarks


def _spelled(cells: list[ColumnCells]) -> list[NDArray[Any]]:
    """The texts of the tables, spelled alike.

    A reader that finds numbers alone in one table gives numbers, and their texts where another has
    a word among them: the spelling of a cell must not tell which table it is from.
    """
    numbers = any(one.with_numbers for one in cells)
    texts = [one.texts() for one in cells]
    known: dict[str | None, str | None] = {None: None}
    known |= {word: one_spelling(word, numbers) for word in _words(cells)}
    return [_taken(known, one) for one in texts]


def _taken(known: Mapping[str | None, str | None], words: NDArray[Any]) -> NDArray[Any]:
    """The texts by a dict, shape as ``words``."""
    found = np.empty(words.size, object)
    found[:] = [known[word] for word in words]
    return found


def _folded(word: str) -> str:
    return " ".join(re.sub(r"[\s_-]+", " ", word).split()).casefold()


def _described(
    name: str, kind: str, values: list[NDArray[Any]], stated: str | None
) -> tuple[AuditedColumn, list[TableRemark]]:
    """The column, left out where it is constant or an id; and what the synthetic table adds."""
    import pandas as pd

    pool = np.concatenate(values[:2])
    gaps = pd.isna(pool)
    known = pd.unique(pool[~gaps])
    distinct, missing = len(known), float(np.mean(gaps))
    reason = ""
    if stated is None:
        if distinct == 1 and not gaps.any():
            reason = f"constant: every record has {quoted(text_of(known[0]))}"
        elif why := _why_id(name, kind, pool[~gaps], distinct):
            reason = f"an id: {why}"
    if reason:
        return AuditedColumn(name, "left out", distinct, missing, reason), []
    column = AuditedColumn(name, kind, distinct, missing, stated=stated is not None)
    return column, _outside(column, known, values[2])


def _why_id(name: str, kind: str, pool: NDArray[Any], distinct: int) -> str:
    """Why a column names records; "" where it does not."""
    n = pool.size
    if n < 20:
        return ""
    if kind == "category" and distinct >= ID_SHARE * n:
        return f"{distinct:,} distinct texts in {n:,} records"
    if kind == "numeric" and distinct == n and np.array_equal(pool, np.floor(pool)):
        span = float(pool.max() - pool.min()) + 1
        if _ID_NAME.search(name):
            return f"its name, and {n:,} distinct whole numbers"
        if span <= 2 * n:
            return f"{n:,} distinct whole numbers within {span:,.0f}"
    return ""


def _outside(
    column: AuditedColumn, known: NDArray[Any], synthetic: NDArray[Any]
) -> list[TableRemark]:
    """What the synthetic table has that no record of the pool has, and how many categories."""
    import pandas as pd

    here = synthetic[~pd.isna(synthetic)]
    remarks, name = [], quoted(column.name)
    if column.is_ordered:
        out = int(((here < known.min()) | (here > known.max())).sum())
        if out:
            text = f"Synthetic values of {name} outside the range of the records: {out:,}."
            remarks.append(TableRemark("values outside", text, out))
    else:
        of_records = set(known.tolist())
        new = [value for value in pd.unique(here) if value not in of_records]
        if new:
            some = listed(new[:3]) + (", …" if len(new) > 3 else "")
            text = f"Synthetic values of {name} that no record has: {some}."
            remarks.append(TableRemark("values outside", text, len(new)))
        if column.distinct >= MANY_CATEGORIES:
            text = f"{name} has {column.distinct:,} categories; rare ones are taken together."
            remarks.append(TableRemark("many categories", text, column.distinct))
    return remarks


# -- cells in one form -----------------------------------------------------------------------------


def counted(count: int, what: str) -> str:
    """A number of things in words: "1 record", "1,200 records"."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _words(cells: Sequence[ColumnCells]) -> list[str]:
    """The distinct texts of some tables, sorted."""
    return sorted({word for one in cells for word in one.texts() if word is not None})


#: What texts are read as, and what a missing one is.
_FORMS: dict[Any, tuple[str, Any]] = {
    numbers_of: ("number", np.float64("nan")),
    dates_of: ("date", np.datetime64("NaT", "us")),
}
