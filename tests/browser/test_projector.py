"""Pages for a projector: large type, two charts, few things, and the same gestures as elsewhere."""

from __future__ import annotations

import pytest
from helpers.board import SHOWN, Board
from helpers.browser import await_charts

from benchmarks.first_look import LOOK

pytestmark = pytest.mark.browser

SIZES = [(1440, 900), (1280, 720)]
#: A page of each layout: with sliders alone, dots of named rows, jobs, many numbers, and no board.
PAGES = ["scores", "counts", "train", "onerun", "selection", ""]

#: The smallest type in a chart that is shown.
FONT = """() => Math.min(...[...document.querySelectorAll(".wb-chart:not([hidden], .wb-folded) .wb-plot text")].map(text =>
    parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().c, text.getScreenCTM().d)))"""  # noqa: E501


@pytest.fixture
def pages(visit, served):
    """Opens a page in a profile of its own."""

    def open_page(name, size, scheme="light", projector=True):
        width, height = size
        address = f"{served}{name}{'?projector' if projector else ''}"
        return visit(address, viewport={"width": width, "height": height}, color_scheme=scheme)

    return open_page


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_no_type_is_small_and_nothing_is_cut_off(pages, name, size, scheme):
    page = pages(name, size, scheme)
    page.wait_for_function(f"() => {{ const font = ({FONT})(); return !(font < 16) }}")
    seen = page.evaluate(LOOK)
    assert seen["page"] >= 16
    assert not 0 < seen["chart"] < 16
    assert seen["overflow"] == 0
    named = page.locator(".wb-data-button span").text_content()  # a name of any length
    assert [text for text in seen["cut"] if text not in (named, name)] == []
    if name:
        assert page.locator(f"{SHOWN} .wb-number:visible").count() <= 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", SIZES)
def test_two_charts_are_whole_and_the_main_sliders_are_below(pages, size):
    page = pages("scores", size)
    seen = page.evaluate(LOOK)
    assert seen["whole"] == 2
    first, second = (card.bounding_box() for card in page.locator(f"{SHOWN} .wb-chart").all()[:2])
    assert first["y"] == second["y"]
    assert first["width"] > 0.45 * size[0]
    assert page.get_by_role("slider", name="Threshold", exact=True).is_visible()
    assert page.locator(".wb-drawer").is_hidden()


def test_the_button_is_kept_by_the_browser_and_the_address_is_not(pages):
    page = pages("scores", SIZES[0], projector=False)
    button = page.get_by_role("button", name="Large type, for a projector")
    words = page.evaluate(LOOK)["words"]
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    page.wait_for_function(f"() => ({FONT})() >= 16")
    assert page.evaluate(LOOK)["words"] < 0.6 * words
    page.reload()
    await_charts(page)
    assert button.get_attribute("aria-pressed") == "true"
    page.goto(page.url + "?projector=off")
    await_charts(page)
    assert button.get_attribute("aria-pressed") == "false"
    page.goto(page.url.replace("?projector=off", ""))
    await_charts(page)
    button.click()
    page.wait_for_function(f"() => ({FONT})() < 16")
    assert page.locator(".wb-drawer").is_visible()
    page.reload()
    await_charts(page)
    assert button.get_attribute("aria-pressed") == "false"


def test_lines_are_thicker_on_the_screen_and_the_figure_is_the_same(pages):
    page = pages("scores", SIZES[0], projector=False)
    widths = """() => {
        const line = document.querySelector('[data-item="tradeoff"] .scatterlayer path.js-line')
        const form = line.getScreenCTM()
        return [parseFloat(getComputedStyle(line).strokeWidth), Math.hypot(form.c, form.d)]
    }"""
    width, scale = page.evaluate(widths)
    assert scale == pytest.approx(1)
    page.get_by_role("button", name="Large type, for a projector").click()
    page.wait_for_function(f"() => ({FONT})() >= 16")
    large, scale = page.evaluate(widths)
    assert large == width
    assert scale == pytest.approx(1.5)


def test_a_line_that_is_dragged_a_click_and_a_pointer_meet_what_is_under_them(pages):
    page = pages("scores", SIZES[0])
    board = Board(page)
    x, y = board.handle()
    line = page.evaluate("""() => {
        const plot = document.querySelector('[data-item="distributions"] .wb-plot')
        const {xaxis} = plot._fullLayout, box = plot.getBoundingClientRect()
        const scale = box.width / plot.offsetWidth
        return {
            at: box.left + scale * (xaxis._offset + xaxis.d2p(plot.layout.shapes[0].x0)),
            half: box.left + scale * (xaxis._offset + xaxis.d2p(0.5)),
        }
    }""")
    assert x == pytest.approx(line["at"], abs=1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(line["half"] - 20, y)
    page.mouse.move(line["half"], y)
    page.mouse.up()
    page.wait_for_function("""() => {
        const slider = document.querySelector('[data-control="threshold"] input[type="range"]')
        const plot = document.querySelector('[data-item="distributions"] .wb-plot')
        const places = [Number(slider.ariaValueText), plot.layout.shapes[0].x0]
        return places.every(x => Math.abs(x - 0.5) < 0.02)
    }""")
    card = page.locator(f'{SHOWN} [data-item="mu_curve"] .wb-plot')
    card.scroll_into_view_if_needed()
    place = page.evaluate("""() => {
        const plot = document.querySelector('[data-item="mu_curve"] .wb-plot')
        const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect()
        const scale = box.width / plot.offsetWidth
        return [box.left + scale * (xaxis._offset + xaxis.d2p(1)), box.top + scale * (yaxis._offset + yaxis._length / 2)]
    }""")  # noqa: E501
    page.mouse.move(*place)
    page.locator(
        f'{SHOWN} [data-item="mu_curve"] .hovertext, {SHOWN} [data-item="mu_curve"] .hoverlayer g'
    ).first.wait_for(state="attached")
