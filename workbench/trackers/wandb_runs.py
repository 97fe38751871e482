"""`WandbRun`: a run of Weights & Biases, through your program's package."""

from __future__ import annotations

import re
import sys
from typing import Any, ClassVar

from workbench.trackers.entries import LogEntry
from workbench.trackers.naming import FOLDER
from workbench.trackers.runs import TrackedRun

#: The number of an entry in the history, so that none is logged twice, and the step of the audit.
ENTRY, STEP = f"{FOLDER}/entry", f"{FOLDER}/step"


class WandbRun(TrackedRun):
    """A run of Weights & Biases.

    Numbers are in the history, over a step of their own: W&B drops what comes for an earlier step
    than the last one, as an entry that waited would. Texts are in the summary; files are artifacts.

    Parameters
    ----------
    module : module
        ``wandb``.
    run : wandb.Run
    """

    kind: ClassVar[str] = "wandb"

    def __init__(self, module: Any, run: Any):
        self._module, self._run = module, run
        self.run = str(run.id)
        # Only the run itself can be written to.
        places = (getattr(run, name, None) for name in ("entity", "project"))
        self.where = "/".join([*(str(place) for place in places if place), self.run])

    @classmethod
    def recognized(cls, run: Any) -> WandbRun | None:
        """The run that a module or a run of W&B is; None if it is neither.

        Parameters
        ----------
        run : object
        """
        if callable(getattr(run, "Artifact", None)) and hasattr(run, "run"):
            if run.run is None:
                raise ValueError("wandb has no active run; call wandb.init() before")
            return cls(run, run.run)
        named = all(hasattr(run, name) for name in ("id", "log", "log_artifact", "summary"))
        module = sys.modules.get("wandb")
        return cls(module, run) if named and module is not None else None

    def send(self, entry: LogEntry, tried: bool) -> None:
        """See `TrackedRun`; the history, the summary and then files."""
        last = str(self._run.summary.get(ENTRY) or "") if tried else ""
        if last < entry.key:  # keys of later entries are larger
            self._run.define_metric(f"{FOLDER}/*", step_metric=STEP)
            self._run.log({**entry.numbers, STEP: entry.step, ENTRY: entry.key})
        self._run.summary.update(entry.texts)
        for name, text in entry.files.items():
            artifact = self._module.Artifact(_artifact_name(name, self.run), type="dp-audit")
            with artifact.new_file(name.rpartition("/")[2], mode="w") as file:
                file.write(text)
            self._run.log_artifact(artifact)


def _artifact_name(file: str, run: str) -> str:
    """Names of artifacts belong to a project, so that each run needs its own."""
    return re.sub(r"[^\w.-]+", "-", f"{file.removesuffix('.json')}-{run}")[-128:]
