"""Items of HIST."""

from benchmarks.papers.hist import white_box

ITEMS = (*white_box.ITEMS,)
