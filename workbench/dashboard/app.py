"""The app: a server of pages, with a menu that leads from one to the other."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any

import jinja2
import panel as pn
from tornado.ioloop import IOLoop

from workbench.assets import board as assets
from workbench.dashboard import server, static
from workbench.dashboard.channel import Channel
from workbench.dashboard.session import FirstState, Session, first_state
from workbench.dashboard.worker import THREADS
from workbench.pages.core.page import Page

logger = logging.getLogger(__name__)

TITLE = "DP Audit Workbench"

#: Makes one person's page: a `Page` class, or a ``functools.partial`` of one.
Factory = Callable[[], Page]

_TEMPLATE = jinja2.Environment(autoescape=True).from_string(
    (assets.HERE / "page.html").read_text(encoding="utf-8")
)

_MODULES = static.modules("page.js")


class Tab:
    """A page of the app, and its first state, which is the same for every visitor.

    Parameters
    ----------
    factory : Factory
        Makes the page of a visitor.
    address : str
        Its path on the server, ``"/"`` or ``"/name"``.
    menu : str
        Its title in the menu; by default that of the page.
    """

    def __init__(self, factory: Factory, address: str = "/", menu: str = ""):
        self.factory, self.address = factory, address
        kind: Any = factory.func if isinstance(factory, partial) else factory
        self.title = str(kind.title)
        self.menu = menu or self.title
        self._first: FirstState | None = None
        self._lock = Lock()

    def first(self) -> FirstState:
        """The first state of the page, drawn once for all visitors."""
        with self._lock:
            if self._first is None:
                self._first = first_state(self.factory())
            return self._first


def make_server(
    tabs: Sequence[Tab],
    port: int = 0,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    **more: Any,
) -> Any:
    """A server of the pages that is not started yet; every visit gets a new page.

    Parameters
    ----------
    tabs : sequence of Tab
        The pages, in the order of the menu. A single page has no menu.
    port, address, allow_origin
        As in `serve`.
    **more
        For `panel.io.server.get_server`.

    Returns
    -------
    panel.io.server.Server
    """
    THREADS.submit(static.pack)
    THREADS.submit(_warm, tabs)
    with server.own_handlers():
        return pn.io.server.get_server(
            _apps(tabs),
            port=port,
            address=address,
            websocket_origin=[f"{address}:{port}", f"localhost:{port}", *allow_origin],
            location=False,
            liveness=True,
            extra_patterns=static.patterns(),
            compress_response=True,
            include_headers=[],  # the token of a session needs none of them
            include_cookies=[],
            sign_sessions=True,
            secret_key=secrets.token_bytes(32),
            **more,
        )


def serve(
    tabs: Sequence[Tab],
    port: int = 5006,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    open_browser: bool = True,
) -> None:
    """Serve the pages until interrupted; nothing is fetched from another host.

    Parameters
    ----------
    tabs : sequence of Tab
        See `make_server`.
    port, address
        Where to listen; ``"localhost"`` keeps the page to this machine.
    allow_origin : sequence of str
        Further ``host:port`` addresses under which browsers reach the page, such as a proxy's.
    open_browser : bool
        True to show the page at once.
    """
    serving = make_server(tabs, port, address, allow_origin, show=open_browser)
    serving.start()
    serving.io_loop.start()


def _apps(tabs: Sequence[Tab]) -> dict[str, Any]:
    def app(tab: Tab) -> Callable[[], None]:
        # Panel calls functions only, and would display a functools.partial.
        return lambda: _visit(tab, tabs)

    return {tab.address: app(tab) for tab in tabs}


def _warm(tabs: Sequence[Tab]) -> None:
    """Draw all first states before the first visit."""
    for tab in tabs:
        try:
            tab.first()
        except Exception:
            logger.exception("the page %s cannot be drawn", tab.title)


def _visit(tab: Tab, tabs: Sequence[Tab]) -> None:
    """Begin a visit; the document holds the first state, so it needs no connection."""
    doc: Any = pn.state.curdoc
    first = tab.first()
    channel = Channel(doc)
    loop = IOLoop.current()

    def send(text: str) -> None:
        loop.add_callback(channel.send, text)

    def later(seconds: float, call: Callable[[], None]) -> None:
        loop.add_callback(loop.call_later, seconds, call)

    sessions: list[Session] = []

    def receive(gesture: dict[str, Any]) -> None:
        # A visitor who only looks has the first state, and needs no page of their own.
        if not sessions:
            sessions.append(Session(tab.factory(), first, send, later))
        sessions[0].receive(gesture)

    def end(context: Any) -> None:
        for session in sessions:
            session.end()
        server.give_memory_back(loop)

    channel.receive = receive
    doc.on_session_destroyed(end)
    doc.title = f"{tab.title} · {TITLE}"
    doc.template = _TEMPLATE
    doc.template_variables.update(
        address=tab.address,
        links=[(e.address, e.menu) for e in tabs] if len(tabs) > 1 else [],
        heading=TITLE,
        first=_in_script(first.text),
        palette=assets.palette_css(),
        static=static.STATIC,
        modules=_MODULES,
        plotly=static.PLOTLY_ADDRESS,
        documentation="./docs/index.html" if static.has_documentation() else "",
    )


def _in_script(text: str) -> str:
    """JSON that cannot end the script element that holds it."""
    return text.replace("<", "\\u003c")
