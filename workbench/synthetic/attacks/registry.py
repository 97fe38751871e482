"""`ATTACKS`: the attacks that an audit runs, by name."""

from __future__ import annotations

from workbench.synthetic.attacks.base import Attack
from workbench.synthetic.attacks.density import ClassifierAttack, DensityRatioAttack
from workbench.synthetic.attacks.distance import DistanceAttack, DistanceRatioAttack
from workbench.synthetic.attacks.forest import ForestAttack
from workbench.synthetic.attacks.queries import QueriesAttack

#: Name -> attack.
ATTACKS: dict[str, Attack] = {
    one.name: one
    for one in (
        DistanceAttack(),
        DistanceRatioAttack(),
        DensityRatioAttack(),
        QueriesAttack(),
        ClassifierAttack(),
        ForestAttack(),
    )
}
