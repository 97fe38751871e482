"""`markdown`: a report as Markdown (CommonMark with tables), in which every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.reports.contents import Contents, NumberCard, Row

#: Characters that mean something in Markdown, or in the HTML within it.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!@])")

#: What makes a line a list, a heading's underline or a rule.
_START = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=:])")


def markdown(contents: Contents) -> str:
    """A report as Markdown.

    Parameters
    ----------
    contents : Contents
    """
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
        ("Claims", [_table(("claim", "verdict", "evidence"), contents.verdicts)]),
        ("Methods", [_items(text(one.text) for one in contents.references), _bibtex(contents)]),
        ("Software", [_rows(contents.versions)]),
        ("Reproduce the numbers", list(_reproduce(contents))),
    ]
    parts = [f"# {text(contents.title)}", text(audit.note), _rows(contents.facts)]
    for title, body in sections:
        kept = [part for part in body if part]
        parts += [f"## {title}", *kept] if kept else []
    return "\n\n".join(filter(None, parts)) + "\n"


def text(plain: str) -> str:
    """Plain text as Markdown in one line, with nothing in it that Markdown or HTML would read.

    Parameters
    ----------
    plain : str
    """
    line = " ".join(plain.split())
    escaped = _SPECIAL.sub(r"\\\1", line)
    escaped = re.sub(r"(?<=[a-z])://", r"\\://", escaped)
    return _START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", escaped)


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
    return fenced("\n\n".join(one.bibtex for one in contents.references), "bibtex")


def _reproduce(contents: Contents) -> Iterable[str]:
    yield "Install the version that computed this report:"
    yield fenced(contents.install, "sh")
    for commands, digest in contents.checks:
        yield f"The data are the right ones if this prints the SHA-256 `{digest}`:"
        yield fenced(commands, "sh")
    yield "Then save this program as a file, and run it; it prints every number:"
    yield fenced(contents.program, "python")


def fenced(code: str, language: str) -> str:
    """A block of code, in a fence that is longer than any in it; "" for no code.

    Parameters
    ----------
    code, language : str
    """
    if not code:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"
