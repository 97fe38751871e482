"""`html`: a report as one HTML file, which needs no network, and no script to be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from workbench._markup import escape_html as escape
from workbench.assets import stand_alone
from workbench.assets.board import palettes
from workbench.assets.stored_states import States
from workbench.audits.audit import Audit
from workbench.audits.items import AuditSentence
from workbench.figures.kit.svg import image
from workbench.pages.core.page import Page
from workbench.pages.registry import PAGES
from workbench.reports.contents import Contents, NumberCard, Row
from workbench.reports.forms import Form
from workbench.reports.one_page import document as one_page

HERE = Path(__file__).parent

#: A name that is longer is no headline.
HEADLINE = 120


def html(
    contents: Contents,
    states: States | None = None,
    why_static: str = "",
    form: Form = "complete",
) -> str:
    """A report as an HTML document.

    Parameters
    ----------
    contents : Contents
    states : States, optional
        What the charts answer with. Without it the document has no script, everything is unfolded,
        and the charts are pictures, as for a PDF.
    why_static : str
        Why no chart answers to a slider; "" if one does.
    form : {"complete", "one-page", "both"}
        The page of "both" comes before the complete report.
    """
    audit = contents.audit
    first = "" if form == "complete" else one_page.article(contents)
    rest = "" if form == "one-page" else _complete(contents, states, why_static)
    lives = "" if states is None else stand_alone.live(_frame(audit, states), states)
    scripts = [] if states is None else stand_alone.scripts_of(HERE / "report.js")
    title = f"{contents.title} – audit report"
    body = f"<main>{first}{rest}</main>\n{lives}"
    return stand_alone.document(title, _style(form), body, scripts)


def _complete(contents: Contents, states: States | None, why_static: str) -> str:
    """The complete report."""
    audit = contents.audit
    sections = [
        ("summary", "Summary", _summary(contents)),
        ("numbers", "Numbers and their guarantees", _numbers(contents)),
        ("charts", "Charts", _charts(audit, states, why_static)),
        ("data", "Data", _data(contents)),
        ("parameters", "Parameters", _parameters(contents, states is None)),
        ("plan", "Plan", _plan(contents)),
        ("verdicts", "Claims", _verdicts(contents)),
        ("methods", "Methods", _methods(contents, states is None)),
        ("versions", "Software", _table(contents.versions)),
        ("reproduce", "Reproduce the numbers", _reproduce(contents)),
    ]
    present = [(name, title, body) for name, title, body in sections if body]
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in present)
    body = "".join(
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(title)}'
        f"</h2>{text}</section>"
        for name, title, text in present
    )
    return (
        f'{_header(contents)}<nav aria-label="Contents">{links}</nav>{body}'
        f"<footer>Written by the DP Audit Workbench {escape(_version(audit))}.</footer>"
    )


def _header(contents: Contents) -> str:
    audit = contents.audit
    size = ' class="long"' if len(contents.title) > HEADLINE else ""
    facts = "".join(
        f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in contents.facts
    )
    found = contents.summary.answer
    answer = _answer(found) if found else ""
    note = f'<p class="note">{escape(audit.note)}</p>' if audit.note else ""
    return (
        f'<header><p class="kicker">Privacy audit</p><h1{size}>{escape(contents.title)}</h1>'
        f'{answer}{note}<dl class="facts">{facts}</dl></header>'
    )


def _summary(contents: Contents) -> str:
    found = contents.summary
    warnings = "".join(f"<p>{escape(text)}</p>" for text in found.warnings)
    parts = [
        f'<p class="lead">{escape(found.tested)}</p>' if found.tested else "",
        f'<div class="warning">{warnings}</div>' if warnings else "",
        _listed("What was shown", found.shown or (("", "Nothing with a guarantee."),)),
        _listed("Not valid", found.void, "bad"),
        _listed("What this rests on", found.rests_on),
        _listed("What was not shown", found.not_shown),
    ]
    return "".join(parts)


def _answer(answer: AuditSentence) -> str:
    evidence = f"<span>{_prose(answer.evidence)}</span>" if answer.evidence else ""
    return (
        f'<p class="answer" data-tone="{answer.tone}"><strong>{escape(answer.text)}</strong> '
        f"{evidence}</p>"
    )


def _listed(title: str, texts: Iterable[str | Row], tone: str = "") -> str:
    items = "".join(f"<li>{_said(text)}</li>" for text in texts)
    mark = f' class="{tone}"' if tone else ""
    return f"<h3{mark}>{escape(title)}</h3><ul>{items}</ul>" if items else ""


def _said(text: str | Row) -> str:
    if isinstance(text, str):
        return _prose(text)
    return f"<b>{escape(text[0])}</b>: {_prose(text[1])}" if text[0] else _prose(text[1])


def _prose(text: str) -> str:
    """Text whose numbers stay in one line."""
    return re.sub(r"\d[\d.]*e-\d+", r'<span class="nb">\g<0></span>', escape(text))


def _numbers(contents: Contents) -> str:
    said = "".join(f"<p>{_prose(text)}</p>" for text in contents.said)
    cards = "".join(map(_card, contents.cards))
    kept = _listed("How far the guarantees reach", contents.guarantees)
    return f'<div class="numbers">{cards}</div><div class="said">{said}</div>{kept}'


def _card(card: NumberCard) -> str:
    badge = f'<span class="wb-badge" data-tone="{card.tone}">{escape(card.badge)}</span>'
    terms = escape(card.note) if card.note else ""
    relation = f'<span class="relation">{escape(card.relation)}</span> ' if card.relation else ""
    texts = f"<p>{_prose(card.explanation)}</p>" if card.explanation else ""
    if card.caution:
        texts += f'<p class="quiet">{escape(card.caution)}</p>'
    return (
        f'<div class="number" data-tone="{card.tone}"><div><h3>{escape(card.title)}</h3>'
        f'<p class="value">{relation}<b>{escape(card.value)}</b></p>'
        f'<p class="terms">{badge if card.badge else ""}<span>{terms}</span></p></div>'
        f"<div>{texts}</div></div>"
    )


def _charts(audit: Audit, states: States | None, why_static: str) -> str:
    pictures = "".join(
        f'<figure style="--span:{one.span}"><figcaption><h3>{escape(one.title)}</h3>'
        f"<p>{escape(one.help)}</p></figcaption>{image(dict(one.figure))}"
        f'<p class="quiet">{escape(one.caution)}</p></figure>'
        for one in audit.figures
    )
    if not pictures:
        return ""
    note = f'<p class="quiet">{escape(why_static)}</p>' if why_static else ""
    sliders = "" if states is None else _sliders(states)
    return f'{note}{sliders}<div id="live"></div><div class="pictures">{pictures}</div>'


def _sliders(states: States) -> str:
    own = " and ".join(f"{s.label} {s.texts[s.start]}" for s in states.sliders)
    moved = f"Moved by the reader. The audit has {own}."
    return stand_alone.sliders(states, "Back to the audit", moved)


def _data(contents: Contents) -> str:
    return "".join(
        f'<div class="block"><h3>{escape(name)}</h3>{_table(rows)}</div>'
        for name, rows in contents.data
    )


def _parameters(contents: Contents, unfolded: bool) -> str:
    changed, usual = contents.parameters
    title = f"{len(usual)} parameter{'s' * (len(usual) > 1)} at the default"
    folded = _folded(title, _table(usual), unfolded) if usual else ""
    return _table(changed) + folded


def _plan(contents: Contents) -> str:
    rows = _table(contents.plan)
    if not rows:
        return ""
    departs = contents.deviations
    if not departs:
        return f"{rows}<p>The audit departs from this plan in nothing.</p>"
    cells = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in departs
    )
    return (
        f"{rows}<h3>Deviations</h3><div class='scroll'><table class='grid'><thead><tr><th>What</th>"
        f"<th>Planned</th><th>Done</th><th>Consequence</th></tr></thead><tbody>{cells}</tbody>"
        "</table></div>"
    )


def _verdicts(contents: Contents) -> str:
    fields = dict(contents.claim_fields)
    return "".join(
        f'<div class="block"><h3>{escape(claim)}: {escape(verdict)}</h3><p>{_prose(text)}</p>'
        f"{_table(fields.get(claim, []))}</div>"
        for claim, verdict, text in contents.verdicts
    )


def _methods(contents: Contents, unfolded: bool) -> str:
    found = contents.references
    if not found:
        return ""
    items = "".join(f"<li>{escape(one.text)}</li>" for one in found)
    entries = escape("\n\n".join(one.bibtex for one in found))
    return f"<ul>{items}</ul>" + _folded("BibTeX", _code("BibTeX", entries), unfolded)


def _reproduce(contents: Contents) -> str:
    checks = "".join(
        f"<p>The data are the right ones if this prints the SHA-256 <code>{escape(digest)}</code>:"
        f"</p>{_code('Check of the data', escape(commands))}"
        for commands, digest in contents.checks
    )
    return (
        f"<p>Install the version that computed this report:</p>"
        f"{_code('Installation', escape(contents.install))}{checks}"
        f"<p>Then save this program as a file, and run it; it prints every number:</p>"
        f"{_code('Program', escape(contents.program))}"
    )


def _code(name: str, text: str) -> str:
    return f'<pre tabindex="0" role="region" aria-label="{name}"><code>{text}</code></pre>'


def _folded(title: str, text: str, unfolded: bool) -> str:
    state = " open" if unfolded else ""
    return f"<details{state}><summary>{escape(title)}</summary>{text}</details>"


def _table(rows: list[Row]) -> str:
    if not rows:
        return ""
    cells = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(text)}</td></tr>'
        for label, text in rows
    )
    return f"<table>{cells}</table>"


# -- what makes it live -----------------------------------------------------------------------


def _frame(audit: Audit, states: States) -> dict[str, object]:
    """What `workbench.assets.board.frame` returns for a page, from the record of an audit."""
    page: type[Page] | None = PAGES[audit.page].kind if audit.page in PAGES else None
    moved = {slider.name for slider in states.sliders}
    items = page.items() if page else ()
    drags = {
        item.name: {shape: name for shape, name in item.drag.items() if name in moved}
        for item in items
    }
    clicks = {item.name for item in items if item.click and states.items[item.name]["sliders"]}

    def item(one: object) -> dict[str, object]:
        texts = {name: getattr(one, name, "") for name in ("title", "help", "formula", "caution")}
        name = str(getattr(one, "name", ""))
        place = {"span": getattr(one, "span", 6), "place": getattr(one, "place", "text")}
        return {
            "name": name,
            **texts,
            **place,
            "main": getattr(one, "main", False),
            "drag": drags.get(name, {}),
            "click": name in clicks,
        }

    return {
        "title": audit.title,
        "about": "",
        "main": [],
        "jobs": [],
        "figures": [item(one) for one in audit.figures],
        "numbers": [item(one) for one in audit.numbers],
        "sentences": [item(one) for one in audit.sentences],
    }


def _style(form: Form) -> str:
    light, _ = palettes()
    sheets = [HERE / "report.css", *([] if form == "complete" else [one_page.STYLE])]
    # A palette of its own selector, which is stronger than those of the screen.
    return f"@media print{{:root:root:root{{{light}}}}}{stand_alone.style_of(*sheets)}"


def _version(audit: Audit) -> str:
    return audit.software.get("dp-audit-workbench", "")
