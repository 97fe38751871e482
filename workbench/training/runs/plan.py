"""`RunPlan`: what a run is repeated from; `TrainingPlan`: that of a training, and its file."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from workbench import _checks
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.scores.refusals import did_you_mean, listed
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.parameters import ParameterError
from workbench.training.audits.registry import make_audit
from workbench.training.audits.scored_models import ScoredModels
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.runs.bundled import plan_file, plans
from workbench.training.runs.toml_text import line_of, tables_of, to_toml

#: The claim that the accountant makes for the training.
ACCOUNTANT = "accountant"

#: The sections of a plan, and those that it cannot do without.
SECTIONS = ("data", "network", "training", "audit", "claim", "run")
_NEEDED = ("data", "network", "training", "audit", "run")

#: Keys of the sections that hold no parameters of the audit.
_RUN, _CLAIM = ("models", "seed"), ("claim", "confidence")

#: Bytes of a plan, at most: plans with a list of rows are long.
_MOST = 10**6


class TrainingPlanError(ValueError):
    """A plan that cannot be used; the message names the line."""


class RunPlan(ABC):
    """What a run in a folder is repeated from: what is made and scored, and with which seed."""

    audit: ScoredModels
    seed: int
    confidence: float

    @property
    @abstractmethod
    def claimed(self) -> Claim | None:
        """The claim that the run is to be held against; None where there is none."""

    @abstractmethod
    def to_toml(self) -> str:
        """The plan as a TOML file."""


@dataclass(frozen=True, eq=False)
class TrainingPlan(RunPlan):
    """What is trained and scored, with which seed, and what it is to be held against.

    Parameters
    ----------
    audit : TrainingAudit
    seed : int
        The scores depend on the audit and on it alone.
    claim : str
        "accountant", the claim of the accountant for the training; or another one as text, such as
        "approx(2, 1e-5)"; "" for none.
    confidence : float
        Of the verdict on the claim.

    Raises
    ------
    ValueError
        A seed below 0, text that is no claim, or a claim about training without noise.
    TypeError
        No audit, or a claim that is no text.
    """

    audit: TrainingAudit
    seed: int = 0
    claim: str = ""
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _checks.instance(self.audit, TrainingAudit, "audit", "a training audit")
        object.__setattr__(self, "seed", _checks.count(self.seed, "seed"))
        _checks.text(self.claim, "claim")
        _checks.confidence(self.confidence)
        if self.claim and self.audit.reference is None:
            raise ValueError(
                f"claim must be left out, got {self.claim!r}: noise_multiplier is 0, and training "
                "without noise is not differentially private. Set noise_multiplier above 0; a "
                'promise that is not kept is audited with bug = "no-noise"'
            )
        try:
            _ = self.claimed
        except ValueError as error:
            raise ValueError(f"claim cannot be read: {error}") from None

    @property
    def claimed(self) -> Claim | None:
        """The claim; None where there is none."""
        if not self.claim:
            return None
        return as_claim(self.audit.settings.pair if self.claim == ACCOUNTANT else self.claim)

    @classmethod
    @_checks.arguments
    def of(cls, sections: Mapping[str, Any], data: LabeledData | None = None) -> Self:
        """The plan of sections, as `sections` gives them.

        Parameters
        ----------
        sections : mapping of str to mapping
        data : LabeledData, optional
            In place of those that the section "data" names, for data of one's own.

        Raises
        ------
        ParameterError
            Unknown, missing or bad keys. Its ``key`` is the place: section, key, and so on.
        """
        _check_sections(sections)
        run, claim = dict(sections["run"]), dict(sections.get("claim", {}))
        if "models" not in run:
            raise ParameterError("[run] models is missing", ("run",))
        try:
            audit = make_audit(
                {
                    **sections["audit"],
                    "settings": {**sections["training"], "network": sections["network"]},
                    "data": sections["data"],
                    "models": run.pop("models"),
                },
                data,
            )
        except ParameterError as error:
            raise ParameterError(_in_sections(str(error)), _section(error.key)) from None
        try:
            return cls(audit, **run, **claim)
        except (TypeError, ValueError) as error:
            word = str(error).split(" ", 1)[0]
            place = next((s for s, keys in _KEYS.items() if word in keys), None)
            if place is None:
                raise
            raise ParameterError(f"[{place}] {error}", (place, word)) from None

    @property
    def sections(self) -> dict[str, Any]:
        """The plan as plain tables, lists, numbers and texts."""
        audit = dict(self.audit.parameters)
        data, models = audit.pop("data"), audit.pop("models")
        training = dict(audit.pop("settings"))
        network = training.pop("network")
        found = {"data": data, "network": network, "training": training, "audit": audit}
        if self.claim:
            found["claim"] = {"claim": self.claim, "confidence": self.confidence}
        return {**found, "run": {"models": models, "seed": self.seed}}

    def to_toml(self) -> str:
        """The plan as a TOML file, with all that has a default."""
        return to_toml(self.sections)


#: Sections whose keys are arguments of the plan itself.
_KEYS = {"run": _RUN, "claim": _CLAIM}


@_checks.arguments
def read_plan(path: str | os.PathLike[str], data: LabeledData | None = None) -> TrainingPlan:
    """The plan in a TOML file.

    Parameters
    ----------
    path : path
        Or the name of a bundled plan; see `plans`.
    data : LabeledData, optional
        See `TrainingPlan.of`.

    Raises
    ------
    TrainingPlanError
        The file is no plan; the message names the line and what to do.
    """
    file = Path(path)
    if not file.is_file() and str(path) in plans():
        file = plan_file(str(path))
    if not file.is_file():
        raise TrainingPlanError(
            f"there is no file '{path}'{did_you_mean(str(path), plans())}; bundled plans are "
            f"{listed(plans())}"
        )
    if file.stat().st_size > _MOST:
        raise TrainingPlanError(f"'{path}' has more than {_MOST:,} bytes, so it is no plan")
    try:
        text = file.read_text(encoding="utf-8")
        sections = tables_of(text)
    except ValueError as error:
        raise TrainingPlanError(f"{path} is no TOML file: {error}") from None
    try:
        return TrainingPlan.of(sections, data)
    except ParameterError as error:
        line = line_of(text, error.key)
        where = f"{path}, line {line}" if line else str(path)
        raise TrainingPlanError(f"{where}: {error}") from None


def _check_sections(sections: Mapping[str, Any]) -> None:
    for name, section in sections.items():
        if name not in SECTIONS:
            hint = did_you_mean(name, SECTIONS) or f"; there are {listed(SECTIONS)}"
            raise ParameterError(f"{name!r} is no section of a plan{hint}", (name,))
        if not isinstance(section, Mapping):
            raise ParameterError(
                f"{name} must be a section, [{name}], got {_checks.shown(section)}", (name,)
            )
    for name in _NEEDED:
        if name not in sections:
            raise ParameterError(f"the section [{name}] is missing")
    for place, keys in _KEYS.items():
        for key in sections.get(place, {}):
            if key not in keys:
                hint = did_you_mean(key, keys) or f"; there are {listed(keys)}"
                raise ParameterError(f"{key!r} is no key of [{place}]{hint}", (place, key))
    for key in ("settings", "data", "models"):
        if key in sections["audit"]:
            where = {"settings": "training", "data": "data", "models": "run"}[key]
            raise ParameterError(f"{key!r} belongs to [{where}], not to [audit]", ("audit", key))
    if "network" in sections["training"]:
        raise ParameterError("'network' is a section of its own", ("training", "network"))


def _section(key: tuple[str, ...]) -> tuple[str, ...]:
    """The place in a plan of a parameter of an audit."""
    if key[:2] == ("settings", "network"):
        return ("network", *key[2:])
    if key[:1] == ("settings",):
        return ("training", *key[1:])
    if key[:1] == ("data",):
        return key
    return ("run", *key) if key[:1] == ("models",) else ("audit", *key)


def _in_sections(message: str) -> str:
    """A refusal of a parameter in the words of a plan."""
    message = re.sub(r"\bsettings\.network\b", "network", message)
    return re.sub(r"\bsettings\b", "training", message)
