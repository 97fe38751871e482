"""Items of TV."""

from benchmarks.papers.tv import one_shot

ITEMS = (*one_shot.FIGURES,)
