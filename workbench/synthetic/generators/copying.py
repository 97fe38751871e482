"""`CopyingGenerator`: a generator that leaks, since some of its rows are copies with noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from workbench import _checks
from workbench.synthetic.generators.refusals import GeneratorError, fitted, rows_of, table_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False)
class CopyingGenerator:
    """A generator that leaks: a share of its rows are copies of training records, with noise.

    The other rows have each column drawn on its own from that column of the training table.

    Parameters
    ----------
    share : float
        Of the rows that are copies, in [0, 1].
    noise : float
        Of a copy: numbers are moved by Gaussian noise of this many standard deviations of their
        column (whole numbers stay whole), and another cell is drawn anew with this probability. In
        [0, 1].

    Raises
    ------
    ValueError
        An argument outside its range.

    Notes
    -----
    It claims nothing: a copied record can be recognized.

    Examples
    --------
    >>> generator = wb.synthetic.CopyingGenerator(share=0.1).fit(wb.synthetic.patients())
    >>> generator.sample(1000, seed=0).shape
    (1000, 9)
    """

    share: float = 0.1
    noise: float = 0.02
    _table: pd.DataFrame | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("share", "noise"):
            value = _checks.number(getattr(self, name), name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {value!r}")
            setattr(self, name, value)

    def fit(self, table: pd.DataFrame) -> Self:
        """The generator itself, which keeps the table.

        Parameters
        ----------
        table : DataFrame
            At least one row.

        Raises
        ------
        GeneratorError
            No table, or one without rows.
        """
        table = table_of(table)
        if not len(table):
            raise GeneratorError("the training table has no rows, so there is nothing to copy")
        self._table = table.reset_index(drop=True)
        return self

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> pd.DataFrame:
        """A synthetic table.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int or numpy.random.Generator, optional
            By default from the operating system.

        Raises
        ------
        GeneratorError
            It is not fitted.
        """
        import pandas as pd

        table, rng = fitted(self._table, "CopyingGenerator"), _checks.random(seed)
        n = rows_of(n)
        copies = round(self.share * n)
        times = -(-copies // len(table))  # every record once before any is copied twice
        order = np.concatenate([np.arange(0), *(rng.permutation(len(table)) for _ in range(times))])
        source, order = order[:copies].astype(int), rng.permutation(n)
        columns = {}
        for name in table.columns:
            column = table[name]
            cells = [
                self._moved(column, source, rng),
                column.iloc[rng.integers(len(table), size=n - copies)],
            ]
            columns[name] = pd.concat(cells, ignore_index=True).iloc[order].reset_index(drop=True)
        return pd.DataFrame(columns)

    def _moved(self, column: Any, source: Any, rng: np.random.Generator) -> Any:
        """The cells of copies, with noise."""
        import pandas as pd

        cells = column.iloc[source].reset_index(drop=True)
        is_number = pd.api.types.is_numeric_dtype(column.dtype)
        if is_number and not pd.api.types.is_bool_dtype(column.dtype):
            moved = cells + self.noise * float(np.nan_to_num(column.std())) * rng.normal(
                size=len(cells)
            )
            whole = pd.api.types.is_integer_dtype(column.dtype)
            return moved.round().astype(column.dtype) if whole else moved.astype(column.dtype)
        drawn = column.iloc[rng.integers(len(column), size=len(cells))].reset_index(drop=True)
        return cells.where(rng.random(len(cells)) >= self.noise, drawn)
