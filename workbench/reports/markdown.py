"""`markdown`: a report as Markdown (CommonMark with tables), in which every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench._markup import code_block, code_span
from workbench._markup import escape_markdown as text
from workbench.audits.items import AuditSentence
from workbench.reports.contents import Contents, NumberCard, Row


def markdown(contents: Contents) -> str:
    """A report as Markdown."""
    found, audit = contents.summary, contents.audit
    changed, usual = contents.parameters
    departs = contents.deviations
    sections = [
        ("Summary", [text(found.tested), *map(text, found.warnings)]),
        ("What was shown", [_items(_titled(found.shown))]),
        ("Not valid", [_items(map(text, found.void))]),
        ("What this rests on", [_items(map(text, found.rests_on))]),
        ("What was not shown", [_items(map(text, found.not_shown))]),
        ("Numbers and their guarantees", [*_cards(contents.cards), *map(text, contents.said)]),
        ("How far the guarantees reach", [_items(_titled(contents.guarantees))]),
        ("Charts", [_items(_charts(contents))]),
        (
            "Data",
            [part for name, rows in contents.data for part in (f"### {text(name)}", _rows(rows))],
        ),
        ("Parameters", [_rows(changed)]),
        ("Parameters at their defaults", [_rows(usual)]),
        ("Plan", [_rows(contents.plan)]),
        ("Deviations", [_table(("what", "planned", "done", "consequence"), departs)]),
        (
            "Claims",
            [
                _table(("claim", "verdict", "evidence"), contents.verdicts),
                *(_rows(fields) for _, fields in contents.claim_fields),
            ],
        ),
        ("Methods", [_items(text(one.text) for one in contents.references), _bibtex(contents)]),
        ("Software", [_rows(contents.versions)]),
        ("Reproduce the numbers", list(_reproduce(contents))),
    ]
    parts = [
        f"# {text(contents.title)}",
        _answer(found.answer),
        text(audit.note),
        _rows(contents.facts),
    ]
    for title, body in sections:
        kept = [part for part in body if part]
        parts += [f"## {title}", *kept] if kept else []
    return "\n\n".join(filter(None, parts)) + "\n"


def _answer(answer: AuditSentence | None) -> str:
    if answer is None:
        return ""
    evidence = f": {text(answer.evidence)}" if answer.evidence else ""
    return f"**{text(answer.text)}**{evidence}"


def _items(texts: Iterable[str]) -> str:
    return "\n".join(f"- {one}" for one in texts)


def _titled(rows: Iterable[Row]) -> Iterable[str]:
    return (f"**{text(title)}**: {text(said)}" if title else text(said) for title, said in rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = ["| " + " | ".join(map(text, row)) + " |" for row in rows]
    if not body:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *body])


def _rows(rows: Iterable[Row]) -> str:
    return _table(("", ""), rows)


def _cards(cards: list[NumberCard]) -> list[str]:
    rows = [
        (
            card.title,
            f"{card.relation} {card.value}".strip(),
            " · ".join(filter(None, (card.badge, card.note))),
        )
        for card in cards
    ]
    texts = [
        (card.title, " ".join(filter(None, (card.explanation, card.caution)))) for card in cards
    ]
    return [
        _table(("number", "value", "guarantee and terms"), rows),
        _items(_titled([row for row in texts if row[1]])),
    ]


def _charts(contents: Contents) -> Iterable[str]:
    for one in contents.audit.figures:
        yield f"**{text(one.title)}**: {text(str(one.figure['layout']['meta']['summary']))}"


def _bibtex(contents: Contents) -> str:
    return code_block("\n\n".join(one.bibtex for one in contents.references), "bibtex")


def _reproduce(contents: Contents) -> Iterable[str]:
    yield "Install the version that computed this report:"
    yield code_block(contents.install, "sh")
    for commands, digest in contents.checks:
        yield f"The data are the right ones if this prints the SHA-256 {code_span(digest)}:"
        yield code_block(commands, "sh")
    yield "Then save this program as a file, and run it; it prints every number:"
    yield code_block(contents.program, "python")
