"""The Python that repeats the search of a mechanism page."""

from __future__ import annotations

from typing import Any

from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.pages.inputs.code import Name, call, pair_code, script
from workbench.pages.mechanism.choice import MechanismChoice
from workbench.testers.running.load_mechanism import NamedMechanism


def audit_code(page: MechanismChoice, asked: dict[str, Any], spec: dict[str, Any]) -> str:
    """Lines that run the search of the page, and open the page in a notebook.

    Parameters
    ----------
    page : MechanismChoice
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
    claim = _claim(page.claim())
    return script(
        made,
        f"audit = {call('wb.audit_mechanism', 'mechanism', claim, **arguments)}",
        f"view = {call('wb.explore_mechanism', named, claim, spec=spec)}",
    )


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
