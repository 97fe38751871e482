"""LiRA folders: one folder for each experiment, as of tensorflow/privacy's mi_lira_2021."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.class_outputs import log_odds
from workbench.scores.ordered import sealed
from workbench.scores.sample import ScoresError
from workbench.tables.layouts.base import FoundTable, Stated, few
from workbench.tables.layouts.place import StoredArray, TablePlace, by_numbers

#: Names of an experiment's folder that say which one it is, and of how many.
_NUMBERED = (re.compile(r"experiment[-_](\d+)_(\d+)"), re.compile(r"experiment[-_](\d+)_of_(\d+)"))

#: Settings in hparams.json in which experiments of one audit differ.
_OWN_SETTINGS = ("expid", "seed", "logdir", "dataset_seed", "tunename", "name")


class LiraFolder:
    """Folders of experiments with keep.npy and scores/ or logits/."""

    name = "lira"
    about = (
        "LiRA (tensorflow/privacy): a folder for each experiment, with keep.npy and "
        "scores/*.npy, or logits/*.npy"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a folder has folders with keep.npy."""
        return place.is_folder and any(place.has(f"{name}/keep.npy") for name in place.folders)

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """The scores of all experiments, or log-odds where there are logits only."""
        found = _Experiments.of(place, stated, report)
        used = found.used
        first = next(iter(used.values())).values
        n = first.shape[0]
        labels, attributes, notes = _records(place, n)
        logits = found.what == "logits"
        if logits and labels is None:
            raise ScoresError(
                f"{place.label} holds logits but no y_train.npy of {n} labels beside the "
                "experiments: log-odds need the class of each record. Save it there, or compute "
                "scores with the tool's score.py"
            )
        shape = _signal_shape(first.shape) if logits else first.shape
        dtype = np.float64 if logits else _float(first.dtype)
        values = np.empty((len(used), *shape), dtype)
        member = np.empty((len(used), n), dtype=bool)
        for m, (experiment, arrays) in enumerate(used.items()):
            report(m / len(used), f"experiment {m + 1} of {len(used)}")
            member[m] = _keep(place, experiment, n)
            if logits and labels is not None:
                values[m] = log_odds(place.mapped(arrays.values.name), labels).reshape(shape)
            else:
                values[m] = arrays.values.read()
        report(1.0)
        return FoundTable(
            sealed(values),
            sealed(member),
            f"{len(used)} experiments; memberships from keep.npy, "
            + ("log-odds of the class in y_train.npy from " if logits else "scores from ")
            + f"{found.what}/, of the last epoch",
            kind="log-odds" if logits else "scores",
            models=np.array(list(used)),
            attributes=attributes,
            notes=(*found.notes(), *notes),
        )


@dataclass(frozen=True)
class _Arrays:
    """The arrays of an experiment, unread."""

    keep: StoredArray
    values: StoredArray
    epoch: str


@dataclass
class _Experiments:
    """The experiments of a folder: what is used of them, and what is not."""

    what: str
    used: dict[str, _Arrays] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, place: TablePlace, stated: Stated, report: Report) -> _Experiments:
        """The experiments with what is stated, or with scores, or else with logits."""
        names = [n for n in place.folders if place.has(f"{n}/keep.npy")]
        inside = {name: place.listing(name) for name in names}
        if stated.scores is not None:
            what = stated.scores
        else:
            scored = any({"scores", "scores.npy"} & set(inside[name]) for name in names)
            what = "scores" if scored else "logits"
        found = cls(what)
        for name in place.folders:
            if name not in inside and name.startswith("experiment"):
                found.left_out[name] = "has no keep.npy"
        for i, name in enumerate(names):
            report(0.0 if i else None, f"looking at {name}")
            found.settings[name] = place.settings(f"{name}/hparams.json")
            epoch = _last_epoch(place, name, what)
            if epoch is None:
                found.left_out[name] = f"has no {what}"
                continue
            try:
                keep, values = place.header(f"{name}/keep.npy"), place.header(epoch)
            except ScoresError as error:
                found.left_out[name] = str(error)
                continue
            found.used[name] = _Arrays(keep, values, epoch.rpartition("/")[2])
        if not found.used:
            raise ScoresError(
                f"no experiment of {place.label} can be used: "
                + "; ".join(f"'{n}' {why}" for n, why in list(found.left_out.items())[:5])
            )
        found._check_shapes()
        place.check_total([a.values.name for a in found.used.values()])
        return found

    def _check_shapes(self) -> None:
        first, one = next(iter(self.used.items()))
        for name, arrays in self.used.items():
            keep, values = arrays.keep.shape, arrays.values.shape
            for array in (arrays.keep, arrays.values):
                if array.dtype.kind not in "biuf":
                    raise ScoresError(f"'{array.name}' holds {array.dtype}, not numbers")
            if len(keep) != 1:
                raise ScoresError(f"'{arrays.keep.name}' has the shape {keep}; give one entry for "
                                  "each record")  # fmt: skip
            if not values or values[0] != keep[0]:
                why = (
                    f"'{arrays.values.name}' has the shape {values} and '{arrays.keep.name}' "
                    f"{keep}: both must be of the same records, in the same order"
                )
                if arrays.keep.dtype.kind in "iu" and keep[0] < (values or (0,))[0]:
                    why += "; if keep.npy lists the numbers of records, save it as true and false"
                raise ScoresError(why)
            if values != one.values.shape:
                raise ScoresError(
                    f"'{name}' has {self.what} of shape {values} and '{first}' "
                    f"{one.values.shape}; experiments of one audit have the same records and "
                    "augmentations. Move those of another audit elsewhere"
                )
        most = 4 if self.what == "logits" else 2
        if len(one.values.shape) > most:
            raise ScoresError(
                f"'{one.values.name}' has the shape {one.values.shape}; "
                + ("logits are (records, 1, augmentations, classes)" if most == 4 else
                   "scores are (records,) or (records, augmentations)")
            )  # fmt: skip

    def notes(self) -> tuple[str, ...]:
        """What is missing, left out, or differs between experiments."""
        notes = [f"left out: '{name}' {why}" for name, why in list(self.left_out.items())[:20]]
        if len(self.left_out) > 20:
            notes.append(f"left out: {len(self.left_out) - 20} more experiments")
        notes += self._missing()
        by_epoch: dict[str, list[str]] = {}
        for name, arrays in self.used.items():
            by_epoch.setdefault(arrays.epoch, []).append(name)
        if len(by_epoch) > 1:
            ends = "; ".join(f"{epoch} in {few(names)}" for epoch, names in by_epoch.items())
            notes.append(f"the experiments end with different epochs: {ends}")
        differing = self._differing_settings()
        if differing:
            notes.append(
                f"hparams.json differ between experiments in {', '.join(map(repr, differing))}: "
                "were they trained for one audit?"
            )
        return tuple(notes)

    def _missing(self) -> list[str]:
        """The note on experiments that the names, or the settings, say there should be."""
        made, stated = set(), set()
        for name in self.used:
            match = next((m for p in _NUMBERED if (m := p.fullmatch(name))), None)
            if match:
                made.add(int(match[1]))
                stated.add(int(match[2]))
        totals = stated or {
            n
            for settings in self.settings.values()
            if isinstance(n := settings.get("num_experiments"), int) and n > 1
        }
        if len(totals) > 1:
            return [f"the experiments are of audits with {few(sorted(totals))} experiments"]
        total = next(iter(totals), 0)
        if len(self.used) >= total:
            return []
        which = ""
        if stated:
            first = 1 if total in made else 0
            # Of a total in a name, which may be any number, the first that are not here.
            numbers = range(first, first + total)
            missing = (k for k in numbers if k not in made)
            which = f" (number {few(missing, total - sum(k in numbers for k in made))})"
        return [
            f"{len(self.used)} of {total} experiments are here; missing: "
            f"{total - len(self.used)}{which}. The tool puts every record into the same share of "
            f"all {total} models, so that the models of a record are not independent, though the "
            "memberships that are left do not show it"
        ]

    def _differing_settings(self) -> list[str]:
        used = [s for n, s in self.settings.items() if n in self.used and s]
        keys = dict.fromkeys(k for settings in used for k in settings if k not in _OWN_SETTINGS)
        return [k for k in keys if len({repr(settings.get(k)) for settings in used}) > 1]


def _last_epoch(place: TablePlace, experiment: str, what: str) -> str | None:
    """The file of the last epoch: the last one by its number."""
    files = [n for n in place.listing(f"{experiment}/{what}") if n.endswith(".npy")]
    if files:
        return f"{experiment}/{what}/{max(files, key=by_numbers)}"
    alone = f"{experiment}/{what}.npy"
    return alone if place.has(alone) else None


def _keep(place: TablePlace, experiment: str, n: int) -> NDArray[np.bool_]:
    keep = place.array(f"{experiment}/keep.npy")
    if keep.dtype != bool and not np.isin(keep, (0, 1)).all():
        raise ScoresError(
            f"'{experiment}/keep.npy' holds {keep.dtype}, not true and false; if it lists the "
            f"numbers of records, save it as one entry for each of {n} records"
        )
    return keep.astype(bool)


def _records(
    place: TablePlace, n: int
) -> tuple[NDArray[Any] | None, dict[str, NDArray[Any]], list[str]]:
    """The classes of the records, their attributes, and notes on what does not fit."""
    labels, attributes, notes = None, {}, []
    for file, attribute in (("y_train.npy", "label"), ("x_train.npy", "image")):
        if not place.has(file):
            continue
        try:
            found = place.header(file)
        except ScoresError as error:
            notes.append(f"left out: {error}")
            continue
        if not found.shape or found.shape[0] != n:
            notes.append(f"left out: '{file}' has the shape {found.shape}, for {n} records")
        elif attribute == "label":
            if found.dtype.kind in "biufSU" and math.prod(found.shape) == n:
                labels = found.read().reshape(n)
                attributes["label"] = labels
            else:
                notes.append(
                    f"left out: '{file}' holds {found.dtype}{list(found.shape)}, which are "
                    f"no classes of {n} records"
                )
        elif len(found.shape) in (3, 4):
            attributes["image"] = place.mapped(file)  # read where an image is shown
    return labels, attributes, notes


def _float(dtype: Any) -> Any:
    """The dtype in which scores are kept: float32 stays what it is."""
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def _signal_shape(logits: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of log-odds: without classes, and without the axis over which is averaged."""
    return (logits[0], *logits[2:-1]) if len(logits) == 4 else logits[:-1]
