"""`Rows`: the scores of trained models, as they come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._frames import to_frame


@dataclass(frozen=True, eq=False)
class Rows:
    """Scores of trained models, one row for each (model, subject).

    Attributes
    ----------
    model : array of int, shape (rows,)
        Index of the model.
    subject : array of int, shape (rows,)
        Index of the record or canary that is scored.
    included : array of bool, shape (rows,)
        Whether the subject was in the training data of the model.
    score : array of float, shape (rows,)
    """

    model: NDArray[np.int64]
    subject: NDArray[np.int64]
    included: NDArray[np.bool_]
    score: NDArray[np.float64]

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)

    @classmethod
    def one_model(
        cls, model: int, included: ArrayLike, score: ArrayLike, subject: ArrayLike | None = None
    ) -> Rows:
        """Rows of one model.

        Parameters
        ----------
        model : int
        included : array_like of bool, shape (subjects,)
        score : array_like, shape (subjects,)
        subject : array_like of int, shape (subjects,), optional
            Numbers from 0 by default.
        """
        scores = _checks.array(score, "score")
        subjects = np.arange(scores.size)
        if subject is not None:
            subjects = _checks.indices(subject, 2**53, "subject")
        return cls(
            np.full(scores.size, _checks.count(model, "model"), dtype=np.int64),
            subjects.astype(np.int64),
            _checks.listed(included, "included").astype(bool),
            scores,
        )

    @classmethod
    def joined(cls, parts: Iterable[Rows]) -> Rows:
        """Rows of several parts, in the order of models, then subjects."""
        found = _checks.each_of(parts, Rows, "parts", "Rows of a training audit")
        if not found:
            return cls.one_model(0, [], [])
        columns = [np.concatenate([getattr(p, f.name) for p in found]) for f in fields(cls)]
        order = np.lexsort((columns[1], columns[0]))
        return cls(*(column[order] for column in columns))

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.score.size

    def of_models(self, models: ArrayLike) -> Rows:
        """The rows of some models.

        Parameters
        ----------
        models : array_like of int
            Their indices.
        """
        kept = np.isin(self.model, _checks.array(models, "models"))
        return Rows(*(getattr(self, f.name)[kept] for f in fields(self)))
