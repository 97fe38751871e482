"""Linkability: two parts of a record lead to the same synthetic record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from workbench import _checks
from workbench.synthetic.threats.successes import Successes, ThreatName, attacked, checked_attacks
from workbench.synthetic.threats.view import ThreatView, nearest

_MOST_NEIGHBORS = 1000


@dataclass(frozen=True)
class Linkability:
    """The attack that joins two tables of the same people, which share no column.

    It succeeds on a record if the synthetic records that are nearest by the first columns, and
    those that are nearest by the second ones, have one in common.

    Parameters
    ----------
    columns : two sequences of str, optional
        The columns of the one and of the other table. By default every second column.
    neighbors : int
        Nearest synthetic records of each part that are compared.
    attacks : int, optional
        Records that are attacked, drawn from the pool; by default all of them, or fewer in large
        tables.

    Notes
    -----
    Distances are those of Gower (1971), as in anonymeter, except that two missing values are equal
    here. Of equally near synthetic records the first ones are taken.
    """

    columns: Sequence[Sequence[str]] | None = None
    neighbors: int = 1
    attacks: int | None = None

    name: ClassVar[ThreatName] = "linkability"

    def __post_init__(self) -> None:
        _checks.fields(self)
        neighbors = _checks.count(self.neighbors, "neighbors", least=1, most=_MOST_NEIGHBORS)
        object.__setattr__(self, "neighbors", neighbors)
        object.__setattr__(self, "attacks", checked_attacks(self.attacks))
        if self.columns is None:
            return
        sides = tuple(self.columns)
        if len(sides) != 2 or any(isinstance(side, str) or not len(side) for side in sides):
            raise ValueError(
                f"columns must be two groups of names, such as (('age', 'sex'), ('income',)), got "
                f"{_checks.shown(self.columns)}"
            )
        first, second = (tuple(side) for side in sides)
        if both := [name for name in first if name in second]:
            raise ValueError(
                f"columns must be two groups without a common name, and {both[0]!r} is in both"
            )
        object.__setattr__(self, "columns", (first, second))

    @_checks.arguments
    def run(self, view: ThreatView, chance: np.random.Generator) -> tuple[Successes, ...]:
        """The records that are linked; nothing where there are fewer than two columns.

        Parameters
        ----------
        view : ThreatView
        chance : numpy.random.Generator
            Draws the attacked records of large tables.
        """
        names = self.columns or (view.names[::2], view.names[1::2])
        sides = [view.named(side, "columns") for side in names]
        if not all(sides):
            return ()
        rows = attacked(view, self.attacks, chance)
        most = min(self.neighbors, view.synthetic_size)
        (a, d), (b, e) = (nearest(side, rows, most) for side in sides)
        # The nearest one by the first columns that is among those by the second ones.
        which = np.full(rows.size, -1)
        for j in reversed(range(most)):
            which[(a[:, j, None] == b).any(axis=1)] = j
        at, success = np.arange(rows.size), which >= 0
        linked = a[at, which]
        to_second = np.where(b == linked[:, None], e, np.inf).min(axis=1)
        first, second = (", ".join(side) for side in names)
        return (
            Successes.of_rows(
                self.name,
                f"linkability of ({first}) and ({second})",
                (*names[0], *names[1]),
                view,
                rows,
                success,
                used=lambda at: (*names[0], *names[1]),
                synthetic=linked,
                distance=d[at, which] + to_second,
            ),
        )
