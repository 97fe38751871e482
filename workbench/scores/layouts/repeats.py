"""Rows that repeat: several of one record, or copies of the same scores. `repeats_in` finds them.

Bounds hold for independent rows, and rows of one record are not: with every score five times, more
than half of all audits without a leak find one. Only what a file itself shows is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores.layouts.labels import codes_of, factorized, spelling, text_of
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.senses import name_words, sense_of, vocabulary
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: Words of columns that tell records apart, and words beside them.
_RECORDS = vocabulary("record sample canary example point datapoint image sequence document query")
_NUMBERS = vocabulary("id ids idx index no number name key hash")

#: Words of columns that tell rows of one record apart.
_KEYS = vocabulary(
    "attack attacks method epoch epochs step steps iteration round checkpoint augmentation "
    "augmentations aug view crop template prompt seed seeds run runs model models shadow repeat "
    "repetition trial fold layer metric"
)

#: Those of which each value may have records of its own, as a seed has its canaries.
_OWN_RECORDS = vocabulary("seed seeds run runs model models shadow repeat repetition trial fold")

#: The share of rows beyond the first of their record from which a file is of repeated records.
_SHARE = 0.05

#: Different scores that are all there equally often, or a multiple of it: for discrete scores
#: this has a probability of at most 2^-20, if their numbers are not arranged.
_LEAST_COPIED = 20

_REMEDY = (
    "Rows that belong together are not independent, and no bound would hold. {offer}, or state "
    "what you assume with sampling='independent runs' or sampling='one run'"
)


@dataclass(frozen=True)
class Repeats:
    """What shows that rows repeat.

    Attributes
    ----------
    why : str
        A sentence without its full stop.
    cluster : str, optional
        The column whose values name the rows that belong together.
    key : str, optional
        The column that tells the rows of a record apart.
    values : tuple of str
        Its values.
    """

    why: str
    cluster: str | None = None
    key: str | None = None
    values: tuple[str, ...] = ()

    @property
    def refusal(self) -> str:
        """The sentence, what it means for bounds, and what to do."""
        offers = []
        if self.cluster is not None:
            together = f"cluster={self.cluster!r}"
            offers.append(f"make one score of those that belong together with {together}")
        if self.key is not None:
            offers.append(
                f"keep the rows of one value of {self.key!r}, chosen before any result is seen, "
                f"with rows='{self.key}={self.values[0]}'"
            )
        offer = ", or ".join(offers) or "keep one row of each record"
        return f"{self.why}. {_REMEDY.format(offer=offer[0].upper() + offer[1:])}"


def rows_of(table: DataTable, rows: str | None) -> DataTable:
    """The rows of a table with one value in one column.

    Parameters
    ----------
    table : DataTable
    rows : str, optional
        As "attack=loss"; all by default.

    Raises
    ------
    ScoresError
        No such column or value.
    """
    if rows is None:
        return table
    _checks.text(rows, "rows")
    names = [name for name in table.columns if rows.startswith(f"{name}=")]
    if not names or table.rows is None:
        raise ScoresError(
            f"{table.label} has no column of rows={rows!r}; give a column and one of its values, "
            f"as rows='attack=loss'. It has {listed(table.columns)}"
        )
    name = max(names, key=len)
    value = spelling(rows[len(name) + 1 :].strip())
    index, values = factorized(table.column(name))
    wanted = np.array([spelling(text_of(one)) == value for one in values], dtype=bool)
    if not wanted.any():
        raise ScoresError(
            f"{table.label}: no row of {name!r} holds {rows[len(name) + 1 :]!r}; it holds "
            f"{listed(map(text_of, values))}"
        )
    kept = (index >= 0) & wanted[index]
    columns = {c: cells[kept] for c, cells in table.columns.items()}
    last = {c: np.flatnonzero(kept[: table.filled.get(c, kept.size)]) for c in columns}
    ends = {c: int(kept[: at[-1] + 1].sum()) if at.size else 0 for c, at in last.items()}
    return replace(table, columns=columns, rows=int(kept.sum()), filled=ends, first_row=None)


def repeats_in(tables: Sequence[DataTable], layout: Layout) -> Repeats | None:
    """What shows that rows of score files repeat; None where nothing does.

    Parameters
    ----------
    tables : sequence of DataTable
        One, or that of P and that of Q.
    layout : Layout
        Where the scores are.
    """
    tables = [rows_of(table, layout.rows) for table in tables]
    if layout.kind == "score and label":
        table = tables[0]
        found = _records(table, layout) or _blocks(table, layout)
        if found is not None:
            return found
        index, labels = codes_of(table, str(layout.member))
        scores = table.numbers(str(layout.score))
        if scores.size != index.size:
            return None
        rows = {text_of(label): index == i for i, label in enumerate(labels)}
        sides = {side: scores[of] for side, of in rows.items() if not _has_single(scores, of)}
        return _copies(table, sides, layout.score)
    names = (str(layout.p), str(layout.q))
    both = (tables[0], tables[-1])
    sides = {f"{name} of {t.name}": t.numbers(name) for t, name in zip(both, names, strict=True)}
    own_file = layout.kind == "one file per group"
    same = own_file and names[0] == names[1]
    return _copies(tables[0], sides, names[0] if same else None)


def _records(table: DataTable, layout: Layout) -> Repeats | None:
    """Several rows of one record on one side, by a column that tells records apart."""
    for name in _free(table, layout):
        words = set(name_words(name))
        if not (words & _RECORDS or (words and words <= _NUMBERS)):
            continue
        if words - _RECORDS - _NUMBERS:
            continue
        sides, _ = codes_of(table, str(layout.member))
        cells, names = factorized(table.column(name))
        if len(names) < 2 or cells.size != sides.size or (cells < 0).any():
            continue
        pairs = np.unique(cells * 64 + sides).size
        if cells.size - pairs < max(2, _SHARE * cells.size):
            continue
        key = _key(table, layout, cells * 64 + sides, pairs)
        values = () if key is None else _values(table, key)
        why = f"{table.label}: {cells.size:,} rows are of {len(names):,} values of {name!r}"
        if key is not None:
            why += f", one for each of {len(values)} values of {key!r} ({listed(values)})"
        # A record that is in for one model and out for another cannot be one score.
        one_sided = len(names) == pairs
        if one_sided or key is None or not set(name_words(key)) & _OWN_RECORDS:
            return Repeats(why, name if one_sided else None, key, values)
        why += "; scores of many models are read with wb.read_score_table"
        return Repeats(why, None, key, values)
    return None


def _key(
    table: DataTable, layout: Layout, records: NDArray[np.int64], different: int
) -> str | None:
    """The column that tells rows of one record apart, if there is one."""
    for name in _free(table, layout):
        if not set(name_words(name)) & _KEYS:
            continue
        cells, names = factorized(table.column(name))
        if len(names) < 2 or cells.size != records.size or (cells < 0).any():
            continue
        if np.unique(records * np.int64(len(names)) + cells).size > different:
            return name
    return None


def _blocks(table: DataTable, layout: Layout) -> Repeats | None:
    """The same sequence of labels for each attack, epoch or augmentation: the same records."""
    for name in _free(table, layout):
        words = set(name_words(name)) & _KEYS
        if not words or words & _OWN_RECORDS:
            continue
        sides, _ = codes_of(table, str(layout.member))
        cells, names = factorized(table.column(name))
        if len(names) < 2 or cells.size != sides.size or (cells < 0).any():
            continue
        if len(names) > cells.size / 2:
            continue
        parts = [sides[cells == i] for i in range(len(names))]
        if all(np.array_equal(part, parts[0]) for part in parts[1:]):
            values = _values(table, name)
            why = (
                f"{table.label}: the same {parts[0].size:,} labels follow each other for each of "
                f"{len(values)} values of {name!r} ({listed(values)}), so their rows are of the "
                "same records"
            )
            return Repeats(why, None, name, values)
    return None


def _copies(
    table: DataTable, sides: dict[str, NDArray[np.float64]], score: str | None
) -> Repeats | None:
    """Every score of one side several times."""
    for side, scores in sides.items():
        if _has_single(scores, np.ones(scores.size, bool)):
            continue
        values, times = np.unique(scores[np.isfinite(scores)], return_counts=True)
        if times.size < _LEAST_COPIED or _is_scale(values):
            continue
        k = int(np.gcd.reduce(times))
        if k > 1:
            why = (
                f"{table.label}: each of {times.size:,} different scores of {side!r} is there "
                f"{k} times, or a multiple of it: its rows are copies"
            )
            return Repeats(why, score)
    return None


def _has_single(scores: NDArray[np.float64], side: NDArray[np.bool_]) -> bool:
    """Whether the first or the last score of a side is finite and there once: it is no copy.

    Most files are seen not to hold copies by this, without sorting their scores.
    """
    if not side.any():
        return False
    ends = scores[[side.argmax(), side.size - 1 - side[::-1].argmax()]]
    return any(np.count_nonzero(scores == one) == 1 for one in ends[np.isfinite(ends)])


def _is_scale(values: NDArray[np.float64]) -> bool:
    """Whether ascending values are most of the marks of a scale, as grades or counts are."""
    x = values / np.abs(values[[0, -1]]).max()  # the largest numbers would overflow
    return bool(x[-1] - x[0] < 4 * values.size * np.diff(x).min())


def _free(table: DataTable, layout: Layout) -> list[str]:
    """Columns that are neither scores nor labels."""
    used = (layout.score, layout.member)
    return [name for name in table.columns if name not in used and sense_of(name) is None]


def _values(table: DataTable, name: str) -> tuple[str, ...]:
    return tuple(text_of(value) for value in factorized(table.column(name))[1])
