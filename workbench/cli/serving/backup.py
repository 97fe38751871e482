"""`workbench backup` and `workbench restore`: all that is kept on this computer, as a file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from workbench.cli.output import say
from workbench.cli.parser import CommandParser
from workbench.workspaces.home import DATABASE, home_folder


def add_backup(command: CommandParser) -> None:
    """Add the options of the command `backup`."""
    command.description = (
        "Write data sets, audits, states of pages, accounts and keys to one file, also while a "
        "server runs. Keep the file as safe as a password: it holds what signs people in. The "
        "environment variable WORKBENCH_HOME names another folder."
    )
    command.set_defaults(run=write)
    command.add_argument("to", metavar="FILE", type=Path, help="such as workbench-2026-05-01.tar")


def add_restore(command: CommandParser) -> None:
    """Add the options of the command `restore`."""
    command.description = (
        "Put back what 'workbench backup' wrote. Stop the server first. Everything is checked "
        "before anything is changed."
    )
    command.set_defaults(run=read)
    command.add_argument("backup", metavar="FILE", type=Path)
    command.add_argument(
        "--replace",
        action="store_true",
        help="move the folder that is there aside, and say where it is",
    )
    command.add_argument(
        "--verify", action="store_true", help="only check that the backup is whole"
    )


def write(arguments: argparse.Namespace) -> int:
    """Write a backup."""
    from workbench.server.operations.backup import back_up

    missing = _elsewhere()
    manifest = back_up(home_folder(), arguments.to, missing)
    size = arguments.to.stat().st_size
    say(
        f"{arguments.to}: {len(manifest.members)} files, {size / 2**20:,.1f} MB; written, read "
        "again and found whole"
    )
    for one in missing:
        say(f"NOT in the backup: {one}")
    return 0


def read(arguments: argparse.Namespace) -> int:
    """Check or restore a backup."""
    from workbench.server.operations.manifest import check
    from workbench.server.operations.restore import restore

    if arguments.verify:
        manifest = check(arguments.backup)
        say(f"{arguments.backup}: whole; {len(manifest.members)} files")
    else:
        home = home_folder()
        manifest, before = restore(arguments.backup, home, arguments.replace)
        say(f"{home}: {len(manifest.members)} files restored")
        if before is not None:
            say(f"the folder that was there before is {before}")
    say(f"made {manifest.made} by version {manifest.version}")
    for one in manifest.missing:
        say(f"NOT in the backup: {one}")
    return 0


def _elsewhere() -> list[str]:
    """What belongs to the server and is not in its folder."""
    from workbench.audits.storing.database import AuditsDatabase

    address = os.environ.get(DATABASE, "")
    if not address or _is_inside(address):
        return []
    return [
        f"audits {AuditsDatabase.at(address).where} ({DATABASE}); copy it by its own means at the "
        "same time, such as 'pg_dump --format=custom' for PostgreSQL"
    ]


def _is_inside(address: str) -> bool:
    """Whether a database is a file in the folder."""
    from sqlalchemy import make_url

    url = make_url(address)
    path = Path(url.database or "").expanduser().resolve()
    return url.get_backend_name() == "sqlite" and path.is_relative_to(home_folder())
