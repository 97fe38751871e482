"""Documents, tables, charts and programs in which every text that others choose is a name."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from functools import cache
from types import SimpleNamespace

import workbench as wb
from helpers.reports import page_audit
from helpers.series import series_of
from workbench._markup import table
from workbench.audits.comparison import AuditComparison
from workbench.audits.items import AuditData, AuditSentence
from workbench.audits.plan import Deviation, RegisteredPlan
from workbench.cli.mechanism_audit.formats import FORMATS as MECHANISM_FORMATS
from workbench.cli.mechanism_audit.formats import MechanismReport
from workbench.cli.score_audit.baseline import Baseline
from workbench.cli.score_audit.file_audit import FileAudit
from workbench.cli.score_audit.formats import FORMATS as SCORE_FORMATS
from workbench.cli.score_audit.member import SeriesMember
from workbench.figures.compare import bands
from workbench.figures.overlay import overlay
from workbench.figures.series import series_chart
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.auditing.notebook import notebook_of
from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.markdown import markdown

MADE = datetime(2026, 3, 4, tzinfo=UTC)


def named(audit, name):
    """An audit in which every text that others choose is a name."""
    figures = [
        {**one.figure, "layout": {**one.figure["layout"], "meta": {"summary": name}}}
        for one in audit.figures
    ]
    told = {"title": name, "help": name, "caution": name}
    return dataclasses.replace(
        audit,
        **dict.fromkeys(("title", "name", "note", "by", "series", "previous", "key"), name),
        tags=(name, name),
        position=3,
        data=(AuditData("data", name, f"File “{name}”", name, reread=name, files=(name, name)),),
        numbers=tuple(dataclasses.replace(one, note=name, **told) for one in audit.numbers[:2]),
        figures=tuple(
            dataclasses.replace(one, figure=figure, **told)
            for one, figure in zip(audit.figures[:1], figures, strict=False)
        ),
        sentences=tuple(AuditSentence(one, name, one) for one in ("text", "foot", "strip")),
        verdicts=({"claim": name, "verdict": name, "explanation": name},),
        plan=plan(name),
        deviations=(Deviation(name, name, name),),
        software={**audit.software, name: name},
    )


def plan(name):
    made = RegisteredPlan("a plan", "of run 7", MADE)
    # A plan refuses some names, but not the file of another person; none holds half a character.
    object.__setattr__(made, "name", name.encode("utf-8", "replace").decode())
    return made


@cache
def one_audit():
    return series_of([1.0], n=60)


def series(name):
    """A series of one audit, which both have a name."""
    (one,) = one_audit().audits
    audit = dataclasses.replace(one.audit, name=name)
    place = dataclasses.replace(one, series=name, load=lambda: audit)
    return wb.AuditSeries(name, one_audit().confidence, (place,))


@cache
def recorded():
    return dataclasses.replace(page_audit("scores"), live=None)


@cache
def sample(name, mu=1.0):
    return dataclasses.replace(wb.GaussianPair(mu).sample(60, seed=1), name=name)


def html_report(name):
    return html(Contents(named(recorded(), name)))


def representations(name):
    """How results show themselves in a notebook."""
    data = wb.Workspace().add_scores(sample(name), "x")
    results = [
        sample(name),
        dataclasses.replace(data, name=name),
        plan(name),
        series(name),
        AuditComparison((named(recorded(), name), recorded())),
        mechanism_audit(name),
    ]
    return "".join([table(name, [(name, name)], name), *(one._repr_html_() for one in results)])


@cache
def markdown_report(name):
    return markdown(Contents(named(recorded(), name)))


@cache
def notebook_cells(name):
    """The cells of text of a notebook, between rules."""
    made = notebook_of(named(recorded(), name))
    return "\n\n***\n\n".join(one["source"] for one in made["cells"] if one["cell_type"] != "code")


@cache
def markdown_of_scores(name):
    return SCORE_FORMATS["markdown"](score_audit(name))


@cache
def markdown_of_mechanism(name):
    return MECHANISM_FORMATS["markdown"](MechanismReport(mechanism_audit(name)))


MARKDOWN = [markdown_report, notebook_cells, markdown_of_scores, markdown_of_mechanism]


@cache
def compared():
    return wb.compare(sample("a"), sample("b", 0.5))


def chart(name):
    first = bands(dataclasses.replace(compared(), a=sample(name)))
    return overlay([first, first], [name, f"{name} 2"])


def chart_of_series(name):
    return series_chart(series(name).audits, name)


@cache
def file_audit():
    found = FileAudit.of(sample("a"), [wb.parse_claim("gdp(0.1)")], 1e-5, 0.95)
    return found, Baseline.of(recorded(), sample("b", 0.2), recorded(), sample("a"), 0.95)


@cache
def score_audit(name):
    """The audit of a file in a series, with a baseline, saved."""
    found, baseline = file_audit()
    old = named(recorded(), name)
    own = series(name)
    return dataclasses.replace(
        dataclasses.replace(found, scores=sample(name)).after(name),
        saved=SimpleNamespace(name=name, key="0123456789abcdef"),
        series=SeriesMember(own, own.audits[0], False),
        baseline=dataclasses.replace(
            baseline, audit=old, audits=AuditComparison((old, recorded()))
        ),
    )


@cache
def mechanism():
    how = {"trials": 1, "samples": 500, "testers": ("hockey-stick",), "seed": 0}
    found = wb.audit_mechanism(GALLERY["svt5"], GALLERY["svt5"].claim, time_limit=None, **how)
    return dataclasses.replace(found, power=found.detectable())


@cache
def mechanism_audit(name):
    """An audit with a trial that was lost to an error."""
    found = mechanism()
    (trial,) = found.trials
    return dataclasses.replace(
        found,
        settings=dataclasses.replace(found.settings, name=name, finder=name, trials=2),
        trials=(trial, dataclasses.replace(trial, index=1, findings={}, error=name)),
    )
