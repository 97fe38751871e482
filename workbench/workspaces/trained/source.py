"""`TrainedSource`: scores of models that the workbench trained, and what makes them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from workbench import _checks
from workbench._json import JsonObject
from workbench.scores.sample import Scores
from workbench.scores.table import DataTable
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading

#: What scores of a run that was stopped say was chosen after results were seen.
STOPPED = "the number of models"


@dataclass(frozen=True)
class TrainedSource:
    """Scores of trained models, with the plan and the seed that make them again.

    Parameters
    ----------
    about : str
        What was trained and scored, in a sentence.
    parameters : mapping
        Of the audit, as `workbench.training.make_audit` takes them; of the models that were
        trained, where the run was stopped.
    seed : int
    planned : int
        Models of the plan.

    Raises
    ------
    WorkspaceError
        Arguments of other types.
    """

    about: str
    parameters: Mapping[str, Any] = field(hash=False)
    seed: int = 0
    planned: int = 0

    kind: ClassVar[str] = "trained"
    holds: ClassVar[str] = "scores"
    label: ClassVar[str] = "Trained models"

    def __post_init__(self) -> None:
        try:
            _checks.text(self.about, "about")
            _checks.count(self.seed, "seed")
            _checks.count(self.planned, "planned")
            object.__setattr__(self, "parameters", dict(self.parameters))
            _checks.count(self.parameters["models"], "models")
        except (TypeError, ValueError, KeyError) as error:
            raise WorkspaceError(
                f"these are not the models of a training audit: {error}"
            ) from error

    @property
    def stopped(self) -> bool:
        """Whether the run was stopped before its last model."""
        return int(self.parameters["models"]) < self.planned

    def describe(self) -> str:
        """What was trained, the seed, and whether it was stopped."""
        end = f", stopped after {self.parameters['models']:,} models" if self.stopped else ""
        return f"{self.about.rstrip('.')}; seed {self.seed}{end}."

    def to_dict(self) -> JsonObject:
        """The source as JSON values."""
        return {
            "kind": self.kind,
            "about": self.about,
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "planned": self.planned,
        }

    def read(self, tables: Sequence[DataTable], reading: Reading) -> Scores:
        """The scores, in the direction and with the sampling of the reading.

        Parameters
        ----------
        tables : sequence of DataTable
            One, with the columns ``p`` and ``q``.
        reading : Reading
        """
        table = tables[0]
        return Scores(table.numbers("p"), table.numbers("q"), **reading.arguments, name=table.name)
