"""What the board is told of a page: its frame, and numbers that are not valid."""

from __future__ import annotations

import json
import pickle

import numpy as np

from workbench.assets import board
from workbench.pages.core.page import NotChosen
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage


def shown(page, name):
    item = next(item for item in page.items() if item.name == name)
    return json.loads(board.content(page.draw(item)))


def test_a_threshold_that_the_page_placed_is_asked_for_and_a_moved_one_says_why_first():
    page = ScoresPage()
    asked = shown(page, "epsilon_here")
    assert (asked["value"], asked["badge"], asked["tone"]) == ("choose a threshold", "", "unset")
    assert asked["note"].startswith("not valid: ")
    page.threshold += 0.1
    moved = shown(page, "epsilon_here")
    assert (moved["value"], moved["badge"]) == (page.epsilon_here().rounded, "not valid")
    assert moved["tone"] == "void"
    assert moved["reason"] == page.epsilon_here().void
    assert moved["note"].startswith(moved["reason"])
    assert moved["note"].count(moved["reason"]) == 1
    assert shown(page, "epsilon")["reason"] == ""


def test_a_reason_with_a_request_is_a_text_that_survives_a_copy():
    reason = NotChosen("nobody chose it", ask="choose it")
    assert reason == "nobody chose it"
    assert pickle.loads(pickle.dumps(reason)).ask == "choose it"


def test_a_frame_names_the_main_controls():
    assert board.frame(ScoresPage)["main"] == ["threshold", "bin_width"]


def test_the_chart_of_the_evidence_shows_all_of_it():
    page = PAGES["watch"].kind()
    drawn = page.draw(next(item for item in page.figures() if item.name == "wealth"))
    axis = drawn["layout"]["yaxis"]
    seen = np.concatenate([np.asarray(trace["y"], dtype=float) for trace in drawn["data"]])
    assert np.nanmax(seen) > 100  # powers of ten
    assert axis["range"][1] > np.nanmax(seen)
    assert 4 <= len(axis["tickvals"]) <= 12
    assert 0 in axis["tickvals"]
