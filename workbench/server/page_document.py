"""`App`: the pages that a server serves, and the document that shows them to a visitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tornado.ioloop import IOLoop

from workbench.assets import audits
from workbench.assets import board as assets
from workbench.assets import start as start_page
from workbench.assets.search import search_index
from workbench.dashboard.tab import IMPORT, Tab
from workbench.dashboard.visitor.data_sets import first_data_set
from workbench.explorables.registry import listed
from workbench.pages.registry import menu
from workbench.server.handlers import static
from workbench.server.handlers.base import page_template
from workbench.server.network.headers import document_policy
from workbench.server.operations.state import ServerState
from workbench.server.sockets.channel import Channel
from workbench.server.sockets.connection import Connection
from workbench.server.visitors import Visit, Visitors
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.workspace import Workspace

if TYPE_CHECKING:  # it imports Panel
    from workbench.server.apps.panel_app import PanelApp

#: The modules of every document, and those that the start page needs at once.
_MODULES = static.modules("page.js")
_WORDS = ("glossary.js", "search.js", "tour.js", "start.js")
_AUDITS = static.modules("audits.js")

TITLE = "DP Audit Workbench"

#: Name of the start page, which is the same for everybody and no `Tab`.
START = "start"

#: Inline texts of the document, which its content policy allows by their hashes.
_THEME = (assets.HERE / "theme.js").read_text(encoding="utf-8").strip()
_PALETTE = assets.palette_css()

#: What browsers may do with the document, as a function of the host.
POLICY = partial(document_policy, [_THEME], [_PALETTE])

_TEMPLATE = page_template("page.html")


@dataclass(frozen=True)
class App:
    """What a server serves.

    Attributes
    ----------
    tabs : sequence of Tab
        The pages, in the order of the menu. A single page has no menu.
    base : SharedData, optional
        Data sets that all visitors share.
    own : Workspace, optional
        The workspace on disk, for its owner.
    apps : sequence of PanelApp
        Panel apps beside the pages.
    """

    tabs: Sequence[Tab]
    base: SharedData | None = None
    own: Workspace | None = None
    apps: Sequence[PanelApp] = ()
    by_name: Mapping[str, Tab] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {tab.name: tab for tab in self.tabs})


def open_document(app: App, state: ServerState, visitors: Visitors, visit: Visit) -> Channel:
    """The channel of a new document, which is open from now on."""
    channel = Channel()
    loop = IOLoop.current()

    connection = Connection(
        app.by_name,
        partial(loop.add_callback, channel.send),
        partial(visitors.bench, visit.person),
        known=partial(visitors.known, visit.person),
        shown=visit.page if visit.page in app.by_name else "",
        sent=visit.sent,
        # After the messages before it, which are sent in the same way.
        hang_up=partial(loop.add_callback, channel.hang_up),
    )
    visitors.here.enter(visit.person, connection)

    def opened() -> None:
        state.opened(connection, visit.person.key)
        connection.open()

    def end() -> None:
        state.closed(connection)
        connection.end()
        visitors.here.leave(visit.person, connection)
        state.when_left()

    channel.carry_out, channel.opened, channel.closed = connection.carry_out, opened, end
    channel.backlog = lambda: connection.backlog
    return channel


def document_text(app: App, visit: Visit, **more: Any) -> str:
    """The document of a visit, which holds the page, so that it needs no socket.

    Parameters
    ----------
    app : App
    visit : Visit
    **more
        What the template shows besides.
    """
    plain = {"": "", audits.NAME: audits.TITLE}
    title = plain[visit.page] if visit.page in plain else app.by_name[visit.page].title
    named = f"{title} · {TITLE}" if title else TITLE
    return _TEMPLATE.render(title=named, **_variables(app, visit), **more)


def _variables(app: App, visit: Visit) -> dict[str, Any]:
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
        "bench": _bench_of(app, visit),
    }
    parts = [assets.content(frame)[:-1]]
    if visit.page in app.by_name:
        parts.append(f'"page":{visit.text or app.by_name[visit.page].first().text}')
    elif not visit.page:
        parts.append(f'"words":{first_words()}')
    text = f"{','.join(parts)}}}"
    more = {"": _WORDS, audits.NAME: _AUDITS}
    return {
        "menu": list(menu.items()) if len(shown) > 1 else [],
        "apps": [one.name for one in app.apps],
        "data": any(tab.data_key for tab in app.tabs),
        "heading": TITLE,
        "shown": visit.page or START,
        "first": text.replace("<", "\\u003c"),  # nothing ends the script element that holds it
        "palette": _PALETTE,
        "theme": _THEME,
        "static": static.STATIC,
        "modules": dict.fromkeys([*_MODULES, *more.get(visit.page, ())]),
        "plotly": static.PLOTLY_ADDRESS,
        "documentation": "./docs/index.html" if static.has_documentation() else "",
    }


@cache
def first_words() -> str:
    """The start page, the tour and the glossary as JSON."""
    return assets.content(start_page.content() | {"explorables": listed()})


@cache
def searched() -> str:
    """What the search looks in, as JSON."""
    pages = {name: entry for group in menu().values() for name, entry in group.items()}
    return assets.content(search_index(pages))


def _bench_of(app: App, visit: Visit) -> dict[str, Any]:
    """What people see of the data sets and the history."""
    data = Workspace(base=app.base)
    first = {tab.name: first_data_set(data, tab.data_key) for tab in app.tabs if tab.data_key}
    return {**visit.bench, "first": first}
