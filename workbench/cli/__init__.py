"""The command line: each command is a module, listed in `COMMANDS`, and imported when it is used.

`serve`, `audit` (printed by `score_audit`), `records`, `synthetic`, `training`, `report`, `plan`,
`mechanism_test` (printed by `mechanism_audit`), `datasets`, `audits`, `users`, `lists` and
`notebooks` are commands; `parser` reads the arguments, `files` has the options of score files,
`serving` those of `serve` and the commands of backups, `output` and `progress` what commands print.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial

import workbench as wb
from workbench.cli.output import ShownNames, complain
from workbench.cli.parser import CommandParser, in_options
from workbench.software.extras import missing

BAD_INPUT = 2

#: As shells have it: 128 and the number of SIGINT.
INTERRUPTED = 130

#: Command -> what adds its options, imported once they are needed, and what it does.
COMMANDS = {
    "serve": ("serve:add", "serve the pages"),
    "audit": ("audit:add", "the main numbers of a file, and verdicts on claims"),
    "records": ("records:add", "bounds for single records, from scores of many models"),
    "synthetic": (
        "synthetic.command:add",
        "whether a synthetic table tells who was in its training table",
    ),
    "train": ("training.train:add", "train models by a plan and keep their scores"),
    "report": ("report:add", "an audit as HTML, PDF, Markdown, JSON or a notebook"),
    "slides": (
        "notebooks.slides:add",
        "a notebook as slides, in one HTML file that needs no network",
    ),
    "explorables": (
        "notebooks.explorables:add",
        "one idea each, as HTML files for a course that need no network",
    ),
    "plan": ("plan:add", "what an audit fixes before its scores are opened"),
    "test": ("mechanism_test:add", "search for datasets on which a mechanism breaks its claim"),
    "data": ("datasets:add", "the data sets that pages and notebooks share"),
    "audits": ("audits:add", "the audits that were saved"),
    "users": ("users:add", "the people who may sign in to 'workbench serve'"),
    "backup": ("serving.backup:add_backup", "write all that is kept on this computer to one file"),
    "restore": ("serving.backup:add_restore", "put back what 'workbench backup' wrote"),
    "examples": ("lists:add_examples", "list the bundled examples"),
    "mechanisms": (
        "lists:add_mechanisms",
        "list the mechanisms of the gallery, private and broken",
    ),
    "plugins": ("lists:add_plugins", "list the plug-ins, and those that are left out"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 2 for bad input, or a verdict's.

    Verdicts and their exit statuses are listed by ``audit --help`` and ``test --help``.
    """
    arguments = _parser().parse_args(argv)
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    ShownNames.install()
    logging.getLogger("workbench").setLevel(logging.INFO)  # the server's own talk stays quiet
    try:
        return int(arguments.run(arguments))
    except ModuleNotFoundError as error:
        if (named := missing(error, "this command needs")) is None:
            raise
        complain(str(named))
        return BAD_INPUT
    except (ValueError, OSError) as error:
        said = in_options(str(error), vars(arguments))
        complain(said)
        return BAD_INPUT
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="workbench",
        description="What the scores of a privacy audit prove, and with which guarantee.",
    )
    parser.add_argument("--version", action="version", version=wb.__version__)
    parser.set_defaults(run=partial(_help, parser))
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, (add, does) in COMMANDS.items():
        command: CommandParser = commands.add_parser(name, help=does)
        command.described_by = f"workbench.cli.{add}"
    return parser


def _help(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Print the commands that there are, where none was given."""
    parser.print_help()
    return 0
