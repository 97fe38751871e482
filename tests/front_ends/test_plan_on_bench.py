"""Plans on the bench of a visitor: chosen, undone, linked, offered as soon as they are stored."""

from __future__ import annotations

import pytest
from helpers.visits import Reader, settle, tabs

import workbench as wb
from workbench.dashboard.visitor.session import VisitorSession
from workbench.workspaces.workspace import Workspace


@pytest.fixture
def bench():
    made = VisitorSession(Workspace(), tabs("scores", "plan", "import"), lambda *call: None)
    yield made
    made.end()


@pytest.fixture
def reader(bench):
    return Reader(bench)


def test_a_plan_is_chosen_undone_and_redone(bench, reader):
    space = bench.workspace
    plan = wb.plan("release 3", "the run", threshold=0.3, confidence=0.99, workspace=space)
    space.active.choose(space.add_scores(wb.GaussianPair(1).sample(300, seed=0), "mine").key)
    settle(bench)
    page = bench.pages.live("scores").page
    before = page.settings(), page.epsilon_here().void, page.epsilon().void
    reader.sets("scores", "plan", "release 3")
    after = page.settings(), page.epsilon_here().void, page.epsilon().void
    assert (page.plan, page.threshold, page.confidence) == (plan.sha256, 0.3, 0.99)
    assert after[1:] == (None, None)
    assert bench.browsers.state("undo")["undo"] == "Plan"
    for kind, state in (("undo", before), ("redo", after), ("undo", before)):
        reader.does(kind)
        assert (page.settings(), page.epsilon_here().void, page.epsilon().void) == state
    assert [one.data_sha256 for one in space.audits.plans.uses(plan)] == [
        page.source.dataset.sha256
    ]


def test_a_plan_that_is_stored_while_the_page_is_open_is_offered(bench, reader):
    page = bench.pages.live("scores").page
    assert list(page.param.plan.get_range()) == ["none"]
    wb.plan("release 3", "the run", threshold=0.3, workspace=bench.workspace)
    settle(bench)
    assert list(page.param.plan.get_range()) == ["none", "release 3"]


def test_a_link_to_somebody_without_the_plan_says_that_it_is_missing(bench, reader):
    plan = wb.plan("release 3", "the run", threshold=0.3, workspace=bench.workspace)
    reader.sets("scores", "plan", "release 3")
    link = reader.does("link", link="scores")["link"]
    other = VisitorSession(Workspace(), bench.pages.tabs, lambda *call: None)
    stranger = Reader(other)
    assert stranger.does("open link", text=link)["goto"] == "scores"
    page = other.pages.live("scores").page
    assert (page.threshold, page.message) == (0.3, "")
    assert f"P{plan.label[1:]} is not in this workspace" in page.departing()
    other.end()
    assert reader.does("open link", text=link)["goto"] == "scores"
    assert (
        bench.pages.live("scores").page.departing().startswith("The audit deviates from its plan.")
    )


def test_the_plan_of_a_data_set_is_that_of_the_data_set(bench, reader):
    space = bench.workspace
    wb.plan("release 3", "the run", threshold=0.3, workspace=space)
    first, second = (
        space.add_scores(wb.GaussianPair(1).sample(300, seed=i), f"data {i}") for i in range(2)
    )
    reader.does("choose", data=first.key)
    reader.sets("scores", "plan", "release 3")
    page = bench.pages.live("scores").page
    assert page.epsilon_here().void is None
    reader.does("choose", data=second.key)
    assert page.plan == ""
    reader.does("choose", data=first.key)
    assert page.epsilon_here().void is None


def test_a_plan_that_is_stored_on_its_page_is_offered_on_the_scores_page(bench, reader):
    reader.sets("plan", "planned_name", "release 3")
    reader.sets("plan", "planned_data", "the nightly run")
    reader.sets("plan", "store_plan", True)
    assert "Plan “release 3” was stored" in bench.pages.live("plan").page.plan_stored()
    assert list(bench.pages.live("scores").page.param.plan.get_range()) == ["none", "release 3"]


def test_data_that_are_opened_under_a_plan_are_shown_under_it(bench, reader):
    wb.plan("release 3", "the run", threshold=0.4, confidence=0.99, workspace=bench.workspace)
    page = bench.pages.live("scores").page
    reader.does("import")
    text = "in,out\n" + "\n".join(f"{i / 7},{i / 9}" for i in range(90))
    bench.pages.live("import").page.upload = (("x.csv", text.encode()),)
    reader.sets("import", "plan", "release 3")
    reader.sets("import", "accept", True)
    assert page.source.dataset.name == "x"
    assert (page.registered.name, page.threshold, page.confidence) == ("release 3", 0.4, 0.99)
    assert page.departing() == ""
    assert page.epsilon_here().void is None
    assert page.epsilon().void is None
