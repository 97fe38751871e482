"""A page in a browser: how the browser starts, when a page is ready, and what is wrong with it."""

from __future__ import annotations

from typing import Any

from helpers.board import SHOWN
from helpers.servers import LOGS

FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

#: Milliseconds that a page may take on a slow, shared machine.
PATIENCE = 60_000

GRAVE = ("critical", "serious")

WIDE = {"viewport": {"width": 1440, "height": 1200}}

#: Lines of a log that a failure quotes.
TAIL = 40

#: Notes which gestures the server has answered, by the serial numbers of each page.
NOTE_ANSWERS = """{
    const asked = new Map(), answered = new Map(), send = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
        if (typeof data === "string") {
            const {page, serial} = JSON.parse(data)
            asked.set(page, serial)
            if (!this.wbNoted) this.addEventListener("message", event => {
                const {page, handled} = JSON.parse(event.data)
                if (handled !== undefined) answered.set(page, handled)
            })
            this.wbNoted = true
        }
        return send.call(this, data)
    }
    window.wbAnswered = () => [...asked].every(([page, n]) => (answered.get(page) ?? 0) >= n)
}"""

#: Whether all charts of a page are drawn that are not folded.
DRAWN = """shown => {
    const plots = [...document.querySelectorAll(`${shown} .wb-chart:not(.wb-folded) .wb-plot`)]
    return plots.length > 0 && plots.every(plot => plot.querySelector(".draglayer"))
}"""


def await_charts(page: Any) -> None:
    """Until all charts of the page that is shown are drawn, or a page without charts is."""
    page.wait_for_function("() => 'connected' in document.documentElement.dataset")
    others = ".wb-start:not([hidden]), .wb-audits:not([hidden])"
    page.locator(f"{SHOWN}, {others}").first.wait_for()
    if page.locator(SHOWN).count():
        page.wait_for_function(DRAWN, arg=SHOWN)


def seen(page: Any, errors: list[str]) -> str:
    """What a person sees of a page, and what its browser and its server said."""
    shown = {
        name: [" ".join(text.split()) for text in page.locator(which).all_inner_texts()]
        for name, which in {
            "message": f"{SHOWN} .wb-alert p",
            "numbers": f"{SHOWN} .wb-number",
            "sentences": f"{SHOWN} .wb-sentence",
        }.items()
    }
    plots = page.locator(f"{SHOWN} .wb-plot")
    drawn = plots.locator(".draglayer").count(), plots.count()
    log = next((log for url, log in LOGS.items() if page.url.startswith(url)), None)
    said = log.read_text(errors="replace").splitlines()[-TAIL:] if log else ["(not known)"]
    return "\n".join(
        [
            f"address: {page.url}",
            f"charts drawn: {drawn[0]} of {drawn[1]}",
            *(f"{name}: {texts}" for name, texts in shown.items()),
            f"errors in the browser: {errors}",
            "the server's log ends with:",
            *said,
        ]
    )


def grave_faults(page: Any) -> list[str]:
    """What axe finds that shuts people out; faults that pass by while the page settles are none."""
    from axe_playwright_python.sync_playwright import Axe

    # Widgets fade from one theme's colors to the other's when they arrive.
    page.wait_for_function(
        "() => document.getAnimations().every(a => a.playState !== 'running')", timeout=30_000
    )
    for _ in range(10):
        found = Axe().run(page).response["violations"]
        grave = [f"{v['impact']}: {v['id']}" for v in found if v["impact"] in GRAVE]
        if not grave:
            break
        page.wait_for_timeout(500)
    return grave
