"""The five papers."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from benchmarks.papers.item import Item


@dataclass(frozen=True)
class Paper:
    """A paper; its items are imported when they are needed.

    Attributes
    ----------
    name : str
        On the command line, and of its folder here.
    key : str
        In the documentation.
    source : str
        Authors, title, year.
    """

    name: str
    key: str
    source: str

    @property
    def items(self) -> tuple[Item, ...]:
        """Its numbered theorems, tables and figures."""
        found: tuple[Item, ...] = importlib.import_module(f"benchmarks.papers.{self.name}").ITEMS
        return found


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "hist",
            "HIST",
            "Koskela and Mohammadi (2024), Auditing Differential Privacy Guarantees Using Density"
            " Estimation",
        ),
        Paper(
            "tv",
            "TV",
            "Koskela and Mohammadi (2024), Black Box Differential Privacy Auditing Using Total"
            " Variation Distance",
        ),
        Paper(
            "auditorium",
            "AUDITORIUM",
            "Kong, Muñoz Medina, Ribero and Syed (2023), DP-Auditorium: a Large Scale Library for"
            " Auditing Differential Privacy",
        ),
        Paper(
            "bits",
            "BITS",
            "Xiang, Wang and Wang (2025), Privacy Audit as Bits Transmission: (Im)possibilities for"
            " Audit by One Run",
        ),
        Paper(
            "select",
            "SELECT",
            "Xiang, Wang and Wang (2024), How Does Selection Leak Privacy: Revisiting Private"
            " Selection and Improved Results for Hyper-parameter Tuning",
        ),
    )
}
