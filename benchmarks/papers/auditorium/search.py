"""AUDITORIUM §5, Table 2 and Figure 3b: trials of a search until a violation is found.

The error of 1/3 is shared among the trials of a search, where in the paper each trial has all of
it. Random datasets have one to ten records, so that chance takes a few trials for what leaks on few
records only. MMD hardly finds either mechanism of a true count:
its bandwidth suits the spread of all outputs, up to 1e14, not what tells. It is printed as 12.3 and
47.3 trials, alike for all three searches, where Table 1 has it find 1 and 0 of 30 on a pair that
leaks. All rows of SVT are printed as 50, and the histogram not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.papers.auditorium.cases import CASES, CONFIDENCE, claimed, claiming
from benchmarks.papers.auditorium.field import MISSING, OptunaFinder, installed
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.claims.base import Claim
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.audit import audit_mechanism

FINDERS = {"bandit": "Gaussian process bandit", "random": "randomized", "grid": "grid search"}
SEARCHED = ("histogram", "renyi", "mmd", "hockey-stick")
#: Mean trials to find, of at most 50, in this order; ε = 0.01, 5·10^5.
PRINTED = {
    "bandit": {
        "NonDPLaplace1": "50 / 1.0 / 1.0 / 1.2",
        "NonDPLaplace2": "8.3 / 9.5 / 12.3 / 2.5",
        "NonDPGaussian1": "50 / 1.0 / 1.0 / 50",
        "NonDPGaussian2": "50 / 3.6 / 47.3 / 19.1",
    },
    "random": {
        "NonDPLaplace1": "50 / 1.0 / 1.0 / 1.3",
        "NonDPLaplace2": "10.1 / 3.6 / 12.3 / 1.5",
        "NonDPGaussian1": "50 / 1.0 / 1.0 / 50",
        "NonDPGaussian2": "50 / 1.2 / 47.3 / 45.6",
    },
    "grid": {
        "NonDPLaplace1": "50 / 1.0 / 1.0 / 1.1",
        "NonDPLaplace2": "50 / 3.0 / 12.3 / 30.2",
        "NonDPGaussian1": "50 / 1.0 / 1.0 / 50",
        "NonDPGaussian2": "50 / 11.3 / 47.3 / 50",
    },
}
NOT_FOUND = "- / 50 / 50 / 50"


def trials_to_find(
    search: str,
    mechanism: Any,
    name: str,
    claim: Claim,
    *,
    of: str,
    samples: int,
    trials: int,
    repeats: int,
    seed: int,
) -> list[int]:
    """Trials of each search until its first violation, one more than all where there is none.

    Nothing where the tester supports no such outputs.
    """
    found, relation = [], GALLERY[of].neighboring_relation
    for i in range(seed, seed + repeats):
        optuna = search == "optuna"
        source = OptunaFinder(relation, GALLERY[of].domain, i) if optuna else search
        audit = audit_mechanism(
            mechanism,
            claim,
            datasets=source,
            testers=(name,),
            trials=trials,
            samples=samples,
            confidence=CONFIDENCE,
            seed=i,
            neighboring_relation=relation,
            domain=GALLERY[of].domain,
            anytime=True,
        )
        if audit.verdict == "nothing tested":
            return []
        found.append(len(audit.trials) if audit.violation else trials + 1)
    return found


def shown(found: Sequence[int], trials: int) -> str:
    """The mean number of trials, a search that finds nothing counted as all of them."""
    if not found:
        return "-"
    missed = sum(x > trials for x in found)
    if missed == len(found):
        return f"none in {trials}"
    mean = f"{np.mean(np.minimum(found, trials)):.1f}"
    return f"{mean} ({missed} of {len(found)} none)" if missed else mean


def table2(run: Run) -> Found:
    """Every cell, with 10 searches of 50 trials of 5·10^5 runs; by default few of few of 20,000."""
    lines = []
    for search, words in FINDERS.items():
        for case, name_of in CASES.items():
            repeats, trials, samples = (10, 50, 500_000) if run.full else (3, 10, 20_000)
            if case.startswith("SVT") and not run.full:  # slow, and hardly anything is to be found
                repeats, trials = 1, 3
            cells = []
            for name in SEARCHED:
                claim = claimed(case, name, 0.01)
                found = run.kept(
                    f"table2 {search} {case} {name} n={samples} {trials}x{repeats}",
                    partial(
                        trials_to_find, search, claiming(case, claim), name, claim, of=name_of,
                        samples=samples, trials=trials, repeats=repeats, seed=run.seed,
                    ),
                )  # fmt: skip
                cells.append(shown(found, trials))
            lines.append(
                Line(
                    f"{words}, {case}: histogram / Rényi / MMD / hockey-stick",
                    PRINTED[search].get(case, NOT_FOUND),
                    " / ".join(cells),
                    f"mean trials; searches: {repeats}, each of at most {trials}; {samples:,} runs",
                )
            )
    return Found(Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED, lines)


#: Mechanisms of the gallery at their own claims whose search takes more than a few draws.
HARD = ("gaussian-mean-true-count", "svt4", "laplace-mean-undivided", "smart-sum-exact-totals")


def finders(run: Run) -> Found:
    """§5: our three finders beside an optimizer of the field, by the hockey-stick tester."""
    repeats, samples, trials = (10, 50_000, 50) if run.full else (3, 20_000, 20)
    searches = (*FINDERS, "optuna") if installed() else tuple(FINDERS)
    lines, means = [], {}
    for name in HARD:
        one = GALLERY[name]
        said = []
        for search in searches:
            found = run.kept(
                f"finders {search} {name} n={samples} {trials}x{repeats}",
                partial(
                    trials_to_find, search, one, "hockey-stick", one.claim, of=name,
                    samples=samples, trials=trials, repeats=repeats, seed=run.seed,
                ),
            )  # fmt: skip
            means[search, name] = float(np.mean(np.minimum(found, trials)))
            said.append(shown(found, trials))
        lines.append(
            Line(
                f"{one.title}, claim {one.claim}: bandit / random / grid / optuna's GP",
                "not printed",
                " / ".join(said if installed() else [*said, MISSING]),
                f"mean trials of {repeats} searches, at most {trials}, {samples:,} runs",
            )
        )

    def draw(panels: Any) -> None:
        for i, (search, color) in enumerate(zip(searches, (P, Q, REFERENCE, THIRD), strict=False)):
            place = np.arange(len(HARD)) + (i - len(searches) / 2 + 0.5) * 0.2
            panels[0].bar(place, [means[search, x] for x in HARD], 0.18, color=color, label=search)
        panels[0].set_xticks(range(len(HARD)), [x.replace("-", "\n") for x in HARD], fontsize=6.5)
        panels[0].set_ylabel("mean trials until a violation")
        panels[0].legend(fontsize=7)

    caption = (
        f"Mean trials of {repeats} searches with the hockey-stick tester, {samples:,} runs a side;"
        f" a search that finds nothing counts as {trials}."
    )
    chart = Chart("finders", draw, caption, width=6.0)
    return Found(Verdict.AS_DESCRIBED, lines, (chart,))


def trials_and_sizes(run: Run) -> Found:
    """Figure 3b: trials needed against n, by the hockey-stick tester; SVT4 in the full run only."""
    repeats, trials = (10, 50) if run.full else (3, 15)
    sizes = (10_000, 30_000, 100_000, 300_000) if run.full else (10_000, 30_000, 100_000)
    searches = (*FINDERS, "optuna") if run.full and installed() else tuple(FINDERS)
    cases = ("gaussian-mean-true-count", *(("svt4",) if run.full else ()))
    means, lines = {}, []
    for case, search in product(cases, searches):
        one, said = GALLERY[case], []
        for n in sizes:
            found = run.kept(
                f"fig3b {search} {case} n={n} {trials}x{repeats}",
                partial(
                    trials_to_find, search, one, "hockey-stick", one.claim, of=case, samples=n,
                    trials=trials, repeats=repeats, seed=run.seed,
                ),
            )  # fmt: skip
            means[case, search, n] = float(np.mean(np.minimum(found, trials)))
            said.append(shown(found, trials))
        thousands = ", ".join(f"{n // 1000}" for n in sizes)
        lines.append(
            Line(
                f"{search}: trials of a search of {one.title}, claim {one.claim}, at {thousands}"
                " thousand runs",
                "falls with n" if search == "bandit" else "not printed",
                ", ".join(said),
                f"mean of {repeats} searches of at most {trials} trials, hockey-stick",
            )
        )

    def draw(panels: Any) -> None:
        for panel, case in zip(panels, cases, strict=True):
            for search, color in zip(searches, (P, Q, REFERENCE, THIRD), strict=False):
                values = [means[case, search, n] for n in sizes]
                panel.semilogx(sizes, values, "o-", color=color, label=search)
            panel.set_title(case)
            panel.set_xlabel("runs on each dataset")
            panel.set_ylim(0)
        panels[0].set_ylabel("mean trials until a violation")
        panels[0].legend()

    caption = (
        f"The hockey-stick tester, {repeats} searches of at most {trials} trials; one that finds"
        " nothing counts as all."
    )
    verdict = Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED
    return Found(verdict, lines, (Chart("fig-3b", draw, caption, columns=len(cases)),))


PLACE = "*Test a mechanism*; `wb.audit_mechanism`; notebook 12"

TABLE2 = Item("Table 2", "Trials until a bug is found", PLACE, table2)
SEARCH = Item("§5", "Dataset finders, beside an optimizer of the field", PLACE, finders)
FIGURE3B = Item("Fig. 3b", "Trials needed against the number of runs", PLACE, trials_and_sizes)
