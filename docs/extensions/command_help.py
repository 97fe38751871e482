"""The directive ``command-help``: what ``workbench COMMAND --help`` prints, for every command."""

from __future__ import annotations

import argparse
import os
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from workbench import cli


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}


class CommandHelp(Directive):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """The sections, in the order of ``workbench --help``."""
        os.environ["COLUMNS"] = "96"  # argparse wraps to the width of the terminal
        sections: list[nodes.Node] = []
        for name, command in _commands(cli._parser()).items():
            section = nodes.section("", nodes.title("", f"workbench {name}"), ids=[name])
            for one in (command, *_commands(command).values()):
                text = one.format_help()
                section += nodes.literal_block(text, text, language="text")
            sections.append(section)
        return sections


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands that a parser chooses from; none where it has no further commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {name: one.complete() for name, one in action.choices.items()}
    return {}
