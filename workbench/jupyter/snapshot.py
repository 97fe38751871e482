"""`Snapshot`: the last state of a view as a picture, for exports, readers and saved notebooks.

Numbers, guarantees and sentences are text; charts are images, which every reader can show. The
background is light, so that the picture is legible on any page.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from workbench._markup import escape_html as escape
from workbench.bounds.bound import Bound
from workbench.figures.kit.svg import image
from workbench.figures.kit.theme import FONT, LIGHT
from workbench.pages.core.page import Answer, Fact, Item, terms_of
from workbench.views.messages import LIVE, STILL, VIEW

#: Tone of an answer -> color role of its words.
TONE_ROLES = {"bad": "bad", "good": "good", "open": "ink", "void": "warn"}

REMEDY = "A picture of the last state. Run the cell to make it live."


class Snapshot:
    """The picture of a view; a chart is drawn again only when it has changed.

    Parameters
    ----------
    identity : str
        Ties the picture to the board that it stands in for.
    foot : str
        What is said below it.
    """

    def __init__(self, identity: str, foot: str = REMEDY):
        self.identity, self._foot = identity, foot
        self._drawn: dict[str, tuple[str, str]] = {}

    def html(self, message: str, notes: list[str], items: list[tuple[Item, Any, str]]) -> str:
        """The picture as one HTML element.

        Parameters
        ----------
        message : str
            The error message of the page, or "".
        notes : list of str
            The states of jobs, such as that results are partial.
        items : list of (Item, value, content)
            The items, what the page drew, and its JSON.
        """
        parts: defaultdict[str, str] = defaultdict(str)
        for item, value, content in items:
            place = item.place if item.kind == "sentence" else item.kind
            parts[place] += self._element(item, value, content)
        alert = f'<p style="color:{LIGHT["bad"]}">{escape(message)}</p>' if message else ""
        said = "".join(f"<p>{escape(note)}</p>" for note in notes)
        return (
            f"<style>{_swap(self.identity)}</style>"
            f'<div class="{STILL}" data-view="{self.identity}" style="{_PAPER}">'
            f"{alert}{said}{parts['answer']}{parts['head']}"
            f'<table style="{_TABLE}">{parts["number"]}</table>'
            f"{parts['strip']}{parts['text']}"
            f'<div style="{_CHARTS}">{parts["figure"]}</div>{parts["foot"]}'
            f'<p style="color:{LIGHT["muted"]}">{self._foot}</p></div>'
        )

    def _element(self, item: Item, value: Any, content: str) -> str:
        if item.kind == "number":
            return _row(item, value)
        if isinstance(value, Answer):
            return _headline(value)
        if item.kind == "sentence":
            return f"<p>{escape(value)}</p>" if value else ""
        kept = self._drawn.get(item.name)
        if kept is None or kept[0] != content:
            kept = self._drawn[item.name] = (content, image(value, width=500))
        return f'<div style="margin:8px 16px 8px 0"><b>{escape(item.title)}</b><br>{kept[1]}</div>'


def _headline(answer: Answer) -> str:
    color = LIGHT[TONE_ROLES[answer.tone]]
    evidence = f"<br>{escape(answer.evidence)}" if answer.evidence else ""
    return f'<p><b style="color:{color};font-size:20px">{escape(answer.words)}</b>{evidence}</p>'


def _row(item: Item, value: Bound | Fact) -> str:
    if isinstance(value, Fact):
        number, terms = value.text, value.note
    else:
        number, terms = f"{value.relation} {value.rounded}", " · ".join(terms_of(value))
    return (
        f'<tr style="{_ROW}"><td style="{_CELL}">{escape(item.title)}</td>'
        f'<td style="{_CELL}"><b>{escape(number)}</b></td>'
        f'<td style="{_CELL}">{escape(terms)}</td></tr>'
    )


def _swap(identity: str) -> str:
    """CSS that shows the board while it lives, and the picture otherwise."""
    picture = f'.{STILL}[data-view="{identity}"]'
    child = ".jp-OutputArea-child"
    return (
        f'body:has(.{LIVE}[data-view="{identity}"]) {picture}{{display:none}}'
        f".{VIEW}:not(:has(.{LIVE})){{display:none}}"
        f"{child}:not(:has(.{LIVE})):has(+ {child} {picture}){{display:none}}"
        f"{child}:has(.{LIVE}) + {child}:has({picture}){{display:none}}"
    )


_PAPER = (
    f"max-width:1100px;padding:12px 16px;border-radius:8px;background:{LIGHT['paper']};"
    f"color:{LIGHT['ink']};font:14px/20px {FONT.replace(chr(39), '')}"
)
_ROW = f"color:{LIGHT['ink']};background:{LIGHT['paper']}"  # readers give rows stripes of their own
_TABLE = "border-collapse:collapse"
_CHARTS = "display:flex;flex-wrap:wrap"
_CELL = "padding:2px 16px 2px 0;text-align:left;vertical-align:top"
