"""Wide form: a row for each record, with a score and a membership for each model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from workbench.progress import Report
from workbench.scores.layouts.senses import name_words
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable
from workbench.tables.layouts import words
from workbench.tables.layouts.base import FoundTable, Stated, few
from workbench.tables.layouts.columns import memberships
from workbench.tables.layouts.place import TablePlace, by_numbers

_NUMBERED = re.compile(r"(.*?[^\W\d])[_\-. ]?(\d+)")


class WideForm:
    """Columns score_0, score_1, … and member_0, member_1, …"""

    name = "wide"
    about = (
        "wide form (csv, tsv, parquet, feather, json, DataFrame): a row for each record, with "
        "columns such as score_0, member_0, score_1, member_1, …"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a table has numbered columns of scores and of memberships."""
        if not place.is_table:
            return False
        stems = numbered(place.table().columns)
        return any(map(_is_scores, stems)) and any(map(_is_member, stems))

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """The table, turned to models × records."""
        report(0.0, "reading the rows")
        table = place.table()
        stems = numbered(table.columns)
        scores = _stem(stated.scores, stems, _is_scores, "scores", table)
        member = _stem(stated.member, stems, _is_member, "member", table)
        models = check_same(stems[scores], stems[member], table)
        report(0.5, "reading memberships")
        named = words.stem_of_member(member)
        inside = np.stack(
            [memberships(table, stems[member][m], stated.member_value, named=named) for m in models]
        )
        values = np.stack([table.numbers(stems[scores][m]) for m in models])
        used = {stem[m] for stem in (stems[scores], stems[member]) for m in models}
        record = words.chosen(
            stated.record,
            [name for name in table.columns if name not in used],
            words.is_record,
            "record",
            table.label,
        )
        notes = []
        others = [n for stem, found in stems.items() if stem not in (scores, member)
                  for n in found.values() if len(found) == len(models) > 1]  # fmt: skip
        if others:
            notes.append(f"not used: {few(others)}, one column for each model")
        is_loss = bool(set(name_words(scores)) & words.LOSSES)
        if is_loss:
            notes.append(words.losses_note(scores))
        report(1.0)
        left = {*used, record, *others}
        return FoundTable(
            values,
            inside,
            f"{values.shape[1]} rows; scores of {len(models)} models from '{scores}…', "
            f"memberships from '{member}…'",
            records=None if record is None else table.column(record),
            models=np.array(models),
            attributes={k: v for k, v in table.columns.items() if k not in left},
            larger_is_member=not is_loss,
            notes=tuple(notes),
        )


def numbered(columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """Columns by what stands before the number at their end, and by that number."""
    found: dict[str, dict[str, str]] = {}
    for name in columns:
        if match := _NUMBERED.fullmatch(name):
            found.setdefault(match[1], {})[match[2]] = name
    return found


def check_same(scores: dict[str, str], member: dict[str, str], table: DataTable) -> list[str]:
    """The models that have both a column of scores and one of memberships, if all have both.

    Parameters
    ----------
    scores, member : mapping of str to str
        Columns by their model.
    table : DataTable

    Raises
    ------
    ScoresError
        Models that have one of the two only.
    """
    if alone := sorted(set(scores) ^ set(member), key=by_numbers):
        columns = [(scores | member)[m] for m in alone]
        raise ScoresError(
            f"{table.label} has {listed(columns)} without the other of score and membership; give "
            "both for each model"
        )
    return sorted(scores, key=by_numbers)


def _is_scores(stem: str) -> bool:
    return bool(set(name_words(stem)) & words.SCORES) and not _is_member(stem)


def _is_member(stem: str) -> bool:
    return words.is_member(words.stem_of_member(stem))


def _stem(
    stated: str | None,
    stems: dict[str, dict[str, str]],
    belongs: Callable[[str], bool],
    what: str,
    table: DataTable,
) -> str:
    if stated is not None:
        if stated in stems:
            return stated
        raise ScoresError(
            f"{table.label} has no columns '{stated}_0', '{stated}_1', …, which {what}={stated!r} "
            f"names; numbered columns begin with {listed(stems)}"
        )
    found = [stem for stem in stems if belongs(stem)]
    if len(found) != 1:
        raise ScoresError(
            f"it is open which columns of {table.label} hold the {what} of the models: "
            f"{listed(found or stems)}; state what stands before their numbers with {what}="
        )
    return found[0]
