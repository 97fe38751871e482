"""Hockey-stick divergences of a mixture of Gaussians against one of its components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from workbench.curves.gdp import gaussian_log_profile
from workbench.curves.newton import newton
from workbench.curves.validation import Floats, quiet

#: The farthest threshold over s, whose square a float holds.
_FARTHEST = 1e150

#: Numbers in the largest matrix of points and components, 16 MB.
_AT_ONCE = 2_000_000


class GaussianMixture(ABC):
    """P = Σ w_k N(x_k, s²) with x_k ≥ 0 against Q = N(0, s²), in units of s.

    The likelihood ratio r(x) = Σ w_k e^{η_k(x)}, η_k(x) = x_k (x − x_k/2)/s², rises with x, so the
    optimal test has one threshold. With the profile δ_μ of the Gaussian pair, at the x where
    r(x) = e^ε (e^−ε in the second line)::

        H_{e^ε}(P‖Q) = Σ_{x_k > 0} w_k δ_{x_k/s}(η_k(x))
        H_{e^ε}(Q‖P) = e^ε Σ_{x_k > 0} w_k e^{η_k(x)} δ_{x_k/s}(−η_k(x))
    """

    @property
    @abstractmethod
    def _counts(self) -> tuple[Floats, Floats]:
        """The positive x_k/s and the logs of their weights."""

    @property
    @abstractmethod
    def _log_unused(self) -> float:
        """Log of the weight of x_k = 0."""

    def _summed(self, log_term: Callable[[Floats, Floats], Floats], z: Floats) -> Floats:
        """Log of Σ_{k>0} w_k e^{log_term(k/s, z)}, for each z."""
        mu, log_w = self._counts
        flat = np.atleast_1d(z).ravel()
        found = np.empty(flat.size)
        rows = max(_AT_ONCE // mu.size, 1)
        for start in range(0, flat.size, rows):
            part = flat[start : start + rows, None]
            found[start : start + rows] = _log_sum(log_w + log_term(mu, part))
        return found.reshape(np.shape(z))

    def _log_ratio_used(self, z: Floats) -> Floats:
        """Log of r − w_0 at x = s z, a convex function with a slope of at least 1/s."""
        return self._summed(_log_ratio, z)

    def _log_ratio(self, z: Floats) -> Floats:
        return np.logaddexp(self._log_unused, self._log_ratio_used(z))

    @quiet()
    def _threshold(self, log_ratio: Floats) -> Floats:
        """The z at which r(s z) has a logarithm above that of w_0."""
        gap = self._log_unused - log_ratio
        target = log_ratio + np.log(-np.expm1(np.where(gap < 0, gap, -np.inf)))
        mu, log_w = self._counts
        mass = logsumexp(log_w)
        mean, square = (np.exp(logsumexp(log_w - mass + e * np.log(mu))) for e in (1, 2))
        # Jensen's inequality: the convex function is to the left of a line, from where Newton's
        # method comes down to the root.
        start = np.clip((target - mass + square / 2) / mean, -_FARTHEST, _FARTHEST)

        def step(z: Floats) -> Floats:
            value = self._log_ratio_used(z)
            slope = np.exp(self._summed(_log_slope, z) - value)
            return (target - value) / slope

        return newton(step, start, -_FARTHEST, start)

    @quiet()
    def _log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        finite = np.isfinite(epsilon)
        log_h, positive = np.empty_like(epsilon), np.where(finite, np.abs(epsilon), 0.0)
        # Below ε = 0 the other direction tells: H_{e^ε}(P‖Q) = 1 − e^ε + e^ε H_{e^−ε}(Q‖P).
        forward = (epsilon >= 0) if direction == "P‖Q" else (epsilon <= 0)
        log_h[forward] = self._log_forward(self._threshold(positive[forward]))
        log_h[~forward] = self._log_backward(positive[~forward])
        rest = np.logaddexp(np.log(-np.expm1(-positive)), -positive + log_h)
        ends = np.where(epsilon > 0, -np.inf, 0.0)
        return np.minimum(np.where(finite, np.where(epsilon >= 0, log_h, rest), ends), 0.0)

    def _log_forward(self, z: Floats) -> Floats:
        """Log of H_{e^ε}(P‖Q) at the ε with the threshold s z."""
        return self._summed(lambda mu, z: gaussian_log_profile(mu, _log_ratio(mu, z)), z)

    def _log_backward(self, epsilon: Floats) -> Floats:
        """Log of H_{e^ε}(Q‖P) for ε > 0."""
        inside = -epsilon > self._log_unused
        z = self._threshold(np.where(inside, -epsilon, 0.0))

        def log_term(mu: Floats, z: Floats) -> Floats:
            eta = _log_ratio(mu, z)
            return np.asarray(eta + gaussian_log_profile(mu, -eta))

        return np.where(inside, epsilon + self._summed(log_term, z), -np.inf)


def _log_sum(terms: Floats) -> Floats:
    """Log of the sum of e^terms over the last axis.

    As scipy's logsumexp to the last digit, whose checks take several times as long as the sum of a
    few terms: the largest terms are kept apart from the others.
    """
    top = terms.max(axis=-1, keepdims=True)
    largest = terms == top
    times = largest.sum(axis=-1, dtype=float)
    shift = np.where(np.isfinite(top), top, 0.0)
    others = np.exp(np.where(largest, -np.inf, terms) - shift).sum(axis=-1)
    top = top[..., 0]
    found = np.log1p(others / np.maximum(times, 1.0)) + np.log(np.maximum(times, 1.0)) + top
    return np.asarray(np.where(np.isfinite(top), found, top))


def _log_ratio(mu: Floats, z: Floats) -> Floats:
    return mu * (z - mu / 2)


def _log_slope(mu: Floats, z: Floats) -> Floats:
    return np.log(mu) + _log_ratio(mu, z)
