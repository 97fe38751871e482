"""`Team`: a server in a thread for people with accounts, and the `Browser` of one of them."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

from argon2 import PasswordHasher

from helpers.served import Served
from workbench.server.people.accounts import Accounts
from workbench.server.people.checking.password_check import PasswordCheck
from workbench.server.people.checking.passwords import Passwords
from workbench.server.people.person import Role
from workbench.server.people.sign_ins import SignIns
from workbench.server.people.signed_in import AccountIdentity
from workbench.server.storing.database import ServerDatabase

#: The password of everybody.
PASSWORD = "correct horse battery"

#: Who has an account.
TEAM = {"Anna": Role.EDITOR, "Ben": Role.EDITOR, "Vera": Role.VIEWER, "Ada": Role.ADMIN}

#: Hashes in no time, for tests that are not about that.
QUICK = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class Team(Served):
    """A server of all pages for people with accounts, in a thread of this process.

    Parameters
    ----------
    folder : Path, optional
        Of the server's database; in memory by default.
    passwords : Passwords, optional
    **more
        Of `SignIns` (``idle``, ``longest``, ``clock``) and `ServerOptions`.
    """

    def __init__(self, folder: Path | None = None, passwords=QUICK, app=None, **more):
        self.database = ServerDatabase(folder)
        times = {name: more.pop(name) for name in ("idle", "longest", "clock") if name in more}
        clock = {"clock": times["clock"]} if "clock" in times else {}
        self.accounts = Accounts(self.database, passwords)
        self.sign_ins = SignIns(self.database, **times)
        door = PasswordCheck(self.accounts, **clock)
        self.identity = AccountIdentity(self.accounts, self.sign_ins, door)
        for name, role in TEAM.items():
            if self.accounts.find(name) is None:
                self.accounts.add(name, role, PASSWORD)
        super().__init__(app, identity=self.identity, **more)

    def browser(self, name: str = "") -> Browser:
        """A new browser, in which somebody has signed in."""
        made = Browser(f"http://localhost:{self.port}")
        if name:
            status, _headers, body = made.sign_in(name)
            assert status == 303, body
        return made


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given):
        return None


class Browser:
    """What a browser keeps and sends, without following redirects.

    Parameters
    ----------
    home : str
        Address of the server.
    """

    def __init__(self, home: str):
        self.home = home
        self.jar = CookieJar(DefaultCookiePolicy())
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self.jar), _Stay()
        )

    @property
    def cookies(self) -> dict[str, str]:
        """Kinds and values of what it keeps."""
        found = {cookie.name: cookie.value or "" for cookie in self.jar}
        return {
            name.removesuffix(self._end).removeprefix("workbench-"): v for name, v in found.items()
        }

    @property
    def _end(self) -> str:
        return f"-{urllib.parse.urlsplit(self.home).port}"

    def name(self, kind: str) -> str:
        """The name of a cookie."""
        return f"workbench-{kind}{self._end}"

    def header(self) -> str:
        """The header ``Cookie`` of its requests."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def get(self, path: str, **headers: str) -> tuple[int, dict, str]:
        """Status, headers and text of an answer."""
        return self._ask(urllib.request.Request(f"{self.home}/{path}", headers=headers))

    def post(self, path: str, fields: dict[str, str], **headers: str) -> tuple[int, dict, str]:
        """Status, headers and text of the answer to a form."""
        sent = urllib.parse.urlencode(fields).encode()
        given = {"Origin": self.home, **headers}
        return self._ask(urllib.request.Request(f"{self.home}/{path}", sent, given))

    def token(self, path: str) -> str:
        """The token of the form on a page."""
        status, _, text = self.get(path)
        assert status == 200, text
        found = re.search(r'name="form" value="([0-9a-f]{64})"', text)
        assert found, text
        return found[1]

    def sign_in(self, name: str, password: str = PASSWORD, goes: str = ""):
        """Status, headers and text of the answer to the sign-in form."""
        path = f"sign-in?next={urllib.parse.quote(goes)}" if goes else "sign-in"
        return self.post(path, {"form": self.token("sign-in"), "name": name, "password": password})

    def _ask(self, request):
        try:
            with self._opener.open(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()
