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
        parser = cli._parser()
        commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        sections: list[nodes.Node] = []
        for name, command in commands.choices.items():
            section = nodes.section("", nodes.title("", f"workbench {name}"), ids=[name])
            text = command.format_help()
            section += nodes.literal_block(text, text, language="text")
            sections.append(section)
        return sections
