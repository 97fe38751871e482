"""Items of SELECT."""

from benchmarks.papers.item import Item

ITEMS: tuple[Item, ...] = ()
