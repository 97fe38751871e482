"""Items of HIST."""

from benchmarks.papers.item import Item

ITEMS: tuple[Item, ...] = ()
