"""The testers by name; each is imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from workbench import _checks
from workbench.software.plugins import Registry
from workbench.testers.property_testers.base import Tester


def _taken(name: str, found: Any) -> tuple[type[Tester], str]:
    """The tester of a plug-in (ValueError or TypeError that says what is wrong)."""
    if not (isinstance(found, type) and issubclass(found, Tester)):
        raise TypeError(f"it must be a class derived from wb.Tester, got {_checks.shown(found)}")
    if found().name != name:
        raise ValueError(
            f"its class has name = {_checks.shown(found.name)}, which must be the name of the "
            f"entry point, {name!r}"
        )
    return found, ""


#: Name -> module and class; of a plug-in, the class itself.
TESTERS: Registry[tuple[str | type[Tester], str]] = Registry(
    "workbench.testers",
    {
        "hockey-stick": ("hockey_stick", "HockeyStickTester"),
        "renyi": ("renyi", "RenyiTester"),
        "mmd": ("mmd", "MMDTester"),
        "histogram": ("histogram", "HistogramTester"),
        "bits": ("hockey_stick", "BitsTester"),
    },
    _taken,
)


def tester(which: str | Tester) -> Tester:
    """The tester of a name, with default settings; a tester is returned unchanged.

    Raises
    ------
    ValueError
        An unknown name; the message lists the known ones.
    """
    if isinstance(which, Tester):
        return which
    home, name = TESTERS[_checks.one_of(which, "tester", TESTERS)]
    if not isinstance(home, str):
        return home()
    made: Tester = getattr(import_module(f"workbench.testers.property_testers.{home}"), name)()
    return made
