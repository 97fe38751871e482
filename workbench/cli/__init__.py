"""The command line: each command is a module, registered in `main`.

`audit` (see `score_audit`), `mechanism_test` (printed by `mechanism_formats`), `serve`,
`datasets` and `lists`; `parser` reads the arguments, `files` has the options of score files,
`output` and `progress` what commands print, `address` what is said where a server cannot listen.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial

import workbench as wb
from workbench.cli import audit, datasets, lists, mechanism_test, serve
from workbench.cli.parser import CommandParser, in_options

BAD_INPUT = 2

#: As shells have it: 128 and the number of SIGINT.
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 2 for bad input, or a verdict's.

    Verdicts and their exit statuses are listed by ``audit --help`` and ``test --help``.
    """
    arguments = _parser().parse_args(argv)
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("workbench").setLevel(logging.INFO)  # the server's own talk stays quiet
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"workbench: {in_options(str(error), vars(arguments))}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("workbench: interrupted\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="workbench",
        description="What the scores of a privacy audit prove, and with which guarantee.",
    )
    parser.add_argument("--version", action="version", version=wb.__version__)
    parser.set_defaults(run=partial(_help, parser))
    commands = parser.add_subparsers(metavar="COMMAND")
    for module in (serve, audit, mechanism_test, datasets, lists):
        module.add(commands)
    return parser


def _help(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Print the commands that there are, where none was given."""
    parser.print_help()
    return 0
