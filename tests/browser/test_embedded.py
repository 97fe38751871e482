"""Pages of other sites that show the workbench in a frame: one that may, and one that may not."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from helpers.board import SHOWN
from helpers.browser import DRAWN, PATIENCE, WIDE
from helpers.served import Served

from workbench.server.people.identity import VisitorIdentity

KEY = "k" * 43


class Site:
    """A site of one page, at 127.0.0.1: to a browser that is another one than localhost."""

    def __init__(self):
        site = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(site.document.encode())

            def log_message(self, *given):
                pass

        self.document = ""
        self._http = HTTPServer(("127.0.0.1", 0), Answers)
        self.origin = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def shows(self, address):
        self.document = (
            "<!doctype html><title>Week 3</title><p>Move the slider.</p>"
            f'<iframe src="{address}" title="Audit" width="1200" height="900"></iframe>'
        )

    def close(self):
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture(scope="module")
def sites():
    made = Site(), Site()
    yield made
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def served(sites):
    made = Served(embed=(sites[0].origin,))
    yield made
    made.close()


def framed(chromium, site, address, **options):
    context = chromium.new_context(**WIDE, **options)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append((message.type, message.text)))
    site.shows(address)
    page.goto(f"{site.origin}/")
    return page, said


def the_frame(page):
    frame = page.frames[1]
    frame.wait_for_function(
        "() => 'connected' in document.documentElement.dataset", timeout=PATIENCE
    )
    frame.wait_for_function(DRAWN, arg=SHOWN, timeout=PATIENCE)
    return frame


def epsilon(frame):
    return frame.locator(f"{SHOWN} .wb-number").first.inner_text()


def test_a_site_that_may_shows_the_page_and_its_sliders_work(chromium, sites, served):
    page, said = framed(chromium, sites[0], f"http://localhost:{served.port}/counts")
    frame = the_frame(page)
    before = epsilon(frame)
    slider = frame.locator("input[type=range]:visible").first
    slider.focus()
    slider.press("End")
    frame.wait_for_function(
        "([shown, before]) => document.querySelector(`${shown} .wb-number`).innerText !== before",
        arg=[SHOWN, before],
        timeout=PATIENCE,
    )
    after = epsilon(frame)
    page.reload()  # the same visitor, by a cookie of the frame
    assert epsilon(the_frame(page)) == after
    sent = [one for one in page.context.cookies() if "visitor" in one["name"]]
    assert sent
    assert all(one["sameSite"] == "None" and one["secure"] for one in sent)
    assert [text for kind, text in said if kind == "error"] == []
    page.context.close()


def test_another_site_shows_nothing(chromium, sites, served):
    page, said = framed(chromium, sites[1], f"http://localhost:{served.port}/counts")
    page.wait_for_timeout(3000)
    assert page.frames[1].locator(".wb-board").count() == 0
    assert any("frame-ancestors" in text for _, text in said)
    page.context.close()


def test_a_server_without_the_option_is_in_no_frame(chromium, sites):
    made = Served()
    try:
        page, _ = framed(chromium, sites[0], f"http://localhost:{made.port}/counts")
        page.wait_for_timeout(3000)
        assert page.frames[1].locator(".wb-board").count() == 0
        page.context.close()
    finally:
        made.close()


def test_the_owner_comes_by_the_key_in_the_address_of_the_frame(chromium, sites):
    made = Served(identity=VisitorIdentity(KEY), secret=KEY.encode(), embed=(sites[0].origin,))
    try:
        ticket = made.settings["options"].identity.owner.ticket()
        page, _ = framed(chromium, sites[0], f"http://localhost:{made.port}/counts?key={ticket}")
        frame = the_frame(page)
        assert frame.url == f"http://localhost:{made.port}/counts"  # the key is gone
        assert "owner" in frame.locator(".wb-person-panel").text_content()
        sites[0].shows(f"http://localhost:{made.port}/counts")  # signed in, by the cookie
        page.goto(f"{sites[0].origin}/")
        assert "owner" in the_frame(page).locator(".wb-person-panel").text_content()
        page.context.close()
    finally:
        made.close()
