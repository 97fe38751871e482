"""Request handlers of people with accounts: signing in and out, and changing a password.

Their pages are plain HTML without scripts. Every form has a token, see
`workbench.server.people.forms`, and may be no larger than it has to be.
"""

from __future__ import annotations

import re
from typing import Any

from tornado.httputil import parse_body_arguments
from tornado.web import HTTPError, stream_request_body

from workbench.assets.board import palette_css
from workbench.server.handlers.base import Handler, page_template
from workbench.server.handlers.static import STATIC
from workbench.server.network.headers import digest
from workbench.server.network.proxy import client_address
from workbench.server.people.accounts import fold
from workbench.server.people.checking.devices import device_of, remember, short
from workbench.server.people.checking.password_check import TryLaterError, WrongPasswordError
from workbench.server.people.checking.passwords import SHORTEST, check_password
from workbench.server.people.forms import FIELD, form_token, is_ours
from workbench.server.people.identity import VisitorIdentity
from workbench.server.people.oauth import START
from workbench.server.people.sign_ins import SignIns
from workbench.server.people.signed_in import AccountIdentity

#: Bytes of a form.
LARGEST = 16_384

_STYLE = palette_css()

#: What browsers do with these pages: they show them, with our style, in no frame.
POLICY = (
    f"default-src 'none'; style-src 'self' {digest(_STYLE)}; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_TEMPLATE = page_template("sign_in.html")

#: An address of a page: one step and a query, and so nothing of another server.
_PAGE = re.compile(r"(apps/)?[A-Za-z0-9_-]*(\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?")

_WRONG = "The name or the password is wrong."
_OLD = "This page was open for too long, or your browser keeps no cookies. Try again."


def next_page(asked: str) -> str:
    """The address of a page of this server, relative to the sign-in page.

    Parameters
    ----------
    asked : str
        As a request has it; what is no such page becomes the start page.
    """
    return f"./{asked}" if _PAGE.fullmatch(asked) else "./"


@stream_request_body
class FormHandler(Handler):
    """Base class of handlers of pages with a form.

    Attributes
    ----------
    tallied : bool
        Whether the request has no line of its own in the log.
    """

    _body = b""
    tallied = False

    async def prepare(self) -> None:
        """Bound the size of a form before it is read; there is none without accounts."""
        connection: Any = self.request.connection
        connection.set_max_body_size(LARGEST)
        await super().prepare()
        self.require()

    def data_received(self, chunk: bytes) -> None:
        """Take a part of the form."""
        self._body += chunk

    def read(self) -> bool:
        """Read the form; False if it is not one of ours."""
        kind = self.request.headers.get("Content-Type", "")
        if not kind.startswith("application/x-www-form-urlencoded"):
            raise HTTPError(415)
        parse_body_arguments(kind, self._body, self.request.body_arguments, self.request.files)
        return is_ours(self)

    def require(self) -> None:
        """Refuse a server on which the form is of no use."""
        _ = self.identity

    @property
    def identity(self) -> AccountIdentity:
        """The accounts of the server."""
        identity = self.server.identity
        if not isinstance(identity, AccountIdentity):
            raise HTTPError(404)
        return identity

    @property
    def sender(self) -> str:
        """The address from which the request was sent."""
        return client_address(self.request, self.server)

    def field(self, name: str) -> str:
        """What was typed in a field of the form, unchanged."""
        return str(self.get_body_argument(name, "", strip=False))

    def show(self, page: str, status: int = 200, **words: Any) -> None:
        """Send a page.

        Parameters
        ----------
        page : str
            Which one of the template.
        status : int
            Of HTTP.
        **words
            What is in it.
        """
        self.set_status(status)
        more = {"style": _STYLE, "static": STATIC, "field": FIELD, "token": form_token(self)}
        more["asked"] = self.get_query_argument("next", "")
        self.send_page(_TEMPLATE, POLICY, page=page, **more, **words)

    def show_later(self, page: str, later: TryLaterError, **words: Any) -> None:
        """Send a page that says when the next password can be tried.

        Parameters
        ----------
        page : str
        later : TryLaterError
        **words
            See `show`.
        """
        self.tallied = True  # the check of passwords logs how many there are
        self.set_header("Retry-After", str(later.seconds))
        seconds = "1 second" if later.seconds == 1 else f"{later.seconds} seconds"
        problem = (
            f"There were too many wrong passwords. Try again in {seconds}, or use a browser in "
            "which you have signed in before."
        )
        self.show(page, 429, problem=problem, **words)


class SignInHandler(FormHandler):
    """Handler of the sign-in page."""

    @property
    def providers(self) -> list[tuple[str, str]]:
        """Titles and addresses of other ways to sign in."""
        oauth = self.server.oauth
        return [] if oauth is None else [(oauth.provider.title, f"./{START}")]

    def get(self) -> None:
        """Send the page; whoever is signed in already goes where they wanted to."""
        asked = self.get_query_argument("next", "")
        if self.identity.person(self) is not None:
            self.redirect(next_page(asked))
            return
        self.show("sign-in", providers=self.providers)

    async def post(self) -> None:
        """Sign somebody in."""
        if not self.read():
            self.show("sign-in", 403, problem=_OLD, providers=self.providers)
            return
        name, password = self.field("name").strip(), self.field("password")
        again = {"name": name, "providers": self.providers}
        device = device_of(self, short(fold(name)))
        try:
            account = await self.identity.password_check.enter(name, password, self.sender, device)
        except WrongPasswordError:
            self.show("sign-in", 401, problem=_WRONG, **again)
        except TryLaterError as later:
            self.show_later("sign-in", later, **again)
        else:
            remember(self, short(fold(account.name)))
            await self.identity.sign_ins.begin(account, self)
            self.redirect(next_page(self.get_query_argument("next", "")), status=303)


class SignOutHandler(FormHandler):
    """Handler of signing out, for the owner of the workspace, too."""

    def require(self) -> None:
        """Refuse a server on which nobody signs in."""
        _ = self.sign_ins

    @property
    def sign_ins(self) -> SignIns:
        """Who is signed in."""
        identity = self.server.identity
        if isinstance(identity, AccountIdentity):
            return identity.sign_ins
        if isinstance(identity, VisitorIdentity) and identity.owner is not None:
            return identity.owner.sign_ins
        raise HTTPError(404)

    async def post(self) -> None:
        """Sign out this browser, or all browsers of the person."""
        account = self.sign_ins.account(self)
        if account is not None:
            if not self.read():
                raise HTTPError(403, reason="reload the page and sign out there")
            if self.field("everywhere"):
                await self.sign_ins.end_all(account)
            await self.sign_ins.end(self)
        if isinstance(self.server.identity, AccountIdentity):
            self.redirect("./sign-in", status=303)
        else:
            self.show("signed out")


class PasswordHandler(FormHandler):
    """Handler of the page on which people change their password."""

    def get(self) -> None:
        """Send the page."""
        account = self.identity.sign_ins.account(self)
        if account is None:
            self.redirect("./sign-in?next=password")
            return
        self.show("password", account=account, shortest=SHORTEST)

    async def post(self) -> None:
        """Change the password of whoever is signed in and knows the old one."""
        account = self.identity.sign_ins.account(self)
        if account is None:
            self.redirect("./sign-in?next=password", status=303)
            return
        again = {"account": account, "shortest": SHORTEST}
        if not self.read():
            self.show("password", 403, problem=_OLD, **again)
            return
        old, new = self.field("old"), self.field("new")
        try:
            check_password(new, account.name)
        except ValueError as error:
            self.show("password", 400, problem=_sentence(str(error)), **again)
            return
        if new != self.field("again"):
            self.show("password", 400, problem="The new passwords are not the same.", **again)
            return
        device = device_of(self, short(fold(account.name)))
        try:
            account = await self.identity.password_check.change(
                account, old, new, self.sender, device
            )
        except WrongPasswordError:
            self.show("password", 401, problem="The old password is wrong.", **again)
        except TryLaterError as later:
            self.show_later("password", later, **again)
        else:
            await self.identity.sign_ins.begin(account, self)
            self.show("changed")


def _sentence(problem: str) -> str:
    return f"{problem[:1].upper()}{problem[1:]}."


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of signing in and out; they lead nowhere on a server without accounts."""
    return [
        (r"/sign-in", SignInHandler),
        (r"/sign-out", SignOutHandler),
        (r"/password", PasswordHandler),
    ]
