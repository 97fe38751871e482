"""A small static site with the start page, the tour, the glossary and the search, and two pages.

The pages are plain boxes with the names of controls and items, so that what leads to them can be
tested without the dashboard: `window.went` notes every call of the shell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from workbench.assets import start
from workbench.assets.board import HERE, palette_css
from workbench.assets.search import search_index
from workbench.pages.registry import PAGES

HTML = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Start</title><link rel="icon" href="data:,">
<style>%(palette)s</style>
<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="controls.css">
<link rel="stylesheet" href="board.css">
<link rel="stylesheet" href="start.css">
<style>
  .box { margin: 16px; padding: 16px; height: 220px; background: var(--wb-paper); }
  .wb-bar { justify-content: space-between }
  .box[data-control] { width: 260px; height: 60px; }
</style>
</head>
<body>
<header class="wb-bar"><div class="wb-name">DP Audit Workbench</div></header>
<main id="content" tabindex="-1"></main>
<script type="application/json" id="content-data">%(content)s</script>
<script type="module">
import {Start} from "./start.js"
import {Tour} from "./tour.js"
import {Glossary} from "./glossary.js"
import {Search} from "./search.js"
import {make} from "./board.js"

const content = JSON.parse(document.getElementById("content-data").textContent)
const main = document.querySelector("#content")
window.went = []
const note = name => (...what) => { window.went.push([name, ...what]) }
const boxes = %(boxes)s

function go(page, to = {}) {
  note("go")(page, to)
  const kinds = {control: "data-control", item: "data-item"}
  main.replaceChildren(make("h1", {}, page), ...boxes[page].map(([kind, name]) =>
    make("section", {class: "box", [kinds[kind]]: name, tabindex: "-1"}, name)))
}
const glossary = new Glossary(content.glossary, {go})
const tour = new Tour(content.tour, {go, choose: note("choose"), linked: glossary.linked})
const start = new Start(content, {
  go, choose: note("choose"), tour: () => tour.start(), seen: tour.seen, load: note("load"),
  linked: glossary.linked, glossary: () => glossary.open(),
})
const search = new Search({
  load: async () => (window.loads = (window.loads ?? 0) + 1, (await fetch("index.json")).json()),
  go, choose: note("choose"), define: key => glossary.open(key),
})
search.datasets = [{kind: "data set", key: "abc", title: "losses.csv", where: "20,000 scores"}]
document.querySelector(".wb-bar").append(search.button)
main.append(start.element)
Object.assign(window, {start, tour, glossary, search})
</script>
</body>
</html>
"""


class Handler(SimpleHTTPRequestHandler):
    """Files of the assets, and the site."""

    made: dict[str, tuple[str, str]]

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].lstrip("/")
        if name not in self.made:
            super().do_GET()
            return
        kind, text = self.made[name]
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: Any) -> None:
        """Nothing: a test says what it needs."""


@contextmanager
def served(port: int = 0) -> Iterator[str]:
    """Address of the site while it is served."""
    Handler.made = {"": ("text/html", _site()), "index.json": ("application/json", _index())}
    server = ThreadingHTTPServer(("localhost", port), partial(Handler, directory=str(HERE)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


def _index() -> str:
    return json.dumps(search_index(PAGES))


def _site() -> str:
    boxes = {
        name: [
            *(("control", c.name) for section in entry.kind.controls for c in section.controls),
            *(("item", item.name) for item in entry.kind.items()),
        ]
        for name, entry in PAGES.items()
    }
    return HTML % {
        "palette": palette_css(),
        "content": json.dumps(start.content()).replace("<", "\\u003c"),
        "boxes": json.dumps(boxes),
    }
