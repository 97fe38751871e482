"""Items of BITS.

- `theory`: its theorems and algorithms, exactly.
- `interfering`: canaries that interfere in a training, beside simulated interference.
- `simulated`: audits of simulated runs whose truth is known.
- `trained`: audits of one training, beside what theory gives.
"""

from benchmarks.papers.bits import interfering, simulated, theory, trained

ITEMS = (
    *theory.ITEMS,
    *interfering.ITEMS,
    *simulated.ITEMS,
    *trained.ITEMS,
    *theory.APPENDIX,
)
