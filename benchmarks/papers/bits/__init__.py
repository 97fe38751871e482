"""Items of BITS.

- `theory`: its theorems and algorithms, exactly.
"""

from benchmarks.papers.bits import theory

ITEMS = (*theory.ITEMS,)
