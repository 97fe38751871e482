"""The scores page in a real browser: what people see follows what they did."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from helpers.bench import BenchPage
from helpers.board import SHOWN, Board
from helpers.browser import grave_faults

from workbench.pages.pair_lab import PairLabPage
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage

FOLDED = [item.name for item in ScoresPage.figures() if item.folded]
CHARTS = ("distributions", "tradeoff", "profile", "mu_curve", *FOLDED)
MORE = f"{len(FOLDED)} more charts"


@pytest.fixture
def board(visit, served):
    return Board(visit(served + "scores"))


def lines(board):
    """Where the threshold's line stands in the charts that have one."""
    return board.page.evaluate(
        """() => ["distributions", "mu_curve"].map(name =>
            window.wbPlots[name].layout.shapes.find(s => s.name === "threshold").x0)"""
    )


def settle(board):
    """Until no chart was drawn for a while."""
    board.wait("""() => {
        const now = JSON.stringify(window.wbDraws)
        const [last, since] = window.wbLast ?? []
        if (last !== now) window.wbLast = [now, performance.now()]
        return last === now && performance.now() - since > 900
    }""")


def open_file(board, *paths):
    bench = BenchPage(board.page)
    bench.open_files(*paths)
    bench.accept()
    bench.wait_for_data(paths[0].stem)


@pytest.mark.exhaustive
def test_after_fifty_random_drags_every_chart_equals_its_slider(board):
    """Threshold, width and δ by keyboard and the line by hand; then all four charts are read."""
    rng, page = random.Random(3), board.page
    for _ in range(50):
        what = rng.choice(["Threshold", "Threshold", "Bin width", "δ", "line"])
        if what == "line":
            # A press that comes before the line did zooms, as it would for a person.
            if (at := board.handle()) is None:
                continue
            x, y = at
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + rng.randint(-80, 80), y, steps=4)
            page.mouse.up()
        else:
            board.slider(what).focus()
            page.keyboard.press(rng.choice(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"]))
    settle(board)
    # The slider's element has a place, its text the score.
    threshold = float(board.slider("Threshold").get_attribute("aria-valuetext"))
    width = board.value("Bin width")
    assert lines(board) == pytest.approx([threshold, threshold])
    edges = board.drawn("distributions")["data"][0]["x"]
    edges = edges if isinstance(edges, list) else list(edges.values())
    assert np.diff(edges) == pytest.approx(width, rel=1e-9)
    delta = 10 ** board.value("δ")
    shapes = board.drawn("profile")["shapes"]
    assert any(s["y0"] == pytest.approx(delta) for s in shapes if s.get("yref") != "paper")
    # The point of the trade-off chart is the threshold's: the numbers say the same.
    same = ScoresPage()
    same.param.update(threshold=threshold, log_delta=board.value("δ"))
    point = board.drawn("tradeoff")["data"][-1]
    assert [point["x"][0], point["y"][0]] == pytest.approx(
        [float(same.at_threshold().fpr), float(same.at_threshold().fnr)]
    )
    assert board.number("ε lower bound") == same.epsilon().rounded
    assert board.number("ε at the threshold") == same.epsilon_here().rounded


def test_dragging_the_threshold_leaves_the_profile_and_the_certified_numbers_alone(board):
    settle(board)
    before, number = board.draws() or {}, board.number("ε lower bound")
    board.slider("Threshold").focus()
    line = lines(board)[0]
    board.page.keyboard.press("PageUp")
    board.wait("x => window.wbPlots.distributions.layout.shapes.find(s => s.name).x0 !== x", line)
    settle(board)
    after = board.draws()
    assert after.get("distributions", 0) > before.get("distributions", 0)
    assert after.get("profile", 0) == before.get("profile", 0)
    assert board.number("ε lower bound") == number


@pytest.mark.exhaustive
def test_every_example_can_be_chosen(board):
    from workbench.scores.examples import NAMES, card

    for name in NAMES:
        title = card(name).title
        BenchPage(board.page).choose(title)
        board.page.locator(f"{SHOWN} .wb-sentence").filter(has_text=title).first.wait_for()
    assert board.page.locator(f"{SHOWN} .wb-alert").is_hidden()


def test_a_file_is_loaded_shown_and_overridden(board, tmp_path):
    rows = "\n".join(f"{i / 9};{i % 2};{(i * 7) % 13}" for i in range(400))
    (tmp_path / "mine.csv").write_text("score;member;other\n" + rows)
    open_file(board, tmp_path / "mine.csv")
    page = board.page
    board.read_words()
    page.get_by_text("P = rows of 'score' whose 'member' is '1'", exact=False).wait_for()
    page.get_by_text("assuming independent rows", exact=False).first.wait_for()
    assert board.number("Scores") == "200 + 200"
    bench = BenchPage(page)
    bench.open_menu().get_by_role("button", name="How it was read: mine").click()
    bench.dialog.get_by_role("combobox", name="Score", exact=True).select_option("other")
    bench.accept()
    page.locator(SHOWN).get_by_text(re.compile("changed after results were seen")).first.wait_for()
    page.keyboard.press("Control+z")
    page.locator(SHOWN).get_by_text(re.compile("after results were seen")).first.wait_for(
        state="detached"
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "empty"),
        ("words.csv", b"in,out\n1,2\nthree,4\n5,6\n", "row 3"),
        ("one-label.csv", b"score,member\n1,1\n2,1\n3,1\n", "only '1'"),
        ("cut.parquet", b"PAR1 and no more", "parquet"),
        ("scores.pkl", b"\x80\x04whatever", "np.savez"),
    ],
)
def test_a_bad_file_is_a_message_and_the_charts_stay(board, tmp_path, name, content, says):
    before, bench = board.number("ε lower bound"), BenchPage(board.page)
    (tmp_path / name).write_bytes(content)
    bench.open_menu()
    board.page.set_input_files("#open-files", tmp_path / name)
    bench.dialog.get_by_role("alert").filter(has_text=says).wait_for()
    bench.dialog.get_by_role("button", name="Cancel").click()
    bench.dialog.wait_for(state="hidden")
    assert board.number("ε lower bound") == before


def test_bins_and_thresholds_set_beforehand_hold_for_fresh_draws(board):
    page = board.page
    bench = BenchPage(page)
    drawn = bench.open_menu().locator(".wb-set", has_text="per group")
    name = drawn.locator("strong").text_content()
    drawn.click()
    bench.wait_for_data(name)
    card = page.locator(f'{SHOWN} [aria-label="ε at the threshold"]')
    card.get_by_text("choose a threshold").wait_for()
    board.slider("Threshold").focus()
    page.keyboard.press("ArrowRight")
    card.get_by_text("not valid").wait_for()
    page.get_by_role("button", name="Draw again").click()
    card.get_by_text("pointwise", exact=True).wait_for()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_axe_finds_nothing_serious(visit, served, width, scheme):
    page = visit(served + "scores", viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert grave_faults(page) == []


def test_a_phone_shows_every_chart_without_overflow(visit, served):
    page = visit(served + "scores", viewport={"width": 390, "height": 844})
    page.get_by_role("button", name=MORE).click()
    assert page.locator("html").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    for name in CHARTS:
        box = page.locator(f'{SHOWN} [data-item="{name}"]').bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_charts_that_are_folded_are_drawn_when_they_are_asked_for(board):
    page = board.page
    button = page.get_by_role("button", name=MORE)
    for name in FOLDED:
        card = page.locator(f'{SHOWN} [data-item="{name}"]')
        assert not card.is_visible()
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    for name in FOLDED:
        page.locator(f'{SHOWN} [data-item="{name}"] .main-svg').first.wait_for()
    # For paper it is drawn as the page is now.
    button.click()
    before = board.value("Bin width")
    board.slider("Bin width").press("PageUp")
    value = "before => document.querySelector('[data-control=bin_width] input').value != before"
    board.wait(value, before)
    width = board.value("Bin width")
    settle(board)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    line = """() => document.querySelector('[data-item=tv_by_width] .wb-plot').layout.shapes
        .find(({name}) => name === "bin width").x0"""
    assert page.evaluate(line) == pytest.approx(width, rel=1e-3)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_menu_leads_to_the_other_page_and_back(visit, served, width):
    page = visit(served + "scores", viewport={"width": width, "height": 900})
    for name in ("pairlab", "scores"):
        title = PAGES[name].kind.title
        if width < 900:
            page.get_by_role("button", name="Open drawer").click()
            page.locator(f".wb-drawer a[data-page={name}]").click()
        else:
            BenchPage(page).go(name)
        page.get_by_role("heading", name=title, exact=True, level=1).wait_for()
        BenchPage(page).wait_for(name)


def test_draws_are_counted_against_the_truth(visit, served):
    page, same = visit(served + "pairlab"), PairLabPage()
    page.get_by_role("button", name="Draw 100 samples").click()
    same.draw_many = True
    for name, text in (
        ("Simultaneous bound exceeded the truth", same.simultaneous_above().text),
        ("Best-threshold bound exceeded the truth", same.best_above().text),
    ):
        assert text.endswith("of 101 draws")
        page.locator(f'[aria-label="{name}"] .wb-value').get_by_text(text, exact=True).wait_for()
    answer = page.locator(".wb-headline")
    answer.filter(has_text="A tuned threshold is not valid").wait_for()
    assert page.locator('[aria-label="True ε"] .wb-value').text_content() == "3.00"
    page.get_by_label("Hide true values (quiz)").click()
    page.locator('[aria-label="True ε"] .wb-value', has_text="?").wait_for()


def test_two_people_do_not_see_each_others_scores(visit, served, tmp_path):
    mine, theirs = Board(visit(served + "scores")), Board(visit(served + "scores"))
    before = theirs.number("Scores")
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "secret.npz", p=rng.normal(1, 1, 321), q=rng.normal(0, 1, 123))
    open_file(mine, tmp_path / "secret.npz")
    mine.page.get_by_text("321 + 123", exact=True).wait_for()
    theirs.slider("Threshold").focus()
    theirs.page.keyboard.press("ArrowRight")
    settle(theirs)
    assert theirs.number("Scores") == before
    assert "321" not in theirs.page.locator(SHOWN).inner_text()
