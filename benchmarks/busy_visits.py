"""Visits in a real browser while both cores are kept busy: how long numbers and charts take.

python -m benchmarks busy_visits, or python -m benchmarks.busy_visits VISITS. A visit whose numbers
or charts do not come within a minute is blank.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ensure_browser import find  # noqa: E402
from helpers.browser import FLAGS, PATIENCE  # noqa: E402
from helpers.servers import free_port, running  # noqa: E402

VISITS = 300
BUSY = 2

#: Every fifth visit starts with an empty cache.
COLD = 5

#: Visits after which it is said how it goes.
SAID = 10

ADDRESSES = ("", "counts", "family", "compare", "onerun", "plan")

#: The start page has texts in place of numbers and charts.
NUMBERS = """() => {
    if (document.querySelector(".wb-start:not([hidden])")?.textContent) return true
    const values = [...document.querySelectorAll(".wb-number:not([hidden]) .wb-value")]
    return values.length > 0 && values.every(value => value.textContent)
}"""
CHARTS = """() => {
    if (document.querySelector(".wb-start:not([hidden])")?.textContent) return true
    const plots = document.querySelectorAll(".wb-plot").length
    return plots > 0 && document.querySelectorAll(".wb-plot .draglayer").length === plots
}"""
LIVE = "'connected' in document.documentElement.dataset"
CONNECTED = f"() => {LIVE}"


def spin() -> None:
    while True:
        sum(range(10_000))


def visit(context: Any, url: str) -> dict[str, float] | str:
    """Milliseconds to numbers, charts and connection; what was seen where they did not come."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        page.goto(url)
        times = {}
        for name, condition in (
            ("numbers", NUMBERS),
            ("charts", CHARTS),
            ("live", f"() => {LIVE}"),
        ):
            page.wait_for_function(condition)
            times[name] = float(page.evaluate("performance.now()"))
        return times
    except Exception as error:
        return f"{url}: {error}"
    finally:
        page.close()


def main(visits: int = VISITS) -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = free_port()
        command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
        url = stack.enter_context(running(command, f"http://localhost:{port}/", folder / "log"))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=find(), args=list(FLAGS)
        )
        busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(BUSY)]
        for process in busy:
            process.start()
        warm, found = browser.new_context(), []
        for k in range(visits):
            context = browser.new_context() if k % COLD == 0 else warm
            found.append((k % COLD == 0, visit(context, url + ADDRESSES[k % len(ADDRESSES)])))
            if context is not warm:
                context.close()
            if (k + 1) % SAID == 0:
                so_far = sum(isinstance(told, str) for _, told in found)
                print(f"{so_far} of {k + 1} visits were blank", file=sys.stderr, flush=True)
        for process in busy:
            process.kill()
        browser.close()
    blank = [told for _, told in found if isinstance(told, str)]
    rows = [(f"blank of {visits} visits, both cores busy", str(len(blank)), "0")]
    rows += [("a blank visit", told[:100], "") for told in blank[:3]]
    for name, cold in (("cold", True), ("warm", False)):
        for what in ("numbers", "charts", "live"):
            times = [t[what] for was, t in found if was == cold and not isinstance(t, str)]
            if len(times) > 1:
                end = statistics.quantiles(times, n=20)[-1]
                told = f"{statistics.median(times):.0f} ms, p95 {end:.0f}"
                rows.append((f"{what}, {name} cache, both cores busy", told, ""))
    return rows


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(main(*map(int, sys.argv[1:]))))
