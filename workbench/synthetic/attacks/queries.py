"""`QueriesAttack`: evidence of marginals and random conjunctive queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.base import Attack, AttackView, Scorer


class QueriesAttack(Attack):
    """Whether the synthetic table has the cells of a record more often than the pool lets expect.

    A weighted sum of the log likelihood ratios of marginals of one, two, three and four columns,
    see `query_scores`. The weights are those of Fisher's linear discriminant, with the covariance
    of all records and the means of those whose memberships it is given: it learns which marginals
    the generator reproduces. It finds what generators of noisy marginals leak.

    References
    ----------
    Homer et al. (2008), *Resolving individuals contributing trace amounts of DNA to highly complex
    mixtures*. Houssiau et al. (2022), *TAPAS*, for random queries as features. Golob, Pentyala,
    Maratkhan and De Cock (2024), *High epsilon synthetic data vulnerabilities in MST and
    PrivBayes*, for ratios of marginals. Annamalai, Gadotti and Rocher (2024), *A linear
    reconstruction approach for attribute inference attacks against synthetic data*, for marginals
    of all records.
    """

    name = "queries"
    label = "marginals and random queries"

    def fit(self, view: AttackView, rows: NDArray[np.intp], member: NDArray[np.bool_]) -> Scorer:
        evidence = view.signals.queries
        return (evidence @ weights(evidence, rows, np.asarray(member, bool))).__getitem__


def weights(
    evidence: NDArray[np.float64], rows: NDArray[np.intp], member: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The weight of each column of evidence; equal ones where nothing is to be learned.

    Parameters
    ----------
    evidence : ndarray of float, shape (records, k)
    rows : ndarray of int
        Records whose memberships are known.
    member : ndarray of bool
        These memberships.
    """
    # Sums of floats depend on their order: that of the values, whatever the order of records.
    spread = np.sqrt(np.mean(np.sort(evidence**2, axis=0), axis=0))
    used = spread > 0
    equal = np.where(used, 1.0, 0.0)
    if not used.any() or member.all() or not member.any():
        return equal
    scaled = evidence[:, used] / spread[used]
    inside, outside = (np.sort(scaled[rows[side]], axis=0) for side in (member, ~member))
    # Evidence cannot speak against membership on average: chance of few records alone does.
    shift = np.maximum(inside.mean(axis=0) - outside.mean(axis=0), 0.0)
    if not shift.any():
        return equal
    together = scaled[np.lexsort(scaled.T)]
    covariance = together.T @ together / len(together) + 0.1 * np.eye(len(shift))
    found = np.zeros(len(spread))
    found[used] = np.linalg.solve(covariance, shift) / spread[used]
    return found
