"""`Handler`: what all answers have in common: who may ask, who asked, and how a refusal looks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote

import jinja2
from tornado.iostream import StreamClosedError
from tornado.log import gen_log
from tornado.web import HTTPError, RequestHandler

from workbench.assets.board import HERE, palette_css
from workbench.server.network import origins
from workbench.server.network.connections import is_narrow
from workbench.server.network.headers import document_policy
from workbench.server.operations.state import Phase
from workbench.server.options import ServerOptions
from workbench.server.people.cookies import forget_former
from workbench.server.people.person import Person
from workbench.server.visitors import Visitors

logger = logging.getLogger(__name__)

#: What is said of an error whose handler gives no reason.
_WORDS = {
    400: "the server does not understand this request",
    401: "sign in first",
    403: "this is not allowed",
    404: "there is nothing at this address",
    405: "this address takes no such request",
    413: "this is larger than the server takes",
    500: "this did not work; the log of the server says why",
    503: "the server is busy; try again in a minute",
}

#: What varies in the pattern of a route, and endings of files that do.
_VARIABLE = re.compile(r"\([^)]*\)|\[[^]]*\]")
_ENDINGS = ("csv", "html", "pdf", "md", "json", "ipynb", "svg", "png", "js", "css", "woff2")

_ENVIRONMENT = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)


def page_template(name: str) -> jinja2.Template:
    """The template of a page, by the name of its file among our assets."""
    return _ENVIRONMENT.from_string((HERE / name).read_text(encoding="utf-8"))


#: Bytes that are sent at a time: others have their turn in between.
PIECE = 256 * 1024

_PAGE = page_template("error.html")
_STYLE = palette_css() + (HERE / "error.css").read_text(encoding="utf-8")


class Handler(RequestHandler):
    """Base class of all handlers of the server, which has no others.

    Attributes
    ----------
    until_the_end : bool
        Whether it answers while the server stops, and where no connection is left for others.
    """

    until_the_end = False

    @property
    def server(self) -> ServerOptions:
        """The options of the server."""
        options: ServerOptions = self.settings["options"]
        return options

    @property
    def visitors(self) -> Visitors:
        """The visitors of the server."""
        visitors: Visitors = self.settings["visitors"]
        return visitors

    @cached_property
    def person(self) -> Person:
        """Who sent the request.

        Raises
        ------
        HTTPError
            Somebody who has to sign in first.
        """
        person = self.server.identity.person(self)
        if person is None:
            raise HTTPError(401, reason="sign in first")
        return person

    async def prepare(self) -> None:
        """Refuse other names and sites, unknown methods, and what comes too late."""
        origins.check_name(self)
        origins.check(self)
        forget_former(self)
        preparing = super().prepare()
        if preparing is not None:
            await preparing
        if not self.until_the_end and is_narrow(self.request):
            raise HTTPError(503, reason="too many connections are open; try again in a minute")
        if not self.until_the_end and self.settings["state"].phase is Phase.STOPPING:
            raise HTTPError(503, reason="the server is being restarted; try again in a minute")
        if self.request.method not in self._methods():
            raise HTTPError(405)  # before anybody is asked who they are, or anything is made

    def head(self, *args: Any, **kwargs: Any) -> Any:
        """Send what ``get`` sends, of which the server leaves out the body."""
        return self.get(*args, **kwargs)

    # -- answers -----------------------------------------------------------------------------------

    def send_page(self, template: jinja2.Template, policy: str, /, **words: Any) -> None:
        """Send a page that browsers do not keep.

        Parameters
        ----------
        template : jinja2.Template
        policy : str
            What browsers may do with it.
        **words
            What the template shows.
        """
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Security-Policy", policy)
        self.finish(template.render(**words))

    def send_words(self, words: str) -> None:
        """Send plain text that browsers do not keep."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.finish(words)

    # -- errors ------------------------------------------------------------------------------------

    @property
    def is_visit(self) -> bool:
        """Whether a person reads the answer in a window of the browser."""
        said = self.request.headers.get
        mode = said("Sec-Fetch-Mode")
        return mode == "navigate" if mode else "text/html" in (said("Accept") or "")

    def write_error(self, status_code: int, **more: Any) -> None:
        """Answer an error in words: as a page where a person reads it, or as plain text."""
        error = (more.get("exc_info") or (None, None))[1]
        reason = error.reason if isinstance(error, HTTPError) else None
        words = reason or _WORDS.get(status_code, "this did not work")
        if status_code == 405:
            self.set_header("Allow", ", ".join(self._methods()))
        if not self.is_visit:
            self.send_words(words)
            return
        more = {"words": f"{words[:1].upper()}{words[1:]}.", "home": f"{self.server.root_path}/"}
        policy = document_policy(styles=[_STYLE])
        self.send_page(_PAGE, policy, style=_STYLE, status=status_code, **more)

    def _methods(self) -> Sequence[str]:
        """The methods that this address takes."""
        done_by = {name: name.lower() for name in self.SUPPORTED_METHODS} | {"HEAD": "get"}
        return [
            name
            for name, does in done_by.items()
            if getattr(type(self), does) is not getattr(RequestHandler, does)
        ]

    # -- the log -----------------------------------------------------------------------------------

    @property
    def asked(self) -> str:
        """The path of the request, as the log may have it: words of our own addresses.

        Everything else is a key or a name, or was typed by somebody.
        """
        words: frozenset[str] = self.settings["words"]
        own = words | {*self.server.root_path.split("/")}
        return re.sub(
            r"[^/.]+", lambda found: found[0] if found[0] in own else "…", self.request.path
        )

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        """Log an error without the query and the headers of the request, which may hold a key."""
        request = f"{self.request.method} {self.asked} ({self.request.remote_ip})"
        if not isinstance(value, HTTPError):
            logger.error("%s failed", request, exc_info=(typ, value, tb))  # type: ignore[arg-type]
        elif reason := value.get_message():
            gen_log.warning("%d %s: %s", value.status_code, request, reason)

    async def send_file(self, content: bytes, name: str, media_type: str) -> None:
        """Send a file that browsers save and never show as a page of ours, in pieces.

        Parameters
        ----------
        content : bytes
        name : str
            With its ending.
        media_type : str
        """
        self.set_header("Content-Type", media_type)
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}")
        self.set_header("Cache-Control", "no-store")
        await self.send_pieces(content)

    async def send_pieces(self, content: bytes) -> None:
        """Send the content of a file, a large one piece by piece."""
        if len(content) <= PIECE:
            self.finish(content)
            return
        self.set_header("Content-Encoding", "identity")  # to compress it would take seconds
        self.set_header("Content-Length", str(len(content)))
        try:
            for start in range(0, len(content), PIECE):
                self.write(content[start : start + PIECE])
                await self.flush()
        except StreamClosedError:  # the browser wants no more of it
            return
        self.finish()


class UnknownHandler(Handler):
    """Handler of every address that the server does not have."""

    async def prepare(self) -> None:
        """Answer that there is nothing, whatever the method."""
        await super().prepare()
        raise HTTPError(404)

    def _methods(self) -> Sequence[str]:
        return self.SUPPORTED_METHODS


def words_of(patterns: Iterable[str]) -> frozenset[str]:
    """The words in the patterns of our routes, which the log may have."""
    plain = " ".join(_VARIABLE.sub(" ", pattern) for pattern in patterns)
    return frozenset([*re.findall(r"[a-z-]{2,}", plain), *_ENDINGS])
