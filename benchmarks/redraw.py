"""From a key press on the threshold's slider to the last chart redrawn, in a browser.

The workbench's page, and the same page as a component of Panel, against `benchmarks.baseline_page`,
in turns, on the same number of scores. A press counts until the last drawing that it caused, and
only if every line is then at the slider.
"""

from __future__ import annotations

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

PRESSES = 30
QUICK = 10

PROBE = """() => {
    const inside = root => [...root.querySelectorAll("*")].flatMap(element =>
        [...(element.matches(".js-plotly-plot") ? [element] : []),
         ...(element.shadowRoot ? inside(element.shadowRoot) : [])])
    const plots = inside(document)
    if (plots.length < 4 || !plots.every(plot => plot.layout && plot._fullLayout)) return false
    window.probe = {pressed: 0, drawn: 0, lines: () => plots.flatMap(plot =>
        (plot.layout.shapes ?? []).filter(({name}) => name === "threshold").map(({x0}) => x0))}
    for (const plot of plots) plot.on("plotly_afterplot", () => { probe.drawn = performance.now() })
    window.addEventListener("keydown", () => { probe.pressed = performance.now() }, true)
    return true
}"""

QUIET = """([value, pause]) => probe.drawn > probe.pressed
    && performance.now() - probe.drawn > pause
    && probe.lines().length > 0 && probe.lines().every(x => Math.abs(x - value) < 1e-2)"""


class Visit:
    """One page with its slider."""

    def __init__(self, browser: Any, url: str):
        self.page = browser.new_page(viewport={"width": 1440, "height": 1200})
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(url)
        self.slider = self.page.get_by_role("slider", name="Threshold", exact=True)
        self.slider.wait_for()
        self.page.wait_for_function(PROBE)
        self.page.wait_for_timeout(1000)

    def press(self, key: str, times: int = 1) -> float:
        """Milliseconds from the last press to the last drawing."""
        self.page.bring_to_front()
        self.slider.focus()
        for _ in range(times):
            self.page.keyboard.press(key)
        said = self.slider.get_attribute("aria-valuetext")  # of one with places of its own
        value = float(said or self.slider.input_value())
        self.page.wait_for_function(QUIET, arg=[value, 400])
        return float(self.page.evaluate("probe.drawn - probe.pressed"))


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    from playwright.sync_api import sync_playwright

    chromium = find()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=chromium, args=list(FLAGS)
        )
        visits = {}
        for name in ("baseline", "our", "panel"):
            port = free_port()
            command = [sys.executable, "-m", f"benchmarks.{name}_page", str(port)]
            url = f"http://localhost:{port}/"
            stack.enter_context(running(command, url, folder / f"{name}.log"))
            visits[name] = Visit(browser, url)
            visits[name].press("ArrowRight", 3)
        rows = []
        for presses, turns in ((1, PRESSES), (QUICK, PRESSES // 3)):
            times: dict[str, list[float]] = {name: [] for name in visits}
            for turn in range(turns):
                for name, visit in visits.items():
                    key = "ArrowRight" if turn % 2 else "ArrowLeft"
                    times[name].append(visit.press(key, presses))
            rows += compared(f"last of {presses} presses" if presses > 1 else "one press", times)
        browser.close()
    return rows


def compared(what: str, times: dict[str, list[float]]) -> list[tuple[str, str, str]]:
    medians = {name: statistics.median(found) for name, found in times.items()}
    ends = {name: statistics.quantiles(found, n=20)[-1] for name, found in times.items()}
    rows = [
        (f"{what} to the last chart, {name}", f"{medians[name]:.0f} ms, p95 {ends[name]:.0f}", "")
        for name in times
    ]
    return [
        *rows,
        (f"{what}, ratio", f"{medians['baseline'] / medians['our']:.1f}", "above 2"),
        (
            f"{what}, Panel to the served page",
            f"{medians['panel'] / medians['our']:.1f}",
            "below 2",
        ),
    ]


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(main()))
