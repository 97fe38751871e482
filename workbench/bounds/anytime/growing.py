"""Anytime bounds and evidence of scores that are still coming in, at the cost of the new ones.

The looks and the points are those of `anytime_path` and of `betting_counts`, so that the results do
not depend on how the scores were divided.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.anytime.anytime import POINTS, AnytimeAudit, AnytimePath
from workbench.bounds.anytime.betting import Claims, log_factors, log_wealth
from workbench.bounds.anytime.predictable_counts import WARM_UP, Tally
from workbench.curves.validation import Floats


class GrowingPath:
    """`anytime_path` of scores that are still coming in.

    Parameters
    ----------
    delta, confidence, quantity, sampling
        As of `AnytimeAudit`.
    """

    def __init__(
        self,
        delta: float | None = None,
        confidence: float = 0.95,
        quantity: str = "epsilon",
        sampling: str = "unknown",
    ):
        self._audit = AnytimeAudit(delta, confidence, quantity, sampling=sampling)
        self._seen = self._octave = self._stop = 0
        self._points: list[tuple[int, float]] = []

    def advance(self, p: Floats, q: Floats) -> AnytimePath:
        """The bound at its points, and after all scores.

        Parameters
        ----------
        p, q : ndarray
            All scores so far, in order of arrival, larger being more member-like; those of earlier
            calls come first. A score without a partner waits.
        """
        rows = min(p.size, q.size)
        while (stop := int(WARM_UP * 2 ** (self._octave / POINTS))) < rows:
            self._octave += 1
            if stop != self._stop:
                self._stop = stop
                self._feed(p, q, stop)
                self._points.append((self._audit.bound.n_p, self._audit.bound.value))
        self._feed(p, q, max(rows, self._seen))
        bound = self._audit.bound
        found = [*self._points, (bound.n_p, bound.value)]
        n = np.array([used for used, _ in found], dtype=np.int64)
        return AnytimePath(bound, n, n, np.array([value for _, value in found]))

    def _feed(self, p: Floats, q: Floats, stop: int) -> None:
        self._audit.update(p[self._seen : stop], q[self._seen : stop])
        self._seen = stop


class GrowingCounts:
    """`betting_counts` of scores that are still coming in.

    Attributes
    ----------
    rows : int
        Scores of a group that were counted.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._tally = Tally((1, 1))
        self._n: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self._counts: list[Floats] = [self._tally.total[:, None][:, :0]]

    def advance(self, p: Floats, q: Floats) -> list[tuple[NDArray[np.int64], Floats]]:
        """The looks that became possible, as of `Tally.add`.

        Parameters
        ----------
        p, q : ndarray
            All scores so far, larger being more member-like; those of earlier calls come first.
        """
        rows = max(min(p.size, q.size), self.rows)
        runs = self._tally.add(p[self.rows : rows], q[self.rows : rows])
        self.rows = rows
        for n, counts in runs:
            self._n.append(n)
            self._counts.append(counts)
        return runs

    @property
    def looks(self) -> tuple[NDArray[np.int64], Floats]:
        """All looks so far: their rows, and the counts, shape (rows, looks, 8)."""
        self._n = [np.concatenate(self._n)]
        self._counts = [np.concatenate(self._counts, axis=1)]
        return self._n[0], self._counts[0]


class GrowingEvidence:
    """The e-value against a claim at every look, for looks that are still coming in.

    Parameters
    ----------
    claims : Claims
    theta : float
        The claim.
    """

    def __init__(self, claims: Claims, theta: float = 0.0):
        self._factors = log_factors(claims, theta, theta, (1, 1))
        self._n: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self._log: list[Floats] = [np.zeros(0)]

    def advance(self, runs: list[tuple[NDArray[np.int64], Floats]]) -> None:
        """Take the looks of `GrowingCounts.advance`."""
        for n, counts in runs:
            self._n.append(n)
            self._log.append(log_wealth(counts, self._factors))

    @property
    def path(self) -> tuple[NDArray[np.int64], Floats]:
        """The rows of all looks so far, and natural logarithms of the e-values."""
        self._n, self._log = [np.concatenate(self._n)], [np.concatenate(self._log)]
        return self._n[0], self._log[0]
