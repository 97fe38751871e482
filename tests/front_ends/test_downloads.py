"""What people download: reports of pages and saved audits, charts, data and texts of numbers."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree
from functools import partial

import pytest
from helpers.served import MINE, THEIRS, Served, cookie_of

import workbench as wb
from workbench.bounds.texts import bound_texts
from workbench.dashboard.tab import IMPORT
from workbench.figures.paper.table import figure_csv
from workbench.pages.core.page import Fact
from workbench.pages.registry import PAGES
from workbench.progress import Cancelled
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.source import read_table
from workbench.server.background_work import BackgroundWork, BusyError
from workbench.server.handlers import downloads
from workbench.server.people.person import Person
from workbench.server.work.runner import InServer
from workbench.workspaces.reading import Reading

REPORT = "workbench.reports.write"


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


@pytest.fixture
def here(served, monkeypatch):
    """Files are made in this process, where tests can replace what makes them."""
    monkeypatch.setitem(served.settings, "makes", InServer())


def figures(page):
    return {item.name: page.draw(item) for item in page.figures()}


# -- what is sent ----------------------------------------------------------------------------------

ALL_PAGES = [name for name in PAGES if name != IMPORT]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ALL_PAGES)
def test_a_page_is_sent_as_card_markdown_and_notebook(served, name):
    page = served.page(name)
    card = json.loads(served.file(f"report/{name}.json"))
    assert card["page"] == name
    assert [one["name"] for one in card["numbers"]] == list(page.drawn_numbers())
    text = served.file(f"report/{name}.md").decode()
    assert page.title in text
    notebook = json.loads(served.file(f"report/{name}.ipynb"))
    assert notebook["nbformat"] == 4
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])


def test_a_page_is_sent_as_one_html_file_that_is_named_after_page_and_data(served):
    status, headers, body = served.get("report/counts.html")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Disposition"] == "attachment; filename*=UTF-8''counts.html"
    assert body.lstrip().lower().startswith(b"<!doctype html>")
    _, headers, _ = served.get("report/scores.json")
    name = urllib.parse.unquote(headers["Content-Disposition"].partition("UTF-8''")[2])
    assert name == "scores-Gaussian-μ-1.json"


@pytest.mark.parametrize("name", ALL_PAGES)
def test_the_data_of_every_chart_are_sent(served, name):
    for item, figure in figures(served.page(name)).items():
        assert served.file(f"figure/{name}/{item}.csv").decode() == figure_csv(figure), item


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
@pytest.mark.parametrize("family", ["serif", "sans"])
def test_a_chart_is_sent_for_a_paper(served, kind, begins, family):
    path = f"figure/scores/tradeoff.{kind}?family={family}"
    narrow, wide = served.file(path), served.file(f"{path}&width=7")
    assert narrow.startswith(begins)
    assert narrow != wide
    if kind == "svg":
        widths = [ElementTree.fromstring(one).get("width") for one in (narrow, wide)]
        assert [float(width.removesuffix("pt")) for width in widths] == [
            pytest.approx(3.3 * 72, rel=0.02),
            pytest.approx(7 * 72, rel=0.02),
        ]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ALL_PAGES)
def test_every_number_is_sent_as_texts(served, name):
    page = served.page(name)
    for item in page.numbers():
        value = page.draw(item)
        texts = json.loads(served.file(f"texts/{name}/{item.name}.json"))
        if isinstance(value, Fact):
            assert set(texts) == {"sentence"}
            assert value.text in texts["sentence"]
        elif getattr(value.void, "ask", ""):
            assert texts == {}
        else:
            assert texts == bound_texts(value)
            assert texts["latex"] == value.to_latex()


# -- who sees what ---------------------------------------------------------------------------------


def epsilon_in(served, who, **more):
    card = json.loads(served.file("report/counts.json", who))
    return next(one["bound"]["value"] for one in card["numbers"] if one["name"] == "epsilon")


def test_a_visitor_gets_the_page_as_they_left_it_and_nobody_elses(served):
    first = epsilon_in(served, "")
    chart = served.file("figure/counts/intervals.csv")
    served.sets(MINE, "counts", fp=40)
    mine = epsilon_in(served, MINE)
    assert mine != first
    assert epsilon_in(served, THEIRS) == first
    assert epsilon_in(served, "") == first
    assert epsilon_in(served, Person("no cookie of ours")) == first

    assert served.file("figure/counts/intervals.csv", MINE) != chart
    assert served.file("figure/counts/intervals.csv", THEIRS) == chart
    texts = [served.file("texts/counts/epsilon.json", who) for who in (MINE, THEIRS, None)]
    assert texts[0] != texts[1] == texts[2]


def test_a_saved_audit_is_sent_to_whom_it_belongs_only(served):
    audits = served.visitors.bench(MINE).workspace.audits
    saved = audits.save(wb.audit(wb.example("gaussian")), name="<b>März</b> 🚀\n" + "x" * 9_900)
    status, headers, body = served.get(f"report/audit/{saved.key}.json", MINE)
    assert status == 200
    assert json.loads(body)["name"] == saved.name
    sent = headers["Content-Disposition"]
    assert sent.isascii()
    assert len(sent) < 400
    assert urllib.parse.unquote(sent).startswith("attachment; filename*=UTF-8''scores-b-März-b-")
    assert served.file(f"report/audit/{saved.key}.md", MINE)
    for who in (THEIRS, None):
        status, _, body = served.get(f"report/audit/{saved.key}.json", who)
        assert status == 404
        assert "März" not in body.decode()
    assert served.get("report/audit/none.json", MINE)[0] == 404
    assert served.get(f"report/audit/{saved.key}.exe", MINE)[0] == 404


def test_data_with_a_hostile_name_are_sent_in_a_file_with_a_plain_one(served):
    workspace = served.visitors.bench(THEIRS).workspace
    rows = "".join(f"{k}.5,{k % 2}\n" for k in range(20))
    table = read_table(f"score,member\n{rows}".encode(), filename="x.csv")
    key = workspace.add([table], Reading(guess_layout(table))).key
    workspace.kept.rename(key, '../"quoted"; filename=evil.exe\r\nX: y <script>')
    status, headers, body = served.get(f"data/{key}.csv", THEIRS)
    assert status == 200
    assert body.count(b"\n") == 21
    assert headers["X"] is None
    name = urllib.parse.unquote(headers["Content-Disposition"].partition("UTF-8''")[2])
    assert name == "quoted-filename-evil.exe-X-y-script.csv"
    assert served.get(f"data/{key}.csv", MINE)[0] == 404


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "report/nothing.html",
        "report/import.html",
        "report/scores.exe",
        "report/scores/one-page.md",
        "report/scores/short.html",
        "report/scores/complete/one-page.html",
        "report/scores",
        "report/..%2fscores.html",
        "report/audit/..%2f..%2fkey.html",
        "figure/scores/nothing.svg",
        "figure/scores/epsilon.svg",
        "figure/scores/__class__.svg",
        "figure/import/table.svg",
        "figure/nothing/tradeoff.svg",
        "figure/scores/tradeoff.exe",
        "texts/scores/tradeoff.json",
        "texts/scores/nothing.json",
        "texts/nothing/epsilon.json",
    ],
)
def test_what_is_not_there_is_not_found(served, path):
    status, headers, body = served.get(path)
    assert status == 404
    assert b"Traceback" not in body
    assert "html" not in headers["Content-Type"] or b"<script" not in body


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("width=0", "width"),
        ("width=1e9", "width"),
        ("width=-3", "width"),
        ("width=nan", "width"),
        ("width=wide", "width"),
        ("family=%3Cscript%3E", "family"),
        ("family=comic", "family"),
    ],
)
def test_a_width_or_letters_that_are_not_possible_are_refused_in_words(served, query, says):
    status, headers, body = served.get(f"figure/scores/tradeoff.svg?{query}")
    assert status == 400
    assert says in body.decode()
    assert headers["Content-Type"].startswith("text/plain")


def test_what_is_missing_is_said_with_the_command_that_installs_it(served, here, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, headers, body = served.get("figure/scores/tradeoff.svg")
    assert status == 501
    assert "pip install 'dp-audit-workbench[paper]'" in body.decode()
    assert headers["Content-Type"].startswith("text/plain")
    assert served.get("figure/scores/tradeoff.csv")[0] == 200  # needs nothing
    monkeypatch.setattr("workbench.reports.pdf.NAMES", ("no-such-program",))
    monkeypatch.delenv("CHROMIUM", raising=False)
    status, headers, body = served.get("report/counts.pdf")
    assert status == 501
    assert "apt-get install chromium" in body.decode()
    assert headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("kind", [RuntimeError, ValueError])
def test_a_report_that_fails_says_so_and_no_more(served, here, monkeypatch, caplog, kind):
    def fail(*given):
        raise kind("a secret path")

    monkeypatch.setattr(f"{REPORT}.report_bytes", fail)
    status, _, body = served.get("report/counts.md")
    assert status == 500
    assert b"secret" not in body
    assert "a secret path" in caplog.text


# -- limits ----------------------------------------------------------------------------------------


def test_a_page_goes_on_while_its_report_is_made(served, here, monkeypatch):
    begun, end = threading.Event(), threading.Event()
    values = []

    def wait(audit, *given):
        values.append(audit.settings["fp"])
        begun.set()
        assert end.wait(60)
        return b"made"

    monkeypatch.setattr(f"{REPORT}.report_bytes", wait)
    served.sets(MINE, "counts", fp=11)
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(served.get("report/counts.md", MINE)[2])
    )
    asking.start()
    assert begun.wait(60)
    served.sets(MINE, "counts", fp=12)
    assert served.visitors.bench(MINE).pages.ask("counts", lambda live: live.page.fp) == 12
    assert not answers  # the page went on while the report was made
    end.set()
    asking.join(60)
    assert answers == [b"made"]
    assert values == [11]  # the page as it was when the report was asked for


def desk(**more):
    return BackgroundWork("things", **{"at_once": 2, "places": 3, "patience": 20, **more})


def test_a_desk_makes_few_things_at_once_and_refuses_too_many():
    running, most, end = [], [], threading.Event()

    def make(thing, report):
        running.append(thing)
        most.append(len(running))
        end.wait(20)
        running.remove(thing)
        return thing

    async def visits():
        one = desk()
        asked = [asyncio.ensure_future(one.made(partial(int, k), make, str(k))) for k in range(3)]
        await asyncio.sleep(0.5)
        with pytest.raises(BusyError, match="too many things are being made; try again"):
            await one.made(int, make, "")
        end.set()
        made = await asyncio.gather(*asked)
        return made, await one.made(lambda: 7, make, "")  # the places are free again

    assert asyncio.run(visits()) == ([0, 1, 2], 7)
    assert max(most) == 2


def test_a_desk_gives_up_what_takes_too_long():
    end, begun, cancelled = threading.Event(), [], []

    def make(thing, report):
        begun.append(thing)
        try:
            while not end.wait(0.01):
                report()
        except Cancelled:
            cancelled.append(thing)
            raise

    async def visits():
        one = desk(at_once=1, patience=0.3)
        asked = [one.made(partial(int, k), make, str(k)) for k in range(2)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        return found, await one.made(int, lambda thing, report: "made", "")

    found, after = asyncio.run(visits())
    assert [str(one) for one in found] == ["it took longer than 0 seconds and was given up"] * 2
    assert after == "made"
    assert begun == cancelled == [0]  # what waited was never begun


def test_what_nobody_waits_for_any_more_is_not_made(served, here, monkeypatch):
    begun, cancelled = threading.Event(), threading.Event()

    def make(audit, kind, workspace, report, form):
        begun.set()
        try:
            while True:
                report(0.5, "half of it")
                time.sleep(0.01)
        except Cancelled:
            cancelled.set()
            raise

    monkeypatch.setattr(f"{REPORT}.report_bytes", make)
    with socket.create_connection(("localhost", served.port)) as asking:
        host, cookie = f"localhost:{served.port}", cookie_of(MINE, served.port)
        head = f"GET /report/counts.md HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}"
        asking.sendall(f"{head}\r\n\r\n".encode())
        assert begun.wait(60)
        assert not cancelled.wait(0.3)
        # A visitor sees how far it is, and nobody else does.
        for who, share in ((MINE, 0.5), (THEIRS, None)):
            told = served.get("progress.json?of=./report/counts.md", who)[2]
            assert json.loads(told) == {"fraction": share}
    assert cancelled.wait(60)


def test_a_page_that_is_at_work_is_said_to_be():
    def look():
        raise TimeoutError

    with pytest.raises(BusyError, match="the page is at work"):
        asyncio.run(desk().made(look, lambda thing, report: thing, ""))


def test_a_visitor_is_told_to_come_again(served, monkeypatch):
    async def refuse(*asked):
        raise BusyError("too many reports are being made; try again in a minute")

    monkeypatch.setattr(downloads.BackgroundWork, "made", refuse)
    status, headers, body = served.get("report/counts.md")
    assert status == 503
    assert headers["Retry-After"] == "60"
    assert body.decode() == "too many reports are being made; try again in a minute"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("scores", "a b/c"), "scores-a-b-c"),
        (("scores", "../../etc/passwd"), "scores-etc-passwd"),
        (("scores", "🚀"), "scores"),
        (("scores", "x" * 10_000), "scores-" + "x" * 60),
        (("…",), "file"),
        (("scores", "März\r\nX: y"), "scores-März-X-y"),
    ],
)
def test_names_of_files_are_plain(parts, name):
    assert downloads.file_name(*parts) == name
