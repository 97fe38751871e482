"""HIST Figures 1, 2, 3, 5 and 13: the subsampled Gaussian with q = 0.25, σ = 0.3."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.integrate import IntegrationWarning, dblquad
from scipy.special import betaln, ndtr

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

PAIR, SIGMA, CONFIDENCE = wb.SubsampledGaussianPair(0.25, 0.3), 0.3, 0.95
#: Both error rates are at least this where the paper's search for μ ended.
FLOOR = 3.17e-5
ALPHA = np.unique(np.r_[np.logspace(-5, -1, 50), np.linspace(0, 1, 201)])
THRESHOLDS = np.linspace(-0.75, 1.3, 24)


def by_threshold(run: Run) -> Found:
    """Figure 1: μ at every threshold, 10,000 scores on each side."""
    scores = PAIR.sample(10_000, seed=run.seed)
    z = np.linspace(-0.5, 1.5, 81)
    exact, limit = PAIR.local_mu(ndtr(-z / SIGMA)), wb.error_rates(scores, z, CONFIDENCE).mu_lower
    band = wb.mu_lower_bound(scores, CONFIDENCE)

    def draw(panels: Any) -> None:
        (axes,) = panels
        axes.plot(z, exact, color=REFERENCE, ls="--", label="exact")
        axes.plot(z, limit, "o", color=P, ms=3, label="pointwise limits, 95%")
        axes.axhline(band.value, color=THIRD, label="simultaneous, 95%")
        axes.set(xlabel="threshold z", ylabel="μ", ylim=(-0.2, 3))
        axes.legend(frameon=False)

    caption = "μ of the attack at each threshold: exact, and by Clopper–Pearson limits."
    lines = [
        Line(
            "μ at threshold 0 and at 1.2",
            "not equal",
            f"{exact[20]:.2f} and {exact[68]:.2f}",
            "exact",
        ),
        Line(
            "largest of 81 pointwise limits, 10,000 scores each",
            "well below 2.475",
            f"{limit.max():.2f}",
            "pointwise 95%; their largest is no bound",
        ),
        Line("μ over all thresholds at once", "none", band.rounded, "simultaneous 95%"),
    ]
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-1", draw, caption, width=5.2),))


def tight_mu(run: Run) -> Found:
    """Figure 13, Appendix A and §3: the tight μ, and where the search for it ended."""
    mu = PAIR.gdp_mu(floor=FLOOR)
    far = [(floor, PAIR.gdp_mu(floor=floor)) for floor in (1e-8, 1e-12, 1e-300)]
    met = wb.meeting_point(PAIR, FLOOR)
    epsilon = np.linspace(0, 20, 201)
    drawn = [(PAIR.profile(epsilon), REFERENCE, "-", "subsampled Gaussian")]
    for label, value, color in (("3.17e-5", mu, P), ("1e-12", far[1][1], Q)):
        profile = wb.GaussianPair(value).profile(epsilon)
        drawn.append((profile, color, "--", f"Gaussian, μ = {value:.3f}, floor {label}"))

    def draw(panels: Any) -> None:
        (axes,) = panels
        for delta, color, style, label in drawn:
            axes.semilogy(epsilon, delta, color=color, ls=style, label=label)
        axes.set(xlabel="ε", ylabel="δ", ylim=(1e-8, 1))
        axes.legend(frameon=False)

    lines = [
        Line(
            "tight μ, both error rates at least 3.17e-5",
            "2.475",
            mu,
            "exact, over this range",
            "1/0.404 is where a numerical search ended; no Gaussian touches the profile, and the "
            "local μ rises to 1/σ = 3.33 as the rates go to 0",
        ),
        *(
            Line(
                f"the same, at least {floor:g}",
                "not printed",
                f"{value:.3f}",
                "exact",
                "",
                Verdict.TIGHTER,
            )
            for floor, value in far
        ),
    ]
    if met is not None:
        word = "touch" if met.tangent else "cross"
        where = f"they {word} at ε = {met.epsilon:.2f}, δ = {met.delta:.2g}"
        why = "a point of equal value and slope does not exist for this pair"
        lines.append(
            Line("profiles of the pair and of the Gaussian", "touch (eq. A.1)", where, "exact", why)
        )
    caption = "Profiles of the pair and of Gaussians with the tight μ of two floors."
    return Found(Verdict.MISPRINT, lines, (Chart("fig-13", draw, caption, width=5.6),))


def _counts(scores: wb.Scores, threshold: float) -> wb.Counts:
    tp, fp = (int(c) for c in scores.tail_counts(threshold))
    return wb.Counts(tp=tp, fp=fp, tn=scores.n_q - fp, fn=scores.n_p - tp)


def _density(a: float, b: float) -> Callable[[Any], Any]:
    scale = betaln(a, b)
    return lambda x: np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - scale)


def _by_dblquad(counts: wb.Counts, f: Callable[[Any], Any]) -> float:
    u = _density(counts.fp + 0.5, counts.tn + 0.5)
    v = _density(counts.fn + 0.5, counts.tp + 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)
        return float(dblquad(lambda y, x: u(x) * v(y), 0, 1, f, lambda x: 1 - f(1 - x))[0])


def _by_grid(counts: wb.Counts, f: Callable[[Any], Any], cells: int = 1000) -> float:
    u = _density(counts.fp + 0.5, counts.tn + 0.5)
    v = _density(counts.fn + 0.5, counts.tp + 0.5)
    x = (np.arange(cells) + 0.5) / cells
    inside = (x >= f(x)[:, None]) & (x <= 1 - f(1 - x)[:, None])
    return float(u(x) @ inside @ v(x) / cells**2)


@lru_cache(maxsize=4)
def _masses(sigma: float, seed: int) -> np.ndarray:
    """Posterior mass at each threshold: exact, by dblquad, and on a grid."""
    scores, claim = PAIR.sample(100_000, seed=seed), wb.SubsampledGaussianPair(0.25, sigma)
    exact = wb.posterior_over_thresholds(scores, claim, THRESHOLDS).mass
    table = np.linspace(0, 1, 4001)
    values = claim.tradeoff(table)

    def f(x: Any) -> Any:
        return np.interp(x, table, values)

    counts = [_counts(scores, threshold) for threshold in THRESHOLDS]
    others = [(_by_dblquad(c, f), _by_grid(c, f)) for c in counts]
    return np.column_stack([exact, *zip(*others, strict=True)])


def _posterior(
    run: Run, sigma: float, name: str, lines: Callable[[np.ndarray], list[Line]]
) -> Found:
    masses = _masses(sigma, run.seed)

    def draw(panels: Any) -> None:
        (axes,) = panels
        axes.plot(THRESHOLDS, masses[:, 1], "s", color=Q, ms=4, label="dblquad")
        axes.plot(THRESHOLDS, masses[:, 2], "x", color=THIRD, ms=6, label="grid")
        axes.plot(THRESHOLDS, masses[:, 0], color=P, label="exact")
        axes.set(xlabel="threshold", ylabel="posterior mass inside", ylim=(-0.05, 1.3))
        axes.set_title(f"σ = {sigma:g}")
        axes.legend(frameon=False)

    caption = (
        f"Posterior mass of the region that σ = {sigma:g} allows, over the threshold; 100,000 "
        "scores on each side of σ = 0.3. A mass near 1 is no evidence."
    )
    return Found(Verdict.TIGHTER, lines(masses), (Chart(name, draw, caption, width=5.2),))


def _wrong(masses: np.ndarray, column: int) -> str:
    count = int((np.abs(masses[:, column] - masses[:, 0]) > 0.5).sum())
    return f"{count} of {len(masses)}"


def false_claim(run: Run) -> Found:
    """Figure 2: σ = 0.35 promises too much."""

    def lines(masses: np.ndarray) -> list[Line]:
        return [
            Line(
                "smallest mass over the thresholds, σ = 0.35",
                "0: the claim is false",
                f"{masses[:, 0].min():.1g}",
                "approximate: a credibility, computed exactly",
                "",
                Verdict.AS_DESCRIBED,
            ),
            Line(
                "thresholds at which dblquad is off by more than 1/2",
                "none named",
                _wrong(masses, 1),
                "count",
                "a narrow posterior is missed by a two-dimensional rule",
            ),
        ]

    return _posterior(run, 0.35, "fig-2", lines)


def true_claim(run: Run) -> Found:
    """Figure 3: σ = 0.29 is true, and both integrators of the paper refute it."""

    def lines(masses: np.ndarray) -> list[Line]:
        why = "eq. 2.5 is one-dimensional: the inner integral is a distribution function"
        return [
            Line(
                "smallest mass over the thresholds, σ = 0.29",
                "integrators wrong",
                f"{masses[:, 0].min():.3f}",
                "approximate: a credibility, computed exactly",
                why,
            ),
            Line(
                "thresholds at which dblquad is off by more than 1/2",
                "some",
                _wrong(masses, 1),
                "count",
            ),
            Line(
                "thresholds at which a grid is off by more than 1/2",
                "some",
                _wrong(masses, 2),
                "count",
            ),
            Line(
                "σ of the figure",
                "0.35 (caption)",
                "0.29 (text)",
                "–",
                "the caption repeats that of Fig. 2",
                Verdict.MISPRINT,
            ),
        ]

    return _posterior(run, 0.29, "fig-3", lines)


def estimated(run: Run) -> Found:
    """Figure 5: the trade-off curve from 100,000 scores on each side."""
    scores = PAIR.sample(100_000, seed=run.seed)
    histogram = wb.histogram(scores, bins=100, range=(-1.2, 2.2))
    band = wb.tradeoff_band(scores, CONFIDENCE)
    gaussian = wb.GaussianPair(wb.gdp_fit(PAIR, "tv").value)
    return _curves(
        PAIR,
        {"histogram": histogram, "band": band, "Gaussian of the same TV": gaussian},
        "fig-5",
        "accurate",
    )


def laplace(run: Run) -> Found:
    """Figure 6: the Laplace mechanism, 100,000 scores on each side and 100 bins."""
    pair = wb.LaplacePair(1.0)
    scores = pair.sample(100_000, seed=run.seed)
    histogram = wb.histogram(scores, bins=100, range=(-6, 7))
    band = wb.tradeoff_band(scores, CONFIDENCE)
    return _curves(pair, {"histogram": histogram, "band": band}, "fig-6", "accurate")


def _curves(pair: wb.Pair, found: dict[str, Any], name: str, printed: str) -> Found:
    exact = np.asarray(pair.tradeoff(ALPHA))
    drawn = {key: np.asarray(curve.tradeoff(ALPHA)) for key, curve in found.items()}
    guarantees = {"histogram": "estimate", "band": "simultaneous 95%, from above"}
    lines = []
    for key, curve in drawn.items():
        gap = np.abs(curve - exact)
        inner = gap[ALPHA >= 1e-3].max()
        lines.append(
            Line(
                f"largest distance from the exact curve: {key}",
                printed if key == "histogram" else "not shown",
                f"{gap.max():.3f}; at false positive rates ≥ 0.001 {inner:.3f}",
                guarantees.get(key, "exact"),
            )
        )
    colors = dict(zip(drawn, (P, THIRD, Q), strict=False))

    def draw(panels: Any) -> None:
        (axes,) = panels
        for key, curve in drawn.items():
            axes.plot(ALPHA, curve, color=colors[key], label=key)
        axes.plot(ALPHA, exact, color=REFERENCE, ls="--", label="exact")
        axes.set(xlabel="False positive rate", ylabel="False negative rate")
        axes.legend(frameon=False)

    caption = f"{pair.name}: trade-off curves from 100,000 scores on each side."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart(name, draw, caption, width=5.2),))


FIRST = (
    Item(
        "Fig. 1",
        "μ at every threshold",
        "*Scores*; `wb.error_rates`; notebook 4",
        by_threshold,
        True,
    ),
    Item(
        "Fig. 2",
        "Posterior mass over thresholds, a false claim",
        "*Scores*; `wb.posterior_over_thresholds`; notebook 4",
        false_claim,
        True,
    ),
    Item(
        "Fig. 3",
        "Posterior mass over thresholds, a true claim",
        "*Scores*; `wb.posterior_over_thresholds`; notebook 4",
        true_claim,
        True,
    ),
)
ESTIMATES = (
    Item(
        "Fig. 5",
        "The subsampled Gaussian from scores",
        "*Scores*; `wb.histogram`; notebook 4",
        estimated,
        True,
    ),
    Item(
        "Fig. 6",
        "The Laplace mechanism from scores",
        "*Known pairs*; `wb.histogram`; notebook 5",
        laplace,
        True,
    ),
)
LAST = (
    Item("Fig. 13", "The tight μ", "*Known pairs*; `wb.meeting_point`; notebook 8", tight_mu, True),
)
