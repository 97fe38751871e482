"""Random numbers that follow from a seed alone, whatever the version of numpy.

Evidence of a draw is worth something as long as the draw can be made again. numpy promises that
`SeedSequence` and the raw numbers of a bit generator stay; it promises nothing of its `Generator`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Sets these streams apart from those of `workbench.scores.chance` for the same seed.
_APART = 0x7465787

#: Uses of the seed of canaries; each has a stream of numbers of its own.
USES = ("secrets", "coins", "alternatives", "share")


class Draws:
    """A stream of random numbers for one use of a seed.

    Parameters
    ----------
    seed : int
    use : str
        One of `USES`.
    which : int
        0, 1, …: further ones for the same use.
    """

    def __init__(self, seed: int, use: str, which: int = 0) -> None:
        entropy = np.random.SeedSequence([_APART, seed, USES.index(use), which])
        self._bits = np.random.PCG64(entropy)

    def below(self, size: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Whole numbers from 0 to ``size`` − 1, each as likely as the others.

        Parameters
        ----------
        size : int
            At most 2³².
        shape : tuple of int

        Notes
        -----
        A number is ⌊u · size / 2⁵³⌋ of 53 random bits u: probabilities differ from 1/size by less
        than 2⁻⁵³.
        """
        raw = np.asarray(self._bits.random_raw(int(np.prod(shape))), np.uint64).reshape(shape)
        u = (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return np.minimum((u * size).astype(np.int64), size - 1)

    def coins(self, count: int) -> NDArray[np.bool_]:
        """Fair coins, shape (count,)."""
        return self.below(2, (count,)) == 1

    def order(self, count: int) -> NDArray[np.int64]:
        """0 to ``count`` − 1 in random order."""
        raw = np.asarray(self._bits.random_raw(count), np.uint64)
        return np.argsort(raw, kind="stable")

    def generator(self) -> np.random.Generator:
        """A generator of numpy, for functions that take one."""
        return np.random.Generator(self._bits)
