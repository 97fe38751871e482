"""`audit_of`: the audit that a page shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from workbench import _json
from workbench.audits.audit import Audit
from workbench.audits.items import AuditData, AuditFigure, AuditNumber, AuditSentence, Tone
from workbench.bounds.bound import Bound
from workbench.bounds.power.verdict import Verdict
from workbench.pages.core.page import Answer, Fact, Item, NotChosen, Page, fixed_term, is_left_out
from workbench.pages.inputs.code import code_of, page_name
from workbench.pages.inputs.data import DataChoice
from workbench.pages.inputs.spec import Spec
from workbench.software.versions import software
from workbench.tables.table import ScoreTable
from workbench.workspaces.content import content_hash, table_of_scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.sources import FileSource, reading_of, source_of
from workbench.workspaces.workspace import Workspace


def audit_of(page: Page, by: str = "", fresh: Page | None = None) -> Audit:
    """The audit that a page shows in its present state.

    Parameters
    ----------
    page : Page
    by : str
        Who makes it.
    fresh : Page, optional
        A page in the state at the start, to which the code compares the settings; by default a
        new one.

    Returns
    -------
    Audit
        Not saved; ``workspace.audits`` saves it. Its ``live`` is a snapshot of the page.
    """
    name = page_name(page)
    choices = {n: one for n, one in page.param.objects().items() if isinstance(one, DataChoice)}
    drawn = {item.name: page.draw(item) for item in page.items()}
    verdict = page.verdict() if hasattr(page, "verdict") else None
    return Audit(
        page=name,
        title=page.title,
        settings={n: value for n, value in page.settings().items() if n not in choices},
        data=tuple(_data(page, choice) for choice in choices),
        numbers=tuple(
            _number(item, drawn[item.name])
            for item in page.numbers()
            if not is_left_out(drawn[item.name])
        ),
        sentences=tuple(_sentence(item, drawn[item.name]) for item in page.sentences()),
        figures=tuple(_figure(item, drawn[item.name]) for item in page.figures()),
        verdicts=(
            (_json.plain(verdict.to_dict(), "text"),) if isinstance(verdict, Verdict) else ()
        ),
        code=code_of(page, Spec(page, fresh or page.at_start()).changes()),
        made=datetime.now(UTC),
        software=software(),
        by=by,
        plan=getattr(page, "registered", None),
        deviations=getattr(page, "departures", ()),
        live=page.snapshot(watching=True),
    )


def _number(item: Item, value: Bound | Fact) -> AuditNumber:
    texts: dict[str, Any] = {"help": item.help, "formula": item.formula, "caution": item.caution}
    texts["main"] = item.main
    if isinstance(value, Fact):
        return AuditNumber(item.name, item.title, text=value.text, note=value.note, **texts)
    ask = value.void.ask if isinstance(value.void, NotChosen) else ""
    note = fixed_term(value)
    return AuditNumber(item.name, item.title, value, note=note, ask=ask, **texts)


def drawn_number(number: AuditNumber) -> Bound | Fact:
    """What the page drew for a number of an audit: a bound, also one that asks, or a fact."""
    if number.bound is None:
        return Fact(number.text, number.note)
    if number.ask:
        return replace(number.bound, void=NotChosen(number.bound.void or "", number.ask))
    return number.bound


def _sentence(item: Item, value: str | Answer) -> AuditSentence:
    if isinstance(value, Answer):
        return AuditSentence(item.name, value.words, item.place, value.evidence, value.tone)
    return AuditSentence(item.name, value, item.place)


def drawn_sentence(sentence: AuditSentence) -> str | Answer:
    """What the page drew for a sentence of an audit."""
    if sentence.tone:
        return Answer(sentence.text, sentence.evidence, cast(Tone, sentence.tone))
    return sentence.text


def _figure(item: Item, value: dict[str, Any]) -> AuditFigure:
    return AuditFigure(
        item.name, item.title, value, item.help, item.formula, item.caution, item.span
    )


def _data(page: Page, parameter: str) -> AuditData:
    key = str(getattr(page, parameter))
    if key:
        return described(parameter, page.workspace.dataset(key))
    scores = page.given_scores[parameter]
    if isinstance(scores, ScoreTable):
        return described(parameter, Workspace().add_table(scores))
    return AuditData(
        parameter,
        scores.name or "scores",
        source_of(scores).describe(),
        content_hash((table_of_scores(scores),)),
        reading=reading_of(scores).to_dict(),
        n_p=scores.n_p,
        n_q=scores.n_q,
    )


def described(parameter: str, dataset: DataSet) -> AuditData:
    """A data set as an audit names it.

    Parameters
    ----------
    parameter : str
        The parameter of the page that chooses it.
    dataset : DataSet

    Raises
    ------
    WorkspaceError
        A file that is followed: its scores become more.
    """
    require_kept(dataset)
    virtual = dataset.virtual
    return AuditData(
        parameter,
        dataset.name,
        dataset.source.describe(),
        dataset.sha256,
        dataset.key if virtual else "",
        {} if virtual else dataset.reading.to_dict(),
        dataset.n_p,
        dataset.n_q,
        dataset.reread,
        "" if virtual else dataset.created.isoformat(),
        dataset.source.names if isinstance(dataset.source, FileSource) else (),
    )
