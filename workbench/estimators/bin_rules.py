"""Data-driven bins for histograms of two samples.

Bins of equal pooled probability (`quantile_edges`), about n^{1/3} of them, are the same for a score
and for any increasing function of it, as the divergences are that a histogram estimates. The other
rules give a width in the unit of the score. With bins of width h, the integrated mean squared error
of both densities is about

    1/(n_p h) + 1/(n_q h) + (h²/12)·(∫P'² + ∫Q'²),

which is smallest at h = (6·(1/n_p + 1/n_q) / (∫P'² + ∫Q'²))^{1/3}. Scott's rule takes the ∫f'² of a
normal density, the plug-in rules a kernel estimate; the Freedman–Diaconis rule and Knuth's rule do
not rest on this formula.

Limits for bins fixed in advance do not hold with these bins, which depend on the scores. Where a
rule for a width finds no spread (more than half of a group on one value), the width is the
twentieth part of the range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores.ordered import OrderedGroup
from workbench.scores.sample import Scores

#: Mass in each tail outside the default range; it falls into the open outer bins.
RANGE_TAIL = 0.001

#: Cells on the range in which scores are counted for the plug-in rules and Knuth's rule.
GRID_CELLS = 2**13

#: Largest number of bins that Knuth's rule considers, in steps of 2%.
MOST_KNUTH_BINS = 1000

_FALLBACK_BINS = 20

#: Where the kernel estimate looks: the ends of its cells, and the quartiles for its scale.
_SPAN = np.array([RANGE_TAIL, 0.25, 0.75, 1 - RANGE_TAIL])


def bin_width(scores: Scores, rule: str) -> float:
    """Bin width by a rule, computed once for each set of scores.

    Parameters
    ----------
    scores : Scores
    rule : {"scott", "fd", "plugin", "wand", "knuth"}

    Returns
    -------
    float
        In score units, above 0.

    Raises
    ------
    ValueError
        An unknown rule, or too few finite scores for it.
    """
    width_of = WIDTH_RULES[_checks.one_of(rule, "rule", WIDTH_RULES)]
    known: dict[str, float] = scores.results.setdefault("bin widths", {})
    if rule not in known:
        known[rule] = width_of(scores)
    return known[rule]


def quantile_bins(scores: Scores) -> int:
    """Number of bins of equal probability: n^{1/3}, n the smaller sample size, rounded up to even.

    The noise of the estimated total variation grows as √(k/n), what coarse bins lose falls as 1/k²
    or faster; n^{1/3} is near the best of n^{1/3}/√2 … 2n^{1/3} from 50 scores a group on. An even
    number has a bin edge at the median, where two separate groups of one size meet.
    """
    bins = math.ceil(min(scores.n_p, scores.n_q) ** (1 / 3) - 1e-9)  # 64^{1/3} may exceed 4
    return bins + bins % 2


def quantile_edges(
    scores: Scores, bins: int, range: tuple[float, float] | None = None
) -> NDArray[np.float64]:
    """Edges of bins of equal pooled probability; a value that fills a bin has one of its own.

    Parameters
    ----------
    scores : Scores
    bins : int
        At least 1; fewer come out where scores are tied.
    range : pair of float, optional
        The outer edges, beyond which no cut lies. Default: those of `default_range`, or farther
        out where an outer bin lies there.

    Returns
    -------
    ndarray, shape (at most 2·bins,)
        Strictly increasing.
    """
    at = scores.quantile(np.linspace(0, 1, bins + 1))
    full = np.unique(at[:-1][at[:-1] == at[1:]])
    pooled = scores.samples.pooled
    after = pooled.up_to(full)
    behind = np.asarray(pooled.at(after[after < pooled.size]))
    cuts = np.unique(np.concatenate([at[1:-1], behind]))
    cuts = cuts[cuts > at[0]]
    low, high = default_range(scores) if range is None else range
    if range is not None:
        cuts = cuts[(cuts > low) & (cuts < high)]
    elif cuts.size:
        first, last = float(cuts[0]), float(cuts[-1])
        low = low if low < first else float(at[0])
        high = high if high > last else float(at[-1])
        if high == last:  # the largest value fills a bin: one as wide as the others on average
            high = max(last + (last - low) / cuts.size, math.nextafter(last, math.inf))
    return np.concatenate([[low], cuts, [high]])


def scott_width(scores: Scores) -> float:
    """Bin width by Scott's rule, h = 2·3^{1/3}·π^{1/6}·σ̂·n^{−1/3} ≈ 3.49 σ̂ n^{−1/3} .

    σ̂ is pooled from both groups: of each the standard deviation of its finite scores or IQR/1.349,
    whichever is smaller, since one outlier may move the first as far as it likes. n is the smaller
    sample size. At most 2¹³ bins, as of all rules.
    """
    sides = _finite_sides(scores)
    n = _smaller_side(*(x.size for x in sides))
    unit = float(np.abs(scores.quantile([0, 1])).max()) or 1.0  # so that no square overflows
    total = 0.0
    for moments, x in zip(scores.samples.moments(unit), sides, strict=True):
        total += min(math.sqrt(moments.variance), _normal_scale(_span(x)) / unit) ** 2 * x.size
    sigma = unit * math.sqrt(total / sum(x.size for x in sides))
    return _resolved(2 * 3 ** (1 / 3) * math.pi ** (1 / 6) * sigma * n ** (-1 / 3), scores)


def freedman_diaconis_width(scores: Scores) -> float:
    """Bin width by the Freedman–Diaconis rule, h = 2·IQR·n^{−1/3}.

    IQR is that of the pooled scores, n the smaller sample size. At most 2¹³ bins.
    """
    quartiles = scores.quantile([0.25, 0.75])
    n = min(scores.n_p, scores.n_q)
    return _resolved(2 * float(quartiles[1] - quartiles[0]) * n ** (-1 / 3), scores)


def plugin_width(scores: Scores) -> float:
    """Bin width of least mean squared error, with a kernel estimate of each group's ∫f'².

    h = (6·(1/n_p + 1/n_q) / (∫P'² + ∫Q'²))^{1/3}, which is (12/(∫P'² + ∫Q'²))^{1/3} n^{−1/3} for
    two groups of n; the integrals by `squared_slope` from each group's finite scores. At most 2¹³
    bins on the default range, which is the resolution of the counts behind the estimate.
    """
    sides = _finite_sides(scores)
    _smaller_side(*(x.size for x in sides))
    lengths = [_slope_length(_span(x), x.below, x.size) for x in sides]
    least = min(lengths)
    if least > 0:  # in units of the least, so that no cube overflows
        slopes = sum((least / length) ** 3 for length in lengths)
        least *= (6 * sum(1 / x.size for x in sides) / slopes) ** (1 / 3)
    return _resolved(least, scores)


def wand_width(scores: Scores) -> float:
    """Bin width by Wand's two-stage rule, h = (6/(n ∫f'²))^{1/3}, f the pooled density.

    ∫f'² by `squared_slope`; n is the smaller sample size, since each group has its own histogram.
    At most 2¹³ bins, as in `plugin_width`.

    References
    ----------
    M. P. Wand, "Data-based choice of histogram bin width", The American Statistician 51 (1997).
    """
    sizes = [x.size for x in _finite_sides(scores)]
    n = _smaller_side(*sizes)
    length = _slope_length(
        scores.quantile(_SPAN), lambda x: np.sum(scores.samples.below_counts(x), axis=0), sum(sizes)
    )
    return _resolved((6 / n) ** (1 / 3) * length, scores)


def knuth_width(scores: Scores) -> float:
    """Bin width by Knuth's rule: the number of equal bins with the largest posterior.

    Both groups share the bins, so their log posteriors are added. For a group with counts c_j
    that sum to n in k bins it is, up to a constant,

        n log k + log Γ(k/2) − k log Γ(1/2) − log Γ(n + k/2) + Σ_j log Γ(c_j + 1/2).

    Notes
    -----
    Scores outside the default range are left out, since the open outer bins would give them a
    density that grows as bins narrow. At most 1000 bins, which is where scores on a lattice lead.
    Scores are represented by their counts in 2¹³ cells, interpolated.

    References
    ----------
    K. H. Knuth, "Optimal data-based binning for histograms", arXiv:physics/0605197, eq. 31.
    """
    from scipy.special import gammaln

    low, high = default_range(scores)
    steps = np.arange(math.log(MOST_KNUTH_BINS) / math.log(1.02))
    bins = np.unique([*np.rint(1.02**steps), MOST_KNUTH_BINS])
    # All candidates' edges in one array, in cells from the left end of the range.
    of = np.repeat(np.arange(bins.size), bins.astype(int) + 1)
    first = np.flatnonzero(np.diff(of, prepend=-1))
    edges = (np.arange(of.size) - first[of]) * (GRID_CELLS / bins)[of]
    log_posterior = np.zeros(bins.size)
    for below in scores.samples.below_counts(np.linspace(low, high, GRID_CELLS + 1)):
        n = int(below[-1] - below[0])
        counts = np.diff(np.interp(edges, np.arange(GRID_CELLS + 1), below))
        log_gamma = gammaln(np.maximum(counts, 0) + 0.5)
        log_gamma[first[1:] - 1] = 0.0  # from one candidate's last edge to the next one's first
        log_posterior += np.add.reduceat(log_gamma, first) + n * np.log(bins) + gammaln(bins / 2)
        log_posterior -= bins * gammaln(0.5) + gammaln(n + bins / 2)
    return _usable((high - low) / float(bins[np.argmax(log_posterior)]), scores)


def squared_slope(ordered: NDArray[np.float64]) -> float:
    """Two-stage kernel estimate of ∫f'² of the density of a sample.

    Parameters
    ----------
    ordered : ndarray, shape (n,)
        Finite values in increasing order.

    Returns
    -------
    float
        Above 0; ``inf`` where more than half of the sample is one value, which has no density.

    Notes
    -----
    ∫f'² = −ψ₂ with ψ_r = E f^{(r)}(X), estimated by the mean of φ_g^{(r)}(x_i − x_j) over all
    pairs, φ_g the normal density with standard deviation g. A normal density with the sample's
    standard deviation or interquartile range, whichever is smaller, gives the g for ψ₄, and
    that ψ₄ the g for ψ₂ (Wand 1997, two stages).
    Pairs are those of counts in 2¹³ cells from the 0.1% to the 99.9% quantile, and g is at
    least one cell, so that the fast Fourier transform does the work.
    """
    group = OrderedGroup(ordered)
    length = _slope_length(_span(group), group.below, group.size)
    return length**-3 if length > 0 else math.inf


def _normal_scale(span: NDArray[np.float64]) -> float:
    """The standard deviation of a normal density with the quartiles of a span."""
    first, third = float(span[1]), float(span[2])
    return (third - first) / 1.349


def _span(group: OrderedGroup) -> NDArray[np.float64]:
    return np.asarray(group.at(np.minimum(_SPAN * group.size, group.size - 1).astype(int)))


def _slope_length(
    span: NDArray[np.float64], below: Callable[[NDArray[np.float64]], Any], n: int
) -> float:
    """(∫f'²)^{−1/3}, a length, from four quantiles and the counts below each of many points."""
    low, first, third, high = (float(x) for x in span)
    cell = (high - low) / GRID_CELLS
    if first == third or cell == 0:  # a few of the least numbers, which have no density either
        return 0.0
    mass = np.diff(below(np.linspace(low, np.nextafter(high, np.inf), GRID_CELLS + 1))) / n
    # Everything in cells, so that no power of a length overflows.
    at = np.arange(GRID_CELLS)
    share = mass / mass.sum()
    deviation = math.sqrt(share @ (at - share @ at) ** 2)
    scale = min(deviation, (third - first) / cell / 1.349)
    pairs = np.fft.irfft(np.abs(np.fft.rfft(mass, 2 * GRID_CELLS)) ** 2)[:GRID_CELLS]
    pairs[1:] *= 2  # distances, whichever of the two is the larger

    def psi(r: int, g: float) -> float:
        near = min(math.ceil(9 * g), GRID_CELLS)  # beyond 9 g the kernel is 0
        u2 = (at[:near] / g) ** 2
        hermite = (u2 - 6) * u2 + 3 if r == 4 else u2 - 1
        density = np.exp(-u2 / 2) / math.sqrt(2 * math.pi)
        return float(np.sum(pairs[:near] * hermite * density)) / g ** (r + 1)

    g = max(scale * (32 / (5 * math.sqrt(2) * n)) ** (1 / 7), 1.0)
    g = max((math.sqrt(2 / math.pi) / (psi(4, g) * n)) ** (1 / 5), 1.0)
    return cell * float((-psi(2, g)) ** (-1 / 3))


#: Rules that give a width, by the name that `histogram` takes.
WIDTH_RULES: dict[str, Callable[[Scores], float]] = {
    "scott": scott_width,
    "fd": freedman_diaconis_width,
    "plugin": plugin_width,
    "wand": wand_width,
    "knuth": knuth_width,
}


def default_range(scores: Scores) -> tuple[float, float]:
    """The 0.1% and 99.9% quantiles of the pooled scores; a stretch around them if all are equal."""
    low, high = (float(x) for x in scores.quantile([RANGE_TAIL, 1 - RANGE_TAIL]))
    if low == high:
        low, high = (float(x) for x in scores.quantile([0, 1]))
    return (low, high) if low < high else around(low)


def around(value: float) -> tuple[float, float]:
    """A display range for scores that are all one value: ½ to both sides, or as floats allow."""
    most = np.finfo(float).max
    half = max(0.5, 1e-6 * abs(value))
    return max(value - half, -most), min(value + half, most)


def _usable(width: float, scores: Scores) -> float:
    """A rule's width; where the spread it rests on is 0 (ties), a twentieth of the range."""
    if width > 0:
        return width
    low, high = default_range(scores)
    return (high - low) / _FALLBACK_BINS or high - low  # the least numbers have no twentieth


def _resolved(width: float, scores: Scores) -> float:
    """A rule's width, with at most as many bins on the range as the plug-in rules have cells."""
    low, high = default_range(scores)
    return _usable(max(width, (high - low) / GRID_CELLS) if width > 0 else 0.0, scores)


def _finite_sides(scores: Scores) -> list[OrderedGroup]:
    """Finite scores of both groups, sorted and oriented; no rule depends on the orientation."""
    return [group.finite for group in scores.samples.groups]


def _smaller_side(n_p: int, n_q: int) -> int:
    n = min(n_p, n_q)
    if n < 2:
        raise ValueError(
            f"the rule needs 2 finite scores in each group, found {n_p} and {n_q}; "
            "give width= or bins="
        )
    return n
