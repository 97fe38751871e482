"""`dependence`: detects outputs that repeat, as those of independent runs would not.

All guarantees rest on independent runs. A mechanism that seeds itself anew in each call gives the
same noise again and again; its outputs look random and are not. Outputs are compared in the order
in which they came, and called repeated only where independent ones would coincide so with a
probability below 1e-12, so that discrete mechanisms are not suspected, nor constant ones, which
may be tested like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.testers.learning.encoding import row_keys
from workbench.testers.learning.outputs import Outputs

#: The chance of independent outputs to be suspected.
_CHANCE = 1e-12

#: The least chance of a coincidence that is reckoned with: of continuous outputs, too, a few are
#: looked at.
_RARE = 1e-3

#: Outputs by which chances are estimated.
_COUNTED = 20_000

#: Standard deviations that are no chance.
_FAR = 8.0


def dependence(p: Sequence[Outputs], q: Sequence[Outputs]) -> str | None:
    """Why outputs are not those of independent runs; None if nothing indicates it.

    Parameters
    ----------
    p, q : sequence of array or OutputTable
        Outputs of each call on the dataset and on its neighbor, each with its own random stream.
    """
    keys = {"dataset": [row_keys(x) for x in p], "neighbor": [row_keys(x) for x in q]}
    for side, calls in keys.items():
        for j, later in enumerate(calls):
            if any(_same(earlier, later) for earlier in calls[:j]):
                return (
                    f"the mechanism ignores its rng: two calls on the {side}, with different "
                    "random streams, gave the same outputs"
                )
        if _recurs(np.concatenate(calls)):
            return f"outputs on the {side} repeat: the runs of a call are not independent"
    if any(_same(a, b) for a in keys["dataset"] for b in keys["neighbor"]):
        return (
            "the mechanism ignores its rng: calls on the dataset and on its neighbor, with "
            "different random streams, gave the same outputs"
        )
    return None


def _same(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> bool:
    """Whether two arrays are equal, and independent ones would hardly be."""
    if a.size != b.size or not (a == b).all():
        return False
    return a.size >= _enough(_coincidence(a))


def _recurs(x: NDArray[np.uint64]) -> bool:
    """Whether a stretch of outputs comes again, or outputs next to each other are equal too often.

    A mechanism that makes a few runs and tiles them does the first, one that repeats each of them
    in place the second.
    """
    share = _coincidence(x)
    need = _enough(share)
    if need > x.size // 2:
        return False
    head = x[: int(need)]
    starts = np.arange(head.size, x.size - head.size + 1)
    for j, first in enumerate(head):
        starts = starts[x[starts + j] == first]
    # Coincidences of disjoint pairs are a binomial count.
    x = x[:_COUNTED]
    twins = x[: x.size // 2 * 2].reshape(-1, 2)
    excess = np.mean(twins[:, 0] == twins[:, 1]) - share
    spread = np.sqrt((share * (1 - share) + 1 / x.size) / len(twins))
    return bool(starts.size or excess > _FAR * spread)


def _coincidence(x: NDArray[np.uint64]) -> float:
    """How often two independent outputs are equal, estimated without bias."""
    x = x[:_COUNTED]
    counts = np.unique(x, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum() / max(x.size * (x.size - 1.0), 1.0))


def _enough(share: float) -> float:
    """Number of consecutive outputs that do not coincide by chance; infinite for a constant."""
    share = max(share, _RARE)
    return float(np.ceil(np.log(_CHANCE) / np.log(share))) if share < 1 else np.inf
