"""The testers by name; each is imported on first use."""

from __future__ import annotations

from importlib import import_module

from workbench import _checks
from workbench.testers.property_testers.base import Tester

#: Name -> module and class.
TESTERS = {
    "hockey-stick": ("hockey_stick", "HockeyStickTester"),
    "renyi": ("renyi", "RenyiTester"),
    "mmd": ("mmd", "MMDTester"),
    "histogram": ("histogram", "HistogramTester"),
}


def tester(which: str | Tester) -> Tester:
    """The tester of a name, with default settings; a tester is returned unchanged.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    if isinstance(which, Tester):
        return which
    module, name = TESTERS[_checks.one_of(which, "tester", TESTERS)]
    made: Tester = getattr(import_module(f"workbench.testers.property_testers.{module}"), name)()
    return made
