"""TV §§2 to 5 and its appendices: theorems, each with a check, and Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.hist import definitions, estimation, one_parameter, random_canaries
from benchmarks.papers.hist.definitions import small
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.curves.error_rates import epsilon_of_point

#: An example that is enumerated: what is known of six records, and the probability with which a
#: released bit says truly whether a record is in the half.
KNOWN, TRUE = np.array([0, 0, 1, 1, 1, 2]), 0.7


def score_law(records: list[int], inside: bool) -> np.ndarray:
    """Law of the score of a record drawn from some: what is known of it, and its released bit."""
    law = np.zeros((KNOWN.max() + 1, 2))
    np.add.at(law, (KNOWN[records], 1 if inside else 0), TRUE / len(records))
    np.add.at(law, (KNOWN[records], 0 if inside else 1), (1 - TRUE) / len(records))
    return law.ravel()


def delta_of_substitution(epsilon: float) -> float:
    """δ(ε) of the release: a substitution changes two of its bits."""
    return float(max(TRUE**2 - np.exp(epsilon) * (1 - TRUE) ** 2, 0.0))


def divergence(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """The larger hockey-stick divergence of two laws."""
    a = np.exp(epsilon)
    return float(max(np.maximum(p - a * q, 0).sum(), np.maximum(q - a * p, 0).sum()))


def all_halves() -> Iterator[tuple[list[int], list[int]]]:
    """Each half of the records, and the other one."""
    for chosen in combinations(range(KNOWN.size), KNOWN.size // 2):
        yield list(chosen), [k for k in range(KNOWN.size) if k not in chosen]


def halves(run: Run) -> Found:
    """Theorem 3.2: with the half random, P and Q are (ε, δ)-close. All halves are enumerated."""
    laws = [
        (score_law(inside, True), score_law(outside, False)) for inside, outside in all_halves()
    ]
    p, q = (np.mean(side, axis=0) for side in zip(*laws, strict=True))
    lines = [
        Line(
            f"H at ε = {epsilon:g} of the scores pooled over all 20 halves of six records",
            f"at most δ = {delta_of_substitution(epsilon):.4f}",
            f"{divergence(p, q, epsilon):.4f}",
            "exact, enumerated",
        )
        for epsilon in (0.0, 0.4, 0.8)
    ]
    lines.append(
        Line(
            "the same at ε = 0.8, the largest of one half",
            "no theorem",
            f"{max(divergence(*law, 0.8) for law in laws):.4f}",
            "exact, enumerated",
            "the records of one half differ from the others, which no DP limits",
        )
    )
    return Found(Verdict.AS_DESCRIBED, lines)


def stability(run: Run) -> Found:
    """Theorem 3.4: one half exceeds δ by at most e^ε τ."""
    epsilon, excess, largest = 0.4, [], []
    for inside, outside in all_halves():
        p, q = score_law(inside, True), score_law(outside, False)
        replaced = score_law(inside, False)  # of a member, in a training without it
        tau = 0.5 * float(np.abs(replaced - q).sum())
        found = float(np.maximum(p - np.exp(epsilon) * q, 0).sum())
        excess.append(found - np.exp(epsilon) * tau)
        largest.append(found)
    lines = [
        Line(
            f"largest H at ε = {epsilon:g} of one half, less e^ε τ; 20 halves of six records",
            f"at most δ = {delta_of_substitution(epsilon):.4f}",
            f"{max(excess):.4f}",
            "exact, enumerated",
        ),
        Line(
            "the same without subtracting e^ε τ",
            "not limited",
            f"{max(largest):.4f}",
            "exact, enumerated",
            "τ is the distance of held-out scores from those that members would have if replaced; "
            "one training does not show it",
        ),
    ]
    return Found(Verdict.AS_DESCRIBED, lines)


def two_bins(run: Run) -> Found:
    """Lemma 3.1: an attack with a threshold is a histogram of two bins, exactly, for samples."""
    rng, delta = run.rng(4), 1e-3
    scores = wb.Scores(rng.normal(0, 1, 500), rng.normal(0.7, 1, 400), larger_is_member=False)
    worst = 0.0
    for threshold in np.linspace(-1, 1.5, 11):
        p = np.array([(scores.p < threshold).mean(), (scores.p >= threshold).mean()])
        q = np.array([(scores.q < threshold).mean(), (scores.q >= threshold).mean()])
        epsilon = float(epsilon_of_point(q[0], 1 - p[0], delta))
        if epsilon > 0:
            worst = max(worst, abs(divergence(p, q, epsilon) - delta))
    line = Line(
        "larger H of two bins at the ε of eq. 3.3, less δ; 11 thresholds",
        "0",
        small(worst),
        "exact, to round-off",
    )
    return Found(Verdict.EQUAL, [line])


def noisy_mean(run: Run) -> Found:
    """Theorem 3.3: the noisy mean of random unit vectors, scored by inner products."""
    mu, n = 1.0, 1000
    lines = []
    for d in (1000, 1_000_000):
        # A sum with noise of 1/μ; dividing it by n changes no order of scores.
        values = [
            wb.histogram(wb.simulate_canaries(d, n, 1 / mu, seed=s).scores).profile(0.5)
            for s in range(10)
        ]
        lines.append(
            Line(
                f"δ at ε = 0.5 of the scores, {n} vectors in {d:,} dimensions",
                f"to {wb.GaussianPair(mu).profile(0.5):.3f} as d grows",
                f"{np.mean(values):.3f}",
                "estimate, biased upward, mean of 10 runs",
            )
        )
    return Found(Verdict.AS_DESCRIBED, lines)


def projected(run: Run) -> Found:
    """Figure 1: two Gaussians in 1000 dimensions, scored by their projection."""
    d, n = 1000, 5000
    rng = run.rng(5)
    direction = rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    counts = (3, 5, 9, 17, 33, 65, 129, 257, 513)
    lines, curves = [], []
    for sigma, color in ((0.5, REFERENCE), (1.0, P), (2.0, THIRD), (5.0, Q)):
        x = sigma * rng.standard_normal((n, d), dtype=np.float32) + direction.astype(np.float32)
        y = sigma * rng.standard_normal((n, d), dtype=np.float32)
        scores = wb.Scores((x @ direction), (y @ direction))
        exact = wb.GaussianPair(1 / sigma).total_variation
        spread = (-3 * sigma, 1 + 3 * sigma)
        tv = [wb.histogram(scores, bins=k, range=spread).total_variation for k in counts]
        curves.append((sigma, color, exact, tv))
        lines.append(
            Line(
                f"TV with 33 bins, σ = {sigma:g}, {d} dimensions, exact {exact:.4f}",
                "near exact",
                f"{tv[counts.index(33)]:.4f}",
                f"estimate, {n} vectors on each side",
            )
        )

    def draw(panels: Any) -> None:
        (axes,) = panels
        for sigma, color, exact, tv in curves:
            axes.axhline(exact, color=color, ls="--", lw=1)
            axes.semilogx(counts, tv, "o-", color=color, ms=3, label=f"σ = {sigma:g}")
        axes.set(xlabel="bins", ylabel="estimated TV", ylim=(0, 0.75))
        axes.legend(frameon=False, ncols=2)

    caption = f"TV of two Gaussians in {d} dimensions by projected scores, and exact (dashed)."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-1", draw, caption, width=5.2),))


def correlations(run: Run) -> Found:
    """Lemmas C.1 to C.3: cosines of random directions."""
    rng = run.rng(6)
    n, d, draws = 12, 200, 4000
    x = rng.standard_normal((draws, n, d), dtype=np.float32)
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    cosines = np.einsum("kid,kjd->kij", x, x)
    upper = cosines[:, *np.triu_indices(n, 1)]
    fixed = np.abs(x[:, :, 0])  # cosines with a fixed vector
    t = 0.2
    shared = np.corrcoef(upper[:, 0], upper[:, 1])[0, 1]
    tail = float((fixed.max(axis=1) > t).mean())
    union = n * float((fixed > t).mean())
    return Found(
        Verdict.AS_DESCRIBED,
        [
            Line(
                f"share of largest cosines with a fixed vector above {t}, {n} vectors, d = {d}",
                "to 0 as d grows",
                f"{tail:.4f}, union bound {union:.4f}",
                "simulated",
            ),
            Line(
                "correlation of two cosines that share a vector",
                "0: independent",
                f"{shared:.2f}",
                "simulated",
            ),
        ],
    )


_HALF = "*Train models*; `wb.half_stability`, `wb.matched_pairs`; notebook 20"

THEOREMS = (
    Item(
        "Def. 1",
        "Indistinguishable distributions",
        "*Scores*; `wb.ApproxDP`",
        definitions.indistinguishable,
        True,
    ),
    Item(
        "Lemma 2",
        "Hockey-stick divergence and DP",
        "*Scores*; `wb.Histogram.hockey_stick`",
        definitions.indistinguishable,
        True,
    ),
    Item(
        "Lemma 3",
        "The profile of two Gaussians",
        "*Known pairs*; `wb.GaussianPair`",
        definitions.gaussian_profile,
        True,
    ),
    Item(
        "Eq. 2.3",
        "Total variation",
        "*Scores*; `wb.Histogram.total_variation`; notebook 2",
        definitions.total_variation,
        True,
    ),
    Item(
        "Lemma 3.1",
        "A threshold is a histogram of two bins",
        "*Counts*; `wb.epsilon_from_counts`",
        two_bins,
        True,
    ),
    Item("Thm. 3.2", "A random half", _HALF, halves, True),
    Item(
        "Thm. 3.3",
        "The noisy mean",
        "*One run*; `wb.simulate_canaries`; notebook 8",
        noisy_mean,
        True,
    ),
    Item("Thm. 3.4", "One half of a stable training", _HALF, stability, True),
    Item(
        "Thm. 4.1",
        "The rate of the estimate",
        "*Scores*; `wb.histogram`; notebook 2",
        estimation.rate,
        True,
    ),
    Item(
        "Cor. 4.2",
        "The bin width for Gaussians",
        "*Scores*; `wb.histogram`; notebook 2",
        estimation.scott_width,
        True,
    ),
    Item(
        "Fig. 1",
        "Gaussians in many dimensions",
        "*Scores*; `wb.bin_width_curve`; notebook 2",
        projected,
        True,
    ),
    Item(
        "Lemma 5.1",
        "Each divergence gives σ",
        "*Known pairs*; `wb.mu_from_profile`; notebook 6",
        one_parameter.invertible,
        True,
    ),
    Item(
        "Lemma 5.2",
        "Where the sensitivity is largest",
        "*Known pairs*; `wb.mu_from_profile`; notebook 6",
        one_parameter.peak,
        True,
    ),
    Item(
        "Fig. 2",
        "From TV to ε",
        "*Families*; `wb.pair_from_total_variation`, `wb.mu_from_total_variation`; notebook 6",
        one_parameter.epsilon_of_tv,
        True,
    ),
    Item(
        "Fig. 3",
        "Sensitivity against α",
        "*Known pairs*; `wb.gdp_fit`; notebook 6",
        one_parameter.sensitivity,
        True,
    ),
)
APPENDIX = (
    Item(
        "Lemma C.1",
        "The largest cosine with a fixed vector",
        "*One run*; `wb.simulate_canaries`; notebook 8",
        partial(definitions.some, correlations, (0,)),
        True,
    ),
    Item(
        "Lemma C.2",
        "Cosines are independent",
        "*One run*; `wb.simulate_canaries`; notebook 8",
        partial(definitions.some, correlations, (1,)),
        True,
    ),
    Item(
        "Lemma C.3",
        "The largest cosine",
        "*One run*; `wb.simulate_canaries`; notebook 8",
        random_canaries.largest_angle,
        True,
    ),
)
