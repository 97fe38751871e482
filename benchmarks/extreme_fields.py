"""What the most extreme values of a page's fields cost: CPU seconds and megabytes a change.

python -m benchmarks.extreme_fields [--typed] [PAGE ...]

Every field is set to its ends, to what people should not type, and to every option it has, in each
mode that offers it; then all fields in a random order, one after another. A change counts with
everything that is drawn after it. Exits with 1 where a change costs more than allowed, or ends in
anything but a drawing or a ``ValueError``. With --typed only fields that are typed are tried, and
only a change that is killed took too long: a test may run it on a busy machine.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import param

from workbench.pages.core.page import Page
from workbench.pages.core.sliders import IntegerField, NumberField, scale, taken
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES

#: What a change may cost at most, and where it is stopped.
SECONDS, MEGABYTES = 2.0, 200.0
KILLED_AFTER, KILLED_ABOVE = 20, 2000

WALKS, SEED = 4, 0

TYPES = (IntegerField, NumberField)

TYPED = (
    *(0, 1, -1, 2, 0.5, 1e-300, 10**6, 10**9, 10**12, 10**18, 1e308, -1e308, 10**400),
    *(math.nan, math.inf, -math.inf, None, True, "", "12", "x" * 10_000, "<b>1</b>", "🙂"),
)

#: Read by every page that takes a file: canaries, scores with labels, or a table of claims.
FILE = "score,included,epsilon,delta\n" + "".join(
    f"{0.37 * i % 3 + i % 2},{i % 2},{0.1 * i},{1e-5 * (50 - i)}\n" for i in range(40)
)


@dataclass(frozen=True)
class Cost:
    """What a change cost, and why it was refused or what went wrong."""

    what: str
    seconds: float
    megabytes: float
    refused: str = ""
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s, {self.megabytes:.0f} MB: {self.what} {self.fault}".strip()

    def too_much(self, seconds: float = SECONDS) -> bool:
        """Whether it is beyond what is allowed."""
        return bool(self.fault) or self.seconds > seconds or self.megabytes > MEGABYTES


def page_type(name: str) -> type[Page]:
    """The class of a page, by its name in the list of pages."""
    kind: type[Page] = PAGES[name].kind
    return kind


def offered(page: Page) -> dict[str, Any]:
    """The parameters that the page offers now."""
    return {
        control.name: page.param[control.name]
        for section in page.sections
        for control in section.controls
        if control.name in page.param and control.offered(page)
    }


def extremes(parameter: Any) -> list[Any]:
    """Values that a person may choose or type, and those that nobody should."""
    if isinstance(parameter, param.Selector):
        return list(parameter.get_range().values())
    if isinstance(parameter, param.Event):
        return [True]
    if isinstance(parameter, param.Boolean):
        return [False, True]
    if isinstance(parameter, Upload):
        return [(), (("file.csv", FILE.encode()),), (("nothing.csv", b""),)]
    if isinstance(parameter, param.Number):
        low, high, step = scale(parameter)
        ends = [end for end in (*(parameter.bounds or ()), low, high) if end is not None]
        return _each_once(
            parameter, [*ends, *(e + k * step for e in ends for k in (-1, 1)), *TYPED]
        )
    return ["", "x" * 10_000, "<script>alert(1)</script>", "🙂"]


def refused(parameter: Any, value: Any) -> str:
    """Why a number is not taken; empty where it is."""
    try:
        if isinstance(parameter, param.Number):
            taken(parameter, value, typed=True)
    except ValueError as error:
        return str(error)
    return ""


def _each_once(parameter: Any, values: list[Any]) -> list[Any]:
    """What ends in different settings; of what is refused, all."""
    kept = {refused(parameter, v) or taken(parameter, v, typed=True): v for v in reversed(values)}
    return list(kept.values())


def choose(page: Page, name: str, value: Any) -> None:
    """Set a field as a front end does."""
    parameter = page.param[name]
    if isinstance(parameter, param.Event):
        page.param.trigger(name)
    elif isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean):
        setattr(page, name, taken(parameter, value, typed=True))
    else:
        setattr(page, name, value)


def draw(page: Page, changed: set[str] | None = None) -> str:
    """Draw what rests on the changed parameters, or everything; what was refused on the way."""
    refused = ""
    for item in (*page.figures(), *page.numbers(), *page.sentences()):
        if changed is None or page.inputs(item) & changed:
            try:
                page.draw(item)
            except ValueError as error:
                refused = str(error)
    return refused


def change(page: Page, name: str, value: Any) -> str:
    """Set a field and draw what follows; what was refused, if anything was."""
    changed: set[str] = set()
    watcher = page.param.watch(
        lambda *events: changed.update(event.name for event in events), list(page.param)
    )
    try:
        choose(page, name, value)
    except ValueError as error:
        return str(error)
    finally:
        page.param.unwatch(watcher)
    return draw(page, changed)


# -- measuring ---------------------------------------------------------------------------------


def _status(field: str) -> float:
    """Megabytes that the system counts for this process."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if field in x)
    return int(line.split()[1]) / 1024


def measured(what: str, run: Callable[[], str]) -> Cost:
    """What a call costs; in this process."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, begun, refused, fault = _status("VmRSS"), time.process_time(), "", ""
    try:
        refused = run()
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - begun
    return Cost(what, seconds, max(_status("VmHWM") - before, 0), refused[:200], fault[:200])


def in_children(tasks: Callable[[], Iterator[tuple[str, Callable[[], str]]]]) -> Iterator[Cost]:
    """Measure tasks one after another in a child, which is killed if one takes far too much."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w") as told:
            room = int((_status("VmSize") + KILLED_ABOVE) * 2**20)
            resource.setrlimit(resource.RLIMIT_AS, (room, room))
            for what, run in tasks():
                spent = math.ceil(time.process_time())
                most = spent + KILLED_AFTER
                resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
                print(json.dumps(what), file=told, flush=True)
                print(json.dumps(vars(measured(what, run))), file=told, flush=True)
        os._exit(0)
    os.close(write)
    what = ""
    with os.fdopen(read) as heard:
        for line in heard:
            news = json.loads(line)
            if isinstance(news, str):
                what = news
            else:
                what = ""
                yield Cost(**news)
    _, status = os.waitpid(child, 0)
    if what:
        yield Cost(what, KILLED_AFTER, 0, fault=f"killed (status {status})")


# -- which changes -----------------------------------------------------------------------------


def modes(make: Callable[[], Page]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Settings of selectors and switches, and the fields that are to be tried with them."""
    first = make()
    yield {}, offered(first)
    seen = set(offered(first))
    queue: list[dict[str, Any]] = [{}]
    while queue:
        state = queue.pop(0)
        page = in_mode(make, state)
        before = offered(page)
        for name, parameter in before.items():
            if name in state or not isinstance(parameter, param.Selector | param.Boolean | Upload):
                continue
            if isinstance(parameter, param.Event):
                continue
            for value in extremes(parameter):
                further = {**state, name: value}
                try:
                    found = offered(in_mode(make, further))
                except ValueError:
                    continue
                brought = {k: p for k, p in found.items() if k not in before}
                if brought:
                    yield further, brought
                    if set(brought) - seen or isinstance(parameter, Upload):
                        queue.append(further)
                    seen |= set(brought)


def in_mode(make: Callable[[], Page], state: dict[str, Any]) -> Page:
    """A page with some fields set."""
    page = make()
    for name, value in state.items():
        choose(page, name, value)
    return page


def shown(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, tuple):
        return f"{len(value)} files"
    text = str(value) if not isinstance(value, int) or value < 10**30 else "1e400"
    return text[:24]


def costs(make: Callable[[], Page], typed: bool = False) -> Iterator[Cost]:
    """The cost of every change that is tried on a page, or only of those that are typed."""
    yield from in_children(partial(iter, [("first drawing", lambda: draw(make()))]))
    met: set[str] = set()
    for state, fields in modes(make):
        if typed:
            fields = {k: p for k, p in fields.items() if isinstance(p, TYPES) and k not in met}
            met |= set(fields)
        if not fields:
            continue
        page = in_mode(make, state)
        said = " ".join(f"{name}={shown(value)}" for name, value in state.items())
        draw(page)
        for name, parameter in fields.items():
            for value in extremes(parameter):
                what = f"{said} {name} → {shown(value)}".strip()
                if refusal := refused(parameter, value):
                    yield Cost(what, 0, 0, refusal)
                    continue
                # A child a change: each starts from the same page.
                run = partial(change, page, name, value)
                yield from in_children(partial(iter, [(what, run)]))
    for seed in range(SEED, SEED + (0 if typed else WALKS)):
        yield from in_children(partial(walk, make(), seed))


def walk(page: Page, seed: int) -> Iterator[tuple[str, Callable[[], str]]]:
    """All fields in a random order, each set to a random extreme; twice."""
    rng = random.Random(seed)
    draw(page)
    names = [c.name for s in page.sections for c in s.controls if c.name in page.param]
    for name in rng.sample(names * 2, 2 * len(names)):
        if name in offered(page):
            value = rng.choice(extremes(page.param[name]))
            what = f"walk {seed}: {name} → {shown(value)}"
            yield what, partial(change, page, name, value)


def worst(name: str, typed: bool = False) -> tuple[Cost, Cost, list[Cost]]:
    """The slowest and the largest change of a page, and all that are too much."""
    found = list(costs(page_type(name), typed))
    most = KILLED_AFTER if typed else SECONDS
    return (
        max(found, key=lambda cost: cost.seconds),
        max(found, key=lambda cost: cost.megabytes),
        [cost for cost in found if cost.too_much(most)],
    )


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    rows = []
    for name in PAGES:
        slowest, largest, _ = worst(name)
        measured = f"{slowest.seconds:.2f} s, {largest.megabytes:.0f} MB"
        rows.append((f"dearest change of {name}", measured, f"≤ {SECONDS} s, {MEGABYTES:.0f} MB"))
    return rows


def search(arguments: list[str]) -> int:
    """Print the worst of each page and all that is too much; 1 if anything is."""
    typed, names = "--typed" in arguments, [name for name in arguments if name != "--typed"]
    too_much = []
    for name in names or PAGES:
        slowest, largest, bad = worst(name, typed)
        print(f"{name}\n  slowest: {slowest}\n  largest: {largest}", flush=True)
        for cost in bad:
            print(f"  TOO MUCH: {cost}", flush=True)
        too_much += bad
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(search(sys.argv[1:]))
