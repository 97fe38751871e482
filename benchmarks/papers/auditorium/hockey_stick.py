"""AUDITORIUM §4.2.1-2: the histogram and the hockey-stick divergence, and their testers."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import beta, norm

import workbench as wb
from benchmarks.papers.auditorium.cases import examine
from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.testers.property_testers.histogram import HistogramTester
from workbench.testers.property_testers.registry import tester

#: N(1, 1) against N(0, 1) at ε = 0.1.
EPSILON = 0.1
PAIR = wb.GaussianPair(1.0)
TRUTH = float(PAIR.profile(EPSILON))
BETA = 1 / 3


def _samples(run: Run, stream: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = run.rng(stream)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


def histogram_estimate(run: Run) -> Found:
    """Algorithm 3: dividing by a Poisson number of samples, and by each side's own number."""
    edges = np.concatenate([[-np.inf], np.linspace(-3, 4, 21)[1:-1], [np.inf]])
    binned = np.diff(norm.cdf(edges, 1)) - math.exp(EPSILON) * np.diff(norm.cdf(edges, 0))
    n, m = 20_000, 5_000
    p, q = _samples(run, 3, n)
    x, y = np.histogram(p, edges)[0], np.histogram(q[:m], edges)[0]
    both = np.maximum(x - math.exp(EPSILON) * y, 0).sum() / n
    own = np.maximum(x / n - math.exp(EPSILON) * y / m, 0).sum()
    return Found(
        Verdict.MISPRINT,
        [
            Line(
                "δ(0.1) of 20 bins, 20,000 outputs and 5,000, both divided by the first number",
                f"{np.maximum(binned, 0).sum():.3f}",
                float(both),
                "estimate",
                "Algorithm 3 divides both counts by one Poisson number, and sums to r where it"
                " means the m bins; each side is to be divided by its own number",
            ),
            Line(
                "the same, each divided by its own number",
                f"{np.maximum(binned, 0).sum():.3f}",
                float(own),
                "estimate",
                "sampling error",
                Verdict.AS_DESCRIBED,
            ),
        ],
    )


def histogram_tester(run: Run) -> Found:
    """Algorithm 4: outputs of each side that its η asks for, and what ours shows with as many."""
    slack, bins = 0.01, 100
    factor = 1 + math.exp(2 * EPSILON)
    size = max(4 * bins * factor / BETA**2, 12 * factor / slack**2)
    n = round(size / 5) * 5
    p, q = _samples(run, 4, n)
    judge = HistogramTester(edges=np.linspace(-3, 4, bins + 1))
    value = examine(judge, p, q, wb.PureDP(EPSILON), run.seed, 1 - BETA).bound.value
    return Found(
        Verdict.TIGHTER,
        [
            Line(
                f"δ(0.1) with {n:,} outputs of each side, 100 bins, β = 1/3, η = 0.01; truth"
                f" {TRUTH:.4f}",
                f"{TRUTH - slack:.4f}",
                value,
                "lower bound at 2/3, held out",
                "print's is its expected value, η below the truth; here the union of the chosen"
                " bins is one event, counted on fresh outputs",
            )
        ],
    )


def characterized(run: Run) -> Found:
    """Lemma 4.7: the supremum of H over neighbors is the least δ."""
    x = np.linspace(-14, 15, 290_001)
    p, q = norm.pdf(x, 1), norm.pdf(x, 0)
    integral = np.maximum(p - math.exp(EPSILON) * q, 0).sum() * (x[1] - x[0])
    return Found(
        Verdict.EQUAL,
        [Line("H_0.1 of N(1, 1) and N(0, 1), by integration", f"{integral:.6f}", TRUTH, "exact")],
    )


def variational(run: Run) -> Found:
    """Lemma 4.8: the best g is 1 where log p/q > ε."""
    cut = EPSILON + 0.5
    value = norm.sf(cut, 1) - math.exp(EPSILON) * norm.sf(cut, 0)
    return Found(
        Verdict.EQUAL,
        [Line("E_P g − e^ε E_Q g, g = 1 above x = 0.6", f"{TRUTH:.12f}", float(value), "exact")],
    )


def classification(run: Run) -> Found:
    """Lemmas 4.9 and A.3: H is an affine function of the best weighted accuracy."""
    a, cut = math.exp(EPSILON), EPSILON + 0.5
    accuracy = a / (1 + a) * norm.cdf(cut, 0) + norm.sf(cut, 1) / (1 + a)
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "(1 + e^ε) · accuracy − e^ε, ε = 0.1",
                f"{TRUTH:.12f}",
                float((1 + a) * accuracy - a),
                "exact",
            )
        ],
    )


def _hoeffding(successes: int, m: int) -> float:
    return successes / m - math.sqrt(math.log(1 / BETA) / (2 * m))


def lower_limit(run: Run) -> Found:
    """Definition 4.10 and Proposition 4.11: Hoeffding's limit beside the exact one."""
    return Found(
        Verdict.TIGHTER,
        [
            Line(
                f"p from {successes} of {m} at β = 1/3",
                f"{_hoeffding(successes, m):.5f}",
                float(beta.ppf(BETA, successes, m - successes + 1)),
                "lower bound at 2/3 (Clopper and Pearson)",
                "exact limits are never below Hoeffding's; the paper allows both",
            )
            for successes, m in ((600, 1000), (990, 1000))
        ],
    )


def one_classifier(run: Run) -> Found:
    """Propositions 4.12 and A.4: expected limits of the best classifier, by print and here."""
    n, a, cut = 400_000, math.exp(EPSILON), EPSILON + 0.5
    accuracy = a / (1 + a) * norm.cdf(cut, 0) + norm.sf(cut, 1) / (1 + a)
    # as many labeled outputs as are drawn of both sides together
    printed = (1 + a) * (accuracy - math.sqrt(math.log(1 / BETA) / (4 * n))) - a
    p, q = _samples(run, 12, 5 * n // 4)
    judge = tester("hockey-stick")
    value = examine(judge, p, q, wb.PureDP(EPSILON), run.seed, 1 - BETA).bound.value
    return Found(
        Verdict.TIGHTER,
        [
            Line(
                "δ(0.1) from 400,000 measured outputs of each side, β = 1/3; truth 0.3523",
                f"{printed:.4f}",
                value,
                "lower bound at 2/3, held out",
                "limits on both rates of one event; print's is the expected one of the best"
                " classifier, for one direction",
            )
        ],
    )


def estimate(run: Run) -> Found:
    """Algorithm 5: classifier and threshold, learned on a fifth of 5·10^5."""
    p, q = _samples(run, 5, 500_000)
    judge = tester("hockey-stick")
    value = examine(judge, p, q, wb.PureDP(EPSILON), run.seed, 0.95).bound.value
    return Found(
        Verdict.AS_DESCRIBED,
        [
            Line(
                "δ(0.1) from 5·10^5 outputs of each side; truth 0.3523",
                "no number",
                f"{value:.4f}",
                "lower bound at 95%, held out",
            )
        ],
    )


def level(run: Run) -> Found:
    """Algorithm 6: how often a mechanism at its claim is accused."""
    pair, n, rounds = wb.RandomizedResponsePair(1.0, 0.0), 2_000, 300
    judge, rng = tester("hockey-stick"), run.rng(6)
    accused = 0
    for seed in range(rounds):
        p, q = pair.draw_p(n, rng), pair.draw_q(n, rng)
        accused += examine(judge, p, q, wb.PureDP(1.0), seed, 1 - BETA).violation
    return Found(
        Verdict.AS_DESCRIBED,
        [
            Line(
                "accusations of randomized response at its claim, ε = 1, β = 1/3",
                "at most 0.333",
                f"{accused / rounds:.3f}",
                f"share of {rounds} simulated tests",
            )
        ],
    )


PLACE = "*Test a mechanism*; `wb.audit_mechanism`; notebook 12"
PAIRS = "*Known pairs*; `wb.GaussianPair.profile`; notebook 8"
BINS = "*Test a mechanism*; `wb.audit_mechanism`; notebook 2"
RATES = "*Counts*; `wb.Counts`; notebook 3"

ITEMS = (
    Item("Alg. 3", "The divergence of two histograms", BINS, histogram_estimate, True),
    Item("Alg. 4", "The histogram tester", BINS, histogram_tester, True),
    Item("Lemma 4.7", "The hockey-stick divergence is the least δ", PAIRS, characterized, True),
    Item("Lemma 4.8", "Its variational formula", PAIRS, variational, True),
    Item("Lemma 4.9", "It is a weighted accuracy (Lemma A.3)", PAIRS, classification, True),
    Item("Prop. 4.11", "A limit on a rate (Definition 4.10)", RATES, lower_limit, True),
    Item("Prop. 4.12", "A limit from one classifier", PLACE, one_classifier, True),
    Item("Alg. 5", "The hockey-stick estimate", PLACE, estimate, True),
    Item("Alg. 6", "The hockey-stick tester", PLACE, level),
)
