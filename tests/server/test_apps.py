"""Panel apps beside the pages: who may open them, whose workspace they see, and what fails."""

from __future__ import annotations

import asyncio
import html
import re
import time
from contextlib import suppress

import panel as pn
import pytest
from helpers.app_sockets import AppSocket, token_of
from helpers.asking import ask
from helpers.people import Team
from helpers.served import MINE, THEIRS, Served, cookie_of
from helpers.servers import ROOT
from tornado.httpclient import HTTPClientError
from tornado.websocket import WebSocketClosedError

import workbench as wb
from workbench.dashboard.limits import ServerLimits
from workbench.dashboard.tab import Tab
from workbench.pages.registry import PAGES
from workbench.server.app import App
from workbench.server.apps.panel_app import PanelApp
from workbench.server.network.headers import EVERY, app_policy
from workbench.server.people.person import Role
from workbench.workspaces import home

#: Notes whose workspace it is given, wherever its code runs.
ASKS = """
import asyncio
import threading

import panel as pn
import workbench as wb

heard = pn.state.cache["heard"]
me = str(pn.state.session_args.get("who"))


def note(where):
    try:
        heard.append((where, pn.state.user, wb.workspace(), me))
    except ValueError as error:
        heard.append((where, type(error).__name__, str(error), me))


async def later(event=None):
    await asyncio.sleep(0)
    note("async callback")
    await asyncio.to_thread(note, "to_thread")
    asyncio.get_running_loop().call_soon(note, "call_soon")
    threading.Thread(target=note, args=("thread",)).start()


def moved(x):
    note(f"moved {x}")
    return f"x is {x}"


note("script")
aside = threading.Thread(target=note, args=("thread during the script",))
aside.start()
aside.join()
pn.state.onload(lambda: note("onload"))
slider = pn.widgets.IntSlider(name="x", start=0, end=10, value=3)
asked = pn.widgets.TextInput(name="asked")
asked.param.watch(later, "value")
pn.state.add_periodic_callback(lambda: note("periodic"), 50, count=1)
pn.Column(slider, asked, pn.pane.Str(pn.bind(moved, slider), name="said")).servable(title="Asks")
"""

FAILS = "import panel as pn\n1 / (0 if pn.state.session_args.get('how') is None else 1)\n"
ENDS = "raise SystemExit(7)\n"
SOMETIMES = """
import panel as pn
slider = pn.widgets.IntSlider(name="x", start=0, end=10, value=3)
def moved(x):
    return str(1 / (x - 5))
pn.Column(slider, pn.bind(moved, slider)).servable()
"""


def apps(folder, **texts):
    found = []
    for name, text in texts.items():
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        found.append(PanelApp.read(name, path))
    return tuple(found)


def served_app(folder, **texts):
    tabs = [Tab(PAGES[name].kind, f"/{name}", name, "Audit") for name in ("counts", "plan")]
    return App(tabs, apps=apps(folder, **texts))


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("apps")
    return served_app(folder, asks=ASKS, fails=FAILS, ends=ENDS, sometimes=SOMETIMES)


@pytest.fixture
def heard(monkeypatch):
    """What the app notes: where, for whom, and which workspace."""
    monkeypatch.setitem(pn.state.cache, "heard", found := [])
    return found


@pytest.fixture(scope="module")
def served(app):
    made = Served(app)
    yield made
    made.close()


@pytest.fixture(scope="module")
def team(app):
    made = Team(app=app)
    yield made
    made.close()


def opened(served, who, name="asks", query=""):
    """The token of a new document of an app."""
    status, _, body = served.get(f"apps/{name}{query}", who)
    assert status == 200, body
    return token_of(body.decode())


def connect(served, who, token, name="asks", **headers):
    cookie = cookie_of(who, served.port)
    return AppSocket.open(served.port, f"apps/{name}", token, Cookie=cookie, **headers)


async def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


# -- whose workspace -------------------------------------------------------------------------------

PLACES = {"script", "onload", "periodic", "moved 3", "moved 4"}
BY_HAND = {"async callback", "to_thread", "call_soon"}


async def used(served, who, heard):
    """What is heard where a person opens the app, moves the slider and types something."""
    mark = who.key[0]

    def own():
        return [one for one in heard if mark in one[3]]

    socket = await connect(served, who, opened(served, who, query=f"?who={mark}"))
    models = await socket.models()
    await socket.send("PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event",
        "msg_data": {"type": "event", "name": "document_ready",
                     "values": {"type": "map", "entries": []}}}]})  # fmt: skip
    await socket.set(models["x"], value=4)
    await socket.set(models["asked"], value="now")
    await until(lambda: {*PLACES, *BY_HAND, "thread"} <= {where for where, *_ in own()})
    socket.close()
    return own()


@pytest.fixture(params=[None, 2], ids=["event loop", "threads of Panel"])
def nthreads(request):
    pn.config.nthreads = request.param
    yield
    pn.config.nthreads = None


def test_the_workspace_is_that_of_the_visitor_wherever_code_of_the_app_runs(
    served, heard, monkeypatch, nthreads
):
    monkeypatch.setattr(home, "_only_visitors", True)  # as in a process that serves

    async def visit():
        for who in (MINE, THEIRS):
            found = await used(served, who, heard)
            own = served.visitors.bench(who).workspace
            for where, _, workspace, _ in found:
                assert where.startswith("thread") or workspace is own, where
            threads = [one for one in found if one[0].startswith("thread")]
            assert len(threads) == 2
            assert all(one[1] == "NoVisitorError" for one in threads)
            assert all("hand on what it returns" in one[2] for one in threads)

    asyncio.run(visit())
    mine, theirs = (served.visitors.bench(who).workspace for who in (MINE, THEIRS))
    assert mine is not theirs
    with pytest.raises(ValueError, match="runs for no visitor"):
        wb.workspace()


def test_two_visitors_at_once_keep_apart(served, heard):
    async def visit():
        sockets = {who: await connect(served, who, opened(served, who)) for who in (MINE, THEIRS)}
        models = {who: await socket.models() for who, socket in sockets.items()}
        heard.clear()
        for mine, theirs in ((5, 6), (7, 8), (9, 10)):
            await sockets[MINE].set(models[MINE]["x"], value=mine)
            await sockets[THEIRS].set(models[THEIRS]["x"], value=theirs)
            moved = {f"moved {mine}", f"moved {theirs}"}
            await until(lambda moved=moved: moved <= {where for where, *_ in heard})
        for socket in sockets.values():
            socket.close()

    asyncio.run(visit())
    own = {who: served.visitors.bench(who).workspace for who in (MINE, THEIRS)}
    for where, _, workspace, _ in heard:
        if where.startswith("moved"):
            assert workspace is own[MINE if int(where.split()[1]) % 2 else THEIRS]


def test_a_view_of_an_app_notes_what_is_seen_in_the_workspace_of_the_visitor(tmp_path):
    text = "import workbench as wb, panel as pn\npn.state.cache['seen'] = wb.explore('scores')\n"
    given = text.replace("'scores'", "wb.Scores([1.0, 2, 3], [0.0, 1, 2])")
    made = Served(served_app(tmp_path, named=text, given=given))
    try:
        for name in ("named", "given"):
            assert made.get(f"apps/{name}", MINE)[0] == 200
            page = pn.state.cache.pop("seen").page
            own = made.visitors.bench(MINE).workspace
            assert page.workspace.seen is own.seen
    finally:
        made.close()


def test_data_that_an_app_adds_are_on_the_pages_of_this_visitor_alone(served, tmp_path):
    text = (
        "import workbench as wb\n"
        "wb.workspace().add_scores(wb.Scores([1.0, 2, 3], [0.0, 1, 2]), 'from the app')\n"
    )
    made = Served(served_app(tmp_path, adds=text))
    try:
        assert made.get("apps/adds", MINE)[0] == 200
        assert "from the app" in [one.name for one in made.visitors.workspace(MINE).datasets]
        assert "from the app" not in [one.name for one in made.visitors.workspace(THEIRS).datasets]
        assert b"from the app" in made.get("counts", MINE)[2]
        assert b"from the app" not in made.get("counts", THEIRS)[2]
    finally:
        made.close()


# -- who may come ----------------------------------------------------------------------------------


def test_who_is_not_signed_in_gets_nothing(team):
    browser = team.browser()
    status, headers, _ = browser.get("apps/asks?x=1")
    assert (status, headers["Location"]) == (302, "../sign-in?next=apps%2Fasks%3Fx%3D1")
    for path in ("static/js/bokeh.min.js", "asks/static/js/bokeh.min.js",
                 "static/extensions/panel/panel.min.js", "components/panel/x/y/z"):  # fmt: skip
        assert browser.get(f"apps/{path}")[0] == 401, path
    with pytest.raises(HTTPClientError, match="401"):
        asyncio.run(AppSocket.open(team.port, "apps/asks", "a.b"))


def test_who_signs_in_comes_to_the_app(team, heard):
    browser = team.browser()
    status, headers, _ = browser.sign_in("Anna", goes="apps/asks")
    assert (status, headers["Location"]) == (303, "./apps/asks")
    assert browser.get("apps/asks")[0] == 200
    assert heard[0][1] == "Anna"  # as Panel names who has signed in
    assert heard[0][2] is team.visitors.bench(team.accounts.find("Anna").person).workspace


@pytest.mark.parametrize("asked", ["apps/../x", "apps//evil.example", "apps/a/b", "appsx/a"])
def test_signing_in_leads_to_no_other_address(team, asked):
    assert team.browser().sign_in("Anna", goes=asked)[1]["Location"] == "./"


def test_a_viewer_opens_no_app(team, heard):
    browser = team.browser("Vera")
    for path in ("apps/asks", "apps/static/js/bokeh.min.js"):
        status, _, text = browser.get(path)
        assert status == 403
        assert "Your role is viewer: you cannot open apps" in text
        assert "workbench users role Vera editor" in text
    with pytest.raises(HTTPClientError, match="403"):
        asyncio.run(AppSocket.open(team.port, "apps/asks", "a.b", Cookie=browser.header()))
    assert heard == []


def test_the_socket_of_somebody_else_is_closed(served, heard):
    async def visit():
        token = opened(served, MINE)
        ran = [where for where, *_ in heard].count("script")
        socket = await connect(served, THEIRS, token)
        assert await socket.receive() is None
        assert socket.reason == "the session has ended"
        assert [where for where, *_ in heard].count("script") == ran == 1
        socket = await connect(served, MINE, token)
        assert (await socket.receive())["type"] == "ACK"
        socket.close()
        forged = token.split(".")[0]
        for bad in (forged, f"{forged}.AAAA", "a", "a.b", token[:-2], token.swapcase()):
            socket = await connect(served, MINE, bad)
            assert await socket.receive() is None, bad

    asyncio.run(visit())


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "null"])
def test_a_page_of_another_site_opens_no_socket(served, heard, origin):
    token = opened(served, MINE)
    with pytest.raises(HTTPClientError, match="403"):
        asyncio.run(connect(served, MINE, token, origin=origin))


def test_a_socket_ends_with_the_sign_in_the_role_and_the_account(team, heard):
    async def visit(end):
        team.accounts.add("Zoe", Role.EDITOR, "correct horse battery")
        browser = team.browser("Zoe")
        token = token_of(browser.get("apps/asks")[2])
        socket = await AppSocket.open(team.port, "apps/asks", token, Cookie=browser.header())
        models = await socket.models()
        end(browser)
        await asyncio.sleep(1.2)  # for which a role is remembered
        with suppress(WebSocketClosedError):  # it was closed at once
            await socket.set(models["x"], value=9)
        while await socket.receive() is not None:
            pass
        assert "moved 9" not in [where for where, *_ in heard]
        assert socket.reason == "the session has ended"
        if team.accounts.find("Zoe") is not None:
            team.accounts.remove("Zoe")

    def sign_out(browser):
        form = re.search(r'name="form" value="([0-9a-f]{64})"', browser.get("counts")[2])[1]
        assert browser.post("sign-out", {"form": form})[0] == 303

    for end in (
        sign_out,
        lambda browser: team.accounts.set_role("Zoe", Role.VIEWER),
        lambda browser: team.accounts.remove("Zoe"),
    ):
        asyncio.run(visit(end))


def test_no_visit_chooses_its_session(served, heard):
    token = opened(served, MINE)
    for query in (f"bokeh-token={token}", "bokeh-session-id=mine"):
        assert served.get(f"apps/asks?{query}", MINE)[0] == 403
    headers = {"Cookie": cookie_of(MINE, served.port), "Bokeh_Session_Id": "mine"}
    assert ask(served, "/apps/asks", **headers)[0] == 403


def test_a_token_tells_nothing_that_signs_in(team, heard):
    from bokeh.util.token import get_token_payload

    browser = team.browser("Anna")
    payload = get_token_payload(token_of(browser.get("apps/asks?x=1", Referer="http://secret")[2]))
    assert payload["cookies"].keys() == {"user"}
    assert set(payload["headers"]) <= {"Accept-Language", "User-Agent"}
    said = repr(payload)
    for secret in (*browser.cookies.values(), team.accounts.find("Anna").person.key, "secret"):
        assert secret not in said


# -- limits ----------------------------------------------------------------------------------------


def test_an_app_counts_as_a_page_and_is_put_away_as_one(app, heard):
    served = Served(app, limits=ServerLimits(pages_each=2))
    try:
        opened(served, MINE)
        token = opened(served, MINE)
        status, _, body = served.get("apps/asks", MINE)
        assert status == 503
        assert b"You have 2 pages of the workbench open" in body
        assert served.get("counts", MINE)[0] == 503
        opened(served, THEIRS)

        async def visit():
            socket = await connect(served, MINE, token)
            await socket.models()
            assert served.settings["state"].people == 1
            here = served.visitors.here.find(MINE.key)
            served.visitors.here.end(MINE.key, "put away")
            assert here.documents == []
            while await socket.receive() is not None:
                pass
            await until(lambda: served.settings["state"].people == 0)

        asyncio.run(visit())
        assert served.get("counts", MINE)[0] == 200
    finally:
        served.close()


# -- what fails ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [("fails", "ZeroDivisionError: division by zero"), ("ends", "SystemExit: 7")],
)
def test_a_script_that_fails_is_named_in_the_log_and_on_its_page(
    served, heard, caplog, name, words
):
    status, headers, body = served.get(f"apps/{name}", MINE)
    assert status == 500
    assert f"this app failed ({words}); the log" in body.decode()
    assert "unsafe" not in headers["Content-Security-Policy"] or b"<" not in body
    logged = [one.getMessage() for one in caplog.records]
    kind = words.partition(":")[0]
    assert any(f"the app {name} failed for a visitor: {kind} (" in one for one in logged)
    assert name == "ends" or any(f"{name}.py:2)" in one for one in logged)
    assert served.get("counts", MINE)[0] == 200
    assert pn.state.curdoc is None  # no code of others takes the document for its own
    opened(served, MINE)


def test_what_fails_for_one_visitor_works_for_the_next(served):
    assert served.get("apps/fails", MINE)[0] == 500
    opened(served, THEIRS, "fails", "?how=well")
    assert served.get("apps/fails", MINE)[0] == 500


def test_a_callback_that_fails_ends_nothing_else(served, heard):
    async def visit():
        socket = await connect(served, MINE, opened(served, MINE, "sometimes"), "sometimes")
        models = await socket.models()
        await socket.set(models["x"], value=5)  # divides by zero
        await socket.set(models["x"], value=6)
        text = ""
        while "1.0" not in text:
            text = repr(await socket.receive())
            assert text != "None"
        socket.close()

    asyncio.run(visit())
    assert served.get("counts", MINE)[0] == 200
    opened(served, MINE)


@pytest.mark.parametrize(
    ("name", "file", "text", "words"),
    [
        ("ours", "none.py", None, "there is no such file"),
        ("ours", "app.txt", "", "an app is a script (.py) or a notebook (.ipynb)"),
        ("ours", "app.py", "x = (", "Invalid syntax in 'app.py' on line 1"),
        ("ours", "app.ipynb", "no notebook", "app.ipynb: "),
        ("ours", "app.py", b"\xff\xfe", "can't decode"),
        ("counts", "app.py", "", "'counts' is an address of the workbench"),
        ("Static", "app.py", "", "'Static' is an address of the workbench"),
        ("a/b", "app.py", "", "a name is a letter and at most 39 more"),
        ("../x", "app.py", "", "a name is a letter"),
        ("ä", "app.py", "", "a name is a letter"),
        ("a" * 41, "app.py", "", "a name is a letter"),
    ],
)
def test_what_cannot_be_an_app_is_refused_in_one_sentence(tmp_path, name, file, text, words):
    path = tmp_path / file
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=re.escape(words)) as refused:
        PanelApp.read(name, path)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(f"--app {name}={path}: ")


def test_a_notebook_is_an_app(tmp_path, heard):
    import IPython
    import nbformat
    from IPython.core import display_functions

    cells = [nbformat.v4.new_code_cell("import panel as pn"), nbformat.v4.new_code_cell(ASKS)]
    path = tmp_path / "book.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    tabs = [Tab(PAGES["counts"].kind, "/counts", "Counts")]
    made = Served(App(tabs, apps=(PanelApp.read("book", path),)))
    try:
        opened(made, MINE, "book")
        assert heard[0][2] is made.visitors.bench(MINE).workspace
        assert IPython.display.display is display_functions.display  # Panel leaves another there
    finally:
        made.close()


def test_the_example_of_the_documentation_is_an_app(tmp_path):
    text = (ROOT / "docs" / "apps.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    made = Served(served_app(tmp_path, ours=example))
    try:
        opened(made, MINE, "ours")
        made.visitors.bench(MINE).workspace.add_scores(wb.example("gaussian"), "given")

        async def visit():
            socket = await connect(made, MINE, opened(made, MINE, "ours"), "ours")
            assert "ε ≥ 2." in html.unescape(html.unescape(repr(await socket.models())))
            socket.close()

        asyncio.run(visit())
    finally:
        made.close()


# -- addresses and headers -------------------------------------------------------------------------


def test_the_menu_has_the_apps(served):
    page = served.get("counts", MINE)[2].decode()
    assert len(re.findall(r'<a href="\./apps/asks" data-edits>', page)) == 2  # bar and drawer
    assert re.search(r"<h2>Apps</h2>", page)


def test_answers_have_the_headers_of_the_server(served, heard):
    for path in ("apps/asks", "apps/static/js/bokeh.min.js", "apps/no-such", "apps/asks/metadata"):
        _, headers, _ = served.get(path, MINE)
        for name in EVERY:
            assert len(headers.get_all(name)) == 1, (path, name)
        assert "Server" not in headers
    _, headers, body = served.get("apps/asks", MINE)
    assert headers["Content-Security-Policy"] == app_policy(f"localhost:{served.port}")
    assert headers["Cache-Control"] == "no-store"
    assert b' href="../" ' in body
    outside = re.findall(r'(?:src|href)="(?:https?:)?//[^"]*', body.decode())
    assert outside == []


def test_the_policy_names_no_other_host():
    for one in app_policy("here:1").split("; "):
        for source in one.split(" ")[1:]:
            assert source[0] == "'" or source in ("data:", "blob:", "ws://here:1", "wss://here:1")


def test_nothing_else_of_bokeh_and_panel_is_served(served):
    for path in (
        *("", "/", "/nobodys", "/favicon.ico", "/rest/session_info", "/admin", "/liveness"),
        *("/asks/metadata", "/asks/autoload.js", "/asks/x", "/asks/static/x.js"),
        *("/components/antigravity/x/_css/y", "/static/extensions/x/y.js"),
    ):
        status, _, body = served.get(f"apps{path}", MINE)
        assert status == 404, (path, body)
    assert served.get("apps/static/../../../etc/passwd", MINE)[0] == 403


def test_an_address_with_a_last_slash_leads_to_the_app(served):
    status, headers, _ = ask(served, "/apps/asks/?x=1", Cookie=cookie_of(MINE, served.port))
    assert (status, headers["Location"]) == (302, "../asks?x=1")


def test_methods_are_those_of_a_page(served, heard):
    own = f"http://localhost:{served.port}"
    for method in ("POST", "PUT", "DELETE"):
        assert ask(served, "/apps/asks", method, Origin=own)[0] == 405
    assert ask(served, "/apps/asks", "HEAD", Cookie=cookie_of(MINE, served.port))[0] == 200
    assert heard == []


def test_apps_are_below_the_root_path(app, heard):
    served = Served(app, root_path="/audit")
    try:
        assert served.get("apps/asks", MINE)[0] == 404
        status, headers, body = served.get("audit/apps/asks", None)
        assert status == 200
        assert "Path=/audit" in headers["Set-Cookie"]
        file = re.search(r'src="(static/js/bokeh[^"]*)"', body.decode())[1]
        assert served.get(f"audit/apps/{file}", None)[0] == 200

        async def visit():
            cookie = headers["Set-Cookie"].split(";")[0]
            token = token_of(body.decode())
            socket = await AppSocket.open(served.port, "audit/apps/asks", token, Cookie=cookie)
            assert "x" in await socket.models()
            socket.close()

        asyncio.run(visit())
    finally:
        served.close()


def test_a_strangers_page_is_refused(served):
    cross = {
        "Sec_Fetch_Site": "cross-site",
        "Sec_Fetch_Mode": "no-cors",
        "Sec_Fetch_Dest": "script",
    }
    for path in ("/apps/asks", "/apps/static/js/bokeh.min.js"):
        assert ask(served, path, Cookie=cookie_of(MINE, served.port), **cross)[0] == 403
        assert ask(served, path, Host="evil.example")[0] == 403
