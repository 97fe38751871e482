"""Items of BITS.

- `theory`: its theorems and algorithms, exactly.
- `simulated`: audits of simulated runs whose truth is known.
- `trained`: audits of one training, beside what theory gives.
"""

from benchmarks.papers.bits import simulated, theory, trained

ITEMS = (*theory.ITEMS, *simulated.ITEMS, *trained.ITEMS, *theory.APPENDIX)
