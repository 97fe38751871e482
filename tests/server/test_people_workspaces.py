"""The workspace of every person: where it is, who reaches it, and when it goes."""

import gc
import os
import stat
import time
import weakref
from threading import Thread

import numpy as np
import psycopg
import pytest
from helpers.postgresql import postgresql
from helpers.visits import Later, Reader, settle, tabs, wait

import workbench as wb
from workbench.audits.storing.database import AuditsDatabase
from workbench.dashboard.live_page import Viewer
from workbench.dashboard.sent import Sent
from workbench.server.people.person import OWNER, Person
from workbench.server.people_folders import KEPT, PeopleFolders, person_folder, schema_name
from workbench.server.visitors import Visitors
from workbench.workspaces.workspace import Workspace

ADA, BOB = (Person(key * 22, name, signed_in=True) for key, name in (("a", "ada"), ("b", "bob")))
GUEST, STRANGER = Person("g" * 43), Person("s" * 43)
EVERYBODY = (ADA, BOB, GUEST, STRANGER)


def losses(seed=0):
    rng = np.random.default_rng(seed)
    return wb.Scores(rng.normal(1, 1, 40), rng.normal(0, 1, 50), name="losses")


@pytest.fixture
def homes(tmp_path):
    return PeopleFolders(tmp_path / "server", database="")


class Document:
    """An open document."""

    def __init__(self):
        self.used, self.said = time.monotonic(), []

    def put_away(self, words):
        self.said.append(words)


def visitors_of(homes, later=None, **more):
    return Visitors(tabs("counts", "scores", "import"), later or Later(), homes, **more)


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


# -- where ----------------------------------------------------------------------------------------


def test_everybody_has_a_folder_of_their_own_that_only_the_server_reads(homes, tmp_path):
    for k, person in enumerate(EVERYBODY):
        workspace = homes.open(person)
        workspace.add_scores(losses(k))
        workspace.audits.save(wb.audit(wb.example("no-leak")), f"of {k}")
        workspace.close()
    home = tmp_path / "server"
    assert sorted(one.name for one in (home / "people").iterdir()) == ["a" * 22, "b" * 22]
    names = [one.name for one in (home / "visitors").iterdir()]
    assert len(names) == 2
    assert not any(person.key in name for person in EVERYBODY for name in names)
    for path in home.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for k, person in enumerate(EVERYBODY):
        workspace = homes.open(person)
        [own] = workspace.catalog.own
        assert workspace.scores(own.key).p.tolist() == losses(k).p.tolist()
        assert [one.name for one in workspace.audits] == [f"of {k}"]
        workspace.close()


def test_a_first_visit_makes_no_folder_and_reading_none_either(homes, tmp_path):
    visitors = visitors_of(homes)
    for person in EVERYBODY:
        assert not visitors.known(person)
        assert visitors.visit(person, "scores").text == ""
        workspace = visitors.workspace(person)
        assert (len(workspace.catalog.own), workspace.current, workspace.problem) == (0, None, "")
        assert not workspace.storage.may_have_audits
        workspace.storage.flush()
    assert not (tmp_path / "server").exists()
    assert visitors.workspace_of(ADA.key) is None


@pytest.mark.parametrize(
    "key", ["", "..", "../../etc", "a/b" * 9, "a" * 7, "a" * 65, "a\0" * 9, "ä" * 20, "."]
)
def test_the_name_of_a_folder_is_a_key_and_nothing_else(tmp_path, homes, key):
    with pytest.raises(ValueError, match="this is no key of an account"):
        person_folder(tmp_path, key)
    with pytest.raises(ValueError, match="this is no key of an account"):
        homes.open(Person(key, signed_in=True))
    workspace = homes.open(Person(key))  # whatever a cookie says, its hash names the folder
    workspace.add_scores(losses())
    workspace.close()
    [folder] = (tmp_path / "server" / "visitors").iterdir()
    assert len(folder.name) == 64
    assert visitors_of(homes).workspace_of(key) is None


def test_no_message_names_a_folder_of_the_server(homes, tmp_path):
    workspace = homes.open(ADA)
    added = workspace.add_scores(losses())
    workspace.audits.save(wb.audit(wb.example("no-leak")), "one")
    assert (workspace.storage.where, workspace.audits.where) == ("on this server", "on this server")
    workspace.close()
    folder = person_folder(tmp_path / "server", ADA.key)
    for path in files_in(folder / "tables"):
        path.write_bytes(b"damaged")
    damaged = homes.open(ADA)
    with pytest.raises(ValueError, match="a file in your folder on this server is missing") as why:
        damaged.scores(added.key)
    damaged.close()
    for name in ("workspace.sqlite", "audits.sqlite"):
        (folder / name).write_bytes(b"this is no database" * 100)
    broken = homes.open(ADA)
    with pytest.raises(ValueError, match="the database of your audits is damaged") as archive:
        broken.audits.search()
    said = f"{why.value} {archive.value} {broken.problem}"
    assert "The database in your folder on this server is damaged" in said
    assert str(tmp_path) not in said
    assert "ask whoever runs this server" in broken.problem
    broken.close()


def test_a_server_without_a_folder_forgets_all_when_it_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    homes = PeopleFolders(database="")
    assert list(tmp_path.iterdir()) == []
    for person in (ADA, GUEST):
        workspace = homes.open(person)
        assert "until" in workspace.storage.where
        workspace.add_scores(losses())
        workspace.close()
    [folder] = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    homes.close()
    assert list(tmp_path.iterdir()) == []


# -- how long -------------------------------------------------------------------------------------


def age(folder, seconds):
    then = time.time() - seconds
    os.utime(folder, (then, then))


def test_what_visitors_left_is_deleted_after_twelve_hours_and_nothing_else(homes, tmp_path):
    for person in EVERYBODY:
        workspace = homes.open(person)
        workspace.add_scores(losses())
        workspace.close()
    folders = [*(tmp_path / "server").glob("*/*")]
    for folder in folders:
        age(folder, KEPT - 60)
    assert homes.tidy() == 0
    for folder in folders:
        age(folder, KEPT + 60)
    assert homes.tidy(here=[GUEST.key]) == 1  # who is here is not old, however long
    assert not homes.exists(STRANGER)
    homes.open(GUEST).close()  # a visit
    assert homes.tidy() == 0
    again = PeopleFolders(tmp_path / "server", database="")  # another start of the server
    [folder] = (tmp_path / "server" / "visitors").iterdir()
    age(folder, KEPT + 60)
    assert again.tidy() == 1
    assert list((tmp_path / "server" / "visitors").iterdir()) == []
    assert all(len(again.open(person).catalog.own) == 1 for person in (ADA, BOB))


def test_an_account_that_is_removed_leaves_nothing(homes, tmp_path):
    for person in (ADA, BOB):
        workspace = homes.open(person)
        workspace.add_scores(losses())
        workspace.audits.save(wb.audit(wb.example("no-leak")), "one")
        workspace.close()
    homes.forget(ADA.key)
    homes.forget(ADA.key)
    assert not homes.exists(ADA)
    assert [one.name for one in homes.open(BOB).audits] == ["one"]


# -- who is here ----------------------------------------------------------------------------------


@pytest.mark.parametrize("person", EVERYBODY, ids=["ada", "bob", "guest", "stranger"])
def test_what_a_person_did_is_there_after_they_left_and_after_a_restart(homes, tmp_path, person):
    later = Later()
    visitors = visitors_of(homes, later, grace=0.0)
    document = Document()
    visitors.here.enter(person, document)
    reader = Reader(visitors.bench(person))
    reader.sets("counts", "tp", 345)
    added = visitors.workspace(person).add_scores(losses())
    reader.does("choose", data=added.key)
    reader.sets("scores", "log_delta", -3.5)
    assert visitors.workspace(person) is reader.bench.workspace
    visitors.here.leave(person, document)
    wait(lambda: later.run() or not visitors.here._by_key)
    assert reader.bench.workspace.closed
    for server in (visitors, visitors_of(PeopleFolders(tmp_path / "server", database=""))):
        text = server.visit(person, "counts").text
        assert '"tp":345' in text.replace(" ", "")
        assert server.workspace(person).current == added.key
        live = server.bench(person).pages.live("scores")
        assert live.page.log_delta == -3.5
        server.end()


def test_what_is_not_yet_written_is_written_when_the_server_stops(homes):
    visitors = visitors_of(homes)  # nothing that is to happen later ever happens
    for k, person in enumerate(EVERYBODY):
        visitors.here.enter(person, Document())
        Reader(visitors.bench(person)).sets("counts", "tp", 300 + k)
    assert not homes.exists(GUEST)
    visitors.end()
    again = visitors_of(homes)
    for k, person in enumerate(EVERYBODY):
        assert again.bench(person).pages.live("counts").page.tp == 300 + k
    again.end()


def fails(*given):
    raise OSError("it is broken")


@pytest.mark.parametrize("what", ["page", "disk", "drag"])
def test_what_cannot_be_put_away_keeps_nothing_else_from_being_written(
    homes, monkeypatch, caplog, what
):
    visitors = visitors_of(homes)
    for k, person in enumerate((ADA, BOB)):
        reader = Reader(visitors.bench(person))
        reader.sets("scores", "threshold", 0.25)
        reader.sets("counts", "tp", 300 + k)
    bench = visitors.bench(ADA)
    if what == "disk":
        monkeypatch.setattr(bench.workspace.storage, "flush", fails)
    else:
        name = {"page": "end", "drag": "finish_drag"}[what]
        monkeypatch.setattr(bench.pages.live("scores"), name, fails)
    assert not visitors.end()
    assert "it is broken" in caplog.text
    again = visitors_of(homes)
    assert again.bench(BOB).pages.live("counts").page.tp == 301
    if what != "disk":
        assert again.bench(ADA).pages.live("counts").page.tp == 300
    assert again.end()


def test_a_drag_ends_before_others_wait_for_its_person(homes, monkeypatch):
    visitors = visitors_of(homes)
    bench = visitors.bench(ADA)
    live, viewer = bench.pages.live("counts"), Viewer(lambda text: None, Sent())
    drag = {"kind": "set", "name": "tp", "value": 321, "done": False, "serial": 1}
    live.carry_out(drag, viewer)
    wait(lambda: viewer.handled == 1)
    lock, free, changed = visitors.here.find(ADA.key).lock, [], bench.pages.changed

    def asks(*given):
        other = Thread(target=lambda: free.append(lock.acquire(blocking=False) and lock.release()))
        other.start()
        other.join()
        changed(*given)

    monkeypatch.setattr(bench.pages, "changed", asks)
    visitors.here.end(ADA.key)
    assert free == [None]  # and not False
    assert visitors.bench(ADA).pages.live("counts").page.tp == 321
    visitors.end()


def test_a_reload_within_the_grace_finds_the_same_bench(homes):
    later = Later()
    visitors = visitors_of(homes, later, grace=60.0)
    document, again = Document(), Document()
    visitors.here.enter(GUEST, document)
    bench = visitors.bench(GUEST)
    visitors.here.leave(GUEST, document)
    visitors.here.enter(GUEST, again)
    later.run()
    assert visitors.bench(GUEST) is bench
    assert (visitors.here.people, visitors.here.documents) == (1, 1)
    visitors.here.leave(GUEST, document)  # a second time: nothing
    assert visitors.here.documents == 1
    visitors.end()


def test_two_documents_of_a_person_share_a_bench_until_the_last_one_is_closed(homes):
    later = Later()
    visitors = visitors_of(homes, later, grace=0.0)
    one, two = Document(), Document()
    for document in (one, two):
        visitors.here.enter(ADA, document)
    bench = visitors.bench(ADA)
    visitors.here.leave(ADA, one)
    later.run()
    assert visitors.bench(ADA) is bench
    visitors.here.leave(ADA, two)
    wait(lambda: later.run() or not visitors.here._by_key)
    assert bench.workspace.closed


def test_a_download_without_a_document_leaves_nothing_in_memory(homes):
    later = Later()
    homes.open(ADA).add_scores(losses())
    visitors = visitors_of(homes, later, grace=0.0)
    workspace = visitors.workspace_of(ADA.key)
    assert [one.name for one in workspace.catalog.own] == ["losses"]
    assert visitors.page(ADA, "counts").tp > 0
    wait(lambda: later.run() or not visitors.here._by_key)
    # Whoever still holds it, such as a download under way, reads on.
    assert len(workspace.scores("losses").p) == 40
    workspace.close()


def test_what_the_disk_does_not_take_stays_in_memory(homes, tmp_path, monkeypatch):
    later = Later()
    visitors = visitors_of(homes, later, grace=0.0)
    (tmp_path / "server").write_text("not a folder")
    bench = visitors.bench(GUEST)
    added = bench.workspace.add_scores(losses())
    assert "cannot be made" in bench.workspace.problem
    visitors.here.end(GUEST.key)
    assert visitors.workspace(GUEST).scores(added.key).p.tolist() == losses().p.tolist()
    (tmp_path / "server").unlink()
    wait(lambda: later.run() or not visitors.here._by_key)
    again = visitors_of(homes)
    assert [one.key for one in again.workspace(GUEST).catalog.own] == [added.key]
    again.end()


def test_twenty_rounds_of_visits_leave_nothing_alive(homes):
    later = Later()
    visitors = visitors_of(homes, later, grace=0.0)
    seen = []
    for k in range(20):
        person = Person(f"{k:043d}")
        document = Document()
        visitors.here.enter(person, document)
        reader = Reader(visitors.bench(person))
        workspace = reader.bench.workspace
        added = workspace.add_scores(losses(k))
        reader.does("choose", data=added.key)
        page = reader.bench.pages.live("scores").page
        kept = (reader.bench, workspace, page, workspace.scores(added.key), workspace.audits)
        seen += map(weakref.ref, kept)
        settle(reader.bench)
        visitors.here.leave(person, document)
        del reader, workspace, page, kept
        wait(lambda: later.run() or not visitors.here._by_key)

    def alive():
        gc.collect()
        return [one() for one in seen if one() is not None]

    wait(lambda: not alive())
    assert len(seen) == 100


def test_everything_of_a_person_ends_at_once_when_they_are_signed_out(homes):
    visitors = visitors_of(homes)
    documents = [Document(), Document()]
    for document in documents:
        visitors.here.enter(ADA, document)
    visitors.here.enter(BOB, Document())
    bench = visitors.bench(ADA)
    Reader(bench).sets("counts", "tp", 321)
    visitors.here.end(ADA.key)
    visitors.here.end("nobody")
    assert all("signed out" in document.said[0] for document in documents)
    assert bench.workspace.closed
    assert (visitors.here.people, visitors.here.documents) == (1, 1)
    assert visitors.bench(ADA).pages.live("counts").page.tp == 321
    visitors.end()


def test_a_document_that_opens_while_others_are_closed_is_closed_too(homes):
    visitors = visitors_of(homes)

    class Reloads(Document):
        def __init__(self, times):
            super().__init__()
            self.times, self.next = times, None

        def put_away(self, words):
            super().put_away(words)
            if self.times:
                self.next = Reloads(self.times - 1)
                visitors.here.enter(ADA, self.next)

    document = Reloads(1)
    visitors.here.enter(ADA, document)
    bench = visitors.bench(ADA)
    visitors.here.end(ADA.key)
    assert document.next.said == document.said
    assert bench.workspace.closed
    visitors.here.enter(ADA, Reloads(1000))
    bench = visitors.bench(ADA)
    visitors.here.end(ADA.key)
    assert visitors.here.documents == 1  # whoever comes again and again keeps nobody waiting
    assert not bench.workspace.closed
    visitors.end()


def test_a_person_whose_account_is_gone_does_nothing_more(homes):
    known = {ADA.key: ADA}
    visitors = visitors_of(homes, present=lambda person: known.get(person.key))
    document = Document()
    visitors.here.enter(ADA, document)
    may = visitors.bench(ADA).may
    assert may.edits()
    known.clear()
    wait(lambda: not may.edits())
    assert document.said
    assert not visitors.here._by_key


def test_the_owner_works_in_the_workspace_of_this_computer(tmp_path):
    own = wb.workspace(tmp_path / "own")
    homes = PeopleFolders(tmp_path / "server", own=own, database="")
    visitors = visitors_of(homes, grace=0.0)
    owner = Person(OWNER, "me")
    assert visitors.workspace(owner) is visitors.bench(owner).workspace is own
    assert visitors.workspace_of(OWNER) is own
    added = own.add_scores(losses())
    visitors.here.end(OWNER)
    assert not own.closed
    assert own.scores(added.key).p.tolist() == losses().p.tolist()
    assert visitors.workspace(owner) is own
    own.close()


def test_served_data_are_seen_by_everybody_and_lent_data_by_one(tmp_path):
    base, lent = Workspace(), Workspace()
    for one, name in ((base, "served"), (lent, "lent")):
        one.add_scores(losses(), name)
    homes = PeopleFolders(tmp_path, base, database="")
    assert [one.name for one in homes.open(ADA, shared=lent).catalog.shared] == ["lent"]
    assert [one.name for one in homes.open(GUEST).catalog.shared] == ["served"]


def test_who_is_away_is_found_by_key_until_the_account_is_removed(homes):
    homes.open(ADA).add_scores(losses())
    known = {ADA.key: ADA}
    visitors = visitors_of(homes, present=lambda person: known.get(person.key))
    assert [one.name for one in visitors.workspace_of(ADA.key).catalog.own] == ["losses"]
    assert visitors.workspace_of(BOB.key) is None
    visitors.here.end(ADA.key)
    known.clear()
    assert visitors.workspace_of(ADA.key) is None


# -- audits in a database of a server -------------------------------------------------------------


@pytest.fixture(scope="module")
def database():
    with postgresql() as server:
        yield server


def test_every_person_has_a_schema_that_no_query_of_another_one_reaches(tmp_path, database):
    url = database.new_database("schemas")
    homes = PeopleFolders(tmp_path, database=url)
    audit = wb.audit(wb.example("no-leak"))
    mine, theirs = homes.open(ADA), homes.open(BOB)
    assert not mine.storage.may_have_audits
    kept = mine.audits.save(audit, "of ada")
    assert mine.storage.may_have_audits
    assert [one.name for one in theirs.audits] == []
    assert kept.key not in theirs.audits
    theirs.audits.save(audit, "of bob")
    assert [one.name for one in mine.audits] == ["of ada"]
    assert mine.audits.size > 1000
    assert mine.audits.where == "on this server"
    with mine.audits.database.reading() as connection:
        tables = connection.exec_driver_sql(
            "SELECT count(*) FROM pg_class WHERE relname = 'audits' AND pg_table_is_visible(oid)"
        )
        assert tables.scalar() == 1
        path = connection.exec_driver_sql("SHOW search_path").scalar()
        assert path.strip('"') == schema_name(ADA.key)
        assert connection.exec_driver_sql("SELECT count(*) FROM audits").scalar() == 1
    with AuditsDatabase.at(url).reading() as connection:  # the owner's are in neither
        assert connection.exec_driver_sql("SELECT count(*) FROM audits").scalar() == 0
    for workspace in (mine, theirs):
        workspace.close()
    with psycopg.connect(url, autocommit=True) as admin:
        schemas = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'workbench_%'"
        names = {name for (name,) in admin.execute(schemas)}
        assert names == {schema_name(ADA.key), schema_name(BOB.key)}
        assert not any(ADA.key in name or "ada" in name for name in names)
        # Nothing is held open for people who do nothing.
        held = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%search_path%'"
        assert admin.execute(f"{held} AND pid <> pg_backend_pid()").fetchone() == (0,)
        homes.forget(ADA.key)
        assert {name for (name,) in admin.execute(schemas)} == {schema_name(BOB.key)}


def test_visitors_without_account_leave_nothing_in_the_database_of_the_server(tmp_path, database):
    url = database.new_database("nobody")
    workspace = PeopleFolders(tmp_path, database=url).open(GUEST)
    workspace.audits.save(wb.audit(wb.example("no-leak")), "one")
    workspace.close()
    with psycopg.connect(url, autocommit=True) as admin:
        schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'workbench_%'"
        assert admin.execute(schemas).fetchone() == (0,)
    assert len(list((tmp_path / "visitors").glob("*/audits.sqlite"))) == 1


def test_a_url_of_sqlite_gives_everybody_a_file(tmp_path):
    homes = PeopleFolders(tmp_path / "server", database=f"sqlite:///{tmp_path}/all.sqlite")
    for person in (ADA, BOB):
        workspace = homes.open(person)
        workspace.audits.save(wb.audit(wb.example("no-leak")), person.name)
        workspace.close()
    names = {path.name for path in (tmp_path / "all.sqlite-people").glob("*.sqlite")}
    assert names == {f"{schema_name(person.key)}.sqlite" for person in (ADA, BOB)}
    assert [one.name for one in homes.open(ADA).audits] == ["ada"]
    homes.forget(ADA.key)
    assert len(list((tmp_path / "all.sqlite-people").glob("*.sqlite"))) == 1


@pytest.mark.parametrize("name", ["", 'x"; DROP SCHEMA public', "Upper", "a" * 61, "../x"])
def test_the_name_of_a_persons_database_is_plain(name):
    with pytest.raises(ValueError, match="name must have"):
        AuditsDatabase.of_person("sqlite:////tmp/x.sqlite", name, "here")
