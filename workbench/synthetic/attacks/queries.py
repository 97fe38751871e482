"""`QueriesAttack`: evidence of marginals and random conjunctive queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.base import Attack, AttackView, Scorer


class QueriesAttack(Attack):
    """Whether the synthetic table has the cells of a record more often than the pool lets expect.

    The sum of log likelihood ratios over marginals of one to four columns, see `query_scores`. It
    finds what generators of noisy marginals leak. It learns nothing.

    References
    ----------
    Homer et al. (2008), *Resolving individuals contributing trace amounts of DNA to highly complex
    mixtures*. Houssiau et al. (2022), *TAPAS*, and Annamalai, Gadotti and Rocher (2024), *A linear
    reconstruction approach for attribute inference attacks against synthetic data*, for random
    queries as features.
    """

    name = "queries"
    label = "marginals and random queries"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        return view.signals.queries.sum(axis=1).__getitem__
