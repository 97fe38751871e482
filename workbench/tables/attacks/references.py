"""Reference models: with which models a target model is compared.

The target model is never among its own reference models. There are two ways to see to that:

- *split*: one part of the models are references, the others are attacked. Given the references,
  the score of a model depends on this model alone. Where the models are independent runs, so are
  the rows of a record, and its bounds are valid.
- *leave-one-out*: every model is attacked, with all others as references. The rows of a record
  then depend on each other, since each of them is computed from the signals of all: no bound that
  needs independent rows is guaranteed.

Reference and target models may share training records: under independent coins what one model
was trained on says nothing about another. In complementary pairs it does, so the partner of a
target model is left out as well, and a split keeps pairs together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.scores.sample import ScoresError
from workbench.tables.design import complementary_pairs
from workbench.tables.table import ScoreTable

#: Names of the two ways; a third is to name the reference models.
REFERENCES = ("split", "leave-one-out")

#: Seed of the split into references and targets: chosen once, before any signal was seen.
_SPLIT = 17


@dataclass(frozen=True)
class References:
    """Which models are attacked, and which are their references.

    Attributes
    ----------
    targets, models : ndarray of int, shape (T,), (N,)
        Numbers of the attacked models and of the reference models.
    leaves_out : bool
        Whether these are the same, and a target is left out when it is attacked.
    partner : ndarray of int, shape (N,), or None
        The other model of the same complementary pair, which is left out with the target.
    named : bool
        Whether the caller named the reference models.
    """

    targets: NDArray[np.intp]
    models: NDArray[np.intp]
    leaves_out: bool = False
    partner: NDArray[np.intp] | None = None
    named: bool = False

    @classmethod
    def of(cls, reference: str | ArrayLike, table: ScoreTable) -> References:
        """The references that a caller asks for.

        Parameters
        ----------
        reference : {"split", "leave-one-out"} or array_like of bool, shape (M,)
            The array is True for reference models.
        table : ScoreTable
            The signals as scores.

        Raises
        ------
        ScoresError
            Too few models, or an array that leaves none to attack.
        """
        n_models = table.n_models
        pairs = complementary_pairs(table.member, table.present)
        every = np.arange(n_models)
        if not isinstance(reference, str):
            chosen = _checks.mask(reference, n_models, "reference")
            if chosen.sum() > n_models - 2 or not chosen.any():
                raise ScoresError(
                    f"{int(chosen.sum())} of {n_models} models are references; some must be "
                    "references, and at least two are attacked"
                )
            if pairs is not None and (chosen[pairs[:, 0]] != chosen[pairs[:, 1]]).any():
                raise ScoresError(
                    "a pair of complementary models is divided into a reference and a target, and "
                    "the one gives away the training records of the other: keep pairs together"
                )
            return cls(every[~chosen], every[chosen], named=True)
        _checks.one_of(reference, "reference", REFERENCES)
        if reference == "leave-one-out":
            if pairs is None:
                return cls(every, every, leaves_out=True)
            partner = np.empty(n_models, dtype=np.intp)
            partner[pairs] = pairs[:, ::-1]
            return cls(every, every, leaves_out=True, partner=partner)
        if n_models < 4:
            raise ScoresError(
                f"{n_models} models cannot be split into references and targets; at least 4 can"
            )
        units = every[:, None] if pairs is None else pairs
        order = np.random.default_rng(_SPLIT).permutation(len(units))
        attacked, others = np.split(order, [(order.size + 1) // 2])
        return cls(np.sort(units[attacked].ravel()), np.sort(units[others].ravel()))

    def describe(self) -> str:
        """A sentence on what the rows of the scores are."""
        if not self.leaves_out:
            chosen = "named" if self.named else "chosen by a fixed seed"
            return (
                f"{self.targets.size} models are attacked, with the {self.models.size} others, "
                f"{chosen}, as references"
            )
        pair = " but its partner" if self.partner is not None else ""
        return (
            f"each model is attacked with all others{pair} as references "
            "(leave-one-out): the rows of a record depend on each other, and no bound that needs "
            "independent rows is guaranteed"
        )

    def seen_by(
        self, statistic: NDArray[np.float64], chosen: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """A statistic as each target sees it, where it was computed without each model.

        Parameters
        ----------
        statistic : ndarray, shape (..., N)
            Of a group of models, without each of the reference models.
        chosen : ndarray of bool, shape (..., N)
            The group.
        """
        if self.partner is None:
            return statistic
        # Of a pair one model is in the group: leave out that one.
        return np.where(chosen, statistic, statistic[..., self.partner])
