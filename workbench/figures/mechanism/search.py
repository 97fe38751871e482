"""Charts of a search for violations: the bound of every trial, and what could be found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench._format import plain, round_safely
from workbench.claims.base import Claim
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty, margins
from workbench.figures.kit.legend import CHARACTER
from workbench.figures.kit.marks import LEFT, TOP, Mark, Style, label, markers, rule, whiskers
from workbench.figures.kit.types import Figure

if TYPE_CHECKING:
    from workbench.testers.mechanism_audit import MechanismAudit
    from workbench.testers.property_testers.base import Finding


@dataclass(frozen=True)
class TesterMark:
    """How a tester is drawn: name, symbol, the same symbol as a character, color role."""

    name: str
    symbol: str
    glyph: str
    role: str


MARKS = {
    "hockey-stick": TesterMark("hockey-stick", "circle", "●", "p"),
    "renyi": TesterMark("Rényi", "square", "■", "fit"),
    "mmd": TesterMark("MMD", "diamond", "◆", "good"),
    "histogram": TesterMark("histogram", "triangle-up", "▲", "q"),
    "bits": TesterMark("bits", "star", "★", "bad"),
}

#: Pixels: height of a row of names above a chart.
ROW = 18

#: Columns of those names: three fit on a phone.
COLUMNS = 3

#: Trials by which the marks of two testers stand apart.
APART = 0.15


def mark_of(tester: str) -> TesterMark:
    """How a tester is drawn; an unknown one is a cross."""
    return MARKS.get(tester, TesterMark(tester, "x", "✕", "ink"))


def height_of(finding: Finding) -> float:
    """Height of a finding: the claim's parameter, or the share of the allowed divergence."""
    if finding.parameter is not None:
        return float(finding.parameter)
    return float(finding.bound.value / finding.allowed) if finding.allowed > 0 else math.inf


def trials(audit: MechanismAudit, picked: tuple[int, str] | None = None) -> Figure:
    """Bounds of every trial, one marker per tester, and the claim.

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
    places = {
        name: [(n + apart * (k - (len(found) - 1) / 2), height_of(f)) for n, f in points]
        for k, (name, points) in enumerate(found.items())
        if points
    }
    heights = [y for points in places.values() for _, y in points if math.isfinite(y)]
    compared = audit.claim.stated
    top = 1.12 * max([1.25 * claimed if compared else 0.0, *heights, 1e-3])
    places = {name: [(x, min(y, top)) for x, y in points] for name, points in places.items()}
    lost = [trial for trial in audit.trials if trial.error]
    took_part = [name for name in audit.testers if name in places] or audit.testers
    names = [(f"{mark_of(name).glyph} {mark_of(name).name}", mark_of(name).role)
             for name in took_part]  # fmt: skip
    names += [(f"╌ {_promise(audit.claim)}: {plain(claimed)}", "ink")] if compared else []
    names += [("▏lost", "bad")] if lost else []
    drawn = [_findings(name, at, found[name], quantity) for name, at in places.items()]
    if lost:
        drawn.append(_lost(lost, -0.06 * top))
    if picked is not None and picked[1] in places:
        drawn.append(_ring([at for at in places[picked[1]] if round(at[0]) == picked[0] + 1]))
    violations = sum(f.violation for trial in audit.trials for f in trial.findings.values())
    low = (-0.1 if lost else -0.04) * top
    few = last <= 10
    return chart(
        [*drawn, *([rule(dot_rows.COMPARED, y=claimed)] if compared else []), *_above(names)],
        axis("trial", 0.4, last + 0.6, step=1 if few else None, most_ticks=None if few else 10),
        axis(f"{quantity}, at least", low, top, most_ticks=6),
        summary=f"{_count(len(audit.trials), 'trial')} of {last}, {len(lost)} lost. "
        + (
            f"Claimed: {plain(claimed)}. {_count(violations, 'finding')} above it"
            if compared
            else "Nothing is claimed"
        )
        + (f"; the largest is {round_safely(max(heights), 'down')}." if heights else "."),
        closest=True,
        revision=(last, round(top, 6)),
        margin=margins(top=10 + ROW * -(-len(names) // COLUMNS)),
    )


def detectable(audit: MechanismAudit) -> Figure:
    """One row per tester: the smallest leak that this many outputs detect with 80% power."""
    claimed, quantity = _reference(audit.claim)
    values = {name: value for name, value in audit.detectable().items() if value is not None}
    if not values:
        return empty("This claim has no parameter, so it has no smallest detectable leak.")
    compared = audit.claim.stated
    claimed = claimed if compared else 0.0
    finite = [v for v in values.values() if math.isfinite(v)]
    reach = 1.15 * max([*finite, claimed, 0.01])
    shown = [min(v, reach) for v in values.values()]
    texts = [_detected(name, value) for name, value in values.items()]
    roles = ["muted" if math.isinf(v) else mark_of(name).role for name, v in values.items()]
    right = claimed < 0.6 * reach
    return chart(
        [
            whiskers("smallest detectable leak", shown, np.minimum(claimed, shown), shown, roles,
                     texts),
            *(
                dot_rows.compared_with(claimed, f"claimed: {plain(claimed)}", right)
                if compared
                else ()
            ),
            *dot_rows.names(texts, roles, 14),
        ],
        axis(f"{quantity} of the leakiest mechanism", 0, reach * 1.02),
        dot_rows.axis(len(values)),
        summary=f"Claimed: {plain(claimed) if compared else 'nothing'}. Detectable with 80% power: "
        + "; ".join(texts) + ".",
        closest=True,
        margin=dot_rows.MARGIN,
    )  # fmt: skip


# -- the parts -----------------------------------------------------------------------------------


def _reference(claim: Claim) -> tuple[float, str]:
    """The height of the claim's line, and what the axis shows."""
    parameter = claim.parameter
    if parameter is None:
        return 1.0, "divergence / allowed"
    return float(parameter), claim.symbol


def _promise(claim: Claim) -> str:
    return "allowed" if claim.parameter is None else "claimed"


def _findings(
    tester: str,
    places: Sequence[tuple[float, float]],
    points: Sequence[tuple[int, Finding]],
    quantity: str,
) -> Mark:
    """A tester's findings; filled where they refute the claim."""
    mark = mark_of(tester)
    texts = [
        f"trial {n}, {mark.name}: {quantity} ≥ {round_safely(height_of(f), 'down')}"
        + (", refutes the claim" if f.violation else "")
        for n, f in points
    ]
    return markers(
        Style(mark.name, mark.role),
        [x for x, _ in places],
        [y for _, y in places],
        size=8,
        symbol=[mark.symbol if f.violation else f"{mark.symbol}-open" for _, f in points],
        outline=mark.role,
        outline_width=1.5,
        hover="{value}",
        values=texts,
    )


def _lost(lost: Sequence[Any], y: float) -> Mark:
    """Ticks below zero for the trials that ended in an error."""
    return markers(
        Style("lost", "bad"),
        [trial.index + 1 for trial in lost],
        [y] * len(lost),
        size=9,
        symbol="line-ns-open",
        outline="bad",
        hover="{value}",
        values=[f"trial {trial.index + 1} is lost: {trial.error}"[:160] for trial in lost],
    )


def _ring(places: Sequence[tuple[float, float]]) -> Mark:
    """A ring around the finding whose witness is shown."""
    return markers(
        Style("witness shown", "ink"),
        [x for x, _ in places],
        [y for _, y in places],
        size=17,
        symbol="circle-open",
        outline="ink",
        outline_width=1.5,
        hover="",
    )


def _above(names: Sequence[tuple[str, str]]) -> list[Mark]:
    """Names in rows above the chart, from its left edge."""
    widths = [
        CHARACTER * max(len(text) for text, _ in names[i::COLUMNS]) + 14
        for i in range(min(COLUMNS, len(names)))
    ]
    last = (len(names) - 1) // COLUMNS
    return [
        label(LEFT, TOP, text, role, ha="left", va="bottom", dx=sum(widths[: i % COLUMNS]),
              dy=4 + ROW * (last - i // COLUMNS), veil=None)
        for i, (text, role) in enumerate(names)
    ]  # fmt: skip


def _detected(tester: str, value: float) -> str:
    if math.isinf(value):
        return f"{mark_of(tester).name} · too few runs"
    return f"{mark_of(tester).name} · {round_safely(value, 'up')}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
