"""Charts of a search for violations: the bound of every trial, a witness, what could be found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.result import plain, round_safely
from workbench.figures import rows
from workbench.figures.key import CHARACTER, Entry, key
from workbench.figures.layout import base_layout, empty, label
from workbench.testers.allowed import claim_parameter, claim_symbol

if TYPE_CHECKING:
    from workbench.testers.base import Claimed, Finding
    from workbench.testers.result import MechanismAudit, Picture


@dataclass(frozen=True)
class Mark:
    """How a tester is drawn: its name, plotly symbol, the same as a character, colour role."""

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

P = Entry("P, dataset", "p")
Q = Entry("Q, neighbour", "q", "dot")

#: Pixels: height of a row of names above a chart.
ROW = 18

#: Columns of those names: three fit on a phone.
COLUMNS = 3

#: Trials by which the marks of two testers stand apart.
APART = 0.15

#: Bins whose widths differ by a larger factor are drawn equally wide.
UNEVEN = 50

#: Labels of outcomes under a chart at most, characters of one, and those that a line holds.
LABELS, LETTERS, LINE = 12, 10, 34

#: What a picture's axis shows.
TITLES = {
    "outputs": "output",
    "outcomes": "output",
    "strength": "strength of the witness at the output",
}


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
    shown = {
        name: _mark_trace(name, points, quantity, APART * (k - (len(found) - 1) / 2))
        for k, (name, points) in enumerate(found.items())
        if points
    }
    heights = [y for trace in shown.values() for y in trace["y"] if math.isfinite(y)]
    top = 1.12 * max([1.25 * claimed, *heights, 1e-3])
    for trace in shown.values():
        trace["y"] = [min(y, top) for y in trace["y"]]
    lost = [trial for trial in audit.trials if trial.error]
    names = [(f"{mark_of(name).glyph} {mark_of(name).name}", mark_of(name).role)
             for name in audit.testers]  # fmt: skip
    names += [(f"╌ {_promise(audit.claim)}: {plain(claimed)}", "ink")]
    names += [("▏lost", "bad")] if lost else []
    more = _lost_trace(lost, -0.06 * top) if lost else []
    if picked is not None and picked[1] in shown:
        more = [*more, _ring(shown[picked[1]], picked[0] + 1)]
    violations = sum(f.violation for trial in audit.trials for f in trial.findings.values())
    last = max(audit.planned, 1)
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
            shapes=[rows.across(claimed)],
            annotations=_above(names),
            margin={"l": 56, "r": 16, "t": 10 + ROW * -(-len(names) // COLUMNS), "b": 44},
            hovermode="closest",
            revision=(last, round(top, 6)),
        ),
    }  # fmt: skip


def witness(picture: Picture, tester: str, trial: int) -> dict[str, Any]:
    """Fresh outputs on both datasets, and a strip of what the witness thinks of them.

    Parameters
    ----------
    picture : Picture
    tester : str
    trial : int
        Counted from 0.
    """
    p, q = _shares(picture.counts_p), _shares(picture.counts_q)
    top = 1.08 * max(float(p.max(initial=0.0)), float(q.max(initial=0.0)), 1e-6)
    edges, axis, below = _bins(picture)
    drawn = key([P, Q])
    drawn["shapes"] += _strip(edges, np.asarray(picture.strength, dtype=float))
    if picture.edges is None:
        data = [_bars(P, p, picture.labels), _bars(Q, q, picture.labels)]
    else:
        data = [_steps(P, edges, p, 0.16), _steps(Q, edges, q, 0)]
    far = int(np.argmax(np.abs(p - q))) if p.size else 0
    return {
        "data": data,
        "layout": base_layout(
            TITLES.get(picture.of, "output"),
            "share of fresh runs",
            summary=f"Outputs of {picture_runs(picture)} fresh runs a side in trial {trial + 1}, "
            f"and the witness of {mark_of(tester).name}. The shares differ most where P has "
            f"{p[far]:.2%} and Q {q[far]:.2%}.",
            x={"range": [float(edges[0]), float(edges[-1])], "anchor": "free", "position": 0,
               **axis},
            y={"range": [0, top / 0.84], "domain": [0.16, 1], "rangemode": "tozero", "nticks": 6,
               "tickformat": ".0%" if top > 0.05 else ".1%"},
            barmode="group",
            bargap=0.25,
            bargroupgap=0.05,
            hovermode="closest" if picture.edges is None else "x",
            revision=(tester, trial),
            margin={"l": 56, "r": 16, "t": 8, "b": below},
            **drawn,
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
        "data": [rows.dots("found from here on", shown, np.minimum(claimed, shown), shown, roles,
                           texts)],
        "layout": base_layout(
            f"{quantity} of the leakiest mechanism",
            "",
            summary=f"Claimed: {plain(claimed)}. Found with a chance of 80 %: "
            + "; ".join(texts) + ".",
            x={"range": [0, reach * 1.02]},
            y=rows.axis(len(values)),
            shapes=[rows.mark(claimed)],
            annotations=[
                rows.mark_name(claimed, f"claimed: {plain(claimed)}", right=right),
                *rows.names(texts, roles, 14),
            ],
            hovermode="closest",
            margin=rows.MARGIN,
        ),
    }  # fmt: skip


def picture_runs(picture: Picture) -> str:
    """How many runs a side a picture shows."""
    return f"{max(int(np.sum(picture.counts_p)), int(np.sum(picture.counts_q))):,}"


# -- the parts -----------------------------------------------------------------------------------


def _reference(claim: Claimed) -> tuple[float, str]:
    """The height of the claim's line, and what the axis shows."""
    parameter = claim_parameter(claim)
    if parameter is None:
        return 1.0, "divergence / allowed"
    return float(parameter), claim_symbol(claim)


def _promise(claim: Claimed) -> str:
    return "allowed" if claim_parameter(claim) is None else "claimed"


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


def _shares(counts: Any) -> NDArray[np.float64]:
    counts = np.asarray(counts, dtype=float)
    return counts / max(counts.sum(), 1.0)


def _bins(picture: Picture) -> tuple[NDArray[np.float64], dict[str, Any], int]:
    """The bins' edges as drawn, what the axis says of them, and the pixels that it takes."""
    if picture.edges is None:
        return _outcomes(picture.labels)
    edges = np.asarray(picture.edges, dtype=float)
    bins, widths = edges.size - 1, np.diff(edges)
    own = picture.labels[bins:]  # NaN and the like stand to the right of all numbers
    even = np.isfinite(edges).all() and 0 < widths.max() < UNEVEN * widths.min()
    if even and not own:
        return edges, {}, 44
    drawn = edges if even else np.arange(edges.size, dtype=float)
    step = drawn[-1] - drawn[-2]
    drawn = np.append(drawn, drawn[-1] + step * np.arange(1, len(own) + 1))
    places = np.unique(np.linspace(0, bins, 5).round().astype(int))
    if own:
        places = places[:-1]
    axis = {
        "tickvals": [*drawn[places], *(drawn[bins : bins + len(own)] + step / 2)],
        "ticktext": [*(_edge(float(edges[i])) for i in places), *map(_short, own)],
    }
    return drawn, axis, 44


def _outcomes(labels: Sequence[str]) -> tuple[NDArray[np.float64], dict[str, Any], int]:
    places = list(range(0, len(labels), -(-len(labels) // LABELS)))
    texts = [_short(labels[i]) for i in places]
    turned = sum(len(text) + 2 for text in texts) > LINE
    axis = {"tickvals": places, "ticktext": texts, "tickangle": -45 if turned else 0}
    edges = np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    return edges, axis, 92 if turned else 44


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


def _edge(value: float) -> str:
    return plain(value) if math.isfinite(value) else ("∞" if value > 0 else "−∞")


def _steps(
    entry: Entry, edges: NDArray[np.float64], shares: NDArray[np.float64], fill: float
) -> dict[str, Any]:
    more = {"fill": "tozeroy", "fillcolor": f"@{entry.role}/{fill}"} if fill else {}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": entry.text,
        "x": edges,
        "y": np.append(shares, shares[-1:]),
        "line": {"color": f"@{entry.role}", "width": 2, "dash": entry.dash, "shape": "hv"},
        "hovertemplate": "%{y:.2%}",
        **more,
    }


def _bars(entry: Entry, shares: NDArray[np.float64], labels: Sequence[Any]) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": entry.text,
        "x": np.arange(shares.size, dtype=float),
        "y": shares,
        "customdata": [str(one) for one in labels],
        "hovertemplate": f"%{{customdata}}, {entry.text}: %{{y:.2%}}<extra></extra>",
        "marker": {"color": f"@{entry.role}"},
    }


def _strip(edges: NDArray[np.float64], strength: NDArray[np.float64]) -> list[dict[str, Any]]:
    """A rectangle a bin: how far the witness takes it for an output of P, or of Q."""
    finite = np.where(np.isfinite(strength), strength, 0.0)
    strongest = float(np.abs(finite).max(initial=0.0))
    if strongest == 0:
        return []
    return [
        {
            "type": "rect",
            "layer": "below",
            "x0": float(edges[i]),
            "x1": float(edges[i + 1]),
            "yref": "paper",
            "y0": 0.03,
            "y1": 0.12,
            "line": {"width": 0},
            "fillcolor": f"@{'p' if value > 0 else 'q'}/{0.02 + 0.97 * abs(value) / strongest:.2f}",
        }
        for i, value in enumerate(finite)
        if value != 0
    ]


def _detected(tester: str, value: float) -> str:
    if math.isinf(value):
        return f"{mark_of(tester).name} · too few runs"
    return f"{mark_of(tester).name} · {round_safely(value, 'up')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _whole(last: int) -> dict[str, Any]:
    """Ticks at whole numbers."""
    return {"tickmode": "linear", "tick0": 1, "dtick": 1} if last <= 10 else {"nticks": 10}
