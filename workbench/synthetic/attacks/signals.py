"""`Signals`: what attacks compute of each record without any membership, once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.attacks.classified import classified
from workbench.synthetic.attacks.marginals import query_scores
from workbench.synthetic.attacks.neighborhoods import Neighborhoods
from workbench.synthetic.encoding import Encoded

#: Parts of the usual distance between records: below the first, distances hardly differ; the second
#: is the width of kernels.
_SOFT, _WIDTH = 0.1, 0.2

#: Rows that are added to both densities, so that the ratio of two small ones says little.
_FLOOR = 0.01

#: Neighbors whose mean distance says how dense the pool is.
_REFERENCE = 3


@dataclass(frozen=True, eq=False)
class Signals:
    """Signals of membership of all records of a pool; each is the same for equal records.

    Attributes
    ----------
    encoded : Encoded
    """

    encoded: Encoded

    @cached_property
    def neighborhoods(self) -> Neighborhoods:
        """The nearest synthetic records, and the nearest others of the pool."""
        return Neighborhoods.of(self.encoded)

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        """Minus the distance to the closest synthetic record, shape (records,)."""
        return -self.neighborhoods.synthetic.distances[:, 0].astype(float)

    @cached_property
    def distance_ratio(self) -> NDArray[np.float64]:
        """Log of the distance to others of the pool over that to the closest synthetic record."""
        soft = _SOFT * self.neighborhoods.spacing
        usual = self.neighborhoods.pool.mean(_REFERENCE)
        return np.log(usual + soft) - np.log(soft - self.distance)

    @cached_property
    def density_ratio(self) -> NDArray[np.float64]:
        """Log ratio of kernel densities at a record: synthetic ones, and the pool without it."""
        near, width = self.neighborhoods, _WIDTH * self.neighborhoods.spacing
        scale = len(self.encoded.synthetic) / len(self.encoded.pool)
        expected = scale * near.pool.weight(width)
        return np.log(near.synthetic.weight(width) + _FLOOR) - np.log(expected + _FLOOR)

    @cached_property
    def queries(self) -> NDArray[np.float64]:
        """Evidence of marginals of one to four columns, shape (records, 4)."""
        return query_scores(self.encoded)

    @cached_property
    def classified(self) -> NDArray[np.float64]:
        """Odds that a record is synthetic, by a classifier that did not learn it; scikit-learn."""
        return classified(self.encoded)

    @cached_property
    def features(self) -> NDArray[np.float32]:
        """Distances, densities and evidence of queries, larger for members, shape (records, 7)."""
        of_distances = self.distance, self.distance_ratio, self.density_ratio
        return np.column_stack([*of_distances, self.queries]).astype(np.float32)
