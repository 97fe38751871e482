"""What the bounds of score tables ask of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.scores.chance import Fingerprint
from workbench.tables.bounds.kept import Kept
from workbench.tables.design import Design


class Tabulated(Protocol):
    """Scores of R records under M models; `workbench.ScoreTable` is one."""

    @property
    def name(self) -> str:
        """Shown in titles."""

    @property
    def attributes(self) -> Mapping[str, NDArray[Any]]:
        """What is known of the records, by name."""

    @property
    def member(self) -> NDArray[np.bool_]:
        """Whether the model was trained on the record, shape (M, R)."""

    @property
    def present(self) -> NDArray[np.bool_] | None:
        """Which cells have a score, shape (M, R); None where all have."""

    @property
    def larger_is_member(self) -> bool:
        """Whether a larger score, as it was given, indicates membership."""

    @property
    def sampling(self) -> str:
        """As of `workbench.ScoreTable`."""

    @property
    def design(self) -> Design:
        """How the records were assigned to the models."""

    @property
    def matrix(self) -> NDArray[Any]:
        """Scores, larger for members, shape (M, R)."""

    @property
    def n_models(self) -> int:
        """Number M of models."""

    @property
    def n_records(self) -> int:
        """Number R of records."""

    @property
    def n_in(self) -> NDArray[np.int64]:
        """Number of models with each record, shape (R,)."""

    @property
    def n_out(self) -> NDArray[np.int64]:
        """Number of models without each record, shape (R,)."""

    @property
    def auditable(self) -> NDArray[np.bool_]:
        """Records that bounds can be computed for, shape (R,)."""

    @property
    def record_names(self) -> NDArray[Any]:
        """A name for each record, shape (R,)."""

    @property
    def assumption(self) -> str:
        """The assumption of bounds for one record."""

    @property
    def fingerprint(self) -> Fingerprint:
        """What the table is known by."""

    @property
    def chance(self) -> int:
        """The random number from which `keys` follow."""

    @property
    def keys(self) -> NDArray[np.int64]:
        """A random number of each model, shape (M,); all differ."""

    @property
    def kept(self) -> Kept:
        """What the table keeps between questions."""

    @property
    def independent(self) -> Tabulated:
        """The table whose models bounds take for independent."""

    def of_records(self, which: ArrayLike) -> Tabulated:
        """The table of some of the records, a mask or column numbers."""


def require_table(table: object) -> None:
    """Raises a TypeError for what is no table."""
    if not hasattr(type(table), "of_records"):
        raise TypeError(f"table must be a workbench.ScoreTable, got {_checks.shown(table)}")


def of_each(table: Tabulated, values: ArrayLike, name: str) -> None:
    """Raises a ValueError unless there is one number for each record."""
    if _checks.array(values, name).shape != (table.n_records,):
        raise ValueError(
            f"{name} must be one number for each of {table.n_records} records, got "
            f"{_checks.shown(values)}"
        )
