"""HIST §4 and Figure 4: histograms, their limits and their rate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.hist.definitions import small, some
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

EPSILONS = (-0.5, 0.0, 0.5, 1.0)


def counted(run: Run) -> Found:
    """Algorithm 2, counted by hand: bins of one width, the outer ones open."""
    scores = wb.GaussianPair(1.0).sample(3000, seed=run.seed)
    low, high, k = -1.5, 2.0, 7
    found = wb.histogram(scores, bins=k, range=(low, high))
    edges = low + (high - low) / k * np.arange(1, k)
    p, q = (
        np.bincount(np.searchsorted(edges, x, "right"), minlength=k) / x.size
        for x in (scores.p, scores.q)
    )
    worst = 0.0
    for epsilon in EPSILONS:
        a = np.exp(epsilon)
        for one, other, direction in ((p, q, "P‖Q"), (q, p, "Q‖P")):
            own = np.maximum(one - a * other, 0).sum()
            worst = max(worst, abs(own - found.hockey_stick(epsilon, direction)))
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "δ of 7 bins, less Σ [p̂ − e^ε q̂]₊ counted by hand; both directions, four ε",
                "0",
                small(worst),
                "estimate, to round-off",
            ),
            Line(
                "first bin, input and output",
                "(∞, a + h); δ and δ",
                "(−∞, a + h); ε and δ",
                "–",
                "the sign is missing, and the input of the algorithm is ε",
                Verdict.MISPRINT,
            ),
        ],
    )


def binned(run: Run) -> Found:
    """Lemma 4.1: bins lose, and merged bins lose more."""
    pair, k = wb.GaussianPair(1.0), 64
    edges = np.linspace(-3, 4, k - 1)
    p, q = (np.diff(ndtr(np.r_[-np.inf, edges - m, np.inf])) for m in (1.0, 0.0))
    exact = {e: float(pair.hockey_stick(e)) for e in EPSILONS}
    lines, last = [], None
    while p.size > 1:
        values = [np.maximum(p - np.exp(e) * q, 0).sum() for e in EPSILONS]
        above = max(v - exact[e] for v, e in zip(values, EPSILONS, strict=True))
        grown = 0.0 if last is None else max(np.array(values) - last)
        lines.append((p.size, above, grown, values[3]))
        last, p, q = np.array(values), p.reshape(-1, 2).sum(1), q.reshape(-1, 2).sum(1)
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "largest H of binned Gaussians less their H; 64, 32, …, 2 bins, four ε",
                "≤ 0",
                "≤ 1e-12" if max(a for _, a, _, _ in lines) <= 1e-12 else "above",
                "exact",
            ),
            Line(
                "largest growth of H when neighboring bins are merged",
                "≤ 0",
                "≤ 1e-12" if max(g for _, _, g, _ in lines) <= 1e-12 else "grows",
                "exact",
            ),
            Line(
                f"H at ε = 1 of 64, 8 and 2 bins, exact {exact[1.0]:.4f}",
                "not printed",
                ", ".join(f"{h:.4f}" for k, _, _, h in lines if k in (64, 8, 2)),
                "exact",
            ),
        ],
    )


def limits(run: Run) -> Found:
    """Lemmas 4.2 and 4.3: Canonne's limit, and a sharper one."""
    n, k, share = 5000, 20, 0.05
    scores = wb.GaussianPair(1.0).sample(n, seed=run.seed)
    found = wb.histogram(scores, bins=k, range=(-4, 5))
    half = share / 2
    tau = np.sqrt(max(k / n, 2 / n * np.log(2 / (half / 2))))
    low, high = wb.hockey_stick_limits(found, confidence=1 - share, method="canonne")
    own = found.total_variation - 2 * tau, found.total_variation + 2 * tau
    sharper = wb.hockey_stick_limits(found, confidence=1 - share)[0]
    band = wb.tradeoff_band(scores, 1 - share).total_variation()
    worst = max(abs(low.value - max(own[0], 0)), abs(high.value - min(own[1], 1)))
    return Found(
        Verdict.TIGHTER,
        [
            Line(
                "limits of TV by Canonne's inequality, less the formula",
                "0",
                small(worst),
                "pointwise 95%, bins fixed in advance",
                "",
                Verdict.EQUAL,
            ),
            Line(
                "lower limit of TV = 0.3829, n = 5000, k = 20",
                "Canonne",
                low.rounded,
                "pointwise 95%, bins fixed in advance",
            ),
            Line(
                "the same by McDiarmid's inequality",
                "not used",
                sharper.rounded,
                "pointwise 95%, bins fixed in advance",
            ),
            Line(
                "the same by the band",
                "not used",
                band.rounded,
                "simultaneous 95%, over all thresholds; no bins",
            ),
        ],
    )


def scott_width(run: Run) -> Found:
    """Corollary 4.5 and equation 4.2."""
    constant = 2 * 3 ** (1 / 3) * np.pi ** (1 / 6)
    # (12/(∫P'² + ∫Q'²))^(1/3), with ∫P'² = 1/(4 √π σ³) for each of two Gaussians
    by_theorem = (12 / (2 / (4 * np.sqrt(np.pi)))) ** (1 / 3)
    scores = wb.GaussianPair(1.0).sample(20_000, seed=run.seed)
    width = float(np.diff(wb.histogram(scores, rule="scott").edges[:2])[0])
    return Found(
        Verdict.EQUAL,
        [
            Line("2·3^(1/3)·π^(1/6), the width over σ n^(−1/3)", "3.5", constant, "exact"),
            Line(
                "eq. 4.1 for two Gaussians less eq. 4.2",
                "0",
                small(abs(by_theorem - constant)),
                "exact",
            ),
            Line('width by rule "scott", μ = 1, n = 20,000', "eq. 4.2", f"{width:.4f}", "estimate"),
        ],
    )


def rate(run: Run) -> Found:
    """Theorem 4.4: the error falls as n^(−1/3), or faster."""
    sizes = np.array([500, 2000, 8000, 32_000])
    slopes, errors = {}, {}
    for name, pair, seeds in (("P = Q", wb.GaussianPair(0), 20), ("μ = 1", wb.GaussianPair(1), 40)):
        means = []
        for n in sizes:
            draws = (pair.sample(int(n), seed=100 * run.seed + s) for s in range(seeds))
            tv = [wb.histogram(s, rule="scott").total_variation for s in draws]
            means.append(np.mean(np.abs(np.array(tv) - pair.total_variation)))
        errors[name] = np.array(means)
        slopes[name] = float(np.polyfit(np.log(sizes), np.log(means), 1)[0])

    def draw(panels: Any) -> None:
        (axes,) = panels
        for (name, found), color, power in zip(
            errors.items(), (Q, P), (-1 / 3, -1 / 2), strict=True
        ):
            axes.loglog(sizes, found, "o-", color=color, label=name)
            axes.loglog(sizes, found[0] * (sizes / sizes[0]) ** power, color=REFERENCE, ls=":")
        axes.set(xlabel="scores on each side", ylabel="mean error of TV")
        axes.legend(frameon=False)

    caption = "Mean error of the histogram's TV; dotted: n^(−1/3) and n^(−1/2)."
    lines = [
        Line(
            "exponent of n in the mean error, P = Q", "-1/3", f"{slopes['P = Q']:.2f}", "simulated"
        ),
        Line(
            "the same, μ = 1",
            "at most -1/3",
            f"{slopes['μ = 1']:.2f}",
            "simulated",
            "most differences of bins have a clear sign, and their noise cancels",
            Verdict.TIGHTER,
        ),
    ]
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("thm-4-4", draw, caption, width=5.2),))


def bins(run: Run) -> Found:
    """Figure 4: TV of two Gaussians against the number of bins, 50,000 scores on each side."""
    counts = (3, 5, 9, 17, 33, 63, 129, 257, 513, 1025, 2049)
    lines, curves = [], []
    for sigma, color in ((0.5, REFERENCE), (1.0, P), (2.0, THIRD), (5.0, Q)):
        pair = wb.GaussianPair(1 / sigma)
        scores = pair.sample(50_000, seed=run.seed)
        spread = (-4, 4 + 1 / sigma)
        tv = [wb.histogram(scores, bins=k, range=spread).total_variation for k in counts]
        curves.append((sigma, color, pair.total_variation, tv))
        lines.append(
            Line(
                f"TV with 63 bins, σ = {sigma:g}, exact {pair.total_variation:.4f}",
                "near exact",
                f"{tv[counts.index(63)]:.4f}",
                "estimate",
            )
        )
    lines.append(
        Line(
            "bins by eq. 4.2 for n = 50,000",
            "63",
            f"{8 / (3.49 * 50_000 ** (-1 / 3)):.0f} over [−4σ, 4σ], "
            f"{6 / (3.49 * 50_000 ** (-1 / 3)):.0f} over [−3σ, 3σ]",
            "exact",
            "the paper does not say which range it divides",
            Verdict.AS_DESCRIBED,
        )
    )

    def draw(panels: Any) -> None:
        (axes,) = panels
        for sigma, color, exact, tv in curves:
            axes.axhline(exact, color=color, ls="--", lw=1)
            axes.semilogx(counts, tv, "o-", color=color, ms=3, label=f"σ = {sigma:g}")
        axes.set(xlabel="bins", ylabel="estimated TV", ylim=(0, 0.75))
        axes.legend(frameon=False, ncols=2)

    caption = "TV of N(0, σ²) and N(1, σ²) by histograms, and exact (dashed)."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-4", draw, caption, width=5.2),))


_FIXED = "*Scores*; `wb.hockey_stick_limits`; notebook 2"

SECTION = (
    Item("Lemma 4.1", "Bins never add", "*Scores*; `wb.histogram`; notebook 2", binned, True),
    Item("Lemma 4.2", "Canonne's inequality", _FIXED, partial(some, limits, (0, 1, 2)), True),
    Item(
        "Lemma 4.3",
        "From total variation to the profile",
        _FIXED,
        partial(some, limits, (0, 3)),
        True,
    ),
    Item(
        "Thm. 4.4", "The rate of the estimate", "*Scores*; `wb.histogram`; notebook 2", rate, True
    ),
    Item(
        "Cor. 4.5",
        "The bin width for Gaussians",
        "*Scores*; `wb.histogram`; notebook 2",
        scott_width,
        True,
    ),
    Item("Alg. 2", "The histogram", "*Scores*; `wb.histogram`; notebook 2", counted, True),
    Item(
        "Fig. 4",
        "Total variation against bins",
        "*Scores*; `wb.bin_width_curve`; notebook 2",
        bins,
        True,
    ),
)
