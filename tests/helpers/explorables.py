"""Explorables, made once in a process."""

from __future__ import annotations

from functools import cache
from unittest.mock import patch

from workbench.assets.stored_states import States
from workbench.explorables.document import html
from workbench.explorables.explorable import Explorable
from workbench.explorables.registry import EXPLORABLES

NAMES = list(EXPLORABLES)


@cache
def states_of(name: str) -> States:
    """The states of an explorable."""
    found: Explorable = EXPLORABLES[name].explorable
    return found.states()


@cache
def document_of(name: str) -> str:
    """Its file, which has these states."""
    made = states_of(name)
    with patch.object(Explorable, "states", lambda self, report: made):
        return html(name)
