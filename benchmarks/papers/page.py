"""The page of a paper: its items, their lines and charts, in one file that needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from benchmarks.papers.drawing import svg
from benchmarks.papers.item import Chart

if TYPE_CHECKING:
    from benchmarks.papers.command import Done
    from benchmarks.papers.registry import Paper
    from benchmarks.papers.run import Run

STYLE = """
:root { color-scheme: light dark; --text: #1a1d21; --soft: #5b6470; --line: #d5dae0;
  --page: #fff; --card: #f5f7f9; --accent: #0b63b5 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --soft: #a3acb8;
  --line: #3a424d; --page: #14171b; --card: #1d2127; --accent: #7ab8f5 } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 Roboto, Inter, "Helvetica Neue", Arial, sans-serif }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.15rem; margin: 0 }
p { margin: .35rem 0; max-width: 46rem }
nav { display: flex; flex-wrap: wrap; gap: .35rem 1rem; margin: 1rem 0 }
a { color: var(--accent) }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.25rem }
.soft { color: var(--soft) }
.verdict { border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .6rem;
  font-size: .85rem; font-weight: normal; white-space: nowrap; margin-left: .4rem }
.table { overflow-x: auto; margin: .75rem 0 }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .3rem 1.2rem .3rem 0;
  border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: normal }
td { min-width: 4rem } td:first-child { min-width: 11rem } td.long { min-width: 9rem }
figure { margin: 1rem 0; padding: .75rem; background: var(--card); border-radius: .5rem;
  width: fit-content; max-width: 100%; box-sizing: border-box }
figure div { overflow-x: auto; background: #fff; border-radius: .25rem }
figure img { display: block; min-width: 26rem; max-width: 100% }
figcaption { color: var(--soft); font-size: .9rem; padding-top: .5rem; max-width: 46rem }
"""


def document(paper: Paper, done: Sequence[Done], run: Run, totals: str) -> str:
    """The page as HTML."""
    links = "".join(
        f'<a href="#item-{i}">{escape(one.item.name)}</a>' for i, one in enumerate(done)
    )
    command = f"python -m benchmarks papers {paper.name}{' --full' if run.full else ''}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{paper.key}: printed and ours</title><style>{STYLE}</style></head><body>"
        f"<h1>{paper.key}: every theorem, table and figure, printed and ours</h1>"
        f'<p class="soft">{escape(paper.source)}</p>'
        f"<p>{escape(totals)}</p><p>Made by <code>{command}</code>.</p>"
        f"<nav>{links}</nav>{''.join(_section(i, one) for i, one in enumerate(done))}"
        "</body></html>\n"
    )


def _section(number: int, done: Done) -> str:
    item, found = done.item, done.found
    kinds = list(dict.fromkeys(line.guarantee for line in found.lines))
    words = {found.word_of(line) for line in found.lines}
    columns = [
        ("What", [line.what for line in found.lines]),
        ("Printed", [line.printed for line in found.lines]),
        ("Ours", [line.ours_text for line in found.lines]),
    ]
    if len(kinds) > 1:
        columns.append(("Ours is", [line.guarantee for line in found.lines]))
    if len(words) > 1 or found.reasons:
        columns.append(("Verdict", [found.marked_word_of(line) for line in found.lines]))
    heads = "".join(f"<th>{head}</th>" for head, _ in columns)
    rows = "".join(
        f"<tr>{''.join(map(_cell, cells))}</tr>"
        for cells in zip(*(cells for _, cells in columns), strict=True)
    )
    notes = [f"[{i}] {reason}." for i, reason in enumerate(found.reasons, 1)]
    if len(kinds) == 1:
        notes.insert(0, f"Ours is: {kinds[0]}.")
    return (
        f'<section id="item-{number}"><h2>{escape(item.name)}. {escape(item.title)}'
        f'<span class="verdict">{found.verdict}</span></h2>'
        f'<p class="soft">{escape(_plain(item.place))} · {done.cpu:.1f} CPU seconds</p>'
        f'<div class="table"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        f"</div>{''.join(f'<p>{escape(_plain(note))}</p>' for note in notes)}"
        f"{''.join(map(_figure, found.charts))}</section>"
    )


def _cell(text: str) -> str:
    return f"<td{' class=long' if len(text) > 16 else ''}>{escape(text)}</td>"


def _figure(chart: Chart) -> str:
    drawn = b64encode(svg(chart).encode()).decode()
    caption = escape(chart.caption)
    return (
        f'<figure><div><img alt="{escape(chart.caption)}" src="data:image/svg+xml;base64,{drawn}">'
        f"</div><figcaption>{caption}</figcaption></figure>"
    )


def _plain(place: str) -> str:
    """A place without the marks of Markdown."""
    return place.replace("*", "").replace("`", "")
