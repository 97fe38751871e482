"""What single answers of the library cost; the least CPU milliseconds of a few calls."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import workbench as wb
from workbench.pages.selection.page import SelectionPage
from workbench.testers.learning.encoding import Encoder

DELTA = 1e-5


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    return [*counts(), *curves(), *planning(), *pages(), *reading()]


def counts() -> list[tuple[str, str, str]]:
    def ask(n: int, **how: str) -> Callable[[], Any]:
        of_all = {"tp": 4 * n, "fn": n, "fp": n, "tn": 4 * n}
        return lambda: wb.epsilon_from_counts(**of_all, delta=DELTA, **how)  # type: ignore[arg-type]

    rows = [row("Bayesian interval", ask(100, interval="bayesian", sided="two"), 25)]
    for n in (100, 2 * 10**5, 2 * 10**6):
        rows.append(row(f"joint exact test, {10 * n:,} scores", ask(n, interval="joint"), 200, 3))
    return rows


def curves() -> list[tuple[str, str, str]]:
    alpha = np.linspace(0, 1, 2000)
    curve = wb.TradeoffCurve.hull(alpha, wb.GaussianPair(1).tradeoff(alpha))
    made = time.process_time()
    steps = wb.DPSGDPair(1.0, 0.0123, 10_000)
    steps.epsilon(DELTA)
    made = time.process_time() - made
    return [
        row("δ at 1000 ε, 2000 vertices", partial(curve.profile, np.linspace(-5, 5, 1000)), 1, 20),
        ("10^4 steps of DP-SGD, the first time", f"{1e3 * made:.0f} ms", "≤ 3000 ms"),
        row("the same again", lambda: wb.DPSGDPair(1.0, 0.0123, 10_000).epsilon(DELTA), 50),
        row("δ at 1000 ε of it", partial(steps.profile, np.linspace(0, 10, 1000)), 20),
    ]


def planning() -> list[tuple[str, str, str]]:
    pair = wb.GaussianPair(1)
    return [
        row(
            f"scores needed, {method}",
            partial(
                wb.samples_needed, pair, claim_epsilon=1.2, delta=DELTA, power=0.8, guarantee=method
            ),
            3000,
            1,
        )
        for method in ("pointwise", "simultaneous")
    ]


def pages() -> list[tuple[str, str, str]]:
    page = SelectionPage(eta=0.5)
    page.against_runs()  # imports
    return [
        row("selection, against the mean", lambda: (page._kept.clear(), page.by_mean()), 400, 3),
        row("selection, the profile", lambda: (page._kept.clear(), page.profile()), 200, 3),
    ]


def reading() -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500_000)
    encoder = Encoder.fit(x[:100_000], x[100_000:200_000])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        lines = "0.123456789,-1.234567891\n2.345678912,0.987654321\n"
        path.write_text("in,out\n" + lines * 500_000)
        read = row("a csv of 10^6 rows", partial(wb.read_scores, path), 5000, 2)
    return [read, row("5·10^5 outputs encoded", partial(encoder.transform, x), 50)]


def row(what: str, call: Callable[[], Any], target: float, times: int = 5) -> tuple[str, str, str]:
    call()
    taken = []
    for _ in range(times):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return what, f"{1e3 * min(taken):.2f} ms", f"≤ {target:g} ms"
