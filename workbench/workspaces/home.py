"""`workspace`: the workspace on this computer's disk, the same object for the same folder.

Its owner has a key, with which whoever may read it makes tickets: the server, a notebook, a
command. A ticket is in an address in place of the key, which no browser has. It lets one browser
in, once, within a day; the server notes which were used, see `workbench.server.people.owner`.
"""

from __future__ import annotations

import atexit
import base64
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from workbench import _checks
from workbench.software.extras import check

if TYPE_CHECKING:
    from workbench.audits.archive import Archive
    from workbench.workspaces.workspace import Workspace

#: The environment variable that names the folder.
HOME = "WORKBENCH_HOME"

#: The environment variable that names the database of audits.
DATABASE = "WORKBENCH_DATABASE"

#: The environment variable in which a program that starts a server, and checks who asks it, names
#: a key for the owner.
LAUNCH_KEY = "WORKBENCH_LAUNCH_KEY"

_OWNER_KEY = "key"

#: Seconds for which a ticket may be used.
TICKET_LIFE = 24 * 3600

_TICKET = re.compile(r"([0-9a-f]{8,12})-([0-9a-f]{24})-([A-Za-z0-9_-]{43})")

#: See `look_for_visitors` and `require_visitors`.
_find_visitors: Callable[[], Workspace | None] | None = None
_only_visitors = False

_open: dict[tuple[Path, str], Workspace] = {}
_of_this_program: Workspace | None = None
_lock = Lock()


class NoVisitorError(ValueError):
    """Raised where code of an app asks for the workspace of a visitor, and runs for none."""


@atexit.register
def _close() -> None:
    """Write what is still waiting for the disk when the program ends."""
    for one in _open.values():
        one.close()


def workspace(path: str | os.PathLike[str] | None = None, database: str | None = None) -> Workspace:
    """The data sets, the state of pages and the audits that are kept on this computer.

    The pages of ``workbench serve``, notebooks and the command ``workbench data`` use the same
    folder, and see each other's changes.

    Parameters
    ----------
    path : path, optional
        The folder. By default the one that the environment variable ``WORKBENCH_HOME`` names, or
        the one that is usual for data of programs on this system.
    database : str, optional
        The SQLAlchemy URL of the database of audits, of SQLite or PostgreSQL, such as
        ``"postgresql://user:password@host/audits"``. By default the one that the environment
        variable ``WORKBENCH_DATABASE`` names, or the file ``audits.sqlite`` in the folder.

    Returns
    -------
    Workspace
        The same object for the same folder and database. Where the folder cannot be used, data
        sets are kept in memory, and ``problem`` says why, what was kept, and what to do. Audits are
        saved in the database or not at all.

    Raises
    ------
    ArchiveError
        ``database`` is no URL of such a database.
    NoVisitorError
        In an app of ``workbench serve --app``, where the workspace is that of the visitor: the code
        runs for no visitor, such as in a thread that the app has started.

    Examples
    --------
    >>> import tempfile
    >>> ws = wb.workspace(tempfile.mkdtemp())
    >>> losses = ws.add_scores(wb.Scores([0.1, 0.4, 0.2], [0.9, 0.3, 1.2]), "losses")
    >>> ws.datasets
    Datasets('losses')
    >>> ws.scores("losses").n_p
    3
    """
    if path is None and database is None and (visitors := _of_visitor()) is not None:
        return visitors
    folder = home_folder(path)
    if database is None:
        database = os.environ.get(DATABASE, "")
    with _lock:
        place = (folder, _checks.text(database, "database"))
        found = _open.get(place)
        if found is None or found.closed:
            found = _open[place] = _opened(folder, database)
        return found


def given_workspace() -> Workspace:
    """A workspace for pages about objects of Python, which are in no workspace.

    What they show is noted in the workspace that was opened last; where none is open, until the
    program ends.
    """
    from workbench.workspaces.workspace import Workspace

    global _of_this_program
    visitors = _of_visitor()
    if visitors is not None:
        return Workspace(seen=visitors.seen)
    with _lock:
        opened = [one for one in _open.values() if not one.closed]
        if opened:
            return Workspace(seen=opened[-1].seen)
        if _of_this_program is None:
            _of_this_program = Workspace()
        return Workspace(seen=_of_this_program.seen)


def look_for_visitors(find: Callable[[], Workspace | None]) -> None:
    """Have `workspace` return that of the visitor of a server, in code that runs for one.

    Parameters
    ----------
    find : callable
        Returns the workspace of the visitor; None where code runs for nobody.
    """
    global _find_visitors
    _find_visitors = find


def require_visitors() -> None:
    """Refuse `workspace` from now on to code that runs for no visitor.

    It may be that of an app, which would show the operator's data to its visitors.
    """
    global _only_visitors
    _only_visitors = True


def _of_visitor() -> Workspace | None:
    """The workspace of the visitor for whom code runs; None in a program that has none."""
    found = None if _find_visitors is None else _find_visitors()
    if found is None and _only_visitors:
        raise NoVisitorError(
            "this code runs for no visitor of the app, such as in a thread of its own: call "
            "wb.workspace() in the script or in a callback, and hand on what it returns"
        )
    return found


def home_folder(path: str | os.PathLike[str] | None = None) -> Path:
    """The folder of a workspace on disk.

    Parameters
    ----------
    path : path, optional
        As of `workspace`.
    """
    if path is None:
        path = os.environ.get(HOME, "")
    if path:
        return Path(path).expanduser().resolve()
    check("platformdirs", "a workspace on disk needs")
    from platformdirs import user_data_path

    return user_data_path("dp-audit-workbench", appauthor=False).resolve()


def owner_key(folder: Path) -> str:
    """The secret of the owner of a folder, with which tickets for browsers are made.

    Parameters
    ----------
    folder : Path
        Of a workspace. The secret is in its file ``key``; see `kept_secret`.
    """
    return kept_secret(folder / _OWNER_KEY)


def make_ticket(key: str, now: float | None = None) -> str:
    """A new ticket of the owner: letters, digits, ``-`` and ``_``.

    Parameters
    ----------
    key : str
        See `owner_key`.
    now : float, optional
        Seconds since 1970.
    """
    until = int(time.time() if now is None else now) + TICKET_LIFE
    body = f"{until:x}-{secrets.token_hex(12)}"
    return f"{body}-{_mark(key, body)}"


def ticket_end(key: str, text: str) -> float:
    """The time at which a ticket ends, in seconds since 1970; 0 for what is no ticket of this key.

    Parameters
    ----------
    key : str
    text : str
        As an address has it.
    """
    found = _TICKET.fullmatch(text)
    if not key or found is None:
        return 0.0
    right = _mark(key, f"{found[1]}-{found[2]}")
    return float(int(found[1], 16)) if hmac.compare_digest(right, found[3]) else 0.0


def _mark(key: str, body: str) -> str:
    made = hmac.new(key.encode(), f"ticket {body}".encode(), "sha256").digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def kept_secret(path: Path) -> str:
    """The secret in a file that only the owner may read; made when it is first asked for.

    Returns
    -------
    str
        43 letters, digits, ``-`` and ``_``. Where the file cannot be written: another secret in
        every call.
    """
    made = secrets.token_urlsafe(32)
    with suppress(OSError):
        kept = path.read_text(encoding="ascii", errors="replace")
        if re.fullmatch(r"[\w-]{43}", kept, re.ASCII):
            return kept
        path.unlink()  # cut or changed
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as file:
            file.write(made)
        try:
            os.link(unfinished, path)
        except FileExistsError:  # another program was faster
            return path.read_text(encoding="ascii")
        finally:
            unfinished.unlink()
    return made


def _opened(folder: Path, database: str) -> Workspace:
    check("sqlalchemy", "a workspace on disk needs")
    from workbench.audits.storing.database import AuditsDatabase
    from workbench.workspaces.storing.disk import DiskStore
    from workbench.workspaces.storing.guarded import GuardedDisk
    from workbench.workspaces.storing.store import Store
    from workbench.workspaces.workspace import Workspace

    audits = AuditsDatabase.at(database) if database else AuditsDatabase.in_folder(folder)

    def open_archive() -> Archive:
        from workbench.audits.archive import Archive

        return Archive(audits)

    return Workspace(
        Store(GuardedDisk(lambda: DiskStore(folder), f"on this computer, in {folder}")),
        open_archive=open_archive,
    )
