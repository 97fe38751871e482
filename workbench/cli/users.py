"""`workbench users`: the people who may sign in to the server of this computer."""

from __future__ import annotations

import argparse
import getpass
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.cli.output import one_line, say, say_table, to_json
from workbench.cli.parser import CommandParser
from workbench.cli.serving.who import ROLES, server_folder

if TYPE_CHECKING:
    from workbench.server.people.accounts import Accounts


#: Seconds within which a server that is running has let go of somebody who was removed.
LET_GO = 10.0


def add(command: CommandParser) -> None:
    """Add the commands of `users`."""
    command.description = (
        "The people who may sign in to 'workbench serve' on this computer. A server that is "
        "running notices every change within seconds. The environment variable WORKBENCH_HOME "
        "names another folder."
    )
    actions = command.add_subparsers(required=True, metavar="ACTION")

    action = actions.add_parser("add", help="let somebody sign in with a password")
    action.set_defaults(run=add_user)
    action.add_argument("name", metavar="NAME")
    action.add_argument(
        "--role",
        choices=ROLES,
        default="editor",
        help="a viewer looks at what is shared; an editor also adds data and saves (default); an "
        "admin also sees how the server is used",
    )
    _add_password(action)

    action = actions.add_parser("list", help="list the people")
    action.set_defaults(run=list_users)
    action.add_argument("--json", action="store_true", help="as JSON, with keys")

    action = actions.add_parser("remove", help="sign somebody out and let them in no more")
    action.set_defaults(run=remove_user)
    action.add_argument("name", metavar="NAME")
    action.add_argument(
        "--delete-data", action="store_true", help="also delete their data sets and audits"
    )

    action = actions.add_parser("role", help="change what somebody may do")
    action.set_defaults(run=set_role)
    action.add_argument("name", metavar="NAME")
    action.add_argument("role", metavar="ROLE", choices=ROLES, help=", ".join(ROLES))

    action = actions.add_parser("password", help="give somebody another password")
    action.set_defaults(run=set_password)
    action.add_argument("name", metavar="NAME")
    _add_password(action)

    action = actions.add_parser("sign-out", help="sign somebody out in all browsers")
    action.set_defaults(run=sign_out)
    action.add_argument("name", metavar="NAME")


def add_user(arguments: argparse.Namespace) -> int:
    """Let somebody sign in."""
    from workbench.server.people.accounts import AccountError
    from workbench.server.people.person import Role

    with _accounts() as accounts:
        if accounts.find(arguments.name) is not None:  # before a password is asked for
            raise AccountError(f"there is an account {arguments.name!r} already")
        role = Role(arguments.role)
        account = accounts.add(arguments.name, role, _password(arguments))
    say(f"{one_line(account.name, None)} can sign in, as {account.role}")
    return 0


def list_users(arguments: argparse.Namespace) -> int:
    """Print the people."""
    from workbench.server.people.sign_ins import SignIns

    with _accounts() as accounts:
        found, browsers = accounts.list(), SignIns(accounts.database).browsers()
    rows = [
        {
            "name": one.name,
            "role": str(one.role),
            "signs_in_with": one.provider or ("password" if one.password else "nothing"),
            "created": _time(one.created),
            "browsers": browsers[one.key].count if one.key in browsers else 0,
            "last_used": _time(browsers[one.key].used) if one.key in browsers else "",
            "key": one.key,
        }
        for one in found
    ]
    if arguments.json:
        say(to_json({"path": str(server_folder()), "users": rows}))
    elif not rows:
        say("no people yet; add somebody with 'workbench users add NAME'")
    else:
        head = ("name", "role", "signs in with", "browsers", "last used")
        names = ("name", "role", "signs_in_with", "browsers", "last_used")
        say_table([head, *([str(row[name])[:64] for name in names] for row in rows)])
    return 0


def remove_user(arguments: argparse.Namespace) -> int:
    """Let somebody in no more."""
    from workbench.server.people_folders import PeopleFolders, person_folder

    with _accounts() as accounts:
        account = accounts.remove(arguments.name)
    say(f"{one_line(account.name, None)} was signed out and cannot sign in any more")
    folder = person_folder(server_folder(), account.key)
    if arguments.delete_data:
        if folder.exists():
            time.sleep(LET_GO)
        PeopleFolders(server_folder()).forget(account.key)
        say("Their data sets and audits were deleted")
    elif folder.exists():
        say(f"Their data sets and audits are still in {folder}")
    return 0


def set_role(arguments: argparse.Namespace) -> int:
    """Change what somebody may do."""
    from workbench.server.people.person import Role

    with _accounts() as accounts:
        account = accounts.set_role(arguments.name, Role(arguments.role))
    say(f"{one_line(account.name, None)} is {arguments.role} now")
    return 0


def set_password(arguments: argparse.Namespace) -> int:
    """Give somebody another password."""
    with _accounts() as accounts:
        account = accounts.named(arguments.name)
        accounts.set_password(arguments.name, _password(arguments))
    say(f"{one_line(account.name, None)} has another password, and was signed out everywhere")
    return 0


def sign_out(arguments: argparse.Namespace) -> int:
    """Sign somebody out in all browsers."""
    from workbench.server.people.sign_ins import SignIns

    with _accounts() as accounts:
        account = accounts.named(arguments.name)
        count = SignIns(accounts.database).end_all_now(account)
    browsers = "1 browser" if count == 1 else f"{count} browsers"
    say(f"{one_line(account.name, None)} was signed out in {browsers}")
    return 0


def _add_password(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "--password-stdin",
        action="store_true",
        help="read the password from the standard input instead of asking for it",
    )


def _password(arguments: argparse.Namespace) -> str:
    """A new password, typed twice or from the standard input; never from the command line."""
    from workbench.server.people.checking.passwords import check_password

    if arguments.password_stdin:
        return check_password(sys.stdin.readline().rstrip("\r\n"), arguments.name)
    if not sys.stdin.isatty():
        raise ValueError("there is no terminal to ask for a password; pass --password-stdin")
    password = check_password(getpass.getpass("Password: "), arguments.name)
    if getpass.getpass("The same again: ") != password:
        raise ValueError("the passwords are not the same; nothing was changed")
    return password


@contextmanager
def _accounts() -> Iterator[Accounts]:
    """The accounts on this computer."""
    from workbench.server.people.accounts import Accounts
    from workbench.server.storing.database import ServerDatabase

    database = ServerDatabase(server_folder())
    try:
        yield Accounts(database)
    finally:
        database.close()


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
