"""What a data set is known by: the ranks of its scores."""

from __future__ import annotations

import math
from hashlib import blake2b
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from workbench.scores.chance import Fingerprint
from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable

#: What is known by its ranks, or by a fingerprint of its own, such as a training run.
Identified = Scores | ScoreTable | Fingerprint

_TABLES: WeakKeyDictionary[ScoreTable, Fingerprint] = WeakKeyDictionary()


def fingerprint_of(data: Identified) -> Fingerprint:
    """What data are known by, in any units, order of rows and direction.

    Parameters
    ----------
    data : Scores, ScoreTable or Fingerprint
        A table is known by its records: each by the ranks of its scores in the models with the
        record and without.
    """
    if isinstance(data, Fingerprint):
        return data
    if isinstance(data, Scores):
        return data.fingerprint
    if data not in _TABLES:
        _TABLES[data] = _of_table(data)
    return _TABLES[data]


def of_sides(scores: NDArray[np.float64], member: NDArray[np.bool_]) -> Fingerprint:
    """What scores with a label each are known by, such as those of canaries."""
    values, rank = np.unique(scores, return_inverse=True)
    p, q = (np.bincount(rank[side], minlength=values.size) for side in (member, ~member))
    return Fingerprint.of_counts(p, q, bool(values.size and np.isnan(values[-1])))


def of_ranks(ranks: NDArray[np.int64], values: int) -> Fingerprint:
    """What ranks of true values among ``values`` candidates are known by, in any order.

    Parameters
    ----------
    ranks : ndarray of int, shape (m,)
    values : int
    """
    at, several = np.unique(ranks, return_counts=True)
    orders = math.lgamma(ranks.size + 1) - sum(math.lgamma(n + 1) for n in several.tolist())
    bits = ranks.size * math.log2(values) - orders / math.log(2)
    said = f"ranks among {values}: {np.stack([at, several]).tolist()}"
    return Fingerprint(named(said).digest, bits)


def exchanged(scores: Scores) -> str:
    """The digest of the same scores with members and non-members exchanged."""
    found = scores.samples.distinct
    nan = bool(np.isnan(found.values[-1]))
    return Fingerprint.of_counts(found.q, found.p, nan).digest


def named(text: str) -> Fingerprint:
    """The fingerprint of what has a name of its own, such as a training run."""
    return Fingerprint(blake2b(text.encode(), digest_size=16).hexdigest(), np.inf)


def _of_table(table: ScoreTable) -> Fingerprint:
    scores = np.asarray(table.matrix, float)
    here = np.ones_like(table.member) if table.present is None else table.present
    ways = [_records_digest(x, table.member, here) for x in (scores, -scores)]
    return Fingerprint(min(ways), np.inf)


def _records_digest(
    scores: NDArray[np.float64], member: NDArray[np.bool_], here: NDArray[np.bool_]
) -> str:
    """Of all records, in any order: who was a member, in the order of the scores, and what ties."""
    order = np.lexsort((member, scores, ~here), axis=0)
    x, inside, there = (np.take_along_axis(one, order, axis=0) for one in (scores, member, here))
    tied = (x[1:] == x[:-1]) | (np.isnan(x[1:]) & np.isnan(x[:-1]))
    bits = np.concatenate([inside, there, tied & there[1:]])
    records = np.packbits(bits, axis=0).T
    return blake2b(b"".join(sorted(map(bytes, records))), digest_size=16).hexdigest()
