"""Arrays of scores and memberships: in an npz file, or a folder of npy files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.layouts.labels import MOST_LABELS
from workbench.scores.layouts.senses import vocabulary
from workbench.scores.ordered import sealed
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError
from workbench.tables.classes import resolved
from workbench.tables.layouts import words
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.columns import member_of
from workbench.tables.layouts.orientation import orientation
from workbench.tables.layouts.place import StoredArray, TablePlace

_IMAGES = frozenset({"image", "images"})

#: Names of arrays with what models put out for each class.
_OUTPUTS = vocabulary(
    "output outputs prob probs probability probabilities softmax logprob logprobs posterior "
    "posteriors prediction predictions pred preds"
)


class Arrays:
    """Arrays such as scores and member, of two or three dimensions, in any orientation."""

    name = "arrays"
    about = (
        "arrays: an npz file, or a folder of npy files, with scores (models, records[, "
        "augmentations]) and member, memberships, keep or in (models, records)"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether there are arrays named as scores and memberships."""
        names = [name for name, array in _arrays(place).items() if len(array.shape) > 1]
        return all(any(map(belongs, names)) for belongs in (_is_scores, words.is_member))

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """The table, turned to models × records."""
        arrays = _arrays(place)
        tall = {name: array for name, array in arrays.items() if len(array.shape) > 1}
        member = words.chosen(stated.member, tall, words.is_member, "member", place.label)
        others = [name for name in tall if name != member]
        scores = words.chosen(stated.scores, others, _is_scores, "scores", place.label)
        if member is None or scores is None:
            missing = "scores" if scores is None else "member"
            raise ScoresError(
                f"{place.label} has no array that is named as {missing} of a table are; name it "
                f"with {missing}=. It has {_listing(arrays) or 'no array'}"
            )
        if place.is_folder:
            place.check_total([tall[member].name, tall[scores].name])
        report(0.0, f"reading {member}")
        inside = _inside(tall[member].read(), member, stated, place.label)
        lengths = {array.shape[0] for name, array in arrays.items() if _is_of_records(name, array)}
        axes, turned, note = orientation(
            tall[scores].shape,
            tall[member].shape,
            stated.transposed,
            lambda: inside,
            lengths.pop() if len(lengths) == 1 else None,
        )
        inside = inside.T if turned else inside
        report(0.3, f"reading {scores}")
        values = tall[scores].read().transpose(axes)
        if values.dtype.kind not in "fiu":
            raise ScoresError(f"{scores!r} of {place.label} holds {values.dtype}, not numbers")
        rest = {name: array for name, array in arrays.items() if name not in (scores, member)}
        names, attributes, notes = _names(rest, inside.shape)
        is_loss = words.is_losses(scores)
        if values.ndim == 3 and values.shape[2] > 1 and not stated.augmentations:
            records = {k: v for k, v in attributes.items() if v.ndim == 1}
            values, said = resolved(values, scores, records, stated.labels, place.label)
            notes.append(said)
            is_loss = False
        if is_loss:
            notes.append(words.losses_note(scores))
        report(1.0)
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        return FoundTable(
            sealed(values),
            sealed(inside),
            f"scores = {scores!r} of shape {tall[scores].shape}, memberships = {member!r}"
            + (f"; {note}" if note else ""),
            records=names.get("records"),
            models=names.get("models"),
            attributes=attributes,
            larger_is_member=not is_loss,
            notes=tuple(notes),
        )


def _arrays(place: TablePlace) -> Mapping[str, StoredArray]:
    if place.is_archive:
        return place.archive
    if not place.is_folder:
        return {}
    files = [name for name in place.entries if name.endswith(".npy")]
    return {name.removesuffix(".npy"): place.header(name) for name in files}


def _is_scores(name: str) -> bool:
    """Whether a name is that of scores, or of what models put out."""
    return words.is_scores(name) or words.is_of(name, _OUTPUTS)


def _inside(values: NDArray[Any], name: str, stated: Stated, where: str) -> NDArray[np.bool_]:
    """Memberships from an array, whose name says whether its 1 means "in"."""
    if values.dtype.kind not in "biufU":
        raise ScoresError(f"{name!r} of {where} holds {values.dtype}, not memberships")
    # One row at a time, for memory.
    labels = np.unique(np.concatenate([values[:0].ravel(), *map(np.unique, values)]))
    if labels.size > MOST_LABELS:
        raise ScoresError(
            f"{name!r} of {where} holds {labels.size} different values, so it cannot say which "
            "models were trained on which records; name another array with member="
        )
    known = member_of(labels, name, stated.member_value, f"{name!r} of {where}")
    inside = np.empty(values.shape, bool)
    for row, given in zip(inside, values, strict=True):
        row[...] = known[np.searchsorted(labels, given)]
    return inside


def _is_of_records(name: str, array: StoredArray) -> bool:
    """Whether an array's name says that it has an entry for each record."""
    return len(array.shape) == 1 and words.plain(name) in ("records", "recordids", "recordnames")


def _names(
    arrays: Mapping[str, StoredArray], shape: tuple[int, ...]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]], list[str]]:
    """Names of records and models, attributes of records, and a note on what is not used."""
    models, records = shape
    names: dict[str, NDArray[Any]] = {}
    attributes, unused = {}, []
    for name, array in arrays.items():
        if array.dtype.kind not in "biufSU":
            unused.append(name)
        elif array.shape == (records,) and words.is_record(name):
            names["records"] = array.read()
        elif array.shape == (models,) and words.is_model(name):
            names["models"] = array.read()
        elif array.shape == (records,):
            attributes[name] = array.read()
        elif array.shape[:1] == (records,) and words.plain(name) in _IMAGES:
            attributes["image"] = array.read()
        else:
            unused.append(name)
    notes = [f"not used: {listed(unused)}"] if unused else []
    return names, attributes, notes


def _listing(arrays: Mapping[str, StoredArray]) -> str:
    return ", ".join(f"{name!r} {array.shape}" for name, array in list(arrays.items())[:12])
