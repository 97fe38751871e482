"""The page Records: its numbers, groups and ranking; what a move computes; odd tables."""

from __future__ import annotations

import dataclasses
import re
from unittest import mock

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.bounds.bound import Bound
from workbench.figures.kit.svg import svg
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Fact
from workbench.pages.given import page_about
from workbench.pages.inputs.code import code_of
from workbench.pages.inputs.spec import Spec
from workbench.pages.records import ranking as ranking_module
from workbench.pages.records.page import RecordsPage
from workbench.pages.scores.page import ScoresPage
from workbench.workspaces.score_tables.sources import DrawnTableSource
from workbench.workspaces.workspace import Workspace

NULL = DrawnTableSource(leaking=0).key
DRAWN = DrawnTableSource().key


def table(scores=None, models=24, n=6, seed=0, **more):
    generator = np.random.default_rng(seed)
    member = generator.random((models, n)) < 0.5
    member[:2], member[2:4] = True, False
    if scores is None:
        scores = generator.standard_normal((models, n)) + 6 * member * (np.arange(n) == 1)
    return wb.ScoreTable(scores, member, **more)


def draw(page):
    """Everything that the page shows, as it goes to browsers; charts are drawn as SVG, too."""
    shown = {}
    for item in page.items():
        drawn = page.draw(item)
        shown[item.name] = board.content(drawn)
        if item.kind == "figure":
            assert svg(drawn).startswith("<svg")
    return shown


# -- numbers ---------------------------------------------------------------------------------------


def test_the_draw_shows_its_five_leaking_records():
    page = RecordsPage(data=DRAWN)
    truth = page.table.attributes["truth"]
    assert (truth[page.in_view()[:5]] == "leaks").all()
    assert page.exceeding() == Fact("≥ 5", "of 200 exceed ε₀ = 1 at δ = 1e-5")
    worst = page.worst()
    assert isinstance(worst, Bound)
    assert (worst.guarantee, worst.confidence) == ("held-out", 0.95)
    assert "independent fair coins" in worst.assumption
    assert worst.value == page.table.worst_record(delta=1e-5).value > 2.3
    assert page.maximum().guarantee == "estimate"


def test_where_nothing_leaks_only_the_estimates_suggest_it():
    page = RecordsPage(data=NULL)
    assert page.exceeding().text == "≥ 0"
    assert page.worst().value == 0
    assert page.maximum().value > 0.2
    assert page.maximum().guarantee == "estimate"
    assert "0 of 200 records" in page.leaking()["layout"]["meta"]["summary"]


def test_the_average_is_about_the_average():
    page = RecordsPage(data=DRAWN)
    average = page.average()
    assert isinstance(average, Bound)
    assert average.assumption == "average over records, one run"
    assert 0 < average.value < page.worst().value


def test_a_choice_after_looking_voids_the_bounds():
    page = RecordsPage(data=DRAWN)
    page.confidence = 0.99
    assert "the confidence was changed" in page.worst().void
    assert page.exceeding().text == "–"
    page.reset = True
    assert not page.worst().void
    page.larger_is_member = False
    assert "direction" in page.worst().void
    assert page.worst().value == 0
    page.epsilon = 2.0
    assert page.looked == "the direction of the score"
    page.reset = True
    page.epsilon = 2.0
    assert not page.worst().void


# -- groups and the ranking ------------------------------------------------------------------------


def test_groups_share_one_error_budget():
    page = RecordsPage(data=DRAWN)
    everything = page.table.each_record(delta=1e-5).values
    assert page.by == "class"
    for name in "ABCD":
        page.group = name
        mine = page.table.attributes["class"] == name
        assert set(page.in_view()) == set(np.flatnonzero(mine))
        best = everything[mine].max()
        assert page.ranking().limits[page.selected()] == pytest.approx(best)
    page.by = "truth"
    assert (page.group, page.rank) == ("", 1)
    assert "leaks: 5 of 5 exceed 1" in page.by_group()["layout"]["meta"]["summary"]
    with pytest.raises(ValueError, match="Group by: the table has no 'age'"):
        page.by = "age"


def test_a_click_selects_a_record():
    page = RecordsPage(data=DRAWN)
    page.select(0.3, 3.2)
    assert page.rank == 4
    assert f"Rank 4: {page.viewed.name_of(page.in_view()[3])}" in page.record_words()
    page.rank = 35
    assert "31 · " in str(page.ranks()["layout"]["annotations"][0]["text"])
    page.select(0.3, -0.4)
    assert page.rank == 31
    page.select(0.3, 500.0)
    assert page.rank == 31
    scores = page.table.record(page.selected())
    assert np.array_equal(page.record_scores().p, scores.p)


def test_a_rank_beyond_the_records_shows_nothing_and_says_why():
    page = RecordsPage(data=DRAWN, rank=201)
    assert page.selected() is None
    assert "Only 200 records" in str(page.scores_of_record())
    draw(page)


def test_a_record_opened_on_scores_claims_no_level():
    ws = Workspace()
    page = RecordsPage(workspace=ws, data=DRAWN)
    page.open_on_scores = True
    assert page.goes_to == "scores"
    added = ws.dataset(ws.current)
    assert added.source.describe().endswith("of “5 of 200 records leak”, rank 1 of 200")
    scores = ScoresPage(workspace=ws, data=added.key)
    bounds = [scores.draw(item) for item in scores.numbers()]
    certified = [b for b in bounds if isinstance(b, Bound) and b.guarantee != "estimate"]
    assert certified
    assert all(bound.void for bound in certified)
    assert "the record, which was chosen by its rank" in scores.epsilon().void
    turned = dataclasses.replace(added.reading, sampling="unknown")
    assert ws.kept.reread(added.key, turned, seen=True).reread == added.reread


# -- speed -----------------------------------------------------------------------------------------


def test_a_move_never_asks_for_the_limits_again():
    page = RecordsPage(data=DRAWN)
    draw(page)
    with (
        mock.patch.object(wb.ScoreTable, "each_record", side_effect=AssertionError),
        mock.patch.object(ranking_module, "rank", side_effect=AssertionError),
    ):
        for epsilon, rank, group in ((0.3, 2, "A"), (2.0, 7, "B"), (0.0, 31, "")):
            page.epsilon = epsilon
            page.group = group
            page.rank = rank
            draw(page)


def test_a_large_table_is_ranked_when_asked_and_as_a_job(monkeypatch):
    monkeypatch.setattr(ranking_module, "SMALL", 100)
    page = RecordsPage(data=DRAWN)
    assert page.per_record.is_large
    assert page.worst().text == "–"
    assert "Press “Rank all records”" in page.doubt()
    draw(page)
    fractions = []
    page.work.run(
        "rank_records", lambda: fractions.append(page.work.state("rank_records").fraction)
    )
    assert page.exceeding().text == "≥ 5"
    assert page.doubt() == ""
    shown = draw(page)
    page.log_delta = -3.0
    assert page.work.state("rank_records").stale
    assert draw(page)["worst"] == shown["worst"]
    page.data = NULL
    assert page.worst().text == "–"


# -- odd tables ------------------------------------------------------------------------------------

ODD = {
    "one record": lambda: table(n=1),
    "all in all models": lambda: wb.ScoreTable(np.zeros((6, 3)), np.ones((6, 3), bool)),
    "one auditable": lambda: wb.ScoreTable(
        np.arange(18.0).reshape(6, 3),
        np.array([[1, 0, 1]] * 3 + [[1, 0, 0]] * 3, bool),
    ),
    "only ties": lambda: table(np.zeros((24, 6))),
    "not finite": lambda: table(
        np.where(np.arange(24)[:, None] % 3, np.inf, np.nan) * np.ones((24, 6)) + 0.0,
    ),
    "huge": lambda: table(np.random.default_rng(1).normal(size=(24, 6)) * 1e300),
    "names": lambda: table(
        records=["<b>x</b>", "%{x}", "a" * 5000, "", "‮right", "<script>alert(1)</script>"],
        attributes={"<i>class</i>": ["<b>"] * 3 + ["&amp;"] * 3, "text": ["<u>t</u>"] * 6},
        name="<img src=x>",
    ),
    "many classes": lambda: table(n=80, models=16, attributes={"k": np.arange(80) // 2}),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_table_is_shown(kind):
    page = RecordsPage(ODD[kind]())
    shown = draw(page)
    assert page.message == ""
    assert "nan" not in str([shown[item.name] for item in page.numbers()]).lower()
    for text in map(str, (page.ranks(), page.by_group(), page.scores_of_record())):
        assert not re.search(r"<(b|i|u|img|script)[ >]", text)


def test_records_in_all_models_are_named():
    page = RecordsPage(ODD["all in all models"]())
    assert page.doubt().startswith("No record can be audited")
    one = RecordsPage(ODD["one auditable"]())
    assert "2 of the records are in fewer than two models" in one.design_words()
    assert one.in_view().size == 1


# -- data sets, links, code ------------------------------------------------------------------------


def test_the_page_offers_tables_only_and_other_pages_none():
    ws = Workspace()
    kept = ws.add_table(table(name="canaries"))
    ws.add_scores(wb.Scores([1.0, 2.0], [0.0, 1.0]), "losses")
    page = RecordsPage(workspace=ws, data=DRAWN)
    assert set(page.param.data.get_range()) == {
        "digits-records",
        "digits-losses-table",
        "5 of 200 records leak",
        "canaries",
    }
    assert "canaries" not in ScoresPage(workspace=ws).param.data.get_range()
    page.follow(kept.key)
    assert page.table is ws.table(kept.key)
    page.data = "example:gaussian"
    assert page.data == kept.key
    assert "no score table" in page.message


def test_settings_come_back():
    ws = Workspace()
    kept = ws.add_table(table(name="canaries", attributes={"class": list("aabbab")}))
    page = RecordsPage(workspace=ws, data=kept.key)
    page.param.update(epsilon=0.4, group="b", rank=2, larger_is_member=False)
    again = RecordsPage(workspace=ws, data=DRAWN)
    assert again.restore(page.settings()) == []
    assert (again.data, again.epsilon, again.group, again.rank) == (kept.key, 0.4, "b", 2)
    assert draw(again) == draw(page)


def test_the_shown_code_gives_the_numbers_in_view():
    page = RecordsPage(data=DRAWN, epsilon=0.5)
    code = code_of(page, Spec(page, page.at_start()).changes())
    space = {}
    exec(code.rpartition("view = ")[0], space)
    assert space["worst"].value == page.worst().value
    assert f"≥ {space['exceeding']}" == page.exceeding().text
    assert space["average"].value == page.average().value
    assert space["maximum"].value == page.maximum().value
    assert np.array_equal(space["record_scores"].q, page.record_scores().q)


def test_a_table_of_python_has_its_page():
    given = table(larger_is_member=False, name="mine")
    page = page_about(given)
    assert isinstance(page, RecordsPage)
    assert page.table is given
    assert page.larger_is_member is False
    assert page.looked == ""
    page.larger_is_member = True
    assert page.looked == "the direction of the score"
    page.reset = True
    assert (page.larger_is_member, page.looked) == (False, "")


def test_the_bundled_table_is_what_the_page_begins_with():
    page = RecordsPage()
    assert page.table is wb.example_table("digits-records")
    draw(page)
    assert len(page.scores_of_record()["layout"]["shapes"]) > 10  # the image
    assert page.code({}).startswith("import workbench as wb\n\ntable = wb.example_table(")
    assert "5 of 200" in RecordsPage(data=DRAWN).table.name


def test_an_audit_is_saved_with_its_table():
    given = table(name="mine")
    ws = Workspace()
    kept = ws.add_table(given)
    for page in (RecordsPage(given), RecordsPage(workspace=ws, data=kept.key)):
        audit, other = audit_of(page), Workspace()
        assert audit.data[0].sha256 == kept.sha256
        bring_data(audit, attachments_of(page), other)
        again = page_of(audit, other)
        assert np.array_equal(again.table.scores, given.scores)
        assert again.worst().value == page.worst().value
