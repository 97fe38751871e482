"""Items of BITS.

- `one_bit`, `two_bits`, `many_bits`: its theorems and algorithms, exactly.
- `interfering`: canaries that interfere in a training, beside simulated interference.
- `simulated`: audits of simulated runs whose truth is known.
- `trained`: audits of one training, beside what theory gives.
"""

from benchmarks.papers.bits import interfering, many_bits, one_bit, simulated, trained, two_bits

ITEMS = (
    *one_bit.ITEMS,
    *many_bits.ITEMS,
    *two_bits.ITEMS,
    *interfering.ITEMS,
    *simulated.ITEMS,
    *trained.ITEMS,
    *one_bit.APPENDIX,
)
