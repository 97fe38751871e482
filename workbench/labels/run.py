"""`LabelRun`: one run whose canaries are pairs of labels, one of which was trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.guesses import LABEL_CONDITIONS, Guesses, Rule
from workbench.onerun.run import OneRun
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class LabelRun(OneRun):
    """Scores of pairs of labels, one of which a record had in training, as `LabelGame` makes them.

    Parameters
    ----------
    scores : array_like, shape (m,)
        Score of the first label of each pair minus that of the second.
    included : array_like of 0 and 1, shape (m,)
        Whether the first was trained on.
    larger_is_member, ids, design, name, seed
        As in `OneRun`; the design is "matched-pairs".
    condition : {"labels that follow the stated law", "fair coins of labels"}
        What the coins rest on.
    void : str, optional
        Why bounds are not valid.

    Notes
    -----
    All that a `OneRun` can do, with pairs of labels as canaries: ``guess``, `tune_one_run`,
    `one_run_bound`. Methods for independent canaries are refused.
    """

    design: str = "matched-pairs"
    condition: str = LABEL_CONDITIONS[0]
    void: str | None = None

    _drew_sides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.design != "matched-pairs":
            raise ValueError(f"design must be 'matched-pairs' of labels, got {self.design!r}")
        _checks.one_of(self.condition, "condition", LABEL_CONDITIONS)
        if self.void is not None:
            _checks.text(self.void, "void")

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"LabelRun({name}{self.canaries} pairs of labels, {self.condition})"

    def to_frame(self) -> pd.DataFrame:
        """One row for each pair: ``score``, ``included`` and ``id``, the place of the record."""
        return super().to_frame()

    def part(self, rows: NDArray[np.bool_]) -> LabelRun:
        """A run with some of the pairs; the others count as other training data.

        Parameters
        ----------
        rows : array_like of bool, shape (m,)
        """
        rows = _checks.mask(rows, self.canaries, "rows")
        ids = None if self.ids is None else self.ids[rows]
        return replace(self, scores=self.scores[rows], included=self.included[rows], ids=ids)

    def as_scores(self) -> NoReturn:
        """A ScoresError: bounds from two samples would not say what the coins rest on."""
        raise ScoresError(
            "a pair of labels has no scores of its own: bounds from two samples would assume "
            "independent pairs, and not say what the coins rest on; take "
            "one_run_bound(run.guess(…))"
        )

    def _counted(self, guesses: int, correct: int, rule: Rule) -> Guesses:
        found = super()._counted(guesses, correct, rule)
        return replace(found, seed=self.chance, void=self.void, condition=self.condition)
