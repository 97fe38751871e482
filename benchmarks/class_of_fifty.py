"""A class that drags at once, while one runs the coverage lab and another uploads a large file.

python -m benchmarks class_of_fifty runs a small class; python -m benchmarks.class_of_fifty --full
runs fifty for a minute each, with uploads of 500 MB and ten rounds, which takes half an hour. Other
options: --help. Rows have the load average of the machine; on one that others use, compare rows of
one run with each other and look at CPU seconds. How long the interpreter was held by one thread is
measured in the server itself, see `benchmarks._ticks`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import mmap
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._ticks import holds
from benchmarks.hostile_uploads import Uploader
from benchmarks.visitors import Server, Visitor, p95

Row = tuple[str, str, str]

#: Seconds after which what people had is put away, and the memory is back.
LEFT = 100.0

#: Seconds between two questions how the server is.
ASK = 0.25


@dataclass(frozen=True)
class Plan:
    """What is run.

    Attributes
    ----------
    visitors : int
    seconds : float
        Of dragging.
    megabytes : float
        Of each upload.
    kinds : tuple of str
        Kinds of uploaded files.
    scores : int
        Scores of the one person who has many.
    workers : int
        People who run a job at the same time.
    people, rows : int
        People who each have so many scores of their own.
    rounds : int
        Times that the class comes and goes.
    round_seconds, linger : float
        Of dragging in each round, and of waiting until memory is measured.
    parts : tuple of str
        Which parts, see `PARTS`; all by default.
    """

    visitors: int = 10
    seconds: float = 8.0
    megabytes: float = 20.0
    kinds: tuple[str, ...] = ("csv", "npz")
    scores: int = 10**6
    workers: int = 3
    people: int = 3
    rows: int = 10**5
    rounds: int = 3
    round_seconds: float = 2.0
    linger: float = 40.0
    parts: tuple[str, ...] = ()


SMALL = Plan()
FULL = Plan(
    50,
    60.0,
    500.0,
    scores=10**7,
    workers=10,
    people=20,
    rows=10**6,
    rounds=10,
    round_seconds=15.0,
    linger=300.0,
)

#: What a server that people share allows of jobs, see `ServerLimits.shared`.
SHARED = ("--max-jobs", "4", "--max-jobs-each", "2")


# ---------------------------------------------------------------- what is measured meanwhile


class Watch(threading.Thread):
    """Asks a server how it is, again and again."""

    def __init__(self, server: Server):
        super().__init__(daemon=True)
        self.server = server
        self.waits: list[float] = []
        self.errors: list[str] = []
        self._end = threading.Event()

    def run(self) -> None:
        while not self._end.wait(ASK):
            began = time.monotonic()
            try:
                url = f"http://localhost:{self.server.port}/health"
                urllib.request.urlopen(url, timeout=30).close()
            except OSError as error:
                self.errors.append(f"/health: {error}")
            self.waits.append(time.monotonic() - began)

    def stop(self) -> None:
        self._end.set()
        self.join()


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [one for child in tasks.read_text().split() for one in family(int(child))]
    return found


def cpu_of(pids: Iterable[int]) -> float:
    """Seconds of CPU of processes, and of those that they have waited for."""
    used = 0.0
    for pid in pids:
        try:
            numbers = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        used += sum(int(number) for number in numbers[11:15]) / os.sysconf("SC_CLK_TCK")
    return used


def megabytes_of(pids: Iterable[int]) -> float:
    """Memory of processes; what they share is counted once."""
    total = 0.0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return total


@dataclass
class Measured:
    """What one phase showed."""

    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    answers: int = 0
    cpu: float = 0.0
    seconds: float = 0.0
    held: float = 0.0
    load: float = 0.0

    def rows(self, who: str) -> list[Row]:
        """Its rows."""
        who = f"{who} (load {self.load:.1f})"
        waits, asked = self.waits or [float("nan")], self.health or [float("nan")]
        drags = f"{statistics.median(waits):.3f}, {p95(waits):.3f}, {max(waits):.3f} s"
        return [
            (f"{who}: change to answer, median, p95, longest", drags, "p95 at most 1 s"),
            (f"{who}: errors", "; ".join([str(len(self.errors)), *self.errors[:2]]), "0"),
            (f"{who}: answers a second", f"{self.answers / self.seconds:.0f}", ""),
            (
                f"{who}: CPU of the page process a move",
                f"{1000 * self.cpu / max(self.answers, 1):.1f} ms",
                "at most 15 ms",
            ),
            (
                f"{who}: /health, p95, longest",
                f"{1000 * p95(asked):.0f}, {1000 * max(asked):.0f} ms",
                "at most 200 ms",
            ),
            (f"{who}: longest hold of the interpreter", f"{1000 * self.held:.0f} ms", "100 ms"),
        ]


class Class:
    """A server, the visitors who drag, and what is measured of them."""

    def __init__(self, server: Server, notes: Path):
        self.server, self.notes = server, notes
        self.visitors: list[Visitor] = []

    async def come(self, count: int) -> None:
        """Open so many documents."""
        self.visitors = [Visitor(self.server.port) for _ in range(count)]
        await asyncio.gather(*(visitor.open() for visitor in self.visitors))

    def leave(self) -> None:
        """Close all documents."""
        for visitor in self.visitors:
            visitor.close()

    async def drag(self, seconds: float, meanwhile: Awaitable[Any] | None = None) -> Measured:
        """Have all visitors drag, at least until something else is done."""
        found, rng = Measured(load=os.getloadavg()[0]), random.Random(0)
        watch = Watch(self.server)
        watch.start()
        began, cpu = time.monotonic(), self.server.cpu
        for visitor in self.visitors:
            visitor.waits, visitor.errors, visitor.answers = [], [], 0
        other = asyncio.ensure_future(meanwhile) if meanwhile is not None else None
        while True:
            await asyncio.gather(*(visitor.move(seconds, rng) for visitor in self.visitors))
            if other is None or other.done():
                break
        if other is not None:
            try:
                await other
            except Exception as error:
                found.errors.append(str(error))
        watch.stop()
        found.errors += watch.errors
        found.seconds = time.monotonic() - began
        found.cpu, found.health = self.server.cpu - cpu, watch.waits
        for visitor in self.visitors:
            found.waits += visitor.waits
            found.errors += visitor.errors
            found.answers += visitor.answers
        late = holds(self.notes, began)
        found.held = late[0].held if late else 0.0
        for hold in late[:5]:
            print(f"    {hold.held:.3f} s held ({hold.delay:.3f}): {hold.where}", file=sys.stderr)
        return found


@asynccontextmanager
async def lesson(visitors: int, options: Sequence[str] = ()) -> AsyncIterator[Class]:
    """A fresh server, with so many open documents."""
    notes = Path(tempfile.mkstemp(prefix="workbench-holds-")[1])
    server = Server("benchmarks._ticks", str(notes), options=options)
    try:
        await server.up()
        warm = Visitor(server.port)
        await warm.open()
        warm.close()
        await asyncio.sleep(5)  # the process of jobs starts meanwhile
        room = Class(server, notes)
        await room.come(visitors)
        yield room
        room.leave()
    finally:
        server.close()
        notes.unlink()


# ---------------------------------------------------------------- what others do meanwhile


class Worker(Visitor):
    """A visitor who runs a job."""

    async def work(self, settings: dict[str, Any], job: str) -> None:
        """Set settings, run a job, and wait for its end."""
        for k, (name, value) in enumerate(settings.items(), 1):
            gesture = {"kind": "set", "name": name, "value": value, "typed": True}
            self._send({**gesture, "page": self.page, "serial": k})
        serial = len(settings) + 1
        self._send({"kind": "job", "job": job, "page": self.page, "serial": serial})
        begun = False
        while True:
            news = await self._message()
            for text in news.get("jobs", {}).values():
                state = json.loads(text)
                begun |= state["status"] == "running"
                if begun and state["status"] != "running":
                    if state["status"] != "done":
                        raise RuntimeError(f"the job ended so: {state}")
                    return


def content_of(kind: str, megabytes: float, folder: Path) -> Path:
    """A file of scores of about this size."""
    path, rng = folder / f"scores.{kind}", np.random.default_rng(0)
    if kind == "npz":
        size = int(megabytes * 2**20 / 16)
        np.savez(path, p=rng.normal(1, 1, size), q=rng.normal(0, 1, size))
        return path
    rows = 50_000
    member = rng.integers(0, 2, rows)
    score = rng.normal(member, 1)
    lines = "".join(f"{s:.12f},{m}\n" for s, m in zip(score, member, strict=True)).encode()
    with path.open("wb") as file:
        file.write(b"score,member\n")
        while file.tell() < megabytes * 2**20:
            file.write(lines)
    return path


async def upload(port: int, path: Path, told: dict[str, float]) -> None:
    """A visitor who opens a file and accepts how it is read."""
    who = Uploader(port)
    await who.open()
    await who.begin()
    began = time.monotonic()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        await who.upload(path.name, content)
    if not who.found:
        raise RuntimeError(f"the upload of {path.name} was not read: {who.message!r}")
    told["uploaded"] = time.monotonic() - began
    await who.accept()
    told["shown"] = time.monotonic() - began
    who.close()


# ---------------------------------------------------------------- parts


async def dragging(plan: Plan) -> list[Row]:
    """All drag; then one runs the coverage lab, another uploads."""
    rows: list[Row] = []
    who = f"{plan.visitors} drag"
    async with lesson(plan.visitors) as room:
        alone = await room.drag(plan.seconds)
        rows += alone.rows(who)
        worker = Worker(room.server.port, page="coveragelab", address="coveragelab")
        await worker.open()
        settings = {"log_reps": 2.75 if plan.seconds > 20 else 2.0}
        job = await room.drag(plan.seconds, worker.work(settings, "simulate"))
        rows += job.rows(f"{who}, coverage lab")
        worker.close()
    with tempfile.TemporaryDirectory() as folder:
        for kind in plan.kinds:
            path, told = content_of(kind, plan.megabytes, Path(folder)), {}
            async with lesson(plan.visitors) as room:
                before = room.server.megabytes
                worker = Worker(room.server.port, page="coveragelab", address="coveragelab")
                await worker.open()
                others = asyncio.gather(
                    worker.work(settings, "simulate"), upload(room.server.port, path, told)
                )
                found = await room.drag(plan.seconds, others)
                name = f"{who}, coverage lab, {plan.megabytes:.0f} MB {kind}"
                rows += found.rows(name)
                rows += [
                    (
                        f"{name}: until read, until shown",
                        "{:.0f}, {:.0f} s".format(*told.values()),
                        "",
                    )
                    if told
                    else (f"{name}: {found.errors[:1]}", "", ""),
                    (
                        f"{name}: MB of the page process before, with them",
                        f"{before:.0f}, {room.server.megabytes:.0f}",
                        "",
                    ),
                ]
                worker.close()
            path.unlink()
    return rows


async def coming_and_going(plan: Plan) -> list[Row]:
    """Rounds in which the class comes, drags and leaves."""
    async with lesson(0) as room:
        await asyncio.sleep(30 if plan.linger > 60 else 5)
        start, told = room.server.megabytes, []
        for k in range(plan.rounds):
            await room.come(plan.visitors)
            await room.drag(plan.round_seconds)
            busy = room.server.megabytes
            room.leave()
            room.visitors = []
            if k in (0, plan.rounds - 1):
                await asyncio.sleep(plan.linger)
            told.append((busy, room.server.megabytes))
    first, last = told[0], told[-1]
    after = f"{plan.visitors} came, dragged and left, {plan.linger:.0f} s later"
    return [
        (
            f"{after}: MB at the start, with them, after",
            f"{start:.0f}, {first[0]:.0f}, {first[1]:.0f}",
            "",
        ),
        (f"{after}: to the start", f"{first[1] / start:.3f}", "at most 1.2"),
        (f"{plan.rounds} rounds: MB with them, after", f"{last[0]:.0f}, {last[1]:.0f}", ""),
        (f"{plan.rounds} rounds: to the start", f"{last[1] / start:.3f}", "at most 1.2"),
    ]


async def many_scores(plan: Plan) -> list[Row]:
    """One person with many scores drags, too."""
    others = 20 if plan.visitors >= 20 else plan.visitors
    with tempfile.TemporaryDirectory() as folder:
        path = content_of("npz", 16 * plan.scores / 2**21, Path(folder))
        async with lesson(others) as room:
            alone = await room.drag(plan.seconds / 2)
            cpu = room.server.cpu
            who = Uploader(room.server.port)
            await who.open()
            before = room.server.megabytes
            await who.begin()
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as c:
                await who.upload(path.name, c)
            await who.accept()
            opening = room.server.cpu - cpu
            who.handled = 0
            await who.move(2.0, random.Random(1))  # the page is made
            own = room.server.megabytes
            who.waits = []
            both = await room.drag(plan.seconds / 2, who.move(plan.seconds / 2, random.Random(2)))
            millions = plan.scores / 1e6
            who.close()
    name = f"one drags {plan.scores:.0e} scores"
    own_waits = who.waits or [float("nan")]
    return [
        *alone.rows(f"{others} drag"),
        *both.rows(f"{others} drag, {name}"),
        (
            f"{name}: its own median, p95",
            f"{statistics.median(own_waits):.3f}, {p95(own_waits):.3f} s",
            "",
        ),
        (f"{name}: CPU of the page process to open them", f"{opening:.1f} s", ""),
        (f"{name}: MB for each 10^6 scores", f"{(own - before) / millions:.0f}", ""),
    ]


async def jobs(plan: Plan) -> list[Row]:
    """All drag while others run heavy jobs, as many at once as a server for several people has."""
    who = f"{plan.visitors} drag"
    async with lesson(plan.visitors, SHARED) as room:
        alone = await room.drag(plan.seconds)
        workers = [
            Worker(room.server.port, page="coveragelab", address="coveragelab")
            for _ in range(plan.workers)
        ]
        for worker in workers:
            await worker.open()
        at_work = [
            asyncio.ensure_future(worker.work({"log_reps": 4.0}, "simulate")) for worker in workers
        ]
        while len(workers_of(room.server.process.pid)) < min(plan.workers, 4):
            await asyncio.sleep(0.2)
        busy = cpu_of(family(room.server.process.pid))
        both = await room.drag(plan.seconds)
        running = workers_of(room.server.process.pid)
        busy = cpu_of(family(room.server.process.pid)) - busy - both.cpu
        ended = sum(one.done() for one in at_work)
        for one in at_work:
            one.cancel()
    name = f"{who}, {plan.workers} ask for a job"
    return [
        *alone.rows(who),
        *both.rows(name),
        (f"{name}: at work at once, niceness", f"{len(running)}, {sorted(set(running))}", "4"),
        (f"{name}: jobs that ended meanwhile", str(ended), ""),
        (f"{name}: CPU of the jobs", f"{busy:.0f} s of {both.seconds:.0f} s", ""),
    ]


def workers_of(pid: int) -> list[int]:
    """The niceness of each process of a job that a server runs."""
    found = []
    for one in family(pid)[1:]:
        with suppress(OSError):  # it has just ended
            stat = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
            if stat[1] != str(pid) and int(stat[3]) == one:  # it leads a session of its own
                found.append(int(stat[16]))
    return found


async def own_data(plan: Plan) -> list[Row]:
    """People who each have many scores of their own: memory with them, and after they left."""
    with tempfile.TemporaryDirectory() as folder:
        path = content_of("npz", 16 * plan.rows / 2**21, Path(folder))
        async with lesson(0) as room:
            server = room.server
            await asyncio.sleep(10)
            start, held, rng = server.megabytes, [], random.Random(3)
            people = [Uploader(server.port) for _ in range(plan.people)]
            for who in people:
                await who.open()
                await who.begin()
                with (
                    path.open("rb") as file,
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as c,
                ):
                    await who.upload(path.name, c)
                await who.accept()
                who.handled = 0
                await who.move(3.0, rng)
                held.append(server.megabytes)
            who_errors = [error for who in people for error in who.errors]
            for who in people:
                who.close()
            await asyncio.sleep(LEFT)
            after = server.megabytes
    name = f"{plan.people} people with {plan.rows:.0e} scores each"
    each = (held[-1] - held[0]) / (plan.people - 1)
    return [
        (
            f"{name}: MB at the start, with one, with all",
            f"{start:.0f}, {held[0]:.0f}, {held[-1]:.0f}",
            "",
        ),
        (f"{name}: MB a person", f"{each:.1f}", ""),
        (f"{name}: MB {LEFT:.0f} s after they left", f"{after:.0f}", ""),
        (f"{name}: to the start", f"{after / start:.3f}", "at most 1.1"),
        (f"{name}: errors", f"{len(who_errors)}", "0"),
    ]


async def sizes(plan: Plan) -> list[Row]:
    """One page process against two with half of the class each, and memory of a session."""
    rows: list[Row] = []
    for servers in (1, 2):
        rooms: list[Class] = []
        each = plan.visitors // servers
        stack = [lesson(each) for _ in range(servers)]
        try:
            for one in stack:
                rooms.append(await one.__aenter__())
            idle = sum(megabytes_of(family(room.server.process.pid)) for room in rooms)
            found = await asyncio.gather(*(room.drag(plan.seconds) for room in rooms))
            busy = sum(megabytes_of(family(room.server.process.pid)) for room in rooms)
        finally:
            for one in stack[: len(rooms)]:
                await one.__aexit__(None, None, None)
        together = Measured(
            waits=[wait for one in found for wait in one.waits],
            errors=[error for one in found for error in one.errors],
            health=[wait for one in found for wait in one.health],
            answers=sum(one.answers for one in found),
            cpu=sum(one.cpu for one in found),
            seconds=max(one.seconds for one in found),
            held=max(one.held for one in found),
            load=found[0].load,
        )
        name = f"{servers} page process{'es' * (servers > 1)}, {each} each"
        rows += together.rows(name)
        rows.append((f"{name}: MB of all, open and dragging", f"{idle:.0f}, {busy:.0f}", ""))
    return rows


PARTS: dict[str, Callable[[Plan], Awaitable[list[Row]]]] = {
    "dragging": dragging,
    "rounds": coming_and_going,
    "many": many_scores,
    "jobs": jobs,
    "own": own_data,
    "sizes": sizes,
}


def main(plan: Plan = SMALL) -> list[Row]:
    """Rows: what, measured, target."""
    parts = plan.parts or tuple(PARTS)
    return [row for part in parts for row in asyncio.run(PARTS[part](plan))]  # type: ignore[arg-type]


def command() -> None:
    from benchmarks.__main__ import table

    asked = argparse.ArgumentParser(prog="python -m benchmarks.class_of_fifty")
    asked.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    asked.add_argument("--full", action="store_true", help="fifty visitors and 500 MB")
    for one in fields(Plan):
        if one.name in ("parts", "kinds"):
            continue
        kind = int if isinstance(one.default, int) else float
        asked.add_argument(f"--{one.name.replace('_', '-')}", type=kind)
    asked.add_argument("--kinds", nargs="+")
    given = vars(asked.parse_args())
    plan = FULL if given.pop("full") else SMALL
    if unknown := set(given["parts"]) - set(PARTS):
        asked.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    chosen = {n: tuple(v) if isinstance(v, list) else v for n, v in given.items() if v is not None}
    print(table(main(Plan(**{**vars(plan), **chosen}))))


if __name__ == "__main__":
    command()
