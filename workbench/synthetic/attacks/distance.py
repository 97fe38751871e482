"""`DistanceAttack` and `DistanceRatioAttack`: how close a record is to a synthetic one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.base import Attack, AttackView, Scorer


class DistanceAttack(Attack):
    """Minus the distance of a record to the closest synthetic record.

    The distance to the closest record (DCR), of mixed columns: see `Neighborhoods`. It learns
    nothing.

    References
    ----------
    Chen, Yu, Zhang and Fritz (2020), *GAN-Leaks*. Houssiau et al. (2022), *TAPAS*, whose attack by
    closest distance it is.
    """

    name = "distance"
    label = "distance to the closest synthetic record"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        return view.signals.distance.__getitem__


class DistanceRatioAttack(Attack):
    """How much closer a record is to a synthetic one than to others of the pool.

    Log of the mean distance to the three closest others of the pool, over the distance to the
    closest synthetic record. It finds copies in dense and in sparse regions alike, where the
    distance alone names records of dense ones. It learns nothing.

    References
    ----------
    Chen, Yu, Zhang and Fritz (2020), *GAN-Leaks*, whose calibration it is, with the unlabelled pool
    in place of a reference model.
    """

    name = "distance-ratio"
    label = "distance to the closest synthetic record, relative to other records"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        return view.signals.distance_ratio.__getitem__
