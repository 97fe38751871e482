"""`Successes`: on which records of the unlabelled pool an attack succeeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.synthetic.threats.predicates import Predicate
from workbench.synthetic.threats.view import ThreatView

#: The three words of Article 29 Working Party (2014), and copies.
ThreatName = Literal["singling-out", "linkability", "inference", "copies"]

#: Comparisons of a record with a synthetic one, of all columns together, which an attack makes
#: before it takes a random part of the pool; it attacks about a thousand records in any case.
_COMPARISONS, _FEWEST = 10**8, 1000


@dataclass(frozen=True, eq=False)
class Successes:
    """What an attack found, before anybody looks at memberships.

    Attributes
    ----------
    name : str
    label : str
        With the columns: "inference of income".
    columns : tuple of str
        Columns that the attack looks at.
    row : ndarray of int, shape (u,)
        A row of the pool of each attacked unit; the one on which the attack succeeded, if it did.
    success : ndarray of bool, shape (u,)
    by : ndarray of str, shape (u,)
        What singled it out, what was inferred, or which columns are the same; "" without success.
    used : tuple of tuples of str, length u
        Columns of that: of the predicate, the secret, those that are the same; () without success.
    synthetic : ndarray of int, shape (u,)
        The synthetic row that was used; −1 where none was.
    distance : ndarray of float, shape (u,)
        To that row; NaN where there is none.
    predicates : tuple of Predicate
        Of singling out.
    shares : int
        Among so many attacks of this kind the error probability is divided.
    """

    name: ThreatName
    label: str
    columns: tuple[str, ...]
    row: NDArray[np.intp]
    success: NDArray[np.bool_]
    by: NDArray[np.object_]
    used: tuple[tuple[str, ...], ...]
    synthetic: NDArray[np.intp]
    distance: NDArray[np.float64]
    predicates: tuple[Predicate, ...] = ()
    shares: int = 1

    @classmethod
    def of_rows(
        cls,
        name: ThreatName,
        label: str,
        columns: tuple[str, ...],
        view: ThreatView,
        rows: NDArray[np.intp],
        success: NDArray[np.bool_],
        *,
        by: NDArray[np.object_] | None = None,
        used: Callable[[int], tuple[str, ...]] = lambda at: (),
        synthetic: NDArray[np.intp] | None = None,
        distance: NDArray[np.floating] | None = None,
        predicates: tuple[Predicate, ...] = (),
        shares: int = 1,
    ) -> Successes:
        """Of attacked rows: the attack succeeds on a unit if it does on one of its rows.

        Parameters
        ----------
        name, label, columns, predicates, shares
            As of the class.
        view : ThreatView
        rows : ndarray of int, shape (m,)
            Attacked rows of the pool.
        success, by, synthetic, distance : ndarray, shape (m,)
            Of these rows.
        used : callable
            From the place of an attacked row, 0 … m − 1, to the columns of its success.
        """
        units = view.unit[rows]
        # Of each unit the first row with a success, else its first row.
        order = np.lexsort([np.arange(rows.size), ~success, units])
        _, first = np.unique(units[order], return_index=True)
        kept = order[first]
        hit = success[kept]

        def taken(values: NDArray[np.generic] | None, empty: float | str) -> NDArray[np.generic]:
            if values is None:
                values = np.full(rows.size, empty, object if empty == "" else None)
            return np.where(hit, values[kept], empty)

        return cls(
            name,
            label,
            columns,
            rows[kept],
            hit,
            taken(by, "").astype(object),
            tuple(used(at) if found else () for at, found in zip(kept.tolist(), hit, strict=True)),
            taken(synthetic, -1).astype(np.intp),
            taken(distance, np.nan).astype(np.float64),
            predicates,
            shares,
        )


def attacked(view: ThreatView, most: int | None, chance: np.random.Generator) -> NDArray[np.intp]:
    """Rows of the pool that an attack by nearest records tries: all, or a random part.

    Parameters
    ----------
    view : ThreatView
    most : int, optional
        By default as many as 10⁸ comparisons with synthetic records allow, but at least 1000.
    chance : numpy.random.Generator
    """
    if most is None:
        most = max(_COMPARISONS // max(view.synthetic_size, 1), _FEWEST)
    return view.sample(most, chance)


def checked_attacks(most: int | None) -> int | None:
    """How many records are attacked at most, as a whole number of at least 1, or None."""
    return None if most is None else _checks.count(most, "attacks", least=1)
