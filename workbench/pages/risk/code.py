"""The Python that the page shows."""

from __future__ import annotations

from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.inputs.claims.risk import COUNTED
from workbench.pages.inputs.code import call, data_code, lines, script

#: Number of the page -> how it is read off the risk, and what it needs.
_PROMISED = {
    "at_most": "risk.at_most",
    "advantage_promised": "risk.advantage.at_most",
    "precision_promised": "risk.precision.at_most",
}
_SHOWN = {
    "at_least": "risk.at_least",
    "advantage_shown": "risk.advantage.at_least",
    "precision_shown": "risk.precision.at_least",
}


def risk_code(page: Page, spec: dict[str, Any]) -> str:
    """The lines that compute the numbers of the page."""
    view = f"view = {call('wb.explore', repr('risk'), spec=spec)}"
    risk = page.risk()
    if risk is None:
        return script(_noise_code(page), view)
    claim = page.promised.text or None
    asked = {
        "baseline": risk.baseline,
        "attack": risk.attack,
        "prior": risk.prior,
        "group": risk.group if risk.group > 1 else None,
    }
    data, of = "", repr(claim)
    if page.evidence == "scores":
        data, of = data_code(page), "scores"
    elif page.evidence == "counts":
        counts = {name: getattr(page, flat) for flat, name in COUNTED.items()}
        data, of = f"counts = {call('wb.Counts', **counts)}", "counts"
    if data:
        asked |= {"confidence": page.confidence, "claim": claim}
    named = {**(_PROMISED if claim else {}), **(_SHOWN if data else {})}
    found = [
        f"{name} = {value}"
        for name, value in named.items()
        if risk.prior is not None or "precision" not in name
    ]
    ends = [one for one, there in (("at_least", data), ("at_most", claim)) if there]
    odds = ", ".join(f"risk.odds.{one}" for one in ends)
    return script(
        data,
        lines(f"risk = {call('wb.risk', of, **asked)}", *found, f"odds = {odds}"),
        "risk.sentence()",
        _noise_code(page),
        view,
    )


def _noise_code(page: Page) -> str:
    """The step from the wished risk to a noise."""
    wished = page.wished()
    if wished is None:
        return ""
    trained = ""
    if page.claim_kind == "dpsgd":
        training = {
            "sample_rate": page.claim_rate,
            "steps": page.claim_steps,
            "neighboring_relation": page.claim_relation,
        }
        trained = f"dpsgd_noise = {call('wb.noise_multiplier_for', **training, **wished)}"
    return lines(
        f"gaussian_noise = {call('wb.gaussian_sigma_for', **wished)}",
        f"laplace_noise = {call('wb.laplace_scale_for', **wished)}",
        trained,
    )
