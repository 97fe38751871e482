"""Who is to read it: a person here, somebody outside, who has a link; and what a receiver sees."""

from __future__ import annotations

import re

import numpy as np
import pypdf
import pytest
from helpers.bench import BenchPage
from helpers.board import SHOWN
from helpers.browser import NOTE_ANSWERS, await_charts, grave_faults
from helpers.people import PASSWORD, Team

from workbench.dashboard.tab import Tab
from workbench.pages.registry import MENU, PAGES
from workbench.scores.parsing.source import read_table
from workbench.server.app import App

WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
ONLY_HERE = "opens on this computer only"


@pytest.fixture(scope="module")
def team():
    groups = {name: group for group, pages in MENU.items() for name in pages}
    tabs = [
        Tab(entry.kind, f"/{name}", entry.title, groups.get(name, ""), entry.answers)
        for name, entry in PAGES.items()
    ]
    made = Team(app=App(tabs))
    yield made
    made.close()


class Sharer(BenchPage):
    """An open document of somebody who shares the page."""

    def ask(self):
        """Open the menu that asks who is to read it."""
        self.page.get_by_role("button", name="Share", exact=True).click()
        panel = self.page.get_by_role("group", name="Share this page")
        panel.get_by_role("heading", name="Who is to read it?").wait_for()
        return panel

    def assert_in_view(self, element):
        """It is inside the window, and nothing in it is cut off."""
        box, size = element.bounding_box(), self.page.viewport_size
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= size["height"]
        assert element.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
        assert grave_faults(self.page) == []


@pytest.fixture
def browsers(team, chromium):
    """``browsers(name, **context)`` opens Scores as somebody who has signed in."""
    contexts, errors = [], []

    def opened(name, at="scores", **context):
        made = chromium.new_context(**{"viewport": WIDE, "bypass_csp": True, **context})
        contexts.append(made)
        page = made.new_page()
        page.add_init_script(NOTE_ANSWERS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"http://localhost:{team.port}/sign-in?next=scores")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        await_charts(page)
        page.locator(":root[data-connected]").wait_for()
        return Sharer(page)

    yield opened
    for one in contexts:
        one.close()
    assert errors == []


def losses(team, name, seed):
    """A data set of Anna's that came from a file."""
    rng = np.random.default_rng(seed)
    rows = [f"{x:.6f},1" for x in rng.normal(1, 1, 300)]
    rows += [f"{x:.6f},0" for x in rng.normal(0, 1, 300)]
    content = "\n".join(["score,member", *rows, ""]).encode()
    workspace = team.visitors.bench(team.accounts.find("Anna").person).workspace
    table = read_table(content, name, trusted=True)
    return workspace.add([table], files=[name])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_menu_asks_who_is_to_read_it_and_has_three_ways(browsers, size):
    one = browsers("Anna", viewport=size)
    panel = one.ask()
    headings = panel.get_by_role("heading", level=3).all_text_contents()
    assert headings == ["A person here", "Somebody outside: send a file", "Whoever has a link"]
    assert panel.get_by_role("group", name="Whoever has a link").inner_text().count(ONLY_HERE) == 1
    one.assert_in_view(panel)
    titles = [text.split("\n")[0] for text in panel.get_by_role("button").all_inner_texts() if text]
    assert titles[:2] == ["Share as a saved audit …", "One page (PDF)"]
    assert titles[-2:] == ["Link to a saved audit …", "Link to this page …"]
    one.page.keyboard.press("End")
    for _ in titles[1:]:
        one.page.keyboard.press("ArrowDown")
    focused = "document.activeElement.querySelector('strong').textContent"
    assert one.page.evaluate(focused) == titles[-1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_somebody_outside_gets_the_answer_on_one_page(browsers, size):
    one = browsers("Anna", viewport=size)
    with one.page.expect_download() as saved:
        one.ask().get_by_role("button", name="One page (PDF)").click()
    assert saved.value.suggested_filename.endswith("-one-page.pdf")
    assert len(pypdf.PdfReader(saved.value.path()).pages) == 1
    with one.page.expect_download() as saved:
        one.ask().get_by_role("button", name="One page (HTML)").click()
    assert "What was not tested" in saved.value.path().read_text(encoding="utf-8")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_link_to_the_page_says_that_it_has_no_data_and_where_it_opens(browsers, size):
    one = browsers("Anna", viewport=size, permissions=["clipboard-read", "clipboard-write"])
    one.ask().get_by_role("button", name="Link to this page").click()
    dialog = one.page.get_by_role("dialog", name="Link to this page")
    dialog.get_by_text("It carries no data").wait_for()
    dialog.get_by_text("It needs no data of yours").wait_for()
    dialog.get_by_text(ONLY_HERE).wait_for()
    one.assert_in_view(dialog)
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_text("The link is in the clipboard.").wait_for(state="attached")
    address = dialog.get_by_role("textbox", name="Link to this page").input_value()
    assert one.page.evaluate("navigator.clipboard.readText()") == address
    assert "#link=" in address
    dialog.get_by_role("button", name="Share as a saved audit").click()
    one.page.get_by_role("dialog", name="Save this audit").wait_for()


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_page_that_was_saved_is_shared_as_it_was_saved_and_as_a_new_version_once_it_changed(
    team, browsers, size
):
    who = "Ben" if size is WIDE else "Ada"
    one = browsers(who, viewport=size)
    workspace = team.visitors.bench(team.accounts.find(who).person).workspace
    before = len(workspace.audits)
    one.page.keyboard.press("Control+s")
    save = one.page.get_by_role("dialog", name="Save this audit")
    name = f"release {size['width']}"
    save.get_by_label("Name").fill(name)
    save.get_by_role("button", name="Save", exact=True).click()
    one.says("Saved as")
    # A person here: the audit that was saved, and no second one.
    one.ask().get_by_role("button", name="Share as a saved audit").click()
    share = one.page.get_by_role("dialog", name=f"Share “{name}”")
    share.get_by_text("Only you.").wait_for()
    one.assert_in_view(share)
    share.get_by_label("Add a person").fill("Anna")
    share.get_by_label("Add a person").press("Enter")
    share.locator("li[data-to=person]").filter(has_text="Anna").wait_for()
    share.get_by_role("button", name="Close").click()
    assert len(workspace.audits) == before + 1
    saved = workspace.audits.search(limit=1)[0]
    # A link: the dialog begins there, and says where it opens.
    one.ask().get_by_role("button", name="Link to a saved audit").click()
    share.get_by_text(ONLY_HERE).wait_for()
    one.page.wait_for_function("document.activeElement.matches('select')")
    share.get_by_role("button", name="Create a link").click()
    address = share.get_by_role("textbox", name="Link").input_value()
    share.get_by_role("button", name="Close").click()
    assert len(workspace.audits) == before + 1
    # It changes: what is shared is saved as a new version.
    slider = one.page.get_by_role("slider", name="Threshold").locator("visible=true").first
    slider.press("ArrowRight")
    one.numbers()
    one.ask().get_by_role("button", name="Link to a saved audit").click()
    save.get_by_text(f"The page has changed since “{name}” was saved.").wait_for()
    assert save.get_by_label("As a new version of").is_checked()
    one.assert_in_view(save)
    save.get_by_role("button", name="Save", exact=True).click()
    share.get_by_text("Only you.").wait_for()
    newest = workspace.audits.search(limit=1)[0]
    assert (newest.versions, newest.previous) == (2, saved.key)
    # The receiver of the link sees the answer first, without signing in.
    stranger = one.page.context.browser.new_context(viewport=size).new_page()
    stranger.goto(address, wait_until="commit")
    frame = stranger.frame_locator("iframe")
    frame.locator(".one-page h1").wait_for()
    assert frame.locator("h1").first.evaluate("e => e.className").startswith("verdict")
    for name in ("Complete report", "One page (PDF)"):
        stranger.get_by_role("link", name=name).wait_for()
    assert stranger.evaluate("document.documentElement.scrollWidth <= innerWidth")
    stranger.context.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_who_opens_a_link_without_the_data_is_told_what_to_open_and_whom_to_ask(
    team, browsers, size
):
    anna = browsers("Anna", viewport=size)
    added = losses(team, f"losses-{size['width']}.csv", size["width"])
    anna.open_menu().locator(".wb-set").filter(has_text=added.name).first.click()
    anna.wait_for_data(added.name)
    anna.ask().get_by_role("button", name="Link to this page").click()
    dialog = anna.page.get_by_role("dialog", name="Link to this page")
    dialog.get_by_text(re.compile(f"file “losses-{size['width']}.csv”")).wait_for()
    dialog.get_by_text(added.sha256).wait_for()
    anna.assert_in_view(dialog)
    address = dialog.get_by_role("textbox", name="Link to this page").input_value()
    vera = browsers("Ada", viewport=size)
    vera.page.goto(address)
    note = vera.page.get_by_role("note", name="What the link needs")
    note.get_by_text(f"“losses-{size['width']}.csv”").wait_for()
    note.get_by_text(added.sha256).wait_for()
    note.get_by_text("ask whoever sent you the link to share the saved audit").wait_for()
    assert vera.page.locator(SHOWN).count() == 1
    assert grave_faults(vera.page) == []
