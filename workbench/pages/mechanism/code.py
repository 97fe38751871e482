"""A search on the page as lines of Python."""

from __future__ import annotations

from typing import Any

from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.mechanism.choice import MechanismChoice
from workbench.testers.running.load_mechanism import NamedMechanism


def audit_code(page: MechanismChoice, asked: dict[str, Any], spec: dict[str, Any]) -> str:
    """Lines that run the search of the page, and open the page again in a notebook.

    Parameters
    ----------
    page : MechanismChoice
    asked : dict
        What ``audit_mechanism`` is told besides the mechanism and the claim.
    spec : dict
        For ``wb.explore_mechanism``.
    """
    imports, made, named = _mechanism(page.chosen())
    arguments = {name: repr(value) for name, value in asked.items()}
    if page.datasets == "pair":
        arguments["datasets"] = "mechanism.pair"
    if "domain" in asked:
        imports = [*imports, "from workbench.mechanisms.base import Domain"]
    claim = _claim(page.claim())
    given = "".join(f"    {name}={text},\n" for name, text in arguments.items())
    lines = [
        "import workbench as wb",
        *imports,
        "",
        *made,
        f"audit = wb.audit_mechanism(\n    mechanism,\n    {claim},\n{given})",
        f"view = wb.explore_mechanism({named}, {claim}, spec={spec!r})",
        "",
    ]
    return "\n".join(lines)


def _mechanism(mechanism: Any) -> tuple[list[str], list[str], str]:
    """Imports, the line that makes it, and what ``explore_mechanism`` takes for it."""
    if isinstance(mechanism, Mechanism) and mechanism.name in GALLERY:
        return [], [f"mechanism = wb.mechanism({mechanism.name!r})"], repr(mechanism.name)
    run = mechanism.run if isinstance(mechanism, Mechanism) else mechanism
    if isinstance(run, NamedMechanism):
        found = "from workbench.testers.running.load_mechanism import find_mechanism"
        return [found], [f"mechanism = find_mechanism({run.name!r})"], repr(run.name)
    return [], ["# mechanism: as it was given in Python"], "mechanism"


def _claim(claim: Any) -> str:
    if claim.symbol:
        return repr(str(claim))
    pair = claim.dominating_pair
    arguments = ", ".join(f"{name}={value!r}" for name, value in pair.parameters.items())
    return f"wb.{type(pair).__name__}({arguments})"
