"""Data of the audits page: saved audits in a list, one of them as a page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from workbench import _json
from workbench._format import percent
from workbench.assets import board
from workbench.audits.audit import Audit
from workbench.audits.comparison import AuditComparison
from workbench.audits.items import AuditData, AuditFigure, AuditNumber
from workbench.audits.plan import RegisteredPlan
from workbench.audits.plans import PlanUse
from workbench.audits.series.audit_series import AuditSeries, SeriesAudit
from workbench.audits.series.spending import probability_text
from workbench.audits.summary import AuditSummary
from workbench.figures.series import series_chart
from workbench.pages.auditing.audit_of import drawn_number, drawn_sentence
from workbench.pages.core.page import Page
from workbench.pages.core.settings import setting_text
from workbench.pages.registry import PAGES
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading

#: Name, title and address of the page, which is the same document as all others and no `Page`.
NAME = "audits"
TITLE = "Saved audits"
ADDRESS = f"/{NAME}"
ANSWERS = "What was found before, and what differs?"

#: Title and help of the chart of a series.
BY_AUDIT = "Lower bounds on ε by audit"
ABOUT_SERIES = (
    "Each audit's bound at its own confidence; all hold together with that of the series."
)

#: Characters of a name in a sentence.
SHORT = 60

#: Entry of the page in the search.
FOUND = {
    "kind": "page",
    "page": NAME,
    "title": TITLE,
    "also": ["audits", "archive", "history", "versions", "compare saved audits", "import an audit"],
    "where": ANSWERS,
    "text": "Search, open again, compare and export saved audits; registered plans and series.",
}


def row(audit: AuditSummary, owner: str = "") -> dict[str, Any]:
    """A saved audit in a list.

    Parameters
    ----------
    audit : AuditSummary
    owner : str, optional
        Name of the person who shares it.
    """
    return {
        **({"owner": owner} if owner else {}),
        "key": audit.key,
        "name": audit.name,
        "note": audit.note,
        "page": audit.page,
        "title": audit.title,
        "data": list(audit.data),
        "tags": list(audit.tags),
        "made": audit.made.isoformat(),
        "by": audit.by,
        "versions": audit.versions,
        "series": audit.series,
        "position": audit.position,
        "imported": "" if audit.imported is None else audit.imported.short,
        "number": None if audit.headline is None else number(audit.headline),
    }


def number(shown: AuditNumber) -> dict[str, Any]:
    """A number of an audit as the board shows it, with its title."""
    return {"title": shown.title, **_number(shown)}


def record(audit: Audit) -> dict[str, Any]:
    """A saved audit in full: its frame and items for the board, and what else it states."""
    return {
        "key": audit.key,
        "name": audit.name,
        "note": audit.note,
        "tags": list(audit.tags),
        "page": audit.page,
        "title": audit.title,
        "made": audit.made.isoformat(),
        "by": audit.by,
        "previous": audit.previous,
        # The series of an imported audit is none of those here.
        "series": audit.series if audit.imported is None else "",
        "position": audit.position,
        "imported": "" if audit.imported is None else audit.imported.explain(),
        "sha256": audit.sha256,
        "frame": _frame(audit),
        "items": {
            **{one.name: _number(one) for one in audit.numbers},
            **{one.name: _content(drawn_sentence(one)) for one in audit.sentences},
            **{one.name: _content(dict(one.figure)) for one in audit.figures},
        },
        "data": [_data(one) for one in audit.data],
        "settings": _settings(audit),
        "code": audit.code,
        "software": dict(audit.software),
        "plan": None if audit.plan is None else plan(audit.plan),
        "deviations": [asdict(one) for one in audit.deviations],
    }


def plan(
    registered: RegisteredPlan,
    uses: Iterable[PlanUse] = (),
    audits: Iterable[AuditSummary] = (),
) -> dict[str, Any]:
    """A registered plan: its choices, when it was stored, its hash, and what it was used for.

    Parameters
    ----------
    registered : RegisteredPlan
    uses : iterable of PlanUse
        First use first.
    audits : iterable of AuditSummary
        Those that were saved under it.
    """
    return {
        "key": registered.key,
        "name": registered.name,
        "data": registered.data,
        "created": registered.created.isoformat(),
        "sha256": registered.sha256,
        "choices": [list(one) for one in registered.choices.items()],
        "uses": [{"sha256": one.data_sha256, "used": one.used.isoformat()} for one in uses],
        "audits": [{"key": one.key, "name": one.name} for one in audits],
    }


def series(found: AuditSeries) -> dict[str, Any]:
    """A series: what it spent and found, its chart, and its audits with their levels."""
    chart = series_chart(found.audits, found.name)
    return {
        "name": found.name,
        "words": found.explain(),
        "charts": _charts([AuditFigure("series", BY_AUDIT, chart, ABOUT_SERIES, span=12)]),
        "audits": [_position(found, one) for one in found.audits],
    }


def _position(found: AuditSeries, one: SeriesAudit) -> dict[str, Any]:
    audit = one.audit
    return {
        "position": one.position,
        "when": one.reserved.isoformat(),
        "confidence": percent(one.confidence),
        "spent": probability_text(one.spent),
        "left": probability_text(found.budget / (one.position + 1)),
        "audit": None if audit is None else {"key": audit.key, "name": audit.name},
        "number": None if one.bound is None else _content(one.bound) | {"title": ""},
        "refuted": list(one.refuted),
    }


def comparison(audits: Sequence[Audit]) -> dict[str, Any]:
    """Audits side by side: what differs in sentences and tables, numbers, curves in one chart."""
    found = AuditComparison(tuple(map(_in_words, audits)))
    figures = {one.name: one for audit in audits for one in audit.figures}
    data = {
        name: ["–" if one is None else one.name for one in sets]
        for name, sets in found.data.items()
    }
    return {
        "audits": [
            {"key": a.key, "name": a.name, "short": name, "title": a.title}
            | {"made": a.made.isoformat(), "by": a.by}
            | {"imported": "" if a.imported is None else a.imported.short}
            for a, name in zip(audits, found.names, strict=True)
        ],
        "sentences": found.explain().splitlines(),
        "parameters": [[name, list(values)] for name, values in found.parameters.items()],
        "data": [[name, names] for name, names in data.items()],
        "software": [[name, list(versions)] for name, versions in found.software.items()],
        "numbers": [
            {
                "title": one.title,
                "differs": one.differs,
                "cells": [_cell(n, one.of_several) for n in one.numbers],
            }
            for one in found.numbers
        ],
        "charts": _charts(
            [replace(figures[name], figure=found.overlay(name), span=6) for name in found.figures]
        ),
    }


def _cell(shown: AuditNumber | None, named: bool) -> dict[str, Any] | None:
    """A number in a comparison; if ``named`` with what it bounds, such as ε at δ = 1e-5."""
    if shown is None:
        return None
    content = number(shown)
    if named and shown.bound is not None and not shown.ask:
        content["relation"] = f"{shown.bound.symbol} {content['relation']}"
    return content


def _in_words(audit: Audit) -> Audit:
    """The audit with settings as its page shows them, and a name that has room in a sentence."""
    labels: dict[str, str] = {}
    if audit.page in PAGES:
        kind = PAGES[audit.page].kind
        names = [
            n for n in (*audit.settings, *(d.parameter for d in audit.data)) if n in kind.param
        ]
        labels = {name: str(kind.param[name].label) for name in names}
    settings = {
        labels.get(name, name): setting_text(kind.param[name], value) if name in labels else value
        for name, value in audit.settings.items()
    }
    data = tuple(replace(d, parameter=labels.get(d.parameter, d.parameter)) for d in audit.data)
    short = audit.name if len(audit.name) <= SHORT else f"{audit.name[: SHORT - 1]}…"
    return replace(audit, name=short, settings=settings, data=data)


def _charts(figures: Sequence[AuditFigure]) -> dict[str, Any]:
    """Frame and items of charts alone."""
    return {
        "frame": {**_FRAME, "figures": [_figure(one) for one in figures]},
        "items": {one.name: _content(dict(one.figure)) for one in figures},
    }


def _content(value: Any) -> Any:
    return _json.loads(board.content(value))


def _number(shown: AuditNumber) -> dict[str, Any]:
    content: dict[str, Any] = _content(drawn_number(shown))
    if shown.bound is not None and shown.note:  # by which plan it was fixed in advance
        content["note"] = " · ".join(filter(None, (content["note"], shown.note)))
    return content


_FRAME: dict[str, Any] = {
    **{"title": "", "about": "", "main": [], "jobs": []},
    **{"figures": [], "numbers": [], "sentences": []},
}

#: What an item of a record cannot do.
_STILL: dict[str, Any] = {"drag": {}, "click": False}


def _frame(audit: Audit) -> dict[str, Any]:
    return {
        **_FRAME,
        "title": audit.title,
        "figures": [_figure(one) for one in audit.figures],
        "numbers": [
            {"name": one.name, "title": one.title, "main": one.main, **_texts(one), **_STILL}
            for one in audit.numbers
        ],
        "sentences": [{"name": one.name, "place": one.place} for one in audit.sentences],
    }


def _figure(one: AuditFigure) -> dict[str, Any]:
    return {"name": one.name, "title": one.title, "span": one.span, **_texts(one), **_STILL}


def _texts(one: AuditNumber | AuditFigure) -> dict[str, str]:
    return {"help": one.help, "formula": one.formula, "caution": one.caution}


def _data(one: AuditData) -> dict[str, Any]:
    read = ""
    if one.reading:
        try:
            read = Reading.from_dict(one.reading).describe()
        except WorkspaceError:  # of another version
            read = _json.dumps(dict(one.reading))
    return {
        "name": one.name,
        "source": one.source,
        "size": f"{one.n_p:,} + {one.n_q:,} scores" if one.n_p or one.n_q else "",
        "read": read,
        "reread": one.reread,
        "sha256": one.sha256,
    }


def _settings(audit: Audit) -> list[list[str]]:
    """Labels and values of the settings that the page offered, in their order."""
    if audit.page not in PAGES:
        return [[name, setting_text(None, value)] for name, value in audit.settings.items()]
    page: Page = PAGES[audit.page].kind()
    page.restore(audit.settings)
    controls = [one for section in page.sections for one in section.controls if one.offered(page)]
    names = [one.name for one in controls if one.name in audit.settings]
    return [
        [str(page.param[name].label), setting_text(page.param[name], audit.settings[name])]
        for name in names
    ]
