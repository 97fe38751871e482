"""Bounds after choosing among several guessing rules: the invalid one, and two valid ones.

The number of guesses, or the threshold, is part of the guarantee. A rule that was fixed before the
inclusions were known gives a valid pointwise bound. The best of several rules, selected by their
bounds, does not. Two corrections are valid:

- *simultaneous*: each of J stated rules gets 1/J of the error probability, and the best counts;
- *held-out*: the rule is tuned on some canaries and measured on the others, drawn at random by the
  number that the run was given (`OneRun.chance`). The canaries of the tuning part then count as
  other training data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.bounds.random_split import second_split
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import RANDOM_PARTS, Ends, Rule, Threshold
from workbench.onerun.run import OneRun
from workbench.scores.sample import ScoresError

if TYPE_CHECKING:
    import pandas as pd

#: Rules with different numbers of guesses, at most.
_MOST_RULES = 10_000

#: Why the best pointwise bound is void.
TUNED = "the guessing rule was chosen because of the bounds that it gave on the same canaries"


@dataclass(frozen=True, eq=False)
class Tuning:
    """Bounds of several guessing rules, before and after correcting for the choice.

    Attributes
    ----------
    run : OneRun
    rules : tuple of Threshold or Ends
        The candidate rules.
    pointwise : tuple of Bound
        One for each rule, valid if that rule alone had been fixed in advance.
    claimed : Bound
        The best of them, which is void.
    simultaneous : Bound
        The best after correcting for the number of rules.
    held_out : Bound or None
        Tuned on one part and measured on the other; None for the designs "fixed-half" and
        "fixed-size", whose parts are not of a fixed size.
    rule_claimed, rule_simultaneous, rule_held_out : Threshold or Ends
        The rules of these bounds; the last is None where there is no held-out bound.
    """

    run: OneRun
    rules: tuple[Rule, ...]
    pointwise: tuple[Bound, ...]
    claimed: Bound
    simultaneous: Bound
    held_out: Bound | None
    rule_claimed: Rule
    rule_simultaneous: Rule
    rule_held_out: Rule | None

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each rule, with its bound, which holds if the rule was fixed in advance."""
        import pandas as pd

        rows = [
            {"rule": str(rule), **one.to_dict()}
            for rule, one in zip(self.rules, self.pointwise, strict=True)
        ]
        return pd.DataFrame(rows)

    def _repr_html_(self) -> str:
        rows = [
            (one.guarantee, f"{one.symbol} {one.relation} {one.rounded}", " · ".join(one.terms))
            for one in (self.simultaneous, self.held_out)
            if one is not None
        ]
        return beside(table(f"{len(self.rules)} rules of guessing", rows), self)


def tune_one_run(
    run: OneRun,
    rules: Sequence[Rule] | None = None,
    *,
    delta: float,
    confidence: float = 0.95,
    tuning_share: float = 0.5,
    **how: Any,
) -> Tuning:
    """Bounds of several guessing rules, uncorrected and corrected for choosing among them.

    Parameters
    ----------
    run : OneRun
    rules : sequence of Threshold or Ends, optional
        The candidates; `abstentions` by default. They must not depend on the inclusions.
    delta, confidence : float
    tuning_share : float
        Fraction of the canaries that the held-out bound tunes on.
    **how
        ``method``, ``family`` and ``q`` of `one_run_bound`.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        No rules, or as `one_run_bound`.
    """
    _checks.instance(run, OneRun, "run", "a workbench.OneRun: make one with wb.read_one_run(...)")
    rules = abstentions(run.canaries) if rules is None else _rules(rules)
    if not rules:
        raise ValueError("rules is empty; give at least one way of guessing")
    confidence = _checks.confidence(confidence)
    pointwise = _bounds(run, rules, delta=delta, confidence=confidence, **how)
    paid_for = 1 - (1 - confidence) / len(rules)
    paid = _bounds(run, rules, delta=delta, confidence=paid_for, **how)
    best, best_paid = _best(pointwise), _best(paid)
    held = None
    if run.design not in RANDOM_PARTS:
        held = _held_out(run, rules, tuning_share, delta=delta, confidence=confidence, **how)
    return Tuning(
        run=run,
        rules=rules,
        pointwise=pointwise,
        claimed=pointwise[best].voided(TUNED),
        simultaneous=_promising(paid[best_paid], guarantee="simultaneous", confidence=confidence),
        held_out=held[0] if held else None,
        rule_claimed=rules[best],
        rule_simultaneous=rules[best_paid],
        rule_held_out=held[1] if held else None,
    )


def abstentions(canaries: int, ratio: float = 2.0, least: int = 8) -> tuple[Ends, ...]:
    """Rules that guess all, half, a quarter … of the canaries, equally many in and out.

    Parameters
    ----------
    canaries : int
    ratio : float
        Of consecutive numbers of guesses, above 1.
    least : int
        The fewest guesses.
    """
    canaries = _checks.count(canaries, "canaries", least=2)
    if _checks.number(ratio, "ratio") <= 1:
        raise ValueError(f"ratio must be above 1, got {ratio!r}")
    end = min(_checks.count(least, "least", least=1), canaries)
    if math.log(canaries / end) > _MOST_RULES * math.log(ratio):
        raise ValueError(
            f"ratio = {ratio!r} makes more than {_MOST_RULES:,} rules of {canaries} canaries; give "
            "a larger one, such as 2"
        )
    guesses, rules = float(canaries), []
    while guesses >= end:
        k_in = round(guesses) // 2
        rules.append(Ends(k_in, round(guesses) - k_in))
        guesses /= ratio
    return tuple(dict.fromkeys(rules))


def _rules(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    need = "a wb.Threshold or wb.Ends"
    return tuple(_checks.each_of(rules, (Threshold, Ends), "rules", need))


def _held_out(
    run: OneRun, rules: Sequence[Rule], tuning_share: float, **how: Any
) -> tuple[Bound, Rule]:
    tuned_on = random_part(run, _checks.open_unit(tuning_share, "tuning_share"))
    parts = run.part(tuned_on), run.part(~tuned_on)
    tune, measure = ([rule.scaled(part.canaries, run.canaries) for rule in rules] for part in parts)
    best = _best(_bounds(parts[0], tune, **how))
    (bound,) = _bounds(parts[1], measure[best : best + 1], **how)
    held = _promising(bound, guarantee="held-out", seed=run.chance, void=second_split(run))
    return held, measure[best]


def _promising(bound: Bound, **more: Any) -> Bound:
    """A bound with another guarantee; an estimate has none to change."""
    return bound if bound.guarantee == "estimate" else replace(bound, **more)


def random_part(run: OneRun, share: float) -> NDArray[np.bool_]:
    """Mask of a fraction of the canaries, drawn at random.

    Parameters
    ----------
    run : OneRun
    share : float
        In (0, 1).

    Returns
    -------
    ndarray of bool, shape (m,)

    Raises
    ------
    ScoresError
        Too few canaries for two parts with both sides.
    """
    chosen = run.random_order("split") < round(share * run.canaries)
    for part in (chosen, ~chosen):
        if part.sum() < 2 or run.included[part].all() or not run.included[part].any():
            raise ScoresError(
                f"{run.canaries} canaries are too few for a held-out bound: a part of "
                f"{int(part.sum())} has all in or all out; add canaries, or fix the rule in advance"
            )
    return chosen


def _bounds(run: OneRun, rules: Sequence[Rule], **how: Any) -> tuple[Bound, ...]:
    return tuple(one_run_bound(run.guess(**rule.arguments), **how) for rule in rules)


def _best(bounds: Sequence[Bound]) -> int:
    return int(np.argmax([bound.value for bound in bounds]))
