"""Imported audits: marked wherever they are shown, and never taken for what was made here."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import jsonschema
import pytest
from helpers.archives import ON_SERVER, a_plan, filled, refused
from helpers.old_databases import statements, write_database
from helpers.series import audit_of_scores
from sqlalchemy import create_engine, inspect, select, text

import workbench as wb
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.storing.database import FILE, AuditsDatabase
from workbench.audits.storing.schema import AUDITS_SCHEMA
from workbench.pages.auditing.notebook import notebook_of
from workbench.reports.write import report_bytes

MARK = "What it states, its numbers, who made it and when, its plan and its series, was not checked"


def edited(content, attached=None, **changes):
    """The file of an audit with other fields of its card, or attachments, and with right hashes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    card = json.loads(files["audit.json"])
    files["audit.json"] = json.dumps({**card, **changes}).encode()
    if attached is not None:
        files["attachments/0001"] = attached
    manifest = json.loads(files["manifest.json"])
    for name, described in manifest["files"].items():
        described.update(sha256=sha256(files[name]).hexdigest(), size=len(files[name]))
    files["manifest.json"] = json.dumps(manifest).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, part in files.items():
            kind = zipfile.ZIP_STORED if name.startswith("att") else zipfile.ZIP_DEFLATED
            archive.writestr(name, part, kind)
    return written.getvalue()


@pytest.fixture
def exported(page_audit):
    """The file of an audit that was made elsewhere."""
    there = wb.Workspace().audits
    audit = replace(page_audit, by="eve")
    saved = there.save(audit, "release 7", attachments=[Attachment.of("file", "a.csv", b"1")])
    return there.exported(saved.key)


def forged(exported, **more):
    """A stranger's file that claims a maker, an early time, a plan and a place in a series."""
    claims = {"by": "ada", "made": "2020-01-01T00:00:00+00:00", "plan": a_plan().to_dict()}
    return edited(exported, **{**claims, "series": "nightly", "position": 1, **more})


# -- the mark --------------------------------------------------------------------------------------


def test_an_imported_audit_says_so_and_an_own_one_does_not(archive, exported, page_audit):
    mine = archive.save(page_audit, "mine")
    before = datetime.now(UTC)
    brought = archive.add_file(exported, "ben")
    assert before <= datetime.fromisoformat(brought.imported.at) <= datetime.now(UTC)
    again = Archive(archive.database)
    assert [one.imported for one in again] == [brought.imported, None]
    assert again["mine"].imported is None
    assert again["release 7"].imported == brought.imported
    assert brought.imported.by == "ben"
    assert again.versions("release 7")[0].imported == brought.imported
    assert [one.name for one in again.search("imported ben")] == ["release 7"]
    assert again.to_frame()["imported"].tolist() == [True, False]
    assert again._repr_html_().count("imported on ") == 1
    archive.remove("release 7")
    assert archive.search(removed=True)[0].imported == brought.imported
    assert archive.restore("release 7").imported == brought.imported
    assert "imported" not in archive[mine.key].to_dict()


def test_the_mark_is_in_the_card_and_not_in_what_is_exported(archive, exported):
    brought = archive.add_file(exported, "ben")
    card = json.loads(report_bytes(brought, "json"))
    assert card["imported"] == {"at": brought.imported.at, "by": "ben"}
    jsonschema.Draft202012Validator(wb.card_schema()).validate(card)
    assert wb.Audit.from_dict(card).imported == brought.imported
    assert archive.exported(brought.key) == exported
    # What a file says of its import counts for nothing.
    other = edited(exported, name="x", imported={"at": "2020-01-01T00:00:00+00:00", "by": "ada"})
    assert archive.add_file(other, "carol").imported.by == "carol"


@pytest.mark.parametrize("kind", ["html", "md"])
def test_reports_say_so_before_the_numbers(in_memory, exported, page_audit, kind):
    brought = in_memory.add_file(exported, "ben <b>")
    written = report_bytes(brought, kind).decode()
    assert MARK in written
    assert "ben <b>" not in written
    number = brought.numbers[0].title
    assert written.index(MARK) < written.index(number, written.index("Summary"))
    assert MARK not in report_bytes(in_memory.save(page_audit, "mine"), kind).decode()


def test_notebooks_say_so_in_their_first_cell(in_memory, exported):
    first = notebook_of(in_memory.add_file(exported))["cells"][0]["source"]
    assert MARK in "".join(first)


def test_comparisons_say_so(in_memory, exported, page_audit):
    in_memory.save(page_audit, "mine")
    in_memory.add_file(exported, "ben")
    found = in_memory.compare("mine", "release 7")
    first = found.explain().splitlines()[0]
    assert first.startswith("“release 7” was imported on ")
    assert first.endswith(" UTC by ben: what it states was not checked here.")
    assert found.to_frame().loc[("origin", "origin"), "mine"] == "made here"
    assert "imported" not in in_memory.compare("mine", "mine").explain()


@pytest.mark.parametrize("by", [7, None, "x" * 10_001, "a\0b", "\ud800"])
def test_odd_names_of_who_imports_are_refused(in_memory, exported, by):
    with pytest.raises((TypeError, wb.ArchiveError)):
        in_memory.add_file(exported, by)
    assert len(in_memory) == 0


# -- what an imported audit never is ---------------------------------------------------------------


def test_a_forged_audit_is_no_audit_of_a_series_or_plan_here(archive, exported):
    archive.plans.add(a_plan())
    archive.series("nightly")
    archive.reserve("nightly", wb.GaussianPair(1).sample(20, seed=1))
    brought = archive.add_file(forged(exported))
    assert (brought.by, brought.imported is None) == ("ada", False)
    assert archive.series("nightly").audits[0].audit is None
    assert archive.search(series="nightly") == []
    place = archive.reserve("nightly", wb.GaussianPair(1).sample(20, seed=2))
    with pytest.raises(ValueError, match="was imported, and a series takes audits that were made"):
        place.member(brought)


def test_to_save_it_again_does_not_take_the_mark_away(archive, exported, page_audit):
    mine = archive.save(page_audit, "mine")
    archive.series("nightly")
    archive.reserve("nightly", wb.GaussianPair(1).sample(20, seed=1))
    brought = archive.add_file(forged(exported))
    saved = archive.save(brought, "ours now")
    assert archive[saved.key].imported == brought.imported
    assert archive.find(saved.key).series == ""
    assert archive.series("nightly").audits[0].audit is None
    with pytest.raises(wb.ArchiveError, match="was imported, so it is no new version"):
        archive.save(brought, "ours now", previous=mine.key)
    assert len(archive.versions("mine")) == 1


def test_an_own_audit_goes_before_an_imported_one_of_its_name(archive, exported, page_audit):
    mine = archive.save(page_audit, "release 7")
    brought = archive.add_file(exported)
    assert archive["release 7"].key == mine.key
    archive.remove(mine.key)
    assert archive["release 7"].key == brought.key
    assert archive.restore("release 7").key == mine.key


@pytest.mark.parametrize("role", ["audit of a series", "first version"])
def test_the_key_of_a_deleted_audit_makes_no_imported_one_of_it(archive, role):
    archive.series("nightly")
    scores = wb.GaussianPair(1).sample(40, seed=1)
    place = archive.reserve("nightly", scores)
    audit = audit_of_scores(scores, place.confidence)
    first = archive.save(place.member(audit) if role == "audit of a series" else audit, "one")
    if role == "first version":
        archive.save(audit, "two", previous=first.key)
    file = archive.exported(first.key)
    archive.remove(first.key)
    archive.purge()
    brought = archive.add_file(edited(file, by="ada"))
    assert brought.key != first.key
    assert archive.series("nightly").audits[0].audit is None
    if role == "first version":
        assert [one.name for one in archive] == ["one", "two"]
        assert [one.name for one in archive.versions("two")] == ["two"]
    # A deleted audit that nothing refers to: a link to it may still be about.
    alone = archive.save(audit, "alone")
    file = archive.exported(alone.key)
    archive.remove(alone.key)
    archive.purge()
    assert archive.add_file(file).key != alone.key
    assert archive.add_file(file).imported is not None


def test_an_audit_that_has_no_place_in_a_series_fills_none(archive, exported):
    """By version 1, an imported audit could have the key of a deleted one of a series."""
    archive.series("nightly")
    archive.reserve("nightly", wb.GaussianPair(1).sample(20, seed=1))
    brought = archive.add_file(exported)
    with archive.database.writing() as connection:
        connection.execute(text("UPDATE series_audits SET audit = :key"), {"key": brought.key})
    assert archive.series("nightly").audits[0].audit is None


# -- the same one ----------------------------------------------------------------------------------


def test_an_audit_of_this_archive_is_the_same_and_has_no_mark(archive, page_audit):
    mine = archive.save(page_audit, "mine", attachments=[Attachment.of("file", "a.csv", b"1")])
    file = archive.exported(mine.key)
    assert archive.add_file(file).imported is None
    elsewhere = wb.Workspace().audits
    back = elsewhere.exported(elsewhere.add_file(file).key)
    archive.remove(mine.key)
    assert (archive.add_file(back).key, len(archive)) == (mine.key, 1)
    assert archive[mine.key].imported is None
    other = archive.add_file(edited(file, note="another note"))
    assert (other.key != mine.key, other.imported is None) == (True, False)
    assert archive[mine.key].imported is None


def test_an_audit_of_this_archive_with_other_scores_or_figures_is_refused(archive, page_audit):
    mine = archive.save(page_audit, "mine", attachments=[Attachment.of("file", "a.csv", b"1")])
    file = archive.exported(mine.key)
    without = replace(page_audit, figures=(), name="mine", key=mine.key)
    other = type(archive)(AuditsDatabase.in_memory())
    saved = other.save(without, "mine", attachments=[Attachment.of("file", "a.csv", b"1")])
    for changed, what in (
        (edited(file, attached=b"2"), "scores and files"),
        (other.exported(saved.key), "figures"),
    ):
        with pytest.raises(wb.ArchiveError, match=f"with other {what}: it was changed after"):
            archive.add_file(changed)
    assert len(archive) == 1
    assert archive.attachments("mine")[0].content == b"1"


# -- from version 1 --------------------------------------------------------------------------------


@pytest.fixture(params=["file", pytest.param("postgresql", marks=ON_SERVER)])
def address(request, tmp_path):
    """Where a database of version 1 is, which has no rows."""
    if request.param == "file":
        write_database("audits-1", tmp_path / FILE, rows=False)
        return f"sqlite:///{tmp_path / FILE}"
    found = request.getfixturevalue("server_url")
    with create_engine(_driver(found)).begin() as old:
        old.exec_driver_sql(statements("audits-1.postgresql"))
    return found


def _driver(address):
    return address.replace("postgresql:", "postgresql+psycopg:")


def test_a_database_of_version_1_comes_along_with_its_rows(address, page_audit, exported):
    new = filled(Archive(AuditsDatabase.in_memory()), page_audit)
    kept = new.add_file(exported)
    new.save(page_audit, "two", previous="one")
    old = create_engine(_driver(address))
    with new.database.reading() as source, old.begin() as connection:
        there = inspect(connection)
        for table in AUDITS_SCHEMA.metadata.sorted_tables:
            if not there.has_table(table.name):
                continue
            counted = [c.name for c in table.primary_key if c.autoincrement is True]
            names = [one["name"] for one in there.get_columns(table.name)]
            asked = select(*(table.c[one] for one in names if one not in counted))
            found = source.execute(asked.order_by(*table.primary_key)).mappings().all()
            if found:
                connection.execute(table.insert(), [dict(row) for row in found])
    with old.connect() as connection:
        columns = {one["name"] for one in inspect(connection).get_columns("audits")}
    assert "imported" not in columns
    old.dispose()

    archive = Archive(AuditsDatabase.at(address))
    assert [one.name for one in archive] == [one.name for one in new]
    assert {one.imported_at for one in archive.search(versions=True)} == {None}
    for one in new.search(versions=True):
        assert archive[one.key].text == new[one.key].text
        assert archive[one.key].imported is None  # not known
        assert archive.attachments(one.key) == new.attachments(one.key)
    assert archive.restore("removed").name == "removed"
    assert len(archive.plans) == 1
    for statement in ("UPDATE audits SET imported = ''", "DELETE FROM audits"):
        refused(archive, statement)
    assert archive.add_file(exported).key == kept.key  # it is there
    assert archive.add_file(edited(exported, name="x"), "ben").imported.by == "ben"
    archive.close()
