"""`workbench explorables`: one idea each, as HTML files that need no network."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from workbench.cli.output import say
from workbench.cli.parser import CommandParser


def add(command: CommandParser) -> None:
    """Add the options of the command `explorables`."""
    from workbench.explorables.registry import EXPLORABLES

    rows = "; ".join(f"{name}: {entry.title}" for name, entry in EXPLORABLES.items())
    command.description = (
        "Write explorables: one idea each, with sliders, charts and three questions that check "
        "their answers, in one HTML file that needs no network. "
        f"There are {rows}."
    )
    command.set_defaults(run=explorables)
    command.add_argument(
        "names", metavar="NAME", nargs="*", help="which ones, such as threshold; default: all"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        default=Path("explorables"),
        help="the folder to write them to; default: ./explorables",
    )


def explorables(arguments: argparse.Namespace) -> int:
    """Write the explorables."""
    from workbench.explorables.write import write_explorables

    for path in write_explorables(arguments.output, arguments.names):
        say(f"{path}: {math.ceil(path.stat().st_size / 1000):,} kB")
    return 0
