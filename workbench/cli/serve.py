"""`workbench serve`: the dashboard with all pages."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.files import GivenFiles, add_layout_arguments
from workbench.cli.output import say
from workbench.cli.parser import CommandParser
from workbench.cli.serving import apps, config, following, limits, network, oauth, watching, who
from workbench.cli.serving.address import listening
from workbench.workspaces.home import home_folder, kept_secret, workspace

if TYPE_CHECKING:
    from workbench.following.following import Following
    from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: The folder of the server in that of the owner's workspace.
SERVER = "server"


def add(command: CommandParser) -> None:
    """Add the options of the command `serve`."""
    command.set_defaults(run=serve)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="a score file with both groups, two files (members first, then non-members), or a "
        "folder that a public tool wrote, also a table of many models and records; a bundled "
        "example by default",
    )
    command.add_argument(
        "--mechanism",
        metavar="MECHANISM",
        help="what the page on mechanisms tests: of the gallery, MODULE:FUNCTION, or "
        "path/file.py:function; it is run here",
    )
    command.add_argument("--no-open", action="store_true", help="do not open a browser")
    network.add(command)
    who.add(command)
    oauth.add(command)
    limits.add(command)
    watching.add(command)
    following.add(command)
    apps.add(command)
    command.expand = config.add(command)
    add_layout_arguments(command)


def serve(arguments: argparse.Namespace) -> int:
    """Serve all pages; those about scores with the given files or a bundled example."""
    # Arrow's own allocator keeps what it has freed. It is chosen when Arrow is imported.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Imported here, so that the other commands start without them.
    from workbench.server.app import serve as serve_app
    from workbench.server.options import ServerOptions

    home, local = home_folder(), who.has_owner(arguments)
    if arguments.show:
        say(who.address_to_show(arguments, home))
        return 0
    watching.begin_log(arguments, shared=not local)
    options = ServerOptions(
        **network.options_of(arguments),
        identity=who.identity(arguments, home),
        limits=limits.options_of(arguments, shared=not local),
        home=home / SERVER,
        secret=kept_secret(home / SERVER / "secret").encode(),
        **watching.options_of(arguments),
        **following.options_of(arguments),
        oauth=oauth.options_of(arguments),
    )
    app, start = _app(arguments, options.following), who.opens_at(options.identity)
    address = f"http://{arguments.address}:{arguments.port}{arguments.root_path}"
    logger.info("DP Audit Workbench on %s%s (stop with Ctrl-C)", address, start)
    if local:
        _show_next(options.identity, address)
    if missing := network.missing(arguments):
        logger.warning(missing)
    with listening(arguments.port, arguments.address):
        serve_app(app, options, open_at=None if arguments.no_open else start)
    return 0


def _show_next(identity: Any, address: str) -> None:
    """Show a new address whenever one was used; each lets one browser in."""

    def show() -> None:
        logger.info(
            "that address was used; for another browser, within a day: %s%s",
            *(address, who.opens_at(identity)),
        )

    identity.ticket_used = show


def _app(arguments: argparse.Namespace, followed: Following | None = None) -> Any:
    """What is served: all pages; on this machine's own address with the workspace on disk."""
    from workbench.dashboard.tab import Tab
    from workbench.pages.registry import PAGES, menu
    from workbench.server.app import App
    from workbench.testers.running.load_mechanism import find_mechanism
    from workbench.workspaces.followed.data import FollowedData
    from workbench.workspaces.workspace import Workspace

    given, base, beside = _given(arguments), Workspace(), apps.apps_of(arguments)
    given(base)
    lent = None if followed is None else FollowedData(followed, base)
    tabs: list[Tab] = []
    groups = {name: group for group, pages in menu().items() for name in pages}
    for name, entry in PAGES.items():
        page: Any = entry.kind
        if name == "mechanism" and arguments.mechanism:
            page = partial(page, find_mechanism(arguments.mechanism))
        group = groups.get(name, "")
        tabs.append(Tab(page, f"/{name}", entry.title, group, entry.answers, base))
    if not who.has_owner(arguments):
        return App(tabs, lent or base, apps=beside)
    own = workspace()
    given(own)
    if lent is not None:
        own.catalog.borrow(lent)
        own.active.choose(lent.current)
    return App(tabs, lent or base, own, beside)


def _given(arguments: argparse.Namespace) -> Callable[[Workspace], None]:
    """A function that adds the given files to a workspace and takes them into view."""
    if not arguments.files:
        return lambda data_sets: None
    files = GivenFiles.of_any_kind(arguments)

    def add_and_choose(data_sets: Workspace) -> None:
        data_sets.active.choose(files.add(data_sets, "").key)

    return add_and_choose
