"""`smaller`: neighboring datasets like given ones, with fewer records or simpler values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.finders.records import columns_of, is_frame, keys, left_places, rows

#: Shared records that are left out one by one, at most.
_ONE_BY_ONE = 12


def smaller(neighbors: Neighbors, domain: Domain | TableDomain) -> Iterator[Neighbors]:
    """Neighboring datasets of the same relation that are smaller, the boldest steps first.

    First shared records are left out: all, a half, a quarter, and so on; of neighbors by user also
    rows of this user. Then shared records become alike, and then columns, one by one, become
    constant at a simple value: 0, or the lowest or first.

    Parameters
    ----------
    neighbors : Neighbors
        Of any relation but "stated".
    domain : Domain or TableDomain
        What all datasets are in.
    """
    parts = _Parts.of(neighbors)
    seen = {_content(parts)}
    for fewer in (*_fewer_shared(parts, domain), *_fewer_of_user(parts), *_simpler(parts, domain)):
        key = _content(fewer)
        if key in seen:
            continue
        seen.add(key)
        yield fewer.neighbors(neighbors)


@dataclass(frozen=True)
class _Parts:
    """The records of neighboring datasets: shared ones, and those of each only.

    Attributes
    ----------
    shared, first, second : array or DataFrame
    at : int
        How many shared records come before the others.
    """

    shared: Any
    first: Any
    second: Any
    at: int

    @classmethod
    def of(cls, neighbors: Neighbors) -> _Parts:
        a, b = neighbors.dataset, neighbors.neighbor
        more, fewer = left_places(a, b), left_places(b, a)
        kept = np.setdiff1d(np.arange(len(a)), more)
        at = int(np.sum(kept < more[0])) if more else len(kept)
        return cls(rows(a, kept), rows(a, more), rows(b, fewer), at)

    def keep(self, places: np.ndarray[Any, Any]) -> _Parts:
        """Only these of the shared records."""
        return replace(self, shared=rows(self.shared, places), at=int(np.sum(places < self.at)))

    def neighbors(self, like: Neighbors) -> Neighbors:
        before = rows(self.shared, np.arange(self.at))
        after = rows(self.shared, np.arange(self.at, len(self.shared)))
        a, b = (_joined(before, own, after) for own in (self.first, self.second))
        return Neighbors(a, b, like.neighboring_relation, like.column)


def _joined(*parts: Any) -> Any:
    if not is_frame(parts[0]):
        return np.concatenate(parts)
    import pandas as pd

    filled = [part for part in parts if len(part)] or [parts[0]]
    return pd.concat(filled, ignore_index=True)


def _content(parts: _Parts) -> tuple[object, ...]:
    return tuple(tuple(keys(one)) for one in (parts.shared, parts.first, parts.second))


def _fewer_shared(parts: _Parts, domain: Domain | TableDomain) -> Iterator[_Parts]:
    own = min(len(parts.first), len(parts.second))
    fewest = domain.rows[0] if isinstance(domain, TableDomain) else domain.min_records
    least, count = max(fewest - own, 0), len(parts.shared)
    every = np.arange(count)
    step = count
    while step >= 1:
        for start in range(0, count, step) if step > 1 or count <= _ONE_BY_ONE else ():
            places = np.delete(every, np.s_[start : start + step])
            if len(places) < least:  # as many as must stay
                places = every[:least]
            if len(places) < count:
                yield parts.keep(places)
        step //= 2


def _fewer_of_user(parts: _Parts) -> Iterator[_Parts]:
    """With fewer of several records that only one dataset has."""
    for name in ("first", "second"):
        own = getattr(parts, name)
        count = len(own) // 2
        for fewer in dict.fromkeys((1, count, len(own) - 1)):
            if 0 < fewer < len(own) and not len(parts.second if name == "first" else parts.first):
                yield replace(parts, **{name: rows(own, np.arange(fewer))})


def _simpler(parts: _Parts, domain: Domain | TableDomain) -> Iterator[_Parts]:
    shared, first, second = parts.shared, parts.first, parts.second
    users = domain.user if isinstance(domain, TableDomain) else None
    if len(shared) > 1 and users is None:
        yield replace(parts, shared=rows(shared, np.zeros(len(shared), int)))
    columns = [column for column in columns_of(shared) if users is None or column != users]
    for column in columns:
        put = _putter(column, _simple(domain, column))
        if len(shared):
            yield replace(parts, shared=put(shared))
        if not (len(first) and len(second)) or _cells(first, column) == _cells(second, column):
            yield replace(parts, first=put(first), second=put(second))
    differing = [c for c in columns if len(first) == len(second) == 1 and _differ(parts, c)]
    for column in differing if len(differing) > 1 else ():
        yield replace(parts, second=_putter(column, _cell(first, column))(second))


def _differ(parts: _Parts, column: Any) -> bool:
    return _cells(parts.first, column) != _cells(parts.second, column)


def _cells(records: Any, column: Any) -> list[Any]:
    place = columns_of(records).index(column)
    return [key[place] for key in keys(records)]


def _cell(records: Any, column: Any) -> Any:
    """The first record's value."""
    if is_frame(records):
        return records[column].iloc[0]
    return records[0, column] if records.ndim == 2 else records[0]


def _simple(domain: Domain | TableDomain, column: Any) -> Any:
    """0 where the column has it, and otherwise its lowest or first value."""
    if isinstance(domain, TableDomain):
        kind = domain.columns[column]
        return 0 if kind.has(0) else kind.at(0.0)
    if domain.low <= 0 <= domain.high:
        return 0
    return np.ceil(domain.low) if domain.integer else domain.low


def _putter(column: Any, value: Any) -> Callable[[Any], Any]:
    def put(records: Any) -> Any:
        made = records.copy()
        if is_frame(made):
            made[column] = made[column].where(np.zeros(len(made), bool), value)
        elif made.ndim == 2:
            made[:, column] = value
        else:
            made[:] = value
        return made

    return put
