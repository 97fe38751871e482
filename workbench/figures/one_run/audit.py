"""Charts of an audit with one training run: bounds by method, tuning of the guesses, bit errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench._format import percent, plain, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis, count_axis, gaps, positive, round_up
from workbench.figures.kit.layout import chart
from workbench.figures.kit.legend import HEADROOM, key
from workbench.figures.kit.marks import LEFT, Share, Style, label, line, markers, rule, whiskers
from workbench.figures.kit.types import Figure
from workbench.figures.one_run.reference import ReferenceValue
from workbench.onerun.per_bit import BitErrorCurves, HypotheticalLimits
from workbench.onerun.tuning import Tuning

DIRECT = Style("bit error (1 − TV)/2", "p")
PRINTED = Style("bit error, published formula", "q", "dash")
INFORMATION = Style("information u(½), bits", "fit", "dot")

ASSUMED = Style("ε for the assumed bit error", "p")
FOLLOWED = Style("ε implied by it", "q", "dash")

POINTWISE = Style("each rule, fixed in advance", "p")
CLAIMED = Style("best rule, uncorrected (invalid)", "bad")
PAID = Style("corrected for tuning", "good")
HELD_OUT = Style("tested on the held-out half", "fit", "dash")

LIMIT = Style("", "good")


def methods(bounds: Mapping[str, Bound], reference: ReferenceValue | None) -> Figure:
    """One row per method, from 0 to its lower bound on ε, or to its estimate.

    Parameters
    ----------
    bounds : mapping
        Label -> bound.
    reference : ReferenceValue, optional
    """
    values = np.array([bound.value for bound in bounds.values()])
    seen = [v for v in values if math.isfinite(v)]
    seen += [reference.epsilon] if reference and math.isfinite(reference.epsilon) else []
    reach = 1.12 * max([*seen, 0.1])
    shown = np.minimum(values, reach)
    estimated = {True: "muted", False: "good"}
    roles = [
        "warn" if bound.void else estimated[bound.guarantee == "estimate"]
        for bound in bounds.values()
    ]
    hover = [f"{name}: ε {bound.relation} {bound.rounded}" for name, bound in bounds.items()]
    texts = [f"{name} · {bound.rounded}" for name, bound in bounds.items()]
    first = next(iter(bounds.values()))
    compared = []
    if reference and math.isfinite(reference.epsilon):
        right = reference.epsilon < 0.7 * reach
        compared = dot_rows.compared_with(reference.epsilon, reference.name, right)
        hover.append(f"{reference.name}: {round_safely(reference.epsilon, 'nearest')}")
    return chart(
        [
            whiskers("ε", shown, 0 * shown, shown, roles, hover),
            *compared,
            *dot_rows.names(texts, roles, 14),
        ],
        axis(f"{first.symbol}, {_level(first)}", -0.02 * reach, reach),
        dot_rows.axis(len(bounds)),
        summary="; ".join(hover) + ".",
        closest=True,
        **dot_rows.size(len(bounds)),
    )


def tuning(tuned: Tuning, reference: ReferenceValue | None) -> Figure:
    """Bounds on ε against the number of guesses: of each rule, of the best one, and corrected."""
    guesses = np.array([_guesses(rule) for rule in tuned.rules])
    values = np.array([bound.value for bound in tuned.pointwise])
    lines = [(PAID, tuned.simultaneous)]
    lines += [(HELD_OUT, tuned.held_out)] if tuned.held_out else []
    ends = [b.value for b in (tuned.claimed, tuned.simultaneous) if math.isfinite(b.value)]
    ends += [bound.value for _, bound in lines if math.isfinite(bound.value)]
    compared = []
    if reference and math.isfinite(reference.epsilon):
        ends.append(reference.epsilon)
        compared = reference.rule()
    top = 1.08 * max([*ends, 0.1]) / (1 - 2 * HEADROOM)
    span = [float(guesses.min()), float(guesses.max())]
    best = guesses[tuned.rules.index(tuned.rule_claimed)]
    parts = "; ".join(f"{style.name}: ε ≥ {bound.rounded}" for style, bound in lines)
    return chart(
        [
            line(POINTWISE, guesses, positive(values), dots=6),
            *(
                line(style, span, [bound.value] * 2, hover="")
                for style, bound in lines
                if math.isfinite(bound.value)
            ),
            markers(CLAIMED, [best], [min(tuned.claimed.value, top)], size=11, outline=None),
            key([POINTWISE, CLAIMED, *(style for style, _ in lines)]),
            *compared,
        ],
        count_axis("number of guesses, half of them “in”", *span, margin=0.06,
                   ticks=guesses[:: 1 if guesses.size < 8 else 2]),
        axis(f"{tuned.claimed.symbol}, at least", 0, top),
        summary=f"The best of {len(tuned.rules)} rules gives ε ≥ {tuned.claimed.rounded}, which is "
        f"not valid; {parts}.",
        closest=True,
    )  # fmt: skip


def bit_errors(
    curves: BitErrorCurves, limit: float | None = None, leak: float | None = None
) -> Figure:
    """Bit error, direct and as published, and information u_f(½) against the leak.

    Parameters
    ----------
    curves : BitErrorCurves
        With the prior ½ alone.
    limit, leak : float, optional
        Upper limit of this run's bit error, and the leak below which all is refuted by it.
    """
    styles = [DIRECT, PRINTED, INFORMATION]
    reach = float(curves.leak[-1])
    place = []
    if limit is not None and leak is not None and leak <= reach:
        ha, dx = ("left", 6) if leak < 0.6 * reach else ("right", -6)
        words = f"this run: error ≤ {round_safely(limit, 'up')}"
        place = [
            rule(LIMIT, x=leak, end=Share(1 - 1.4 * HEADROOM)),
            label(leak, limit, words, "good", ha=ha, va="bottom", dx=dx, dy=3),
        ]
    name = curves.family.symbol
    gap = float(np.max(curves.direct - curves.printed))
    refuted = f" This run refutes {name} below {plain(leak)}." if leak is not None else ""
    values = (curves.direct, curves.printed, curves.information[:, 0])
    ticks = {share: f"{share:g}" for share in (0, 0.25, 0.5, 0.75, 1)}
    return chart(
        [
            *(line(s, curves.leak, v) for s, v in zip(styles, values, strict=True)),
            key(styles),
            *place,
        ],
        axis(f"{name} of the family ({curves.family.name})", 0, reach),
        axis("error rate; information in bits", 0, 1 / (1 - 1.4 * HEADROOM), ticks=ticks),
        summary="Bit error that members of the family allow: the published formula is below the "
        f"direct one by up to {plain(gap)}.{refuted}",
        revision=reach,
    )


def hypothetical(limits: HypotheticalLimits) -> Figure:
    """ε for an assumed bit error, and the ε implied by it; they meet at the exact limit."""
    finite = limits.assumed[np.isfinite(limits.assumed)]
    known = [x for x in (limits.exact, limits.hoeffding) if math.isfinite(x)]
    top = max([*finite[:1], *known, 0.1]) if finite.size else max([*known, 0.1])
    top = min(float(top), 3 * max([*known, 0.1]))
    exact, wide = round_safely(limits.exact, "down"), round_safely(limits.hoeffding, "down")
    drawn = [
        line(ASSUMED, limits.bit_error, gaps(limits.assumed)),
        line(FOLLOWED, limits.bit_error, gaps(limits.followed)),
        key([ASSUMED, FOLLOWED]),
        rule(LIMIT, x=limits.limit, end=Share(1 - HEADROOM)),
        label(limits.limit, Share(0.13), f"exact: ε ≥ {exact}", "good", ha="right", va="bottom",
              dx=-5),
        label(limits.limit, Share(0.03), "contradiction", "muted", ha="right", va="bottom", dx=-5),
    ]  # fmt: skip
    if math.isfinite(limits.hoeffding):
        words = f"Hoeffding: ε ≥ {wide}"
        drawn += [
            rule(dot_rows.COMPARED, y=limits.hoeffding),
            label(LEFT, limits.hoeffding, words, "ink", ha="left", va="top", dx=4),
        ]
    first, last = float(limits.bit_error[0]), float(limits.bit_error[-1])
    return chart(
        drawn,
        axis("assumed bit error", first, last),
        axis("ε", 0, 1.05 * top / (1 - HEADROOM)),
        summary=f"The assumed and the implied ε meet at a bit error of {plain(limits.limit)}: ε is "
        f"at least {exact}, and at least {wide} by Hoeffding's inequality.",
        revision=(round(first, 3), round_up(top)),
    )


def _level(bound: Bound) -> str:
    return "estimated" if bound.confidence is None else f"at least ({percent(bound.confidence)})"


def _guesses(rule: Any) -> int:
    return int(rule.k_in + rule.k_out)
