"""After any acts of a person, a page's settings bring another page to the same drawings."""

from __future__ import annotations

import json
import random

import param
import pytest

from workbench.assets import board
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES

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
        # A file that is chosen but not there yet leaves the former data on the page.
        values = [value for value in parameter.get_range().values() if value != "file"]
        setattr(page, name, rng.choice(values))
    elif isinstance(parameter, param.Number):
        low, high = parameter.bounds or (None, None)
        now = getattr(page, name)
        step = parameter.step or (1 if isinstance(parameter, param.Integer) else 0.1)
        value = now + rng.choice([-1, 1]) * step
        if (low is None or value >= low) and (high is None or value <= high):
            setattr(page, name, value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_settings_restore_every_page(name, seed):
    kind = PAGES[name].kind
    rng, page = random.Random(seed), kind()
    for size, value in SMALL.items():
        if size in page.param and value in getattr(page.param[size], "objects", ()):
            setattr(page, size, value)
    for _ in range(ACTS):
        act(page, rng)
    settings, again = json.loads(json.dumps(page.settings())), kind()
    assert again.restore(settings) == []
    assert again.settings() == page.settings()
    for item in page.items():
        if "past" in page.inputs(item):  # the draws so far are a history, no setting
            continue
        assert board.content(again.draw(item)) == board.content(page.draw(item)), item.name
