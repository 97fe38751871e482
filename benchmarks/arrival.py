"""One visit after the other in a real browser: when the first numbers and all charts are painted.

python -m benchmarks arrival compares with `benchmarks.baseline_page`; with another checkout, too:

    python -m benchmarks.arrival --against /path/to/checkout [--page counts] [--visits 9]

A cold visit starts with an empty cache; each is followed by two warm ones, of which the second
counts. The servers take turns, so that other work on the machine slows all. Times are in
milliseconds after the navigation. CPU is that of browser and server until all is there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ensure_browser import find  # noqa: E402
from helpers.browser import FLAGS, PATIENCE  # noqa: E402
from helpers.programs import program  # noqa: E402
from helpers.servers import free_port  # noqa: E402

from benchmarks.busy_visits import CHARTS, LIVE, NUMBERS  # noqa: E402

VISITS = 7

#: Names of the servers.
OURS, BASELINE, OLD = "ours", "the baseline", "the other checkout"

#: Milliseconds that a page on two quiet cores may take.
TARGETS = {
    ("cold", "numbers"): 1000,
    ("cold", "charts"): 2000,
    ("warm", "numbers"): 1200,
    ("warm", "charts"): 1200,
}

#: Notes the time after the frame that painted what is asked for.
PROBE = """asked => {
    const times = window.arrival = {}
    window.awaited = Object.keys(asked)
    const look = () => {
        for (const [name, there] of Object.entries(asked)) {
            if (!there()) continue
            delete asked[name]
            setTimeout(() => { times[name] = performance.now() })
        }
        if (Object.keys(asked).length) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
}"""

OUR_PAGE = f"{{numbers: {NUMBERS}, charts: {CHARTS}, connected: () => {LIVE}}}"

#: Its four charts are in shadow roots.
BASELINE_PAGE = """{
    charts: () => {
        const all = root => [...root.querySelectorAll("*")].flatMap(one =>
            [...(one.matches(".draglayer") ? [one] : []), ...(one.shadowRoot ? all(one.shadowRoot) : [])])
        return document.body && all(document).length === 4
    },
}"""  # noqa: E501

TIMES = """() => ({
    "first byte": performance.getEntriesByType("navigation")[0].responseStart,
    "first paint": performance.getEntriesByName("first-contentful-paint")[0].startTime,
    ...window.arrival,
})"""


@dataclass
class Version:
    """A server, and what is awaited on its page."""

    name: str
    url: str
    asked: str
    process: subprocess.Popen[bytes]

    @property
    def cpu(self) -> float:
        """Seconds of CPU that its server has used."""
        numbers = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(name: str, checkout: Path, folder: Path, shown: str = "scores") -> Iterator[Version]:
    """The server of a checkout, or the baseline's, run by this interpreter."""
    port = free_port()
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
    if name == BASELINE:
        command = [sys.executable, "-m", "benchmarks.baseline_page", str(port)]
    environment = os.environ | {"PYTHONPATH": str(checkout), "WORKBENCH_HOME": str(folder / name)}
    with (
        (folder / f"{name}.log").open("wb") as log,
        program(command, cwd=checkout, env=environment, stdout=log, stderr=log) as process,
    ):
        url = f"http://localhost:{port}/"
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            try:
                urllib.request.urlopen(url, timeout=20).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        yield Version(
            name, _address(url, shown), BASELINE_PAGE if name == BASELINE else OUR_PAGE, process
        )


def _address(url: str, shown: str) -> str:
    """Where a page is; the first one has had no name of its own."""
    try:
        urllib.request.urlopen(url + shown, timeout=20).close()
    except urllib.error.HTTPError:
        return url
    return url + shown


def visit(browser: Any, context: Any, version: Version) -> dict[str, float]:
    """Times, CPU, requests and bytes of one visit."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(f"({PROBE})({version.asked})")
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: list[float] = []
    network.on("Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"]))
    whole = browser.new_browser_cdp_session()

    def cpu() -> float:
        found = whole.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(process["cpuTime"] for process in found) + version.cpu

    before = cpu()
    page.goto(version.url, wait_until="commit")
    page.wait_for_function("() => awaited.every(name => name in arrival)")
    found = {**page.evaluate(TIMES), "CPU": 1000 * (cpu() - before)}
    page.wait_for_load_state("load")
    # What comes from the cache has no size.
    found |= {"requests": sum(size > 0 for size in sizes), "kB": sum(sizes) / 1000}
    page.close()
    whole.detach()
    return found


def main(
    against: Path | None = None, page: str = "scores", visits: int = VISITS
) -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    from playwright.sync_api import sync_playwright

    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        checkouts = {OURS: ROOT, BASELINE: ROOT} | ({OLD: against.resolve()} if against else {})
        versions = [
            stack.enter_context(served(name, checkout, folder, page))
            for name, checkout in checkouts.items()
        ]
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=find(), args=list(FLAGS)
        )
        for version in versions:  # the first states are drawn, and the server is at rest
            context = browser.new_context()
            visit(browser, context, version)
            context.close()
        time.sleep(5)
        for _ in range(visits):
            for version in versions:
                context = browser.new_context(viewport={"width": 1440, "height": 900})
                cold, _, warm = (visit(browser, context, version) for _ in range(3))
                found.setdefault((version.name, "cold"), []).append(cold)
                found.setdefault((version.name, "warm"), []).append(warm)
                context.close()
        browser.close()
    return [row for cache in ("cold", "warm") for row in _rows(cache, found)]


def _rows(
    cache: str, found: dict[tuple[str, str], list[dict[str, float]]]
) -> Iterator[tuple[str, str, str]]:
    ours = found[OURS, cache]
    for what in ours[0]:
        unit = "" if what in ("requests", "kB") else " ms"
        middle, best = _middle(ours, what), min(one[what] for one in ours)
        words = f"{middle:.0f}{unit}" + (f", best {best:.0f}{unit}" if unit else "")
        for other in (BASELINE, OLD):
            if what in found.get((other, cache), [{}])[0]:
                before = _middle(found[other, cache], what)
                words += f"; {middle / before:.2f} of {other}'s {before:.0f}{unit}"
        target = TARGETS.get((cache, what))
        yield f"{cache}: {what}", words, f"at most {target} ms on two quiet cores" if target else ""


def _middle(visits: list[dict[str, float]], what: str) -> float:
    return statistics.median(one[what] for one in visits)


if __name__ == "__main__":
    from benchmarks.__main__ import table

    parser = argparse.ArgumentParser(prog="python -m benchmarks.arrival")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--page", default="scores")
    parser.add_argument("--visits", type=int, default=VISITS)
    print(table(main(**vars(parser.parse_args()))))
