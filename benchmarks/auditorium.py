"""Property testers: AUDITORIUM's Tables 1 and 2, its Figures 2 and 3, and what a test costs.

python -m benchmarks.auditorium [--full] [figures | table1 | table2 | sweep | sizes | private ...]

Without --full there are few runs, small samples and few trials, and Table 2 only where it is asked
for. With it everything is as printed, which takes hours: most of it Table 2, of which every 50
means 50 tests that find nothing.

The paper does not give the datasets of Table 1. Here they are the pairs of the gallery's cards:

- means: NonDPLaplace1 and NonDPGaussian1 on (1) and (1, 1); NonDPLaplace2 and NonDPGaussian2 on (1)
  and (1, 0);
- SVT 3, 4 and 6: ten queries, threshold 3, one answer; three users with a 1 throughout, and one who
  changes from 0000011111 to 1111100000; SVT 5: two users, and one from 0000000001 to 1111111110.

Laplace means and SVT claim ε-DP. The Gaussian means have noise for the claim that is tested: for
the Rényi tester σ² = 1.5/ε, so that sum and count together have Rényi ε at order 1.5; for the
others the least noise with which both together are (ε, 0.01)-DP. Each tester has the whole
confidence of 2/3 in a cell of Table 1; in Table 2 the error is shared among the trials.

At confidence 2/3 one test in three may be wrong, so up to about 6 detections in 10 prove nothing
where there is hardly a violation. By exact laws there is none on these pairs for NonDPGaussian2 at
ε = 1 (δ(1) = 0, Rényi divergence 0.54), and next to none for SVT 3, 4 and 6 at ε = 0.01: the best
events lie 0.5, 0.5 and 1.2 standard deviations beyond the claim, with all outputs of 5·10^5. So the
printed 1 2 0 of MMD for SVT 4 are accidents, and it may well show fewer here.

In Table 2 NonDPGaussian2 leaks on few records only, and random
datasets have one to ten: chance takes a few trials where a search from small to large takes two.
MMD hardly finds either mechanism of a true count: its bandwidth suits the spread of all outputs, up
to 1e14, not what tells. It is printed as 12.3 and 47.3 trials, alike for all three searches, where
Table 1 has it find 1 and 0 of 30 on a pair that leaks; here 50 trials share one error.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import workbench as wb
from workbench import ApproxDP, Claim, PureDP, RenyiDP
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.audit import audit_mechanism
from workbench.testers.property_testers.base import Finding, Tester
from workbench.testers.property_testers.histogram import HistogramTester
from workbench.testers.property_testers.registry import tester

Row = tuple[str, str, str]

CONFIDENCE, ORDER, DELTA = 2 / 3, 1.5, 0.01
TESTERS = ("histogram", "hockey-stick", "renyi", "mmd")
FINDERS = ("bandit", "random", "grid")
FIT = 5  # one part in so many is for fitting


@dataclass(frozen=True)
class Plan:
    """How much is run: seeds, runs for each sample size, and of Table 2 repetitions and trials."""

    seeds: int
    runs: dict[int, int]
    repeats: int
    trials: int
    samples: int


SMALL = Plan(seeds=3, runs={50_000: 2}, repeats=1, trials=2, samples=50_000)
FULL = Plan(
    seeds=20,
    runs={50_000: 10, 100_000: 10, 500_000: 10},
    repeats=10,
    trials=50,
    samples=500_000,
)


def main(plan: Plan = SMALL, parts: Sequence[str] = ()) -> list[Row]:
    """Rows: what, measured, target."""
    chosen = [PARTS[name] for name in parts or (PARTS if plan is FULL else QUICK)]
    return [row for part in chosen for row in part(plan)]


def examine(
    judge: Tester, p: Any, q: Any, claim: Claim, seed: int, confidence: float = CONFIDENCE
) -> Finding:
    """One test: fitted on the first fifth, measured on the rest."""
    k = len(p) // FIT
    witness = judge.fit(p[:k], q[:k], claim, np.random.default_rng(seed))
    return witness.measure(p[k:], q[k:], confidence)


# ---------------------------------------------------------------- what a test shows, and its cost

#: N(1, 1) against N(0, 1), ε = 0.1, 5·10^5 per group: the least mean, and the most CPU seconds.
FIGURES: dict[str, tuple[str, Claim, float, float]] = {
    "hockey-stick": ("δ(0.1), truth 0.3523", PureDP(0.1), 0.347, 1.5),
    "renyi": ("Rényi divergence, truth 0.75", RenyiDP(ORDER, 0.1), 0.70, 4.0),
    "mmd": ("δ(0.1), truth 0.3523", PureDP(0.1), 0.25, 0.5),
    "histogram": ("δ(0.1), 20 bins fixed, truth 0.3523", PureDP(0.1), 0.335, 0.05),
}
#: 20 bins, fixed before anything is seen.
EDGES = np.linspace(-3, 4, 21)
PEAK = "< 400 MB"


def figures(plan: Plan) -> Iterable[Row]:
    """Each tester in a process of its own, for its peak memory."""
    for name, (what, _, least, most) in FIGURES.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.auditorium", "--one", name, str(plan.seeds)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
        values, seconds, peak = json.loads(done.stdout)
        label = f"{name}, N(1,1), N(0,1), 5·10^5"
        low, high = min(values), max(values)
        spread = f"{np.mean(values):.4f} ({low:.4f} to {high:.4f}; {plan.seeds} seeds)"
        yield f"{label}: {what}", spread, f"≥ {least}"
        # the first test also imports what it uses
        yield f"{label}: CPU", f"{np.mean(seconds[1:]):.3f} s", f"≤ {most} s"
        yield f"{label}: peak memory, samples and imports included", f"{peak:.0f} MB", PEAK


def one_figure(name: str, seeds: int) -> tuple[list[float], list[float], float]:
    """Values, CPU seconds, and the peak of this process in MB."""
    claim = FIGURES[name][1]
    judge = HistogramTester(edges=EDGES) if name == "histogram" else tester(name)
    values, seconds = [], []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        p, q = rng.normal(1, 1, 500_000), rng.normal(0, 1, 500_000)
        began = time.process_time()
        values.append(examine(judge, p, q, claim, seed).bound.value)
        seconds.append(time.process_time() - began)
    return values, seconds, peak_megabytes()


def peak_megabytes() -> float:
    """Of this process since it began; on Linux without what its parent had used."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


# ---------------------------------------------------------------- Table 1

CASES = {
    "NonDPLaplace1": "laplace-mean-true-scale",
    "NonDPLaplace2": "laplace-mean-true-count",
    "NonDPGaussian1": "gaussian-mean-true-scale",
    "NonDPGaussian2": "gaussian-mean-true-count",
    "SVT3": "svt3",
    "SVT4": "svt4",
    "SVT5": "svt5",
    "SVT6": "svt6",
}
#: Detections in 10 runs at 5·10^4, 10^5 and 5·10^5: histogram, hockey-stick, renyi, mmd.
PRINTED: dict[tuple[str, float], str] = {
    ("NonDPLaplace1", 0.01): "0 0 0 | 9 8 9 | 10 10 10 | 10 9 10",
    ("NonDPLaplace1", 1.0): "0 0 0 | 10 10 10 | 0 0 0 | 0 0 0",
    ("NonDPLaplace2", 0.01): "10 10 10 | 10 10 10 | 10 7 5 | 0 1 0",
    ("NonDPLaplace2", 1.0): "0 0 0 | 0 0 0 | 0 0 0 | 0 0 0",
    ("NonDPGaussian1", 0.01): "0 0 0 | 0 0 0 | 10 10 10 | 10 4 10",
    ("NonDPGaussian1", 1.0): "0 0 0 | 10 10 10 | 0 0 0 | 0 0 0",
    ("NonDPGaussian2", 0.01): "0 0 0 | 6 5 5 | 10 10 10 | 0 0 0",
    ("NonDPGaussian2", 1.0): "0 0 0 | 0 0 0 | 0 0 0 | 0 0 0",
    ("SVT3", 0.01): "- | 0 0 0 | 0 0 0 | 0 0 0",
    ("SVT3", 1.0): "- | 0 0 0 | 0 0 0 | 0 0 0",
    ("SVT4", 0.01): "- | 0 0 0 | 0 0 0 | 1 2 0",
    ("SVT4", 1.0): "- | 10 10 10 | 0 0 0 | 0 0 0",
    ("SVT5", 0.01): "- | 0 0 0 | 0 0 0 | 0 0 0",
    ("SVT5", 1.0): "- | 10 10 10 | 0 0 0 | 0 0 0",
    ("SVT6", 0.01): "- | 0 0 0 | 0 0 0 | 0 0 0",
    ("SVT6", 1.0): "- | 10 10 10 | 0 0 0 | 0 0 0",
}


def claimed(case: str, name: str, epsilon: float) -> Claim:
    """What a tester tests."""
    if "Gaussian" not in case:
        return PureDP(epsilon)
    return RenyiDP(ORDER, epsilon) if name == "renyi" else ApproxDP(epsilon, DELTA)


def claiming(case: str, claim: Claim) -> Callable[..., Any]:
    """The mechanism with the noise of a claim."""
    run = GALLERY[CASES[case]].run
    if isinstance(claim, RenyiDP):
        return partial(run, sigma=math.sqrt(claim.order / claim.epsilon_0))
    if isinstance(claim, PureDP):
        return partial(run, epsilon=claim.epsilon_0)
    if isinstance(claim, ApproxDP):  # two releases of μ/√2 each
        return partial(run, sigma=math.sqrt(2) / wb.gaussian_mu_for(claim.epsilon_0, claim.delta_0))
    raise TypeError(f"no noise is known here for {claim}")


def table1(plan: Plan) -> Iterable[Row]:
    for (case, epsilon), printed in PRINTED.items():
        for name, target in zip(TESTERS, printed.split(" | "), strict=True):
            claim = claimed(case, name, epsilon)
            cells = [detections(case, name, claim, n, runs) for n, runs in plan.runs.items()]
            yield f"Table 1, {case}, ε {epsilon:g}, {name}", " ".join(cells), f"printed {target}"


def detections(case: str, name: str, claim: Claim, n: int, runs: int) -> str:
    run, judge, found = claiming(case, claim), tester(name), 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, n])
        p, q = (run(dataset, n, rng) for dataset in GALLERY[CASES[case]].pair)
        if judge.unsupported_reason(claim, p[:100]) is not None:
            return "-"
        found += examine(judge, p, q, claim, seed).violation
    return f"{found}/{runs}"


# ---------------------------------------------------------------- Table 2

SEARCHED = ("histogram", "renyi", "mmd", "hockey-stick")
#: Mean trials to find, of at most 50, in this order; ε = 0.01, 5·10^5.
PRINTED_TRIALS = {
    "bandit": {
        "NonDPLaplace1": "50 1.0 1.0 1.2",
        "NonDPLaplace2": "8.3 9.5 12.3 2.5",
        "NonDPGaussian1": "50 1.0 1.0 50",
        "NonDPGaussian2": "50 3.6 47.3 19.1",
    },
    "random": {
        "NonDPLaplace1": "50 1.0 1.0 1.3",
        "NonDPLaplace2": "10.1 3.6 12.3 1.5",
        "NonDPGaussian1": "50 1.0 1.0 50",
        "NonDPGaussian2": "50 1.2 47.3 45.6",
    },
    "grid": {
        "NonDPLaplace1": "50 1.0 1.0 1.1",
        "NonDPLaplace2": "50 3.0 12.3 30.2",
        "NonDPGaussian1": "50 1.0 1.0 50",
        "NonDPGaussian2": "50 11.3 47.3 50",
    },
}
#: All SVT rows are printed as 50, and the histogram not at all.
NOT_FOUND = "- 50 50 50"


def table2(plan: Plan) -> Iterable[Row]:
    for search in FINDERS:
        for case in CASES:
            printed = PRINTED_TRIALS[search].get(case, NOT_FOUND).split()
            for name, target in zip(SEARCHED, printed, strict=True):
                yield (
                    f"Table 2, {search}, {case}, {name}",
                    trials_to_find(search, case, name, plan),
                    f"printed {target}",
                )


def trials_to_find(
    search: str, case: str, name: str, plan: Plan, claim: Claim | None = None
) -> str:
    """The mean number of trials, a search that finds nothing counted as all."""
    card, claim = GALLERY[CASES[case]], claim or claimed(case, name, 0.01)
    run, taken, misses = claiming(case, claim), [], 0
    for seed in range(plan.repeats):
        audit = audit_mechanism(
            run,
            claim,
            datasets=search,
            testers=(name,),
            trials=plan.trials,
            samples=plan.samples,
            confidence=CONFIDENCE,
            seed=seed,
            neighboring_relation=card.neighboring_relation,
            domain=card.domain,
            anytime=True,
        )
        if audit.verdict == "nothing tested":
            return "-"
        misses += not audit.violation
        taken.append(len(audit.trials) if audit.violation else plan.trials)
    return f"{np.mean(taken):.1f} of {plan.trials}" + (f" ({misses} not found)" if misses else "")


# ---------------------------------------------------------------- Figure 2, and what is private


def sweep(plan: Plan) -> Iterable[Row]:
    """DP-GD with a factor s on its noise, against the Rényi claim of the noise it should have.

    At 95%, since s = 1 has exactly what is claimed and 2/3 would accuse it one time in three.
    """
    card, n = GALLERY["dp-gd"], max(plan.runs)
    for s in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3):
        run, judge, found = partial(card.run, noise_factor=s), tester("renyi"), []
        for seed in range(plan.seeds):
            rng = np.random.default_rng([seed, n])
            p, q = (run(dataset, n, rng) for dataset in card.pair)
            found.append(examine(judge, p, q, card.claim, seed, 0.95))
        caught = sum(each.violation for each in found)
        value = np.mean([each.bound.value for each in found])
        said = f"{value:.3f}, truth {1 / s**2:.3f}; caught {caught}/{plan.seeds}"
        target = "at most 1 in 20" if s == 1 else "always" if s <= 0.6 else ""
        yield f"Figure 2, DP-GD, s = {s:g}, claim {card.claim}, n = {n:,}", said, target


#: Of Figure 3: SVT 4 claims ε = 1, NonDPGaussian1 claims (1, 0.01). The paper prints no numbers.
GROWING: dict[str, Claim] = {"SVT4": PureDP(1.0), "NonDPGaussian1": ApproxDP(1.0, DELTA)}


def sizes(plan: Plan) -> Iterable[Row]:
    """Figure 3: what a test proves, and how many trials a search takes, against the sample size.

    The hockey-stick tester, at 2/3. A proven δ is a lower limit, so that it grows with the sample.
    """
    for case, claim in GROWING.items():
        for n in (10_000, 30_000, 100_000, 300_000):
            run, values = claiming(case, claim), []
            for seed in range(max(plan.seeds, 10)):
                rng = np.random.default_rng([seed, n])
                p, q = (run(dataset, n, rng) for dataset in GALLERY[CASES[case]].pair)
                values.append(examine(tester("hockey-stick"), p, q, claim, seed).bound.value)
            said = f"δ ≥ {np.mean(values):.4f} (sd {np.std(values, ddof=1):.4f})"
            yield f"Figure 3a, {case}, claim {claim}, n = {n:,}", said, "grows with n"
    for n in (10_000, 30_000, 100_000):
        size = replace(plan, samples=n, repeats=max(plan.repeats, 5), trials=20)
        said = trials_to_find("bandit", "SVT4", "hockey-stick", size, PureDP(1.0))
        yield f"Figure 3b, bandit, SVT4, ε = 1, n = {n:,}", said, "falls with n"


def private(plan: Plan) -> Iterable[Row]:
    """At 95% for all four testers together."""
    n = max(plan.runs)
    for name in ("svt1", "svt2", "laplace-mean", "noisy-max"):
        card = GALLERY[name]
        audits = [
            audit_mechanism(card, card.claim, card.pair, trials=1, samples=n, seed=seed)
            for seed in range(plan.seeds)
        ]
        accused = sum(audit.violation for audit in audits)
        findings = [f for a in audits for t in a.trials for f in t.findings.values()]
        best = max(f.parameter or 0.0 for f in findings)
        what = f"private: {card.title}, claim {card.claim}, n = {n:,}"
        yield what, f"accused {accused}/{plan.seeds}; at most ε ≥ {best:.3f}", "never"


PARTS: dict[str, Callable[[Plan], Iterable[Row]]] = {
    "figures": figures,
    "table1": table1,
    "table2": table2,
    "sweep": sweep,
    "sizes": sizes,
    "private": private,
}
#: What is run where nothing is asked for.
QUICK = ("figures", "table1", "sweep", "sizes", "private")


def command() -> None:
    from benchmarks.__main__ import table

    asked = argparse.ArgumentParser(prog="python -m benchmarks.auditorium")
    asked.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    asked.add_argument("--full", action="store_true", help="as printed; takes hours")
    asked.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        asked.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if given.one:
        print(json.dumps(one_figure(given.one[0], int(given.one[1]))))
    else:
        print(table(main(FULL if given.full else SMALL, given.parts)))


if __name__ == "__main__":
    command()
