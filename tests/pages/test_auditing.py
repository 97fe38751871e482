"""Audits of pages: what they record, and pages made from them again."""

import json

import numpy as np
import pytest

import workbench as wb
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Fact
from workbench.pages.counts import CountsPage
from workbench.pages.given import scores_page
from workbench.pages.registry import MENU
from workbench.pages.scores.page import ScoresPage
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

PAGES = {name: entry.kind for pages in MENU.values() for name, entry in pages.items()}


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    return wb.Scores(rng.normal(1, 1, 400), rng.normal(0, 1, 300), name="mine")


@pytest.mark.parametrize("name", PAGES)
def test_an_audit_records_what_the_page_shows(name):
    page = PAGES[name]()
    audit = audit_of(page, by="somebody")
    for (item, drawn), number in zip(page.drawn_numbers().items(), audit.numbers, strict=True):
        assert number.name == item
        assert number.bound == (None if isinstance(drawn, Fact) else drawn)
    assert [one.name for one in audit.figures] == [item.name for item in page.figures()]
    assert audit.by == "somebody"
    assert audit.made.utcoffset() is not None
    assert audit.software["dp-audit-workbench"] == wb.__version__


@pytest.mark.parametrize("name", PAGES)
def test_a_card_goes_through_json(name):
    audit = audit_of(PAGES[name]())
    again = Audit.from_dict(json.loads(json.dumps(audit.to_dict(), allow_nan=False)))
    assert again.to_dict() == audit.to_dict()
    assert again.sha256 == audit.sha256
    assert again.bounds == audit.bounds


@pytest.mark.parametrize("name", PAGES)
def test_the_page_of_an_audit_shows_the_same(name):
    audit = audit_of(PAGES[name]())
    again = audit_of(page_of(audit, Workspace()))
    assert [one.shown for one in again.numbers] == [one.shown for one in audit.numbers]
    assert again.settings == audit.settings


def test_changed_settings_come_back():
    page = ScoresPage()
    page.log_delta, page.confidence, page.threshold = -7.0, 0.99, 0.41
    audit = audit_of(page)
    again = page_of(audit, Workspace())
    assert (again.log_delta, again.confidence, again.threshold) == (-7.0, 0.99, 0.41)
    assert again.epsilon_here() == audit.bounds["epsilon_here"]
    assert "after seeing" in audit.bounds["epsilon_here"].void


def test_an_infinite_bound_survives():
    bound = Bound("epsilon", float("inf"), "proven", "none", "no samples", 0, 0)
    audit = audit_of(CountsPage())
    card = audit.to_dict()
    card["numbers"][0]["bound"] = {**bound.to_dict(), "value": "Infinity"}
    assert Audit.from_dict(card).numbers[0].bound.value == float("inf")


def test_the_key_of_private_data_is_not_on_the_card(scores):
    workspace = Workspace()
    one = workspace.add_scores(scores)
    audit = audit_of(ScoresPage(workspace=workspace, data=one.key))
    assert one.key not in json.dumps(audit.to_dict())
    assert audit.data[0].sha256 == one.sha256
    assert page_of(audit, workspace).data == one.key


def test_scores_given_in_python_are_named_by_their_hash(scores):
    audit = audit_of(scores_page(scores))
    workspace = Workspace()
    with pytest.raises(WorkspaceError, match="“mine” are not in this workspace"):
        page_of(audit, workspace)
    workspace.add_scores(scores)
    again = audit_of(page_of(audit, workspace))
    assert again.bounds["epsilon"] == audit.bounds["epsilon"]


def test_data_that_are_read_in_another_way_are_not_taken_for_the_same(scores):
    mine, other = Workspace(), Workspace()
    audit = audit_of(ScoresPage(workspace=mine, data=mine.add_scores(scores).key))
    other.add_scores(scores.with_direction(False))
    with pytest.raises(WorkspaceError, match="read in another way"):
        page_of(audit, other)


def test_a_page_of_a_newer_version_is_refused():
    card = audit_of(CountsPage()).to_dict()
    with pytest.raises(WorkspaceError, match="no page 'tomorrow'"):
        page_of(Audit.from_dict({**card, "page": "tomorrow"}), Workspace())
    with pytest.raises(ValueError, match="version 2"):
        Audit.from_dict({**card, "card": 2})


def test_an_audit_keeps_the_page_as_it_was():
    page = ScoresPage()
    audit = audit_of(page)
    before = audit.live.epsilon()
    page.log_delta = -9.0
    assert audit.live.epsilon() == before != page.epsilon()


def test_a_changed_card_has_another_hash():
    audit = audit_of(CountsPage())
    assert audit.named("a").sha256 != audit.named("b").sha256
