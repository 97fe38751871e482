"""`Neighbors`: two datasets that differ as a neighboring relation says."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench import _checks
from workbench._markup import table
from workbench._names import did_you_mean
from workbench._plot import beside, figure, plot
from workbench.testers.finders.records import OnlyText, column_of, columns_of, is_frame, left_places
from workbench.testers.finders.records import rows as records_at


class Relation(NamedTuple):
    """What makes two datasets neighbors.

    Attributes
    ----------
    by : str
        By what they differ.
    are : callable
        Whether they are, where one has so many records that the other lacks, and the other so many.
    rule : str
        The same in words.
    column : str
        What the column holds that the relation is about; "" where it is about none.
    """

    by: str
    are: Callable[[int, int], bool]
    rule: str
    column: str = ""


#: The neighboring relations by name.
RELATIONS = {
    "add-remove": Relation(
        "adding or removing a record",
        lambda more, fewer: more + fewer == 1,
        "one record more or less",
    ),
    "substitute": Relation(
        "replacing a record",
        lambda more, fewer: more == fewer == 1,
        "the same number of records, and one differs",
    ),
    "user": Relation(
        "adding or removing a user",
        lambda more, fewer: bool(more) != bool(fewer),
        "all rows of one user more or less",
        "the user of each row",
    ),
    "label": Relation(
        "changing the label of a record",
        lambda more, fewer: more == fewer == 1,
        "the same records, and the label of one differs",
        "the labels",
    ),
    "stated": Relation("statement of the caller", lambda more, fewer: True, "whatever is stated"),
}

#: What to do where datasets are not neighbors.
_USER = 'If all rows of one user differ, name the column: wb.Neighbors(a, b, "user", column="id").'
_STATE = 'If you know them to be neighbors otherwise, state it: neighboring_relation="stated"'


class NotNeighbors(ValueError):  # noqa: N818  (it is what is wrong)
    """Two datasets that are not neighbors by their relation."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Two neighboring datasets.

    Parameters
    ----------
    dataset, neighbor : array, shape (records,) or (records, columns); or DataFrame
        The order of records does not matter, nor the index and the types of a frame. With
        "stated" they may be anything that `copy.deepcopy` copies, such as answers of queries or a
        tuple of features and labels.
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
        "add-remove": one has a record that the other lacks. "substitute": both have the same number
        of records, of which one differs. "user": one has rows of a user of whom the other has none.
        "label": one record differs, in its label only. "stated": neighbors because the caller says
        so; nothing is checked, and what is found about them rests on it.
    column : str or int, optional
        Of "user" the column that says whose a row is, of "label" the one of the labels: a name, or
        the place of an array's column.

    Raises
    ------
    NotNeighbors
        They differ in something else, or not at all; the message has the counts.
    ValueError
        A column that is missing, or that the relation does not need.
    """

    dataset: Any
    neighbor: Any
    neighboring_relation: str = "add-remove"
    column: Hashable = None

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        relation = self.neighboring_relation
        _checks.one_of(relation, "neighboring_relation", RELATIONS)
        made = _as_given if relation == "stated" else _as_records
        object.__setattr__(self, "dataset", made(self.dataset, "dataset"))
        object.__setattr__(self, "neighbor", made(self.neighbor, "neighbor"))
        if self.column is not None and not RELATIONS[relation].column:
            about = [name for name, each in RELATIONS.items() if each.column]
            raise ValueError(
                f"column={self.column!r} is of the relations {' and '.join(about)}; "
                f"neighbors by {relation} have none"
            )
        if relation == "stated" or self.only_text:
            return
        _check_alike(self.dataset, self.neighbor)
        if RELATIONS[relation].column:
            _check_column(self.dataset, self.column, relation)
        _check(self.dataset, self.neighbor, relation, self.column)

    @property
    def only_text(self) -> bool:
        """Whether a file has kept no more than the text of a dataset."""
        return isinstance(self.dataset, OnlyText) or isinstance(self.neighbor, OnlyText)

    def _repr_html_(self) -> str:
        if self.neighboring_relation == "stated":
            rows = [
                ("dataset", _checks.shown(self.dataset)),
                ("neighbor", _checks.shown(self.neighbor)),
            ]
        else:
            rows = [("records", f"{len(self.dataset):,} and {len(self.neighbor):,}")]
        return beside(table("Neighboring datasets", rows, self.neighboring_relation), self)


# -- what datasets may be -------------------------------------------------------------------------


def _as_given(dataset: Any, name: str) -> Any:
    """A dataset of stated neighbors: a flat list of numbers is an array, as everywhere."""
    if dataset is None:
        raise NotNeighbors(f"{name} is None; state both datasets: (dataset, neighbor)")
    if (
        isinstance(dataset, list)
        and dataset
        and all(isinstance(x, int | float | np.number) for x in dataset)
    ):
        return _checks.listed(dataset, name)
    return dataset


def _as_records(dataset: Any, name: str) -> Any:
    if is_frame(dataset) or isinstance(dataset, OnlyText):
        return dataset
    return _checks.listed(dataset, name)


def _check_alike(a: Any, b: Any) -> None:
    if is_frame(a) != is_frame(b):
        kinds = [type(one).__name__ for one in (a, b)]
        raise NotNeighbors(f"datasets must be both arrays or both DataFrames; got {kinds}")
    if is_frame(a):
        ours, theirs = columns_of(a), columns_of(b)
        if ours != theirs:
            raise NotNeighbors(
                f"frames must have the same columns in the same order; got {ours} and {theirs}"
            )
        if len(set(ours)) < len(ours):
            raise NotNeighbors(f"columns of a frame must have different names; got {ours}")
    elif a.ndim not in (1, 2) or a.shape[1:] != b.shape[1:]:
        raise NotNeighbors(
            f"datasets must be (records,) or (records, columns), both alike; got {a.shape} and "
            f"{b.shape}. Datasets of another kind are neighbors if you state it: "
            'neighboring_relation="stated"'
        )


def _check_column(dataset: Any, column: Hashable, relation: str) -> None:
    known = columns_of(dataset)
    if column is None:
        raise ValueError(
            f"neighbors by {relation} need the column of {RELATIONS[relation].column}: "
            f'wb.Neighbors(a, b, "{relation}", column={known[0]!r}); columns: {known}'
        )
    if column not in known:
        near = did_you_mean(str(column), (x for x in known if isinstance(x, str)), repr)
        raise ValueError(f"there is no column {column!r}{near or f'; columns: {known}'}")


# -- what makes them neighbors --------------------------------------------------------------------


def _check(a: Any, b: Any, relation: str, column: Hashable) -> None:
    more, fewer = left_places(a, b), left_places(b, a)
    known = RELATIONS[relation]
    if not known.are(len(more), len(fewer)):
        remedy = "" if relation == "user" else f"{_USER} "
        raise NotNeighbors(
            f"neighbors by {relation} have {known.rule}; here {len(more)} records are only in the "
            f"first and {len(fewer)} only in the second. {remedy}{_STATE}"
        )
    if relation == "user":
        _check_user(*((a, b, more) if more else (b, a, fewer)), column)
    if relation == "label":
        _check_label(records_at(a, more), records_at(b, fewer), column)


def _check_user(larger: Any, smaller: Any, apart: list[int], column: Hashable) -> None:
    users = column_of(larger, column)
    user, *others = {users[k] for k in apart}
    if others:
        raise NotNeighbors(
            f"neighbors by user differ in the rows of one user; here in rows of {len(others) + 1} "
            f"({column!r}). {_STATE}"
        )
    left = column_of(smaller, column).count(user)
    if left:
        raise NotNeighbors(
            f"neighbors by user differ in all rows of one; of {column} = {user!r} {left} rows are "
            f"in both, and {len(apart)} in one of them only"
        )


def _check_label(ours: Any, theirs: Any, column: Hashable) -> None:
    others = [
        name
        for name in columns_of(ours)
        if name != column and column_of(ours, name) != column_of(theirs, name)
    ]
    if others:
        raise NotNeighbors(
            f"neighbors by label differ in {column!r} of one record; here also in {others}"
        )
