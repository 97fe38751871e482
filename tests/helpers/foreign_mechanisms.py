"""Mechanisms with the interfaces of three public tools, written anew from their papers.

- `auditorium`: objects that are called with ``(data, num_samples)``, made of a configuration and a
  generator (Kong, Muñoz Medina, Ribero and Syed 2023).
- `statdp`: functions of ``(prng, queries, epsilon, ...)`` that return one output (Ding, Wang, Wang,
  Zhang and Kifer 2018, Figures 1 to 9; the others as of DP-Sniper).
- `sniper`: objects with a method ``m(a, n_samples)``, which draw from numpy's global generator
  (Bichsel, Steffen, Bogunovic and Vechev 2021, Table 1).

The sparse vector techniques are Algorithms 1 to 6 of Lyu, Su and Li (2017).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Foreign:
    """A mechanism of another tool, and stated neighbors.

    Attributes
    ----------
    mechanism : object
    claim : str
    pair : tuple of two datasets
    broken : bool
        Whether a few thousand runs on the pair refute the claim.
    """

    mechanism: Any
    claim: str
    pair: tuple[Any, Any]
    broken: bool = False


# -- objects that are called with (data, num_samples) ----------------------------------------------


class Answer(enum.Enum):
    NONE = 0
    ABOVE = 1
    BELOW = 2


@dataclass
class MeanConfig:
    epsilon: float
    noisy_mean: bool = True
    noisy_scale: bool = True
    gaussian: bool = False


class Mean:
    """The mean of values in [0, 1], by a noisy sum over a noisy or a true count."""

    def __init__(self, config: MeanConfig, rng: np.random.Generator):
        self._config, self._rng = config, rng
        self._draw = rng.normal if config.gaussian else rng.laplace  # a method of the generator

    def __call__(self, data: np.ndarray, num_samples: int) -> np.ndarray:
        half = self._config.epsilon / 2
        count = np.maximum(len(data) + self._rng.laplace(0, 1 / half, (num_samples, 1)), 1e-12)
        mean_count = count if self._config.noisy_mean else len(data)
        scale_count = count if self._config.noisy_scale else len(data)
        factor = np.sqrt(2 * np.log(1.25e5)) if self._config.gaussian else 1.0
        scale = np.broadcast_to(factor / half / scale_count, (num_samples, 1))
        return np.clip(data, 0, 1).sum() / mean_count + self._draw(0.0, scale)


@dataclass
class ThresholdConfig:
    epsilon: float
    threshold: float = 0.5
    answered: int = 1


class Threshold:
    """A sparse vector technique: noise of the threshold and of the queries, and what is told."""

    threshold_scale, query_scale, stops, tells = 2.0, 4.0, True, False

    def __init__(self, config: ThresholdConfig, rng: np.random.Generator):
        self.config, self._rng = config, rng

    def __call__(self, data: np.ndarray, num_samples: int) -> np.ndarray:
        shape = num_samples, len(data)
        epsilon = self.config.epsilon
        noise = self._rng.laplace(0, max(self.query_scale, 1e-9) / epsilon, shape)
        noisy = np.asarray(data) + (noise if self.query_scale else 0.0)
        limit = self.config.threshold + self._rng.laplace(
            0, self.threshold_scale / epsilon, (num_samples, 1)
        )
        above = noisy >= limit
        out = np.where(above, noisy if self.tells else Answer.ABOVE, Answer.BELOW)
        if self.stops:
            before = np.cumsum(above, axis=1) - above
            out[before >= self.config.answered] = Answer.NONE
        return out


class Threshold2(Threshold):
    threshold_scale, query_scale = 4.0, 4.0


class Threshold3(Threshold):
    query_scale, tells = 2.0, True


class Threshold4(Threshold):
    threshold_scale, query_scale = 4.0, 4 / 3


class Threshold5(Threshold):
    query_scale, stops = 0.0, False


class Threshold6(Threshold):
    query_scale, stops = 2.0, False


class Selection:
    """The most frequent of some elements, by Gumbel noise: a number, or its name."""

    def __init__(self, epsilon: float, elements: list[Any], rng: np.random.Generator, named=False):
        self.epsilon, self.elements, self.rng, self.named = epsilon, elements, rng, named

    def __call__(self, data: np.ndarray, num_samples: int) -> np.ndarray:
        counts = [int(np.sum(np.asarray(data) == k)) for k in range(len(self.elements))]
        noise = self.rng.gumbel(scale=2 / self.epsilon, size=(num_samples, len(counts)))
        best = np.argmax(counts + noise, axis=1)
        return np.array(self.elements)[best] if self.named else best


class Histogram:
    """Noisy counts of bins as dictionaries; keys of empty bins may be left out."""

    def __init__(self, epsilon: float, bins: int, rng: np.random.Generator, all_bins: bool = True):
        self.epsilon, self.bins, self.all_bins, self.rng = epsilon, bins, all_bins, rng

    def __call__(self, data: list[int], num_samples: int) -> list[dict[str, float]]:
        counts = np.bincount(np.asarray(data, dtype=int), minlength=self.bins)
        kept = [k for k in range(self.bins) if self.all_bins or counts[k]]
        noise = self.rng.laplace(scale=1 / self.epsilon, size=(num_samples, self.bins))
        return [{f"bin {k}": float(counts[k] + row[k]) for k in kept} for row in noise]


class Median:
    """A median of whole numbers up to 10 by the exponential mechanism."""

    def __init__(self, epsilon: float, rng: np.random.Generator):
        self.epsilon, self.rng = epsilon, rng

    def __call__(self, data: np.ndarray, num_samples: int) -> np.ndarray:
        places = np.arange(11)
        below = (np.asarray(data)[:, None] < places).sum(axis=0)
        above = (np.asarray(data)[:, None] > places).sum(axis=0)
        utility = -np.abs(below - above) / 2
        weights = np.exp(self.epsilon * utility / 2)
        return self.rng.choice(places, size=num_samples, p=weights / weights.sum())


class GradientDescent:
    """The last iterate of noisy gradient descent on a mean, of clipped gradients."""

    def __init__(self, noise: float, steps: int, rng: np.random.Generator):
        self.noise, self.steps, self._generator = noise, steps, rng

    def __call__(self, data: np.ndarray, num_samples: int) -> np.ndarray:
        weights = np.zeros((num_samples, 1))
        for _ in range(self.steps):
            gradients = np.clip(weights - np.asarray(data)[None, :], -1, 1).sum(axis=1)
            noise = self._generator.normal(0, self.noise, num_samples)
            weights = weights - 0.1 * (gradients + noise)[:, None]
        return weights


def auditorium() -> dict[str, Foreign]:
    """Twenty objects by name."""
    rng = np.random.default_rng(1)
    ones, zeros = np.ones(4), np.zeros(4)
    tall, flat = np.r_[np.ones(4), np.zeros(4)], np.r_[np.zeros(4), np.ones(4)]
    one_more = np.r_[1.0, 1.0], np.array([1.0])

    def mean(**more: Any) -> Mean:
        return Mean(MeanConfig(1.0, **more), rng)

    def svt(kind: type[Threshold]) -> Threshold:
        return kind(ThresholdConfig(1.0), rng)

    return {
        "laplace-mean": Foreign(mean(), "pure(1)", one_more),
        "laplace-mean-true-count": Foreign(mean(noisy_mean=False), "pure(0.1)", one_more, True),
        "laplace-mean-true-scale": Foreign(mean(noisy_scale=False), "pure(1)", one_more, True),
        "laplace-mean-exact-counts": Foreign(
            mean(noisy_mean=False, noisy_scale=False), "pure(0.1)", one_more, True
        ),
        "gaussian-mean": Foreign(mean(gaussian=True), "approx(1, 0.01)", one_more),
        "gaussian-mean-exact-counts": Foreign(
            mean(gaussian=True, noisy_mean=False, noisy_scale=False),
            "approx(1, 0.01)",
            one_more,
            True,
        ),
        "svt1": Foreign(svt(Threshold), "pure(1)", (zeros, ones)),
        "svt2": Foreign(svt(Threshold2), "pure(1)", (zeros, ones)),
        "svt3": Foreign(svt(Threshold3), "pure(0.2)", (tall, flat), True),
        "svt4": Foreign(svt(Threshold4), "pure(0.2)", (tall, flat), True),
        "svt5": Foreign(svt(Threshold5), "pure(1)", (tall, flat), True),
        "svt6": Foreign(svt(Threshold6), "pure(1)", (tall, flat), True),
        "noisy-max": Foreign(Selection(1.0, [*"abc"], rng), "pure(1)", ([0, 1, 1], [0, 1])),
        "noisy-max-named": Foreign(
            Selection(1.0, ["a", "b"], rng, True), "pure(1)", ([0, 1, 1], [0, 1])
        ),
        "histogram": Foreign(Histogram(1.0, 3, rng), "pure(1)", ([0, 1, 1], [0, 1])),
        "histogram-without-empty-bins": Foreign(
            Histogram(1.0, 3, rng, False), "pure(1)", ([0, 1, 2], [0, 1]), True
        ),
        "median": Foreign(Median(1.0, rng), "pure(1)", ([1, 9], [1, 9, 9])),
        "median-weak": Foreign(Median(8.0, rng), "pure(1)", ([1, 9], [1, 9, 9]), True),
        "gradient-descent": Foreign(GradientDescent(8.0, 2, rng), "approx(1, 1e-3)", one_more),
        "gradient-descent-scaled": Foreign(GradientDescent(0.2, 2, rng), "gdp(1)", one_more, True),
    }


# -- functions of (prng, queries, epsilon, ...) ----------------------------------------------------


def noisy_max_laplace(prng, queries, epsilon):
    return int(np.argmax(np.asarray(queries) + prng.laplace(scale=2 / epsilon, size=len(queries))))


def noisy_max_laplace_value(prng, queries, epsilon):
    return max(np.asarray(queries) + prng.laplace(scale=2 / epsilon, size=len(queries)))


def noisy_max_exponential(prng, queries, epsilon):
    return int(np.argmax([q + prng.exponential(2 / epsilon) for q in queries]))


def noisy_max_exponential_value(prng, queries, epsilon):
    return max(q + prng.exponential(2 / epsilon) for q in queries)


def first_count(prng, queries, epsilon):
    return queries[0] + prng.laplace(scale=1 / epsilon)


def first_count_wrong_scale(prng, queries, epsilon):
    return queries[0] + prng.laplace(scale=epsilon)


def counts(prng, queries, epsilon):
    return [q + prng.laplace(scale=1 / epsilon) for q in queries]


def sorted_counts(prng, queries, epsilon):
    return sorted(counts(prng, queries, epsilon))


def partial_sums(prng, queries, epsilon):
    total, out = 0.0, []
    for q in queries:
        total += q + prng.laplace(scale=1 / epsilon)
        out.append(total)
    return out


def parallel(prng, queries, epsilon, n_parallel):
    return [first_count(prng, queries, epsilon) for _ in range(n_parallel)]


def _svt(prng, queries, limit, scale, most, tell=None):
    """Answers up to the ``most``-th above the limit; ``tell`` says what is told above."""
    out = []
    for q in queries:
        noisy = q + (prng.laplace(scale=scale) if scale else 0.0)
        above = noisy >= limit
        out.append(bool(above) if not above or tell is None else tell(q, noisy))
        if above and out.count(False) < len(out) - most + 1:
            break
    return out


def svt_falses(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=2 / epsilon)
    return _svt(prng, queries, limit, 4 * N / epsilon, N).count(False)


def svt_answers(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=2 / epsilon)
    return _svt(prng, queries, limit, 4 * N / epsilon, N)


def svt_no_noise(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=2 / epsilon)
    return [bool(q >= limit) for q in queries]


def svt_no_limit(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=2 / epsilon)
    return [bool(q + prng.laplace(scale=2 / epsilon) >= limit) for q in queries]


def svt_little_noise(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=4 / epsilon)
    return _svt(prng, queries, limit, 4 / (3 * epsilon), N)


def svt_tells(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=2 / epsilon)
    found = _svt(prng, queries, limit, 2 * N / epsilon, N, lambda q, noisy: float(noisy))
    return found.count(False), found[-1]


def svt_numerical(prng, queries, epsilon, N, T):
    limit = T + prng.laplace(scale=3 / epsilon)

    def tell(q, noisy):
        return float(q + prng.laplace(scale=3 * N / epsilon))

    return _svt(prng, queries, limit, 6 * N / epsilon, N, tell)


def svt_both(prng, queries, epsilon, N, T):
    found = list(svt_tells(prng, queries, epsilon, N, T))
    other = svt_little_noise(prng, queries, epsilon, N, T)
    return found + other + [None] * (len(queries) - len(other))


def bloom_report(prng, queries, epsilon, f):
    bits = [hash((int(queries[0]), k)) % 8 for k in range(2)]
    report = [float(k in bits) for k in range(8)]
    return [float(prng.random() < 0.5) if prng.random() < f else bit for bit in report]


def truncated_geometric(prng, queries, epsilon, n):
    noise = prng.geometric(1 - np.exp(-epsilon)) - prng.geometric(1 - np.exp(-epsilon))
    return [int(np.clip(int(queries[0]) + noise, 0, n))]


def statdp() -> dict[str, Foreign]:
    """Twenty functions by name, with their parameters."""
    apart = [1.0] * 5, [0.0] * 5
    turned = [1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]
    one = [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]

    def of(function: Callable[..., Any], claim: str, pair: Any, broken=False, **more: Any):
        return Foreign(functools.partial(function, epsilon=1.0, **more), claim, pair, broken)

    svt: dict[str, Any] = {"N": 1, "T": 0.5}
    listed = [
        of(noisy_max_laplace, "pure(1)", turned),
        of(noisy_max_laplace_value, "pure(0.1)", apart, True),
        of(noisy_max_exponential, "pure(1)", turned),
        of(noisy_max_exponential_value, "pure(0.1)", apart, True),
        of(first_count, "pure(1)", one),
        of(first_count_wrong_scale, "pure(0.1)", one, True),
        of(counts, "pure(1)", one),
        of(sorted_counts, "pure(1)", one),
        of(partial_sums, "pure(0.3)", apart, True),
        of(parallel, "pure(1)", one, True, n_parallel=20),
        of(svt_falses, "pure(1)", turned, **svt),
        of(svt_answers, "pure(1)", turned, **svt),
        of(svt_no_noise, "pure(1)", turned, True, **svt),
        of(svt_no_limit, "pure(1)", turned, True, **svt),
        of(svt_little_noise, "pure(0.2)", turned, True, **svt),
        of(svt_tells, "pure(0.2)", turned, True, **svt),
        of(svt_numerical, "pure(1)", turned, **svt),
        of(svt_both, "pure(0.2)", turned, True, **svt),
        of(bloom_report, "pure(0.5)", ([1.0], [2.0]), True, f=0.3),
        of(truncated_geometric, "pure(1)", ([2], [1]), n=5),
    ]
    return {one.mechanism.func.__name__: one for one in listed}


# -- objects with a method m(a, n_samples) ---------------------------------------------------------


class Sniped:
    """A mechanism that draws from numpy's global generator; ``eps`` is its claim."""

    def __init__(self, eps: float = 1.0):
        self.eps = eps

    def m(self, a, n_samples: int = 1):
        raise NotImplementedError


def _laplace(scale, *size):
    return np.random.laplace(scale=scale, size=size)  # noqa: NPY002


class Laplace(Sniped):
    def m(self, a, n_samples: int = 1):
        return a[0] + _laplace(1 / self.eps, n_samples)


class Geometric(Sniped):
    def m(self, a, n_samples: int = 1):
        noise = np.random.geometric(1 - np.exp(-self.eps), (2, n_samples))  # noqa: NPY002
        return np.clip(int(a.item(0)) + noise[0] - noise[1], 0, 5)


class NoisyHist(Sniped):
    def m(self, a, n_samples: int = 1):
        return a + _laplace(1 / self.eps, n_samples, a.shape[0])


class NoisyHistWrong(Sniped):
    def m(self, a, n_samples: int = 1):
        return a + _laplace(self.eps / 10, n_samples, a.shape[0])


class ReportMax(Sniped):
    value = False

    def noise(self, *size):
        return _laplace(2 / self.eps, *size)

    def m(self, a, n_samples: int = 1):
        noisy = a + self.noise(n_samples, a.shape[0])
        return noisy.max(axis=1) if self.value else noisy.argmax(axis=1)


class ReportMaxExponential(ReportMax):
    def noise(self, *size):
        return np.random.exponential(2 / self.eps, size)  # noqa: NPY002


class ReportMaxValue(ReportMax):
    value = True


class ReportMaxExponentialValue(ReportMaxExponential):
    value = True


class SparseVector(Sniped):
    limit_scale, query_scale, stops, tells, t = 2.0, 4.0, True, False, 0.5

    def m(self, a, n_samples: int = 1):
        noisy = np.atleast_2d(a) + self.query_scale * _laplace(1 / self.eps, n_samples, a.shape[0])
        above = noisy >= self.t + _laplace(self.limit_scale / self.eps, n_samples, 1)
        out = np.where(above, noisy, -1000.0) if self.tells else above.astype(int)
        if self.stops:
            out[np.cumsum(above, axis=1) - above >= 1] = -2000 if self.tells else -1
        return out


class SparseVector2(SparseVector):
    limit_scale = 4.0


class SparseVector3(SparseVector):
    query_scale, tells = 2.0, True


class SparseVector4(SparseVector):
    limit_scale, query_scale = 4.0, 4 / 3


class SparseVector5(SparseVector):
    query_scale, stops = 0.0, False


class SparseVector6(SparseVector):
    query_scale, stops = 2.0, False


class NumericalSparseVector(Sniped):
    t = 0.5

    def m(self, a, n_samples: int = 1):
        shape = n_samples, a.shape[0]
        above = a + _laplace(6 / self.eps, *shape) >= self.t + _laplace(3 / self.eps, n_samples, 1)
        out = np.where(above, a + _laplace(3 / self.eps, *shape), 0.0)
        out[np.cumsum(above, axis=1) - above >= 1] = -1000.0
        return out


class Rappor(Sniped):
    """A permanent report of a Bloom filter, and a report of that report if it is not one time."""

    def __init__(self, f: float = 0.75, once: bool = False, prng=None):
        self.f, self.once = f, once
        self.prng = np.random.default_rng() if prng is None else prng

    def m(self, a, n_samples: int = 1):
        bits = np.zeros((n_samples, 8))
        bits[:, [hash((int(a.item(0)), k)) % 8 for k in range(2)]] = 1
        coins = self.prng.random((2, *bits.shape))
        bits = np.where(coins[0] < self.f, coins[1] < 0.5, bits)
        if self.once:
            return bits.astype(float)
        again = np.random.random(bits.shape)  # noqa: NPY002
        return (again < np.where(bits == 1, 0.55, 0.45)).astype(float)


class LaplaceParallel(Sniped):
    def m(self, a, n_samples: int = 1):
        return a[0] + _laplace(20 / self.eps, n_samples, 20)


class SparseVectorsInParallel(Sniped):
    def m(self, a, n_samples: int = 1):
        both = SparseVector3(self.eps), SparseVector4(self.eps)
        return np.hstack([one.m(a, n_samples) for one in both])


class PrefixSum(Sniped):
    def m(self, a, n_samples: int = 1):
        return np.cumsum(a + _laplace(1 / self.eps, n_samples, a.shape[0]), axis=1)


def sniper() -> dict[str, Foreign]:
    """Twenty objects by name."""
    apart = np.ones(5), np.zeros(5)
    turned = np.r_[np.ones(2), np.zeros(3)], np.r_[np.zeros(2), np.ones(3)]
    one = np.array([1.0]), np.array([0.0])
    bin_more = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0])
    return {
        "laplace": Foreign(Laplace(), "pure(1)", one),
        "geometric": Foreign(Geometric(), "pure(1)", one),
        "noisy-hist": Foreign(NoisyHist(), "pure(1)", bin_more),
        "noisy-hist-wrong": Foreign(NoisyHistWrong(), "pure(1)", bin_more, True),
        "max": Foreign(ReportMax(), "pure(1)", turned),
        "max-exponential": Foreign(ReportMaxExponential(), "pure(1)", turned),
        "max-value": Foreign(ReportMaxValue(), "pure(0.1)", apart, True),
        "max-exponential-value": Foreign(ReportMaxExponentialValue(), "pure(0.1)", apart, True),
        "svt1": Foreign(SparseVector(), "pure(1)", turned),
        "svt2": Foreign(SparseVector2(), "pure(1)", turned),
        "svt3": Foreign(SparseVector3(), "pure(0.2)", turned, True),
        "svt4": Foreign(SparseVector4(), "pure(0.2)", turned, True),
        "svt5": Foreign(SparseVector5(), "pure(1)", turned, True),
        "svt6": Foreign(SparseVector6(), "pure(0.2)", turned, True),
        "svt-numerical": Foreign(NumericalSparseVector(), "pure(1)", turned),
        "rappor": Foreign(Rappor(), "pure(1)", (np.array([1]), np.array([2]))),
        "one-time-rappor": Foreign(
            Rappor(0.3, True), "pure(0.5)", (np.array([1]), np.array([2])), True
        ),
        "laplace-parallel": Foreign(LaplaceParallel(), "pure(1)", one),
        "svt34": Foreign(SparseVectorsInParallel(), "pure(0.2)", turned, True),
        "prefix-sum": Foreign(PrefixSum(), "pure(0.3)", apart, True),
    }
