"""What one person may keep: every refusal says which limit, and what frees room makes room."""

import math
import threading
import time

import numpy as np
import pytest
from helpers.served import MINE, NOBODY, THEIRS, Served
from helpers.visits import Later, Reader, settle, tabs, wait

import workbench as wb
from workbench.cli.serving.limits import _OPTIONS
from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.dashboard.permissions import Permissions, size_words
from workbench.server import housekeeping, people_here
from workbench.server.housekeeping import KEPT, ROOM
from workbench.server.people.person import Person
from workbench.server.people_folders import PeopleFolders
from workbench.server.visitors import Visitors

GUEST = Person("g" * 43)


def scores(seed=0, n=100):
    rng = np.random.default_rng(seed)
    return wb.Scores(rng.normal(1, 1, n), rng.normal(0, 1, n), name=f"set {seed}")


class Document:
    def __init__(self):
        self.used, self.said = time.monotonic(), []

    def put_away(self, words):
        self.said.append(words)


def here(folder, **limits):
    visitors = Visitors(
        tabs("counts", "scores", "import", "onerun"),
        Later(),
        PeopleFolders(folder, database=""),
        ServerLimits(**limits),
    )
    visitors.here.enter(GUEST, Document())
    return visitors, Reader(visitors.bench(GUEST))


def asks(reader, do, **more):
    """The answer about the archive, or why there is none."""
    before = len(reader.told)
    reader.does("audit", do=do, request=before, **more)

    def answers():
        told = [one["audits"] for one in reader.told if "audits" in one]
        return [one for one in told if one.get("request") == before]

    wait(answers)
    return answers()[0]


def csv_of(n, seed=0):
    rng = np.random.default_rng(seed)
    rows = [f"{x!r},{k % 2}" for k, x in enumerate(rng.normal(size=n).tolist())]
    return "\n".join(["score,member", *rows]).encode()


def uploads(reader, content, page="import", name="upload", file="losses.csv"):
    reader.on(page, kind="files", name=name, files=[[file, len(content)]])
    reader.on(page, kind="chunk", name=name, file=0, content=content)
    settle(reader.bench)


# -- data sets ------------------------------------------------------------------------------------


def test_the_number_of_data_sets_counts_removed_ones_until_they_are_deleted(tmp_path):
    visitors, reader = here(tmp_path, data_sets=2)
    workspace = reader.bench.workspace
    one = workspace.add_scores(scores(1))
    workspace.add_scores(scores(2))
    assert workspace.add_scores(scores(1)) == one  # the same is there already
    reader.does("remove", data=one.key)
    with pytest.raises(LimitError) as refusal:
        workspace.add_scores(scores(3))
    assert str(refusal.value) == (
        "You have 2 data sets, 1 of them removed and not yet deleted; this server keeps 2 for each "
        "person. To make room, remove data sets or audits, then choose “Delete removed data for "
        "good” in the Data menu. Whoever runs this server can raise the limit with --max-data-sets"
    )
    assert reader.bench.browsers.state("removed") == {"removed": 1}
    reader.does("undo")  # what was removed comes back, although all places are taken
    assert len(workspace.catalog.own) == 2
    reader.does("remove", data=one.key)
    assert "Deleted for good" in reader.does("purge")["say"]
    assert reader.bench.browsers.state("removed") == {"removed": 0}
    assert workspace.add_scores(scores(3)).name == "set 3"
    with pytest.raises(LimitError):
        workspace.add_scores(scores(4))
    assert len(workspace.catalog.own) == 2
    visitors.end()


def test_a_copy_to_read_data_otherwise_is_a_data_set_too(tmp_path):
    base = wb.Workspace()
    served = base.add_scores(scores(9))
    visitors = Visitors(
        tabs("scores"),
        Later(),
        PeopleFolders(tmp_path, base, database=""),
        ServerLimits(data_sets=1),
    )
    workspace = visitors.bench(GUEST).workspace
    workspace.add_scores(scores(1))
    with pytest.raises(LimitError, match="You have 1 data sets; this server keeps 1"):
        workspace.kept.reread(served.key, served.reading, seen=False)
    visitors.end()


def test_the_import_step_says_what_is_too_much_and_how_to_make_room(tmp_path):
    visitors, reader = here(tmp_path, data_sets=1)
    reader.bench.workspace.add_scores(scores(1))
    reader.does("import")
    uploads(reader, csv_of(50))
    page = reader.bench.pages.live("import").page
    assert page.tables
    reader.on("import", kind="set", name="larger_is_member", value="larger = member")
    reader.on("import", kind="set", name="accept", value=True)
    assert "--max-data-sets" in page.message
    assert not page.accepted
    assert len(reader.bench.workspace.catalog.own) == 1
    visitors.end()


# -- disk -----------------------------------------------------------------------------------------


def test_an_upload_is_refused_before_it_begins_if_there_is_no_room_for_it(tmp_path):
    visitors, reader = here(tmp_path, disk=200_000)
    reader.bench.workspace.add_scores(scores(1, 5000))
    reader.does("import")
    reader.on("import", kind="files", name="upload", files=[["losses.csv", 150_000]])
    page = reader.bench.pages.live("import").page
    wait(lambda: page.message)
    assert page.message.startswith("This needs 146.5 kB, and your data sets, uploads and audits")
    assert "of the 195.3 kB that this server keeps for each person" in page.message
    assert "--max-disk" in page.message
    reader.on("import", kind="chunk", name="upload", file=0, content=b"x" * 1000)
    assert not page.upload
    # After making room there is.
    reader.does("remove", data="set 1")
    reader.does("purge")
    assert reader.bench.workspace.storage.size < 1000
    uploads(reader, csv_of(200))
    assert page.tables
    visitors.end()


def test_room_that_is_taken_while_an_upload_comes_is_missed_when_it_is_kept(tmp_path):
    visitors, reader = here(tmp_path, disk=300_000)
    workspace, content = reader.bench.workspace, csv_of(4_000)
    half = len(content) // 2
    reader.does("import")
    reader.on("import", kind="files", name="upload", files=[["losses.csv", len(content)]])
    reader.on("import", kind="chunk", name="upload", file=0, content=content[:half])
    workspace.files.keep("notes.txt", b"x" * (299_000 - workspace.storage.size))
    used = workspace.storage.size
    reader.on("import", kind="chunk", name="upload", file=0, content=content[half:])
    settle(reader.bench)
    page = reader.bench.pages.live("import").page
    wait(lambda: page.tables or page.message)
    reader.on("import", kind="set", name="larger_is_member", value="larger = member")
    reader.on("import", kind="set", name="accept", value=True)
    settle(reader.bench)
    assert "--max-disk" in page.message
    assert not page.accepted
    assert not workspace.catalog.own
    assert workspace.storage.size == used
    visitors.end()


def test_data_audits_and_kept_files_share_the_room(tmp_path):
    visitors, reader = here(tmp_path, disk=400_000)
    workspace = reader.bench.workspace
    data = workspace.add_scores(scores(1, 5000))
    after_data = workspace.storage.size
    assert 60_000 < after_data < 120_000
    reader.does("choose", data=data.key)
    saved = asks(reader, "save", of="scores", name="one", scores=True)["answer"]
    after_audit = workspace.storage.size
    assert after_audit > after_data + 50_000
    workspace.files.keep("notes.txt", b"x" * 100_000)
    workspace.files.keep("notes.txt", b"x" * 100_000)  # the same file takes no more room
    assert workspace.storage.size == after_audit + 100_000
    with pytest.raises(LimitError, match="--max-disk"):
        workspace.files.keep("more.txt", b"y" * 300_000)
    problem = asks(reader, "save", of="scores", name="two", scores=True)
    while "problem" not in problem:
        problem = asks(reader, "save", of="scores", name="two", scores=True)
    assert "--max-disk" in problem["problem"]
    with pytest.raises(LimitError, match="--max-disk"):
        workspace.add_scores(scores(2, 20_000))
    # Removing audits and deleting them for good makes room again.
    for one in asks(reader, "list")["answer"]["audits"]:
        asks(reader, "remove", key=one["key"])
    assert "free again" in reader.does("purge")["say"]
    assert saved["key"] not in workspace.audits
    assert "answer" in asks(reader, "save", of="scores", name="again", scores=True)
    visitors.end()


def test_what_is_in_use_is_known_again_after_a_restart(tmp_path):
    visitors, reader = here(tmp_path, disk=400_000)
    reader.bench.workspace.add_scores(scores(1, 5000))
    asks(reader, "save", of="counts", name="one")
    used = reader.bench.workspace.storage.size
    visitors.end()
    again, reader = here(tmp_path, disk=used)
    assert reader.bench.workspace.storage.size == used
    with pytest.raises(LimitError):
        reader.bench.workspace.add_scores(scores(2))
    again.end()


def test_people_have_room_of_their_own(tmp_path):
    visitors, reader = here(tmp_path, data_sets=1, disk=100_000)
    reader.bench.workspace.add_scores(scores(1))
    other = visitors.bench(Person("o" * 43)).workspace
    assert other.storage.size == 0
    assert other.add_scores(scores(1)).name == "set 1"
    visitors.end()


def test_two_at_once_cannot_take_the_last_place_twice(tmp_path):
    visitors, reader = here(tmp_path, data_sets=5)
    workspace, refused = reader.bench.workspace, []

    def add(seed):
        try:
            workspace.add_scores(scores(seed))
        except LimitError:
            refused.append(seed)

    threads = [threading.Thread(target=add, args=(k,)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(workspace.catalog.own), len(refused)) == (5, 7)
    visitors.end()


def test_to_know_what_is_in_use_takes_little(tmp_path):
    visitors, reader = here(tmp_path, disk=2.0**30)
    workspace = reader.bench.workspace
    for k in range(50):
        workspace.add_scores(scores(k))
    asks(reader, "save", of="counts", name="one")
    times = []
    for _ in range(20):
        begun = time.process_time()
        assert workspace.storage.size > 0
        times.append(time.process_time() - begun)
    assert min(times) < 0.05
    visitors.end()


# -- open pages -----------------------------------------------------------------------------------


def test_the_number_of_open_pages_is_limited_for_each_and_for_all():
    served = Served(limits=ServerLimits(pages_each=2, pages=3))
    try:
        assert [served.get("counts", MINE)[0] for _ in range(2)] == [200, 200]
        status, _, body = served.get("counts", MINE)
        assert status == 503
        assert b"You have 2 pages of the workbench open" in body
        assert b"--max-pages-each" in body
        assert served.get("counts", THEIRS)[0] == 200
        status, _, body = served.get("counts", NOBODY)
        assert status == 503
        assert b"3 pages of the workbench are open on this server" in body
        assert b"--max-pages" in body
    finally:
        served.close()


# -- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (2048, "2 kB"),
        (2.1 * 2**30, "2.1 GB"),
        (5 * 2.0**30, "5 GB"),
        (1500 * 2**30, "1,500 GB"),
    ],
)
def test_sizes_in_words(size, text):
    assert size_words(size) == text


def test_every_limit_has_an_option_and_every_refusal_names_one():
    fields = ServerLimits.__dataclass_fields__
    assert {name.replace("_", "-") for name in fields} == set(_OPTIONS)
    may = Permissions(ServerLimits(data_sets=0, disk=0, upload=0))
    for refuse in (
        lambda: may.require_data_set(0, 0),
        lambda: may.require_room(0, 1),
    ):
        with pytest.raises(LimitError) as refusal:
            refuse()
        assert refusal.value.option.removeprefix("--max-") in _OPTIONS
        assert refusal.value.option in str(refusal.value)
    unlimited = Permissions()
    unlimited.require_data_set(10**9, 0)
    unlimited.require_room(10**15, 10**15)
    assert unlimited.limits.disk == math.inf


def test_pages_that_are_not_used_make_room_where_memory_is_at_its_limit(tmp_path, monkeypatch):
    visitors, _ = here(tmp_path, memory=1000 * 2**20)
    held, freed = [900 * 2**20], []
    for one in (visitors.here, visitors.housekeeping):
        monkeypatch.setattr(one, "_freed", lambda: freed.append(True))
    for module in (housekeeping, people_here):
        monkeypatch.setattr(module, "memory_in_use", lambda: held[0])
    documents = {who: Document() for who in (MINE, THEIRS, NOBODY)}
    for who, document in documents.items():
        visitors.require_document(who)
        visitors.here.enter(who, document)
        visitors.bench(who).pages.live("counts")

    def put_away():
        visitors.housekeeping.look()
        return [who for who, document in documents.items() if document.said]

    held[0] = 2000 * 2**20
    with pytest.raises(LimitError, match=r"have 1,000 MB of memory.*--max-memory"):
        visitors.require_document(Person("x" * 43))
    assert not put_away()  # what is free is returned first
    assert freed
    visitors.housekeeping._room_made -= ROOM
    assert not put_away()  # all are in use
    for who, age in {MINE: 300.0, THEIRS: 200.0, NOBODY: 100.0}.items():
        documents[who].used -= age
        visitors.here._by_key[who.key].used -= age
    assert put_away() == [MINE]
    assert documents[MINE].said == [f"Put away to make room for others. {KEPT}"]
    assert MINE.key not in visitors.here._by_key
    assert put_away() == [MINE]  # what that frees is not yet free
    visitors.housekeeping._room_made -= ROOM
    monkeypatch.setattr(type(visitors.here._by_key[THEIRS.key]), "works", property(is_theirs))
    assert put_away() == [MINE, NOBODY]  # a job runs on the pages that were unused for longer
    held[0] = 900 * 2**20
    visitors.housekeeping._room_made -= ROOM
    assert put_away() == [MINE, NOBODY]
    visitors.require_document(Person("x" * 43))
    visitors.end()


def is_theirs(place):
    return place.person == THEIRS


def test_somebody_may_always_come_to_a_server_that_nobody_uses(tmp_path, monkeypatch):
    visitors = Visitors(tabs("counts"), Later(), PeopleFolders(tmp_path), ServerLimits(memory=1.0))
    monkeypatch.setattr(people_here, "memory_in_use", lambda: 2**30)
    visitors.require_document(MINE)
