"""The chart of a series of audits: what each of them certifies, and which refute a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench._format import percent, round_safely
from workbench.audits.series.audit_series import SeriesAudit
from workbench.figures.kit.axes import axis, round_up
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import LEFT, Style, label, line, markers, rule
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.types import Figure

BOUND = Style("lower bound", "p")
COURSE = Style("", "p/.4", width=1)
REFUTES = Style("refutes a claim", "bad")
CLAIMED = Style("", "ink", "dash", 1.5)

#: Audits that the axis has room for from the start.
FIRST = 10

#: A claim beyond this multiple of the bounds is not drawn; the summary states it.
FAR = 3

#: Characters of a name that a pointer shows.
LONGEST_NAME = 60


def series_chart(audits: Sequence[SeriesAudit], name: str = "") -> Figure:
    """Lower bounds on ε by audit, those that refute a claim marked, and the claims as lines.

    Parameters
    ----------
    audits : sequence of SeriesAudit
        By position. Audits without a bound on ε leave a gap.
    name : str
        Of the series.

    Returns
    -------
    dict
        A figure; a pointer shows each audit's confidence.
    """
    shown = [(one, one.bound) for one in audits if one.bound is not None]
    if not shown:
        return empty("no audit with a bound on ε yet")
    positions = np.array([one.position for one, _ in shown], dtype=float)
    values = np.array([bound.value for _, bound in shown])
    finite = values[np.isfinite(values)]
    top = max(0.1, float(finite.max(initial=0.0)))
    claims = {claim: eps for one, _ in shown for claim, eps in one.claimed_epsilon.items()}
    near = {claim: eps for claim, eps in claims.items() if eps <= FAR * top}
    top = round_up(1.05 * max([top, *near.values()]))
    heights = np.where(np.isfinite(values), values, top)
    refuting = np.array([bool(one.refuted) for one, _ in shown])
    hover = [_hover(one) for one, _ in shown]
    last = max(one.position for one in audits)
    symbols = {bound.symbol for _, bound in shown}
    quantity = symbols.pop() if len(symbols) == 1 else "ε"
    drawn = [
        line(COURSE, positions, heights, hover=""),
        _points(BOUND, positions, heights, ~refuting, "circle", hover),
        *(
            [_points(REFUTES, positions, heights, refuting, "diamond", hover)]
            if refuting.any()
            else []
        ),
        key([BOUND, REFUTES], columns=2),
    ]
    highest = max(near.values(), default=0.0)
    for claim, epsilon in near.items():
        named = plain_name(claim)
        # Claims may lie close to each other.
        va, dy = ("bottom", 0) if epsilon == highest else ("top", -2)
        drawn += [
            rule(CLAIMED, y=epsilon),
            label(LEFT, epsilon, f"claimed: {named}", "ink", ha="left", va=va, dx=4, dy=dy),
        ]
    return chart(
        drawn,
        axis("audit", 0.5, max(FIRST, last) + 0.5, **_ticks(max(FIRST, last))),
        axis(f"lower bound on {quantity}", 0, top / (1 - HEADROOM)),
        summary=_summary(audits, shown[-1][0], name, claims),
        closest=True,
        revision=(last, top),
    )


def _points(
    style: Style, at: Any, heights: Any, which: Any, symbol: str, hover: Sequence[str]
) -> Any:
    said = [text for text, chosen in zip(hover, which, strict=True) if chosen]
    size = 9 if symbol == "circle" else 11
    return markers(style, at[which], heights[which], size=size, symbol=symbol, outline=None,
                   hover="{value}", values=said)  # fmt: skip


def _ticks(last: int) -> Figure:
    """Whole numbers, about ten of them."""
    step = max(1, math.ceil(round_up(last / 10)))
    return {"ticks": {float(k): str(k) for k in range(step if step > 1 else 1, last + 1, step)}}


def _hover(one: SeriesAudit) -> str:
    """What a pointer shows; names are text, whatever they contain."""
    bound = one.bound
    lines = [f"audit {one.position}, {one.reserved.date().isoformat()}"]
    if one.audit is not None and one.audit.name:
        lines.append(plain_name(one.audit.name, LONGEST_NAME))
    if bound is not None:
        lines.append(f"{bound.symbol} {bound.relation} {bound.rounded}")
    lines.append(f"{percent(one.confidence)} confidence")
    lines += [
        f"{plain_name(claim, LONGEST_NAME)}: {verdict}" for claim, verdict in one.verdicts.items()
    ]
    return "<br>".join(lines)


def _summary(
    audits: Sequence[SeriesAudit], last: SeriesAudit, name: str, claims: dict[str, float]
) -> str:
    bound = last.bound
    found = f"{bound.symbol} {bound.relation} {bound.rounded}" if bound else ""
    refuting = [str(one.position) for one in audits if one.refuted]
    text = f"{f'Series “{name}”: ' if name else ''}{len(audits)} audits. The last: {found}."
    for claim, epsilon in claims.items():
        text += f" The claim {claim} allows ε = {round_safely(epsilon, 'up')}."
    return f"{text} Audits that refute a claim: {', '.join(refuting) or 'none'}."
