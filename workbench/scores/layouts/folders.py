"""The score files in a folder that a public tool wrote: `files_of` names them, nothing is read."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.scores.layouts.guess import FILLER, PAIRS
from workbench.scores.layouts.labels import words_of
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError

#: Entries of a folder that are looked at.
MOST_ENTRIES = 10_000

#: The plan and the provenance of a training run, and its scores once it is finished.
RUN_PLAN, RUN_ABOUT, RUN_SCORES = "plan.toml", "run.json", "scores.parquet"

#: Where tools put the files of one attack each, below the folder that they are given.
_BELOW = ("", "data_objects", "report/exp", "exp", "report")

#: Files of one attack or model each, of which one has to be chosen.
_SINGLE = (r"attack_result_\d+\.npz", r"mia_\w+_\d+\.csv", r"report\.json")

#: Files that only the folder of a table of models × records has.
_OF_TABLES = re.compile(r"memberships\.npy|keep\.npy|experiment-.*|\w+_signals\.npy")

_SHARD = re.compile(r"data-\d{5}-of-(\d{5})\.arrow")

#: Endings of files with scores of one group.
_DATA = (".npy", ".csv", ".parquet", ".feather", ".tsv", ".txt")


@dataclass(frozen=True)
class FolderFiles:
    """The files of a folder that hold the scores.

    Attributes
    ----------
    path : Path
        The scores, or those of P. A folder of arrow files counts as a file.
    path_q, path_labels : Path, optional
        The scores of Q; the labels.
    """

    path: Path
    path_q: Path | None = None
    path_labels: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All of them."""
        others = (self.path_q, self.path_labels)
        return (self.path, *(path for path in others if path is not None))


def files_of(folder: Path) -> FolderFiles:
    """The files of a folder that hold scores, by their names.

    Raises
    ------
    ScoresError
        There are none, several that have to be chosen from, or a table of models × records.
    """
    found = find_files(folder)
    if found is None:
        raise ScoresError(
            f"'{folder}' cannot be read: it is a folder in which no scores are recognized by their "
            f"names: {listed(sorted(_names(folder)))}; give a file"
        )
    return found


def find_files(folder: Path) -> FolderFiles | None:
    """As `files_of`, but None where the folder is of no tool."""
    names = _names(folder)
    if names >= {RUN_PLAN, RUN_ABOUT}:
        return FolderFiles(_run_scores(folder))
    if arrow_files(folder):
        return FolderFiles(folder)
    if {"scores", "challenge_bits"} <= names:
        scores, bits = folder / "scores", folder / "challenge_bits"
        if arrow_files(scores) and arrow_files(bits):
            return FolderFiles(scores, path_labels=bits)
    if {"mia_scores.npy", "mia_labels.npy"} <= names:
        return FolderFiles(folder / "mia_scores.npy", path_labels=folder / "mia_labels.npy")
    if any(map(_OF_TABLES.fullmatch, names)):
        raise ScoresError(
            f"'{folder}' cannot be read: it is a folder with the scores of many models; read them "
            "with wb.read_score_table"
        )
    return _pair(folder, names) or _single(folder)


def run_file(source: Any) -> Any:
    """The file of the scores of a finished training run, where a source is the folder of one.

    Parameters
    ----------
    source : object
        Anything but the folder of a training run is returned as it is.

    Raises
    ------
    ScoresError
        The run is not finished.
    """
    if not isinstance(source, str | os.PathLike) or "\n" in os.fsdecode(source):
        return source
    folder = Path(source)
    is_run = os.path.isdir(folder) and _names(folder) >= {RUN_PLAN, RUN_ABOUT}
    return _run_scores(folder) if is_run else source


def _run_scores(folder: Path) -> Path:
    path = folder / RUN_SCORES
    if not path.is_file():
        raise ScoresError(
            f"the training run in '{folder}' is not finished; continue it with 'workbench train "
            f"{folder}', or take what is there with wb.training.open_run"
        )
    return path


def arrow_files(folder: Path) -> list[Path]:
    """The arrow files of a data set that Hugging Face's ``datasets`` saved, in their order.

    Raises
    ------
    ScoresError
        Some of them are missing.
    """
    found = sorted(name for name in _names(folder) if _SHARD.fullmatch(name))
    if not found:
        return []
    known = _SHARD.fullmatch(found[0])
    stated = int(known[1]) if known else 0
    if len(found) != stated:
        raise ScoresError(
            f"'{folder}' has {len(found)} of the {stated} arrow files that their names state; "
            "nothing was used. Copy the missing ones"
        )
    return [folder / name for name in found]


def sidecars(report: Path) -> dict[str, Path]:
    """The files beside SACRO-ML's report that hold the scores of its runs.

    Parameters
    ----------
    report : Path
        The path of ``report.json``.

    Returns
    -------
    dict of str to Path
        "instance_0" -> the file; the attack comes first where there are several.
    """
    pattern = re.compile(r"(\w+)_individual_([0-9a-f]{8})_(instance_\d+)\.npz")
    found = sorted(filter(None, map(pattern.fullmatch, _names(report.parent))), key=lambda m: m[0])
    several = len({(m[1], m[2]) for m in found}) > 1
    return {f"{m[1]}_{m[2]}.{m[3]}" if several else m[3]: report.parent / m[0] for m in found}


def _names(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in islice(folder.iterdir(), MOST_ENTRIES)}
    except (OSError, ValueError):
        return set()


def _pair(folder: Path, names: Iterable[str]) -> FolderFiles | None:
    """Two files whose names differ in what they call the group, as ``in_x.csv`` and ``out_x.csv``.

    Where there are several such pairs, the one without further words is taken.
    """
    sides: dict[tuple[frozenset[str], str], dict[str, str]] = defaultdict(dict)
    for name in names:
        stem, suffix = Path(name).stem, Path(name).suffix
        if suffix not in _DATA:
            continue
        words = words_of(stem.replace("_", " "))
        for p, q in PAIRS:
            for side in {p, q} & words:
                rest = words - {side} - FILLER
                sides[rest, suffix][side] = name
    pairs = {
        key: (found[p], found[q])
        for key, found in sides.items()
        for p, q in PAIRS
        if p in found and q in found
    }
    plain = [pair for (rest, _), pair in pairs.items() if not rest]
    chosen = plain or list(pairs.values())
    if len(chosen) > 1:
        raise ScoresError(
            f"'{folder}' has {len(chosen)} pairs of score files: "
            f"{listed(' + '.join(pair) for pair in sorted(chosen))}; give the two files of one, "
            "that of the members first and the other with path_q=. Choose it before you look at "
            "what each would give"
        )
    return FolderFiles(folder / chosen[0][0], folder / chosen[0][1]) if chosen else None


def _single(folder: Path) -> FolderFiles | None:
    """The one file of an attack, here or where its tool puts it."""
    for below in _BELOW:
        names = sorted(_names(folder / below))
        objects = (folder / below).name == "data_objects"
        for pattern in (*_SINGLE, *([r".*\.json"] if objects else [])):
            found = [name for name in names if re.fullmatch(pattern, name)]
            if len(found) > 1:
                raise ScoresError(
                    f"'{folder / below}' has {len(found)} files, one per attack or model: "
                    f"{listed(found)}; give one of them. Choose it before you look at what each "
                    "would give"
                )
            if found:
                return FolderFiles(folder / below / found[0])
    averaged = [folder / below / "attack_result_average.npz" for below in _BELOW]
    return next((FolderFiles(path) for path in averaged if path.is_file()), None)
