"""Theorems, examples and algorithms of SELECT, and the bound for any score."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import ndtr

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, P
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run

selection = wb.selection
DELTA = 1e-5


def worked_example() -> wb.selection.FiniteSelection:
    """Example 1: three outcomes, a geometric number of runs."""
    b, d, e = 1e-3, 100, math.e
    p, q = (1 - b * e - d * b, b * e, d * b), (1 - b - d * b * e, b, d * b * e)
    return selection.FiniteSelection(selection.NegativeBinomial(1, 1e-3), p, q)


def example(run: Run) -> Found:
    """Six probabilities, and how tight the generic bound is."""
    three = worked_example()
    printed = (
        ("A with X", "8.66e-03", three.released_p[0]),
        ("B with X", "2.60e-04", three.released_p[1]),
        ("C with X", "9.91e-01", three.released_p[2]),
        ("A with X′", "2.66e-03", three.released_q[0]),
        ("B with X′", "1.34e-05", three.released_q[1]),
        ("C with X′", "9.97e-01", three.released_q[2]),
    )
    lines = [Line(f"probability of {name}", p, float(x), "exact") for name, p, x in printed]
    generic = selection.generic_pure_epsilon(three.runs, 1.0)
    return Found(
        Verdict.EQUAL,
        [
            *lines,
            Line("pure ε of the selection", "2.96", three.epsilon(0), "exact"),
            Line("generic bound on it", "3", generic, "upper bound for any score"),
            Line(
                "ε at δ = 1e-5", "2.92", float(f"{three.epsilon(DELTA) - 5e-3:.2f}"), "exact, cut"
            ),
        ],
    )


def output_law(run: Run) -> Found:
    """Theorem 2 against the sum over all outcomes of all runs."""
    rng, worst = run.rng(2), 0.0
    for _ in range(20):
        p, scores = rng.dirichlet(np.ones(3)), rng.permutation(3).astype(float)
        chance = rng.dirichlet(np.ones(3))
        runs = selection.Table({1: chance[0], 2: chance[1], 4: chance[2]})
        law = np.zeros(3)
        for k, share in zip((1, 2, 4), chance, strict=True):
            for seen in itertools.product(range(3), repeat=k):
                best = seen[int(np.argmax(scores[list(seen)]))]
                law[best] += share * p[list(seen)].prod()
        found = selection.FiniteSelection(runs, p, p[::-1], scores).released_p
        worst = max(worst, float(np.abs(found - law).max()))
    stated = "at most 1e-14" if worst < 1e-14 else f"{worst:.1e}"
    line = Line("largest difference to the sum over all runs", "0", stated, "exact, 20 draws")
    return Found(Verdict.EQUAL, [line])


def one_to_one(run: Run) -> Found:
    """Theorem 5.1: some strict order leaks at least as much as a tie; not the monotone one."""
    rng, never = run.rng(51), True
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        k = selection.PointMass(int(rng.integers(2, 6)))
        tied = selection.FiniteSelection(k, p, q, [0, 0, 1, 1]).renyi_divergence(3.0)
        strict = max(
            selection.FiniteSelection(k, p, q, order).renyi_divergence(3.0)
            for order in itertools.permutations(range(4))
        )
        never &= strict >= tied - 1e-12
    lines = [
        Line(
            "some strict order leaks at least as much as a tie, 20 draws",
            "always",
            "always" if never else "not always",
            "exact",
            verdict=Verdict.EQUAL,
        )
    ]
    why = (
        "the theorem says that some strict order is at least as leaky as a tie, not that the "
        "monotone one is the worst; the worst score lies between the worst order found and the "
        "bound by composition"
    )
    for runs, mu in (
        (selection.TwoPoint(10, 0.1), 0.2472),
        (selection.TwoPoint(100, 0.01), 0.8639),
        (selection.PointMass(20), 0.5),
        (selection.NegativeBinomial(1, 0.01), 0.5),
    ):
        worst = selection.worst_order(runs, mu, delta=DELTA)
        limit = selection.epsilon(runs, mu, delta=DELTA, bound="any")
        lines.append(
            Line(
                f"the worst score evaluator, {runs.name}, μ = {mu:g}",
                "the monotone one",
                f"monotone {worst.monotone:.3f}, an order {float(worst):.3f}, any ≤ "
                f"{limit.value:.3f}",
                "exact, lower and upper bound",
                why,
            )
        )
    return Found(Verdict.NOT_REPRODUCED, lines)


def monotone_alike(run: Run) -> Found:
    """Proposition 3: all increasing scores are alike; on a Gaussian, decreasing ones are, too."""
    lines = []
    for runs in (selection.TwoPoint(10, 0.1), selection.NegativeBinomial(0, 0.01)):
        up, down = (
            selection.tradeoff_curve(runs, 0.8639, score=selection.Monotone(way)).epsilon(DELTA)
            for way in (True, False)
        )
        lines.append(
            Line(
                f"ε of increasing and decreasing scores, {runs.name}, μ = 0.8639",
                "equal",
                "equal" if abs(up - down) < 1e-6 else f"{up:.4f}, {down:.4f}",
                "exact",
            )
        )
    return Found(Verdict.EQUAL, lines)


def algorithm_3(run: Run) -> Found:
    """Algorithm 3, and the hockey-stick divergence of its two densities."""
    runs, mu = selection.TwoPoint(10, 0.1), math.sqrt(500) / 90.458
    renyi = selection.epsilon(runs, mu, delta=DELTA, bound="renyi").value
    direct = selection.epsilon(runs, mu, delta=DELTA).value
    return Found(
        Verdict.TIGHTER,
        [
            Line("Rényi, L = 10, s = 0.1, μ = √500/90.458", "1.12", renyi,
                 "upper bound if scores are monotone", verdict=Verdict.EQUAL),
            Line("the same by the hockey-stick divergence", "1.12", direct,
                 "exact if scores are monotone", "no Rényi divergence has to be converted"),
        ],
    )  # fmt: skip


def reductions(run: Run) -> Found:
    """Eq. 19 and Corollary 7, the two reductions of DP-SGD to one Gaussian."""
    lines = []
    for sigma, rate in ((90.458, 1.0), (9.152, 0.1)):
        s = 1 / sigma
        simple = rate * math.sqrt(500) / sigma
        inside = math.exp(s * s) * ndtr(1.5 * s) + 3 * ndtr(-0.5 * s) - 2
        limit = math.sqrt(2 * inside) * rate * math.sqrt(500)
        for kind, value in (("O", simple), ("G", limit)):
            ours = selection.reduced_mu(sigma, rate, 500, kind)
            what = f"μ-{kind}, σ = {sigma:g}, τ = {rate:g}, N = 500"
            lines.append(
                Line(what, f"{value:.4f}", ours, "exact" if rate == 1 else "approximation")
            )
    return Found(Verdict.EQUAL, lines)


def generic(run: Run) -> Found:
    """Theorems A.1 and A.2: the generic bounds of Papernot and Steinke."""
    geometric = selection.epsilon(
        selection.NegativeBinomial(1, 1e-3),
        base=wb.RandomizedResponsePair(1.0, 0.0),
        delta=DELTA,
        bound="generic",
    ).value
    pure = "the print converts pure differential privacy; ours uses the Rényi divergences of (1, 0)"
    poisson = selection.epsilon(selection.Poisson(20), 0.5, delta=DELTA, bound="generic").value
    return Found(
        Verdict.TIGHTER,
        [
            Line("geometric, ν = 1e-3, a (1, 0)-DP base, δ = 1e-5", "3.11", geometric,
                 "upper bound for any score", pure),
            Line("Poisson, mean 20, μ = 0.5, δ = 1e-5", "no number", poisson,
                 "upper bound for any score", verdict=Verdict.AS_DESCRIBED),
        ],
    )  # fmt: skip


def random_case(rng: np.random.Generator) -> tuple[wb.selection.RunCount, float, float]:
    """A distribution of the number of runs, μ and δ."""
    kind = rng.integers(5)
    if kind == 0:
        runs: wb.selection.RunCount = selection.PointMass(int(rng.integers(1, 60)))
    elif kind == 1:
        runs = selection.TwoPoint(int(rng.integers(2, 60)), float(rng.uniform(0.01, 0.99)))
    elif kind == 2:
        k = np.unique(rng.integers(0, 40, 6))
        runs = selection.Table(dict(zip(k.tolist(), rng.dirichlet(np.ones(k.size)), strict=True)))
    elif kind == 3:
        runs = selection.Poisson(float(10 ** rng.uniform(-0.5, 1.5)))
    else:
        mean = float(10 ** rng.uniform(0.1, 1.5))
        runs = selection.NegativeBinomial.from_mean(float(rng.uniform(0, 3)), mean)
    return runs, float(10 ** rng.uniform(-1.3, 0.5)), float(10 ** rng.uniform(-9, -1.5))


def any_score(run: Run) -> Found:
    """The bound by composition, which holds for any score, above the worst order found."""
    rng = run.rng(13)
    drawn = []
    for _ in range(200):
        runs, mu, delta = random_case(rng)
        worst = float(selection.worst_order(runs, mu, delta=delta))
        limit = selection.epsilon(runs, mu, delta=delta, bound="composition").value
        drawn.append((worst, limit))
    worst, limit = np.array(drawn).T
    below = int((limit < worst).sum())
    lines = [
        Line("draws of (ξ, μ, δ) in which it is below the worst order found", "–",
             f"{below} of 200", "upper and lower bound"),
    ]  # fmt: skip
    for runs, mu, known in (
        (selection.PointMass(20), 0.5, "no bound"),
        (selection.TwoPoint(10, 0.1), 0.2472, "no bound"),
    ):
        found = selection.epsilon(runs, mu, delta=DELTA, bound="composition").value
        lines.append(
            Line(f"any score, {runs.name}, μ = {mu:g}", known, found, "upper bound for any score")
        )

    def draw(panels: list) -> None:
        axes = panels[0]
        axes.loglog(worst, limit, ".", color=P)
        axes.loglog([worst.min(), limit.max()], [worst.min(), limit.max()], color=REFERENCE, lw=1)
        axes.set(xlabel="worst order found, at least", ylabel="composition, at most")

    chart = Chart("composition", draw, "200 random (ξ, μ, δ): ε of the worst order found, a lower "
                  "bound, and by composition, an upper bound for any score.")  # fmt: skip
    return Found(Verdict.TIGHTER, lines, (chart,))


PAGE = "*Best-run selection*; "
ITEMS = (
    Item("Example 1", "Three outcomes", f"{PAGE}`wb.selection.FiniteSelection`; notebook 11",
         example, quick=True),
    Item("Thm. 2", "Distribution of the release", "`wb.selection.FiniteSelection`; notebook 11",
         output_law, quick=True),
    Item("Thm. 5.1", "Strict orders, and the worst of them",
         f"{PAGE}`wb.selection.worst_order`; notebook 11", one_to_one, quick=True),
    Item("Prop. 3", "Monotone scores are alike", "`wb.selection.Monotone`", monotone_alike,
         quick=True),
    Item("Alg. 3", "Rényi bound for monotone scores", f"{PAGE}`wb.selection.epsilon`; notebook 11",
         algorithm_3, quick=True),
    Item("Cor. 7", "DP-SGD as one Gaussian", f"{PAGE}`wb.selection.reduced_mu`", reductions,
         quick=True),
    Item("Thm. A.1", "Generic bounds, with Thm. A.2", f"{PAGE}`wb.selection.epsilon`; notebook 11",
         generic, quick=True),
    Item("§5.4", "Any distribution of the number of runs, for any score",
         f"{PAGE}`wb.selection.epsilon`; notebook 11", any_score),
)  # fmt: skip
