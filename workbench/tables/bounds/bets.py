"""`Bets`: what the guesses about each record bring at any ε."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from workbench.curves.validation import Floats
from workbench.progress import Report, silent

#: Bets that are looked at at a time.
_AT_A_TIME = 2**21


@dataclass(frozen=True, eq=False)
class Bets:
    """The guesses that may be bet on, of one record after the other.

    Attributes
    ----------
    odds : ndarray, shape (B,)
        The log-odds of the guesses, positive where they are right, none of them 0; those of a
        record in the order of the models.
    starts : ndarray of int, shape (K + 1,)
        Where those of each record begin, and their number.
    """

    odds: Floats
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, evidence: Floats) -> Bets:
        """The guesses in the log-odds of all models, shape (M, K), of which 0 is no guess."""
        by_record = np.ascontiguousarray(evidence.T)
        there = np.abs(by_record) > 0  # NaN is no guess
        starts = np.zeros(len(by_record) + 1, np.int64)
        np.cumsum(np.count_nonzero(there, axis=1), out=starts[1:])
        return cls(by_record[there], starts)

    @classmethod
    def joined(cls, parts: Sequence[Bets]) -> Bets:
        """Those of the records of several parts."""
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        starts = np.append(0, np.cumsum(sizes))
        return cls(np.concatenate([part.odds for part in parts]), starts)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.odds.nbytes + self.starts.nbytes

    def of_records(self, which: NDArray[np.intp]) -> Bets:
        """Those of some of the K records."""
        spans = [slice(*self.starts[k : k + 2]) for k in which.tolist()]
        sizes = [span.stop - span.start for span in spans]
        odds = np.concatenate([self.odds[:0], *(self.odds[span] for span in spans)])
        return Bets(odds, np.append(0, np.cumsum(sizes)).astype(np.int64))

    def log_wealth(self, epsilon: float, delta: float, report: Report = silent) -> Floats:
        """Logs of the e-values of the records at an ε, shape (K,).

        Parameters
        ----------
        epsilon, delta : float
        report : Report
            Told the share that is done.
        """
        size = self.starts.size - 1
        found, fine = np.zeros(size), np.log1p(delta * np.exp(-epsilon))
        for first, last in self._blocks():
            report(first / max(size, 1), "betting on each record")
            begin, end = self.starts[first], self.starts[last]
            record = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
            odds = self.odds[begin:end]
            bet = np.abs(odds) > epsilon
            odds, record = odds[bet], record[bet]
            factor = log_expit(odds) - np.where(odds > 0, log_expit(epsilon), log_expit(-epsilon))
            bets = np.bincount(record, minlength=last - first)
            # Each record's factors are added in the order of the models.
            sums = np.bincount(record, factor, minlength=last - first)
            found[first:last] = sums - bets * fine
        return found

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """First and last record of blocks of about `_AT_A_TIME` bets."""
        first, size = 0, self.starts.size - 1
        while first < size:
            last = int(np.searchsorted(self.starts, self.starts[first] + _AT_A_TIME, "right")) - 1
            last = min(max(last, first + 1), size)
            yield first, last
            first = last

    def log_wealth_on_grid(self, step: float, delta: float) -> Floats:
        """Logs of the e-values at ε = 0, step, 2 step, …, up to one without a bet, shape (G, K).

        Notes
        -----
        Of each record the sizes of the log-odds are sorted once. What is bet at ε are the largest
        of them, so that sums from the largest down have the wealth at all ε: with n₊ right and n₋
        wrong bets whose logs of probabilities add up to s, it is s − n₊ log p − n₋ log(1 − p) −
        (n₊ + n₋) log(1 + δe^{−ε}), p = e^ε/(1 + e^ε).
        """
        largest = float(np.abs(self.odds).max(initial=0.0))
        steps = int(largest / step) + 2
        epsilon = step * np.arange(steps)
        right, wrong = log_expit(epsilon), log_expit(-epsilon)
        fine = np.log1p(delta * np.exp(-epsilon))
        found = np.zeros((steps, self.starts.size - 1))
        for k in range(found.shape[1]):
            odds = self.odds[self.starts[k] : self.starts[k + 1]]
            odds = odds[np.argsort(-np.abs(odds), kind="stable")]
            # How many are larger than ε.
            bets = odds.size - np.searchsorted(np.abs(odds)[::-1], epsilon, "right")
            sums = np.append(0.0, np.cumsum(log_expit(odds)))[bets]
            wins = np.append(0, np.cumsum(odds > 0))[bets]
            found[:, k] = sums - wins * right - (bets - wins) * wrong - bets * fine
        return found
