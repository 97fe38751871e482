"""The dashboard in a real browser, on the demo page."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from helpers import browser
from helpers.board import Board


@pytest.fixture
def board(visit, demo):
    return Board(visit(demo))


def test_charts_that_do_not_come_fail_with_what_the_page_shows(visit, demo, monkeypatch):
    monkeypatch.setattr(browser, "PATIENCE", 8_000)
    with pytest.raises(pytest.fail.Exception) as told:
        visit(f"{demo}?theme=dark", java_script_enabled=False)
    for words in (f"address: {demo}?theme=dark", "charts drawn: 0 of 0", "numbers: []", "log ends"):
        assert words in str(told.value)


def test_a_key_on_a_slider_redraws_the_charts_that_need_it_and_no_other(board):
    before = board.draws() or {}
    board.slider("Threshold").focus()
    board.page.keyboard.press("ArrowRight")
    board.wait_for_line(0.51)
    board.settle()
    after = board.draws()
    changed = {name for name in after if after[name] != before.get(name, 0)}
    assert changed == {"histogram", "tradeoff", "mu"}
    assert "0.51" in board.page.locator(".wb-sentence").text_content()


def test_every_control_arrives(board):
    page = board.page
    before = board.number("Total variation")
    board.slider("log₁₀ δ").focus()
    page.keyboard.press("ArrowLeft")
    board.wait("() => window.wbPlots.profile.layout.shapes[0].y0 < 2e-6")
    page.get_by_label("Show the reference").click()
    board.wait("() => window.wbPlots.tradeoff.data.length === 2")
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_function(
        "before => [...window.wbPlots.histogram.getRootNode().querySelectorAll('.wb-value')]"
        "[0].textContent !== before",
        arg=before,
    )
    page.get_by_role("button", name="Reset", exact=True).click()
    board.wait("() => window.wbPlots.profile.layout.shapes[0].y0 > 5e-6")
    assert board.value("log₁₀ δ") == -5


def test_a_choice_moves_bounds_and_steps_and_hides_controls(board):
    page = board.page
    page.get_by_role("combobox", name="Scores").select_option("Laplace")
    board.wait("() => window.wbPlots.histogram._fullLayout.xaxis.range[0] === -8")
    page.wait_for_function(
        "input => input.min === '-8' && input.step === '0.1'",
        arg=board.slider("Threshold").element_handle(),
    )
    page.get_by_role("slider", name="Distance").wait_for(state="hidden")
    page.get_by_role("button", name="Draw again").wait_for(state="hidden")


def test_a_chart_is_at_least_as_high_as_its_layout_names(board):
    board.page.set_viewport_size({"width": 1440, "height": 480})
    board.wait("() => window.wbPlots.profile._fullLayout.height < 360")
    first = board.drawn_height("profile")
    assert first >= 300
    slider = board.slider("log₁₀ δ")
    for key, height in (("ArrowLeft", 360), ("ArrowRight", first)):
        slider.focus()
        board.page.keyboard.press(key)
        board.wait("y => window.wbPlots.profile._fullLayout.height === y", height)
        assert board.drawn_height("profile") == height
        assert board.drawn_height("mu") == height  # they stand in one row


def test_after_fifty_random_moves_every_chart_equals_its_slider(board):
    rng = random.Random(7)
    page = board.page
    for _ in range(50):
        if rng.random() < 0.7:
            board.slider("Threshold").focus()
            page.keyboard.press(rng.choice(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"]))
        else:
            # A press that comes before the line did zooms, as it would for a person.
            if (at := board.handle()) is None:
                continue
            x, y = at
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + rng.randint(-60, 60), y, steps=3)
            page.mouse.up()
    board.settle()
    value = board.value("Threshold")
    board.wait_for_line(value)
    assert f"{value:.2f}" in page.locator(".wb-sentence").text_content()


def test_dragging_the_line_moves_the_slider_and_everything_else(board):
    page = board.page
    x, y = board.handle()
    target, _ = board.pixel("histogram", 2.0, 0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(target, y, steps=12)
    # Live: the other charts follow before the line is let go.
    board.wait("() => Math.abs(window.wbPlots.mu.layout.shapes[0].x0 - 2) < 0.05")
    page.mouse.up()
    board.settle()
    value = board.value("Threshold")
    assert value == pytest.approx(2.0, abs=0.03)
    assert value == round(value, 2)
    board.wait_for_line(value)


def test_a_finger_drags_the_line_too(visit, demo):
    board = Board(visit(demo, has_touch=True))
    x, y = board.handle()
    target, _ = board.pixel("histogram", -1.0, 0)
    touch = board.page.context.new_cdp_session(board.page)
    for kind, at in [
        ("touchStart", x),
        *[("touchMove", x + (target - x) * k / 8) for k in range(1, 9)],
    ]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    board.settle()
    assert board.value("Threshold") == pytest.approx(-1.0, abs=0.03)
    board.wait_for_line(board.value("Threshold"))


def test_a_click_calls_the_page(board):
    x, y = board.pixel("tradeoff", 0.16, 0.6)
    board.page.mouse.click(x, y)
    board.wait("() => Math.abs(window.wbPlots.tradeoff.data[1].x[0] - 0.16) < 0.01")
    board.settle()
    assert board.value("Threshold") == pytest.approx(1.0, abs=0.05)


def test_zoom_survives_a_redraw_and_a_double_click_resets_it(board):
    page = board.page
    left, top = board.pixel("tradeoff", 0.2, 0.8)
    right, bottom = board.pixel("tradeoff", 0.7, 0.1)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=6)
    page.mouse.up()
    zoomed = "() => window.wbPlots.tradeoff._fullLayout.xaxis.range[0] > 0.15"
    board.wait(zoomed)
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    board.wait_for_line(0.51)
    board.settle()
    assert page.evaluate(zoomed)
    page.mouse.dblclick((left + right) / 2, (top + bottom) / 2)
    board.wait("() => window.wbPlots.tradeoff._fullLayout.xaxis.range[0] === 0")


def choose_file(board, path):
    page = board.page
    page.get_by_role("combobox", name="Scores").select_option("Your files")
    field = page.locator('input[type="file"]')
    field.wait_for(state="attached")
    field.set_input_files(path)


def csv(path):
    path.write_text("\n".join(str(k % 7) for k in range(1000)))
    return path


def test_uploads_arrive_as_bytes(board, tmp_path):
    choose_file(board, csv(tmp_path / "scores.csv"))
    board.page.get_by_text("1,000", exact=True).wait_for()


def test_a_large_upload_arrives(board, tmp_path):
    np.save(tmp_path / "large.npy", np.random.default_rng(1).normal(size=4_000_000))
    choose_file(board, tmp_path / "large.npy")
    board.page.get_by_text("4,000,000", exact=True).wait_for()


def test_a_message_is_announced_and_dismissed_and_the_charts_stay(board, tmp_path):
    page = board.page
    (tmp_path / "notes.txt").write_text("hello")
    choose_file(board, tmp_path / "notes.txt")
    alert = page.get_by_role("alert").filter(has_text="no scores were found")
    alert.wait_for()
    assert board.drawn("histogram")["data"]
    page.get_by_role("button", name="Dismiss").click()
    alert.wait_for(state="hidden")


def test_one_session_neither_shows_nor_stops_another(visit, demo, tmp_path):
    mine, theirs = Board(visit(demo)), Board(visit(demo))
    choose_file(mine, csv(tmp_path / "slow.csv"))
    mine.page.get_by_text("Updating", exact=False).wait_for()
    theirs.slider("Threshold").focus()
    theirs.page.keyboard.press("ArrowRight")
    theirs.wait_for_line(0.51)
    # Theirs is answered while mine is still at work: no session waits for another.
    assert mine.page.locator(".wb-busy").text_content() == "Updating …"
    mine.page.get_by_text("1,000", exact=True).wait_for()
    mine.page.get_by_text("Updating", exact=False).wait_for(state="hidden")
    assert theirs.number("Scores") == "400,000"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("scheme", "query", "dark"),
    [
        ("dark", "", True),
        ("light", "?theme=dark", True),
        ("dark", "?theme=light", False),
    ],
)
def test_charts_and_page_share_a_theme(visit, demo, scheme, query, dark):
    board = Board(visit(demo + query, color_scheme=scheme))
    inks = {True: "#E8EBEE", False: "#1A1D21"}
    for shade in (dark, not dark):
        board.wait(
            "ink => Object.values(window.wbPlots).every(p => p._fullLayout.font.color === ink)",
            inks[shade],
        )
        paper = board.page.locator(".wb-bar").evaluate("e => getComputedStyle(e).backgroundColor")
        assert paper == ("rgb(28, 31, 35)" if shade else "rgb(255, 255, 255)")
        margin = board.page.evaluate("window.wbPlots.histogram._fullLayout.margin")
        assert (margin["l"], margin["r"], margin["t"], margin["b"]) == (56, 16, 8, 44)
        board.page.get_by_role("button", name=re.compile("Use the .* theme")).click()


def test_a_phone_shows_the_page_without_overflow_and_with_a_closed_drawer(visit, demo):
    page = visit(demo, viewport={"width": 390, "height": 844})
    wide = "e => e.scrollWidth - e.clientWidth"
    assert page.locator("html").evaluate(wide) <= 0
    assert not page.get_by_role("slider", name="Threshold").is_visible()
    page.get_by_role("button", name="Open drawer").click()
    page.get_by_role("slider", name="Threshold").wait_for()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (390, "light")])
def test_axe_finds_nothing_serious(visit, demo, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(demo, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for button in page.locator(".wb-chart [aria-expanded]").all():
        button.click()
    found = Axe().run(page).response["violations"]
    assert [
        f"{v['impact']}: {v['id']}" for v in found if v["impact"] in ("critical", "serious")
    ] == []


def test_a_chart_gives_its_summary_and_its_data(board, tmp_path):
    page = board.page
    assert board.drawn("histogram")["label"] == "Two histograms, cut at 0.50."
    button = page.get_by_role("button", name="Data: Score distributions")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    table = page.locator('[data-item="histogram"] table')
    assert table.locator("thead").inner_text().split() == ["curve", "score", "density"]
    assert table.locator("tbody tr").count() == 2 * 91 or table.locator("tbody tr").count() > 100
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("cut at 0.51").wait_for()
    with page.expect_download() as download:
        page.locator('[data-item="histogram"]').get_by_role("button", name="Download CSV").click()
    download.value.save_as(tmp_path / "data.csv")
    lines = (tmp_path / "data.csv").read_text().splitlines()
    assert lines[0] == "curve,score,density"
    assert lines[1].startswith("members,-4,")


def test_a_number_explains_itself_by_keyboard(board):
    page = board.page
    button = page.get_by_role("button", name="About: μ at the threshold")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.get_by_text("for independent runs and if the pair is Gaussian").wait_for()
