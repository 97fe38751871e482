"""The explorables by name, in the order of a semester; each is imported when it is needed."""

from __future__ import annotations

from pkgutil import resolve_name

from workbench import _checks
from workbench.explorables.explorable import Explorable

_HERE = "workbench.explorables."

#: Name of an explorable, which is that of its file -> where it is defined.
EXPLORABLES: dict[str, str] = {
    "threshold": f"{_HERE}scores:THRESHOLD",
    "bin-width": f"{_HERE}scores:BIN_WIDTH",
    "simultaneous": f"{_HERE}scores:SIMULTANEOUS",
    "tuning": f"{_HERE}tuning:TUNING",
    "from-tv-to-epsilon": f"{_HERE}families:FROM_TV",
    "composition": f"{_HERE}composition:COMPOSITION",
    "one-run": f"{_HERE}runs:ONE_RUN",
    "best-run": f"{_HERE}runs:BEST_RUN",
}


def explorable(name: str) -> Explorable:
    """The explorable of a name.

    Raises
    ------
    ValueError
        There is none; the message lists all.
    """
    found: Explorable = resolve_name(EXPLORABLES[_checks.one_of(name, "name", EXPLORABLES)])
    return found
