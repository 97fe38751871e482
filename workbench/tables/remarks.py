"""Remarks on a table that was read: its design, and what in it can mislead or cannot be audited."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.tables.design import Design
from workbench.tables.layouts.base import FoundTable, few

#: Records whose values show first whether two models have the same.
_HEAD = 64


def remarks(found: FoundTable) -> tuple[str, ...]:
    """Remarks on a table, in the order of their weight.

    Returns
    -------
    tuple of str
    """
    remarks = (_design, _missing, _nan, _one_sided, _copies)
    return tuple(text for remark in remarks if (text := remark(found)))


#: Records that are in equally many models by a design rather than by chance.
_MANY = 20

#: What a design means, where it is more than independent coins.
_DESIGNS = {
    "complementary pairs": "models come in complementary pairs: one was trained on what "
    "the other was not. The models of a pair are not independent; bounds on records use one model "
    "of each pair",
    "exactly half": "every record is in exactly half of the models: the models of a record are "
    "not independent",
    "equal sizes": "every model was trained on the same number of records: the records of a model "
    "are not independent",
}


def _design(found: FoundTable) -> str:
    member = found.member.astype(bool, copy=False)
    if (known := _DESIGNS.get(Design.of(member, found.present).name)) is not None:
        return known
    models, records = member.shape
    n_in = member.sum(axis=0)
    if found.present is None and records >= _MANY and 0 < n_in[0] < models and np.ptp(n_in) == 0:
        return (
            f"every record is in exactly {n_in[0]} of {models} models: the models of a record are "
            "not independent"
        )
    return ""


def _missing(found: FoundTable) -> str:
    """Missing values, and whether they are missing for members more often than for others."""
    if found.present is None:
        return ""
    absent = ~found.present
    text = f"{int(absent.sum())} of {absent.size} pairs of model and record are missing"
    # Every missing cell says "not in": whether it depends on membership shows in the rest alone.
    inside = (found.member & found.present).sum(axis=0)
    outside = (~found.member & found.present).sum(axis=0)
    ragged = np.unique(inside + outside).size > 1
    if ragged:
        text += (
            f", and records have {(inside + outside).min()} to {(inside + outside).max()} models"
        )
    if (inside == 0).any() or (outside == 0).any():
        text += (
            ". Some records have values for members only, or for others only: if a value is "
            "missing because of the membership, the rest shows that and not the leakage"
        )
    return text


def _nan(found: FoundTable) -> str:
    """Values that are NaN where there should be one."""
    bad = np.zeros(found.member.shape[1], dtype=np.int64)
    for m, row in enumerate(found.values.reshape(*found.member.shape, -1)):
        nan = np.isnan(row).any(axis=1)
        bad += nan if found.present is None else nan & found.present[m]
    if not bad.any():
        return ""
    worst = np.argsort(-bad, kind="stable")[: int((bad > 0).sum())]
    values, records = int(bad.sum()), int((bad > 0).sum())
    return (
        f"{values} value{'s' * (values > 1)} of {records} record{'s' * (records > 1)} "
        f"{'are' if values > 1 else 'is'} NaN ({few(_names(found)[worst])}): a NaN counts as an "
        "outcome, the most member-like one"
    )


def _one_sided(found: FoundTable) -> str:
    """Records in all models or in none."""
    member = found.member.astype(bool, copy=False)
    if found.present is None:
        n, n_in = np.full(member.shape[1], len(member)), member.sum(axis=0)
    else:
        n, n_in = found.present.sum(axis=0), (member & found.present).sum(axis=0)
    texts = []
    for where, there in (("no", n_in == 0), ("every", n_in == n)):
        if there.any():
            names = few(_names(found)[there])
            texts.append(f"{_are(there)} in {where} model ({names})")
    few_sides = ((n_in == 1) | (n - n_in == 1)) & (n > 1)
    if few_sides.any():
        texts.append(
            f"{_are(few_sides)} in a single model, or in all but one "
            f"({few(_names(found)[few_sides])})"
        )
    return "; ".join(texts) + ": kept, and not auditable" if texts else ""


def _copies(found: FoundTable) -> str:
    """Models that have the same values and memberships, such as a folder that was copied."""
    heads: dict[bytes, list[int]] = {}
    for m, row in enumerate(found.values):
        heads.setdefault(np.ascontiguousarray(row[:_HEAD]).tobytes(), []).append(m)
    same = [
        (a, b)
        for rows in heads.values()
        for i, a in enumerate(rows)
        for b in rows[i + 1 : i + 2]
        if np.array_equal(found.values[a], found.values[b], equal_nan=True)
        and np.array_equal(found.member[a], found.member[b])
    ]
    if not same:
        return ""
    names = np.arange(len(found.values)) if found.models is None else found.models
    pairs = few(f"{names[a]} and {names[b]}" for a, b in same)
    return (
        f"models with the same values and memberships: {pairs}; copies are not independent runs, "
        "leave them out"
    )


def _are(records: NDArray[np.bool_]) -> str:
    n = int(records.sum())
    return f"{n} records are" if n > 1 else "1 record is"


def _names(found: FoundTable) -> NDArray[Any]:
    return np.arange(found.member.shape[1]) if found.records is None else found.records
