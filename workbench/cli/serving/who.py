"""Options on who may come to a server.

On this machine alone, the owner of the workspace comes with a key. Whoever lets others reach the
server has to say who they may be: people with accounts (``workbench users``), or everybody.
"""

from __future__ import annotations

import argparse
import logging
import math
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.serving.network import is_local
from workbench.workspaces.home import home_folder, owner_key

if TYPE_CHECKING:
    from workbench.server.people.identity import Identity

logger = logging.getLogger(__name__)

#: Roles by their names, as of `workbench.server.people.person.Role`.
ROLES = ("viewer", "editor", "admin")

_NOBODY = (
    "others reach this server, and nobody could sign in. Let people in with 'workbench users add "
    "NAME', name an OAuth provider with --oauth-provider, or let in everybody who reaches it with "
    "--no-auth"
)

_EVERYBODY = (
    "everybody who reaches this server can use it, without signing in (--no-auth); each browser "
    "has data sets of its own"
)


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group("who may come")
    group.add_argument(
        "--accounts",
        action="store_true",
        help="have people sign in on this machine, too; see 'workbench users'",
    )
    group.add_argument(
        "--no-auth", action="store_true", help="let in everybody who reaches the server"
    )
    group.add_argument(
        "--sign-in-idle",
        metavar="HOURS",
        type=_hours,
        default=12.0,
        help="hours without use after which people have to sign in again (default: 12)",
    )
    group.add_argument(
        "--sign-in-days",
        metavar="DAYS",
        type=_hours,
        default=30.0,
        help="days after which people have to sign in again in any case (default: 30)",
    )


def has_owner(arguments: argparse.Namespace) -> bool:
    """Whether the server is for the owner of the workspace on this machine, and nobody else."""
    return is_local(arguments) and not (arguments.accounts or arguments.oauth_provider)


def server_folder(home: Path | None = None) -> Path:
    """The folder in which a server keeps what it knows of people.

    Parameters
    ----------
    home : Path, optional
        The folder of the owner's workspace.
    """
    return (home_folder() if home is None else home) / "server"


def identity(arguments: argparse.Namespace, home: Path) -> Identity:
    """How the server knows who sent a request.

    Parameters
    ----------
    arguments : argparse.Namespace
    home : Path
        The folder of the owner's workspace.

    Raises
    ------
    ValueError
        Others reach the server, and the options do not say who may come.
    """
    from workbench.server.people.identity import VisitorIdentity

    if arguments.no_auth and (arguments.accounts or arguments.oauth_provider):
        raise ValueError("--no-auth lets in everybody: leave it out, or --accounts and --oauth-…")
    if has_owner(arguments):
        return VisitorIdentity(owner_key(home))
    if arguments.no_auth:
        logger.warning(_EVERYBODY)
        return VisitorIdentity()
    return _accounts(arguments, home)


def _accounts(arguments: argparse.Namespace, home: Path) -> Identity:
    """People with accounts."""
    from workbench.server.people.accounts import Accounts
    from workbench.server.people.sign_ins import SignIns
    from workbench.server.people.signed_in import AccountIdentity
    from workbench.server.storing.database import ServerDatabase

    database = ServerDatabase(server_folder(home))
    accounts = Accounts(database)
    if not arguments.oauth_provider and not accounts.list():
        raise ValueError(_NOBODY)
    sign_ins = SignIns(
        database, idle=3600 * arguments.sign_in_idle, longest=86400 * arguments.sign_in_days
    )
    return AccountIdentity(accounts, sign_ins)


def opens_at(arguments: argparse.Namespace, home: Path) -> str:
    """The address that shows the server to its owner."""
    return f"/?key={owner_key(home)}" if has_owner(arguments) else "/"


def _hours(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be positive, got {text!r}")
    return value
