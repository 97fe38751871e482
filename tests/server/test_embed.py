"""`--embed`: which sites may show the page in a frame, and the cookies there."""

from __future__ import annotations

import subprocess
import sys
from http.cookies import SimpleCookie

import pytest
from helpers.asking import ask
from helpers.served import Served
from helpers.servers import ROOT

from workbench.server.handlers.sign_in import POLICY
from workbench.server.network.headers import CLOSED, app_policy, document_policy, embedded

COURSE, OTHER = "https://course.example.org", "https://notes.example.org:8443"

#: What browsers say of a page that another site has in a frame.
IN_FRAME = {
    "Sec_Fetch_Site": "cross-site",
    "Sec_Fetch_Mode": "navigate",
    "Sec_Fetch_Dest": "iframe",
}

#: What a proxy says of a page that came over TLS.
TLS = {"X_Forwarded_Proto": "https", "X_Forwarded_Host": "localhost"}


@pytest.fixture(scope="module")
def served():
    origins = ("https://localhost", "http://audit.example.org")
    made = Served(embed=(COURSE, OTHER), proxies=("127.0.0.1",), origins=origins)
    yield made
    made.close()


@pytest.fixture(scope="module")
def closed():
    made = Served()
    yield made
    made.close()


@pytest.mark.parametrize("path", ["/counts", "/", "/no-such-page", "/words.json", "/report/x.exe"])
def test_every_answer_names_the_sites(served, path):
    _, headers, _ = ask(served, path)
    assert f"frame-ancestors 'self' {COURSE} {OTHER}" in headers["Content-Security-Policy"]
    assert headers.get_all("X-Frame-Options") is None  # which could name none of them


@pytest.mark.parametrize("path", ["/counts", "/", "/no-such-page"])
def test_without_the_option_no_other_site_may(closed, path):
    _, headers, _ = ask(closed, path)
    policies = headers["Content-Security-Policy"].split("; ")
    assert "frame-ancestors 'self'" in policies


@pytest.mark.parametrize("policy", [CLOSED, app_policy("a:1"), document_policy()])
def test_policies_stay_as_they_are_but_for_the_frames(policy):
    found = embedded(policy, [COURSE]).split("; ")
    assert found.index(f"frame-ancestors 'self' {COURSE}") >= 0
    assert [one for one in found if "frame" not in one] == [
        one for one in policy.split("; ") if "frame" not in one
    ]
    assert [one for one in found if one.startswith("frame-src")] == [
        one for one in policy.split("; ") if one.startswith("frame-src")
    ]


def test_a_form_to_sign_in_is_in_no_frame():
    assert "frame-ancestors 'none'" in embedded(POLICY, [COURSE])


def test_a_page_in_a_frame_is_answered_with_the_option_only(served, closed):
    assert ask(served, "/counts", **IN_FRAME, **TLS)[0] == 200
    assert ask(closed, "/counts", **IN_FRAME)[0] == 403


@pytest.mark.parametrize(
    "said",
    [
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "image"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors", "Sec_Fetch_Dest": "empty"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "object"},
    ],
)
def test_nothing_else_of_another_site_is_answered(served, said):
    assert ask(served, "/counts", **said)[0] == 403


def test_no_site_but_this_server_may_change_anything(served):
    status, _, _ = ask(served, "/sign-out", "POST", b"", Origin=COURSE)
    assert status == 403
    socket = {"Upgrade": "websocket", "Connection": "Upgrade", "Origin": COURSE}
    assert ask(served, "/counts/ws", **socket)[0] == 403


def cookies(served, **headers):
    sent = ask(served, "/counts", **headers)[1].get_all("Set-Cookie") or []
    assert sent, "a visitor gets a cookie"
    return sent


def attributes(text):
    return {part.strip().partition("=")[0].lower() for part in text.split(";")[1:]}


def test_cookies_work_in_a_frame_over_tls(served):
    for text in cookies(served, **TLS):
        assert "SameSite=None" in text
        assert {"secure", "partitioned", "httponly", "path", "expires"} <= attributes(text)


def test_and_from_this_machine_without_tls():
    made = Served(embed=(COURSE,))
    try:
        for text in cookies(made):
            assert "SameSite=None" in text
            assert {"secure", "partitioned"} <= attributes(text)
    finally:
        made.close()


def test_without_tls_elsewhere_they_are_as_ever(served):
    for text in cookies(served, X_Forwarded_Proto="http", X_Forwarded_Host="audit.example.org"):
        assert "SameSite=Lax" in text
        assert not {"secure", "partitioned"} & attributes(text)


def test_a_cookie_of_a_frame_is_read_again(served):
    def visitor(**more):
        [text] = [one for one in cookies(served, **TLS, **more) if "-visitor-" in one]
        [one] = SimpleCookie(text.partition(";")[0]).values()
        signed = one.value.split("|")[4]  # version, key version, time, name, value, signature
        return f"{one.key}={one.coded_value}", signed

    cookie, who = visitor()
    assert visitor(Cookie=cookie)[1] == who
    assert visitor()[1] != who


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("*", "name each address, such as https://audit.example.org"),
        ("course.example.org", "must be a scheme and a host"),
        ("https://course.example.org/week-3", "must be a scheme and a host"),
        ("https://*.example.org", "name each address"),
        ("'self'", "must be a scheme and a host"),
        ("https://a.example.org; script-src *", "name each address"),
        ("https://a.example.org https://b.example.org", "must be a scheme and a host"),
    ],
)
def test_what_is_no_origin_is_refused_in_words(text, words):
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--embed", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
