"""Folders of ml_privacy_meter 2.0: memberships of models, and signals of all models."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.sample import ScoresError
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.place import TablePlace

_SIGNALS = re.compile(r"(.+)_signals\.npy")

#: Where there are several signals: all are probabilities of the true class.
_FIRST = ("rmia", "loss")


class PrivacyMeterFolder:
    """memberships.npy, shape (models, records), and signals, shape (records, models)."""

    name = "privacy-meter"
    about = (
        "ml_privacy_meter 2: models/memberships.npy (models, records) and "
        "signals/*_signals.npy (records, models)"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a folder has memberships and signals."""
        return _memberships(place) is not None and bool(_signals(place))

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """Probabilities of the true class, in which the tool's attacks begin."""
        files, name = _signals(place), _memberships(place)
        if name is None or not files:
            raise ScoresError(
                f"{place.label} has no models/memberships.npy and signals/*_signals.npy; give the "
                "folder that holds both (the tool's run.log_dir)"
            )
        wanted = stated.scores or next((n for n in _FIRST if n in files), next(iter(files)))
        if wanted not in files:
            raise ScoresError(
                f"{place.label} has no signals {wanted!r}, which scores= names; it has "
                f"{', '.join(map(repr, files))}"
            )
        report(0.1, "reading memberships")
        member = place.numbers(name)
        if member.ndim != 2 or not member.size:
            raise ScoresError(
                f"'{name}' has the shape {member.shape}, not (models, records), with at least one "
                "of each"
            )
        report(0.4, f"reading the signals {wanted!r}")
        values, note = _turned(place, files[wanted], member.shape, stated)
        notes = [note]
        if others := [f"{n!r}" for n in files if n != wanted]:
            notes.append(f"not used: signals {', '.join(others)}; scores= chooses them")
        population, remark = _population(place, wanted, member.shape[0])
        notes += remark
        report(1.0)
        return FoundTable(
            values,
            member,
            f"memberships from {name}, signals from {files[wanted]}: probabilities of the true "
            "class",
            kind="probability",
            population=population,
            notes=tuple(notes),
        )


def _memberships(place: TablePlace) -> str | None:
    names = ("models/memberships.npy", "memberships.npy")
    return next((name for name in names if place.has(name)), None)


def _signals(place: TablePlace) -> dict[str, str]:
    """Files of signals by the name of their attack."""
    if not place.is_folder:
        return {}
    return {
        match[1]: f"{folder}{name}"
        for folder in ("signals/", "")
        for name in place.listing(folder)
        if (match := _SIGNALS.fullmatch(name))
    }


def _turned(
    place: TablePlace, file: str, member: tuple[int, ...], stated: Stated
) -> tuple[NDArray[Any], str]:
    """Signals as (models, records[, augmentations]), and what was done to them."""
    models, records = member
    found = place.header(file).shape
    if len(found) != 2:
        raise ScoresError(f"'{file}' has the shape {found}, not (records, models)")
    as_written = stated.transposed in (None, "scores")
    if as_written and found == (records, models):
        return place.numbers(file).T, f"signals of shape {found} turned to (models, records)"
    several = as_written and found[1] == models and found[0] > records and not found[0] % records
    if several and "ramia" in file:
        # All of one record, then all of the next.
        each = found[0] // records
        turned = place.numbers(file).reshape(records, each, models).transpose(2, 0, 1)
        return turned, f"signals of {each} points around each record: its augmentations"
    if stated.transposed in (None, "neither") and found == (models, records):
        return place.numbers(file), f"signals of shape {found} taken as (models, records)"
    if found[1] == models or found[0] == models:
        n = found[0] if found[1] == models else found[1]
        raise ScoresError(
            f"'{file}' has signals of {n} records and the memberships are of {records}: they were "
            "computed for a random subset (audit.data_size) whose record numbers the tool does "
            "not store. So it is unknown which membership belongs to which signal. Compute "
            f"the signals of all records: set audit.data_size to {records}, delete the folder "
            "signals, and run the tool again"
        )
    raise ScoresError(
        f"'{file}' has the shape {found} and the memberships {member}: signals are (records, "
        "models) and memberships (models, records), of the same models and records"
    )


def _population(
    place: TablePlace, signals: str, models: int
) -> tuple[NDArray[np.floating[Any]] | None, list[str]]:
    """Signals of the population, shape (models, Z), and a note where they do not fit."""
    for file in (f"signals/{signals}_signals_pop.npy", f"{signals}_signals_pop.npy"):
        if place.has(file):
            found = place.header(file).shape
            if len(found) == 2 and found[1] == models:
                return place.numbers(file).T, [f"population of {found[0]} records from {file}"]
            return None, [f"not used: '{file}' has the shape {found}, for {models} models"]
    return None, []
