"""The app around the pages: its document, its menu, and the server."""

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
from workbench.dashboard import server
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


class Tab:
    """A page of the app: its address, its names, and how every visitor first meets it.

    Parameters
    ----------
    factory : Factory
    address : str
        Its path on the server, ``"/"`` or ``"/name"``.
    """

    def __init__(self, factory: Factory, address: str):
        self.factory, self.address = factory, address
        kind: Any = factory.func if isinstance(factory, partial) else factory
        self.title = str(kind.title)
        self.menu = str(kind.menu or kind.title)
        self._first: FirstState | None = None
        self._lock = Lock()

    def first(self) -> FirstState:
        """The first state, drawn once for all visitors."""
        with self._lock:
            if self._first is None:
                self._first = first_state(self.factory())
            return self._first


def make_server(
    pages: Sequence[Factory],
    port: int = 0,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    **more: Any,
) -> Any:
    """A server of the pages that is not started yet; every visit is a new page.

    Parameters
    ----------
    pages : sequence of Factory
        The first is served at ``/``, the others under their class's name. One page needs no menu.
    port, address, allow_origin
        As in `serve`.
    **more
        For `panel.io.server.get_server`.

    Returns
    -------
    panel.io.server.Server
    """
    entries = _entries(pages)
    THREADS.submit(_warm, entries)
    with server.own_handlers():
        return pn.io.server.get_server(
            _apps(entries),
            port=port,
            address=address,
            websocket_origin=[f"{address}:{port}", f"localhost:{port}", *allow_origin],
            title={e.address: f"{e.title} · {TITLE}" for e in entries},
            location=False,
            liveness=True,
            extra_patterns=server.static_patterns(),
            sign_sessions=True,
            secret_key=secrets.token_bytes(32),
            **more,
        )


def serve(
    pages: Sequence[Factory],
    port: int = 5006,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    open_browser: bool = True,
) -> None:
    """Serve the pages until interrupted; nothing is fetched from another host.

    Parameters
    ----------
    pages : sequence of Factory
        See `make_server`.
    port, address
        Where to listen; ``"localhost"`` keeps the page to this machine.
    allow_origin : sequence of str
        Further ``host:port`` under which browsers may reach the page, such as behind a proxy.
    open_browser : bool
        Whether to show the page at once.
    """
    serving = make_server(pages, port, address, allow_origin, show=open_browser)
    serving.start()
    serving.io_loop.start()


def _entries(pages: Sequence[Factory]) -> list[Tab]:
    first, *others = pages
    return [Tab(first, "/"), *(Tab(page, f"/{_slug(page)}") for page in others)]


def _apps(entries: list[Tab]) -> dict[str, Any]:
    def app(entry: Tab) -> Callable[[], Channel]:
        # Panel calls functions only, and would display a functools.partial.
        return lambda: _visit(entry, entries)

    return {entry.address: app(entry) for entry in entries}


def _slug(page: Factory) -> str:
    kind: Any = page.func if isinstance(page, partial) else page
    return str(kind.__name__).removesuffix("Page").lower()


def _warm(entries: list[Tab]) -> None:
    """Draw all first states before anybody asks for them."""
    for entry in entries:
        try:
            entry.first()
        except Exception:
            logger.exception("the page %s cannot be drawn", entry.title)


def _visit(entry: Tab, entries: list[Tab]) -> Channel:
    """A visitor's page; its document holds the first state, so that values need no connection."""
    doc: Any = pn.state.curdoc
    first = entry.first()
    channel = Channel()
    loop = IOLoop.current()

    def send(text: str) -> None:
        loop.add_callback(channel.send, doc, text)

    def later(seconds: float, call: Callable[[], None]) -> None:
        loop.add_callback(loop.call_later, seconds, call)

    sessions: list[Session] = []

    def receive(gesture: dict[str, Any]) -> None:
        # Whoever only looks has the first state, and needs no page of their own.
        if not sessions:
            sessions.append(Session(entry.factory(), first, send, later))
        sessions[0].receive(gesture)

    def end(context: Any) -> None:
        for session in sessions:
            session.end()
        server.give_memory_back(loop)

    channel.receive = receive
    doc.on_session_destroyed(end)
    doc.template = _TEMPLATE
    doc.template_variables.update(
        address=entry.address,
        links=[(e.address, e.menu) for e in entries] if len(entries) > 1 else [],
        heading=TITLE,
        first=_in_script(first.text),
        palette=assets.palette_css(),
        static=server.STATIC,
        plotly=server.PLOTLY,
        documentation="./docs/index.html" if server.has_documentation() else "",
    )
    return channel


def _in_script(text: str) -> str:
    """JSON that cannot end the script element that holds it."""
    return text.replace("<", "\\u003c")
