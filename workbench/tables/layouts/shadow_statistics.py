"""Shadow model statistics of Microsoft's privacy-estimates, as a Hugging Face data set."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.scores.class_outputs import log_odds
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable
from workbench.tables.layouts.base import FoundTable, Stated
from workbench.tables.layouts.columns import check_filled
from workbench.tables.layouts.place import TablePlace

_SHARD = re.compile(r"data-(\d+)-of-(\d+)\.arrow")

#: Columns of one list a record, before "_in" and "_out", and what they hold. The first is taken.
_LISTS = {
    "logits": "log-odds",
    "logits_list": "log-odds",
    "loss_list": "loss",
    "mi_signal_list": "probability",
}

_KIND = ".arrow of lists"


class ShadowStatistics:
    """For each record the signals of the models with it, and of those without it."""

    name = "shadow-statistics"
    about = (
        "privacy-estimates (Microsoft): a Hugging Face data set (data-*.arrow) with sample_index, "
        "and lists such as logits_in and logits_out"
    )

    def recognizes(self, place: TablePlace) -> bool:
        """Whether a folder has shards whose columns are those of shadow statistics."""
        if not place.is_folder:
            return False
        features = place.settings("dataset_info.json").get("features")
        shards = _shards(place)
        if not shards:
            return False
        names = features if isinstance(features, dict) else place.table(shards[0], _KIND).columns
        return "sample_index" in names and any(str(name).endswith("_in") for name in names)

    def read(self, place: TablePlace, stated: Stated, report: Report) -> FoundTable:
        """Signals, with NaN where a model does not have the record's signal."""
        shards = _shards(place)
        if not shards:
            raise ScoresError(f"{place.label} has no data-*.arrow")
        tables = []
        for i, shard in enumerate(shards):
            report(0.8 * i / len(shards), f"reading {shard}")
            tables.append(place.table(shard, _KIND))
        notes = _absent(shards)
        chosen, kind = _list_of(tables[0], stated, place)
        records = _record_names(tables)
        labels = _joined(tables, "label") if "label" in tables[0].columns else None
        sides = []
        for side in ("in", "out"):
            lengths = _joined(tables, f"{chosen}_{side}/1")
            signals = _joined(tables, f"{chosen}_{side}")
            if kind == "log-odds":
                signals = _log_odds(tables, chosen, side, lengths, labels, place)
            if signals.size != lengths.sum() or lengths.size != records.size:
                raise ScoresError(f"{place.label}: the lists of '{chosen}_{side}' do not fit "
                                  f"{records.size} records")  # fmt: skip
            sides.append((lengths, signals.astype(np.float64), _model_index(tables, side, lengths)))
        values, member, present, models, remark = _filled(sides, records.size)
        report(1.0)
        return FoundTable(
            values,
            member,
            f"{values.shape[0]} models; signals of models with a record from '{chosen}_in', of "
            f"those without it from '{chosen}_out'",
            kind=kind,
            records=records,
            models=models,
            attributes={} if labels is None else {"label": labels},
            present=None if present.all() else present,
            larger_is_member=kind != "loss",
            notes=(*notes, *remark),
        )


def _shards(place: TablePlace) -> list[str]:
    return [name for name in place.entries if _SHARD.fullmatch(name)]


def _absent(shards: list[str]) -> list[str]:
    """The note on shards that their names say there should be."""
    numbers = [match for name in shards if (match := _SHARD.fullmatch(name))]
    total = max(int(match[2]) for match in numbers)
    if len(shards) >= total:
        return []
    return [
        f"{len(shards)} of {total} files of the data set are here: the records in the other "
        f"{total - len(shards)} are not used"
    ]


def _list_of(table: DataTable, stated: Stated, place: TablePlace) -> tuple[str, str]:
    """The column of lists that is taken, without its side, and its kind."""
    there = [name for name in _LISTS if _has_lists(table, name)]
    name = stated.scores or next(iter(there), None)
    if name in there:
        return name, _LISTS[name]
    if name is not None:
        raise ScoresError(f"{place.label} has no lists {name!r}, which scores= names; it has "
                          f"{listed(there)}")  # fmt: skip
    columns = [name for name in table.columns if "/" not in name]
    raise ScoresError(
        f"{place.label} has no signals of each model, only {listed(columns)}: from means and "
        "deviations no table can be made. Keep the columns logits_in, logits_out and label of the "
        "shadow models' predictions"
    )


def _has_lists(table: DataTable, name: str) -> bool:
    return all(f"{name}_{side}/1" in table.columns for side in ("in", "out"))


def _joined(tables: list[DataTable], name: str) -> NDArray[Any]:
    return np.concatenate([table.column(name) for table in tables])


def _record_names(tables: list[DataTable]) -> NDArray[Any]:
    """sample_index, after the name of the split where there are several splits."""
    index = _joined(tables, "sample_index")
    if "split" not in tables[0].columns:
        return index
    split = _joined(tables, "split").astype(str)
    if np.unique(split).size == 1:
        return index
    return np.array([f"{s}/{i}" for s, i in zip(split, index, strict=True)])


def _log_odds(
    tables: list[DataTable],
    name: str,
    side: str,
    lengths: NDArray[Any],
    labels: NDArray[Any] | None,
    place: TablePlace,
) -> NDArray[np.float64]:
    """Log-odds of the label from lists of logits, one after the other."""
    classes = _joined(tables, f"{name}_{side}/2")
    if labels is None or np.unique(classes).size > 1 or classes.size != lengths.sum():
        raise ScoresError(
            f"{place.label}: log-odds need a column label, and in '{name}_{side}' one logit for "
            "each class"
        )
    if not classes.size:
        return np.empty(0)
    logits = _joined(tables, f"{name}_{side}")
    return log_odds(logits.reshape(classes.size, int(classes[0])), np.repeat(labels, lengths))


def _model_index(tables: list[DataTable], side: str, lengths: NDArray[Any]) -> NDArray[Any] | None:
    """The model of each signal, where the data set has it for all."""
    name = f"model_index_{side}"
    if any(f"{name}/1" not in table.columns for table in tables):
        return None
    same = np.array_equal(_joined(tables, f"{name}/1"), lengths)
    return _joined(tables, name) if same else None


def _filled(
    sides: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]], records: int
) -> tuple[
    NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any] | None, list[str]
]:
    """Signals, memberships and which there are, names of the models, and a note."""
    (n_in, s_in, m_in), (n_out, s_out, m_out) = sides
    models: NDArray[Any] | None
    if m_in is not None and m_out is not None:
        models = np.unique(np.concatenate([m_in, m_out]))
        rows_in, rows_out = np.searchsorted(models, m_in), np.searchsorted(models, m_out)
        size, notes = models.size, []
    else:
        models = None
        rows_in, rows_out = _places(n_in), _places(n_out) + int(n_in.max(initial=0))
        size = int(n_in.max(initial=0) + n_out.max(initial=0))
        notes = [
            "the data set does not store which model a signal is of: row k is the k-th model of "
            "each record, and not the same model for all. Bounds for single records hold; pooled "
            "ones, and records chosen on a part of the models, need the models"
        ]
    check_filled(size, records, s_in.size + s_out.size, "the data set")
    values = np.full((size, records), np.nan)
    member, present = np.zeros((2, size, records), dtype=bool)
    for lengths, signals, rows, inside in (
        (n_in, s_in, rows_in, True),
        (n_out, s_out, rows_out, False),
    ):
        columns = np.repeat(np.arange(records), lengths)
        if present[rows, columns].any() or np.unique(rows * records + columns).size < rows.size:
            raise ScoresError("a model has two signals of one record; give each once")
        values[rows, columns] = signals
        member[rows, columns], present[rows, columns] = inside, True
    return values, member, present, models, notes


def _places(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """0, 1, … within each list."""
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.arange(int(lengths.sum())) - starts, dtype=np.int64)
