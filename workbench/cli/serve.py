"""`workbench serve`: the dashboard with all pages."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from workbench.cli.address import listening
from workbench.cli.files import add_layout_arguments, in_option_names, read_tables, reading
from workbench.pages.registry import MENU, PAGES
from workbench.workspaces.home import home_folder, owner_key, workspace
from workbench.workspaces.reading import Reading
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: Addresses that only this machine reaches.
LOCAL = ("localhost", "127.0.0.1", "::1")


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
    from workbench.dashboard.app import serve as serve_app

    app = _app(arguments)
    key = f"?key={app.key}" if app.key else ""
    logger.info(
        "DP Audit Workbench on http://%s:%d/%s (stop with Ctrl-C)",
        *(arguments.address, arguments.port, key),
    )
    with listening(arguments.port, arguments.address):
        serve_app(
            app,
            port=arguments.port,
            address=arguments.address,
            allow_origin=arguments.allow_origin,
            open_browser=not arguments.no_open,
        )
    return 0


def _app(arguments: argparse.Namespace) -> Any:
    """What is served: all pages; on this machine's own address with the workspace on disk."""
    from workbench.dashboard.app import App
    from workbench.dashboard.tab import Tab
    from workbench.testers.running.load_mechanism import find_mechanism

    given, base = _given(arguments), Workspace()
    given(base)
    tabs: list[Tab] = []
    groups = {name: group for group, pages in MENU.items() for name in pages}
    for name, entry in PAGES.items():
        page: Any = entry.kind
        if name == "mechanism" and arguments.mechanism:
            page = partial(page, find_mechanism(arguments.mechanism))
        group = groups.get(name, "")
        tabs.append(Tab(page, f"/{name}", entry.title, group, entry.answers, base))
    if arguments.address not in LOCAL:
        return App(tabs, base)
    own = workspace()
    given(own)
    return App(tabs, base, own, owner_key(home_folder()))


def _given(arguments: argparse.Namespace) -> Callable[[Workspace], None]:
    """A function that adds the given files to a workspace and takes them into view."""
    if not arguments.files:
        return lambda data_sets: None
    tables, layout = read_tables(arguments)
    names = tuple(path.name for path in arguments.files)

    def add_and_choose(data_sets: Workspace) -> None:
        with in_option_names():
            added = data_sets.add(tables, Reading(layout, **reading(arguments)), files=names)
        data_sets.choose(added.key)

    return add_and_choose
