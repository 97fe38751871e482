"""Bias, error and coverage of the fits of μ, and the mean of cross-fitted divergences."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri

import workbench as wb
from workbench.estimators.binormal import Binormal, equal_cells
from workbench.estimators.cross_fitting import exact_means
from workbench.pairs.base import Pair

Row = tuple[str, str, str]

#: Draws of the fits, and scores a side.
DRAWS, SIZES = 1000, (1000, 10_000)

#: Draws of the cross-fitted estimate in batches, scores a side, bin widths.
CROSS_DRAWS, BATCH, CROSS_N = 20_000, 100, 1000
WIDTHS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)

PAIRS: dict[str, Pair] = {
    "no leak": wb.GaussianPair(0),
    "Gaussian, μ = 1": wb.GaussianPair(1),
    "Laplace, μ = 1": wb.LaplacePair(1),
    "subsampled, q = 0.25, σ = 0.5": wb.SubsampledGaussianPair(0.25, 0.5),
}


def closest_mu(pair: Pair, cells: int = 20) -> float:
    """The μ that the likelihood fit tends to: of the masses of cells of equal probability."""
    alpha = np.exp(np.linspace(-16, 0, 4000))
    alpha = np.unique(np.concatenate([[0.0], alpha, 1 - alpha]))
    tpr = 1 - np.asarray(pair.tradeoff(alpha, symmetric=False))
    cuts = np.interp(np.arange(1, cells) / cells, (alpha + tpr) / 2, alpha)
    masses = [
        np.diff(np.concatenate([[0.0], x, [1.0]]))[::-1]
        for x in (np.interp(cuts, alpha, tpr), cuts)
    ]
    return Binormal(*masses).best.mu


def likelihood_fits() -> Iterator[Row]:
    """Bias, root mean squared error and coverage against the closest μ, and how often p < 0.05."""
    drop = float(chdtri(1, 0.05))
    for name, pair in PAIRS.items():
        target = closest_mu(pair)
        for n in SIZES:
            fits, covered, refused = [], 0, 0
            for seed in range(DRAWS):
                counts = Binormal(*equal_cells(pair.sample(n, seed=seed)))
                best = counts.best
                fits.append(best.mu)
                covered += 2 * (best.log_likelihood - counts.at_mu(target).log_likelihood) <= drop
                deviance = 2 * (counts.saturated - best.log_likelihood)
                refused += chdtrc(counts.cells - 2, deviance) < 0.05
            error = np.array(fits) - target
            shown = np.maximum(fits, 0.0) - target
            rmse = math.sqrt((error**2).mean())
            yield (
                f"likelihood, {name}, {n:,} a side: μ = {target:.4f}",
                f"bias {error.mean():+.4f} ± {error.std() / math.sqrt(DRAWS):.4f}, rmse "
                f"{rmse:.4f} (as shown, ≥ 0: {shown.mean():+.4f}), coverage "
                f"{covered / DRAWS:.1%}, p < 0.05: {refused / DRAWS:.1%}",
                "bias 0, 95%, 5% if Gaussian",
            )


def other_fits(draws: int = 200) -> Iterator[Row]:
    """The other fits of the same data."""
    for name, pair in PAIRS.items():
        for method, options in (("tv", {}), ("range", {"floor": 1e-3})):
            found = np.array(
                [
                    wb.gdp_fit(pair.sample(1000, seed=seed), method, **options).value
                    for seed in range(draws)
                ]
            )
            yield (
                f"{method}, {name}, 1,000 a side",
                f"mean {found.mean():.4f}, sd {found.std():.4f}",
                "–",
            )


def cross_fits() -> Iterator[Row]:
    """Means of the plain and the cross-fitted total variation, bins fixed in advance or not."""
    for name, pair in PAIRS.items():
        for fixed in (True, False):
            plain, crossed = _by_width(pair, fixed)
            for i, width in enumerate(WIDTHS):
                errors = [x[:, i].std() / math.sqrt(len(x)) for x in (plain, crossed)]
                yield (
                    f"TV, {name}, width {width:g}, range {'fixed' if fixed else 'of the data'}",
                    f"cross-fitted {crossed[:, i].mean():.5f} ± {errors[1]:.5f}, plain "
                    f"{plain[:, i].mean():.5f} ± {errors[0]:.5f}",
                    f"≤ {pair.total_variation:.5f}",
                )


def _by_width(pair: Pair, fixed: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means over batches of draws, for each width."""
    plain, crossed = [], []
    known = np.full((CROSS_N + 1, CROSS_N + 1), np.nan)  # by the counts of a bin
    for seed in range(CROSS_DRAWS // BATCH):
        drawn = pair.sample(BATCH * CROSS_N, seed=10_000 + seed)
        p, q = (np.asarray(x).reshape(BATCH, CROSS_N) for x in (drawn.p, drawn.q))
        low, high = np.full(BATCH, -3.0), np.full(BATCH, 4.0)
        if not fixed:
            pooled = np.sort(np.concatenate([p, q], axis=1), axis=1)
            low, high = pooled[:, 2], pooled[:, 2 * CROSS_N - 2]
        rows = [], []
        for width in WIDTHS:
            bins = np.maximum(np.ceil((high - low) / width - 1e-9), 1).astype(int)
            first = np.concatenate([[0], np.cumsum(bins)])
            counts = []
            for x in (p, q):
                place = np.floor((x - low[:, None]) / width).astype(int)
                place = np.clip(place, 0, bins[:, None] - 1) + first[:-1, None]
                counts.append(np.bincount(place.ravel(), minlength=first[-1]))
            of_p, of_q = counts
            rows[0].append(0.5 * np.abs(of_p - of_q).sum() / CROSS_N / BATCH)
            found = known[of_p, of_q]
            new = np.isnan(found) & (of_p + of_q > 0)
            if new.any():
                pairs = np.unique(np.stack([of_p[new], of_q[new]]), axis=1)
                sizes = (CROSS_N, CROSS_N), (CROSS_N // 2, CROSS_N // 2)
                known[pairs[0], pairs[1]] = exact_means(*pairs, *sizes)
            rows[1].append(np.nansum(known[of_p, of_q]) / BATCH)
        plain.append(rows[0])
        crossed.append(rows[1])
    return np.array(plain), np.array(crossed)


def main() -> list[Row]:
    """All of it: about four minutes."""
    return [*likelihood_fits(), *other_fits(), *cross_fits()]
