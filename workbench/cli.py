"""The command line: serve the page, audit a file, list the examples."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import workbench as wb

BAD_INPUT = 2

_EXIT_STATUS = """exit status:
  0  no claim is refuted, or none was made
  1  a claim is refuted
  2  bad input
  3  no claim is refuted, but there are too few samples: a mechanism at twice the
     claim would have been refuted with a probability below one half
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 2 for bad input, or a verdict's (see `audit --help`)."""
    arguments = _parser().parse_args(argv)
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("workbench").setLevel(logging.INFO)  # the server's own talk stays quiet
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"workbench: {error}\n")
        return BAD_INPUT


def serve(arguments: argparse.Namespace) -> int:
    """Serve all pages; those about scores with the given files or a bundled example."""
    from workbench.pages.compare import ComparePage
    from workbench.pages.counts import CountsPage
    from workbench.pages.coverage_lab import CoverageLabPage
    from workbench.pages.family import FamilyPage
    from workbench.pages.one_run import OneRunPage
    from workbench.pages.pair_lab import PairLabPage
    from workbench.pages.plan import PlanPage
    from workbench.pages.scores import ScoresPage
    from workbench.pages.selection import SelectionPage
    from workbench.pages.watch import WatchPage

    about_scores: list[Any] = [ScoresPage, FamilyPage, WatchPage]
    if arguments.files:
        _read(arguments)  # a file that cannot be read is a message here, not an empty page
        upload = tuple((path.name, path.read_bytes()) for path in arguments.files)
        larger = not arguments.smaller_is_member
        about_scores = [
            partial(page, source="file", upload=upload, larger_is_member=larger)
            for page in about_scores
        ]
    from workbench.dashboard.app import serve as serve_pages

    logging.getLogger(__name__).info(
        "DP Audit Workbench on http://%s:%d (stop with Ctrl-C)", arguments.address, arguments.port
    )
    scores, family, watch = about_scores
    serve_pages(
        [
            *(scores, CountsPage, family, ComparePage, OneRunPage, SelectionPage),
            *(watch, PlanPage, PairLabPage, CoverageLabPage),
        ],
        port=arguments.port,
        address=arguments.address,
        allow_origin=arguments.allow_origin,
        open_browser=not arguments.no_open,
    )
    return 0


def audit(arguments: argparse.Namespace) -> int:
    """Print the main numbers of a file, each with its guarantee, and verdicts on claims."""
    from workbench.audit_formats import FORMATS, Audit

    # A claim made twice is one claim, and one test.
    claims = list(dict.fromkeys(map(wb.parse_claim, arguments.claim)))
    found = Audit.of(_read(arguments), claims, arguments.delta, arguments.confidence)
    _say(FORMATS[arguments.format](found))
    return found.status


def list_examples(arguments: argparse.Namespace) -> int:
    """Print the bundled examples."""
    table = wb.examples()
    width = max(map(len, table["name"]))
    for row in table.itertuples():
        _say(f"{row.name:<{width}}  {row.n_p:>7,} + {row.n_q:>7,}  {row.title}")
        _say(f"{'':<{width}}  {row.truth}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="workbench",
        description="What the scores of a privacy audit prove, and with which guarantee.",
    )
    parser.add_argument("--version", action="version", version=wb.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("serve", help="serve the page")
    command.set_defaults(run=serve)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a score file, or one a side, members first; a bundled example otherwise",
    )
    command.add_argument("--port", type=int, default=5006)
    command.add_argument("--address", default="localhost", help="0.0.0.0 to serve colleagues")
    command.add_argument(
        "--allow-origin",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="an address under which browsers reach the page; may be repeated",
    )
    command.add_argument("--no-open", action="store_true", help="do not open a browser")
    _add_direction(command)

    command = commands.add_parser(
        "audit",
        help="the main numbers of a file, and verdicts on claims",
        description="The main numbers of a file, and verdicts on claims.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=audit)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a score file, or one a side, members first",
    )
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument("--confidence", type=float, default=0.95, help="default: %(default)g")
    command.add_argument(
        "--claim",
        action="append",
        default=[],
        help="what is promised: 'approx(EPSILON, DELTA)', 'pure(EPSILON)', "
        "'renyi(ORDER, EPSILON)' or 'gdp(MU)'; may be repeated, all verdicts hold together",
    )
    command.add_argument(
        "--format",
        choices=("text", "json", "markdown", "junit"),
        default="text",
        help="text (default), json, a markdown table, or JUnit XML with a test a claim",
    )
    command.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="the same as --format json",
    )
    _add_direction(command)
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

    command = commands.add_parser("examples", help="list the bundled examples")
    command.set_defaults(run=list_examples)
    return parser


def _add_direction(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--smaller-is-member",
        action="store_true",
        help="smaller scores speak for membership, as losses do",
    )


def _read(arguments: argparse.Namespace) -> wb.Scores:
    """The scores of one file, or of one a side."""
    if len(arguments.files) > 2:
        raise ValueError(
            f"{len(arguments.files)} files were given; give one, or one a side, members first"
        )
    layout = ("p", "q", "score", "member", "member_value", "cluster", "cluster_rule")
    given = {
        name: getattr(arguments, name)
        for name in (*layout, "sampling", "nonfinite")
        if name in arguments
    }
    return wb.read_scores(
        arguments.files[0],
        path_q=arguments.files[1] if len(arguments.files) == 2 else None,
        larger_is_member=not arguments.smaller_is_member,
        **given,
    )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
