"""`Item`: a numbered theorem, table or figure, and what is found of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.papers.run import Run


class Verdict(StrEnum):
    """What is found of an item."""

    EQUAL = "equal"
    TIGHTER = "tighter"
    #: No number is printed, or none can be read, and what the text says of it holds here.
    AS_DESCRIBED = "as described"
    REDUCED = "reduced scale"
    #: What the paper shows or says does not come out here; the line says why.
    NOT_REPRODUCED = "not reproduced"
    MISPRINT = "print cannot be right"
    NO_DATA = "needs data that cannot be had"


@dataclass(frozen=True)
class Line:
    """One printed number beside ours.

    Attributes
    ----------
    what : str
        The quantity and its settings.
    printed : str
        As printed, with its digits, or words where no number is printed.
    ours : float or str
        A number is written with the digits of the printed one.
    guarantee : str
        Of ours: exact, estimate, 95% lower bound, and for whom.
    why : str
        Why ours is not the printed one: a fragment or sentences, without a full stop at the end.
    verdict : Verdict, optional
        Of this line, where it is not that of the item.
    """

    what: str
    printed: str
    ours: float | str
    guarantee: str
    why: str = ""
    verdict: Verdict | None = None

    @property
    def number(self) -> float | None:
        """The printed number; None where words are printed."""
        try:
            return float(self.printed)
        except ValueError:
            return None

    @property
    def ours_text(self) -> str:
        """Ours, with as many decimals as are printed."""
        if isinstance(self.ours, str):
            return self.ours
        if not math.isfinite(self.ours):
            return "∞" if self.ours > 0 else str(self.ours)
        if self.number is None:
            return f"{self.ours:.4g}"
        mantissa, e, _ = self.printed.lower().partition("e")
        return f"{self.ours:.{len(mantissa.partition('.')[2])}{'e' if e else 'f'}}"

    @property
    def deviation(self) -> float | None:
        """Relative difference of ours, rounded as printed; None where one is no number."""
        if self.number is None or isinstance(self.ours, str):
            return None
        if not math.isfinite(self.ours):
            return math.inf
        return abs(float(self.ours_text) - self.number) / (abs(self.number) or 1)


@dataclass(frozen=True)
class Chart:
    """A chart of one or more panels side by side.

    Attributes
    ----------
    name : str
        Of the file, such as ``"fig-9"``.
    draw : callable
        Draws on a list of Matplotlib axes, from numbers that are there.
    caption : str
        What is shown, with its guarantee.
    columns : int
        Panels; more than three are drawn in several rows.
    width : float
        Of a panel, in inches.
    """

    name: str
    draw: Callable[[Any], None]
    caption: str
    columns: int = 1
    width: float = 4.2


@dataclass(frozen=True)
class Found:
    """What was computed of an item.

    Attributes
    ----------
    verdict : Verdict
        Of the item.
    lines : list of Line
        At least one.
    charts : tuple of Chart
    """

    verdict: Verdict
    lines: list[Line]
    charts: tuple[Chart, ...] = ()

    def word_of(self, line: Line) -> str:
        """The verdict of a line."""
        return str(line.verdict or self.verdict)

    @property
    def reasons(self) -> list[str]:
        """Why lines are not as printed, each reason once."""
        return list(dict.fromkeys(line.why for line in self.lines if line.why))

    def marked_word_of(self, line: Line) -> str:
        """The verdict of a line, with the number of its reason."""
        number = f" [{self.reasons.index(line.why) + 1}]" if line.why else ""
        return self.word_of(line) + number

    def verdict_of(self, line: Line) -> str:
        """The verdict of a line, with its reason."""
        return f"{self.word_of(line)}: {line.why}" if line.why else self.word_of(line)


@dataclass(frozen=True)
class Item:
    """A numbered theorem, table or figure of a paper.

    Attributes
    ----------
    name : str
        As the paper numbers it: ``"Fig. 9"``.
    title : str
        What it is about.
    place : str
        Where its idea is in the product: pages as ``*Title*``, names of the library in backticks,
        notebooks as ``notebook 9``.
    make : callable
        ``make(run)`` returns `Found`.
    quick : bool
        The default takes at most 5 s of CPU.
    """

    name: str
    title: str
    place: str
    make: Callable[[Run], Found]
    quick: bool = False
