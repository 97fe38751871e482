"""`Provider`: an OAuth or OpenID Connect provider, and what it says of a person.

The addresses of each provider are those that Panel knows (`panel.auth`). The steps of signing in
are in `oauth`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from workbench import _checks, _json

#: Seconds that a provider may take for an answer, and bytes of it.
PATIENCE, LARGEST = 15.0, 2**20

#: Seconds by which clocks may differ.
_SKEW = 60.0

_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Claims = Mapping[str, Any]


class ProviderError(Exception):
    """Raised where a provider gives no answer that can be used; its words are for the log."""


@dataclass(frozen=True)
class Identified:
    """What a provider says of a person.

    Parameters
    ----------
    subject : str
        Who they are there, for ever; no e-mail address, which somebody else may get later.
    name : str
        What they are called.
    email : str
        An address that the provider has verified; "" if there is none.
    """

    subject: str
    name: str
    email: str


@dataclass(frozen=True)
class Provider:
    """A provider of OpenID Connect.

    An id token comes from the provider itself over TLS, which stands in for its signature (OpenID
    Connect Core 1.0, section 3.1.3.7, item 6); therefore all addresses must be ``https``.

    Parameters
    ----------
    title : str
        As people know it.
    realm : str
        Within which a subject is unique.
    authorize, token : str
        Its addresses.
    user : str
        Where it says who has signed in; "" where the id token does.
    issuer : str
        Of its id tokens; "" for any of the host of ``token``.
    scopes : tuple of str
        What is asked for.
    """

    title: str
    realm: str
    authorize: str
    token: str
    user: str = ""
    issuer: str = ""
    scopes: tuple[str, ...] = ("openid", "email", "profile")

    def __post_init__(self) -> None:
        for address in filter(None, (self.authorize, self.token, self.user)):
            parts = urlsplit(address)
            local = parts.scheme == "http" and parts.hostname in _LOOPBACK
            if not parts.hostname or not (parts.scheme == "https" or local):
                raise ValueError(f"an address of a provider must begin with https; got {address!r}")

    async def tokens(self, **fields: str) -> Claims:
        """The tokens for a code.

        Raises
        ------
        ProviderError
        """
        body = urlencode({"grant_type": "authorization_code", **fields})
        answer = await _fetch(self.token, method="POST", body=body)
        if not isinstance(answer.get("access_token"), str):
            raise ProviderError(f"no access token: {_checks.shown(answer.get('error'))}")
        return answer

    async def identified(self, tokens: Claims, key: str, nonce: str) -> Identified:
        """Who has signed in.

        Parameters
        ----------
        tokens : mapping
            See `tokens`.
        key : str
            Our own id at the provider.
        nonce : str
            What was asked for.

        Raises
        ------
        ProviderError
        """
        claims: Claims = {}
        if "id_token" in tokens:
            claims = _payload(tokens["id_token"])
            self._check(claims, key, nonce)
        elif "openid" in self.scopes and not self.user:
            raise ProviderError("no id token")
        if self.user and not {"sub", "email", "email_verified"} <= set(claims):
            more = await _fetch(self.user, tokens["access_token"])
            if "sub" in claims and claims["sub"] != more.get("sub", more.get("id")):
                raise ProviderError("the id token is of another person than the access token")
            claims = {**more, **claims}
        return Identified(
            subject=_subject(claims),
            name=_name(claims),
            email=await self._email(claims, tokens["access_token"]),
        )

    def _check(self, claims: Claims, key: str, nonce: str) -> None:
        """Refuse an id token that is not for us, not of this sign-in, or old."""
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        now, ends = time.time(), claims.get("exp")
        if key not in audiences or claims.get("azp", key) != key:
            raise ProviderError("the id token is for somebody else")
        if len(audiences) > 1 and "azp" not in claims:
            raise ProviderError("the id token is for several, and does not say who asked for it")
        if not self._is_issuer(claims.get("iss")):
            raise ProviderError(f"the id token is of {_checks.shown(claims.get('iss'))}")
        if claims.get("nonce") != nonce:
            raise ProviderError("the id token is of another sign-in")
        if not (isinstance(ends, int | float) and ends >= now - _SKEW):
            raise ProviderError("the id token has expired")

    def _is_issuer(self, issuer: Any) -> bool:
        if not isinstance(issuer, str):
            return False
        if self.issuer:
            return issuer.rstrip("/") == self.issuer.rstrip("/")
        return urlsplit(issuer)[:2] == urlsplit(self.token)[:2]

    async def _email(self, claims: Claims, access_token: str) -> str:
        """The verified address of a person; "" if there is none."""
        verified = claims.get("email_verified") in (True, "true")
        return _address(claims.get("email")) if verified else ""


class GitHub(Provider):
    """GitHub, which has no id tokens, and verified addresses elsewhere than the rest."""

    async def _email(self, claims: Claims, access_token: str) -> str:
        answer = await _fetch(f"{self.user}/emails", access_token)
        for one in answer.get("values", []):
            if isinstance(one, dict) and one.get("primary") is True and one.get("verified") is True:
                return _address(one.get("email"))
        return ""


class Microsoft(Provider):
    """One tenant of Microsoft Entra, whose administrators say which addresses its people have."""

    async def _email(self, claims: Claims, access_token: str) -> str:
        return _address(claims.get("email") or claims.get("preferred_username"))


_TENANT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Extra = Mapping[str, str]


@dataclass(frozen=True)
class _Kind:
    """How a provider is made of what Panel knows and what the operator adds.

    Parameters
    ----------
    make : callable
        Takes its host, its addresses and the additions.
    needs, takes : tuple of str
        Names of additions that it must have, and of those that it may have.
    panel : str
        Its name in Panel where that is another one.
    """

    make: Callable[[str, dict[str, Any], Extra], Provider]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    panel: str = ""


def _github(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    return GitHub("GitHub", "GitHub", **addresses, scopes=("read:user", "user:email"))


def _gitlab(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    addresses["user"] = f"https://{host}/oauth/userinfo"  # with the claims of OpenID Connect
    return Provider("GitLab", host, **addresses, issuer=f"https://{host}")


def _google(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    return Provider("Google", "Google", **addresses, issuer="https://accounts.google.com")


def _azure(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    tenant = extra["tenant"].lower()
    if not _TENANT.fullmatch(tenant):
        raise ValueError(
            "tenant must be the id of one tenant, 32 hexadecimal digits and four hyphens: people "
            f"of other tenants can claim any e-mail address; got {_checks.shown(extra['tenant'])}"
        )
    issuer = f"https://{host}/{tenant}/v2.0"
    return Microsoft("Microsoft", f"{host}/{tenant}", **addresses, issuer=issuer)


def _okta(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    issuer = addresses["token"].removesuffix("/v1/token").removesuffix("/oauth2")
    return Provider("Okta", host, **addresses, issuer=issuer)


def _auth0(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    return Provider("Auth0", host, **addresses, issuer=f"https://{host}/")


def _generic(host: str, addresses: dict[str, Any], extra: Extra) -> Provider:
    issuer = extra.get("ISSUER", "")
    return Provider(extra.get("TITLE") or host, issuer or host, **addresses, issuer=issuer)


_URLS = ("AUTHORIZE_URL", "TOKEN_URL")

_KINDS = {
    "github": _Kind(_github),
    "gitlab": _Kind(_gitlab, takes=("url",)),
    "google": _Kind(_google),
    "azure": _Kind(_azure, needs=("tenant",), panel="azurev2"),
    "okta": _Kind(_okta, needs=("url",), takes=("server",)),
    "auth0": _Kind(_auth0, needs=("subdomain",)),
    "generic": _Kind(_generic, needs=_URLS, takes=("USER_URL", "ISSUER", "TITLE")),
}

#: Names of providers: those of Panel that say who somebody is.
PROVIDERS = tuple(_KINDS)


def provider(name: str, extra: Extra) -> Provider:
    """A provider by its name.

    Parameters
    ----------
    name : str
        One of `PROVIDERS`.
    extra : mapping of str to str
        What it needs to be told, under the names of Panel's ``oauth_extra_params``.

    Raises
    ------
    ValueError
        Something is missing, or nothing that it knows.
    """
    if name not in _KINDS:
        raise ValueError(f"a provider is one of {', '.join(PROVIDERS)}; got {_checks.shown(name)}")
    kind = _KINDS[name]
    missing = [one for one in kind.needs if not extra.get(one)]
    if missing:
        raise ValueError(f"the provider {name} needs {', '.join(missing)}")
    known = (*kind.needs, *kind.takes)
    unknown = [one for one in extra if one not in known]
    if unknown:
        raise ValueError(
            f"the provider {name} takes {', '.join(known) or 'no additions'}; "
            f"got {_checks.shown(unknown[0])}"
        )
    addresses = _addresses(kind.panel or name, extra)
    return kind.make(urlsplit(addresses["token"]).netloc, addresses, extra)


def _addresses(name: str, extra: Extra) -> dict[str, Any]:
    """The addresses of a provider that Panel knows, without tokens in them."""
    from panel.auth import AUTH_PROVIDERS
    from panel.config import config

    parts = {
        "authorize": "_OAUTH_AUTHORIZE_URL",
        "token": "_OAUTH_ACCESS_TOKEN_URL",
        "user": "_OAUTH_USER_URL",
    }
    kind = AUTH_PROVIDERS[name]
    with config.set(oauth_extra_params=dict(extra)):
        blank = object.__new__(kind)  # its addresses need no request
        found = {part: getattr(blank, place, "") or "" for part, place in parts.items()}
    return {part: urlunsplit(urlsplit(one)._replace(query="")) for part, one in found.items()}


async def _fetch(address: str, access_token: str = "", **request: Any) -> dict[str, Any]:
    """The JSON of an answer; a list is under ``"values"``."""
    headers = {"Accept": "application/json", "User-Agent": "dp-audit-workbench"}
    if access_token:
        headers["Authorization"] = f"Bearer {access_token}"
    client: Any = SimpleAsyncHTTPClient(force_instance=True, max_body_size=LARGEST)
    asked = HTTPRequest(
        address,
        headers=headers,
        follow_redirects=False,
        connect_timeout=PATIENCE,
        request_timeout=PATIENCE,
        **request,
    )
    try:
        answer = await client.fetch(asked)
        found = _json.loads(answer.body)
    except HTTPClientError as error:
        raise ProviderError(f"{_place(address)} answered {error.code}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ProviderError(f"{_place(address)} gave no answer: {type(error).__name__}") from error
    finally:
        client.close()
    if isinstance(found, list):
        return {"values": found}
    if not isinstance(found, dict):
        raise ProviderError(f"{_place(address)} answered something else")
    return found


def _place(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.hostname}{parts.path}"


def _payload(token: Any) -> Claims:
    """The claims of an id token."""
    from panel.util import decode_token

    try:
        claims = decode_token(token, signed=True) if isinstance(token, str) else None
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise ProviderError("the id token cannot be read") from error
    if not isinstance(claims, dict):
        raise ProviderError("the id token cannot be read")
    return claims


def _subject(claims: Claims) -> str:
    found = claims.get("sub", claims.get("id"))
    if isinstance(found, bool) or not isinstance(found, str | int) or not str(found).strip():
        raise ProviderError("it does not say who has signed in")
    return str(found)


def _name(claims: Claims) -> str:
    for key in ("name", "preferred_username", "login", "username", "nickname", "email"):
        found = claims.get(key)
        if isinstance(found, str) and found.strip():
            return found.partition("@")[0] if key == "email" else found
    return ""


def _address(found: Any) -> str:
    """An e-mail address in lower case; "" if it is none."""
    text = found.strip().lower() if isinstance(found, str) else ""
    name, at, domain = text.rpartition("@")
    return text if at and name and domain and text.isprintable() and " " not in text else ""
