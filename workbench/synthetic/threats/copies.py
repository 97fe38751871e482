"""Copies: records of the training table that stand in the synthetic table, exactly or nearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.synthetic.threats.successes import Successes, ThreatName, attacked, checked_attacks
from workbench.synthetic.threats.view import ThreatView, nearest, nearest_two_of_pool


@dataclass(frozen=True)
class Copies:
    """The attack that looks for a record itself in the synthetic table.

    A record is copied exactly if a synthetic record is equal in all columns. It is copied nearly if
    its nearest synthetic record is nearer to it than ``within`` times its distance to the record of
    any other unit of the pool. Records that are equal by chance are equal as often among held-out
    records: their rate is the baseline.

    Parameters
    ----------
    exact : bool
        Exact copies only.
    within : float
        In (0, 1).
    attacks : int, optional
        Of near copies, as of `Linkability`; exact ones are looked for in the whole pool.
    """

    exact: bool = False
    within: float = 1 / 3
    attacks: int | None = None

    name: ClassVar[ThreatName] = "copies"

    def __post_init__(self) -> None:
        _checks.flag(self.exact, "exact")
        _checks.open_unit(self.within, "within")
        object.__setattr__(self, "attacks", checked_attacks(self.attacks))

    @_checks.arguments
    def run(self, view: ThreatView, chance: np.random.Generator) -> tuple[Successes, ...]:
        """The records that are copied.

        Parameters
        ----------
        view : ThreatView
        chance : numpy.random.Generator
            Draws the attacked records of large tables, for near copies.
        """
        if not view.columns or view.synthetic_size == 0:
            return ()
        return (self._exact(view) if self.exact else self._near(view, chance),)

    def _exact(self, view: ThreatView) -> Successes:
        table = np.zeros((view.pool_size + view.synthetic_size, len(view.columns)))
        for j, column in enumerate(view.columns):
            both = np.concatenate([column.pool, column.synthetic])
            table[:, j] = np.unique(both, return_inverse=True, equal_nan=True)[1]
        _, group = np.unique(table, axis=0, return_inverse=True)
        group = group.ravel()
        of_pool, of_synthetic = group[: view.pool_size], group[view.pool_size :]
        first = np.full(int(group.max()) + 1, -1, np.intp)
        first[of_synthetic[::-1]] = np.arange(view.synthetic_size)[::-1]
        synthetic = first[of_pool]
        return Successes.of_rows(
            self.name,
            "exact copies",
            view.names,
            view,
            np.arange(view.pool_size),
            synthetic >= 0,
            **_same(view, np.arange(view.pool_size), synthetic),
            synthetic=synthetic,
            distance=np.zeros(view.pool_size),
        )

    def _near(self, view: ThreatView, chance: np.random.Generator) -> Successes:
        rows = attacked(view, self.attacks, chance)
        places, distances = nearest(view.columns, rows, 1)
        synthetic, own = places[:, 0], distances[:, 0]
        asked, where = np.unique(synthetic, return_inverse=True)
        place, first, second = nearest_two_of_pool(view.columns, asked, view.unit)
        # The next unit, seen from the synthetic record: the nearest one if that is of another unit.
        other = np.where(view.unit[place[where]] == view.unit[rows], second[where], first[where])
        return Successes.of_rows(
            self.name,
            "exact and near copies",
            view.names,
            view,
            rows,
            own <= self.within * other,
            **_same(view, rows, synthetic),
            synthetic=synthetic,
            distance=own,
        )


def _same(view: ThreatView, rows: NDArray[np.intp], synthetic: NDArray[np.intp]) -> dict[str, Any]:
    """The columns in which rows of the pool are equal to synthetic rows, and that in words."""
    equal = np.array([column.equal(rows, synthetic) for column in view.columns])
    names = np.array(view.names, object)

    def used(at: int) -> tuple[str, ...]:
        return tuple(names[equal[:, at]])

    same = [", ".join(used(at)) for at in range(rows.size)]
    words = [f"the same {names}" if names else "" for names in same]
    return {"by": np.array(words, object), "used": used}
