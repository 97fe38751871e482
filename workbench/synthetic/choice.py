"""Which attack and how many guesses: chosen on the learning share, before anything is measured.

The canaries (records, or units) are divided at random into a learning and a measured share. Each
attack is learned on one half of the learning share and scores the other half, and the reverse; of
these scores, `best_rule` takes the number of guesses with the largest bound. The attack whose bound
is largest is the chosen one. All of them are then learned on the whole learning share and score the
measured one, whose memberships only the final count sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import Ends, Guesses
from workbench.onerun.half.matching import matched_pairs
from workbench.onerun.run import OneRun
from workbench.onerun.steinke import sharp_p_value
from workbench.onerun.tuning import abstentions
from workbench.scores import chance
from workbench.synthetic.attacks.base import Attack, AttackView, Scorer
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.tables import SyntheticTables

#: How membership was decided.
SPLITS = ("coin", "fixed-size", "given")

#: The δ at which attacks and numbers of guesses are compared, where no claim names one.
CHOSEN_AT = 1e-5

#: The fewest canaries with which either share is worth something.
_FEWEST = 16

#: What a rank adds to log-odds, so that records of one block have an order.
_HAIR = 1e-6

#: Confidence at which rules are compared on the learning share.
_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class AttackScores:
    """What an attack found: its scores of the measured share, and how well it did before.

    Attributes
    ----------
    name, label : str
        Of the attack.
    run : OneRun
        Scores and memberships of the measured records or units; matched pairs where the split was
        of a fixed size.
    rule : Ends
        How many of them it names, fixed on the learning share.
    learned : float
        The bound on ε of this rule on the learning share, at 95%; a choice is made by it and
        nothing is claimed.
    """

    name: str
    label: str
    run: OneRun = field(repr=False)
    rule: Ends
    learned: float

    def __post_init__(self) -> None:
        _checks.fields(self)

    def guess(self) -> Guesses:
        """The counts of its guesses on the measured share."""
        return self.run.guess(**self.rule.arguments)

    def to_frame(self) -> Any:
        """One row: name, number of guesses, how many are right, bound on the learning share."""
        import pandas as pd

        made = self.guess()
        return pd.DataFrame(
            [
                {
                    "attack": self.name,
                    "guesses": made.guesses,
                    "correct": made.correct,
                    "canaries": made.canaries,
                    "rule": str(self.rule),
                    "learned": self.learned,
                }
            ]
        )


def learning_canaries(tables: SyntheticTables, share: float) -> NDArray[np.bool_]:
    """Which canaries are of the learning share, drawn at random, shape (canaries,).

    Parameters
    ----------
    tables : SyntheticTables
    share : float
        In (0, 1).

    Raises
    ------
    SyntheticTablesError
        A share with too few canaries, or with all of them on one side.
    """
    n = tables.canaries
    size = round(_checks.open_unit(share, "learning_share") * n)
    chosen = np.zeros(n, bool)
    chosen[:size] = True
    chance.generator(tables.chance, "split").shuffle(chosen)
    for part, name in ((chosen, "learning"), (~chosen, "measured")):
        inside = int(tables.included[part].sum())
        if part.sum() < _FEWEST or min(inside, int(part.sum()) - inside) < 2:
            raise SyntheticTablesError(
                f"the {name} share has {int(part.sum())} {tables.counted}, {inside} of them in; at "
                f"least {_FEWEST} and 2 on each side are needed: give more records, or another "
                f"learning_share than {share:g}"
            )
    return chosen


def measured_attacks(
    tables: SyntheticTables,
    attacks: Sequence[Attack],
    learning: NDArray[np.bool_],
    *,
    split: str,
    delta: float = CHOSEN_AT,
) -> tuple[AttackScores, ...]:
    """The scores of each attack on the measured share, with the rule that it is to guess by.

    Parameters
    ----------
    tables : SyntheticTables
    attacks : sequence of Attack
    learning : ndarray of bool, shape (canaries,)
        The learning share.
    split : {"coin", "fixed-size", "given"}
    delta : float
        The δ at which numbers of guesses are compared.
    """
    view = AttackView.of(tables)
    first = np.zeros(learning.size, bool)
    first[np.flatnonzero(learning)[::2]] = True  # canaries come in random order
    halves = first, learning & ~first
    found = []
    for attack in attacks:
        scores = np.zeros(learning.size)
        for known, other in (halves, halves[::-1]):
            scores[other] = _ranks(_scored(tables, view, attack, known, other))
        measured = _scored(tables, view, attack, learning, ~learning)
        if split == "coin":
            scores[~learning] = measured
        else:
            odds = log_odds(scores[learning], tables.included[learning])
            scores[learning] = odds(scores[learning])
            scores[~learning] = odds(_ranks(measured))
        tried = _run(tables, scores, learning, split)
        rule, learned = best_rule(tried, delta)
        run = _run(tables, scores, ~learning, split)
        scaled = rule.scaled(run.canaries, tried.canaries)
        found.append(AttackScores(attack.name, attack.label, run, scaled, learned))
    return tuple(found)


def _scored(
    tables: SyntheticTables,
    view: AttackView,
    attack: Attack,
    known: NDArray[np.bool_],
    asked: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Scores of the asked canaries by an attack that knows the memberships of others."""
    rows = np.flatnonzero(known[tables.canary])
    score: Scorer = attack.fit(view, rows, tables.member[rows])
    others = np.flatnonzero(asked[tables.canary])
    scores = np.full(tables.records, -np.inf)
    scores[others] = score(others)
    return tables.combined(scores)[asked]


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of scores below, so that two halves compare."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(scores) / scores.size)


def log_odds(
    ranks: NDArray[np.float64], member: NDArray[np.bool_]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Log-odds of being a member, rising in the rank, learned from known memberships.

    The difference of two log-odds says of a pair which of both is the member, and how surely; that
    of raw scores would be ruled by records that lie far from all others.

    Parameters
    ----------
    ranks : ndarray, shape (k,)
        In [0, 1].
    member : ndarray of bool, shape (k,)

    Returns
    -------
    callable
        From ranks to log-odds: of the blocks of an isotonic regression, with one member and one
        other record added to each, and a hair that rises within blocks.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(ranks, kind="stable")
    fitted = isotonic_regression(member[order].astype(float))
    starts = fitted.blocks[:-1]
    sizes = np.diff(fitted.blocks)
    inside = np.add.reduceat(member[order].astype(float), starts)
    odds = np.maximum.accumulate(np.log((inside + 1) / (sizes - inside + 1)))
    edges = ranks[order][starts]

    def calibrated(x: NDArray[np.float64]) -> NDArray[np.float64]:
        block = np.maximum(np.searchsorted(edges, x, side="right") - 1, 0)
        return np.asarray(odds[block] + _HAIR * x)

    return calibrated


def _run(
    tables: SyntheticTables, scores: NDArray[np.float64], part: NDArray[np.bool_], split: str
) -> OneRun:
    """The run of some canaries, or of their matched pairs."""
    design = "fair-coins" if split == "coin" else "fixed-size"
    run = OneRun(
        scores[part], tables.included[part], larger_is_member=True, design=design,
        seed=tables.chance,
    )  # fmt: skip
    return run if split == "coin" else matched_pairs(run)


def candidate_rules(canaries: int) -> tuple[Ends, ...]:
    """Rules with all, half, a quarter … of the guesses, on both ends or on that of members alone.

    Parameters
    ----------
    canaries : int
    """
    both = abstentions(canaries, ratio=math.sqrt(2))
    alone = (Ends(rule.k_in + rule.k_out, 0) for rule in both if 2 * rule.k_in <= canaries // 2)
    return (*both, *alone)


def best_rule(run: OneRun, delta: float = CHOSEN_AT) -> tuple[Ends, float]:
    """The rule with the largest bound on these canaries, and that bound: a choice, no claim.

    Where all bounds are 0, the rule whose guesses are the least likely under chance.

    Parameters
    ----------
    run : OneRun
    delta : float
    """

    def quality(rule: Ends) -> tuple[float, float]:
        made = run.guess(**rule.arguments)
        by_chance = sharp_p_value(made.canaries, made.guesses, made.correct, 0.0, delta)
        if by_chance > 1 - _CONFIDENCE:
            return 0.0, -by_chance
        bound = one_run_bound(made, delta=delta, confidence=_CONFIDENCE, method="sharp")
        return bound.value, -by_chance

    rules = candidate_rules(run.canaries)
    qualities = [quality(rule) for rule in rules]
    best = max(range(len(rules)), key=qualities.__getitem__)
    return rules[best], qualities[best][0]
