"""AUDITORIUM's definitions and its general test, each with a check on numbers."""

from __future__ import annotations

import math

import numpy as np

import workbench as wb
from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.mechanisms.gallery import GALLERY


def neighbors(run: Run) -> Found:
    """Definition 2.1 and Remark 2.2: one record more, or one record in the place of another."""
    added = wb.Neighbors([0.0, 1.0], [0.0, 1.0, 1.0], "add-remove")
    swapped = wb.Neighbors([0.0, 1.0], [0.0, 0.5], "substitute")
    refused = 0
    for pair in (([0.0], [0.0, 1.0, 1.0]), ([0.0, 1.0], [0.5, 0.5])):
        for relation in ("add-remove", "substitute"):
            try:
                wb.Neighbors(*pair, relation)
            except ValueError:
                refused += 1
    kinds = f"{added.neighboring_relation}, {swapped.neighboring_relation}"
    return Found(
        Verdict.EQUAL,
        [
            Line("relations that a search knows", "add-remove, substitute", kinds, "exact"),
            Line("two records apart: refused, of 4", "4", refused, "exact"),
        ],
    )


def approximate_dp(run: Run) -> Found:
    """Definition 2.3 on four outputs: the worst of all 2^4 events has δ(ε) of the pair."""
    pair = wb.RandomizedResponsePair(1.0, 0.05)
    p, q = _four_outcomes(1.0, 0.05)
    events = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])
    worst = float(np.max(events @ (p - math.exp(0.5) * q)))
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "least δ at ε = 0.5 over all 16 events; randomized response, (1, 0.05)",
                f"{worst:.12f}",
                float(pair.profile(0.5)),
                "exact",
            )
        ],
    )


def _four_outcomes(epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Randomized response that reveals all with probability δ."""
    likely = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    p = np.array([delta, likely, 1 - delta - likely, 0.0])
    return p, p[::-1]


def renyi_divergence(run: Run) -> Found:
    """Definition 2.4 for N(1, 1) against N(0, 1): α/2."""
    return Found(
        Verdict.EQUAL,
        [
            Line(
                f"R_{order:g}(N(1, 1) ‖ N(0, 1)) = α/2",
                f"{order / 2:.6f}",
                wb.GaussianPair(1.0).renyi_divergence(order),
                "exact",
            )
            for order in (1.5, 8.0)
        ],
    )


def renyi_dp(run: Run) -> Found:
    """Definition 2.5: what the claim of the gallery's Gaussian mean allows."""
    claim = GALLERY["gaussian-mean"].claim
    return Found(
        Verdict.EQUAL,
        [
            Line(
                "largest divergence of order 1.5 under (1.5, 0.05)-Rényi DP",
                "0.05",
                claim.max_renyi(1.5),
                "exact",
            )
        ],
    )


def general_test(run: Run) -> Found:
    """Algorithm 1: β over all trials, testers and directions; printed is one β for each trial."""
    trials, beta = 50, 1 / 3
    return Found(
        Verdict.MISPRINT,
        [
            Line(
                "chance that one of 50 tests, each at β = 1/3, accuses a mechanism at its claim",
                "0.3333",
                1 - (1 - beta) ** trials,
                "exact, where each test has the level β",
                "Algorithm 1 gives every trial the whole β and stops at the first finding, so that"
                " over its T trials and two directions the chance of an accusation is larger",
            ),
            Line(
                "β of one trial so that 50 together have β = 1/3",
                "not divided",
                beta / trials,
                "exact (union bound)",
                "ours divides β among trials and testers; both directions share one test",
                Verdict.TIGHTER,
            ),
        ],
    )


TEST = "*Test a mechanism*; `wb.audit_mechanism`; notebook 12"

ITEMS = (
    Item("Def. 2.1", "Neighboring datasets", "*Test a mechanism*; `wb.Neighbors`", neighbors, True),
    Item(
        "Def. 2.3",
        "(ε, δ)-differential privacy",
        "*Known pairs*; `wb.ApproxDP`; notebook 8",
        approximate_dp,
        True,
    ),
    Item(
        "Def. 2.4",
        "Rényi divergence",
        "*Known pairs*; `wb.GaussianPair.renyi_divergence`",
        renyi_divergence,
        True,
    ),
    Item("Def. 2.5", "Rényi DP", "*Test a mechanism*; `wb.RenyiDP`", renyi_dp, True),
    Item("Alg. 1", "The general test of a mechanism", TEST, general_test, True),
)
