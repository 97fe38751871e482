"""`LimitsPair`: an upper limit of the privacy loss of a training, and an attack from below."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from workbench.curves.validation import Values, deltas, reals, shaped
from workbench.pairs.accounting.accounted import AccountedPair
from workbench.pairs.base import Pair


class LimitsPair(AccountedPair):
    """What leaks lies between two curves: a theorem's from above, an attack's from below.

    As a pair it is the upper curve: ``profile``, ``epsilon`` and ``tradeoff`` say what no attack
    exceeds. The other ends of :meth:`profile_interval` and :meth:`epsilon_interval` are those of
    :attr:`attack`, a pair of two distributions that the training shows for some data.
    """

    @property
    @abstractmethod
    def attack(self) -> Pair:
        """The pair of one statistic of all steps: no upper limit can lie below its curve."""

    @property
    def exact(self) -> bool:
        """Whether both curves coincide."""
        return False

    @property
    def closed_form(self) -> Pair | None:
        return None

    def profile_interval(self, epsilon: ArrayLike) -> tuple[Values, Values]:
        """Lower and upper limit of δ(ε): the profile of the worst data lies between them.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.

        Returns
        -------
        lower, upper : float or ndarray, the shape of ``epsilon``

        Raises
        ------
        ValueError
            A NaN.
        """
        e = reals(epsilon, "epsilon")
        upper, attack = np.asarray(self.profile(e)), self.attack
        if isinstance(attack, AccountedPair):
            lower = np.asarray(attack.profile_interval(e)[0])
        else:
            lower = np.asarray(attack.profile(e))
        return shaped(np.minimum(lower, upper)), shaped(upper)

    def epsilon_interval(self, delta: ArrayLike) -> tuple[Values, Values]:
        """Lower and upper limit of ε(δ): that of the worst data lies between them.

        Parameters
        ----------
        delta : array_like
            In [0, 1).

        Returns
        -------
        lower, upper : float or ndarray, the shape of ``delta``

        Raises
        ------
        ValueError
            A δ outside [0, 1).
        """
        d = deltas(delta)
        upper, attack = np.asarray(self.epsilon(d)), self.attack
        if isinstance(attack, AccountedPair):
            lower = np.asarray(attack.epsilon_interval(d)[0])
        else:
            lower = np.asarray(attack.epsilon(d))
        return shaped(np.minimum(lower, upper)), shaped(upper)
