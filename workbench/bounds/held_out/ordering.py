"""Learned orderings: scores learned on one part of the outcomes and measured on the rest.

A threshold sees only one end of the scores. Where members score both high and low, or the
likelihood ratio is not monotone for another reason, every threshold misses part of the leak. A
function of the scores is a score again, and whatever it leaks the pair leaks (data processing); the
likelihood ratio leaks all there is. It is estimated on one part of the data. The band over the
other part's new scores then bounds the trade-off function of the pair, hence ε at every δ, μ and
total variation, without any assumption: a bad estimate makes the bounds small, never false.

Outcomes of any dimension are ordered by a classifier in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench.bounds.random_split import describe_split, in_first, split
from workbench.curves.validation import Floats, quiet
from workbench.parallel import one_thread
from workbench.scores.chance import Fingerprint, checked_seed, generator, seed_of
from workbench.scores.sample import Scores, ScoresError, require_scores
from workbench.software.extras import check

#: Share of the data that an ordering is learned on. A half gives smaller bounds: the ordering is
#: hardly better, and the limits are wider.
SHARE = 0.2

#: What each bin's counts start from, so that an empty side makes no infinite ratio.
_PRIOR_COUNT = 0.5

#: Number of values up to which threads do not speed a classifier up, and slow it on busy cores.
_FEW = 10**6

#: The least finite number.
_LEAST = -float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False, repr=False)
class Ordering:
    """A score learned on one part of the data, with its values on the other part.

    Attributes
    ----------
    scores : Scores
        Of the part that was held out; larger is more member-like. Their band,
        ``wb.tradeoff_band(ordering.scores)``, is held-out and simultaneous over thresholds.
    rule : callable
        From outcomes to scores.
    learned_on : tuple of int
        Number of outcomes of P and of Q that the rule was learned on.
    """

    scores: Scores
    rule: Callable[[Any], Floats]
    learned_on: tuple[int, int]

    def __post_init__(self) -> None:
        _checks.fields(self)

    def apply(self, x: ArrayLike) -> Floats:
        """The learned score of outcomes: larger is more member-like.

        Parameters
        ----------
        x : array_like
            Outcomes of the kind that the rule was learned on.
        """
        return self.rule(x)

    def __repr__(self) -> str:
        return f"Ordering(learned on {self._learned}, {self.scores!r})"

    def _repr_html_(self) -> str:
        rows = [("learned on", self._learned), ("held out", self.scores)]
        return table("Learned ordering", rows, self.scores.held_out)

    @property
    def _learned(self) -> str:
        n_p, n_q = self.learned_on
        return f"{n_p:,} + {n_q:,}"


@dataclass(frozen=True, eq=False)
class LikelihoodRatio:
    """Estimate of log(p/q): linear between knots, and extrapolated from the last two.

    Attributes
    ----------
    knots, log_ratio : ndarray, shape (bins,)
    of_nan, of_plus_inf, of_minus_inf : float
        Its values at non-finite outcomes.
    """

    knots: Floats
    log_ratio: Floats
    of_nan: float
    of_plus_inf: float
    of_minus_inf: float

    def __call__(self, x: ArrayLike) -> Floats:
        x = _checks.array(x, "x")
        knots, y = self.knots, self.log_ratio
        value = np.interp(x, knots, y)
        if knots.size > 1:
            # Constant ends would tie the most telling scores.
            for end, inner, beyond in ((0, 1, x < knots[0]), (-1, -2, x > knots[-1])):
                slope = (y[inner] - y[end]) / (knots[inner] - knots[end])
                value[beyond] = y[end] + slope * (x[beyond] - knots[end])
        value[np.isnan(x)] = self.of_nan
        value[np.isposinf(x)] = self.of_plus_inf
        value[np.isneginf(x)] = self.of_minus_inf
        return value


def learn_ordering(scores: Scores, share: float = SHARE) -> Ordering:
    """Scores of a held-out part, ordered by a likelihood ratio learned on the other part.

    Parameters
    ----------
    scores : Scores
        Of independent runs or clusters; their direction does not matter.
    share : float
        Share of the scores of P, and of Q, that the ordering is learned on.

    Returns
    -------
    Ordering

    Raises
    ------
    ScoresError
        Fewer than 4 scores of P or of Q.
    ValueError
        A share outside (0, 1).

    Notes
    -----
    `Scores.chance` decides which part is which. Guarantee of bounds on ``ordering.scores``:
    held-out. A second share, tried because of what the first showed, makes it false.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> band = wb.tradeoff_band(wb.learn_ordering(scores).scores)
    >>> band.epsilon(delta=1e-5).guarantee
    'held-out'
    """
    require_scores(scores)
    share = _checks.open_unit(share, "share", "such as 0.2")
    first, rest = split(scores, share)
    held_out = (
        f"Scores are likelihood ratios learned on {describe_split(share, scores.chance)}; these "
        "are the others."
    )
    rule = likelihood_ratio(first)
    return Ordering(rest.rescored(rule, held_out), rule, (first.n_p, first.n_q))


def likelihood_ratio(scores: Scores) -> LikelihoodRatio:
    """log(p̂/q̂) from n^(1/3) bins of equal counts, joined by lines."""

    def log_ratio(in_p: Any, in_q: Any) -> Any:
        p, q = (in_p + _PRIOR_COUNT) / scores.n_p, (in_q + _PRIOR_COUNT) / scores.n_q
        return np.log(p) - np.log(q)

    nan = scores.samples.nan_counts
    minus, finite = (np.array(scores.samples.below_counts(x)) for x in (_LEAST, math.inf))
    plus = np.array([scores.n_p, scores.n_q]) - nan - finite
    odd = (float(log_ratio(*counts)) for counts in (nan, plus, minus))
    pooled = scores.samples.pooled
    if not pooled.size:
        return LikelihoodRatio(np.zeros(1), np.zeros(1), *odd)
    bins = max(round(pooled.size ** (1 / 3)), 2)
    # A value that fills several bins makes one: what is discrete keeps its own ratio.
    edges = np.unique(pooled.at((np.arange(1, bins) * pooled.size) // bins))
    p_counts, q_counts = (
        np.diff(np.concatenate([[first], below, [last]]))
        for first, below, last in zip(
            minus, scores.samples.below_counts(edges), finite, strict=True
        )
    )
    p_counts, q_counts = (c[p_counts + q_counts > 0] for c in (p_counts, q_counts))
    # Neighbors of one ratio, or without the same side, are one bin: equal values would be ties.
    with quiet():
        ratio = p_counts / q_counts
    new = np.concatenate([[0], np.flatnonzero(ratio[1:] != ratio[:-1]) + 1])
    p_counts, q_counts = (np.add.reduceat(c, new) for c in (p_counts, q_counts))
    counts = p_counts + q_counts
    middle = pooled.at(np.cumsum(counts) - 1 - counts // 2)
    knots, kept = np.unique(middle, return_index=True)
    return LikelihoodRatio(knots, log_ratio(p_counts, q_counts)[kept], *odd)


def learn_ordering_nd(
    p: ArrayLike,
    q: ArrayLike,
    classifier: Any = None,
    share: float = SHARE,
    *,
    sampling: str = "unknown",
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    cluster_rule: str = "mean",
    name: str = "",
    seed: int | np.random.Generator | None = None,
) -> Ordering:
    """Scores of held-out outcomes of several dimensions, from a classifier trained on the rest.

    Parameters
    ----------
    p, q : array_like, shape (n_p, d), (n_q, d)
        Outcomes with the record in, and with the record out; one row for each run.
    classifier : scikit-learn classifier, optional
        With ``decision_function`` or ``predict_proba``; it is cloned, and given a
        ``random_state`` that follows from the seed. By default gradient-boosted trees.
    share : float
        Share of the rows, or clusters, of P and of Q that the classifier is trained on.
    sampling, clusters, cluster_rule, name
        As of `Scores`. Rows of one cluster stay together.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance, whatever the outcomes are. By default one from the
        operating system, the same for the same rows, in any order and units.

    Returns
    -------
    Ordering

    Raises
    ------
    ScoresError
        Arrays that are not 2-d or differ in their columns, or too few rows.
    ValueError
        A share outside (0, 1), a classifier that gives no score.

    Notes
    -----
    The seed decides which part is which. Guarantee of bounds on ``ordering.scores``: held-out.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(0.5, 1, (400, 3)), rng.normal(0, 1, (400, 3))
    >>> from sklearn.linear_model import LogisticRegression
    >>> ordering = wb.learn_ordering_nd(p, q, LogisticRegression())
    >>> ordering.learned_on
    (80, 80)
    """
    share = _checks.open_unit(share, "share", "such as 0.2")
    sides = _rows(p, "P"), _rows(q, "Q")
    if sides[0].shape[1] != sides[1].shape[1]:
        raise ScoresError(
            f"P has {sides[0].shape[1]} columns and Q {sides[1].shape[1]}; give the same ones"
        )
    labels = None
    if clusters is not None:
        p_labels, q_labels = clusters
        labels = _labels(p_labels, sides[0], "P"), _labels(q_labels, sides[1], "Q")
    order = [np.lexsort(x.T[::-1]) for x in sides]
    drawn = seed_of(Fingerprint.of_rows(*sides), checked_seed(seed))
    rng = generator(drawn, "split")
    learned = [
        _members(unit, in_first(np.unique(unit).size, share, rng, side))
        for unit, side in zip(labels or map(np.argsort, order), "PQ", strict=True)
    ]
    rule = train_classifier(classifier, [x[m] for x, m in zip(sides, learned, strict=True)], rng)
    p_rest, q_rest = (rule(x[~m]) for x, m in zip(sides, learned, strict=True))
    what, part = type(rule.classifier).__name__, describe_split(share, drawn)
    scores = Scores(
        p_rest,
        q_rest,
        larger_is_member=True,
        sampling=sampling,
        clusters=labels and (labels[0][~learned[0]], labels[1][~learned[1]]),
        cluster_rule=cluster_rule,
        name=name,
        seed=drawn,
        held_out=f"Scores are of a {what} trained on {part}; these are the others.",
    )
    n_p, n_q = (int(m.sum()) for m in learned)
    return Ordering(scores, rule, (n_p, n_q))


@dataclass(frozen=True, eq=False)
class ClassifierScore:
    """A trained classifier's log odds of membership, or its decision function where it has one."""

    classifier: Any

    def __call__(self, x: ArrayLike) -> Floats:
        x = _finite(x)
        with _threads(x):
            if hasattr(self.classifier, "decision_function"):
                return np.asarray(self.classifier.decision_function(x), dtype=float)
            member = self.classifier.predict_proba(x)[:, 1]
        with quiet():
            return np.asarray(np.log(member) - np.log1p(-member))


def train_classifier(
    classifier: Any, parts: list[Floats], rng: np.random.Generator
) -> ClassifierScore:
    """A clone of ``classifier``, or gradient-boosted trees, trained on rows of P and of Q.

    Parameters
    ----------
    classifier : scikit-learn classifier or None
    parts : list of ndarray
        Rows of P, and rows of Q.
    rng : numpy.random.Generator
        Source of the ``random_state``.

    Raises
    ------
    ValueError
        A classifier without scores.
    """
    check("sklearn", "learning an ordering needs")
    from sklearn.base import clone  # type: ignore[import-untyped]
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    model = HistGradientBoostingClassifier() if classifier is None else clone(classifier)
    if not (hasattr(model, "decision_function") or hasattr(model, "predict_proba")):
        raise ValueError(
            f"classifier must have decision_function or predict_proba, got {classifier!r}; labels "
            "alone order nothing"
        )
    if "random_state" in model.get_params():
        model.set_params(random_state=int(rng.integers(2**31)))
    x, y = _finite(np.concatenate(parts)), np.repeat([1, 0], [len(rows) for rows in parts])
    with _threads(x):
        model.fit(x, y)
    return ClassifierScore(model)


def _threads(x: Floats) -> AbstractContextManager[Any]:
    """For work on these rows."""
    return one_thread() if x.size <= _FEW else nullcontext()


def _finite(x: ArrayLike) -> Floats:
    """±∞ as the largest numbers that classifiers take; NaN is the classifier's to treat."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(_checks.array(x, "x"), -largest, largest)


def _rows(values: ArrayLike, side: str) -> Floats:
    """One side as a 2-d float array."""
    try:
        x = _checks.array(values, side)
    except ValueError:
        raise ScoresError(f"{side} must be a table of numbers, a row a run") from None
    if x.ndim != 2:
        raise ScoresError(
            f"{side} must be 2-dimensional, a row a run, got shape {x.shape}; for one number a run "
            "use learn_ordering"
        )
    return x


def _labels(values: ArrayLike, rows: Floats, side: str) -> NDArray[Any]:
    _checks.convertible(values, f"labels of {side}")
    labels = np.asarray(values)
    if labels.shape != (len(rows),):
        raise ScoresError(
            f"{side} has {len(rows)} rows but its cluster labels have shape {labels.shape}; give "
            "one label a row"
        )
    return labels.astype(str)


def _members(unit: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rows whose unit, in sorted order of the units, is chosen."""
    _, index = np.unique(unit, return_inverse=True)
    return np.asarray(chosen[index])
