"""Reports of pages that are open, and bounds from one run with many canaries."""

from __future__ import annotations

import importlib
import time
from functools import partial
from pathlib import Path

from benchmarks.waits.measuring import Wait, printed_by

#: Makes the report of a page that was drawn, with what the processes that make it have imported.
REPORT = """
import sys, time
from workbench.server.work.runner import import_all
import_all()
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES
from workbench.reports.write import report_bytes
page = PAGES[sys.argv[1]].kind()
for setting in sys.argv[2:]:
    setattr(page, *setting.split("="))
audit = audit_of(page)
before = time.process_time()
report_bytes(audit, "html")
print(time.process_time() - before)
"""

#: Correct guesses by numbers of canaries and guesses.
COUNTS = {(10**4, 1832): 1100, (10**6, 10**5): 57_000}

#: The second call, as the first one imports.
ONE_RUN = """
import sys, time
import workbench as wb
canaries, guesses, correct = map(int, sys.argv[1:])
asked = {"canaries": canaries, "guesses": guesses, "correct": correct, "delta": 1e-5}
for _ in range(2):
    before = time.process_time()
    wb.one_run_bound(**asked, method="fdp", family="gaussian")
print(time.process_time() - before)
"""


def report(tree: Path, page: str, *settings: str) -> float:
    """CPU seconds of the complete report of a page in HTML."""
    return printed_by(REPORT, page, *settings, tree=tree)


def one_run(tree: Path, canaries: int, guesses: int) -> float:
    """CPU seconds of a bound from the guesses of one run, given the family."""
    counts = canaries, guesses, COUNTS[canaries, guesses]
    return printed_by(ONE_RUN, *map(str, counts), tree=tree)


def one_run_of_jax_privacy(canaries: int, guesses: int) -> float:
    """CPU seconds of the same bound by jax_privacy."""
    auditing = importlib.import_module("jax_privacy.auditing")
    before = time.process_time()
    auditing._epsilon_one_run_fdp(0.0, canaries, guesses, COUNTS[canaries, guesses], 0.05, 1e-5)
    return time.process_time() - before


WAITS: tuple[Wait, ...] = (
    Wait("report of Scores, HTML", "at most 2 CPU s", partial(report, page="scores")),
    Wait("report of One run, HTML", "at most 2 CPU s", partial(report, page="onerun")),
    Wait(
        "report of Plan, threshold fixed in advance, HTML",
        "at most 2 CPU s",
        lambda tree: report(tree, "plan", "method=pointwise"),
    ),
    *(
        Wait(
            f"one-run f-DP, n = {canaries:,}, r = {guesses:,}",
            goal,
            partial(one_run, canaries=canaries, guesses=guesses),
            peer="jax_privacy",
            measure_peer=partial(one_run_of_jax_privacy, canaries, guesses),
        )
        for (canaries, guesses), goal in zip(
            COUNTS, ("at most 0.05 CPU s", "at most 0.5 CPU s"), strict=True
        )
    ),
)
