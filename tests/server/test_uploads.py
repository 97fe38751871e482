"""Uploads: on the disk, within limits, in fair turns, and nothing of them is left behind."""

from __future__ import annotations

import asyncio
import errno
import gc
import hashlib
import json
import os
import random
import stat
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.served import MINE, THEIRS, Served

from benchmarks.hostile_uploads import Uploader
from benchmarks.visitors import Visitor
from workbench.dashboard import files
from workbench.dashboard.files import MOST_WAITING, Receiver, UploadFolder
from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.dashboard.live_page import Viewer
from workbench.dashboard.sent import Sent
from workbench.dashboard.tab import IMPORT
from workbench.dashboard.worker import BLOCKED, MOST_EACH, MOST_LONG, Crew, Turns
from workbench.pages.core.upload import UploadedFile
from workbench.pages.importing.page import ImportPage

MB = 2**20


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.005)


@pytest.fixture
def folder(tmp_path):
    return UploadFolder(tmp_path / "uploads", ServerLimits(upload=10 * MB))


class Sender:
    """A browser that sends files, and waits for each answer."""

    def __init__(self, receiver):
        self.receiver, self.outcomes = receiver, []

    def post(self, **gesture):
        self.receiver.take(gesture, self, self.outcomes.append)

    def ask(self, **gesture):
        count = len(self.outcomes)
        self.post(**gesture)
        until(lambda: len(self.outcomes) > count)
        return self.outcomes[-1]

    def announce(self, *sizes, name="a.csv"):
        return self.ask(kind="files", files=[[name, size] for size in sizes])

    def piece(self, content, file=0):
        return self.ask(kind="chunk", file=file, content=content)


@pytest.fixture
def receiver(folder):
    return Receiver(folder)


@pytest.fixture
def sender(receiver):
    return Sender(receiver)


def kept(folder):
    return sorted(folder.path.iterdir())


# -- what becomes of the pieces --------------------------------------------------------------------


def test_pieces_become_a_file_that_only_this_user_can_read(sender, folder):
    assert sender.announce(5, 2) is None
    assert sender.piece(b"abc") is None
    assert sender.piece(b"xy", file=1) is None
    first, second = sender.piece(b"de")
    assert (first.name, first.size, first.content()) == ("a.csv", 5, b"abcde")
    assert first.sha256 == hashlib.sha256(b"abcde").hexdigest()
    assert second.content() == b"xy"
    for path in kept(folder):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_this_process_holds_no_more_than_the_pieces_under_way(receiver, folder):
    big = Receiver(UploadFolder(folder.path / "big"))
    sender = Sender(big)
    tracemalloc.start()
    try:
        sender.announce(64 * MB)
        for _ in range(63):
            sender.piece(bytes(MB))
        assert sender.piece(bytes(MB))[0].size == 64 * MB
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        big.end()
    assert peak < 8 * MB


@pytest.mark.parametrize(
    "name", ["../../x.csv", "/etc/passwd.csv", "a\0b.csv", "C:\\x.csv", "x.csv\n", "-rf", "é" * 200]
)
def test_a_name_is_never_a_path(sender, folder, name):
    sender.announce(1, name=name)
    (file,) = sender.piece(b"1")
    assert file.name == name
    assert [path.parent for path in kept(folder)] == [folder.path]
    assert file.source in kept(folder)


def test_a_file_is_deleted_with_its_last_use(sender, folder):
    sender.announce(1)
    found = sender.piece(b"1")
    assert len(kept(folder)) == 1
    del found
    sender.outcomes.clear()
    gc.collect()
    until(lambda: not kept(folder))


def test_a_file_that_is_gone_says_so(sender, receiver, folder):
    sender.announce(1)
    (file,) = sender.piece(b"1")
    receiver.end()
    until(lambda: not kept(folder))
    for use in (file.content, file.table):
        with pytest.raises(ValueError, match=r"a\.csv must be uploaded again"):
            use()


def test_a_page_reads_the_file_from_the_disk_and_never_its_bytes(sender, folder, monkeypatch):
    content = b"p,q\n" + b"".join(b"%d,%d\n" % (k + 3, k) for k in range(50))
    sender.announce(len(content))
    found = sender.piece(content)
    monkeypatch.setattr(UploadedFile, "content", lambda self: pytest.fail("it was read here"))
    page = ImportPage()
    page.upload = found
    assert page.message == ""
    assert "50 scores of members" in page.groups()
    assert str(folder.path) not in json.dumps(page.settings())


def test_a_restart_empties_the_folder(tmp_path):
    left = tmp_path / "uploads" / "left"
    left.parent.mkdir()
    left.write_bytes(b"of an earlier run")
    UploadFolder(left.parent)
    assert not left.exists()


def test_a_second_server_of_a_folder_leaves_the_uploads_of_the_first_alone(tmp_path):
    first, second = (UploadFolder(tmp_path / "uploads") for _ in range(2))
    held = first.path
    (held / "half").write_bytes(b"on its way")
    third = UploadFolder(tmp_path / "uploads")
    assert third.path not in (first.path, second.path)
    assert (first.path / "half").read_bytes() == b"on its way"
    os.close(first._hold)  # as when its process ends, however that ends
    UploadFolder(tmp_path / "uploads")
    assert not (tmp_path / "uploads" / held.name).exists()


# -- sizes that lie, limits, the disk --------------------------------------------------------------


def refused(outcome, says):
    assert isinstance(outcome, ValueError)
    assert says in str(outcome)


def test_an_announced_size_beyond_the_limit_is_refused_before_a_byte_comes(sender, folder):
    outcome = sender.announce(6 * MB, 5 * MB)
    refused(outcome, "11 MB are more than the 10 MB of one upload")
    assert "--max-upload" in str(outcome)
    assert isinstance(outcome, LimitError)
    assert not kept(folder)
    assert sender.piece(b"x") is None  # ignored
    assert not kept(folder)


def test_more_bytes_than_announced_are_refused_and_deleted(sender, folder):
    sender.announce(3)
    sender.piece(b"ab")
    refused(sender.piece(b"cd"), "mixed up")
    assert not kept(folder)


@pytest.mark.parametrize("size", [1e400, "3", None, [], 2.5])
def test_what_is_no_size_is_no_gesture(receiver, size):
    with pytest.raises(TypeError):
        Sender(receiver).post(kind="files", files=[["a.csv", size]])


@pytest.mark.parametrize("content", ["text", None, 7, True])
def test_what_is_no_piece_is_no_gesture(receiver, content):
    with pytest.raises(TypeError):
        Sender(receiver).post(kind="chunk", file=0, content=content)


@pytest.mark.parametrize(
    ("sizes", "says"), [((), "no file"), ((-1,), "no file"), ((1,) * 101, "too many")]
)
def test_odd_announcements_are_refused(sender, sizes, says):
    refused(sender.announce(*sizes), says)


def test_a_long_name_is_refused(sender):
    refused(sender.announce(1, name="x" * 256), "255 characters")


def test_a_person_without_room_is_refused(folder):
    def allow(size):
        raise LimitError(f"{size} bytes are too many", "--max-disk")

    refused(Sender(Receiver(folder, allow)).announce(7), "--max-disk")


def test_no_room_on_the_disk_is_said_at_once(sender, folder, monkeypatch):
    usage = type("Usage", (), {"free": files.LEFT_FREE + 5})
    monkeypatch.setattr(files.shutil, "disk_usage", lambda path: usage)
    refused(sender.announce(6), "no room")
    assert sender.announce(5) is None


@pytest.mark.parametrize(
    ("number", "says"), [(errno.ENOSPC, "disk of the server is full"), (errno.EIO, "cannot write")]
)
def test_a_disk_that_is_full_meanwhile_is_said_and_nothing_is_kept(
    sender, folder, monkeypatch, number, says
):
    sender.announce(4)

    def add(incoming, piece):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files._Incoming, "add", add)
    outcome = sender.piece(b"ab")
    refused(outcome, says)
    assert str(folder.path) not in str(outcome)
    assert not kept(folder)


def test_who_does_not_wait_for_answers_is_refused(sender, folder, monkeypatch):
    held, add = threading.Event(), files._Incoming.add
    monkeypatch.setattr(files._Incoming, "add", lambda *given: held.wait(60) and add(*given))
    sender.announce(100)
    for _ in range(2 * MOST_WAITING):
        sender.post(kind="chunk", file=0, content=b"x")
    held.set()
    until(lambda: len(sender.outcomes) == 1 + 2 * MOST_WAITING)
    assert any(isinstance(one, ValueError) for one in sender.outcomes)
    assert not kept(folder)


def test_a_piece_that_is_too_long_is_refused(sender):
    sender.announce(9 * MB)
    refused(sender.piece(bytes(files.MOST_PIECE + 1)), "mixed up")


# -- several at once -------------------------------------------------------------------------------


def test_a_new_upload_replaces_an_unfinished_one(sender, folder):
    sender.announce(5)
    sender.piece(b"ab")
    sender.announce(2, name="b.csv")
    (file,) = sender.piece(b"xy")
    assert (file.name, file.content()) == ("b.csv", b"xy")
    assert kept(folder) == [file.source]


def test_pieces_of_two_browsers_do_not_mix(receiver):
    one, other = Sender(receiver), Sender(receiver)
    one.announce(4)
    one.piece(b"ab")
    assert other.piece(b"XX") is None  # it has announced nothing
    (file,) = one.piece(b"cd")
    assert file.content() == b"abcd"
    one.announce(4)
    other.announce(2)
    assert one.piece(b"ab") is None  # replaced
    (file,) = other.piece(b"xy")
    assert file.content() == b"xy"


def test_a_browser_that_is_gone_leaves_nothing(sender, receiver, folder):
    sender.announce(5)
    sender.piece(b"ab")
    assert kept(folder)
    receiver.leave(Sender(receiver))  # another one
    sender.piece(b"c")
    assert kept(folder)
    receiver.leave(sender)
    until(lambda: not kept(folder))


def test_an_end_deletes_what_is_there_and_takes_nothing_more(sender, receiver, folder):
    sender.announce(1)
    whole = sender.piece(b"1")
    sender.announce(5)
    receiver.end()
    until(lambda: not kept(folder))
    assert sender.announce(5) is None
    assert not kept(folder)
    assert whole


def test_people_take_turns_piece_by_piece(folder, monkeypatch):
    thread, all_there = ThreadPoolExecutor(1), threading.Event()
    monkeypatch.setattr(files, "WRITING", thread)
    thread.submit(all_there.wait, 60)
    order, ended = [], threading.Event()

    def send(name, receiver):
        def answered(outcome):
            order.append(name)
            if isinstance(outcome, tuple):
                ended.set()
            elif not ended.is_set():
                receiver.take({"kind": "chunk", "file": 0, "content": b"x"}, name, answered)

        receiver.take({"kind": "files", "files": [["a.csv", 200]]}, name, answered)

    for name in ("Anna", "Ben", "Cora"):
        send(name, Receiver(folder))
    all_there.set()
    assert ended.wait(60)
    counts = {name: order.count(name) for name in set(order)}
    assert len(counts) == 3
    assert max(counts.values()) - min(counts.values()) <= 2


# -- on a server -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(home=tmp_path_factory.mktemp("home"), limits=ServerLimits(upload=10 * MB))
    yield made
    made.close()


class Page:
    """A page of a person on a server."""

    def __init__(self, served, who, name):
        self.bench = served.visitors.bench(who)
        if name == IMPORT:
            self.bench.importing.begin({})
        self.live, self.texts, self.serial = self.bench.pages.live(name), [], 0
        self.viewer = Viewer(self.texts.append, Sent())
        self.live.open(self.viewer)
        until(lambda: self.texts)

    def does(self, **gesture):
        self.serial += 1
        self.live.carry_out({**gesture, "serial": self.serial}, self.viewer)

    @property
    def handled(self):
        return max(json.loads(text).get("handled", 0) for text in self.texts)

    def says(self, **gesture):
        """What is sent until a gesture was answered."""
        count = len(self.texts)
        self.does(**gesture)
        until(lambda: self.handled == self.serial)
        return [json.loads(text) for text in self.texts[count:]]


def test_a_refusal_is_a_message_and_stops_the_browser(served):
    page = Page(served, MINE, IMPORT)
    told = page.says(kind="files", name="upload", files=[["a.csv", 11 * MB]])
    assert any(news.get("refused") for news in told)
    assert "10 MB of one upload" in told[-1]["message"]


def test_an_upload_ends_in_the_import_step_and_is_deleted_with_it(served):
    page = Page(served, MINE, IMPORT)
    folder = served.visitors._uploads.path
    before = set(folder.iterdir())
    content = b"score,member\n" + b"".join(b"%d,%d\n" % (k, k % 2) for k in range(60))
    page.says(kind="files", name="upload", files=[["a.csv", len(content)]])
    page.says(kind="chunk", name="upload", file=0, content=content[:99])
    told = page.says(kind="chunk", name="upload", file=0, content=content[99:])
    assert told[-1]["message"] == ""
    assert "30 scores of members" in json.dumps(told)
    assert str(folder) not in "".join(page.texts)
    assert set(folder.iterdir()) - before
    page.bench.importing.end()
    until(lambda: set(folder.iterdir()) <= before)


def test_others_drag_while_one_uploads_and_opens_a_file(served):
    rows = b"".join(b"%.6f,%d\n" % (k % 977 / 97 + k % 2, k % 2) for k in range(200_000))
    content = b"score,member\n" + rows

    async def lesson():
        visitors, one = [Visitor(served.port) for _ in range(3)], Uploader(served.port)
        await asyncio.gather(*(who.open() for who in (*visitors, one)))
        await one.begin()
        moves = (who.move(3.0, random.Random(k)) for k, who in enumerate(visitors))
        moving = asyncio.gather(*moves)
        await one.upload("large.csv", content)
        await one.accept()
        await moving
        for who in (*visitors, one):
            who.close()
        return visitors, one

    visitors, one = asyncio.run(lesson())
    assert "100,000 scores of members" in one.found
    for who in visitors:
        assert not who.errors
        assert who.answers
        assert len(who.waits) >= who.answers - 1  # the last may come at the end


def test_a_stuck_disk_or_parser_delays_nobody_else(served, monkeypatch):
    """All threads that write, and all that wait for parsers, are held by others."""
    held, add = threading.Event(), files._Incoming.add
    monkeypatch.setattr(files._Incoming, "add", lambda *given: held.wait(60) and add(*given))
    try:
        for _ in range(BLOCKED._max_workers + 2):
            BLOCKED.submit(held.wait, 60)
        stuck = Page(served, MINE, IMPORT)
        stuck.says(kind="files", name="upload", files=[["a.csv", 100]])
        for _ in range(3):
            stuck.does(kind="chunk", name="upload", file=0, content=b"x")
        other = Page(served, THEIRS, "scores")
        for k in range(5):
            told = other.says(kind="set", name="threshold", value=k / 10)
            assert told[-1]["settings"]["threshold"] == k / 10
        assert stuck.handled == 1
        assert served.get("scores")[0] == 200
    finally:
        held.set()


# -- turns -----------------------------------------------------------------------------------------


class Held:
    """Turns that are held until they may end."""

    def __init__(self, crew):
        self.crew, self.begun, self.go = crew, [], threading.Event()

    def submit(self, line, name, cpu=0.0):
        def turn():
            began = time.thread_time()
            self.begun.append(name)
            self.go.wait(60)
            while time.thread_time() - began < cpu:
                pass

        self.crew.submit(line, turn)


@pytest.fixture
def crew():
    with ThreadPoolExecutor(4) as threads:
        yield Crew(threads, 4)


def test_nobody_keeps_all_threads_with_many_pages(crew):
    held, hog = Held(crew), Turns()
    for k in range(10):
        held.submit(hog, f"hog {k}")
    held.submit(Turns(), "other")
    until(lambda: "other" in held.begun)
    assert len(held.begun) == 1 + MOST_EACH
    assert not crew.calm
    held.go.set()
    until(lambda: len(held.begun) == 11)
    until(lambda: crew.calm)


def test_people_with_long_turns_leave_threads_to_others(crew):
    lines = [Turns() for _ in range(4)]
    for line in lines:
        line.long = True
    held = Held(crew)
    for k, line in enumerate(lines):
        held.submit(line, f"long {k}")
    for k in range(2):
        held.submit(Turns(), f"short {k}")
    until(lambda: {"short 0", "short 1"} <= set(held.begun))
    assert len(held.begun) == 2 + MOST_LONG
    held.go.set()
    until(lambda: len(held.begun) == 6)
    until(lambda: not any(line.long for line in lines))  # what is quick again counts as quick


def test_a_turn_that_keeps_a_processor_makes_the_line_a_long_one(crew):
    held, line = Held(crew), Turns()
    held.go.set()
    held.submit(line, "long", cpu=0.3)
    until(lambda: line.long)


def test_a_turn_that_fails_gives_its_thread_back(crew):
    line, done = Turns(), threading.Event()
    for _ in range(5):
        crew.submit(line, lambda: 1 / 0)
    crew.submit(line, done.set)
    assert done.wait(60)
