"""`Pair`: two score distributions with a known privacy loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, ndtri_exp

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.curves.renyi_quadrature import renyi_divergence
from workbench.curves.validation import (
    DIRECTIONS,
    Floats,
    Values,
    deltas,
    inner_rates,
    quiet,
    rates,
    reals,
    shaped,
)
from workbench.pairs.functions import PrivacyFunctions

if TYPE_CHECKING:
    from workbench.scores.sample import Scores

#: False positive rates at which :meth:`Pair.error_rates` looks at a continuous pair.
_RATES = np.geomspace(1e-7, 0.5, 48)

#: Thresholds, as normal quantiles, that cut a continuous pair into outcomes. A false positive rate
#: has no digits left beyond the last.
_CUTS = np.linspace(-9.0, 5.0, 1501)


#: Composes any pair, and makes one of functions; their modules are made of this one.
_COMPOSED = "workbench.pairs.accounting.composed:ComposedPair"
_OF_FUNCTIONS = "workbench.pairs.own.function_pair:FunctionPair"


class Pair(ABC):
    """P, the scores with the record in, against Q, the scores with it out.

    Everything is exact up to round-off, at any δ and α that a float can hold. Numbers in give
    Python floats out, arrays give arrays of their shape; no result is NaN.

    Notes
    -----
    A pair of your own is made by :meth:`from_functions` of its privacy profile or trade-off
    function; `workbench.testing.check_pair` checks it. The classes of this package derive from
    `PrivacyFunctions` and this class, and give methods with an underscore, which see checked
    arrays and may change in any release.
    """

    plot = plot
    figure = figure

    def _repr_html_(self) -> str:
        rows = [(name, _checks.shown(value)) for name, value in self.parameters.items()]
        return beside(table(self.name, rows, "heuristic" if self.heuristic else ""), self)

    @staticmethod
    def from_functions(
        *,
        name: str,
        profile: Callable[[Any], Any] | None = None,
        tradeoff: Callable[[Any], Any] | None = None,
        sample: Callable[[int, np.random.Generator], Any] | None = None,
        privacy_loss: Callable[[Any], Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Pair:
        """The pair of a privacy profile, a trade-off function, or both.

        It serves wherever a pair does: as a claim, in charts, plans, compositions and simulations.

        Parameters
        ----------
        name : str
            For titles and legends: "Logistic, s = 1".
        profile : callable, optional
            Of an array of ε ≥ 0: δ(ε), the larger of the two directions' hockey-stick divergences.
            It is asked up to ε = 700, and taken as constant beyond.
        tradeoff : callable, optional
            Of an array of α in [0, 1]: f(α), the lower convex hull of T(Q→P) and T(P→Q), which is
            its own inverse.
        sample : callable, optional
            ``sample(n, rng)`` returns n independent scores of P and n of Q, larger for members. By
            default the scores are those of the optimal test: −α with α uniform under Q.
        privacy_loss : callable, optional
            Of an array of scores that ``sample`` draws: log dP/dQ.
        parameters : mapping of str, optional
            The arguments that make the same pair again. Pairs of the same functions with equal
            names and parameters are equal; without parameters, the functions decide.

        Returns
        -------
        Pair
            What is not given follows: from the profile to round-off in both tails, from a
            trade-off function alone to about 1e-15, so that δ is at least that: ε at a smaller δ,
            and Rényi divergences, are ``inf``. The pair is symmetric: both directions get the
            larger of the two divergences, so that nothing leaks less than stated.

        Raises
        ------
        ValueError
            Neither function, one that takes or gives no arrays, a profile that is not in [0, 1],
            falling and convex in e^ε, a trade-off function that is not convex, falling and its own
            inverse, or two functions that differ by more than 1e-6.

        References
        ----------
        Dong, Roth and Su, Gaussian differential privacy, 2022, Proposition 6: each function is
        determined by the other.

        Examples
        --------
        >>> def profile(epsilon):
        ...     return np.maximum(-np.expm1((epsilon - 0.7) / 2), 0)
        >>> pair = wb.Pair.from_functions(name="Laplace, μ = 0.7", profile=profile)
        >>> round(pair.tradeoff(0.1), 6), round(wb.LaplacePair(0.7).tradeoff(0.1), 6)
        (0.798625, 0.798625)
        """
        pair: Pair = resolve_name(_OF_FUNCTIONS)(
            profile, tradeoff, sample, privacy_loss, name, parameters
        )
        return pair

    @property
    def _functions(self) -> PrivacyFunctions:
        """What values are computed with."""
        if not isinstance(self, PrivacyFunctions):
            raise TypeError(
                f"{type(self).__name__} has no privacy functions: derive it from PrivacyFunctions "
                "and Pair, in this order, or make it with wb.Pair.from_functions"
            )
        return self

    # -- what a pair is ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """For titles and legends: "Gaussian, μ = 1"."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The arguments that make the same pair again."""

    @property
    def total_variation(self) -> float:
        """sup_E |P(E) − Q(E)|, the membership advantage."""
        return self._functions.total_variation

    @property
    def symmetric(self) -> bool:
        """Whether exchanging P and Q changes nothing: T(P→Q) = T(Q→P)."""
        return self._functions.symmetric

    @property
    def heuristic(self) -> bool:
        """Whether no theorem says that anything leaks at most this much: then it is no claim."""
        return False

    @property
    def short(self) -> str:
        """The name for labels in charts, where a long one has no place."""
        return self.name

    @property
    def closed_form(self) -> Pair | None:
        """An equal pair that is exact: the pair itself, unless it is composed numerically."""
        return self

    @property
    def bit_error(self) -> float:
        """(1 − TV)/2, the smallest error rate of a guess whether the record was in."""
        return (1 - self.total_variation) / 2

    # -- privacy profile --------------------------------------------------------------------------

    def log_hockey_stick(self, epsilon: ArrayLike, direction: str = "P‖Q") -> Values:
        """Log of the hockey-stick divergence, which does not underflow.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.
        direction : {"P‖Q", "Q‖P"}

        Returns
        -------
        float or ndarray, the shape of ``epsilon``
            −inf where the divergence is 0.

        Raises
        ------
        ValueError
            A NaN, or another direction.
        """
        _checks.one_of(direction, "direction", DIRECTIONS)
        return shaped(self._functions._log_hockey_stick(reals(epsilon, "epsilon"), direction))

    def hockey_stick(self, epsilon: ArrayLike, direction: str = "P‖Q") -> Values:
        """H_{e^ε}(P‖Q) = ∫ [P − e^ε Q]₊, or with P and Q exchanged.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.
        direction : {"P‖Q", "Q‖P"}

        Returns
        -------
        float or ndarray, the shape of ``epsilon``

        Raises
        ------
        ValueError
            A NaN, or another direction.
        """
        return shaped(np.exp(np.asarray(self.log_hockey_stick(epsilon, direction))))

    def delta(self, epsilon: ArrayLike) -> Values:
        """δ(ε), the larger of the two directions' hockey-stick divergences: the privacy profile.

        Parameters
        ----------
        epsilon : array_like
            Any real, ±∞ included.

        Returns
        -------
        float or ndarray, the shape of ``epsilon``

        Raises
        ------
        ValueError
            A NaN.
        """
        return shaped(np.exp(self._functions._log_profile(reals(epsilon, "epsilon"))))

    def profile(self, epsilon: ArrayLike) -> Values:
        """δ(ε), the privacy profile: another name of :meth:`delta`."""
        return self.delta(epsilon)

    def log_profile(self, epsilon: ArrayLike) -> Values:
        """Log δ(ε), which does not underflow; −inf where δ is 0. As :meth:`delta` otherwise."""
        return shaped(self._functions._log_profile(reals(epsilon, "epsilon")))

    def epsilon(self, delta: ArrayLike) -> Values:
        """The smallest ε ≥ 0 with δ(ε) ≤ δ.

        Parameters
        ----------
        delta : array_like
            In [0, 1), down to 1e-300 and below.

        Returns
        -------
        float or ndarray, the shape of ``delta``
            ``inf`` where no finite ε does it.

        Raises
        ------
        ValueError
            A δ outside [0, 1).
        """
        return shaped(self._functions._epsilon(deltas(delta)))

    # -- trade-off function -----------------------------------------------------------------------

    def tradeoff(self, alpha: ArrayLike, symmetric: bool = True) -> Values:
        """f(α), the smallest false negative rate at false positive rate α.

        Parameters
        ----------
        alpha : array_like
            In [0, 1].
        symmetric : bool
            The lower convex hull of both directions; False is T(Q→P) itself, whose tests have
            α = Q(reject).

        Returns
        -------
        float or ndarray, the shape of ``alpha``

        Raises
        ------
        ValueError
            A rate outside [0, 1].
        """
        if not symmetric:
            return shaped(np.exp(np.asarray(self.log_rates(alpha)[0])))
        return shaped(self._functions._symmetric_tradeoff(rates(alpha, "alpha")))

    def log_rates(self, alpha: ArrayLike) -> tuple[Values, Values]:
        """Logs of f(α) and 1 − f(α) with f = T(Q→P), each as exact as in its own tail.

        Parameters
        ----------
        alpha : array_like
            In [0, 1].

        Returns
        -------
        log_fnr, log_tpr : float or ndarray, the shape of ``alpha``

        Raises
        ------
        ValueError
            A rate outside [0, 1].
        """
        log_fnr, log_tpr = self._functions._log_rates(rates(alpha, "alpha"))
        return shaped(log_fnr), shaped(log_tpr)

    def error_rates(self) -> tuple[Floats, Floats]:
        """Error rates of likelihood-ratio tests, the most significant evidence among them.

        Returns
        -------
        fpr, fnr : ndarray, shape (n,)
        """
        return _RATES, np.asarray(self.tradeoff(_RATES, symmetric=False))

    def local_mu(self, alpha: ArrayLike) -> Values:
        """Φ⁻¹(1−α) − Φ⁻¹(f(α)) with f = T(Q→P), right for α down to 1e-300.

        Parameters
        ----------
        alpha : array_like
            Strictly between 0 and 1; at the ends there are only limits.

        Returns
        -------
        float or ndarray, the shape of ``alpha``
            ``inf`` where f(α) = 0.

        Raises
        ------
        ValueError
            A rate outside (0, 1).
        """
        a = inner_rates(alpha, "alpha")
        log_fnr, log_tpr = self._functions._log_rates(a)
        # Φ⁻¹(1 − f), from whichever rate is the smaller.
        smaller = ndtri_exp(np.minimum(log_fnr, log_tpr))
        return shaped(np.where(log_tpr < log_fnr, smaller, -smaller) - ndtri(a))

    def gdp_mu(self, floor: float = 1e-6) -> float:
        """The largest local μ over the symmetrized curve's points with both rates ≥ ``floor``.

        Parameters
        ----------
        floor : float
            Strictly between 0 and 1. The answer means nothing without it.

        Returns
        -------
        float
            A μ below which the pair is not GDP. Where the whole curve lies below the floor in one
            rate or the other, the rates count as the floor: 2Φ⁻¹(1 − floor).

        Raises
        ------
        ValueError
            A floor outside (0, 1).
        """
        floor = _checks.open_unit(floor, "floor")
        # Raising lower rates to the floor changes nothing while some point is above it.
        alpha = np.maximum(self.revealing_alphas(floor), floor)
        mu = np.minimum(self.symmetric_local_mu(alpha), -ndtri(alpha) - ndtri(floor))
        return max(float(mu.max()), 0.0)

    def symmetric_local_mu(self, alpha: Floats) -> Floats:
        """Local μ of the symmetrized curve, at the α of :meth:`revealing_alphas` and above."""
        return self._functions._symmetric_local_mu(alpha)

    def revealing_alphas(self, floor: float) -> Floats:
        """Where the symmetrized curve's local μ may be largest with both rates ≥ ``floor``."""
        return self._functions._revealing_alphas(floor)

    # -- Rényi divergences and composition ---------------------------------------------------------

    def renyi_divergence(self, order: float) -> float:
        """R_a(P‖Q) or R_a(Q‖P), whichever is larger.

        Parameters
        ----------
        order : float
            a, above 1.

        Returns
        -------
        float
            Of compositions the sum over the releases. Without a closed form, by quadrature to about
            1e-10 of itself; see `workbench.curves.renyi_quadrature`. ``inf`` where it is infinite:
            where P has mass that Q has not, or losses are not bounded enough for the order.

        Raises
        ------
        ValueError
            An order of at most 1; `DivergenceError` where the quadrature does not converge.

        References
        ----------
        Mironov, Rényi differential privacy, 2017, arXiv 1702.07476.
        """
        order = _checks.order(order)
        known = self._functions._renyi_divergence(order)
        if known is not None:
            return known
        return renyi_divergence(self, order)

    def compose(self, k: int) -> Pair:
        """The pair of k independent releases, all of them seen by the attacker.

        Parameters
        ----------
        k : int
            At least 1.

        Returns
        -------
        Pair
            In closed form where there is one, else a `workbench.ComposedPair`, whose values are
            upper limits.

        Raises
        ------
        ValueError
            A k that is not a whole number of at least 1.

        Examples
        --------
        >>> wb.GaussianPair(1).compose(4)
        GaussianPair(mu=2.0)
        >>> wb.LaplacePair(1).compose(3).epsilon(1e-6) <= 3
        True
        """
        k = _checks.count(k, "k", least=1)
        known = self._composed(k)
        pair: Pair = resolve_name(_COMPOSED)(self, k) if known is None else known
        return pair

    def loss_distribution(self) -> tuple[Floats, Floats, Floats]:
        """Privacy losses and their probabilities, on a fine grid where they are continuous.

        Returns
        -------
        loss, p, q : ndarray, shape (n,)
            log p/q, finite, rising up to round-off; its probabilities under P and under Q.
        """
        fpr, tnr = np.r_[0.0, ndtr(_CUTS), 1.0], np.r_[1.0, ndtr(-_CUTS), 0.0]
        log_fnr, log_tpr = map(np.asarray, self.log_rates(fpr))
        with quiet():
            # Each mass from the smaller of the two rates.
            q = np.where(fpr[1:] < 0.5, np.diff(fpr), -np.diff(tnr))
            gained, kept = np.diff(np.exp(log_tpr)), -np.diff(np.exp(log_fnr))
            p = np.where(log_tpr[1:] < log_fnr[1:], gained, kept)
            loss = np.log(p) - np.log(q)
        seen = np.isfinite(loss)
        return loss[seen][::-1], p[seen][::-1], q[seen][::-1]

    # -- sampling ---------------------------------------------------------------------------------

    def privacy_loss(self, score: ArrayLike) -> Values:
        """Log dP/dQ at a score, the optimal attack's own score.

        Parameters
        ----------
        score : array_like
            As :meth:`sample` draws them.

        Returns
        -------
        float or ndarray, the shape of ``score``
            ``inf`` where only P can be, ``-inf`` where only Q can.

        Raises
        ------
        ValueError
            A NaN, or a pair that has no scores.
        """
        return shaped(self._privacy_loss(reals(score, "score")))

    def sample(self, n: int | tuple[int, int], seed: int | np.random.Generator = 0) -> Scores:
        """Independent scores of P and Q; larger is more member-like.

        Parameters
        ----------
        n : int or pair of int
            Scores on each side, or (n_p, n_q); at least 2 each.
        seed : int or numpy.random.Generator

        Returns
        -------
        Scores
            With ``sampling="independent runs"``, the name of the pair, and a seed of their own,
            so that splits of them can be repeated.

        Raises
        ------
        ValueError
            A size that is not a whole number of at least 2.
        """
        from workbench.scores.chance import spawned_seed
        from workbench.scores.sample import Scores

        n_p, n_q = n if isinstance(n, (tuple, list)) else (n, n)
        rng = _checks.random(seed)
        p = self.draw_p(_checks.count(n_p, "n_p", 2, _checks.DRAWN), rng)
        q = self.draw_q(_checks.count(n_q, "n_q", 2, _checks.DRAWN), rng)
        drawn = spawned_seed(rng)
        return Scores(p, q, True, "independent runs", name=self.name, seed=drawn)

    # -- what a subclass gives --------------------------------------------------------------------

    @property
    def loss_unit(self) -> float | None:
        """A number of which every finite privacy loss is a multiple; None where there is none."""
        return None

    def _composed(self, k: int) -> Pair | None:
        """The pair of k releases in closed form, or of the same kind; None where there is none."""
        return self if k == 1 else None

    @abstractmethod
    def _privacy_loss(self, score: Floats) -> Floats:
        """Log dP/dQ at the scores that the two methods below draw."""

    @abstractmethod
    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        """Independent scores with the record in.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray, shape (n,)
        """

    @abstractmethod
    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        """Independent scores with the record out.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray, shape (n,)
        """


class SymmetricPair(PrivacyFunctions, Pair):
    """A pair with T(P→Q) = T(Q→P), so that one direction says it all."""

    @property
    def symmetric(self) -> bool:
        return True

    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        return self._log_profile(epsilon)

    def _symmetric_tradeoff(self, alpha: Floats) -> Floats:
        return np.exp(self._log_rates(alpha)[0])

    def _symmetric_local_mu(self, alpha: Floats) -> Floats:
        return np.asarray(self.local_mu(alpha))
