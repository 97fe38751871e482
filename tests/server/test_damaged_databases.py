"""Databases with flipped bytes: named errors or what was stored, and nothing is overwritten."""

import os
import random
import re
from contextlib import closing
from dataclasses import astuple

import pytest
from sqlalchemy import insert

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.errors import ArchiveError
from workbench.audits.storing.database import FILE, AuditsDatabase
from workbench.cli import main
from workbench.server.people.accounts import AccountError, Accounts
from workbench.server.people.person import Role
from workbench.server.people.sign_ins import SignIns
from workbench.server.sharing.grant import ShareKind
from workbench.server.sharing.grants import Grants
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SIGN_INS
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.home import workspace
from workbench.workspaces.storing.disk import DiskStore

NAMED = (ArchiveError, WorkspaceError, AccountError)
PEOPLE = [f"person {k} ü" for k in range(8)]
HASHES = [f"{k:064d}" for k in range(8)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with something in every table; its files and their content."""
    folder = tmp_path_factory.mktemp("damaged") / "home"
    own = workspace(folder)
    for k in range(6):
        added = own.add_scores(wb.Scores([k, 2, 3], [3, 4, k / 10]), f"set {k} ä")
        own.page_states.keep("scores", {"threshold": k / 10, "note": "x" * 50}, added.key)
        own.openings.note_tables(own.tables(added.key))
        own.active.choose(added.key)
    own.close()
    with closing(Archive(AuditsDatabase.in_folder(folder))) as archive:
        audit = wb.audit(wb.example("no-leak"))
        for k in range(8):
            attached = [Attachment.of("file", f"{k}.csv", b"x" * 60)]
            archive.save(audit, f"audit {k} ä", "n" * 30, ["t"], attachments=attached)
        archive.series("s", 0.9)
        archive.reserve("s", wb.example("no-leak"))
    database = ServerDatabase(folder / "server")
    people = [Accounts(database).add(name, Role.EDITOR) for name in PEOPLE]
    for one in people[:5]:
        Grants(database).add_link(one.key, ShareKind.DATA, "k", 7)
        Grants(database).add(one.key, ShareKind.AUDIT, "k", people[6].key)
    with database.writing() as connection:
        for digest, one in zip(HASHES, people, strict=True):
            times = {"created": 1e12, "used": 1e12}
            row = {"id_hash": digest, "person": one.key, "agent": "Firefox", **times}
            connection.execute(insert(SIGN_INS), [row])
    database.close()
    return folder, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def damage(content, rng):
    """A content that was cut, or in which 1 to 2,000 bytes are others: anywhere, or in front."""
    kind = rng.random()
    if kind < 0.05:
        return content[: rng.randrange(len(content))]
    found, count = bytearray(content), rng.choice([1, 1, 2, 8, 50, 200, 2000])
    begin = rng.randrange(len(content)) if kind < 0.8 else rng.randrange(100)
    for at in range(begin, min(begin + count, len(content))):
        found[at] = rng.randrange(256) if rng.random() < 0.7 else found[at] ^ 1 << rng.randrange(8)
    return bytes(found)


class Answers:
    """What was answered, and what was refused in words."""

    def __init__(self):
        self.given, self.refused = {}, []

    def ask(self, name, question):
        try:
            self.given[name] = question()
        except NAMED as error:
            self.refused.append(str(error))


def ask_audits(folder, answers, keys):
    archive = Archive(AuditsDatabase.in_folder(folder))
    with closing(archive):
        answers.ask("list", lambda: [_all(one) for one in archive.search()])
        for key in keys:
            answers.ask(("audit", key), lambda key=key: archive[key].text)
            answers.ask(("attached", key), lambda key=key: archive.attachments(key))
        answers.ask("plans", lambda: list(archive.plans))
        answers.ask("series", lambda: repr(archive.series("s")))
        answers.ask("frame", archive.to_frame)
        answers.ask("shown", lambda: (repr(archive), archive._repr_html_(), archive.problem))


def _all(one):
    return (astuple(one), one.made, one.saved, one.tags, one.data, one.headline)


def ask_workspace(folder, answers, keys):
    own = workspace(folder)
    with closing(own):
        answers.ask("list", lambda: [repr(one) for one in own.datasets])
        answers.ask(
            "shown", lambda: (own.problem, own._repr_html_(), own.kept.snapshot(), own.storage.size)
        )
        for one in list(own.datasets):
            answers.ask(("data", one.key), lambda one=one: own.scores(one.key).q.tolist())
            answers.ask(("state", one.key), lambda one=one: own.page_states.get("scores", one.key))
            answers.ask(("opened", one.key), lambda one=one: own.openings.time(one.sha256))


def ask_server(folder, answers, keys):
    database = ServerDatabase(folder / "server")
    with closing(database):
        accounts, sign_ins = Accounts(database), SignIns(database)
        answers.ask("list", lambda: [astuple(one) for one in accounts.list()])
        for name in PEOPLE:
            answers.ask(("person", name), lambda name=name: accounts.find(name))
        answers.ask("sign-ins", lambda: sign_ins._ask(HASHES))
        answers.ask("browsers", sign_ins.browsers)
        answers.ask("shares", lambda: Grants(database).given_by("x"))


@pytest.mark.parametrize(
    ("file", "ask"),
    [(FILE, ask_audits), ("workspace.sqlite", ask_workspace), ("server/server.sqlite", ask_server)],
    ids=["audits", "workspace", "server"],
)
def test_flipped_bytes_end_in_named_errors_or_what_was_stored(home, file, ask):
    folder, kept = home
    rng, path = random.Random(29), folder / file
    whole = Answers()
    with closing(Archive(AuditsDatabase.in_folder(folder))) as archive:
        keys = [one.key for one in archive.search()]
    ask(folder, whole, keys)
    assert whole.refused == []
    refused = answered = 0
    for _ in range(30):
        for one in folder.rglob("*"):
            if one.is_file() and one not in kept:
                one.unlink()
        damaged = damage(kept[path], rng)
        path.write_bytes(damaged)
        answers = Answers()
        ask(folder, answers, keys)
        for name, answer in answers.given.items():
            if name[0] in ("audit", "data"):  # of which there are hashes
                assert answer == whole.given[name]
        if answers.refused and damaged[18:20] == kept[path][18:20]:  # else SQLite may repair it
            assert path.read_bytes() == damaged
        refused += len(answers.refused)
        answered += len(answers.given)
        for words in answers.refused:
            assert re.search("damaged|left as it is|newer version|not touched|deleted|no ", words)
    path.write_bytes(kept[path])
    assert refused or ask is ask_workspace  # which says all of it in its problem
    assert answered > 30


def test_a_damaged_row_of_a_list_hides_no_other_one(tmp_path):
    archive = Archive(AuditsDatabase.in_folder(tmp_path))
    keys = [archive.save(wb.audit(wb.example("no-leak")), f"audit {k}").key for k in range(4)]
    archive.close()
    path = tmp_path / FILE
    content = path.read_bytes()
    at = content.rindex(b'{"tags": []')
    path.write_bytes(content[:at] + b"\xff\xfe" + content[at + 2 :])
    rows = {one.key: one for one in archive.search()}
    assert set(rows) == set(keys)
    notes = [one for one in rows.values() if "is damaged" in one.note]
    assert [one.name for one in notes] == ["audit 0"]
    assert notes[0].headline is None
    assert all(archive[key].code for key in keys)  # their cards are whole
    assert "audit 0" in archive._repr_html_()
    archive.close()


def test_text_that_is_none_names_the_file_and_the_command_ends_with_2(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    database = ServerDatabase(tmp_path / "server")
    Accounts(database).add("anna", Role.EDITOR)
    Accounts(database).add("bert", Role.EDITOR)
    database.close()
    path = tmp_path / "server" / "server.sqlite"
    path.write_bytes(path.read_bytes().replace(b"bertberteditor", b"bertbertedito\xff"))
    assert main(["users", "list"]) == 2
    said = capsys.readouterr().err
    assert "an account in the database" in said
    assert str(path) in said
    assert "the rest can be read; put a copy of the database back" in said
    assert Accounts(database).find("anna").role is Role.EDITOR
    database.close()


@pytest.mark.parametrize("file", [FILE, "server/server.sqlite"])
def test_an_empty_database_is_refused_by_the_commands(tmp_path, monkeypatch, capsys, file):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    (tmp_path / "server").mkdir()
    (tmp_path / file).touch()
    assert main(["audits", "list"] if file == FILE else ["users", "list"]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / file} is damaged (it is empty). It was left as it is" in said
    assert (tmp_path / file).stat().st_size == 0


def test_damaged_columns_of_a_workspace_are_problems_in_words(tmp_path):
    own = workspace(tmp_path / "home")
    for name in ("first", "second"):
        added = own.add_scores(wb.Scores([1, 2], [3, len(name)]), name)
        own.page_states.keep("scores", {"threshold": 0.4}, added.key)
    own.close()
    store = DiskStore(tmp_path / "home")
    for table, column in (("states", "settings"), ("datasets", "files")):
        with store.database.writing() as connection:
            connection.exec_driver_sql(f"UPDATE {table} SET {column} = '[not json'")
    store.close()
    own = workspace(tmp_path / "home")
    assert own.page_states.get("scores", added.key) is None
    assert "what was set on the page 'scores'" in own.problem
    with pytest.raises(WorkspaceError, match=r"is damaged .*left as it is"):
        own.scores(added.key)
    own.close()
    assert len(os.listdir(tmp_path / "home" / "tables")) == 2  # nothing that nobody names now


def test_a_damaged_share_or_sign_in_ends_no_other_one(tmp_path, caplog):
    database = ServerDatabase(tmp_path)
    grants = Grants(database)
    for k in range(3):
        grants.add_link("me", ShareKind.DATA, f"k{k}", 7)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE shares SET kind = 'nothing' WHERE key = 'k1'")
    grants.refresh()
    grants.refresh()
    assert [one.key for one in grants.given_by("me")] == ["k0", "k2"]
    assert caplog.text.count("a share in the database") == 1
    database.close()


def test_the_fields_of_a_damaged_row_are_those_of_a_sound_one():
    archive = Archive(AuditsDatabase.in_memory())
    archive.save(wb.audit(wb.example("no-leak")), "one")
    [sound] = archive.search()
    odd = [5, None, b"\xff", "\udcff", 1e300]
    for k in range(len(astuple(sound)) - 1):
        for value in odd:
            row = list(astuple(sound)[:-1])
            row[k] = value
            found = type(sound)(*row).of_damaged_row("why")
            _all(found)
            assert "is damaged" in found.note
            str(found).encode()
