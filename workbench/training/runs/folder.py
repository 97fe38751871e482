"""`RunFolder`: a training run in a folder, which a program that was killed leaves to the next one.

``plan.toml`` is the plan, ``run.json`` the provenance. Each part of models that is trained becomes
a file in ``parts/`` at once. Many parts become one in ``rows.parquet``, and all of them at the end,
when ``scores.parquet`` is written: the scores as `wb.read_scores` and others open them.
"""

from __future__ import annotations

import logging
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from workbench import _checks, _json
from workbench.onerun.run import OneRun
from workbench.parallel import cores
from workbench.scores.layouts.folders import RUN_ABOUT, RUN_PLAN, RUN_SCORES
from workbench.scores.sample import Scores
from workbench.software.extras import check
from workbench.software.versions import software
from workbench.tables.table import ScoreTable
from workbench.training.audits.rows import Rows
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.runs.file_lock import InUseError, locked
from workbench.training.runs.plan import RunPlan, TrainingPlan, read_plan
from workbench.training.runs.result_file import write_parquet, write_result
from workbench.training.runs.trained_models import TrainedModels
from workbench.training.runs.whole_file import UNFINISHED, write_whole

log = logging.getLogger(__name__)

#: Version of what a folder holds.
FORMAT = 1

ROWS, PARTS, LOCK = "rows.parquet", "parts", ".lock"

#: The kind of runs that a generator of synthetic tables made.
GENERATOR = "generator"

#: Files of parts that are kept apart.
MOST_PARTS = 200

_MODELS = b"workbench models"

#: What the parts of a damaged file raise; Arrow's are ValueError.
_DAMAGE = (OSError, ValueError, KeyError, TypeError, RecursionError, MemoryError)


class RunFolderError(ValueError):
    """A folder that cannot hold the run, or that holds none."""


class RunFolder:
    """A folder of one training run."""

    def __init__(self, path: str | os.PathLike[str]):
        _checks.instance(path, (str, os.PathLike), "folder", "a path")
        self.path = Path(path)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.path.absolute().name

    # -- reading ----------------------------------------------------------------------------------

    def plan(self, data: LabeledData | None = None) -> TrainingPlan:
        """The plan of the run; see `open_run`."""
        self._require()
        if self.provenance()["parameters"]["kind"] == GENERATOR:
            raise RunFolderError(
                f"'{self.path}' holds runs of a generator, which cannot be made of a file; call "
                "wb.synthetic.generator_runs with the same arguments to continue them, or read "
                "their scores with wb.read_scores or wb.read_score_table"
            )
        return read_plan(self.path / RUN_PLAN, data)

    def provenance(self) -> dict[str, Any]:
        """Parameters, seed, hash of the data, versions of the software, and dates."""
        self._require()
        try:
            found = _json.loads((self.path / RUN_ABOUT).read_bytes())
            stated = found["format"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunFolderError(f"'{self.path / RUN_ABOUT}' is damaged: {error}") from None
        if stated != FORMAT:
            raise RunFolderError(
                f"'{self.path}' was made by another version of the workbench (format {stated!r}, "
                f"this one knows {FORMAT}); open it with that one"
            )
        return dict(found)

    def trained(self) -> TrainedModels:
        """The models that are trained; a part that is damaged is left out, and logged."""
        found = []
        # In this order nothing is missed where another program merges parts meanwhile.
        for path in [*self._parts(), self.path / ROWS]:
            try:
                found.append(_read(path))
            except FileNotFoundError:
                continue
            except _DAMAGE as error:
                log.warning("'%s' is damaged, its models are not used: %s", path, error)
        return TrainedModels.joined(found)

    def _parts(self) -> list[Path]:
        return sorted((self.path / PARTS).glob("[0-9]*.parquet"))

    def _require(self) -> None:
        if not (self.path / RUN_PLAN).is_file() or not (self.path / RUN_ABOUT).is_file():
            raise RunFolderError(
                f"there is no training run in '{self.path}', which would have the files "
                f"{RUN_PLAN} and {RUN_ABOUT}; 'workbench train' makes one"
            )

    # -- writing ----------------------------------------------------------------------------------

    @contextmanager
    def in_use(self) -> Iterator[RunFolder]:
        """Context in which no other program writes here.

        Raises
        ------
        RunFolderError
            Another program does, there are other files, or nothing can be written.
        """
        if self.path.exists() and not self.path.is_dir():
            raise RunFolderError(f"'{self.path}' is a file; name a folder")
        if not (self.path / RUN_ABOUT).is_file() and self._others():
            raise RunFolderError(
                f"'{self.path}' holds other files, such as {self._others()[0]!r}, and no training "
                "run; name a new folder"
            )
        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.path / LOCK))
            except InUseError:
                raise RunFolderError(
                    f"another program is training in '{self.path}'; wait for it, or name another "
                    "folder"
                ) from None
            except OSError as error:
                raise RunFolderError(
                    f"'{self.path}' cannot be written ({error.strerror}); name another folder"
                ) from error
            yield self

    def begin(self, plan: RunPlan) -> TrainedModels:
        """The models that are trained already, of a run that is continued.

        Raises
        ------
        RunFolderError
            There is a run of another plan.
        """
        for path in self.path.rglob(f"{UNFINISHED}*"):  # of a program that was killed
            with suppress(OSError):
                path.unlink()
        session: dict[str, Any] = {
            "began": _now(),
            "software": software(),
            "platform": platform.platform(),
            "processors": cores(),
        }
        about = {
            "format": FORMAT,
            "parameters": plan.audit.parameters,
            "seed": plan.seed,
            "data_sha256": plan.audit.data_sha256,
            "reference": _of_pair(plan),
        }
        about = _json.loads(_json.dumps(_json.plain(about, "tagged")))
        if (self.path / RUN_ABOUT).is_file():
            before = self.provenance()
            _check_same(self.path, before, about)
            _warn_of_versions(before["sessions"][-1]["software"], session["software"])
            if self.finished:
                return self.trained()
            about = {**before, "sessions": [*before["sessions"], session]}
        else:
            write_whole(self.path / RUN_PLAN, plan.to_toml().encode())
            about["sessions"] = [session]
        (self.path / PARTS).mkdir(exist_ok=True)
        self._write_about(about)
        return self.trained()

    def add(self, part: TrainedModels) -> None:
        """Keep models that were trained.

        Raises
        ------
        OSError
            They cannot be written; what was kept before is unchanged.
        """
        parts = self._parts()
        if len(parts) >= MOST_PARTS:
            self._merge(self.trained())
            parts = []
        number = int(parts[-1].stem) + 1 if parts else 0
        _write(self.path / PARTS / f"{number:06}.parquet", part)

    def finish(self, trained: TrainedModels, result: Scores | OneRun | ScoreTable) -> None:
        """Write the scores of all models.

        Raises
        ------
        OSError
            They cannot be written; the parts stay.
        """
        if self.finished:
            return
        self._merge(trained)
        about = {**self.provenance(), "finished": _now(), "cpu_seconds": trained.cpu_seconds}
        self._write_about(about)
        write_result(self.path / RUN_SCORES, result)  # last: a run that has it is finished
        shutil.rmtree(self.path / PARTS, ignore_errors=True)

    @property
    def finished(self) -> bool:
        """Whether the scores of all models are there."""
        return (self.path / RUN_SCORES).is_file()

    def _merge(self, trained: TrainedModels) -> None:
        _write(self.path / ROWS, trained)
        for path in self._parts():
            path.unlink()

    def _write_about(self, about: dict[str, Any]) -> None:
        write_whole(self.path / RUN_ABOUT, _json.dumps(about, indent=2).encode())

    def _others(self) -> list[str]:
        """Names of what is there and of no run."""
        if not self.path.is_dir():
            return []
        own = {RUN_PLAN, LOCK}  # of a run that was killed at once
        names = sorted(entry.name for entry in self.path.iterdir())
        return [one for one in names if one not in own and not one.startswith(UNFINISHED)]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _of_pair(plan: RunPlan) -> dict[str, Any] | None:
    """What the accountant says of the training: the pair and its parameters."""
    pair = plan.audit.reference
    return None if pair is None else {"pair": type(pair).__name__, **pair.parameters}


def _check_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    was, wanted = _flat(before), _flat(now)
    for name in [*was, *wanted]:
        if was.get(name) != wanted.get(name):
            if name == "data_sha256":
                what = "other data of the same name"
            else:
                own, here = _checks.shown(wanted.get(name)), _checks.shown(was.get(name))
                what = f"another plan: {name} is {here} there, and {own} here"
            raise RunFolderError(f"'{path}' holds a run of {what}; name another folder")


def _flat(about: dict[str, Any]) -> dict[str, Any]:
    """What must not change, by dotted names."""
    found: dict[str, Any] = {}

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, one in value.items():
                add(f"{name}.{key}" if name else key, one)
        else:
            found[name] = value

    add("", {key: about.get(key) for key in ("parameters", "seed", "data_sha256")})
    return found


def _warn_of_versions(before: dict[str, str], now: dict[str, str]) -> None:
    changed = [f"{k} {before[k]} → {now[k]}" for k in now if before.get(k, now[k]) != now[k]]
    if changed:
        log.warning(
            "the run was begun with other versions (%s): the scores of further models may differ "
            "in their last digits from what those versions give",
            ", ".join(changed),
        )


# -- files of rows --------------------------------------------------------------------------------


def _write(path: Path, part: TrainedModels) -> None:
    columns = {field.name: getattr(part.rows, field.name) for field in fields(Rows)}
    ends = np.flatnonzero(np.diff(part.models) != 1) + 1
    ranges = [[int(r[0]), int(r[-1]) + 1] for r in np.split(part.models, ends) if r.size]
    about = {"models": ranges, "cpu_seconds": part.cpu_seconds}
    write_parquet(path, columns, {_MODELS: _json.dumps_ascii(about).encode()})


def _read(path: Path) -> TrainedModels:
    check("pyarrow", "results of training runs need")
    from pyarrow import parquet

    table = parquet.read_table(path, use_threads=False)
    about = _json.loads(table.schema.metadata[_MODELS])
    models = [np.arange(start, end) for start, end in about["models"]]
    columns = [table[field.name].to_numpy() for field in fields(Rows)]
    none = np.zeros(0, dtype=np.int64)
    return TrainedModels(np.concatenate([none, *models]), Rows(*columns), about["cpu_seconds"])
