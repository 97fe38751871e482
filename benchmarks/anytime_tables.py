"""Samples until a false claim is refuted at any time, beside the tables of two papers.

GDMR25 is González, Dulce-Rubio, Ramdas and Ribero, Sequentially Auditing Differential Privacy,
2025 (arXiv 2509.07055); KDWZ26 is Kutta, Dunsche, Wei and Zikas, Sequential Auditing for
f-Differential Privacy, 2026 (arXiv 2602.06518), whose test holds asymptotically only. Ours is valid
at every look and every sample size, and takes the outputs as they are.

The two non-private means do not protect the number n of records: the data are (0) and (0, 1), and
the noise on the mean has standard deviation 2/(nε). Samples are per side, the warm-up included;
confidence is 95%.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

import workbench as wb
from workbench.bounds.anytime.growing import GrowingCounts, GrowingEvidence
from workbench.following.evidence import ClaimLines

Row = tuple[str, str, str]
Sample = NDArray[np.float64]

RUNS, MOST, PIECE = 300, 20_000, 200
DELTA = 1e-5


@dataclass(frozen=True)
class Setting:
    """A pair, a false claim about it, and the mean numbers of samples that are in print."""

    name: str
    draw: Callable[[np.random.Generator, int], tuple[Sample, Sample]]
    claim: str
    printed: str
    target: int | None = None


def mean_of_a_secret_number(
    epsilon: float, noise: str
) -> Callable[[np.random.Generator, int], tuple[Sample, Sample]]:
    """Outputs of a mean whose noise leaks the number of records."""

    def draw(rng: np.random.Generator, size: int) -> tuple[Sample, Sample]:
        one, two = (
            rng.normal(0, 2 / (n * epsilon), size)
            if noise == "Gaussian"
            else rng.laplace(0, math.sqrt(2) / (n * epsilon), size)
            for n in (1, 2)
        )
        return one, 0.5 + two

    return draw


def gaussian(rng: np.random.Generator, size: int) -> tuple[Sample, Sample]:
    """N(1, 1) and N(0, 1)."""
    return rng.normal(1, 1, size), rng.normal(0, 1, size)


def _mean(noise: str, epsilon: float, delta: float, printed: str, target: int | None) -> Setting:
    return Setting(
        f"non-private {noise} mean, ε = {epsilon:g}",
        mean_of_a_secret_number(epsilon, noise),
        f"approx({epsilon:g}, {delta:g})",
        printed,
        target,
    )


SETTINGS = (
    _mean("Laplace", 0.01, 0, "331 / 86", None),
    _mean("Laplace", 0.1, 0, "920 / 114", 130),
    _mean("Gaussian", 0.01, DELTA, "264 / 59", None),
    _mean("Gaussian", 0.1, DELTA, "562 / 68", 85),
    Setting("Gaussian μ = 1, claim μ = 0.5", gaussian, "gdp(0.5)", "– / 188", 190),
    Setting("Gaussian μ = 1, claim μ = 0.8", gaussian, "gdp(0.8)", "– / 1453", 900),
)


def main() -> list[Row]:
    """Rows: what, measured, GDMR25 / KDWZ26 and the target."""
    return [*tables(), vectors(), *cost()]


def tables(runs: int = RUNS) -> Iterator[Row]:
    for setting in SETTINGS:
        stops = [samples_to_refute(setting, seed) for seed in range(runs)]
        target = "" if setting.target is None else f"; at most {setting.target}"
        error = stdev(stops) / math.sqrt(runs)
        yield setting.name, f"{fmean(stops):.0f} ± {error:.0f}", f"{setting.printed}{target}"


def samples_to_refute(setting: Setting, seed: int) -> int:
    """Samples a side until the claim is refuted; they come in pieces, with a look after each."""
    rng, lines = np.random.default_rng(seed), ClaimLines.of(wb.parse_claim(setting.claim))
    counts, evidence = GrowingCounts(), GrowingEvidence(lines)
    p = q = np.zeros(0)
    while p.size < MOST:
        new = setting.draw(rng, PIECE)
        p, q = np.concatenate([p, new[0]]), np.concatenate([q, new[1]])
        evidence.advance(counts.advance(p, q))
        n, log = evidence.path
        refuted = n[log >= math.log(20)]
        if refuted.size:
            return int(refuted[0])
    raise RuntimeError(f"{setting.name}, seed {seed}: not refuted by {MOST} samples")


def vectors() -> Row:
    """Pairs of numbers that only their correlation, of ±0.9, tells apart."""
    stops = []
    for seed in range(30):
        x, y = np.random.default_rng(seed).normal(size=(2, 2, 600))
        p, q = np.stack([x[0], x[0] + y[0] / 2], 1), np.stack([x[1], y[1] / 2 - x[1]], 1)
        ordering = wb.learn_ordering_in_order(p, q)
        evidence = wb.claim_evidence(ordering.scores, wb.parse_claim("pure(0.1)"))
        stops.append(ordering.learned_on[0] + (evidence.refuted_at(0.95, 600) or 600))
    return "correlated vectors, ε = 0.1, kernel ordering", f"{fmean(stops):.0f}", "–"


def cost() -> Iterator[Row]:
    scores = wb.GaussianPair(1).sample(10**5, seed=0)

    def one_by_one() -> None:
        audit = wb.AnytimeAudit(DELTA)
        for i in range(2000):
            audit.update(scores.p[i : i + 1], scores.q[i : i + 1])

    yield "an update by one score of each", f"{1e6 * cpu(one_by_one) / 2000:.0f} µs", ""
    taken = cpu(lambda: wb.anytime_epsilon(scores, DELTA))
    yield "anytime ε, 10^5 scores a side", f"{1000 * taken:.0f} ms", ""


def cpu(work: Callable[[], object]) -> float:
    """The least CPU seconds of three runs."""
    found = []
    for _ in range(3):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)
