"""Score files on the command line: the options of `audit` and `serve`, and how files are read."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.layouts.layout import Layout
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import ScoresError
from workbench.scores.table import DataTable

#: The file name that stands for the standard input.
STDIN = Path("-")

#: Options that name columns and labels, by their destinations.
COLUMNS = ("p", "q", "score", "member", "member_value", "cluster")

#: What arguments of `wb.read_scores` and `wb.Scores` are called here, where it is another name.
_OPTIONS = {"path_q": "a second FILE", "clusters": "--cluster"}

#: Mention of an argument, as in "with member=" or "sampling='one run'", but not code: "q=a[:, 1]".
_ARGUMENT = re.compile(
    rf"\b({'|'.join([*COLUMNS, *_OPTIONS, 'sampling', 'nonfinite', 'cluster_rule'])})=(?!\w)"
)


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
        help="larger scores speak for membership (so they are read if neither is given)",
    )
    layout = command.add_argument_group("how the file is read (found by itself otherwise)")
    layout.add_argument("--p", help="column of the members' scores")
    layout.add_argument("--q", help="column of the non-members' scores")
    layout.add_argument("--score", help="column of all scores")
    layout.add_argument("--member", help="column that labels members")
    layout.add_argument("--member-value", help="the label of members")
    layout.add_argument("--cluster", help="column of subjects or runs; each becomes one score")
    layout.add_argument("--cluster-rule", default="mean", choices=("mean", "max", "first"))
    layout.add_argument(
        "--sampling", default="unknown", choices=("unknown", "independent runs", "one run")
    )
    layout.add_argument("--nonfinite", default="keep", choices=("keep", "drop"))
    layout.add_argument(
        "--trusted",
        action="store_true",
        help="read large files of your own, without limits of size, memory and time",
    )


def read_scores(arguments: argparse.Namespace) -> wb.Scores:
    """The scores of one file, or of one file per group."""
    _check_files(arguments)
    with in_option_names():
        return wb.read_scores(
            _content(arguments.files[0]),
            path_q=_content(arguments.files[1]) if len(arguments.files) == 2 else None,
            name="standard input" if arguments.files[0] == STDIN else None,
            trusted=arguments.trusted,
            **_columns(arguments),
            **reading(arguments),
        )


def read_tables(arguments: argparse.Namespace) -> tuple[list[DataTable], Layout]:
    """The tables of one file, or of one file per group, and where in them the scores are."""
    _check_files(arguments)
    with in_option_names():
        tables = [read_table(_content(path), trusted=arguments.trusted) for path in arguments.files]
        return tables, guess_layout(*tables, **_columns(arguments))


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the scores mean, as arguments of `wb.read_scores` and parameters of pages."""
    return {
        "larger_is_member": arguments.larger_is_member is not False,
        "cluster_rule": arguments.cluster_rule,
        "sampling": arguments.sampling,
        "nonfinite": arguments.nonfinite,
    }


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


def _check_files(arguments: argparse.Namespace) -> None:
    files, p = arguments.files, arguments.p
    if files.count(STDIN) > 1:
        raise ValueError("the standard input (-) holds one file; give the other group's by name")
    if len(files) > 2:
        raise ValueError(
            f"{len(files)} files were given; give one, or one per group, members first"
        )
    if len(files) == 1 and p is not None and p == arguments.q:
        raise ValueError(f"--p and --q name the same column {p!r}: both groups would be the same")
