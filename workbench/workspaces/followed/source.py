"""`FollowedSource`: a file that is followed, as the source of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from workbench._json import JsonObject
from workbench.following.following import Following
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.reading import Reading

#: The kind of this source.
KIND = "followed"


@dataclass(frozen=True)
class FollowedSource:
    """A file that is followed: its scores become more.

    Parameters
    ----------
    name : str
        Of the file.
    following : Following
    """

    name: str
    following: Following = field(repr=False, compare=False)

    kind: ClassVar[str] = KIND
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Followed file"

    def describe(self) -> str:
        """How the file stands."""
        return f"Followed file “{self.name}” · {self.following.state.describe()}"

    def to_dict(self) -> JsonObject:
        """What others know of it: its name."""
        return {"kind": self.kind, "name": self.name}

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores so far (ScoresError if there are too few)."""
        return self.following.scores


def following_of(dataset: DataSet | None) -> Following | None:
    """What follows the file of a data set; None for any other data set."""
    source = None if dataset is None else dataset.source
    return source.following if isinstance(source, FollowedSource) else None
