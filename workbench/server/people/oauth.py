"""`OAuth`: signing in with an account elsewhere.

The steps are those of the authorization code flow with PKCE (RFC 6749, RFC 7636) and of OpenID
Connect: the browser is sent to the provider with a random state and a nonce, comes back with a
code, and the server asks the provider who that is. What comes of it is a sign-in as with a
password; no token of the provider is kept.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from urllib.parse import urlencode, urlsplit

from tornado.web import RequestHandler

from workbench import _checks, _json
from workbench.server.network.rates import networks
from workbench.server.people.cookies import forget, keep, kept
from workbench.server.people.person import Role
from workbench.server.people.providers import Identified, Provider, ProviderError

logger = logging.getLogger(__name__)

#: Addresses that begin to sign in with a provider, and to which it sends people back.
START, CALLBACK = "oauth-start", "oauth-callback"

#: The cookie of somebody who was sent to the provider, and the seconds that they may take there.
COOKIE, LONGEST = "oauth", 600.0

_DAY = 24 * 3600.0

#: States that are remembered as used. The provider, too, takes each code once.
_MOST = 100_000

#: Questions to the provider that people of one network may cause at once.
_AT_ONCE = 20


class RefusedError(Exception):
    """Raised where somebody cannot sign in with a provider.

    Parameters
    ----------
    words : str
        What they are told.
    status : int
        Of HTTP.
    """

    def __init__(self, words: str, status: int = 403):
        super().__init__(words)
        self.status = status


@dataclass(frozen=True)
class Asked:
    """What a browser that was sent to the provider remembers.

    Parameters
    ----------
    state, nonce, verifier : str
        Random; what comes back has to match each.
    next_page : str
        Where the person wanted to go, relative to the sign-in page.
    """

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)
    next_page: str = "./"

    @property
    def challenge(self) -> str:
        """The hash of the verifier, as PKCE sends it."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class OAuth:
    """Signing in with an account at a provider.

    Parameters
    ----------
    provider : Provider
    key, secret : str
        Of this server at the provider.
    allow : sequence of str
        Who may sign in: verified addresses (``ada@example.org``) and domains (``example.org``).
    allow_all : bool
        Whether everybody with an account at the provider may.
    role : Role
        Of people who sign in for the first time.
    redirect_uri : str
        Our `CALLBACK` as the provider knows it; "" to derive it from the address of the page.

    Raises
    ------
    ValueError
        Nobody may sign in, or something cannot be used.
    """

    def __init__(
        self,
        provider: Provider,
        key: str,
        secret: str,
        allow: Sequence[str] = (),
        allow_all: bool = False,
        role: Role = Role.EDITOR,
        redirect_uri: str = "",
    ):
        self.provider, self.key, self.role = provider, key, role
        self._secret, self._redirect_uri = secret, redirect_uri
        self._allow, self._allow_all = frozenset(_allowed(one) for one in allow), allow_all
        self._used: dict[str, float] = {}  # state -> when it came back
        self._asking: Counter[str] = Counter()  # by network
        if not key or not secret:
            raise ValueError(
                f"{provider.title} needs the id that it has given this server (--oauth-key), and "
                "the secret"
            )
        if bool(self._allow) == allow_all:
            raise ValueError(
                "say who may sign in: name addresses or domains with --oauth-allow, or let in "
                f"everybody with an account at {provider.title} with --oauth-allow-all"
            )
        if role is Role.ADMIN:
            raise ValueError("nobody becomes an administrator by signing in")
        parts = urlsplit(redirect_uri)
        if redirect_uri and not (parts.hostname and parts.path.endswith(f"/{CALLBACK}")):
            raise ValueError(f"the redirect URI must end with /{CALLBACK}; got {redirect_uri!r}")

    def begin(self, handler: RequestHandler, here: str, next_page: str) -> str:
        """The address of the provider at which somebody signs in.

        Parameters
        ----------
        handler : tornado.web.RequestHandler
            Its answer has the cookie with what has to come back.
        here : str
            The address of the root of this server, with a slash at its end.
        next_page : str
            Where to go then, relative to the sign-in page.
        """
        asked = Asked(next_page=next_page)
        keep(handler, COOKIE, _json.dumps_ascii(asdict(asked)), LONGEST / _DAY)
        query = {
            "response_type": "code",
            "client_id": self.key,
            "redirect_uri": self.redirect_uri(here),
            "scope": " ".join(self.provider.scopes),
            "state": asked.state,
            "nonce": asked.nonce,
            "code_challenge": asked.challenge,
            "code_challenge_method": "S256",
        }
        joined = "&" if urlsplit(self.provider.authorize).query else "?"
        return f"{self.provider.authorize}{joined}{urlencode(query)}"

    def returned(self, handler: RequestHandler) -> Asked:
        """What the browser remembers, if this request belongs to it; only once.

        Raises
        ------
        RefusedError
            It was not sent from here, or not lately, or has come back before.
        """
        text = kept(handler, COOKIE, LONGEST / _DAY)
        forget(handler, COOKIE)
        given = handler.get_query_argument("state", "")
        asked = Asked(**_json.loads(text)) if text else None
        now = time.monotonic()
        while self._used and now - next(iter(self._used.values())) > LONGEST:
            self._used.pop(next(iter(self._used)))
        if (
            asked is None
            or not hmac.compare_digest(asked.state.encode(), given.encode())
            or given in self._used
        ):
            raise RefusedError(
                "This sign-in was not begun here, took more than ten minutes, or was used before. "
                "Begin again."
            )
        self._used[given] = now
        while len(self._used) > _MOST:  # the oldest; nobody is kept out by those of others
            self._used.pop(next(iter(self._used)))
        return asked

    async def identified(self, asked: Asked, code: str, here: str, address: str = "") -> Identified:
        """Who has signed in, if they may use this server.

        Parameters
        ----------
        asked : Asked
        code : str
            What the provider gave the browser.
        here : str
            See `begin`.
        address : str
            From which the browser comes.

        Raises
        ------
        RefusedError
            The provider does not answer as it should, or the person may not use this server.
        """
        network = networks(address)[0]
        if self._asking[network] >= _AT_ONCE:
            raise RefusedError("Too many people sign in at once. Try again in a minute.", 429)
        self._asking[network] += 1
        try:
            found = await self._ask(asked, code, here)
        finally:
            self._asking[network] -= 1
            self._asking += Counter()  # without those that are at zero
        if not self._may_enter(found.email):
            logger.warning("somebody may not sign in", extra={"event": "oauth_refused"})
            raise RefusedError(
                f"{self.provider.title} knows you, but whoever runs this server has not allowed "
                f"your account. It needs a verified e-mail address that is allowed here."
            )
        return found

    async def _ask(self, asked: Asked, code: str, here: str) -> Identified:
        try:
            tokens = await self.provider.tokens(
                code=code,
                client_id=self.key,
                client_secret=self._secret,
                redirect_uri=self.redirect_uri(here),
                code_verifier=asked.verifier,
            )
            return await self.provider.identified(tokens, self.key, asked.nonce)
        except ProviderError as error:
            logger.warning(
                "%s could not say who signs in: %s",
                *(self.provider.title, error),
                extra={"event": "oauth_failed"},
            )
            raise RefusedError(
                f"{self.provider.title} could not say who you are. Try again in a minute; the log "
                "of this server says more.",
                502,
            ) from error

    def redirect_uri(self, here: str) -> str:
        """Our address to which the provider sends people back.

        Parameters
        ----------
        here : str
            See `begin`.
        """
        return self._redirect_uri or f"{here}{CALLBACK}"

    def _may_enter(self, email: str) -> bool:
        return self._allow_all or not self._allow.isdisjoint({email, email.rpartition("@")[2]})


def _allowed(text: str) -> str:
    """An address, or a domain without the at sign that people write before it."""
    found = text.strip().lower().removeprefix("@")
    name, at, domain = found.rpartition("@")
    usable = "." in domain and "*" not in found and not any(c.isspace() for c in found)
    if not usable or (at and not name) or "@" in name or domain.startswith("."):
        raise ValueError(
            "who may sign in is an address such as ada@example.org, or a domain such as "
            f"example.org; got {_checks.shown(text)}"
        )
    return found
