"""`SyntheticTables`: a training, a holdout and a synthetic table, read, checked and made alike.

Training and held-out records together are the *pool*. Its rows are in an order that is drawn at
random, so that their places do not tell who was a member; attacks see the pool, the synthetic
table and the memberships of a learning share, and nothing else.

Rows that occur more than once may be left out, *all* copies in the pool on both sides: whether a
row goes must not depend on which copies were members, or the coins of the rest are no coins.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores import chance
from workbench.scores.chance import Fingerprint
from workbench.scores.refusals import listed, quoted
from workbench.scores.sample import ScoresError
from workbench.synthetic.cells import ColumnCells
from workbench.synthetic.columns import (
    TABLES,
    AuditedColumn,
    SyntheticTablesError,
    TableRemark,
    checked_kinds,
    counted,
    read_column,
)

if TYPE_CHECKING:
    import pandas as pd

#: A table: a DataFrame, columns by name, or a file of any format that `wb.read_scores` reads.
TableSource: TypeAlias = "pd.DataFrame | Mapping[str, Any] | str | PathLike[str]"

#: Records (units, where there are some) that an audit needs, at least.
FEWEST = 50

#: What becomes of rows that occur more than once in the pool.
DUPLICATES = ("keep", "remove")


@dataclass(frozen=True, eq=False)
class SyntheticTables:
    """Three tables, checked: the pool of training and held-out records, and the synthetic table.

    Made by `read_synthetic_tables`.

    Attributes
    ----------
    columns : tuple of AuditedColumn
        All columns, those that are left out too.
    pool : DataFrame, n rows
        Training and held-out records in random order: columns of numbers, dates, or categories
        that are the same in both tables; only columns that are used.
    member : ndarray of bool, shape (n,)
        Whether the record was in the training table.
    place : ndarray of int, shape (n,)
        Its row in the training or the holdout table, from 0.
    synthetic : DataFrame
        With the columns of the pool.
    units : ndarray of int, shape (n,), optional
        The person, or other unit, of each record, numbered from 0; None where each record is one
        of its own.
    unit : str, optional
        The column that names them.
    remarks : tuple of TableRemark
        What a reader of the audit should know.
    duplicates : {"keep", "remove"}
        What became of rows that occur more than once in the pool.
    seed : int, optional
        The random number that was given.
    """

    columns: tuple[AuditedColumn, ...]
    pool: pd.DataFrame = field(repr=False)
    member: NDArray[np.bool_] = field(repr=False)
    place: NDArray[np.int64] = field(repr=False)
    synthetic: pd.DataFrame = field(repr=False)
    units: NDArray[np.int64] | None = field(repr=False)
    unit: str | None
    remarks: tuple[TableRemark, ...]
    duplicates: str
    fingerprint: Fingerprint
    seed: int

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.duplicates, "duplicates", DUPLICATES)
        known = [("member", self.member), ("place", self.place), ("units", self.units)]
        for name, array in known:
            if array is not None and array.shape != (len(self.pool),):
                raise ValueError(
                    f"{name} must have one value for each of the {len(self.pool)} records of the "
                    f"pool, got shape {array.shape}"
                )

    @property
    def records(self) -> int:
        """Number n of records in the pool."""
        return len(self.pool)

    @property
    def used(self) -> tuple[AuditedColumn, ...]:
        """The columns that attacks see."""
        return tuple(column for column in self.columns if column.used)

    @property
    def left_out(self) -> tuple[AuditedColumn, ...]:
        """The columns that attacks do not see, each with its reason."""
        return tuple(column for column in self.columns if not column.used)

    @property
    def chance(self) -> int:
        """The random number of these tables, from which every order and share follows."""
        return self.seed

    @cached_property
    def canary(self) -> NDArray[np.int64]:
        """What had its own coin: the unit of each record, or the record itself, shape (n,)."""
        return np.arange(self.records) if self.units is None else self.units

    @cached_property
    def included(self) -> NDArray[np.bool_]:
        """Whether each canary was in the training table, shape (canaries,)."""
        found = np.zeros(self.canaries, bool)
        found[self.canary] = self.member
        return found

    @property
    def canaries(self) -> int:
        """Number of units, or of records where each is one of its own."""
        return self.records if self.units is None else int(self.units.max()) + 1

    @property
    def counted(self) -> str:
        """What the canaries are called: "records" or "units"."""
        return "records" if self.units is None else "units"

    def combined(self, of_records: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """The score of each canary: of a unit, the largest of its records, shape (canaries,).

        Parameters
        ----------
        of_records : ndarray, shape (n,)
            Larger means member.
        """
        given: NDArray[np.float64] = _checks.array(of_records, "of_records")
        if given.shape != (self.records,):
            raise ValueError(
                f"of_records must have one number for each of the {self.records} records of the "
                f"pool, got shape {given.shape}"
            )
        if self.units is None:
            return given
        found = np.full(self.canaries, -np.inf)
        np.maximum.at(found, self.units, given)
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row for each column: its name, kind, distinct values, share missing, reason."""
        import pandas as pd

        return pd.concat([column.to_frame() for column in self.columns], ignore_index=True)


def read_synthetic_tables(
    train: TableSource,
    holdout: TableSource,
    synthetic: TableSource,
    *,
    unit: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: str = "keep",
    seed: int | np.random.Generator | None = None,
) -> SyntheticTables:
    """The three tables of an audit, with what their columns are.

    Parameters
    ----------
    train, holdout, synthetic : DataFrame, dict of columns, or path
        The records that the generator saw, those that it did not see, and what it made. A file is
        csv, tsv, parquet, feather or json.
    unit : str, optional
        The column that names the person, or other unit, of a record, where all records of a unit
        were put in or out together.
    columns : dict, optional
        The kind of some columns, one of "numeric", "category", "yes/no", "date" and "left out";
        those of the others are found.
    duplicates : {"keep", "remove"}
        Whether rows that occur more than once in the pool are left out, all copies on both sides.
        Their coins are fair either way; a copy that was held out makes a member look like none.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for these tables, whatever they hold. By default one from
        the operating system, the same for the same tables in a process.

    Returns
    -------
    SyntheticTables

    Raises
    ------
    SyntheticTablesError
        A table without rows; training and holdout with different columns; no common column, or
        none that can be used; a unit in both tables; fewer than 50 records or units; a column that
        mixes numbers with words; no members or no held-out records.
    """
    _checks.one_of(duplicates, "duplicates", DUPLICATES)
    given = [
        _frame(source, name)
        for source, name in zip((train, holdout, synthetic), TABLES, strict=True)
    ]
    unit_codes = _units(given, unit)
    given, remarks = _same_columns(given, unit)
    names = [str(name) for name in given[0].columns]
    stated = checked_kinds(columns, names)
    read = [read_column(name, [frame[name] for frame in given], stated.get(name)) for name in names]
    found = [one.column for one in read]
    for column in (column for column in found if not column.used):
        text = f"Column {quoted(column.name)} is left out: {column.reason}."
        remarks.append(TableRemark("left out", text, 1))
    used = [one for one in read if one.column.used]
    if not used:
        raise SyntheticTablesError(
            "no column can be compared: "
            + "; ".join(f"{quoted(c.name)} is left out, {c.reason}" for c in found[:5])
            + ". State the kind of one that matters: columns={'…': 'category'}"
        )
    remarks += [remark for one in used for remark in one.remarks]
    if len(used) == 1:
        text = f"Only one column is compared, {quoted(used[0].column.name)}: attacks see little."
        remarks.append(TableRemark("one column", text, 1))
    sizes = [len(frame) for frame in given]
    joined = joined_columns(used)
    return _checked(found, joined, sizes, unit, unit_codes, remarks, duplicates, seed)


# -- reading ---------------------------------------------------------------------------------------


def _frame(source: Any, name: str) -> pd.DataFrame:
    """A table as a DataFrame whose columns have texts as names, each a name of its own."""
    import pandas as pd

    from workbench.scores.parsing.source import read_table

    if isinstance(source, pd.DataFrame):
        frame = source.reset_index(drop=True)
    elif isinstance(source, Mapping):
        try:
            frame = pd.DataFrame(dict(source))
        except ValueError as error:
            raise SyntheticTablesError(
                f"the columns of the {name} table do not make a table: {error}; give columns of "
                "one length"
            ) from None
    elif isinstance(source, str | PathLike):
        try:
            read = read_table(source)
        except ScoresError as error:
            raise SyntheticTablesError(f"the {name} table: {error}") from error
        if read.rows is None:
            raise SyntheticTablesError(
                f"the {name} table has columns of different lengths; write it as csv or parquet"
            )
        frame = pd.DataFrame({key: pd.Series(value) for key, value in read.columns.items()})
    else:
        raise TypeError(
            f"the {name} table must be a DataFrame, a dict of columns or a path, got "
            f"{_checks.shown(source)}, a {type(source).__name__}"
        )
    frame.columns = [" ".join(str(one).split()) for one in frame.columns]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise SyntheticTablesError(
            f"the {name} table has two columns {quoted(twice[0])}; rename or drop one"
        )
    if frame.empty:
        raise SyntheticTablesError(
            f"the {name} table has {len(frame)} rows and {frame.shape[1]} columns; give one with "
            "records"
        )
    return frame


def _units(frames: Sequence[pd.DataFrame], unit: str | None) -> NDArray[np.int64] | None:
    """A number for the unit of each record, those of the training table first."""
    import pandas as pd

    if unit is None:
        return None
    _checks.text(unit, "unit")
    for frame, name in zip(frames[:2], TABLES, strict=False):
        if unit not in frame.columns:
            raise SyntheticTablesError(
                f"unit={unit!r} is no column of the {name} table; its columns are "
                f"{listed(frame.columns)}"
            )
        if gaps := int(ColumnCells.of(frame[unit]).missing.sum()):
            raise SyntheticTablesError(
                f"{gaps:,} records of the {name} table have no {quoted(unit)}; every record needs "
                "its unit: fill it in, or give these records units of their own"
            )
    names = [pd.Series(ColumnCells.of(frame[unit]).texts()) for frame in frames[:2]]
    shared = sorted(set(names[0]) & set(names[1]))
    if shared:
        raise SyntheticTablesError(
            f"{len(shared):,} units are in both tables, such as {listed(shared[:3])}: all records "
            "of a unit go in or out together, by one coin. Split by units "
            "(wb.synthetic.split_by_coin has unit=) before the generator is trained"
        )
    codes, _ = pd.factorize(pd.concat(names, ignore_index=True))
    return np.asarray(codes, np.int64)


def _same_columns(
    frames: Sequence[pd.DataFrame], unit: str | None
) -> tuple[list[pd.DataFrame], list[TableRemark]]:
    """The tables with the columns that all three have, in one order."""
    records = [frame.drop(columns=unit) if unit in frame.columns else frame for frame in frames]
    first, second, third = (list(frame.columns) for frame in records)
    only = [sorted(set(a) - set(b)) for a, b in ((first, second), (second, first))]
    if any(only):
        said = " and ".join(
            f"the {name} table alone has {listed(found)}"
            for name, found in zip(TABLES, only, strict=False)
            if found
        )
        raise SyntheticTablesError(
            f"training and held-out records have different columns: {said}; both are parts of one "
            "table, so give them the same columns"
        )
    remarks = []
    renamed = _renamed(first, third)
    if renamed:
        records[2] = records[2].rename(columns=renamed)
        third = list(records[2].columns)
        shown = ", ".join(f"{quoted(a)} for {quoted(b)}" for a, b in renamed.items())
        text = (
            f"Columns of the synthetic table are taken by their names in other spelling: {shown}."
        )
        remarks.append(TableRemark("renamed columns", text, len(renamed)))
    common = [name for name in first if name in set(third)]
    if not common:
        raise SyntheticTablesError(
            f"the synthetic table has none of the records' columns: it has {listed(third)}, they "
            f"have {listed(first)}; give all tables the same names"
        )
    for have, other, what in (
        (first, third, "The synthetic table lacks"),
        (third, first, "Only the synthetic table has"),
    ):
        if lacking := [name for name in have if name not in set(other)]:
            text = f"{what} {listed(lacking)}; the audit goes without."
            remarks.append(TableRemark("other columns", text, len(lacking)))
    return [frame[common] for frame in records], remarks


def _renamed(names: Sequence[str], synthetic: Sequence[str]) -> dict[str, str]:
    """Columns of the synthetic table that differ from one of the records in spelling alone."""

    def folded(name: str) -> str:
        return "".join(c for c in name.casefold() if c.isalnum())

    free = [name for name in names if name not in set(synthetic)]
    known = {folded(name): name for name in free}
    if len(known) < len(free):
        return {}
    other = [name for name in synthetic if name not in set(names) and folded(name) in known]
    made = {name: known[folded(name)] for name in other}
    return made if len(set(made.values())) == len(made) else {}


def joined_columns(used: Sequence[Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The records, those of training first, and the synthetic table, with the same categories."""
    import pandas as pd

    pool: dict[str, Any] = {}
    synthetic: dict[str, Any] = {}
    for one in used:
        name, values = one.column.name, [*one.values]
        records = np.concatenate(values[:2])
        if one.column.is_ordered:
            pool[name], synthetic[name] = records, values[2]
            continue
        both = pd.Series(np.concatenate([records, values[2]]), dtype=object)
        known = sorted(both.dropna().unique())
        codes = pd.Categorical(both, categories=known)
        pool[name], synthetic[name] = codes[: records.size], codes[records.size :]
    return pd.DataFrame(pool), pd.DataFrame(synthetic)


# -- checks of rows --------------------------------------------------------------------------------


def row_hashes(frame: pd.DataFrame) -> NDArray[np.uint64]:
    """A number for each row, the same for the same cells, shape (rows,)."""
    import pandas as pd

    return np.asarray(pd.util.hash_pandas_object(frame, index=False), np.uint64)


def _checked(
    columns: Sequence[AuditedColumn],
    joined: tuple[pd.DataFrame, pd.DataFrame],
    sizes: Sequence[int],
    unit: str | None,
    units: NDArray[np.int64] | None,
    remarks: list[TableRemark],
    duplicates: str,
    seed: int | np.random.Generator | None,
) -> SyntheticTables:
    pool, synthetic = joined
    member = np.repeat([True, False], sizes[:2])
    place = np.concatenate([np.arange(size) for size in sizes[:2]])
    hashes, made = row_hashes(pool), row_hashes(synthetic)
    remarks = [*_overlaps(hashes, member, made, duplicates), *remarks]
    kept = _kept(hashes, duplicates)
    pool, member, place, hashes = pool[kept], member[kept], place[kept], hashes[kept]
    if units is not None:
        _, units = np.unique(units[kept], return_inverse=True)
    _require_enough(member, units)
    known = _fingerprint(hashes, member, units, made)
    drawn = chance.seed_of(known, chance.checked_seed(seed))
    # Sorted by what the rows hold, so that the order follows from the number alone.
    order = np.lexsort((place, member, hashes))
    order = order[chance.generator(drawn, "permutations").permutation(order.size)]
    return SyntheticTables(
        columns=tuple(columns),
        pool=pool.iloc[order].reset_index(drop=True),
        member=member[order],
        place=place[order],
        synthetic=synthetic,
        units=None if units is None else _numbered(units[order]),
        unit=unit,
        remarks=tuple(remarks),
        duplicates=duplicates,
        fingerprint=known,
        seed=drawn,
    )


def _numbered(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Units numbered in the order in which they come."""
    import pandas as pd

    return np.asarray(pd.factorize(units)[0], np.int64)


def _kept(hashes: NDArray[np.uint64], duplicates: str) -> NDArray[np.bool_]:
    """Rows that stay: all, or those that occur once in the pool."""
    if duplicates == "keep":
        return np.ones(hashes.size, bool)
    _, where, times = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.asarray(times[where] == 1)


def _overlaps(
    hashes: NDArray[np.uint64],
    member: NDArray[np.bool_],
    made: NDArray[np.uint64],
    duplicates: str,
) -> list[TableRemark]:
    """Rows that occur twice or in both tables; a synthetic table that is the training one."""
    remarks = []
    _, where, times = np.unique(hashes, return_inverse=True, return_counts=True)
    inside = np.bincount(where, member)
    both = (inside > 0) & (inside < times)
    rows = int(inside[both].sum()), int(times[both].sum() - inside[both].sum())
    again = int((times - 1).sum())
    if both.any():
        text = (
            f"{counted(rows[0], 'training record')} and {counted(rows[1], 'held-out record')} "
            "are equal rows in both tables."
        )
        remarks.append(TableRemark("shared rows", text, sum(rows)))
    if again:
        then = (
            "All copies of repeated rows are left out, on both sides."
            if duplicates == "remove"
            else 'duplicates="remove" leaves all copies out, on both sides.'
        )
        text = f"Training and holdout table have {counted(again, 'repeated record')}. {then}"
        remarks.append(TableRemark("repeated rows", text, again))
    if np.array_equal(np.sort(hashes[member]), np.sort(made)):
        text = (
            "The synthetic table is the training table: the same rows, as often. Whatever made it "
            "released the records themselves."
        )
        remarks.append(TableRemark("training table", text, made.size))
    if made.size < FEWEST:
        text = f"The synthetic table has {counted(made.size, 'record')} only: attacks see little."
        remarks.append(TableRemark("few synthetic records", text, made.size))
    return remarks


def _require_enough(member: NDArray[np.bool_], units: NDArray[np.int64] | None) -> None:
    what = "records" if units is None else "units"
    n = member.size if units is None else int(units.max(initial=-1)) + 1
    if n < FEWEST:
        raise SyntheticTablesError(
            f"training and holdout table have {n} {what} together; an audit needs at least "
            f"{FEWEST}, and shows little below some hundreds: give more"
        )
    sides = int(member.sum()), int((~member).sum())
    if min(sides) < 2:
        raise SyntheticTablesError(
            f"{sides[0]:,} records were in the training and {sides[1]:,} in the holdout table; at "
            "least 2 on each side are needed"
        )


def _fingerprint(
    hashes: NDArray[np.uint64],
    member: NDArray[np.bool_],
    units: NDArray[np.int64] | None,
    made: NDArray[np.uint64],
) -> Fingerprint:
    """What the tables are known by, in any order of their rows."""
    from scipy.special import gammaln

    order = np.lexsort((member, hashes))
    found = hashlib.blake2b(digest_size=16)
    for array in (hashes[order], np.packbits(member[order]), np.sort(made)):
        found.update(np.ascontiguousarray(array).data)
    found.update(b"units" if units is not None else b"records")
    n, k = member.size, int(member.sum())
    bits = float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / float(np.log(2))
    return Fingerprint(found.hexdigest(), bits)
