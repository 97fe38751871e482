"""`Threat`: how often an attack succeeds on members, and how often on held-out records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench import _checks
from workbench._frames import to_frame
from workbench.synthetic.tables import SyntheticTables


@dataclass(frozen=True)
class Threat:
    """Successes of an attack on members of the training table and on held-out records.

    Attributes
    ----------
    name : str
        "singling-out", "linkability", "inference", "copies".
    label : str
        What people read.
    members, attacked_members : int
        k1 of n1: successes on members, and members that were attacked.
    held_out, attacked_held_out : int
        k0 of n0: the same on held-out records.
    """

    name: str
    label: str
    members: int
    attacked_members: int
    held_out: int
    attacked_held_out: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


#: Measures a threat on tables; which records it attacks never depends on memberships.
Measure = Callable[[SyntheticTables], Threat]
