"""`workbench serve`: the dashboard with all pages."""

from __future__ import annotations

import argparse
import logging
from functools import partial
from pathlib import Path
from typing import Any

from workbench.cli.address import listening
from workbench.cli.files import add_layout_arguments, in_option_names, read_tables, reading
from workbench.pages.registry import PAGES
from workbench.scores.sample import ScoresError


def add(commands: Any) -> None:
    """Add the command `serve` and its options."""
    command = commands.add_parser("serve", help="serve the pages")
    command.set_defaults(run=serve)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a score file with both groups, or two files: members first, then non-members; "
        "a bundled example by default",
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
    # Imported here, so that the other commands start without them.
    from workbench.dashboard.app import Tab
    from workbench.dashboard.app import serve as serve_tabs
    from workbench.pages.inputs.score_source import ScoreSource
    from workbench.testers.running.load_mechanism import find_mechanism

    served = _served(arguments)
    tabs: list[Tab] = []
    for name, entry in PAGES.items():
        page: Any = entry.kind
        if served and issubclass(page, ScoreSource):
            page = partial(page, **served)
        if name == "mechanism" and arguments.mechanism:
            page = partial(page, find_mechanism(arguments.mechanism))
        tabs.append(Tab(page, f"/{name}" if tabs else "/", entry.title))
    logging.getLogger(__name__).info(
        "DP Audit Workbench on http://%s:%d (stop with Ctrl-C)", arguments.address, arguments.port
    )
    with listening(arguments.port, arguments.address):
        serve_tabs(
            tabs,
            port=arguments.port,
            address=arguments.address,
            allow_origin=arguments.allow_origin,
            open_browser=not arguments.no_open,
        )
    return 0


def _served(arguments: argparse.Namespace) -> dict[str, Any]:
    """The controls of a page that is about the given files; empty without files."""
    if not arguments.files:
        return {}
    tables, layout = read_tables(arguments)
    names = (path.name for path in arguments.files)
    served = {
        "source": "file",
        "upload": tuple(zip(names, tables, strict=True)),
        "file_layout": layout,
        **reading(arguments),
    }
    # Scores that cannot be found in it are a message here, not an empty page.
    if message := PAGES["scores"].kind(**served).message:
        with in_option_names():
            raise ScoresError(message)
    return served
