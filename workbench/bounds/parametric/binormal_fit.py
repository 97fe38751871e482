"""`binormal_fit`: the likeliest μ by the ranks of scores, its interval, and whether one μ fits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import chdtrc, chdtri

from workbench import _checks
from workbench._format import percent, round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.estimators.binormal import IN_CELL, counts_in_cells
from workbench.scores.sample import Scores, require_scores

#: The method of the estimate, a key of `workbench.bounds.citations`.
METHOD = "GDP by likelihood"

#: p-values from here on say that no single μ describes the curve.
MISFIT = 0.05

#: The smallest p-value that is written out.
_LEAST_P = 0.001


@dataclass(frozen=True, eq=False, repr=False)
class BinormalFit:
    """The μ whose Gaussian trade-off curve is likeliest by the ranks of the scores.

    Attributes
    ----------
    scores : Scores
    mu : float
        At least 0: ``intercept``, or 0 where it is negative. Infinite for separated scores.
    intercept : float
        The likeliest line of slope 1 in probit coordinates, Φ⁻¹(TPR) = intercept + Φ⁻¹(FPR).
        Negative where members score lower than non-members.
    interval : (float, float)
        The μ ≥ 0 that a likelihood ratio test does not reject. Approximate: from the χ²
        approximation, and about the Gaussian curve closest to the truth where that is no Gaussian
        one.
    confidence : float
        Of the interval.
    slope : float, optional
        The slope of the likeliest line if it is free; 1 for a Gaussian pair, below 1 where
        members spread more than non-members. None where the scores do not tell it.
    deviance : float
        Twice the log-likelihood by which the relative frequencies exceed the fit.
    degrees : int
        Degrees of freedom of the deviance; 0 where there is nothing to test.
    p_value : float, optional
        Approximate probability of a deviance this large if one μ describes the whole curve. None
        where there is nothing to test.
    cells : int
        Number of cells in which the scores were counted.
    """

    scores: Scores
    mu: float
    intercept: float
    interval: tuple[float, float]
    confidence: float
    slope: float | None
    deviance: float
    degrees: int
    p_value: float | None
    cells: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def fits(self) -> bool:
        """False where a deviance this large has a probability below 5% if one μ is enough."""
        return self.p_value is None or self.p_value >= MISFIT

    @property
    def words(self) -> str:
        """Interval and quality of the fit, as the note of the estimate says them."""
        low, high = self.interval
        if self.cells < 2:
            return "All scores are equal and contain no information about μ."
        interval = (
            f"{percent(self.confidence)} interval {round_safely(low, 'down')} to "
            f"{round_safely(high, 'up')}, approximate"
        )
        slope = "" if self.slope is None else f", slope {self.slope:.2f}"
        if math.isinf(self.intercept):
            return f"{interval}; no threshold that was looked at has errors of both kinds."
        if self.p_value is None:
            return f"{interval}; too few scores, or too few different ones, to test the fit."
        p = f"p < {_LEAST_P}" if self.p_value < _LEAST_P else f"p = {self.p_value:.2g}"
        if self.fits:
            return f"{interval}; no sign against a single μ ({p}{slope})."
        return f"{interval}; no single μ describes these scores ({p}{slope})."

    @property
    def estimate(self) -> Bound:
        """μ as an estimate, with interval and quality of the fit as its note."""
        return Bound.of_scores(
            self.scores,
            self.mu,
            quantity="mu",
            guarantee="estimate",
            family="Gaussian",
            method=METHOD,
            note=self.words,
        )

    def __repr__(self) -> str:
        return f"BinormalFit(μ ≈ {round_safely(self.mu, 'nearest')}, {self.words} {self.scores!r})"

    def _repr_html_(self) -> str:
        low, high = self.interval
        rows: list[tuple[object, ...]] = [
            ("μ", f"≈ {self.mu:.4g}"),
            (f"{percent(self.confidence)} interval", f"{low:.4g} to {high:.4g} (approximate)"),
            ("slope, if it is free", "–" if self.slope is None else f"≈ {self.slope:.4g}"),
            (
                "deviance",
                f"{self.deviance:.4g} with {self.degrees} degrees of freedom in {self.cells} cells",
            ),
            ("p-value of the fit", "–" if self.p_value is None else f"{self.p_value:.3g}"),
            ("scores", f"{self.scores.n_p:,} + {self.scores.n_q:,}"),
        ]
        return table(
            "If the pair is Gaussian", rows, f"estimate · no guarantee · {self.scores.assumption}"
        )


def binormal_fit(scores: Scores, confidence: float = 0.95) -> BinormalFit:
    """The likeliest μ by the ranks of the scores, with an interval and a test of the fit.

    Parameters
    ----------
    scores : Scores
    confidence : float
        In (0.5, 1), of the interval.

    Returns
    -------
    BinormalFit

    Notes
    -----
    Guarantee: estimate; the interval and the p-value are approximate.

    The trade-off curve of Gaussian differential privacy is the line Φ⁻¹(TPR) = μ + Φ⁻¹(FPR). The
    pooled scores are cut at equal distances of their ranks, one cell for 10 scores and from 4 to 20
    cells, without parting equal scores. The counts in the cells are ordinal data, whose likelihood
    is maximized over μ and all cuts together. Only ranks enter, so that an increasing function of
    the score changes nothing. The interval has the μ that a likelihood ratio test with slope 1 does
    not reject. The p-value is that of the deviance from the relative frequencies, with k − 2
    degrees of freedom for k cells: a slope that differs from 1, curvature, and any other shape
    count. Both assume that the scores are independent.

    Where no cut has errors of both kinds, up to 320 cells are tried; μ is infinite if that does not
    help. Where all scores are equal it is 0, with the interval (0, ∞).

    References
    ----------
    D. D. Dorfman and E. Alf, J. Math. Psychol. 6 (1969), the likelihood of ordinal categories;
    C. E. Metz, B. A. Herman and J.-H. Shen, Statistics in Medicine 17 (1998), categories from the
    ranks of continuous scores; J. Dong, A. Roth and W. Su, J. R. Stat. Soc. B 84 (2022), the curve.

    Examples
    --------
    >>> fit = wb.binormal_fit(wb.GaussianPair(1).sample(1000, seed=0))
    >>> fit.interval[0] < 1 < fit.interval[1], fit.fits
    (True, True)
    >>> wb.binormal_fit(wb.SubsampledGaussianPair(0.25, 0.3).sample(1000, seed=0)).fits
    False
    """
    require_scores(scores)
    confidence = _checks.confidence(confidence)
    counts = counts_in_cells(scores)
    best = counts.best
    low, high = counts.interval(float(chdtri(1, 1 - confidence)))
    deviance = max(2 * (counts.saturated - best.log_likelihood), 0.0)
    enough = scores.n_p + scores.n_q >= IN_CELL * counts.cells and math.isfinite(best.mu)
    degrees = max(counts.cells - 2, 0) if enough else 0
    return BinormalFit(
        scores=scores,
        mu=max(best.mu, 0.0),
        intercept=best.mu,
        interval=(max(low, 0.0), max(high, 0.0)),
        confidence=confidence,
        slope=counts.slope,
        deviance=deviance,
        degrees=degrees,
        p_value=float(chdtrc(degrees, deviance)) if degrees else None,
        cells=counts.cells,
    )
