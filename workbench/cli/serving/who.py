"""Options on who may come to a server.

On this machine alone, the owner of the workspace comes with a ticket, which is in the address that
the terminal shows. Whoever lets others reach the server has to say who they may be: people with
accounts (``workbench users``), or everybody.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.serving.network import is_local
from workbench.workspaces.home import LAUNCH_KEY, home_folder, make_ticket, owner_key

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
        help="hours without use after which people have to sign in again (default: 12; for the "
        "owner on this machine, 168)",
    )
    group.add_argument(
        "--sign-in-days",
        metavar="DAYS",
        type=_hours,
        default=30.0,
        help="days after which people have to sign in again in any case (default: 30)",
    )
    group.add_argument(
        "--show",
        action="store_true",
        help="print an address that lets another browser of the owner into the server that runs "
        "with the same options, and start none",
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
        from workbench.server.storing.database import ServerDatabase

        idle = {} if arguments.sign_in_idle is None else {"idle": 3600 * arguments.sign_in_idle}
        return VisitorIdentity(
            owner_key(home),
            ServerDatabase(server_folder(home)),
            os.environ.pop(LAUNCH_KEY, ""),
            longest=86400 * arguments.sign_in_days,
            **idle,
        )
    if arguments.no_auth:
        logger.warning(_EVERYBODY)
        return VisitorIdentity()
    return _accounts(arguments, home)


def _accounts(arguments: argparse.Namespace, home: Path) -> Identity:
    """People with accounts."""
    from workbench.server.people.accounts import Accounts
    from workbench.server.people.sign_ins import IDLE, SignIns
    from workbench.server.people.signed_in import AccountIdentity
    from workbench.server.storing.database import ServerDatabase

    database = ServerDatabase(server_folder(home))
    accounts = Accounts(database)
    if not arguments.oauth_provider and not accounts.list():
        raise ValueError(_NOBODY)
    idle = IDLE if arguments.sign_in_idle is None else 3600 * arguments.sign_in_idle
    sign_ins = SignIns(database, idle=idle, longest=86400 * arguments.sign_in_days)
    return AccountIdentity(accounts, sign_ins)


def opens_at(identity: Identity) -> str:
    """The path that shows the server to its owner, in one browser.

    Parameters
    ----------
    identity : Identity
        Of the server.
    """
    owner = getattr(identity, "owner", None)
    return "/" if owner is None else f"/?key={owner.ticket()}"


def address_to_show(arguments: argparse.Namespace, home: Path) -> str:
    """An address that lets another browser of the owner into a server that runs already.

    Parameters
    ----------
    arguments : argparse.Namespace
        The options of the server.
    home : Path
        The folder of the owner's workspace.

    Raises
    ------
    ValueError
        The server is not for the owner alone.
    """
    if not has_owner(arguments):
        raise ValueError(
            "--show is for the owner of a server on this machine; people come to this one as its "
            "options say"
        )
    ticket = make_ticket(owner_key(home))
    return f"http://{arguments.address}:{arguments.port}{arguments.root_path}/?key={ticket}"


def _hours(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be positive, got {text!r}")
    return value
