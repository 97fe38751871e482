"""Anytime bounds of vectors: an ordering is learned from a warm-up, and bets are on the others.

A function of the outcomes is a score again, and whatever it leaks the pair leaks (data processing).
The function is learned from the first vectors, which are spent: no bet is placed on them, so it is
fixed before the first bet, and the guarantee is that of the scores. A bad ordering makes bounds
small, never false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.bounds.anytime.anytime import AnytimeAudit
from workbench.bounds.anytime.kernel_ratio import KernelRatio
from workbench.bounds.bound import Bound
from workbench.bounds.held_out.ordering import Ordering, train_classifier
from workbench.curves.validation import Floats
from workbench.scores.sample import Scores, ScoresError

#: Vectors of P, and of Q, that an ordering is learned from by default.
WARM_UP = 64

#: Fewest of them.
LEAST = 4

#: A scikit-learn classifier, or the name of the ordering by kernels.
Learner = Any


def learn_ordering_in_order(
    p: ArrayLike,
    q: ArrayLike,
    learner: Learner = "kernel",
    warm_up: int = WARM_UP,
    *,
    sampling: str = "unknown",
    name: str = "",
) -> Ordering:
    """Scores of vectors in order of arrival, ordered by what the first of them show.

    Parameters
    ----------
    p, q : array_like, shape (n_p, d), (n_q, d)
        Outcomes with the record in, and with the record out, in order of arrival.
    learner : {"kernel"} or scikit-learn classifier
        The ratio of two kernel densities, or the log odds of a classifier, which is cloned.
    warm_up : int
        First rows of P, and of Q, that the ordering is learned from; at least 4. Fix it before the
        rows are seen.
    sampling, name
        As of `Scores`.

    Returns
    -------
    Ordering
        Its scores are those of the rows after the warm-up, still in order of arrival. Anytime
        bounds and e-values of them keep their guarantee.

    Raises
    ------
    ScoresError
        Arrays that are not 2-d or differ in their columns, numbers that are not finite, too few
        rows.
    ValueError
        Another learner, or too short a warm-up.

    See Also
    --------
    AnytimeVectorAudit : for vectors that are still coming in.
    learn_ordering_nd : for bounds at one sample size.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 400)), rng.normal(size=(2, 400))
    >>> p, q = (np.stack([x[0], x[0] + y[0]], 1), np.stack([x[1], y[1] - x[1]], 1))
    >>> ordering = wb.learn_ordering_in_order(p, q)
    >>> wb.anytime_e_value(ordering.scores, epsilon=0.5, delta=0).refutes(0.95)
    True
    """
    warm_up = _warm_up(warm_up)
    p, q = _vectors(p, "P"), _vectors(q, "Q")
    _columns(None, p, q)
    if min(len(p), len(q)) < warm_up + 2:
        raise ScoresError(
            f"{len(p):,} rows of P and {len(q):,} of Q; a warm-up of {warm_up:,} needs at least "
            f"{warm_up + 2:,} of each"
        )
    rule = _learned(learner, p[:warm_up], q[:warm_up])
    scores = Scores(
        rule(p[warm_up:]),
        rule(q[warm_up:]),
        larger_is_member=True,
        sampling=sampling,
        name=name,
        held_out=f"Scores are by an ordering learned on the first {warm_up} rows of P and of Q; "
        "these are the others.",
    )
    return Ordering(scores, rule, (warm_up, warm_up))


class AnytimeVectorAudit:
    """Anytime lower bound of vectors that are still coming in.

    Parameters
    ----------
    delta, confidence, quantity, sampling
        As of `AnytimeAudit`.
    learner, warm_up
        As of `learn_ordering_in_order`.

    Raises
    ------
    ValueError
        As of both.

    Notes
    -----
    Guarantee: anytime, distribution-free, for independent rows in order of arrival. The ordering is
    learned once the warm-up is complete; no bet is placed on its rows. The next 16 of each only
    place thresholds, as in `AnytimeAudit`.

    Examples
    --------
    >>> audit = wb.AnytimeVectorAudit(delta=1e-5)
    >>> rng = np.random.default_rng(0)
    >>> bound = audit.update(rng.normal(1, 1, (300, 3)), rng.normal(0, 1, (300, 3)))
    >>> bound.guarantee, bound.value > 0.5
    ('anytime', True)
    """

    def __init__(
        self,
        delta: float | None = None,
        confidence: float = 0.95,
        quantity: str = "epsilon",
        learner: Learner = "kernel",
        warm_up: int = WARM_UP,
        sampling: str = "unknown",
    ) -> None:
        self._audit = AnytimeAudit(delta, confidence, quantity, sampling=sampling)
        self.warm_up = _warm_up(warm_up)
        self._learner = _learner(learner)
        self._rule: Callable[[Any], Floats] | None = None
        self._columns: int | None = None
        self._waiting: list[Floats] = []

    def update(self, p: ArrayLike | None = None, q: ArrayLike | None = None) -> Bound:
        """The bound after the rows that arrived since the last call.

        Parameters
        ----------
        p, q : array_like, shape (k, d), (m, d)
            In order of arrival; either may be left out.

        Raises
        ------
        ScoresError
            Not 2-d arrays of finite numbers with the columns of the rows before. Nothing is taken
            in then.
        """
        given = [None if x is None else _vectors(x, side) for x, side in ((p, "P"), (q, "Q"))]
        self._columns = _columns(self._columns, *given)
        if self._columns is None:
            return self.bound
        none = np.zeros((0, self._columns))
        new = [none if x is None else x for x in given]
        if self._rule is None:
            held = self._waiting or [none, none]
            self._waiting = [np.concatenate(rows) for rows in zip(held, new, strict=True)]
            if min(map(len, self._waiting)) < self.warm_up:
                return self.bound
            self._rule = _learned(self._learner, *(x[: self.warm_up] for x in self._waiting))
            new, self._waiting = [x[self.warm_up :] for x in self._waiting], []
        self._audit.update(*(self._rule(x) for x in new))
        return self.bound

    @property
    def rule(self) -> Callable[[Any], Floats] | None:
        """From vectors to scores; None until the warm-up is complete."""
        return self._rule

    @property
    def bound(self) -> Bound:
        """The bound from the rows so far; ``n_p`` and ``n_q`` do not count the warm-up."""
        bound = self._audit.bound
        first = f"The ordering is learned on the first {self.warm_up} rows of P and of Q."
        return replace(bound, note=" ".join(filter(None, (first, bound.note))))


def _learned(learner: Learner, p: Floats, q: Floats) -> Callable[[Any], Floats]:
    """The rule that a learner finds in the rows of a warm-up."""
    if isinstance(_learner(learner), str):
        return _Rule(KernelRatio.learned(p, q), p.shape[1])
    # Any rule that these rows give is a valid one: they are not tested.
    return _Rule(train_classifier(learner, [p, q], np.random.default_rng(0)), p.shape[1])


@dataclass(frozen=True, eq=False)
class _Rule:
    """A learned score of vectors with so many columns."""

    learned: Callable[[Floats], Floats]
    columns: int

    def __call__(self, x: ArrayLike) -> Floats:
        rows = _vectors(x, "x", self.columns)
        return self.learned(rows) if len(rows) else np.zeros(0)


def _learner(learner: Learner) -> Learner:
    if hasattr(learner, "fit") or (isinstance(learner, str) and learner == "kernel"):
        return learner
    raise ValueError(
        f'learner must be "kernel" or a scikit-learn classifier, got {_checks.shown(learner)}'
    )


def _warm_up(rows: int) -> int:
    return _checks.count(rows, "warm_up", least=LEAST)


def _vectors(values: ArrayLike, name: str, columns: int | None = None) -> Floats:
    """Rows of finite numbers."""
    try:
        x = _checks.array(values, name)
    except ValueError:
        raise ScoresError(f"{name} must be a table of numbers, a row a run") from None
    if x.ndim != 2 or not x.shape[1]:
        raise ScoresError(
            f"{name} must be 2-dimensional, a row a run, got shape {x.shape}; for one number a run "
            "use the scores themselves"
        )
    _columns(columns, x)
    wrong = np.flatnonzero(~np.isfinite(x).all(axis=1))
    if wrong.size:
        raise ScoresError(
            f"row {wrong[0]} of {name} is {x[wrong[0]].tolist()}; decide before the first run what "
            "a number that is not finite counts as, and do not leave the run out"
        )
    return x


def _columns(known: int | None, *sides: Floats | None) -> int | None:
    """The number of columns of all; None if there are no rows."""
    for x in sides:
        if x is not None:
            if known is not None and x.shape[1] != known:
                raise ScoresError(f"{x.shape[1]} columns after {known}; give the same ones")
            known = x.shape[1]
    return known
