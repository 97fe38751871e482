"""Charts of sequential monitoring: bounds and evidence against the rows seen."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.anytime.anytime import AnytimePath
from workbench.bounds.anytime.monitoring import EvidencePath, FixedSizeLimits
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.axes import axis, powers_of_ten, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import LEFT, RIGHT, Mark, Style, label, rule
from workbench.figures.kit.types import Figure
from workbench.following.evidence import ClaimEvidence

ANYTIME = Style("anytime", "good", "solid", 2.5)
WATCHED = Style("fixed-size", "warn", "solid", 1.5)
LARGEST = Style("running maximum", "bad", "dot", 2)
TRUTH = Style("truth", "ink", "dash", 1.5)
EVIDENCE = Style("evidence", "p", "solid", 2)

#: Opacity of rows not seen yet.
FAINT = 0.25

#: A truth beyond this multiple of the bounds is not drawn; the summary states it.
FAR = 3

#: Smallest power of ten of the e-values that the chart shows, and how many of its ticks there are
#: at most.
LOWEST, TICKS = -2.0, 9

X_TITLE = "rows seen per group"


def bounds(
    path: AnytimePath,
    limit: FixedSizeLimits,
    rows: int,
    log_rows: float,
    span: tuple[float, float],
    truth: float | None,
) -> Figure:
    """The anytime bound, the fixed-size bound and its running maximum, so far and later.

    Parameters
    ----------
    path : AnytimePath
    limit : FixedSizeLimits
    rows : int
        Rows per group seen so far, and ``log_rows`` where the slider stands.
    span : (float, float)
        Ends of the axis, in log₁₀.
    truth : float, optional
    """
    largest = np.maximum.accumulate(limit.values)
    top = max(0.1, float(largest.max(initial=0.0)), float(path.values.max(initial=0.0)))
    near = truth is not None and truth <= FAR * top
    top = round_up(max(top, truth if near and truth is not None else 0.0) * 1.05)
    styles = [ANYTIME, WATCHED, LARGEST] + ([TRUTH] if near else [])
    now = path.at(rows)
    return chart(
        [
            *_seen(WATCHED, limit.n, limit.values, rows),
            *_seen(LARGEST, limit.n, largest, rows),
            *_seen(ANYTIME, path.n_p, path.values, rows),
            key(styles, columns=2),
            *([rule(TRUTH, y=truth)] if near else []),
            *log_n_axis.handle(log_rows, "log_rows", f"seen: {rows:,}", span, 1 - HEADROOM),
        ],
        log_n_axis.axis(X_TITLE, *span),
        axis(f"bound on ε at δ = {plain(limit.delta)}", 0, top / (1 - HEADROOM)),
        summary=f"By row {rows:,}: anytime bound {now.rounded}, fixed-size bound "
        f"{limit.at(rows).rounded}, its running maximum {limit.largest(rows).rounded}."
        + (f" The truth is {round_safely(truth, 'nearest')}." if truth is not None else ""),
        revision=(*span, top),
    )


def evidence(
    found: EvidencePath | ClaimEvidence,
    rows: int,
    log_rows: float,
    span: tuple[float, float],
    confidence: float,
) -> Figure:
    """The e-value against the claim at every look, and the value that refutes it.

    Parameters
    ----------
    found : EvidencePath or ClaimEvidence
    rows, log_rows, span
        As in `bounds`.
    confidence : float
        The claim is refuted at an e-value of 1 / (1 − confidence).
    """
    powers = found.log / math.log(10)
    goal = -math.log10(1 - confidence)
    top = max(3.0, 1.1 * float(powers.max(initial=0.0)))
    low = max(LOWEST, min(-1.0, 1.1 * float(powers.min(initial=0.0))))
    step = math.ceil(round_up((top - low) / TICKS))
    ticks = range(step * math.ceil(low / step), math.floor(top) + 1, step)
    times = round(1 / (1 - confidence))
    now = found.log_at(rows)
    over = powers.size > 0 and powers[-1] > goal + 1
    # Below the line there is room for its name, unless the evidence is overwhelming.
    below = over and goal - low > 0.1 * (top - low)
    at, ha, va, dx = (RIGHT, "right", "top", -6) if below else (LEFT, "left", "bottom", 4)
    return chart(
        [
            *_seen(EVIDENCE, found.n, powers, rows),
            *log_n_axis.level(0, role="line", dash="solid"),
            *log_n_axis.level(goal, role="bad"),
            label(at, goal, f"refuted at {times:,} ({percent(confidence)})", "bad", ha=ha, va=va,
                  dx=dx),
            *log_n_axis.handle(log_rows, "log_rows", f"seen: {rows:,}", span),
        ],
        log_n_axis.axis(X_TITLE, *span),
        axis("e-value", low, top, ticks=powers_of_ten(ticks, log=False)),
        summary=f"Evidence against {found.claimed}: e-value "
        f"{short_e_value(now)} by row {rows:,}; an e-value of {times:,} refutes the claim.",
        revision=(*span, low, top),
    )  # fmt: skip


def short_e_value(log: float) -> str:
    """An e-value in short; a large one is rounded down to a power of ten."""
    if log < math.log(1e5):
        return round_safely(math.exp(log), "down")
    return "10" + str(math.floor(log / math.log(10))).translate(_SUPERSCRIPT)


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _seen(style: Style, n: ArrayLike, y: ArrayLike, rows: int) -> list[Mark]:
    """A step curve up to the rows seen, and faintly what comes later."""
    n, y = np.asarray(n), np.asarray(y, dtype=float)
    n, y = n[n > 0], y[n > 0]
    k = int(np.searchsorted(n, rows, side="right"))
    later = replace(style, role=f"{style.role}/{FAINT}")
    # What was last seen holds until the line, and joins both parts.
    held = y[k - 1 : k]
    here = np.full(held.size, rows)
    return [
        log_n_axis.curve(later, np.append(here, n[k:]), np.append(held, y[k:]), True, hover=""),
        log_n_axis.curve(style, np.append(n[:k], here), np.append(y[:k], held), True),
    ]
