"""All kinds of training audits by name, and audits from their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import _checks
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.black_box import BlackBox
from workbench.training.audits.federated import FederatedCanaries
from workbench.training.audits.many_records import ManyRecords
from workbench.training.audits.one_run import CanariesInOneRun
from workbench.training.audits.one_shot import OneShot
from workbench.training.audits.parameters import ParameterError
from workbench.training.audits.white_box.white_box import WhiteBox
from workbench.training.audits.white_box.white_box_one_run import WhiteBoxOneRun
from workbench.training.dp_sgd.data import LabeledData

#: All kinds by name.
AUDITS: dict[str, type[TrainingAudit]] = {
    kind.kind: kind
    for kind in (
        BlackBox,
        OneShot,
        CanariesInOneRun,
        ManyRecords,
        FederatedCanaries,
        WhiteBox,
        WhiteBoxOneRun,
    )
}


@_checks.arguments
def make_audit(parameters: Mapping[str, Any], data: LabeledData | None = None) -> TrainingAudit:
    """The audit of some parameters, as `TrainingAudit.parameters` gives them.

    Parameters
    ----------
    parameters : mapping
        The kind and its arguments, as plain tables, lists, numbers and texts. Those that have a
        default may be missing.
    data : LabeledData, optional
        In place of those that the parameters name, for data of one's own.

    Raises
    ------
    ParameterError
        An unknown, missing or bad parameter.
    """
    kind = parameters.get("kind")
    if not isinstance(kind, str) or kind not in AUDITS:
        raise ParameterError(
            f"kind must be one of {', '.join(map(repr, AUDITS))}; got {kind!r}", ("kind",)
        )
    return AUDITS[kind].from_parameters(parameters, data)
