"""A program that uses every database twice at once, and says which files it opened by itself.

python -m helpers.handles FOLDER

It prints the lines of ``violations`` and ``losses``, which are none where nothing but SQLite opens
a database: POSIX drops all locks of a process on a file when it closes any handle of that file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import traceback
from pathlib import Path

#: A database, or what SQLite keeps beside it.
DATABASE = re.compile(r".*\.(sqlite|db)(-wal|-shm|-journal)?")

#: What another program does that only looks.
LOOK = """
import sqlite3, sys
for path in sys.argv[1:]:
    base = sqlite3.connect(path)
    base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    base.close()
"""

violations: list[str] = []


def watch(event, arguments):
    """An audit hook: a database that is there is opened by nothing but SQLite."""
    if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
        return
    path = Path(os.fsdecode(arguments[0]))
    if DATABASE.fullmatch(path.name) and os.path.lexists(path):
        frames = [one for one in traceback.extract_stack() if "/workbench/" in one.filename]
        violations.append(f"{path.name} opened in {frames[-1].filename}:{frames[-1].lineno}")


def look(folder: Path) -> None:
    """Two other programs, one after the other, open and close all databases."""
    paths = [str(path) for path in folder.rglob("*") if re.search(r"\.(sqlite|db)$", path.name)]
    for _ in range(2):
        subprocess.run([sys.executable, "-c", LOOK, *paths], check=True)


def lost() -> list[str]:
    """Files that this process has open, and that another one has deleted."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except FileNotFoundError:
            continue
        if DATABASE.fullmatch(Path(target.removesuffix(" (deleted)")).name) and "(del" in target:
            found.append(target)
    return found


def main(folder: Path) -> None:
    """Use everything, look from outside, and use it again."""
    os.environ["WORKBENCH_HOME"] = str(folder)
    import workbench as wb
    from workbench.audits.archive import Archive
    from workbench.audits.storing.database import AuditsDatabase
    from workbench.cli import main as cli
    from workbench.server.operations.backup import back_up
    from workbench.server.operations.checks import database_check
    from workbench.server.operations.restore import restore
    from workbench.server.people.accounts import Accounts
    from workbench.server.people.person import Person, Role
    from workbench.server.people_folders import PeopleFolders
    from workbench.server.sharing.grants import Grants
    from workbench.server.storing.database import ServerDatabase
    from workbench.workspaces.home import workspace
    from workbench.workspaces.storing.disk import DiskStore

    sys.addaudithook(watch)
    server = folder / "server"
    ada = Person("a" * 22, "ada", signed_in=True)
    audit = wb.audit(wb.example("no-leak"))
    homes = PeopleFolders(server, database="")
    named = f"sqlite:///{folder / 'named.db'}"
    own = workspace(folder)
    workspaces = [own, homes.open(ada), homes.open(ada)]
    archives = [
        Archive(AuditsDatabase.in_folder(folder)),
        *(Archive(AuditsDatabase.at(named)) for _ in "ab"),
    ]
    databases = [ServerDatabase(server), ServerDatabase(server)]

    def use(name):
        for number, one in enumerate(workspaces):
            one.add_scores(wb.Scores([1, len(name)], [3, number + 4]), f"{name} {number}")
            one.page_states.keep("scores", {"threshold": 0.4})
            one.audits.save(audit, f"{name} {number}")
        for archive in archives:
            archive.save(audit, name)
        for number, database in enumerate(databases):
            Accounts(database).add(f"{name} {number}", Role.EDITOR)
            Grants(database).given_by("x")
            database_check(database)()
        database_check(AuditsDatabase.at(named))()
        DiskStore(folder).close()
        # The commands of a person who calls them from a notebook.
        for command in (["users", "list"], ["audits", "list"], ["backup", f"{folder}.{name}.tar"]):
            cli(command)
        back_up(folder, Path(f"{folder}.{name}.again.tar"))
        restore(Path(f"{folder}.{name}.tar"), Path(f"{folder}.{name}.restored"))

    losses = []
    rounds = ("one", "three", "second")
    for name in rounds:
        use(name)
        look(folder)
        losses += lost()
    for one in workspaces:
        one.close()
    for archive in archives:
        archive.close()
    for database in databases:
        database.close()
    # Everything that was acknowledged is there for who comes later.
    for opened, numbers in ((workspace(folder), (0,)), (homes.open(ada), (1, 2))):
        wanted = {f"{name} {number}" for name in rounds for number in numbers}
        for found in (opened.catalog.own, opened.audits):
            losses += sorted(wanted - {one.name for one in found})
        opened.close()
    people = {one.name for one in Accounts(ServerDatabase(server)).list()}
    losses += sorted({f"{name} {number}" for name in rounds for number in (0, 1)} - people)
    sys.stderr.write("\n".join(losses))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    finally:
        sys.stderr.write("\n".join(sorted(set(violations))))
