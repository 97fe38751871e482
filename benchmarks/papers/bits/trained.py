"""BITS, Figures 9 and 10: one training with canary gradients, on data that come with a package.

Dirac canaries in the noisy gradients, each in by a fair coin, guessed by a threshold for their log
likelihood ratio, which is tuned on a training of its own. There CIFAR-10; here 1000 digits with a
64-200-10 network, and 569 records of breast-cancer with a 30-400-2 network: 15,010 and 13,202
parameters, so that 10,000 canaries have a parameter each. 50 steps, q = 0.1, and noise for ε = 1,
2, 4, 8 at δ = 1e-5; the settings of the paper are not in its text. Figure 10 divides gradients by
the batch size before it clips them, with canaries that are 16 times as long as the clipping norm,
and that it does not shorten.

Beside each training stands what theory gives: the same audit of simulated noise, without records.
What lies between the two is the noise that the gradients of the records add to the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.cifar10 import NEEDED, cifar10
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.onerun.simulate import DPSGD

DELTA, STEPS, RATE = 1e-5, 50, 0.1
CLAIMS = (1.0, 2.0, 4.0, 8.0)
SIZES = (1000, 10_000)
#: Layers of the network for each data set, with 10,000 parameters at least.
LAYERS = {"digits": (64, 200, 10), "breast-cancer": (30, 400, 2), "cifar-10": (3072, 16, 10)}
RECORDS = 1000
#: By how much the gradients of the flawed procedure are too long.
LENGTH = 16.0
METHODS = ("BITS", "STEINKE23")
BOUNDS = (
    "mean ± standard error of 95% lower bounds, BITS if Gaussian and independent canaries,"
    " STEINKE23 simultaneous over numbers of guesses"
)
OTHER_DATA = "data that come with a package in place of CIFAR-10, and a smaller network"
FEWER = "the first 1000 records, and a smaller network"
BY_THEORY = "the mean of 20 such audits of simulated noise, without records"

Bounds = dict[str, list[float]]


def data_set(name: str) -> wb.training.LabeledData | None:
    """At most 1000 records; None where they are not at hand."""
    if name == "cifar-10":
        return cifar10(RECORDS)
    if name == "no records":
        return wb.training.labeled_data("digits").take([])
    data = wb.training.labeled_data(name)
    return data.take(range(min(RECORDS, data.size)))


def noise(claim: float) -> float:
    """The noise multiplier for a claim."""
    return float(wb.noise_multiplier_for(claim, DELTA, sample_rate=RATE, steps=STEPS))


def trained(
    claim: float,
    canaries: int,
    trials: int,
    bug: str = "none",
    norm: float = 1.0,
    *,
    data: str = "digits",
    canary: str = "dirac",
    seed: int = 0,
) -> list[wb.OneRun]:
    """One run for each trial."""
    records = data_set(data)
    if records is None:
        raise ValueError(f"{data} is not at hand: {NEEDED}")
    settings = wb.training.DPSGDSettings(
        wb.training.Network(LAYERS.get(data, LAYERS["digits"])),
        STEPS,
        RATE,
        noise(claim),
        expected_batch=RATE * (records.size + canaries / 2),
        bug=bug,
    )
    audit = wb.training.WhiteBoxOneRun(
        settings, records, trials, canary=canary, canaries=canaries, canary_norm=norm
    )
    found = wb.training.run_training_audit(audit, seed=1000 * seed + canaries + round(10 * claim))
    parts = [found.rows.of_models([trial]) for trial in range(trials)]
    return [wb.OneRun(part.score, part.included) for part in parts]


def best_threshold(run: wb.OneRun) -> float:
    """The threshold with the fewest wrong guesses."""
    order = np.argsort(run.scores)
    scores, included = run.scores[order], run.included[order]
    wrong = np.cumsum(included) + (~included).sum() - np.cumsum(~included)
    return float(scores[wrong.argmin()])


def bits(run: wb.OneRun, threshold: float) -> float:
    """BITS, guessing all canaries."""
    guesses = run.guess(threshold=threshold)
    return wb.one_run_bound(guesses, delta=DELTA, method="bits", family="gaussian").value


def steinke(run: wb.OneRun) -> float:
    """STEINKE23, the number of guesses chosen among several and paid for."""
    return wb.tune_one_run(run, delta=DELTA).simultaneous.value


def bounds(run: Run, claim: float, canaries: int, **how: Any) -> Bounds:
    """Bounds of both methods on the same trainings; one more tunes the threshold."""
    trials = 20 if run.full else 5

    def compute() -> Bounds:
        pilot, *runs = trained(claim, canaries, trials + 1, seed=run.seed, **how)
        threshold = best_threshold(pilot)
        return {
            "BITS": [bits(one, threshold) for one in runs],
            "STEINKE23": [steinke(one) for one in runs],
        }

    settings = ", ".join(f"{name} = {value}" for name, value in how.items())
    found: Bounds = run.kept(f"trained, ε = {claim:g}, n = {canaries}, {settings}", compute)
    return found


def theory(run: Run, claim: float, canaries: int, *, flawed: bool = False) -> float:
    """The mean bound of BITS over simulated runs, each with another that tunes the threshold."""
    mechanism = DPSGD(noise(claim), RATE, STEPS, average_first=flawed, batch_size=int(LENGTH))

    def compute() -> float:
        rng = run.rng(9)
        pairs = [[mechanism.run(canaries, rng) for _ in range(2)] for _ in range(20)]
        return float(np.mean([bits(run, best_threshold(pilot)) for pilot, run in pairs]))

    value: float = run.kept(f"theory, {mechanism.name}, n = {canaries}", compute)
    return value


def mean_and_error(values: Sequence[float]) -> str:
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


def figure_9(run: Run) -> Found:
    """Lower bounds against the claim, on every data set that is at hand."""
    lines, drawn = [], []
    for data in LAYERS:
        if data_set(data) is None:
            what = f"ε against the claim, {data}"
            line = Line(what, "no number", "–", BOUNDS, NEEDED, Verdict.NO_DATA)
            lines.append(line)
            continue
        for n in SIZES:
            found = {claim: bounds(run, claim, n, data=data) for claim in CLAIMS}
            expected = {claim: theory(run, claim, n) for claim in CLAIMS}
            drawn.append((f"{data}, {n:,} canaries", found, expected))
            lines += [
                Line(
                    f"ε, {data}, {n:,} canaries, claimed {claim:g}",
                    "no number; BITS above STEINKE23",
                    f"{mean_and_error(both['BITS'])}; STEINKE23 "
                    f"{mean_and_error(both['STEINKE23'])}; theory {expected[claim]:.2f}",
                    BOUNDS,
                    FEWER if data == "cifar-10" else OTHER_DATA,
                )
                for claim, both in found.items()
            ]
    caption = f"Fig. 9: {BOUNDS}. Theory is {BY_THEORY}"
    chart = Chart("fig-9", lambda panels: draw(panels, drawn), caption, len(drawn))
    return Found(Verdict.REDUCED, lines, (chart,))


def figure_10(run: Run) -> Found:
    """Averaged before it is clipped, and, as a control, clipped before it is averaged."""
    lines, drawn = [], []
    for n in SIZES:
        found, expected = {}, {}
        for claim in CLAIMS:
            flawed = bounds(run, claim, n, bug="divided-first", norm=LENGTH)
            right = bounds(run, claim, n, norm=LENGTH)
            found[claim], expected[claim] = flawed, theory(run, claim, n, flawed=True)
            misses = "" if np.mean(flawed["STEINKE23"]) > claim else ", STEINKE23 misses it"
            lines.append(
                Line(
                    f"ε, averaged before clipping, {n:,} canaries, claimed {claim:g}",
                    "no number; BITS above every claim, STEINKE23 above small ones",
                    f"{mean_and_error(flawed['BITS'])}; STEINKE23 "
                    f"{mean_and_error(flawed['STEINKE23'])}{misses}; theory "
                    f"{expected[claim]:.2f}; without the flaw {mean_and_error(right['BITS'])}",
                    BOUNDS,
                    OTHER_DATA,
                )
            )
        drawn.append((f"flawed, {n:,} canaries", found, expected))
    caption = f"Fig. 10: {BOUNDS}; a bound above the dashed line refutes the claim"
    chart = Chart("fig-10", lambda panels: draw(panels, drawn), caption, len(drawn))
    return Found(Verdict.REDUCED, lines, (chart,))


def directions(run: Run) -> Found:
    """§5.2's memoryless channel in a training: what other records and other directions cost."""
    claim = 8.0
    cases = (
        ("Dirac", "memoryless", 10_000, {"data": "no records"}),
        ("Dirac", "memoryless by a similar argument", 10_000, {"data": "digits"}),
        ("Dirac", "memoryless by a similar argument", 1000, {"data": "digits"}),
        ("random", "interference is sub-optimal", 1000, {"data": "digits", "canary": "random"}),
    )
    lines = [
        Line(
            f"ε of {n:,} {name} canaries, {how['data']}, claimed {claim:g}",
            printed,
            f"{mean_and_error(bounds(run, claim, n, **how)['BITS'])}; theory "
            f"{theory(run, claim, n):.2f}",
            BOUNDS,
        )
        for name, printed, n, how in cases
    ]
    return Found(Verdict.AS_DESCRIBED, lines)


def draw(panels: Any, drawn: Sequence[tuple[str, dict[float, Bounds], dict[float, float]]]) -> None:
    """A panel for each number of canaries and data set."""
    for axes, (title, found, expected) in zip(panels, drawn, strict=True):
        for name, color in zip(METHODS, (P, Q), strict=True):
            values = np.array([found[claim][name] for claim in CLAIMS])
            error = 1.96 * values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
            axes.errorbar(CLAIMS, values.mean(axis=1), error, color=color, capsize=3, label=name)
        line = [expected[claim] for claim in CLAIMS]
        axes.plot(CLAIMS, line, color=THIRD, ls=":", label="BITS by theory")
        axes.plot(CLAIMS, CLAIMS, color=REFERENCE, ls="--", label="claimed")
        axes.set(xlabel=f"Claimed ε at δ = {DELTA:g}", ylabel="Lower bound on ε")
        axes.set_title(title)
    panels[0].legend(frameon=False, fontsize=8)


PLACE = "*Train models*, *One run*; `wb.training.WhiteBoxOneRun`"
ITEMS = (
    Item("Fig. 9", "DP-SGD audited by its noisy gradients", PLACE, figure_9),
    Item("§5.2", "Canaries that do not disturb each other", PLACE, directions),
    Item(
        "Fig. 10",
        "DP-SGD that averages before it clips",
        f"{PLACE}, `wb.onerun.DPSGD`; notebook 9",
        figure_10,
    ),
)
