"""`ThreeTables`: training table, holdout and synthetic table, and which file is which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Page, Section, derived
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SEED, SEED_DOC, IntegerField
from workbench.pages.core.upload import Upload, UploadedFile
from workbench.pages.core.value_selector import ValueSelector
from workbench.pages.synthetic.roles import ROLES, guess_roles
from workbench.scores import chance
from workbench.scores.table import DataTable
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.generators.examples import example
from workbench.synthetic.tables import SyntheticTables, read_synthetic_tables
from workbench.workspaces.seen.identity import named

#: Where the tables come from; `GIVEN` is an audit that was given in Python.
EXAMPLE, FILES, ONE_TABLE, GIVEN = "example", "files", "one table", "given"

#: The bundled generator and the seed of the example, that of `wb.synthetic.example`.
EXAMPLE_OF = ("leaking", 0)

#: How it was decided which rows are in the training table, by what people read.
SPLITS = {
    "a fair coin per record": "coin",
    "a random part of fixed size": "fixed-size",
    "not at random": "given",
}

#: What each way of splitting buys, in a line.
BUYS = {
    "coin": "Each record was in the training table by its own fair coin: the bounds hold for "
    "adding or removing a record, with no assumption on the data or the generator.",
    "fixed-size": "A random part of fixed size was in the training table, as `train_test_split` "
    "makes it: members are matched with held-out records, and the bounds hold for substituting a "
    "record.",
    "given": "The split was not random: training and holdout may differ by themselves. What is "
    "measured is an estimate of that difference, and no bound on ε.",
}

#: What said which file is which.
BY_NAME = "guessed from their names"
IN_ORDER = "in the order in which they came, as the names do not say which is which"

#: Names of the parameters that hold the file of each role.
FILE_OF = {role: f"{role}_file" for role in ROLES}

NO_SPLIT = "Say how it was decided which records are in the training table: “Split”."

NO_FILES = "Choose three files: the training table, the holdout and the synthetic table."


@dataclass(frozen=True, eq=False)
class ReadFile:
    """A file that was read.

    Attributes
    ----------
    name, sha256 : str
    table : DataTable
    """

    name: str
    sha256: str
    table: DataTable


class OfTables(ValueSelector):
    """Parameter type of a choice whose options the tables in view give."""

    def _offered(self) -> dict[str, Any]:
        raise NotImplementedError

    def get_range(self) -> dict[str, Any]:
        """The choices by label; those of a class are its default alone."""
        own = isinstance(self.owner, Page)
        return self._offered() if own else {str(self.default): self.default}

    def _validate(self, val: Any) -> None:
        """Take every value: settings come before the tables that they are about."""


class FileChoice(OfTables):
    """Parameter type of one of the files, by its name."""

    def _offered(self) -> dict[str, Any]:
        names = names_of(self.owner.upload)
        return {name: name for name in names} or {"none": ""}


def names_of(files: Sequence[UploadedFile]) -> list[str]:
    """Names of files, all different: a second “data.csv” is “data.csv (2)”."""
    found: list[str] = []
    for file in files or ():
        name, k = file.name, 1
        while name in found:
            k += 1
            name = f"{file.name} ({k})"
        found.append(name)
    return found


def _complete(page: Any) -> bool:
    return page.source == FILES and len(page.upload or ()) == len(ROLES)


class ThreeTables(Part):
    """The three tables in view, and what is stated of them."""

    source = param.Selector(
        default=EXAMPLE,
        objects={
            "example": EXAMPLE,
            "my three tables": FILES,
            "one table, not yet split": ONE_TABLE,
        },
        label="Tables",
        doc="An example, three tables of yours, or one table that is to be split before a "
        "generator is trained.",
    )
    upload = Upload(
        default=(),
        dropped=True,
        label="Choose three files …",
        doc="csv, tsv, parquet, feather or json: the table that trained the generator, records "
        "that were held out, and the synthetic table. Choose all at once, or drop them on the "
        "page. They stay in this server's memory, for this session only.",
    )
    training_file = FileChoice(default="", objects=[""], label="Training table")
    holdout_file = FileChoice(default="", objects=[""], label="Holdout")
    synthetic_file = FileChoice(default="", objects=[""], label="Synthetic table")
    split = param.Selector(
        default="coin",
        objects={"choose …": None, **SPLITS},
        label="Split",
        doc="How it was decided which records are in the training table. It cannot be proved from "
        "the tables, and the guarantee depends on it; a test says where it cannot be true.",
    )
    seed = IntegerField(
        0,
        SEED,
        label="Seed",
        doc="Divides the records into a share that attacks learn from and one that is measured. "
        f"For your files it is drawn when they come. {SEED_DOC}",
    )
    tables_read = param.Parameter(None, precedence=-1, doc="Each `ReadFile`, by its name.")
    roles_from = param.String("", precedence=-1, doc="What said which file is which, in words.")

    section: ClassVar[Section] = Section(
        "Tables",
        (
            Control("upload", when=lambda page: page.source != ONE_TABLE, given=False),
            Control("source", given=False),
            *(Control(FILE_OF[role], when=_complete, given=False) for role in ROLES),
            Control("split", when=_complete, given=False),
        ),
    )

    follows: ClassVar[tuple[str, ...]] = ("roles_from",)

    def start(self, given: frozenset[str]) -> None:
        """Take the first tables into view."""
        page = self.page
        if page.given is not None:
            choice: Any = page.param.source
            choice.objects = [GIVEN]
            page.set_quietly(source=GIVEN)
        page.param.watch(self._load, "upload")
        page.param.watch(self._leave, "source")
        for role, name in FILE_OF.items():
            page.param.watch(partial(self._exchange, role), name)
        if self.upload:
            self._load()

    # -- files -------------------------------------------------------------------------------------

    def _load(self, *events: Any) -> None:
        """Read files that came, and propose which is which."""
        page, files = self.page, tuple(self.upload or ())
        if events and page.quiet:
            return
        before = tuple(events[0].old or ()) if events else ()
        if events and 0 < len(files) < len(ROLES) and 0 < len(before) < len(ROLES):
            files = (*before, *(one for one in files if one not in before))[-len(ROLES) :]
            page.set_quietly(upload=files)
        if not files:
            page.param.update(tables_read=None)
            return
        try:
            if len(files) > len(ROLES):
                raise SyntheticTablesError(
                    f"{len(files)} files were given; choose three: the training table, the holdout "
                    "and the synthetic table"
                )
            read = {
                name: ReadFile(name, file.sha256, file.table())
                for name, file in zip(names_of(files), files, strict=True)
            }
        except ValueError as error:
            page.set_quietly(upload=before)
            page.message = str(error)
            return
        proposed: dict[str, Any] = {}
        if not page.restores:
            proposed = {"split": None, "seed": seed_for(read.values()), "looked": ""}
            proposed |= self._proposed(list(read))
        page.set_quietly(source=FILES, **proposed)
        page.param.update(tables_read=read, message="")
        if not page.restores:
            page.validity.recall(arriving=True)

    def _proposed(self, names: list[str]) -> dict[str, Any]:
        if len(names) < len(ROLES):
            return dict.fromkeys(FILE_OF.values(), "")
        roles = guess_roles(names)
        return {FILE_OF[role]: getattr(roles, role) for role in ROLES} | {
            "roles_from": BY_NAME if roles.by_name else IN_ORDER
        }

    def _exchange(self, role: str, event: Any) -> None:
        """Give the file that had a role the one that its new file had."""
        page = self.page
        if page.quiet or page.restores:
            return
        for other, name in FILE_OF.items():
            if other != role and getattr(page, name) == event.new:
                page.set_quietly(**{name: event.old})
        page.set_quietly(roles_from="")

    def _leave(self, event: Any) -> None:
        """Ask for the split of tables that come; that of the example is known."""
        page = self.page
        if page.quiet or page.restores:
            return
        if page.source == EXAMPLE:
            page.set_quietly(split="coin", seed=page.param.seed.default)
        elif event.old == EXAMPLE:
            page.set_quietly(split=None)

    def restored(self) -> None:
        """Keep the number that was drawn for the files when they came first."""
        if self.source == FILES and self.tables_read:
            chance.remember(_known(self.tables_read.values()), self.seed)

    # -- the tables --------------------------------------------------------------------------------

    @property
    def files(self) -> Mapping[str, ReadFile]:
        """The files of the three roles; empty until all are there."""
        read, chosen = self.tables_read or {}, {r: getattr(self, FILE_OF[r]) for r in ROLES}
        if len(read) != len(ROLES) or sorted(chosen.values()) != sorted(read):
            return {}
        return {role: read[name] for role, name in chosen.items()}

    @property
    def subject(self) -> str:
        """Names the tables in view, whatever is stated of them."""
        if self.source != FILES:
            return str(self.source)
        return " ".join(file.sha256 for file in self.files.values())

    @derived(
        needs=(
            *("source", "tables_read", *FILE_OF.values(), "kinds", "unit", "without_copies"),
            "seed",
        )
    )
    def tables(self) -> SyntheticTables | str:
        """The three tables, checked, as their columns are shown; or why there are none."""
        if self.source in (EXAMPLE, ONE_TABLE):  # the example comes with its result
            return ""
        if self.source == GIVEN:
            found: SyntheticTables = self.page.given.tables
            return found
        try:
            return read_synthetic_tables(
                *self.given_tables, seed=self.seed, **self.page.typed.stated
            )
        except ValueError as error:
            return _sentence(str(error))

    @property
    def given_tables(self) -> tuple[Any, ...]:
        """The three tables, as `wb.SyntheticAudit` takes them (SyntheticTablesError without)."""
        if self.source == EXAMPLE:
            return example(*EXAMPLE_OF)
        if not self.files:
            raise SyntheticTablesError(NO_FILES)
        return tuple(self.files[role].table.to_frame() for role in ROLES)


def seed_for(files: Iterable[ReadFile]) -> int:
    """A number that the operating system draws for files, once for the same ones."""
    return chance.seed_of(_known(files)) % SEED[1]


def _known(files: Iterable[ReadFile]) -> chance.Fingerprint:
    """What files are known by, whichever is which."""
    return named(" ".join(sorted(file.sha256 for file in files)))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"
