"""Items of TV.

- `theorems`: its theorems and lemmas, Figures 1 to 3.
- `one_shot`: Algorithm 1 and Figures 4 to 8, 2000 audited records.
"""

from benchmarks.papers.tv import one_shot, theorems

ITEMS = (*theorems.THEOREMS, *one_shot.FIGURES, *theorems.APPENDIX)
