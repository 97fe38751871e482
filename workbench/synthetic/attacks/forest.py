"""`ForestAttack`: a random forest on the signals of all other attacks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.processes.pool import one_thread
from workbench.software.extras import check
from workbench.synthetic.attacks.base import Attack, AttackView, Scorer

#: Records from which one tree learns, at most.
_LEARNED = 10_000


class ForestAttack(Attack):
    """Odds of membership by a random forest, learned from the memberships that it is given.

    Its features are the signals of the attacks by distance, density and queries. A tree may only
    split so that a larger signal speaks for membership, which leaves little to learn from chance.
    Needs scikit-learn.

    References
    ----------
    Houssiau et al. (2022), *TAPAS*, whose attacks learn a random forest on features of shadow
    tables; here one table was made, and the learning share is what there is to learn from.
    """

    name = "forest"
    label = "a random forest on all signals"
    requires = "sklearn"
    learns = True

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        check("sklearn", "learning a random forest needs")
        from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]

        features = view.signals.features
        x, y = features[rows], np.asarray(member, bool)
        # In an order of their own: trees depend on the order of rows.
        order = np.lexsort((y, *x.T))
        model: Any = RandomForestClassifier(
            50, min_samples_leaf=5, max_features=3, monotonic_cst=[1] * x.shape[1],
            max_samples=min(1.0, _LEARNED / len(y)), random_state=0, n_jobs=1,
        )  # fmt: skip
        with one_thread():
            model.fit(x[order], y[order])

        def scores(places: NDArray[np.intp]) -> NDArray[np.float64]:
            if len(model.classes_) < 2:  # all that it knows were on one side
                return np.zeros(len(places))
            with one_thread():
                return np.asarray(model.predict_proba(features[places])[:, 1])

        return scores
