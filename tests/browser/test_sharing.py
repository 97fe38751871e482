"""Sharing in two browsers: one shares, the other drags with it, and what is revoked is gone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.bench import BenchPage
from helpers.browser import NOTE_ANSWERS, await_charts, grave_faults
from helpers.people import PASSWORD, Team

import workbench as wb
from workbench.dashboard.tab import Tab
from workbench.pages.registry import MENU, PAGES
from workbench.server.app import App
from workbench.server.sharing.grant import ShareKind


@pytest.fixture
def team():
    """A server of one test: a second attempt finds nothing that the first one shared."""
    groups = {name: group for group, pages in MENU.items() for name in pages}
    tabs = [
        Tab(entry.kind, f"/{name}", entry.title, groups.get(name, ""), entry.answers)
        for name, entry in PAGES.items()
    ]
    made = Team(app=App(tabs))
    yield made
    made.close()


class SharingPage(BenchPage):
    """An open document of somebody who shares."""

    def share(self, name):
        """Open the dialog that shares a data set of the Data menu."""
        self.open_menu().get_by_role("button", name=f"Share: {name}").click()
        return self.sharing()

    def sharing(self):
        """The dialog, once it says who has access."""
        dialog = self.page.locator(".wb-share-dialog")
        dialog.locator(".wb-share-list li").first.wait_for()
        return dialog

    def add(self, dialog, name):
        """Type the name of a person, and press Enter."""
        dialog.get_by_label("Add a person").fill(name)
        dialog.get_by_label("Add a person").press("Enter")
        dialog.locator("li[data-to=person]").filter(has_text=name).wait_for()


@pytest.fixture
def browsers(team, chromium):
    """``browsers(name, page, **context)`` opens a page of somebody who has signed in."""
    contexts, errors = [], []

    def opened(name, page="scores", **context):
        made = chromium.new_context(
            **{"viewport": {"width": 1440, "height": 900}, "bypass_csp": True, **context}
        )
        contexts.append(made)
        shown = made.new_page()
        shown.add_init_script(NOTE_ANSWERS)
        shown.on("pageerror", lambda error: errors.append(str(error)))
        home = f"http://localhost:{team.port}"
        if name:
            shown.goto(f"{home}/sign-in?next={page}")
            shown.get_by_label("Name").fill(name)
            shown.get_by_label("Password").fill(PASSWORD)
            shown.get_by_role("button", name="Sign in").click()
            if page == "scores":
                await_charts(shown)
            shown.locator(":root[data-connected]").wait_for()
        return SharingPage(shown)

    yield opened
    for one in contexts:
        one.close()
    assert errors == []


def add_scores(team, name, seed):
    rng = np.random.default_rng(seed)
    person = team.accounts.find("Anna").person
    workspace = team.visitors.bench(person).workspace
    return workspace.add_scores(
        wb.Scores(rng.normal(1, 1, 500), rng.normal(0, 1, 600), name=name)
    ), workspace


def test_a_data_set_is_shared_dragged_with_and_gone_without_a_gesture(team, browsers):
    add_scores(team, "losses", 1)
    one, two = browsers("Anna"), browsers("Ben")
    two.open_menu()  # from now on, the page hears of what others do
    two.page.keyboard.press("Escape")
    before = two.data
    dialog = one.share("losses")
    assert grave_faults(one.page) == []
    assert dialog.locator(".wb-share-list").inner_text() == "Only you."
    one.add(dialog, "Ben")
    two.says("Anna shares “losses” with you.")
    menu = two.open_menu()
    menu.get_by_role("heading", name="Shared with you").wait_for()
    assert grave_faults(two.page) == []
    menu.locator(".wb-set").filter(has_text="losses (Anna)").click()
    two.wait_for_data("losses (Anna)")
    numbers = two.numbers()
    assert numbers["Scores"].startswith("500 + 600")
    slider = two.page.get_by_role("slider", name="Threshold").locator("visible=true").first
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    assert two.numbers()["AUC"] == numbers["AUC"]
    dialog.get_by_role("button", name="Stop sharing with Ben").click()
    two.says("“losses” is no longer shared with you.")
    two.wait_for_data(re.sub("…$", "", before))
    assert two.numbers()["Scores"] != numbers["Scores"]
    assert two.open_menu().get_by_role("heading", name="Shared with you").count() == 0


def test_an_audit_is_shared_read_and_gone_from_the_page_that_shows_it(team, browsers):
    data, workspace = add_scores(team, "for an audit", 2)
    workspace.audits.save(wb.audit(workspace.scores(data.key)), "release 7", tags=["nightly"])
    one, two = browsers("Anna", "audits"), browsers("Ben", "audits")
    row = one.page.locator("tr[data-key]").filter(has_text="release 7")
    row.get_by_role("button", name="Share: release 7").click()
    dialog = one.sharing()
    one.add(dialog, "Ben")
    one.page.locator("tr[data-key] .wb-mark", has_text="shared").wait_for()
    two.page.get_by_label("Whose audits").select_option("Shared with me")
    theirs = two.page.locator("tr[data-key]").filter(has_text="shared by Anna")
    theirs.wait_for()
    assert theirs.get_by_role("button", name=re.compile("Delete|Share")).count() == 0
    assert grave_faults(two.page) == []
    theirs.get_by_role("link", name="release 7").click()
    two.page.get_by_role("heading", name="release 7").wait_for()
    assert two.page.get_by_role("button", name="Delete").count() == 0
    dialog.get_by_role("button", name="Stop sharing with Ben").click()
    two.page.get_by_text("This audit is not, or no longer, shared with you.").wait_for()


def test_a_link_is_copied_opened_without_sign_in_and_revoked(team, browsers):
    add_scores(team, "by a link", 3)
    one = browsers("Anna", permissions=["clipboard-read", "clipboard-write"])
    dialog = one.share("by a link")
    dialog.get_by_label("Ends after").select_option("30 days")
    dialog.get_by_role("button", name="Create a link").click()
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_role("button", name="Copied").wait_for()
    address = one.page.evaluate("navigator.clipboard.readText()")
    stranger = browsers("").page
    stranger.goto(address)
    stranger.get_by_role("heading", name="by a link").wait_for()
    assert grave_faults(stranger) == []
    stranger.get_by_role("link", name="Open in the workbench").click()
    stranger.wait_for_url(re.compile("/sign-in"))
    stranger.get_by_label("Name").fill("Vera")
    stranger.get_by_label("Password").fill(PASSWORD)
    stranger.get_by_role("button", name="Sign in").click()
    vera = SharingPage(stranger)
    vera.says("Anna shares “by a link” with you")
    vera.wait_for_data("by a link (Anna)")
    # The dialog says by itself whom else it ends for, here and in another window.
    other = browsers("Anna").share("by a link")
    for shown in (dialog, other):
        shown.get_by_text("Revoke also ends it for the person who accepted it: Vera.").wait_for()
        shown.locator("li[data-link]", has_text="accepted the link, until").wait_for()
    assert grave_faults(one.page) == []
    dialog.get_by_role("button", name=re.compile("^Revoke the link")).click()
    dialog.get_by_text("The link was revoked, also for the person who accepted it").wait_for()
    for shown in (dialog, other):
        shown.get_by_text("Only you.").wait_for()
    vera.says("“by a link” is no longer shared with you.")
    assert "by a link" not in vera.data
    stranger.goto(address)
    stranger.get_by_text("This link does not work.").wait_for()


def test_the_report_of_a_link_is_shown_in_a_frame_that_can_reach_nothing(team, browsers):
    data, workspace = add_scores(team, "for a report", 4)
    audit = workspace.audits.save(wb.audit(workspace.scores(data.key)), "a report")
    person = team.accounts.find("Anna").person
    _, token = team.visitors.lending.grants.add_link(person.key, ShareKind.AUDIT, audit.key)
    page = browsers("", viewport={"width": 390, "height": 844}, bypass_csp=False).page
    page.goto(f"http://localhost:{team.port}/shared/{token}")
    frame = page.frame_locator("iframe")
    frame.locator("h1.verdict").wait_for()  # the answer first
    page.get_by_role("link", name="Complete report").click()
    frame.get_by_role("heading", name="a report", exact=True).wait_for()
    frame.locator("svg, .js-plotly-plot").first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    inside = page.frames[1]
    assert inside.evaluate("window.origin") == "null"
    with page.expect_download() as saved:
        page.get_by_role("link", name="JSON").click()
    assert saved.value.suggested_filename == "scores-a-report.json"
