"""A server that goes on writing while `workbench` commands run beside it, and what is there after.

`scenario` does it once; ``python -m helpers.commands_beside TIMES [DATABASE_URL]`` as often as it
is told, and prints what was lost (nothing) and how long a removal and a role took to be in force.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

from benchmarks.hostile_uploads import Uploader
from helpers.people import PASSWORD, Browser
from helpers.servers import PATIENCE, ROOT, Restartable
from workbench.server.people.accounts import Accounts
from workbench.server.people.person import Role
from workbench.server.people_folders import PeopleFolders
from workbench.server.storing.database import ServerDatabase

#: What runs beside the server, one after the other.
COMMANDS = (("users", "list"), ("backup",), ("audits", "list"))

NAMES = ("anna", "ben", "eve", "gone")


@dataclass
class Outcome:
    """What a scenario found.

    Attributes
    ----------
    lost : list of str
        What was acknowledged and is not there, or does not hold.
    acknowledged : int
    removal, demotion : float
        Seconds from when a command had stored it until cookie and socket were refused, and until
        the person could save nothing.
    """

    lost: list[str] = field(default_factory=list)
    acknowledged: int = 0
    removal: float = float("nan")
    demotion: float = float("nan")


class Colleague(Uploader):
    """Somebody who is signed in, with an open document and its socket."""

    def __init__(self, browser: Browser, port: int):
        super().__init__(port, page="counts", address="counts")
        self.browser, self.request = browser, 0

    async def open(self) -> float:
        token = await asyncio.to_thread(_token, self.browser)
        request = HTTPRequest(
            f"ws://localhost:{self.port}/counts/ws",
            headers={"Origin": self.browser.home, "Cookie": self.browser.header()},
        )
        self.socket = await websocket_connect(request, subprotocols=["bokeh", token])
        await self._message()
        return 0.0

    async def asks(self, kind: str, do: str, **more: Any) -> dict[str, Any]:
        """The answer to a question; EOFError where the socket is closed."""
        self.request += 1
        entry = {"audit": "audits", "share": "shares"}[kind]
        sent = {"kind": kind, "do": do, "request": self.request, "serial": self.request, **more}
        try:
            self._send({**sent, "page": ""})
        except WebSocketClosedError as error:
            raise EOFError from error
        while True:
            news = await asyncio.wait_for(self._message(), PATIENCE)
            if news.get(entry, {}).get("request") == self.request:
                return news[entry]

    async def saves(self, name: str) -> str:
        """The key of an audit; "" where it was refused."""
        answer = await self.asks("audit", "save", of="counts", name=name, note=f"note of {name}")
        return answer.get("answer", {}).get("key", "")


def _token(browser: Browser) -> str:
    status, _, text = browser.get("counts")
    assert status == 200, text
    return text.split('data-token="')[1].split('"')[0]


class Scenario:
    """One server, its people, and what it acknowledged."""

    def __init__(self, folder: Path, commands: int):
        self.folder, self.commands = folder, COMMANDS[:commands]
        serve = ("-m", "workbench", "serve", "--no-open", "--accounts", "--port")
        self.server = Restartable(folder, *serve)
        self.outcome = Outcome()
        self.passwords = dict.fromkeys(NAMES, PASSWORD)
        self.old: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.signed_in: list[Browser] = []
        self.audits: list[str] = []
        self.data: list[str] = []
        self.count = 0
        self.database = ServerDatabase(self.server.home / "server")
        for name in NAMES:  # closed again before the server starts
            Accounts(self.database).add(name, Role.EDITOR, PASSWORD)
        self.database.close()

    def browser(self, name: str, password: str = "") -> Browser:
        """Somebody who signs in now."""
        made = Browser(self.server.url.rstrip("/"))
        status, _, text = made.sign_in(name, password or self.passwords[name])
        assert status == 303, (name, status, text)
        return made

    async def colleague(self, browser: Browser) -> Colleague:
        made = Colleague(browser, self.server.port)
        await made.open()
        return made

    async def command(self, *words: str, given: str = "") -> str:
        """What a command printed; it has to succeed."""
        if words == ("backup",):
            words = ("backup", str(self.folder / f"{time.monotonic_ns()}.tar"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workbench", *words),
            cwd=ROOT,
            env={**os.environ, "WORKBENCH_HOME": str(self.server.home)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, wrong = await process.communicate(given.encode())
        assert process.returncode == 0, (words, wrong.decode())
        return out.decode()

    async def writes(self, anna: Colleague) -> None:
        """Everything that people do, each acknowledged: an audit, data, a link, a password."""
        self.count += 1
        number = self.count
        key = await anna.saves(f"audit {number}")
        assert key, "the audit was refused"
        self.audits.append(key)
        await anna.begin()
        rows = "\n".join(f"{k},{k + number}.5" for k in range(40))
        await anna.upload(f"data-{number}.csv", f"p,q\n{rows}\n".encode())
        await anna.accept()
        self.data.append(f"data-{number}")
        told = await anna.asks("share", "link", of="audit", key=key, days=7)
        link = f"shared/{told['answer']['link'].rpartition('/')[2]}"
        stranger = Browser(self.server.url.rstrip("/"))
        assert (await asyncio.to_thread(stranger.get, link))[0] == 200
        self.links.append(link)
        self.signed_in.append(await asyncio.to_thread(self.browser, "eve"))
        await asyncio.to_thread(self.change_password, number)
        self.outcome.acknowledged += 6

    def change_password(self, number: int) -> None:
        """Ben has another password; who was signed in as ben elsewhere no longer is."""
        browser = self.browser("ben")
        old, new = self.passwords["ben"], f"battery staple horse {number}"
        fields = {"form": browser.token("password"), "old": old, "new": new, "again": new}
        status, _, text = browser.post("password", fields)
        assert status == 200, text
        self.passwords["ben"] = new
        self.old.append(("ben", old))
        self.signed_in = [one for one in self.signed_in if one is not self.bens()]
        self.signed_in.append(browser)
        self._ben = browser

    def bens(self) -> Browser | None:
        return getattr(self, "_ben", None)

    def lose(self, what: str) -> None:
        self.outcome.lost.append(what)

    async def run(self, end: signal.Signals) -> Outcome:
        """All of it: writes, commands, writes, a removal and a role, the end, and the check."""
        self.server.start()
        anna = await self.colleague(await asyncio.to_thread(self.browser, "anna"))
        gone = await asyncio.to_thread(self.browser, "gone")
        await self.writes(anna)
        for command in self.commands:
            await self.command(*command)
        await self.writes(anna)
        await self.demote()
        await self.remove(gone)
        await self.writes(anna)
        self.lost_files()
        self.server.stop(end)
        self.count_kept()
        self.server.start()
        await self.check(gone)
        self.server.stop()
        return self.outcome

    async def demote(self) -> None:
        """A command makes ben a viewer, who may then save nothing."""
        ben = await self.colleague(await asyncio.to_thread(self.browser, "ben"))
        made = asyncio.ensure_future(
            self.stored(lambda: self.account("ben").role is Role.VIEWER, "role", "ben", "viewer")
        )
        with suppress(EOFError):  # the socket is closed
            await self.until(made, "a demotion", lambda: ben.saves("of a viewer"))
        self.outcome.demotion = time.monotonic() - await made

    async def remove(self, gone: Browser) -> None:
        """A command removes gone; the cookie is worth nothing, also for a new one of this name."""
        socket = await self.colleague(gone)
        made = asyncio.ensure_future(
            self.stored(lambda: self.account("gone") is None, "remove", "gone")
        )

        async def enters() -> bool:
            return (await asyncio.to_thread(gone.get, "report/counts.json"))[0] == 200

        await self.until(made, "a removal", enters)
        with suppress(EOFError):  # the socket is closed
            await self.until(made, "a removal", lambda: socket.saves("of nobody"))
        self.outcome.removal = time.monotonic() - await made
        await self.command(
            *("users", "add", "gone", "--password-stdin"), given="another horse staple\n"
        )
        self.passwords["gone"] = "another horse staple"
        self.old.append(("gone", PASSWORD))
        if await enters():
            self.lose("an old cookie works for a new account of the same name")

    def account(self, name: str) -> Any:
        return Accounts(self.database).find(name)

    async def stored(self, holds: Callable[[], bool], *words: str) -> float:
        """When a command of `users` had stored its change; it has then ended, too."""
        command = asyncio.ensure_future(self.command("users", *words))
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.02)
            if command.done() and command.exception():
                break
        moment = time.monotonic()
        await command
        self.database.close()
        return moment

    async def until(
        self, made: asyncio.Future[float], what: str, allowed: Callable[[], Awaitable[object]]
    ) -> None:
        """Wait until something is no longer allowed."""
        while await allowed():
            if made.done() and time.monotonic() > made.result() + PATIENCE:
                self.lose(f"{what} was never in force")
                return
            await asyncio.sleep(0.1)

    def lost_files(self) -> None:
        """The server has no file open that was deleted under it."""
        folder = Path(f"/proc/{self.server.process.pid}/fd")
        for one in folder.iterdir() if folder.exists() else ():
            try:
                target = os.readlink(one)
            except FileNotFoundError:
                continue
            if target.startswith(str(self.server.home)) and target.endswith("(deleted)"):
                self.lose(target)

    def count_kept(self) -> None:
        """Audits and data sets, as they are on the disk while no server runs."""
        homes = PeopleFolders(self.server.home / "server")
        person = Accounts(self.database).named("anna").person
        workspace = homes.open(person)
        notes = {one.key: workspace.audits[one.key].note for one in workspace.audits}
        names = {one.name for one in workspace.catalog.own}
        workspace.close()
        self.database.close()
        for number, key in enumerate(self.audits, 1):
            if notes.get(key) != f"note of audit {number}":
                self.lose(f"audit {number}")
        for name in self.data:
            if name not in names:
                self.lose(name)

    async def check(self, gone: Browser) -> None:
        """What the server says after it was started again."""
        for name, password in self.passwords.items():
            if await self._enters(name, password) != 303:
                self.lose(f"the password of {name} is refused")
        for name, password in (self.old[0], *self.old[-2:]):
            if await self._enters(name, password) == 303:
                self.lose(f"an old password of {name} is accepted")
        for link in self.links:
            browser = Browser(self.server.url.rstrip("/"))
            if (await asyncio.to_thread(browser.get, link))[0] != 200:
                self.lose(link)
        for browser in self.signed_in:
            if (await asyncio.to_thread(browser.get, "report/counts.json"))[0] != 200:
                self.lose("a sign-in")
        if (await asyncio.to_thread(gone.get, "report/counts.json"))[0] == 200:
            self.lose("an old cookie works after a restart")
        told = json.loads(await self.command("users", "list", "--json"))
        roles = {one["name"]: one["role"] for one in told["users"]}
        wanted = dict.fromkeys(NAMES, "editor") | {"ben": "viewer"}
        if roles != wanted:
            self.lose(f"roles are {roles}")

    async def _enters(self, name: str, password: str) -> int:
        browser = Browser(self.server.url.rstrip("/"))
        return (await asyncio.to_thread(browser.sign_in, name, password))[0]


def scenario(folder: Path, commands: int, end: signal.Signals = signal.SIGTERM) -> Outcome:
    """The outcome of one server in a folder, with so many commands in a row.

    Parameters
    ----------
    folder : Path
    commands : int
    end : signal.Signals
        How the server is ended before everything is compared.
    """
    run = Scenario(folder, commands)
    try:
        return asyncio.run(run.run(end))
    finally:
        run.server.close()


def main(times: int) -> None:
    """Repeat the scenario, with three commands and both ends in turn."""
    found = []
    for number in range(times):
        with tempfile.TemporaryDirectory(prefix="workbench-beside-") as folder:
            end = (signal.SIGTERM, signal.SIGKILL)[number % 2]
            found.append(scenario(Path(folder), 3, end))
            sys.stdout.write(f"{number + 1} {end.name}: {found[-1]}\n")
            sys.stdout.flush()
    for what in ("removal", "demotion"):
        values = sorted(getattr(one, what) for one in found)
        median = statistics.median(values)
        sys.stdout.write(f"{what}: median {median:.2f} s, largest {values[-1]:.2f} s\n")
    lost = sum(len(one.lost) for one in found)
    acknowledged = sum(one.acknowledged for one in found)
    sys.stdout.write(f"{acknowledged} acknowledged in {times} repetitions, {lost} lost\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
