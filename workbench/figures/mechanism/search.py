"""Charts of a search for violations: the bound of every trial, and what could be found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.claims.base import Claim
from workbench.figures.kit import dot_rows
from workbench.figures.kit.layout import base_layout, empty, label
from workbench.figures.kit.legend import CHARACTER

if TYPE_CHECKING:
    from workbench.testers.evidence import MechanismAudit
    from workbench.testers.property_testers.base import Finding


@dataclass(frozen=True)
class Mark:
    """How a tester is drawn: its name, plotly symbol, the same as a character, color role."""

    name: str
    symbol: str
    glyph: str
    role: str


MARKS = {
    "hockey-stick": Mark("hockey-stick", "circle", "●", "p"),
    "renyi": Mark("Rényi", "square", "■", "fit"),
    "mmd": Mark("MMD", "diamond", "◆", "good"),
    "histogram": Mark("histogram", "triangle-up", "▲", "q"),
}

#: Pixels: height of a row of names above a chart.
ROW = 18

#: Columns of those names: three fit on a phone.
COLUMNS = 3

#: Trials by which the marks of two testers stand apart.
APART = 0.15


def mark_of(tester: str) -> Mark:
    """How a tester is drawn; one that nobody knows looks like a cross."""
    return MARKS.get(tester, Mark(tester, "x", "✕", "ink"))


def height_of(finding: Finding) -> float:
    """Where a finding stands: the claim's parameter, or the share of what a pair allows."""
    if finding.parameter is not None:
        return float(finding.parameter)
    return float(finding.bound.value / finding.allowed) if finding.allowed > 0 else math.inf


def trials(audit: MechanismAudit, picked: tuple[int, str] | None = None) -> dict[str, Any]:
    """Every trial's bounds, a mark a tester, and what is claimed.

    Parameters
    ----------
    audit : MechanismAudit
        Maybe partial; the axis has room for all trials that were planned.
    picked : (int, str), optional
        The trial and tester whose witness is shown.
    """
    claimed, quantity = _reference(audit.claim)
    found = {
        name: [(trial.index + 1, trial.findings[name]) for trial in audit.trials
               if name in trial.findings]
        for name in audit.testers
    }  # fmt: skip
    last = max(audit.planned, 1)
    apart = APART * min(1, last / 20)  # as many pixels, or less
    shown = {
        name: _mark_trace(name, points, quantity, apart * (k - (len(found) - 1) / 2))
        for k, (name, points) in enumerate(found.items())
        if points
    }
    heights = [y for trace in shown.values() for y in trace["y"] if math.isfinite(y)]
    top = 1.12 * max([1.25 * claimed, *heights, 1e-3])
    for trace in shown.values():
        trace["y"] = [min(y, top) for y in trace["y"]]
    lost = [trial for trial in audit.trials if trial.error]
    took_part = [name for name in audit.testers if name in shown] or audit.testers
    names = [(f"{mark_of(name).glyph} {mark_of(name).name}", mark_of(name).role)
             for name in took_part]  # fmt: skip
    names += [(f"╌ {_promise(audit.claim)}: {plain(claimed)}", "ink")]
    names += [("▏lost", "bad")] if lost else []
    more = _lost_trace(lost, -0.06 * top) if lost else []
    if picked is not None and picked[1] in shown:
        more = [*more, _ring(shown[picked[1]], picked[0] + 1)]
    violations = sum(f.violation for trial in audit.trials for f in trial.findings.values())
    return {
        "data": [*shown.values(), *more],
        "layout": base_layout(
            "trial",
            f"{quantity}, at least",
            summary=f"{_count(len(audit.trials), 'trial')} of {last}, {len(lost)} lost. Claimed: "
            f"{plain(claimed)}. {_count(violations, 'finding')} above it"
            + (f"; the largest is {round_safely(max(heights), 'down')}." if heights else "."),
            x={"range": [0.4, last + 0.6], **_whole(last)},
            y={"range": [(-0.1 if lost else -0.04) * top, top], "tickmode": "auto", "nticks": 6},
            shapes=[dot_rows.across(claimed)],
            annotations=_above(names),
            margin={"l": 56, "r": 16, "t": 10 + ROW * -(-len(names) // COLUMNS), "b": 44},
            hovermode="closest",
            revision=(last, round(top, 6)),
        ),
    }  # fmt: skip


def detectable(audit: MechanismAudit) -> dict[str, Any]:
    """A row a tester: from which leak on so many outputs would have shown a violation."""
    claimed, quantity = _reference(audit.claim)
    values = {name: value for name, value in audit.detectable.items() if value is not None}
    if not values:
        return empty("A claim without a parameter has no such limit.")
    finite = [v for v in values.values() if math.isfinite(v)]
    reach = 1.15 * max([*finite, claimed, 0.01])
    shown = [min(v, reach) for v in values.values()]
    texts = [_detected(name, value) for name, value in values.items()]
    roles = ["muted" if math.isinf(v) else mark_of(name).role for name, v in values.items()]
    right = claimed < 0.6 * reach
    return {
        "data": [
            dot_rows.dots(
                "found from here on", shown, np.minimum(claimed, shown), shown, roles, texts
            )
        ],
        "layout": base_layout(
            f"{quantity} of the leakiest mechanism",
            "",
            summary=f"Claimed: {plain(claimed)}. Found with a chance of 80 %: "
            + "; ".join(texts) + ".",
            x={"range": [0, reach * 1.02]},
            y=dot_rows.axis(len(values)),
            shapes=[dot_rows.mark(claimed)],
            annotations=[
                dot_rows.mark_name(claimed, f"claimed: {plain(claimed)}", right=right),
                *dot_rows.names(texts, roles, 14),
            ],
            hovermode="closest",
            margin=dot_rows.MARGIN,
        ),
    }  # fmt: skip


# -- the parts -----------------------------------------------------------------------------------


def _reference(claim: Claim) -> tuple[float, str]:
    """The height of the claim's line, and what the axis shows."""
    parameter = claim.parameter
    if parameter is None:
        return 1.0, "divergence / allowed"
    return float(parameter), claim.symbol


def _promise(claim: Claim) -> str:
    return "allowed" if claim.parameter is None else "claimed"


def _mark_trace(
    tester: str, points: Sequence[tuple[int, Finding]], quantity: str, shift: float
) -> dict[str, Any]:
    mark = mark_of(tester)
    texts = [
        f"trial {n}, {mark.name}: {quantity} ≥ {round_safely(height_of(f), 'down')}"
        + (", refutes the claim" if f.violation else "")
        for n, f in points
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": mark.name,
        "x": [n + shift for n, _ in points],
        "y": [height_of(finding) for _, finding in points],
        "customdata": texts,
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "marker": {
            "size": 8,
            "symbol": [mark.symbol if f.violation else f"{mark.symbol}-open" for _, f in points],
            "color": f"@{mark.role}",
            "line": {"width": 1.5, "color": f"@{mark.role}"},
        },
    }


def _lost_trace(lost: Sequence[Any], y: float) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "lost",
            "x": [trial.index + 1 for trial in lost],
            "y": [y] * len(lost),
            "customdata": [
                f"trial {trial.index + 1} is lost: {trial.error}"[:160] for trial in lost
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
            "cliponaxis": False,
            "marker": {
                "size": 9,
                "symbol": "line-ns-open",
                "color": "@bad",
                "line": {"width": 2, "color": "@bad"},
            },
        }
    ]


def _ring(trace: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A ring around the mark whose witness is shown."""
    at = [(x, y) for x, y in zip(trace["x"], trace["y"], strict=True) if round(x) == number]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "witness shown",
        "x": [x for x, _ in at],
        "y": [y for _, y in at],
        "hoverinfo": "skip",
        "cliponaxis": False,
        "marker": {"size": 17, "symbol": "circle-open", "color": "@ink", "line": {"width": 1.5}},
    }


def _above(names: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Names in rows above the chart, from its left edge."""
    widths = [
        CHARACTER * max(len(text) for text, _ in names[i::COLUMNS]) + 14
        for i in range(min(COLUMNS, len(names)))
    ]
    drawn = []
    for i, (text, role) in enumerate(names):
        row, column = divmod(i, COLUMNS)
        last = (len(names) - 1) // COLUMNS
        drawn.append(
            label(0, 1, text, role, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
                  xshift=sum(widths[:column]), yshift=4 + ROW * (last - row), bgcolor=None)
        )  # fmt: skip
    return drawn


def _detected(tester: str, value: float) -> str:
    if math.isinf(value):
        return f"{mark_of(tester).name} · too few runs"
    return f"{mark_of(tester).name} · {round_safely(value, 'up')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _whole(last: int) -> dict[str, Any]:
    """Ticks at whole numbers."""
    return {"tickmode": "linear", "tick0": 1, "dtick": 1} if last <= 10 else {"nticks": 10}
