"""What methods give on fixed data: whether stored coverage is that of the present code.

The coverage of a method depends on its values alone. So a stored result is current if the method
still gives the values that it gave on a few data sets when it was measured, whatever became of the
text of its code. A level, a weight or a grid that changes moves these values; a docstring or a
function that no method uses does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from workbench.bounds.anytime.vectors import AnytimeVectorAudit
from workbench.bounds.bound import Bound
from workbench.bounds.held_out.ordering import learn_ordering_nd
from workbench.bounds.parametric.parametric import parametric_bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.bounds.simultaneous.composition import compose_band
from workbench.coverage_lab.methods import METHODS, Request
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.onerun.bound import any_number_bound, one_run_bound
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.ranks.exposure import exposure
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.run import OneRun
from workbench.onerun.scored.bound import one_run_score_bound
from workbench.onerun.scored.independence import canary_independence
from workbench.onerun.tuning import tune_one_run
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair
from workbench.scores.sample import Scores
from workbench.tables.table import ScoreTable

#: Scenarios of the data sets, their sizes and seeds. Something leaks in all of them.
DATA = (("gaussian-2", (200, 180)), ("ties", (150, 200)), ("strong-randomized-response", (80, 90)))

#: Values differ if they are farther apart than round-off on another processor explains.
_NEAR = 1e-4

_DELTA, _CONFIDENCE, _SEED = 1e-3, 0.95, 5


def _of_method(name: str) -> Iterator[float]:
    for scenario, (n_p, n_q) in DATA:
        scores = SCENARIOS[scenario].draw(n_p, n_q, np.random.default_rng(_SEED))
        request = Request(_DELTA, _CONFIDENCE, SCENARIOS[scenario])
        yield from _values(METHODS[name].bounds(scores, request))


def _values(bounds: Iterable[Bound]) -> Iterator[float]:
    yield from (bound.value for bound in bounds)


def _tables() -> Iterator[float]:
    for fair in (True, False):
        rng = np.random.default_rng(_SEED)
        member = rng.random((64, 6)) < (0.5 if fair else 0.7)
        scores = np.round(rng.normal(0, 1, (64, 6)) + 3 * member * (np.arange(6) < 3))
        group = np.arange(6) // 3
        table = ScoreTable(
            scores, member, sampling="independent runs", seed=_SEED, attributes={"class": group}
        )
        for method in ("simultaneous", "held-out", "e-values"):
            yield table.worst_record(_DELTA, method=method).value
        yield from _values(table.worst_of_groups("class", _DELTA).values())
        for epsilon in (0.5, 1.0, 1.5, 2.0):
            yield float(table.exceeding(epsilon, _DELTA).value)
        leaking = table.leaking(0.5, _DELTA)
        yield from leaking.log_e_values.tolist()
        yield float(len(leaking))


def _one_run() -> Iterator[float]:
    rng = np.random.default_rng(_SEED)
    member = rng.random(100) < 0.5
    run = OneRun(np.round(rng.normal(2.0 * member)), member, seed=_SEED)
    for guarantee in ("simultaneous", "one question", "held-out"):
        yield one_run_score_bound(run, delta=_DELTA, guarantee=guarantee).value
    yield canary_independence(run, permutations=399).p_value  # type: ignore[misc]
    half = rng.permutation(np.repeat([True, False], 50))
    scores = np.round(rng.normal(2.0 * half))
    pairs = matched_pairs(OneRun(scores, half, design="fixed-half", seed=_SEED))
    for method in ("steinke", "sharp", "fdp"):
        yield one_run_bound(pairs.guess(k_in=10, k_out=10), delta=_DELTA, method=method).value
    tuned = tune_one_run(pairs, delta=_DELTA)
    yield from _values([tuned.simultaneous, tuned.held_out])  # type: ignore[list-item]


def _secrets() -> Iterator[float]:
    ranks = Ranks(1 + np.random.default_rng(_SEED).geometric(0.03, 60) % 1000, 1000)
    for method in ("sharp", "fdp"):
        yield one_run_bound(ranks.guesses(20), delta=_DELTA, method=method).value
    yield any_number_bound(ranks.guesses(20), _DELTA).value
    yield exposure(ranks, delta=_DELTA, top=(1, 20, 100)).bound.value
    yield exposure(ranks, delta=0, statistic="sum").bound.value


def _vectors() -> Iterator[float]:
    rng = np.random.default_rng(_SEED)
    p, q = rng.normal(1, 1, (200, 2)), rng.normal(0, 1, (200, 2))
    yield AnytimeVectorAudit(delta=_DELTA).update(p, q).value
    yield tradeoff_band(learn_ordering_nd(p, q, seed=_SEED).scores).epsilon(_DELTA).value


def _others() -> Iterator[float]:
    scores: Scores = GaussianPair(2.0).sample(20, seed=_SEED)
    yield parametric_bound(scores, "gaussian", delta=_DELTA, equal_variances=False).value
    band = tradeoff_band(RandomizedResponsePair(2.0, 0.0).sample(150, seed=_SEED))
    yield compose_band(band, 3).epsilon(0.05).value


#: Subject -> its values. The methods of the lab are subjects by their names.
PROBES: dict[str, Callable[[], Iterable[float]]] = {
    **{name: partial(_of_method, name) for name in METHODS},
    "score tables": _tables,
    "one run": _one_run,
    "secrets": _secrets,
    "vectors": _vectors,
    "other methods": _others,
}


def probe(subject: str) -> list[float]:
    """The values of a subject now.

    Parameters
    ----------
    subject : str
        A key of `PROBES`.
    """
    return [float(f"{value:.9g}") for value in PROBES[subject]()]


def same_values(stored: Sequence[float], found: Sequence[float]) -> bool:
    """Whether values are those that were stored, but for round-off."""
    return len(stored) == len(found) and all(
        a == b or math.isclose(a, b, rel_tol=_NEAR, abs_tol=1e-9)
        for a, b in zip(stored, found, strict=True)
    )
