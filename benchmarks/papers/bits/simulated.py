"""BITS, Figures 6 to 8 and §4: audits of simulated runs whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.onerun.simulate import CanaryMechanism, Memoryless, SharedGaussian
from workbench.onerun.studies import Auditor, best_share, false_claims, study

DELTA = 1e-5
SIZES = (300, 1000, 3000, 10_000, 30_000)
#: Of simulated runs for each bound, as in the paper.
SEEDS = 20
AUDITORS = ("bits", "steinke", "tenth")
PAIRS: dict[str, tuple[Any, ...]] = {
    "gaussian": tuple(wb.GaussianPair(mu) for mu in (0.5, 1.0, 2.0)),
    "randomized-response": tuple(wb.RandomizedResponsePair(e, DELTA) for e in (0.25, 1.0, 4.0)),
    "laplace": tuple(wb.LaplacePair(mu) for mu in (0.5, 1.0, 2.0, 4.0)),
}
BOUNDS = "mean and range of 20 95% lower bounds, BITS if of the family and independent canaries"
WHY = (
    "with the best number of guesses, found on other runs, there is no such factor{}; STEINKE23"
    " loses it where it guesses a tenth of the canaries, and the print does not say how many it"
    " guesses"
)
WORST_CASE = ": randomized response is its worst case, where both bounds are one binomial limit"


def bounds(run: Run, mechanism: CanaryMechanism, family: str, n: int) -> dict[str, list[float]]:
    """Bounds of BITS and of STEINKE23, by its best number of guesses and by a tenth."""

    def compute() -> dict[str, Any]:
        guessing = best_share(
            mechanism, Auditor("steinke"), canaries=n, delta=DELTA, seed=run.seed + 1
        )
        tenth = Auditor("steinke", share=0.1)
        auditors = {"bits": Auditor("bits", family), "steinke": guessing, "tenth": tenth}
        found = study(mechanism, auditors, delta=DELTA, canaries=(n,), seeds=SEEDS, seed=run.seed)
        return {name: found.epsilon[name][0] for name in AUDITORS}

    kept: dict[str, list[float]] = run.kept(f"{mechanism.name}, n = {n}", compute)
    return kept


def words(values: Sequence[float]) -> str:
    """Mean and range."""
    return f"{np.mean(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def times_as_many(bits: list[float], reached: list[float], sizes: Sequence[int]) -> str:
    """How many times more canaries STEINKE23 needs for what bits prove from 1000."""
    goal = bits[sizes.index(1000)]
    if goal > max(reached):
        return f"more than {sizes[-1] / 1000:.0f} times"
    return f"{np.exp(np.interp(goal, reached, np.log(sizes))) / 1000:.2g} times"


def tightness(run: Run, family: str, number: int) -> Found:
    """Bounds against the number of canaries, for the members of a family."""
    sizes = (*SIZES, 100_000) if run.full else SIZES
    lines, panels_of = [], []
    for pair in PAIRS[family]:
        mechanism = Memoryless(pair)
        truth = mechanism.epsilon(DELTA)
        found = [bounds(run, mechanism, family, n) for n in sizes]
        for n in (1000, 10_000):
            at = found[sizes.index(n)]
            lines.append(
                Line(
                    f"ε of {truth:.3f}, {pair.name}, {n:,} canaries",
                    "no number; " + ("almost tight" if n > 1000 else "plotted"),
                    f"{words(at['bits'])}; STEINKE23 {words(at['steinke'])}",
                    BOUNDS,
                )
            )
        means = {name: [float(np.mean(one[name])) for one in found] for name in AUDITORS}
        printed, why, verdict = {
            "gaussian": ("STEINKE23 not tight", "", None),
            "randomized-response": (
                "about 10 times as many",
                WHY.format(WORST_CASE),
                Verdict.NOT_REPRODUCED,
            ),
            "laplace": ("about 10 times as many", WHY.format(""), Verdict.NOT_REPRODUCED),
        }[family]
        lines.append(
            Line(
                f"canaries that STEINKE23 needs for what BITS proves from 1000, {pair.name}",
                printed,
                f"{times_as_many(means['bits'], means['steinke'], sizes)}; guessing a tenth "
                f"{times_as_many(means['bits'], means['tenth'], sizes)}",
                "of means of 20 runs",
                why,
                verdict,
            )
        )
        panels_of.append((pair.name, truth, found))

    def draw(panels: Any) -> None:
        for axes, (name, truth, found) in zip(panels, panels_of, strict=True):
            for method, color, label in (
                ("bits", P, "BITS"),
                ("steinke", Q, "STEINKE23, best guesses"),
                ("tenth", THIRD, "STEINKE23, a tenth guessed"),
            ):
                values = np.array([one[method] for one in found])
                axes.plot(sizes, values.mean(axis=1), color=color, marker=".", label=label)
                axes.fill_between(
                    sizes, values.min(axis=1), values.max(axis=1), color=color, alpha=0.15, lw=0
                )
            axes.axhline(truth, color=REFERENCE, ls="--", label="true ε")
            axes.set(xscale="log", xlabel="Canaries n", ylabel="Lower bound on ε", ylim=(0, None))
            axes.set_title(name.replace(", δ = 1e-05", ""))
        panels[0].legend(frameon=False, fontsize=8)

    caption = f"Fig. {number}: {BOUNDS}; dashed: the truth, which one bound of 20 may exceed"
    chart = Chart(f"fig-{number}", draw, caption, len(panels_of), 4.0)
    return Found(Verdict.AS_DESCRIBED, lines, (chart,))


def figure_6(run: Run) -> Found:
    return tightness(run, "gaussian", 6)


def figure_7(run: Run) -> Found:
    return tightness(run, "randomized-response", 7)


def figure_8(run: Run) -> Found:
    return tightness(run, "laplace", 8)


# -- §4: fewer sources of noise than canaries -----------------------------------------------------


def one_run_or_not(run: Run) -> Found:
    """The positive case, d ≥ n, and the negative one, d < n."""
    n, runs = 1000, 1000
    auditor = Auditor("bits", "gaussian")
    lines, drawn = [], {}
    mus = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0)
    for sources, case in ((n, "positive case, d = n"), (n // 10, "negative case, d = n/10")):
        means = []
        for mu in mus:
            mechanism = SharedGaussian(mu, sources)
            found = run.kept(
                f"false claims, {mechanism.name}",
                lambda m=mechanism: (
                    false_claims(  # type: ignore[misc]
                        m, auditor, canaries=n, delta=DELTA, runs=runs, seed=run.seed
                    ).rate
                ),
            )
            some = study(mechanism, {"bits": auditor}, delta=DELTA, canaries=(n,), seed=run.seed)
            means.append(float(some.mean("bits")[0]))
            lines.append(
                Line(
                    f"{case}, μ = {mu:g}: mean bound; bounds above the truth",
                    "tight" if sources == n else "sub-optimal",
                    f"{means[-1]:.2f} of {some.truth:.2f}; {found:.1%} of {runs}",
                    "95% lower bound, if Gaussian, independent canaries"
                    if sources == n
                    else "observed to hold; no theorem covers interference",
                )
            )
        drawn[case] = means
    truth = [wb.GaussianPair(mu).epsilon(DELTA) for mu in mus]

    def draw(panels: Any) -> None:
        (axes,) = panels
        for (case, means), color in zip(drawn.items(), (P, Q), strict=True):
            axes.plot(mus, means, color=color, marker=".", label=case)
        axes.plot(mus, truth, color=REFERENCE, ls="--", label="true ε")
        axes.set(xlabel="μ", ylabel="Mean lower bound on ε")
        axes.legend(frameon=False, fontsize=8)

    caption = "§4: 1000 canaries on as many sources of noise, and on a tenth of them; means of 20"
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("section-4", draw, caption, 1, 6.4),))


PLACE = "*One run*; `wb.onerun.study`, `wb.onerun.Memoryless`; notebook 9"
SECTION_4 = Item(
    "§4",
    "When one run is enough",
    "*One run*; `wb.onerun.SharedGaussian`, `wb.onerun.interference_study`; notebook 9",
    one_run_or_not,
    quick=True,
)
ITEMS = (
    SECTION_4,
    Item("Fig. 6", "The Gaussian mechanism in one run", PLACE, figure_6),
    Item("Fig. 7", "Randomized response in one run", PLACE, figure_7, quick=True),
    Item("Fig. 8", "The Laplace mechanism in one run", PLACE, figure_8),
)
