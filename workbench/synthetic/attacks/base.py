"""`Attack`: scores of records from an unlabelled view and the memberships of a learning share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores import chance
from workbench.synthetic.attacks.signals import Signals
from workbench.synthetic.columns import AuditedColumn
from workbench.synthetic.encoding import encode
from workbench.synthetic.tables import SyntheticTables

if TYPE_CHECKING:
    import pandas as pd

#: From places in the pool, shape (k,), to scores of these records, shape (k,); larger for members.
Scorer = Callable[[NDArray[np.intp]], NDArray[np.floating[Any]]]


@dataclass(frozen=True, eq=False)
class AttackView:
    """What an attack may see of all records: no memberships, and an order that tells none.

    Attributes
    ----------
    columns : tuple of AuditedColumn
        Those that are used.
    pool : DataFrame, n rows
        Training and held-out records together.
    synthetic : DataFrame
        With the same columns and categories.
    seed : int
        A random number for attacks that need chance, drawn for these tables.
    """

    columns: tuple[AuditedColumn, ...]
    pool: pd.DataFrame = field(repr=False)
    synthetic: pd.DataFrame = field(repr=False)
    seed: int = 0

    def __post_init__(self) -> None:
        _checks.fields(self)

    @classmethod
    def of(cls, tables: SyntheticTables) -> AttackView:
        """The view of an audit's tables."""
        need = "a workbench.synthetic.SyntheticTables, such as audit.tables"
        _checks.instance(tables, SyntheticTables, "tables", need)
        # A number of its own: from that of the tables the order of the pool, and so which of two
        # equal rows was in, could be computed.
        own = chance.generator(tables.chance, "permutations", 1).integers(2**chance.BITS)
        return cls(tables.used, tables.pool, tables.synthetic, int(own))

    @cached_property
    def signals(self) -> Signals:
        """What attacks compute of each record without any membership, once for all of them."""
        return Signals(encode(self.pool, self.synthetic, self.columns))


class Attack(ABC):
    """A way of scoring records by how likely the generator saw them.

    Scores of a record may be any function of the view and of the memberships that `fit` is given.
    Whatever they are, bounds hold: the coins of the measured records are unknown to it. What would
    break them is a look at these coins, such as a reference made of held-out records among which
    is the measured record itself.
    """

    #: What arguments and results call it: "distance".
    name: ClassVar[str]

    #: What people read: "distance to the closest synthetic record".
    label: ClassVar[str]

    #: A package of an extra without which it cannot run; "" for none.
    requires: ClassVar[str] = ""

    #: Whether it learns from memberships, so that it needs a learning share.
    learns: ClassVar[bool] = False

    @property
    def installed(self) -> bool:
        """Whether what it requires is installed."""
        return not self.requires or find_spec(self.requires) is not None

    @abstractmethod
    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        """What scores records, learned from those whose memberships are known.

        Parameters
        ----------
        view : AttackView
        rows : ndarray of int, shape (k,)
            Places in the pool of the learning share.
        member : ndarray of bool, shape (k,)
            Whether each of these records was in the training table.

        Returns
        -------
        callable
            From places in the pool to scores, larger for members; each score is a number, not NaN.
        """
