"""`OneTable`: a table that is split by coins before a generator is trained."""

from __future__ import annotations

import csv
import secrets
from io import StringIO
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section, derived, sentence
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SEED
from workbench.pages.core.upload import Download, NothingOffered, OfferedFile, Upload
from workbench.pages.synthetic.tables import ONE_TABLE, OfTables
from workbench.synthetic.split import split_by_coin, split_script

CSV = "text/csv; charset=utf-8"

NO_TABLE = "Choose the table that is to be split: “Choose one table …”."

#: What is done with the two files, in order.
NEXT = (
    "Train the generator on the training file alone, have it make the synthetic table, and come "
    "back with all three: “my three tables”. Each record then went in by its own fair coin, and "
    "the bounds need no other assumption. Whoever trains the generator must not see the holdout."
)


class SplitUnit(OfTables):
    """Parameter type of the column that names the person of a record, of the one table."""

    def _offered(self) -> dict[str, Any]:
        table = self.owner.whole_table
        names = [] if table is None else list(table.columns)
        return {"a record": "", **{name: name for name in names}}


def _ready(page: Any) -> bool:
    return page.source == ONE_TABLE and page.whole_table is not None


class OneTable(Part):
    """One table, the two files that its coins make, and the script that does the same."""

    whole_upload = Upload(
        default=(),
        dropped=True,
        label="Choose one table …",
        doc="csv, tsv, parquet, feather or json with one row per record. It stays in this server's "
        "memory, for this session only.",
    )
    split_unit = SplitUnit(
        default="",
        objects=[""],
        label="Throw a coin for each",
        doc="A column that names persons, if they have several records: all records of one go to "
        "the same side.",
    )
    training_part = Download(
        label="Save the training file", makes="training_part_file", media_type=CSV
    )
    holdout_part = Download(
        label="Save the holdout file", makes="holdout_part_file", media_type=CSV
    )
    split_script = Download(
        label="Save a script that splits",
        makes="split_script_file",
        media_type="text/x-python; charset=utf-8",
        doc="It makes the same two files from your file, with Python and pandas alone.",
    )
    whole_table = param.Parameter(None, precedence=-1, doc="The DataTable of the one file.")
    split_seed = param.Integer(0, bounds=SEED, precedence=-1, doc="Decides the coins.")

    section: ClassVar[Section] = Section(
        "The split",
        (
            Control("whole_upload", when=lambda page: page.source == ONE_TABLE, given=False),
            Control("split_unit", when=_ready, given=False),
            Control("training_part", when=_ready, given=False),
            Control("holdout_part", when=_ready, given=False),
            Control("split_script", when=_ready, given=False),
        ),
    )

    def start(self, given: frozenset[str]) -> None:
        """Watch the file."""
        self.page.param.watch(self._read_whole, "whole_upload")
        if self.whole_upload:
            self._read_whole()

    def _read_whole(self, *events: Any) -> None:
        page, files = self.page, tuple(self.whole_upload or ())
        if not files:
            page.whole_table = None
            return
        try:
            if len(files) > 1:
                raise ValueError(f"{len(files)} files were given; choose the one table to split")
            table = files[0].table()
            table.to_frame()
        except ValueError as error:
            page.message = str(error)
            return
        if not page.restores:
            page.set_quietly(split_seed=secrets.randbelow(SEED[1]), split_unit="")
        page.param.update(whole_table=table, message="")

    @derived(needs=("whole_table", "split_unit", "split_seed"))
    def coin_split(self) -> tuple[Any, Any] | str:
        """The training and the holdout part, or why there are none."""
        if self.whole_table is None:
            return NO_TABLE
        frame = self.whole_table.to_frame()
        try:
            found = split_by_coin(frame, unit=self.split_unit or None, seed=self.split_seed)
        except ValueError as error:
            return str(error)
        return found.train, found.holdout

    @sentence(needs=("source", "coin_split"), place="strip")
    def split_words(self) -> str:
        """How many records went to each side, and what to do next."""
        if self.page.source != ONE_TABLE:
            return ""
        found = self.coin_split()
        if isinstance(found, str):
            return "" if self.whole_table is None else found
        train, holdout = (f"{len(part):,}" for part in found)
        coin = f"each {self.split_unit}" if self.split_unit else "each record"
        return (
            f"A fair coin for {coin}, drawn by the operating system: {train} records go to "
            f"training, {holdout} to the holdout. {NEXT}"
        )

    def offered(self, which: int) -> OfferedFile:
        """One of the two files, as csv.

        Parameters
        ----------
        which : {0, 1}
        """
        found = self.coin_split()
        if isinstance(found, str):
            raise NothingOffered(found)
        name = ("train", "holdout")[which]
        exact = self._exactly(found[which].index)
        content = found[which].to_csv(index=False) if exact is None else exact
        return OfferedFile(f"{name}.csv", content.encode())

    def script(self) -> OfferedFile:
        """The script that makes the same split of the file.

        Raises
        ------
        NothingOffered
            No table.
        """
        if isinstance(found := self.coin_split(), str):
            raise NothingOffered(found)
        name = self.whole_upload[0].name
        text = split_script(name, self.split_unit or None, self.split_seed)
        return OfferedFile("split.py", text.encode())

    def _exactly(self, rows: Any) -> str | None:
        """These rows of a csv or tsv file, cell by cell as they stand in it; None of others."""
        file, table = self.whole_upload[0], self.whole_table
        separator = {"csv": ",", "tsv": "\t"}.get(table.format)
        if separator is None:
            return None
        try:
            text = file.content().decode("utf-8-sig")
        except ValueError:  # other letters, or a packed file
            return None
        if ";" in text.partition("\n")[0] and "," not in text.partition("\n")[0]:
            separator = ";"
        found = [row for row in csv.reader(StringIO(text, newline=""), delimiter=separator) if row]
        if len(found) != (table.rows or 0) + 1 or len(found[0]) != len(table.columns):
            return None
        written = StringIO(newline="")
        writer = csv.writer(written, delimiter=separator, lineterminator="\n")
        writer.writerow(found[0])
        writer.writerows(found[row + 1] for row in rows)
        return written.getvalue()
