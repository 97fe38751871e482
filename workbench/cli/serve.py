"""`workbench serve`: all pages in a browser."""

from __future__ import annotations

import argparse
import logging
from functools import partial
from pathlib import Path
from typing import Any

from workbench.cli.files import add_layout_arguments, in_option_names, read_tables, reading
from workbench.scores.sample import ScoresError


def add(commands: Any) -> None:
    """Add the command `serve` and its options."""
    command = commands.add_parser("serve", help="serve the page")
    command.set_defaults(run=serve)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a score file, or one per side, members first; a bundled example otherwise",
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
    command.add_argument(
        "--mechanism",
        metavar="MECHANISM",
        help="what the page on mechanisms tests: of the gallery, MODULE:FUNCTION, or "
        "path/file.py:function; it is run here",
    )
    command.add_argument("--no-open", action="store_true", help="do not open a browser")
    add_layout_arguments(command)


def serve(arguments: argparse.Namespace) -> int:
    """Serve all pages; those about scores with the given files or a bundled example."""
    from workbench.pages.compare import ComparePage
    from workbench.pages.counts import CountsPage
    from workbench.pages.coverage_lab import CoverageLabPage
    from workbench.pages.family import FamilyPage
    from workbench.pages.mechanism.page import MechanismPage
    from workbench.pages.one_run.page import OneRunPage
    from workbench.pages.pair_lab import PairLabPage
    from workbench.pages.plan import PlanPage
    from workbench.pages.scores.page import ScoresPage
    from workbench.pages.selection.page import SelectionPage
    from workbench.pages.watch import WatchPage

    about_scores: list[Any] = [ScoresPage, FamilyPage, WatchPage]
    if arguments.files:
        tables, layout = read_tables(arguments)
        names = (path.name for path in arguments.files)
        served = {
            "source": "file",
            "upload": tuple(zip(names, tables, strict=True)),
            "file_layout": layout,
            **reading(arguments),
        }
        # Scores that cannot be found in it are a message here, not an empty page.
        if message := ScoresPage(**served).message:
            with in_option_names():
                raise ScoresError(message)
        about_scores = [partial(page, **served) for page in about_scores]
    test: Any = MechanismPage
    if arguments.mechanism:
        from workbench.testers.running.load_mechanism import find_mechanism

        test = partial(MechanismPage, find_mechanism(arguments.mechanism))
    from workbench.dashboard.app import serve as serve_pages

    logging.getLogger(__name__).info(
        "DP Audit Workbench on http://%s:%d (stop with Ctrl-C)", arguments.address, arguments.port
    )
    scores, family, watch = about_scores
    serve_pages(
        [
            *(scores, CountsPage, family, ComparePage, OneRunPage, SelectionPage, test),
            *(watch, PlanPage, PairLabPage, CoverageLabPage),
        ],
        port=arguments.port,
        address=arguments.address,
        allow_origin=arguments.allow_origin,
        open_browser=not arguments.no_open,
    )
    return 0
