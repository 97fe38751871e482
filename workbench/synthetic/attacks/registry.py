"""`ATTACKS`: the attacks that an audit runs, by name."""

from __future__ import annotations

from workbench.synthetic.attacks.base import Attack
from workbench.synthetic.attacks.distance import DistanceAttack

#: Name -> attack.
ATTACKS: dict[str, Attack] = {one.name: one for one in (DistanceAttack(),)}
