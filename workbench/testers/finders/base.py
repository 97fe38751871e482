"""Dataset finders: which neighboring datasets a mechanism is run on next.

A violation shows on some neighboring datasets and not on others. A finder proposes them, one pair
a trial; what it proposes can only cost power, never make a finding false, since every finding
comes from outputs drawn after the proposal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench import _checks
from workbench.mechanisms.base import Domain
from workbench.testers.finders.neighbors import Neighbors, NotNeighbors

#: The finders that search by themselves.
SEARCHES = ("random", "grid", "bandit")


class ProposalError(ValueError):
    """A person's own source of datasets raised, or gave something that is no pair."""


class FinishedTrial(NamedTuple):
    """A finished trial, as a finder sees it.

    Attributes
    ----------
    neighbors : Neighbors
    predicted : float or None
        See `FittedWitness.predicted`; None when the trial was lost.
    """

    neighbors: Neighbors
    predicted: float | None


class Finder(ABC):
    """Proposes neighboring datasets.

    Attributes
    ----------
    name : str
    batch : bool
        Whether proposals do not depend on the history, so that many can be asked for at once.
        The others may also be asked for a few before the trials are finished.
    """

    name: str
    batch: bool = True

    @abstractmethod
    def propose(self, history: Sequence[tuple[Neighbors, float | None]]) -> Neighbors | None:
        """The datasets of the next trial.

        Parameters
        ----------
        history : sequence of (Neighbors, float or None)
            The finished trials, in any order, with their prediction (see `FinishedTrial`);
            None, NaN and −∞ all say that nothing came of it.

        Returns
        -------
        Neighbors or None
            None when there is nothing more to propose: the search ends.

        Raises
        ------
        NotNeighbors, ProposalError
            By a person's own source only: this one trial is lost, and the next may be asked for.
        """


class FixedFinder(Finder):
    """One pair of datasets, in every trial."""

    name = "fixed pair"

    def __init__(self, neighbors: Neighbors) -> None:
        self.neighbors = neighbors

    def propose(self, history: Sequence[tuple[Neighbors, float | None]]) -> Neighbors:
        return self.neighbors


class GivenFinder(Finder):
    """A person's own datasets: whatever an iterable or a generator gives, until it ends.

    Parameters
    ----------
    source : iterable of Neighbors or (dataset, neighbor)
    neighboring_relation : {"add-remove", "substitute"}, optional
        Which pairs count as neighbors. Default: the one that the sizes of each pair suggest.
    """

    name = "own datasets"

    def __init__(self, source: Iterable[Any], neighboring_relation: str | None = None) -> None:
        self.neighboring_relation = neighboring_relation
        self._rest: Iterator[Any] = iter(source)

    def propose(self, history: Sequence[tuple[Neighbors, float | None]]) -> Neighbors | None:
        try:
            pair = next(self._rest)
        except StopIteration:
            return None
        except Exception as error:  # their code: whatever it raises loses a trial, not the run
            raise ProposalError(
                f"the source of datasets raised {type(error).__name__}: {error}"
            ) from error
        return as_neighbors(pair, self.neighboring_relation)


def as_neighbors(pair: Any, neighboring_relation: str | None = None) -> Neighbors:
    """``pair`` as neighboring datasets.

    Parameters
    ----------
    pair : Neighbors or (dataset, neighbor)
    neighboring_relation : {"add-remove", "substitute"}, optional
        Which pairs count as neighbors. Default: "substitute" when both have as many records, and
        "add-remove" otherwise.

    Raises
    ------
    NotNeighbors
        They are not, or by another neighboring relation than asked for.
    ProposalError
        It is no pair of arrays.
    """
    if isinstance(pair, Neighbors):
        if neighboring_relation not in (None, pair.neighboring_relation):
            raise NotNeighbors(
                f"these datasets are neighbors by {pair.neighboring_relation}; the claim is about "
                f"{neighboring_relation}"
            )
        return pair
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ProposalError(
            f"datasets come as Neighbors or as (dataset, neighbor), got {type(pair).__name__}"
            f"{f' of length {len(pair)}' if isinstance(pair, tuple | list) else ''}"
        )
    try:
        a, b = np.asarray(pair[0]), np.asarray(pair[1])
    except ValueError as error:
        raise ProposalError(f"a dataset must be an array, records first: {error}") from None
    return Neighbors(a, b, neighboring_relation or _suggested(a, b))


def _suggested(a: np.ndarray, b: np.ndarray) -> str:
    return "substitute" if a.shape[:1] == b.shape[:1] else "add-remove"


def finder(
    spec: Any,
    neighboring_relation: str | None = None,
    domain: Domain | None = None,
    seed: int | np.random.Generator = 0,
) -> Finder:
    """The finder that ``spec`` asks for.

    Parameters
    ----------
    spec : str, Finder, Neighbors, tuple of two arrays, or iterable
        "random", "grid" or "bandit" search; one pair for all trials; or a list or generator of
        `Neighbors` or (dataset, neighbor), one a trial, which may end before the trials do.
        A tuple of two is a pair; several pairs come in a list.
    neighboring_relation : {"add-remove", "substitute"}, optional
        Which datasets are neighbors. Default: add-remove in a search, and for a person's own
        pairs the one that their sizes suggest.
    domain : Domain, optional
        Which datasets the mechanism takes; for searches. Default: ``Domain()``.
    seed : int or numpy.random.Generator

    Raises
    ------
    ValueError
        An unknown name, no source of datasets, or a domain without neighboring datasets.
    NotNeighbors
        A single pair that is not neighbors.
    """
    if neighboring_relation is not None:
        _checks.one_of(neighboring_relation, "neighboring_relation", ("add-remove", "substitute"))
    if domain is not None:
        _checks.instance(domain, Domain, "domain", "a workbench.Domain, such as wb.Domain(high=9)")
    if isinstance(spec, Finder):
        return spec
    if isinstance(spec, str):
        _checks.one_of(spec, "datasets", SEARCHES)
        return _search(spec, neighboring_relation or "add-remove", domain or Domain(), seed)
    if isinstance(spec, Neighbors):
        return FixedFinder(as_neighbors(spec, neighboring_relation))
    if isinstance(spec, tuple) and len(spec) == 2 and not isinstance(spec[0], Neighbors):
        return FixedFinder(as_neighbors(spec, neighboring_relation))
    if isinstance(spec, Iterable) and not isinstance(spec, np.ndarray | dict):
        return GivenFinder(spec, neighboring_relation)
    raise ValueError(
        f"datasets must be {', '.join(map(repr, SEARCHES))}, a pair (dataset, neighbor), or a "
        f"list or generator of pairs; got {type(spec).__name__}"
        f"{', which has to be called first' if callable(spec) else ''}"
    )


def _search(
    name: str, neighboring_relation: str, domain: Domain, seed: int | np.random.Generator
) -> Finder:
    if name == "grid":
        from workbench.testers.finders.grid import GridFinder

        return GridFinder(neighboring_relation, domain)
    if name == "bandit":
        from workbench.testers.finders.bandit import BanditFinder

        return BanditFinder(neighboring_relation, domain, seed)
    from workbench.testers.finders.random import RandomFinder

    return RandomFinder(neighboring_relation, domain, seed)
