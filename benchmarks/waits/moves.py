"""Moves of a slider: of fifty visitors at once, beside jobs, and on a page of 10⁷ scores a side."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.visitors import PER_SECOND, Server, Visitor, p95
from benchmarks.waits.measuring import Wait, printed_by

#: Seconds in which visitors move.
SECONDS = 20.0

#: What a server for several people allows of jobs, and how many are asked for.
SHARED = ("--max-jobs", "4", "--max-jobs-each", "2")
JOBS = 10

#: Scores of each group on the large page.
LARGE = 10_000_000

#: Prints the median CPU of 40 steps of a drag, in milliseconds, with all that they draw and write.
STEPS = """
import statistics, sys, time
import numpy as np
from workbench.assets.board import parts
from workbench.pages.core.session import PageSession
from workbench.pages.scores.page import ScoresPage
from workbench.scores.sample import Scores

n, name = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(0)
page = ScoresPage(Scores(rng.normal(1, 1, n), rng.normal(0, 1, n), name="normal"))
items = [item for item in page.items() if not item.slow]
low, high = page.param[name].get_soft_bounds()

def draw():
    for item in items:
        if item.name in session.stale:
            session.draw(item, lambda item, value: parts(value))

session = PageSession(page, items, draw, lambda turn, blocks: turn())
session.stale |= {item.name for item in items}
draw()
spent = []
for k in range(43):
    value = low + (high - low) * (0.3 + 0.01 * k)
    began = time.process_time()
    session.receive({"kind": "set", "name": name, "value": value, "done": False, "serial": k + 1})
    spent.append(time.process_time() - began)
print(1e3 * statistics.median(spent[3:]))
"""


@dataclass(frozen=True)
class Moves:
    """What visitors who all move a slider wait for.

    Attributes
    ----------
    cpu : float
        Of the server, in milliseconds a move.
    median, p95 : float
        Seconds from a move to its answer.
    answered : float
        Percent of the moves with an answer of their own.
    bytes : float
        Sent to a visitor for each move.
    """

    cpu: float
    median: float
    p95: float
    answered: float
    bytes: float


def moves(tree: Path, visitors: int, jobs: int = 0, seconds: float = SECONDS) -> Moves:
    """What visitors of a server wait for who all move the threshold twice a second.

    Parameters
    ----------
    tree : Path
        The checkout that serves.
    visitors : int
    jobs : int
        How many others start a long job before.
    seconds : float
    """
    return asyncio.run(_moves(tree, visitors, jobs, seconds))


async def _moves(tree: Path, visitors: int, jobs: int, seconds: float) -> Moves:
    server, rng = Server(options=SHARED if jobs else (), tree=tree), random.Random(visitors)
    try:
        await server.up()
        those = [Visitor(server.port) for _ in range(visitors)]
        await asyncio.gather(*(one.open() for one in those))
        others = [await _at_work(server.port) for _ in range(jobs)]
        await asyncio.gather(*(one.move(2.0, rng) for one in those))  # the pages are made
        for one in those:
            one.bytes = one.answers = 0
            one.waits.clear()
        cpu = server.cpu
        await asyncio.gather(*(one.move(seconds, rng) for one in those))
        cpu = server.cpu - cpu
        for one in others:
            one.close()
    finally:
        server.close()
    errors = [error for one in those for error in one.errors]
    if errors:
        raise RuntimeError(f"{len(errors)} visitors had an error: {errors[0]}")
    waits, answers = [wait for one in those for wait in one.waits], sum(v.answers for v in those)
    return Moves(
        cpu=1e3 * cpu / answers,
        median=statistics.median(waits),
        p95=p95(waits),
        answered=100 * answers / (PER_SECOND * seconds * visitors),
        bytes=sum(one.bytes for one in those) / answers,
    )


async def _at_work(port: int) -> Visitor:
    """A visitor who has started a simulation that takes longer than the measurement."""
    one = Visitor(port, page="coveragelab", address="coveragelab")
    await one.open()
    gestures: list[dict[str, Any]] = [
        {"kind": "set", "name": "log_reps", "value": 4.0, "typed": True},
        {"kind": "job", "job": "simulate"},
    ]
    for serial, gesture in enumerate(gestures, 1):
        one._send({**gesture, "page": one.page, "serial": serial})
    return one


def step(name: str) -> Callable[[Path], float]:
    """Measures the CPU of a step of a drag on the large page, in milliseconds."""

    def measure(tree: Path) -> float:
        return printed_by(STEPS, str(LARGE), name, tree=tree)

    return measure


WAITS: tuple[Wait, ...] = (
    Wait(
        "50 visitors, 2 moves a second: a move",
        "at most 6 CPU ms",
        lambda tree: moves(tree, 50).cpu,
        "CPU ms",
    ),
    Wait(
        "50 visitors, 2 moves a second: move to answer, p95",
        "at most 0.25 s",
        lambda tree: moves(tree, 50).p95,
        "s",
    ),
    Wait(
        "50 visitors beside 10 jobs: move to answer, p95",
        "at most 0.5 s",
        lambda tree: moves(tree, 50, JOBS).p95,
        "s",
    ),
    Wait(
        "page, 10⁷ scores a side: a move of the bins",
        "at most 2 CPU ms",
        step("bin_width"),
        "CPU ms",
    ),
    Wait("page, 10⁷ scores a side: a move of δ", "at most 2 CPU ms", step("log_delta"), "CPU ms"),
)
