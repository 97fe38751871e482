"""`notebook_of`: an audit as a notebook that computes its numbers again and compares them."""

from __future__ import annotations

import math
import re
from typing import Any

from workbench._markup import escape_markdown
from workbench.audits.audit import Audit
from workbench.audits.items import AuditData, AuditNumber
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.steps import CodeStep, code_cells
from workbench.pages.core.page import Page

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}

#: What a page shows of a number that it did not compute.
NOT_SHOWN = ("–", "?", "none", "none known")

#: The variable of the versions that the audit was made with.
MADE_WITH = "made_with"

#: What begins mathematics in a notebook even as an entity; no formula reaches across elements.
_BEGINS_MATHEMATICS = re.compile("&#(?:36|92);")


def notebook_of(subject: Audit | Page, fresh: Page | None = None) -> dict[str, Any]:
    """A notebook that computes the numbers of an audit again, and fails where one differs.

    Parameters
    ----------
    subject : Audit or Page
        A page stands for the audit that it shows in its present state.
    fresh : Page, optional
        See `audit_of`.

    Returns
    -------
    dict
        JSON of a notebook in the format nbformat 4.5: what the audit is, its data, a cell for
        every number, and the page.

    Raises
    ------
    ValueError
        As `code_cells`.
    """
    audit = audit_of(subject, fresh=fresh) if isinstance(subject, Page) else subject
    numbers = {number.name: number for number in audit.numbers}
    shown = {name for name, number in numbers.items() if number.shown not in NOT_SHOWN}
    first, *steps = code_cells(audit)
    versions = f"{MADE_WITH} = {dict(audit.software)!r}"
    cells = [_text(_about(audit)), _code(f"{first.source}\n\n{versions}")]
    found = {name for step in steps for name in step.names}
    for i, step in enumerate(steps):
        later = frozenset().union(*(one.uses for one in steps[i + 1 :]))
        if step.names and not shown & {*step.names} and not later & {*step.sets}:
            continue  # such as a job that nobody ran
        checked = [numbers[name] for name in step.names if name in shown]
        cells += [_text(_said(number)) for number in checked]
        cells.append(_code(_checked(step, checked)))
    lost = [number for number in audit.numbers if number.name in shown - found]
    if lost:
        cells.insert(-1, _text(_not_found(lost)))
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "cells": [{**cell, "id": f"cell-{i}"} for i, cell in enumerate(cells, 1)],
    }


def as_text(text: str) -> str:
    """A text in one line of Markdown in a notebook, shown as it is whatever is in it."""
    return _BEGINS_MATHEMATICS.sub(r"<span>\g<0></span>", escape_markdown(text))


# -- the cells ---------------------------------------------------------------------------------


def _about(audit: Audit) -> str:
    name = audit.name or audit.title
    lines = [f"# {as_text(name)}"]
    lines += [] if audit.imported is None else [f"**{as_text(audit.imported.explain())}**"]
    lines += [as_text(line) for line in audit.note.splitlines() if line.strip()]
    facts = [f"Page: {as_text(audit.title)}", f"Made: {audit.made:%Y-%m-%d %H:%M} UTC"]
    facts += [f"By: {as_text(audit.by)}"] if audit.by else []
    facts += [f"Tags: {as_text(', '.join(audit.tags))}"] if audit.tags else []
    facts += [f"Key: {as_text(audit.key)}"] if audit.key else []
    if audit.series:
        facts.append(f"Series: {as_text(audit.series)}, audit {audit.position}")
    facts += [_data(one) for one in audit.data]
    if audit.plan is not None:
        facts.append(
            f"Plan: {as_text(audit.plan.name)}, fixed on {audit.plan.created:%Y-%m-%d %H:%M} UTC "
            f"(SHA-256 {audit.plan.sha256})"
        )
        facts += [
            f"Deviation from the plan, {as_text(one.what)}: {as_text(one.planned)} was planned, "
            f"{as_text(one.done)} was done"
            for one in audit.deviations
        ]
    versions = ", ".join(f"{name} {version}" for name, version in audit.software.items())
    facts.append(f"Software: {as_text(versions)}")
    lines.append("\n".join(f"- {fact}" for fact in facts))
    lines.append(
        "The DP Audit Workbench wrote this notebook. Run from top to bottom, it computes each "
        "number of the audit and fails where one differs from what the audit recorded. The code "
        "comes with the audit: read it before you run the notebook of a stranger's audit."
    )
    return "\n\n".join(lines)


def _data(data: AuditData) -> str:
    source = f"{as_text(data.name)}: {as_text(data.source)}"
    sizes = f"{data.n_p:,} + {data.n_q:,} scores"
    read_again = f"; {as_text(data.reread)} was changed after results were shown"
    return (
        f"Data: {source} ({sizes})"
        + (f", SHA-256 {as_text(data.sha256)}" if data.sha256 else "")
        + (read_again if data.reread else "")
    )


def _said(number: AuditNumber) -> str:
    shown = number.shown
    if number.ask:
        shown = f"{number.ask} (placed at first: {number.bound.rounded})" if number.bound else shown
    said = f"**{as_text(number.title)}**: {as_text(shown)}"
    return " · ".join([said, *map(as_text, number.terms)])


def _not_found(numbers: list[AuditNumber]) -> str:
    return (
        "The page also showed numbers of a job that was cancelled or ran with other settings; this "
        "notebook does not compute them.\n\n" + "\n".join(f"- {_said(one)}" for one in numbers)
    )


def _checked(step: CodeStep, numbers: list[AuditNumber]) -> str:
    """The lines of a step, and a check of each of its numbers."""
    checks = [
        f"wb.same_number({number.name}, {_recorded(number)}, {MADE_WITH})" for number in numbers
    ]
    shows = [step.sets[-1]] if step.sets == ("view",) else []
    return "\n".join([step.source, *checks, *shows])


def _recorded(number: AuditNumber) -> str:
    """What an audit recorded of a number, as an expression."""
    if number.bound is None:
        return repr(number.text)
    bound = number.bound
    return (
        _float(bound.value)
        if bound.high is None
        else (f"({_float(bound.value)}, {_float(bound.high)})")
    )


def _float(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else f"float({str(float(value))!r})"


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
