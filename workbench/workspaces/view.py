"""`Datasets`: the data sets of a workspace as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench import _checks
from workbench._markup import table
from workbench.scores.refusals import did_you_mean
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError

if TYPE_CHECKING:
    import pandas as pd


class Datasets:
    """The data sets of a workspace at one time, oldest first.

    ``datasets["losses"]`` finds one by its name or its key; iterating yields `DataSet` objects.

    Parameters
    ----------
    datasets : sequence of DataSet
    where : str
        Where they are kept.
    """

    def __init__(self, datasets: Sequence[DataSet], where: str):
        self._datasets = tuple(datasets)
        self._where = where

    def __len__(self) -> int:
        return len(self._datasets)

    def __iter__(self) -> Iterator[DataSet]:
        return iter(self._datasets)

    def __contains__(self, name: object) -> bool:
        return any(name in (one.key, one.name, one) for one in self._datasets)

    def __getitem__(self, name: str) -> DataSet:
        for one in self._datasets:
            if name == one.key:
                return one
        for one in self._datasets:
            if name == one.name:
                return one
        raise WorkspaceError(
            f"there is no data set {_checks.shown(name)} {self._where}"
            + (did_you_mean(name, self.names) if isinstance(name, str) else "")
        )

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [one.name for one in self._datasets]

    def to_frame(self) -> pd.DataFrame:
        """A row for each data set: name, kind, source, n_p, n_q, sampling, created, sha256, key."""
        import pandas as pd

        columns = ["name", "kind", "source", "n_p", "n_q", "sampling", "created", "sha256", "key"]
        rows = [
            (
                d.name,
                d.kind,
                d.source.label,
                d.n_p,
                d.n_q,
                d.reading.sampling,
                d.created,
                d.sha256,
                d.key,
            )
            for d in self._datasets
        ]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        return f"Datasets({', '.join(map(repr, self.names))})"

    def _repr_html_(self) -> str:
        rows = [
            (d.name, d.size, d.describe(), f"{d.created:%Y-%m-%d %H:%M}") for d in self._datasets
        ]
        return table("Data sets", rows or [("none yet",)], f"kept {self._where}")
