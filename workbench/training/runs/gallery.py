"""The gallery: finished training runs that come with the package, with their plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from workbench import _checks, _json
from workbench.onerun.read import read_one_run
from workbench.onerun.run import OneRun
from workbench.scores.examples import card, data_folder, example, read_card
from workbench.scores.sample import Scores
from workbench.tables.examples import TABLES, example_table
from workbench.tables.table import ScoreTable
from workbench.training.audits.base import TrainingAudit
from workbench.training.runs.plan import TrainingPlan, read_plan

#: The runs, in the order in which a newcomer should meet them.
NAMES = (
    "black-box-gaussian",
    "black-box-skewed",
    "black-box-blank",
    "flawed-white-box",
    "one-shot-private",
    "one-shot-not-private",
    "canaries-in-one-run",
    "digits-losses-table",
)
#: The file with their provenance, beside the scores.
PROVENANCE = "training-runs.json"


@dataclass(frozen=True)
class GalleryRun:
    """A finished training run that comes with the package.

    Parameters
    ----------
    name : str
        Also that of its bundled plan, and of its scores in `workbench.example` or
        `workbench.example_table`.

    Raises
    ------
    ValueError
        No run of that name.
    """

    name: str

    def __post_init__(self) -> None:
        _checks.one_of(self.name, "name", NAMES)

    def __repr__(self) -> str:
        return f"GalleryRun({self.name!r}, {self.title!r}, {self.audit.models:,} models)"

    @property
    def title(self) -> str:
        """For people."""
        return str(self._card["title"])

    @property
    def look(self) -> str:
        """What it shows."""
        return str(self._card["look"])

    @property
    def path(self) -> Path:
        """The file of its scores, which states what they are."""
        return data_folder() / str(self._card["file"])

    @cached_property
    def plan(self) -> TrainingPlan:
        """What it is repeated from: `workbench.training.run_training_audit` takes it."""
        return read_plan(self.name)

    @property
    def audit(self) -> TrainingAudit:
        """What was trained and scored."""
        return self.plan.audit

    @property
    def seed(self) -> int:
        """The seed of all models."""
        return self.plan.seed

    @property
    def models(self) -> int:
        """Number of models, all of which are trained."""
        return self.audit.models

    @property
    def complete(self) -> bool:
        """True: the run is finished."""
        return True

    @cached_property
    def result(self) -> Scores | OneRun | ScoreTable:
        """The scores, as `open` reads them, kept."""
        return self.open()

    @property
    def kind(self) -> str:
        """Kind of the audit, a key of `workbench.training.AUDITS`."""
        return self.audit.kind

    @property
    def provenance(self) -> dict[str, Any]:
        """Parameters, seed, hash of the data, accountant's pair, and of each session its date and
        the versions of the software; CPU seconds of the training.
        """
        return dict(_provenance()[self.name])

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the training and scoring."""
        return float(self.provenance["cpu_seconds"])

    def open(self) -> Scores | OneRun | ScoreTable:
        """The scores, as the audit collects them.

        Returns
        -------
        Scores, OneRun or ScoreTable
        """
        if self.name in TABLES:
            return example_table(self.name)
        if card(self.name).opens_as == "one run":
            return read_one_run(self.path, name=self.name, trusted=True)
        return example(self.name)

    @property
    def _card(self) -> dict[str, Any]:
        return read_card(self.name)


def gallery() -> tuple[GalleryRun, ...]:
    """The finished training runs that come with the package.

    Returns
    -------
    tuple of GalleryRun
        Each opens as `Scores`, `OneRun` or `ScoreTable`, and has the plan that it is repeated from.

    Examples
    --------
    >>> [run.name for run in wb.training.gallery()][:2]
    ['black-box-gaussian', 'black-box-skewed']
    >>> wb.training.gallery()[0].open().sampling
    'independent runs'
    """
    return tuple(GalleryRun(name) for name in NAMES)


@lru_cache(maxsize=1)
def _provenance() -> dict[str, Any]:
    text = (data_folder() / PROVENANCE).read_bytes()
    return dict(_json.loads(text, object_hook=_untagged))


def _untagged(value: dict[str, Any]) -> Any:
    """A number that JSON does not have, such as an infinite clipping norm."""
    return float(value["float"]) if set(value) == {"float"} else value
