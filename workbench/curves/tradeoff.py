"""`TradeoffCurve`: a piecewise-linear trade-off function, its profile, ε, TV and μ.

α is the false positive rate Q(reject), β = f(α) the smallest false negative rate P(accept). With
this orientation (Dong, Roth and Su 2022, Prop. 2.12)::

    H_{e^ε}(P‖Q) = sup_α {1 − f(α) − e^ε α}        H_{e^ε}(Q‖P) = sup_α {1 − α − e^ε f(α)}

and the suprema of a piecewise-linear f lie on its vertices, where its slope passes −e^ε, −e^−ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from workbench import _checks
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.curves.error_rates import epsilon_of_point as epsilon_of_point
from workbench.curves.error_rates import mu_of_point as mu_of_point
from workbench.curves.validation import (
    DIRECTIONS,
    Floats,
    Values,
    deltas,
    finite,
    inner_rates,
    non_negative,
    rates,
    reals,
    shaped,
)
from workbench.software.private_names import isotonic_blocks

# Round-off that curves from sums of a few thousand terms may carry.
_CURVE_ROUND_OFF = 1e-12

# The slopes of smaller positive rates would overflow.
_SMALLEST_RATE = 1e-290


@dataclass(frozen=True, eq=False, repr=False)
class TradeoffCurve:
    """Piecewise-linear trade-off function.

    Parameters
    ----------
    alpha : array_like, shape (k,)
        False positive rates of the vertices, strictly increasing from 0 to 1.
    beta : array_like, shape (k,)
        False negative rates there: convex in ``alpha`` and 0 at the end, both up to 1e-12; hence
        non-increasing and at most 1 − α. At α = 0 it may be below 1.

    Raises
    ------
    ValueError
        Vertices that do not form a trade-off function. For points that merely lie on or above one,
        use :meth:`hull`.

    Notes
    -----
    The curve need not be symmetric. ``tradeoff(alpha)``, ``profile``, ``epsilon``,
    ``total_variation`` and ``gdp_mu`` cover both directions, ``hockey_stick`` and ``local_mu`` one.

    Examples
    --------
    >>> curve = wb.TradeoffCurve([0, 0.2, 1], [1, 0.3, 0])
    >>> curve.total_variation
    0.5
    """

    alpha: Floats
    beta: Floats

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        alpha, beta = rates(self.alpha, "alpha").copy(), rates(self.beta, "beta").copy()
        if alpha.ndim != 1 or alpha.shape != beta.shape or alpha.size < 2:
            raise ValueError(
                f"alpha and beta must be 1-d and of one length of at least 2, got shapes "
                f"{alpha.shape} and {beta.shape}; give one beta an alpha"
            )
        if alpha[0] != 0 or alpha[-1] != 1:
            raise ValueError(
                f"alpha must run from 0 to 1, got {alpha[0]:g} to {alpha[-1]:g}; "
                "TradeoffCurve.hull adds the ends"
            )
        if (np.diff(alpha) <= 0).any():
            i = int(np.argmax(np.diff(alpha) <= 0))
            raise ValueError(
                f"alpha must be strictly increasing, got {alpha[i]:g} before {alpha[i + 1]:g}; "
                "TradeoffCurve.hull sorts points"
            )
        if alpha[1] < _SMALLEST_RATE:
            raise ValueError(
                f"alpha must not lie between 0 and {_SMALLEST_RATE:g}, got {alpha[1]:g}; "
                "TradeoffCurve.hull raises it"
            )
        if beta[-1] > _CURVE_ROUND_OFF:
            raise ValueError(
                f"beta must end at 0, got {beta[-1]:g} at alpha = 1; "
                "give false negative rates, 1 − TPR"
            )
        for array in (alpha, beta):
            array.flags.writeable = False
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "beta", beta)
        x, y, _ = self._hull_vertices
        excess = beta - np.interp(alpha, x, y)
        i = int(np.argmax(excess))
        if excess[i] > _CURVE_ROUND_OFF:
            raise ValueError(
                f"the curve must be convex, got beta = {beta[i]:g} at alpha = {alpha[i]:g}, which "
                f"is {excess[i]:.3g} above a chord; TradeoffCurve.hull takes the convex hull"
            )

    def __repr__(self) -> str:
        return f"TradeoffCurve({self.alpha.size} vertices, TV {self.total_variation:.4g})"

    def _repr_html_(self) -> str:
        at = (0.01, 0.1, 0.5)
        rows = [("vertices", self.alpha.size), ("total variation", f"{self.total_variation:.4g}")]
        rows += [(f"f({alpha:g})", f"{self.tradeoff(alpha):.4g}") for alpha in at]
        return beside(table("Trade-off curve", rows), self)

    # -- where curves come from -----------------------------------------------------------------

    @classmethod
    def hull(cls, alpha: ArrayLike, beta: ArrayLike) -> TradeoffCurve:
        """Lower convex hull of points that lie on or above a trade-off function.

        Parameters
        ----------
        alpha, beta : array_like, shape (k,)
            False positive and false negative rates of any tests, in any order; (0, 1) and (1, 0),
            the tests that need no data, are added, so that the hull is at most 1 − x.

        Returns
        -------
        TradeoffCurve
            Its vertices are points given. It lies on or above every trade-off function that the
            points lie on or above: their mixtures are tests too.

        Raises
        ------
        ValueError
            A rate outside [0, 1], or two lengths.

        Notes
        -----
        O(k log k) for the sort, then O(k) in compiled code: the slopes of the hull are the
        isotonic regression of the slopes between neighbors. Rates between 0 and 1e-290 are raised
        to 1e-290, which keeps the points on the same side of the trade-off function.
        """
        x, y = rates(alpha, "alpha").ravel(), rates(beta, "beta").ravel()
        if x.size != y.size:
            raise ValueError(
                f"alpha and beta must have one length, got {x.size} and {y.size}; "
                "give one false negative rate a false positive rate"
            )
        x, y = (np.where((r > 0) & (r < _SMALLEST_RATE), _SMALLEST_RATE, r) for r in (x, y))
        x, y = _lowest_at_each(np.r_[0.0, x, 1.0], np.r_[1.0, y, 0.0])
        vertices = _lower_hull(x, y)
        return cls(x[vertices], y[vertices])

    @classmethod
    def from_profile(cls, epsilon: ArrayLike, delta: ArrayLike) -> TradeoffCurve:
        """Trade-off function of a privacy profile given at some ε.

        f(x) = sup over the given ε of max{0, 1−δ(ε)−e^ε x, e^−ε (1−δ(ε)−x)}.

        Parameters
        ----------
        epsilon : array_like, shape (k,)
            At least 0 and at most 700, in any order.
        delta : array_like, shape (k,)
            The profile there, in [0, 1].

        Returns
        -------
        TradeoffCurve
            Symmetric, with at most 2k + 1 vertices and these lines exactly. Between the ε given
            the profile is not known, so the curve lies on or below the true one, and equals it in
            the limit of a fine grid that reaches far enough.

        Raises
        ------
        ValueError
            No points, two lengths, an ε or a δ outside its range.
        """
        e = finite(epsilon, "epsilon").ravel()
        e = non_negative(e, "epsilon", "a symmetric profile is known from ε ≥ 0").copy()
        d = rates(delta, "delta").ravel()
        if e.size != d.size or e.size == 0:
            raise ValueError(
                f"epsilon and delta must have one length of at least 1, got {e.size} and {d.size}; "
                "give one δ an ε"
            )
        if e.max() > 700:
            raise ValueError(f"epsilon must be at most 700, got {e.max():g}; shorten the grid")
        slope, d = _lowest_at_each(np.exp(e), d)
        # Lines above all others are the lower hull of (e^ε, δ); neighbors meet at −Δδ/Δe^ε.
        line = _lower_hull(slope, d)
        line = line[: np.argmin(d[line]) + 1]
        meet = -np.diff(d[line]) / np.diff(slope[line])
        height = 1 - d[line][:-1] - slope[line][:-1] * meet
        # Steep lines hold left of the diagonal, their mirror images right of it.
        diagonal = float(np.max((1 - d) / (1 + slope)))
        steep = (meet < diagonal) & (height > diagonal)
        x = np.r_[0.0, meet[steep], diagonal]
        y = np.r_[1 - d.min(), height[steep], diagonal]
        return cls.hull(np.r_[x, y], np.r_[y, x])

    def symmetrized(self) -> TradeoffCurve:
        """Lower convex hull of the curve and its mirror image; it is its own inverse."""
        return self._symmetric

    # -- what follows from a curve --------------------------------------------------------------

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Values:
        """Smallest false negative rate at false positive rate α.

        Parameters
        ----------
        alpha : array_like
            In [0, 1].
        symmetric : bool
            The symmetrized curve; False is the curve itself.

        Returns
        -------
        float or ndarray, the shape of ``alpha``
        """
        curve = self._symmetric if symmetric else self
        return shaped(np.interp(rates(alpha, "alpha"), curve.alpha, curve.beta))

    def hockey_stick(self, epsilon: ArrayLike, direction: str = "P‖Q") -> Values:
        """Hockey-stick divergence H_{e^ε}(P‖Q), or H_{e^ε}(Q‖P).

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.
        direction : {"P‖Q", "Q‖P"}

        Returns
        -------
        float or ndarray, the shape of ``epsilon``
            In [0, 1]; round-off below 0 is set to 0.
        """
        _checks.one_of(direction, "direction", DIRECTIONS)
        e = reals(epsilon, "epsilon")
        x, y, log_steepness = self._hull_vertices
        forward = direction == "P‖Q"
        # The optimum is where the segments stop being steeper than e^ε (or e^−ε).
        best = np.searchsorted(-log_steepness, -e if forward else e)
        gain, cost = (1 - y[best], x[best]) if forward else (1 - x[best], y[best])
        # e^ε · cost ≤ 1 at the optimum, while e^ε alone may overflow.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            weighted = np.where(cost > 0, np.exp(e + np.log(cost)), 0.0)
        return shaped(np.clip(gain - weighted, 0.0, 1.0))

    def profile(self, epsilon: ArrayLike) -> Values:
        """Privacy profile δ(ε), the larger of the two directions' hockey-stick divergences.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.

        Returns
        -------
        float or ndarray, the shape of ``epsilon``
        """
        # The hull of the curve and its mirror image would say the same, and take longer to make.
        return shaped(
            np.maximum(self.hockey_stick(epsilon, "P‖Q"), self.hockey_stick(epsilon, "Q‖P"))
        )

    def epsilon(self, delta: ArrayLike) -> Values:
        """Smallest ε ≥ 0 with profile(ε) ≤ δ.

        Parameters
        ----------
        delta : array_like
            In [0, 1).

        Returns
        -------
        float or ndarray, the shape of ``delta``
            ``inf`` where δ is below 1 − f(0), the mass of P where Q has none.
        """
        d = deltas(delta)
        x, y, log_steepness = self._symmetric._hull_vertices
        # The profile at each segment's own steepness; between two of them one vertex is optimal.
        with np.errstate(divide="ignore"):
            at_segments = 1 - y[1:] - np.exp(log_steepness + np.log(x[1:]))
        at_segments[0] = 1 - y[0]
        best = np.searchsorted(np.maximum.accumulate(at_segments), d, side="right")
        return epsilon_of_point(x[best], y[best], d)

    @property
    def total_variation(self) -> float:
        """Total variation sup_E |P(E) − Q(E)|, the membership advantage."""
        return float(np.max(1 - self.alpha - self.beta))

    def local_mu(self, alpha: ArrayLike) -> Values:
        """Local μ, Φ⁻¹(1−α) − Φ⁻¹(f(α)), of the curve itself (not symmetrized).

        Parameters
        ----------
        alpha : array_like
            Strictly between 0 and 1.

        Returns
        -------
        float or ndarray, the shape of ``alpha``
            ``inf`` where f(α) = 0.
        """
        a = inner_rates(alpha, "alpha")
        tpr, fnr = np.interp(a, self.alpha, 1 - self.beta), np.interp(a, self.alpha, self.beta)
        return shaped(np.where(tpr < fnr, ndtri(tpr), -ndtri(fnr)) - ndtri(a))

    def gdp_mu(self, floor: float = 1e-6) -> float:
        """Largest local μ over the symmetrized curve's points with both rates ≥ ``floor``.

        Parameters
        ----------
        floor : float
            Strictly between 0 and 1; the result depends on it.

        Returns
        -------
        float
            A μ below which the pair is not GDP. Where the whole curve lies below the floor in one
            rate or the other, the rates count as the floor: 2Φ⁻¹(1 − floor).

        Notes
        -----
        {β ≥ G_μ(α)} is convex, so on a segment the largest μ is at an end. Raising rates below the
        floor to it changes nothing as long as some point is above it: f is decreasing.
        """
        floor = _checks.open_unit(floor, "floor")
        # f has an inverse where it is positive, which is where a floor can cut it.
        curve = self._symmetric
        cut = np.interp(floor, curve.beta[::-1], curve.alpha[::-1])
        alpha = np.maximum(np.r_[curve.alpha, cut], floor)
        alpha = alpha[alpha < 1]
        mu = np.minimum(curve.local_mu(alpha), -ndtri(alpha) - ndtri(floor))
        return max(float(mu.max()), 0.0)

    # -- computed once ----------------------------------------------------------------------------

    @cached_property
    def _symmetric(self) -> TradeoffCurve:
        x, y = self.alpha, self.beta
        return TradeoffCurve.hull(np.r_[x, y], np.r_[y, x])

    @cached_property
    def _hull_vertices(self) -> tuple[Floats, Floats, Floats]:
        """Vertices without those above a chord by round-off; log of −slope, non-increasing."""
        vertices = _lower_hull(self.alpha, self.beta)
        x, y = self.alpha[vertices], self.beta[vertices]
        with np.errstate(divide="ignore"):
            log_steepness = np.log(np.maximum(-np.diff(y), 0.0)) - np.log(np.diff(x))
        return x, y, np.minimum.accumulate(log_steepness)


def _lowest_at_each(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points sorted by x, the lowest y at each."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    lowest = np.r_[True, x[1:] > x[:-1]]
    return x[lowest], y[lowest]


def _lower_hull(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Indices of the vertices of the lower convex hull; x strictly increasing."""
    if x.size < 3:
        return np.arange(x.size)
    width = np.diff(x)
    return isotonic_blocks(np.diff(y) / width, width)
