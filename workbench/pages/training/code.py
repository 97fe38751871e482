"""The Python that reproduces the page: its run, its numbers, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.inputs.code import call, duration, lines, repeatable, script
from workbench.training.runs.gallery import GalleryRun


def training_code(page: Page, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_training``."""
    given, run = ["run"] if page.given is not None else [], page.trained
    view = f"view = {call('wb.explore_training', *given, spec=spec)}"
    made = _run_code(page)
    if not made:
        return script(view)
    asked = {"delta": page.delta.value, "confidence": page.confidence}
    steps = [made, "audit = run.audit", f"progress = ({run.models}, audit.models)"]
    if page.claim() is not None:
        steps.append(f"claimed = audit.reference.epsilon({page.delta.value!r})")
    if page.heuristic() is not None:
        steps.append(f"last_iterate = audit.heuristic_reference.epsilon({page.delta.value!r})")
    if page.evidence() is not None:
        steps += [f"epsilon = {call('wb.anytime_path', 'result', **asked)}.bound", _verdict(page)]
    if page.of_pairs() is not None:
        stored = isinstance(run, GalleryRun)
        pairs = "wb.matched_pairs(result)" if stored else "audit.matched_pairs(run.rows)"
        steps.append(f"pairs = {call('wb.tune_one_run', pairs, **asked)}.simultaneous")
    if page.halves() is not None:
        steps.append("stability = audit.stability(run.rows)")
    result = page.result()
    if result is not None and page.last() is not None:
        steps.append(result.last_code(asked))
        if page.evidence() is None and page.claim() is not None:
            steps.append('verdict = "refuted" if fixed.value > claimed else "not refuted"')
    return script(*steps, view)


def _run_code(page: Page) -> str:
    """The lines that make ``run`` and its ``result``; "" where it cannot be made again."""
    run = page.trained
    if isinstance(run, GalleryRun):
        return f"run = wb.training.GalleryRun({run.name!r})\nresult = run.result"
    if run is not None and run is page.given:
        return "# run: as given in Python\nresult = run.result"
    if run is None or not repeatable(page, "train"):
        return ""
    return lines(
        f"audit = {call('wb.training.make_audit', repr(run.audit.parameters))}",
        duration(page, "train"),
        f"run = {call('wb.training.run_training_audit', 'audit', seed=run.seed)}",
        "result = run.result",
    )


def _verdict(page: Page) -> str:
    """The lines of the verdict by bets against the whole claim."""
    found = f"evidence.refuted_at({page.confidence!r}, n={page.trained.models // 2})"
    return (
        f"evidence = {call('wb.claim_evidence', 'result', 'audit.reference')}\n"
        f'verdict = "not refuted" if {found} is None else "refuted"'
    )
