"""A file that a server follows: it reaches the pages, and a refutation is announced once."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers.programs import program
from helpers.servers import PATIENCE, ROOT, free_port
from helpers.visits import Later, Reader, settle, tabs, wait

import workbench as wb
from benchmarks.visitors import Visitor
from workbench.cli import main
from workbench.dashboard.services import Services
from workbench.dashboard.visitor.session import VisitorSession
from workbench.following.following import Following
from workbench.server.following import follower
from workbench.server.following.follower import ANNOUNCED, MARKS, Follower
from workbench.server.following.webhook import Webhook
from workbench.workspaces.followed.data import KEY, FollowedData
from workbench.workspaces.workspace import Workspace

PAIR = wb.GaussianPair(1.5)
SCORES = PAIR.sample(600, seed=1)
ROWS = [f"{a!r},{b!r}\n" for a, b in zip(SCORES.p.tolist(), SCORES.q.tolist(), strict=True)]
CLAIM = "approx(0.3, 1e-5)"


def append(path, start, stop):
    with path.open("a") as out:
        out.writelines((["p,q\n"] if start == 0 else []) + ROWS[start:stop])


class Hook:
    """A server that takes posts; ``answers`` are the statuses of the first ones, then 200."""

    def __init__(self, *answers):
        self.posts, self.answers, self.paths = [], list(answers), []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.paths.append(self.path)
                hook.posts.append(json.loads(body))
                status = hook.answers.pop(0) if hook.answers else 200
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", f"http://localhost:{hook.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *said):
                pass

        self._server = ThreadingHTTPServer(("localhost", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://localhost:{self.port}/services/T0123/secretpath?token=secrettoken"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()


# -- a real server ---------------------------------------------------------------------------------


@contextmanager
def following_server(folder, *more):
    port, log = free_port(), folder / "log"
    command = [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", str(port)]
    home = {"PYTHONPATH": str(ROOT), "WORKBENCH_HOME": str(folder / "home")}
    with (
        log.open("ab") as out,
        program(
            [*command, "--log-format", "json", *more],
            cwd=ROOT,
            env={**os.environ, **home},
            stdout=out,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        until(lambda: get(port, "health"), log)
        yield port, process, log


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/{path}", timeout=30) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def until(condition, log):
    deadline = time.monotonic() + 2 * PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return found


def followed_rows(port):
    found = re.search(r"^workbench_followed_rows (\S+)", get(port, "metrics"), re.M)
    return found and float(found[1])


async def message(visitor, wanted):
    while True:
        said = await asyncio.wait_for(visitor._message(), PATIENCE)
        if wanted(said):
            return said


def has(said, name, words):
    return words in json.dumps(said.get("items", {}).get(name, {}), ensure_ascii=False)


@pytest.mark.timeout(400)
def test_rows_reach_every_page_over_its_socket_and_a_refutation_is_announced_once(tmp_path):
    path = tmp_path / "scores.csv"

    async def visits(port, log, hook):
        visitors = [Visitor(port, page="watch", address="watch") for _ in range(2)]
        for visitor in visitors:
            await visitor.open()
        append(path, 0, 40)  # the file was not there when the server began
        for visitor in visitors:
            await message(visitor, lambda said: has(said, "seen", "40 per group"))
        append(path, 40, 600)
        told = await message(visitors[0], lambda said: "refuted" in said)
        await message(visitors[1], lambda said: has(said, "seen", "600 per group"))
        until(lambda: hook.posts, log)
        late = Visitor(port, page="watch", address="watch")
        await late.open()
        assert "refuted at row" in get(port, "watch")
        return told["refuted"]

    with Hook() as hook:
        more = ("--follow", str(path), "--claim", CLAIM, "--webhook", hook.url)
        with following_server(tmp_path, *more) as (port, process, log):
            told = asyncio.run(visits(port, log, hook))
            assert followed_rows(port) == 1200
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        with following_server(tmp_path, *more) as (port, _, log):  # reads the file from its start
            until(lambda: followed_rows(port) == 1200, log)
            append(path, 0, 600)
            until(lambda: followed_rows(port) == 2400, log)
    assert len(hook.posts) == 1
    post = hook.posts[0]
    assert (post["event"], post["claim"]) == ("claim_refuted", CLAIM)
    assert (
        f"The claim {CLAIM} is refuted, at row {post['row']} of each group: ε ≥ " in told["words"]
    )
    assert 0.3 < post["bound"]["at_least"] < PAIR.epsilon(1e-5)
    records = [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"]
    refuted = [one for one in records if one.get("event") == "claim_refuted"]
    assert [one["count"] for one in refuted] == [post["row"]]
    assert any("announced before" in one["message"] for one in records)
    assert "secret" not in log.read_text()
    assert str(path) not in log.read_text()


# -- the follower ----------------------------------------------------------------------------------


def run(follower, condition):
    """Run it until the condition holds, which should be its last line of the log: what is logged
    after the end of a test is found in another one."""
    follower.start()
    try:
        wait(condition)
    finally:
        follower.end()


def test_a_claim_that_is_refuted_again_later_is_not_announced_again(tmp_path):
    path, told = tmp_path / "a.csv", []
    following = Following(wb.GrowingFile(path), wb.parse_claim(CLAIM))
    follower = Follower(following, lambda **entries: told.append(entries))
    append(path, 0, 300)
    follower.start()
    wait(lambda: told)
    append(path, 300, 600)
    wait(lambda: following.state.rows == 1200)
    follower.end()
    assert [list(one) for one in told] == [["refuted"]]


def test_what_older_bets_announced_is_named_and_not_used(tmp_path, caplog):
    """The marks name the row of a refutation, which other bets reach at another row."""
    path, home, told = tmp_path / "a.csv", tmp_path / "home", []
    home.mkdir()
    (home / ANNOUNCED).write_text('["0123"]', encoding="utf-8")
    append(path, 0, 300)
    caplog.set_level(logging.INFO)

    def kept():
        return told and (home / ANNOUNCED).read_text().endswith("}")

    for condition in (kept, lambda: "as was announced before" in caplog.text):
        following = Following(wb.GrowingFile(path), wb.parse_claim(CLAIM))
        run(Follower(following, lambda **entries: told.append(entries), home=home), condition)
    assert len(told) == 1
    assert "announced.json is not used: it is of another version" in caplog.text
    assert json.loads((home / ANNOUNCED).read_text())["version"] == MARKS


def test_a_failure_to_read_does_not_end_the_follower(tmp_path, monkeypatch, caplog):
    path = tmp_path / "a.csv"
    following = Following(wb.GrowingFile(path))
    update, calls = following.update, []

    def fails_once():
        calls.append(None)
        if len(calls) == 1:
            raise RuntimeError("odd")
        return update()

    monkeypatch.setattr(following, "update", fails_once)
    append(path, 0, 100)
    run(Follower(following), lambda: following.state.rows == 200)
    assert "could not be read" in caplog.text


def test_a_file_that_fails_again_and_again_is_logged_once_in_a_while(tmp_path, monkeypatch, caplog):
    following, calls = Following(wb.GrowingFile(tmp_path / "confidential.csv")), []

    def fails():
        calls.append(None)
        raise OSError(5, "Input/output error", str(tmp_path / "confidential.csv"))

    monkeypatch.setattr(following, "update", fails)
    monkeypatch.setattr(follower, "INTERVAL", 0.001)
    with caplog.at_level(logging.INFO):
        run(Follower(following), lambda: len(calls) >= 20)
    assert caplog.messages == ["the followed file could not be read: OSError"]
    assert "confidential" not in caplog.text


def odd(path):
    path.unlink()
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_text(""),
        lambda path: path.write_text("p,q\n1,2\n"),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: path.write_bytes(os.urandom(10**6)),
        lambda path: path.open("ab").write(os.urandom(10**6)),
        lambda path: path.open("ab").write(b"1" * 3 * 10**6),  # a line that does not end
        lambda path: path.open("ab").write(b"1,2,3\n" * 10**4),
        lambda path: path.open("r+b").truncate(10**10),
        lambda path: (path.unlink(), os.mkfifo(path)),
        lambda path: (path.unlink(), path.symlink_to(path)),
        odd,
    ],
)
def test_whatever_becomes_of_the_file_what_was_read_stays(tmp_path, harm, caplog):
    path = tmp_path / "a.csv"
    append(path, 0, 100)
    following = Following(wb.GrowingFile(path))
    follower = Follower(following)
    follower.start()
    wait(lambda: following.state.rows == 200)
    harm(path)
    wait(lambda: following.state.stopped or following.file.waits or following.file.left_out)
    for _ in range(3):  # it goes on
        following.update()
    assert following.state.rows >= 200
    follower.end()
    assert len(caplog.records) <= 2


def test_a_file_that_stops_is_logged_without_its_name(tmp_path, caplog):
    path = tmp_path / "confidential.csv"
    append(path, 0, 100)
    following = Following(wb.GrowingFile(path))
    follower = Follower(following)
    follower.start()
    wait(lambda: following.state.rows == 200)
    path.write_text("p,q\n")
    wait(lambda: following.state.stopped and "not followed any more" in caplog.text)
    follower.end()
    assert "confidential" not in caplog.text


# -- the webhook -----------------------------------------------------------------------------------


def posted(hook, caplog, retries=(0.01, 0.01, 0.01), url=None):
    with caplog.at_level(logging.INFO):
        Webhook(url or hook.url, retries=retries, timeout=2.0).send({"event": "x"}).join(PATIENCE)
    assert "secret" not in caplog.text
    return [record.event for record in caplog.records if hasattr(record, "event")]


@pytest.mark.parametrize(
    ("answers", "attempts", "event"),
    [
        ((), 1, "webhook_posted"),
        ((500, 503), 3, "webhook_posted"),
        ((500,) * 9, 4, "webhook_failed"),
        ((404,) * 9, 4, "webhook_failed"),
    ],
)
def test_a_post_is_tried_again_three_times(answers, attempts, event, caplog):
    with Hook(*answers) as hook:
        assert posted(hook, caplog) == [event]
    assert len(hook.posts) == attempts


def test_a_redirect_is_not_followed(caplog):
    with Hook(*(302,) * 9) as hook:
        assert posted(hook, caplog) == ["webhook_failed"]
    assert not any("elsewhere" in path for path in hook.paths)


def test_nobody_there_is_logged_with_the_host_only(caplog):
    url = f"http://localhost:{free_port()}/secretpath"
    assert posted(None, caplog, url=url) == ["webhook_failed"]
    assert "localhost did not take what was posted, in 4 attempts" in caplog.text


class Odd:
    """A server that answers with the bytes of a generator, each in its time."""

    def __init__(self, answer, pause=0.0):
        self.taken, self._answer, self._pause = 0, answer, pause
        self._socket = socket.create_server(("localhost", 0))
        port = self._socket.getsockname()[1]
        self.url = f"http://localhost:{port}/secretpath?token=secrettoken"

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *error):
        self._socket.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                taken, _ = self._socket.accept()
                self.taken += 1
                threading.Thread(target=self._talk, args=(taken,), daemon=True).start()

    def _talk(self, taken):
        with suppress(OSError), taken:
            taken.recv(4096)
            for piece in self._answer():
                taken.sendall(piece)
                time.sleep(self._pause)


def forever(piece):
    return lambda: itertools.repeat(piece)


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (forever(b"H"), 0.05),  # each byte in time, the answer never
        (forever(b"HTTP/1.1 100 Continue\r\n\r\n"), 0.0),
        (lambda: itertools.chain([b"HTTP/1.1 200 OK\r\n"], itertools.repeat(b"a: b\r\n")), 0.3),
        (lambda: (time.sleep(PATIENCE) or b"" for _ in range(1)), 0.0),
        (lambda: [], 0.0),
        (lambda: [b"\x16\x03\x01 no HTTP\r\n\r\n"], 0.0),
        (forever(b"x" * 65536), 0.0),
        (lambda: [b"HTTP/1.1 " + b"9" * 5000 + b"\r\n\r\n"], 0.0),
        (lambda: [b"HTTP/1.1 301 Gone\r\nLocation: file:///etc/passwd\r\n\r\n"], 0.0),
        (lambda: [b"HTTP/1.1 307 T\r\nLocation: http://169.254.169.254/\r\n\r\n"], 0.0),
        (lambda: [b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\n\r\n"], 0.0),
    ],
)
def test_an_answer_that_is_none_ends_with_its_time(answer, pause, caplog):
    with Odd(answer, pause) as server, caplog.at_level(logging.INFO):
        Webhook(server.url, retries=(0.01,), timeout=1.0).send({}).join(PATIENCE)
        assert [record.event for record in caplog.records] == ["webhook_failed"]
        assert server.taken == 2
        wait(lambda: not any("attempt" in one.name for one in threading.enumerate()))
    assert "secret" not in caplog.text


def test_of_an_endless_answer_only_the_head_is_read(caplog):
    def endless():
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n"
        yield from itertools.repeat(b"x" * 65536)

    with Odd(endless) as server, caplog.at_level(logging.INFO):
        Webhook(server.url, timeout=PATIENCE).send({}).join(PATIENCE)
    assert [record.event for record in caplog.records] == ["webhook_posted"]


def test_an_encrypted_address_without_encryption_or_certificate(caplog):
    with Odd(forever(b"HTTP/1.1 200 OK\r\n\r\n"), 0.05) as server:
        url = server.url.replace("http:", "https:")
        assert posted(None, caplog, retries=(), url=url) == ["webhook_failed"]


def test_a_host_that_nobody_knows(caplog, monkeypatch):
    def slow(*asked, **more):
        time.sleep(PATIENCE)

    url = "https://hooks.invalid/secret"
    assert posted(None, caplog, retries=(), url=url) == ["webhook_failed"]
    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with caplog.at_level(logging.INFO):
        Webhook(url, retries=(), timeout=0.2).send({}).join(PATIENCE)
    assert "no answer within 0.2 s" in caplog.text
    assert "secret" not in caplog.text


def test_a_slow_webhook_blocks_nobody():
    hold = threading.Event()

    class Slow(Webhook):
        def _post(self, body):
            hold.wait(PATIENCE)
            return ""

    thread = Slow("https://hooks.example.org/secret").send({})
    assert thread.is_alive()
    assert thread.daemon
    hold.set()
    thread.join(PATIENCE)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("hooks.example.org/secret", "must be an address that begins with https://"),
        ("ftp://hooks.example.org/secret", "must be an address that begins with https://"),
        ("http://hooks.example.org/secret", "hooks.example.org is not encrypted"),
        ("http://127.0.0.1.example.org/secret", "is not encrypted"),
        ("https://me:secret@hooks.example.org/", "holds a user name"),
        ("https://hooks.example.org/secret x", "a space or a control character"),
        ("https://hooks.example.org:99999/secret", "is no address of the web"),
        ("https://", "must be an address that begins with https://"),
    ],
)
def test_an_address_that_is_refused_is_not_quoted(url, said):
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        Webhook(url)
    assert "secret" not in str(error.value)


def test_addresses_that_are_taken():
    for url in ("https://hooks.example.org/x", "http://localhost:8/x", "http://[::1]:8/x"):
        assert "x" not in repr(Webhook(url)).replace("example", "")
    assert Webhook("http://hooks.example.org/x", insecure=True).host == "hooks.example.org"


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--claim", CLAIM], "--claim belongs to a file that is followed; add --follow PATH"),
        (["--webhook", "https://a.example"], "--webhook belongs to a file that is followed"),
        (["other.csv", "--follow", "a.csv"], "leave out other.csv, or --follow"),
        (["--follow", "a.csv", "--webhook", "https://a.example"], "add --claim"),
        (["--follow", "a.csv", "--cluster", "run"], "--cluster does not go with --follow"),
        (["--follow", "a.csv", "--nonfinite", "drop"], "--nonfinite drop does not go with"),
        (["--follow", "a.csv", "--p", "x"], "--p and --q go together"),
        (["--follow", "a.xlsx"], "cannot be followed"),
        (["--follow", "a.csv", "--claim", "approx(1)"], "--claim approx(1)"),
        (
            ["--follow", "a.csv", "--claim", CLAIM, "--webhook", "http://a.example/secret"],
            "allow it with --webhook-insecure",
        ),
    ],
)
def test_options_that_do_not_go_together_are_named(more, said, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    assert main(["serve", "--no-open", "--port", str(free_port()), *more]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "secret" not in told


# -- the pages -------------------------------------------------------------------------------------


@pytest.fixture
def bench(tmp_path):
    """A bench of somebody on a server that follows a file of 100 rows per group."""
    path = tmp_path / "scores.csv"
    append(path, 0, 100)
    following = Following(wb.GrowingFile(path), wb.parse_claim(CLAIM))
    following.update()
    workspace = Workspace(base=FollowedData(following))
    made = VisitorSession(
        workspace, tabs("watch", "scores", "compare"), Later(), "", Services(following=following)
    )
    made.path = path
    yield made
    made.end()


def rows_arrive(bench, start, stop):
    append(bench.path, start, stop)
    assert bench.services.following.update()
    bench.services.following.tell()
    settle(bench)


def test_watch_live_follows_to_the_last_row_unless_the_slider_was_moved_back(bench):
    page = bench.pages.live("watch").page
    assert page.data == KEY
    assert (page.rows, page.seen().text) == (100, "100 per group")
    rows_arrive(bench, 100, 300)
    assert page.rows == 300
    assert page.epsilon() == wb.anytime_epsilon(page.scores, 1e-5)
    assert "μ ≥" in page.also()
    page.log_rows = 2.0
    rows_arrive(bench, 300, 600)
    assert page.rows == 100
    assert page.scores.n_p == 600


def test_the_claim_of_the_server_is_tested_and_not_that_of_the_page(bench):
    page = bench.pages.live("watch").page
    rows_arrive(bench, 100, 600)
    row = bench.services.following.state.refuted_at
    page.claim = 9.0
    assert f"{CLAIM}: refuted at row {row}" in page.e_value().note
    assert f"The claim {CLAIM} was refuted at row {row}" in page.claim_words()
    offered = {
        name
        for name, state in bench.pages.live("watch").controls.states().items()
        if state["offered"]
    }
    assert {"notify", "take_snapshot"} <= offered
    assert "claim" not in offered


def test_a_file_without_rows_says_why_and_is_shown_once_there_are_some(tmp_path):
    path = tmp_path / "scores.csv"
    following = Following(wb.GrowingFile(path))
    following.update()
    workspace = Workspace(base=FollowedData(following))
    bench = VisitorSession(workspace, tabs("watch"), Later(), "", Services(following=following))
    page = bench.pages.live("watch").page
    assert "“scores.csv” has 0 scores of members" in page.message
    assert "there is no file yet" in page.message
    bench.path = path
    rows_arrive(bench, 0, 50)
    assert (page.data, page.rows, page.message) == (KEY, 50, "")
    bench.end()


def test_losses_that_nobody_declared_are_doubted(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{row.strip()}\n" for row in ROWS[:100]]
    path.write_text("".join(["p loss,q loss\n", *rows]))
    columns = {"p": "p loss", "q": "q loss"}
    doubted = Following(wb.GrowingFile(path, **columns))
    stated = Following(wb.GrowingFile(path, **columns), larger_is_member=False)
    for one in (doubted, stated):
        one.update()
    assert "may mean a loss" in doubted.state.notes[0]
    assert stated.state.notes == ()


def test_a_snapshot_says_that_its_moment_was_chosen_after_looking(bench):
    reader = Reader(bench)
    rows_arrive(bench, 100, 400)
    reader.sets("watch", "take_snapshot", True)
    (taken,) = bench.workspace.catalog.own
    assert taken.name == "scores.csv, first 800 rows"
    assert taken.claim == CLAIM
    assert "marked as not valid" in bench.pages.live("watch").page.message
    rows_arrive(bench, 400, 600)
    assert bench.workspace.scores(taken.key).n_p == 400
    reader.does("choose", data=taken.key)
    scores, watch = bench.pages.live("scores").page, bench.pages.live("watch").page
    assert scores.data == watch.data == taken.key
    assert "the number of rows was changed after results were seen" in scores.epsilon().void
    assert watch.epsilon().void is None  # anytime: any moment will do


@pytest.mark.parametrize("name", ["scores", "compare"])
def test_other_pages_ask_for_a_snapshot(name, bench):
    page = bench.pages.live(name).page
    assert page.data_key != KEY
    assert "take a snapshot on the page Watch live" in page.message


def test_a_page_with_a_followed_file_is_not_saved_as_an_audit(bench):
    from workbench.pages.auditing.audit_of import audit_of

    with pytest.raises(wb.WorkspaceError, match="take a snapshot"):
        audit_of(bench.pages.live("watch").page)
