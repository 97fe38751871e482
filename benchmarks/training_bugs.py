"""Positive controls: what it takes to detect each bug of DP-SGD, and how often there is none.

Each control audits models with one bug and judges the accountant's claim with a confidence of 99%.
The same audits of DP-SGD without the bug are repeated; each may accuse it in 1% of them. Processor
time is that of training, scoring and judging, on one core. Beside each audit stands what a
recorded training names (`workbench.testing.record`).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import workbench as wb
from workbench import training
from workbench.testing import record
from workbench.training.controls import BUGS, PositiveControl

Row = tuple[str, str, str]

CONFIDENCE = 0.99

#: Audits of each bug, for the share that detects it.
REPEATS = 10

#: Audits of DP-SGD without a bug, for each control: more than 200 in all.
AUDITS = 25


def main() -> list[Row]:
    """Rows: what, measured, target."""
    controls = [training.positive_control(bug) for bug in BUGS]
    return [*map(detection, controls), *map(recorded, controls), *accusations(controls)]


def detection(control: PositiveControl) -> Row:
    found = [judged(control, control.audit, seed) for seed in range(REPEATS)]
    verdict = found[0][0]
    seconds = statistics.median(seconds for _, seconds in found)
    detected = sum(one.refuted for one, _ in found)
    shown = (
        f"{verdict.verdict}, p ≤ {verdict.p_value:.1g}; {control.audit.models} models, "
        f"{seconds:.2f} CPU s; {detected} of {REPEATS} seeds"
    )
    return f"bug {control.bug}", shown, "refuted at 99%"


def recorded(control: PositiveControl) -> Row:
    """What a recorded training says of the bug, and of DP-SGD without it."""
    began = time.process_time()
    found = record.check_training_audit(control.audit)
    seconds = time.process_time() - began
    without = record.check_training_audit(control.corrected)
    named = found.findings[0] if found.findings else None
    shown = "nothing" if named is None else f"{named.label}, {named.kind}, {named.place.short}"
    shown += f"; {1000 * seconds:.0f} CPU ms; without the bug {len(without.findings)} findings"
    return f"bug {control.bug}, recorded", shown, "certain, with its line"


def accusations(controls: list[PositiveControl]) -> Iterator[Row]:
    total = 0
    for place, control in enumerate(controls):
        # Without their bugs some controls are the same audit: each has seeds of its own.
        seeds = range(place * AUDITS, (place + 1) * AUDITS)
        verdicts = [judged(control, control.corrected, seed)[0] for seed in seeds]
        accused = sum(verdict.refuted for verdict in verdicts)
        total += accused
        least = min(verdict.p_value for verdict in verdicts)
        shown = f"{accused} of {AUDITS} accused, smallest p {least:.2g}"
        yield f"no bug, the audit of {control.bug}", shown, ""
    audits = AUDITS * len(controls)
    yield "no bug, all of them", f"{total} of {audits} accused", f"at most 1%: {audits // 100}"


def judged(
    control: PositiveControl, audit: training.WhiteBox, seed: int
) -> tuple[wb.Verdict, float]:
    """The verdict on the claim, and the processor time of the audit in seconds."""
    run = training.run_training_audit(audit, seed)
    began = time.process_time()
    verdict = wb.judge(audit.collect(run.rows), control.claim, CONFIDENCE)
    return verdict, time.process_time() - began + run.cpu_seconds
