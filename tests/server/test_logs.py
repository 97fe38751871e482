"""The log of a server that people share: what is in it, and that nothing of theirs is."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from helpers.programs import program
from helpers.servers import PATIENCE, ROOT, free_port
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from benchmarks.visitors import Visitor
from workbench.server.operations import log
from workbench.server.operations.access import REQUEST, person_prefix, request_id
from workbench.server.operations.repeats import RepeatFilter
from workbench.server.options import ServerOptions
from workbench.workspaces.home import make_ticket

CANARY = "canary7f3a"
KEY = "k" * 35 + "Canary_7"  # as long as our own


def record(message, *args, name="workbench.server.x", level=logging.INFO, error=None, **extra):
    info = (type(error), error, error.__traceback__) if error is not None else None
    made = logging.LogRecord(name, level, "x.py", 1, message, args, info)
    vars(made).update(extra)
    return made


def entry(*args, **more):
    return json.loads(log.JSONFormatter().format(record(*args, **more)))


def failed(error, cause=None):
    try:
        raise error from cause
    except type(error) as caught:
        return caught


# -- one record ------------------------------------------------------------------------------------


def test_a_record_is_one_json_object_with_its_fields():
    found = entry(
        "signed in %s", "again", event="sign_in", person="abcdefgh", status=200, nothing=1
    )
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "info",
        "logger": "workbench.server.x",
        "message": "signed in again",
        "event": "sign_in",
        "person": "abcdefgh",
        "status": 200,
    }


@pytest.mark.parametrize("form", [log.JSONFormatter, log.LineFormatter])
def test_no_name_forges_a_line_or_moves_the_cursor(form):
    evil = 'a\n{"level":"error"}\r\x1b[2J\x00\u2028\u202eb\ud800'
    line = form().format(record("got %s", evil, path=evil, event=evil))
    assert not re.search("[\x00-\x1f\x7f\u2028\u202e\ud800]", line)
    line.encode()
    if form is log.JSONFormatter:
        found = json.loads(line)
        assert ascii(found["message"]) == ascii("got a")  # of a text in lines, the first
        assert ascii(found["path"]) == ascii(evil)


def test_an_exception_is_its_types_and_places_without_its_words():
    found = entry("it failed", error=failed(KeyError(CANARY), failed(ValueError(CANARY))))
    story = found["exception"]
    assert [one.split(" at ")[0] for one in story] == ["KeyError", "ValueError"]
    assert "tests/server/test_logs.py:" in story[0]
    assert CANARY not in json.dumps(found)
    assert str(ROOT) not in json.dumps(found)
    text = log.LineFormatter().format(record("x", error=failed(ValueError(CANARY))))
    assert CANARY not in text
    assert "ValueError at" in text


def test_an_exception_that_is_an_argument_or_the_message_is_its_type():
    assert entry("refused: %s", ValueError(CANARY))["message"] == "refused: ValueError"
    scores = entry("read %s: %s", CANARY, ValueError(CANARY), name="workbench.scores.x")
    assert scores["message"] == "read (str): (ValueError)"
    assert entry(ValueError(CANARY))["message"] == "ValueError"


def test_messages_of_other_packages_lose_their_arguments_but_numbers():
    said = entry("%d %s: %r", 404, f"GET /{CANARY}", {"x": CANARY}, name="tornado.general")
    assert said["message"] == "404 (str): '(dict)'"
    said = entry(f"Task exception was never retrieved\nfuture: {CANARY}", name="asyncio")
    assert said["message"] == "Task exception was never retrieved"
    assert CANARY not in str(entry("%s", f"x.py:1: Warning: {CANARY}", name="py.warnings"))


def test_keys_tokens_and_queries_are_left_out():
    said = entry("GET %s and %s", f"/shared/{KEY}", f"/x?a={CANARY}&b=1", path=f"/shared/{KEY}")
    assert said["message"] == "GET /shared/… and /x"
    assert said["path"] == "/shared/…"
    assert person_prefix(KEY) == KEY[:8]
    said = entry("x", person=KEY, account=KEY)
    assert (said["person"], said["account"]) == (KEY[:8], KEY[:8])


@pytest.mark.parametrize(
    ("given", "proxies", "kept"),
    [
        ("req-12345678", ["127.0.0.1"], True),
        ("req-12345678", [], False),
        ("req-12345678", ["10.0.0.0/8"], False),
        ("short", ["127.0.0.1"], False),
        ("x" * 65, ["127.0.0.1"], False),
        ("a b\tc-12345", ["127.0.0.1"], False),
    ],
)
def test_the_id_of_a_request_is_that_of_a_trusted_proxy_if_it_is_sane(given, proxies, kept):
    class Connection:
        class context:  # noqa: N801
            remote_ip, protocol = "127.0.0.1", "http"

    request = HTTPServerRequest(
        start_line=RequestStartLine("GET", "/", "HTTP/1.1"),
        headers=HTTPHeaders({"Host": "localhost", "X-Request-ID": given}),
        connection=Connection,
    )
    found = request_id(request, ServerOptions(proxies=proxies))
    assert (found == given) is kept
    assert kept or re.fullmatch("[0-9a-f]{16}", found)


def test_a_record_has_the_id_of_the_request_in_whose_task_it_was_made():
    token = REQUEST.set("req-12345678")
    try:
        assert entry("x")["request"] == "req-12345678"
    finally:
        REQUEST.reset(token)
    assert "request" not in entry("x")


INSTALLED = """
import logging, sys, threading, warnings
sys.path.insert(0, sys.argv[1])
import panel, bokeh
from workbench.server.operations import log
logging.basicConfig(format="%(message)s")
log.install("json", "info", access=False)
logging.getLogger("panel").error("of panel")
logging.getLogger("bokeh.server").warning("of bokeh")
logging.getLogger("tornado.application").error("of tornado")
logging.getLogger("workbench.server.x").info("of ours")
logging.getLogger("workbench.server.x").debug("not asked for")
logging.getLogger("workbench.server.operations.access").info("a request")
warnings.warn("canary")
def fails(): raise ValueError("canary")
thread = threading.Thread(target=fails); thread.start(); thread.join()
"""


def test_all_packages_warnings_and_threads_write_to_the_one_log():
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED, str(ROOT)], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert [one["message"] for one in found] == [
        "of panel",
        "of bokeh",
        "of tornado",
        "of ours",
        "a warning of a package",
        "a thread failed",
    ]
    assert "canary" not in done.stderr
    assert done.stdout == ""


# -- the whole server ------------------------------------------------------------------------------


class Guest(Visitor):
    """A visitor who says something secret in every way there is."""

    async def does(self, **gesture):
        self.serial = getattr(self, "serial", 0) + 1
        self._send({"page": "", **gesture, "serial": self.serial})

    async def sends(self, content):
        await self.socket.write_message(content, binary=isinstance(content, bytes))


async def says_secrets(port):
    guest = Guest(port)
    await guest.open()
    content = f"score,member\n{CANARY},1\n0.5,0\n".encode()
    await guest.does(kind="import", files=[])
    await guest.does(page="import", kind="files", name="upload", files=[[CANARY, len(content)]])
    await guest.sends(json.dumps({"page": "import", "kind": "chunk", "name": "upload", "file": 0,
                                  "serial": 99, "content": True}))  # fmt: skip
    await guest.sends(content)
    for page, gesture in (
        ("scores", {"kind": "set", "name": "threshold", "value": CANARY}),
        ("scores", {"kind": "set", "name": CANARY, "value": 1}),
        ("scores", {"kind": CANARY, "name": CANARY}),
        ("scores", {"kind": "drag", "item": CANARY, "shape": CANARY, "x": CANARY}),
        ("scores", {"kind": "job", "job": CANARY}),
        (CANARY, {"kind": "set", "name": "threshold", "value": 1}),
        ("", {"kind": "rename", "data": CANARY, "to": CANARY}),
        ("", {"kind": "choose", "data": CANARY}),
        ("", {"kind": "remove", "data": CANARY}),
        ("", {"kind": "restore", "settings": {"scores": {"threshold": CANARY, CANARY: 1}}}),
        ("", {"kind": "open link", "text": f"#link={CANARY}"}),
        ("", {"kind": "show", "show": CANARY}),
        ("", {"kind": CANARY}),
        ("", {"kind": "audit", "do": "save", "from": "scores", "name": CANARY, "note": CANARY,
              "tags": [CANARY], "request": 1}),
        ("", {"kind": "audit", "do": "open", "key": CANARY, "request": 2}),
        ("", {"kind": "audit", "do": CANARY, "request": 3}),
    ):  # fmt: skip
        await guest.does(**{"page": page, **gesture})
    for frame in (CANARY, f'{{"{CANARY}": 1', CANARY.encode(), json.dumps([CANARY])):
        await guest.sends(frame)
    await asyncio.sleep(1)
    guest.close()


def asks(port, path, method="GET", body=None, **headers):
    connection = http.client.HTTPConnection("localhost", port, timeout=60)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=given)
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


def await_health(port, path):
    """Until a server that is starting answers; its log is in a file."""
    deadline = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline, path.read_text()
        with suppress(OSError):
            if asks(port, "/health").status == 200:
                return
        time.sleep(0.1)


def asks_with_secrets(port, key, ticket):
    secret = f"{CANARY}{KEY}"
    for path in (
        f"/?key={key}",
        f"/?key={ticket}",
        f"/?key={secret}",
        f"/scores?{CANARY}={secret}",
        f"/shared/{secret}",
        f"/data/{secret}.csv",
        f"/report/audit/{secret}.html",
        f"/report/scores.json?of={CANARY}",
        f"/figure/scores/tradeoff.svg?width={CANARY}&family={CANARY}",
        f"/progress.json?of={CANARY}",
        f"/scores?bokeh-token={secret}",
    ):
        asks(port, path)
        asks(port, path, Cookie=f"workbench-key={key}; workbench-visitor-{port}={secret}")
    asks(port, "/metrics", Authorization=f"Bearer {CANARY}")
    asks(port, "/health", X_Request_ID=CANARY, User_Agent=CANARY, Referer=f"http://x/{CANARY}")
    asks(port, "/scores", Host=f"{CANARY}.example.org")
    for path in ("/sign-in", "/"):
        body = f"name={CANARY}&password={CANARY}"
        form = "application/x-www-form-urlencoded"
        asks(port, path, "POST", body, Content_Type=form)
    asks(port, "/scores/ws", Upgrade="websocket", Connection="Upgrade", Sec_WebSocket_Version="13",
         Sec_WebSocket_Key="x", Sec_WebSocket_Protocol=f"bokeh, {secret}")  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_log_has_every_request_and_nothing_that_people_said(tmp_path, form):
    port, path = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
    home = {**os.environ, "WORKBENCH_HOME": str(tmp_path / "home")}
    with (
        path.open("wb") as out,
        program(
            [*command, "--log-format", form, "--log-level", "debug"],
            cwd=ROOT,
            env=home,
            stdout=out,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        await_health(port, path)
        key = (tmp_path / "home" / "key").read_text()
        ticket = make_ticket(key)
        asyncio.run(says_secrets(port))
        asks_with_secrets(port, key, ticket)
        answer = asks(port, "/counts")
        process.terminate()
        assert process.wait(PATIENCE) == 0
    text = path.read_text(encoding="utf-8")
    secret = (tmp_path / "home" / "server" / "secret").read_text()
    for hidden in (CANARY, KEY, key, ticket, secret):
        lines = [line for line in text.splitlines() if hidden in line]
        assert lines == []
    traced = [line for line in text.splitlines() if answer.headers["X-Request-ID"] in line]
    assert len(traced) == 1
    if form == "text":
        assert "path=/counts status=200 milliseconds=" in traced[0]
        return
    entries = [json.loads(line) for line in text.splitlines()]
    assert {"time", "level", "logger", "message"} <= set.intersection(*map(set, entries))
    (of,) = [one for one in entries if one.get("request") == answer.headers["X-Request-ID"]]
    assert (of["method"], of["path"], of["status"], of["message"]) == (
        "GET",
        "/counts",
        200,
        "page",
    )
    assert re.fullmatch(r"[\w-]{8}", of["person"])
    assert {"stopping", "stopped"} <= {one.get("event") for one in entries}


def test_the_owner_s_own_server_writes_no_requests(tmp_path):
    port, path = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
    home = {**os.environ, "WORKBENCH_HOME": str(tmp_path / "home")}
    with (
        path.open("wb") as out,
        program(command, cwd=ROOT, env=home, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        await_health(port, path)
        asks(port, "/counts")
        process.terminate()
        assert process.wait(PATIENCE) == 0
    text = path.read_text()
    assert text.startswith(f"DP Audit Workbench on http://localhost:{port}/?key=")
    assert text.endswith("stopped; everything was kept\n")
    assert "/counts" not in text


# -- what is repeated ------------------------------------------------------------------------------


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, made):
        self.lines.append((made.getMessage(), getattr(made, "count", 1)))


def written(in_words=False):
    """Lines of a handler, what gives it a record, and the clock of its filter."""
    handler, now = Lines(), [1000.0]
    handler.addFilter(RepeatFilter(handler, in_words, lambda: now[0]))
    return handler.lines, handler.handle, now


def test_a_repeated_error_has_one_line_a_minute_with_its_number():
    lines, log_it, now = written()
    full = failed(OSError(24, "Too many open files"))
    for number in range(4484):  # 17 s
        now[0] += 17 / 4484
        text = f"Exception in callback _handle_events(6, 1)\nhandle: <Handle at {number:#x}>"
        log_it(record(text, name="asyncio", level=logging.ERROR, error=full))
    assert len(lines) == 1
    now[0] += 60
    log_it(record("a request"))
    assert [count for _, count in lines] == [1, 4483, 1]
    log_it(record("a request"))
    assert len(lines) == 4


def test_what_differs_has_its_own_line():
    lines, log_it, _ = written()
    here, there = failed(ValueError("x")), failed(TypeError("x"))
    for error in (None, here, there, here):
        for path in ("/a", "/b"):
            for level in (logging.ERROR, logging.WARNING, logging.INFO):
                log_it(record("GET %s failed", path, level=level, error=error))
    assert len(lines) == 12 + 8


def test_the_terminal_is_told_how_often_in_words():
    lines, log_it, now = written(in_words=True)
    for _ in range(3):
        log_it(record("it %s", "failed", level=logging.ERROR))
    now[0] += 60
    log_it(record("it %s", "failed", level=logging.ERROR))
    assert [text for text, _ in lines] == ["it failed", "it failed (2 times more)", "it failed"]


def test_kinds_without_end_take_no_memory_without_end():
    lines, log_it, _ = written()
    for number in range(3000):
        log_it(record("error %d", number, level=logging.ERROR))
        log_it(record("error %d", number, level=logging.ERROR))
    assert 1990 <= len([count for _, count in lines]) - 3000 <= 2010  # those of kinds let go
