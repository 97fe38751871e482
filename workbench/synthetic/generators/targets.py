"""`targets`: records that a generator would give away first, proposed from the table alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench.synthetic.attacks.neighbors import nearest
from workbench.synthetic.columns import AuditedColumn
from workbench.synthetic.encoding import encode
from workbench.synthetic.generators.columns_of_table import TableColumns
from workbench.synthetic.generators.refusals import table_of

if TYPE_CHECKING:
    import pandas as pd

#: Neighbors whose mean distance says how far a record is from the others.
NEIGHBORS = 5

#: Share of records with a category, and of records with a number as large or small, below which
#: a value is rare; and how many values a reason names.
RARE, NAMED = 0.02, 2


@dataclass(frozen=True, eq=False)
class Targets:
    """Records proposed for an audit with many runs, the most exposed first.

    Attributes
    ----------
    rows : array of int, shape (k,)
        Row numbers in the table, from 0.
    distance : array of float, shape (k,)
        Mean distance to the five nearest other records, over that of the median record.
    reason : array of str, shape (k,)
        Why each was proposed.
    """

    rows: NDArray[np.intp]
    distance: NDArray[np.float64]
    reason: NDArray[Any]

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)


def targets(
    table: pd.DataFrame, k: int = 10, *, columns: Mapping[str, str] | None = None
) -> Targets:
    """Worst-case records of a table: those that are farthest from their nearest neighbors.

    Generators give away outliers first: their values are in no other record, so that a synthetic
    record near one tells that it was there.

    Parameters
    ----------
    table : DataFrame
        All records. Nothing else is looked at: a record that is chosen by synthetic data is
        chosen by its result.
    k : int
        How many, at most the number of records.
    columns : mapping, optional
        The kind of some columns, as of `SyntheticAudit`.

    Returns
    -------
    Targets
        Also ``generator_runs(…, targets=…)`` takes it.

    Raises
    ------
    ValueError
        More targets than records, fewer than 2 records, or no table with columns that can be
        compared.

    Notes
    -----
    Distances are Euclidean, of numbers in standard deviations; a category counts more the rarer it
    is. The list is a proposal: that other records are safe does not follow.

    References
    ----------
    Meeus, Guépin, Crețu and de Montjoye, Achilles' heels: vulnerable record identification in
    synthetic data publishing, ESORICS 2023, with another distance.

    Examples
    --------
    >>> found = wb.synthetic.targets(wb.synthetic.patients(), 2)
    >>> found.rows.size, bool(found.distance[0] >= found.distance[1] > 1)
    (2, True)
    """
    table = table_of(table)
    k = _checks.count(k, "k", least=1)
    if k > len(table) or len(table) < 2:
        raise ValueError(
            f"k must be at most the {len(table):,} records of the table, of which there must be "
            f"two, got {k:,}"
        )
    read = TableColumns.of(table, columns).read(table.iloc[:0])
    encoded = encode(read.pool, read.synthetic, read.columns)
    rare = [_surprise(codes) for codes in encoded.pool.codes.T]
    mean = _distances(np.column_stack([encoded.vectors(encoded.pool), *rare]))
    typical = float(np.median(mean)) or float(mean.mean()) or 1.0
    order = np.argsort(-mean, kind="stable")[:k]
    relative = mean / typical
    reasons = [_reason(read.pool, read.columns, int(row), relative[row]) for row in order]
    return Targets(order.astype(np.intp), relative[order], np.array(reasons))


def _surprise(codes: NDArray[np.int32]) -> NDArray[np.float32]:
    """A coordinate by which a record with a rare category is far from those with common ones.

    Where categories have shares p and 1/2, it makes the distance √((1 + log₂(1/p)) / 2), not 1.
    """
    bits = -np.log2(np.maximum(np.bincount(codes), 1) / codes.size)
    return np.sqrt(np.maximum(bits - 1, 0) / 2).astype(np.float32)[codes]


def _distances(points: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean distance of each point to its nearest other ones."""
    others = min(NEIGHBORS, len(points) - 1)
    near = nearest(points, points, others + 1)
    gaps = points[near] - points[:, None, :]
    far = np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps, dtype=np.float64))
    far[near == np.arange(len(points))[:, None]] = np.nan  # the point itself
    far.sort(axis=1)
    return np.asarray(np.nanmean(far[:, :others], axis=1))


def _reason(
    pool: pd.DataFrame, columns: tuple[AuditedColumn, ...], row: int, distance: float
) -> str:
    """Why a record stands out: its distance, and its rarest values."""
    rare: list[tuple[float, str]] = []
    for column in columns:
        values, value = pool[column.name], pool[column.name].iloc[row]
        known = values.notna().to_numpy()
        if not known[row]:
            share, said = float(np.mean(~known)), f"{column.name} missing"
        elif column.is_ordered:
            above, below = float((values >= value).mean()), float((values <= value).mean())
            share, side = min((above, "largest"), (below, "smallest"))
            text = str(value)[:10] if column.kind == "date" else f"{value:g}"
            said = f"{column.name} {text} among the {side}"
        else:
            share = float((values == value).mean())
            said = f"{column.name} {value} in {share * len(pool):,.0f} of {len(pool):,} records"
        if share <= RARE:
            rare.append((share, said))
    words = [said for _, said in sorted(rare)[:NAMED]]
    return "; ".join([f"{distance:.1f} times the usual distance to its neighbors", *words])
