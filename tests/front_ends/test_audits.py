"""Saved audits of a visitor, without a browser: save, list, open, delete, undo, export, import."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from helpers.archives import a_plan
from helpers.visits import Reader, settle, tabs, wait

import workbench as wb
from workbench.assets import audits as assets
from workbench.audits.errors import ArchiveError
from workbench.dashboard import audits as requests
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.auditing.attached import attachments_of
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES
from workbench.server.people.identity import user_name
from workbench.server.people.person import OWNER, Person
from workbench.server.people_folders import KEPT, PeopleFolders
from workbench.server.visitors import Visitors
from workbench.workspaces.workspace import Workspace

GAUSSIAN = "example:gaussian"
HOSTILE = ('<img src=x onerror=alert(1)> **bold** "quoted" \' 😀 ' + "long " * 2000)[:10_000]


class Asking(Reader):
    """A browser that asks the archive."""

    def sends(self, **gesture):
        """Send a gesture, and return the message that says that it was taken."""
        self.serial += 1
        self.bench.carry_out({"serial": self.serial, **gesture}, self)
        wait(lambda: any(told.get("handled") == self.serial for told in self.told))

    def message(self, do, **more):
        self.sends(kind="audit", do=do, request=self.serial, **more)
        request = self.serial - 1

        def found():
            told = [one["audits"] for one in self.told if "audits" in one]
            return [one for one in told if one.get("request") == request]

        wait(found)
        settle(self.bench)
        return found()[0]

    def asks(self, do, **more):
        """The answer to a question; every answer can be sent as JSON."""
        message = self.message(do, **more)
        assert "problem" not in message, message
        json.dumps(message, allow_nan=False)
        return message["answer"]

    def problem(self, do, **more):
        return self.message(do, **more)["problem"]

    def saves(self, page="scores", name="first", **more):
        return self.asks("save", of=page, name=name, **more)["key"]

    def listed(self, **more):
        return [one["name"] for one in self.asks("list", **more)["audits"]]

    def uploads(self, content, name="audit.audit.zip"):
        self.sends(kind="files", name="audit", files=[[name, len(content)]])
        half = len(content) // 2
        for piece in (content[:half], content[half:]):
            self.sends(kind="chunk", name="audit", file=0, content=piece)


@pytest.fixture
def bench():
    made = VisitorSession(
        Workspace(), tabs("scores", "compare", "counts"), lambda *call: None, by="Ada"
    )
    yield made
    made.end()


@pytest.fixture
def reader(bench):
    return Asking(bench)


def own_data(bench, name="ledger-7", seed=0):
    """A data set that is no example."""
    rng = np.random.default_rng(seed)
    scores = wb.Scores(rng.normal(1, 1, 400), rng.normal(0, 1, 600))
    added = bench.workspace.add_scores(scores, name)
    bench.workspace.active.choose(added.key)
    settle(bench)
    return added


# -- save and list ---------------------------------------------------------------------------------


def test_a_page_is_saved_as_it_is(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    reader.sets("scores", "threshold", 1.25)
    key = reader.saves(name="with a threshold", note="two\nlines", tags=["release", "loss"])
    audit = bench.workspace.audits[key]
    assert audit.page == "scores"
    assert audit.settings["threshold"] == 1.25
    assert (audit.note, audit.tags, audit.by) == ("two\nlines", ("release", "loss"), "Ada")
    page = bench.pages.live("scores").page
    drawn = {item.title: page.draw(item) for item in page.numbers()}
    for number in audit.numbers:
        if number.bound is not None:
            assert number.bound.value == drawn[number.title].value


def test_the_list_is_newest_first_and_states_the_guarantee(reader):
    reader.saves("counts", "counts of March", tags=["release"])
    reader.saves("scores", "scores of April")
    answer = reader.asks("list")
    assert [one["name"] for one in answer["audits"]] == ["scores of April", "counts of March"]
    number = answer["audits"][1]["number"]
    assert (number["badge"], number["relation"]) == ("pointwise", "≥")
    assert not answer["more"]
    assert answer["audits"][1]["data"] == []


def test_the_list_is_filtered_on_the_server(reader):
    reader.saves("counts", "counts of March", tags=["release", "x"])
    reader.saves("counts", "counts of May", tags=["x"])
    reader.saves("scores", "scores of March", note="a ledger")
    assert reader.listed(text="march") == ["scores of March", "counts of March"]
    assert reader.listed(text="ledger") == ["scores of March"]
    assert reader.listed(of="counts", tags=["release"]) == ["counts of March"]
    assert reader.listed(text="nothing such") == []


def test_fifty_at_a_time(reader, monkeypatch):
    monkeypatch.setattr(requests, "MOST", 2)
    for name in "abc":
        reader.saves("counts", name)
    answer = reader.asks("list")
    assert ([one["name"] for one in answer["audits"]], answer["more"]) == (["c", "b"], True)
    answer = reader.asks("list", offset=2)
    assert ([one["name"] for one in answer["audits"]], answer["more"]) == (["a"], False)


def test_what_the_dialog_begins_with(bench, reader):
    own_data(bench)
    proposed = reader.asks("propose", of="scores")
    assert proposed["name"].startswith("Scores, ledger-7, ")
    assert proposed["scores"] == "1,000 scores, about 8 kB"
    assert proposed["previous"] is None
    reader.does("choose", data=GAUSSIAN)
    assert reader.asks("propose", of="scores")["scores"] == ""  # examples are always there
    assert reader.asks("propose", of="counts")["scores"] == ""


def test_where_audits_are_kept_is_said_with_the_time_for_which_a_server_keeps_them(tmp_path):
    visitors = Visitors(tabs("counts"), lambda *call: None, PeopleFolders(tmp_path, database=""))
    reader = Asking(visitors.bench(Person("v" * 43)))
    assert reader.asks("list")["kept"] == (
        "Saved audits are kept on this server until 12 hours after your last visit: export what "
        "you want to keep."
    )
    assert KEPT == 12 * 3600
    visitors.end()


def test_names_of_any_kind_come_back_as_they_are(reader):
    key = reader.saves(name=HOSTILE, note=HOSTILE, tags=["<i>x</i>"])
    assert reader.listed() == [HOSTILE]
    record = reader.asks("record", key=key)
    assert (record["name"], record["note"]) == (HOSTILE, HOSTILE)
    assert record["tags"] == ["<i>x</i>"]


def test_an_audit_needs_a_name_and_a_refused_one_is_not_kept(reader):
    assert "name" in reader.problem("save", of="scores", name="  ")
    assert reader.listed() == []


# -- one audit -------------------------------------------------------------------------------------


def test_a_record_shows_what_the_page_showed(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    record = reader.asks("record", key=reader.saves())
    page = bench.pages.live("scores").page
    others = [item.name for item in page.items() if item.kind != "number"]
    names = [*page.drawn_numbers(), *others]
    assert sorted(record["items"]) == sorted(names)
    shown = record["items"]["epsilon"]
    assert shown["value"] == page.epsilon().rounded
    assert shown["badge"] == "simultaneous"
    asks = record["items"]["epsilon_here"]
    assert (asks["value"], asks["tone"]) == ("choose a threshold", "unset")
    settings = dict(record["settings"])
    assert settings["δ"] == "1e-5"
    assert record["data"][0]["name"] == bench.workspace.dataset(GAUSSIAN).name


def test_an_audit_is_opened_on_its_page_and_undo_brings_back_what_was_there(bench, reader):
    reader.does("choose", data=GAUSSIAN)
    reader.sets("scores", "threshold", 1.25)
    key = reader.saves()
    reader.does("choose", data="example:laplace")
    before = dict(bench.pages.live("scores").page.settings())
    answer = reader.asks("open", key=key)
    page = bench.pages.live("scores").page
    assert answer == {"page": "scores", "name": "first"}
    assert (page.data, page.threshold) == (GAUSSIAN, 1.25)
    assert bench.workspace.current == GAUSSIAN
    assert bench.browsers.state("undo")["undo"] == "the saved audit"
    reader.does("undo")
    assert bench.pages.live("scores").page.settings() == before
    assert bench.workspace.current == "example:laplace"


def test_a_version_refers_to_the_audit_that_was_opened(bench, reader):
    key = reader.saves("counts", "old", note="why", tags=["t"])
    assert reader.asks("propose", of="counts")["previous"] is None
    reader.asks("open", key=key)
    previous = reader.asks("propose", of="counts")["previous"]
    assert previous == {"key": key, "name": "old", "note": "why", "tags": ["t"]}
    newer = reader.saves("counts", "new", previous=key)
    assert bench.workspace.audits[newer].previous == key
    assert reader.listed() == ["new"]
    versions = reader.asks("record", key=newer)["versions"]
    assert {one["key"] for one in versions} == {key, newer}


def test_without_the_data_what_is_missing_is_said_and_nothing_changes(bench, reader):
    added = own_data(bench)
    key = reader.saves()
    bench.workspace.kept.remove(added.key)
    bench.workspace.kept.purge()
    settle(bench)
    before = dict(bench.pages.live("scores").page.settings())
    answer = reader.asks("open", key=key)
    assert "“ledger-7”" in answer["missing"]
    assert "open" in answer["missing"]
    assert bench.pages.live("scores").page.settings() == before
    assert reader.asks("record", key=key)["items"]  # what was saved is there


def test_with_its_scores_an_audit_opens_anywhere(bench, reader):
    added = own_data(bench)
    reader.sets("scores", "confidence", "90%")
    epsilon = bench.pages.live("scores").page.epsilon().value
    key = reader.saves(scores=True)
    assert reader.asks("record", key=key)["attached"]
    bench.workspace.kept.remove(added.key)
    bench.workspace.kept.purge()
    settle(bench)
    assert reader.asks("open", key=key)["page"] == "scores"
    page = bench.pages.live("scores").page
    assert bench.workspace.dataset(page.data_key).sha256 == added.sha256
    assert page.epsilon().value == epsilon


# -- several ---------------------------------------------------------------------------------------


def test_a_comparison_names_exactly_the_parameter_that_differs(bench, reader):
    one = reader.saves("counts", "March")
    reader.sets("counts", "tp", 420)
    other = reader.saves("counts", "April")
    found = reader.asks("compare", keys=[one, other])
    assert found["parameters"] == [["True positives", ["400", "420"]]]
    assert found["sentences"][0] == (
        "The parameter True positives differs: 400 in “March”, 420 in “April”."
    )
    assert len(found["sentences"]) == 2
    assert found["data"] == found["software"] == []
    epsilon = found["numbers"][0]
    assert epsilon["differs"]
    assert [cell["badge"] for cell in epsilon["cells"]] == ["pointwise", "pointwise"]
    names = [figure["name"] for figure in found["charts"]["frame"]["figures"]]
    assert names
    assert set(names) == set(found["charts"]["items"])


def test_long_names_are_short_in_sentences_and_whole_in_links(reader):
    keys = [reader.saves("counts", HOSTILE), reader.saves("counts", HOSTILE)]
    found = reader.asks("compare", keys=keys)
    assert {one["name"] for one in found["audits"]} == {HOSTILE}
    assert max(len(one["short"]) for one in found["audits"]) < 100


@pytest.mark.parametrize("number", [0, 1, 7])
def test_one_audit_or_too_many_are_not_compared(reader, number):
    key = reader.saves("counts")
    assert "audits" in reader.problem("compare", keys=[key] * number)


def test_a_series_has_its_chart_and_levels(bench, reader):
    archive = bench.workspace.audits
    for seed in (1, 2):
        scores = wb.Scores(*np.random.default_rng(seed).normal(size=(2, 300)))
        place = archive.reserve("nightly", scores)
        view = wb.audit(scores, {"confidence": place.confidence})
        archive.save(replace(view, series="nightly", position=place.position), name=f"run {seed}")
    found = reader.asks("series", name="nightly")
    assert [one["audit"]["name"] for one in found["audits"]] == ["run 1", "run 2"]
    assert [one["confidence"] for one in found["audits"]] == ["97.5%", "99.1667%"]
    assert "2 audits" in found["words"]
    assert found["charts"]["items"]["series"]["data"]
    assert reader.asks("list")["audits"][0]["series"] == "nightly"


def test_plans_are_listed_with_the_audits_under_them(bench, reader):
    planned = wb.plan("release 7", "losses of the test set", threshold=0.5,
                      workspace=bench.workspace)  # fmt: skip
    (shown,) = reader.asks("plans")["plans"]
    assert (shown["name"], shown["sha256"]) == ("release 7", planned.sha256)
    assert shown["choices"] == [list(one) for one in planned.choices.items()]
    assert shown["uses"] == shown["audits"] == []
    audit = replace(wb.audit(wb.example("gaussian")), plan=planned)
    bench.workspace.audits.save(audit, name="under it")
    (shown,) = reader.asks("plans")["plans"]
    assert [one["name"] for one in shown["audits"]] == ["under it"]


# -- delete, export, import ------------------------------------------------------------------------


def test_a_deleted_audit_comes_back_by_undo_and_goes_by_redo(reader):
    key = reader.saves(name="one")
    reader.saves(name="two")
    assert reader.asks("remove", key=key) == {"name": "one"}
    assert reader.listed() == ["two"]
    assert reader.does("undo")["goto"] == "audits"
    assert reader.listed() == ["two", "one"]
    reader.does("redo")
    assert reader.listed() == ["two"]
    reader.asks("restore", key=key)
    assert reader.listed() == ["two", "one"]
    assert reader.does("undo")["goto"] == "audits"  # the return of it
    assert reader.listed() == ["two"]


def test_all_browsers_of_a_visitor_hear_of_a_change(bench, reader):
    other = Asking(bench)
    reader.saves()
    assert {"audits": {"changed": True}} in other.told


def test_an_exported_audit_is_imported(bench, reader, tmp_path):
    key = reader.saves("counts", "mine", note="a note", tags=["t"])
    exported = bench.workspace.audits.export(key, tmp_path / "mine.zip")
    stranger = VisitorSession(Workspace(), tabs("counts"), lambda *call: None)
    there = Asking(stranger)
    there.uploads(exported.read_bytes())
    added = there.asks("import")
    assert added["name"] == "mine"
    record = there.asks("record", key=added["key"])
    assert (record["note"], record["tags"], record["by"]) == ("a note", ["t"], "Ada")
    assert "was not checked here" in record["imported"]
    there.does("undo")
    assert there.listed() == []
    stranger.end()


def test_an_imported_audit_is_marked_with_who_imported_it(bench, reader):
    there = wb.Workspace().audits
    content = there.exported(there.save(wb.audit(wb.example("gaussian")), "theirs").key)
    reader.saves(name="mine")
    reader.uploads(content)
    key = reader.asks("import")["key"]
    rows = {one["name"]: one["imported"] for one in reader.asks("list")["audits"]}
    assert rows["mine"] == ""
    assert re.fullmatch(r"imported on \S+ \S+ UTC by Ada", rows["theirs"])
    shown = reader.asks("compare", keys=[key, reader.asks("list")["audits"][1]["key"]])
    assert "“theirs” was imported on" in shown["sentences"][0]
    assert [bool(one["imported"]) for one in shown["audits"]] == [True, False]


def test_an_own_audit_that_is_imported_is_the_same_and_undo_leaves_it(bench, reader):
    key = reader.saves(name="mine")
    reader.uploads(bench.workspace.audits.exported(key))
    answer = reader.asks("import")
    assert (answer["key"], answer["imported"]) == (key, False)
    assert reader.asks("record", key=key)["imported"] == ""
    reader.does("undo")
    assert reader.listed() == ["mine"]


def test_an_imported_audit_is_under_no_plan_of_this_archive(bench, reader):
    plan = bench.workspace.audits.plans.add(a_plan())
    there = wb.Workspace().audits
    audit = replace(wb.audit(wb.example("gaussian")), plan=plan, series="nightly", position=1)
    reader.uploads(there.exported(there.save(audit, "theirs").key))
    key = reader.asks("import")["key"]
    assert bench.workspace.audits.search(plan.sha256)[0].key == key  # it can be found
    (shown,) = reader.asks("plans")["plans"]
    assert shown["audits"] == []
    record = reader.asks("record", key=key)
    assert (record["plan"]["sha256"], record["series"]) == (plan.sha256, "")


def test_an_imported_audit_with_its_scores_is_computed_again_and_that_is_made_here(bench, reader):
    """Its file states another bound: what is saved from its page is the one of the scores."""
    home = wb.Workspace()
    data = home.add_scores(wb.GaussianPair(1).sample(300, seed=1), "theirs")
    page = PAGES["scores"].kind(workspace=home, data=data.key)
    audit, attached = audit_of(page, by="eve"), attachments_of(page)
    right = audit.bounds["epsilon"]
    numbers = tuple(
        replace(one, bound=replace(one.bound, value=9.0)) if one.name == "epsilon" else one
        for one in audit.numbers
    )
    saved = home.audits.save(replace(audit, numbers=numbers), "forged", attachments=attached)
    reader.uploads(home.audits.exported(saved.key))
    key = reader.asks("import")["key"]
    archive = bench.workspace.audits
    assert archive[key].bounds["epsilon"].value == 9.0
    assert reader.asks("open", key=key)["page"] == "scores"
    settle(bench)
    assert reader.asks("propose", of="scores")["previous"]["key"] == key
    again = reader.asks("save", of="scores", name="computed here", previous=key)["key"]
    assert archive[again].imported is None
    assert (archive[again].by, archive[again].bounds["epsilon"].value) == ("Ada", right.value)
    assert [one.imported is None for one in archive.versions(again)] == [True, False]
    assert reader.listed() == ["computed here"]


def test_a_plan_that_was_stored_after_an_import_comes_after_its_results(bench, reader):
    """The record of an imported audit shows results before its scores are opened."""
    home = wb.Workspace()
    data = home.add_scores(wb.GaussianPair(1).sample(300, seed=1), "theirs")
    page = PAGES["scores"].kind(workspace=home, data=data.key)
    # Its file says that it was made long after now.
    audit = replace(audit_of(page), made=datetime.now(UTC) + timedelta(days=9))
    saved = home.audits.save(audit, "theirs", attachments=attachments_of(page))
    reader.uploads(home.audits.exported(saved.key))
    key = reader.asks("import")["key"]
    plan = wb.plan("after the import", "the same", threshold=0.5, workspace=bench.workspace)
    reader.asks("open", key=key)
    settle(bench)
    workspace = bench.workspace
    (mine,) = workspace.catalog.own
    assert workspace.openings.time(mine.sha256) < plan.created < mine.created
    assert workspace.openings.find(mine.sha256, workspace.scores(mine.key)).at < plan.created
    again = audit_of(PAGES["scores"].kind(workspace=workspace, data=mine.key, plan=plan.sha256))
    assert "the opening of the data" in [one.what for one in again.deviations]


@pytest.mark.parametrize("content", [b"", b"not ours", b"PK\x03\x04" + b"\0" * 100])
def test_a_file_that_is_not_ours_is_refused_in_words(reader, content):
    reader.uploads(content)
    said = reader.problem("import")
    assert said[0].isupper()
    assert said.endswith(".")
    assert reader.listed() == []


def test_an_import_without_a_file_and_one_of_two_are_refused(reader):
    assert "choose one file" in reader.problem("import").lower()
    reader.sends(kind="files", name="audit", files=[["a", 1], ["b", 1]])
    for file in (0, 1):
        reader.sends(kind="chunk", name="audit", file=file, content=b"x")
    assert "choose one file" in reader.problem("import").lower()


def test_an_upload_that_is_too_large_is_refused_when_it_is_announced(reader):
    reader.sends(kind="files", name="audit", files=[["large.zip", 2**40]])
    assert "more than" in reader.problem("import")


# -- what goes wrong -------------------------------------------------------------------------------


def test_a_database_that_is_gone_is_said_and_nothing_is_lost(bench, reader, monkeypatch):
    def gone(*args, **more):
        raise ArchiveError("the database at example.org does not answer; try again")

    with monkeypatch.context() as broken:
        broken.setattr(type(bench.workspace.audits), "save", gone)
        broken.setattr(type(bench.workspace.audits), "search", gone)
        said = "The database at example.org does not answer; try again."
        assert reader.problem("save", of="scores", name="x") == said
        assert reader.problem("list") == said
    reader.saves(name="afterwards")
    assert reader.listed() == ["afterwards"]


def test_a_failed_undo_is_said(bench, reader, monkeypatch):
    key = reader.saves()
    reader.asks("remove", key=key)

    def gone(*args):
        raise ArchiveError("the database does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(type(bench.workspace.audits), "restore", gone)
        reader.does("undo")
        wait(
            lambda: any(told.get("say") == "The database does not answer." for told in reader.told)
        )


def test_a_page_that_is_at_work_is_not_waited_for_for_ever(bench, reader, monkeypatch):
    def late(*args):
        raise TimeoutError

    monkeypatch.setattr(bench.pages, "ask", late)
    assert "at work" in reader.problem("save", of="scores", name="x")


@pytest.mark.parametrize(
    ("do", "more"),
    [
        ("record", {"key": "nothing"}),
        ("open", {"key": "<b>"}),
        ("remove", {"key": ""}),
        ("remove", {}),
        ("save", {"of": "nowhere", "name": "x"}),
        ("save", {"of": "start", "name": "x"}),
        ("explode", {}),
        ("series", {"name": "nothing such"}),
        ("list", {"offset": "many"}),
    ],
)
def test_a_question_without_sense_is_answered_in_words(reader, do, more):
    assert reader.problem(do, **more)
    assert reader.listed() == []


# -- when the archive is opened, and by whom -------------------------------------------------------


def test_a_visit_does_not_open_the_archive(bench, reader, monkeypatch):
    def opened(self):
        raise AssertionError("the archive was opened")

    monkeypatch.setattr(Workspace, "audits", property(opened))
    reader.does("choose", data=GAUSSIAN)
    reader.sets("counts", "tp", 444)
    reader.does("undo")
    bench.browsers.state()


def test_the_owner_has_a_name_and_visitors_have_none(tmp_path):
    own = wb.workspace(tmp_path)
    visitors = Visitors(
        tabs("counts"), lambda *call: None, PeopleFolders(tmp_path / "server", own=own)
    )
    assert visitors.bench(Person(OWNER, user_name())).audits.by == user_name()
    assert visitors.bench(Person("v" * 43)).audits.by == ""
    visitors.end()


def test_the_search_finds_the_page():
    from workbench.assets.search import search_index

    assert assets.FOUND in search_index({})
