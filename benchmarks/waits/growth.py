"""Growth of the time with the number of scores: exponents of the band, of one question, held-out.

python -m benchmarks.waits.growth
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.waits.measuring import ROOT, printed_by

#: Scores a side.
SIZES = (10**4, 10**5, 10**6, 10**7)

#: Each is measured so often, in one process; the shortest counts.
TIMES = 3

#: CPU seconds of a bound from scores that nothing was computed of yet; imports are left out.
_BOUND = """
import sys, time
import numpy as np
import workbench as wb

guarantee, n, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def seconds(n, seed):
    rng = np.random.default_rng(seed)
    p, q = rng.standard_normal(n) + 1, rng.standard_normal(n)
    before = time.process_time()
    wb.epsilon_lower_bound(wb.Scores(p, q, larger_is_member=True), 1e-5, guarantee=guarantee)
    return time.process_time() - before

seconds(1000, 0)
print(min(seconds(n, seed) for seed in range(1, times + 1)))
"""


def seconds_of_bound(guarantee: str, n: int, tree: Path = ROOT) -> float:
    """CPU seconds from two arrays of n scores to a lower bound on ε."""
    return printed_by(_BOUND, guarantee, str(n), str(TIMES), tree=tree)


#: What grows with the number of scores a side.
GROWING: Mapping[str, Callable[[int], float]] = {
    "band": lambda n: seconds_of_bound("simultaneous", n),
    "one question": lambda n: seconds_of_bound("one question", n),
    "held-out": lambda n: seconds_of_bound("held-out", n),
}


def exponent(sizes: tuple[int, ...], seconds: tuple[float, ...]) -> float:
    """The slope of log seconds against log size, by least squares.

    Parameters
    ----------
    sizes : tuple of int
    seconds : tuple of float
        At each size.
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def grown(
    growing: Mapping[str, Callable[[int], float]] = GROWING, sizes: tuple[int, ...] = SIZES
) -> list[tuple[str, ...]]:
    """Rows of work, CPU seconds at each size, the exponent of all, and that of the last two sizes.

    Parameters
    ----------
    growing : mapping of str to callable
        CPU seconds of a work by its size.
    sizes : tuple of int
    """
    rows = []
    for work, measure in growing.items():
        seconds = tuple(measure(n) for n in sizes)
        of_all, last = exponent(sizes, seconds), exponent(sizes[-2:], seconds[-2:])
        rows.append((work, *(f"{x:.3g}" for x in seconds), f"{of_all:.2f}", f"{last:.2f}"))
    return rows


if __name__ == "__main__":
    for row in (("work", *map(str, SIZES), "exponent", "of the last two"), *grown()):
        print("  ".join(f"{cell:>16}" for cell in row))
