"""What was seen belongs to the data: every front end marks the same as one page.

`looked_at_by_one_page` is the page that looked first, asked afterwards and changed its choices. In
each test another front end looks first, or another page asks: the marks are the same.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.visits import Reader, settle, tabs

import workbench as wb
from workbench.cli import main
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.compare import ComparePage
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.spec import Spec
from workbench.pages.scores.page import ScoresPage
from workbench.pages.watch import WatchPage
from workbench.scores import chance
from workbench.workspaces.workspace import Workspace

CHANGED = {"confidence": 0.9, "ordering": "learned", "interval": "clopper-pearson"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("WORKBENCH_DATABASE", raising=False)
    yield tmp_path / "home"
    wb.workspace().close()


def samples(seed=1, n=300):
    rng = np.random.default_rng(seed)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


def given(seed=1):
    return wb.Scores(*samples(seed))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "b.csv"
    rows = [f"{a!r},{b!r}" for a, b in zip(*map(np.ndarray.tolist, samples()), strict=True)]
    path.write_text("\n".join(["in,out", *rows, ""]))
    return path


def marks(page):
    """What a page says of a question that it is asked now, and of other choices."""
    page.asked = "mu"
    late = page.mu().guarantee, page.mu().void, page.asked_late, page.asked_afterwards() != ""
    found = {"asked": late}
    for name, value in CHANGED.items():
        before = getattr(page, name)
        setattr(page, name, value)
        found[name] = page.epsilon().void, page.epsilon_here().void is None
        setattr(page, name, before)
        found[f"{name} again"] = page.epsilon().void
    return found


@pytest.fixture
def one_page():
    """The marks of one page that looked, asked and changed its choices."""
    ws = Workspace()
    page = ScoresPage(workspace=ws, data=ws.add_scores(given(), "d").key)
    page.mu()
    found = marks(page)
    assert found["asked"] == ("simultaneous", None, True, True)
    changed = "the confidence was changed after results were seen"
    assert found["confidence"] == (changed, False)
    assert found["confidence again"] is None
    return found


def opened_asking(ws, key):
    """A page that was asked before the data came into view."""
    page = ScoresPage(workspace=ws)
    page.asked = "mu"
    page.data = key
    return page


def assert_marked_alike(ws, key, one_page):
    """Pages that open the data, with choices made before and after, mark as one page does."""
    assert marks(ScoresPage(workspace=ws, data=key)) == one_page
    early = opened_asking(ws, key)
    assert (early.mu().guarantee, early.asked_late) == ("simultaneous", True)
    for name, value in CHANGED.items():
        page = ScoresPage(workspace=ws)
        setattr(page, name, value)
        page.data = key
        assert page.epsilon().void == one_page[name][0]


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [lambda p: p.mu(), lambda p: p.draw(p.figures()[1])])
def test_two_pages(one_page, look):
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    look(ScoresPage(workspace=ws, data=key))
    assert_marked_alike(ws, key, one_page)


@pytest.mark.parametrize("kind", [FamilyPage, WatchPage, ComparePage])
def test_pages_of_other_kinds(one_page, kind):
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    other = kind(workspace=ws)
    other.follow(key)
    other.draw(other.numbers()[0])
    assert_marked_alike(ws, key, one_page)


def test_a_question_that_was_fixed_first_stays_in_time_everywhere():
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    first = opened_asking(ws, key)
    assert first.mu().guarantee == "one question"
    second = ScoresPage(workspace=ws, data=key)
    assert second.mu().guarantee == "simultaneous"
    second.asked = "epsilon"
    assert second.asked_late
    second.asked = "mu"
    assert second.mu() == first.mu()
    assert opened_asking(ws, key).mu() == first.mu()
    again = ScoresPage(workspace=ws)
    assert again.restore(first.settings()) == []
    assert again.mu() == first.mu()


def test_a_question_at_a_delta_is_another_one_at_another_delta():
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    first = ScoresPage(workspace=ws, asked="epsilon", log_delta=-3.0, data=key)
    assert first.epsilon().guarantee == "one question"
    second = ScoresPage(workspace=ws, data=key)
    second.asked = "epsilon"
    assert second.asked_late
    third = ScoresPage(workspace=ws, asked="epsilon", data=key)
    assert (third.asked_late, third.asked_delta) == (False, 1e-3)
    assert third.epsilon().guarantee == "simultaneous"  # at 1e-5
    third.log_delta = -3.0
    assert third.epsilon() == first.epsilon()


def test_whoever_shows_results_first_decides_for_pages_that_were_open_before():
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    late = opened_asking(ws, key)
    assert not late.asked_late
    ScoresPage(workspace=ws, data=key).mu()  # another window was faster
    assert late.mu().guarantee == "simultaneous"
    assert late.asked_late


def test_a_page_that_nobody_saw_marks_nothing():
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    ScoresPage(workspace=ws, data=key)
    assert opened_asking(ws, key).mu().guarantee == "one question"


@pytest.mark.parametrize("which", ["settings", "spec"])
def test_a_reload(one_page, which):
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    page = ScoresPage(workspace=ws, data=key)
    page.mu()
    page.data = page.param.data.default  # the example is in view when it is reloaded
    again = ScoresPage(workspace=ws)
    if which == "settings":
        assert again.restore(page.settings()) == []
    else:
        Spec(again).restore(Spec(page).state())
    again.confidence, again.ordering, again.asked = 0.9, "learned", "mu"
    again.data = key
    assert again.epsilon().void
    assert again.asked_late
    again.confidence, again.ordering = 0.95, "score"
    assert again.epsilon().void is None
    assert marks(again) == one_page


def test_a_reload_in_another_program(one_page, monkeypatch):
    ws = wb.workspace()
    key = ws.add_scores(given(), "d").key
    page = ScoresPage(workspace=ws, data=key)
    page.mu()
    settings = page.settings()
    ws.close()
    monkeypatch.setattr(chance, "_GIVEN", {})
    again = ScoresPage(workspace=wb.workspace())
    assert again.restore(settings) == []
    assert marks(again) == one_page
    assert_marked_alike(wb.workspace(), key, one_page)


@pytest.mark.parametrize(
    "again",
    [
        lambda p, q: wb.Scores(p[::-1], q[::-1]),
        lambda p, q: wb.Scores(100 * p - 7, 100 * q - 7),
        lambda p, q: wb.CountedScores.of(wb.Scores(p, q)),
        lambda p, q: wb.Scores(p[5:], q[:-5]),
        lambda p, q: wb.Scores(np.append(7 * p[5:], [0.5]), 7 * q),
        lambda p, q: wb.Scores(q, p),
    ],
    ids=["order", "units", "counted", "most rows", "most rows in other units", "exchanged"],
)
def test_the_same_data_in_another_form(one_page, again):
    ws = Workspace()
    page = ScoresPage(workspace=ws, data=ws.add_scores(given(), "d").key)
    page.mu()
    other = ws.add_scores(again(*samples()), "again")
    assert_marked_alike(ws, other.key, one_page)
    assert "“d”" in ScoresPage(workspace=ws, data=other.key).known_before()


def test_new_data_are_new():
    ws = Workspace()
    page = ScoresPage(workspace=ws, data=ws.add_scores(given(), "d").key)
    page.mu()
    new = ws.add_scores(given(seed=2), "new").key
    assert opened_asking(ws, new).mu().guarantee == "one question"
    other = ScoresPage(workspace=ws, confidence=0.9, data=new)
    assert other.known_before() == ""


def test_the_other_direction_of_the_same_scores_is_marked():
    ws = Workspace()
    p, q = samples()
    ScoresPage(workspace=ws, data=ws.add_scores(wb.Scores(p, q), "d").key).mu()
    turned = ws.add_scores(wb.Scores(p, q, larger_is_member=False), "turned")
    page = ScoresPage(workspace=ws, data=turned.key)
    assert page.mu().void == "the direction of the score was changed after results were seen"


# -- the bench: links, undo, reset, two benches on a workspace ---------------------------


@pytest.fixture
def bench():
    made = VisitorSession(wb.workspace(), tabs("scores", "family", "import"), lambda *call: None)
    yield made
    made.end()


def test_a_link(bench, one_page):
    reader, ws = Reader(bench), bench.workspace
    key = ws.add_scores(given(), "d").key
    reader.does("choose", data=key)
    bench.pages.live("scores").page.mu()
    reader.sets("scores", "asked", "μ")
    link = reader.does("link", link="scores")["link"]
    other = VisitorSession(ws, bench.pages.tabs, lambda *call: None)
    Reader(other).does("open link", text=link)
    page = other.pages.live("scores").page
    assert page.asked_late
    page.asked = "none"
    assert marks(page) == one_page
    other.end()


def test_the_link_of_somebody_else_carries_the_mark_and_the_seed(bench):
    reader, ws = Reader(bench), bench.workspace
    data = ws.add_scores(given(), "d")
    reader.does("choose", data=data.key)
    page = bench.pages.live("scores").page
    page.mu()
    page.confidence, page.asked = 0.99, "mu"
    link = reader.does("link", link="scores")["link"]
    theirs = Workspace()
    theirs.add_scores(wb.Scores(*samples(), seed=data.reading.seed), "mine")
    other = VisitorSession(theirs, bench.pages.tabs, lambda *call: None)
    Reader(other).does("open link", text=link)
    page = other.pages.live("scores").page
    changed = "the confidence was changed after results were seen"
    assert (page.epsilon().void, page.asked_late) == (changed, True)
    assert page.epsilon().void == changed
    assert theirs.scores("mine").chance == ws.scores("d").chance
    other.end()


def test_undo_and_redo(bench, one_page):
    reader, ws = Reader(bench), bench.workspace
    key = ws.add_scores(given(), "d").key
    reader.does("choose", data=key)
    page = bench.pages.live("scores").page
    page.mu()
    reader.sets("scores", "asked", "μ")
    assert page.asked_late
    reader.does("undo")
    assert (page.asked, page.asked_late) == ("none", False)
    reader.does("redo")
    assert (page.asked, page.asked_late) == ("mu", True)
    reader.does("undo")
    reader.does("undo")  # back to the example
    assert page.data != key
    reader.sets("scores", "asked", "μ")
    reader.does("choose", data=key)
    page.asked = "mu"
    assert page.asked_late
    page.asked = "none"
    assert marks(page) == one_page


def test_reset_is_no_way_back_to_unseen_data(bench):
    reader, ws = Reader(bench), bench.workspace
    reader.sets("scores", "confidence", "99%")
    key = ws.add_scores(given(), "d").key
    reader.does("choose", data=key)
    page = bench.pages.live("scores").page
    assert page.epsilon().void is None
    reader.does("reset", reset="scores")
    assert page.confidence == 0.95
    assert page.epsilon().void == "the confidence was changed after results were seen"
    reader.sets("scores", "confidence", "99%")
    assert page.epsilon().void is None


def test_two_benches_on_one_workspace(bench, one_page):
    other = VisitorSession(bench.workspace, bench.pages.tabs, lambda *call: None)
    key = bench.workspace.add_scores(given(), "d").key
    Reader(bench).does("choose", data=key)
    settle(other)
    bench.pages.live("family").page.epsilon()
    assert marks(other.pages.live("scores").page) == one_page
    other.end()


# -- notebooks -------------------------------------------------------------------------------------


def test_a_notebook_on_the_workspace(one_page):
    ws = wb.workspace()
    data = ws.add_scores(given(), "d")
    assert wb.explore(data).mu.guarantee == "simultaneous"
    assert_marked_alike(ws, data.key, one_page)


def test_scores_given_in_a_notebook(one_page):
    ws = wb.workspace()
    assert wb.explore(given()).mu.guarantee == "simultaneous"
    view = wb.explore(wb.Scores(*(x[::-1] for x in samples())), spec={"asked": "mu"})
    assert view.mu.guarantee == "simultaneous"
    key = ws.add_scores(given(), "d").key
    assert_marked_alike(ws, key, one_page)


def test_scores_given_in_a_notebook_without_a_workspace():
    assert wb.explore(given(), spec={"asked": "mu"}).mu.guarantee == "one question"
    assert wb.explore(given(), spec={"asked": "mu"}).mu.guarantee == "one question"
    assert wb.explore(given(), spec={"asked": "epsilon"}).epsilon.guarantee == "simultaneous"
    assert wb.explore(given(), spec={"confidence": 0.9}).epsilon.void


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.parametrize("keeping", [["--save", "nightly"], ["--baseline", "old"]])
def test_the_command_line_and_a_page(one_page, file, keeping, capsys):
    ws = wb.workspace()
    if "--baseline" in keeping:
        before = ws.add_scores(given(seed=7), "before").key
        ws.audits.save(audit_of(ScoresPage(workspace=ws, data=before)), "old")
    assert main(["audit", str(file), *keeping]) == 0
    key = ws.add_scores(given(), "d").key
    assert_marked_alike(ws, key, one_page)
    capsys.readouterr()


def test_a_page_and_the_command_line(file, capsys):
    ws = wb.workspace()
    ScoresPage(workspace=ws, data=ws.add_scores(given(), "d").key).mu()
    status = main(["audit", str(file), "--save", "x", "--confidence", "0.9", "--json"])
    said = capsys.readouterr()
    report = json.loads(said.out)
    changed = "the confidence was changed after results were seen"
    assert report["not_valid"] == changed
    assert {r["void"] for r in report["results"] if r["guarantee"] != "estimate"} == {changed}
    assert changed in said.err
    assert ws.audits["x"].bounds["epsilon"].void == changed
    assert status == 0
    main(["audit", str(file), "--save", "y", "--json"])
    assert "not_valid" not in json.loads(capsys.readouterr().out)
    assert ws.audits["y"].bounds["epsilon"].void is None


def test_the_same_audit_of_a_series_stays_valid(file, capsys):
    for _ in range(2):
        main(["audit", str(file), "--series", "nightly", "--json"])
        assert "not_valid" not in json.loads(capsys.readouterr().out)
    audit = next(iter(wb.workspace().audits.series("nightly"))).audit
    assert audit.bounds["epsilon"].void is None


def test_an_audit_that_is_not_kept_notes_nothing(file, capsys):
    main(["audit", str(file)])
    capsys.readouterr()
    ws = wb.workspace()
    assert opened_asking(ws, ws.add_scores(given(), "d").key).mu().guarantee == "one question"


# -- saved audits ----------------------------------------------------------------------------------


def test_a_saved_audit_that_is_opened_again(one_page):
    ws = wb.workspace()
    key = ws.add_scores(given(), "d").key
    first = opened_asking(ws, key)
    kept = ws.audits.save(audit_of(first), "asked in advance")
    assert page_of(kept, ws).mu() == first.mu()
    other = ScoresPage(workspace=ws, data=key)
    other.asked = "epsilon"
    assert other.epsilon().guarantee == "simultaneous"
    late = page_of(audit_of(other), ws)
    assert late.asked_late
    assert late.epsilon().guarantee == "simultaneous"


def test_a_saved_audit_of_other_choices_is_marked(one_page):
    there = Workspace()
    theirs = ScoresPage(workspace=there, confidence=0.9, data=there.add_scores(given(), "d").key)
    audit = audit_of(theirs)
    assert audit.bounds["epsilon"].void is None
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    assert page_of(audit, ws).epsilon().void is None  # nothing was seen here
    ws = Workspace()
    key = ws.add_scores(given(), "d").key
    ScoresPage(workspace=ws, data=key).mu()
    assert page_of(audit, ws).epsilon().void == one_page["confidence"][0]


# -- plans -----------------------------------------------------------------------------------------


def planned(ws, file_name, text, plan):
    """A page under a plan about data that are opened now."""
    from helpers.pages import added

    page = ScoresPage(workspace=ws, data=added(ws, (file_name, text)).key)
    page.plan = plan.sha256
    return page


def test_a_plan_is_followed_by_new_data_only(file):
    ws = wb.workspace()
    head, *rows = file.read_text().strip().split("\n")
    text = "\n".join([head, *rows])
    seen = planned(ws, "b.csv", text, wb.plan("first", "x", threshold=0.5, workspace=ws))
    assert seen.planned().startswith("Follows plan")
    plan = wb.plan("second", "x", threshold=0.3, workspace=ws)
    numbers = [tuple(map(float, row.split(","))) for row in rows]
    other = {
        "reversed": "\n".join([head, *rows[::-1]]),
        "units": "\n".join([head, *(f"{3 * a + 1!r},{3 * b + 1!r}" for a, b in numbers)]),
        "empty lines": text + "\n\n\n,\n",
        "most rows": "\n".join([head, *rows[40:]]),
        "most rows in other units": "\n".join(
            [head, "9,8", *(f"{a / 8!r},{b / 8!r}" for a, b in numbers[3:])]
        ),
    }
    for name, changed in other.items():
        page = planned(ws, f"{name}.csv", changed, plan)
        assert page.planned().startswith("Under plan"), name
        assert "before these scores were opened" not in page.planned(), name
        assert "the opening of the data" in [one.what for one in page.departures], name
        assert page.epsilon_here().void, name
        assert [one.what for one in audit_of(page).deviations] == [
            one.what for one in page.departures
        ]
    new = "\n".join([head, *(f"{a!r},{b!r}" for a, b in zip(*samples(5), strict=True))])
    page = planned(ws, "new.csv", new.replace("np.float64(", "").replace(")", ""), plan)
    assert page.planned().startswith("Follows plan")
    assert page.epsilon_here().void is None


def test_a_plan_is_not_followed_by_what_the_command_line_audited(file, capsys):
    main(["audit", str(file), "--save", "x"])
    capsys.readouterr()
    ws = wb.workspace()
    plan = wb.plan("late", "x", threshold=0.3, workspace=ws)
    head, *rows = file.read_text().strip().split("\n")
    for text in ("\n".join([head, *rows]), "\n".join([head, *rows[::-1]])):
        assert planned(ws, "b.csv", text, plan).planned().startswith("Under plan")


def test_two_plans_cannot_share_data_in_two_orders():
    ws = wb.workspace()
    first, second = (wb.plan(f"{t}", "x", threshold=t, workspace=ws) for t in (0.3, 0.9))
    p, q = samples()
    one = ScoresPage(workspace=ws, data=ws.add_scores(wb.Scores(p, q), "one").key)
    one.plan = first.sha256
    two = ScoresPage(workspace=ws, data=ws.add_scores(wb.Scores(p[::-1], q), "two").key)
    two.plan = second.sha256
    assert first.label in two.epsilon_here().void


# -- chance ----------------------------------------------------------------------------------------


def test_a_learned_ratio_is_learned_on_one_split_only(monkeypatch):
    ws = wb.workspace()
    page = ScoresPage(workspace=ws, ordering="learned", data=ws.add_scores(given(), "d").key)
    expected = page.epsilon()
    assert expected.void is None
    monkeypatch.setattr(chance, "_GIVEN", {})
    p, q = samples()
    again = ws.add_scores(wb.Scores(2 * p[::-1], 2 * q), "again")
    other = ScoresPage(workspace=ws, ordering="learned", data=again.key)
    assert (other.epsilon().value, other.epsilon().void) == (expected.value, None)
    seeded = ws.add_scores(wb.Scores(p, q, seed=99), "another throw")
    third = ScoresPage(workspace=ws, ordering="learned", data=seeded.key)
    assert third.epsilon().void == "the random split was changed after results were seen"


def test_the_code_of_a_learned_ratio_states_its_seed(file):
    from helpers.pages import added

    ws = Workspace()
    data = added(ws, ("b.csv", file.read_text()))
    page = ScoresPage(workspace=ws, ordering="learned", data=data.key)
    assert f"wb.read_scores('b.csv', p='in', q='out', seed={data.reading.seed})" in page.code({})
    page.ordering = "score"
    assert "seed=" not in page.code({}).split("view =")[0]
