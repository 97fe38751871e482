"""BITS, one bit: what a guess about it can be, exactly; Theorems 1 to 3 and 6, Figures 1 to 3.

The text prints no numbers for its theorems: "printed" is what the printed formula gives, computed
here without the library, or what the theorem says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import entr, ndtr

import workbench as wb
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.curves.error_rates import epsilon_of_point

DELTA = 1e-5
MU = 1.0


def entropy(p: float | np.ndarray) -> np.ndarray:
    """Binary entropy in bits."""
    p = np.asarray(p, dtype=float)
    return (entr(p) + entr(1 - p)) / np.log(2)


def framework(run: Run) -> Found:
    """Figure 1 and Algorithms 1 and 2 are diagrams of what `OneRun` and `Scores` hold."""
    line = Line("generator, channel, decoder", "a diagram", "coins, training, guesses", "no number")
    return Found(Verdict.AS_DESCRIBED, [line])


def notation(run: Run) -> Found:
    line = Line("names of random variables", "no number", "coins, guesses, errors", "no number")
    return Found(Verdict.AS_DESCRIBED, [line])


def testing_region(run: Run) -> Found:
    """Theorem 1 and eq. 4: ε of the points of a curve, at most that of the pair, and attained."""
    alpha = np.r_[np.linspace(0.001, 0.999, 999), ndtr(np.linspace(-4.5, 4.5, 1001))]
    lines = []
    for pair in (wb.RandomizedResponsePair(1.0, DELTA), wb.GaussianPair(MU), wb.LaplacePair(MU)):
        shown = epsilon_of_point(alpha, pair.tradeoff(alpha), DELTA)
        lines.append(
            Line(
                f"largest ε by eq. 4 over the curve, {pair.name}",
                f"{pair.epsilon(DELTA):.3f}",
                float(np.max(shown)),
                "exact, over 2000 points",
            )
        )
    return Found(Verdict.EQUAL, lines)


def mixtures(run: Run) -> Found:
    """Lemma 1: hockey-sticks of mixtures of pairs with one curve never exceed that curve's."""
    edges = np.r_[-np.inf, np.linspace(-4, 5, 40), np.inf]
    p, q = np.diff(ndtr(edges - MU)), np.diff(ndtr(edges))
    factors = np.exp(np.linspace(-4, 4, 41))[:, None]
    rng, most = run.rng(1), -np.inf
    alone = np.maximum(p - factors * q, 0).sum(axis=1)
    for _ in range(1000):
        parts = rng.integers(2, 6)
        weights = rng.dirichlet(np.ones(parts))
        orders = [rng.permutation(p.size) for _ in range(parts)]
        mixed_p = sum(w * p[order] for w, order in zip(weights, orders, strict=True))
        mixed_q = sum(w * q[order] for w, order in zip(weights, orders, strict=True))
        mixed = np.maximum(mixed_p - factors * mixed_q, 0).sum(axis=1)
        most = max(most, float(np.max(mixed - alone)))
    line = Line(
        "largest excess of δ(ε) of 1000 mixtures over that of their parts",
        "at most 0",
        "none" if most < 1e-12 else most,
        "exact for each mixture",
    )
    return Found(Verdict.AS_DESCRIBED, [line])


def symmetric_channel(run: Run) -> Found:
    """Figure 2: at α = β the channel is the binary symmetric one, with capacity 1 − h(p)."""
    pair = wb.GaussianPair(MU)
    p = (1 - pair.total_variation) / 2
    line = Line(
        f"information at α = β, Gaussian, μ = {MU:g}, bits",
        f"{1 - float(entropy(p)):.6f}",
        float(wb.onerun.mutual_information(pair, 0.5)),
        "exact",
    )
    return Found(Verdict.EQUAL, [line])


PAIRS = (
    wb.GaussianPair(0.5),
    wb.GaussianPair(1.0),
    wb.GaussianPair(2.0),
    wb.RandomizedResponsePair(1.0, DELTA),
    wb.RandomizedResponsePair(4.0, DELTA),
)


def by_grid(pair: wb.pairs.Pair, prior: float) -> float:
    """u_f(p) by eq. 18 as printed, over a million points."""
    corner = (1 - pair.total_variation) / 2
    x = np.r_[ndtr(np.linspace(-8, 8, 500_001)), np.linspace(0, 1, 500_001), corner]
    f = np.asarray(pair.tradeoff(x))
    return float(
        np.max(
            entropy(prior * f + (1 - prior) * (1 - x))
            - prior * entropy(f)
            - (1 - prior) * entropy(x)
        )
    )


def information(run: Run) -> Found:
    """Theorem 2 and Figure 3: u_f(p) of several trade-off functions."""
    lines = [
        Line(
            f"u_f({prior:g}), {pair.name}, bits",
            f"{by_grid(pair, prior):.5f}",
            float(wb.onerun.mutual_information(pair, prior)),
            "exact to 1e-9",
        )
        for pair in PAIRS
        for prior in (0.5, 0.1)
    ]
    prior = np.linspace(0, 1, 101)
    curves = [np.asarray(wb.onerun.mutual_information(pair, prior)) for pair in PAIRS]

    def draw(panels: Any) -> None:
        (axes,) = panels
        for pair, curve in zip(PAIRS, curves, strict=True):
            axes.plot(prior, curve, label=pair.name)
        axes.set(xlabel="Probability p of being in", ylabel="u_f(p), bits", xlim=(0, 1))
        axes.legend(frameon=False, fontsize=8)

    chart = Chart("fig-3", draw, "Fig. 3: most information of a guess about a coin; exact", 1, 6.4)
    return Found(Verdict.EQUAL, lines, (chart,))


def bit_error(run: Run) -> Found:
    """Theorem 3: h⁻¹(1 − u_f(½)) beside (1 − TV_f)/2, which is never less."""
    fano = "the print goes through Fano's inequality; (1 − TV_f)/2 is the least bit error itself"
    lines = [
        Line(
            f"least bit error, {pair.name}",
            f"{wb.onerun.printed_bit_error(pair):.{digits}f}",
            (1 - pair.total_variation) / 2,
            "exact",
            fano if differs else "",
            None if differs else Verdict.EQUAL,
        )
        for pair, digits, differs in (
            (wb.GaussianPair(1.0), 4, False),
            (wb.LaplacePair(1.0), 4, False),
            (wb.RandomizedResponsePair(0.1, 0.01), 4, True),
            (wb.SubsampledGaussianPair(0.25, 0.3), 3, True),
        )
    ]
    return Found(Verdict.TIGHTER, lines)


def neyman_pearson(run: Run) -> Found:
    """Theorem 6: no test of an interval beats the trade-off function of a pair."""
    lines = []
    for pair, scale in ((wb.LaplacePair(MU), 1.0), (wb.GaussianPair(MU), 1.0)):
        ends = np.r_[-np.inf, np.linspace(-6, 8, 141), np.inf]
        low, high = np.meshgrid(ends, ends, indexing="ij")
        inside = low < high
        cdf = ndtr if isinstance(pair, wb.GaussianPair) else _laplace_cdf
        alpha = cdf(high[inside] / scale) - cdf(low[inside] / scale)
        beta = 1 - cdf(high[inside] - MU) + cdf(low[inside] - MU)
        gap = float(np.min(beta - np.asarray(pair.tradeoff(np.clip(alpha, 0, 1)))))
        lines.append(
            Line(
                f"least β − f(α) over 10,000 intervals, {pair.name}",
                "0",
                max(gap, 0.0) if gap > -1e-12 else gap,
                "exact",
            )
        )
    return Found(Verdict.EQUAL, lines)


def _laplace_cdf(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


ONE_RUN = "*One run*"
ITEMS = (
    Item(
        "Thm. 1",
        "Testing region of (ε, δ)-DP",
        "*Counts*; `wb.epsilon_from_counts`",
        testing_region,
        True,
    ),
    Item(
        "Fig. 1, Alg. 1, 2",
        "Audit as transmission of bits",
        f"{ONE_RUN}; `wb.onerun.OneRun`",
        framework,
        True,
    ),
    Item("Table 1", "Notation", f"{ONE_RUN}; `wb.onerun.OneRun`, `wb.Guesses`", notation, True),
    Item(
        "Lemma 1",
        "A mixture tells no more",
        "*Known pairs*; `wb.GaussianPair.profile`",
        mixtures,
        True,
    ),
    Item(
        "Fig. 2",
        "One bit as a binary channel",
        f"{ONE_RUN}; `wb.onerun.mutual_information`",
        symmetric_channel,
        True,
    ),
    Item(
        "Thm. 2, Fig. 3",
        "Most information about a bit",
        f"{ONE_RUN}; `wb.onerun.mutual_information`, `wb.onerun.bit_error_curves`; notebook 9",
        information,
        True,
    ),
    Item(
        "Thm. 3",
        "The least bit error under f-DP",
        f"{ONE_RUN}; `wb.onerun.printed_bit_error`; notebook 9",
        bit_error,
        True,
    ),
)
APPENDIX = (
    Item(
        "Thm. 6",
        "Lemma of Neyman and Pearson",
        "*Known pairs*; `wb.LaplacePair.tradeoff`",
        neyman_pearson,
        True,
    ),
)
