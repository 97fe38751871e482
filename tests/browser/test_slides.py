"""Slides of a notebook in a browser without a network: all of it is in the file."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from workbench.cli import main
from workbench.slides.deck import VENDOR, write_slides

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
STEPS = "() => window.Reveal?.isReady()"


def cell(make, source, kind, **more):
    return make(source, metadata={"slideshow": {"slide_type": kind}, **more})


@pytest.fixture
def plotted(tmp_path):
    """A notebook with a chart of plotly, one of a kind that is not bundled, and hidden code."""
    chart = {"data": [{"type": "scatter", "x": [0, 1], "y": ["</script>", 1]}], "layout": {}}
    drawn = cell(new_code_cell, "figure  # the chart's code", "-", tags=["hide-input"])
    drawn.outputs = [
        new_output("display_data", {"application/vnd.plotly.v1+json": chart, "text/plain": "F"})
    ]
    live = cell(new_code_cell, "view", "-")
    live.outputs = [
        new_output(
            "display_data",
            {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": ""},
        ),
        new_output("display_data", {"text/html": "<p>the picture of the view</p>"}),
    ]
    remote = cell(new_markdown_cell, "![far](https://example.org/far.png)", "slide")
    book = new_notebook(cells=[cell(new_markdown_cell, "# Charts", "slide"), drawn, live, remote])
    path = tmp_path / "charts.ipynb"
    nbformat.write(book, path)
    return path


@pytest.fixture
def opened(chromium):
    """Opens a file; the page, requests that left it, and what the console said."""
    pages = []

    def open_file(path):
        page = chromium.new_context(viewport={"width": 1280, "height": 720}).new_page()
        pages.append(page)
        page.wb_asked, page.wb_said = [], []
        page.on("request", lambda one: page.wb_asked.append(one))
        page.on("pageerror", lambda error: page.wb_said.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_function(STEPS)
        return page

    yield open_file
    for page in pages:
        page.context.close()


def elsewhere(page):
    """What was asked of others, but for what the policy of the file held back."""
    here = ("file:", "data:", "blob:")
    return [
        one.url for one in page.wb_asked if not one.url.startswith(here) and one.failure != "csp"
    ]


@pytest.mark.notebook
def test_the_first_notebook_is_slides_that_ask_no_other_host(opened, tmp_path, capsys):
    path = tmp_path / "01.html"
    assert main(["slides", str(NOTEBOOKS / "01-what-an-audit-sees.ipynb"), "-o", str(path)]) == 0
    assert str(path) in capsys.readouterr().out
    page = opened(path)
    assert page.evaluate("Reveal.getTotalSlides()") > 10
    pictures = 0
    for _ in range(page.evaluate("Reveal.getTotalSlides()")):
        found = page.evaluate("""() => {
            const slide = Reveal.getCurrentSlide()
            return {over: slide.scrollHeight - slide.clientHeight, wide: slide.scrollWidth - slide.clientWidth,
                pictures: slide.querySelectorAll("img, .deck-chart svg").length, text: slide.innerText}
        }""")  # noqa: E501
        assert found["text"].strip() or found["pictures"]
        assert found["wide"] <= 1, found["text"]
        assert found["over"] <= 1, found["text"]
        pictures += found["pictures"]
        page.evaluate("Reveal.next()")
    assert pictures >= 5  # charts of matplotlib, and the two of the view
    text = path.read_text(encoding="utf-8")
    assert "plt.subplots" not in text  # the code of charts
    assert "wb.epsilon_lower_bound(" in re.sub("<[^>]*>", "", text)
    assert elsewhere(page) == []
    assert page.wb_said == []


def test_figures_of_plotly_are_drawn_and_nothing_far_is_loaded(opened, plotted):
    page = opened(write_slides(plotted, run=False))
    assert page.evaluate("Reveal.getTotalSlides()") == 2
    page.locator(".deck-chart .main-svg").first.wait_for()
    assert page.get_by_text("the picture of the view", exact=True).is_visible()
    assert page.get_by_text("the chart's code").count() == 0
    assert page.get_by_text("view", exact=True).is_visible()
    page.evaluate("Reveal.next()")
    page.wait_for_timeout(300)
    assert elsewhere(page) == []
    assert page.wb_said == []


def test_code_can_be_left_out_of_all_cells(opened, plotted):
    page = opened(write_slides(plotted, run=False, code=False))
    assert page.get_by_text("view", exact=True).count() == 0
    assert page.get_by_text("the picture of the view", exact=True).is_visible()


def test_reveal_js_comes_with_its_license():
    first = (VENDOR / "reveal.js").read_text(encoding="utf-8")[:200]
    assert "MIT licensed" in first
    assert "Hakim El Hattab" in (VENDOR / "reveal-LICENSE").read_text(encoding="utf-8")
    version = re.search(r"reveal\.js (\d+\.\d+\.\d+)", (VENDOR / "README.md").read_text("utf-8"))
    assert version
    assert f"`{version[1]}`" in (VENDOR / "reveal.js").read_text(encoding="utf-8")
