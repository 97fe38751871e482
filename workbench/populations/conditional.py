"""What members that nobody drew show of ε, on a condition about the two populations.

Members come from one population, non-members from another, each drawn independently, and a coin
decides of each record that an auditor is shown from which. Let a record be at most e^c times as
likely among members as among non-members (*c-closeness*; Kazmi et al. 2024), and the training
(ε, δ)-DP for substituting a record. Of a shown record x and a set E of outputs, with p and q for
the two populations::

    P[member, x, E] = p(x) P[E | x in] / 2 ≤ e^c q(x) (e^ε P[E | x out] + δ(E)) / 2,

so e^(c+ε) and δ stand where e^ε and δ stand in the proof of `workbench.onerun.steinke`, of guesses
that name members: a one-run bound of such guesses is one on c + ε. Without a model ε is 0, and the
same guesses bound c: the *baseline*.

**What follows.** Let c_lb be the baseline's limit and t that of the attack. With the confidence of
t, either c is larger than c_lb or ε ≥ t − c_lb. Nobody can rule out the first: c_lb is a lower
limit of c, of one classifier, and no data give an upper one. So the difference is an estimate whose
assumption is the condition, and never a bound.

**Each record on its own.** Let the memberships be independent given the records, record i a member
with a probability of at most π_i (its propensity), and the training ε-DP. Given all others and what
was released, the odds that it is one are at most e^ε π_i/(1 − π_i). So the number of right guesses
"member", of records that were chosen by what was released, is stochastically at most a sum of
independent Bernoulli variables of these odds, whose tail is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.run import OneRun
from workbench.scores import chance
from workbench.scores.ordered import oriented
from workbench.scores.sample import ScoresError

#: `Bound.method` of these estimates.
COMPOSITION = "one run, less the baseline"
POINTWISE = "one run, each record at its propensity"

#: The fewest guesses of a rule that is tried, and the fewest canaries.
_LEAST, _FEWEST = 8, 16


@dataclass(frozen=True)
class Panoramia:
    """ε of an audit of records that nobody drew, less what populations explain. See `panoramia`.

    Attributes
    ----------
    closeness : float
        c of the condition: a record is at most e^c times as likely among members.
    stated : bool
        Whether it was stated; otherwise it is what the baseline shows.
    baseline : float
        c_lb, the lower limit of c from guesses without the model.
    attack : float
        The lower limit of c + ε from guesses with it.
    canaries, members : int
        Records that were shown, each of which a coin took from one population or the other.
    confidence : float
        Of each of the two limits.
    bound : Bound
        The difference: an estimate of ε, whose assumption is the condition. It is void where the
        baseline refutes a closeness that was stated.
    seed : int
        The random number from which it followed which records were shown.
    """

    closeness: float
    stated: bool
    baseline: float
    attack: float
    canaries: int
    members: int
    confidence: float
    bound: Bound
    seed: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    def explain(self) -> str:
        """The finding in plain sentences."""
        c, sure = plain(float(round_safely(self.closeness, "up"))), percent(self.confidence)
        return (
            f"Without the model, {self.canaries:,} records show with {sure} confidence that some "
            f"record is at least e^{round_safely(self.baseline, 'down')} times as likely among "
            f"members; with it, the guesses show e^{round_safely(self.attack, 'down')} of both "
            f"together. With {sure} confidence, either the populations are further apart than "
            f"e^{c}, or ε is at least {round_safely(max(self.bound.value, 0.0), 'down')}. No data "
            "rule out the former, so that this is no bound."
            + (f" It is not valid: {self.bound.void}." if self.bound.void else "")
        )

    def __str__(self) -> str:
        return str(self.bound)

    def _repr_html_(self) -> str:
        rows = [
            ("c of the populations", f"≥ {round_safely(self.baseline, 'down')}"),
            ("c + ε with the model", f"≥ {round_safely(self.attack, 'down')}"),
            ("ε on the condition", f"≈ {self.bound.rounded}"),
        ]
        return table("Members that nobody drew", rows, self.explain())


def panoramia(
    baseline: OneRun,
    attack: OneRun,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    closeness: float | None = None,
    guesses: Sequence[int] | None = None,
) -> Panoramia:
    """ε of an audit of records that nobody drew, less what the populations explain: an estimate.

    Parameters
    ----------
    baseline, attack : OneRun
        The same records in the same order: scores without the model, such as those of a classifier
        that learned on other records, and scores with it. Their design is "fair-coins" where a coin
        decided of each record which population it was taken from, as Kazmi et al. do; of any other,
        records are paired at random and a coin of the library shows one of each pair.
    delta : float
        In [0, 1).
    confidence : float
    closeness : float, optional
        c ≥ 0, which was known before: a record is at most e^c times as likely among members as
        among non-members. By default what the baseline shows, which may be too little.
    guesses : sequence of int, optional
        How many of the most member-like records are named, fixed in advance; with several, the
        error probability is divided among them. By default a half, a quarter, … of those shown.

    Returns
    -------
    Panoramia
        Its ``bound`` is an estimate, and states the condition as its assumption.

    Raises
    ------
    ScoresError
        Runs of other records, canaries that are pairs, too few records.
    ValueError
        A negative closeness, more guesses than records.

    See Also
    --------
    shift_check : whether a classifier tells the populations apart.

    References
    ----------
    Kazmi et al. (2024), *PANORAMIA: Privacy auditing of machine learning models without
    retraining*, arXiv 2402.09477; here with the sharp limit of guesses, also at δ > 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = np.repeat([True, False], 1000)
    >>> features = rng.normal(0.5 * included)
    >>> scores = features + rng.normal(2.0 * included)
    >>> baseline, attack = (
    ...     wb.OneRun(x, included, design="given", seed=1) for x in (features, scores)
    ... )
    >>> print(wb.panoramia(baseline, attack))
    ε at δ = 0 ≈ 1.88 (estimate, if no record is over e^0.427 times as likely among members)
    """
    need = "a workbench.OneRun, such as wb.read_one_run(path, score=..., design='given') returns"
    _checks.instance(baseline, OneRun, "baseline", need)
    _checks.instance(attack, OneRun, "attack", need)
    confidence, delta = _checks.confidence(confidence), _checks.delta(delta)
    _require_same(baseline, attack)
    shown = _shown(attack)
    runs = [_canaries(run, shown) for run in (baseline, attack)]
    numbers = _numbers(runs[1].canaries, guesses)
    c_lb, _ = _limit(runs[0], numbers, 0.0, confidence)
    total, best = _limit(runs[1], numbers, delta, confidence)
    c = c_lb if closeness is None else _checks.non_negative(closeness, "closeness")
    void = None
    if c < c_lb:
        void = f"refuted by the baseline, which shows a factor of at least e^{c_lb:.3g}"
    bound = _estimate(
        max(total - c, 0.0), best, delta, COMPOSITION, CLOSE.format(round_safely(c, "up")),
        note="It is not a bound: no data show how close the populations are.", void=void,
    )  # fmt: skip
    return Panoramia(
        closeness=c,
        stated=closeness is not None,
        baseline=c_lb,
        attack=total,
        canaries=runs[1].canaries,
        members=runs[1].members,
        confidence=confidence,
        bound=bound,
        seed=attack.chance,
    )


#: `Bound.assumption`.
CLOSE = "if no record is over e^{} times as likely among members"
PROPENSITIES = "if memberships are independent with at most the stated probabilities"


def pointwise_correction(
    run: OneRun,
    propensity: ArrayLike,
    *,
    confidence: float = 0.95,
    guesses: Sequence[int] | None = None,
) -> Bound:
    """ε of an audit of records that nobody drew, each judged by how likely it was a member before.

    Parameters
    ----------
    run : OneRun
        Scores with the model, and who was in.
    propensity : array_like, shape (m,)
        For each record an upper limit, in (0, 1), of the probability that a record like it is a
        member, known without the model, such as from a classifier of `shift_check` that learned on
        other records.
    confidence : float
    guesses : sequence of int, optional
        As in `panoramia`, of all records.

    Returns
    -------
    Bound
        At δ = 0; an estimate, whose assumption are the propensities: they are learned, and may be
        wrong.

    Raises
    ------
    ScoresError
        Too few records.
    ValueError
        Propensities out of range or of another length, more guesses than records.

    Notes
    -----
    The proof is in the head of `workbench.populations.conditional`. The idea to correct each guess
    on its own is that of Cebere, Even, Bleistein and Bellet (2026), *Privacy auditing with zero (0)
    training run*, arXiv 2605.14591; their theorem may be another one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> propensity = rng.uniform(0.2, 0.8, 2000)
    >>> included = rng.random(2000) < propensity
    >>> run = wb.OneRun(rng.normal(3.0 * included), included, design="given", seed=1)
    >>> found = wb.populations.pointwise_correction(run, propensity)
    >>> found.guarantee, found.value > 2
    ('estimate', True)
    """
    need = "a workbench.OneRun, such as wb.read_one_run(path, design='given') returns"
    _checks.instance(run, OneRun, "run", need)
    known = _checks.array(propensity, "propensity")
    if known.shape != (run.canaries,):
        raise ValueError(
            f"propensity must have one probability for each of the {run.canaries} records, got "
            f"shape {known.shape}"
        )
    if not ((known > 0) & (known < 1)).all():
        raise ValueError(
            f"propensity must lie in (0, 1), got {_checks.shown(known)}; a record that is surely a "
            "member or none tells nothing: leave it out"
        )
    confidence = _checks.confidence(confidence)
    numbers = _numbers(run.canaries, guesses)
    error = (1 - confidence) / len(numbers)
    # NaN sorts after everything: the most member-like.
    x = oriented(run.scores, run.larger_is_member)
    order = np.lexsort((run.random_order("ties"), x))[::-1]
    found = []
    for number in numbers:
        named = order[:number]
        right = int(run.included[named].sum())
        found.append((_pointwise_limit(logit(known[named]), right, error), number, right))
    value, number, right = max(found)
    counts = Guesses(run.canaries, number, right, included=run.members, design="given")
    note = "It is not a bound: how likely each record was a member is not known, but learned."
    return _estimate(value, counts, 0.0, POINTWISE, PROPENSITIES, note=note, void=None)


# -- parts -----------------------------------------------------------------------------------------


def _require_same(baseline: OneRun, attack: OneRun) -> None:
    for run, name in ((baseline, "baseline"), (attack, "attack")):
        if run.design == "matched-pairs":
            raise ScoresError(f"the canaries of {name} are pairs; give the run of single records")
    if not np.array_equal(baseline.included, attack.included):
        raise ScoresError(
            f"baseline has {baseline.canaries} records and attack {attack.canaries}, and they "
            "differ in who was in; both need the same records in the same order"
        )
    if _other_ids(baseline, attack):
        raise ScoresError(
            "baseline and attack name their records otherwise; give the same records in the same "
            "order"
        )


def _other_ids(a: OneRun, b: OneRun) -> bool:
    return a.ids is not None and b.ids is not None and not np.array_equal(a.ids, b.ids)


def _shown(run: OneRun) -> NDArray[np.bool_]:
    """Which records are shown, such that a fair coin decided of each from which population.

    A record is shown of each pair of a member and a non-member, which are matched at random.
    """
    if run.design == "fair-coins":
        return np.ones(run.canaries, bool)
    order = run.random_order("pairs")
    inside, outside = np.flatnonzero(run.included), np.flatnonzero(~run.included)
    few = min(inside.size, outside.size)
    inside = inside[np.argsort(order[inside])][:few]
    outside = outside[np.argsort(order[outside])][:few]
    coins = chance.generator(run.chance, "pairs", 2).random(few) < 0.5
    shown = np.zeros(run.canaries, bool)
    shown[np.where(coins, inside, outside)] = True
    return shown


def _canaries(run: OneRun, shown: NDArray[np.bool_]) -> OneRun:
    included = run.included[shown]
    if included.size < _FEWEST or included.all() or not included.any():
        raise ScoresError(
            f"{included.size} records are shown, {int(included.sum())} of them members, which are "
            f"too few; give at least {_FEWEST} members and as many non-members"
        )
    return OneRun(
        run.scores[shown], included, larger_is_member=run.larger_is_member, seed=run.chance
    )


def _numbers(canaries: int, guesses: Sequence[int] | None) -> list[int]:
    """The numbers of guesses that are tried."""
    if guesses is None:
        found = [canaries // 2**k for k in range(1, 40)]
        return [n for n in found if n >= _LEAST] or [max(canaries // 2, 1)]
    numbers = _checks.counts(guesses, "guesses", least=1)
    if not numbers or max(numbers) > canaries:
        raise ValueError(
            f"guesses must be numbers of at most the {canaries} records that are shown, got "
            f"{_checks.shown(guesses)}"
        )
    return numbers


def _limit(
    run: OneRun, numbers: list[int], delta: float, confidence: float
) -> tuple[float, Guesses]:
    """The largest limit of guesses "member", each at its part of the error; and its guesses."""
    level = 1 - (1 - confidence) / len(numbers)
    found = []
    for number in numbers:
        made = run.guess(k_in=number)
        bound = one_run_bound(made, delta=delta, confidence=level, method="sharp")
        found.append((bound.value, made))
    return max(found, key=lambda one: one[0])


def _pointwise_limit(log_odds: NDArray[np.float64], right: int, error: float) -> float:
    """The largest ε at which so many right guesses have a probability of at most ``error``."""
    from scipy.optimize import brentq

    def excess(epsilon: float) -> float:
        return sum_tail(expit(log_odds + epsilon), right) - error

    if right == 0 or excess(0.0) > 0:
        return 0.0
    high = 1.0
    while excess(high) <= 0:
        high *= 2
    return max(float(brentq(excess, 0.0, high, xtol=1e-9)) - 1e-6, 0.0)


def sum_tail(probabilities: NDArray[np.float64], least: int) -> float:
    """P[at least so many successes] of independent trials with these probabilities.

    Parameters
    ----------
    probabilities : ndarray, shape (k,)
    least : int
    """
    if least <= 0:
        return 1.0
    below = np.zeros(least)  # masses of 0, …, least − 1 successes
    below[0] = 1.0
    for p in probabilities:
        below[1:] = below[1:] * (1 - p) + below[:-1] * p
        below[0] *= 1 - p
    return max(1.0 - math.fsum(below), 0.0)


def _estimate(
    value: float, made: Guesses, delta: float, method: str, condition: str, **more: Any
) -> Bound:
    members = made.included or 0
    return Bound(
        quantity="epsilon",
        value=value,
        guarantee="estimate",
        method=method,
        assumption=condition,
        n_p=members,
        n_q=made.canaries - members,
        at=QuantityArguments(delta=delta),
        canaries=made.canaries,
        guesses=made.guesses,
        correct=made.correct,
        **more,
    )
