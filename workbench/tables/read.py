"""`read_score_table`: scores of many records under many models, as public tools write them."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench import _checks
from workbench.progress import Report, silent
from workbench.scores.layouts.labels import text_of
from workbench.scores.sample import CLUSTER_RULES, ScoresError
from workbench.scores.statement import statement_in
from workbench.tables.attacks.signals import SignalTable
from workbench.tables.layouts.base import TRANSPOSED, FoundTable, Stated, TableLayout, few
from workbench.tables.layouts.place import TablePlace
from workbench.tables.layouts.registry import LAYOUTS, recognizes
from workbench.tables.remarks import remarks
from workbench.tables.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)


def read_score_table(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    layout: str | None = None,
    scores: str | None = None,
    member: str | None = None,
    member_value: object = None,
    labels: str | None = None,
    model: str | None = None,
    record: str | None = None,
    transposed: str | None = None,
    larger_is_member: bool | None = None,
    augmentations: str | None = None,
    sampling: str = "unknown",
    name: str | None = None,
    trusted: bool = False,
    progress: Report | None = None,
) -> ScoreTable | SignalTable:
    """Scores of many records under many models, from a folder or file of any known layout.

    The layout is found, logged (logger ``workbench.tables.read``) and described in the ``notes`` of
    the table, with what was used and what was not. Whatever is in doubt is asked for.

    Parameters
    ----------
    path : path or DataFrame
        A folder of LiRA, ml_privacy_meter, privacy-estimates or PrivacyGuard; an npz file or a
        folder of arrays; the folder of a training run; a table (csv, tsv, parquet, feather, json)
        in long or wide form.
    layout : str, optional
        One of "lira", "privacy-meter", "shadow-statistics", "privacy-guard", "arrays", "long" and
        "wide", where it is not found.
    scores, member, model, record : str, optional
        Columns, arrays or signals, where their names do not say it. In wide form, what stands
        before the numbers of the columns.
    member_value : optional
        The label of members, where the name of their column or array does not say it. ``is_test``
        or ``nonmember`` say that 1 is the label of the others.
    labels : str, optional
        The array of the class of each record, where the last axis of the scores is one of classes:
        the score is then the log-odds of that class. Arrays such as ``labels`` or ``y`` are found.
    transposed : {"neither", "scores", "member", "both"}, optional
        Which arrays have records along their first axis, where their shapes do not show it.
    larger_is_member : bool, optional
        Direction of the scores; True by default, False where they are called losses.
    augmentations : {"mean", "max", "first"}, optional
        How the scores of augmentations become one, "mean" by default. Of arrays (models, records,
        k) it has to be stated: k may be a number of classes.
    sampling
        As of `ScoreTable`.
    name : str, optional
        Shown in titles; the name of the folder or file by default.
    trusted : bool
        Read without limits of size, memory and time: for large files of your own. By default a
        table is parsed in a process of its own, as by `read_scores`; of arrays only the header is
        parsed, and checked against the size of the file.
    progress : callable, optional
        Takes the progress; see `workbench.progress.Report`.

    Returns
    -------
    ScoreTable or SignalTable
        A `SignalTable` where the files hold what models say of records, from which an attack is
        still to make scores: logits of LiRA, and the files of ml_privacy_meter, privacy-estimates
        and PrivacyGuard.

    Raises
    ------
    ScoresError
        The layout or its parts are in doubt, the files are damaged, or the table cannot be
        audited; the message says what to do.

    See Also
    --------
    read_scores : scores of one target, or one record.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"model": np.repeat(np.arange(20), 3), "record": list("abc") * 20})
    >>> frame["member"] = rng.random(60) < 0.5
    >>> frame["score"] = rng.normal(size=60) + 2 * frame["member"]
    >>> wb.read_score_table(frame)
    ScoreTable(20 models, 3 records, larger is member-like, design='independent coins', \
sampling='unknown')
    """
    if transposed is not None:
        _checks.one_of(transposed, "transposed", TRANSPOSED)
    report = silent if progress is None else progress
    place = TablePlace(path, _checks.flag(trusted, "trusted"))
    chosen = _layout(place, layout)
    label = None if member_value is None else text_of(member_value)
    stated = Stated(
        *(scores, member, model, record, transposed, label, labels), augmentations is not None
    )
    found = chosen.read(place, stated, report).without_empty_records()
    notes = (
        f"layout: {chosen.name}, {found.how}",
        *found.notes,
        *remarks(found),
        *place.changes.values(),
    )
    for note in notes:
        log.info("%s: %s", place.label, note)
    statement = statement_in(place.path)
    title = (statement.name or place.name) if name is None else name
    if statement.larger_is_member is not None:
        found = replace(found, larger_is_member=statement.larger_is_member)
    sampling = statement.sampling_or(sampling)
    return _table(found, title, notes, larger_is_member, augmentations, sampling)


def _layout(place: TablePlace, stated: str | None) -> TableLayout:
    """The stated layout, or the first that recognizes the place.

    Raises
    ------
    ScoresError
        None does; where one could not read the files, what it said.
    """
    if stated is not None:
        return LAYOUTS[_checks.one_of(stated, "layout", list(LAYOUTS))]
    refused = None
    for name, one in LAYOUTS.items():
        try:
            if recognizes(name, place):
                return one
        except ScoresError as error:
            refused = refused or error
    if refused is not None:
        raise refused
    known = "".join(f"\n- {one.about}" for one in LAYOUTS.values())
    raise ScoresError(
        f"{place.label} is not a score table of a known layout: {_holds(place)}. State "
        f"layout= and name columns or arrays with scores=, member=, model= and record=. The known "
        f"layouts are:{known}"
    )


def _holds(place: TablePlace) -> str:
    """What a place holds, and where a table may be instead."""
    if place.is_folder:
        if place.has("keep.npy"):
            return f"it is one experiment of LiRA; give the folder above it, '{place.path.parent}'"
        for inner in place.folders[:50]:
            inside = TablePlace(place.path / inner, place.trusted)
            for name in LAYOUTS:
                if recognizes(name, inside):
                    return f"but its folder '{inner}' is one ({name}); give '{inside.path}'"
        return f"it holds {few(place.entries) or 'nothing'}"
    if place.is_table:
        return f"it has the columns {', '.join(map(repr, list(place.table().columns)[:12]))}"
    if place.is_archive:
        arrays = place.archive.items()
        return "it has " + (", ".join(f"{k!r} {a.shape}" for k, a in arrays) or "no array")
    if place.path.suffix.lower() == ".npy":
        return "one array has no memberships; save both, np.savez('table.npz', scores=s, member=m)"
    return f"files '{place.path.suffix}' hold no tables"


def _table(
    found: FoundTable,
    name: str,
    notes: tuple[str, ...],
    larger_is_member: bool | None,
    augmentations: str | None,
    sampling: str,
) -> ScoreTable | SignalTable:
    if found.kind != "scores":
        if larger_is_member is not None or augmentations is not None:
            raise ScoresError(
                f"the files hold signals ({found.kind}), not scores: larger_is_member= and "
                "augmentations= belong to the attack that is computed from them"
            )
        return SignalTable(
            found.values,
            found.member,
            kind=found.kind,
            records=found.records,
            models=found.models,
            attributes=found.attributes,
            population=found.population,
            present=found.present,
            sampling=sampling,
            name=name,
            notes=notes,
        )
    larger = found.larger_is_member if larger_is_member is None else larger_is_member
    return ScoreTable(
        found.values,
        found.member,
        records=found.records,
        models=found.models,
        augmentations=augmentations or CLUSTER_RULES[0],
        attributes=found.attributes,
        present=found.present,
        larger_is_member=larger,
        sampling=sampling,
        name=name,
        notes=notes,
    )
