"""The example app under ``panel serve``, in a browser: two visitors; all parts move together."""

from __future__ import annotations

import sys
from functools import partial
from urllib.parse import urlparse

import pytest
from helpers.servers import ROOT, free_port, running

EXAMPLE = ROOT / "examples" / "panel_app.py"

#: What a visitor sees: their title, our threshold in the chart, the number, and their slider.
SEEN = """() => {
    const all = (root, found = []) => {
        for (const one of root.querySelectorAll("*")) {
            found.push(one)
            if (one.shadowRoot) all(one.shadowRoot, found)
        }
        return found
    }
    const every = all(document)
    const cards = name => every.filter(one => one.matches(`[data-item=${name}]`))
    const plot = name => cards(name).map(one => one.querySelector(".wb-plot"))
    return {
        theirs: (window.Bokeh?.documents[0]?.roots() ?? [])
            .flatMap(root => [...root.references()])
            .filter(one => one.type === "Title").map(one => one.text).find(text => /found/.test(text)),
        slider: every.find(one => one.matches("[data-control=threshold] input[type=range]"))
            ?.getAttribute("aria-valuetext"),
        numbers: every.filter(one => one.matches("[aria-label='ε at the threshold'] > .wb-figure"))
            .map(one => one.textContent),
        lines: plot("distributions").map(one => one?.layout?.shapes?.find(s => s.name === "threshold")?.x0),
        curves: plot("tradeoff").map(one => one?.data?.length ?? 0),
    }
}"""  # noqa: E501

READY = f"() => {{ const seen = ({SEEN})(); return seen.lines[0] !== undefined && seen.curves.length === 2 && seen.curves.every(Boolean) }}"  # noqa: E501


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Address of the example app, as Panel serves it."""
    port = free_port()
    command = [sys.executable, "-m", "panel", "serve", str(EXAMPLE), "--port", str(port)]
    log = tmp_path_factory.mktemp("panel") / "server.log"
    with running(command, f"http://localhost:{port}/panel_app", log) as url:
        yield url
    assert "Traceback" not in log.read_text()


@pytest.fixture
def visit(app, open_at):
    """``visit()`` opens the app."""
    return partial(open_at, app)


@pytest.fixture
def open_at(chromium):
    """``open_at(url)`` opens an app; no other host may be asked, and no console may complain."""
    outside, said, contexts = [], [], []

    def note(asked):
        if asked.startswith(("http", "ws")) and urlparse(asked).hostname != "localhost":
            outside.append(asked)

    def opened(url, **options):
        contexts.append(chromium.new_context(viewport={"width": 1440, "height": 1400}, **options))
        page = contexts[-1].new_page()
        page.on("request", lambda request: note(request.url))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None
        )
        page.goto(url)
        page.wait_for_function(READY)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert outside == []
    assert said == []


def seen(page):
    return page.evaluate(SEEN)


def slide_there_and_back(page):
    """Our slider moves their plot, and theirs our chart."""
    start = seen(page)
    page.locator("[data-control=threshold] input[type=range]").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"before => ({SEEN})().theirs !== before", arg=start["theirs"])
    page.locator(".noUi-handle").first.focus()
    for _ in range(25):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        f"before => {{ const s = ({SEEN})(); return Number(s.slider) < before"
        " && Math.abs(s.lines[0] - Number(s.slider)) < 1e-9 }",
        arg=float(start["slider"]),
    )


def test_our_slider_moves_their_plot_and_back_and_visitors_share_nothing(visit):
    one, other = visit(), visit()
    start = seen(one)
    assert start == seen(other)
    # ours -> theirs
    handle = one.locator("[data-control=threshold] input[type=range]")
    handle.focus()
    for _ in range(10):
        one.keyboard.press("ArrowRight")
    one.wait_for_function(f"before => ({SEEN})().theirs !== before", arg=start["theirs"])
    one.wait_for_function(
        f"() => {{ const s = ({SEEN})(); return Math.abs(s.lines[0] - Number(s.slider)) < 1e-9 }}"
    )
    moved = seen(one)
    assert float(moved["slider"]) > float(start["slider"])
    assert len(moved["numbers"]) == 2
    assert len(set(moved["numbers"])) == 1
    assert moved["numbers"] != start["numbers"]
    # theirs -> ours
    yours = one.locator(".noUi-handle").first
    yours.focus()
    for _ in range(25):
        one.keyboard.press("ArrowLeft")
    one.wait_for_function(
        f"before => {{ const s = ({SEEN})(); return Number(s.slider) < before - 0.2"
        " && Math.abs(s.lines[0] - Number(s.slider)) < 1e-9 }",
        arg=float(moved["slider"]),
    )
    back = seen(one)
    assert back["theirs"] != moved["theirs"]
    assert back["numbers"] != moved["numbers"]
    assert len(set(back["numbers"])) == 1
    # the other visitor
    assert seen(other) == start


def test_a_chart_is_dragged_saved_and_its_data_shown(visit):
    page = visit()
    start = seen(page)
    grip = page.locator("[data-item=distributions] .wb-plot").bounding_box()
    line = page.evaluate(f"() => ({SEEN})().lines[0]")
    x = page.evaluate(
        """at => {
            const all = root => [...root.querySelectorAll("*")].flatMap(
                one => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])])
            const find = query => all(document).find(one => one.matches(query))
            const plot = find("[data-item=distributions] .wb-plot")
            const axis = plot._fullLayout.xaxis
            return plot.getBoundingClientRect().left + axis._offset + axis.l2p(at)
        }""",
        line,
    )
    middle = grip["y"] + grip["height"] / 2
    page.mouse.move(x, middle)
    page.mouse.down()
    page.mouse.move(x + 60, middle, steps=6)
    page.mouse.up()
    page.wait_for_function(f"before => ({SEEN})().theirs !== before", arg=start["theirs"])
    assert seen(page)["lines"][0] > start["lines"][0]
    page.locator("[data-item=tradeoff]").first.locator(".wb-export-button").click()
    with page.expect_download() as saved:
        page.locator(".wb-export [data-kind=svg]").first.click()
    assert saved.value.suggested_filename == "tradeoff.svg"
    assert saved.value.path().read_text().startswith("<?xml")


SERVICE = """
from fastapi import FastAPI
from panel.io.fastapi import add_applications

app = FastAPI()
app.get("/favicon.ico", status_code=204)(lambda: None)
add_applications({{"/panel_app": {path!r}}}, app=app)
"""


@pytest.fixture
def service(tmp_path):
    """Address of the example app in a service of FastAPI."""
    port = free_port()
    (tmp_path / "service.py").write_text(SERVICE.format(path=str(EXAMPLE)), encoding="utf-8")
    command = [sys.executable, "-m", "uvicorn", "service:app", "--port", str(port)]
    log = tmp_path / "server.log"
    folder = ("--app-dir", str(tmp_path))
    with running([*command, *folder], f"http://localhost:{port}/panel_app", log) as url:
        yield url
    assert "Traceback" not in log.read_text()


@pytest.mark.exhaustive
def test_the_app_works_in_a_service_of_fastapi(service, open_at):
    page = open_at(service)
    slide_there_and_back(page)


@pytest.mark.exhaustive
def test_the_app_works_with_threads_behind_a_sign_in_of_panel(chromium, tmp_path):
    port = free_port()
    command = [
        *(sys.executable, "-m", "panel", "serve", str(EXAMPLE), "--port", str(port)),
        *("--num-threads", "4", "--basic-auth", "secret", "--cookie-secret", "a cookie secret"),
    ]
    log = tmp_path / "server.log"
    context = chromium.new_context(viewport={"width": 1440, "height": 1400})
    with running(command, f"http://localhost:{port}/panel_app", log) as url:
        page = context.new_page()
        page.goto(url)
        assert page.locator("[data-control=threshold]").count() == 0
        page.locator("input[name=username]").fill("me")
        page.locator("input[name=password]").fill("secret")
        page.keyboard.press("Enter")
        page.wait_for_function(READY)
        slide_there_and_back(page)
    context.close()
    assert "Traceback" not in log.read_text()
