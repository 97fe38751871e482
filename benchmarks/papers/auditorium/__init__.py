"""Items of AUDITORIUM."""

from benchmarks.papers.item import Item

ITEMS: tuple[Item, ...] = ()
