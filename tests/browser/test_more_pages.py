"""The pages beside the scores in a real browser: they arrive, and their charts follow."""

from __future__ import annotations

import math

import pytest
from helpers.bench import BenchPage
from helpers.board import SHOWN, Board, choose
from helpers.browser import grave_faults

from workbench.scores.examples import card
from workbench.workspaces.sources import EXAMPLE


def test_a_family_is_refuted_another_fits_and_the_profile_follows_delta(visit, served):
    from workbench.pages.family import FamilyPage

    same, board = FamilyPage(), Board(visit(served + "family"))
    page = board.page
    board.read_words()
    assert board.number("Does the family fit?") == "not refuted"  # the example is Gaussian
    BenchPage(page).choose(card("subsampled-gaussian").title)
    same.follow(f"{EXAMPLE}subsampled-gaussian")
    verdict = page.locator(f'{SHOWN} [aria-label="Does the family fit?"] .wb-value')
    verdict.get_by_text("refuted", exact=True).wait_for()
    page.locator(".wb-headline").filter(has_text="Gaussian is ruled out").wait_for()
    page.locator(".wb-texts").get_by_text(
        "The scores rule out that the pair is Gaussian"
    ).wait_for()
    board.slider("δ").focus()
    page.keyboard.press("ArrowRight")
    same.log_delta = -4.5
    board.wait(
        "y => window.wbPlots.profile.layout.shapes"
        ".some(s => Math.abs(Math.log10(s.y0) - y) < 1e-9)",
        same.log_delta,
    )
    choose(board, "Family", "Subsampled Gaussian")
    same.family = "subsampled-gaussian"
    page.get_by_text("These scores do not contradict").first.wait_for()
    assert board.number("ε assuming the family") == same.epsilon().rounded
    dot = board.drawn("profile")["data"][-1]
    assert [dot["x"][0], math.log10(dot["y"][0])] == pytest.approx([same.epsilon().value, -4.5])
    assert grave_faults(page) == []


def test_a_comparison_follows_the_scores_chosen(visit, served):
    from workbench.pages.compare import ComparePage
    from workbench.pages.inputs.data import is_draw

    same, board = ComparePage(), Board(visit(served + "compare"))
    page = board.page
    board.read_words()
    page.locator(".wb-sentence").filter(has_text=same.verdict()).wait_for()
    label = next(name for name, key in same.param.b_data.get_range().items() if is_draw(key))
    choose(board, "Data of B", label)
    same.b_data = same.param.b_data.get_range()[label]
    slider = board.slider("μ")
    slider.focus()
    page.keyboard.press("ArrowRight")
    same.b_mu = 1.05
    page.locator("header .wb-sentence").filter(has_text="μ = 1.05").wait_for()
    page.locator(".wb-sentence").filter(has_text=same.verdict()).wait_for()
    assert board.number("ε lower bound of B") == same.epsilon_b().rounded
    for drawn, wanted in zip(board.drawn("bands")["data"], same.bands()["data"], strict=True):
        y = drawn["y"] if isinstance(drawn["y"], list) else list(drawn["y"].values())
        assert y == pytest.approx(list(wanted["y"]))
    assert grave_faults(page) == []
