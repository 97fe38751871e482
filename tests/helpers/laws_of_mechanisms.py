"""Outcomes of the gallery's mechanisms, and their exact laws, by name.

The laws are worked out by closed forms and one-dimensional integrals, on outcomes that divide up
the outputs. A law is that of one dataset of the pair of the card; only on that pair it has to hold.
"""

import itertools
import math

import numpy as np
from scipy import stats

from workbench.mechanisms.local_protocols.hashing import FUNCTIONS, hash_table
from workbench.mechanisms.local_protocols.rappor import bits_of


def line(distribution, tails=25.0, points=40_001):
    """Nodes and weights for integrals over a distribution that may have a kink at its middle."""
    x = distribution.mean() + distribution.std() * np.linspace(-tails, tails, points)
    weights = distribution.pdf(x)
    return x, weights / weights.sum()


class Scalar:
    """Outcomes: bins of a number; law: a distribution function."""

    def __init__(self, cdf, edges):
        self.cdf, self.edges = cdf, np.unique(edges)

    def law(self, dataset):
        f = self.cdf(np.asarray(dataset), self.edges)
        return np.diff(np.concatenate([[0.0], f, [1.0]]))

    def codes(self, outputs):
        return np.searchsorted(self.edges, outputs.reshape(len(outputs), -1)[:, -1])


def around(*middles):
    steps = np.geomspace(1e-3, 30, 20)
    return np.concatenate([[m, *(m + steps), *(m - steps)] for m in middles])


def noisy_ratio(noise, top, bottom, counting=None):
    """(top + noise) / max(1e-12, n + noise'), or mean + noise / … where ``bottom`` is the mean."""

    def cdf(x, edges):
        count, weights = line(stats_at(counting or noise, len(x)))
        count = np.maximum(1e-12, count)
        limit = edges[:, None] * count - (top(x) * count if bottom else top(x))
        return noise.cdf(limit) @ weights

    return cdf


def stats_at(noise, middle):
    return noise.dist(loc=middle, scale=noise.kwds["scale"])


def laplace(scale):
    return stats.laplace(scale=scale)


def normal(scale):
    return stats.norm(scale=scale)


class Patterns:
    """Outcomes of an SVT: its whole row; law: an integral over the noisy threshold."""

    def __init__(self, rho, nu, c=None, anew=False, threshold=3.0):
        self.rho, self.nu, self.c, self.anew, self.threshold = rho, nu, c, anew, threshold

    def _walk(self, counts, weights, row, left):
        """Adds the chance of each row that begins with ``row``, given weights over thresholds."""
        if not len(counts) or not left:
            self._law[(*row, *[-1] * len(counts))] = weights.sum()
            return
        below = self._noise.cdf(self._nodes - counts[0]) if self.nu else self._nodes > counts[0]
        if not self.nu and not weights.any():
            return
        self._walk(counts[1:], weights * below, (*row, 0), left)
        rest = weights * (1 - below)
        if self.anew:
            rest = rest.sum() * self._weights
        self._walk(counts[1:], rest, (*row, 1), left - 1)

    def law(self, dataset):
        counts = np.asarray(dataset).sum(axis=0)
        if self.nu:
            nodes, self._weights = line(laplace(self.rho), points=5001)
            self._nodes, self._noise = nodes + self.threshold, laplace(self.nu)
        else:  # constant between counts
            ends = np.concatenate([[-np.inf], np.unique(counts), [np.inf]])
            self._weights = np.diff(laplace(self.rho).cdf(ends - self.threshold))
            self._nodes = np.concatenate([ends[1:-1], [np.inf]]) - 0.5
        self._law = {}
        self._walk(counts, self._weights, (), self.c or len(counts))
        width = len(counts)
        chances = np.zeros(3**width)
        rows = np.array(list(self._law)) + 1
        chances[rows @ 3 ** np.arange(width)] = list(self._law.values())
        return chances

    def codes(self, outputs):
        return (outputs.astype(int) + 1) @ 3 ** np.arange(outputs.shape[1])


class Told:
    """Outcomes of a sparse vector algorithm with one answer: which query, a bin of its number.

    ``tell(limit, count, edges)`` has, for each noisy threshold and each edge, the chance that the
    query is above and its number at most the edge; ``below(limit, count)`` that it is below.
    """

    edges = np.linspace(-12, 16, 57)

    def __init__(self, rho, tell, below, threshold=3.0):
        self.rho, self.tell, self.below, self.threshold = rho, tell, below, threshold

    def law(self, dataset):
        counts = np.asarray(dataset).sum(axis=0)
        nodes, weights = line(laplace(self.rho), points=8001)
        limit, ends = nodes + self.threshold, np.concatenate([[-np.inf], self.edges, [np.inf]])
        rows = []
        for count in counts:
            at = self.tell(limit, count, ends[:, None])
            rows.append(np.diff(at, axis=0) @ weights)
            weights = weights * self.below(limit, count)
        return np.concatenate([*rows, [weights.sum()]])

    def codes(self, outputs):
        told = ~np.isnan(outputs)
        assert told.sum(axis=1).max() <= 1
        first = told.argmax(axis=1)
        at = first * (len(self.edges) + 1) + np.searchsorted(
            self.edges, outputs[np.arange(len(outputs)), first]
        )
        return np.where(told.any(axis=1), at, outputs.shape[1] * (len(self.edges) + 1))


def noisy_count(nu, rho=2.0):
    """The noisy count that passed."""
    f = laplace(nu).cdf
    return Told(
        rho,
        lambda limit, count, e: f(np.maximum(e, limit) - count) - f(limit - count),
        lambda limit, count: f(limit - count),
    )


def gap(nu):
    """By how much the noisy count exceeds the noisy threshold."""
    f = laplace(nu).cdf
    return Told(
        2.0,
        lambda limit, count, e: f(limit + np.maximum(e, 0) - count) - f(limit - count),
        lambda limit, count: f(limit - count),
    )


def fresh_answer(rho, nu, own):
    """The count with noise of its own."""
    f, answer = laplace(nu).cdf, laplace(own).cdf
    return Told(
        rho,
        lambda limit, count, e: (1 - f(limit - count)) * answer(e - count),
        lambda limit, count: f(limit - count),
    )


def adaptive(margin, gap, epsilon=1):
    """A count with the larger noise, far above, or with the smaller noise: gap, or count."""
    coarse, fine = laplace(8 / epsilon).cdf, laplace(4 / epsilon).cdf

    def tell(limit, count, e):
        start = limit + margin - count
        top = (limit + e if gap else e) - count
        far = coarse(np.maximum(top, start)) - coarse(start)
        near = fine(limit + np.maximum(e, 0) - count) - fine(limit - count)
        return far + coarse(start) * near

    return Told(
        2 / epsilon,
        tell,
        lambda limit, count: coarse(limit + margin - count) * fine(limit - count),
    )


class SideBySide:
    """Outcomes of SVT 3 and SVT 4 with one answer each."""

    def __init__(self, third, fourth):
        self.third, self.fourth = third, fourth

    def law(self, dataset):
        width = np.shape(dataset)[1]
        rows = self.fourth.law(dataset)
        stopped = [(0,) * i + (1,) + (-1,) * (width - 1 - i) for i in range(width)]
        first = rows[(np.array([*stopped, (0,) * width]) + 1) @ 3 ** np.arange(width)]
        return np.outer(self.third.law(dataset), first).ravel()

    def codes(self, outputs):
        width = outputs.shape[1] // 2
        above = outputs[:, width:] == 1
        first = np.where(above.any(axis=1), above.argmax(axis=1), width)
        return self.third.codes(outputs[:, :width]) * (width + 1) + first


class Winner:
    """Outcomes of report noisy max; ``low`` is the least value of the largest noisy count."""

    def __init__(self, noise, low=-40.0):
        self.noise, self.low = noise, low

    def law(self, dataset):
        counts = np.asarray(dataset).sum(axis=0)
        x, chances = np.linspace(max(self.low, -40), 100, 140_001), []
        for i, count in enumerate(counts):
            others = np.prod([self.noise.cdf(x - c) for c in np.delete(counts, i)], axis=0)
            chances.append(np.trapezoid(self.noise.pdf(x - count) * others, x))
        return np.array(chances)

    def codes(self, outputs):
        return outputs


class Bits:
    """Outcomes of randomized response of one record."""

    def __init__(self, lie):
        self.lie = lie

    def law(self, dataset):
        one = self.lie if dataset[0] == 0 else 1 - self.lie
        return np.array([1 - one, one])

    def codes(self, outputs):
        return outputs[:, 0]


def median_cdf(exponent):
    def cdf(x, edges):
        ends = np.concatenate([[0.0], np.sort(x), [1.0]])
        weights = np.diff(ends) * np.exp(-exponent * np.abs(np.arange(len(x) + 1) - len(x) / 2))
        return np.interp(edges, ends, np.concatenate([[0.0], np.cumsum(weights / weights.sum())]))

    return cdf


def descent(factor):
    sigma, root = np.sqrt(7.5), np.sqrt(10)
    return lambda x, e: normal(0.1 * root * factor * sigma).cdf(e - len(x))


def last_bin(empty_too):
    """The last of four bins; the pair differs there, and other bins are independent of it."""

    def cdf(x, edges):
        count = np.sum(x >= 0.75)
        if count == 0 and not empty_too:
            return (edges >= 0).astype(float)
        return laplace(1.0).cdf(edges - count)

    return cdf


class Successes:
    """Outcomes: how many of several independent numbers are at least ``least``."""

    def __init__(self, numbers, noise, center, least):
        self.numbers, self.noise, self.center, self.least = numbers, noise, center, least

    def law(self, dataset):
        chance = self.noise.sf(self.least - self.center(np.asarray(dataset)))
        return stats.binom(self.numbers, chance).pmf(np.arange(self.numbers + 1))

    def codes(self, outputs):
        return (outputs >= self.least).sum(axis=1)


class Differences(Successes):
    """The same of the differences of running sums."""

    def codes(self, outputs):
        return super().codes(np.diff(outputs, axis=1, prepend=0))


class Sums:
    """Outcomes of three running sums: bins of the second record, and of the last number.

    The last number is the third record, or the total of the block, by ``last``.
    """

    edges = np.arange(-8.5, 11)

    def __init__(self, single, total, last):
        self.single, self.total, self.last = single, total, last

    def law(self, dataset):
        record, last = dataset[1], self.last(np.asarray(dataset))
        if self.total is None:
            second = np.zeros(len(self.edges) + 1)
            second[np.searchsorted(self.edges, last)] = 1
        else:
            second = self.bins(self.total, last)
        return np.outer(self.bins(self.single, record), second).ravel()

    def bins(self, noise, middle):
        return np.diff(np.concatenate([[0.0], noise.cdf(self.edges - middle), [1.0]]))

    def codes(self, outputs):
        last = outputs[:, 2] - (outputs[:, 1] if self.single is self.total else 0)
        first = np.searchsorted(self.edges, outputs[:, 1] - outputs[:, 0])
        return first * (len(self.edges) + 1) + np.searchsorted(self.edges, last)


class Geometric:
    """Outcomes of a count with two-sided geometric noise, clamped."""

    def __init__(self, epsilon):
        self.alpha = math.exp(-epsilon)

    def law(self, dataset):
        k = np.arange(-1, len(dataset) + 1)
        z = k - np.sum(dataset)
        tail = self.alpha ** np.where(z < 0, -z, z + 1) / (1 + self.alpha)
        cdf = np.where(z < 0, tail, 1 - tail)
        cdf[0], cdf[-1] = 0, 1
        return np.diff(cdf)

    def codes(self, outputs):
        return outputs


class Filters:
    """Outcomes of RAPPOR: how many bits are set of those of 3 only, and of those of 4 only."""

    def __init__(self, lie):
        self.lie = lie

    def law(self, dataset):
        true, false = (stats.binom(4, p).pmf(np.arange(5)) for p in (1 - self.lie, self.lie))
        return np.outer(*((true, false) if dataset[0] == 3 else (false, true))).ravel()

    def codes(self, outputs):
        bits = [bits_of(value).astype(bool) for value in (3, 4)]
        assert [b.sum() for b in bits] == [4, 4]
        assert not (bits[0] & bits[1]).any()
        return outputs[:, bits[0]].sum(axis=1) * 5 + outputs[:, bits[1]].sum(axis=1)


class SeveralReports:
    """Outcomes of three reports of RAPPOR: bits set in all, of those of 3 only and of 4 only."""

    def __init__(self, lie, flip, lasting):
        self.lie, self.flip, self.lasting = lie, flip, lasting

    def of_bit(self, true):
        """The law of how often a bit is set in three reports."""
        lie = self.lie if true else 1 - self.lie
        if not self.lasting:
            return stats.binom(3, 1 - lie).pmf(np.arange(4))
        kept, flipped = (stats.binom(3, p).pmf(np.arange(4)) for p in (1 - self.flip, self.flip))
        return (1 - lie) * kept + lie * flipped

    def law(self, dataset):
        sums = []
        for true in (dataset[0] == 3, dataset[0] == 4):
            four = np.ones(1)
            for _ in range(4):
                four = np.convolve(four, self.of_bit(true))
            sums.append(four)
        return np.outer(*sums).ravel()

    def codes(self, outputs):
        bits = [bits_of(value).astype(bool) for value in (3, 4)]
        rows = outputs.reshape(len(outputs), 3, 20)
        return rows[:, :, bits[0]].sum(axis=(1, 2)) * 13 + rows[:, :, bits[1]].sum(axis=(1, 2))


class OneOfTen:
    """Outcomes of k-ary randomized response: the value."""

    def law(self, dataset):
        law = np.full(10, 1 / (math.e + 9))
        law[int(dataset[0])] *= math.e
        return law

    def codes(self, outputs):
        return outputs[:, 0]


class FirstBits:
    """Outcomes of ten bits: those of both values of the pair; law: of the true and another bit."""

    def __init__(self, own, other):
        self.own, self.other = own, other

    def law(self, dataset):
        bits = [np.array([1 - p, p]) for p in (self.own, self.other)]
        return np.outer(*(bits if dataset[0] == 0 else bits[::-1])).ravel()

    def codes(self, outputs):
        assert outputs.shape[1] == 10
        return outputs[:, 0] * 2 + outputs[:, 1]


class ThreeOfTen:
    """Outcomes of subset selection: which of both values of the pair are among the three."""

    def law(self, dataset):
        own = 3 * math.e / (3 * math.e + 7)
        # Of the nine others, two or three are in.
        law = np.array([[(1 - own) * 6 / 9, (1 - own) * 3 / 9], [own * 7 / 9, own * 2 / 9]])
        return (law if dataset[0] == 0 else law.T).ravel()

    def codes(self, outputs):
        assert (outputs.sum(axis=1) == 3).all()
        return outputs[:, 0] * 2 + outputs[:, 1]


class Hashed:
    """Outcomes of local hashing with four numbers: the function and the report."""

    def law(self, dataset):
        law = np.full((FUNCTIONS, 4), 1 / (math.e + 3) / FUNCTIONS)
        law[np.arange(FUNCTIONS), hash_table(10, 4)[:, int(dataset[0])]] *= math.e
        return law.ravel()

    def codes(self, outputs):
        return outputs[:, 0] * 4 + outputs[:, 1]


class Triples:
    """Outcomes of three quantiles: the cells in which they are, between all records of the pair."""

    cells = np.array([0.0, 0.1, 0.2, 0.4, 1.0])
    triples = tuple(itertools.combinations_with_replacement(range(4), 3))

    def law(self, dataset):
        x, weights = np.sort(dataset), []
        for triple in self.triples:
            middle = (self.cells[:-1] + self.cells[1:])[list(triple)] / 2
            below = [0, *(np.sum(x <= m) for m in middle), len(x)]
            utility = -np.abs(np.diff(below) - len(x) / 4).sum()
            volume = np.prod(np.diff(self.cells)[list(triple)])
            repeats = math.prod(math.factorial(triple.count(i)) for i in range(4))
            weights.append(volume / repeats * math.exp(utility / 3))
        return np.array(weights) / np.sum(weights)

    def codes(self, outputs):
        found = np.searchsorted(self.cells[1:-1], outputs)
        numbers = {triple: i for i, triple in enumerate(self.triples)}
        return np.array([numbers[tuple(sorted(row))] for row in found.tolist()])


class Grid:
    """Outcomes: whether an output is a multiple of 2⁻⁵³, and whether it is between 0 and 1/2.

    Σ = 1: all are multiples where |1 + noise| < 1. Σ = 0: small noise has more digits, of
    which the last are like those of a coin.
    """

    def law(self, dataset):
        noise, ends = laplace(1.0), 2.0 ** -np.arange(1.0, 55)
        if dataset[0] == 1:
            between = noise.cdf(-0.5) - noise.cdf(-1)
            return np.array([1 - between, 0.0, between])
        each = noise.cdf(ends[:-1]) - noise.cdf(ends[1:])
        on = each @ ends[:-1]
        between = noise.cdf(0.5) - 0.5
        return np.array([1 - between, between - on, on])

    def codes(self, outputs):
        between = (outputs > 0) & (outputs < 0.5)
        return between * (1 + (outputs * 2.0**53 % 1 == 0))


def unclamped(noise):
    """(Σ + noise) / ñ where ñ = n + Lap(200) is positive, and Σ/ñ where it is negative."""

    def cdf(x, edges):
        counting, total = stats.laplace(len(x), 200), x.sum()
        count = np.linspace(0, 8000, 8001)
        positive = np.trapezoid(
            noise.cdf(edges[:, None] * count - total) * counting.pdf(count), count, axis=1
        )
        with np.errstate(divide="ignore"):
            least = np.where(edges < 0, total / np.minimum(edges, -1e-300), -np.inf)
        return positive + counting.cdf(0) - counting.cdf(least)

    return cdf


_LAP, _GAUSS = laplace(2.0), normal(np.sqrt(30))
_SIGMA = 2 * math.sqrt(2 * math.log(1250))
_NEAR_ZERO = np.concatenate([-np.geomspace(1e-3, 1, 30), [0], np.geomspace(1e-2, 10, 15)])
_ONE = laplace(1.0)
_LIE = 1 / (1 + math.exp(1 / 8))
_E = 1 + np.e
LAWS = {
    "laplace-mean": Scalar(noisy_ratio(_LAP, np.sum, False), around(0, 1)),
    "laplace-mean-true-scale": Scalar(
        lambda x, e: laplace(2 / len(x)).cdf(e - x.mean()), np.linspace(-15, 15, 61)
    ),
    "laplace-mean-true-count": Scalar(noisy_ratio(_LAP, np.mean, True), around(0.5, 1)),
    "gaussian-mean": Scalar(noisy_ratio(_GAUSS, np.sum, False), around(0, 1)),
    "gaussian-mean-true-scale": Scalar(
        lambda x, e: normal(np.sqrt(30) / len(x)).cdf(e - x.mean()), np.linspace(-20, 20, 81)
    ),
    "gaussian-mean-true-count": Scalar(noisy_ratio(_GAUSS, np.mean, True), around(0.5, 1)),
    "gaussian-sum": Scalar(lambda x, e: normal(1).cdf(e - x.sum()), np.linspace(-4, 6, 101)),
    "gaussian-sum-unclipped": Scalar(
        lambda x, e: normal(1).cdf(e - x.sum()), np.linspace(-4, 10, 141)
    ),
    "noisy-max": Winner(laplace(1.0)),
    "noisy-max-value": Scalar(
        lambda x, e: np.prod([laplace(1.0).cdf(e - c) for c in x.sum(axis=0)], axis=0),
        np.linspace(-2, 8, 41),
    ),
    "median": Scalar(median_cdf(1.0), np.linspace(0, 1, 21)),
    "median-doubled": Scalar(median_cdf(2.0), np.linspace(0, 1, 21)),
    "svt1": Patterns(2, 4, 1),
    "svt2": Patterns(4, 8, 2, anew=True),
    "svt3": noisy_count(2.0),
    "svt4": Patterns(4, 4 / 3, 1),
    "svt5": Patterns(2, 0),
    "svt6": Patterns(2, 2),
    "dp-gd": Scalar(descent(1.0), np.linspace(-3, 6, 91)),
    "dp-gd-half-noise": Scalar(descent(0.5), np.linspace(-3, 6, 91)),
    "randomized-response": Bits(1 / _E),
    "randomized-response-coin": Bits(0.5 / _E),
    "histogram": Scalar(last_bin(True), np.append(np.linspace(-5, 6, 45), -1e-9)),
    "histogram-empty-bins": Scalar(last_bin(False), np.append(np.linspace(-5, 6, 45), -1e-9)),
    "laplace-mean-noisy-count": Scalar(
        lambda x, e: laplace(2 / len(x)).cdf(e), np.linspace(-15, 15, 61)
    ),
    "laplace-mean-unclamped": Scalar(unclamped(laplace(200)), _NEAR_ZERO),
    "laplace-mean-undivided": Scalar(noisy_ratio(laplace(1.0), np.sum, False), around(0, 1)),
    "approx-dp-mean": Scalar(
        noisy_ratio(normal(_SIGMA), np.sum, False, counting=_LAP), around(0, 1)
    ),
    "approx-dp-mean-unclamped": Scalar(unclamped(normal(100 * _SIGMA)), _NEAR_ZERO),
    "laplace-sum": Scalar(lambda x, e: laplace(1.0).cdf(e - x.sum()), np.linspace(-5, 6, 45)),
    "laplace-sum-half-noise": Scalar(
        lambda x, e: laplace(0.5).cdf(e - x.sum()), np.linspace(-5, 6, 45)
    ),
    "laplace-parallel": Successes(20, laplace(20.0), np.sum, 1.0),
    "prefix-sum": Sums(_ONE, _ONE, lambda x: x[2]),
    "prefix-sum-user": Differences(5, laplace(1.0), lambda x: x.sum(axis=0)[0], 2.0),
    "smart-sum": Sums(laplace(2.0), laplace(2.0), np.sum),
    "smart-sum-exact-totals": Sums(laplace(2.0), None, np.sum),
    "histogram-inverted": Scalar(
        lambda x, e: laplace(0.5).cdf(e - np.sum(x >= 0.75)), np.linspace(-5, 6, 45)
    ),
    "truncated-geometric": Geometric(1.0),
    "noisy-max-both-ways": Winner(laplace(2.0)),
    "noisy-max-exponential": Winner(stats.expon(scale=2), low=2.0),
    "noisy-max-gumbel": Winner(stats.gumbel_r(scale=2)),
    "noisy-max-value-both-ways": Scalar(
        lambda x, e: np.prod([laplace(2.0).cdf(e - c) for c in x.sum(axis=0)], axis=0),
        np.linspace(-4, 16, 81),
    ),
    "noisy-max-value-exponential": Scalar(
        lambda x, e: np.prod([stats.expon(scale=2).cdf(e - c) for c in x.sum(axis=0)], axis=0),
        np.linspace(0, 16, 65),
    ),
    "joint-quantiles": Triples(),
    "svt-monotone": Patterns(2, 2, 1),
    "svt-numeric": fresh_answer(3.0, 6.0, 3.0),
    "svt-gap": gap(4.0),
    "svt-gap-count": noisy_count(1.0, rho=0.5),
    "svt-adaptive": adaptive(16.0, gap=True),
    "svt-adaptive-count": adaptive(1.0, gap=False, epsilon=4),
    "svt34-parallel": SideBySide(noisy_count(1.0, rho=1.0), Patterns(2, 2 / 3, 1)),
    "rappor-one-time": Filters(_LIE),
    "rappor": Filters(_LIE),
    "rappor-reports": SeveralReports(_LIE, 0.25, lasting=True),
    "rappor-reports-afresh": SeveralReports(_LIE, 0.25, lasting=False),
    "k-randomized-response": OneOfTen(),
    "symmetric-unary": FirstBits(1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(0.5))),
    "optimized-unary": FirstBits(0.5, 1 / (1 + math.e)),
    "unary-kept-bit": FirstBits(0.5 + 0.5 / (1 + math.e), 1 / (1 + math.e)),
    "subset-selection": ThreeOfTen(),
    "local-hashing": Hashed(),
    "laplace-inversion": Grid(),
    "laplace-grid": Scalar(
        lambda x, e: laplace(1.0).cdf(e - x.sum()), np.arange(-5.5, 6) + 2.0**-11
    ),
    "laplace-snapping": Scalar(lambda x, e: laplace(1.0).cdf(e - x.sum()), np.arange(-9.0, 11, 2)),
}
#: Of its claim's parameter, what a private card leaks on its pair by the exact law (rounded down).
LEAKS = {
    "laplace-mean": 0.99,
    "gaussian-mean": 0.7,
    "gaussian-sum": 0.99,
    "noisy-max": 0.99,
    "median": 0.85,
    "svt1": 0.98,
    "svt2": 0.56,
    "dp-gd": 0.99,
    "randomized-response": 0.999,
    "histogram": 0.999,
    "approx-dp-mean": 0.0,  # the classical formula is far from tight
    "laplace-sum": 0.999,
    "laplace-parallel": 0.999,
    "prefix-sum": 0.999,
    "smart-sum": 0.999,
    "truncated-geometric": 0.999,
    "noisy-max-both-ways": 0.91,
    "noisy-max-exponential": 0.99,
    "noisy-max-gumbel": 0.79,
    "joint-quantiles": 0.78,
    "svt-monotone": 0.99,
    "svt-numeric": 0.99,
    "svt-gap": 0.99,
    "svt-adaptive": 0.98,
    "rappor-one-time": 0.999,
    "rappor": 0.999,
    "rappor-reports": 0.92,
    "k-randomized-response": 0.999,
    "symmetric-unary": 0.999,
    "optimized-unary": 0.999,
    "subset-selection": 0.999,
    "local-hashing": 0.999,
    "laplace-grid": 0.999,
    "laplace-snapping": 0.999,
}
