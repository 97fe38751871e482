"""`FamilyEstimator`: what an estimator of a family's parameter gives, and its results."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from workbench.bounds.parametric.laws import Law, law_of_curve
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.simultaneous.roc_band import RocLimits, roc_limits
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.families.base import Family
from workbench.scores.sample import Scores

#: A parameter this large has no meaning.
_AS_GOOD_AS_INFINITE = 1e99


@dataclass(frozen=True)
class Limits:
    """A parameter's limits; where no member fits they are 0 and ``inf``, and ``fits`` is False."""

    lower: float
    upper: float
    fits: bool = True


NOTHING_FITS = Limits(0.0, math.inf, fits=False)

#: No limits yet.
ANY_MEMBER = Limits(0.0, math.inf)


@dataclass(frozen=True)
class Misfit:
    """Where no member of a family agrees with the limits of both error rates, and how."""

    threshold: float
    says: str


class FamilyEstimator(ABC):
    """A family, and how scores tell its parameter."""

    family: Family
    method: str
    guarantee: str

    @property
    @abstractmethod
    def given(self) -> str:
        """What is assumed, after "if the pair is"."""

    @property
    def parameter(self) -> str:
        """The parameter's name: "mu"."""
        return self.family.parameter_name

    def pair(self, parameter: float) -> Pair:
        """The member with this finite parameter."""
        return self.family.pair(parameter)

    def fitted_to(self, scores: Scores) -> FamilyEstimator:
        """The estimator with what else, besides the parameter, the scores show of the member."""
        return self

    @abstractmethod
    def estimate(self, scores: Scores, within: Limits = ANY_MEMBER) -> float:
        """The parameter as these scores show it; ``inf`` where they are perfectly separated.

        Parameters
        ----------
        scores : Scores
        within : Limits
            Limits of the parameter by :meth:`limits`, at any error. They contain the estimate,
            unless no member fits.
        """

    @abstractmethod
    def limits(self, scores: Scores, error: float) -> Limits:
        """Confidence limits of the parameter.

        Parameters
        ----------
        scores : Scores
        error : float
            Probability, at most, that the lower limit is wrong, and that the upper one is.
        """

    def leak_limit(
        self, scores: Scores, quantity: str, at: QuantityArguments, error: float, side: str
    ) -> float:
        """Limit of a quantity, all of which increase with the parameter.

        Parameters
        ----------
        scores : Scores
        quantity : {"epsilon", "delta", "mu", "total variation"}
        at : QuantityArguments
            The δ of an ε, the ε of a δ.
        error : float
            As for :meth:`limits`.
        side : {"lower", "upper"}
        """
        found = self.limits(scores, error)
        parameter = found.lower if side == "lower" else found.upper
        if quantity == "mu":
            return parameter
        if math.isinf(parameter):
            return math.inf if quantity == "epsilon" else 1.0
        pair = self.pair(parameter)
        if at.delta is not None:
            return float(pair.epsilon(at.delta))
        return pair.total_variation if at.epsilon is None else float(pair.profile(at.epsilon))

    def roc_limits(self, scores: Scores, error: float) -> RocLimits:
        """Confidence limits of both error rates, valid for any pair.

        Parameters
        ----------
        scores : Scores
        error : float
            As for :meth:`limits`.
        """
        return roc_limits(scores, error)

    def curve(self, parameter: float, fpr: Floats) -> Floats:
        """False negative rates of a member.

        Parameters
        ----------
        parameter : float
            May be infinite.
        fpr : ndarray
            False positive rates in [0, 1].
        """
        pair = self.pair(min(parameter, _AS_GOOD_AS_INFINITE))
        return np.asarray(pair.tradeoff(fpr, symmetric=False))

    def law(self, parameter: float) -> Law:
        """Distribution functions of a member's scores, in some unit.

        Parameters
        ----------
        parameter : float
            Finite.
        """
        return law_of_curve(lambda fpr: self.curve(parameter, fpr))

    @abstractmethod
    def misfit(self, limits: RocLimits, estimate: float) -> Misfit | None:
        """The contradiction between limits and the family; None where some member agrees with them.

        Parameters
        ----------
        limits : RocLimits
            Of both error rates.
        estimate : float
            The parameter of the member that the explanation names.
        """
