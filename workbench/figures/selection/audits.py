"""Charts of an audited private selection: bounds from its releases beside limits known exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from workbench._format import percent, round_safely
from workbench.bounds.bound import Bound
from workbench.figures.kit import dot_rows
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Mark, Style, line, whiskers
from workbench.figures.kit.types import Figure
from workbench.figures.selection.bounds import BASE, DIRECT, GENERIC, WORST, headroom
from workbench.selection.audit import SelectionAudit

EXACT = Style("exact limit", "muted", "dot", 1.5)


def audits(one: float, known: Mapping[str, Bound], found: Mapping[str, SelectionAudit]) -> Figure:
    """One row per limit known without samples, and per lower bound from audited selections.

    Parameters
    ----------
    one : float
        ε of one run.
    known : mapping
        "direct", "renyi", "worst" and "generic", for any score -> bound without samples.
    found : mapping
        Name of a score -> its audit.
    """
    some = next(iter(known.values()))
    parts = {
        "direct": "monotone score, exact: {1}",
        "renyi": "monotone score, Rényi: {0} {1}",
        "worst": "worst order: {0} {1}",
        "generic": "any score: {0} {1}",
    }
    shown = [(f"one run: {round_safely(one, 'nearest')}", BASE.role, replace(some, value=one))]
    of = {"monotone": ("direct", "renyi"), "worst order": ("worst", "generic")}
    for score, limits in of.items():
        role = _role(score)
        if score in found:
            audit = found[score]
            bound, held_out = audit.simultaneous, audit.held_out
            more = f" (held-out: ≥ {held_out.rounded})" if held_out is not None else ""
            shown.append((f"{score}, audit: ≥ {bound.rounded}{more}", role, bound))
        shown += [
            (
                parts[name].format(known[name].relation, known[name].rounded),
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
    return chart(
        [
            whiskers("ε", values, low, values, roles, names),
            *dot_rows.names(names, roles, 14),
        ],
        axis(some.symbol, -0.02 * reach, reach),
        dot_rows.axis(len(shown)),
        summary="; ".join(names) + ".",
        closest=True,
        **dot_rows.size(len(shown)),
    )


def growth(found: Mapping[str, SelectionAudit], limits: Mapping[str, Bound], most: int) -> Figure:
    """Lower bounds against the number of selections, and the ε that they approach.

    Parameters
    ----------
    found : mapping
        Name of a score -> its audit.
    limits : mapping
        Name of a score -> ε of its release, without samples.
    most : int
        Selections at the end.
    """
    drawn: list[Mark] = []
    styles, parts = [], []
    top = max([0.1, *(limit.value for limit in limits.values())])
    for name, audit in found.items():
        role = _role(name)
        n = [bound.n_p for bound in audit.growth]
        y = [bound.value for bound in audit.growth]
        shown = Style(f"{name}, audit", role)
        styles.append(shown)
        drawn += [
            line(replace(EXACT, role=role), [n[0], most], [limits[name].value] * 2, hover=""),
            line(shown, n, y, dots=7),
        ]
        parts.append(f"{name} score {audit.simultaneous.rounded} of {limits[name].rounded}")
    first = next(iter(found.values())).growth[0]
    confidence, low = first.confidence or 0, first.n_p
    reach = math.log10(max(most, 1.5 * low)) + 0.05
    return chart(
        [*drawn, key([*styles, EXACT])],
        axis("selections per group", math.log10(low) - 0.05, reach, log=True, step=1),
        axis("lower bound on ε", 0, 1.05 * top / (1 - headroom(3))),
        summary=f"Lower bounds with {percent(confidence)} confidence: {'; '.join(parts)}.",
        closest=True,
    )


def trainings(shown: Mapping[str, Bound], known: Mapping[str, Bound]) -> Figure:
    """One row per lower bound from trainings, and per bound known without samples.

    Parameters
    ----------
    shown : mapping
        "single", "released" and "with score" -> bound from the released models.
    known : mapping
        Maybe "direct" and "generic" -> bound without samples.
    """
    words = {
        "single": ("one training, not chosen", BASE.role),
        "released": ("best training", WORST.role),
        "with score": ("best training, with its score", WORST.role),
        "direct": ("exact if scores rank by privacy loss", DIRECT.role),
        "generic": ("any score", GENERIC.role),
    }
    bounds = {**shown, **{k: b for k, b in known.items() if math.isfinite(b.value)}}
    names = [f"{words[k][0]}: {b.relation} {b.rounded}" for k, b in bounds.items()]
    roles = [words[k][1] for k in bounds]
    values = np.array([b.value for b in bounds.values()])
    low = np.where([b.n_p > 0 for b in bounds.values()], 0.0, values)
    reach = 1.12 * max(0.1, float(values.max()))
    return chart(
        [
            whiskers("ε", values, low, values, roles, names),
            *dot_rows.names(names, roles, 14),
        ],
        axis("ε", -0.02 * reach, reach),
        dot_rows.axis(len(bounds)),
        summary="; ".join(names) + ".",
        closest=True,
        **dot_rows.size(len(bounds)),
    )


def waiting(words: str = "Run the audit to see it.") -> Figure:
    """An empty chart that says what it waits for."""
    return empty(words)


def _role(score: str) -> str:
    return DIRECT.role if score == "monotone" else WORST.role
