"""`Neighbors`: two datasets that differ in one record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot

RELATIONS = ("add-remove", "substitute")


class NotNeighbors(ValueError):  # noqa: N818  (it is what is wrong)
    """Two datasets that differ in more than one record."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Two datasets that differ in one record.

    Parameters
    ----------
    dataset, neighbor : array, shape (records,) or (records, columns)
        With "add-remove", one has a record that the other lacks; with "substitute", both have the
        same number of records, of which one differs. The order of records does not matter.
    neighboring_relation : {"add-remove", "substitute"}

    Raises
    ------
    NotNeighbors
        They differ in more than one record, or not at all; the message has the counts.
    """

    dataset: NDArray[Any]
    neighbor: NDArray[Any]
    neighboring_relation: str = "add-remove"

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.one_of(self.neighboring_relation, "neighboring_relation", RELATIONS)
        a = _checks.listed(self.dataset, "dataset")
        b = _checks.listed(self.neighbor, "neighbor")
        object.__setattr__(self, "dataset", a)
        object.__setattr__(self, "neighbor", b)
        if a.ndim not in (1, 2) or a.shape[1:] != b.shape[1:]:
            raise NotNeighbors(
                f"datasets must be (records,) or (records, columns), both alike; got {a.shape} and "
                f"{b.shape}"
            )
        more, fewer = len(left_over(a, b)), len(left_over(b, a))
        wanted = [(1, 0), (0, 1)] if self.neighboring_relation == "add-remove" else [(1, 1)]
        if (more, fewer) not in wanted:
            rule = {
                "add-remove": "one record more or less",
                "substitute": "the same number of records, and one differs",
            }[self.neighboring_relation]
            raise NotNeighbors(
                f"neighbors by {self.neighboring_relation} have {rule}; here {more} records are "
                f"only in the first and {fewer} only in the second"
            )

    def _repr_html_(self) -> str:
        rows = [("records", f"{len(self.dataset):,} and {len(self.neighbor):,}")]
        return beside(table("Neighboring datasets", rows, self.neighboring_relation), self)


def left_over(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The records of one dataset that another lacks.

    Parameters
    ----------
    a, b : array, shape (records,) or (records, columns)

    Returns
    -------
    ndarray
        Records of ``a``, in order, with multiplicity.
    """
    taken = Counter(map(_key, b))
    left = []
    for k, record in enumerate(a):
        key = _key(record)
        if not taken[key]:
            left.append(k)
        else:
            taken[key] -= 1
    return a[left]


def _key(record: Any) -> tuple[Any, ...]:
    """Equal for equal records, be they whole or real numbers; all NaN are one value."""
    return tuple("NaN" if x != x else x for x in np.atleast_1d(record).tolist())
