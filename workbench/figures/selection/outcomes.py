"""Chart of a private selection with finitely many outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench._format import plain, round_safely
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, bare_axis, powers_of_ten
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Mark, Style, markers, rule
from workbench.figures.kit.types import Figure
from workbench.figures.selection.bounds import WITH, WITHOUT
from workbench.selection.outcomes import FiniteSelection

#: How the two kinds of rows look: color role of the name and of the line between the dots.
KINDS = {"one run": "muted", "released": "ink"}


def outcomes(selection: FiniteSelection, names: Sequence[str], delta: float) -> Figure:
    """Probabilities of every outcome under P and Q, of one run and of the release.

    On a logarithmic axis the length between the two dots is the privacy loss of the outcome.
    """
    least = [
        float(law[law > 0].min())
        for law in (selection.p, selection.q, selection.released_p, selection.released_q)
    ]
    low = math.floor(math.log10(min(least)))
    titles: list[str] = []
    x, other = [], []
    losses: list[Mark] = []
    for i, name in enumerate(names):
        for kind, p, q in (
            ("one run", selection.p[i], selection.q[i]),
            ("released", selection.released_p[i], selection.released_q[i]),
        ):
            loss = abs(math.log(p / q)) if p > 0 and q > 0 else math.inf
            start, end = max(min(p, q), 10.0**low), max(p, q)
            between = Style("", KINDS[kind])
            losses.append(rule(between, y=len(titles), start=start, end=end, behind=True))
            titles.append(f"{name}, {kind}: loss {round_safely(loss, 'nearest')}")
            x.append(float(p))
            other.append(float(q))
    rows = list(range(len(titles)))
    hover = "{value}<br>probability {x:.3g}"
    base, pure = selection.base.epsilon(0), selection.epsilon(0)
    ticks = powers_of_ten(range(low, 1, 1 if low > -7 else 2))
    return chart(
        [
            *(
                markers(style, values, rows, outline=None, hover=hover, values=titles)
                for style, values in ((WITH, x), (WITHOUT, other))
            ),
            *losses,
            key([WITH, WITHOUT], columns=2),
            *dot_rows.names(titles, [*KINDS.values()] * len(names), 4),
        ],
        axis("probability", low - 0.1, 0.15, log=True, ticks=ticks),
        bare_axis(len(titles) - 0.5, -1.5),
        summary=f"{'; '.join(titles)}. Pure ε of one run {round_safely(base, 'nearest')}, of "
        f"the selection {round_safely(pure, 'nearest')}, "
        f"{round_safely(selection.epsilon(delta), 'nearest')} at δ = {plain(delta)}.",
        closest=True,
        margin=dot_rows.MARGIN,
    )
