"""`workbench examples`, `mechanisms` and `plugins`: lists of what is bundled and installed."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import workbench as wb
from workbench.cli.output import say


def add(commands: Any) -> None:
    """Add the commands `examples`, `mechanisms` and `plugins`."""
    command = commands.add_parser("examples", help="list the bundled examples")
    command.set_defaults(run=list_examples)
    command = commands.add_parser(
        "mechanisms", help="list the mechanisms of the gallery, private and broken"
    )
    command.set_defaults(run=list_mechanisms)
    command = commands.add_parser("plugins", help="list the plug-ins, and those that are left out")
    command.set_defaults(run=list_plugins)


def list_examples(arguments: argparse.Namespace) -> int:
    """Print the bundled examples."""
    table = wb.examples()
    width = max(map(len, table["name"]))
    for row in table.itertuples():
        say(f"{row.name:<{width}}  {row.n_p:>7,} + {row.n_q:>7,}  {row.title}")
        say(f"{'':<{width}}  {row.truth}")
    return 0


def list_mechanisms(arguments: argparse.Namespace) -> int:
    """Print the mechanisms of the gallery, private and broken."""
    from workbench.mechanisms.gallery import GALLERY

    names = max(map(len, GALLERY))
    claims = max(len(str(card.claim)) for card in GALLERY.values())
    for name, card in GALLERY.items():
        kind = "private" if card.private else "broken"
        say(f"{name:<{names}}  {card.claim!s:<{claims}}  {kind:<7}  {card.title}")
        say(f"{'':<{names}}  {card.about}")
    return 0


def list_plugins(arguments: argparse.Namespace) -> int:
    """Print the entry points of other packages; the exit status is 1 if one is left out."""
    from workbench.software.plugins import LOADED, PluginWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)  # the list says it
        table = wb.software.plugins()
    if table.empty:
        say("No package adds anything to the workbench.")
    for row in table.itertuples():
        say(f"{row.group}: {row.name}, of {row.distribution} {row.version} ({row.where})")
        say(f"  {row.status}")
    return int((table["status"] != LOADED).any())
