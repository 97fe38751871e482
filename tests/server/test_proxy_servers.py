"""The examples of docs/deployment: nginx, Caddy and systemd's unit before a real server.

The files are used as they are, but for ports, the certificate and the folder of the programs.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import shlex
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from ensure_proxies import find
from helpers.people import PASSWORD, QUICK
from helpers.programs import program
from helpers.served import Served
from helpers.servers import PATIENCE, ROOT, free_port, running
from helpers.visits import wait
from tornado.httpclient import HTTPRequest
from tornado.netutil import OverrideResolver, Resolver
from tornado.web import Application, RequestHandler, stream_request_body
from tornado.websocket import websocket_connect

from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.network.proxy import client_address, is_secure, public_host
from workbench.server.options import ServerOptions
from workbench.server.people.accounts import Accounts
from workbench.server.people.person import Role
from workbench.server.storing.database import ServerDatabase

DEPLOYMENT = ROOT / "docs" / "deployment"

#: The name in all examples.
NAME = "audit.example.org"
PUBLIC = f"https://{NAME}"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the examples are for Linux")


def replaced(text, changes):
    """The text with each pattern replaced, which must be there."""
    for pattern, new in changes.items():
        text, count = re.subn(pattern, lambda found, new=new: found.expand(new), text)
        assert count, pattern
    return text


# -- what runs -------------------------------------------------------------------------------------


def exec_start():
    """The command of the unit."""
    text = (DEPLOYMENT / "workbench.service").read_text().replace("\\\n", " ")
    return shlex.split(re.search(r"^ExecStart=(.+)$", text, re.MULTILINE)[1])


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    """The port of the server that the unit starts, after somebody got an account."""
    port = free_port()
    folder = tmp_path_factory.mktemp("unit")
    accounts = Accounts(ServerDatabase(folder / "home" / "server"), QUICK)
    accounts.add("Anna", Role.EDITOR, PASSWORD)
    _, *command = exec_start()
    command[command.index("--port") + 1] = str(port)
    url = f"http://127.0.0.1:{port}/workbench/sign-in"
    with running([sys.executable, "-m", "workbench", *command], url, folder / "log"):
        yield port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """The certificate of the name and its key."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "fullchain.pem", folder / "privkey.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    command += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


class Proxy:
    """A proxy that runs, and what a browser keeps of the pages behind it.

    Parameters
    ----------
    plain, secure : int
        Its ports.
    certificate : Path
        Which its clients trust.
    """

    def __init__(self, plain, secure, certificate):
        self.plain, self.secure = plain, secure
        self.tls = ssl.create_default_context(cafile=str(certificate))
        self.certificate = certificate
        self.cookies = {}

    def stranger(self):
        """Another browser before the same proxy."""
        return Proxy(self.plain, self.secure, self.certificate)

    def sign_in(self, **headers):
        """Headers of the answer to somebody who signs in."""
        status, _, body = self.get("/workbench/sign-in", **headers)
        assert status == 200
        token = re.search(r'name="form" value="(\w+)"', body)[1]
        form = urlencode({"form": token, "name": "Anna", "password": PASSWORD})
        given = {"Origin": PUBLIC, "Content-Type": "application/x-www-form-urlencoded", **headers}
        status, sent, body = self.ask("POST", "/workbench/sign-in", body=form, **given)
        assert (status, sent["Location"]) == (303, "./"), body
        return sent

    @property
    def cookie(self):
        """The header of that name."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def get(self, path, plain=False, **headers):
        """Status, headers and body."""
        return self.ask("GET", path, plain, **headers)

    def ask(self, method, path, plain=False, body=None, **headers):
        """Status, headers and body."""
        sock = socket.create_connection(("127.0.0.1", self.plain if plain else self.secure), 60)
        if not plain:
            sock = self.tls.wrap_socket(sock, server_hostname=NAME)
        connection = http.client.HTTPConnection(NAME)
        connection.sock = sock
        if self.cookies and not plain:
            headers = {"Cookie": self.cookie, **headers}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.headers, body

    async def socket(self, path, document, origin=PUBLIC):
        """The socket of a document, after its first message."""
        _, _, body = document
        request = HTTPRequest(
            f"wss://{NAME}:{self.secure}{path}",
            headers={"Host": NAME, "Origin": origin, "Cookie": self.cookie},
            ssl_options=self.tls,
            request_timeout=60,
        )
        token = re.search(r'data-token="([^"]+)"', body)[1]
        plain = Resolver()
        Resolver.configure(OverrideResolver, resolver=plain, mapping={NAME: "127.0.0.1"})
        try:
            made = await websocket_connect(request, subprotocols=["bokeh", token])
        finally:
            Resolver.configure(None)
        await made.read_message()
        return made


@contextmanager
def started(command, secure, folder):
    with (folder / "log").open("wb") as log:
        options = {"stdout": log, "stderr": subprocess.STDOUT}
        own = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with program(command, env=own, **options) as process:

            def up():
                assert process.poll() is None, (folder / "log").read_text()
                with socket.socket() as tried:
                    return tried.connect_ex(("127.0.0.1", secure)) == 0

            wait(up)
            yield


@contextmanager
def nginx(workbench, certificate, folder, **changes):
    """nginx as in the example, but for further changes of it."""
    plain, secure = free_port(), free_port()
    made, key = certificate
    example = replaced(
        (DEPLOYMENT / "nginx.conf").read_text(),
        {
            r"listen 80;": rf"listen 127.0.0.1:{plain};",
            r"listen 443 ssl": rf"listen 127.0.0.1:{secure} ssl",
            r"listen \[::\]:\d+[^;]*;": "",
            r"127\.0\.0\.1:5006": rf"127.0.0.1:{workbench}",
            r"/etc/ssl/\S+/fullchain.pem": str(made),
            r"/etc/ssl/\S+/privkey.pem": str(key),
            **changes,
        },
    )
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = folder / "whole.conf"
    whole.write_text(
        f"daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{paths}{example}\n}}\n"
    )
    with started([find("nginx"), "-p", str(folder), "-c", str(whole)], secure, folder):
        yield Proxy(plain, secure, made)


@contextmanager
def caddy(workbench, certificate, folder):
    plain, secure = free_port(), free_port()
    made, key = certificate
    example = replaced(
        (DEPLOYMENT / "Caddyfile").read_text(),
        {
            rf"^{re.escape(NAME)} \{{|\n{re.escape(NAME)} \{{": rf"\n{NAME} {{\n\ttls {made} {key}",
            r"127\.0\.0\.1:5006": rf"127.0.0.1:{workbench}",
        },
    )
    whole = folder / "Caddyfile"
    ports = f"http_port {plain}\n\thttps_port {secure}"
    whole.write_text(f"{{\n\tadmin off\n\t{ports}\n}}\n{example}")
    command = [find("caddy"), "run", "--adapter", "caddyfile", "--config", str(whole)]
    with started(command, secure, folder):
        yield Proxy(plain, secure, made)


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxy(request, workbench, certificate, tmp_path_factory):
    with request.param(workbench, certificate, tmp_path_factory.mktemp("proxy")) as made:
        made.sign_in()
        yield made


# -- what is asked through the proxy ---------------------------------------------------------------

#: What a browser of an attacker could send.
SPOOFED = {
    "X-Forwarded-For": "127.0.0.1, 10.0.0.1",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-Host": "evil.example",
    "X-Real-Ip": "127.0.0.1",
    "Forwarded": "for=127.0.0.1;proto=http;host=evil.example",
}


@pytest.mark.parametrize("headers", [{}, SPOOFED], ids=["plain", "spoofed"])
def test_people_sign_in_over_tls_with_secure_cookies(proxy, headers):
    browser = proxy.stranger()
    sent = browser.sign_in(**headers)
    for cookie in sent.get_all("Set-Cookie"):
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Path=/workbench" in cookie
    assert browser.get("/workbench/counts")[0] == 200


@pytest.mark.parametrize("headers", [{}, SPOOFED], ids=["plain", "spoofed"])
def test_pages_and_their_files_come_through(proxy, headers):
    status, sent, body = proxy.get("/workbench/counts", **headers)
    assert status == 200
    assert sent["Strict-Transport-Security"] == "max-age=31536000"
    assert "evil.example" not in body
    for file in re.findall(r'(?:href|src)="\./(assets/[^"]+)"', body):
        assert proxy.get(f"/workbench/{file}")[0] == 200


@pytest.mark.parametrize("headers", [{}, SPOOFED], ids=["plain", "spoofed"])
def test_strangers_are_asked_to_sign_in(proxy, headers):
    status, sent, body = proxy.stranger().get("/workbench/counts", **headers)
    assert (status, sent["Location"], body) == (302, "./sign-in?next=counts", "")
    assert proxy.stranger().get("/workbench/report/counts.json", **headers)[0] == 401


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/", "/workbench/"),
        ("/workbench", "./workbench/"),
        ("/workbench/counts/?theme=dark", "../counts?theme=dark"),
    ],
)
def test_addresses_lead_to_the_root_path(proxy, path, to):
    status, headers, _ = proxy.get(path)
    assert (status, headers["Location"]) == (302, to)


@pytest.mark.parametrize("path", ["/counts", "/workbenchx", "/etc/passwd", "/workbench/../counts"])
def test_nothing_is_elsewhere(proxy, path):
    assert proxy.get(path)[0] == 404


def test_plain_http_is_sent_to_tls(proxy):
    status, headers, _ = proxy.get("/workbench/counts?a=b", plain=True)
    assert status in (301, 308)
    assert headers["Location"].replace(f":{proxy.secure}", "") == f"{PUBLIC}/workbench/counts?a=b"
    assert "Set-Cookie" not in headers


async def answered(sent, gesture):
    """The message that answers a gesture."""
    await sent.write_message(json.dumps(gesture))
    return await until_answered(sent, gesture)


async def until_answered(sent, gesture):
    while True:
        text = await asyncio.wait_for(sent.read_message(), PATIENCE)
        news = json.loads(text)
        if news.get("page") == gesture["page"] and news.get("handled") == gesture["serial"]:
            return news


def test_a_drag_is_answered_through_the_socket(proxy):
    async def dragged():
        document = proxy.get("/workbench/scores")
        sent = await proxy.socket("/workbench/scores/ws", document)
        for serial, value in enumerate((0.1, 0.2, 0.3), 1):
            gesture = {"page": "scores", "kind": "set", "name": "threshold", "value": value}
            news = await answered(sent, {**gesture, "serial": serial})
        sent.close()
        return news

    assert asyncio.run(dragged())["handled"] == 3


def test_an_upload_passes_through_the_socket(proxy):
    rows, piece = b"score,member\n" + b"0.5,1\n0.25,0\n" * 600_000, 2**20  # 8 MB

    async def uploaded():
        document = proxy.get("/workbench/scores")
        sent = await proxy.socket("/workbench/scores/ws", document)
        await answered(sent, {"page": "", "kind": "import", "serial": 1})
        files = {"page": "import", "name": "upload"}
        news = await answered(
            sent, {**files, "kind": "files", "files": [["big.csv", len(rows)]], "serial": 1}
        )
        for serial, at in enumerate(range(0, len(rows), piece), 2):
            chunk = {**files, "kind": "chunk", "file": 0, "content": True, "serial": serial}
            await sent.write_message(json.dumps(chunk))
            await sent.write_message(rows[at : at + piece], binary=True)
            news = await until_answered(sent, chunk)
        sent.close()
        return news

    assert asyncio.run(uploaded())["handled"] == 1 + -(-len(rows) // piece)


@pytest.mark.parametrize("origin", ["https://evil.example", f"http://{NAME}", "null"])
def test_a_socket_of_another_page_is_refused(proxy, origin):
    async def attempt():
        document = proxy.get("/workbench/scores")
        with pytest.raises(Exception, match="403"):
            await proxy.socket("/workbench/scores/ws", document, origin)

    asyncio.run(attempt())


def test_a_proxy_may_remove_the_path_from_a_server_without_a_root_path(certificate, tmp_path):
    tabs = [Tab(PAGES[name].kind, f"/{name}", name) for name in ("counts", "family")]
    served = Served(App(tabs), origins=(PUBLIC,), proxies=("127.0.0.1",))
    removes = {
        "location /workbench {": "location = /workbench {\nreturn 302 /workbench/;\n}\n"
        "location /workbench/ {",
        "proxy_pass http://workbench;": "proxy_pass http://workbench/;",
    }
    try:
        with nginx(served.port, certificate, tmp_path, **removes) as proxy:
            for path in ("/workbench/", "/workbench/counts", "/workbench/audits"):
                status, headers, body = document = proxy.get(path)
                assert status == 200
                assert "Secure" in headers["Set-Cookie"]
                for file in re.findall(r'(?:href|src)="\./(assets/[^"]+)"', body):
                    assert proxy.get(f"/workbench/{file}")[0] == 200
                sent = asyncio.run(proxy.socket(f"{path.rstrip('/')}/ws", document))
                assert sent is not None
            status, headers, _ = proxy.get("/workbench/counts/")
            assert (status, headers["Location"]) == (302, "../counts")
    finally:
        served.close()


# -- what reaches the server -----------------------------------------------------------------------


@stream_request_body
class Mirror(RequestHandler):
    """What the server knows of a request, and how many bytes it had."""

    size = 0

    def prepare(self):
        self.request.connection.set_max_body_size(2**40)

    def data_received(self, chunk):
        self.size += len(chunk)

    def get(self):
        options = self.settings["options"]
        seen = {"address": client_address(self.request, options), "path": self.request.path}
        seen |= {"secure": is_secure(self), "host": public_host(self), "size": self.size}
        self.finish({**seen, "headers": dict(self.request.headers)})

    post = get


@pytest.fixture(scope="module")
def mirror():
    """The port of a server that tells what it knows."""
    port, up, ended = free_port(), threading.Event(), asyncio.Event()
    options = ServerOptions(proxies=("127.0.0.1",))

    async def serve():
        nonlocal loop
        loop = asyncio.get_running_loop()
        server = Application([(".*", Mirror)], options=options).listen(port, "127.0.0.1")
        up.set()
        await ended.wait()
        server.stop()

    loop = None
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert up.wait(PATIENCE)
    yield port
    loop.call_soon_threadsafe(ended.set)
    thread.join(PATIENCE)


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def mirrored(request, mirror, certificate, tmp_path_factory):
    with request.param(mirror, certificate, tmp_path_factory.mktemp("mirrored")) as made:
        yield made


def test_what_a_browser_forged_is_overwritten(mirrored):
    _, _, body = mirrored.get("/workbench/x%2Fy?a=b", **SPOOFED)
    seen = json.loads(body)
    assert (seen["address"], seen["secure"], seen["host"]) == ("127.0.0.1", True, NAME)
    assert seen["path"] == "/workbench/x%2Fy"
    assert seen["headers"]["X-Forwarded-For"] == "127.0.0.1"  # where this test is
    assert seen["headers"]["X-Forwarded-Proto"] == "https"
    assert seen["headers"]["X-Forwarded-Host"] == NAME


def test_a_large_body_passes(mirrored):
    size = 64 * 2**20
    status, _, body = mirrored.ask("POST", "/workbench/upload", body=bytes(size))
    assert (status, json.loads(body)["size"]) == (200, size)


# -- systemd ---------------------------------------------------------------------------------------


def test_the_unit_is_valid_and_hardened(tmp_path):
    unit = tmp_path / "workbench.service"
    path = exec_start()[0]
    unit.write_text((DEPLOYMENT / "workbench.service").read_text().replace(path, sys.executable))
    checked = subprocess.run(
        [find("systemd-analyze"), "verify", str(unit)], capture_output=True, text=True
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    command = [find("systemd-analyze"), "security", "--offline=true", "--threshold=20", str(unit)]
    rated = subprocess.run(command, capture_output=True, text=True)
    assert rated.returncode == 0, rated.stdout  # an exposure of at most 2.0 of 10
