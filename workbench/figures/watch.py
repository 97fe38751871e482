"""Charts of an audit that somebody watches: the bounds and the evidence as the rows come in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench._format import percent, plain, round_safely
from workbench.bounds.anytime.anytime import AnytimePath
from workbench.bounds.anytime.monitoring import EvidencePath, FixedSizeLimits
from workbench.figures.kit import log_n_axis
from workbench.figures.kit.layout import base_layout, label, power_of_ten
from workbench.figures.kit.legend import HEADROOM, Entry, key
from workbench.figures.scores import round_up

ANYTIME = Entry("anytime", "good", "solid", 2.5)
WATCHED = Entry("fixed-n limit", "warn", "solid", 1.5)
LARGEST = Entry("its largest", "bad", "dot", 2)
TRUTH = Entry("truth", "ink", "dash", 1.5)
EVIDENCE = Entry("evidence", "p", "solid", 2)

#: Opacity of what is yet to be seen.
FAINT = 0.25

#: A truth beyond this multiple of the bounds is told and not drawn.
FAR = 3

#: Powers of ten of evidence that the chart shows, at most and at least.
HIGHEST, LOWEST = 8.0, -2.0

X_TITLE = "rows seen a side"


def bounds(
    path: AnytimePath,
    limit: FixedSizeLimits,
    rows: int,
    log_rows: float,
    span: tuple[float, float],
    truth: float | None,
) -> dict[str, Any]:
    """The anytime bound, the watched limit and its largest value, seen so far and later.

    Parameters
    ----------
    path : AnytimePath
    limit : FixedSizeLimits
    rows : int
        Rows a side seen so far, and ``log_rows`` where the slider stands.
    span : (float, float)
        Ends of the axis, in log₁₀.
    truth : float, optional
    """
    largest = np.maximum.accumulate(limit.values)
    top = max(0.1, float(largest.max(initial=0.0)), float(path.values.max(initial=0.0)))
    near = truth is not None and truth <= FAR * top
    top = round_up(max(top, truth if near and truth is not None else 0.0) * 1.05)
    entries = [ANYTIME, WATCHED, LARGEST] + ([TRUTH] if near else [])
    drawn = key(entries, columns=2)
    if near and truth is not None:
        drawn["shapes"].append(log_n_axis.level(truth, "ink"))
    mark, words = log_n_axis.marker(log_rows, "log_rows", f"seen: {rows:,}", span, 1 - HEADROOM)
    drawn["shapes"].append(mark)
    drawn["annotations"].append(words)
    now = path.at(rows)
    return {
        "data": [
            *_seen(WATCHED, limit.n, limit.values, rows),
            *_seen(LARGEST, limit.n, largest, rows),
            *_seen(ANYTIME, path.n_p, path.values, rows),
        ],
        "layout": base_layout(
            X_TITLE,
            f"bound on ε at δ = {plain(limit.delta)}",
            summary=f"By row {rows:,}: anytime bound {now.rounded}, fixed-n limit "
            f"{limit.at(rows).rounded}, its largest value so far {limit.largest(rows).rounded}."
            + (f" The truth is {round_safely(truth, 'nearest')}." if truth is not None else ""),
            x=log_n_axis.axis(*span),
            y={"range": [0, top / (1 - HEADROOM)]},
            revision=(*span, top),
            **drawn,
        ),
    }


def evidence(
    found: EvidencePath, rows: int, log_rows: float, span: tuple[float, float], confidence: float
) -> dict[str, Any]:
    """The e-value against the claim at every look, and where it refutes."""
    powers = found.log / math.log(10)
    goal = -math.log10(1 - confidence)
    top = min(HIGHEST, max(3.0, 1.1 * float(powers.max(initial=0.0))))
    low = max(LOWEST, min(-1.0, 1.1 * float(powers.min(initial=0.0))))
    mark, words = log_n_axis.marker(log_rows, "log_rows", f"seen: {rows:,}", span)
    times = round(1 / (1 - confidence))
    now = found.at(rows)
    over = powers.size > 0 and powers[-1] > goal + 1
    return {
        "data": _seen(EVIDENCE, found.n, powers, rows),
        "layout": base_layout(
            X_TITLE,
            "e-value",
            summary=f"Evidence against ε at most {plain(found.epsilon)}: e-value "
            f"{told(now.log)} by row {rows:,}; {times:,} refutes the claim.",
            x=log_n_axis.axis(*span),
            y={
                "range": [low, top],
                "tickvals": list(range(math.ceil(low), math.floor(top) + 1)),
                "ticktext": [
                    power_of_ten(k) for k in range(math.ceil(low), math.floor(top) + 1)
                ],
            },
            revision=(*span, low, top),
            shapes=[log_n_axis.level(0, "line", "solid"), log_n_axis.level(goal, "bad"), mark],
            annotations=[
                label(
                    1 if over else 0,
                    goal,
                    f"refuted at {times:,} ({percent(confidence)})",
                    "bad",
                    xref="paper",
                    xanchor="right" if over else "left",
                    yanchor="top" if over else "bottom",
                    xshift=-6 if over else 4,
                ),
                words,
            ],
        ),
    }  # fmt: skip


def told(log: float) -> str:
    """An e-value in short; large ones as a power of ten below them."""
    if log < math.log(1e5):
        return round_safely(math.exp(log), "down")
    return "10" + str(math.floor(log / math.log(10))).translate(_SUPERSCRIPT)


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _seen(entry: Entry, n: ArrayLike, y: ArrayLike, rows: int) -> list[dict[str, Any]]:
    """A step curve up to the rows seen, and faintly what comes later."""
    n, y = np.asarray(n), np.asarray(y, dtype=float)
    n, y = n[n > 0], y[n > 0]
    k = int(np.searchsorted(n, rows, side="right"))
    later = Entry(entry.text, f"{entry.role}/{FAINT}", entry.dash, entry.width)
    # What was last seen holds until the line, and joins both parts.
    held = y[k - 1 : k]
    return [
        log_n_axis.curve(
            later,
            np.append(np.full(held.size, rows), n[k:]),
            np.append(held, y[k:]),
            steps=True,
            hoverinfo="skip",
            hovertemplate=None,
        ),
        log_n_axis.curve(
            entry,
            np.append(n[:k], np.full(held.size, rows)),
            np.append(y[:k], held),
            steps=True,
        ),
    ]
