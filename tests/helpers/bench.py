"""The bench in a browser: from page to page, data sets, and what the page that is shown says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from helpers.board import SHOWN
from helpers.browser import await_charts
from workbench.pages.registry import MENU

#: The numbers of the page that is shown, once nothing has changed for a while.
NUMBERS = """shown => {
    const board = document.querySelector(shown)
    if (!board) return null
    const text = (card, part) => card.querySelector(part)?.textContent ?? ""
    const now = Object.fromEntries([...board.querySelectorAll(".wb-number")].map(
        card => [card.ariaLabel, text(card, ".wb-value") + " " + text(card, ".wb-badge")]))
    const busy = !wbAnswered() || [...board.querySelectorAll(".wb-busy")].some(e => e.offsetParent)
    const key = board.dataset.page + JSON.stringify(now)
    const [last, since] = window.wbNumbers ?? []
    if (last !== key || busy || key.includes("…")) {
        window.wbNumbers = [key, performance.now()]
        return null
    }
    return performance.now() - since > 700 ? now : null
}"""


class BenchPage:
    """An open document of a visitor.

    Parameters
    ----------
    page : playwright.sync_api.Page
    """

    def __init__(self, page: Any):
        self.page = page

    @property
    def shown(self) -> Any:
        """The board of the page that is shown."""
        return self.page.locator(SHOWN)

    def numbers(self) -> dict[str, str]:
        """Title of a number -> its value and its guarantee."""
        self.page.evaluate("window.wbNumbers = null")
        found = self.page.wait_for_function(NUMBERS, arg=SHOWN)
        return dict(found.json_value())

    def go(self, name: str) -> None:
        """Show a page, by the menu."""
        group = next(group for group, pages in MENU.items() if name in pages)
        menu = self.page.get_by_role("navigation", name="Pages")
        menu.get_by_role("button", name=group).click()
        menu.locator(f"a[data-page={name}]").click()
        self.wait_for(name)

    def wait_for(self, name: str) -> None:
        """Until a page is shown with its charts."""
        self.page.locator(f"{SHOWN}[data-page={name}]").wait_for()
        await_charts(self.page)

    def set(self, label: str, value: str) -> None:
        """Type the value of a slider or a field."""
        field = self.page.get_by_label(re.compile(rf"^{re.escape(label)}(: value)?$"))
        field = field.and_(self.page.locator("input[type=text]")).locator("visible=true")
        field.fill(value)
        field.press("Enter")

    def wait_for_value(self, label: str, value: str) -> None:
        """Until a slider shows a value."""
        field = self.page.get_by_label(f"{label}: value", exact=True).locator("visible=true")
        shown = "([field, value]) => field.value === value"
        self.page.wait_for_function(shown, arg=[field.element_handle(), value])

    def says(self, text: str) -> Any:
        """Until what happened is said at the foot of the window."""
        self.page.locator(".wb-toast").filter(has_text=text).wait_for()

    # -- data sets -----------------------------------------------------------------------------

    @property
    def data(self) -> str:
        """Name of the data set that the bar shows."""
        return str(self.page.locator(".wb-data-button span").text_content())

    def wait_for_data(self, name: str) -> None:
        """Until the bar shows the name of a data set."""
        self.page.get_by_role("button", name=f"Data: {name}", exact=True).wait_for()

    def open_menu(self) -> Any:
        """The Data menu, opened."""
        menu = self.page.locator("#data")
        if menu.is_hidden():
            self.page.locator(".wb-data-button").click()
        menu.get_by_role("heading", name="Data", exact=True).wait_for()
        return menu

    def choose(self, name: str) -> None:
        """Take a data set into view, by the Data menu."""
        self.open_menu().locator(".wb-set").filter(has_text=name).first.click()
        self.wait_for_data(name)

    @property
    def dialog(self) -> Any:
        """The import step."""
        return self.page.get_by_role("dialog", name="Import")

    def open_files(self, *paths: Path) -> Any:
        """The import step of files, before "Show the audit" is pressed."""
        self.open_menu()
        self.page.set_input_files("#open-files", list(paths))
        self.dialog.locator(".wb-sentence").filter(
            has_text=re.compile("scores of members")
        ).wait_for()
        return self.dialog

    def accept(self) -> None:
        """Press "Show the audit"."""
        self.dialog.get_by_role("button", name="Show the audit").click()
        self.dialog.wait_for(state="hidden")


def losses(path: Path, members: int = 400, others: int = 600, seed: int = 0) -> Path:
    """A file of losses with labels; those of members are smaller."""
    rng = np.random.default_rng(seed)
    p, q = rng.gamma(2, 0.3, members), rng.gamma(2, 0.8, others)
    rows = [f"{x!r},1" for x in p.tolist()] + [f"{x!r},0" for x in q.tolist()]
    path.write_text("\n".join(["loss,is_member", *rows]), encoding="utf-8")
    return path
