"""`html`: an explorable as one HTML file, which needs no network."""

from __future__ import annotations

from pathlib import Path

from workbench import __version__, _checks, _json
from workbench._markup import escape_html as escape
from workbench._markup import escape_json
from workbench.assets import stand_alone
from workbench.explorables.explorable import Explorable
from workbench.explorables.questions import LETTERS, CheckedQuestion
from workbench.explorables.registry import EXPLORABLES, ExplorableEntry
from workbench.pages.registry import PAGES
from workbench.progress import Report, silent

HERE = Path(__file__).parent

#: What the marks beside numbers mean.
MARKS = (
    ("simultaneous", "holds with this confidence for all thresholds at once: look and choose."),
    ("pointwise", "holds with this confidence for one attack that was fixed in advance."),
    ("held-out", "holds: chosen on one part of the scores, measured on another."),
    ("proven", "holds for known distributions, without any samples."),
    ("estimate", "has no guarantee, and may be too large or too small."),
    ("not valid", "struck out: a choice after looking spoiled it."),
)


def html(name: str, report: Report = silent) -> str:
    """An explorable as an HTML document.

    Parameters
    ----------
    name : str
        A key of `EXPLORABLES`.
    report : Report, optional
        Takes the progress.

    Raises
    ------
    ValueError
        There is no explorable of this name.
    """
    entry = EXPLORABLES[_checks.one_of(name, "name", EXPLORABLES)]
    found: Explorable = entry.explorable
    states = found.states(report)
    place = list(EXPLORABLES).index(name) + 1
    body = (
        f"<main>{_header(entry, found, place)}"
        f'<section aria-label="Charts">{stand_alone.sliders(states, "Back to the start")}'
        '<div id="live"></div><noscript><p class="quiet">The charts need JavaScript.</p></noscript>'
        f"</section>{_tries(found)}{_questions(found.questions)}{_marks()}{_footer(found)}</main>\n"
        f"{stand_alone.live(found.frame(), states)}{_answers(found.questions)}"
    )
    style = stand_alone.style_of(HERE / "explorable.css")
    scripts = stand_alone.scripts_of(HERE / "explorable.js")
    return stand_alone.document(f"{entry.title} – explorable", style, body, scripts)


def _header(entry: ExplorableEntry, found: Explorable, place: int) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in found.about)
    return (
        f'<header><p class="kicker">Explorable {place} of {len(EXPLORABLES)}</p>'
        f'<h1>{escape(entry.title)}</h1><p class="lead">{escape(entry.asks)}</p>'
        f'<div class="about">{paragraphs}</div></header>'
    )


def _tries(found: Explorable) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in found.tries)
    return f'<section aria-labelledby="try"><h2 id="try">Try this</h2><ol>{items}</ol></section>'


def _questions(questions: tuple[CheckedQuestion, ...]) -> str:
    asked = "".join(_question(k, one) for k, one in enumerate(questions, 1))
    return (
        '<section aria-labelledby="check"><h2 id="check">Check yourself</h2>'
        f'<div class="questions">{asked}</div></section>'
    )


def _question(k: int, question: CheckedQuestion) -> str:
    if question.choices:
        fields = "".join(
            f'<label><input type="radio" name="answer-{k}" value="{place}"> '
            f"<span>({LETTERS[place]}) {escape(text)}</span></label>"
            for place, text in enumerate(question.choices)
        )
    else:
        fields = (
            f'<label class="number-answer">Answer <input type="text" inputmode="decimal" '
            f'name="answer-{k}" autocomplete="off" size="10"></label>'
        )
    return (
        f'<form class="question"><fieldset><legend><b>Question {k}.</b> {escape(question.text)}'
        f'</legend>{fields}</fieldset><button type="submit">Check</button>'
        '<p class="feedback" role="status"></p></form>'
    )


def _answers(questions: tuple[CheckedQuestion, ...]) -> str:
    text = escape_json(_json.dumps([one.content() for one in questions]))
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="answers">{text}</script>\n'


def _marks() -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in MARKS)
    return (
        '<section aria-labelledby="marks"><h2 id="marks">What stands beside a number</h2>'
        f'<dl class="marks">{rows}</dl></section>'
    )


def _footer(found: Explorable) -> str:
    page = PAGES[found.page].title
    return (
        f"<footer><p>For your own data: the page “{escape(page)}” of the DP Audit Workbench. The "
        f"lesson: notebook {found.notebook}. All states were computed in advance by version "
        f"{escape(__version__)}; this file loads nothing and sends nothing.</p></footer>"
    )
