"""The instrument panel: what is on one screen, measured at the sizes that people have."""

from __future__ import annotations

import pytest
from helpers.board import Board, choose
from helpers.browser import grave_faults

from workbench.pages.registry import PAGES

PROJECTOR, LAPTOP = {"width": 1280, "height": 720}, {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

#: Cards, cells and their texts that are cut off, relative to the window.
MEASURE = """() => {
    const whole = e => {
        const {top, bottom, left, right} = e.getBoundingClientRect()
        const bar = document.querySelector(".wb-bar").getBoundingClientRect().bottom
        return top >= bar && bottom <= innerHeight && left >= 0 && right <= innerWidth
    }
    const all = which => [...document.querySelectorAll(`.wb-board:not([hidden]) ${which}`)]
    const cut = e => e.scrollWidth > e.parentElement.clientWidth + 1
    return {
        charts: all(".wb-chart").filter(whole).map(e => e.dataset.item),
        numbers: all(".wb-number:not([hidden])").filter(e => !whole(e)).map(e => e.ariaLabel),
        cut: all(":is(.wb-value, .wb-number-title)").filter(cut).map(e => e.textContent),
        wide: document.documentElement.scrollWidth - innerWidth,
    }
}"""


def measured(page):
    page.wait_for_timeout(300)
    return page.evaluate(MEASURE)


def test_a_laptop_shows_all_numbers_and_all_charts_of_scores(visit, served):
    seen = measured(visit(served + "scores", viewport=LAPTOP))
    assert seen["charts"] == ["distributions", "tradeoff", "profile", "mu_curve"]
    assert (seen["numbers"], seen["cut"], seen["wide"]) == ([], [], 0)


def test_a_projector_shows_the_numbers_and_two_charts_that_the_threshold_moves(visit, served):
    board = Board(visit(served + "scores", viewport=PROJECTOR))
    seen = measured(board.page)
    assert seen["charts"] == ["distributions", "tradeoff"]
    assert (seen["numbers"], seen["cut"], seen["wide"]) == ([], [], 0)
    before = board.draws() or {}
    board.slider("Threshold").focus()
    board.page.keyboard.press("PageUp")
    for name in seen["charts"]:
        board.wait("([name, n]) => window.wbDraws[name] > n", [name, before.get(name, 0)])
    # Longer and shorter numbers and notes move nothing.
    assert measured(board.page) == seen


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("scores", "import")])
def test_the_other_pages_show_numbers_and_charts(visit, served, name):
    page = visit(served + name, viewport=LAPTOP)
    charts = page.locator(".wb-chart").count()
    seen = measured(page)
    assert len(seen["charts"]) >= min(2, charts)
    assert (seen["numbers"], seen["cut"], seen["wide"]) == ([], [], 0)
    page.set_viewport_size(PROJECTOR)
    seen = measured(page)
    assert len(seen["charts"]) >= 1
    assert (seen["numbers"], seen["cut"], seen["wide"]) == ([], [], 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAGES)
def test_the_main_controls_of_a_page_are_controls_of_it(name):
    kind = PAGES[name].kind
    assert len(kind.main) <= 2
    assert set(kind.main) <= {c.name for section in kind.controls for c in section.controls}


def test_a_phone_shows_a_chart_while_the_slider_in_the_sheet_is_dragged(visit, served):
    board = Board(visit(served + "scores", viewport=PHONE, has_touch=True))
    page = board.page
    ranks = (".wb-headline", '[data-rank="main"] .wb-number', ".wb-chart")
    order = [page.locator(which).first.bounding_box()["y"] for which in ranks]
    assert order == sorted(order)
    sheet = page.get_by_role("group", name="Main controls").bounding_box()
    chart = page.locator('[data-item="distributions"]').bounding_box()
    assert chart["y"] >= 56
    assert chart["y"] + chart["height"] <= sheet["y"]
    slider = board.slider("Threshold").bounding_box()
    assert sheet["y"] <= slider["y"]
    assert slider["y"] + slider["height"] <= PHONE["height"]
    before, stood = board.value("Threshold"), board.drawn("distributions")["shapes"][0]["x0"]
    page.touchscreen.tap(slider["x"] + 0.8 * slider["width"], slider["y"] + slider["height"] / 2)
    after = board.value("Threshold")
    assert after > before
    # The slider's element has a place, its text the score.
    line = """stood => {
        const {x0} = window.wbPlots.distributions.layout.shapes.find(s => s.name)
        const slider = document.querySelector('[data-control="threshold"] input[type=range]')
        const text = slider.ariaValueText
        return x0 > stood && Math.abs(Number(text) - x0) <= 1e-3 * Math.abs(x0)
    }"""
    board.wait(line, stood)
    assert page.locator('[data-item="distributions"]').bounding_box()["y"] == chart["y"]
    assert measured(page)["wide"] == 0
    # On a wide screen the same slider stands in the drawer.
    page.set_viewport_size(LAPTOP)
    page.locator(".wb-drawer").get_by_role("slider", name="Threshold", exact=True).wait_for()
    assert board.value("Threshold") == after
    assert page.locator(".wb-sheet").is_hidden()


def test_a_chart_fills_the_window_and_goes_back_to_its_place(visit, served):
    board = Board(visit(served + "scores", viewport=PROJECTOR))
    page = board.page
    home = page.locator('[data-item="tradeoff"]').bounding_box()
    page.get_by_role("button", name="Enlarge: Trade-off curve").click()
    board.wait("() => window.wbPlots.tradeoff._fullLayout.width > 1200")
    assert page.locator('[data-item="tradeoff"]').bounding_box()["height"] > 600
    # The main controls are there too, and move it.
    page.keyboard.press("Tab")
    before = board.draws()["tradeoff"]
    slider = page.get_by_role("dialog").get_by_role("slider", name="Threshold", exact=True)
    slider.focus()
    page.keyboard.press("PageUp")
    board.wait("n => window.wbDraws.tradeoff > n", before)
    assert grave_faults(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.evaluate("document.activeElement.ariaLabel") == "Enlarge: Trade-off curve"
    assert page.locator('[data-item="tradeoff"]').bounding_box() == home
    board.wait("w => window.wbPlots.tradeoff._fullLayout.width < w", home["width"])
    page.locator(".wb-drawer").get_by_role("slider", name="Threshold", exact=True).wait_for()


def test_a_zoomed_chart_offers_the_way_back(visit, served):
    board = Board(visit(served + "scores", viewport=LAPTOP))
    page = board.page
    button = page.get_by_role("button", name="Reset zoom: Trade-off curve")
    assert button.is_hidden()
    for step, (x, y) in enumerate([(0.2, 0.8), (0.6, 0.2)]):
        page.mouse.move(*board.pixel("tradeoff", x, y))
        page.mouse.up() if step else page.mouse.down()
    button.click()
    board.wait("() => Math.abs(window.wbPlots.tradeoff._fullLayout.xaxis.range[1] - 1) < 0.1")
    button.wait_for(state="hidden")


def test_an_explanation_lies_over_the_charts_and_moves_nothing(visit, served):
    board = Board(visit(served + "scores", viewport=PROJECTOR))
    page = board.page
    before = page.locator(".wb-chart").first.bounding_box()
    for button in ("About: ε lower bound", "About this page", "About: Trade-off curve"):
        page.get_by_role("button", name=button, exact=True).press("Enter")
        assert page.locator(".wb-chart").first.bounding_box() == before
    page.get_by_text("lower convex hull of all threshold attacks").wait_for()
    assert grave_faults(page) == []
    page.keyboard.press("Escape")
    assert page.locator(".wb-board [aria-expanded=true]").count() == 0


def test_a_threshold_that_nobody_chose_is_asked_for_and_one_that_was_is_struck(visit, served):
    board = Board(visit(served + "scores", viewport=LAPTOP))
    cell = board.page.locator('[aria-label="ε at the threshold"]')
    struck = "e => getComputedStyle(e).textDecorationLine"
    assert board.number("ε at the threshold") == "choose a threshold"
    assert cell.locator(".wb-value").evaluate(struck) == "none"
    reason = "not valid: the threshold was placed at the median of these scores"
    cell.get_by_role("button").click()
    board.page.locator(".wb-number-panel").get_by_text(reason, exact=True).wait_for()
    board.page.keyboard.press("Escape")
    board.slider("Threshold").focus()
    board.page.keyboard.press("ArrowRight")
    cell.locator(".wb-badge", has_text="not valid").wait_for()
    assert cell.locator(".wb-value").evaluate(struck) == "line-through"


def test_a_changed_number_is_read_aloud_once_it_rests(visit, served):
    board = Board(visit(served + "scores", viewport=LAPTOP))
    said = board.page.locator(".wb-board > .wb-said")
    assert said.text_content() == ""
    board.slider("Threshold").focus()
    for _ in range(5):
        board.page.keyboard.press("ArrowRight")
    board.page.wait_for_function("e => e.textContent", arg=said.element_handle())
    value = board.number("ε at the threshold")
    assert said.text_content() == f"ε at the threshold ≥ {value}, not valid"


def test_a_board_that_was_hidden_is_drawn_when_it_is_shown(visit, served):
    board = Board(visit(served + "scores", viewport=LAPTOP))
    page = board.page
    hide = "on => { document.querySelector('.wb-board').hidden = on }"
    page.evaluate(hide, True)
    choose(board, "Bins", "Fixed number")
    slider = board.slider("Number of bins")
    slider.press("Home")
    slider.press("ArrowRight")
    page.set_viewport_size(PROJECTOR)
    page.wait_for_timeout(500)
    page.evaluate(hide, False)
    edges = int(board.value("Number of bins")) + 1
    board.wait(f"() => window.wbPlots.distributions.data[0].x.length === {edges}")
    assert measured(page)["charts"] == ["distributions", "tradeoff"]


def test_printing_shows_the_whole_page(visit, served):
    page = visit(served + "scores", viewport=LAPTOP)
    page.emulate_media(media="print")
    page.wait_for_timeout(300)
    assert page.locator(".wb-bar").is_hidden()
    assert page.locator(".wb-drawer").is_hidden()
    inner = """() => [...document.querySelectorAll("*")].filter(e =>
        /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1)
        .map(e => e.className)"""
    assert page.evaluate(inner) == []
    assert len(page.pdf(format="A4")) > 10_000


def test_on_a_phone_an_explanation_comes_into_view(visit, served):
    page = visit(served + "scores", viewport=PHONE)
    page.get_by_role("button", name="About: ε lower bound").click()
    page.get_by_text("The true ε may be larger").wait_for()
    page.wait_for_timeout(300)
    panel = page.locator(".wb-number-panel:visible").bounding_box()
    sheet = page.get_by_role("group", name="Main controls").bounding_box()
    assert 0 <= panel["y"] < sheet["y"]
    # The drawer's last control is not under the sheet.
    page.get_by_role("button", name="Open drawer").click()
    page.locator(".wb-drawer").evaluate("e => e.scrollTo(0, e.scrollHeight)")
    controls = page.locator(".wb-drawer .wb-control").locator("visible=true")
    last = controls.last.bounding_box()
    assert last["y"] + last["height"] <= sheet["y"]
