"""Sentences about a training audit: what is trained, and what is audited."""

from __future__ import annotations

from workbench._format import plain
from workbench.training.audits.base import TrainingAudit
from workbench.training.controls import positive_control
from workbench.training.dp_sgd.bugs import PROCEDURES

#: Optimizers as people write them.
OPTIMIZERS = {"sgd": "SGD", "momentum": "SGD with momentum", "adam": "Adam"}


def trained_words(audit: TrainingAudit) -> str:
    """What the models of an audit are, as a phrase: "1,000 models 64-16-10 …"."""
    settings, many = audit.settings, audit.models != 1
    sizes = "-".join(map(str, settings.network.sizes))
    models = f"{audit.models:,} models" if many else "One model"
    bug = PROCEDURES[settings.bug]
    said = [
        f"{models} {sizes} on {audit.data.size:,} records of {audit.data.name or 'given data'}",
        f"DP-SGD with σ = {plain(settings.noise_multiplier)}, q = {plain(settings.sample_rate)}, "
        f"{settings.steps:,} steps of {OPTIMIZERS[settings.optimizer]}",
    ]
    if settings.bug != "none":
        scale = f" = {plain(settings.noise_scale)}" if settings.bug == "scaled-noise" else ""
        said.append(f"bug: {bug.title[0].lower()}{bug.title[1:]}{scale}")
    return " · ".join(said)


def described(audit: TrainingAudit) -> str:
    """What is trained and what is audited, in a line."""
    return f"{audit.title} · {trained_words(audit)}"


def control_words(audit: TrainingAudit) -> str:
    """How the bug of a training shows, where its audit is the positive control of the bug."""
    bug = audit.settings.bug
    if bug == "none":
        return ""
    control = positive_control(bug)
    same = {**control.audit.parameters, "models": audit.models} == audit.parameters
    return control.why if same else ""
