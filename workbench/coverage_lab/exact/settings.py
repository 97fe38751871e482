"""The settings in which levels are computed: sizes, kinds of scores, truths.

The truth of a setting is the edge of a claim: the largest value that holds. At ε, μ and TV of 0
both distributions are equal. Beyond that, pairs of two values lie on the trade-off function of the
claim, such as randomized response, also with δ > 0, and a Gaussian pair seen through a threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from scipy.special import expit

from workbench.bounds.quantities import Question
from workbench.coverage_lab.exact.guesses import QUESTIONS as OF_GUESSES
from workbench.coverage_lab.exact.guesses import level_of_guesses
from workbench.coverage_lab.exact.held_out import average_level, level_at_worst_ranks
from workbench.coverage_lab.exact.methods import (
    EXACT_METHODS,
    QUESTIONS,
    TOGETHER,
    ExactMethod,
    exceeds,
)
from workbench.coverage_lab.exact.orders import (
    least_at_ranks,
    level_of_blocks,
    level_of_equal,
    ordered,
)
from workbench.coverage_lab.exact.records import QUESTIONS as OF_TABLES
from workbench.coverage_lab.exact.records import level_of_records
from workbench.coverage_lab.exact.tables import (
    least_false,
    level_of_three,
    level_of_two,
    likely,
)
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores

#: Probabilities of the larger value, whose atoms have from 0.5 to 0.999.
RATES: Floats = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5])
RATES = np.concatenate([RATES, 1 - RATES[-2::-1]])

#: With up to this many scores of Q, further ones are looked at, and with so many fewer.
FEW, MANY = 200, 1000
SPARSE: Floats = np.array([0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999])
DENSE: Floats = np.asarray(expit(np.linspace(-7, 7, 141)))

#: Distributions on three values, from the largest: an atom of each size at each place.
THREE = tuple(
    tuple(np.roll([atom, (1 - atom) / 2, (1 - atom) / 2], place).round(6).tolist())
    for atom in (0.5, 0.9, 0.98)
    for place in range(3)
)

#: All quantities of the band at once, at P = Q.
ALL = "all together"

KINDS = (
    "two values",
    "three values",
    "distinct",
    "held-out",
    "held-out, average",
    "table",
    "guesses",
)


@dataclass(frozen=True)
class Level:
    """The largest level of a method over pairs of a setting.

    Attributes
    ----------
    level : float
    at : str
        The pair.
    error : float
        Standard error of the level, where random numbers were averaged over; else 0.
    """

    level: float
    at: str
    error: float = 0.0


@dataclass(frozen=True)
class Setting:
    """Sizes, kind of scores, and the truth of a method's question.

    Attributes
    ----------
    method : str
        As in `EXACT_METHODS`; "held-out", "table"; for guesses as of `one_run_bound`.
    question : str
        As in `QUESTIONS`, or `ALL`; for tables what is asked of a table; for guesses the number of
        values and δ.
    kind : str
        One of `KINDS`.
    n_p, n_q : int
        For tables the number of models and of records, for guesses of canaries and of guesses.
    truth : float
    """

    method: str
    question: str
    kind: str
    n_p: int
    n_q: int
    truth: float = 0.0

    @property
    def key(self) -> str:
        """A name without blanks."""
        return "-".join(str(value).replace(" ", "_") for value in asdict(self).values())

    def level(self) -> Level:
        """The largest level over the pairs with this truth that are looked at."""
        return level_of(self, EXACT_METHODS.get(self.method))


def level_of(setting: Setting, method: ExactMethod | None) -> Level:
    """The largest level of a method in a setting.

    Parameters
    ----------
    setting : Setting
    method : ExactMethod, optional
        None for held-out bounds, tables and guesses.
    """
    sizes = setting.n_p, setting.n_q
    if setting.kind == "table":
        return _largest(level_of_records(*sizes, setting.question, DENSE), DENSE, DENSE)
    if setting.kind == "guesses":
        values, delta = OF_GUESSES[setting.question]
        level, least = level_of_guesses(setting.method, values, delta, setting.truth, *sizes)
        return Level(level, f"{least} right guesses")
    if setting.kind == "held-out":
        level, ranks = level_at_worst_ranks(sizes, QUESTIONS[setting.question], setting.truth)
        return Level(level, "ranks " + ", ".join(map(str, ranks)))
    if setting.kind == "held-out, average":
        levels, errors = average_level(sizes, QUESTIONS[setting.question], RATES, _SEEDS)
        worst = int(np.argmax(levels))
        return Level(float(levels[worst]), f"P = Q = {RATES[worst]:g}", float(errors[worst]))
    if method is None:
        raise ValueError(f"{setting.kind!r} needs a method of its own")
    asked = [QUESTIONS[q] for q in (TOGETHER if setting.question == ALL else (setting.question,))]
    return _OF_KIND[setting.kind](method, asked, setting.truth, sizes)


#: Random numbers for each count table of an average.
_SEEDS = 12


def _largest(levels: Floats, p: Floats, q: Floats) -> Level:
    worst = int(np.argmax(levels))
    same = p[worst] == q[worst]
    at = f"P = Q = {q[worst]:.4g}" if same else f"P = {p[worst]:.4g}, Q = {q[worst]:.4g}"
    return Level(float(levels[worst]), at)


def _two_values(
    method: ExactMethod, asked: list[Question], truth: float, sizes: tuple[int, int]
) -> Level:
    n_p, n_q = sizes
    q = SPARSE if n_q >= MANY else np.concatenate([RATES, DENSE]) if n_q <= FEW else RATES
    columns = np.unique(np.concatenate([likely(n_q, rate) for rate in q.tolist()]))

    def is_false(a: int, b: int) -> bool:
        if not 0 < a + b < n_p + n_q:
            return False
        scores = method.scores([n_p - a, a], [n_q - b, b])
        return any(exceeds(method, scores, question, truth) for question in asked)

    least = least_false(is_false, n_p, columns.tolist())
    p = 1 - asked[0].curve(truth, q) if len(asked) == 1 else q
    return _largest(level_of_two(least, columns, sizes, p, q), p, q)


def _three_values(
    method: ExactMethod, asked: list[Question], truth: float, sizes: tuple[int, int]
) -> Level:
    n_p, n_q = sizes

    @cache
    def is_false(a1: int, a12: int, b1: int, b12: int) -> bool:
        p, q = [n_p - a12, a12 - a1, a1], [n_q - b12, b12 - b1, b1]
        if sum(x + y > 0 for x, y in zip(p, q, strict=True)) < 2:
            return False
        scores = method.scores(p, q)
        return any(exceeds(method, scores, question, truth) for question in asked)

    found = []
    for law in THREE:
        p, q = tilted(law, truth)
        level = level_of_three(is_false, sizes, p, q)
        found.append(Level(level, f"Q = {', '.join(f'{x:.3g}' for x in q)}"))
    return max(found, key=lambda one: one.level)


def tilted(law: tuple[float, ...], epsilon: float) -> tuple[list[float], list[float]]:
    """A pair on three values, with density ratios e^ε, 1 and e^−ε where ε is its truth.

    Parameters
    ----------
    law : tuple of float
        Probabilities, from the largest value; those of the middle stay.
    epsilon : float
    """
    if epsilon == 0:
        return list(law), list(law)
    outer, odds = 1 - law[1], float(expit(epsilon))
    return [outer * odds, law[1], outer * (1 - odds)], [outer * (1 - odds), law[1], outer * odds]


def _distinct(
    method: ExactMethod, asked: list[Question], truth: float, sizes: tuple[int, int]
) -> Level:
    n_p, n_q = sizes

    def is_false(count: int, rank: int) -> bool:
        scores = Scores(*ordered(count, rank, n_p, n_q))
        return any(exceeds(method, scores, question, truth) for question in asked)

    limits = least_at_ranks(is_false, n_p, n_q)
    if truth == 0:
        return Level(level_of_equal(limits, n_p), "P = Q")
    odds = float(expit(truth))
    return Level(level_of_blocks(limits, n_p, odds, 1 - odds), f"two blocks, ε = {truth:g}")


_OF_KIND = {"two values": _two_values, "three values": _three_values, "distinct": _distinct}

#: Sizes: small ones, unequal ones, and those that are seen in practice.
SMALL = ((8, 8), (10, 10), (12, 12), (15, 15), (20, 20), (25, 25), (30, 12), (12, 30))
MEDIUM = ((68, 68), (100, 100), (200, 200), (20, 200), (200, 20))
LARGE = ((400, 400), (2000, 2000), (50, 2000), (2000, 50))

#: Questions with truths beyond P = Q.
EDGES = (
    ("ε at δ = 0", 1.0),
    ("ε at δ = 0", 3.0),
    ("ε at δ = 1e-5", 1.0),
    ("ε at δ = 0.05", 1.0),
    ("μ", 0.5),
    ("μ", 2.0),
    ("TV", 0.3),
)

NULL = ("ε at δ = 0", "ε at δ = 1e-5", "ε at δ = 0.05", "μ", "TV")


def settings(quick: bool = False) -> Iterator[Setting]:
    """All settings, or the few that a test has time for."""
    sizes = ((8, 8), (30, 12)) if quick else SMALL + MEDIUM + LARGE
    for name, method in EXACT_METHODS.items():
        for n_p, n_q in sizes:
            few = quick or max(n_p, n_q) >= MANY
            null, edges = (NULL[::3], EDGES[0:5:4]) if few else (NULL, EDGES)
            for question, truth in (*((q, 0.0) for q in null), *edges):
                yield Setting(name, question, "two values", n_p, n_q, truth)
        if not method.one_cut:
            yield from _of_more_values(name, quick)
    for n_p, n_q in ((10, 10),) if quick else ((10, 10), (16, 16), (24, 10), (80, 80)):
        for question, truth in (("ε at δ = 0", 0.0), ("ε at δ = 0", 1.0), ("μ", 0.0)):
            yield Setting("held-out", question, "held-out", n_p, n_q, truth)
    if not quick:
        for n_p, n_q in ((12, 12), (30, 12), (20, 20)):
            yield Setting("held-out", "ε at δ = 0", "held-out, average", n_p, n_q)
    for records in (1,) if quick else (1, 2, 3):
        for models in (16,) if quick else (16, 20, 32, 64):
            for question in OF_TABLES:
                yield Setting("table", question, "table", models, records)
    yield from _of_guesses(quick)


def _of_guesses(quick: bool) -> Iterator[Setting]:
    for question, (values, delta) in OF_GUESSES.items():
        for canaries, guesses in ((20, 20),) if quick else ((20, 20), (100, 30), (500, 500)):
            for truth in (1.0,) if quick else (0.0, 1.0, 3.0):
                methods = ["fdp"] if values > 2 or canaries > guesses else [*_OF_GUESSES]
                for method in methods:
                    if not (delta and method in _INDEPENDENT):
                        yield Setting(method, question, "guesses", canaries, guesses, truth)


#: Methods for guesses on all canaries, and those that assume that canaries are independent.
_OF_GUESSES = ("steinke", "sharp", "fdp", "bits", "abstain")
_INDEPENDENT = ("bits", "abstain")


def _of_more_values(name: str, quick: bool) -> Iterator[Setting]:
    together = [(ALL, 0.0)] if name == "simultaneous" else []
    for n_p, n_q in ((20, 20),) if quick else SMALL + MEDIUM[:3]:
        for question, truth in (("ε at δ = 0", 0.0), ("ε at δ = 0", 1.0), ("μ", 0.0), *together):
            yield Setting(name, question, "distinct", n_p, n_q, truth)
    for n_p, n_q in ((8, 8),) if quick else ((8, 8), (12, 12), (12, 8)):
        for question, truth in (("ε at δ = 0", 0.0), ("ε at δ = 0", 1.0), *together):
            yield Setting(name, question, "three values", n_p, n_q, truth)
