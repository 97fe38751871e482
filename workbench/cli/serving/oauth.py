"""Options on signing in with an account elsewhere."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.server.people.oauth import OAuth

#: The variable of the environment that has the secret.
SECRET = "WORKBENCH_OAUTH_SECRET"

#: Names of providers, as of `workbench.server.people.providers.PROVIDERS`.
PROVIDERS = ("github", "gitlab", "google", "azure", "okta", "auth0", "generic")

#: Roles of people who sign in for the first time.
ROLES = ("viewer", "editor")


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group(
        "sign-in with an account elsewhere",
        f"OAuth or OpenID Connect; the secret is in {SECRET} or in a file",
    )
    group.add_argument("--oauth-provider", choices=PROVIDERS, help="where people have accounts")
    group.add_argument("--oauth-key", metavar="ID", help="the id of this server there")
    group.add_argument(
        "--oauth-secret-file", metavar="FILE", type=Path, help="a file with the secret"
    )
    group.add_argument(
        "--oauth-allow",
        metavar="DOMAIN-OR-ADDRESS",
        action="append",
        help="whose verified e-mail addresses may sign in; may be repeated",
    )
    group.add_argument(
        "--oauth-allow-all", action="store_true", help="everybody with an account there may sign in"
    )
    group.add_argument(
        "--oauth-role",
        choices=ROLES,
        help="the role of people who sign in for the first time (default: editor)",
    )
    group.add_argument(
        "--oauth-redirect-uri",
        metavar="URI",
        help="the address to which the provider sends people back; by default that of the page, "
        "with /oauth-callback",
    )
    group.add_argument(
        "--oauth-extra",
        metavar="KEY=VALUE",
        action="append",
        help="what the provider needs besides: tenant (azure), url (okta, gitlab), subdomain "
        "(auth0), AUTHORIZE_URL, TOKEN_URL, USER_URL, ISSUER, TITLE (generic); may be repeated",
    )


def options_of(arguments: argparse.Namespace) -> OAuth | None:
    """The provider that the options give; None for none.

    The secret leaves the environment, which all that the server starts would inherit.

    Raises
    ------
    ValueError
        An option is missing, or not usable.
    """
    secret = os.environ.pop(SECRET, "")
    given = {name for name, value in vars(arguments).items() if name.startswith("oauth_") and value}
    if not arguments.oauth_provider:
        if given:
            option = min(given).replace("_", "-")
            raise ValueError(f"--{option} needs --oauth-provider")
        return None

    from workbench.server.people.oauth import OAuth
    from workbench.server.people.person import Role
    from workbench.server.people.providers import provider

    return OAuth(
        provider(arguments.oauth_provider, _pairs(arguments.oauth_extra or [])),
        key=arguments.oauth_key or "",
        secret=_secret(arguments.oauth_secret_file, secret),
        allow=tuple(arguments.oauth_allow or []),
        allow_all=arguments.oauth_allow_all,
        role=Role(arguments.oauth_role or "editor"),
        redirect_uri=arguments.oauth_redirect_uri or "",
    )


def _secret(file: Path | None, from_environment: str) -> str:
    if file is not None and from_environment:
        raise ValueError(f"the secret is in --oauth-secret-file or in {SECRET}, not in both")
    found = from_environment if file is None else file.read_text(encoding="utf-8")
    if not found.strip():
        raise ValueError(f"the secret of the provider must be in {SECRET} or --oauth-secret-file")
    return found.strip()


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    for text, (key, sign, value) in zip(given, pairs, strict=True):
        if not (key and sign and value):
            raise ValueError(f"--oauth-extra must be KEY=VALUE, got {text!r}")
    return {key: value for key, _, value in pairs}
