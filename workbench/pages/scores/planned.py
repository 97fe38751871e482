"""What a plan fixes on the scores page: its values as settings, and the settings as facts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from workbench.audits.deviations import AuditFacts
from workbench.audits.plan import RegisteredPlan
from workbench.estimators.bin_rules import WIDTH_RULES
from workbench.pages.core.sliders import taken
from workbench.pages.inputs.claims.stated import stated_values
from workbench.pages.scores.bins import BIN_CONTROLS
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
        _claim_settings(plan.claim),
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
        claim=page.promised.words,
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
    if value is None or isinstance(value, bool | str):
        return True
    try:
        taken(page.param[name], value, typed=True)
    except ValueError:
        return False
    return True


def _claim_settings(claim: str) -> dict[str, Any]:
    """The claim of a plan as settings; none where the controls cannot show it."""
    try:
        return stated_values(claim)
    except ValueError:
        return {}
