"""`TableColumns`: what the columns of a table are, the same whatever a generator makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.synthetic.attacks.base import AttackView
from workbench.synthetic.columns import checked_kinds, read_column
from workbench.synthetic.generators.refusals import GeneratorError
from workbench.synthetic.tables import joined_columns

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TableColumns:
    """The kinds of the columns of a table, found in it alone.

    Attributes
    ----------
    table : DataFrame
        All records, whether they are in or out.
    kinds : mapping of str to str
        One of `workbench.synthetic.columns.COLUMN_KINDS` for each column.
    """

    table: pd.DataFrame
    kinds: Mapping[str, str]

    @classmethod
    def of(cls, table: pd.DataFrame, stated: Mapping[str, str] | None = None) -> TableColumns:
        """The columns of a table.

        Parameters
        ----------
        table : DataFrame
        stated : mapping, optional
            The kind of some columns.

        Raises
        ------
        GeneratorError
            Names that are no texts, or no column that can be compared.
        """
        if not all(isinstance(name, str) for name in table.columns):
            raise GeneratorError("table must have texts as names of its columns; rename them")
        given = checked_kinds(stated, list(table.columns))
        found = {
            name: read_column(name, [table[name]] * 3, given.get(name)).column.kind
            for name in table.columns
        }
        if set(found.values()) <= {"left out"}:
            raise GeneratorError(
                "no column of the table can be compared: all are constants or ids; state the kind "
                "of one that matters"
            )
        return cls(table, found)

    def read(self, synthetic: pd.DataFrame, seed: int = 0) -> AttackView:
        """What an attack may see: all records, and a synthetic table.

        Parameters
        ----------
        synthetic : DataFrame
            With the columns of the table; it may have no rows.
        seed : int
            For attacks that need chance.

        Raises
        ------
        SyntheticTablesError
            A synthetic column that does not go with that of the table.
        """
        none = self.table.iloc[:0]
        used = [
            read_column(name, [self.table[name], none[name], synthetic[name]], kind)
            for name, kind in self.kinds.items()
            if kind != "left out"
        ]
        pool, made = joined_columns(used)
        return AttackView(tuple(one.column for one in used), pool, made, seed)
