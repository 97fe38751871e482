"""Which of two samples a third one is closer to: a test of distances, with its level.

The distance of two laws is the largest difference of their distribution functions (Kolmogorov's),
which is that of the best threshold test. With radii r of the three samples, such that each
empirical distribution function is within r of its law, at all thresholds, but with a third of the
error probability, both distances are known to within the sum of two radii at once; so is their
difference, to within r_b + r_c + 2 r_a. It does not matter whether the samples are independent of
each other. r is the exact quantile of Kolmogorov's statistic, and holds for laws with atoms too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, plain
from workbench._frames import to_frame

#: What the test may say.
CLOSER = ("closer to retrained", "closer to original", "undecided")


@dataclass(frozen=True)
class RelativeDistance:
    """Whether a model that unlearned is closer to the retrained or to the original one.

    Attributes
    ----------
    to_retrained, to_original : float
        Largest differences of the empirical distribution functions.
    margin : float
        How far the difference of the two may be from that of the laws.
    confidence : float
    verdict : {"closer to retrained", "closer to original", "undecided"}
    """

    to_retrained: float
    to_original: float
    margin: float
    confidence: float
    verdict: str

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.verdict, "verdict", CLOSER)

    def explain(self) -> str:
        """The finding in a sentence."""
        apart = (
            f"scores differ by {plain(round(self.to_retrained, 3))} from those of the retrained "
            f"model and by {plain(round(self.to_original, 3))} from those of the original one, "
            "each at the threshold where they differ most"
        )
        if self.verdict == "undecided":
            return (
                f"Which of the two the model is closer to is undecided: {apart}; the difference of "
                f"the two would have to exceed {plain(round(self.margin, 3))}."
            )
        return f"With {percent(self.confidence)} confidence the model is {self.verdict}: {apart}."


def relative_distance(
    original: NDArray[np.float64],
    unlearned: NDArray[np.float64],
    retrained: NDArray[np.float64],
    confidence: float,
) -> RelativeDistance:
    """Whether scores are closer to those of the retrained or of the original model.

    Parameters
    ----------
    original, unlearned, retrained : ndarray, shape (n,), (m,), (k,)
    confidence : float

    References
    ----------
    Kolmogorov (1933) and, for its finite quantiles, Massart (1990). The question is that of the
    relative test of Ribero, Schrab and Gretton (2026), arXiv 2601.19755, whose statistic is a
    regularized f-divergence.
    """
    error = (1 - confidence) / 3
    radii = [radius(one.size, error) for one in (original, unlearned, retrained)]
    near, far = distance(unlearned, retrained), distance(unlearned, original)
    margin = radii[0] + 2 * radii[1] + radii[2]
    which = 0 if far - near > margin else 1 if near - far > margin else 2
    return RelativeDistance(near, far, margin, confidence, CLOSER[which])


def radius(n: int, error: float) -> float:
    """How far the empirical distribution function of n draws is from the law, at most.

    Parameters
    ----------
    n : int
    error : float
        With which probability it is further, at most.
    """
    from scipy.stats import kstwo

    return float(kstwo.isf(error, n))


def distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The largest difference of two empirical distribution functions."""
    at = np.concatenate([a, b])
    shares = [np.searchsorted(np.sort(one), at, "right") / one.size for one in (a, b)]
    return float(np.abs(shares[0] - shares[1]).max())
