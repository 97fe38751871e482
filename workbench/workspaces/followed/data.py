"""`FollowedData`: lends the file that is followed to workspaces; and snapshots of it."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from workbench.claims.parse import text_of
from workbench.following.following import Following
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import table_of_scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.followed.source import KIND, FollowedSource, following_of
from workbench.workspaces.reading import Reading
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.sources import GIVEN_LAYOUT, FileSource
from workbench.workspaces.view import Datasets
from workbench.workspaces.workspace import Workspace

#: The key of the followed file, of which a server has one.
KEY = KIND

#: What a snapshot says was chosen after results were seen.
SNAPSHOT = "the number of rows"


class FollowedData:
    """`SharedData` with a file that is followed, beside other data sets.

    Parameters
    ----------
    following : Following
    base : SharedData, optional
        The other data sets.
    """

    def __init__(self, following: Following, base: SharedData | None = None):
        self.following = following
        self._base = Workspace() if base is None else base
        self._began = datetime.now(UTC)

    @property
    def dataset(self) -> DataSet:
        """The file as a data set, with the scores that there are now."""
        file, state = self.following.file, self.following.state
        return DataSet(
            key=KEY,
            name=f"Live: {file.name}",
            source=FollowedSource(file.name, self.following),
            reading=Reading(
                file.layout,
                larger_is_member=self.following.larger_is_member,
                sampling=self.following.sampling,
            ),
            sha256=sha256(f"{KIND} {file.name}".encode()).hexdigest(),
            n_p=state.n_p,
            n_q=state.n_q,
            created=self._began,
        )

    @property
    def datasets(self) -> Datasets:
        """See `SharedData`."""
        return Datasets([self.dataset, *self._base.datasets], "on this server")

    @property
    def current(self) -> str | None:
        """See `SharedData`."""
        return KEY

    @property
    def current_table(self) -> str | None:
        """See `SharedData`."""
        return self._base.current_table

    def owner_of(self, key: str) -> str:
        """See `SharedData`."""
        return "" if key == KEY else self._base.owner_of(key)

    def tables(self, key: str) -> tuple[DataTable, ...]:
        """See `SharedData`."""
        return (table_of_scores(self.scores(KEY)),) if key == KEY else self._base.tables(key)

    def scores(self, key: str) -> Scores:
        """See `SharedData`."""
        return self.following.scores if key == KEY else self._base.scores(key)

    def table(self, key: str) -> ScoreTable:
        """See `SharedData`."""
        return self._base.table(key)

    def file(self, sha256: str) -> bytes | None:
        """See `SharedData`."""
        return self._base.file(sha256)


def take_snapshot(workspace: Workspace, following: Following) -> DataSet:
    """A data set with the rows so far, added to a workspace.

    Its moment was chosen by somebody who saw results: bounds for a sample size that is fixed in
    advance are not valid, and the data set says so (`DataSet.reread`).

    Raises
    ------
    ScoresError
        There are too few rows.
    """
    scores = following.scores
    rows = scores.n_p + scores.n_q
    reading = Reading(GIVEN_LAYOUT, scores.larger_is_member, scores.sampling)
    name = f"{scores.name}, first {rows:,} rows"
    taken = workspace.kept.bring(
        (table_of_scores(scores),), FileSource((scores.name,)), reading, name, SNAPSHOT
    )
    claim = following.state.claim
    return taken if claim is None else workspace.kept.promise(taken.key, text_of(claim))


def require_kept(dataset: DataSet) -> None:
    """Refuse a data set that has other scores a moment later (WorkspaceError)."""
    if following_of(dataset) is not None:
        raise WorkspaceError(
            f"“{dataset.name}” keeps growing: take a snapshot on the page Watch live, and use that"
        )
