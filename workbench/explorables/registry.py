"""The explorables by name, in the order of a semester; each is imported when it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any


@dataclass(frozen=True)
class ExplorableEntry:
    """An explorable as lists show it.

    Attributes
    ----------
    title : str
    asks : str
        The question that it answers, in a line.
    where : str
        The `workbench.explorables.explorable.Explorable`, as ``"module:name"``.
    """

    title: str
    asks: str
    where: str

    @property
    def explorable(self) -> Any:
        """The explorable itself."""
        return resolve_name(self.where)


#: Name of an explorable, which is that of its file, and its entry.
EXPLORABLES: dict[str, ExplorableEntry] = {
    "threshold": ExplorableEntry(
        "Drag a threshold",
        "What does one attack show, and what do all of them together?",
        "workbench.explorables.scores:THRESHOLD",
    ),
    "bin-width": ExplorableEntry(
        "Bin width",
        "How much of an estimated leak is noise?",
        "workbench.explorables.scores:BIN_WIDTH",
    ),
    "simultaneous": ExplorableEntry(
        "Simultaneous against pointwise",
        "Why may a threshold be chosen by its result under one bound, and not under another?",
        "workbench.explorables.scores:SIMULTANEOUS",
    ),
    "tuning": ExplorableEntry(
        "Why tuning is not free",
        "Why is the best of many attacks no longer a 95% bound?",
        "workbench.explorables.tuning:TUNING",
    ),
    "from-tv-to-epsilon": ExplorableEntry(
        "From TV to ε",
        "Which ε follows from a total variation, and what must be assumed for it?",
        "workbench.explorables.families:FROM_TV",
    ),
    "composition": ExplorableEntry(
        "Composition",
        "What do the scores of one step say of many steps?",
        "workbench.explorables.composition:COMPOSITION",
    ),
    "one-run": ExplorableEntry(
        "One run",
        "What does a single training run prove?",
        "workbench.explorables.runs:ONE_RUN",
    ),
    "best-run": ExplorableEntry(
        "Best-run selection",
        "What is the privacy cost of releasing the best of many runs?",
        "workbench.explorables.runs:BEST_RUN",
    ),
}


def file_of(name: str) -> str:
    """The name of the file of an explorable."""
    return f"{name}.html"


def listed() -> list[dict[str, str]]:
    """All explorables for lists of links: their titles, their questions and their files."""
    return [
        {"title": entry.title, "asks": entry.asks, "file": file_of(name)}
        for name, entry in EXPLORABLES.items()
    ]
