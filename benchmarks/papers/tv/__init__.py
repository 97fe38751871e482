"""Items of TV."""

from benchmarks.papers.item import Item

ITEMS: tuple[Item, ...] = ()
