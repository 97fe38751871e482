"""Cases of other methods, each with a function that draws data once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from workbench.bounds.anytime.anytime import AnytimeAudit, anytime_epsilon
from workbench.bounds.anytime.vectors import AnytimeVectorAudit
from workbench.bounds.held_out.held_out import held_out_bound
from workbench.bounds.held_out.ordering import learn_ordering_nd
from workbench.bounds.one_question.one_question import one_question_bound
from workbench.bounds.parametric.parametric import parametric_bound
from workbench.bounds.quantities import Epsilon
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.composition import compose_band
from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.chance import BITS
from workbench.scores.counting.counted import CountedScores
from workbench.scores.sample import Scores, ScoresError

_DELTA = 1e-5
_EPSILON = Epsilon(0.0)

#: Steps of a composition.
_STEPS = 4


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**BITS))


def _own_variances(rng: np.random.Generator) -> tuple[bool, ...]:
    found = []
    for n_p, n_q in ((3, 5), (10, 10)):
        scores = Scores(rng.normal(0, 1, n_p), rng.normal(0, 1, n_q))
        bound = partial(parametric_bound, scores, "gaussian", equal_variances=False)
        found.append(exceeds(partial(bound, delta=_DELTA), 0.0))
    return tuple(found)


def _best_of_four(rng: np.random.Generator) -> tuple[bool, ...]:
    """The largest of the bounds with four guarantees, of randomized response."""
    scores = RandomizedResponsePair(1.0, 0.0).sample(100, seed=rng)
    found = (
        tradeoff_band(scores).epsilon(0.0),
        one_question_bound(scores, _EPSILON),
        held_out_bound(scores, _EPSILON),
        anytime_epsilon(scores, 0.0),
    )
    alone = [bound.value > 1 for bound in found]
    return (*alone, any(alone))


def _composed(rng: np.random.Generator) -> tuple[bool, ...]:
    pair = RandomizedResponsePair(1.0, 0.0)
    band = tradeoff_band(pair.sample(100, seed=rng))
    truth = float(pair.compose(_STEPS).epsilon(0.05))
    return (exceeds(lambda: compose_band(band, _STEPS).epsilon(0.05), truth),)


def _vectors(rng: np.random.Generator, n: int) -> Floats:
    return (rng.random((n, 3)) < [0.5, 0.5, 0.05]).astype(float)


def _anytime_vectors(rng: np.random.Generator) -> tuple[bool, ...]:
    audit = AnytimeVectorAudit(delta=0.0)
    bits = audit.update(_vectors(rng, 200), _vectors(rng, 200)).value > 0
    audit = AnytimeVectorAudit(delta=0.0)
    sides = (rng.standard_cauchy((200, 3)) for _ in range(2))
    return bits, audit.update(*sides).value > 0


def _learned_vectors(rng: np.random.Generator) -> tuple[bool, ...]:
    try:
        sides = _vectors(rng, 100), _vectors(rng, 100)
        scores = learn_ordering_nd(*sides, seed=_seed(rng)).scores
    except ScoresError:  # what was learned is constant
        return False, False
    return (
        exceeds(lambda: tradeoff_band(scores).epsilon(0.0), 0.0),
        exceeds(lambda: one_question_bound(scores, _EPSILON), 0.0),
    )


def _on_a_grid(rng: np.random.Generator) -> tuple[bool, ...]:
    """Normal scores, and as many of a Laplace pair at its truth, counted in cells of 0.25."""
    found = []
    for pair in (GaussianPair(0.0), LaplacePair(1.0)):
        drawn = pair.sample((300, 200), seed=rng)
        cells = [np.floor(side / 0.25) for side in (drawn.p, drawn.q)]
        values = np.unique(np.concatenate(cells))
        counts = [np.searchsorted(np.sort(c), values, "right") for c in cells]
        scores = CountedScores(values, *(np.diff(c, prepend=0) for c in counts), seed=_seed(rng))
        truth = float(pair.epsilon(0.0))
        found += [
            exceeds(partial(tradeoff_band(scores).epsilon, 0.0), truth),
            exceeds(partial(one_question_bound, scores, _EPSILON), truth),
            exceeds(partial(held_out_bound, scores, _EPSILON), truth),
        ]
    return tuple(found)


def _odd_values(rng: np.random.Generator, n: int) -> Floats:
    return rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], n)


def _both(pair: Pair, rng: np.random.Generator) -> Iterator[Floats]:
    return iter((pair.draw_p(256, rng), pair.draw_q(256, rng)))


def _anytime(rng: np.random.Generator) -> tuple[bool, ...]:
    """All of one side arrives before the other; at every moment."""
    found = []
    for draw in (_odd_values, lambda r, n: r.standard_cauchy(n), lambda r, n: r.integers(0, 2, n)):
        audit = AnytimeAudit(delta=0.0)
        audit.update(p=draw(rng, 256))
        found.append(audit.update(q=draw(rng, 256)).value > 0)
    pair = RandomizedResponsePair(1.0, 0.05)
    lost = [np.where(side == 3, np.nan, side) for side in _both(pair, rng)]
    found.append(AnytimeAudit(delta=0.05).update(*lost).value > 1)
    sides = _both(RandomizedResponsePair(1.0, 0.0), rng)
    found.append(AnytimeAudit(delta=0.0).update(*sides).value > 1)
    return tuple(found)


OTHERS = (
    SimulatedCase(
        "own variances", "P = Q = N(0, 1); 3 + 5 and 10 + 10 scores.",
        ("3 + 5", "10 + 10"), _own_variances,
    ),
    SimulatedCase(
        "largest of four guarantees",
        "Randomized response, ε = 1; 100 + 100 scores. Each guarantee holds, the largest of four "
        "bounds has none.",
        ("simultaneous", "one question", "held-out", "anytime", "largest of four"), _best_of_four,
        unclaimed=("largest of four",),
    ),
    SimulatedCase(
        "composed band", f"{_STEPS} steps of randomized response, ε = 1; 100 + 100 scores.",
        ("simultaneous",), _composed, reps=500,
    ),
    SimulatedCase(
        "anytime, vectors", "P = Q; three bits, one of them rare, and Cauchy in three dimensions.",
        ("bits", "Cauchy"), _anytime_vectors,
    ),
    SimulatedCase(
        "learned ordering of vectors", "P = Q; three bits, one of them rare; 100 + 100 scores.",
        ("band", "one question"), _learned_vectors,
    ),
    SimulatedCase(
        "counts on a grid", "Cells of 0.25; P = Q = N(0, 1), and a Laplace pair, ε = 1.",
        tuple(f"{pair}, {g}" for pair in ("no leak", "Laplace")
              for g in ("band", "one question", "held-out")),
        _on_a_grid,
    ),
    SimulatedCase(
        "anytime, other values",
        "256 + 256 scores: NaN, ±∞, 0 and 1; Cauchy; 0 and 1 (P = Q). Randomized response, ε = 1: "
        "with δ = 0.05 as NaN, and with δ = 0.",
        ("NaN and ∞", "Cauchy", "0/1", "δ as NaN", "randomized response"), _anytime,
    ),
)  # fmt: skip
