"""The content policy of the pages in a real browser: nothing that they do violates it."""

from __future__ import annotations

import re

import pytest
from helpers.bench import BenchPage, losses
from helpers.browser import await_charts

from workbench.pages.registry import MENU

#: A name of a file, a column, a data set and an audit.
HOSTILE = "<img src=x onerror=window.hit=1> <b>{{7*7}}"

PHONE = {"viewport": {"width": 390, "height": 844}}

NOTE = """document.addEventListener("securitypolicyviolation", event => wbViolated(
    [event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(" ")))"""


@pytest.fixture(scope="module")
def noted(desktop):
    """What the pages of the context violate."""
    found = []
    desktop.expose_binding("wbViolated", lambda source, words: found.append(words))
    desktop.add_init_script(NOTE)
    return found


@pytest.fixture
def violations(noted):
    """What a test violates, which must be nothing."""
    noted.clear()
    yield noted
    assert noted == []


class PolicyPage(BenchPage):
    """An open document in which everything is opened once."""

    def opens_menus(self):
        for button in self.page.locator("button.wb-opens").locator("visible=true").all():
            button.click()
            self.page.keyboard.press("Escape")

    def opens_search(self):
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type("threshold")
        self.page.get_by_role("option").first.wait_for()
        self.page.keyboard.press("Escape")

    def opens_numbers(self):
        for button in self.shown.get_by_role("button", name=re.compile("^About: ")).all()[:2]:
            button.click()
            self.page.keyboard.press("Escape")

    def enlarges_a_chart(self):
        self.shown.get_by_role("button", name=re.compile("^Enlarge: ")).first.click()
        self.page.keyboard.press("Escape")

    def saves_a_chart(self, kind):
        card = self.shown.locator(".wb-chart").locator("visible=true").first
        card.get_by_role("button", name=re.compile("^Save: ")).click()
        with self.page.expect_download() as download:
            card.locator(".wb-export").get_by_role("button", name=kind, exact=True).click()
        assert download.value.path().stat().st_size
        self.page.keyboard.press("Escape")

    def points_at_a_chart(self):
        card = self.shown.locator(".wb-chart").locator("visible=true").first
        chart = card.locator(".draglayer").first
        chart.hover()  # waits until it is drawn and rests
        box = chart.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3, steps=5)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("group", MENU)
def test_no_page_violates_its_policy(visit, served, violations, group):
    names = list(MENU[group])
    bench = PolicyPage(visit(served + names[0]))
    for name in names:
        if name != names[0]:
            bench.go(name)
        bench.opens_numbers()
        bench.enlarges_a_chart()
        bench.points_at_a_chart()
    bench.saves_a_chart("SVG")


def test_no_menu_and_no_dialog_violates_the_policy(visit, served, violations, tmp_path):
    bench = PolicyPage(visit(served))
    bench.opens_menus()
    bench.opens_search()
    bench.open_files(losses(tmp_path / "losses.csv"))
    bench.accept()
    bench.page.locator(".wb-theme").click()
    for kind in ("PNG", "PDF", "Data (CSV)"):
        bench.saves_a_chart(kind)
    bench.page.keyboard.press("Control+s")
    dialog = bench.page.get_by_role("dialog", name="Save this audit")
    dialog.locator("form:not([aria-busy])").wait_for()
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")
    bench.page.get_by_role("link", name="Saved audits").locator("visible=true").first.click()
    bench.page.locator(".wb-audit-name").first.click()
    bench.page.locator(".wb-record h1[tabindex]").wait_for()
    bench.page.locator(".wb-record .draglayer").first.wait_for()


def test_a_narrow_window_violates_no_policy(visit, served, violations):
    page = visit(served + "scores")
    page.set_viewport_size(PHONE["viewport"])
    page.locator(".wb-menu-button").click()
    page.locator(".wb-drawer").get_by_role("slider").first.press("ArrowRight")
    await_charts(page)


def test_the_policy_blocks_what_a_stranger_could_put_in_a_page(served, noted, desktop):
    """The policy is in force, or the tests above could not fail."""
    noted.clear()
    page = desktop.new_page()
    page.goto(served + "scores")
    page.evaluate("""() => {
        const script = document.createElement("script")
        script.textContent = "window.hit = 1"
        document.body.append(script)
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hit = 2'>")
        document.body.setAttribute("style", "display: none")
        setTimeout(() => { try { eval("window.hit = 3") } catch {} })
        const far = new Image()
        far.src = "https://example.com/x.png"
    }""")
    asked = {"script-src-elem", "script-src-attr", "script-src", "style-src-attr", "img-src"}
    for _ in range(600):
        found = {words.split()[0] for words in noted}
        if found >= asked:
            break
        page.wait_for_timeout(100)
    assert found >= asked
    assert page.evaluate("window.hit") is None
    page.close()


def test_hostile_names_are_text_on_every_page(visit, served, violations, tmp_path):
    """Nothing that is typed or in a file is run, or asks another host for anything; see `visit`."""
    bench = PolicyPage(visit(served))
    page = bench.page
    page.on("dialog", lambda dialog: violations.append(f"dialog {dialog.message}"))
    table = losses(tmp_path / f"{HOSTILE}.csv")
    header, rest = table.read_text().split("\n", 1)
    table.write_text(header.replace("loss", f'"{HOSTILE}"') + "\n" + rest)
    bench.open_files(table)
    bench.accept()
    page.locator(".wb-data-button").filter(has_text=HOSTILE).wait_for()
    bench.go("compare")
    page.locator(".wb-plot").filter(has_text="‹img").first.wait_for()
    bench.points_at_a_chart()
    bench.go("scores")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Save this audit")
    dialog.locator("form:not([aria-busy])").wait_for()
    for field in ("Name", "Note", "Tags"):
        dialog.get_by_role("textbox", name=field).fill(HOSTILE)
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")
    page.get_by_role("link", name="Saved audits").locator("visible=true").first.click()
    page.locator(".wb-audit-name").filter(has_text=HOSTILE).first.click()
    page.locator(".wb-record h1[tabindex]").filter(has_text=HOSTILE).wait_for()
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("path", ["index.html", "search.html?q=bound", "which-bound.html"])
def test_the_documentation_violates_no_policy(visit, served, desktop, violations, path):
    page = desktop.new_page()
    answer = page.goto(f"{served}docs/{path}")
    if answer.status == 404:
        page.close()
        pytest.skip("the documentation was not built: make docs")
    page.wait_for_load_state("load")
    assert "unsafe-inline" not in answer.headers["content-security-policy"].split("style-src")[0]
    page.close()


def test_an_error_page_is_short_and_looks_like_the_app(served, desktop, violations):
    page = desktop.new_page()
    answer = page.goto(served + "no-such-page")
    assert answer.status == 404
    assert page.locator("h1").text_content() == "There is nothing at this address."
    assert page.evaluate("getComputedStyle(document.querySelector('main')).padding") == "24px"
    page.get_by_role("link", name="Go to the start page").click()
    page.locator(".wb-start").wait_for()
    page.close()
