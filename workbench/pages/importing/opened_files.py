"""`OpenedFiles`: what the files are: their names, what they state, and the tool that wrote them."""

from __future__ import annotations

from workbench.pages.core.page import derived
from workbench.pages.core.part import Part
from workbench.scores.layouts.guess import score_columns
from workbench.scores.layouts.tools import Recognized, recognized
from workbench.scores.statement import ScoreStatement
from workbench.scores.table import DataTable
from workbench.workspaces.content import content_hash
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.sources import MADE, FileSource
from workbench.workspaces.trained.source import TrainedSource


class OpenedFiles(Part):
    """What the files are: their names, what they state, and the tool that wrote them."""

    @property
    def takes_plan(self) -> bool:
        """Whether there are plans that these new data could be opened under."""
        return self.page.choosing.open and self.page.dataset is None and bool(self.page.plans.known)

    @property
    def from_python(self) -> bool:
        """Whether the scores were given in Python, so that their columns are known."""
        return self.page.dataset is not None and isinstance(
            self.page.dataset.source, (*MADE, TrainedSource)
        )

    @property
    def files(self) -> list[str]:
        """The names of the files, in the order of the tables, without one of labels."""
        if self.page.dataset is None:
            return list(self.page.choosing.opened.files[: len(self.page.tables)])
        source = self.page.dataset.source
        known = source.names if isinstance(source, FileSource) else ()
        return list(known[: len(self.page.tables)]) or [
            self.page.dataset.name for _ in self.page.tables
        ]

    @property
    def all_files(self) -> list[str]:
        """The names of all files, that of the members first, that of labels last."""
        if self.page.dataset is not None:
            source = self.page.dataset.source
            return list(source.names) if isinstance(source, FileSource) else self.files
        files = list(self.page.choosing.opened.files)
        return files[::-1] if self.page.swapped else files

    @property
    def recognized(self) -> Recognized | None:
        """What is known of the files of a public tool; None where no tool is recognized."""
        return recognized(self.in_order) if self.page.tables and not self.from_python else None

    @property
    def stated(self) -> ScoreStatement:
        """What the file states of its scores."""
        return ScoreStatement.of(self.in_order) if self.page.tables else ScoreStatement()

    @property
    def candidates(self) -> list[str]:
        """The columns that may hold the scores, where one of several has to be chosen."""
        if (
            len(self.page.tables) != 1
            or self.from_python
            or self.page.choosing.kind != "score and label"
        ):
            return []
        found = score_columns(self.page.tables[0], self.page.member_column)
        return found if len(found) > 1 else []

    @property
    def in_order(self) -> tuple[DataTable, ...]:
        """The tables, that of the members first."""
        tables: tuple[DataTable, ...] = self.page.tables
        return tables[::-1] if self.page.swapped else tables

    @derived(needs=("tables", "swapped"))
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return content_hash(self.in_order)

    @property
    def known(self) -> DataSet | None:
        """The data set of the workspace with this content, as it is now.

        One that was removed counts: its results were seen.
        """
        if self.page.dataset is not None:
            return self.page.workspace.dataset(self.page.dataset.key)
        return self.page.workspace.find(self.digest(), removed=True) if self.page.tables else None
