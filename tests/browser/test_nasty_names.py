"""Names in a real browser, on pages without any policy: nothing is run, nothing is fetched."""

from __future__ import annotations

import base64
import io
import json
from contextlib import suppress

import pypdf
import pytest
from helpers.bench import BenchPage
from helpers.browser import NOTE_ANSWERS, PATIENCE, WIDE, await_charts
from helpers.nasty_documents import (
    MARKDOWN,
    chart,
    chart_of_series,
    html_report,
    named,
    recorded,
    representations,
    sample,
)
from helpers.nasty_names import HARMLESS, NASTY_NAMES, RENDERERS, leads_elsewhere
from helpers.reports import page_audit, page_states
from helpers.served import Served, cookie_of
from helpers.visits import settle

from workbench._markup import visible
from workbench.assets.packed import PLOTLY
from workbench.figures.kit.svg import svg
from workbench.figures.kit.theme import LIGHT, paint
from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.pdf import pdf
from workbench.server.people.person import Person

#: Elements and attributes that run, load or lead elsewhere.
ACTIVE = """() => [...document.querySelectorAll("*")].filter(one =>
    ["IFRAME", "OBJECT", "EMBED", "BASE", "LINK", "FORM", "VIDEO", "AUDIO"].includes(one.tagName)
    || (one.tagName === "SCRIPT" && !one.dataset.own)
    || (one.tagName === "IMG" && !one.src.startsWith("data:"))
    || [...one.attributes].some(({name, value}) =>
        name.startsWith("on") || /^\\s*(javascript|vbscript|data:text)/i.test(value)
        || (/href$/.test(name) && !value.startsWith("#"))))
    .map(one => one.outerHTML.slice(0, 200))"""

#: All names at once, for documents that are too large to be made for each.
TOGETHER = " ".join(NASTY_NAMES.values()).encode("utf-8", "replace").decode()


@pytest.fixture
def opened(chromium, tmp_path):
    """``opened(body)`` opens a document; the page, and what it did that no name may do."""
    contexts = []

    def open_page(body, name="page.html"):
        path = tmp_path / name
        document = body if body.startswith("<!doctype") else f"<!doctype html><body>{body}"
        path.write_text(document, encoding="utf-8")
        context = chromium.new_context(**WIDE)
        contexts.append(context)
        page, done = context.new_page(), []
        page.on(
            "dialog", lambda dialog: (done.append(f"dialog {dialog.message}"), dialog.dismiss())
        )
        page.on("request", lambda one: done.append(one.url) if outside(one.url, path) else None)
        page.on("popup", lambda other: done.append(f"window {other.url}"))
        context.route("http*://**", lambda route: route.abort())
        page.goto(path.as_uri())
        page.wait_for_timeout(300)  # what a name began would have shown itself
        return page, done

    yield open_page
    for context in contexts:
        context.close()


def watch(page, done):
    """Note dialogs, and close them."""

    def note(dialog):
        done.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", note)


def outside(url, path):
    return leads_elsewhere(url) or (url.startswith("file:") and not url.startswith(path.as_uri()))


def test_what_is_looked_for_is_found_where_names_are_not_escaped(opened):
    page, done = opened("".join(f"<p>{one}</p>" for one in NASTY_NAMES.values() if "iframe" in one
                                or "onerror" in one or "<a" in one))  # fmt: skip
    assert any(one.startswith("dialog") for one in done)
    assert any("evil.example" in one for one in done)
    assert page.evaluate(ACTIVE)


def test_names_run_and_fetch_nothing_in_html(opened):
    parts = []
    for name in NASTY_NAMES.values():
        report = html_report(name)
        parts.append(report[report.index("<main>") : report.index("</body>")])
        parts.append(representations(name))
        for figure in (chart(name), chart_of_series(name)):
            parts.append(svg(figure))
            drawn = base64.b64encode(svg(figure).encode()).decode()
            parts.append(f'<img src="data:image/svg+xml;base64,{drawn}">')
    page, done = opened("".join(parts))
    assert done == []
    assert page.evaluate(ACTIVE) == []
    broken = "() => [...document.images].filter(one => !one.naturalWidth).length"
    assert page.evaluate(broken) == 0  # no name breaks a picture


@pytest.mark.sampled(1)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_names_run_and_fetch_nothing_in_markdown_with_html(opened, renderer):
    render = RENDERERS[renderer]
    body = "".join(render(write(name)) for name in NASTY_NAMES.values() for write in MARKDOWN)
    page, done = opened(body)
    assert done == []
    assert page.evaluate(ACTIVE) == []
    assert page.locator("img, a").count() == 0


def test_names_run_and_fetch_nothing_in_charts(opened):
    figures = [draw(one) for one in NASTY_NAMES.values() for draw in (chart, chart_of_series)]
    given = json.dumps(paint(figures, LIGHT), default=list).replace("<", "\\u003c")
    plotly = PLOTLY.content().decode()
    page, done = opened(f"<script data-own=1>{plotly}</script>")
    usual = json.dumps(paint([chart(HARMLESS), chart_of_series(HARMLESS)], LIGHT), default=list)
    draw = """async text => {
        const tags = []
        for (const {data, layout} of JSON.parse(text)) {
            const box = document.createElement("div")
            document.body.replaceChildren(box)
            await Plotly.newPlot(box, data, layout, {displayModeBar: false})
            box._fullData.forEach((trace, curveNumber) => {
                for (const pointNumber of [0, trace.x.length - 1])
                    try { Plotly.Fx.hover(box, [{curveNumber, pointNumber}]) } catch {}
            })
            tags.push([...box.querySelectorAll("a, image, foreignObject, script, iframe, b, i")]
                .map(one => one.outerHTML))
        }
        return tags
    }"""
    assert set(map(str, page.evaluate(draw, usual))) == {"[]"}
    assert set(map(str, page.evaluate(draw, given))) == {"[]"}
    assert done == []
    assert [one for one in page.evaluate(ACTIVE) if not one.startswith("<style")] == []


def test_names_run_and_fetch_nothing_in_a_live_report(opened):
    document = html(Contents(named(page_audit("scores"), TOGETHER)), page_states("scores"))
    page, done = opened(document)
    page.locator(".wb-plot .cartesianlayer").first.wait_for(timeout=PATIENCE)
    assert done == []
    assert page.locator("iframe, object, base, a:not([href^='#'])").count() == 0


def test_a_pdf_has_no_link_and_no_script():
    made = pypdf.PdfReader(io.BytesIO(pdf(html(Contents(named(recorded(), TOGETHER))))))
    raw = str(made.trailer["/Root"])
    assert "/JavaScript" not in raw
    assert "/OpenAction" not in raw
    for page in made.pages:
        for one in page.get("/Annots") or []:
            action = one.get_object().get("/A") or {}
            assert "/URI" not in action
            assert action.get("/S") in (None, "/GoTo")


@pytest.fixture(scope="module")
def bench():
    """A server, and somebody whose data sets and audits have all names that are taken."""
    served = Served()
    person = Person("nasty" + "q" * 38)
    made = served.visitors.bench(person)
    keys = {}
    for number, (label, name) in enumerate(NASTY_NAMES.items()):
        with suppress(ValueError):  # a name of half a character
            scores = sample(name, 1 + number / 50)
            keys[label] = made.workspace.add_scores(scores, name).key
    made.workspace.active.choose(keys["plotly"])
    made.pages.live("scores")
    settle(made)
    audit = served.visitors.audit(
        "scores", made.pages.ask("scores", lambda live: live.page.snapshot())
    )
    taken = 0
    for name in NASTY_NAMES.values():
        tag = visible(" ".join(name.split()))[:50].replace(",", " ")
        with suppress(ValueError):
            made.workspace.audits.save(audit, name, note=name, tags=(tag,))
            taken += 1
    assert taken >= 60
    yield served, person
    served.close()


def test_names_run_and_fetch_nothing_on_the_pages(chromium, bench):
    served, person = bench
    url = f"http://localhost:{served.port}/"
    name, _, value = cookie_of(person, served.port).partition("=")
    context = chromium.new_context(**WIDE)
    context.add_cookies([{"name": name, "value": value, "url": url}])
    page, done = context.new_page(), []
    page.add_init_script(NOTE_ANSWERS)
    watch(page, done)
    page.on("request", lambda one: done.append(one.url) if leads_elsewhere(one.url) else None)
    page.on("pageerror", lambda error: done.append(str(error)))
    page.on("console", lambda one: done.append(one.text) if one.type == "error" else None)
    page.goto(f"{url}scores")
    await_charts(page)
    shown = BenchPage(page)
    shown.open_menu()
    assert page.locator(".wb-set").count() >= 60
    shown.choose(NASTY_NAMES["image"])
    page.goto(f"{url}compare")
    await_charts(page)
    page.locator(".wb-plot").filter(has_text="‹img").first.wait_for()
    page.goto(f"{url}audits")
    page.locator(".wb-audit-name").filter(has_text=NASTY_NAMES["plotly"]).first.wait_for()
    for kind in ("plotly", "formula", "templates"):
        page.locator(".wb-audit-name").filter(has_text=NASTY_NAMES[kind]).first.click()
        page.locator(".wb-record h1[tabindex]").filter(has_text=NASTY_NAMES[kind]).wait_for()
        page.go_back()
    handlers = "() => document.querySelectorAll('[onerror], [onload], [ontoggle], iframe').length"
    assert page.evaluate(handlers) == 0
    assert page.locator("img").count() == 0
    assert done == []
    context.close()
