"""`article`: a report on one page as HTML, in the style of ``one_page.css``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench._markup import escape_html as escape
from workbench.figures.kit.svg import image
from workbench.reports.contents import Contents, NumberCard
from workbench.reports.one_page.content import OnePage, one_page

#: Characters above which all is set smaller on paper; no page has so many with usual names.
DENSE = 2200

STYLE = Path(__file__).parent / "one_page.css"


def article(contents: Contents) -> str:
    """A report on one page as an HTML element, which needs no script."""
    page = one_page(contents)
    dense = " dense" if page.size > DENSE else ""
    return (
        f'<article class="one-page{dense}"><header data-tone="{escape(page.tone)}">'
        f'<h1 class="verdict{_long(page.words, 32)}">{escape(page.words)}</h1>'
        f'<p class="evidence{_long(page.evidence, 160)}">{escape(page.evidence)}</p>'
        f'<p class="what"><b>{escape(page.title)}</b> '
        f"<span>{escape(' · '.join(page.facts))}</span></p></header>"
        f"{_warnings(page)}"
        f'<div class="three">{"".join(map(_number, page.numbers))}</div>{_chart(page)}'
        f'<div class="two">{_listed("What it rests on", page.rests_on)}'
        f"{_listed('What was not tested', page.not_tested)}</div>"
        f'<section class="check"><h2>How to check it</h2>{_rows(page)}</section>'
        "<footer>One page of an audit with the DP Audit Workbench. The complete report has every "
        "number, setting and source.</footer></article>"
    )


def _long(text: str, most: int) -> str:
    """The class of a text that is set smaller, as it is longer than ``most`` characters."""
    return " long" if len(text) > most else ""


def _warnings(page: OnePage) -> str:
    texts = "".join(f"<p>{escape(text)}</p>" for text in page.warnings)
    return f'<div class="warning">{texts}</div>' if texts else ""


def _chart(page: OnePage) -> str:
    chart = page.chart
    if chart is None:
        return '<p class="quiet">This audit has no chart.</p>'
    return (
        f"<figure>{image(dict(chart.figure))}<figcaption><b>{escape(chart.title)}</b>"
        f"<span>{escape(page.summary)}</span></figcaption></figure>"
    )


def _number(card: NumberCard) -> str:
    relation = f'<span class="relation">{escape(card.relation)}</span> ' if card.relation else ""
    badge = f'<span class="wb-badge" data-tone="{escape(card.tone)}">{escape(card.badge)}</span>'
    return (
        f'<div class="number" data-tone="{escape(card.tone)}"><h2>{escape(card.title)}</h2>'
        f'<p class="value">{relation}<b>{escape(card.value)}</b></p>'
        f'<p class="terms">{badge if card.badge else ""}<span>{escape(card.note)}</span></p></div>'
    )


def _listed(title: str, texts: Iterable[str]) -> str:
    items = "".join(f"<li><span>{escape(text)}</span></li>" for text in texts)
    return f"<section><h2>{escape(title)}</h2><ul>{items or '<li>Nothing.</li>'}</ul></section>"


def _rows(page: OnePage) -> str:
    cells = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td><span>{escape(text)}</span></td></tr>'
        for label, text in page.checks
    )
    return f"<table>{cells}</table>"
