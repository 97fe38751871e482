"""`document`: an HTML file that needs no network, and the parts that make its charts answer.

Its policy lets it run its own scripts, which the file has in it, and load nothing.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._markup import escape_html as escape
from workbench._markup import escape_json
from workbench.assets.board import STYLE, palette_css
from workbench.assets.packed import PLOTLY
from workbench.assets.scripts import one_module
from workbench.assets.stored_states import States


def document(title: str, style: str, body: str, scripts: Sequence[str] = ()) -> str:
    """An HTML document in one file.

    Parameters
    ----------
    title : str
    style : str
        Its style sheet.
    body : str
        HTML, at whose end the scripts run.
    scripts : sequence of str
        From `scripts_of`; none for a document to read.
    """
    allowed = " ".join(f"'sha256-{_sha256(text)}'" for text in scripts) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    kinds = ("", ' type="module"')
    run = "\n".join(f"<script{k}>{s}</script>" for k, s in zip(kinds, scripts, strict=False))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>"
        f"<style>{style}</style></head>\n<body>{body}{run}</body></html>\n"
    )


def scripts_of(script: Path) -> list[str]:
    """The chart library, and a module with all that it imports."""
    return [PLOTLY.content().decode(), one_module(script)]


def style_of(*sheets: Path) -> str:
    """The palettes, the style of the board and further style sheets, without their comments."""
    texts = "".join(path.read_text(encoding="utf-8") for path in (STYLE, *sheets))
    return palette_css() + re.sub(r"/\*.*?\*/", "", texts, flags=re.DOTALL)


def live(frame: Mapping[str, Any], states: States) -> str:
    """The frame of the board, and the states of its items, for ``stored_states.js``.

    Parameters
    ----------
    frame : mapping
        As `workbench.assets.board.frame` has it.
    states : States
    """
    text = escape_json(_json.dumps(frame)).replace("<", "\\u003c")
    states_text = escape_json(states.to_json()).encode()
    packed = base64.b64encode(gzip.compress(states_text, mtime=0)).decode("ascii")
    return (
        f'<script type="application/json" id="frame">{text}</script>\n'
        f'<script type="application/octet-stream" id="states">{packed}</script>\n'
    )


def sliders(states: States, back: str, moved: str = "") -> str:
    """The sliders, which are hidden until the script is there.

    Parameters
    ----------
    states : States
    back : str
        What is said on the button that moves them back.
    moved : str
        What is said while they are elsewhere; "" for nothing.
    """
    if not states.sliders:
        return ""
    controls = "".join(
        f'<div class="slider"><label for="at-{s.name}">{escape(s.label)}</label>'
        f'<input type="range" id="at-{s.name}" min="0" max="{len(s.values) - 1}" value="{s.start}" '
        f'aria-valuetext="{escape(s.texts[s.start])}" autocomplete="off">'
        f'<output for="at-{s.name}">{escape(s.texts[s.start])}</output></div>'
        for s in states.sliders
    )
    return (
        f'<div id="sliders" hidden>{controls}<p id="moved" role="status"></p>'
        f'<button id="back" type="button" hidden data-moved="{escape(moved)}">{escape(back)}'
        "</button></div>"
    )


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
