"""`ForgottenMarginal`: a generator that claims to be private and forgot the noise of one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.synthetic.generators.marginals import PrivateMarginals
from workbench.synthetic.generators.refusals import fitted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class ForgottenMarginal(PrivateMarginals):
    """A wrong generator: `PrivateMarginals` with one more table, which has no noise.

    It counts some columns together, in a table of their own, and draws them from it. Its claim
    counts that table among those with noise, but the noise was forgotten. With several columns of
    numbers, most cells hold one record, and every row that it draws lies in the cell of a training
    record.

    Parameters
    ----------
    domain, claim, parents, bins
        See `PrivateMarginals`. The claim is not kept.
    joint : tuple of columns
        Those that are counted together; all by default.

    Raises
    ------
    ValueError
        As of `PrivateMarginals`, or a column that the domain lacks.

    Examples
    --------
    >>> domain = wb.TableDomain({"age": range(18, 91), "smokes": ["yes", "no"]})
    >>> wb.synthetic.ForgottenMarginal(domain, wb.PureDP(1), bins=20).joint
    ('age', 'smokes')
    """

    joint: tuple[Any, ...] = ()
    _rows: NDArray[np.intp] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.joint, tuple | list):
            raise ValueError(
                'joint must be a tuple of columns such as ("age", "smokes"), got '
                f"{_checks.shown(self.joint)}"
            )
        self.joint = tuple(self.joint) or tuple(self.domain.columns)
        for name in self.joint:
            if name not in self.domain.columns:
                raise ValueError(
                    f"{_checks.shown(name)} in joint is no column; there are "
                    f"{_checks.shown(list(self.domain.columns))}"
                )

    @property
    def tables(self) -> int:
        """Number of tables that the claim counts: one more than columns."""
        return len(self.domain.columns) + 1

    def fit(self, table: pd.DataFrame, seed: int | np.random.Generator | None = None) -> Self:
        """The generator itself, which keeps noisy counts, and the joint table as it is.

        Parameters
        ----------
        table, seed
            See `PrivateMarginals.fit`.
        """
        super().fit(table, seed)
        columns = [self._bins_of(name).cells(table[name]) for name in self.joint]
        self._rows = np.stack(columns, axis=1)  # a sparse table of counts: a row for each count
        return self

    def _drawn_together(self, n: int, rng: np.random.Generator) -> dict[Any, NDArray[np.intp]]:
        rows = fitted(self._rows, type(self).__name__)
        if not len(rows):
            return {}
        drawn = rows[rng.integers(len(rows), size=n)]
        return dict(zip(self.joint, drawn.T, strict=True))
