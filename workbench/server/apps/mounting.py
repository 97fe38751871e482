"""`mount`: the apps as a part of the server, below ``/apps``."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cache
from typing import Any

import panel as pn
from bokeh.application import Application
from bokeh.resources import Resources
from bokeh.server.tornado import BokehTornado
from bokeh.server.views.doc_handler import DocHandler
from bokeh.server.views.static_handler import StaticHandler
from bokeh.server.views.ws import WSHandler
from panel.io.application import Application as PanelApplication
from panel.io.server import ComponentResourceHandler, get_static_routes
from tornado.ioloop import IOLoop
from tornado.web import RequestHandler, StaticFileHandler

from workbench.server.apps.handlers import (
    AppComponentHandler,
    AppFileHandler,
    AppHandler,
    AppPageHandler,
    AppSocketHandler,
)
from workbench.server.apps.panel_app import PanelApp, VisitedApp
from workbench.server.apps.visits import workspace_of_visitor
from workbench.server.handlers.base import UnknownHandler
from workbench.workspaces.home import look_for_visitors

#: What stands before which handler of Bokeh or Panel; nothing else of theirs is served.
_BEFORE: dict[type[RequestHandler], type[AppHandler]] = {
    DocHandler: AppPageHandler,
    WSHandler: AppSocketHandler,
    ComponentResourceHandler: AppComponentHandler,
    StaticFileHandler: AppFileHandler,
}

#: What an app may know of the request: no cookie, which would sign somebody in.
_HEADERS = ["Accept-Language", "User-Agent"]


class MountedApps(BokehTornado):
    """The apps, each request of which passes what stands before them.

    Parameters
    ----------
    apps : sequence of PanelApp
    root_path : str
        See `ServerOptions`.
    """

    def __init__(self, apps: Sequence[PanelApp], root_path: str = ""):
        applications: dict[str, Application] = {
            f"/{app.name}": PanelApplication(VisitedApp(app)) for app in apps
        }
        super().__init__(
            applications,
            prefix=f"{root_path}/apps",
            extra_patterns=get_static_routes({}),
            secret_key=secrets.token_bytes(32),
            sign_sessions=True,
            include_headers=_HEADERS,
            include_cookies=[],
            compress_response=True,
        )

    def get_handler_delegate(
        self, request: Any, target_class: Any, *more: Any, **named: Any
    ) -> Any:
        """What answers a request."""
        guarded = _guarded(target_class)
        if guarded is UnknownHandler:
            return super().get_handler_delegate(request, guarded)
        return super().get_handler_delegate(request, guarded, *more, **named)

    def resources(self, absolute_url: str | bool | None = None) -> Resources:
        """Files of this server, whatever the environment says of another host."""
        version = StaticHandler.append_version
        return Resources(mode="server", root_url=f"{self.prefix}/", path_versioner=version)


@cache
def _guarded(kind: type[RequestHandler]) -> type[RequestHandler]:
    """A handler of Bokeh or Panel behind what stands before it."""
    for theirs, ours in _BEFORE.items():
        if issubclass(kind, theirs):
            return type(ours.__name__, (ours, kind), {})
    return UnknownHandler


def mount(apps: Sequence[PanelApp], root_path: str = "") -> MountedApps:
    """The apps, to be routed to; `wb.workspace` is the visitor's in their code from now on.

    Parameters
    ----------
    apps : sequence of PanelApp
    root_path : str
        See `ServerOptions`.
    """
    config: Any = pn.config
    config.cookie_secret = config.cookie_secret or secrets.token_hex(32)
    look_for_visitors(workspace_of_visitor)
    mounted = MountedApps(apps, root_path)
    mounted.initialize(IOLoop.current())
    return mounted
