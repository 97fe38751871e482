"""Signing in with a provider in a real browser: cookies, other sites, and the content policy."""

from __future__ import annotations

import pytest
from helpers.elsewhere import KEY, SECRET, provided
from helpers.people import Team

from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.people.oauth import OAuth
from workbench.server.people.providers import Provider


@pytest.fixture(scope="module")
def team():
    with provided("127.0.0.1") as there:  # another site than localhost
        home = there.home
        chosen = Provider("Test", "test", f"{home}/authorize", f"{home}/token")
        app = App([Tab(PAGES["counts"].kind, "/counts", "Counts")])
        made = Team(app=app, oauth=OAuth(chosen, KEY, SECRET, allow=("example.org",)))
        yield made, there
        made.close()


def test_somebody_signs_in_with_a_provider_and_is_back_on_the_page(team, chromium):
    made, there = team
    context = chromium.new_context()
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"http://localhost:{made.port}/counts")
    page.get_by_role("link", name="Sign in with Test").click()
    page.get_by_role("link", name="Approve").click()
    page.wait_for_url(f"http://localhost:{made.port}/counts")
    page.get_by_role("button", name="Account of Ada Lovelace").wait_for()
    assert [url for url in asked if there.home in url] == [
        url for url in asked if url.startswith(f"{there.home}/authorize?")
    ]
    kept = {cookie["name"]: cookie for cookie in context.cookies()}
    assert f"workbench-oauth-{made.port}" not in kept
    sign_in = kept[f"workbench-sign-in-{made.port}"]
    assert (sign_in["httpOnly"], sign_in["sameSite"]) == (True, "Lax")
    context.close()


def test_a_refusal_is_a_page_that_leads_back(team, chromium):
    made, there = team
    there.claims = {"email": "eve@evil.example", "sub": "eve"}
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"http://localhost:{made.port}/counts")
    page.get_by_role("link", name="Sign in with Test").click()
    page.get_by_role("link", name="Approve").click()
    page.get_by_role("alert").get_by_text("has not allowed your account").wait_for()
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_role("link", name="Sign in with Test").wait_for()
    context.close()
