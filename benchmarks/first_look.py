"""What is seen of each page before anything is opened, and the way of a newcomer to a verdict.

python -m benchmarks first_look serves this checkout. Of a server that runs already, as a table:

    python -m benchmarks.first_look --url http://localhost:5006 [--page scores …] [--projector]

Words are what is seen of the page, text is all of it with the options of closed menus, and first is
what can be read on the first screen. Cut off is text that its box does not show in full. A chart is
whole if all of it is on the first screen. `y` is where the headline begins and where the main
number ends, and — where there is none; a number in parentheses is the first of the page, where none
is the main one. Type is the smallest in charts and outside of them, in pixels of the screen; raised
text, such as an exponent, is left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ensure_browser import find  # noqa: E402
from helpers.browser import FLAGS, PATIENCE, await_charts  # noqa: E402
from helpers.servers import free_port, running  # noqa: E402

from workbench.pages.registry import MENU  # noqa: E402

SIZES = ((1440, 900), (1280, 720), (390, 844))
PAGES = ["", *(name for group in MENU.values() for name in group)]

#: Words that Scores may show at the first size, and clicks from the start page to a verdict.
MOST_WORDS, MOST_CLICKS = 350, 5

#: What stands on a page, and what is seen of it; see above.
LOOK = r"""() => {
    const shown = document.querySelector("#content > :not([hidden])")
    const sheet = document.querySelector(".wb-sheet:not([hidden])")
    const bottom = sheet?.offsetHeight ? sheet.getBoundingClientRect().top : innerHeight
    const box = element => element.getBoundingClientRect()
    const visible = element => element.checkVisibility({visibilityProperty: true})
    const inView = ({top, bottom: low, left, right}) =>
        low > 0 && top < bottom && right > 0 && left < innerWidth
    const unseen = ".wb-said, .wb-skip, noscript, script, style, title, option"
    const counted = text => (text.match(/\S+/g) ?? []).length
    const all = (selector, root = document) => [...root.querySelectorAll(selector)]

    let first = 0, words = 0
    const type = {chart: Infinity, page: Infinity}
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const parent = node.parentElement
        if (!counted(node.textContent) || parent.closest(unseen) || !visible(parent)) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const place = box(range)
        if (place.width < 2 || place.height < 2) continue
        words += counted(node.textContent)
        if (inView(place)) first += counted(node.textContent)
        if (parent.matches("sup, sub, tspan[dy], tspan[style*='%']")) continue
        const drawn = parent.closest("svg")
        const form = drawn ? parent.getScreenCTM() : {c: 0, d: parent.currentCSSZoom ?? 1}
        const size = parseFloat(getComputedStyle(parent).fontSize) * Math.hypot(form.c, form.d)
        const kind = drawn ? "chart" : "page"
        type[kind] = Math.min(type[kind], size)
    }

    const hides = how => how === "hidden" || how === "clip"
    const cut = all("body *:not(svg, svg *, .wb-said, select, option)").filter(element => {
        if (!visible(element) || !element.clientWidth) return false
        const own = [...element.childNodes].some(one => one.nodeType === 3 && one.data.trim())
        const {overflowX, overflowY, textOverflow} = getComputedStyle(element)
        const {left, right} = box(element)
        const wide = element.scrollWidth > element.clientWidth + 1
        const high = element.scrollHeight > element.clientHeight + 2
        return (hides(overflowX) && wide && (own || textOverflow === "ellipsis"))
            || (hides(overflowY) && high && own)
            || (own && inView(box(element)) && (right > innerWidth + 1 || left < -1))
    })

    const charts = shown ? all(".wb-chart", shown).filter(visible) : []
    const whole = charts.filter(chart => box(chart).top >= 55 && box(chart).bottom <= bottom + 1)
    const answers = shown ? all("[class*=wb-answer] > *, [class*=wb-headline]", shown) : []
    const headline = answers.find(one => visible(one) && one.textContent.trim())
    const main = shown?.querySelector(":is([data-main], .wb-main, [data-rank=main]) .wb-value")
    const number = main ?? (shown ? all(".wb-value", shown).find(visible) : null)
    const ends = number && Math.round(box(number).bottom)
    const {scrollWidth, clientWidth} = document.documentElement
    return {
        words, text: counted(document.body.innerText), first,
        whole: whole.length, charts: charts.length,
        cut: cut.map(element => element.textContent.trim().slice(0, 60)).filter(Boolean),
        headline: headline ? String(Math.round(box(headline).top)) : "—",
        number: number ? (main ? String(ends) : `(${ends})`) : "—",
        overflow: scrollWidth - clientWidth,
        chart: Number.isFinite(type.chart) ? type.chart : 0, page: type.page,
    }
}"""

HEADS = (
    *("page", "window", "words", "text", "first", "cut", "charts", "whole"),
    *("headline y", "number y", "overflow", "type"),
)


@dataclass(frozen=True)
class Look:
    """What is seen of one page at one size of the window."""

    page: str
    size: tuple[int, int]
    seen: dict[str, Any]

    @property
    def cells(self) -> tuple[str, ...]:
        seen = self.seen
        return (
            self.page or "start",
            "×".join(map(str, self.size)),
            *(str(seen[name]) for name in ("words", "text", "first")),
            str(len(seen["cut"])),
            *(str(seen[name]) for name in ("charts", "whole", "headline", "number", "overflow")),
            f"{seen['chart']:.3g} / {seen['page']:.3g}",
        )


def looks(
    browser: Any,
    url: str,
    pages: Sequence[str] = tuple(PAGES),
    sizes: Iterable[tuple[int, int]] = SIZES,
    projector: bool = False,
    scheme: str = "light",
    pictures: Path | None = None,
) -> list[Look]:
    """Every page at every size, each in a profile of its own.

    Parameters
    ----------
    browser : Browser
        Of playwright.
    url : str
        Of the server, without a slash at its end.
    pages : sequence of str
        Names in addresses; "" is the start page.
    sizes : iterable of (int, int)
        Width and height of the window.
    projector : bool
        Whether the pages are shown for a projector.
    scheme : {"light", "dark"}
    pictures : Path, optional
        Folder for a screenshot of each first screen.
    """
    found = []
    for width, height in sizes:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        for name in pages:
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(f"{url}/{name}{'?projector' if projector else ''}")
            await_charts(page)
            page.wait_for_timeout(1500)  # numbers that come later
            found.append(Look(name, (width, height), page.evaluate(LOOK)))
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=pictures / f"{name or 'start'}-{width}-{scheme}.png")
            page.close()
        context.close()
    return found


def losses(path: Path) -> None:
    """Write a file of cross-entropy losses, 3000 of members and of others; 5% are memorized."""
    rng = np.random.default_rng(11)
    margins = np.r_[rng.normal(2.4, 1.8, 3000), rng.normal(1.7, 2.0, 3000)]
    margins[:150] = rng.normal(9, 0.7, 150)
    values = np.log1p(np.exp(-margins))
    values[rng.choice(6000, 7, replace=False)] = np.nan
    split = np.repeat(["member", "nonmember"], 3000)
    order = rng.permutation(6000)
    rows = (
        f"{i},{rng.integers(10)},{rng.integers(5)},{values[k]:.9g},{split[k]}"
        for i, k in enumerate(order)
    )
    path.write_text("\n".join(["id,class,run,ce_loss,split", *rows]), encoding="utf-8")


class Newcomer:
    """The clicks and entries of somebody who opens a loss file to see whether a claim holds.

    Each step is a method, so that a page that asks in another order needs one method changed.

    Attributes
    ----------
    steps : list of str
        What was clicked or chosen so far.
    typed : list of str
        Numbers that were typed.
    """

    #: The control of a claim's kind, and those of its ε and its δ: in the import step, on the page.
    AT_IMPORT = ("claim_kind", "claim_epsilon", "claim_delta")
    ON_PAGE = ("reference_kind", "reference_claimed_epsilon", "reference_log_claimed_delta")

    def __init__(self, browser: Any, url: str, size: tuple[int, int] = SIZES[0]):
        self.page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(url + "/")
        await_charts(self.page)
        self.steps: list[str] = []
        self.typed: list[str] = []
        self.dialog = self.page.locator(".wb-dialog[open]")

    def click(self, what: Any, name: str) -> None:
        what.click()
        self.steps.append(name)

    def load(self, path: Path) -> None:
        """From the start page into the file chooser, which the button opens or a second one."""
        button = self.page.get_by_role("button", name="Load a score file").first
        try:
            with self.page.expect_file_chooser(timeout=4000) as chooser:
                self.click(button, "Load a score file")
            chooser.value.set_files(path)
        except Exception:  # a dialog that has a button of its own
            with self.page.expect_file_chooser() as chooser:
                self.click(self.dialog.locator('[data-kind="files"] label.wb-button'), "Files")
            chooser.value.set_files(path)
        self.steps.append("choose the file")
        self.dialog.locator(".wb-sentence").filter(has_text="scores of members").wait_for()

    def choose(self, place: Any, name: str, word: str) -> bool:
        """Choose the first option with a word in it; False where that is not asked."""
        select = place.locator(f'[data-control="{name}"] select').first
        if not (select.count() and select.is_visible()):
            return False
        options = select.locator("option").all_text_contents()
        select.select_option(label=next(option for option in options if word in option))
        self.steps.append(f"{name}: {word}")
        return True

    def enter(self, place: Any, name: str, value: str) -> None:
        """Type a number, unless it stands there."""
        field = place.locator(f'[data-control="{name}"] input[type="text"]').first
        if field.input_value() != value:
            field.fill(value)
            field.press("Enter")
            self.typed.append(f"{name}: {value}")

    def show(self) -> None:
        self.click(self.dialog.get_by_role("button", name="Show the audit"), "Show the audit")
        self.dialog.wait_for(state="hidden")
        self.page.locator('#content > [data-page="scores"]:not([hidden])').wait_for()
        await_charts(self.page)

    def claim(self, place: Any, controls: tuple[str, str, str], *values: str) -> bool:
        """Enter ε and δ of the claim; False where it is not asked."""
        kind, *fields = controls
        if not self.choose(place, kind, "(ε, δ)"):
            return False
        for name, value in zip(fields, values, strict=True):
            self.enter(place, name, value)
        return True

    def walk(self, path: Path, epsilon: str = "2", delta: str = "1e-5") -> dict[str, Any]:
        """What is seen at the end."""
        self.load(path)
        self.choose(self.dialog, "sampling", "independent")
        asked = self.claim(self.dialog, self.AT_IMPORT, epsilon, delta)
        self.show()
        if not asked:
            self.claim(self.page, self.ON_PAGE, epsilon, delta)
        self.page.wait_for_timeout(2500)
        return self.page.evaluate(LOOK)


def way_to_verdict(
    browser: Any, url: str, size: tuple[int, int] = SIZES[0], picture: Path | None = None
) -> tuple[Newcomer, dict[str, Any]]:
    """A `Newcomer` who has walked with the loss file, and what is seen then."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.csv"
        losses(path)
        newcomer = Newcomer(browser, url, size)
        seen = newcomer.walk(path)
        if picture:
            newcomer.page.screenshot(path=picture)
        newcomer.page.context.close()
        return newcomer, seen


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = free_port()
        command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
        url = f"http://localhost:{port}"
        stack.enter_context(running(command, url, folder / "server.log"))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=find(), args=list(FLAGS)
        )
        found = looks(browser, url)
        newcomer, _ = way_to_verdict(browser, url)
        browser.close()
    clicks = f"{len(newcomer.steps)}, and {len(newcomer.typed)} numbers typed"
    return [*map(_row, found), ("clicks to a verdict", clicks, f"at most {MOST_CLICKS}")]


def _row(look: Look) -> tuple[str, str, str]:
    seen, (name, window, *_) = look.seen, look.cells
    measured = (
        f"{seen['words']} words, {len(seen['cut'])} cut off, {seen['whole']} of {seen['charts']} "
        f"charts whole, headline at {seen['headline']}, number at {seen['number']}"
    )
    counted = (name, look.size) == ("scores", SIZES[0])
    return f"{name}, {window}", measured, f"at most {MOST_WORDS} words" if counted else ""


def _report(arguments: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    from benchmarks.__main__ import aligned

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        found = looks(
            browser,
            arguments.url.rstrip("/"),
            arguments.page or PAGES,
            arguments.size or SIZES,
            arguments.projector,
            arguments.scheme,
            arguments.pictures,
        )
        print(aligned([HEADS, *(look.cells for look in found)]))
        for look in found:
            for text in look.seen["cut"]:
                print(f"cut off on {look.cells[0]} at {look.cells[1]}: {text}")
        if arguments.clicks:
            for size in arguments.size or SIZES[:1]:
                picture = arguments.pictures and arguments.pictures / f"verdict-{size[0]}.png"
                newcomer, seen = way_to_verdict(browser, arguments.url.rstrip("/"), size, picture)
                done = f"{len(newcomer.steps)} clicks and choices: {', '.join(newcomer.steps)}"
                typed = f"{len(newcomer.typed)} numbers typed: {', '.join(newcomer.typed)}"
                print(f"\nto a verdict, {done}; {typed}")
                print(aligned([HEADS, Look("scores", size, seen).cells]))
        browser.close()


def _size(text: str) -> tuple[int, int]:
    width, height = map(int, text.split("x"))
    return width, height


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_look")
    parser.add_argument("--url", default="http://localhost:5006")
    parser.add_argument("--page", action="append", choices=PAGES)
    parser.add_argument("--size", action="append", type=_size, help="such as 1440x900")
    parser.add_argument("--projector", action="store_true")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    parser.add_argument(
        "--clicks", action="store_true", help="also the newcomer's way to a verdict"
    )
    _report(parser.parse_args())
