"""`workbench examples`, `mechanisms` and `plugins`: lists of what is bundled and installed."""

from __future__ import annotations

import argparse
import warnings

import workbench as wb
from workbench.cli.output import say
from workbench.cli.parser import CommandParser


def add_examples(command: CommandParser) -> None:
    """Say what the command `examples` runs."""
    command.set_defaults(run=list_examples)


def add_mechanisms(command: CommandParser) -> None:
    """Say what the command `mechanisms` runs."""
    command.set_defaults(run=list_mechanisms)


def add_plugins(command: CommandParser) -> None:
    """Say what the command `plugins` runs."""
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
    from workbench.mechanisms.gallery import GALLERY, groups

    names = max(map(len, GALLERY))
    claims = max(len(str(card.claim)) for card in GALLERY.values())
    for i, (heading, cards) in enumerate(groups().items()):
        say(f"\n{heading}:" if i else f"{heading}:")
        for card in cards:
            kind = "private" if card.private else "broken"
            say(f"  {card.name:<{names}}  {card.claim!s:<{claims}}  {kind:<7}  {card.title}")
            say(f"  {'':<{names}}  {card.about}")
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
