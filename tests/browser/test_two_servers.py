"""Two servers and another program on one host, in one browser: who is who, and who learns what."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from helpers.browser import WIDE, await_charts
from helpers.people import PASSWORD, Browser, Team
from helpers.served import Served

from workbench.server.people.identity import VisitorIdentity

KEYS = "k" * 43, "l" * 43


@pytest.fixture
def owned():
    made = [Served(identity=VisitorIdentity(key), secret=key.encode()) for key in KEYS]
    yield made
    for one in made:
        one.close()


@pytest.fixture
def listener():
    """Another program of this computer: its port, and what browsers sent it."""
    heard = []

    class Listens(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(str(self.headers))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *given):
            pass

    server = HTTPServer(("localhost", 0), Listens)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, heard
    server.shutdown()
    server.server_close()


def opened(context, address):
    page = context.new_page()
    page.goto(address)
    await_charts(page)
    return page


OWNER = "owner of this computer's workspace"


def test_the_owner_of_two_servers_is_signed_in_at_both(chromium, owned, listener):
    context = chromium.new_context(**WIDE)
    addresses = [f"http://localhost:{one.port}/" for one in owned]
    for one, address in zip(owned, addresses, strict=True):
        page = opened(
            context, f"{address}counts?key={one.settings['options'].identity.owner.ticket()}"
        )
        assert page.url == f"{address}counts"
    for address in addresses:
        page = opened(context, f"{address}counts")
        assert OWNER in page.locator(".wb-person-panel").text_content()
    port, heard = listener
    context.new_page().goto(f"http://localhost:{port}/")
    names = [f"workbench-owner-{one.port}" for one in owned]
    assert all(name in heard[0] for name in names)  # browsers do not tell ports apart
    assert not any(key in heard[0] for key in KEYS)
    stolen = heard[0].partition("Cookie: ")[2].splitlines()[0]

    page = opened(context, f"{addresses[0]}counts")
    page.locator(".wb-person-button").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_text("This browser is signed out").wait_for()
    other = opened(context, f"{addresses[1]}counts")
    assert OWNER in other.locator(".wb-person-panel").text_content()
    for address, still in zip(addresses, (False, True), strict=True):
        text = Browser(address.rstrip("/")).get("counts", Cookie=stolen)[2]
        assert (OWNER.replace("'", "&#39;") in text) is still
    context.close()


@pytest.mark.exhaustive
def test_people_of_two_servers_are_signed_in_at_both(chromium):
    teams = [Team(), Team(secret=b"t" * 32)]
    context = chromium.new_context(**WIDE)
    try:
        for team, name in zip(teams, ("Anna", "Ben"), strict=True):
            page = context.new_page()
            page.goto(f"http://localhost:{team.port}/counts")
            page.get_by_label("Name").fill(name)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("button", name=f"Account of {name}").wait_for()
        for team, name in zip(teams, ("Anna", "Ben"), strict=True):
            page = opened(context, f"http://localhost:{team.port}/counts")
            page.get_by_role("button", name=f"Account of {name}").wait_for()
    finally:
        context.close()
        for team in teams:
            team.close()
