"""`coverage`: the share of simulated samples in which a bound exceeds the truth.

A method with confidence 1 − α may exceed the truth in a share α of the replicates. The lab counts
these false claims, tests their share with a binomial test, and shows how far below the truth the
method stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, plain
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.coverage_lab.methods import KEPT, METHODS, Request
from workbench.coverage_lab.scenarios import Scenario, scenario_of
from workbench.curves.validation import Floats, rates
from workbench.pairs.base import Pair
from workbench.parallel import map_in_processes
from workbench.progress import Report, silent
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd


#: (scores, delta, confidence) -> Bound: a method that the library does not ship.
OwnMethod = Callable[[Scores, float, float], Bound]

#: Largest probability with which a method that keeps its level is reported as failing.
SIGNIFICANCE = 0.01

#: Replicates in one task of a pool.
CHUNK = 50

#: A bound may exceed the truth by this much through round-off.
EXCESS_ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Coverage:
    """Simulated coverage of one method in one scenario.

    Attributes
    ----------
    method, scenario : str
        Their keys.
    claims : bool
        Whether the method claims to keep its level in this scenario.
    guarantee : str
    n_p, n_q : int
        Rows drawn per group.
    delta, confidence : float
    seed : int
    source : str
        Method as its bounds name it.
    quantity : str
        Symbol of the bound whose values are kept.
    truth : float
        True value of that quantity.
    values : ndarray, shape (reps,)
        The bound in every replicate.
    exceeded : ndarray of bool, shape (reps,)
        Whether any bound of the replicate exceeded its truth.
    """

    method: str
    scenario: str
    claims: bool
    guarantee: str
    n_p: int
    n_q: int
    delta: float
    confidence: float
    seed: int
    source: str
    quantity: str
    truth: float
    values: Floats
    exceeded: NDArray[np.bool_]

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.columns(self)

    @property
    def reps(self) -> int:
        """Replicates."""
        return self.exceeded.size

    @property
    def nominal(self) -> float:
        """The share of false claims that the confidence allows."""
        return 1 - self.confidence

    @property
    def rate(self) -> float:
        """The share of replicates with a false claim."""
        return float(self.exceeded.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """95% Clopper–Pearson limits of the true share."""
        false = int(self.exceeded.sum())
        low = clopper_pearson_lower(false, self.reps, 0.025)
        return float(low), float(clopper_pearson_upper(false, self.reps, 0.025))

    @cached_property
    def p_value(self) -> float:
        """p-value of the exact binomial test that the true share is at most the nominal one."""
        from scipy.special import bdtrc

        false = int(self.exceeded.sum())
        return float(bdtrc(false - 1, self.reps, self.nominal)) if false else 1.0

    @property
    def fails(self) -> bool:
        """Whether the replicates refute the level, at 1% significance."""
        return self.p_value < SIGNIFICANCE

    @property
    def verdict(self) -> str:
        """Either "holds", "fails", or "not caught here" for a method without a claim here."""
        if self.fails:
            return "fails"
        return "holds" if self.claims else "not caught here"

    def quantile(self, level: Any) -> Floats:
        """Quantiles of the bound over the replicates.

        Parameters
        ----------
        level : array_like
            In [0, 1].
        """
        return np.asarray(np.quantile(self.values, rates(level, "level")))

    @property
    def share_of_truth(self) -> float:
        """Median bound as a share of the truth; NaN where the truth is 0 or infinite."""
        usable = 0 < self.truth < np.inf
        return float(np.median(self.values)) / self.truth if usable else np.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the replicates as their 5% quantile, median and 95% quantile."""
        low, median, high = (float(x) for x in self.quantile([0.05, 0.5, 0.95]))
        return {
            "method": self.method,
            "scenario": self.scenario,
            "claims": self.claims,
            "guarantee": self.guarantee,
            "source": self.source,
            "n_p": self.n_p,
            "n_q": self.n_q,
            "delta": self.delta,
            "confidence": self.confidence,
            "seed": self.seed,
            "reps": self.reps,
            "false_claims": int(self.exceeded.sum()),
            "rate": self.rate,
            "p_value": self.p_value,
            "verdict": self.verdict,
            "quantity": self.quantity,
            "truth": self.truth,
            "q05": low,
            "median": median,
            "q95": high,
        }

    def to_frame(self) -> pd.DataFrame:
        """One row; ``pd.concat`` stacks several."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()])

    def __repr__(self) -> str:
        return (
            f"Coverage({self.method} on {self.scenario}: {self.rate:.2%} false claims of "
            f"{self.nominal:.2%} allowed, {self.reps} replicates: {self.verdict})"
        )

    def _repr_html_(self) -> str:
        low, high = self.interval
        q05, median, q95 = self.quantile([0.05, 0.5, 0.95])
        rows = [
            ("false claims", f"{self.rate:.2%} (95% limits {low:.2%} to {high:.2%})"),
            ("allowed", f"{self.nominal:.2%}"),
            ("verdict", self.verdict),
            (self.quantity, f"{q05:.4g} · {median:.4g} · {q95:.4g} (5%, median, 95%)"),
            ("truth", plain(self.truth)),
            ("scores", f"{self.n_p:,} + {self.n_q:,}, {self.reps:,} replicates"),
        ]
        said = f"{self.guarantee} · {percent(self.confidence)} · seed {self.seed}"
        return beside(table(f"Coverage of {self.method} on {self.scenario}", rows, said), self)


def coverage(
    method: str | OwnMethod,
    pair: str | Pair | Scenario,
    *,
    n: int | tuple[int, int] = 1000,
    reps: int = 2000,
    delta: float,
    confidence: float = 0.95,
    seed: int = 0,
    executor: Executor | None = None,
) -> Coverage:
    """Share of simulated samples in which a method's bound exceeds the truth, and its tightness.

    Parameters
    ----------
    method : str or callable
        A key of ``wb.coverage_methods()``, or a function of your own, (scores, delta, confidence)
        -> `Bound`.
    pair : Pair, str or Scenario
        What to draw from: any pair, or the name of a scenario of ``wb.coverage_scenarios()``.
    n : int or pair of int
        Scores per group, or (n_p, n_q).
    reps : int
        Replicates. Replicate i is the same for every method and any number of processes.
    delta, confidence : float
        Arguments of the method.
    seed : int
    executor : concurrent.futures.Executor, optional
        Where to run; a pool of processes on all cores by default. A function of your own that
        cannot be sent to another process (a lambda) needs ``ThreadPoolExecutor``.

    Returns
    -------
    Coverage

    Raises
    ------
    ValueError
        An unknown method or scenario, sizes below 2, levels out of range.

    Notes
    -----
    With a true share of false claims at the nominal rate, ``fails`` is True with probability at
    most 1%.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> result = wb.coverage(
    ...     "clopper-pearson", "no-leak", n=100, reps=100, delta=1e-5,
    ...     executor=ThreadPoolExecutor(1),
    ... )
    >>> result.verdict
    'holds'
    """
    (result,) = compare_methods(
        [method],
        pair,
        n=n,
        reps=reps,
        delta=delta,
        confidence=confidence,
        seed=seed,
        executor=executor,
    )
    return result


def compare_methods(
    methods: Sequence[str | OwnMethod],
    pair: str | Pair | Scenario,
    *,
    n: int | tuple[int, int] = 1000,
    reps: int = 2000,
    delta: float,
    confidence: float = 0.95,
    seed: int = 0,
    executor: Executor | None = None,
    report: Report = silent,
) -> tuple[Coverage, ...]:
    """`coverage` of several methods on the same replicates.

    Parameters
    ----------
    methods : sequence of str or callable
    pair, n, reps, delta, confidence, seed, executor
        As in `coverage`.
    report : callable, optional
        Receives the progress and the results so far; see `workbench.progress.Report`.

    Returns
    -------
    tuple of Coverage
        One per method.

    Raises
    ------
    ValueError
        As in `coverage`.
    """
    reps = _checks.count(reps, "reps", 1, _checks.REPEATED)
    n_p, n_q = n if isinstance(n, tuple | list) else (n, n)
    job = _Job(
        methods=tuple(_known(method) for method in methods),
        pair=pair,
        n_p=_checks.count(n_p, "n_p", 2, _checks.DRAWN),
        n_q=_checks.count(n_q, "n_q", 2, _checks.DRAWN),
        seed=_checks.count(seed, "seed"),
        delta=_checks.delta(delta),
        confidence=_checks.confidence(confidence),
    )
    scenario_of(pair)  # an unknown name is refused here, not in another process
    chunks = [range(i, min(i + CHUNK, reps)) for i in range(0, reps, CHUNK)]
    done: dict[int, _Outcome] = {}
    outcomes = map_in_processes(partial(_replicates, job), chunks, report, executor)
    for index, outcome in outcomes:
        done[chunks[index].start] = outcome
        count = sum(o.exceeded.shape[1] for o in done.values())
        report(count / reps, f"{count:,} of {reps:,} replicates", _summary(job, done))
    return _summary(job, done)


@dataclass(frozen=True)
class _Job:
    """Arguments of a task; sent to other processes."""

    methods: tuple[str | OwnMethod, ...]
    pair: str | Pair | Scenario
    n_p: int
    n_q: int
    seed: int
    delta: float
    confidence: float


@dataclass(frozen=True)
class _Outcome:
    """Results of a chunk of replicates, one row per method."""

    values: Floats
    exceeded: NDArray[np.bool_]
    heads: tuple[Bound, ...]
    truths: tuple[float, ...]


def _replicates(job: _Job, chunk: range) -> _Outcome:
    """Bounds of every method in these replicates; runs in any process."""
    scenario = scenario_of(job.pair)
    request = Request(job.delta, job.confidence, scenario)
    truth: dict[tuple[Any, ...], float] = {}

    def true_value(b: Bound) -> float:
        key = (b.quantity, b.delta, b.epsilon, b.fpr)
        if key not in truth:
            truth[key] = scenario.true_value(b)
        return truth[key]

    values = np.empty((len(job.methods), len(chunk)))
    exceeded = np.zeros(values.shape, dtype=bool)
    heads: list[Bound] = []
    for column, replicate in enumerate(chunk):
        scores = scenario.draw(job.n_p, job.n_q, np.random.default_rng([job.seed, replicate]))
        heads = []
        for row, method in enumerate(job.methods):
            bounds = _bounds(method, scores, request)
            heads.append(bounds[0])
            values[row, column] = bounds[0].value
            exceeded[row, column] = any(b.value > true_value(b) + EXCESS_ROUND_OFF for b in bounds)
    return _Outcome(
        values,
        exceeded,
        tuple(heads),
        tuple(true_value(b) for b in heads),
    )


def _bounds(method: str | OwnMethod, scores: Scores, request: Request) -> tuple[Bound, ...]:
    if isinstance(method, str):
        return tuple(METHODS[method].bounds(scores, request))
    bound = method(scores, request.delta, request.confidence)
    if not isinstance(bound, Bound):
        raise ValueError(
            f"a method must return a Bound, {_name(method)} returned {type(bound).__name__}"
        )
    return (bound,)


def _summary(job: _Job, done: dict[int, _Outcome]) -> tuple[Coverage, ...]:
    scenario = scenario_of(job.pair)
    outcomes = [done[start] for start in sorted(done)]
    first = outcomes[0]
    values = np.concatenate([o.values for o in outcomes], axis=1)
    exceeded = np.concatenate([o.exceeded for o in outcomes], axis=1)
    return tuple(
        Coverage(
            method=_name(method),
            scenario=scenario.name,
            claims=METHODS[method].holds(scenario)
            if isinstance(method, str)
            else scenario.independent and first.heads[i].guarantee in KEPT,
            guarantee=first.heads[i].guarantee,
            source=first.heads[i].method,
            n_p=job.n_p,
            n_q=job.n_q,
            delta=job.delta,
            confidence=job.confidence,
            seed=job.seed,
            quantity=first.heads[i].symbol,
            truth=first.truths[i],
            values=values[i],
            exceeded=exceeded[i],
        )
        for i, method in enumerate(job.methods)
    )


def _known(method: str | OwnMethod) -> str | OwnMethod:
    if not callable(method):
        _checks.one_of(method, "method", METHODS)
    return method


def _name(method: str | OwnMethod) -> str:
    return method if isinstance(method, str) else getattr(method, "__name__", repr(method))
