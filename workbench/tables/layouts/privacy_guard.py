"""Frames of PrivacyGuard: for each record the signals of the target and of reference models."""

from __future__ import annotations

import numpy as np

from workbench.progress import Report
from workbench.scores.layouts.senses import name_words
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable
from workbench.tables.layouts import words
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.columns import memberships
from workbench.tables.layouts.place import TablePlace
from workbench.tables.layouts.wide_form import check_same, numbered

_SCORE, _MEMBER, _TARGET = "score_ref", "member_ref", "score_orig"
_MEANS = ("score_mean", "score_mean_in", "score_mean_out")
_TABLES = (".csv", ".tsv", ".parquet", ".feather", ".json")


class PrivacyGuardFrames:
    """score_orig, score_ref_0, member_ref_0, …: one frame, or train and test in a folder."""

    name = "privacy-guard"
    about = (
        "PrivacyGuard: frames with score_ref_0, member_ref_0, … and score_orig; one file, or a "
        "folder with df_train*, df_test* and df_population*"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a frame, or the train and test frames of a folder, have such columns."""
        if place.is_folder:
            files = _files(place)
            return "train" in files and "test" in files and _is_frame(place.table(files["train"]))
        return place.is_table and _is_frame(place.table())

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """Signals of the reference models, and of the target where its members are known."""
        if place.is_folder:
            files = _files(place)
            if not {"train", "test"} <= set(files):
                raise ScoresError(f"{place.label} has no frames df_train and df_test")
            report(0.0, "reading the frames")
            tables = {group: place.table(file) for group, file in files.items()}
        else:
            tables = {"": place.table()}
        frames = [tables[group] for group in ("train", "test", "") if group in tables]
        for table in frames:
            _check_frame(table)
        stems = [numbered(table.columns) for table in frames]
        models = check_same(stems[0][_SCORE], stems[0][_MEMBER], frames[0])
        for table, found in zip(frames, stems, strict=True):
            if sorted(found.get(_SCORE, {})) != sorted(models) or set(found[_MEMBER]) != set(
                models
            ):
                raise ScoresError(f"{table.label} and {frames[0].label} have different models")
        report(0.6, "placing the signals")
        values = np.stack([_joined(frames, [s[_SCORE][m] for s in stems]) for m in models])
        member = np.stack(
            [
                np.concatenate(
                    [
                        memberships(t, s[_MEMBER][m], named="member")
                        for t, s in zip(frames, stems, strict=True)
                    ]
                )
                for m in models
            ]
        )
        names = [f"reference {m}" for m in models]
        inside = _target_members(frames, tables, stated)
        notes = []
        with_target = False
        if inside is not None and all(_TARGET in t.columns for t in frames):
            with_target = True
            values = np.vstack([_joined(frames, [_TARGET] * len(frames)), values])
            member = np.vstack([inside, member])
            names.insert(0, "target")
        else:
            notes.append(
                f"not used: {_TARGET}, the target model, for nothing says which records it was "
                "trained on; give a folder with df_train and df_test"
            )
        population = None
        if "population" in tables:
            table = tables["population"]
            columns = [_TARGET] * with_target + [f"{_SCORE}_{m}" for m in models]
            if all(name in table.columns for name in columns):
                population = np.stack([table.numbers(name) for name in columns])
            else:
                notes.append(f"not used: {table.label}, which does not have all models")
        report(1.0)
        where = "train, then test" if place.is_folder else "its rows"
        attributes = {}
        if all("user_id" in table.columns for table in frames):
            attributes["user_id"] = np.concatenate([t.column("user_id") for t in frames])
        return FoundTable(
            values,
            member,
            f"records = {where}; models = {'the target and ' * with_target}{len(models)} reference "
            f"models; probabilities from {_SCORE}_*, memberships from {_MEMBER}_*",
            kind="probability",
            models=np.array(names),
            attributes=attributes,
            population=population,
            notes=tuple(notes),
        )


def _files(place: TablePlace) -> dict[str, str]:
    """Files of frames by the group that their name states, where one does."""
    found: dict[str, str] = {}
    for name in place.entries:
        groups = {"train", "test", "population"} & set(name_words(name))
        if len(groups) == 1 and name.lower().endswith(_TABLES):
            group = groups.pop()
            if group in found:
                return {}
            found[group] = name
    return found


def _is_frame(table: DataTable) -> bool:
    stems = numbered(table.columns)
    has_references = _SCORE in stems and _MEMBER in stems
    return has_references or (_TARGET in table.columns and _has_means(table))


def _has_means(table: DataTable) -> bool:
    return any(name in table.columns for name in _MEANS)


def _check_frame(table: DataTable) -> None:
    """Refuse a frame without signals of each reference model."""
    stems = numbered(table.columns)
    if _SCORE in stems and _MEMBER in stems:
        return
    raise ScoresError(
        f"{table.label} has no columns {_SCORE}_0, {_MEMBER}_0, …: with means and deviations of "
        "the reference models it holds scores of one target model. wb.read_scores reads those: the "
        "train frame, the test frame, and the column 'score_orig', or 'score' once the attack ran"
    )


def _joined(frames: list[DataTable], names: list[str]) -> np.ndarray:
    return np.concatenate([t.numbers(name) for t, name in zip(frames, names, strict=True)])


def _target_members(
    frames: list[DataTable], tables: dict[str, DataTable], stated: Stated
) -> np.ndarray | None:
    """Which records the target was trained on: those of the train frame, or of a column."""
    if "train" in tables:
        sizes = [next(iter(table.columns.values())).size for table in frames]
        return np.repeat([True, False], sizes)
    others = [c for c in frames[0].columns if not c.startswith(_MEMBER)]
    name = words.chosen(stated.member, others, words.is_member, "member", frames[0].label)
    return None if name is None else memberships(frames[0], name, stated.member_value)
