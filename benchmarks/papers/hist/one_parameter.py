"""One parameter from one divergence: HIST §7 with Figures 7 and 14, and the same parts of TV."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

DELTA = 1e-5


def density(x: Any) -> Any:
    """Of the standard normal distribution."""
    return np.exp(-np.square(x) / 2) / np.sqrt(2 * np.pi)


def slope(sigma: float, alpha: float) -> float:
    """|F'_α(σ)| of two Gaussians, by the closed form φ(σ log α − 1/(2σ))/σ²."""
    return float(density(sigma * np.log(alpha) - 0.5 / sigma)) / sigma**2


def by_difference(sigma: float, alpha: float, step: float = 1e-5) -> float:
    """The same by a central difference of the profile."""
    high, low = (
        float(wb.GaussianPair(1 / s).hockey_stick(np.log(alpha)))
        for s in (sigma - step, sigma + step)
    )
    return (high - low) / (2 * step)


def standard_error(mu: float, epsilon: Any) -> Any:
    """√n times the standard error of μ that H at ε gives."""
    p, q = ndtr(mu / 2 - epsilon / mu), ndtr(-mu / 2 - epsilon / mu)
    noise = np.sqrt(p * (1 - p) + np.exp(2 * epsilon) * q * (1 - q))
    return noise / density(epsilon / mu - mu / 2)


def invertible(run: Run) -> Found:
    """H at each α falls with σ."""
    sigmas = np.geomspace(0.1, 50, 400)
    rises = []
    for alpha in (0.5, 1.0, 1.5, 4.0):
        mu = 1 / sigmas
        found = [float(wb.GaussianPair(m).hockey_stick(np.log(alpha))) for m in mu]
        rises.append(np.diff(found).max())
    line = Line(
        "largest growth of H with σ, 0.1 ≤ σ ≤ 50, α = 0.5, 1, 1.5, 4",
        "< 0",
        "none" if max(rises) <= 1e-12 else f"{max(rises):.0e}",
        "exact, on 400 values",
    )
    back = max(
        abs(wb.mu_from_profile(float(wb.GaussianPair(m).hockey_stick(e)), e) - m)
        for m in (0.1, 1.0, 4.0)
        for e in (0.0, 0.5)
    )
    inverse = Line(
        "error of μ from H and back, μ = 0.1, 1, 4 and ε = 0, 0.5",
        "0",
        "≤ 1e-9" if back <= 1e-9 else f"{back:.0e}",
        "exact, to round-off",
    )
    return Found(Verdict.EQUAL, [line, inverse])


def peak(run: Run) -> Found:
    """Where |F'_α(σ)| is largest."""
    lines = []
    for sigma in (5.0, 1.5, 0.8):
        exact, end = np.exp(0.5 / sigma**2), np.exp(0.5 / sigma)
        near = exact * np.array([0.99, 1.0, 1.01])
        left, top, right = (by_difference(sigma, alpha) for alpha in near)
        lines.append(
            Line(
                f"α of the peak, σ = {sigma:g}",
                f"in [1, {end:.3f}]" if sigma > 1 else "σ > 1 only",
                f"{exact:.3f}",
                "exact; a difference quotient falls on both sides"
                if top > max(left, right)
                else "exact",
                ""
                if sigma > 1
                else f"e^(1/(2σ²)) is the peak for every σ; here e^(1/(2σ)) is {end:.3f}",
            )
        )
    lines.append(
        Line(
            "exponents of the derivative (HIST J.1, TV G.1)",
            "(1/(2σ) ∓ log α)²",
            "(1/(2σ) ∓ σ log α)²",
            "exact",
            "a σ is lost in print; with it the derivative is 0 at log α = 1/(2σ²)",
            Verdict.MISPRINT,
        )
    )
    return Found(Verdict.TIGHTER, lines)


def sensitivity(run: Run) -> Found:
    """|F'_α(σ)| at σ = 5, and why TV is a good choice for every σ."""
    sigma = 5.0
    alphas = np.linspace(0.8, 1.3, 101)
    lines = [
        Line(
            "α of the peak at σ = 5",
            "near 1",
            f"{np.exp(0.5 / sigma**2):.4f}",
            "exact",
        ),
        Line(
            "closed form less a difference quotient, σ = 5, α = 1.1",
            "0",
            "≤ 1e-7" if abs(slope(sigma, 1.1) - by_difference(sigma, 1.1)) <= 1e-7 else "differs",
            "exact",
        ),
    ]
    for mu in (0.2, 1.0, 3.0):
        lines.append(
            Line(
                f"√n · standard error of μ = {mu:g} by TV, and at the most sensitive α",
                "not considered",
                f"{standard_error(mu, 0.0):.2f} and {standard_error(mu, mu**2 / 2):.2f}",
                "asymptotic",
                ""
                if mu < 1
                else "e^ε also multiplies the noise; TV is best by its error, not by its "
                "sensitivity",
                Verdict.TIGHTER,
            )
        )

    def draw(panels: Any) -> None:
        left, right = panels
        left.plot(alphas, [slope(sigma, a) for a in alphas], color=P)
        left.axvline(1, color=REFERENCE, ls="--", lw=1)
        left.set(xlabel="α", ylabel="|F'(σ)| at σ = 5")
        epsilon = np.linspace(-1, 6, 200)
        right.plot(epsilon, standard_error(3.0, epsilon), color=Q)
        right.axvline(0, color=REFERENCE, ls="--", lw=1)
        right.set(xlabel="ε = log α", ylabel="√n · standard error of μ = 3", ylim=(0, 10))

    caption = "Left: sensitivity, near its peak at α = 1 for σ = 5. Right: the error of μ = 3."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("sensitivity", draw, caption, columns=2),))


def epsilon_of_tv(run: Run) -> Found:
    """TV against ε at δ = 1e-5 and against σ."""
    tv = np.linspace(0.001, 0.95, 96)
    epsilon = [wb.GaussianPair(mu).epsilon(DELTA) for mu in wb.mu_from_total_variation(tv)]
    sigmas = np.geomspace(0.3, 5, 60)
    rates = (0.25, 0.5, 1.0)
    of_sigma = {q: [q * wb.GaussianPair(1 / s).total_variation for s in sigmas] for q in rates}

    def from_noise(sigma: float) -> float:
        return wb.GaussianPair(1 / sigma).total_variation - 0.3

    own = 1 / brentq(from_noise, 0.1, 20)
    lines = [
        Line(
            "ε at δ = 1e-5 for TV = 0.1, 0.2, 0.4, Gaussian",
            "a curve",
            ", ".join(
                f"{wb.GaussianPair(wb.mu_from_total_variation(t)).epsilon(DELTA):.3f}"
                for t in (0.1, 0.2, 0.4)
            ),
            "exact, if Gaussian",
        ),
        Line(
            "μ of TV = 0.3 less a root of eq. 5.1, corrected",
            "0",
            "≤ 1e-9" if abs(wb.mu_from_total_variation(0.3) - own) <= 1e-9 else "differs",
            "exact",
        ),
        Line(
            "TV at σ = 0.3, q = 0.25, 0.5, 1",
            "a curve",
            ", ".join(f"{values[0]:.4f}" for values in of_sigma.values()),
            "exact",
        ),
    ]

    def draw(panels: Any) -> None:
        left, right = panels
        left.plot(tv, epsilon, color=P)
        left.set(xlabel="TV", ylabel="ε at δ = 1e-5", title="Gaussian")
        for (q, values), color in zip(of_sigma.items(), (P, THIRD, Q), strict=True):
            right.semilogx(sigmas, values, color=color, label=f"q = {q:g}")
        right.set(xlabel="σ", ylabel="TV", title="Subsampled Gaussian")
        right.legend(frameon=False)

    caption = "ε of a Gaussian pair with this TV, and TV of the subsampled Gaussian against σ."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("tv-and-epsilon", draw, caption, columns=2),))


def sigma_of(tv: float, rate: float) -> float:
    """σ of a subsampled Gaussian with a known sampling rate, from its TV."""
    return float(1 / wb.mu_from_total_variation(tv / rate))


def example(run: Run) -> Found:
    """HIST §7.1: a million scores on each side, 20 bins, 99.99% confidence."""
    rate, truth = 0.25, wb.SubsampledGaussianPair(0.25, 0.3)
    scores = truth.sample(1_000_000, seed=run.seed)
    histogram = wb.histogram(scores, bins=20, range=(-1, 2))
    limits = wb.hockey_stick_limits(histogram, confidence=0.9999, method="canonne")
    tau = limits[1].value - histogram.total_variation
    sharper = wb.hockey_stick_limits(histogram, confidence=0.9999)
    family = wb.family_fit(scores, "subsampled-gaussian", 0.9999, rate)
    both = "one side's error is printed, and both samples have one"
    ends = [sigma_of(0.2256 + tau, rate), sigma_of(0.2256 - tau, rate)]
    return Found(
        Verdict.MISPRINT,
        [
            Line(
                "TV of 20 bins",
                "0.2256",
                histogram.total_variation,
                "estimate",
                "another draw" if abs(histogram.total_variation - 0.2256) >= 5e-5 else "",
                Verdict.AS_DESCRIBED,
            ),
            Line(
                "σ of TV = 0.2256",
                "0.302",
                sigma_of(0.2256, rate),
                "exact, if q = 0.25",
                "",
                Verdict.EQUAL,
            ),
            Line(
                "half width of the TV interval, 99.99%",
                "0.005",
                tau,
                "pointwise 99.99%, bins fixed in advance",
                both,
            ),
            Line(
                "lower end for σ, from the printed TV",
                "0.285",
                ends[0],
                "pointwise 99.99%, if q = 0.25",
                both,
            ),
            Line(
                "upper end for σ, from the printed TV",
                "0.32",
                ends[1],
                "pointwise 99.99%, if q = 0.25",
                both,
            ),
            Line(
                "interval for σ by McDiarmid's inequality",
                "not used",
                f"[{sigma_of(sharper[1].value, rate):.3f}, {sigma_of(sharper[0].value, rate):.3f}]",
                "pointwise 99.99%, if q = 0.25",
                "",
                Verdict.TIGHTER,
            ),
            Line(
                "interval for σ by `family_fit`, no bins",
                "not used",
                f"[{1 / family.upper:.3f}, {1 / family.lower:.3f}]",
                "simultaneous 99.99%, if q = 0.25",
                "",
                Verdict.TIGHTER,
            ),
            Line(
                "interval around TV",
                "0.302 ± 0.005",
                "0.2256 ± 0.005",
                "–",
                "σ is printed in place of TV",
                Verdict.MISPRINT,
            ),
        ],
    )


def figure_14(run: Run) -> Found:
    """HIST Figure 14, with its caption."""
    found = epsilon_of_tv(run)
    caption = Line(
        "pair of the figure",
        "Gaussian (caption)",
        "subsampled Gaussian (text)",
        "–",
        "caption and text differ; both curves are drawn",
        Verdict.MISPRINT,
    )
    return Found(found.verdict, [*found.lines, caption], found.charts)


SECTION = (
    Item(
        "Lemma 7.1",
        "Each divergence gives σ",
        "*Known pairs*; `wb.mu_from_profile`; notebook 6",
        invertible,
        True,
    ),
    Item(
        "Lemma 7.2",
        "Where the sensitivity is largest",
        "*Known pairs*; `wb.mu_from_profile`; notebook 6",
        peak,
        True,
    ),
    Item(
        "Fig. 7",
        "Sensitivity against α",
        "*Known pairs*; `wb.gdp_fit`; notebook 6",
        sensitivity,
        True,
    ),
    Item("§7.1", "The numerical example", "*Families*; `wb.family_fit`; notebook 6", example, True),
)
FIGURE = (
    Item(
        "Fig. 14",
        "From TV to σ and to ε",
        "*Families*; `wb.pair_from_total_variation`, `wb.mu_from_total_variation`; notebook 6",
        figure_14,
        True,
    ),
)
