"""`Family`: pairs that differ in one number, the parameter.

A parameter is 0 for perfect privacy and grows without limit; a larger one leaks more at every ε, δ
and α. With f the symmetrized trade-off function, audits ask of a family:

- the *bit error* (1 − TV)/2, the smallest error rate of a guess whether a canary was in;
- the *least mass* f̄(x) = inf{a : 1 − f(a) ≥ x}: an event of probability x with the record in has
  at least this probability with it out, and the other way round (Mahloujifar,
  Melis and Chaudhuri 2024);
- the *guess error*: the smallest mean error of guesses on a share of the outcomes, which is that
  of the optimal guess on the share where it is most certain (arXiv 2509.08704). For symmetric f it
  is a/share where a + 1 − f(a) = share: guess "in" on an event that has probability a with the
  record out and 1 − f(a) with it in, and "out" on its mirror image.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair

#: No audit shows a larger parameter: e^-1024 is no float.
LARGEST_PARAMETER = 1024.0

_HALVINGS = 48


class Family(ABC):
    """Pairs that differ in one number, the parameter.

    Notes
    -----
    A subclass gives ``name`` (after "if the pair is"), ``symbol`` and ``pair``. The other
    methods follow from the pairs, and are overridden where a closed form is faster.
    """

    #: For a list to choose from: "Gaussian".
    title: ClassVar[str] = ""

    #: The parameter in plain letters: "mu", "epsilon", "1/sigma".
    parameter_name: ClassVar[str] = "parameter"

    #: The largest parameter to look at.
    largest: float = LARGEST_PARAMETER

    #: Members that `least_mass` takes at once for little more than the price of one.
    at_once: int = 64

    @property
    @abstractmethod
    def name(self) -> str:
        """What a bound assumes: "Gaussian", "randomized response with δ = 0.01"."""

    @property
    @abstractmethod
    def symbol(self) -> str:
        """The parameter in a formula: "μ", "ε", "1/σ"."""

    @abstractmethod
    def pair(self, parameter: float) -> Pair:
        """The member with this parameter.

        Parameters
        ----------
        parameter : float
            At least 0 and finite.
        """

    def epsilon(self, parameter: float, delta: float) -> float:
        """ε(δ) of a member.

        Parameters
        ----------
        parameter : float
            At least 0; may be infinite.
        delta : float
            In [0, 1).

        Returns
        -------
        float
            0 for parameter 0, ``inf`` where no finite ε exists.
        """
        if parameter <= 0:
            return 0.0
        return math.inf if math.isinf(parameter) else float(self.pair(parameter).epsilon(delta))

    def epsilons(self, parameters: Floats, delta: float) -> Floats:
        """ε(δ) of several members, as `epsilon` has it up to round-off.

        Parameters
        ----------
        parameters : ndarray
            At least 0; may be infinite.
        delta : float
            In [0, 1).

        Returns
        -------
        ndarray, the shape of ``parameters``
        """
        found = [self.epsilon(one, delta) for one in parameters.ravel().tolist()]
        return np.array(found, dtype=float).reshape(parameters.shape)

    def bit_error(self, parameter: float) -> float:
        """(1 − TV)/2 of a member."""
        return (1 - self.pair(parameter).total_variation) / 2 if parameter > 0 else 0.5

    def parameter_of_bit_error(self, error: float) -> float:
        """The smallest parameter whose bit error is at most ``error``; ``inf`` if there is none."""
        from scipy.optimize import brentq

        if self.bit_error(0.0) <= error:
            return 0.0
        if self.bit_error(self.largest) > error:
            return math.inf
        return float(brentq(lambda x: self.bit_error(x) - error, 0.0, self.largest))

    def parameter_of_total_variation(self, total_variation: float) -> float:
        """The parameter with this total variation; ``inf`` where no member has so large a one."""
        return self.parameter_of_bit_error((1 - total_variation) / 2)

    def least_mass(self, parameters: Floats) -> Callable[[Floats], Floats]:
        """f̄ of several members at once: a function of x, shape (k,), with values of that shape.

        It may be too small, which refutes less, and is made for calls with x that never falls from
        one call to the next.
        """
        x = np.unique(np.r_[ndtr(np.linspace(-6, 8, 1401)), 1.0])
        # f is its own inverse after symmetrizing.
        mass = np.array([self.pair(v).tradeoff(1 - x) if v > 0 else x for v in parameters])
        slope = np.diff(mass) / np.diff(x)
        row = np.arange(parameters.size)

        def least(at: Floats) -> Floats:
            # Between two points a convex function lies above the chords before and after them.
            j = np.clip(np.searchsorted(x, at) - 1, 1, x.size - 3)
            before = mass[row, j] + slope[row, j - 1] * (at - x[j])
            after = mass[row, j + 1] - slope[row, j + 1] * (x[j + 1] - at)
            return np.maximum(np.maximum(before, after), 0.0)

        return least

    def guess_error(self, parameter: float, share: Floats) -> Floats:
        """The smallest mean error of guesses on a share of the outcomes.

        Parameters
        ----------
        parameter : float
            At least 0.
        share : ndarray
            Shares in (0, 1].

        Returns
        -------
        ndarray, the shape of ``share``
        """
        if parameter <= 0:
            return np.full_like(share, 0.5)
        tradeoff = self.pair(parameter).tradeoff
        low, high = np.zeros_like(share), np.full_like(share, self.bit_error(parameter))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = middle + 1 - tradeoff(middle) >= share
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        # The lower end: fewer errors than possible refute less.
        return low / share


@dataclass(frozen=True)
class PairFamily(Family):
    """Any family: one function from the parameter to a pair.

    Parameters
    ----------
    label : str
        What a bound then assumes: "DP-SGD with 100 steps".
    make : callable
        parameter -> anything with ``tradeoff``, ``epsilon`` and ``total_variation``; total
        variation must not fall, and the trade-off function not rise, as the parameter grows.
    largest : float
        The largest parameter to look at. A bound that refutes it says ``inf``.
    symbol : str
        The symbol of the parameter.
    """

    label: str
    make: Callable[[float], Any]
    largest: float = LARGEST_PARAMETER
    symbol: str = "parameter"

    #: A pair may be dear to make.
    at_once = 3

    def __post_init__(self) -> None:
        _checks.positive(self.largest, "largest")

    @property
    def name(self) -> str:
        return self.label

    def pair(self, parameter: float) -> Pair:
        made: Pair = self.make(float(parameter))
        return made
