"""After any acts of a person, a page's settings bring another page to the same drawings."""

from __future__ import annotations

import json
import random

import param
import pytest

from workbench.assets import board
from workbench.pages.compare import ComparePage
from workbench.pages.core.page import Upload
from workbench.pages.counts import CountsPage
from workbench.pages.coverage_lab import CoverageLabPage
from workbench.pages.family import FamilyPage
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pages.watch import WatchPage

PAGES = [
    *(ScoresPage, CountsPage, FamilyPage, ComparePage, OneRunPage, SelectionPage, MechanismPage),
    *(WatchPage, PlanPage, PairLabPage, CoverageLabPage),
]

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
@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.__name__)
@pytest.mark.slow
def test_settings_restore_every_page(kind, seed):
    rng, page = random.Random(seed), kind()
    for name, value in SMALL.items():
        if name in page.param and value in getattr(page.param[name], "objects", ()):
            setattr(page, name, value)
    for _ in range(ACTS):
        act(page, rng)
    settings, again = json.loads(json.dumps(page.settings())), kind()
    assert again.restore(settings) == []
    assert again.settings() == page.settings()
    for item in (*page.figures(), *page.numbers(), *page.sentences()):
        if "past" in page.inputs(item):  # the draws so far are a history, no setting
            continue
        assert board.content(again.draw(item)) == board.content(page.draw(item)), item.name
