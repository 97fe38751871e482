"""AUDITORIUM's Figures 2 and 3a: estimates against the truth of ScaledGD, and against n."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.papers.auditorium.cases import DELTA, card, claiming, examine
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench import ApproxDP, PureDP
from workbench.claims.base import Claim
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.property_testers.registry import tester

FACTORS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)


def _scaled(factor: float, n: int, rounds: int, seed: int) -> list[list[float]]:
    """Value, and 1 for a violation, of each test of DP-GD with a factor on its noise."""
    one, found = GALLERY["dp-gd"], []
    run, judge = partial(one.run, noise_factor=factor), tester("renyi")
    for i in range(seed, seed + rounds):
        rng = np.random.default_rng([i, n])
        p, q = (run(dataset, n, rng) for dataset in one.pair)
        finding = examine(judge, p, q, one.claim, i, 0.95)
        found.append([finding.bound.value, float(finding.violation)])
    return found


def scaled_gd(run: Run) -> Found:
    """Figure 2: at 95%, since s = 1 has exactly what is claimed, and 2/3 would accuse it often."""
    n, rounds = (500_000, 20) if run.full else (50_000, 5)
    claim = GALLERY["dp-gd"].claim
    found = {
        s: np.array(
            run.kept(f"fig2 s={s:g} n={n} x{rounds}", partial(_scaled, s, n, rounds, run.seed))
        )
        for s in FACTORS
    }
    truth = {s: claim.max_renyi(1.5) / s**2 for s in FACTORS}
    lines = [
        Line(
            f"s = {s:g}: Rényi divergence, truth {truth[s]:.3f}, claim {claim}",
            "caught for s ≤ 0.6" if s <= 0.6 else "not said to be caught" if s < 1 else "private",
            f"≥ {values[:, 0].mean():.3f}; caught {int(values[:, 1].sum())} of {rounds}",
            f"mean of lower bounds at 95%, held out, {n:,} runs",
        )
        for s, values in found.items()
    ]

    def draw(panels: Any) -> None:
        panels[0].semilogy(FACTORS, [truth[s] for s in FACTORS], "-", color=REFERENCE)
        panels[0].semilogy(
            FACTORS, [found[s][:, 0].mean() for s in FACTORS], "o", color=P, label="lower bound"
        )
        panels[0].axhline(claim.max_renyi(1.5), ls="--", color=Q, label="claimed")
        panels[0].lines[0].set_label("truth")
        panels[0].set_xlabel("factor s on the noise")
        panels[0].set_ylabel("Rényi divergence of order 1.5")
        panels[0].legend()

    caption = f"DP-GD with its noise scaled by s: the truth, and means of {rounds} lower bounds."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-2", draw, caption),))


#: SVT 4 claims ε = 1, NonDPGaussian1 claims (1, 0.01).
GROWING: dict[str, Claim] = {"SVT4": PureDP(1.0), "NonDPGaussian1": ApproxDP(1.0, DELTA)}


def _values(case: str, n: int, rounds: int, seed: int) -> list[float]:
    run, judge, found = claiming(case, GROWING[case]), tester("hockey-stick"), []
    for i in range(seed, seed + rounds):
        rng = np.random.default_rng([i, n])
        p, q = (run(dataset, n, rng) for dataset in card(case).pair)
        found.append(examine(judge, p, q, GROWING[case], i).bound.value)
    return found


def estimates(run: Run) -> Found:
    """Figure 3a: a proven δ is a lower limit, so that it grows with n; the hockey-stick tester."""
    sizes = (10_000, 30_000, 100_000, *((300_000, 1_000_000) if run.full else (300_000,)))
    rounds = 20 if run.full else 10
    means: dict[tuple[str, int], tuple[float, float]] = {}
    lines = []
    for case, claim in GROWING.items():
        for n in sizes:
            # the largest sizes are slow
            few = rounds if run.full or n < 300_000 else 3
            values = run.kept(
                f"fig3a {case} n={n} x{few}", partial(_values, case, n, few, run.seed)
            )
            means[case, n] = float(np.mean(values)), float(np.std(values, ddof=1))
        said = ", ".join(f"{means[case, n][0]:.4f} ± {means[case, n][1]:.4f}" for n in sizes)
        thousands = ", ".join(f"{n // 1000}" for n in sizes)
        lines.append(
            Line(
                f"{case}, claim {claim}: δ at least, ± sd of a test, at {thousands} thousand runs",
                "grows with n, and its interval shrinks",
                said,
                "means of lower bounds at 2/3, held out",
            )
        )

    def draw(panels: Any) -> None:
        for case, color in zip(GROWING, (P, THIRD), strict=True):
            mean, sd = np.array([means[case, n] for n in sizes]).T
            panels[0].errorbar(sizes, mean, sd, fmt="o-", color=color, capsize=3, label=case)
        panels[0].set_xscale("log")
        panels[0].set_xlabel("runs on each dataset")
        panels[0].set_ylabel("δ at the claimed ε, at least")
        panels[0].legend()

    caption = "Means of lower bounds at 2/3 by the hockey-stick tester, ± their standard deviation."
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-3a", draw, caption),))


PLACE = "*Test a mechanism*; `wb.audit_mechanism`; notebook 12"

FIGURE2 = Item("Fig. 2", "ScaledGD: Rényi divergence against the factor", PLACE, scaled_gd)
FIGURE3A = Item("Fig. 3a", "What a test proves against the number of runs", PLACE, estimates)
