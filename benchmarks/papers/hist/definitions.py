"""HIST §2, §6 and Appendix C: definitions, closed forms and identities, each with a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.special import betainc, ndtr, ndtri
from scipy.stats import beta as beta_law
from scipy.stats import norm

import workbench as wb
from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.curves.error_rates import epsilon_of_point

#: Where closed forms are compared with other ways of computing them.
EPSILONS = np.linspace(-2, 4, 25)
ALPHA = np.linspace(0, 1, 1001)[1:-1]


def largest(found: object, other: object) -> float:
    """Largest absolute difference."""
    return float(np.abs(np.asarray(found) - np.asarray(other)).max())


def small(difference: float) -> str:
    """A difference, whose digits do not matter where it is round-off."""
    return "≤ 1e-12" if difference <= 1e-12 else f"{difference:.0e}"


def hockey_stick(p: norm, q: norm, epsilon: float) -> float:
    """∫ [P − e^ε Q]₊ of two normal densities with one crossing, by quadrature."""
    a = np.exp(epsilon)

    def excess(x: float) -> float:
        return max(float(p.pdf(x) - a * q.pdf(x)), 0.0)

    crossing = 0.5 + epsilon  # of N(1, 1) and N(0, 1)
    ends = sorted({-12.0, min(max(crossing, -12.0), 14.0), 14.0})
    parts = (quad(excess, *pair, epsabs=1e-14)[0] for pair in pairwise(ends))
    return float(sum(parts))


def some(make: Callable[[Run], Found], numbers: tuple[int, ...], run: Run) -> Found:
    """Some of the lines of what is found, for items that are checked together."""
    found = make(run)
    return replace(found, lines=[found.lines[k] for k in numbers])


def indistinguishable(run: Run) -> Found:
    """Definition 1: the largest P(E) − e^ε Q(E) over all events of a discrete pair."""
    rng = run.rng(1)
    p, q = rng.dirichlet(np.ones(8)), rng.dirichlet(np.ones(8))
    events = (np.arange(256)[:, None] >> np.arange(8)) & 1
    by_events = [
        max(
            (events @ p - np.exp(e) * events @ q).max(), (events @ q - np.exp(e) * events @ p).max()
        )
        for e in EPSILONS
    ]
    by_sum = [
        max(np.maximum(p - np.exp(e) * q, 0).sum(), np.maximum(q - np.exp(e) * p, 0).sum())
        for e in EPSILONS
    ]
    line = Line(
        "largest P(E) − e^ε Q(E) over the 256 events of 8 outcomes, less the hockey-stick "
        "divergence",
        "0: Lemma 2",
        small(largest(by_events, by_sum)),
        "exact, to round-off",
    )
    return Found(Verdict.EQUAL, [line])


def gaussian_profile(run: Run) -> Found:
    """Lemma 3: the profile of two Gaussians against quadrature."""
    exact = wb.GaussianPair(1.0).hockey_stick(EPSILONS)
    by_quadrature = [hockey_stick(norm(1), norm(0), e) for e in EPSILONS]
    lines = [
        Line(
            "eq. 2.2 less quadrature of eq. 2.1, μ = 1, −2 ≤ ε ≤ 4",
            "0",
            small(largest(exact, by_quadrature)),
            "exact, to round-off",
        ),
        Line("δ(1) at μ = 1", "eq. 2.2", f"{wb.GaussianPair(1.0).profile(1.0):.6f}", "exact"),
    ]
    return Found(Verdict.EQUAL, lines)


def total_variation(run: Run) -> Found:
    """Equation 2.3 of a Gaussian pair, and of two samples."""
    rng = run.rng(2)
    x, y = rng.integers(0, 5, 400), rng.integers(1, 6, 300)
    counted = sum(max((x == k).mean() - (y == k).mean(), 0.0) for k in range(6))
    found = wb.histogram(wb.Scores(x, y), bins=6, range=(-0.5, 5.5)).total_variation
    printed = 2 * (1 - ndtr(0.5))
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "TV of two samples, less Σ max(p̂ − q̂, 0)", "0", small(abs(found - counted)), "exact"
            ),
            Line(
                "TV of N(0, σ²) and N(1, σ²), σ = 1: eq. 5.1",
                f"{printed:.4f}",
                wb.GaussianPair(1.0).total_variation,
                "exact",
                "print has 2(1 − Φ(1/(2σ))), which is 1 − TV; it is 2Φ(1/(2σ)) − 1",
                Verdict.MISPRINT,
            ),
        ],
    )


def tradeoff(run: Run) -> Found:
    """Definitions 4, 6, 8 and Lemma 5: trade-off functions of the known pairs."""
    pairs = (
        wb.GaussianPair(1.0),
        wb.LaplacePair(1.0),
        wb.SubsampledGaussianPair(0.25, 0.3),
        wb.RandomizedResponsePair(1.0, 1e-3),
    )
    grid = np.linspace(0, 1, 2001)
    worst = 0.0
    for pair in pairs:
        f = np.asarray(pair.tradeoff(grid))
        worst = max(worst, np.diff(f).max(), -np.diff(f, 2).min(), (f - 1 + grid).max())
    e, d = 1.0, 1e-3
    lines = np.maximum.reduce([0 * ALPHA, 1 - d - np.exp(e) * ALPHA, np.exp(-e) * (1 - d - ALPHA)])
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "largest violation of convex, decreasing and ≤ 1 − x, of four pairs",
                "0: Lemma 5",
                small(max(worst, 0.0)),
                "exact, to round-off",
            ),
            Line(
                "f of (1, 1e-3)-DP less the printed lines",
                "0",
                small(largest(pairs[3].tradeoff(ALPHA), lines)),
                "exact, to round-off",
            ),
            Line(
                "f of μ = 1 less Φ(Φ⁻¹(1 − α) − μ)",
                "0: Def. 8",
                small(largest(pairs[0].tradeoff(ALPHA), ndtr(ndtri(1 - ALPHA) - 1))),
                "exact, to round-off",
            ),
        ],
    )


def from_profile(run: Run) -> Found:
    """Lemma 7 and Algorithm 1: a trade-off function from a profile."""
    pair = wb.SubsampledGaussianPair(0.25, 0.3)
    fine = np.concatenate([[0.0], np.geomspace(1e-4, 60, 4000)])
    alpha = np.concatenate([np.geomspace(1e-12, 1e-3, 400), ALPHA])
    exact = np.asarray(pair.tradeoff(alpha))
    by_lemma = wb.TradeoffCurve.from_profile(fine, pair.profile(fine)).tradeoff(alpha)
    delta = np.linspace(1e-5, 1 - 1e-5, 200)
    epsilon = np.array([pair.epsilon(d) for d in delta])
    by_algorithm = wb.TradeoffCurve.from_profile(epsilon, delta).tradeoff(alpha)
    return Found(
        Verdict.TIGHTER,
        [
            Line(
                "largest error of Lemma 7 on 4000 points, q = 0.25, σ = 0.3",
                "0 in the limit",
                f"{largest(exact, by_lemma):.0e}",
                "exact",
            ),
            Line(
                "largest error of Alg. 1, 200 linear δ, q = 0.25, σ = 0.3",
                "not printed",
                f"{largest(exact, by_algorithm):.3f}",
                "exact",
                f"only {(delta < pair.total_variation).sum()} of 200 points lie below the total "
                "variation; `SubsampledGaussianPair.tradeoff` is a closed form",
            ),
        ],
    )


def mu_interval(run: Run) -> Found:
    """Equation 2.4: μ from Clopper–Pearson limits."""
    tp, fp, n = 300, 40, 500
    share = 0.05 / 2
    alpha = beta_law.isf(share, fp + 1, n - fp)
    beta = beta_law.isf(share, n - tp + 1, tp)
    own = ndtri(1 - alpha) - ndtri(beta)
    found = wb.mu_from_counts(tp=tp, fp=fp, tn=n - fp, fn=n - tp, confidence=0.95).value
    line = Line(
        "μ of 300 true and 40 false positives of 500 each, less Φ⁻¹(1 − ᾱ) − Φ⁻¹(β̄)",
        "0",
        small(abs(found - own)),
        "pointwise 95%",
    )
    return Found(Verdict.EQUAL, [line])


def posterior(run: Run) -> Found:
    """Equation 2.5: the posterior mass between two curves."""
    tp, fp, n, mu = 400, 100, 500, 1.7
    counts = wb.Counts(tp=tp, fp=fp, tn=n - fp, fn=n - tp)
    rates = np.linspace(0, 1, 200_001)
    middle = (rates[:-1] + rates[1:]) / 2
    false = np.diff(betainc(fp + 0.5, n - fp + 0.5, rates))
    f = wb.GaussianPair(mu).tradeoff
    law = beta_law(n - tp + 0.5, tp + 0.5)
    own = float(false @ (law.cdf(1 - np.asarray(f(1 - middle))) - law.cdf(np.asarray(f(middle)))))
    found = wb.posterior_mass(counts, wb.GaussianPair(mu))
    lines = [
        Line(
            "mass between the curves of μ = 1.7, 100 and 100 errors of 500 each, less a sum over "
            "200,000 cells",
            "0",
            "≤ 1e-8" if abs(found - own) <= 1e-8 else f"{abs(found - own):.0e}",
            "approximate: a credibility",
            "print exchanges FP and FN; with a symmetric f and equal sizes the mass stays",
            Verdict.MISPRINT,
        )
    ]
    return Found(Verdict.EQUAL, lines)


def exposure(run: Run) -> Found:
    """The mean exposure of a canary, from the trade-off curve."""
    pair = wb.GaussianPair(1)
    auc = float(ndtr(1 / np.sqrt(2)))
    least = wb.exposure_limit(wb.ApproxDP(1, 1e-5), 1000)
    return Found(
        Verdict.AS_DESCRIBED,
        [
            Line(
                "mean exposure of one canary of two, μ = 1, less the area under the ROC curve",
                "a threshold attack approximates it",
                f"≤ {max(abs(wb.expected_exposure(pair, 2) - auc), 1e-3):.3f} bits",
                "exact, to the stated error",
            ),
            Line(
                "the most that (1, 1e-5)-DP allows of one of 1000, in bits",
                "not limited in print",
                f"{least:.2f}",
                "upper limit",
            ),
        ],
    )


def threshold_identity(run: Run) -> Found:
    """Lemma 6.1: the ε of a threshold is that of two bins."""
    rng, delta = run.rng(3), 1e-3
    differences = []
    for _ in range(50):
        fpr, tpr = np.sort(rng.uniform(0.05, 0.95, 2))
        epsilon = max(np.log((tpr - delta) / fpr), np.log((1 - fpr - delta) / (1 - tpr)))
        if epsilon <= 0:
            continue
        p, q = np.array([tpr, 1 - tpr]), np.array([fpr, 1 - fpr])
        two_bins = max(
            np.maximum(p - np.exp(epsilon) * q, 0).sum(),
            np.maximum(q - np.exp(epsilon) * p, 0).sum(),
        )
        differences += [two_bins - delta, epsilon - epsilon_of_point(fpr, 1 - tpr, delta)]
    worst = float(np.abs(differences).max())
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "hockey-stick divergence of two bins at the ε of eq. 6.2, less δ; 50 thresholds",
                "0",
                small(worst),
                "exact, to round-off",
            ),
            Line(
                "ε in the proof (Appendix E)",
                "(p₁ − δ)/q₁",
                "log((p₁ − δ)/q₁)",
                "exact",
                "the logarithm is missing in print",
                Verdict.MISPRINT,
            ),
        ],
    )


def laplace(run: Run) -> Found:
    """Appendix C: the trade-off function of the Laplace mechanism."""
    mu = 1.3
    printed = np.where(
        np.exp(-mu) / 2 > ALPHA,
        1 - np.exp(mu) * ALPHA,
        np.where(ALPHA <= 0.5, np.exp(-mu) / (4 * ALPHA), np.exp(-mu) * (1 - ALPHA)),
    )
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "trade-off function at μ = 1.3 less the three pieces",
                "0",
                small(largest(wb.LaplacePair(mu).tradeoff(ALPHA), printed)),
                "exact, to round-off",
            ),
            Line(
                "μ of noise of scale λ and sensitivity Δ (§5.3)",
                "λ/Δ",
                "Δ/λ",
                "exact",
                "with λ/Δ more noise would leak more",
                Verdict.MISPRINT,
            ),
        ],
    )


_PAIRS = "*Known pairs*; `wb.GaussianPair`"

SECTION = (
    Item(
        "Def. 1",
        "Indistinguishable distributions",
        "*Scores*; `wb.ApproxDP`",
        indistinguishable,
        True,
    ),
    Item(
        "Lemma 2",
        "Hockey-stick divergence and DP",
        "*Scores*; `wb.Histogram.hockey_stick`",
        indistinguishable,
        True,
    ),
    Item("Lemma 3", "The profile of two Gaussians", _PAIRS, gaussian_profile, True),
    Item(
        "Eq. 2.3",
        "Total variation",
        "*Scores*; `wb.Histogram.total_variation`; notebook 2",
        total_variation,
        True,
    ),
    Item(
        "Def. 4",
        "Trade-off functions",
        "*Scores*; `wb.TradeoffCurve`",
        partial(some, tradeoff, (0,)),
        True,
    ),
    Item(
        "Lemma 5",
        "What a trade-off function is",
        "*Known pairs*; `wb.TradeoffCurve`",
        partial(some, tradeoff, (0,)),
        True,
    ),
    Item(
        "Def. 6",
        "f-DP",
        "*Known pairs*; `wb.RandomizedResponsePair`",
        partial(some, tradeoff, (1,)),
        True,
    ),
    Item(
        "Lemma 7",
        "Trade-off function of a profile",
        "*Known pairs*; `wb.TradeoffCurve.from_profile`",
        partial(some, from_profile, (0,)),
        True,
    ),
    Item(
        "Alg. 1",
        "The same from 200 points",
        "*Known pairs*; `wb.TradeoffCurve.from_profile`",
        partial(some, from_profile, (1,)),
        True,
    ),
    Item("Def. 8", "Gaussian DP", _PAIRS, partial(some, tradeoff, (2,)), True),
    Item("Eq. 2.4", "μ from two error rates", "*Counts*; `wb.mu_from_counts`", mu_interval, True),
    Item(
        "Eq. 2.5",
        "Posterior mass of a region",
        "*Counts*; `wb.posterior_mass`; notebook 4",
        posterior,
        True,
    ),
)
THRESHOLDS = (
    Item(
        "§6",
        "The exposure metric of Carlini et al. (2019)",
        "*Scores*; `wb.expected_exposure`, `wb.exposure_limit`",
        exposure,
        True,
    ),
    Item(
        "Lemma 6.1",
        "A threshold is a histogram of two bins",
        "*Counts*; `wb.epsilon_from_counts`",
        threshold_identity,
        True,
    ),
)
APPENDIX = (
    Item(
        "App. C",
        "The Laplace mechanism",
        "*Known pairs*; `wb.LaplacePair`; notebook 5",
        laplace,
        True,
    ),
)
