"""Charts of simulated coverage: false claims of each method, and how tight its bounds are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workbench._format import percent, plain
from workbench.coverage_lab.lab import Coverage
from workbench.coverage_lab.methods import METHODS
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.marks import whiskers
from workbench.figures.kit.types import Figure

#: Least share of false claims to which the axis reaches, as a multiple of the nominal one.
REACH = 2.5

#: Shares of false claims above which a tick needs no decimals.
WHOLE_PERCENT = 0.05


def waiting() -> Figure:
    """An empty chart that says what it waits for."""
    return empty("Press Run to simulate.")


def false_claims(results: Sequence[Coverage]) -> Figure:
    """One row per method: its share of false claims with limits, and the share that is allowed."""
    nominal = results[0].nominal
    low, high = np.array([r.interval for r in results]).T
    rates = [r.rate for r in results]
    labels, roles = [_label(r) for r in results], [_role(r) for r in results]
    failing = [_label(r) for r in results if r.fails]
    reach = max(REACH * nominal, 1.08 * float(high.max()))
    hover = [f"{name}: {rate:.2%}" for name, rate in zip(labels, rates, strict=True)]
    return chart(
        [
            whiskers("share of false claims", rates, low, high, roles, hover),
            *dot_rows.compared_with(nominal, f"allowed: {percent(nominal)}"),
            *dot_rows.names(labels, roles),
        ],
        axis(
            f"false claims among {results[0].reps:,} replicates (with 95% limits)",
            -0.01 * reach,
            reach,
            format=".0%" if reach > WHOLE_PERCENT else ".1%",
        ),
        dot_rows.axis(len(results)),
        summary="Share of replicates in which a bound exceeded the truth. Above the allowed "
        f"{percent(nominal)}: {', '.join(failing) or 'none'}.",
        closest=True,
        **dot_rows.size(len(results)),
    )


def tightness(results: Sequence[Coverage]) -> Figure:
    """Median, 5% and 95% quantiles of every method's bounds, as shares of the truth."""
    shown = [r for r in results if math.isfinite(r.truth)]
    if not shown:
        return empty("The truth is infinite: every bound is below it.")
    no_leak = all(r.truth == 0 for r in shown)
    scale = np.array([r.truth or 1.0 for r in shown])
    quantiles = np.array([r.quantile([0.05, 0.5, 0.95]) for r in shown]) / scale[:, None]
    low, median, high = quantiles.T
    labels, roles = [_label(r) for r in shown], [_role(r) for r in shown]
    best = int(np.argmax(np.where([r.claims for r in shown], median, -1)))
    hover = [f"{_label(r)}: {r.quantity} ≥ {plain(float(r.quantile(0.5)))}" for r in shown]
    nearest = "." if no_leak else f"; nearest to it: {labels[best]}, median {median[best]:.0%}."
    of = "" if no_leak else " / truth"
    reach = max(0.5 if no_leak else 1.1, 1.08 * float(high.max()))
    return chart(
        [
            whiskers(f"median bound{of}", median, low, high, roles, hover),
            *dot_rows.compared_with(0 if no_leak else 1, "truth", right=no_leak),
            *dot_rows.names(labels, roles, 14),
        ],
        axis(f"bound{of}, 5% · median · 95%", -0.02, reach, format=None if no_leak else ".0%"),
        dot_rows.axis(len(shown)),
        summary=f"Bounds of each method relative to the truth{nearest}",
        closest=True,
        **dot_rows.size(len(shown)),
    )


def _role(result: Coverage) -> str:
    if result.fails:
        return "bad"
    return "good" if result.claims else "muted"


def _label(result: Coverage) -> str:
    method = METHODS.get(result.method)
    return method.label if method else result.method
