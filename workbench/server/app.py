"""`make_server` and `serve`: a server of one document that holds all pages."""

from __future__ import annotations

import gc
import logging
import math
import os
import socket
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from tornado.web import Application

from workbench.assets import audits
from workbench.audits.storing.database import AuditsDatabase
from workbench.dashboard.files import UploadFolder
from workbench.dashboard.live_page import Later
from workbench.dashboard.tab import IMPORT, Tab
from workbench.dashboard.worker import BLOCKED, THREADS, Turns
from workbench.processes.limits import huge_pages, on_linux
from workbench.scores.parsing.reading_process import insist
from workbench.server.following.follower import Follower
from workbench.server.handlers import (
    base,
    document,
    downloads,
    explorables,
    exports,
    oauth,
    operations,
    shared,
    sign_in,
    static,
)
from workbench.server.network.connections import BoundedServer, raise_descriptors
from workbench.server.network.headers import SafeHeaders
from workbench.server.network.origins import accepted, bound_here
from workbench.server.operations import access, memory, metrics
from workbench.server.operations.checks import Check, Checks, database_check, disk_check
from workbench.server.operations.state import ServerState
from workbench.server.operations.stopping import Stopping
from workbench.server.options import ServerOptions
from workbench.server.page_document import (
    POLICY,
    App,
    document_text,
    first_words,
    open_document,
    searched,
)
from workbench.server.people.signed_in import AccountIdentity
from workbench.server.people_folders import PeopleFolders
from workbench.server.people_here import GRACE
from workbench.server.sharing.grants import Grants, People
from workbench.server.sharing.lending import Lending
from workbench.server.sockets.documents import Documents
from workbench.server.storing.database import ServerDatabase
from workbench.server.visitors import Visitors
from workbench.server.work.runner import InServer, ProcessRunner
from workbench.workspaces.home import DATABASE, require_visitors

if TYPE_CHECKING:
    from workbench.server.apps.mounting import MountedApps

logger = logging.getLogger(__name__)

#: Seconds between two looks at shares that another program may have ended.
LOOK = 1.0

#: Seconds between two pings on a socket, without which proxies close it.
PING = 37.0

#: Bytes of a message on a socket at most, which is a piece of a file or a gesture.
LONGEST_MESSAGE = 2 * 2**20

#: What a connection may send, and seconds that it may take; handlers of uploads allow more.
HTTP: Mapping[str, Any] = {
    "max_header_size": 16 * 2**10,
    "max_body_size": 64 * 2**10,
    "idle_connection_timeout": 75.0,
    "body_timeout": 30.0,
    "decompress_request": False,
}


@dataclass(frozen=True)
class WorkbenchServer:
    """A server of the pages, and where it listens.

    Attributes
    ----------
    application : tornado.web.Application
    http : BoundedServer
    sockets : sequence of socket.socket
        On which it listens.
    io_loop : tornado.ioloop.IOLoop
    port : int
    home : str
        The address of the start page.
    """

    application: Application
    http: BoundedServer
    sockets: Sequence[socket.socket]
    io_loop: IOLoop
    port: int
    home: str

    def start(self) -> None:
        """Answer requests from now on, while the event loop runs."""
        self.http.add_sockets(self.sockets)

    def show(self, path: str) -> None:
        """Open a page in a new tab of the browser."""
        webbrowser.open_new_tab(f"{self.home}{path.removeprefix('/')}")


def make_server(
    app: App | Sequence[Tab], options: ServerOptions | None = None, grace: float = GRACE
) -> WorkbenchServer:
    """A server of the pages that is not started yet.

    Parameters
    ----------
    app : App or sequence of Tab
        What it serves.
    options : ServerOptions, optional
    grace : float
        See `workbench.server.people_here.GRACE`.
    """
    insist()
    app = app if isinstance(app, App) else App(app)
    options = ServerOptions() if options is None else options
    shown = [tab for tab in app.tabs if tab.name != IMPORT]
    addresses = ["/", *([audits.ADDRESS] if len(shown) > 1 else []), *(t.address for t in shown)]
    state, loop = ServerState(), IOLoop.current()
    apps = _apps(app, options)
    routes = [
        *downloads.patterns({"words": first_words, "search": searched}),
        *exports.patterns(),
        *shared.patterns(),
        *explorables.patterns(),
        *sign_in.patterns(),
        *oauth.patterns(),
        *static.patterns(),
        *operations.patterns(),
        *document.patterns(addresses),
        *([] if apps is None else [("/apps/.*", apps)]),
    ]
    application = Application(
        [(f"{options.root_path}{pattern}", *handler) for pattern, *handler in routes],
        default_handler_class=base.UnknownHandler,
        compress_response=True,
        cookie_secret=options.secret,
        log_function=access.log_request,
        words=base.words_of(pattern for pattern, *_ in routes),
        websocket_max_message_size=LONGEST_MESSAGE,
        websocket_ping_interval=PING,
        websocket_ping_timeout=0,  # a machine that sleeps goes on where it was
    )
    http = BoundedServer(application, proxies=options.proxies, **HTTP)
    sockets = bind_sockets(options.port, options.address or None)
    port = sockets[0].getsockname()[1]

    later = partial(loop.add_callback, loop.call_later)  # from any thread

    def pack() -> None:
        static.pack()
        loop.add_callback(state.ready)

    THREADS.submit(pack)
    database = _database(options)
    checks = Checks(_checks(options, database))
    loop.add_callback(checks.start, loop)
    metrics.CountingHandler.install()
    work = ProcessRunner(options.limits) if on_linux() else None
    # `BackgroundWork` bounds their number.
    makes = ProcessRunner(options.limits, "files", math.inf, math.inf)
    home = None if options.home is None else options.home / "uploads"
    uploads = UploadFolder(home, options.limits)
    homes = PeopleFolders(options.home, app.base, app.own)
    THREADS.submit(homes.tidy)
    state.when_left = memory.MemoryRelease(loop, state).soon
    visitors = Visitors(
        app.by_name,
        later,
        homes,
        options.limits,
        options.identity.present,
        freed=partial(loop.add_callback, state.when_left),
        work=work,
        uploads=uploads,
        following=options.following,
        grace=grace,
    )
    lending = _lending(options, visitors, database)
    visitors.lending = lending
    visitors.housekeeping.start()
    _keep_looking(lending, later)
    if options.following is not None:
        announce = partial(loop.add_callback, state.tell)
        follower = Follower(options.following, announce, options.webhook, options.home)
        application.settings["follower"] = follower
        state.when_stopping = follower.end
        loop.add_callback(follower.start)
    safe: Any = partial(SafeHeaders, embed=tuple(options.embed))
    application.add_transform(safe)
    application.add_transform(access.tracing(options))
    application.settings.update(
        visitors=visitors,
        makes=InServer() if work is None else makes,
        options=options,
        lending=lending,
        documents=Documents(visitors, partial(open_document, app, state, visitors), later),
        document_text=partial(document_text, app),
        origins=accepted(options.origins, options.address, port),
        bound_here=not options.origins and bound_here(s.getsockname()[0] for s in sockets),
        policy=POLICY,
        state=state,
        stopping=Stopping(
            *(loop, state, visitors.here, visitors.end, http.stop, options.stop_within),
            *([] if work is None else [work.drain]),
        ),
        checks=checks,
    )
    if apps is not None:
        apps.settings.update({**application.settings, **apps.settings})
        apps.settings["words"] |= {one.name for one in app.apps}
        for transform in (safe, access.tracing(options)):
            apps.add_transform(transform)
        loop.add_callback(apps.start)
    host = f"[{options.address}]" if ":" in options.address else options.address or "localhost"
    start = f"http://{host}:{port}{options.root_path}/"
    return WorkbenchServer(application, http, sockets, loop, port, start)


def serve(
    app: App | Sequence[Tab], options: ServerOptions | None = None, open_at: str | None = "/"
) -> None:
    """Serve the pages until the process is told to stop; nothing is fetched from another host.

    Parameters
    ----------
    app : App or sequence of Tab
    options : ServerOptions, optional
    open_at : str, optional
        The address that a browser opens at once; None for no browser.
    """
    huge_pages(False)
    raise_descriptors()
    memory.return_large_arrays()
    serving = make_server(app, options)
    if isinstance(app, App) and app.apps:
        require_visitors()
    settings = serving.application.settings
    settings["state"].when_ready = lambda: THREADS.submit(_settle)
    if (work := settings["visitors"].work) is not None:
        settings["state"].when_visited = lambda: BLOCKED.submit(work.warm)
    serving.start()
    stopping: Stopping = settings["stopping"]
    stopping.on_signals()
    if open_at is not None:
        serving.io_loop.add_callback(serving.show, open_at)
    _run(serving.io_loop)
    if not stopping.complete:  # a thread that is still at work would keep the process alive
        logging.shutdown()
        os._exit(0)


def _run(loop: IOLoop) -> None:
    """Run the event loop until the server stops, whatever code of an app does."""
    while True:
        try:
            return loop.start()
        except SystemExit:  # of a callback that the loop itself has called
            logger.exception("an app called sys.exit(), which does not end the server")


def _apps(app: App, options: ServerOptions) -> MountedApps | None:
    """The Panel apps beside the pages, if there are some."""
    if not app.apps:
        return None
    from workbench.server.apps.mounting import mount  # imports Panel

    return mount(app.apps, options.root_path)


def _database(options: ServerOptions) -> ServerDatabase:
    """The database of the server: that of its accounts, where it has some."""
    if isinstance(options.identity, AccountIdentity):
        return options.identity.accounts.database
    return ServerDatabase(options.home)


def _lending(options: ServerOptions, visitors: Visitors, database: ServerDatabase) -> Lending:
    """What the people of a server let each other read."""
    identity = options.identity
    if not isinstance(identity, AccountIdentity):
        return Lending(Grants(database), visitors.workspace_of)

    def people() -> People:
        return {one.key: (one.name, one.role) for one in identity.accounts.list()}

    return Lending(Grants(database, people), visitors.workspace_of)


def _keep_looking(lending: Lending, later: Later) -> None:
    """Notice, from now on, shares that end by themselves or by another program."""
    turns = Turns()

    def look() -> None:
        try:
            lending.look_again()
        except Exception:  # such as a database that cannot be read now
            logger.exception("shares could not be read again")
        later(LOOK, look_soon)

    def look_soon() -> None:
        turns.submit(look, True)

    later(LOOK, look_soon)


def _checks(options: ServerOptions, database: ServerDatabase) -> dict[str, Check]:
    """What ``/health`` finds out in the background."""
    checks = {"disk": disk_check(options.home)}
    if options.home is not None:
        checks["accounts"] = database_check(database)
    if address := os.environ.get(DATABASE, ""):
        checks["audits"] = database_check(AuditsDatabase.at(address))
    return checks


def _settle() -> None:
    """Have the garbage collector pass over what was imported, before there are visitors."""
    memory.release()
    gc.freeze()
