"""`LocalProtocol`: how users report a value of K, and what a report says of the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.mechanisms.local_protocols.encodings import (
    k_randomized_response,
    optimized_unary_encoding,
    places,
    subset_selection,
    symmetric_unary_encoding,
    unary_encoding_kept_bit,
)
from workbench.mechanisms.local_protocols.hashing import hash_size, hash_table, local_hashing


@dataclass(frozen=True)
class LocalProtocol:
    """How users report a value of K, and what a report says of the value.

    Parameters
    ----------
    name : str
        As it is called.
    values : int
        K, at least 2; values are the whole numbers from 0 to K − 1.
    epsilon : float
        The claim of one report: ε-DP for replacing the value.
    report : callable
        ``report(values, rng)``: an array of values, shape (n,), to their reports, an array with n
        rows, by numpy.random.Generator ``rng``.
    scores : callable
        ``scores(reports)``: the log-likelihood of each value given each report, shape (n, K), up to
        a number for each report. Anything else is a weaker attack.
    """

    name: str
    values: int
    epsilon: float
    report: Callable[[NDArray[np.int64], np.random.Generator], Any]
    scores: Callable[[Any], Any]

    def __post_init__(self) -> None:
        _checks.fields(self)
        object.__setattr__(self, "values", _checks.count(self.values, "values", least=2))
        object.__setattr__(self, "epsilon", _checks.non_negative(self.epsilon, "epsilon"))

    def reports_of(
        self, values: ArrayLike, seed: int | np.random.Generator | None = None
    ) -> NDArray[Any]:
        """One report of each user, an array with n rows.

        Parameters
        ----------
        values : array_like, shape (n,), of whole numbers from 0 to K − 1
        seed : int or numpy.random.Generator, optional
        """
        true = places(values, self.values)
        found = np.asarray(self.report(true, _checks.random(seed)))
        if found.ndim < 1 or len(found) != true.size:
            raise ValueError(
                f"{self.name} must give a report for each of {true.size} values, got the shape "
                f"{found.shape}"
            )
        return found

    def scores_of(self, reports: ArrayLike) -> Floats:
        """The score of each value given each report, shape (n, K).

        Parameters
        ----------
        reports : array_like with n rows
        """
        given = np.asarray(reports)
        found = _checks.array(self.scores(given), "scores")
        if found.shape != (len(given), self.values):
            raise ValueError(
                f"the scores of {self.name} must have a row for each of {len(given)} reports and a "
                f"column for each of {self.values} values, got the shape {found.shape}"
            )
        return found


def local_protocol(name: str, values: int, epsilon: float) -> LocalProtocol:
    """A protocol of the gallery for K values and a claim.

    Parameters
    ----------
    name : {"k-randomized-response", "symmetric-unary", "optimized-unary", "unary-kept-bit", \
"subset-selection", "local-hashing"}
    values : int
        K, at least 2.
    epsilon : float
        The claim.

    Returns
    -------
    LocalProtocol

    Examples
    --------
    >>> protocol = wb.mechanisms.local_protocol("optimized-unary", values=4, epsilon=1.0)
    >>> protocol.reports_of([0, 3], seed=1)
    array([[0, 0, 1, 0],
           [0, 0, 0, 1]], dtype=int8)
    """
    run = PROTOCOLS[_checks.one_of(name, "name", PROTOCOLS)]
    k = _checks.count(values, "values", least=2)
    claimed = _checks.positive(epsilon, "epsilon")
    report = partial(_reports, run=run, values=k, epsilon=claimed)
    scores = partial(_scores, name=name, values=k, epsilon=claimed)
    return LocalProtocol(name, k, claimed, report, scores)


PROTOCOLS: dict[str, Callable[..., NDArray[Any]]] = {
    "k-randomized-response": k_randomized_response,
    "symmetric-unary": symmetric_unary_encoding,
    "optimized-unary": optimized_unary_encoding,
    "unary-kept-bit": unary_encoding_kept_bit,
    "subset-selection": subset_selection,
    "local-hashing": local_hashing,
}

#: Users whose reports are made at once.
_AT_ONCE = 10_000


def _reports(
    true: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    run: Callable[..., NDArray[Any]],
    values: int,
    epsilon: float,
) -> NDArray[Any]:
    parts = [
        run(some, 1, rng, epsilon=epsilon, values=values).reshape(len(some), -1)
        for some in np.split(true, range(_AT_ONCE, true.size, _AT_ONCE))
    ]
    return np.concatenate(parts)


def _scores(reports: NDArray[Any], *, name: str, values: int, epsilon: float) -> Floats:
    """ε where a report supports a value, otherwise 0: all of these are of this kind."""
    if name == "k-randomized-response":
        supported = reports.reshape(len(reports), 1) == np.arange(values)
    elif name == "local-hashing":
        hashed = hash_table(values, hash_size(epsilon))[reports[:, 0]]
        supported = hashed == reports[:, 1:]
    else:
        supported = reports.reshape(len(reports), values) == 1
    return epsilon * supported
