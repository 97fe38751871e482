"""Figs. 5 and 6 of SELECT: the reduced game, and audits of it beside every bound."""

from __future__ import annotations

from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from benchmarks.papers.select.table4 import DELTA, STEPS, noise

selection = wb.selection
RATES, BASES = (1.0, 0.5, 0.1), (1, 2, 4)
#: (η, ν); the text of the paper names the family and no values for the columns.
COLUMNS = ((1.0, 0.1), (1.0, 0.01), (0.0, 0.01))


def reduced_game(run: Run) -> Found:
    """One draw from a Gaussian for one training, and the best of many."""
    runs, n = selection.TwoPoint(10, 0.1), 10**6 if run.full else 10**5
    scores = selection.simulate(runs, 0.2472, n, observed="output", seed=run.seed)
    mean = float(np.mean(scores.q < 1.0))
    exact = runs.generating_function(0.8413447460685429)
    line = Line("share of releases below 1 without the record, 1 or 10 runs", "G(Φ(1))",
                f"{mean:.3f}; G(Φ(1)) = {exact:.3f}", f"estimate, {n:,} selections")  # fmt: skip
    return Found(Verdict.AS_DESCRIBED, [line])


def panel(run: Run, rate: float, eta: float, nu: float) -> list[dict[str, float]]:
    """Every bound at three ε_B."""
    runs, n = selection.NegativeBinomial(eta, nu), 10**6 if run.full else 10**5
    found = []
    for base in BASES:
        mu = {
            kind: selection.reduced_mu(noise(base, rate), rate, STEPS, kind) for kind in ("G", "O")
        }
        scores = selection.simulate(runs, mu["O"], n, observed="output", seed=run.seed)
        worst = selection.worst_order(runs, mu["O"], delta=DELTA)
        found.append(
            {
                "base": base,
                "generic": selection.epsilon(runs, mu["O"], delta=DELTA, bound="generic").value,
                "G": selection.epsilon(runs, mu["G"], delta=DELTA, bound="renyi").value,
                "O": selection.epsilon(runs, mu["O"], delta=DELTA, bound="renyi").value,
                "direct": worst.monotone,
                "audit": wb.tradeoff_band(scores).epsilon(DELTA).value,
                "worst": float(worst),
            }
        )
    return found


def comparison(run: Run) -> Found:
    """Nine panels: generic > Rényi G ≥ O ≥ audit, which the text says."""
    lines, panels = [], []
    for rate in RATES:
        for eta, nu in COLUMNS:
            name = f"τ = {rate:g}, η = {eta:g}, ν = {nu:g}"
            found = run.kept(f"fig 6 {name}", lambda r=rate, e=eta, v=nu: panel(run, r, e, v))
            panels.append((name, found))
            ordered = all(f["audit"] <= f["direct"] <= f["O"] < f["generic"] for f in found)
            text = "; ".join(
                f"{f['base']:g}: {f['audit']:.2f} ≤ {f['direct']:.2f} ≤ O {f['O']:.2f}, "
                f"G {f['G']:.2f} < {f['generic']:.2f}, worst order ≥ {f['worst']:.2f}"
                for f in found
            )
            lines.append(
                Line(
                    f"{name}: audit ≤ exact ≤ Rényi < generic at each ε_B",
                    "plot",
                    text,
                    "95% lower bound; exact and upper bounds if scores are monotone; generic for "
                    "any score",
                    "" if ordered else "the order is another one",
                    Verdict.AS_DESCRIBED if ordered and run.full else None,
                )
            )

    charts = tuple(
        Chart(
            f"fig-6-{i + 1}",
            lambda axes, shown=tuple(panels[3 * i : 3 * i + 3]): _draw(axes, shown),
            f"τ = {rate:g}: bounds on ε of the best of a truncated negative binomial number of "
            "runs. Rényi and exact values hold for monotone scores, generic ones for any score.",
            columns=3,
            width=3.2,
        )
        for i, rate in enumerate(RATES)
    )
    return Found(Verdict.REDUCED if not run.full else Verdict.AS_DESCRIBED, lines, charts)


def _draw(axes: list[Any], panels: Any) -> None:
    for ax, (name, found) in zip(axes, panels, strict=True):
        x = [f["base"] for f in found]
        for key, color, label in (
            ("generic", THIRD, "generic, any score"),
            ("G", P, "Rényi, G"),
            ("O", P, "Rényi, O"),
            ("direct", REFERENCE, "exact, monotone"),
            ("worst", Q, "worst order found"),
        ):
            ax.plot(
                x, [f[key] for f in found], "--" if key == "O" else "-", color=color, label=label
            )
        ax.plot(x, [f["audit"] for f in found], "o", color=REFERENCE, label="audit")
        ax.set(title=name, xlabel="ε of one run")
    axes[0].legend(fontsize=6)
    axes[0].set_ylabel("ε at δ = 1e-5")


ITEMS = (
    Item("Fig. 5", "The reduced game", "*Best-run selection*; `wb.selection.simulate`",
         reduced_game, quick=True),
    Item("Fig. 6", "Bounds and audits of the reduced game", "*Best-run selection*; notebook 11",
         comparison),
)  # fmt: skip
