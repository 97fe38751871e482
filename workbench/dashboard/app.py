"""The app: a server of one document that holds all pages."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import jinja2
import panel as pn
from tornado.ioloop import IOLoop

from workbench.assets import audits
from workbench.assets import board as assets
from workbench.assets import start as start_page
from workbench.assets.search import search_index
from workbench.dashboard.bench import IMPORT, data_sets, first_data_set
from workbench.dashboard.serving import document, downloads, exports, static
from workbench.dashboard.serving.channel import Channel
from workbench.dashboard.serving.connection import Connection
from workbench.dashboard.serving.visitors import Visit, Visitors
from workbench.dashboard.tab import Tab
from workbench.dashboard.worker import THREADS
from workbench.pages.registry import MENU
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)

#: The modules of every document, and those that the start page needs at once.
_MODULES = static.modules("page.js")
_WORDS = ("glossary.js", "search.js", "tour.js", "start.js")
_AUDITS = static.modules("audits.js")

TITLE = "DP Audit Workbench"

#: Name of the start page, which is the same for everybody and no `Tab`.
START = "start"

_TEMPLATE = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    (assets.HERE / "page.html").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class App:
    """What a server serves.

    Attributes
    ----------
    tabs : sequence of Tab
        The pages, in the order of the menu. A single page has no menu.
    base : Workspace, optional
        Data sets that all visitors share.
    own : Workspace, optional
        The workspace on disk, for its owner.
    key : str
        The key of the owner.
    """

    tabs: Sequence[Tab]
    base: Workspace | None = None
    own: Workspace | None = None
    key: str = ""
    by_name: Mapping[str, Tab] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {tab.name: tab for tab in self.tabs})


def make_server(
    app: App | Sequence[Tab],
    port: int = 0,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    grace: float | None = None,
    **more: Any,
) -> Any:
    """A server of the pages that is not started yet.

    Parameters
    ----------
    app : App or sequence of Tab
        What it serves.
    port, address, allow_origin
        As in `serve`.
    grace : float, optional
        See `workbench.dashboard.serving.visitors.GRACE`.
    **more
        For `panel.io.server.get_server`.

    Returns
    -------
    panel.io.server.Server
    """
    app = app if isinstance(app, App) else App(app)
    shown = [tab for tab in app.tabs if tab.name != IMPORT]
    addresses = ["/", *([audits.ADDRESS] if len(shown) > 1 else []), *(t.address for t in shown)]
    THREADS.submit(static.pack)
    THREADS.submit(_warm, app.tabs)
    with document.own_handlers():
        serving = pn.io.server.get_server(
            {address: _document(app) for address in addresses},
            port=port,
            address=address,
            websocket_origin=[f"{address}:{port}", f"localhost:{port}", *allow_origin],
            location=False,
            liveness=True,
            extra_patterns=[
                *downloads.patterns({"words": _words, "search": _index}),
                *exports.patterns(),
                *static.patterns(),
            ],
            compress_response=True,
            include_headers=[],  # the token of a session needs none of them
            include_cookies=[],
            sign_sessions=True,
            secret_key=secrets.token_bytes(32),
            **more,
        )
    loop = serving.io_loop

    def later(seconds: float, call: Callable[[], None]) -> None:
        loop.add_callback(loop.call_later, seconds, call)

    patience = {} if grace is None else {"grace": grace}
    visitors = Visitors(app.by_name, later, app.base, app.own, app.key, **patience)
    serving._tornado.settings["visitors"] = visitors
    return serving


def serve(
    app: App | Sequence[Tab],
    port: int = 5006,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    open_browser: bool = True,
) -> None:
    """Serve the pages until interrupted; nothing is fetched from another host.

    Parameters
    ----------
    app : App or sequence of Tab
        See `make_server`.
    port, address
        Where to listen; ``"localhost"`` keeps the page to this machine.
    allow_origin : sequence of str
        Further ``host:port`` addresses under which browsers reach the page, such as a proxy's.
    open_browser : bool
        True to show the page at once.
    """
    serving = make_server(app, port, address, allow_origin)
    serving.start()
    if open_browser:
        key = f"?key={app.key}" if isinstance(app, App) and app.key else ""
        serving.io_loop.add_callback(serving.show, f"/{key}")
    serving.io_loop.start()


def _warm(tabs: Sequence[Tab]) -> None:
    """Draw all first states before the first visit."""
    for tab in tabs:
        try:
            tab.first()
        except Exception:
            logger.exception("the page %s cannot be drawn", tab.title)


def _document(app: App) -> Any:
    # Panel calls functions only, and would display a functools.partial.
    return lambda: _visit(app)


def _visit(app: App) -> None:
    """Begin a visit; the document holds the page, so it needs no connection."""
    doc: Any = pn.state.curdoc
    visit = document.VISIT.get()
    visitors: Visitors = document.VISITORS.get()
    channel = Channel(doc)
    loop = IOLoop.current()

    def send(text: str) -> None:
        loop.add_callback(channel.send, text)

    connection = Connection(
        app.by_name,
        send,
        bench=partial(visitors.bench, visit.who),
        known=partial(visitors.known, visit.who),
        shown=visit.page if visit.page in app.by_name else "",
        sent=visit.sent,
    )

    def end() -> None:
        connection.end()
        visitors.leave(visit.who)
        document.give_memory_back(loop)

    channel.receive, channel.opened, channel.closed = connection.receive, connection.open, end
    doc.on_session_destroyed(lambda context: end())
    plain = {"": "", audits.NAME: audits.TITLE}
    title = plain[visit.page] if visit.page in plain else app.by_name[visit.page].title
    doc.title = f"{title} · {TITLE}" if title else TITLE
    doc.template = _TEMPLATE
    doc.template_variables.update(_variables(app, visit, visitors))


def _variables(app: App, visit: Visit, visitors: Visitors) -> dict[str, Any]:
    """What the template of the document shows."""
    shown = [tab for tab in app.tabs if tab.name != IMPORT]
    menu: dict[str, list[Tab]] = {}
    for entry in shown:
        menu.setdefault(entry.group, []).append(entry)
    pages = {e.name: {"title": e.title, "address": e.address} for e in shown}
    if len(shown) > 1:
        pages = {START: {"title": "Start", "address": "/"}, **pages}
        pages[audits.NAME] = {"title": audits.TITLE, "address": audits.ADDRESS}
    frame = {
        "heading": TITLE,
        "pages": pages,
        "shown": visit.page or START,
        "kept": bool(visit.text),
        "bench": _bench_of(app, visit, visitors),
    }
    parts = [assets.content(frame)[:-1]]
    if visit.page in app.by_name:
        parts.append(f'"page":{visit.text or app.by_name[visit.page].first().text}')
    elif not visit.page:
        parts.append(f'"words":{_words()}')
    text = f"{','.join(parts)}}}"
    more = {"": _WORDS, audits.NAME: _AUDITS}
    return {
        "menu": list(menu.items()) if len(shown) > 1 else [],
        "data": any(tab.data_key for tab in app.tabs),
        "heading": TITLE,
        "shown": visit.page or START,
        "first": text.replace("<", "\\u003c"),  # nothing ends the script element that holds it
        "palette": assets.palette_css(),
        "static": static.STATIC,
        "modules": dict.fromkeys([*_MODULES, *more.get(visit.page, ())]),
        "plotly": static.PLOTLY_ADDRESS,
        "documentation": "./docs/index.html" if static.has_documentation() else "",
    }


@cache
def _words() -> str:
    """The start page, the tour and the glossary as JSON."""
    return assets.content(start_page.content())


@cache
def _index() -> str:
    """What the search looks in, as JSON."""
    pages = {name: entry for group in MENU.values() for name, entry in group.items()}
    return assets.content(search_index(pages))


def _bench_of(app: App, visit: Visit, visitors: Visitors) -> dict[str, Any]:
    """What people see of the data sets and the history."""
    data = Workspace(base=app.base)
    first = {tab.name: first_data_set(data, tab.data_key) for tab in app.tabs if tab.data_key}
    if visit.text:
        return {**visitors.bench(visit.who).state(), "first": first}
    workspace = visitors.workspace(visit.who)
    return {
        "sets": data_sets(workspace),
        "current": workspace.current,
        "where": workspace.where,
        "problem": workspace.problem,
        "first": first,
    }
