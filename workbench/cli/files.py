"""Score files on the command line: the options of `audit` and `serve`, and how files are read."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from workbench.cli.progress import progress
from workbench.scores.sample import CLUSTER_RULES, NON_FINITE, ScoresError
from workbench.scores.statement import (
    NOTHING,
    SAMPLINGS_WITHOUT_CLUSTERS,
    ScoreStatement,
    statement_in,
)

if TYPE_CHECKING:
    from workbench.scores.layouts.layout import Layout
    from workbench.scores.opening import Opened

#: The file name that stands for the standard input.
STDIN = Path("-")

#: Options that name columns and labels, by their destinations.
COLUMNS = ("p", "q", "score", "member", "member_value", "cluster", "rows")

#: Options that say how a score table is read, by their destinations.
TABLE_PARTS = (
    *("layout", "scores", "member", "member_value", "labels", "model", "record", "transposed"),
)

#: What arguments of `wb.read_scores` and `wb.Scores` are called here, where it is another name.
_OPTIONS = {"path_q": "a second FILE", "path_labels": "--labels", "clusters": "--cluster"}

#: Further arguments that are options of the same name.
_SAME = ("sampling", "nonfinite", "cluster_rule", "augmentations")

#: Mention of an argument, as in "with member=" or "sampling='one run'", but not code: "q=a[:, 1]".
_ARGUMENT = re.compile(rf"\b({'|'.join([*COLUMNS, *TABLE_PARTS, *_OPTIONS, *_SAME])})=(?!\w)")


def add_layout_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options that say where in a file the scores are, and what they mean."""
    direction = command.add_mutually_exclusive_group()
    direction.add_argument(
        "--smaller-is-member",
        dest="larger_is_member",
        action="store_false",
        default=None,
        help="smaller scores speak for membership, as losses do",
    )
    direction.add_argument(
        "--larger-is-member",
        dest="larger_is_member",
        action="store_true",
        default=None,
        help="larger scores speak for membership (assumed if neither is given)",
    )
    layout = command.add_argument_group("how the file is read (by default, this is detected)")
    layout.add_argument("--p", help="column of the members' scores")
    layout.add_argument("--q", help="column of the non-members' scores")
    layout.add_argument("--score", help="column of all scores")
    layout.add_argument("--member", help="column that labels members")
    layout.add_argument("--member-value", help="the label of members")
    layout.add_argument(
        "--labels", metavar="FILE", type=Path, help="a file of the labels, in the order of FILE"
    )
    layout.add_argument("--cluster", help="column of subjects or runs; each becomes one score")
    layout.add_argument(
        "--rows", metavar="COLUMN=VALUE", help="the rows that are used, where records repeat"
    )
    layout.add_argument("--cluster-rule", default="mean", choices=CLUSTER_RULES)
    layout.add_argument("--sampling", default="unknown", choices=SAMPLINGS_WITHOUT_CLUSTERS)
    layout.add_argument(
        "--augmentations",
        choices=CLUSTER_RULES,
        help="combines the augmentations on the last axis of a score table",
    )
    layout.add_argument("--nonfinite", default="keep", choices=NON_FINITE)
    layout.add_argument(
        "--trusted",
        action="store_true",
        help="read large files of your own, without limits of size, memory and time",
    )


def read_scores(arguments: argparse.Namespace) -> wb.Scores:
    """The scores of one file, or of one file per group."""
    _check_files(arguments)
    with in_option_names(), progress() as report:
        return wb.read_scores(
            _content(arguments.files[0]),
            path_q=_second(arguments),
            path_labels=arguments.labels,
            name="standard input" if arguments.files[0] == STDIN else None,
            trusted=arguments.trusted,
            progress=report,
            **_columns(arguments),
            **reading(arguments),
        )


def read_tables(arguments: argparse.Namespace) -> tuple[Opened, Layout]:
    """The tables of one file, or of one file per group, and where in them the scores are."""
    from workbench.scores.layouts.guess import check_order, guess_layout
    from workbench.scores.opening import open_sources

    _check_files(arguments)
    columns = _columns(arguments)
    with in_option_names():
        opened = open_sources(
            _content(arguments.files[0]),
            _second(arguments),
            arguments.labels,
            member=columns["member"],
            trusted=arguments.trusted,
        )
        opened = replace(opened, files=tuple(name or STDIN.name for name in opened.files))
        columns["member"] = opened.member or columns["member"]
        check_order(opened.tables, columns["p"], columns["q"])
        return opened, guess_layout(*opened.tables, **columns)


def given_table(arguments: argparse.Namespace) -> wb.ScoreTable | None:
    """The score table that the one given folder or file is; None where it holds scores alone.

    Signals, such as logits, are taken as scores.
    """
    from workbench.scores.layouts.folders import run_file
    from workbench.scores.opening import is_of_tool
    from workbench.tables.recognition import is_score_table

    path, *more = arguments.files
    named = any(_columns(arguments).values()) or arguments.labels is not None
    if more or named or path == STDIN or not path.exists():
        return None
    path = run_file(path)
    if (path.is_dir() and is_of_tool(path)) or not is_score_table(path):
        return None
    with in_option_names():
        found = wb.read_score_table(
            path,
            larger_is_member=arguments.larger_is_member,
            augmentations=arguments.augmentations,
            sampling=arguments.sampling,
            trusted=arguments.trusted,
        )
    return found if isinstance(found, wb.ScoreTable) else found.as_scores()


@dataclass(frozen=True)
class GivenFiles:
    """Score files on the command line, which can be added to workspaces.

    Parameters
    ----------
    add : callable
        (workspace, name) -> `DataSet`; the name may be "".
    notes : tuple of str
        How they were read.
    """

    add: Callable[[wb.Workspace, str], wb.DataSet]
    notes: tuple[str, ...]

    @classmethod
    def of_any_kind(cls, arguments: argparse.Namespace) -> GivenFiles:
        """The score table that the options name, or the scores."""
        table = given_table(arguments)
        if table is None:
            return cls.of(arguments)
        names = [path.name for path in arguments.files]
        said = tuple(f"{table.name}: {note}" for note in table.notes)
        return cls(lambda workspace, name: workspace.add_table(table, name, names), said)

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> GivenFiles:
        """The scores that the options name: counted if they are many, otherwise their tables."""
        from workbench.scores.counting.large import is_large
        from workbench.workspaces.reading import Reading

        if arguments.labels is None and is_large(*arguments.files):
            scores = read_scores(arguments)
            said = tuple(f"{scores.name}: {note}" for note in scores.notes)
            return cls(lambda workspace, name: workspace.add_scores(scores, name), said)
        opened, layout = read_tables(arguments)
        how = Reading(layout, **reading(arguments))
        stated = statement(arguments)

        def add(workspace: wb.Workspace, name: str) -> wb.DataSet:
            with in_option_names():
                return workspace.add(opened.tables, how, name or stated.name, opened.files)

        label = opened.tables[0].label
        notes = [f"{table.label}: {note}" for table in opened.tables for note in table.notes]
        notes += [f"{label}: {stated.describe()}"] if stated.describe() else []
        return cls(add, (f"{label}: {layout.describe()}", *notes))


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the scores mean, as arguments of `wb.read_scores` and parameters of pages."""
    stated = statement(arguments)
    return {
        "larger_is_member": stated.direction(arguments.larger_is_member),
        "cluster_rule": arguments.cluster_rule,
        "sampling": stated.sampling_or(arguments.sampling),
        "nonfinite": arguments.nonfinite,
    }


def statement(arguments: argparse.Namespace) -> ScoreStatement:
    """What the one given file, or the training run in the one given folder, states of itself."""
    from workbench.scores.layouts.folders import run_file

    return statement_in(run_file(*arguments.files)) if len(arguments.files) == 1 else NOTHING


@contextmanager
def in_option_names() -> Iterator[None]:
    """Context in which refusals name options of the command line, not arguments of Python."""
    try:
        yield
    except ScoresError as error:
        raise ScoresError(_ARGUMENT.sub(_option, str(error))) from None


def _option(match: re.Match[str]) -> str:
    name = match[1]
    option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    return f"{option} " if match.string[match.end() :].startswith("'") else option


def _columns(arguments: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in COLUMNS}


def _content(path: Path) -> Any:
    """The path of a file, or the content of the standard input."""
    return sys.stdin.buffer.read() if path == STDIN else path


def _second(arguments: argparse.Namespace) -> Any:
    """The file of Q; None where there is one file."""
    return _content(arguments.files[1]) if len(arguments.files) == 2 else None


def _check_files(arguments: argparse.Namespace) -> None:
    files, p = arguments.files, arguments.p
    if files.count(STDIN) > 1:
        raise ValueError("the standard input (-) holds one file; give the other group's by name")
    if len(files) == 2 and arguments.labels is not None:
        raise ValueError("--labels goes with one FILE, which has the scores of both groups")
    if len(files) > 2:
        raise ValueError(
            f"{len(files)} files were given; give one, or one per group, members first"
        )
    if len(files) == 1 and p is not None and p == arguments.q:
        raise ValueError(f"--p and --q name the same column {p!r}: both groups would be the same")
