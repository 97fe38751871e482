"""Charts of an audit by one run: every method, what tuning adds, bit errors, and more canaries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.figures.kit.layout import base_layout, label, vertical_line
from workbench.figures.kit.legend import HEADROOM, Entry, key, line
from workbench.figures.scores import drawable, round_up
from workbench.onerun.growth_with_canaries import EXACT, HOEFFDING, STEINKE
from workbench.onerun.per_bit import BitErrorCurves, HypotheticalLimits
from workbench.onerun.simulate import Study
from workbench.onerun.tuning import Tuning

Floats = NDArray[np.float64]

DIRECT = Entry("bit error (1 − TV)/2", "p")
PRINTED = Entry("as BITS prints it", "q", "dash")
INFORMATION = Entry("information u(½), bits", "fit", "dot")

ASSUMED = Entry("ε if the bit error were this", "p")
FOLLOWED = Entry("ε that then follows", "q", "dash")

POINTWISE = Entry("each rule, fixed beforehand", "p")
CLAIMED = Entry("best after the fact: void", "bad")
PAID = Entry("paid for", "good")
HELD_OUT = Entry("held out", "fit", "dash")

LINES = {
    EXACT: Entry(EXACT, "p"),
    HOEFFDING: Entry(HOEFFDING, "p", "dot", 1.5),
    STEINKE: Entry(STEINKE, "q"),
}

#: Dots on the line of `POINTWISE`.
DOTS = {"size": 6, "color": "@p"}

SEEN = Entry("seen, mean ± sd", "p")
INDEPENDENT = Entry("independent bits", "good", "dash", 1.5)


@dataclass(frozen=True)
class Reference:
    """What bounds on ε are compared with: the truth, or what is claimed."""

    name: str
    epsilon: float


def methods(bounds: Mapping[str, Bound], reference: Reference | None) -> dict[str, Any]:
    """A row a method, from 0 to its lower bound on ε.

    Parameters
    ----------
    bounds : mapping
        Label -> bound.
    reference : Reference, optional
    """
    values = np.array([bound.value for bound in bounds.values()])
    seen = [v for v in values if math.isfinite(v)]
    seen += [reference.epsilon] if reference and math.isfinite(reference.epsilon) else []
    reach = 1.12 * max([*seen, 0.1])
    shown = np.minimum(values, reach)
    roles = ["warn" if bound.void else "good" for bound in bounds.values()]
    hover = [f"{name}: ε ≥ {bound.rounded}" for name, bound in bounds.items()]
    texts = [f"{name} · {bound.rounded}" for name, bound in bounds.items()]
    first = next(iter(bounds.values()))
    told, marks = [], []
    if reference and math.isfinite(reference.epsilon):
        right = reference.epsilon < 0.7 * reach
        marks = [dot_rows.mark(reference.epsilon)]
        told = [dot_rows.mark_name(reference.epsilon, reference.name, right=right)]
        hover.append(f"{reference.name}: {round_safely(reference.epsilon, 'nearest')}")
    return {
        "data": [dot_rows.dots("lower bound on ε", shown, 0 * shown, shown, roles, hover)],
        "layout": base_layout(
            f"{first.symbol}, at least ({percent(first.confidence or 0)})",
            "",
            summary="; ".join(hover) + ".",
            x={"range": [-0.02 * reach, reach]},
            y=dot_rows.axis(len(bounds)),
            shapes=marks,
            annotations=[*told, *dot_rows.names(texts, roles, 14)],
            hovermode="closest",
            **dot_rows.size(len(bounds)),
        ),
    }


def tuning(tuned: Tuning, reference: Reference | None) -> dict[str, Any]:
    """ε over the number of guesses: rule by rule, the best after the fact, and what may be said."""
    guesses = np.array([_guesses(rule) for rule in tuned.rules])
    values = np.array([bound.value for bound in tuned.pointwise])
    lines = [(PAID, tuned.simultaneous)]
    lines += [(HELD_OUT, tuned.held_out)] if tuned.held_out else []
    ends = [b.value for b in (tuned.claimed, tuned.simultaneous) if math.isfinite(b.value)]
    ends += [bound.value for _, bound in lines if math.isfinite(bound.value)]
    shapes, told = [], []
    if reference and math.isfinite(reference.epsilon):
        ends.append(reference.epsilon)
        shapes.append(dot_rows.across(reference.epsilon))
    top = 1.08 * max([*ends, 0.1]) / (1 - 2 * HEADROOM)
    if shapes:
        told.append(_across_name(reference))  # type: ignore[arg-type]
    span = [float(guesses.min()), float(guesses.max())]
    drawn = key([POINTWISE, CLAIMED, *(entry for entry, _ in lines)])
    drawn["shapes"] += shapes
    drawn["annotations"] += told
    best = guesses[tuned.rules.index(tuned.rule_claimed)]
    said = "; ".join(f"{entry.text}: ε ≥ {bound.rounded}" for entry, bound in lines)
    return {
        "data": [
            line(POINTWISE, guesses, drawable(values), mode="lines+markers", marker=DOTS),
            *(
                line(entry, span, [bound.value] * 2, hoverinfo="skip")
                for entry, bound in lines
                if math.isfinite(bound.value)
            ),
            {
                "type": "scatter",
                "mode": "markers",
                "name": CLAIMED.text,
                "x": [best],
                "y": [min(tuned.claimed.value, top)],
                "marker": {"size": 11, "color": f"@{CLAIMED.role}"},
                "cliponaxis": False,
            },
        ],
        "layout": base_layout(
            "guesses, half of them in",
            f"{tuned.claimed.symbol}, at least",
            summary=f"Best of {len(tuned.rules)} rules: ε ≥ {tuned.claimed.rounded}, which is "
            f"void; {said}.",
            x=_log_axis(span, 0.06) | _ticks(guesses[:: 1 if guesses.size < 8 else 2]),
            y={"range": [0, top]},
            hovermode="closest",
            **drawn,
        ),
    }


def bit_errors(
    curves: BitErrorCurves, limit: float | None = None, leak: float | None = None
) -> dict[str, Any]:
    """Direct and printed bit error and u_f(½) over the leak, and this run's place.

    Parameters
    ----------
    curves : BitErrorCurves
        With the prior ½ alone.
    limit, leak : float, optional
        Upper limit of this run's bit error, and the leak below which all is refuted by it.
    """
    entries = [DIRECT, PRINTED, INFORMATION]
    drawn = key(entries)
    reach = float(curves.leak[-1])
    if limit is not None and leak is not None and leak <= reach:
        drawn["shapes"].append(vertical_line(leak, role="good") | {"y1": 1 - 1.4 * HEADROOM})
        right = leak < 0.6 * reach
        drawn["annotations"].append(
            label(leak, limit, f"this run: error ≤ {round_safely(limit, 'up')}", "good",
                  xanchor="left" if right else "right", xshift=6 if right else -6,
                  yanchor="bottom", yshift=3)
        )  # fmt: skip
    name = curves.family.symbol
    gap = float(np.max(curves.direct - curves.printed))
    place = f" This run refutes {name} below {plain(leak)}." if leak is not None else ""
    values = (curves.direct, curves.printed, curves.information[:, 0])
    return {
        "data": [line(e, curves.leak, v) for e, v in zip(entries, values, strict=True)],
        "layout": base_layout(
            f"{name} of the family ({curves.family.name})",
            "error rate, or bits",
            summary="What a member of the family allows a guess: the printed limit is below the "
            f"direct one by up to {plain(gap)}.{place}",
            x={"range": [0, reach]},
            y={"range": [0, 1 / (1 - 1.4 * HEADROOM)], **_ticks([0, 0.25, 0.5, 0.75, 1])},
            revision=reach,
            **drawn,
        ),
    }


def hypothetical(limits: HypotheticalLimits) -> dict[str, Any]:
    """Assumed and following ε over the assumed bit error; they meet at the exact limit."""
    finite = limits.assumed[np.isfinite(limits.assumed)]
    known = [x for x in (limits.exact, limits.hoeffding) if math.isfinite(x)]
    top = max([*finite[:1], *known, 0.1]) if finite.size else max([*known, 0.1])
    top = min(float(top), 3 * max([*known, 0.1]))
    drawn = key([ASSUMED, FOLLOWED])
    drawn["shapes"].append(vertical_line(limits.limit, role="good") | {"y1": 1 - HEADROOM})
    exact, wide = round_safely(limits.exact, "down"), round_safely(limits.hoeffding, "down")
    drawn["annotations"] += [
        label(limits.limit, 0.13, f"exact: ε ≥ {exact}", "good", yref="paper", yanchor="bottom",
              xanchor="right", xshift=-5),
        label(limits.limit, 0.03, "contradiction", "muted", yref="paper", yanchor="bottom",
              xanchor="right", xshift=-5),
    ]  # fmt: skip
    if math.isfinite(limits.hoeffding):
        drawn["shapes"].append(dot_rows.across(limits.hoeffding))
        drawn["annotations"].append(
            label(0, limits.hoeffding, f"Hoeffding: ε ≥ {wide}", "ink", xref="paper",
                  xanchor="left", yanchor="top", xshift=4)
        )  # fmt: skip
    p = limits.bit_error
    return {
        "data": [
            line(ASSUMED, p, _finite(limits.assumed)),
            line(FOLLOWED, p, _finite(limits.followed)),
        ],
        "layout": base_layout(
            "assumed bit error",
            "ε",
            summary=f"Left of a bit error of {plain(limits.limit)} the assumption contradicts "
            f"itself; so ε is at least {exact}, and at least {wide} by Hoeffding's inequality.",
            x={"range": [float(p[0]), float(p[-1])]},
            y={"range": [0, 1.05 * top / (1 - HEADROOM)]},
            revision=(round(float(p[0]), 3), round_up(top)),
            **drawn,
        ),
    }


def growth(study: Study, reference: Reference) -> dict[str, Any]:
    """Mean and range over the seeds of each bound, against the number of canaries."""
    x = study.canaries
    data, high = [], [reference.epsilon]
    for name, entry in LINES.items():
        if name != HOEFFDING:
            data += _between(entry, x, *study.range(name))
            high.append(_highest(study.range(name)[1]))
        data.append(line(entry, x, _finite(study.mean(name))))
    top = 1.08 * max(h for h in [*high, 0.1] if math.isfinite(h))
    drawn = key(list(LINES.values()))
    drawn["shapes"].append(dot_rows.across(reference.epsilon))
    drawn["annotations"].append(_across_name(reference))
    ends = "; ".join(f"{n} {plain(float(study.mean(n)[-1]))}" for n in LINES)
    return {
        "data": data,
        "layout": base_layout(
            "canaries n",
            f"ε at δ = {plain(study.delta)}, at least",
            summary=f"Mean bounds with {x[-1]:,} canaries: {ends}; {reference.name}: "
            f"{round_safely(reference.epsilon, 'nearest')}.",
            x=_log_axis([float(x[0]), float(x[-1])], 0.05),
            y={"range": [0, top / (1 - 1.4 * HEADROOM)]},
            revision=round_up(top),
            **drawn,
        ),
    }


def bit_error_growth(study: Study) -> dict[str, Any]:
    """Mean and spread of the bit error over the seeds, beside what independent bits would do."""
    x, mean = study.canaries, study.bit_error.mean(axis=1)
    spread = study.bit_error.std(axis=1, ddof=1)
    best = study.best_error
    chance = np.sqrt(best * (1 - best) / x)
    top = max(float(np.max(mean + spread)), float(np.max(best + chance)), 0.05)
    low = max(min(float(np.min(mean - spread)), float(np.min(best - chance))), 0.0)
    drawn = key([SEEN, INDEPENDENT], columns=2)
    room = 1.1 * (top - low) / (1 - HEADROOM)
    return {
        "data": [
            *_between(SEEN, x, mean - spread, mean + spread),
            line(SEEN, x, mean),
            line(INDEPENDENT, x, np.full(x.size, best)),
            *(line(_thin(INDEPENDENT), x, best + side * chance, hoverinfo="skip")
              for side in (-1, 1)),
        ],
        "layout": base_layout(
            "canaries n",
            "bit error",
            summary=f"Bias of the bit error at {x[-1]:,} canaries: {plain(float(study.bias[-1]))}; "
            "its variance over that of independent bits: "
            f"{plain(float(study.variance_ratio[-1]))}.",
            x=_log_axis([float(x[0]), float(x[-1])], 0.05),
            y={"range": [max(low - 0.05 * (top - low), 0), low + room]},
            revision=(round(low, 2), round_up(max(room, 1e-6))),
            **drawn,
        ),
    }  # fmt: skip


def _guesses(rule: Any) -> int:
    return int(rule.k_in + rule.k_out)


def _finite(values: Floats) -> list[float | None]:
    return [float(v) if math.isfinite(v) else None for v in values]


def _highest(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def _thin(entry: Entry) -> Entry:
    return Entry(entry.text, entry.role, "dot", 1)


def _between(entry: Entry, x: Any, low: Floats, high: Floats) -> list[dict[str, Any]]:
    """The traces of a band in the color of its line."""
    edge = {"color": f"@{entry.role}", "width": 0}
    return [
        line(entry, x, _finite(low), hoverinfo="skip") | {"line": edge},
        line(entry, x, _finite(high), hoverinfo="skip", fill="tonexty",
             fillcolor=f"@{entry.role}/.14") | {"line": edge},
    ]  # fmt: skip


def _across_name(reference: Reference) -> dict[str, Any]:
    text = f"{reference.name}: {round_safely(reference.epsilon, 'nearest')}"
    return label(0, reference.epsilon, text, "ink", xref="paper", xanchor="left", yanchor="bottom",
                 xshift=4)  # fmt: skip


def _log_axis(span: Sequence[float], margin: float = 0.0) -> dict[str, Any]:
    low, high = (math.log10(value) for value in span)
    extra = margin * max(high - low, 1.0)
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    return {
        "type": "log",
        "range": [low - extra, high + extra],
        "tickfont": {"size": 11, "color": "@muted"},
        **_ticks([10**k for k in powers]),
    }


def _ticks(values: Any) -> dict[str, Any]:
    return {"tickvals": [float(v) for v in values], "ticktext": [f"{v:,}" for v in values]}
