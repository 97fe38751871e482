"""Table 4 of SELECT: one run with probability s and L runs otherwise, N = 500, δ = 1e-5.

The noise is that at which the Rényi accountant gives one run ε_B (σ = 90.458 for τ = 1, ε_B = 1, as
the paper states). Where print and ours differ, the divergence of Algorithm 3 is computed once more
on a plain grid, by nothing of the library but ξ.

Where the print is below both, it shows what a lost tail gives. At order a the integral of
p^a q^(1−a) has its mass near x = −(a−1)μ: for ε_B = 4, τ = 1, L = 100, s = 0.01 about −11.5 at the
best order, 14.3. There p is 1e-30, p^a is below the smallest float, and a grid that ends at ±6
never gets there. Without that mass the "bound" falls with every order that is added.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import log_ndtr

import workbench as wb
from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run

DELTA, STEPS = 1e-5, 500
PRINTED = Path(__file__).with_name("table4.csv")


def cells() -> list[dict[str, str]]:
    """Rows of the printed table, each with two values."""
    return list(csv.DictReader(PRINTED.read_text(encoding="utf-8").splitlines()))


@cache
def noise(base: float, rate: float) -> float:
    """The noise multiplier at which the Rényi accountant gives one run this ε."""
    from dp_accounting import calibrate_dp_mechanism
    from dp_accounting.dp_event import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.rdp import RdpAccountant

    # Fractional orders of the sampled mechanism are slow and fail now and then.
    orders = None if rate == 1 else [*range(2, 64), 128, 256]

    def training(sigma: float) -> SelfComposedDpEvent:
        step = PoissonSampledDpEvent(rate, GaussianDpEvent(sigma))
        return SelfComposedDpEvent(step, STEPS)

    return float(calibrate_dp_mechanism(lambda: RdpAccountant(orders), training, base, DELTA))


def quadrature(runs: wb.selection.RunCount, mu: float) -> float:
    """Algorithm 3 on a plain grid that reaches all mass, minimized over close orders."""
    reach = 30 + 60 * mu
    x, step = np.linspace(-reach, reach + mu, 3001, retstep=True)
    log_p, log_q = (
        np.asarray(runs.log_derivative(log_ndtr(x - m)))
        - (x - m) ** 2 / 2
        - math.log(2 * math.pi) / 2
        for m in (mu, 0.0)
    )

    def epsilon(order: float) -> float:
        totals = []
        for a, b in ((log_p, log_q), (log_q, log_p)):
            exponent = order * a + (1 - order) * b
            peak = exponent.max()
            totals.append(peak + math.log(np.exp(exponent - peak).sum() * step))
        divergence = max(totals) / (order - 1)
        return divergence + math.log1p(-1 / order) - math.log(DELTA * order) / (order - 1)

    best, near = math.inf, np.geomspace(2, 60, 25)
    for _ in range(3):
        values = [epsilon(float(a)) for a in near]
        place = int(np.argmin(values))
        best = min(best, values[place])
        near = np.linspace(near[max(place - 1, 0)], near[min(place + 1, near.size - 1)], 9)
    return best


def table(run: Run) -> Found:
    """All cells: Rényi bounds with both reductions of DP-SGD to one Gaussian."""
    lines = []
    for cell in cells():
        base, rate = float(cell["epsilon_base"]), float(cell["tau"])
        runs = wb.selection.TwoPoint(int(cell["L"]), float(cell["s"]))
        sigma = noise(base, rate)
        for kind in ("G", "O"):
            mu = wb.selection.reduced_mu(sigma, rate, STEPS, kind)
            ours = wb.selection.epsilon(runs, mu, delta=DELTA, bound="renyi").value
            what = f"ε_U-{kind}, ε_B = {base:g}, τ = {rate:g}, L = {runs.k}, s = {runs.s:g}"
            line = Line(what, cell[f"epsilon_{kind}"], ours, "upper bound if scores are monotone")
            if line.deviation:
                why, verdict = _difference(line, runs, mu, rate, sigma)
                line = Line(what, line.printed, ours, line.guarantee, why, verdict)
            lines.append(line)
    return Found(Verdict.EQUAL, lines)


def _difference(
    line: Line, runs: wb.selection.RunCount, mu: float, rate: float, sigma: float
) -> tuple[str, Verdict]:
    checked = quadrature(runs, mu)
    said = f"an independent quadrature gives {checked:.3f}"
    if rate < 0.5:
        return (
            f"{said} for σ = {sigma:.3f}; σ depends on the accountant's orders, which the paper "
            "does not state",
            Verdict.NOT_REPRODUCED,
        )
    if float(line.printed) < checked:
        return f"{said}, so the print is below Algorithm 3", Verdict.MISPRINT
    return f"{said}; the print has coarser orders", Verdict.TIGHTER


ITEM = Item(
    "Table 4",
    "One run with probability s, L runs otherwise",
    "*Best-run selection*; `wb.selection.epsilon`; notebook 11",
    table,
    quick=True,
)
