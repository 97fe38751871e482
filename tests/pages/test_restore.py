"""After any acts of a person, a page's settings bring another page to the same drawings."""

from __future__ import annotations

import json
import random

import param
import pytest
from helpers.pages import CSV, LABELED, added

from workbench.assets import board
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES
from workbench.workspaces.workspace import Workspace

ACTS = 12

#: What a long sample would make slow, and nothing else would show.
SMALL = {"sample_n": 1000, "a_n": 1000, "b_n": 1000, "n": 1000}


def act(page, rng):
    """Something that a person can do."""
    offered = [c.name for s in page.controls for c in s.controls if c.offered(page)]
    name = rng.choice([n for n in offered if n in page.param])
    parameter = page.param[name]
    if isinstance(parameter, Upload):
        return
    if isinstance(parameter, param.Event):
        page.param.trigger(name)
    elif isinstance(parameter, param.Boolean):
        setattr(page, name, not getattr(page, name))
    elif isinstance(parameter, param.Selector):
        # A file that is chosen but not there yet leaves the former canaries on the page.
        values = [value for value in parameter.get_range().values() if value != "file"]
        setattr(page, name, rng.choice(values))
    elif isinstance(parameter, param.Number):
        low, high = parameter.bounds or (None, None)
        now = getattr(page, name)
        step = parameter.step or (1 if isinstance(parameter, param.Integer) else 0.1)
        value = now + rng.choice([-1, 1]) * step
        from_low, to_high = parameter.inclusive_bounds
        fits = low is None or value > low or (from_low and value == low)
        if fits and (high is None or value < high or (to_high and value == high)):
            setattr(page, name, value)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_settings_restore_every_page(name, seed):
    kind, workspace = PAGES[name].kind, Workspace()
    for file in (("one.csv", CSV), ("two.csv", LABELED)):
        added(workspace, file)
    rng, page = random.Random(seed), kind(workspace=workspace)
    for size, value in SMALL.items():
        if size in page.param and value in getattr(page.param[size], "objects", ()):
            setattr(page, size, value)
    for _ in range(ACTS):
        act(page, rng)
    settings, again = json.loads(json.dumps(page.settings())), kind(workspace=workspace)
    if seed:
        again.follow(page.data_key or None)  # as the dashboard does first
    assert again.restore(settings) == []
    assert again.settings() == page.settings()
    for item in page.items():
        if "past" in page.inputs(item):  # the draws so far are a history, no setting
            continue
        assert board.content(again.draw(item)) == board.content(page.draw(item)), item.name


def test_a_threshold_that_was_typed_beyond_the_slider_leaves_no_trace_when_it_is_moved_back():
    page = PAGES["scores"].kind()
    page.threshold = page.param.threshold.softbounds[1] + 3
    page.mu_curve(), page.distributions()
    page.threshold = 0.3
    again = PAGES["scores"].kind()
    assert again.restore(page.settings()) == []
    for item in page.items():
        assert board.content(again.draw(item)) == board.content(page.draw(item)), item.name


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["scores", "family", "watch", "compare"])
@pytest.mark.slow
def test_a_page_that_comes_back_to_a_data_set_is_as_it_was_left(name, seed):
    """As the dashboard does it: settings are kept for each data set, and restored on a new page."""
    kind, workspace, rng = PAGES[name].kind, Workspace(), random.Random(seed)
    keys = [added(workspace, file).key for file in (("one.csv", CSV), ("two.csv", LABELED))]
    keys += ["example:ties", "draw:laplace?mu=1.0&n=300&seed=4"]
    left = {}
    for _ in range(10):
        page, key = kind(workspace=workspace), rng.choice(keys)
        page.follow(key)
        if key in left:
            settings, drawn = left[key]
            assert page.restore(settings) == []
            assert {item.name: board.content(page.draw(item)) for item in page.items()} == drawn
        else:
            assert page.looked == ""
        for _ in range(5):
            act(page, rng)
        key = page.data_key
        drawn = {item.name: board.content(page.draw(item)) for item in page.items()}
        left[key] = json.loads(json.dumps(page.settings())), drawn
