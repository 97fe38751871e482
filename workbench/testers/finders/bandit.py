"""Finder that learns which datasets leak most, by a Gaussian-process bandit."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.software.extras import check
from workbench.testers.finders.base import Finder, FinishedTrial
from workbench.testers.finders.dataset_space import content, space_of
from workbench.testers.finders.neighbors import Neighbors

#: Proposals before the first that is learned.
WARM_UP = 8
#: Tables of more columns are described by two values and where one gives way to the other.
NARROW = 2
#: Standard deviations above the prediction where the largest leak is looked for.
KAPPA = 1.0
#: Variance of a prediction around its mean, as a share of that of all predictions.
NOISE = 0.1
#: Shortest and longest distance over which the process changes. Without the first, a few noisy
#: predictions are explained by a process that knows nothing between them.
LENGTHS = (0.3, 10.0)


class BanditFinder(Finder):
    """Proposes datasets where finished trials predict the largest leak.

    A pair of datasets is described by a few numbers between 0 and 1: how many records they share,
    the value that these lie around and how far they spread, and the values of the record that
    differs (and of the one in its place); a record of more than two columns has one value up to
    some column and another behind it. A Gaussian process (package ``bayesian-optimization``) over
    these numbers says where the upper confidence bound of the prediction is largest. The first
    eight are drawn as the random finder draws, each other than those before. Later a pair may come
    again once its trial is finished: new runs may show what earlier ones missed. A trial that was
    lost counts as the worst one known, and one not finished yet as an average one, so that a few
    can be asked for at once. In tables with users two more numbers say how many rows the user has
    that is added or removed, and how many the others.

    Parameters
    ----------
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
        By "user" and "label" differ tables only, and those that are stated are not searched.
    domain : Domain or TableDomain
    seed : int or numpy.random.Generator
    """

    name = "bandit"
    batch = False

    def __init__(
        self,
        neighboring_relation: str,
        domain: Domain | TableDomain,
        seed: int | np.random.Generator = 0,
    ) -> None:
        self.space, self.domain = space_of(domain, neighboring_relation), domain
        self._rng = _checks.random(seed)
        self._points: dict[tuple[object, ...], NDArray[np.float64]] = {}
        self._asked: Counter[tuple[object, ...]] = Counter()
        width = self.space.width
        self._row = width if width <= NARROW else 2
        records = 2 if self.space.substitute else 1
        self._last = (width > NARROW) + len(self.space.loose)
        self._dimensions = 2 + self._row * (1 + records) + self._last

    def propose(self, history: Sequence[FinishedTrial]) -> Neighbors:
        warm = len(self._points) < WARM_UP
        point = self._drawn() if warm else self._suggested(history)
        proposal = self._built(point)
        taken = self._asked if warm else self._pending(history)
        for _ in range(20):  # the same at the same time teaches little
            if content(proposal) not in taken:
                break
            point = self._drawn()
            proposal = self._built(point)
        self._points.setdefault(content(proposal), point)
        self._asked[content(proposal)] += 1
        return proposal

    def _pending(self, history: Sequence[FinishedTrial]) -> Counter[tuple[object, ...]]:
        """What was asked and is not finished."""
        return self._asked - Counter(content(neighbors) for neighbors, _ in history)

    def _drawn(self) -> NDArray[np.float64]:
        """A point as the random finder would draw it."""
        rng = self._rng
        x = rng.random(self._dimensions)
        x = np.where(rng.random(x.size) < 2 / 3, rng.integers(2, size=x.size), x)
        records = self._records(x)
        for record in records:
            if rng.random() < 1 / 2:
                record[:] = record[0]
        if len(records) == 3 and rng.random() < 1 / 2:
            records[2] = 1 - records[1]
        return x

    def _suggested(self, history: Sequence[FinishedTrial]) -> NDArray[np.float64]:
        check("bayes_opt", "the search by Bayesian optimization needs")
        from bayes_opt import BayesianOptimization

        names = [f"x{i:02}" for i in range(self._dimensions)]
        quiet = contextlib.redirect_stdout(io.StringIO())
        with quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer = BayesianOptimization(
                f=None,
                pbounds=dict.fromkeys(names, (0.0, 1.0)),
                random_state=int(self._rng.integers(2**31)),
                verbose=0,
                allow_duplicate_points=True,
                acquisition_function=_acquisition(),
            )
            optimizer.set_gp_params(
                alpha=NOISE, kernel__length_scale_bounds=LENGTHS, n_restarts_optimizer=1
            )
            for point, predicted in self._known(history):
                optimizer.register(params=point, target=predicted)
            suggestion = optimizer.suggest()
        return np.array([float(suggestion[name]) for name in names])

    def _known(self, history: Sequence[FinishedTrial]) -> list[tuple[NDArray[np.float64], float]]:
        """The point of every trial that was asked, with its prediction or what stands in for it."""
        # linear up to about 1, then in the log: one huge prediction must not hide others
        finished = [
            (content(neighbors), float(np.arcsinh(np.nan if predicted is None else predicted)))
            for neighbors, predicted in history
            if content(neighbors) in self._points
        ]
        finite = [x for _, x in finished if np.isfinite(x)] or [0.0]
        worst, average = min(finite), float(np.mean(finite))
        beyond = max(finite) + max(max(finite) - worst, 1.0)
        known = [(key, x if np.isfinite(x) else beyond if x > 0 else worst) for key, x in finished]
        known += [(key, average) for key in self._pending(history).elements()]
        return [(self._points[key], x) for key, x in known]

    def _built(self, x: NDArray[np.float64]) -> Neighbors:
        space = self.space
        size, spread = space.size(x[0]), x[1]
        level, record, other = (self._wide(x, i) for i in (0, 1, -1))
        ramp = np.linspace(-0.5, 0.5, size) if size > 1 else np.zeros(size)
        shared = np.clip(level + spread * ramp[:, None], 0, 1)
        loose = dict(zip(space.loose, x[x.size - len(space.loose) :].tolist(), strict=True))
        rows, one, another = map(space.values, (shared, record, other))
        return space.neighbors(rows, one, another, None, loose)

    def _records(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The part of a point about records, as rows: the center, the record, its substitute."""
        return x[2 : x.size - self._last].reshape(-1, self._row)

    def _wide(self, x: NDArray[np.float64], i: int) -> NDArray[np.float64]:
        """The i-th record of a point in all its columns."""
        record = self._records(x)[i]
        if self.space.width <= NARROW:
            return record
        cut = round(x[x.size - self._last] * self.space.width)
        return np.repeat(record, [cut, self.space.width - cut])


def _acquisition() -> Any:
    """The package's upper confidence bound, maximized in a tenth of the time and as well."""
    from bayes_opt.acquisition import UpperConfidenceBound

    class Quick(UpperConfidenceBound):
        def suggest(
            self,
            gp: Any,
            target_space: Any,
            n_random: int = 2000,
            n_smart: int = 2,
            fit_gp: bool = True,
            random_state: Any = None,
        ) -> Any:
            return super().suggest(gp, target_space, n_random, n_smart, fit_gp, random_state)

    return Quick(kappa=KAPPA)
