"""`TypedColumns`: what the columns of the tables are, found and shown, and changed by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import param

from workbench import _json
from workbench.curves.validation import Floats
from workbench.figures.kit.layout import empty
from workbench.figures.synthetic import columns as charts
from workbench.pages.core.page import Control, Section, figure, sentence
from workbench.pages.core.part import Part
from workbench.pages.synthetic.tables import FILES, OfTables
from workbench.synthetic.columns import COLUMN_KINDS, AuditedColumn
from workbench.synthetic.tables import SyntheticTables

#: Columns that the chart shows, bins of a numeric one, and categories at most.
MOST_COLUMNS, BINS, CATEGORIES = 40, 30, 12

#: Remarks that must stay in view, by the word that names them.
WARNED = ("shared rows", "training table", "few synthetic records")

#: What makes a record one of its own.
NO_UNIT = ""


class ColumnChoice(OfTables):
    """Parameter type of the column in view."""

    def _offered(self) -> dict[str, Any]:
        found = self.owner.tables()
        if isinstance(found, str):
            return {"none": ""}
        return {"none": "", **{column.name: column.name for column in found.columns}}


class UnitChoice(OfTables):
    """Parameter type of the column that names the person of a record."""

    def _offered(self) -> dict[str, Any]:
        return {"a record": NO_UNIT, **{name: name for name in self.owner.typed.names}}


def _has_tables(page: Any) -> bool:
    return page.source == FILES and bool(page.three.files)


#: The label of the switch for repeated rows, to which remarks refer.
_WITHOUT_COPIES = "Leave out repeated rows"


class TypedColumns(Part):
    """The kinds of the columns, the unit of a coin, and rows that occur more than once."""

    column = ColumnChoice(
        default="",
        objects=[""],
        label="Column",
        doc="The column whose kind is shown. A click in the chart of columns chooses one, too.",
    )
    kind = param.Selector(
        default=None,
        objects={"as found": None, **{kind: kind for kind in COLUMN_KINDS}},
        label="Its kind",
        doc="Numbers and dates are compared by their distance, categories by being equal. What is "
        "left out, no attack sees.",
    )
    unit = UnitChoice(
        default=NO_UNIT,
        objects=[NO_UNIT],
        label="A coin was thrown for each",
        doc="The column that names the person, or other unit, if all records of one went to the "
        "same side together.",
    )
    without_copies = param.Boolean(
        False,
        label=_WITHOUT_COPIES,
        doc="All copies of a row, on both sides. Their coins are fair either way, but a copy that "
        "was held out hides a member.",
    )
    kinds = param.String("{}", precedence=-1, doc="Kinds that were stated, by column, as JSON.")

    section: ClassVar[Section] = Section(
        "Columns",
        (
            Control("column", when=_has_tables, given=False),
            Control("kind", when=lambda page: _has_tables(page) and page.column, given=False),
            Control("unit", when=_has_tables, given=False),
            Control(
                "without_copies",
                when=lambda page: _has_tables(page) and page.typed.has_copies,
                given=False,
            ),
        ),
    )

    follows: ClassVar[tuple[str, ...]] = ("kind",)

    def start(self, given: frozenset[str]) -> None:
        """Watch what is chosen."""
        self.page.param.watch(self._look, ["column", "kinds"])
        self.page.param.watch(self._state, "kind")
        self.page.param.watch(self._forget, "tables_read")

    def _look(self, *events: Any) -> None:
        """Show the stated kind of the column in view."""
        self.page.set_quietly(kind=self.chosen.get(self.column))

    def _state(self, *events: Any) -> None:
        """State another kind of the column in view, or leave it to be found."""
        if self.page.quiet or self.page.restores or not self.column:
            return
        kinds = {**self.chosen, self.column: self.kind}
        self.kinds = _json.dumps({name: kind for name, kind in kinds.items() if kind})

    def _forget(self, *events: Any) -> None:
        """Begin anew with other tables."""
        if not self.page.restores:
            self.page.set_quietly(kinds="{}", column="", kind=None, unit=NO_UNIT,
                                  without_copies=False)  # fmt: skip

    @property
    def chosen(self) -> dict[str, str]:
        """The kinds that were stated, by column."""
        return kinds_in(self.kinds)

    @property
    def names(self) -> list[str]:
        """Names of the columns of the training table."""
        found = self.page.three.files
        return list(found["training"].table.columns) if found else []

    @property
    def stated(self) -> dict[str, Any]:
        """What is stated of the columns, as arguments of `wb.SyntheticAudit`."""
        names = ("kinds", "unit", "without_copies")
        return arguments_of({name: getattr(self.page, name) for name in names})

    @property
    def has_copies(self) -> bool:
        """Whether rows occur more than once, or were left out because they do."""
        found = self.page.tables()
        repeated = not isinstance(found, str) and any(
            remark.word in ("shared rows", "repeated rows") for remark in found.remarks
        )
        return self.without_copies or repeated

    # -- what was found ----------------------------------------------------------------------------

    @figure(
        "Columns",
        needs=("tables", "column"),
        span=12,
        caution="Kinds are found from all tables together, never from which record was a member. "
        "That the distributions agree does not mean that nobody is given away.",
        click="choose_column",
    )
    def columns_chart(self) -> dict[str, Any]:
        """Columns with their kinds, and their values in the tables. Click one to change it."""
        found = self.page.tables()
        if isinstance(found, str):
            return empty(self.page.words.next_step(), optional=True)
        shown = self._shown(found)
        rows = [_row(found, column, column.name == self.column) for column in shown]
        return charts.columns(rows, len(found.columns) - len(rows))

    def choose_column(self, x: float, y: float) -> None:
        """Take the column of a row of the chart into view.

        Parameters
        ----------
        x, y : float
            Where the chart was clicked.
        """
        found = self.page.tables()
        if not isinstance(found, str) and 0 <= y < len(shown := self._shown(found)):
            self.column = shown[int(y)].name

    def _shown(self, tables: SyntheticTables) -> tuple[AuditedColumn, ...]:
        return tables.columns[:MOST_COLUMNS]

    @sentence(needs=("tables",), place="strip")
    def table_warnings(self) -> str:
        """What makes an audit of these tables say less, or more, than it seems to."""
        found = self.page.tables()
        if isinstance(found, str):
            return ""
        return _said([one.text for one in found.remarks if one.word in WARNED])

    @sentence(needs=("tables",), place="foot")
    def table_remarks(self) -> str:
        """Further remarks on the tables."""
        found = self.page.tables()
        if isinstance(found, str):
            return ""
        return _said([one.text for one in found.remarks if one.word not in WARNED])


def _said(remarks: Sequence[str]) -> str:
    """Remarks in the words of the page, which has a switch for repeated rows."""
    return " ".join(remarks).replace('duplicates="remove" leaves', f"“{_WITHOUT_COPIES}” leaves")


def kinds_in(text: str) -> dict[str, str]:
    """Kinds by column, from the setting that has them."""
    try:
        found = _json.loads(text)
    except ValueError:  # a stranger's settings
        return {}
    return dict(found) if isinstance(found, dict) else {}


def arguments_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `wb.SyntheticAudit` for choices of the page; those by default are left out.

    Parameters
    ----------
    choices : mapping
        ``kinds``, ``unit`` and ``without_copies``.
    """
    found: dict[str, Any] = {}
    if choices["unit"]:
        found["unit"] = choices["unit"]
    if kinds := kinds_in(choices["kinds"]):
        found["columns"] = kinds
    if choices["without_copies"]:
        found["duplicates"] = "remove"
    return found


def _row(tables: SyntheticTables, column: AuditedColumn, selected: bool) -> charts.ColumnRow:
    words = _words(column)
    if not column.used:
        return charts.ColumnRow(column.name, words, np.zeros(0), np.zeros(0), selected)
    real, synthetic = _shares(tables.pool[column.name], tables.synthetic[column.name], column)
    return charts.ColumnRow(column.name, words, real, synthetic, selected)


def _words(column: AuditedColumn) -> str:
    if not column.used:
        return f"left out: {column.reason}"
    missing = f", {column.missing:.1%} missing" if column.missing else ""
    stated = ", as stated" if column.stated else ""
    return f"{column.kind}{stated}, {column.distinct:,} distinct{missing}"


def _shares(pool: Any, synthetic: Any, column: AuditedColumn) -> tuple[Floats, Floats]:
    """Shares of the values in bins, or of the categories that are most frequent in the pool."""
    if column.is_ordered:
        values = [_numbers(one) for one in (pool, synthetic)]
        low, high = np.quantile(values[0], [0.005, 0.995]) if values[0].size else (0.0, 1.0)
        ends = (float(low), float(high)) if high > low else (float(low) - 0.5, float(low) + 0.5)
        counts = [np.histogram(np.clip(one, *ends), BINS, ends)[0] for one in values]
    else:
        first = pool.value_counts().index[:CATEGORIES]
        counts = [
            one.value_counts().reindex(first, fill_value=0).to_numpy() for one in (pool, synthetic)
        ]
    return _normal(counts[0], len(pool)), _normal(counts[1], len(synthetic))


def _normal(counts: Any, size: int) -> Floats:
    return np.asarray(counts, float) / max(size, 1)


def _numbers(values: Any) -> Floats:
    """Numbers, or dates as numbers, without missing ones."""
    known = values.dropna()
    if known.dtype.kind == "M":
        return known.to_numpy("datetime64[us]").astype(np.int64).astype(float)
    return known.to_numpy(float)
