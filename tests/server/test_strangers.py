"""Somebody else's data sets, audits, files, pages and sockets: nobody reaches them in any way.

Anna has one of everything. A stranger knows each key, hash, name and link of hers, and tries them
everywhere. Nothing of Anna's may come back, nothing of hers may change, and each answer must be
that to a key which does not exist.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import pytest
from helpers.asking import ask, raw
from helpers.people import PASSWORD, Team
from helpers.served import MINE, NOBODY, SECRET, THEIRS, Served, cookie_name, cookie_of
from helpers.visits import Reader, settle, wait
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.web import create_signed_value
from tornado.websocket import websocket_connect

import workbench as wb
from workbench.assets.audits import NAME as AUDITS
from workbench.audits.plan import RegisteredPlan
from workbench.dashboard import live_page
from workbench.dashboard.gestures import GESTURES, handlers
from workbench.dashboard.live_page import Viewer
from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import IMPORT
from workbench.pages.core import gestures
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES
from workbench.server.handlers import static
from workbench.server.handlers.document import READY
from workbench.server.operations.log import OURS, JSONFormatter, LineFormatter
from workbench.server.people.identity import WHO
from workbench.server.people.person import Role
from workbench.workspaces.link import PageLink

#: In every text of Anna's, and in nothing else.
MARK = "annas-secret"

#: A score of Anna's, as files and pages write it.
SCORE = 0.6180339887

#: The file beside the documentation, and those of the system, that no path leads to.
OUTSIDE = "outside-the-site"

KINDS = ("html", "pdf", "md", "json", "ipynb")


class Belongings:
    """What Anna has, and what a stranger may know of it.

    Parameters
    ----------
    served : Served
    anna : Person
    """

    def __init__(self, served, anna):
        self._served, self._anna = served, anna
        made = self.bench
        rng = np.random.default_rng(0)
        scores = wb.Scores(np.r_[rng.normal(1, 1, 99), SCORE], rng.normal(0, 1, 100), name=MARK)
        data = self.workspace.add_scores(scores)
        self.workspace.active.choose(data.key)
        file = self.workspace.files.keep(f"{MARK}.csv", f"score,included\n{SCORE},1\n".encode())
        shown = made.pages.ask("scores", lambda live: live.page.snapshot())
        audit = served.visitors.audit("scores", shown)
        archive = self.workspace.audits
        saved = archive.save(audit, MARK, note=f"note {MARK}", tags=(f"tag {MARK}",))
        plan = RegisteredPlan(f"plan {MARK}", f"data {MARK}", datetime(2026, 1, 1, tzinfo=UTC))
        archive.plans.add(plan)
        archive.series(f"series {MARK}")
        archive.reserve(f"series {MARK}", scores)
        link = PageLink.of("scores", shown.settings(), {"data": data}).text()
        self.keys = {
            "data set": data.key,
            "content": data.sha256,
            "file": file,
            "audit": saved.key,
            "audit's hash": saved.sha256,
            "plan": plan.key,
            "plan's hash": plan.sha256,
            "series": f"series {MARK}",
            "name": MARK,
            "link": link,
            "person": anna.key,
            **self.shares(data.key, saved.key),
        }

    @property
    def bench(self):
        """That of now: the pages of who signs out are put away."""
        return self._served.visitors.bench(self._anna)

    @property
    def workspace(self):
        return self.bench.workspace

    def shares(self, data, audit):
        """The ids of what Anna shares with Ada, and links that she has revoked."""
        if self.bench.services.sharing is None:
            return {}
        found = {}
        for what in ({"of": "data", "key": data}, {"of": "audit", "key": audit}):
            link = self.asks("link", days=7, **what)
            found[f"revoked {what['of']}"] = link["link"].rpartition("/")[2]
            if self.asks("revoke", id=link["who"][0]["id"], **what)["people"]:
                given = self.asks("add", name="Ada", **what)
                found[f"share of {what['of']}"] = given["who"][0]["id"]
        return found

    def asks(self, do, **more):
        """What the dialog about sharing answers."""
        dialog = self.bench.services.sharing.dialog
        return getattr(dialog, handlers("shares")[f"share {do}"])({"do": do, **more})

    def state(self):
        """Everything that Anna has, as text."""
        bench = self.bench
        archive, shares = bench.workspace.audits, bench.services.sharing
        settle(bench)
        kinds = (("data", self.keys["data set"]), ("audit", self.keys["audit"]))
        return repr(
            [
                [] if shares is None else [self.asks("list", of=of, key=key) for of, key in kinds],
                bench.workspace.kept.snapshot(),
                [(one.key, one.name, one.tags) for one in archive.search()],
                [one.sha256 for one in archive.plans],
                bench.history.labels,
                {name: bench.pages.live(name).page.settings() for name in pages()},
            ]
        )


@pytest.fixture(scope="module", params=["visitors", "accounts"])
def place(request, tmp_path_factory):
    """A server; Anna and a stranger on it; and the headers that each of their browsers sends."""
    site = tmp_path_factory.mktemp("docs") / "site"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>Site</title><script>1</script>")
    (site.parent / "outside.html").write_text(OUTSIDE)
    (site / "out.html").symlink_to(site.parent / "outside.html")
    (site / ".doctrees").mkdir()
    (site / ".doctrees" / "environment.pickle").write_text(OUTSIDE)
    (site / "latin.html").write_bytes(b"<!doctype html><title>\xe9</title>")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(static, "DOCUMENTATION", site)
        served = Team() if request.param == "accounts" else Served()
    try:
        if request.param == "accounts":
            anna, ben = (served.accounts.find(name).person for name in ("Anna", "Ben"))
            headers = [{"Cookie": served.browser(name).header()} for name in ("Anna", "Ben")]
        else:
            anna, ben = MINE, THEIRS
            headers = [{"Cookie": cookie_of(one, served.port)} for one in (anna, ben)]
        yield served, Belongings(served, anna), anna, ben, *headers
    finally:
        served.close()


def is_clean(text):
    """Nothing of Anna's is in a text."""
    found = text.decode(errors="replace") if isinstance(text, bytes) else text
    return MARK not in found and str(SCORE) not in found


def unlike(key):
    """A key of the same form that nobody has."""
    return key.translate(str.maketrans("0123456789abcdef", "1234567890bcdefa"))


def comparable(answer, key):
    """Status, headers and body without what differs from request to request."""
    status, headers, body = answer
    changing = ("date", "etag", "set-cookie", "x-request-id")
    named = {name: text for name, text in headers.items() if name.lower() not in changing}
    told = re.sub(re.escape(key[:40]) + r"[\w-]*…?", "KEY", body.decode(errors="replace"))
    return status, str(named).replace(key, "KEY"), told


def addresses(key):
    """Where a key could lead to something."""
    return [
        f"/data/{key}.csv",
        f"/audits/{key}.audit.zip",
        *(f"/report/audit/{key}.{kind}" for kind in KINDS),
        f"/progress.json?of=/report/audit/{key}.html",
        f"/progress.json?of={key}",
        f"/shared/{key}",
        f"/shared/{key}.csv",
        f"/{key}.json",
        f"/report/{key}.html",
        f"/figure/{key}/{key}.svg",
        f"/texts/{key}/{key}.json",
    ]


# -- by address ------------------------------------------------------------------------------------


def test_anna_reaches_what_is_hers(place):
    """The addresses that are tried below are those that lead to something."""
    served, hers, _, _, own, _ = place
    for path in (f"/data/{hers.keys['data set']}.csv", f"/report/audit/{hers.keys['audit']}.md"):
        status, _, body = ask(served, path, **own)
        assert status == 200
        assert not is_clean(body)
    assert ask(served, f"/audits/{hers.keys['audit']}.audit.zip", **own)[0] == 200


def forged(anna, own, port):
    """Cookies that nobody has been given, by what is wrong with them."""
    who = cookie_name(WHO, port)
    old = create_signed_value(SECRET, who, anna.key, clock=lambda: time.time() - 400 * 86_400)
    value = own["Cookie"]
    return {
        "no cookie": "",
        "key alone": f"{who}={anna.key}",
        "the owner's name": f"{who}=owner; workbench-key=owner; workbench-owner-{port}=owner",
        "another secret": cookie_of(anna, port, b"x" * 32),
        "expired": f"{who}={old.decode()}",
        "of another name": f"{who}={create_signed_value(SECRET, 'other', anna.key).decode()}",
        "of another port": f"{who}={cookie_of(anna, port + 1).partition('=')[2]}",
        "cut": value[:-2],
        "changed": value[:-6] + ("aaaaaa" if not value.endswith("aaaaaa") else "bbbbbb"),
        "twice": f"{who}=; {who}=x",
        "empty key": f"{who}={create_signed_value(SECRET, who, '').decode()}",
        "owner's key": f"{who}={create_signed_value(SECRET, who, 'owner').decode()}",
        "a path": f"{who}={create_signed_value(SECRET, who, '../' * 14 + 'x').decode()}",
    }


def test_no_address_leads_to_what_is_somebody_elses(place):
    served, hers, _, _, _, others = place
    before = hers.state()
    for key in hers.keys.values():
        for path, other in zip(addresses(key), addresses(unlike(key)), strict=True):
            if " " in path:
                path, other = path.replace(" ", "%20"), other.replace(" ", "%20")
            tried = ask(served, path, **others)
            assert tried[0] != 200 or path.startswith("/progress"), path
            assert is_clean(tried[2].replace(key.encode(), b"")), path
            nothing = ask(served, other, **others)
            named = (unquote(one).rsplit("/", 1)[-1].split(".")[0] for one in (path, other))
            told = list(map(comparable, (tried, nothing), named))
            assert told[0] == told[1], path
    assert hers.state() == before


def test_no_cookie_but_her_own_is_hers(place):
    served, hers, anna, _, own, _ = place
    path = f"/data/{hers.keys['data set']}.csv"
    for wrong, cookie in forged(anna, own, served.port).items():
        status, _, body = ask(served, path, **({"Cookie": cookie} if cookie else {}))
        assert status in (401, 404), wrong
        assert is_clean(body), wrong
        _, _, document = ask(served, "/scores", **({"Cookie": cookie} if cookie else {}))
        assert is_clean(document), wrong
    status, _, body = ask(served, f"{path}?user=owner&key=x&person={anna.key}")
    assert status in (401, 404)
    assert is_clean(body)


def test_pages_reports_and_charts_are_those_of_who_asks(place):
    served, _, _, _, own, others = place
    assert not is_clean(ask(served, "/report/scores.md", **own)[2])
    for headers in (others, {}):
        for path in ("/", "/scores", "/audits", "/report/scores.md", "/report/scores.json",
                     "/figure/scores/tradeoff.csv", "/texts/scores/epsilon.json",
                     "/words.json", "/search.json", "/health", "/metrics"):  # fmt: skip
            assert is_clean(ask(served, path, **headers)[2]), path


TRICKS = [
    "/data/../data/{key}.csv",
    "/data/%2e%2e/data/{key}.csv",
    "/data//{key}.csv",
    "//data/{key}.csv",
    "/./data/{key}.csv",
    "/DATA/{key}.csv",
    "/data/{key}.csv/",
    "/data/{key}.csv.",
    "/data/{key}.csv%00",
    "/data/{key}%00.csv",
    "/data/{key}.csv;x",
    "/data/{key}.CSV",
    "/data/%2f{key}.csv",
    "/data/..%2f{key}.csv",
    "/data/..%5c{key}.csv",
    "/scores/../data/{key}.csv",
    "/docs/../data/{key}.csv",
    "/data/{key}.csv?of=../{key}",
    "/data/%EF%BC%8E%EF%BC%8E/{key}.csv",
    "/report/audit/../audit/{key}.md",
    "/report/audit/%2e%2e%2f{key}.md",
    "http://localhost/data/{key}.csv",
    "http://evil.example/data/{key}.csv",
    "/docs/../outside.html",
    "/docs/%2e%2e/outside.html",
    "/docs/..%2foutside.html",
    "/docs/%2e%2e%2foutside.html",
    "/docs/..%5coutside.html",
    "/docs/....//outside.html",
    "/docs//../outside.html",
    "/docs/x/../../outside.html",
    "/docs/%252e%252e/outside.html",
    "/docs/{outside}",
    "/docs//etc/passwd",
    "/docs/%2fetc/passwd",
    "/docs/../../../../../../etc/passwd",
    "/docs/%00/../outside.html",
    "/docs/index.html%00../outside.html",
    "/docs/%c0%ae%c0%ae/outside.html",
    "/docs/．．/outside.html",
    "/docs",
    "/assets/../server/app.py",
    "/assets/{digest}/../../server/app.py",
    "/assets/{digest}/..%2f..%2fserver%2fapp.py",
    "/assets/{digest}/page.html",
    "/static/../pyproject.toml",
]


def test_no_path_leads_around_the_rules(place):
    served, hers, _, _, _, others = place
    site = Path(static.__file__).parent
    for trick in TRICKS:
        key = hers.keys["audit" if "audit" in trick else "data set"]
        path = trick.format(key=key, digest=static.STATIC.split("/")[-1], outside=site / "base.py")
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close"]
        sent = "\r\n".join([*lines, f"Cookie: {others['Cookie']}", "", ""]).encode()
        answer = raw(served, sent)
        assert not answer or not answer.startswith(b"HTTP/1.1 200"), path
        assert is_clean(answer), path
        for inside in (OUTSIDE, "root:", "import ", "{{"):
            assert inside.encode() not in answer, path
        assert not re.search(rb"\r\nLocation: (https?:)?//", answer), path


def test_the_documentation_shows_what_is_in_its_folder_and_no_more(place):
    served = place[0]
    status, headers, _ = ask(served, "/docs/index.html")
    assert status == 200
    assert "'sha256-" in headers["Content-Security-Policy"].split("script-src")[1].split(";")[0]
    status, _, body = ask(served, "/docs/out.html")  # a link in the folder that leads out of it
    assert (status, OUTSIDE.encode() in body) != (200, True)
    for hidden in (
        ".doctrees/environment.pickle",
        "%2edoctrees/environment.pickle",
        "%00",
        "a%00b",
    ):
        assert ask(served, f"/docs/{hidden}")[0] == 404, hidden
    assert ask(served, "/docs/latin.html")[0] == 200


# -- by socket -------------------------------------------------------------------------------------


async def first_message(served, token, headers, address="/scores/ws"):
    """The first message of a socket, None if it was closed, or the status of a refusal."""
    request = HTTPRequest(f"ws://localhost:{served.port}{address}", headers=headers)
    try:
        opened = await websocket_connect(request, subprotocols=["bokeh", token])
    except HTTPClientError as error:
        return error.code
    try:
        return await asyncio.wait_for(opened.read_message(), 60)
    finally:
        opened.close()


def token_of(served, headers):
    document = ask(served, "/scores", **headers)[2].decode()
    return re.search(r'data-token="([^"]+)"', document)[1]


def test_a_socket_is_for_whom_the_document_was_made(place):
    served, _, _, _, own, others = place
    here = f"http://localhost:{served.port}"

    async def attempts():
        token = token_of(served, own)
        theirs = token_of(served, others)
        for headers in (others, {}, {"Cookie": f"{cookie_name(WHO, served.port)}=x"}):
            for address in ("/ws", "/scores/ws", "/audits/ws"):
                assert await first_message(served, token, {"Origin": here, **headers}, address) in (
                    None,
                    401,
                )
        for wrong in ("", "x", "a.b", token[:-3] + "AAA", token[:20], f"{token}.x",
                      theirs[:20] + token[20:], token.swapcase(), "A" * 5000):  # fmt: skip
            sent = {"Origin": here, **own}
            assert await first_message(served, wrong, sent) in (None, 400), wrong
        assert await first_message(served, token, {"Origin": here, **own}) == READY
        assert await first_message(served, token, {"Origin": here, **own}) is None

    asyncio.run(attempts())


def test_a_page_of_another_site_opens_no_socket_with_her_cookie(place):
    served, _, _, _, own, _ = place
    port = served.port

    async def attempts():
        token = token_of(served, own)
        for origin in (None, "null", f"http://localhost:{port + 1}", "http://localhost",
                       f"https://localhost:{port}", f"http://localhost:{port}.evil.example",
                       f"http://localhost.evil.example:{port}", "http://evil.example",
                       f"http://evil.example:{port}", f"http://localhost:{port}@evil.example",
                       f"http://notlocalhost:{port}", "file://", "*"):  # fmt: skip
            sent = {**own, **({} if origin is None else {"Origin": origin})}
            assert await first_message(served, token, sent) == 403, origin
        for more in ({"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}):
            sent = {**own, "Origin": f"http://evil.example:{port}", **more}
            assert await first_message(served, token, sent) == 403
        # All of them had no effect: the document still has its socket.
        assert (
            await first_message(served, token, {**own, "Origin": f"http://localhost:{port}"})
            == READY
        )

    asyncio.run(attempts())


def test_a_form_of_another_site_changes_nothing(place):
    served, hers, _, _, own, _ = place
    before = hers.state()
    for path in (
        "/",
        "/scores",
        f"/data/{hers.keys['data set']}.csv",
        "/sign-out",
        "/sign-in",
        "/password",
    ):
        for origin in ("http://evil.example", "null", f"http://localhost:{served.port + 1}", None):
            sent = {**own, **({} if origin is None else {"Origin": origin})}
            status, _, body = ask(served, path, "POST", b"a=b", **sent)
            assert status == 403, (path, origin)
            assert is_clean(body)
    assert ask(served, f"/data/{hers.keys['data set']}.csv", **own)[0] == 200  # still signed in
    assert hers.state() == before


def test_who_was_signed_out_is_a_stranger(place):
    served, hers, _, _, _, _ = place
    if not isinstance(served, Team):
        pytest.skip("visitors do not sign out")
    browser = served.browser("Anna")
    old = {"Cookie": browser.header()}
    path = f"/data/{hers.keys['data set']}.csv"
    assert ask(served, path, **old)[0] == 200
    token = token_of(served, old)
    asyncio.run(served.sign_ins.end_all(served.accounts.find("Anna")))
    try:
        assert ask(served, path, **old)[0] == 401
        assert ask(served, "/scores", **old)[0] in (302, 303)
        here = {"Origin": f"http://localhost:{served.port}", **old}
        assert asyncio.run(first_message(served, token, here)) in (None, 401)
    finally:
        place[4]["Cookie"] = served.browser("Anna").header()


# -- by gesture ------------------------------------------------------------------------------------


def fields_of_gestures():
    """Names of all entries of gestures, as the modules that take them read them."""
    modules = [*Path(live_page.__file__).parent.rglob("*.py"), Path(gestures.__file__)]
    text = "".join(module.read_text(encoding="utf-8") for module in modules)
    return set(re.findall(r'gesture(?:\.get\(|\[)"(\w+)"', text))


#: Entries that say what is asked, and not about what.
SAYS = {"kind", "serial", "request", "do", "page", "content"}

FIELDS = sorted(fields_of_gestures() - SAYS)


def test_the_fields_of_gestures_are_known():
    assert {"data", "to", "reset", "settings", "link", "text", "of", "key", "keys", "name", "value",
            "previous", "series", "tags", "files", "file"} <= set(FIELDS)  # fmt: skip


class Stranger(Reader):
    """Somebody who sends gestures, and hears all that is said."""

    def __init__(self, made):
        super().__init__(made)
        self.texts, self.requests = [], set()

    def tell(self, **entries):
        super().tell(**entries)
        for told in entries.values():
            if isinstance(told, dict) and "request" in told:
                self.requests.add(told["request"])

    def on(self, page, **gesture):
        self.viewers.setdefault(page, Viewer(self.texts.append, Sent()))
        super().on(page, **gesture)

    def asks(self, kind, **more):
        """Ask a question, and wait for its answer."""
        self.serial += 1
        request = self.serial
        self.bench.carry_out({"kind": kind, "request": request, "serial": request, **more}, self)
        wait(lambda: request in self.requests)
        settle(self.bench)

    @property
    def heard(self):
        return "\n".join([json.dumps(self.told, default=str), *self.texts])


def asked_of(part):
    """What can be asked of the archive, or about sharing."""
    return [name.partition(" ")[2] for name in handlers(part)]


#: Gestures about data sets and more than one page.
ACTIONS = [
    name
    for name, one in GESTURES.items()
    if "." in one.handler and name not in {**handlers("audits"), **handlers("shares")}
]


def filled(key):
    """Every entry of a gesture with a key."""
    lists = {"keys": [key], "tags": [key], "files": [[key, 1]], "file": 0}
    return {name: lists.get(name, key) for name in FIELDS}


def questions(stranger, key):
    """Send every kind of gesture about data sets, audits and shares with a key in every entry."""
    entries = filled(key)
    for kind in ACTIONS:
        stranger.does(kind, **entries)
        stranger.does(kind, **entries | {"reset": "scores", "link": "scores"})
        stranger.does(kind, **{name: [value] for name, value in entries.items()})
        stranger.does(kind, **{name: {"key": value} for name, value in entries.items()})
    for kind, part in (("audit", "audits"), ("share", "shares")):
        if kind == "share" and stranger.bench.shares is None:
            continue
        for do in asked_of(part):
            for of in (key, "scores", "data", "audit", AUDITS):
                more = entries | {"of": of, "offset": 0, "most": 50, "days": 1, "name": f"my {of}"}
                # To search for a word finds nothing; without it, everything that one may see.
                stranger.asks(kind, do=do, **more)
                stranger.asks(kind, do=do, **more | {"text": "", "tags": [], "series": ""})
    stranger.does(key)


def settings(stranger, key):
    """Send every kind of gesture about a page with a key in every entry and every setting."""
    settings = {}
    for page, entry in PAGES.items():
        if page == IMPORT or page not in stranger.bench.pages.tabs:
            continue
        parameters = entry.kind.param.objects("existing")
        for item in parameters:
            upload = isinstance(parameters[item], Upload)
            value = [[f"{item}.csv", 1, key]] if upload else key
            settings.setdefault(page, {})[item] = value
            stranger.on(page, kind="set", name=item, value=key)
            stranger.on(page, kind="set", name=item, value=[[key, key]])
        stranger.does("restore", settings={page: settings[page]})
        for item, value in settings[page].items():
            stranger.does("restore", settings={page: {item: value, "data": key}})
        stranger.on(page, kind="job", job=key)
        stranger.on(page, kind="drag", item=key, shape=key, x=key)
        stranger.on(page, kind="click", item=key, x=key, y=key)
        stranger.on(page, kind=key)
    stranger.does("restore", settings={key: {}})


def answers(stranger, key):
    """What a stranger heard, without the key and what counts up."""
    text = stranger.heard.replace(json.dumps(key)[1:-1], "KEY")
    return [line for line in text.splitlines() if line]


def pages():
    """The pages with settings about data and files, and one that has neither."""
    return ["scores", "compare", "onerun", "counts"]


@pytest.fixture
def fewer(place, monkeypatch):
    """The server with few pages, so that a test of all gestures takes seconds."""
    served = place[0]
    few = {name: tab for name, tab in served.visitors.tabs.items() if name in pages()}
    monkeypatch.setattr(served.visitors, "tabs", few)
    return place


def test_no_gesture_reaches_what_is_somebody_elses(fewer):
    served, hers, _, ben, _, _ = fewer
    before = hers.state()
    stranger = Stranger(served.visitors.bench(ben))
    tried = {
        name: key
        for name, key in hers.keys.items()
        if name not in ("name", "series", "person", "audit's hash", "plan's hash")
    }
    tried["link"] = tried.pop("link")  # last, as it has a name in it
    for name, key in tried.items():
        questions(stranger, key)
        if name in ("data set", "file", "link"):
            settings(stranger, key)
        heard = stranger.heard
        assert str(SCORE) not in heard, name
        if name != "link":  # which has the name of the data set, for those who were sent it
            assert MARK not in heard, name
        for page in pages():
            shown = repr(served.visitors.page(ben, page).settings())
            assert MARK not in shown, name
    mine = served.visitors.workspace(ben)
    assert [one for one in mine.datasets if one.sha256 == hers.keys["content"]] == []
    assert mine.file(hers.keys["file"]) is None
    assert hers.state() == before


def test_a_hash_is_no_right_to_read_a_file(fewer):
    """A file is found by its SHA-256, which is in links and on pages, by who uploaded it alone."""
    served, hers, _, ben, _, _ = fewer
    stranger = Stranger(served.visitors.bench(ben))
    for name, parameter in PAGES["onerun"].kind.param.objects("existing").items():
        if isinstance(parameter, Upload):
            files = [[f"{MARK}.csv", 30, hers.keys["file"]]]
            stranger.does("restore", settings={"onerun": {name: files}})
            assert getattr(served.visitors.page(ben, "onerun"), name) in (None, ())
    wait(lambda: "could not be restored" in stranger.heard or "uploaded again" in stranger.heard
         or not stranger.texts)  # fmt: skip
    assert str(SCORE) not in stranger.heard


@pytest.mark.parametrize("kind", ["data set", "audit"])
def test_the_answer_is_that_to_a_key_which_does_not_exist(fewer, kind):
    served, hers, _, ben, _, _ = fewer
    heard = []
    # Once before: the first questions of somebody make their folder and archive.
    for key in (unlike(hers.keys[kind]), hers.keys[kind], unlike(hers.keys[kind])):
        served.visitors.bench(ben).end()
        served.visitors.here._by_key.pop(ben.key, None)
        stranger = Stranger(served.visitors.bench(ben))
        entries = filled(key)
        for one in ACTIONS:
            stranger.does(one, **entries)
        for do in asked_of("audits"):
            stranger.asks("audit", do=do, **entries | {"of": "scores", "offset": 0, "most": 50})
        heard.append(answers(stranger, key))
    assert heard[1] == heard[2]


# -- what whoever runs the server reads ------------------------------------------------------------


class BothLogs(logging.Handler):
    """The lines of both formats, at the lowest level that can be asked for."""

    def __init__(self):
        super().__init__()
        self.lines = []
        self._forms = (JSONFormatter(), LineFormatter())

    def emit(self, record):
        if record.levelno >= logging.WARNING or record.name.startswith(OURS):
            self.lines += [form.format(record) for form in self._forms]


@pytest.fixture
def logged():
    """Lines of the log from now on."""
    handler, ours = BothLogs(), [logging.getLogger(name) for name in OURS]
    before = [one.level for one in ours]
    logging.getLogger().addHandler(handler)
    for one in ours:
        one.setLevel(logging.DEBUG)
    yield handler.lines
    logging.getLogger().removeHandler(handler)
    for one, level in zip(ours, before, strict=True):
        one.setLevel(level)


def test_neither_the_log_nor_metrics_nor_health_hold_anything_of_hers(place, logged):
    served, hers, anna, _, own, others = place
    with_accounts = anna.signed_in
    zoe = served.accounts.add("Zoe", Role.EDITOR, PASSWORD).person if with_accounts else NOBODY
    theirs = Belongings(served, zoe)  # saved, planned, shared, revoked
    reader = Reader(served.visitors.bench(zoe))
    for kind, more in (
        ("rename", {"data": theirs.keys["data set"], "to": f"{MARK} again"}),
        ("rename", {"data": MARK, "to": MARK}),
        ("choose", {"data": MARK}),
        ("remove", {"data": f"{MARK} gone"}),
        ("restore", {"settings": {"scores": {"threshold": MARK, MARK: SCORE}}}),
        ("open link", {"text": f"#link={MARK}"}),
        ("open link", {"text": theirs.keys["link"]}),
        ("audit", {"do": "open", "key": theirs.keys["audit"], "request": 1}),
        ("audit", {"do": "open", "key": MARK, "request": 2}),
        ("audit", {"do": "save", "from": "scores", "name": MARK, "note": MARK, "tags": [MARK]}),
        ("share", {"do": "add", "of": "data", "key": MARK, "to": MARK, "request": 3}),
        (MARK, {MARK: SCORE}),
    ):
        served.visitors.bench(zoe).carry_out({"kind": kind, "serial": 1, **more}, reader)
    reader.sets("scores", "threshold", MARK)
    reader.sets("scores", "threshold", SCORE)
    settle(served.visitors.bench(zoe))
    for headers in (own, others, {}):
        for kind in ("data set", "audit", "name"):
            for path in addresses(quote(hers.keys[kind])):
                if headers is not own or path.endswith((".csv", ".md")):  # others take seconds
                    ask(served, path, **headers)
        ask(served, f"/{MARK}?{MARK}={SCORE}", **headers)
        ask(served, "/scores", Referer=f"http://x/{MARK}", User_Agent=MARK, **headers)
    if with_accounts:
        for name, password in ((MARK, MARK), ("Anna", MARK), ("Zoe", PASSWORD)):
            served.browser().sign_in(name, password, goes=MARK)
    numbers = [ask(served, path)[2].decode() for path in ("/metrics", "/health")]
    assert "workbench_requests_total" in numbers[0]
    assert '"checks"' in numbers[1]
    secrets = [*own["Cookie"].split("; "), *others["Cookie"].split("; ")]
    hidden = {
        *(MARK, str(SCORE), str(SCORE)[:8], PASSWORD),
        *(one.partition("=")[2].strip('"') for one in secrets),
        *(key for all in (hers.keys, theirs.keys) for key in all.values()),
    }
    hidden.discard("")
    assert len(logged) > 200
    for text in (*logged, *numbers):
        assert not [one for one in hidden if one in text], text
