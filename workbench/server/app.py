"""`make_server` and `serve`: a server of one document that holds all pages."""

from __future__ import annotations

import gc
import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import panel as pn

from workbench._process import huge_pages, on_linux
from workbench.assets import audits
from workbench.audits.storing.database import AuditsDatabase
from workbench.dashboard.bench import IMPORT
from workbench.dashboard.files import UploadFolder
from workbench.dashboard.live_page import Later
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import THREADS, Turns
from workbench.pairs.accounting.accounted import forget_compositions
from workbench.server.following.follower import Follower
from workbench.server.handlers import (
    base,
    document,
    downloads,
    exports,
    oauth,
    operations,
    shared,
    sign_in,
    static,
)
from workbench.server.homes import Homes
from workbench.server.network.connections import bounded_servers, raise_descriptors
from workbench.server.network.headers import SafeHeaders
from workbench.server.network.origins import accepted
from workbench.server.operations import access, memory, metrics
from workbench.server.operations.checks import Check, Checks, database_check, disk_check
from workbench.server.operations.state import Phase, ServerState
from workbench.server.operations.stopping import Stopping
from workbench.server.options import ServerOptions
from workbench.server.page_document import POLICY, App, app_document, first_words, searched
from workbench.server.people.signed_in import AccountIdentity
from workbench.server.sharing.lending import AccountHolders, Lending
from workbench.server.sharing.shares import Shares
from workbench.server.sockets.late import LateVisits
from workbench.server.storing.database import ServerDatabase
from workbench.server.visitors import Visitors
from workbench.server.work.runner import InServer, ProcessRunner
from workbench.workspaces.home import DATABASE

logger = logging.getLogger(__name__)

#: Seconds between two looks at shares that another program may have ended.
LOOK = 1.0

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


def make_server(
    app: App | Sequence[Tab],
    options: ServerOptions | None = None,
    grace: float | None = None,
    **more: Any,
) -> Any:
    """A server of the pages that is not started yet.

    Parameters
    ----------
    app : App or sequence of Tab
        What it serves.
    options : ServerOptions, optional
    grace : float, optional
        See `workbench.server.visitors.GRACE`.
    **more
        For `panel.io.server.get_server`.

    Returns
    -------
    panel.io.server.Server
    """
    app = app if isinstance(app, App) else App(app)
    options = ServerOptions() if options is None else options
    shown = [tab for tab in app.tabs if tab.name != IMPORT]
    addresses = ["/", *([audits.ADDRESS] if len(shown) > 1 else []), *(t.address for t in shown)]
    state = ServerState()
    with document.own_handlers(), bounded_servers():
        serving = pn.io.server.get_server(
            {address: app_document(app, state) for address in addresses},
            port=options.port,
            address=options.address,
            prefix=options.root_path,
            location=False,
            extra_patterns=[
                *downloads.patterns({"words": first_words, "search": searched}),
                *exports.patterns(),
                *shared.patterns(),
                *sign_in.patterns(),
                *oauth.patterns(),
                *static.patterns(),
                *operations.patterns(),
            ],
            compress_response=True,
            include_headers=[],  # the token of a session needs none of them
            include_cookies=[],
            sign_sessions=True,
            secret_key=options.secret,
            use_index=False,
            http_server_kwargs={**HTTP, "proxies": options.proxies},
            websocket_max_message_size=LONGEST_MESSAGE,
            **more,
        )
    base.keep_own(serving._tornado)
    loop = serving.io_loop

    def later(seconds: float, call: Callable[[], None]) -> None:
        loop.add_callback(loop.call_later, seconds, call)

    def warm() -> None:
        static.pack()
        _warm(app.tabs, state)
        loop.add_callback(state.ready)

    THREADS.submit(warm)
    database = _database(options)
    checks = Checks(_checks(options, database))
    loop.add_callback(checks.start, loop)
    metrics.CountingHandler.install()
    patience = {} if grace is None else {"grace": grace}
    work = ProcessRunner(options.limits) if on_linux() else None
    makes = ProcessRunner(options.limits, "files", math.inf, math.inf)  # desks bound their number
    home = None if options.home is None else options.home / "uploads"
    uploads = UploadFolder(home, options.limits)
    homes = Homes(options.home, app.base, app.own)
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
        **patience,
    )
    lending = _lending(options, visitors, database)
    visitors.lending = lending
    visitors.start()
    _keep_looking(lending, later)
    if options.following is not None:
        announce = partial(loop.add_callback, state.tell)
        follower = Follower(options.following, announce, options.webhook, options.home)
        serving._tornado.settings["follower"] = follower
        state.when_stopping = follower.end
        loop.add_callback(follower.start)
    serving._tornado.add_transform(SafeHeaders)
    serving._tornado.add_transform(access.tracing(options))
    serving._tornado.settings.update(
        visitors=visitors,
        makes=InServer() if work is None else makes,
        options=options,
        lending=lending,
        late=LateVisits(serving._tornado.session_token_expiration),
        origins=accepted(options.origins, options.address, serving.port or 0),
        policy=POLICY,
        default_handler_class=base.UnknownHandler,
        cookie_secret=options.secret,
        state=state,
        stopping=Stopping(
            *(loop, state, visitors, serving._http.stop, options.stop_within),
            *([] if work is None else [work.drain]),
        ),
        checks=checks,
        log_function=access.log_request,
    )
    return serving


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
    serving._tornado.settings["state"].when_ready = lambda: THREADS.submit(_settle)
    if (work := serving._tornado.settings["visitors"].work) is not None:
        THREADS.submit(work.warm)
    serving.start()
    stopping: Stopping = serving._tornado.settings["stopping"]
    stopping.on_signals()
    if open_at is not None:
        serving.io_loop.add_callback(serving.show, open_at)
    serving.io_loop.start()
    if not stopping.complete:  # a thread that is still at work would keep the process alive
        logging.shutdown()
        os._exit(0)


def _database(options: ServerOptions) -> ServerDatabase:
    """The database of the server: that of its accounts, where it has some."""
    if isinstance(options.identity, AccountIdentity):
        return options.identity.accounts.database
    return ServerDatabase(options.home)


def _lending(options: ServerOptions, visitors: Visitors, database: ServerDatabase) -> Lending:
    """What the people of a server let each other read."""
    people = None
    if isinstance(options.identity, AccountIdentity):
        people = AccountHolders(options.identity.accounts)
    return Lending(Shares(database), people, visitors.workspace_of)


def _keep_looking(lending: Lending, later: Later) -> None:
    """Notice, from now on, shares that end by themselves or by another program."""
    turns = Turns()

    def look() -> None:
        try:
            lending.look_again()
        except ValueError:  # the database cannot be read now
            logger.warning("shares could not be read again", exc_info=True)
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


def _warm(tabs: Sequence[Tab], state: ServerState) -> None:
    """Draw all first states before the first visit, unless the server stops already."""
    for tab in tabs:
        if state.phase is Phase.STOPPING:
            return
        try:
            tab.first()
        except Exception:
            logger.exception("the page %s cannot be drawn", tab.title)


def _settle() -> None:
    """Have the garbage collector pass over what stays, once all first states are drawn.

    To look through it takes a seventh of a second, in which nobody is answered.
    """
    forget_compositions()
    memory.release()
    gc.freeze()
