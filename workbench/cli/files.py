"""Score files on the command line, and how they are read."""

from __future__ import annotations

import argparse

import workbench as wb


def add_direction(command: argparse.ArgumentParser) -> None:
    """Which scores speak for membership."""
    command.add_argument(
        "--smaller-is-member",
        action="store_true",
        help="smaller scores speak for membership, as losses do",
    )


def add_layout(command: argparse.ArgumentParser) -> None:
    """Where in a file the scores are."""
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


def read(arguments: argparse.Namespace) -> wb.Scores:
    """The scores of one file, or of one a side."""
    if len(arguments.files) > 2:
        raise ValueError(
            f"{len(arguments.files)} files were given; give one, or one a side, members first"
        )
    layout = ("p", "q", "score", "member", "member_value", "cluster", "cluster_rule")
    given = {
        name: getattr(arguments, name)
        for name in (*layout, "sampling", "nonfinite", "trusted")
        if name in arguments
    }
    return wb.read_scores(
        arguments.files[0],
        path_q=arguments.files[1] if len(arguments.files) == 2 else None,
        larger_is_member=not arguments.smaller_is_member,
        **given,
    )
