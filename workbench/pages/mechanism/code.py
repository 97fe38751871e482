"""The Python that repeats the search of a mechanism page."""

from __future__ import annotations

import math
from typing import Any

from workbench.claims.unclaimed import Unclaimed
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.core.page import Page
from workbench.pages.inputs.code import (
    Name,
    call,
    duration,
    lines,
    pair_code,
    repeatable,
    script,
)
from workbench.testers.property_testers.base import Finding
from workbench.testers.running.load_mechanism import NamedMechanism

#: The line that takes the verdict.
SEARCHED = "verdict = audit.verdict"


def audit_code(page: Page, asked: dict[str, Any], spec: dict[str, Any]) -> str:
    """Lines that run the search of the page, and open the page in a notebook.

    Parameters
    ----------
    page : MechanismPage
    asked : dict
        Arguments of ``audit_mechanism`` besides the mechanism and the claim.
    spec : dict
        The settings that ``wb.explore_mechanism`` restores.
    """
    made, named = _mechanism(page.chosen())
    arguments = dict(asked)
    if page.datasets == "pair":
        arguments["datasets"] = Name("mechanism.pair")
    if "domain" in asked:
        arguments["domain"] = Name(f"wb.{asked['domain']!r}")
    claim: tuple[str, ...] = (_claim(page.claim()),)
    if isinstance(unclaimed := page.claim(), Unclaimed):
        claim, arguments = (), {"delta": unclaimed.delta_0, **arguments}
    parameter = page.claim().parameter if page.claim().stated else "none"
    return script(
        made,
        f"claimed = {('f-DP' if parameter is None else parameter)!r}",
        f"error = 1 - {page.confidence!r}",
        lines(
            duration(page, "search"),
            f"audit = {call('wb.audit_mechanism', 'mechanism', *claim, **arguments)}",
            "" if page.found is not None and not repeatable(page, "search") else SEARCHED,
        ),
        *_found_code(page),
        f"view = {call('wb.explore_mechanism', named, *claim, spec=spec)}",
    )


def _found_code(page: Page) -> list[str]:
    """Steps that take the numbers of the page from the search and the re-check."""
    if not repeatable(page, "search"):
        return []
    steps = ["counted = len(audit.trials), audit.planned", "used = audit.runs"]
    best = page.evidence()
    if best is not None:
        steps.append(f"strongest = audit.best.finding.{_measured(best.finding)}")
    if page.found.least_detectable() not in (None, math.inf):
        steps.append("power = audit.least_detectable()")
    if page.rechecked is not None and repeatable(page, "recheck"):
        asked = {
            "samples": round(10**page.log_fresh),
            "confidence": page.found.confidence,
            "seed": page.fresh_seed,
            "time_limit": page.choice.source().get("time_limit"),
        }
        again = f"again = {call('audit.replay', **asked)}"
        fresh = f"fresh = again.finding.{_measured(page.rechecked.replay.finding)}"
        steps.append(lines(duration(page, "recheck"), again, fresh))
    return steps


def _measured(finding: Finding) -> str:
    """The attribute of a finding that the page shows; see `evidence_bound`."""
    return "bound" if finding.parameter is None else "parameter"


def _mechanism(mechanism: Any) -> tuple[str, str]:
    """The line that makes ``mechanism``, and the argument of ``explore_mechanism``."""
    if isinstance(mechanism, Mechanism) and mechanism.name in GALLERY:
        name = repr(mechanism.name)
        return f"mechanism = {call('wb.mechanism', name)}", name
    run = mechanism.run if isinstance(mechanism, Mechanism) else mechanism
    if isinstance(run, NamedMechanism):
        name = repr(run.name)
        return f"mechanism = {call('wb.find_mechanism', name)}", name
    return "# mechanism: as given in Python", "mechanism"


def _claim(claim: Any) -> str:
    return repr(str(claim)) if claim.symbol else pair_code(claim.dominating_pair)
