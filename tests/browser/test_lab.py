"""A view in a real JupyterLab, in a real browser."""

from __future__ import annotations

import json
import os
import statistics
import sys
import urllib.request
from pathlib import Path
from urllib.parse import urlparse

import nbformat
import pytest
from helpers.pages import NOT_ASKED
from helpers.servers import free_port, running

import workbench as wb
from workbench.figures.paper.table import figure_csv
from workbench.pages.scores.page import ScoresPage

pytestmark = pytest.mark.timeout(600)

#: The settings of `make lab`.
QUIET = Path(__file__).parents[2] / "notebooks" / ".jupyter"

EXAMPLE = "gaussian"
CELL = f"import workbench as wb\nview = wb.explore(wb.example({EXAMPLE!r}), show='all')\nview"
#: What a newcomer types.
FIRST = f"import workbench as wb\nview = wb.explore(wb.example({EXAMPLE!r}))\nview"
#: A colleague's own layout in Panel.
PANEL = f"""import panel as pn
pn.extension(inline=True)
import workbench as wb
view = wb.explore(wb.example({EXAMPLE!r}))
yours = pn.widgets.FloatSlider.from_param(view.param.threshold)
pn.Column("Mine", yours, view, view.numbers["epsilon_here"])"""
SECOND = "view.bin_width = 0.25\nprint(view.threshold, view.epsilon_here.rounded)"

#: Charts that have something to show for the example; each is drawn in two layers, of which this is
#: the last.
CHARTS = [item.name for item in ScoresPage.figures() if item.name not in NOT_ASKED]
ALL_DRAWN = 2 * len(CHARTS) - 1

FIND = """() => {
    const plot = name => document.querySelector(`[data-item=${name}] .wb-plot`)
    window.wbLab = {
        handle: document.querySelector("[data-control=threshold] input[type=range]"),
        histogram: plot("distributions"),
        mu: plot("mu_curve"),
        moved: 0,
        drawn: 0,
    }
    wbLab.shown = () => Number(wbLab.handle.getAttribute("aria-valuetext"))
    wbLab.at = plot => plot.layout.shapes.find(one => one.name === "threshold").x0
    wbLab.handle.addEventListener("keydown", () => { wbLab.moved = performance.now() }, true)
    for (const plot of [wbLab.histogram, wbLab.mu]) {
        plot.on("plotly_afterplot", () => {
            if (Math.abs(wbLab.at(wbLab.histogram) - wbLab.at(wbLab.mu)) < 1e-9) wbLab.drawn = performance.now()
        })
    }
}"""  # noqa: E501

SAME = """last => {
    const {at, histogram, mu, shown} = wbLab
    const now = at(histogram)
    return Math.abs(now - last) > 1e-9 && Math.abs(now - at(mu)) < 1e-9
        && Math.abs(now - shown()) < 1e-9 && wbLab.drawn > wbLab.moved
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("lab")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (made / "notebooks").mkdir()
    notebooks = {
        "view": (CELL, SECOND),
        "first": (FIRST, "view.threshold"),
        "panel": (PANEL, "view.threshold = 0.75", "view"),
    }
    for name, codes in notebooks.items():
        cells = [nbformat.v4.new_code_cell(code) for code in codes]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, made / "notebooks" / f"{name}.ipynb")
    return made


@pytest.fixture(scope="module")
def lab(folder):
    """Address of a JupyterLab of our own, which asks no other host for anything."""
    port = free_port()
    own = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "WORKBENCH_HOME": "home",
    }
    options = {
        "ServerApp.port": port,
        "ServerApp.root_dir": folder / "notebooks",
        "ServerApp.disable_check_xsrf": True,
        "IdentityProvider.token": "",
        "LabApp.news_url": None,
        "LabApp.extension_manager": "readonly",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [
        "env",
        f"JUPYTER_CONFIG_PATH={QUIET}{os.pathsep}{os.environ.get('JUPYTER_CONFIG_PATH', '')}",
        *(f"{name}={folder / path}" for name, path in own.items()),
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--{name}={value}" for name, value in options.items()),
    ]
    with running(command, f"http://localhost:{port}/api", folder / "server.log") as url:
        yield url.removesuffix("/api")


@pytest.fixture
def visitor(chromium, lab):
    """``visitor(path)`` opens JupyterLab; nobody may have asked another host for anything."""
    context = chromium.new_context(viewport={"width": 1500, "height": 1400})
    outside, errors = [], []

    def note(asked):
        if asked.startswith(("http", "ws")) and urlparse(asked).hostname != "localhost":
            outside.append(asked)

    def open_lab(path=""):
        page = context.new_page()
        page.on("request", lambda request: note(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{lab}/lab{path}?reset")
        return page

    yield open_lab
    context.close()
    assert outside == []
    assert errors == []


@pytest.fixture
def open_notebook(visitor):
    def opened(name="view", **size):
        page = visitor(f"/tree/{name}.ipynb")
        if size:
            page.set_viewport_size(size)
        page.get_by_text("| Idle").wait_for()
        page.locator(".jp-Notebook-cell .cm-content").first.wait_for()
        return page

    return opened


def run(page, cell):
    page.locator(".jp-Notebook-cell .cm-content").nth(cell).click()
    page.keyboard.press("Shift+Enter")


def outputs(page, cell):
    return page.locator(".jp-Notebook-cell").nth(cell).locator(".jp-OutputArea-child")


def end_kernels(lab):
    with urllib.request.urlopen(f"{lab}/api/kernels") as answer:
        for kernel in json.load(answer):
            address = f"{lab}/api/kernels/{kernel['id']}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()


def test_a_view_lives_is_saved_and_is_still_there_when_reopened(open_notebook, lab, folder, capsys):
    page = open_notebook()
    run(page, 0)
    page.locator(".wb-live .main-svg").nth(ALL_DRAWN).wait_for(state="attached")
    assert not page.locator(".wb-still").is_visible()
    # Other outputs would take our part of plotly.js for the whole.
    assert page.evaluate("window.Plotly === undefined")

    # Sliders have names, and values as people write them.
    delta = page.get_by_role("slider", name="δ", exact=True)
    assert delta.get_attribute("aria-valuetext") == "1e-5"

    # A slider by keyboard: charts and numbers follow.
    page.evaluate(FIND)
    waits = []
    page.evaluate("wbLab.handle.focus()")
    for _ in range(20):
        last = page.evaluate("wbLab.at(wbLab.histogram)")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(SAME, arg=last)
        waits.append(page.evaluate("wbLab.drawn - wbLab.moved"))
    with capsys.disabled():
        median = statistics.median(waits)
        sys.stdout.write(f"\nkey press to last chart in JupyterLab: median {median:.0f} ms\n")

    # The same page without a widget says the same.
    same = ScoresPage(wb.example(EXAMPLE))
    same.threshold = page.evaluate("wbLab.shown()")
    assert same.threshold in same.param.threshold.places
    card = page.locator('[aria-label="ε at the threshold"] .wb-value')
    assert card.text_content() == same.epsilon_here().rounded
    same.bin_width = 0.25

    # The next cell reads what was set by hand, and sets what the charts show.
    run(page, 1)
    said = outputs(page, 1).last
    said.wait_for()
    assert said.text_content().split() == [str(same.threshold), same.epsilon_here().rounded]
    page.wait_for_function(
        "number => [...document.querySelectorAll('[aria-label=\"TV by histogram\"] .wb-value')]"
        ".some(one => one.textContent === number)",
        arg=same.histogram_tv().rounded,
    )

    # Once idle, the picture beside the widget is that of the present state; save it.
    page.wait_for_function(
        "number => document.querySelector('.wb-still').textContent.includes(number)",
        arg=f"≈ {same.histogram_tv().rounded}",
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")
    saved: Path = folder / "notebooks" / "view.ipynb"
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    notebook = nbformat.read(saved, 4)
    assert saved.stat().st_size < 300_000
    assert "widgets" not in notebook.metadata

    # Reopened without its kernel, the picture is there, and no error.
    page.close()
    end_kernels(lab)
    page = open_notebook()
    still = page.locator(".wb-still")
    still.wait_for()
    for item in same.numbers():
        value = same.draw(item)
        assert getattr(value, "rounded", None) or value.text in still.text_content()
    shown = still.locator("img").evaluate_all("all => all.map(one => one.naturalWidth)")
    assert shown == [520] * len(ScoresPage.figures())
    assert len(shown) == 10
    assert not page.get_by_text("Error displaying widget").first.is_visible()

    # Run again, it lives again.
    run(page, 0)
    page.locator(".wb-live .main-svg").first.wait_for(state="attached")
    page.locator(".wb-still").wait_for(state="hidden")


VISIBLE = """() => [...document.querySelectorAll(
    ".wb-headline, .wb-number, .wb-chart, .wb-control, .wb-everything")].filter(one => one.checkVisibility())
    .map(one => {
        const {bottom} = one.getBoundingClientRect()
        const kind = ["headline", "number", "chart", "control", "everything"].find(kind => one.classList.contains(`wb-${kind}`))
        return [kind, one.dataset.item ?? one.dataset.control ?? "", bottom]
    })"""  # noqa: E501

#: Elements of outputs that can be scrolled on their own.
SCROLLED = """() => [...document.querySelectorAll(".jp-OutputArea, .jp-OutputArea *")]
    .filter(one => {
    const {overflowX, overflowY} = getComputedStyle(one)
    const scrolls = way => way === "auto" || way === "scroll"
    return scrolls(overflowY) && one.scrollHeight > one.clientHeight
        || scrolls(overflowX) && one.scrollWidth > one.clientWidth
}).map(one => one.className)"""


def test_the_answer_a_chart_and_its_slider_are_seen_without_scrolling(open_notebook, lab, folder):
    page = open_notebook("first", width=1280, height=720)
    run(page, 0)
    page.locator(".wb-live .main-svg").first.wait_for(state="attached")
    foot = page.locator("#jp-main-statusbar").bounding_box()["y"]
    found = page.evaluate(VISIBLE)
    kinds = [kind for kind, _, _ in found]
    answers = 1 if ScoresPage.answer_item() else 0
    assert kinds.count("headline") == answers
    assert [name for kind, name, _ in found if kind == "chart"] == ["distributions"]
    assert "threshold" in [name for kind, name, _ in found if kind == "control"]
    assert 1 <= kinds.count("number") <= 2
    assert kinds.count("control") <= 3
    assert all(bottom <= foot for _, _, bottom in found)
    assert page.evaluate(SCROLLED) == []

    # The slider moves the chart, and one press shows the rest.
    line = "document.querySelector('[data-item=distributions] .wb-plot').layout.shapes[0].x0"
    before = page.evaluate(line)
    page.get_by_role("slider", name="Threshold", exact=True).press("ArrowRight")
    page.wait_for_function(f"before => {line} !== before", arg=before)
    page.get_by_role("button", name="Show everything").press("Enter")
    page.locator("[data-item=mu_curve] .main-svg").first.wait_for()
    everything = page.evaluate(VISIBLE)
    more = [kind for kind, _, _ in everything]
    assert [name for kind, name, _ in everything if kind == "chart"] == CHARTS
    assert more.count("chart") == 7
    of_one_step = [n for n in ScoresPage.numbers() if not n.name.startswith("steps_")]
    assert more.count("number") == len(of_one_step) == 10
    assert more.count("control") > 8
    assert page.evaluate(SCROLLED) == []
    page.get_by_role("button", name="Show less").click()
    assert [kind for kind, _, _ in page.evaluate(VISIBLE)] == kinds

    # The picture that is saved has everything.
    run(page, 1)
    outputs(page, 1).last.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    page.close()
    end_kernels(lab)
    page = open_notebook("first")
    still = page.locator(".wb-still")
    still.wait_for()
    assert still.locator("img").count() == len(ScoresPage.figures())
    for item in ScoresPage.numbers():
        assert item.title in still.text_content()


def test_the_launcher_opens_the_dashboard_and_asks_nothing_about_news(visitor):
    page = visitor()
    page.locator(".jp-LauncherCard", has_text="DP Audit Workbench").click()
    frame = page.frame_locator(".jp-ServerProxy iframe")
    frame.locator("html[data-connected]").wait_for(state="attached")
    assert "key=" not in page.frames[-1].url
    frame.get_by_text("Show an example").first.click()
    value = frame.locator('[aria-label="ε at the threshold"] .wb-value').first
    before = value.text_content()
    frame.get_by_role("slider", name="Threshold", exact=True).press("ArrowRight")
    page.wait_for_function(
        """before => document.querySelector(".jp-ServerProxy iframe").contentDocument
            .querySelector('[aria-label="ε at the threshold"] .wb-value').textContent !== before""",
        arg=before,
    )
    assert page.get_by_text("Jupyter news").count() == 0


@pytest.mark.exhaustive
def test_a_view_opens_in_the_dashboard_with_its_scores_and_its_state(open_notebook):
    page = open_notebook()
    run(page, 0)
    page.locator(".wb-live .main-svg").nth(3).wait_for(state="attached")
    slider = page.get_by_role("slider", name="Threshold", exact=True)
    start = slider.get_attribute("aria-valuetext")
    for _ in range(3):
        slider.press("ArrowRight")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Open in the workbench").click()
    tab = opened.value
    tab.locator("html[data-connected]").wait_for(state="attached")
    tab.wait_for_function(
        "text => document.querySelector('[data-control=threshold] input[type=range]')"
        ".getAttribute('aria-valuetext') === text",
        arg=slider.get_attribute("aria-valuetext"),
    )
    assert slider.get_attribute("aria-valuetext") != start
    assert "key=" not in tab.url
    assert tab.get_by_text("Given in Python").count() > 0


@pytest.mark.exhaustive
def test_charts_are_saved_and_numbers_copied_with_the_help_of_the_kernel(open_notebook, lab):
    page = open_notebook()
    run(page, 0)
    page.locator(".wb-live .main-svg").nth(ALL_DRAWN).wait_for(state="attached")
    same = ScoresPage(wb.example(EXAMPLE))
    card = page.locator('[data-item="tradeoff"]')
    card.get_by_role("button", name="Save: Trade-off curve").click()
    menu = card.get_by_role("group", name="Save: Trade-off curve")
    with page.expect_download() as download:
        menu.get_by_role("button", name="Data (CSV)").click()
    assert download.value.suggested_filename == "tradeoff.csv"
    assert download.value.path().read_text(encoding="utf-8") == figure_csv(same.tradeoff())
    with page.expect_download() as download:
        menu.get_by_role("button", name="SVG").click()
    assert download.value.path().read_bytes().startswith(b"<?xml")
    page.keyboard.press("Escape")
    assert menu.is_hidden()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="About: ε lower bound").click()
    copies = page.get_by_role("group", name="Copy: ε lower bound")
    copies.get_by_role("button", name="Copy LaTeX").click()
    copies.get_by_role("status").filter(has_text="LaTeX copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == same.epsilon().to_latex()
    page.keyboard.press("Escape")
    # Without a kernel there are words.
    end_kernels(lab)
    page.get_by_role("button", name="About: AUC").click()
    copies = page.get_by_role("group", name="Copy: AUC")
    copies.get_by_role("status").filter(has_text="the kernel does not answer").wait_for()


@pytest.mark.exhaustive
def test_a_view_is_a_component_of_panel_in_a_notebook(open_notebook, lab):
    """Without jupyter_bokeh, which is not installed here; Panel brings pyviz_comms itself."""
    page = open_notebook("panel")
    run(page, 0)
    column = outputs(page, 0).last
    line = """() => {
        const all = root => [...root.querySelectorAll("*")].flatMap(
            one => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])])
        const plots = all(document).filter(one => one.matches("[data-item=distributions] .wb-plot"))
        return plots.map(one => one.layout?.shapes?.find(({name}) => name === "threshold")?.x0)
    }"""
    page.wait_for_function(f"() => ({line})()[0] !== undefined")
    before = page.evaluate(line)[0]
    slider = column.get_by_role("slider", name="Threshold", exact=True).last
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"before => ({line})()[0] > before", arg=before)
    # Python sets it: the board, their slider and the number follow.
    run(page, 1)
    page.wait_for_function(f"() => Math.abs(({line})()[0] - 0.75) < 1e-9")
    assert slider.get_attribute("aria-valuetext") == "0.75"
    value = column.locator('[aria-label="ε at the threshold"] .wb-value').last
    same = ScoresPage(wb.example(EXAMPLE))
    same.threshold = 0.75
    page.wait_for_function(
        "([found, number]) => found.textContent === number",
        arg=[value.element_handle(), same.epsilon_here().rounded],
    )
    # Displayed alone, it is our own widget, with its picture in the saved notebook.
    run(page, 2)
    outputs(page, 2).locator(".wb-live .main-svg").first.wait_for(state="attached")
    assert outputs(page, 2).locator(".wb-still").count() == 1
    end_kernels(lab)
