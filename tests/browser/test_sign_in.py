"""Signing in, in a browser: where people go, what the way back shows, and when it has ended."""

from __future__ import annotations

import pytest
from helpers.browser import await_charts
from helpers.people import PASSWORD, Team
from sqlalchemy import delete

from workbench.server.storing.schema import SIGN_INS


@pytest.fixture(scope="module")
def team():
    made = Team()
    yield made
    made.close()


@pytest.fixture
def page(team, chromium):
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    yield context.new_page()
    context.close()


def sign_in(page, name, password=PASSWORD):
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_signing_in_working_and_signing_out(team, page):
    home = f"http://localhost:{team.port}"
    page.goto(f"{home}/counts")
    assert page.url == f"{home}/sign-in?next=counts"
    sign_in(page, "Anna", "not the password")
    alert = page.get_by_role("alert")
    assert alert.inner_text() == "The name or the password is wrong."
    assert page.get_by_label("Name").input_value() == "Anna"
    assert page.get_by_label("Password").input_value() == ""
    sign_in(page, "Anna")
    await_charts(page)
    assert page.url == f"{home}/counts"
    bench = team.visitors.bench(team.accounts.find("Anna").person)
    bench.pages.ask("counts", lambda live: live.page.param.update(fp=40))  # something to keep
    page.reload()
    await_charts(page)
    assert bench.pages.ask("counts", lambda live: live.page.fp) == 40

    page.get_by_role("button", name="Account of Anna").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url(f"{home}/sign-in")
    page.go_back()
    page.wait_for_url(f"{home}/sign-in?next=counts")  # asked of the server, and not shown again
    assert page.locator(".wb-board").count() == 0
    assert "Anna" not in page.content()

    sign_in(page, "Ben")  # sees nothing of hers
    await_charts(page)
    assert page.locator(".wb-person-button").get_attribute("aria-label") == "Account of Ben"
    ben = team.visitors.bench(team.accounts.find("Ben").person)
    assert ben.pages.ask("counts", lambda live: live.page.fp) != 40


def test_an_ended_sign_in_brings_back_to_the_same_place(team, page):
    """The open page asks to sign in again by itself, and shows the same place afterwards."""
    home = f"http://localhost:{team.port}"
    page.goto(f"{home}/audits#plans")
    assert page.url == f"{home}/sign-in?next=audits#plans"
    sign_in(page, "Anna")
    page.wait_for_url(f"{home}/audits#plans")  # as the browser keeps the end of an address
    page.goto(f"{home}/scores")
    await_charts(page)
    with team.database.writing() as connection:
        connection.execute(delete(SIGN_INS))
    page.wait_for_url(f"{home}/sign-in?next=scores")
    assert page.locator(".wb-board").count() == 0
    sign_in(page, "Anna")
    await_charts(page)
    assert page.url == f"{home}/scores"


def test_the_pages_work_without_scripts_on_a_phone(team, chromium):
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(f"http://localhost:{team.port}/password")
    assert page.url.endswith("/sign-in?next=password")
    sign_in(page, "Vera")
    page.get_by_label("Old password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("a quite different one")
    page.get_by_label("New password again").fill("a quite different one")
    page.get_by_role("button", name="Change password").click()
    assert "Your password was changed" in page.get_by_role("status").inner_text()
    assert team.accounts.passwords.verify(
        team.accounts.find("Vera").password, "a quite different one"
    )
    context.close()
