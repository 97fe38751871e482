"""`workbench examples` and `workbench mechanisms`: what there is to try."""

from __future__ import annotations

import argparse
from typing import Any

import workbench as wb
from workbench.cli.output import say


def add(commands: Any) -> None:
    """The commands."""
    command = commands.add_parser("examples", help="list the bundled examples")
    command.set_defaults(run=list_examples)


def list_examples(arguments: argparse.Namespace) -> int:
    """Print the bundled examples."""
    table = wb.examples()
    width = max(map(len, table["name"]))
    for row in table.itertuples():
        say(f"{row.name:<{width}}  {row.n_p:>7,} + {row.n_q:>7,}  {row.title}")
        say(f"{'':<{width}}  {row.truth}")
    return 0
