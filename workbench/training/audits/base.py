"""`TrainingAudit`: models to train, and what their scores become."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Self, get_type_hints

import numpy as np

from workbench import _checks
from workbench.pairs.base import Pair
from workbench.pairs.last_iterate import LastIteratePair
from workbench.training.audits.parameters import made_of, plain
from workbench.training.audits.scored_models import ScoredModels
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings


@dataclass(frozen=True, eq=False)
class TrainingAudit(ScoredModels):
    """Models to train, and what their scores become.

    Models are independent tasks: model ``index`` is trained with a generator that depends on the
    seed and the index alone, so that an audit can be continued, repeated and spread over machines.

    Parameters
    ----------
    settings : DPSGDSettings
    data : LabeledData
        With what is audited, unless an audit says otherwise.
    models : int

    Raises
    ------
    ValueError
        Data that do not fit the network, a batch larger than the data, or too few models.
    TypeError
        An argument of another class.
    """

    settings: DPSGDSettings
    data: LabeledData
    models: int

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            if isinstance(kind, type) and is_dataclass(kind):
                need = f"a workbench.training.{kind.__name__}"
                _checks.instance(getattr(self, name), kind, name, need)
        self._check_own()
        models = _checks.count(self.models, "models", least=self.least_models)
        object.__setattr__(self, "models", models)
        features, classes = self.settings.network.sizes[0], self.settings.network.sizes[-1]
        if (self.data.features, self.data.classes) != (features, classes):
            raise ValueError(
                f"settings.network takes {features} features and has {classes} classes, and data "
                f"have {self.data.features} and {self.data.classes}; change the first and the "
                "last of its sizes"
            )
        batch = self.settings.expected_batch
        if batch > self.items * (1 + 1e-9):
            raise ValueError(
                f"settings.expected_batch must be at most the {self.items} records and canaries "
                f"of a model, got {batch:g}; it is sample_rate times their number"
            )

    def _check_own(self) -> None:
        """Raises where an argument of the kind is bad, and makes it what it should be."""

    # -- what a kind gives ------------------------------------------------------------------------

    @property
    def items(self) -> int:
        """The largest number of records and canaries that a model is trained on."""
        return self.data.size

    # -- what all kinds have ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """For titles."""
        return ", ".join(part for part in (self.title, self.data.name) if part)

    @property
    def reference(self) -> Pair | None:
        """What the accountant says of the training; None where there is no noise."""
        return self.settings.pair if self.settings.noise_multiplier else None

    @property
    def final_model_only(self) -> bool:
        """Whether the scores are computed from initial and final models alone."""
        return True

    @property
    def heuristic_reference(self) -> Pair | None:
        """What the final model alone leaks if losses are linear: an approximation, not a claim.

        None where there is no noise, and where the audit sees more than the final model.
        """
        settings = self.settings
        if not (settings.noise_multiplier and self.final_model_only):
            return None
        return LastIteratePair(settings.noise_multiplier, settings.sample_rate, settings.steps)

    # -- plans ------------------------------------------------------------------------------------

    @property
    def data_sha256(self) -> str:
        """See `ScoredModels`."""
        x, y = self.data.x, self.data.y.astype(np.int64)
        return hashlib.sha256(x.tobytes() + y.tobytes()).hexdigest()

    @property
    def parameters(self) -> dict[str, Any]:
        """All arguments and the kind as plain tables, lists, numbers and texts.

        `workbench.training.make_audit` makes the same audit of them.
        """
        return {"kind": self.kind, **plain(self)}

    @classmethod
    @_checks.arguments
    def from_parameters(
        cls, parameters: Mapping[str, Any], data: LabeledData | None = None
    ) -> Self:
        """The audit of some parameters; see `parameters`.

        Parameters
        ----------
        parameters : mapping
            Those that have a default may be missing.
        data : LabeledData, optional
            In place of those that the parameters name, for data of one's own.

        Raises
        ------
        ParameterError
            An unknown, missing or bad parameter.
        """
        given = {key: value for key, value in parameters.items() if key != "kind"}
        return made_of(cls, given, {} if data is None else {"data": data})
