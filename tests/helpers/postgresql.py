"""A PostgreSQL server that tests start and stop: in a folder of its own, on a free port."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ensure_postgresql import find

from helpers.programs import program
from helpers.servers import PATIENCE, free_port

USER, PASSWORD = "auditor", "p@ss/word:1"


class PostgreSQL:
    """A server that can be stopped and started again.

    Parameters
    ----------
    folder : Path
        Of its data and its log.
    binaries : Path
    """

    def __init__(self, folder: Path, binaries: Path):
        self._folder, self._binaries = folder, binaries
        self._port = free_port()
        self._running: ExitStack | None = None
        self._process: Any = None
        # PostgreSQL refuses to run as root.
        self._owner = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}

    def make(self) -> None:
        """Make the files of the server, with one user who has a password."""
        if self._owner:
            shutil.chown(self._folder, **self._owner)
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        subprocess.run(
            [
                *(self._binaries / "initdb", "-D", self._folder / "data", "-U", USER),
                *("-E", "UTF8", "--locale=C", "-A", "scram-sha-256", f"--pwfile={secret}"),
            ],
            check=True,
            cwd="/",
            capture_output=True,
            **self._owner,
        )

    def url(self, database: str = "postgres", password: str = "p%40ss%2Fword%3A1") -> str:
        """The URL of a database."""
        return f"postgresql://{USER}:{password}@localhost:{self._port}/{database}"

    def new_database(self, name: str) -> str:
        """The URL of an empty database."""
        with self.admin() as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def emptied(self) -> str:
        """The URL of a database without tables, which is faster than a new one."""
        with self.admin() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                "datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url()

    def admin(self) -> Any:
        """A connection outside of SQLAlchemy."""
        import psycopg

        return psycopg.connect(self.url(), autocommit=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        import psycopg

        command = [
            *(str(self._binaries / "postgres"), "-D", str(self._folder / "data")),
            *("-p", str(self._port), "-h", "localhost", "-k", str(self._folder)),
        ]
        self._running = ExitStack()
        log = self._running.enter_context((self._folder / "log").open("ab"))
        self._process = self._running.enter_context(
            program(command, cwd="/", stdout=log, stderr=subprocess.STDOUT, **self._owner)
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.admin().close()
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    text = (self._folder / "log").read_text()
                    raise RuntimeError(f"PostgreSQL does not start: {error}\n{text}") from error
                time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: at once and in order (SIGINT), or as in a crash (SIGQUIT)."""
        if self._running is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._running.close()
            self._running = None


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """A server, stopped and deleted however the tests end."""
    binaries = find()
    if binaries is None:
        raise RuntimeError("no PostgreSQL here: run python tests/ensure_postgresql.py")
    # Not in pytest's folder, into which the user postgres may not go.
    folder = Path(tempfile.mkdtemp(prefix="workbench-postgresql-"))
    server = PostgreSQL(folder, binaries)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)  # nobody needs its files any more
        shutil.rmtree(folder, ignore_errors=True)
