"""`ScoredModels`: models that are made one by one and scored, whatever makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.run import OneRun
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores, ScoresError
from workbench.tables.table import ScoreTable
from workbench.training.audits.rows import Rows


class ScoredModels(ABC):
    """Models that are made one by one and scored, and what their scores become.

    Models are independent tasks: model ``index`` is made with a generator that depends on the
    seed and the index alone, so that an audit can be continued, repeated and spread over machines.
    """

    #: Number of models.
    models: int

    #: What settles the kind in plans and on pages; its title; what it asks, in a sentence.
    kind: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    #: "independent runs" where a model gives one score for each record, and bounds for the record
    #: need no assumption; "one run" where scores share a model, and bounds state how they assume
    #: the scores to behave.
    sampling: ClassVar[str]
    #: True when a larger score indicates membership.
    larger_is_member: ClassVar[bool] = False
    #: The fewest models with which `collect` has a result.
    least_models: ClassVar[int] = 1

    # -- what a kind gives ------------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles."""

    @property
    @abstractmethod
    def subjects(self) -> int:
        """Number of records or canaries that each model scores: its rows."""

    @abstractmethod
    def score_model(self, index: int, rng: np.random.Generator) -> Rows:
        """Make a model, and score its subjects.

        Parameters
        ----------
        index : int
            From 0 to ``models`` − 1.
        rng : numpy.random.Generator
            The model's own.
        """

    @abstractmethod
    def collect(self, rows: Rows, name: str = "") -> Scores | OneRun | ScoreTable:
        """What the rows become; they may be those of some of the models.

        Parameters
        ----------
        rows : Rows
        name : str
            Shown in titles; that of the audit by default.

        Raises
        ------
        ScoresError
            Rows of too few models.
        """

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """All arguments and the kind as plain tables, lists, numbers and texts."""

    @property
    @abstractmethod
    def data_sha256(self) -> str:
        """Hash of the data, by which a run that is continued knows them again."""

    # -- what all kinds have ----------------------------------------------------------------------

    @property
    def reference(self) -> Pair | None:
        """What is known of the privacy of a model; None where nothing is."""
        return None

    def generator(self, seed: int, index: int) -> np.random.Generator:
        """The generator of a model, the same however the models are spread.

        Parameters
        ----------
        seed : int
            Of the audit.
        index : int
            Of the model.
        """
        seed, index = _checks.count(seed, "seed"), _checks.count(index, "index")
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))

    @_checks.arguments
    def two_samples(self, rows: Rows, name: str) -> Scores:
        """The scores of subjects that were in (P) and out (Q).

        Parameters
        ----------
        rows, name
            See `collect`.
        """
        return Scores(
            rows.score[rows.included],
            rows.score[~rows.included],
            larger_is_member=self.larger_is_member,
            sampling=self.sampling,
            name=name or self.name,
        )

    @_checks.arguments
    def _score_table(
        self,
        rows: Rows,
        name: str,
        records: NDArray[Any] | None,
        attributes: Mapping[str, Any],
    ) -> ScoreTable:
        """The scores as a table of models × records; every model has scored every subject.

        Parameters
        ----------
        rows, name
            See `collect`.
        records : array, shape (subjects,), optional
            Their names.
        attributes : mapping of str to array_like
            As of `workbench.ScoreTable`; those that are None are left out.

        Raises
        ------
        ScoresError
            Rows of too few models.
        """
        models, place = np.unique(rows.model, return_inverse=True)
        if models.size < self.least_models or rows.size != models.size * self.subjects:
            raise ScoresError(
                f"{rows.size} scores of {models.size} models; a table needs at least "
                f"{self.least_models} models with {self.subjects} scores each"
            )
        scores, member = np.empty((2, models.size, self.subjects))
        scores[place, rows.subject] = rows.score
        member[place, rows.subject] = rows.included
        return ScoreTable(
            scores,
            member.astype(bool),
            records=records,
            models=models,
            attributes={key: column for key, column in attributes.items() if column is not None},
            larger_is_member=self.larger_is_member,
            sampling=self.sampling,
            name=name or self.name,
        )
