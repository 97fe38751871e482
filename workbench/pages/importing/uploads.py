"""The tables of uploaded files: one per file, or scores with the labels of the other file."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.pages.core.upload import UploadedFile
from workbench.scores.layouts.joined import labels_among
from workbench.scores.opening import Opened, joined
from workbench.scores.table import DataTable


@dataclass(frozen=True)
class UploadedTables:
    """The tables of one or two files, in their order.

    Attributes
    ----------
    tables : tuple of DataTable
    files : tuple of str
        Names of the files.
    """

    tables: tuple[DataTable, ...] = ()
    files: tuple[str, ...] = ()

    @classmethod
    def read(cls, upload: tuple[UploadedFile, ...]) -> UploadedTables:
        """The tables of uploaded files.

        Raises
        ------
        ValueError
            More than two files, or one that cannot be read.
        """
        if len(upload) > 2:
            raise ValueError(
                f"{len(upload)} files were given; give one file with both groups, two files, one "
                "per group, or the scores and their labels"
            )
        return cls(tuple(file.table() for file in upload), tuple(file.name for file in upload))

    @property
    def labels(self) -> int | None:
        """The index of the file of labels, by its name and its values; None if there is none."""
        return labels_among(self.tables)

    @property
    def may_have_labels(self) -> bool:
        """Whether one of the files could hold the labels of the other, whatever its name."""
        return labels_among(self.tables, named=False) is not None

    def arranged(self, labels_apart: bool) -> Opened:
        """The tables as they are opened.

        Parameters
        ----------
        labels_apart : bool
            Whether one file holds the labels of the other.

        Raises
        ------
        ScoresError
            The labels do not belong to the scores.
        """
        at = labels_among(self.tables, named=False) if labels_apart else None
        if at is None:
            return Opened(self.tables, self.files)
        order = (1 - at, at)
        return joined([self.tables[i] for i in order], [self.files[i] for i in order])
