"""The archive: audits are saved whole, found by words, versioned, removed and brought back."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.audits.archive import Archive, packed
from workbench.audits.attachment import Attachment
from workbench.audits.storing import audit_rows, figure_text, stored_card
from workbench.audits.storing.database import AuditsDatabase
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.given import page_about
from workbench.pages.inputs.data import example_key
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage


def same(a, b):
    """Whether figures are equal, lists and tuples being the same."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, True)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


# -- what comes back -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_an_audit_of_every_page_comes_back_as_it_was(name, in_memory):
    audit = audit_of(PAGES[name].kind(), by="me")
    saved = in_memory.save(audit, "kept", "a note", ["a tag"])
    opened = in_memory["kept"]
    assert opened.to_dict() == {**audit.to_dict(), **opened.to_dict()}  # the same fields, at least
    assert opened.sha256 == saved.sha256
    assert (opened.key, opened.note, opened.tags) == (saved.key, "a note", ("a tag",))
    assert [one.shown for one in opened.numbers] == [one.shown for one in audit.numbers]
    assert [one.bound for one in opened.numbers] == [one.bound for one in audit.numbers]
    assert [one.name for one in opened.figures] == [one.name for one in audit.figures]
    for before, after in zip(audit.figures, opened.figures, strict=True):
        assert same(before.figure, after.figure)


def test_saving_says_where_the_audit_is_and_leaves_it_unchanged(archive, page_audit):
    saved = archive.save(page_audit, "first")
    assert re.fullmatch("[0-9a-f]{16}", saved.key)
    assert page_audit.key == page_audit.name == ""
    assert archive[saved.key].name == archive["first"].name == "first"
    assert len(archive) == 1
    assert "first" in archive
    assert "second" not in archive
    assert archive.problem == ""
    assert [one.key for one in archive] == [saved.key]


def test_the_name_is_the_title_where_nobody_gave_one(in_memory, page_audit):
    assert in_memory.save(page_audit).name == page_audit.title
    assert in_memory.save(page_audit.named("its own", "its note", ("x",))).name == "its own"
    assert in_memory["its own"].note == "its note"
    assert in_memory["its own"].tags == ("x",)


def test_a_summary_has_what_a_list_shows(archive, page_audit):
    saved = archive.save(replace(page_audit, by="Ada"), "one", "n" * 1000, ["b", "a", "b"])
    (one,) = archive.search()
    assert (one.key, one.name, one.by, one.page) == (saved.key, "one", "Ada", "counts")
    assert one.note == "n" * 300
    assert one.tags == ("b", "a")
    assert one.made == page_audit.made
    assert one.saved >= one.made
    assert (one.versions, one.previous, one.series, one.position) == (1, "", "", 0)
    assert not one.removed
    bounds = [number for number in page_audit.numbers if number.bound is not None]
    assert one.headline.shown == bounds[0].shown
    assert one.headline.bound == bounds[0].bound


def test_archives_show_themselves(in_memory, page_audit):
    in_memory.save(page_audit, "<b>bold</b>", tags=["x", "y"])
    assert "&lt;b&gt;bold" in in_memory._repr_html_()
    assert "<b>bold" not in in_memory._repr_html_()
    frame = in_memory.to_frame()
    assert frame.loc[0, "name"] == "<b>bold</b>"
    assert frame.loc[0, "tags"] == "x, y"
    assert frame.loc[0, "value"] == page_audit.numbers[0].bound.value
    assert repr(in_memory) == "Archive(1 audits, in the memory of this program)"
    assert wb.Workspace().audits.to_frame().empty


# -- names -----------------------------------------------------------------------------------------

ODD = [
    "<script>alert(1)</script>",
    "**bold** _x_ [a](javascript:b) `c` # d | e",
    "\"quotes\" 'single' %s {x} \\ $1; DROP TABLE audits; --",
    "😀 é ﷽ \u202eright to left",
    "\ttabs and\nlines\r\n",
    "\x1b[31mred\x07\x1f",
    "%_%",
    "x" * 10_000,
    "😀" * 10_000,
]


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_names_and_notes_are_kept_exactly(archive, page_audit, text):
    saved = archive.save(page_audit, text, text)
    assert archive[saved.key].name == text
    assert archive[saved.key].note == text
    assert archive[text].key == saved.key
    assert archive.search()[0].name == text


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "a\udc80"])
def test_names_that_no_database_takes_are_refused(archive, page_audit, text):
    for given in ({"name": text}, {"note": text}, {"tags": [text]}):
        with pytest.raises(wb.ArchiveError, match="cannot have NUL characters or halves of"):
            archive.save(page_audit, **given)
    assert len(archive) == 0
    with pytest.raises(wb.ArchiveError, match="there is no audit"):
        archive[text]
    assert archive.search(text) == []


def test_other_text_of_an_audit_may_hold_anything(archive, page_audit):
    """File names on Linux hold unpaired surrogates."""
    odd = "a\0\udc80.csv"
    data = (replace(described(), name=odd, source=odd),)
    audit = replace(page_audit, data=data, by=odd, settings={odd: odd})
    saved = archive.save(audit, "odd")
    assert archive["odd"].data == data
    assert archive["odd"].by == odd
    assert archive["odd"].sha256 == saved.sha256
    assert archive.search(odd)[0].data == (odd,)


def described():
    return audit_of(ScoresPage()).data[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "x" * 10_001}, "a name has at most 10,000 characters, got 10,001"),
        ({"name": " \n"}, "the name is empty"),
        ({"note": "x" * 1_000_001}, "a note has at most 1,000,000 characters"),
        ({"tags": ["x" * 201]}, "a tag has at most 200 characters"),
        ({"tags": [" "]}, "a tag is a word"),
        ({"tags": ["a\nb"]}, "a tag is a word"),
        ({"tags": list(map(str, range(101)))}, "at most 100 tags"),
        ({"previous": "nothing"}, "there is no audit 'nothing'"),
    ],
)
def test_what_is_refused_is_named_and_nothing_is_kept(in_memory, page_audit, given, said):
    with pytest.raises(wb.ArchiveError, match=said):
        in_memory.save(page_audit, **given)
    assert len(in_memory) == 0


def test_a_tag_is_no_list_of_letters(in_memory, page_audit):
    with pytest.raises(TypeError, match="tags must be a list of text, got 'release'"):
        in_memory.save(page_audit, tags="release")
    with pytest.raises(TypeError, match="tags must be a list of text, got 'release'"):
        in_memory.search(tags="release")


# -- finding ---------------------------------------------------------------------------------------


def found(archive, *words, **how):
    return [one.name for one in archive.search(*words, **how)]


def test_search_finds_words_of_names_notes_tags_pages_and_data(archive, page_audit):
    archive.save(page_audit, "Release 1", "fixed the Clipping", ["CI", "weekly run"])
    archive.save(page_audit, "release 2", "100%_sure", ["ci"])
    page = ScoresPage(data=example_key("subsampled-gaussian"))
    archive.save(replace(audit_of(page), by="Ada"), "Scores of Ünal")
    assert found(archive) == ["Scores of Ünal", "release 2", "Release 1"]
    assert found(archive, "RELEASE") == ["release 2", "Release 1"]
    assert found(archive, "clipping release") == ["Release 1"]
    assert found(archive, "ünal") == ["Scores of Ünal"]
    assert found(archive, "ada") == ["Scores of Ünal"]
    assert found(archive, "subsampled") == ["Scores of Ünal"]
    assert found(archive, "100%_") == ["release 2"]
    assert found(archive, "1%") == []
    assert found(archive, "_") == ["release 2"]
    assert found(archive, tags=["CI"]) == ["release 2", "Release 1"]
    assert found(archive, tags=["ci", "Weekly Run"]) == ["Release 1"]
    assert found(archive, tags=["weekly"]) == []
    assert found(archive, page="scores") == ["Scores of Ünal"]
    assert found(archive, limit=1, offset=1) == ["release 2"]
    assert found(archive, "absent") == []


def test_a_name_cannot_pretend_to_be_a_tag(archive, page_audit):
    archive.save(page_audit, "\x1frelease\x1f")
    assert found(archive, tags=["release"]) == []


def test_a_search_of_any_length_ends(archive):
    with pytest.raises(wb.ArchiveError, match="at most 1000 characters, got 1001"):
        archive.search("x" * 1001)
    assert archive.search("%" * 1000) == []
    assert archive.search(" ".join(map(chr, range(0x4E00, 0x4E00 + 500)))) == []
    assert archive.search("ab " * 333) == []


def test_what_is_not_there_is_proposed(in_memory, page_audit):
    in_memory.save(page_audit, "release 7")
    with pytest.raises(wb.ArchiveError, match=r"there is no audit 'relaese 7' .* 'release 7'"):
        in_memory["relaese 7"]


def test_a_list_reads_no_card_and_no_figure(in_memory, page_audit, monkeypatch):
    in_memory.save(page_audit, "one")

    def read(*_):
        raise AssertionError("a list has read a figure or a card")

    monkeypatch.setattr(figure_text._json, "loads", read)
    statements = []
    from sqlalchemy import event

    with in_memory.database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    (one,) = in_memory.search("one", page="counts")
    assert (one.name, len(in_memory)) == ("one", 1)
    read_from = " ".join(statements).lower()
    assert "audits" in read_from
    assert not re.search("cards|figures|contents|attachments", read_from)


# -- versions, removing ----------------------------------------------------------------------------


def test_a_new_version_stands_for_the_old_one_and_leaves_it_as_it_is(archive, page_audit):
    first = archive.save(page_audit, "audit")
    other = archive.save(page_audit, "other")
    second = archive.save(page_audit, "audit", "better", previous="audit")
    third = archive.save(page_audit, "renamed", previous=second.key)
    assert second.previous == first.key
    assert [one.key for one in archive.search()] == [third.key, other.key]
    assert [one.versions for one in archive.search()] == [3, 1]
    assert len(archive) == 2
    every = [third.key, second.key, other.key, first.key]
    assert [one.key for one in archive.search(versions=True)] == every
    for name in (first.key, second.key, "renamed"):
        keys = [one.key for one in archive.versions(name)]
        assert keys == [third.key, second.key, first.key]
    assert archive["audit"].key == second.key
    assert archive[first.key].sha256 == first.sha256


def test_removing_is_undone_by_restoring(archive, page_audit):
    first = archive.save(page_audit, "audit")
    second = archive.save(page_audit, "audit", previous=first.key)
    archive.remove("audit")
    archive.remove(second.key)
    assert [one.key for one in archive] == [first.key]
    assert [one.key for one in archive.search(removed=True)] == [second.key]
    assert archive.search(removed=True)[0].removed
    assert second.key not in archive
    assert archive[second.key].name == "audit"  # it can still be opened
    assert archive["audit"].key == first.key
    assert archive.restore(second.key).key == second.key
    assert archive.restore(second.key).removed is False
    assert [one.key for one in archive] == [second.key]


def test_restoring_by_name_means_what_was_removed(in_memory, page_audit):
    removed = in_memory.save(page_audit, "audit")
    in_memory.remove("audit")
    present = in_memory.save(page_audit, "audit")
    assert in_memory.restore("audit").key == removed.key
    assert [one.key for one in in_memory] == [present.key, removed.key]


def test_an_audit_that_is_saved_again_is_a_version_of_none_that_is_not_named(in_memory, page_audit):
    first = in_memory.save(page_audit, "first")
    second = in_memory.save(page_audit, "second", previous="first")
    copy = in_memory.save(in_memory["second"], "copy")
    assert copy.previous == ""
    assert [one.key for one in in_memory] == [copy.key, second.key]
    assert first.key not in [one.key for one in in_memory.versions("copy")]


def test_purging_deletes_what_was_removed_with_all_that_belongs_to_it(archive, page_audit):
    shared = Attachment.of("file", "shared.csv", b"shared")
    own = Attachment.of("file", "own.csv", b"own")
    kept = archive.save(page_audit, "kept", attachments=[shared])
    gone = archive.save(page_audit, "gone", attachments=[shared, own])
    assert archive.purge() == 0
    archive.remove("gone")
    assert archive.purge() == 1
    with pytest.raises(wb.ArchiveError, match="there is no audit"):
        archive[gone.key]
    assert archive.attachments("kept") == (shared,)
    assert archive["kept"].key == kept.key
    with archive.database.reading() as connection:
        for table, rows in {"contents": 1, "figures": 1, "cards": 1, "removals": 0}.items():
            asked = f"SELECT count(*) FROM {table}"
            assert connection.exec_driver_sql(asked).scalar() == rows, table


# -- damage ----------------------------------------------------------------------------------------


def change(archive, statement):
    """What the triggers do not let happen, as a broken disk would."""
    with archive.database.writing() as connection:
        for name in ("cards_update", "figures_update", "contents_update"):
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE cards SET card = replace(card, 'pointwise', 'anytime')", "its card changed since"),
        ("UPDATE figures SET content = x'00'", "its figures changed since"),
    ],
)
def test_an_audit_that_changed_on_the_disk_is_not_opened(in_memory, page_audit, statement, said):
    in_memory.save(page_audit, "one")
    change(in_memory, statement)
    with pytest.raises(wb.ArchiveError, match=f"the audit 'one' is damaged: {said}"):
        in_memory["one"]
    assert len(in_memory) == 1
    assert in_memory.save(page_audit, "two") is not None
    assert in_memory["two"].name == "two"


def test_scores_that_changed_on_the_disk_are_not_used(in_memory, page_audit):
    in_memory.save(page_audit, "one", attachments=[Attachment.of("file", "a.csv", b"1,2")])
    change(in_memory, "UPDATE contents SET content = x'31'")
    with pytest.raises(wb.ArchiveError, match=r"'a\.csv' is damaged: .* The audit itself can be"):
        in_memory.attachments("one")
    assert in_memory["one"].name == "one"


def test_a_card_of_a_newer_version_is_said_to_be_one(page_audit):
    card = json.dumps({**page_audit.to_dict(), "card": 99})
    with pytest.raises(wb.ArchiveError, match=r"newer version of the workbench \(card 99;"):
        stored_card.audit_of_card(card, (), "")


def test_a_figure_that_cannot_be_stored_is_refused_before_anything_is_kept(in_memory, page_audit):
    figure = replace(page_audit.figures[0], figure={"data": [object()], "layout": {}})
    with pytest.raises(wb.ArchiveError, match="a figure cannot be saved"):
        in_memory.save(replace(page_audit, figures=(figure,)))
    assert len(in_memory) == 0


def test_half_an_audit_is_never_kept(archive, page_audit, monkeypatch):
    def fail(*_):
        raise RuntimeError("in the middle")

    monkeypatch.setattr(audit_rows.AuditRows, "_attach", fail)
    with pytest.raises(RuntimeError, match="in the middle"):
        archive.save(page_audit, attachments=[Attachment.of("file", "a", b"b")])
    assert len(archive) == 0
    with archive.database.reading() as connection:
        for table in ("audits", "cards", "figures"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


def test_figures_are_stored_small(page_audit):
    assert len(packed(page_audit)) < 0.7 * len(figure_text.to_text(page_audit.figures))


# -- scores of an audit ----------------------------------------------------------------------------


def test_scores_saved_with_an_audit_bring_its_page_to_another_workspace(tmp_path):
    here = wb.Workspace()
    rng = np.random.default_rng(0)
    scores = wb.Scores(rng.normal(1, 1, 80), rng.normal(0, 1, 90), name="mine")
    page = ScoresPage(workspace=here, data=here.add_scores(scores, "mine").key)
    page.threshold = 0.25
    audit = audit_of(page)
    here.audits.save(audit, "with scores", attachments=attachments_of(page))
    path = here.audits.export("with scores", tmp_path / "one.audit.zip")

    there = wb.Workspace()
    brought = there.audits.add_file(path)
    with pytest.raises(wb.WorkspaceError, match="are not in this workspace"):
        page_of(brought, there)
    bring_data(brought, there.audits.attachments(brought.key), there)
    bring_data(brought, there.audits.attachments(brought.key), there)  # once is enough
    assert [one.name for one in there.datasets] == ["mine"]
    again = audit_of(page_of(brought, there))
    assert [one.shown for one in again.numbers] == [one.shown for one in audit.numbers]
    assert again.settings == audit.settings
    np.testing.assert_array_equal(there.scores("mine").p, scores.p)


def test_scores_given_in_python_are_attached():
    scores = wb.GaussianPair(1).sample(60, seed=1)
    page = page_about(scores)
    audit, attached = audit_of(page), attachments_of(page)
    assert [one.kind for one in attached] == ["source", "table"]
    workspace = wb.Workspace()
    bring_data(audit, attached, workspace)
    again = audit_of(page_of(audit, workspace))
    assert [one.shown for one in again.numbers] == [one.shown for one in audit.numbers]


def test_examples_are_not_attached():
    assert attachments_of(ScoresPage()) == ()


def test_scores_of_another_audit_are_not_taken():
    page = page_about(wb.GaussianPair(1).sample(60, seed=1))
    other = attachments_of(page_about(wb.GaussianPair(1).sample(60, seed=2)))
    workspace = wb.Workspace()
    with pytest.raises(wb.WorkspaceError, match="their hash is another one"):
        bring_data(audit_of(page), other, workspace)
    assert len(workspace.datasets) == 0


# -- the workspace ---------------------------------------------------------------------------------


def test_a_workspace_on_disk_has_its_archive_in_its_folder(tmp_path, page_audit):
    ws = wb.workspace(tmp_path)
    ws.audits.save(page_audit, "kept")
    ws.close()
    assert (tmp_path / "audits.sqlite").stat().st_mode & 0o777 == 0o600
    again = wb.workspace(tmp_path)
    assert again is not ws
    assert [one.name for one in again.audits] == ["kept"]
    again.close()


def test_the_database_of_audits_can_be_elsewhere(tmp_path, page_audit, monkeypatch):
    url = f"sqlite:///{tmp_path}/other/a.sqlite"
    ws = wb.workspace(tmp_path / "home", database=url)
    ws.audits.save(page_audit, "kept")
    assert str(tmp_path / "other" / "a.sqlite") in ws.audits.where
    monkeypatch.setenv("WORKBENCH_DATABASE", url)
    assert wb.workspace(tmp_path / "home") is ws
    assert wb.workspace(tmp_path / "second").audits.search()[0].name == "kept"
    assert not (tmp_path / "home" / "audits.sqlite").exists()
    ws.close()


def test_an_archive_that_nobody_opens_imports_no_database(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; import workbench as wb; ws = wb.Workspace(); ws.close();"
        "import workbench.pages.registry;"
        "print([m for m in ('sqlalchemy', 'alembic', 'psycopg') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_archive_takes_a_database_only():
    with pytest.raises(TypeError, match="database must be a database of audits"):
        Archive("audits.sqlite")
    assert Archive(AuditsDatabase.in_memory()).where == "in the memory of this program"
