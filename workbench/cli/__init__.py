"""The command line: each command is a module, registered in `main`.

`serve`, `audit` (printed by `score_audit`), `records`, `training`, `report`, `plan`,
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
from workbench.cli import (
    audit,
    audits,
    datasets,
    lists,
    mechanism_test,
    plan,
    records,
    report,
    serve,
    users,
)
from workbench.cli.notebooks import slides
from workbench.cli.output import ShownNames, complain
from workbench.cli.parser import CommandParser, in_options
from workbench.cli.serving import backup
from workbench.cli.training import train
from workbench.software.extras import missing

BAD_INPUT = 2

#: As shells have it: 128 and the number of SIGINT.
INTERRUPTED = 130


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
    for module in (
        serve,
        audit,
        records,
        train,
        report,
        slides,
        plan,
        mechanism_test,
        datasets,
        audits,
        users,
        backup,
        lists,
    ):
        module.add(commands)
    return parser


def _help(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Print the commands that there are, where none was given."""
    parser.print_help()
    return 0
