"""`Provider`: an OAuth or OpenID Connect provider, and what it says of a person.

The steps of signing in are in `oauth`.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

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


_MICROSOFT, _OKTA = "https://login.microsoftonline.com/{tenant}", "https://{url}/oauth2/{server}"

#: Providers with the addresses of their discovery documents, in which ``{names}`` are what the
#: operator adds. Those without a realm have that of their host. The addresses of a generic provider
#: are all the operator's.
_KINDS = {
    "github": GitHub(
        *("GitHub", "GitHub"),
        "https://github.com/login/oauth/authorize",
        "https://github.com/login/oauth/access_token",
        "https://api.github.com/user",
        scopes=("read:user", "user:email"),
    ),
    "gitlab": Provider(
        *("GitLab", ""),
        "https://{url}/oauth/authorize",
        "https://{url}/oauth/token",
        "https://{url}/oauth/userinfo",
        issuer="https://{url}",
    ),
    "google": Provider(
        *("Google", "Google"),
        "https://accounts.google.com/o/oauth2/v2/auth",
        "https://oauth2.googleapis.com/token",
        issuer="https://accounts.google.com",
    ),
    "azure": Microsoft(
        *("Microsoft", "login.microsoftonline.com/{tenant}"),
        f"{_MICROSOFT}/oauth2/v2.0/authorize",
        f"{_MICROSOFT}/oauth2/v2.0/token",
        issuer=f"{_MICROSOFT}/v2.0",
    ),
    "okta": Provider(
        *("Okta", ""),
        f"{_OKTA}/v1/authorize",
        f"{_OKTA}/v1/token",
        f"{_OKTA}/v1/userinfo",
        issuer=_OKTA,
    ),
    "auth0": Provider(
        *("Auth0", ""),
        "https://{subdomain}.auth0.com/authorize",
        "https://{subdomain}.auth0.com/oauth/token",
        "https://{subdomain}.auth0.com/userinfo",
        issuer="https://{subdomain}.auth0.com/",
    ),
}

#: What the operator must add, and what they may add, with what holds otherwise.
_NEEDS = {
    "azure": ("tenant",),
    "okta": ("url",),
    "auth0": ("subdomain",),
    "generic": ("AUTHORIZE_URL", "TOKEN_URL"),
}
_TAKES = {
    "gitlab": {"url": "gitlab.com"},
    "okta": {"server": "default"},
    "generic": {"USER_URL": "", "ISSUER": "", "TITLE": ""},
}

#: Names of providers.
PROVIDERS = (*_KINDS, "generic")

_TENANT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def provider(name: str, extra: Mapping[str, str]) -> Provider:
    """A provider by its name.

    Parameters
    ----------
    name : str
        One of `PROVIDERS`.
    extra : mapping of str to str
        What the operator adds.

    Raises
    ------
    ValueError
        Something is missing, or nothing that it knows.
    """
    if name not in PROVIDERS:
        raise ValueError(f"a provider is one of {', '.join(PROVIDERS)}; got {_checks.shown(name)}")
    needs, takes = _NEEDS.get(name, ()), _TAKES.get(name, {})
    if missing := [one for one in needs if not extra.get(one)]:
        raise ValueError(f"the provider {name} needs {', '.join(missing)}")
    if unknown := [one for one in extra if one not in (*needs, *takes)]:
        raise ValueError(
            f"the provider {name} takes {', '.join((*needs, *takes)) or 'no additions'}; "
            f"got {_checks.shown(unknown[0])}"
        )
    given = {**takes, **extra}
    if "tenant" in given:
        given["tenant"] = _one_tenant(given["tenant"])
    if name == "generic":
        authorize, token, user = (given[one].partition("?")[0] for one in (*needs, "USER_URL"))
        made = Provider(given["TITLE"], given["ISSUER"], authorize, token, user, given["ISSUER"])
    else:
        kind = _KINDS[name]
        made = replace(
            kind,
            realm=_filled(kind.realm, given),
            authorize=_filled(kind.authorize, given),
            token=_filled(kind.token, given),
            user=_filled(kind.user, given),
            issuer=_filled(kind.issuer, given),
        )
    host = urlsplit(made.token).netloc
    return replace(made, title=made.title or host, realm=made.realm or host)


def _filled(text: str, given: Mapping[str, str]) -> str:
    """An address with what the operator adds; the server of an Okta organization has no name."""
    return text.format_map(given).replace("/oauth2//", "/oauth2/").removesuffix("/oauth2/")


def _one_tenant(given: str) -> str:
    tenant = given.lower()
    if not _TENANT.fullmatch(tenant):
        raise ValueError(
            "tenant must be the id of one tenant, 32 hexadecimal digits and four hyphens: people "
            f"of other tenants can claim any e-mail address; got {_checks.shown(given)}"
        )
    return tenant


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
    try:
        _, claims, _ = str(token).split(".")
        found = _json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    except (ValueError, RecursionError) as error:
        raise ProviderError("the id token cannot be read") from error
    if not isinstance(found, dict):
        raise ProviderError("the id token cannot be read")
    return found


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
