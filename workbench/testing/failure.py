"""`CheckFailure`: a property that a plug-in lacks, with the numbers that show it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


class CheckFailure(AssertionError):  # noqa: N818  (it is a test that failed)
    """What a package adds lacks a property that the workbench relies on.

    Attributes
    ----------
    property : str
        Which one, as a sentence: "the profile falls as ε rises".
    """

    def __init__(self, name: str, property: str, shown: str) -> None:
        super().__init__(f"{name}: {property} does not hold: {shown}")
        self.property = property


class Properties:
    """Demands properties of one thing.

    Parameters
    ----------
    name : str
        What failures call it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def demand(self, holds: Any, property: str, shown: str = "") -> None:
        """A `CheckFailure` unless the property holds.

        Parameters
        ----------
        holds : bool
        property : str
            "equal arguments give equal pairs".
        shown : str
            What was found instead, with numbers.
        """
        if not bool(holds):
            raise CheckFailure(self.name, property, shown or "it is otherwise")

    def demand_each(self, holds: ArrayLike, property: str, **columns: ArrayLike) -> None:
        """A `CheckFailure` with the first row at which a property fails.

        Parameters
        ----------
        holds : array_like of bool, shape (n,)
        property : str
        **columns : array_like, shape (n,) or ()
            What is shown of that row, by name.
        """
        bad = ~np.atleast_1d(np.asarray(holds, dtype=bool))
        if bad.any():
            i = int(np.argmax(bad))
            values = {
                name: np.broadcast_to(np.asarray(x), bad.shape) for name, x in columns.items()
            }
            shown = ", ".join(f"{name} = {x[i]:.6g}" for name, x in values.items())
            raise CheckFailure(self.name, property, f"at {shown}")
