"""What a plan fixes on the scores page: its values as settings, and the settings as facts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from workbench.audits.deviations import AuditFacts
from workbench.audits.plan import RegisteredPlan
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.parse import parse_claim
from workbench.claims.renyi import RenyiDP
from workbench.estimators.bin_rules import WIDTH_RULES
from workbench.pages.core.sliders import number_of, taken
from workbench.pages.scores.bins import BIN_CONTROLS
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.workspaces.planning import PlannedData


def planned_values(page: Any, plan: RegisteredPlan) -> dict[str, Any]:
    """The settings that follow a plan; what the page cannot show is left as it is.

    Returns
    -------
    dict of str to object
        Among them the marks of a threshold and of bins that differ from those before: without the
        plan they are chosen after seeing the scores.
    """
    values: dict[str, Any] = {"interval": plan.interval, "confidence": plan.confidence}
    groups = [
        {} if plan.threshold is None else {"threshold": plan.threshold},
        {} if plan.delta == 0 else {"log_delta": math.log10(plan.delta)},
        {} if plan.bins is None else _bin_settings(plan.bins),
        _reference_settings(plan.claim),
    ]
    for group in groups:
        if all(_taken(page, name, value) for name, value in group.items()):
            values |= group
    if values.get("threshold", page.threshold) != page.threshold:
        values["threshold_moved"] = True
    if plan.bins is not None and any(values.get(n, v) != v for n, v in _bins_now(page).items()):
        values["bins_moved"] = True
    return values


def audit_facts(page: Any, data: PlannedData) -> AuditFacts:
    """What the audit on the page does."""
    return AuditFacts(
        larger_is_member=data.larger_is_member,
        sampling=data.sampling,
        cluster_rule=data.cluster_rule,
        threshold=page.threshold,
        bins=chosen_bins(page),
        delta=page.delta.value,
        confidence=page.confidence,
        interval=page.interval,
        claim=_claim_now(page),
        n_p=data.n_p,
        n_q=data.n_q,
        opened=data.opened,
        known_as=data.known_as,
        public=data.public,
        reread=data.reread,
        used_before=data.used_before,
        rivals=data.rivals,
    )


def chosen_bins(page: Any) -> dict[str, Any]:
    """The bins of the page as arguments of `workbench.histogram`; a rule by its name."""
    if page.bin_rule == "quantile":
        return {"bins": page.bin_count, "rule": "quantile"}
    if page.bin_rule in WIDTH_RULES:
        return {"rule": page.bin_rule}
    bins = {"bins": page.bin_count} if page.bin_rule == "count" else {"width": page.bin_width}
    return {**bins, "range": [page.range_low, page.range_high] if page.fixed_range else None}


def _bins_now(page: Any) -> dict[str, Any]:
    return {name: getattr(page, name) for name in BIN_CONTROLS}


def _bin_settings(bins: Mapping[str, Any]) -> dict[str, Any]:
    low, high = bins["range"]
    within = {"fixed_range": True, "range_low": low, "range_high": high}
    if "bins" in bins:
        return {"bin_rule": "count", "bin_count": bins["bins"], **within}
    return {"bin_rule": "width", "bin_width": bins["width"], **within}


def _taken(page: Any, name: str, value: Any) -> bool:
    """Whether a control of the page takes a value."""
    if isinstance(value, bool | str):
        return True
    try:
        taken(page.param[name], value, typed=True)
    except ValueError:
        return False
    return True


def _reference_settings(claim: str) -> dict[str, Any]:
    """The reference that is a claim; nothing where none is."""
    found = _reference_of(parse_claim(claim)) if claim else {"kind": None}
    return {f"reference_{name}": value for name, value in found.items()}


def _reference_of(claim: Claim) -> dict[str, Any]:
    known = claim.parameters
    match claim:
        case ApproxDP() if known.get("delta", 0) > 0:  # no slider of a logarithm shows 0
            delta = math.log10(known["delta"])
            return {
                "kind": "claimed-approx",
                "claimed_epsilon": known["epsilon"],
                "log_claimed_delta": delta,
            }
        case GDP():
            return {"kind": "claimed-mu", "mu": known["mu"]}
        case RenyiDP():
            return {
                "kind": "claimed-renyi",
                "order": known["order"],
                "claimed_epsilon": known["epsilon"],
            }
        case PairClaim(pair=GaussianPair() as pair):
            return {"kind": "gaussian", "mu": pair.mu, "times": 1}
        case PairClaim(pair=LaplacePair() as pair):
            return {"kind": "laplace", "mu": pair.mu, "times": 1}
        case PairClaim(pair=DPSGDPair() as pair):
            return {
                "kind": "dp-sgd",
                "multiplier": pair.noise_multiplier,
                "log_rate": math.log10(pair.sample_rate),
                "log_steps": math.log10(pair.steps),
                "neighboring": NEIGHBORING[0],
            }
    return {}


def _claim_now(page: Any) -> str:
    """The reference of the page as text of a claim; its name where no text names it."""
    reference = page.reference()
    if reference is None:
        return ""
    rate, delta = number_of(page.reference_log_rate), number_of(page.reference_log_claimed_delta)
    mu, steps = page.reference_mu, round(10**page.reference_log_steps)
    texts = {
        "claimed-approx": f"approx({page.reference_claimed_epsilon!r}, {delta!r})",
        "claimed-mu": f"gdp({mu!r})",
        "claimed-renyi": f"renyi({page.reference_order!r}, {page.reference_claimed_epsilon!r})",
        "gaussian": f"gaussian({mu!r})",
        "laplace": f"laplace({mu!r})",
        "dp-sgd": f"dpsgd({page.reference_multiplier!r}, {rate!r}, {steps})",
    }
    kind = page.reference_kind
    text = texts.get(kind, "")
    if (kind in ("gaussian", "laplace") and page.reference_times != 1) or (
        kind == "dp-sgd" and page.reference_neighboring != NEIGHBORING[0]
    ):
        text = ""
    return text or f"no leakier than {reference.name}"
