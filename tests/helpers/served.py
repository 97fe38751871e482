"""`Served`: a server in a thread of this process, and the cookies of its visitors."""

from __future__ import annotations

import asyncio
import threading
import urllib.error
import urllib.request

from tornado.ioloop import IOLoop
from tornado.web import create_signed_value

from helpers.servers import free_port
from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App, make_server
from workbench.server.options import ServerOptions
from workbench.server.people.identity import WHO
from workbench.server.people.person import Person

#: Seconds for which a person who has no document open keeps live pages. Longer than any test: on a
#: busy machine a minute can pass between two of its lines.
GRACE = 3600.0

#: A visitor's cookie, and another one's.
MINE, THEIRS = Person("m" * 43), Person("t" * 43)
NOBODY = Person("n" * 43)

SECRET = b"s" * 32


def cookie_name(kind, port):
    """The name of a cookie of the server at a port."""
    return f"workbench-{kind}-{port}"


def cookie_of(who, port, secret=SECRET):
    """The cookie by which a browser shows whose it is."""
    name = cookie_name(WHO, port)
    return f"{name}={create_signed_value(secret, name, who.key).decode()}"


class Served:
    """A server of all pages in a thread of this process.

    Parameters
    ----------
    app : App, optional
        What it serves; all pages by default.
    **options
        Of `ServerOptions`.
    """

    def __init__(self, app=None, **options):
        self.port = options.pop("port", 0) or free_port()
        self._options = {"port": self.port, "secret": SECRET, **options}
        tabs = [Tab(entry.kind, f"/{name}", entry.title) for name, entry in PAGES.items()]
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(app or App(tabs),), daemon=True)
        self._thread.start()
        assert self._up.wait(60)

    def _run(self, app):
        asyncio.set_event_loop(asyncio.new_event_loop())
        self._loop = IOLoop.current()
        self.server = server = make_server(app, ServerOptions(**self._options), grace=GRACE)
        self.application, self.http = server.application, server.http
        self.settings = server.application.settings
        self.visitors = self.settings["visitors"]
        server.start()
        self._loop.add_callback(self._up.set)
        self._loop.start()

    def close(self):
        self._loop.add_callback(self.http.stop)  # its port is free
        self._loop.add_callback(self._loop.stop)
        self._thread.join(30)

    def get(self, path, who=None, secret=SECRET):
        """Status, headers and body of an answer."""
        cookie = {"Cookie": cookie_of(who, self.port, secret)} if who else {}
        asked = urllib.request.Request(f"http://localhost:{self.port}/{path}", headers=cookie)
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def file(self, path, who=None):
        """The content of a file that is sent."""
        status, headers, body = self.get(path, who)
        assert status == 200, body
        assert headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''")
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        return body

    def sets(self, who, page, **values):
        """Set parameters of a visitor's page, as if by hand."""
        self.visitors.bench(who).pages.ask(page, lambda live: live.page.param.update(**values))

    def page(self, name, who=None):
        """A copy of a page as a visitor left it."""
        return self.visitors.page(who or NOBODY, name)
