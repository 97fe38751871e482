"""HTML reports in a browser without a network, and printed."""

import io
import json
import re
import time
import unicodedata

import pypdf
import pytest
from helpers import browser
from helpers.reports import NAMES, NASTY, STRIP, page_audit, page_states, shown

from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.pdf import pdf

#: x of the shapes that can be dragged, by chart.
MARKS = """() => Object.fromEntries([...document.querySelectorAll(".wb-chart")].flatMap(card =>
  (card.querySelector(".wb-plot").layout?.shapes ?? []).filter(shape => shape.name)
    .map(shape => [`${card.dataset.item}/${shape.name}`, shape.x0])))"""

#: Where in the window the point in the middle of a trace is drawn.
MIDDLE = """(plot, name) => {
  const {left, top} = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout
  const {x, y} = plot.data.find(trace => trace.name === name), at = x.length >> 1
  return [left + xaxis._offset + xaxis.d2p(x[at]), top + yaxis._offset + yaxis.d2p(y[at])]
}"""


def until(page, condition):
    """Wait for a condition, which the policy of a report lets no script of a page evaluate."""
    end = time.monotonic() + browser.PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(50)


@pytest.fixture
def opened(chromium, tmp_path):
    """``opened(name)`` opens the report of a page; it may say no error and ask for nothing."""
    contexts, errors = [], []

    def open_report(name, document=None, **context):
        path = tmp_path / f"{name}.html"
        found = document or html(
            Contents(page_audit(name), page_audit(name).live), page_states(name)
        )
        path.write_text(found, encoding="utf-8")
        visitor = chromium.new_context(**{**browser.WIDE, "offline": True, **context})
        contexts.append(visitor)
        page = visitor.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: note(r.url, path.as_uri()))
        page.goto(path.as_uri())
        if context.get("java_script_enabled", True):
            charts = len(page_audit(name).figures)
            layers = "document.querySelectorAll('.wb-plot .cartesianlayer').length"
            until(page, f"{layers} >= {charts}")
        return page

    def note(asked, own):
        if asked != own and not asked.startswith(("data:", "blob:")):
            errors.append(f"asked for {asked}")

    yield open_report
    for visitor in contexts:
        visitor.close()
    assert errors == []


def expected(name, **places):
    """What the strip of a page shows at these places of the sliders."""
    drawn = {n: shown(page_states(name).drawn(n.name, **places)) for n in page_audit(name).numbers}
    return {n.title: [one["relation"], one["value"], one["badge"]] for n, one in drawn.items()}


def move(page, slider, place):
    """Move a slider as a person would with the keyboard."""
    field = page.locator(f"#at-{slider}")
    field.focus()
    start = int(field.input_value())
    for _ in range(abs(place - start)):
        page.keyboard.press("ArrowRight" if place > start else "ArrowLeft")
    assert int(field.input_value()) == place


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_every_report_answers_to_its_sliders_without_a_network(name, opened):
    page, found = opened(name), page_states(name)
    assert page.evaluate(STRIP) == expected(name)
    places = {}
    for slider in found.sliders:
        places[slider.name] = max(0, slider.start - 3)
        move(page, slider.name, places[slider.name])
        assert page.evaluate(STRIP) == expected(name, **places)
        assert page.locator("output").nth(0).is_visible()
    if found.sliders:
        assert page.locator("#moved").inner_text().startswith("Moved by the reader")
        page.get_by_role("button", name="Back to the audit").click()
        assert page.evaluate(STRIP) == expected(name)
        assert page.locator("#moved").inner_text() == ""


def test_the_line_of_a_chart_can_be_dragged_and_all_ends_where_the_slider_does(opened):
    page, slider = opened("scores"), page_states("scores").sliders[0]
    handle = page.locator('[data-item="distributions"] .wb-handle')
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 60)
    page.mouse.down()
    for step in range(1, 16):
        page.mouse.move(box["x"] + 9 + 8 * step, box["y"] + 60)
    page.mouse.up()
    place = int(page.locator("#at-threshold").input_value())
    assert place > slider.start
    value = slider.values[place]
    until(page, f"Math.abs(({MARKS})()['distributions/threshold'] - {value}) < 1e-9")
    assert page.evaluate(MARKS)["mu_curve/threshold"] == pytest.approx(value)
    assert page.evaluate(STRIP) == expected("scores", threshold=place)
    assert page.evaluate(STRIP)["ε at the threshold"][2] == "not valid"


def test_a_click_on_the_curve_moves_the_threshold_there(opened):
    page = opened("scores")
    plot = page.locator('[data-item="tradeoff"] .wb-plot')
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    until(page, "document.getElementById('moved').textContent !== ''")
    place = int(page.locator("#at-threshold").input_value())
    assert page.evaluate(STRIP) == expected("scores", threshold=place)


def test_hover_texts_show(opened):
    page = opened("scores")
    plot = page.locator('[data-item="tradeoff"] .wb-plot')
    plot.scroll_into_view_if_needed()
    page.mouse.move(*plot.evaluate(MIDDLE, "observed"))
    page.wait_for_selector('[data-item="tradeoff"] .hovertext')


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [browser.WIDE, {"viewport": {"width": 390, "height": 844}}])
def test_reports_are_accessible_and_fit_the_screen(scheme, screen, opened):
    from axe_playwright_python.sync_playwright import Axe

    page = opened("counts", color_scheme=scheme, **screen)
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_charts_follow_the_colors_of_the_system(opened):
    page = opened("counts", color_scheme="light")
    line = "getComputedStyle(document.querySelector('.wb-plot .xtick text')).fill"
    light = page.evaluate(line)
    page.emulate_media(color_scheme="dark")
    until(page, f"{line} !== {json.dumps(light)}")


def test_without_scripts_a_report_has_its_numbers_and_pictures(opened):
    page = opened("counts", java_script_enabled=False)
    audit = page_audit("counts")
    assert page.locator(".pictures img:visible").count() == len(audit.figures)
    assert not page.locator("#sliders").is_visible()
    for number in audit.numbers:
        assert page.get_by_text(number.bound.rounded if number.bound else number.text).count()


def test_nasty_names_are_text_on_the_screen(opened):
    audit = page_audit("counts").named(NASTY, note=NASTY, tags=(NASTY,))
    page = opened("counts", html(Contents(audit, audit.live), page_states("counts")))
    shown = NASTY.replace("\u202e", r"\u202e")  # else it would turn around what follows
    assert page.locator("main > header h1").inner_text().split() == shown.split()
    assert page.locator("img[src=x], main script").count() == 0


# -- on paper -----------------------------------------------------------------------------------


def pages_of(printed):
    """The text of the pages of a PDF without spaces, which printing may move."""
    reader = pypdf.PdfReader(io.BytesIO(printed))
    return [_letters(page.extract_text()) for page in reader.pages]


def _letters(text):
    """A text without spaces and ligatures."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def on_one_page(pages, *texts):
    wanted = [_letters(text) for text in texts]
    return any(all(text in page for text in wanted) for page in pages)


def assert_whole(audit, pages):
    """No page break cuts a chart or a number: its first and its last words are on one page."""
    for figure in audit.figures:
        assert on_one_page(pages, figure.title, figure.help, figure.caution), figure.name
    for number in audit.numbers:
        value = number.ask or (number.bound.rounded if number.bound else number.text)
        assert on_one_page(pages, number.title, value, number.caution), number.name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_pdf_cuts_no_chart_and_no_number(name):
    audit = page_audit(name)
    printed = pdf(html(Contents(audit, audit.live)))
    assert printed.startswith(b"%PDF")
    assert_whole(audit, pages_of(printed))


def test_an_open_report_is_printed_in_the_state_of_the_audit_on_white(opened):
    page = opened("scores", color_scheme="dark")
    move(page, "threshold", page_states("scores").sliders[0].start + 4)
    printed = page.pdf(format="A4")
    assert_whole(page_audit("scores"), pages_of(printed))
    assert "BibTeX" in "".join(pages_of(printed))
    page.emulate_media(media="print")
    assert page.locator("#sliders").is_hidden()
    assert page.locator("#live").is_hidden()
    assert page.locator(".pictures img:visible").count() == len(page_audit("scores").figures) == 10
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert max(map(int, re.findall(r"\d+", ink))) < 60
