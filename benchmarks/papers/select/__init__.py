"""Items of SELECT.

- `theory`: its theorems, examples and algorithms, and the bound for any score.
- `table4`: Table 4, all 90 cells, beside an independent quadrature.
- `game`: Figs. 5 and 6, the reduced game and its audits.
- `trained`: audits of real trainings, Table 3 and Figs. 1–4 and 7–9.
"""

from benchmarks.papers.select import game, table4, theory, trained

ITEMS = (
    *theory.ITEMS,
    trained.SETUPS,
    *trained.AUDITS,
    *game.ITEMS,
    *trained.HISTOGRAMS,
    table4.ITEM,
)
