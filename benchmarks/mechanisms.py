"""Published mechanisms: what DP-Sniper and StatDP found in them, and what is found here.

python -m benchmarks mechanisms
python -m benchmarks.mechanisms [--full] [sniper | cards ...]

`sniper` runs the mechanisms of DP-Sniper (Bichsel, Steffen, Bogunovic, Vechev, 2021) with its
parameters, on the pair of inputs that its logistic regression reported, for its claim. The targets
are lower bounds at 90% from its published logs: of DP-Sniper by logistic regression and by a neural
network, and the larger of two runs of StatDP. The budgets differ: theirs are 10.7 million runs
to train, to choose a threshold and to check each candidate pair, and 200 million for the final
estimate; the pairs are known here, and all runs on one dataset are PLAN's, a fifth of them to
learn from. So a smaller number of ours does not show a weaker method.

`cards` measures every card of the gallery on its pair: one test with its share of the confidence
for each tester, at 95% together. A private card must not be accused.

Each number is of one seed by default. `sniper` proves the largest ε without a claim, and says in
how many tests of the claim it was refuted.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import workbench as wb
from workbench import mechanisms
from workbench.mechanisms.gallery import GALLERY

Row = tuple[str, str, str]
Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Plan:
    """Runs on each dataset, and seeds."""

    samples: int
    seeds: int


SMALL = Plan(samples=200_000, seeds=1)
FULL = Plan(samples=1_500_000, seeds=3)


def main(plan: Plan = SMALL, parts: Sequence[str] = ()) -> list[Row]:
    """Rows: what, measured, target."""
    return [row for name in parts or PARTS for row in PARTS[name](plan)]


def users(first: Sequence[int], second: Sequence[int]) -> Pair:
    """Answers of queries that differ by at most 1, as users of whom the last one is replaced."""
    a, b = np.array(first), np.array(second)
    same = np.minimum(a, b)
    others = [same > k for k in range(same.max())]
    return tuple(np.array([*others, last > same], float) for last in (a, b))  # type: ignore[return-value]


@dataclass(frozen=True)
class Case:
    """A mechanism of DP-Sniper, its claim, a pair, and what was published for it."""

    run: Callable[..., Any]
    claim: float
    pair: Pair
    published: str
    relation: str = "substitute"


_ONES, _HALF = [1] * 10, [1] * 5 + [0] * 5
_SHIFT = (np.array([0.0]), np.array([1.0]))
_CROSS = users(_HALF[::-1], _HALF)
_SPREAD = users(_ONES, [2] * 5 + [0] * 5)
_BINS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
_HISTOGRAM = (_BINS[1:], _BINS)
_OTHERS = users([1] * 5, [0, 2, 2, 2, 2])
_COUNT = (np.array([1.0, 1, 0, 0, 0]), np.array([1.0, 0, 0, 0, 0]))


def _svt(run: Callable[..., Any], threshold: float = 1, answers: int = 1) -> Callable[..., Any]:
    return partial(run, epsilon=0.1, threshold=threshold, answers=answers)


#: ε of TruncatedGeometric as published.
GEOMETRIC = math.log1p(1 / 8)

CASES: dict[str, Case] = {
    "LaplaceMechanism": Case(
        partial(mechanisms.laplace_sum, epsilon=0.1), 0.1, _SHIFT, "0.097 / 0.098; StatDP 0.0998"
    ),
    "TruncatedGeometric": Case(
        partial(mechanisms.truncated_geometric, epsilon=GEOMETRIC),
        GEOMETRIC,
        _COUNT,
        "0.116 / 0.116; StatDP 0.117",
    ),
    "NoisyHist1": Case(
        partial(mechanisms.noisy_histogram, epsilon=0.1, bins=5),
        0.1,
        _HISTOGRAM,
        "0.098 / 0.098; StatDP 0.099",
        "add-remove",
    ),
    "NoisyHist2": Case(
        partial(mechanisms.noisy_histogram_inverted, epsilon=0.1, bins=5),
        0.1,
        _HISTOGRAM,
        "4.60 / 4.60; StatDP 10.0",
        "add-remove",
    ),
    "ReportNoisyMax1": Case(
        partial(mechanisms.noisy_max_both_ways, epsilon=0.1),
        0.1,
        _OTHERS,
        "0.092 / 0.093; StatDP 0.092",
    ),
    "ReportNoisyMax2": Case(
        partial(mechanisms.noisy_max_exponential, epsilon=0.1),
        0.1,
        _OTHERS,
        "0.098 / 0.098; StatDP 0.0997",
    ),
    "ReportNoisyMax3": Case(
        partial(mechanisms.noisy_max_value_both_ways, epsilon=0.1),
        0.1,
        users([0] * 5, [1] * 5),
        "0.248 / 0.249; StatDP 0.199",
    ),
    "ReportNoisyMax4": Case(
        partial(mechanisms.noisy_max_value_exponential, epsilon=0.1),
        0.1,
        users([1] * 5, [2] * 5),
        "0.346 / 0.353; StatDP 0.199",
    ),
    "SVT1": Case(_svt(mechanisms.svt1, 0.5), 0.1, _CROSS, "0.086 / 0.086; StatDP 0.030"),
    "SVT2": Case(_svt(mechanisms.svt2), 0.1, _CROSS, "0.086 / 0.085; StatDP 0.041"),
    "SVT3": Case(_svt(mechanisms.svt3), 0.1, _SPREAD, "0.172 / 0.182; StatDP 0.179"),
    "SVT4": Case(_svt(mechanisms.svt4), 0.1, _SPREAD, "0.169 / 0.170; StatDP 0.172"),
    "SVT5": Case(
        partial(mechanisms.svt5, epsilon=0.1, threshold=1),
        0.1,
        _SPREAD[::-1],
        "1.76 / 1.76; StatDP 14.3",
    ),
    "SVT6": Case(
        partial(mechanisms.svt6, epsilon=0.1, threshold=1),
        0.1,
        _CROSS[::-1],
        "0.272 / 0.270; StatDP 0.322",
    ),
    "Rappor": Case(
        partial(mechanisms.rappor, epsilon=0.4),
        0.4,
        GALLERY["rappor"].pair,
        "0.293 / 0.301; StatDP 0.242",
    ),
    "OneTimeRappor": Case(
        partial(mechanisms.rappor_one_time, epsilon=0.8),
        0.8,
        GALLERY["rappor"].pair,
        "0.598 / 0.600; StatDP 0.471",
    ),
    "LaplaceParallel": Case(
        partial(mechanisms.laplace_parallel, epsilon=0.1),
        0.1,
        _SHIFT,
        "0.035 / 0.030; StatDP 0.013",
    ),
    "SVT34Parallel": Case(
        partial(mechanisms.svt34_parallel, epsilon=0.2, answers=2, threshold=1),
        0.2,
        _SPREAD,
        "0.261 / 0.262; StatDP 0.196",
    ),
    "PrefixSum": Case(
        partial(mechanisms.prefix_sum_user, epsilon=0.1),
        0.1,
        users(_ONES, [0] * 10),
        "0.504 / 0.577; StatDP 0.352",
    ),
    "NumericalSVT": Case(
        _svt(mechanisms.svt_numeric, answers=2),
        0.1,
        users([2] * 10, _ONES),
        "0.034 / 0.035",
    ),
    "LaplaceMechanism, floating point": Case(
        partial(mechanisms.laplace_inversion, epsilon=0.1),
        0.1,
        (np.array([1.0]), np.array([0.0])),
        "0.252 (of numpy's Laplace, by bits)",
    ),
}


def sniper(plan: Plan) -> Iterable[Row]:
    """One test of the claim and one without it, by one tester, at 90% as theirs."""
    for name, case in CASES.items():
        tester = "bits" if "floating" in name else "hockey-stick"
        proved, told, spent = [], 0, time.process_time()
        for seed in range(plan.seeds):
            claimed, largest = (
                wb.audit_mechanism(
                    case.run,
                    claim,
                    case.pair,
                    neighboring_relation=case.relation,
                    testers=tester,
                    trials=1,
                    samples=plan.samples,
                    confidence=0.9,
                    seed=seed,
                )
                for claim in (wb.PureDP(case.claim), None)
            )
            told += claimed.violation
            proved.append(largest.trials[0].findings[tester].parameter)
        spent = time.process_time() - spent
        values = ", ".join(_down(value) for value in proved)
        said = f"ε ≥ {values}; refuted {told}/{plan.seeds}; {spent / plan.seeds / 2:.1f} s CPU"
        yield f"{name}, claim {case.claim:.4g}, {plan.samples:,} a side", said, case.published


def cards(plan: Plan) -> Iterable[Row]:
    """Every card on its pair, with all testers."""
    for name, card in GALLERY.items():
        told, best = 0, []
        for seed in range(plan.seeds):
            audit = wb.audit_mechanism(
                card, card.claim, card.pair, trials=1, samples=plan.samples, seed=seed
            )
            told += audit.violation
            findings = audit.trials[0].findings.values()
            best.append(max(one.parameter or 0.0 for one in findings))
        values = ", ".join(_down(value) for value in best)
        said = f"{values}; refuted {told}/{plan.seeds}"
        target = "not refuted" if card.private else "refuted"
        yield f"{name}, claim {card.claim}, {plan.samples:,} a side", said, target


def _down(value: float | None) -> str:
    """Three decimals, rounded to the safe side."""
    return f"{math.floor(1000 * (value or 0.0)) / 1000:.3f}"


PARTS: dict[str, Callable[[Plan], Iterable[Row]]] = {"sniper": sniper, "cards": cards}


def command() -> None:
    from benchmarks.__main__ import table

    asked = argparse.ArgumentParser(prog="python -m benchmarks.mechanisms")
    asked.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    asked.add_argument("--full", action="store_true", help="1.5 million runs, three seeds")
    given = asked.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        asked.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    print(table(main(FULL if given.full else SMALL, given.parts)))


if __name__ == "__main__":
    command()
