"""`FunctionPair`: a pair that is known by its privacy profile, its trade-off function, or both.

With δ(ε) the larger of both directions at every ε, the symmetrized trade-off function is that of
all lines that δ implies (Dong, Roth and Su 2022, Proposition 6; the profile is its conjugate)::

    f(α) = max over ε ≥ 0 of max{1 − δ(ε) − e^ε α, e^−ε (1 − δ(ε) − α)}
    1 − f(α) = min over ε of δ(ε) + e^ε α
    δ(ε) = max over α of 1 − f(α) − e^ε α

In each, what is maximized is concave (in e^ε or in α), so a search with one valley finds it to
round-off. The second line has no differences: from a profile, small rates keep their digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from workbench import _checks
from workbench.curves.validation import Floats, quiet
from workbench.pairs.base import SymmetricPair

#: Largest ε at which a profile is asked; above it, δ counts as the one there.
MOST_EPSILON = 700.0

#: Rates on each half of a trade-off function between which its slope is looked for.
_STEEP = 1500

#: Ratio of a golden-section search, and its steps from [0, 700] and from a short interval to
#: round-off, which functions with a kink need.
_GOLDEN, _LONG, _SHORT = (math.sqrt(5) - 1) / 2, 82, 66

#: Steps of a bisection of [0, 700].
_HALVINGS = 62

#: Half of the relative distance of two rates whose difference is a slope.
_APART = 1e-4

#: Points at which functions are checked, and what round-off may make of them.
_CHECKED, _ROUND_OFF = 240, 1e-9

#: What a trade-off function cannot resolve, as 1 − f(α) has round-off: δ is at least this then.
UNRESOLVED = 1e-15

#: By how much a profile and a trade-off function of one pair may differ.
TOLERANCE = 1e-6

#: Scores of each group at most that are drawn to try a function that samples.
_TRIED = 3

Function = Callable[[Any], Any]
Sampler = Callable[[int, np.random.Generator], Any]


class FunctionPair(SymmetricPair):
    """A pair of functions; made by `workbench.Pair.from_functions`, which says what they are."""

    def __init__(
        self,
        profile: Function | None,
        tradeoff: Function | None,
        sample: Sampler | None,
        privacy_loss: Function | None,
        name: str,
        parameters: Mapping[str, Any] | None,
    ) -> None:
        if profile is None and tradeoff is None:
            raise ValueError(
                "a pair needs its profile, ε -> δ(ε), or its trade-off function, α -> f(α); give "
                "profile= or tradeoff="
            )
        functions = {
            "profile": profile, "tradeoff": tradeoff, "sample": sample,
            "privacy_loss": privacy_loss,
        }  # fmt: skip
        for called, function in functions.items():
            if function is not None:
                _checks.function(function, called, "a function of arrays, or None")
        if privacy_loss is not None and sample is None:
            raise ValueError("privacy_loss is of the scores that sample draws; give sample=, too")
        if not _checks.text(name, "name").strip():
            raise ValueError("name must be what charts call the pair, such as 'Logistic, s = 1'")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise ValueError(
                "parameters must be a dict, such as {'scale': 1.0}, got "
                f"{_checks.shown(parameters)}"
            )
        self._name, self._parameters = name, dict(parameters or {})
        self._profile, self._tradeoff = profile, tradeoff
        self._sampler, self._loss = sample, privacy_loss
        if profile is not None:
            _check_profile(self._delta_at)
        if tradeoff is not None:
            _check_tradeoff(self._fnr_at)
        if profile is not None and tradeoff is not None:
            _check_agreement(self._best_line(_ALPHAS)[0], self._fnr_at(_ALPHAS))
        if sample is not None:
            self._drawn(_TRIED, np.random.default_rng(0))

    # -- what it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self._parameters)

    @property
    def _key(self) -> tuple[Any, ...]:
        functions = (self._profile, self._tradeoff, self._sampler, self._loss)
        if not self._parameters:
            return (self._name, *functions)
        # The same functions with the same parameters, which closures are made of each time.
        places = ((getattr(f, "__module__", ""), getattr(f, "__qualname__", f)) for f in functions)
        return (self._name, *self._parameters.items(), *places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionPair):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash((self._name, len(self._key)))

    def __repr__(self) -> str:
        return f"<pair {self._name}>"

    @property
    def total_variation(self) -> float:
        return float(np.exp(self._log_profile(np.zeros(1)))[0])

    # -- the functions as they are given ----------------------------------------------------------

    @quiet()
    def _delta_at(self, epsilon: Floats) -> Floats:
        """δ(ε) for ε ≥ 0, as it is given."""
        epsilon = np.minimum(epsilon, MOST_EPSILON)
        if self._profile is None:
            return self._delta_of_tradeoff(epsilon)
        return _values(self._profile, epsilon, "profile", "ε")

    @quiet()
    def _fnr_at(self, alpha: Floats) -> Floats:
        """f(α), as it is given."""
        if self._tradeoff is None:
            return self._best_line(alpha)[0]
        return np.minimum(_values(self._tradeoff, alpha, "tradeoff", "α"), 1 - alpha)

    # -- what follows -----------------------------------------------------------------------------

    @quiet()
    def _log_profile(self, epsilon: Floats) -> Floats:
        size = np.abs(epsilon)
        log_delta = np.log(self._delta_at(size))
        # H(−ε) = 1 − e^−ε + e^−ε H(ε)
        below = np.logaddexp(np.log(-np.expm1(-size)), log_delta - size)
        return np.where(epsilon >= 0, log_delta, np.minimum(below, 0.0))

    @quiet()
    def _epsilon(self, delta: Floats) -> Floats:
        low, high = np.zeros_like(delta), np.full_like(delta, MOST_EPSILON)
        reached = self._delta_at(high) <= delta
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = self._delta_at(middle) > delta
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        epsilon = np.where(self._delta_at(np.zeros_like(delta)) <= delta, 0.0, high)
        return np.where(reached, epsilon, np.inf)

    @quiet()
    def _log_rates(self, alpha: Floats) -> tuple[Floats, Floats]:
        if self._profile is None:
            fnr = self._fnr_at(alpha)
            return np.log(fnr), np.log1p(-fnr)
        fnr, tpr, _ = self._best_line(alpha)
        if self._tradeoff is not None:
            own = self._fnr_at(alpha)
            fnr = np.where(fnr < TOLERANCE, fnr, own)
        return np.log(fnr), np.log(tpr)

    @quiet()
    def _best_line(self, alpha: Floats) -> tuple[Floats, Floats, Floats]:
        """f(α), 1 − f(α) and the ε of the line that f touches at α, by the profile."""
        # 1 − f(α) is the least of δ(ε) + e^ε α over all real ε.
        ends = np.zeros_like(alpha), np.full_like(alpha, MOST_EPSILON), _LONG
        steep = _least(lambda e: self._delta_at(e) + np.exp(e) * alpha, *ends)
        flat = _least(lambda e: -np.exp(-e) * (1 - alpha - self._delta_at(e)), *ends)
        tpr_of_steep = self._delta_at(steep) + np.exp(steep) * alpha
        fnr_of_flat = np.exp(-flat) * (1 - alpha - self._delta_at(flat))
        of_flat = fnr_of_flat > 1 - tpr_of_steep
        fnr = np.clip(np.where(of_flat, fnr_of_flat, 1 - tpr_of_steep), 0.0, 1.0)
        tpr = np.clip(np.where(of_flat, 1 - fnr_of_flat, tpr_of_steep), 0.0, 1.0)
        return fnr, tpr, np.where(of_flat, -flat, steep)

    @quiet()
    def _delta_of_tradeoff(self, epsilon: Floats) -> Floats:
        """The largest 1 − f(α) − e^ε α, at least `UNRESOLVED`."""
        grid, slopes = self._steps
        slope = np.exp(epsilon)
        vertex = np.searchsorted(-slopes, -slope)  # where the slope of f passes −e^ε
        low, high = grid[np.maximum(vertex - 1, 0)], grid[np.minimum(vertex + 1, grid.size - 1)]

        def lost(alpha: Floats) -> Floats:
            return slope * alpha - (1 - self._fnr_at(alpha))

        best = np.maximum(-lost(_least(lost, low, high, _SHORT)), -lost(grid[vertex]))
        revealed = 1 - self._fnr_at(np.zeros_like(epsilon))
        return np.maximum(np.maximum(best, revealed), UNRESOLVED)

    @cached_property
    def _steps(self) -> tuple[Floats, Floats]:
        """Rates α, and how steeply f falls between them."""
        half = np.geomspace(1e-17, 0.5, _STEEP)
        grid = np.r_[0.0, half, 1 - half[-2::-1]]
        grid = grid[np.r_[True, np.diff(grid) > 0]]
        steep = -np.diff(self._fnr_at(grid)) / np.diff(grid)
        return grid, np.maximum.accumulate(steep[::-1])[::-1]

    @quiet()
    def _revealing_alphas(self, floor: float) -> Floats:
        # Both rates are exchanged by symmetry: the half up to f(α) = α has all local μ.
        middle = (1 - self.total_variation) / 2
        if not middle > floor:
            return np.array([floor])
        grid = np.geomspace(floor, middle, 2 * _CHECKED + 1)
        mu = np.asarray(self.local_mu(grid))
        around = int(np.argmax(mu))
        low, high = grid[max(around - 1, 0)], grid[min(around + 1, grid.size - 1)]
        return np.r_[grid, np.linspace(low, high, _CHECKED)]

    @quiet()
    def _slope_at(self, alpha: Floats) -> Floats:
        """Log of how steeply f falls at α, the privacy loss there; ∞ where only P is."""
        apart = _APART * np.minimum(alpha, 1 - alpha)
        steep = (self._fnr_at(alpha - apart) - self._fnr_at(alpha + apart)) / (2 * apart)
        revealed = (alpha == 0) & (self._fnr_at(np.zeros_like(alpha)) < 1)
        return np.where(revealed, np.inf, np.where(alpha == 1, -np.inf, np.log(steep)))

    # -- scores -----------------------------------------------------------------------------------

    def draw_p(self, n: int, rng: np.random.Generator) -> Floats:
        if self._sampler is not None:
            return self._drawn(n, rng)[0]
        # Of a uniform α under Q, the optimal test's rate has the distribution 1 − f under P, and
        # f is its own inverse.
        return -self._fnr_at(rng.random(n))

    def draw_q(self, n: int, rng: np.random.Generator) -> Floats:
        if self._sampler is not None:
            return self._drawn(n, rng)[1]
        return -rng.random(n)

    def _drawn(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """What the given function draws (ValueError for anything but n finite numbers each)."""
        drawn = self._sampler(n, rng) if self._sampler is not None else ()
        if not (isinstance(drawn, tuple | list) and len(drawn) == 2):
            raise ValueError(
                f"sample(n, rng) must return the scores of P and of Q, got {_checks.shown(drawn)}"
            )
        for side, scores in zip("PQ", drawn, strict=True):
            if np.shape(scores) != (n,):
                raise ValueError(
                    f"sample(n, rng) must return n scores of {side}, got the shape "
                    f"{np.shape(scores)} for n = {n}"
                )
        p, q = (_checks.array(scores, "what sample returns") for scores in drawn)
        return p, q

    def _privacy_loss(self, score: Floats) -> Floats:
        if self._sampler is None and self._profile is not None:
            return self._best_line(np.clip(-score, 0.0, 1.0))[2]
        if self._sampler is None:
            return self._slope_at(np.clip(-score, 0.0, 1.0))
        if self._loss is None:
            raise ValueError(
                f"the privacy loss of a score of {self.name} is not known; give privacy_loss= to "
                "wb.Pair.from_functions, the log of dP/dQ at a score that sample draws"
            )
        return np.asarray(self._loss(score), dtype=float)


# -- the checks ------------------------------------------------------------------------------------

#: ε and α at which functions are checked.
_EPSILONS = np.r_[0.0, np.geomspace(1e-3, MOST_EPSILON, _CHECKED)]
_ALPHAS = np.r_[0.0, np.geomspace(1e-9, 0.5, _CHECKED), 1 - np.geomspace(0.5, 1e-9, _CHECKED), 1.0]


def _values(function: Function, at: Floats, name: str, symbol: str) -> Floats:
    """What a function gives, in [0, 1] (ValueError with the first bad value)."""
    try:
        found = np.asarray(function(at), dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must take an array of {symbol}, and failed: {error}; write it with numpy's "
            "functions, or wrap it in numpy.vectorize"
        ) from None
    if found.shape != at.shape:
        raise ValueError(
            f"{name} must return an array of the shape of {symbol}, {at.shape}, got {found.shape}; "
            "write it with numpy's functions, or wrap it in numpy.vectorize"
        )
    bad = ~((found >= -_ROUND_OFF) & (found <= 1 + _ROUND_OFF))
    if bad.any():
        where = np.unravel_index(int(np.argmax(bad)), bad.shape)
        raise ValueError(
            f"{name} must lie in [0, 1], got {found[where]!r} at {symbol} = {at[where]:g}"
        )
    return np.clip(found, 0.0, 1.0)


def _check_profile(profile: Function) -> None:
    """Refuse a function that is no privacy profile."""
    delta = profile(_EPSILONS)
    rises = np.diff(delta) > _ROUND_OFF * delta[:-1] + 1e-300
    if rises.any():
        i = int(np.argmax(rises))
        raise ValueError(
            f"profile must fall as ε rises, got δ = {delta[i]:.6g} at ε = {_EPSILONS[i]:g} and "
            f"{delta[i + 1]:.6g} at {_EPSILONS[i + 1]:g}"
        )
    first, middle, last = _EPSILONS[:-2], _EPSILONS[1:-1], _EPSILONS[2:]
    share = np.expm1(middle - first) / np.expm1(last - first)
    chord = (1 - share) * delta[:-2] + share * delta[2:]
    above = delta[1:-1] > chord * (1 + _ROUND_OFF) + 1e-15
    if above.any():
        i = int(np.argmax(above))
        raise ValueError(
            f"profile must be convex in e^ε, got δ = {delta[i + 1]:.6g} at ε = {middle[i]:g}, "
            f"above the chord of its neighbors, {chord[i]:.6g}"
        )
    # H as a function of e^ε is convex through e^0, where both directions meet.
    least = delta[0] - np.expm1(_EPSILONS[1:]) * (1 - delta[0]) / 2
    if (delta[1:] < least - 1e-12).any():
        i = int(np.argmax(delta[1:] < least - 1e-12)) + 1
        raise ValueError(
            f"no pair has this profile: δ falls from {delta[0]:.6g} at ε = 0 to {delta[i]:.6g} at "
            f"ε = {_EPSILONS[i]:g}, and {least[i - 1]:.6g} is the least that is possible there"
        )


def _check_tradeoff(tradeoff: Function) -> None:
    """Refuse a function that is no symmetric trade-off function."""
    alpha, beta = _ALPHAS, tradeoff(_ALPHAS)
    rises = np.diff(beta) > _ROUND_OFF
    if rises.any():
        i = int(np.argmax(rises))
        raise ValueError(
            f"tradeoff must fall as α rises, got f = {beta[i]:.6g} at α = {alpha[i]:g} and "
            f"{beta[i + 1]:.6g} at {alpha[i + 1]:g}"
        )
    share = (alpha[1:-1] - alpha[:-2]) / (alpha[2:] - alpha[:-2])
    chord = (1 - share) * beta[:-2] + share * beta[2:]
    above = beta[1:-1] > chord + _ROUND_OFF
    if above.any():
        i = int(np.argmax(above))
        raise ValueError(
            f"tradeoff must be convex, got f = {beta[i + 1]:.6g} at α = {alpha[i + 1]:g}, above "
            f"the chord of its neighbors, {chord[i]:.6g}"
        )
    inner = (beta > 1e-6) & (alpha > 1e-6)
    back = tradeoff(beta[inner])
    apart = np.abs(back - alpha[inner]) > TOLERANCE
    if apart.any():
        i = int(np.argmax(apart))
        raise ValueError(
            f"tradeoff must be its own inverse, got f = {beta[inner][i]:.6g} at "
            f"α = {alpha[inner][i]:.6g} and f = {back[i]:.6g} there; give the lower convex hull of "
            "both directions, such as wb.TradeoffCurve(alpha, beta).symmetrized().tradeoff"
        )


def _check_agreement(of_profile: Floats, own: Floats) -> None:
    """Refuse a profile and a trade-off function of two pairs."""
    apart = np.abs(of_profile - own)
    i = int(np.argmax(apart))
    if apart[i] > TOLERANCE:
        raise ValueError(
            f"profile and tradeoff are of two pairs: at α = {_ALPHAS[i]:.6g} the profile gives "
            f"f = {of_profile[i]:.6g} and tradeoff {own[i]:.6g}"
        )


def _least(function: Callable[[Floats], Floats], low: Floats, high: Floats, steps: int) -> Floats:
    """Where functions with one valley are least on [low, high], elementwise, by golden section."""
    first = low
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(steps):
        down = at_left <= at_right  # a flat piece lies after the valley
        low, high = np.where(down, low, left), np.where(down, right, high)
        kept, at_kept = np.where(down, left, right), np.where(down, at_left, at_right)
        new = np.where(down, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_new = function(new)
        left, right = np.where(down, new, kept), np.where(down, kept, new)
        at_left, at_right = np.where(down, at_new, at_kept), np.where(down, at_kept, at_new)
    ends = np.stack([low, (low + high) / 2, high, first])
    values = np.stack([function(end) for end in ends])
    return np.take_along_axis(ends, np.argmin(values, axis=0)[None], axis=0)[0]
