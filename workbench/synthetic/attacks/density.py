"""`DensityRatioAttack` and `ClassifierAttack`: synthetic rows where the pool has few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.base import Attack, AttackView, Scorer


class DensityRatioAttack(Attack):
    """Synthetic records near a record, against what the pool lets expect there.

    Log ratio of kernel density estimates of both tables at the record, which is no neighbor of
    itself. It learns nothing.

    References
    ----------
    van Breugel, Sun, Qian and van der Schaar (2023), *Membership inference attacks against
    synthetic data through overfitting detection* (DOMIAS), Equation 2, with the pool as reference.
    """

    name = "density-ratio"
    label = "density of synthetic records, against that of all records"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        return view.signals.density_ratio.__getitem__


class ClassifierAttack(Attack):
    """Odds that a record is synthetic, by a classifier of synthetic records and the pool.

    Cross-fitted: of two random forests, each learns one half of both tables and scores the other
    half of the pool, so that no record was learned as one of the pool. Equal records are in one
    half. Needs scikit-learn.

    References
    ----------
    As `DensityRatioAttack`: the odds of such a classifier estimate a ratio of densities (Sugiyama,
    Suzuki and Kanamori 2012, *Density ratio estimation in machine learning*, Chapter 4).
    """

    name = "classifier"
    label = "a classifier of synthetic and real records"
    requires = "sklearn"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        return view.signals.classified.__getitem__
