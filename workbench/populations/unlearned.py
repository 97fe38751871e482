"""`unlearning`: is a model that unlearned records like one that was retrained without them?

"Not significantly different" is no answer, since few scores never are. Three answers are: the two
are *equivalent* to a stated (ε, δ), which is shown; they *differ* by more, which is shown; or these
scores do not decide. Both are statements on the tests that look whether this one score is above a
threshold: an upper limit holds for these tests, and another score may tell the two apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.lower_bounds import epsilon_lower_bound
from workbench.bounds.quantities import QuantityArguments
from workbench.populations.closer import RelativeDistance, radius, relative_distance
from workbench.populations.equivalence import (
    TailCounts,
    equivalent,
    sizes_needed,
    tail_counts,
    upper_limit,
)
from workbench.scores.sample import Scores, ScoresError

#: What the scores may say.
ANSWERS = ("equivalent", "different", "undecided")

#: How the scores of one model came about.
SAMPLINGS_OF_SCORES = ("independent runs", "one run")

#: `Bound.method` of the limits.
EQUIVALENCE = "equivalence at all thresholds"
KOLMOGOROV = "Kolmogorov limits"

#: What upper limits are about.
THIS_SCORE = (
    "It is about tests that compare this score with a threshold: another score may tell the two "
    "models apart."
)


@dataclass(frozen=True)
class Unlearning:
    """Whether an unlearned model is equivalent to a retrained one. See `unlearning`.

    Attributes
    ----------
    epsilon, delta : float
        The distance that was stated.
    confidence : float
        Of each statement on its own.
    verdict : {"equivalent", "different", "undecided"}
    forward, backward : Bound
        Upper limits of ε at δ: how much more likely any outcome is after unlearning than after
        retraining ("P‖Q"), and the reverse ("Q‖P").
    at_least : Bound
        Lower limit of the larger of the two.
    closer : RelativeDistance, optional
        Whether scores are closer to those of the retrained model or to the original ones.
    scores_needed : int, optional
        Scores of each of the two models with which equal laws are called equivalent in about every
        second audit; None where no number up to 10⁸ suffices, as at δ = 0.
    sampling : {"independent runs", "one run"}
    """

    epsilon: float
    delta: float
    confidence: float
    verdict: str
    forward: Bound
    backward: Bound
    at_least: Bound
    closer: RelativeDistance | None
    scores_needed: int | None
    sampling: str

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.verdict, "verdict", ANSWERS)
        _checks.one_of(self.sampling, "sampling", SAMPLINGS_OF_SCORES)

    @property
    def at_most(self) -> Bound:
        """The larger upper limit of both directions, which decides."""
        return max(self.forward, self.backward, key=lambda bound: bound.value)

    def __bool__(self) -> bool:
        """A TypeError: there are three answers, and "different" must not pass for True."""
        raise TypeError(
            f"unlearning is not true or false (this is {self.verdict!r}): ask for result.verdict"
        )

    def explain(self) -> str:
        """The answer in plain sentences."""
        to = f"ε = {plain(self.epsilon)} at δ = {plain(self.delta)}"
        sure = percent(self.confidence)
        most, least = self.at_most, self.at_least
        if self.verdict == "equivalent":
            text = (
                f"With {sure} confidence the unlearned model is equivalent to the retrained one, "
                f"to {to}, in both directions (ε is at most {most.rounded})."
            )
        elif self.verdict == "different":
            text = (
                f"With {sure} confidence the unlearned model differs from the retrained one by "
                f"more than {to}: ε is at least {least.rounded}."
            )
        else:
            text = (
                f"These scores do not decide whether the unlearned model is equivalent to the "
                f"retrained one to {to}: ε is at least {least.rounded} and at most {most.rounded}. "
                + self._needed()
            )
        text += f" {THIS_SCORE}"
        if self.sampling == "one run":
            text += (
                " One training of each kind was looked at, and what another one would give is not "
                "known."
            )
        return text if self.closer is None else f"{text} {self.closer.explain()}"

    def _needed(self) -> str:
        if self.delta == 0:
            return "At δ = 0 no number of scores shows equivalence, since none excludes rare ones."
        if self.scores_needed is None:
            return "No number of scores up to 10⁸ would show it of equal models."
        return (
            f"If the two are alike, about {self.scores_needed:,} scores of each would show it in "
            f"every second audit; here are {self.forward.n_p:,} and {self.forward.n_q:,}."
        )

    def __str__(self) -> str:
        to = f"ε = {plain(self.epsilon)} at δ = {plain(self.delta)}"
        found = f"{self.at_least.rounded} ≤ ε ≤ {self.at_most.rounded}"
        return f"{self.verdict} to {to}: {found} ({percent(self.confidence)}, {self.sampling})"

    def _repr_html_(self) -> str:
        rows = [
            ("ε, unlearned against retrained", f"≤ {self.forward.rounded}"),
            ("ε, retrained against unlearned", f"≤ {self.backward.rounded}"),
            ("ε, the larger of both", f"≥ {self.at_least.rounded}"),
        ]
        if self.closer is not None:
            rows.append(("of the three models", self.closer.verdict))
        return table(f"Unlearning: {self.verdict}", rows, self.explain())


def unlearning(
    original: ArrayLike | None,
    unlearned: ArrayLike,
    retrained: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    confidence: float = 0.95,
    sampling: str = "one run",
) -> Unlearning:
    """Whether a model that unlearned records is equivalent to one that never saw them.

    Parameters
    ----------
    original : array_like, shape (k,), optional
        Scores under the model that saw the records; None leaves out which of the two is closer.
    unlearned, retrained : array_like, shape (n,), (m,)
        Scores under the model that unlearned them, and under one that was trained without them.
        Either direction of the score will do.
    epsilon : float
        The distance up to which the two count as equivalent, stated before the scores are seen.
    delta : float
        In [0, 1). At 0 nothing is ever shown to be equivalent.
    confidence : float
        Of each statement on its own: that they are equivalent, that they differ, and which of the
        two is closer.
    sampling : {"independent runs", "one run"}
        "one run": a score for each record that was to be forgotten, under one model of each kind;
        the three may be of the same records. "independent runs": a score for each of many trainings
        of each kind, all independent, which makes the limits sharper.

    Returns
    -------
    Unlearning

    Raises
    ------
    ScoresError
        Fewer than two scores, NaN, an array with two dimensions.
    ValueError
        A negative ε, a level out of range.

    Notes
    -----
    Guarantee: "equivalent" is said of laws at a distance of ε or more with a probability of at most
    one minus the confidence, whatever the thresholds; see `workbench.populations.equivalence`. It
    holds for tests of this score by a threshold.

    References
    ----------
    Equivalence is the (ε, δ)-unlearning of Sekhari et al. (2021), *Remember what you want to
    forget*, for one score; its test is an intersection–union test (Berger 1982).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> original, unlearned, retrained = (rng.normal(mu, 1, 2000) for mu in (2, 0, 0))
    >>> print(wb.unlearning(original, unlearned, retrained, epsilon=1, delta=0.02))
    equivalent to ε = 1 at δ = 0.02: 0 ≤ ε ≤ 0.232 (95%, one run)
    """
    epsilon, delta = _checks.non_negative(epsilon, "epsilon"), _checks.delta(delta)
    confidence = _checks.confidence(confidence)
    _checks.one_of(sampling, "sampling", SAMPLINGS_OF_SCORES)
    before = None if original is None else _scores(original, "original")
    a, b = _scores(unlearned, "unlearned"), _scores(retrained, "retrained")
    how = {"independent": sampling == "independent runs"}
    error = 1 - confidence
    tails = tail_counts(a, b), tail_counts(b, a)
    assumption = sampling
    forward, backward = (
        _at_most(one, (epsilon, delta, error), how, assumption, direction, (a.size, b.size))
        for one, direction in zip(tails, ("P‖Q", "Q‖P"), strict=True)
    )
    at_least = _at_least(a, b, delta, confidence, sampling)
    alike = all(
        bool(equivalent(one, epsilon, delta, error, **how).all()) for pair in tails for one in pair
    )
    verdict = "different" if at_least.value > epsilon else "equivalent" if alike else "undecided"
    return Unlearning(
        epsilon=epsilon,
        delta=delta,
        confidence=confidence,
        verdict=verdict,
        forward=forward,
        backward=backward,
        at_least=at_least,
        closer=None if before is None else relative_distance(before, a, b, confidence),
        scores_needed=sizes_needed(epsilon, delta, error, **how) if delta > 0 else None,
        sampling=sampling,
    )


def _scores(given: ArrayLike, name: str) -> NDArray[np.float64]:
    values = _checks.array(given, name)
    if values.ndim != 1 or values.size < 2:
        raise ScoresError(f"{name} must be two or more scores in one row, got shape {values.shape}")
    if missing := int(np.isnan(values).sum()):
        raise ScoresError(
            f"{missing} of the {values.size} scores of {name} are NaN, which has no place above or "
            "below a threshold; give a number for each record"
        )
    return values


def _at_most(
    tails: tuple[TailCounts, TailCounts],
    asked: tuple[float, float, float],
    how: dict[str, Any],
    assumption: str,
    direction: str,
    sizes: tuple[int, int],
) -> Bound:
    """The upper limit of one direction."""
    epsilon, delta, error = asked
    return Bound(
        quantity="epsilon",
        value=upper_limit(tails, epsilon, delta, error, **how),
        guarantee="simultaneous",
        method=EQUIVALENCE,
        assumption=assumption,
        n_p=sizes[0],
        n_q=sizes[1],
        confidence=1 - error,
        at=QuantityArguments(delta=delta),
        side="upper",
        direction=direction,
        note=THIS_SCORE,
    )


def _at_least(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    delta: float,
    confidence: float,
    sampling: str,
) -> Bound:
    """The lower limit of ε at δ, of both directions and both ways round."""
    if sampling == "one run":
        return _kolmogorov(a, b, delta, confidence, sampling)
    half = 1 - (1 - confidence) / 2
    found = [
        epsilon_lower_bound(Scores(a, b, larger_is_member=larger, sampling=sampling), delta, half)
        for larger in (True, False)
    ]
    best = max(found, key=lambda bound: bound.value)
    return replace(best, confidence=confidence, recompute=None)


def _kolmogorov(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    delta: float,
    confidence: float,
    sampling: str,
) -> Bound:
    """The lower limit that holds whether or not the two samples depend on each other.

    Each distribution function is known to within a radius at all thresholds at once, with half of
    the error probability; see `workbench.populations.closer`.
    """
    error = (1 - confidence) / 2
    r_a, r_b = radius(a.size, error), radius(b.size, error)
    at = np.unique(np.concatenate([a, b]))
    below = [np.searchsorted(np.sort(one), at, "right") / one.size for one in (a, b)]
    value = 0.0
    for f, g in ((below[0], below[1]), (1 - below[0], 1 - below[1])):
        for (x, r_x), (y, r_y) in (((f, r_a), (g, r_b)), ((g, r_b), (f, r_a))):
            ratio = (x - r_x - delta) / (y + r_y)
            value = max(value, math.log(max(float(ratio.max()), 1.0)))
    return Bound(
        quantity="epsilon",
        value=float(round_safely(value, "down")) if value > 0 else 0.0,
        guarantee="simultaneous",
        method=KOLMOGOROV,
        assumption=sampling,
        n_p=a.size,
        n_q=b.size,
        confidence=confidence,
        at=QuantityArguments(delta=delta),
    )
