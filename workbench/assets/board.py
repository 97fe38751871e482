"""Data of a page for ``board.js``: its frame, and the content of its items as JSON."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from workbench import _json
from workbench.bounds.bound import Bound
from workbench.coverage_lab.measured import measured
from workbench.figures.kit.theme import DARK, FONT, LIGHT
from workbench.pages.core.page import Answer, Fact, Item, NotChosen, Page, fixed_term, terms_of

HERE = Path(__file__).parent / "browser"
STYLE = HERE / "board.css"

#: Types of numbers that plotly knows, and what it calls them.
_DTYPES = {np.dtype(name): name for name in ("f8", "f4", "i4", "u1")}


def frame(page: type[Page]) -> dict[str, Any]:
    """The constant part of a page: its title, and the titles and help of its items."""
    return {
        "title": page.title,
        "about": page.about,
        "main": list(page.main),
        "risk": page.asks_risk(),
        "figures": [_texts(item) for item in page.figures()],
        "numbers": [_texts(item) for item in page.numbers()],
        "sentences": [_texts(item) for item in page.sentences()],
        "jobs": [{"name": job.name, "title": job.title} for job in page.jobs().values()],
    }


def content(value: Any) -> str:
    """A drawn item as JSON: a figure, `Bound`, `Fact`, `Answer` or text."""
    if isinstance(value, Answer):
        value = asdict(value)
    elif isinstance(value, Bound):
        value = _bound(value)
    elif isinstance(value, Fact):
        value = _card(value.text, note=value.note) | {"rank": "fact"}
    try:
        return _ENCODER.encode(value)
    except ValueError:  # a NaN or ∞, which is written as null
        return _json.dumps(_json.plain(value, "null", packed), separators=(",", ":"))


def parts(value: Any) -> dict[str, str]:
    """A drawn item as JSON in parts, of which only those that changed have to be sent.

    Parameters
    ----------
    value : dict, Bound, Fact, Answer or str
        What the page drew.

    Returns
    -------
    dict of str to str
        For a figure its ``"layout"``, and its traces by their place, ``"0"``, ``"1"``, …; for
        anything else the whole under ``"all"``.
    """
    if not isinstance(value, dict):
        return {"all": content(value)}
    traces = {str(place): content(trace) for place, trace in enumerate(value["data"])}
    return {"layout": content(value["layout"]), **traces}


def jobs(page: Page) -> dict[str, str]:
    """The states of the jobs of a page as JSON, by their names on the board."""
    states = {name: page.work.state(name) for name in page.jobs()}
    if not states:
        return {}
    buttons = (c for section in page.sections for c in section.controls if c.name in states)
    offered = {button.name for button in buttons if button.offered(page)}
    return {
        f"job_{name}": _json.dumps(
            {
                "status": state.status,
                "tone": "warn" if state.stale or state.status in ("cancelled", "failed") else "",
                "fraction": state.fraction,
                "words": state.words,
                "offered": name in offered,
            },
        )
        for name, state in states.items()
    }


def palettes() -> tuple[str, str]:
    """The light and the dark palette as CSS declarations."""
    light, dark = (
        f"color-scheme:{scheme};" + ";".join(f"--wb-{role}:{c}" for role, c in palette.items())
        for scheme, palette in (("light", LIGHT), ("dark", DARK))
    )
    return f"--wb-font:{FONT};{light}", dark


def palette_css() -> str:
    """A style sheet that defines both palettes as custom properties."""
    light, dark = palettes()
    return (
        f":root{{{light}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme]){{{dark}}}}}"
        f':root[data-theme="dark"]{{{dark}}}'
    )


def _texts(item: Item) -> dict[str, Any]:
    return {
        "name": item.name,
        "title": item.title,
        "help": item.help,
        "formula": item.formula,
        "caution": item.caution,
        "span": item.span,
        "drag": dict(item.drag),
        "click": item.click is not None,
        "folded": item.folded,
        "place": item.place,
        "main": item.main,
    }


def _bound(bound: Bound) -> dict[str, str]:
    rank = "estimate" if bound.guarantee == "estimate" else "bound"
    return _shown(bound) | {"rank": rank}


def _shown(bound: Bound) -> dict[str, str]:
    survival = "" if bound.void else bound.survival  # it no longer "stays valid"
    texts = (bound.explain(), survival, measured().sentence(bound.method))
    explanation = " ".join(filter(None, texts))
    if isinstance(bound.void, NotChosen):
        note = f"{bound.badge}: {bound.void}"
        return _card(bound.void.ask, tone="unset", note=note, explanation=explanation)
    # The reason why a number is not valid stands first: there may be room for no more.
    terms = [bound.void, *bound.terms[1:-1]] if bound.void else terms_of(bound)[1:]
    note = " · ".join(terms)
    shown = _card(bound.rounded, bound.relation, bound.badge, _tone(bound), note, explanation)
    return shown | {"reason": bound.void or ""}


def _card(
    value: str,
    relation: str = "",
    badge: str = "",
    tone: str = "",
    note: str = "",
    explanation: str = "",
) -> dict[str, str]:
    return {
        "value": value,
        "relation": relation,
        "badge": badge,
        "tone": tone,
        "note": note,
        "explanation": explanation,
    }


def _tone(bound: Bound) -> str:
    if bound.void:
        return "void"
    if bound.guarantee == "estimate":
        return "estimate"
    conditional = bound.guarantee in ("approximate", "pointwise") and not fixed_term(bound)
    return "warn" if conditional else "good"


def _plain(value: Any) -> Any:
    """What JSON lacks, as plain values."""
    form = packed(value)
    return _json.plain(value, "null", packed) if form is NotImplemented else form


#: Writes finite values at once: a walk through each of them takes as long as to draw a figure.
#: What is drawn does not contain itself.
_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    allow_nan=False,
    check_circular=False,
    separators=(",", ":"),
    default=_plain,
)


def packed(array: Any) -> Any:
    """A 1-d array as base64, which plotly and ``typedArray`` in ``board.js`` know; else lists."""
    if not isinstance(array, np.ndarray):
        return NotImplemented
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        return _json.plain(array.tolist(), "null")
    if array.dtype not in _DTYPES:
        array = array.astype(np.float64)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": _DTYPES[array.dtype], "bdata": data}
