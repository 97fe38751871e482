"""Charts of private selection: what it costs, the order that leaks most, what an audit shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.figures.kit.layout import base_layout, empty, label, power_of_ten
from workbench.figures.kit.legend import HEADROOM, ROW, Entry, key, line
from workbench.selection.audit import SelectionAudit
from workbench.selection.orders import BlockOrder
from workbench.selection.outcomes import FiniteSelection

Floats = NDArray[np.float64]

#: The curves, in the colors that they keep in every chart.
BASE = Entry("one run", "ink", "dot", 1.5)
DIRECT = Entry("monotone score, direct", "p")
RENYI = Entry("monotone score, Rényi at most", "p", "dash", 1.5)
WORST = Entry("worst order found, at least", "bad")
GENERIC = Entry("any score, at most", "fit", "dashdot")
EXACT = Entry("known, no samples", "muted", "dot", 1.5)

#: The larger ε axis is logarithmic beyond this ratio.
_MUCH = 30

_NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)


def profiles(
    curves: Mapping[Entry, tuple[ArrayLike, ArrayLike]], here: Mapping[Entry, float], delta: float
) -> dict[str, Any]:
    """ε against δ.

    Parameters
    ----------
    curves : mapping
        Curve -> (δ, ε).
    here : mapping
        Curve -> ε at the δ in view.
    delta : float
    """
    points = [(np.asarray(x, dtype=float), np.asarray(y, dtype=float)) for x, y in curves.values()]
    shown = [y[np.isfinite(y)] for _, y in points]
    low = min(float(x.min()) for x, _ in points)
    top = 1.05 * max([0.1, *(float(y.max()) for y in shown if y.size)])
    drawn = key(list(curves))
    drawn["shapes"].append(
        {
            **dot_rows.mark(delta),
            "y1": 1 - _headroom(len(curves)),
            "line": {"color": "@muted", "width": 1, "dash": "dash"},
        }
    )
    told = "; ".join(_told(entry, e) for entry, e in here.items())
    powers = range(math.ceil(math.log10(low)), 0, 2)
    return {
        "data": [
            *(
                line(e, x, np.where(np.isfinite(y), y, np.nan))
                for e, (x, y) in zip(curves, points, strict=True)
            ),
            *(_dot(entry, delta, e) for entry, e in here.items() if math.isfinite(e)),
        ],
        "layout": base_layout(
            "δ",
            "ε",
            summary=f"ε at δ = {plain(delta)}: {told}.",
            x={
                "type": "log",
                "range": [math.log10(low), -1],
                "tickvals": [10.0**k for k in powers],
                "ticktext": [power_of_ten(k) for k in powers],
            },
            y={"range": [0, top / (1 - _headroom(len(curves)))]},
            hovermode="closest",
            **drawn,
        ),
    }


def against_runs(
    x: ArrayLike, curves: Mapping[Entry, ArrayLike], here: tuple[float, Mapping[Entry, float]]
) -> dict[str, Any]:
    """ε against the mean number of runs.

    Parameters
    ----------
    x : array_like, shape (n,)
        Mean numbers of runs.
    curves : mapping
        Curve -> ε at each of them.
    here : (float, mapping)
        The mean in view, and curve -> ε there.
    """
    mean, values = here
    ys = [np.asarray(y, dtype=float) for y in curves.values()]
    every = np.concatenate([*ys, list(values.values())])
    finite = every[np.isfinite(every) & (every > 0)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.1, 1.0)
    share = _headroom(len(curves))
    if high > _MUCH * low:
        span = math.log10(1.1 * high / low)
        y_axis: dict[str, Any] = {
            "type": "log",
            "range": [math.log10(0.9 * low), math.log10(0.9 * low) + span / (1 - share)],
            "dtick": 1,
        }
    else:
        y_axis = {"range": [0, 1.05 * high / (1 - share)]}
    told = "; ".join(_told(entry, e) for entry, e in values.items())
    return {
        "data": [
            *(
                line(e, x, np.where(np.isfinite(y), y, np.nan))
                for e, y in zip(curves, ys, strict=True)
            ),
            *(_dot(entry, mean, e) for entry, e in values.items() if math.isfinite(e)),
        ],
        "layout": base_layout(
            "mean number of runs",
            "ε",
            summary=f"With {plain(mean)} runs on average, ε: {told}.",
            x={
                "type": "log",
                "range": [0, math.log10(max(float(np.max(x)), mean)) + 0.05],
                "dtick": 1,
            },
            y=y_axis,
            hovermode="closest",
            **key(list(curves)),
        ),
    }


def worst_order(order: BlockOrder, event: int, mu: float) -> dict[str, Any]:
    """The line in blocks, colored by their rank, over the densities of one run.

    Parameters
    ----------
    order : BlockOrder
    event : int
        The block, from left to right, whose release gives the dataset away.
    mu : float
        The base is N(0,1) against N(μ,1).
    """
    left = min([-3.5, *(edge - 0.7 for edge in order.edges)])
    right = max([mu + 3.5, *(edge + 0.7 for edge in order.edges)])
    x = np.linspace(left, right, 241)
    entries = [Entry("with the record (P)", "p"), Entry("without (Q)", "q")]
    top = 1.35 * _NORMAL_PEAK
    ends = (left, *order.edges, right)
    last = len(order.ranks) - 1
    blocks: list[dict[str, Any]] = []
    notes, told = [], []
    if last:
        for i, rank in enumerate(order.ranks):
            role, opacity = _shade(rank, last, i == event)
            words = _place(rank, last) + (": the event" if i == event else "")
            blocks.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": words,
                    "x": [ends[i], ends[i + 1]],
                    "y": [top, top],
                    "fill": "tozeroy",
                    "fillcolor": f"@{role}/{opacity}",
                    "line": {"color": f"@{role}", "width": 0},
                    "hoverinfo": "skip",
                }
            )
            notes.append(_block_name(words, i, last, ends, role))
            told.append(f"({_end(order, i)}, {_end(order, i + 1)}) {words}")
    words = (
        f"Score by blocks, from left to right: {'; '.join(told)}."
        if last
        else "No order was found that leaks more than the monotone one."
    )
    drawn = key(entries, columns=2)
    return {
        "data": [
            *blocks,
            line(entries[1], x, _NORMAL_PEAK * np.exp(-(x**2) / 2)),
            line(entries[0], x, _NORMAL_PEAK * np.exp(-((x - mu) ** 2) / 2)),
        ],
        "layout": base_layout(
            "output of one run",
            "density",
            summary=words,
            x={"range": [left, right]},
            y={"range": [0, top / (1 - HEADROOM / 2)]},
            revision=(left, right),
            shapes=drawn["shapes"],
            annotations=[*drawn["annotations"], *notes],
        ),
    }


def audits(
    one: float, known: Mapping[str, Bound], found: Mapping[str, SelectionAudit]
) -> dict[str, Any]:
    """A row for every limit that is known, and for every bound that the selections show.

    Parameters
    ----------
    one : float
        ε of one run.
    known : mapping
        "direct", "renyi", "worst" and maybe "generic" -> bound without samples.
    found : mapping
        Name of a score -> what its audit shows.
    """
    some = next(iter(known.values()))
    told = {
        "direct": "monotone score, exact: {1}",
        "renyi": "monotone score, Rényi: {0} {1}",
        "worst": "worst order: {0} {1}",
        "generic": "any score, generic: {0} {1}",
    }
    shown = [(f"one run: {round_safely(one, 'nearest')}", BASE.role, replace(some, value=one))]
    of = {"monotone": ("direct", "renyi"), "worst order": ("worst", "generic")}
    for score, limits in of.items():
        role = _role(score)
        if score in found:
            audit = found[score]
            bound, held_out = audit.simultaneous, audit.held_out
            more = f" (held-out: ≥ {held_out.rounded})" if held_out is not None else ""
            shown.append((f"{score}, shown: ≥ {bound.rounded}{more}", role, bound))
        shown += [
            (
                told[name].format(known[name].relation, known[name].rounded),
                GENERIC.role if name == "generic" else role,
                known[name],
            )
            for name in limits
            if name in known
        ]
    shown = [item for item in shown if math.isfinite(item[2].value)]
    values = np.array([b.value for *_, b in shown])
    names, roles = [name for name, *_ in shown], [role for _, role, _ in shown]
    reach = 1.12 * max(0.1, float(values.max()))
    # Only what samples show has a line from 0: so much is certain, and more may be true.
    low = np.where([b.n_p > 0 for *_, b in shown], 0.0, values)
    return {
        "data": [dot_rows.dots("ε", values, low, values, roles, names)],
        "layout": base_layout(
            some.symbol,
            "",
            summary="; ".join(names) + ".",
            x={"range": [-0.02 * reach, reach]},
            y=dot_rows.axis(len(shown)),
            annotations=dot_rows.names(names, roles, 14),
            hovermode="closest",
            **dot_rows.size(len(shown)),
        ),
    }


def growth(
    found: Mapping[str, SelectionAudit], limits: Mapping[str, Bound], most: int
) -> dict[str, Any]:
    """What audits show as selections come in, and the ε that they are after.

    Parameters
    ----------
    found : mapping
        Name of a score -> what its audit shows.
    limits : mapping
        Name of a score -> ε of its release, without samples.
    most : int
        Selections at the end.
    """
    data, entries, told = [], [], []
    top = max([0.1, *(limit.value for limit in limits.values())])
    for name, audit in found.items():
        role = _role(name)
        n = [bound.n_p for bound in audit.growth]
        y = [bound.value for bound in audit.growth]
        shown, exact = Entry(f"{name}, shown", role), replace(EXACT, role=role)
        entries.append(shown)
        data += [
            line(exact, [n[0], most], [limits[name].value] * 2, hoverinfo="skip"),
            line(shown, n, y) | {"mode": "lines+markers", "marker": {"size": 7}},
        ]
        told.append(f"{name} score {audit.simultaneous.rounded} of {limits[name].rounded}")
    first = next(iter(found.values())).growth[0]
    confidence, low = first.confidence or 0, first.n_p
    return {
        "data": data,
        "layout": base_layout(
            "selections a side",
            "ε, at least",
            summary=f"Shown with {percent(confidence)} confidence: {'; '.join(told)}.",
            x={
                "type": "log",
                "range": [math.log10(low) - 0.05, math.log10(max(most, 1.5 * low)) + 0.05],
                "dtick": 1,
            },
            y={"range": [0, 1.05 * top / (1 - _headroom(3))]},
            hovermode="closest",
            **key([*entries, EXACT]),
        ),
    }


def outcomes(selection: FiniteSelection, names: Sequence[str], delta: float) -> dict[str, Any]:
    """Each outcome's two probabilities, of one run and of the release.

    On a logarithmic axis the length between the two dots is the privacy loss of the outcome.
    """
    least = [
        float(law[law > 0].min())
        for law in (selection.p, selection.q, selection.released_p, selection.released_q)
    ]
    low = math.floor(math.log10(min(least)))
    titles: list[str] = []
    x, other, shapes = [], [], []
    for i, name in enumerate(names):
        for kind, p, q in (
            ("one run", selection.p[i], selection.q[i]),
            ("released", selection.released_p[i], selection.released_q[i]),
        ):
            row = len(titles)
            loss = abs(math.log(p / q)) if p > 0 and q > 0 else math.inf
            titles.append(f"{name}, {kind}: loss {round_safely(loss, 'nearest')}")
            x.append(float(p))
            other.append(float(q))
            style = {"color": "@ink" if kind == "released" else "@muted", "width": 2}
            ends = {"x0": max(min(p, q), 10.0**low), "x1": max(p, q), "y0": row, "y1": row}
            shapes.append({"type": "line", "layer": "below", "line": style, **ends})
    entries = [Entry("with the record (P)", "p"), Entry("without (Q)", "q")]
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": entry.text,
            "x": values,
            "y": list(range(len(values))),
            "customdata": titles,
            "hovertemplate": "%{customdata}<br>probability %{x:.3g}<extra></extra>",
            "cliponaxis": False,
            "marker": {"size": 10, "color": f"@{entry.role}"},
        }
        for entry, values in zip(entries, (x, other), strict=True)
    ]
    drawn = key(entries, columns=2)
    base, pure = selection.base.epsilon(0), selection.epsilon(0)
    powers = range(low, 1, 1 if low > -7 else 2)
    return {
        "data": data,
        "layout": base_layout(
            "probability",
            "",
            summary=f"{'; '.join(titles)}. Pure ε of one run {round_safely(base, 'nearest')}, of "
            f"the selection {round_safely(pure, 'nearest')}, "
            f"{round_safely(selection.epsilon(delta), 'nearest')} at δ = {plain(delta)}.",
            x={
                "type": "log",
                "range": [low - 0.1, 0.15],
                "tickvals": [10.0**k for k in powers],
                "ticktext": [power_of_ten(k) for k in powers],
            },
            y=dot_rows.axis(len(titles)) | {"range": [len(titles) - 0.5, -1.5]},
            shapes=[*shapes, *drawn["shapes"]],
            annotations=[
                *drawn["annotations"],
                *dot_rows.names(titles, ["muted", "ink"] * len(names), 4),
            ],
            hovermode="closest",
            margin=dot_rows.MARGIN,
        ),
    }


def waiting() -> dict[str, Any]:
    """An empty chart that says what it waits for."""
    return empty("Run the audit to see it.")


def _role(score: str) -> str:
    return DIRECT.role if score == "monotone" else WORST.role


def _headroom(entries: int) -> float:
    """Share of a chart's height that a key of so many rows takes."""
    return min(0.45, (ROW * entries + 8) / 240)


def _told(entry: Entry, epsilon: float) -> str:
    """A limit in words, rounded to its safe side."""
    side = {BASE: "nearest", WORST: "down"}.get(entry, "up")
    return f"{entry.text} {round_safely(epsilon, side)}"


def _dot(entry: Entry, x: float, y: float) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": entry.text,
        "x": [x],
        "y": [y],
        "marker": {
            "size": 10,
            "color": f"@{entry.role}",
            "line": {"width": 2, "color": "@paper"},
        },
    }


def _shade(rank: int, last: int, event: bool) -> tuple[str, float]:
    if event:
        return "bad", 0.2
    return ("muted", 0.25) if rank == last else ("muted", 0.07)


def _place(rank: int, last: int) -> str:
    if rank == last:
        return "scores highest"
    return "lowest" if rank == 0 else "second"


def _block_name(words: str, i: int, last: int, ends: Sequence[float], role: str) -> dict[str, Any]:
    """A block's name at the top of the block, at the outer ends of the outer ones."""
    outer = {0: ("left", ends[0], 6), last: ("right", ends[-1], -6)}
    anchor, x, shift = outer.get(i, ("center", (ends[i] + ends[i + 1]) / 2, 0))
    # On a phone the middle's name would meet those of its neighbors.
    below = 0 if i in (0, last) else -20
    return label(
        x,
        1 - HEADROOM / 2 - 0.03,
        words,
        role,
        yref="paper",
        yanchor="top",
        xanchor=anchor,
        xshift=shift,
        yshift=below,
    )


def _end(order: BlockOrder, i: int) -> str:
    ends = (-math.inf, *order.edges, math.inf)
    return f"{ends[i]:.3g}".replace("inf", "∞").replace("-", "−")
