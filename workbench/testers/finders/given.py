"""Finders that propose the user's own datasets: one pair, or a sequence of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.base import Finder, FinishedTrial, ProposalError
from workbench.testers.finders.neighbors import Neighbors, NotNeighbors
from workbench.testers.finders.records import is_frame


class FixedFinder(Finder):
    """Proposes one pair of datasets in every trial."""

    name = "fixed pair"

    def __init__(self, neighbors: Neighbors, domain: Domain | TableDomain | None = None) -> None:
        self.neighbors, self.domain = neighbors, domain

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors:
        return self.neighbors


class GivenFinder(Finder):
    """Proposes the user's datasets, in the order of an iterable, until it ends.

    Parameters
    ----------
    source : iterable of Neighbors or (dataset, neighbor)
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}, optional
        Which pairs count as neighbors. Default: the one that the sizes of each pair suggest.
    domain : Domain or TableDomain, optional
        What frames must be in, if it is a `TableDomain`.
    """

    name = "own datasets"

    def __init__(
        self,
        source: Iterable[Any],
        neighboring_relation: str | None = None,
        domain: Domain | TableDomain | None = None,
    ) -> None:
        self.neighboring_relation, self.domain = neighboring_relation, domain
        self._rest: Iterator[Any] = iter(source)

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors | None:
        try:
            pair = next(self._rest)
        except StopIteration:
            return None
        except Exception as error:  # user code: what it raises loses a trial, not the run
            raise ProposalError(
                f"the source of datasets raised {type(error).__name__}: {error}"
            ) from error
        return as_neighbors(pair, self.neighboring_relation, self.domain)


def as_neighbors(
    pair: Any, neighboring_relation: str | None = None, domain: Domain | TableDomain | None = None
) -> Neighbors:
    """A pair of datasets as `Neighbors`, checked.

    Parameters
    ----------
    pair : Neighbors or (dataset, neighbor)
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}, optional
        Which pairs count as neighbors. Default: "substitute" when both have as many records, and
        "add-remove" otherwise.
    domain : Domain or TableDomain, optional
        What frames must be in, if it is a `TableDomain`, which also names the column of the users
        or the labels.

    Raises
    ------
    NotNeighbors
        They are not neighbors, or by another relation than requested.
    OutsideDomain
        A frame that the domain does not have.
    ProposalError
        It is not a pair of arrays.
    """
    if isinstance(pair, Neighbors):
        if neighboring_relation not in (None, pair.neighboring_relation):
            raise NotNeighbors(
                f"these datasets are neighbors by {pair.neighboring_relation}; the claim is "
                f"about {neighboring_relation}"
            )
        if pair.neighboring_relation != "stated":
            _check_domain(pair.dataset, pair.neighbor, domain)
        return pair
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ProposalError(
            f"datasets come as Neighbors or as (dataset, neighbor), got {type(pair).__name__}"
            f"{f' of length {len(pair)}' if isinstance(pair, tuple | list) else ''}"
        )
    if neighboring_relation == "stated":
        return Neighbors(pair[0], pair[1], "stated")
    a, b = (one if is_frame(one) else _array(one) for one in pair)
    _check_domain(a, b, domain)
    relation = neighboring_relation or _suggested(a, b)
    column = domain.column_of(relation) if isinstance(domain, TableDomain) else None
    return Neighbors(a, b, relation, column)


def _check_domain(a: Any, b: Any, domain: Domain | TableDomain | None) -> None:
    if isinstance(domain, TableDomain):
        domain.check(a)
        domain.check(b, "the neighbor")


def _array(dataset: Any) -> NDArray[Any]:
    try:
        return np.asarray(dataset)
    except ValueError as error:
        raise ProposalError(
            f"a dataset must be an array, records first, or a DataFrame: {error}; anything else "
            'can be stated: neighboring_relation="stated"'
        ) from None


def _suggested(a: Any, b: Any) -> str:
    return "substitute" if a.shape[:1] == b.shape[:1] else "add-remove"
