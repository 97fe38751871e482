"""Base class of dataset finders: which neighboring datasets a mechanism is run on next.

A violation shows on some neighboring datasets and not on others. A finder proposes one pair of
datasets for each trial. Proposals affect power only, never the guarantee: every finding comes from
outputs drawn after the proposal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.neighbors import Neighbors


class ProposalError(ValueError):
    """A user's own source of datasets raised, or returned something else than a pair."""


class FinishedTrial(NamedTuple):
    """A finished trial, as a finder sees it.

    Attributes
    ----------
    neighbors : Neighbors
    predicted : float or None
        See `FittedWitness.predicted`; None, NaN and −∞ all mean that nothing was found.
    """

    neighbors: Neighbors
    predicted: float | None


class Finder(ABC):
    """Proposes neighboring datasets.

    Attributes
    ----------
    name : str
    batch : bool
        Whether proposals are independent of the history, so that many can be requested at once.
        Other finders may also be asked for a few before the trials are finished.
    domain : Domain or TableDomain, optional
        Of the datasets, where it is known.
    """

    name: str
    batch: bool = True
    domain: Domain | TableDomain | None = None

    @abstractmethod
    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors | None:
        """The datasets of the next trial.

        Parameters
        ----------
        history : sequence of FinishedTrial
            In any order.

        Returns
        -------
        Neighbors or None
            None ends the search: there is nothing more to propose.

        Raises
        ------
        NotNeighbors, ProposalError
            By a user's own source only: this one trial is lost, and the next may be requested.
        """
