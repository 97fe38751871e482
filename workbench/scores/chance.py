"""Chance that is given to data: drawn from the operating system once, and kept.

Some bounds need chance: a split into two parts, an order of models. It must not depend on the data,
or few likely data sets have few likely splits, and the error probability is whatever those splits
make of it. A number is therefore drawn from the operating system. It is drawn once for a data set,
since a second draw after a look at the first result is a second try.

A data set is known by its ranks, not by their representation: `Fingerprint` is the same in other
units, for another order of rows, in the other direction, and for counts in place of rows. It only
says *which* data set is meant; nothing random follows from it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks

#: Bits of a number that is drawn. It is short enough to be read out, and stored by any language.
BITS = 32

#: Surprise, in bits, from which on equal ranks mean equal data.
DISTINCTIVE = 64.0

#: Records of a table whose ranks identify it.
_COLUMNS = 64

#: Uses of the chance of one data set; each has a stream of numbers of its own.
USES = ("split", "models", "ties", "permutations", "pairs")

#: Fingerprint -> the number that the data set was given in this process.
_GIVEN: dict[str, int] = {}


@dataclass(frozen=True)
class Fingerprint:
    """What a data set is known by.

    Attributes
    ----------
    digest : str
        Of the ranks, in hexadecimal digits.
    bits : float
        Surprise at these ranks if nothing leaked. Scores with few values have few possible ranks:
        two independent data sets may have the same ones.
    """

    digest: str
    bits: float

    @property
    def is_distinctive(self) -> bool:
        """Whether equal ranks mean equal data."""
        return self.bits >= DISTINCTIVE

    @classmethod
    def of_counts(cls, p: NDArray[np.int64], q: NDArray[np.int64], nan: bool) -> Fingerprint:
        """The fingerprint of two samples.

        Parameters
        ----------
        p, q : ndarray of int, shape (k,)
            Number of scores of P and of Q with each distinct value, in ascending order.
        nan : bool
            Whether the last value is NaN, which has no place in the order.
        """
        known, both = p.size - int(nan), np.stack([p, q], axis=1)
        return cls(_digest(_either_way(both[:known]), both[known:]), _surprise(p, q))

    @classmethod
    def of_rows(cls, p: NDArray[Any], q: NDArray[Any]) -> Fingerprint:
        """The fingerprint of two samples of vectors, or texts: the ranks of each coordinate.

        Parameters
        ----------
        p, q : ndarray, shape (n_p, d), (n_q, d)
        """
        both = np.concatenate([p, q])
        ranks = [np.unique(column, return_inverse=True)[1] for column in both.T]
        rows, which = np.unique(np.stack(ranks, axis=1), axis=0, return_inverse=True)
        counts = [
            np.bincount(side, minlength=len(rows)) for side in np.split(which.ravel(), [len(p)])
        ]
        return cls(_digest(rows, *counts), _surprise(*counts))

    @classmethod
    def of_table(
        cls,
        scores: NDArray[Any],
        member: NDArray[np.bool_],
        present: NDArray[np.bool_] | None = None,
    ) -> Fingerprint:
        """The fingerprint of scores of R records under M models.

        Parameters
        ----------
        scores : ndarray, shape (M, R)
        member : ndarray of bool, shape (M, R)
        present : ndarray of bool, shape (M, R), optional
            The cells that have a score; all by default.

        Notes
        -----
        Of large tables it takes the ranks of some records; the memberships identify the others.
        """
        order = rows_in_order(scores, member, present)
        digest = _digest(
            _ranks_of_columns(scores, present)[order], np.packbits(member[order], axis=1)
        )
        n_in = member.sum(axis=0)
        return cls(digest, float(_log_choices(len(member), n_in).sum() / np.log(2)))


def rows_in_order(
    scores: NDArray[Any], member: NDArray[np.bool_], present: NDArray[np.bool_] | None
) -> NDArray[np.intp]:
    """An order of the models of a table that does not depend on how they are numbered, shape (M,).

    Parameters
    ----------
    scores : ndarray, shape (M, R)
    member : ndarray of bool, shape (M, R)
    present : ndarray of bool, shape (M, R), optional
    """
    ranks = _ranks_of_columns(scores, present)
    return np.lexsort([*ranks.T[::-1], *np.packbits(member, axis=1).T[::-1]])


def _ranks_of_columns(scores: NDArray[Any], present: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """The rank of each score among those of its record, for some records that lie far apart.

    −1 where there is no score.
    """
    columns = np.unique(np.linspace(0, scores.shape[1] - 1, _COLUMNS).astype(int))
    ranks = np.full((len(scores), columns.size), -1, np.int64)
    for j, c in enumerate(columns.tolist()):
        here = slice(None) if present is None else present[:, c]
        ranks[here, j] = np.unique(scores[here, c], return_inverse=True)[1]
    return ranks


def new_seed() -> int:
    """A number from the operating system."""
    return secrets.randbits(BITS)


def seed_of(known: Fingerprint, given: int | None = None) -> int:
    """The number that a data set was given; it is drawn at the first call of a process.

    Parameters
    ----------
    known : Fingerprint
    given : int, optional
        A number that was drawn for these data before, and kept with them.
    """
    if given is not None:
        _GIVEN.setdefault(known.digest, given)
        return given
    return _GIVEN.setdefault(known.digest, new_seed())


def drawn_again(known: Fingerprint, seed: int) -> bool:
    """Whether the same data were given another number before, so that this one is a second try."""
    return known.is_distinctive and _GIVEN.get(known.digest, seed) != seed


def remember(known: Fingerprint, seed: int) -> None:
    """Take the number that a workspace keeps for a data set as the one that it was given."""
    _GIVEN[known.digest] = seed


def generator(seed: int, use: str, which: int = 0) -> np.random.Generator:
    """A source of random numbers for one use of a data set's number.

    Parameters
    ----------
    seed : int
    use : str
        One of `USES`.
    which : int
        0, 1, …: further ones for the same use.
    """
    return np.random.default_rng([seed, USES.index(_checks.one_of(use, "use", USES)), which])


def checked_seed(seed: object) -> int | None:
    """``seed`` as a whole number of at least 0, or None.

    Parameters
    ----------
    seed : int, numpy.random.Generator or None
        A generator gives its next number.

    Raises
    ------
    ValueError
        Something else.
    """
    if seed is None:
        return None
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**BITS))
    return _checks.count(seed, "seed")


def spawned_seed(rng: np.random.Generator) -> int:
    """A number from a child of a generator, whose own numbers stay as they are."""
    (child,) = rng.spawn(1)
    return int(child.integers(2**BITS))


def _either_way(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows in their order or in the reverse one, the same for both."""
    differs = (counts != counts[::-1]).ravel()
    first = int(differs.argmax())
    if differs.any() and counts.ravel()[first] > counts[::-1].ravel()[first]:
        return counts[::-1]
    return counts


def _digest(*arrays: NDArray[Any]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for x in arrays:
        small = x.size == 0 or x.max() < 2**31
        found.update(str(x.shape).encode())
        found.update(np.ascontiguousarray(x, dtype="<i4" if small else "<i8").data)
    return found.hexdigest()


def _surprise(p: NDArray[np.int64], q: NDArray[np.int64]) -> float:
    """Bits of the counts of P, given those of both, if every order is equally likely."""
    n, m = int(p.sum()), int(q.sum())
    tied = (p > 0) & (q > 0)
    log_ways = _log_choices(n + m, n) - _log_choices(p[tied] + q[tied], p[tied]).sum()
    return float(log_ways / np.log(2))


def _log_choices(n: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> NDArray[np.float64]:
    from scipy.special import gammaln

    n, k = np.asarray(n, float), np.asarray(k, float)
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
