"""Audit by one run: speed, and BITS' claims measured beside their print.

Bounds are means over 20 seeds with their range, all at δ = 1e-5 and 95%. STEINKE23 guesses the
share of the canaries that is best for this mechanism, found on other runs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import workbench as wb
from workbench.onerun.mahloujifar import largest_refuted
from workbench.onerun.simulate import DPSGD, Memoryless, SharedGaussian
from workbench.onerun.studies import Auditor, best_share, false_claims, study
from workbench.pairs.families.base import Family
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

DELTA = 1e-5
SIZES = (300, 1000, 3000, 10_000, 30_000)

Row = tuple[str, str, str]


def main() -> list[Row]:
    """Rows: what, measured, target or print."""
    return [*speed(), *figures_6_to_8(), *figure_10(), *interference()]


def speed() -> Iterator[Row]:
    families: tuple[Family, ...] = (
        GaussianFamily(),
        LaplaceFamily(),
        RandomizedResponseFamily(DELTA),
        SubsampledGaussianFamily(0.25),
    )
    for family in families:
        taken = cpu(
            lambda f=family: largest_refuted(  # type: ignore[misc]
                f, canaries=2000, guesses=1832, correct=1500, error=0.05
            )
        )
        yield f"recursion, r = 1832, {family.name}", f"{taken:.3f} s", "≤ 0.1 s"
    for method in ("steinke", "sharp"):
        yield timed(method, None)
    for method in ("bits", "bits-hoeffding", "abstain"):
        for family in families:
            yield timed(method, family)


def timed(method: str, family: Family | None) -> Row:
    guesses = 10_000 if method.startswith("bits") else 1000
    taken = cpu(
        lambda: wb.one_run_bound(
            canaries=10_000,
            guesses=guesses,
            correct=int(0.57 * guesses),
            delta=DELTA,
            method=method,
            family=family,
        )
    )
    name = f"{method}{f', {family.name}' if family else ''}, n = 10^4"
    return name, f"{1e3 * taken:.2f} ms", "≤ 10 ms"


def figures_6_to_8() -> Iterator[Row]:
    claims = {
        "gaussian": "tight; STEINKE23 is not",
        "randomized-response": "10 times fewer canaries",
        "laplace": "10 times fewer canaries",
    }
    pairs: dict[str, tuple[Any, ...]] = {
        "gaussian": tuple(wb.GaussianPair(mu) for mu in (0.5, 1.0, 2.0)),
        "randomized-response": tuple(
            wb.RandomizedResponsePair(epsilon, DELTA) for epsilon in (0.25, 1.0, 4.0)
        ),
        "laplace": tuple(wb.LaplacePair(mu) for mu in (0.5, 1.0, 2.0, 4.0)),
    }
    for family, members in pairs.items():
        for pair in members:
            mechanism = Memoryless(pair)
            lines: dict[str, dict[int, tuple[float, str]]] = {"bits": {}, "steinke": {}}
            for n in SIZES:
                auditors = {
                    "bits": Auditor("bits", family),
                    "steinke": best_share(mechanism, Auditor("steinke"), canaries=n, delta=DELTA),
                }
                found = study(mechanism, auditors, delta=DELTA, canaries=(n,), seeds=20)
                for name in lines:
                    low, high = found.range(name)
                    mean = float(found.mean(name)[0])
                    lines[name][n] = mean, f"{mean:.3f} ({low[0]:.2f} to {high[0]:.2f})"
            what = f"{pair.name}, truth {mechanism.epsilon(DELTA):.3f}"
            for n in (1000, 10_000):
                both = f"{lines['bits'][n][1]}; STEINKE23 {lines['steinke'][n][1]}"
                yield f"{what}, n = {n}", both, claims[family]
            yield f"{what}, canaries STEINKE23 needs", needed(lines), claims[family]


def needed(lines: dict[str, dict[int, tuple[float, str]]]) -> str:
    """How many times more canaries STEINKE23 needs for what bits prove from 1000."""
    goal = lines["bits"][1000][0]
    means = [lines["steinke"][n][0] for n in SIZES]
    if goal > max(means):
        return f"more than {SIZES[-1] / 1000:.0f} times as many"
    return f"{np.exp(np.interp(goal, means, np.log(SIZES))) / 1000:.2g} times as many"


def figure_10() -> Iterator[Row]:
    """DP-SGD that averages before it clips, at noise for four claims; and the right one."""
    for noise in (2.93, 1.75, 1.145, 0.803):
        for flawed in (True, False):
            mechanism = DPSGD(noise, 0.1, 50, average_first=flawed, batch_size=16)
            auditors = {
                "bits": Auditor("bits", "gaussian"),
                "steinke": best_share(mechanism, Auditor("steinke"), canaries=1000, delta=DELTA),
            }
            found = study(mechanism, auditors, delta=DELTA, canaries=(1000,))
            # What all seeds refute of the flawed one, and what the luckiest says of the right one.
            end = 0 if flawed else 1
            bits, steinke = (found.range(name)[end][0] for name in auditors)
            claim = mechanism.claimed.epsilon(DELTA)
            kind = "averaged before clipping, least" if flawed else "right, most"
            yield (
                f"DP-SGD {kind} of 20 runs, claimed ε = {claim:.2f}, n = 1000",
                f"{bits:.2f}; STEINKE23 {steinke:.2f}",
                f"> {claim:.2f}; STEINKE23 misses large claims" if flawed else f"≤ {claim:.2f}",
            )


def interference() -> Iterator[Row]:
    """Ten canaries a coordinate: how often a bound exceeds the truth, and what is lost."""
    for mu in (0.1, 0.25, 0.5, 1.0, 1.5, 2.0):
        found = false_claims(
            SharedGaussian(mu, 100),
            Auditor("bits", "gaussian"),
            canaries=1000,
            delta=DELTA,
            runs=1000,
        )
        loss = study(
            SharedGaussian(mu, 100),
            {"bits": Auditor("bits", "gaussian")},
            delta=DELTA,
            canaries=(1000,),
        )
        yield (
            f"d = n/10, μ = {mu:g}: bounds above the truth in 1000 runs",
            f"{found.rate:.1%}; mean bound {loss.mean('bits')[0]:.2f} of {loss.truth:.2f}",
            "≤ 5% (observed, no theorem)",
        )


def cpu(run: Callable[[], Any]) -> float:
    """Median CPU seconds of seven calls, after one to load what is loaded late."""
    run()
    taken = []
    for _ in range(7):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return statistics.median(taken)
