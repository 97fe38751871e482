"""Limits from the error rate per canary, for independent canaries (Xiang, Wang and Wang 2025).

A canary's coin is a bit sent through the mechanism, and the mechanism limits its error.

If the n bits do not influence each other, each is decoded wrongly with probability at least
p_f = (1 − TV_f)/2, so the number of errors is stochastically at least binomial, and an upper
confidence limit for its mean refutes every f with a larger p_f. The exact binomial limit is that of
Clopper and Pearson; the paper finds it by bisection (Algorithm 3), and a wider one by Hoeffding's
inequality (eq. 24).

The paper prints the bit error as h⁻¹(1 − u_f(½)), by Fano's inequality from the mutual information

    u_f(p) = max_x { h(p f(x) + (1−p)(1−x)) − p h(f(x)) − (1−p) h(1−x) }   (eq. 17)

with h the binary entropy. That is never larger than (1 − TV_f)/2, which is used here: the printed
value refutes less, or the same where the maximum is at x = f(x).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrik, entr, ndtr, ndtri, xlog1py

from workbench import _checks
from workbench._format import round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench._roots import turning_point
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.curves.validation import Floats, Values, rates, shaped
from workbench.pairs.families.base import Family

if TYPE_CHECKING:
    import pandas as pd

#: What `BitErrorCurves` have for each member.
_OF_MEMBERS = ("leak", "direct", "printed")


@runtime_checkable
class HasTradeoff(Protocol):
    """What mutual information follows from: a pair, or a trade-off function that is known."""

    @property
    def total_variation(self) -> float:
        """Total variation distance of the two distributions."""

    def tradeoff(self, alpha: Any) -> Any:
        """f(α)."""


def exact_limit(errors: int, n: int, error: float) -> float:
    """Clopper and Pearson's upper limit for the mean bit error.

    Parameters
    ----------
    errors, n : int
    error : float
        One minus the confidence.

    References
    ----------
    Clopper & Pearson (1934); Xiang, Wang and Wang (2025), Algorithm 3.
    """
    return float(clopper_pearson_upper(errors, n, error))


def hoeffding_limit(errors: int, n: int, error: float) -> float:
    """Hoeffding's upper limit for the mean bit error (Xiang et al. 2025, eq. 24), at most 1.

    Parameters
    ----------
    errors, n : int
    error : float
        One minus the confidence.
    """
    return min(errors / n + math.sqrt(-math.log(error) / (2 * n)), 1.0)


# -- mutual information ---------------------------------------------------------------------------


@_checks.arguments
def mutual_information(pair: HasTradeoff, prior: ArrayLike) -> Values:
    """Mutual information u_f(p): the most bits that a guess can have about a coin of bias p.

    Parameters
    ----------
    pair : Pair
        Or anything else with ``tradeoff(alpha)`` and ``total_variation``.
    prior : array_like
        The probability p of being in, in [0, 1].

    Returns
    -------
    float or ndarray, the shape of ``prior``
        From a grid refined twice; 1e-9 below the maximum at most for a smooth f, and exact for
        randomized response, whose corners are on the grid.

    References
    ----------
    Xiang, Wang and Wang (2025), *Privacy Audit as Bits Transmission*, Theorem 2.
    """
    p = rates(prior, "prior")
    flat = p.reshape(-1, 1)
    corner = float(pair.tradeoff(0.0))
    middle = (1 - pair.total_variation) / 2
    x = np.unique(np.r_[ndtr(np.linspace(-9, 9, 1201)), 0.0, 1.0, corner, middle])[None]
    most = np.zeros(flat.size)
    for _ in range(3):
        values = _information(x, np.asarray(pair.tradeoff(x)), flat)
        best = np.argmax(values, axis=1)
        most = np.maximum(most, values.max(axis=1))
        # Next, between the best point's neighbors, in the scale that shows small rates.
        low, high = (
            np.clip(ndtri(np.take_along_axis(x, np.clip(k, 0, x.shape[1] - 1)[:, None], 1)), -9, 9)
            for k in (best - 1, best + 1)
        )
        x = ndtr(low + (high - low) * np.linspace(0, 1, 33))
    return shaped(most.reshape(p.shape))


@_checks.arguments
def printed_bit_error(pair: HasTradeoff) -> float:
    """Bit error limit h⁻¹(1 − u_f(½)) of Xiang et al. (2025, eq. 19), at most (1 − TV_f)/2.

    Parameters
    ----------
    pair : Pair
        Or anything else with ``tradeoff(alpha)`` and ``total_variation``.
    """
    target = 1 - float(mutual_information(pair, 0.5))
    below, _ = turning_point(lambda p: _entropy(p) >= target, 0.0, 0.5)
    return float(below)


def _information(x: Floats, f: Floats, prior: Floats) -> Floats:
    """Mutual information of coin and guess at the error rates (x, f), in bits."""
    guessed_out = prior * f + (1 - prior) * (1 - x)
    bits = _entropy(guessed_out) - prior * _entropy(f) - (1 - prior) * _entropy(x)
    return np.maximum(bits, 0.0)


def _entropy(p: ArrayLike) -> Floats:
    """Binary entropy in bits."""
    p = np.asarray(p, dtype=float)
    return (entr(p) - xlog1py(1 - p, -p)) / math.log(2)


# -- data of the charts ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BitErrorCurves:
    """Bit error limits and mutual information of members of a family (Xiang et al. 2025, Fig. 3).

    Attributes
    ----------
    family : Family
    leak : ndarray, shape (k,)
    direct : ndarray, shape (k,)
        (1 − TV)/2, the one used.
    printed : ndarray, shape (k,)
        h⁻¹(1 − u_f(½)), never larger.
    prior : ndarray, shape (j,)
        Probabilities of being in.
    information : ndarray, shape (k, j)
        u_f(p) in bits.
    """

    family: Family
    leak: Floats
    direct: Floats
    printed: Floats
    prior: Floats
    information: Floats

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        if self.information.shape != (self.leak.size, self.prior.size):
            raise ValueError(
                "information must have a row for each of leak and a column for each of prior, got "
                f"shape {self.information.shape}"
            )

    def to_frame(self) -> pd.DataFrame:
        """One row for each member and prior: leak, direct, printed, prior, information."""
        import pandas as pd

        members, priors = self.leak.size, self.prior.size
        columns = {name: np.repeat(getattr(self, name), priors) for name in _OF_MEMBERS}
        more = {"prior": np.tile(self.prior, members), "information": self.information.ravel()}
        return pd.DataFrame(columns | more)

    def _repr_html_(self) -> str:
        rows = [("members", self.leak.size), ("priors", self.prior.size)]
        return beside(table("Bit error and information", rows), self)


@_checks.arguments
def bit_error_curves(family: Family, leak: ArrayLike, prior: ArrayLike = 0.5) -> BitErrorCurves:
    """Direct and printed bit error limits, and u_f(p), of members of a family.

    Parameters
    ----------
    family : Family
    leak : array_like
        Above 0.
    prior : array_like
        Probabilities p at which u_f is computed.

    References
    ----------
    Xiang, Wang and Wang (2025), eq. 17.
    """
    leaks = np.atleast_1d(_checks.array(leak, "leak"))
    for value in leaks:
        _checks.positive(value, "leak")
    priors = np.atleast_1d(rates(prior, "prior"))
    pairs = [family.pair(float(value)) for value in leaks]
    return BitErrorCurves(
        family=family,
        leak=leaks,
        direct=np.array([family.bit_error(float(value)) for value in leaks]),
        printed=np.array([printed_bit_error(pair) for pair in pairs]),
        prior=priors,
        information=np.array([mutual_information(pair, priors) for pair in pairs]),
    )


@dataclass(frozen=True, eq=False)
class HypotheticalLimits:
    """Assumed and implied ε against a hypothetical bit error (Xiang et al. 2025, Fig. 4).

    If the bit error were p, ε would be ``assumed``. But with v(p) = p − F⁻¹(1 − γ; n, p)/n, what
    e errors in n then allow is a bit error up to e/n + v(p), and with it ε down to ``followed``.
    Left of ``limit`` the assumed ε is the larger, a contradiction: p was assumed too small. That
    limit is Clopper and Pearson's.

    Attributes
    ----------
    bit_error : ndarray, shape (k,)
        Hypothetical p.
    assumed, followed : ndarray, shape (k,)
        ε(δ) at p, and at e/n + v(p).
    hoeffding, exact : float
        ε(δ) by the two limits.
    limit : float
        The p where the contradiction ends.
    """

    bit_error: Floats
    assumed: Floats
    followed: Floats
    hoeffding: float
    exact: float
    limit: float

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    def _repr_html_(self) -> str:
        rows = [
            ("by the exact limit", f"ε ≥ {round_safely(self.exact, 'down')}"),
            ("by Hoeffding's", f"ε ≥ {round_safely(self.hoeffding, 'down')}"),
        ]
        return beside(table("Hypothetical bit errors", rows), self)


@_checks.arguments
def hypothetical_limits(
    family: Family,
    *,
    canaries: int,
    correct: int,
    delta: float,
    confidence: float = 0.95,
    bit_error: ArrayLike | None = None,
) -> HypotheticalLimits:
    """Curves that show how the exact limit arises, for n bits of which ``correct`` were decoded.

    Parameters
    ----------
    family : Family
    canaries, correct : int
    delta, confidence : float
    bit_error : array_like, optional
        Hypothetical values in (0, ½); by default 200 around the limits.
    """
    n = _checks.count(canaries, "canaries", least=1)
    errors = n - _checks.count(correct, "correct")
    if errors < 0:
        raise ValueError(f"correct must be at most the {n} canaries, got {correct!r}")
    level = 1 - _checks.confidence(confidence)
    delta = _checks.delta(delta)
    exact, wide = exact_limit(errors, n, level), hoeffding_limit(errors, n, level)
    if bit_error is None:
        reach = 1.5 * (wide - errors / n)
        ends = errors / n - reach, errors / n + reach
        bit_error = np.linspace(max(ends[0], 0.2 / n), min(ends[1], 0.499), 200)
    p = np.atleast_1d(rates(bit_error, "bit_error"))

    followed = np.clip(errors / n + p - _quantile(level, n, p) / n, 0.0, 0.5)
    asked = np.concatenate([p, followed, [min(wide, 0.5), min(exact, 0.5)]])
    leaks = np.array([family.parameter_of_bit_error(x) for x in asked.tolist()])
    epsilon = family.epsilons(leaks, delta)
    return HypotheticalLimits(
        bit_error=p,
        assumed=epsilon[: p.size],
        followed=epsilon[p.size : -2],
        hoeffding=float(epsilon[-2]),
        exact=float(epsilon[-1]),
        limit=exact,
    )


def _quantile(level: float, n: int, p: Floats) -> Floats:
    """The smallest k with P[Binomial(n, p) ≤ k] ≥ ``level``."""
    # bdtrik interpolates between whole numbers; the answer is next to where it ends.
    near = np.floor(np.nan_to_num(bdtrik(level, n, p))) + np.arange(-1.0, 4.0)[:, None]
    near = np.clip(near, 0, n)
    first = np.argmax(bdtr(near, n, p) >= level, axis=0)
    return near[first, np.arange(p.size)]
