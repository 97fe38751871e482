"""Items of AUDITORIUM.

- `cases`: the mechanisms of its tables, their claims, and one test of one of them.
- `definitions`, `renyi`, `hockey_stick`, `mmd`: definitions, theorems and algorithms, checked.
- `detection`: Table 1 and §6.2; `search`: §5, Table 2 and Figure 3b; `field`: an optimizer of the
  field for them.
- `cost`: Figure 1; `sizes`: Figures 2 and 3a; `anecdotes`: §6.7.
"""

from benchmarks.papers.auditorium import (
    anecdotes,
    cost,
    definitions,
    detection,
    hockey_stick,
    mmd,
    renyi,
    search,
    sizes,
)

ITEMS = (
    *definitions.ITEMS,
    *renyi.ITEMS,
    *hockey_stick.ITEMS,
    *mmd.ITEMS,
    search.SEARCH,
    detection.FALSE,
    detection.TABLE1,
    search.TABLE2,
    cost.FIGURE1,
    sizes.FIGURE2,
    sizes.FIGURE3A,
    search.FIGURE3B,
    anecdotes.ANECDOTES,
)
