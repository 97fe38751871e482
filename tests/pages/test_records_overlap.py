"""The comparison of attacks on the page Records: its numbers, when it is computed, its state."""

from __future__ import annotations

import re
from itertools import combinations
from unittest import mock

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.figures.kit.svg import svg
from workbench.figures.paper.export import figure_bytes
from workbench.figures.paper.table import figure_csv
from workbench.figures.records.overlap import overlap
from workbench.pages.auditing.attached import attachments_of, bring_data
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.inputs.code import code_of
from workbench.pages.inputs.spec import Spec
from workbench.pages.records import attacks as attacks_module
from workbench.pages.records import ranking as ranking_module
from workbench.pages.records.attacks import ComparedAttacks, Together
from workbench.pages.records.page import RecordsPage
from workbench.workspaces.score_tables.sources import DrawnTableSource
from workbench.workspaces.workspace import Workspace

DRAWN = DrawnTableSource().key


def signals(models=32, n=8, seed=0, **more):
    """Log-odds, of which those of the first record are larger for members."""
    generator = np.random.default_rng(seed)
    member = generator.random((models, n)) < 0.5
    scores = generator.normal(size=(models, n)) + 6 * member * (np.arange(n) == 0)
    return wb.ScoreTable(scores, member, sampling="independent runs", **more)


def draw(page):
    """The chart as SVG and as it goes to browsers, and the sentence."""
    chart = page.attack_overlap()
    assert svg(chart).startswith("<svg")
    board.content(chart)
    return chart["layout"]["meta"]["summary"], page.attack_words()


def test_nothing_is_computed_until_the_scores_are_signals():
    with mock.patch.object(attacks_module, "attacks_of", side_effect=AssertionError):
        page = RecordsPage()
        for item in page.items():
            page.draw(item)
        assert draw(page) == ("To compare attacks, set “Scores are”.", "")


def test_the_numbers_are_those_of_the_library():
    page = RecordsPage(scores_are="log-odds", fpr=0.1)
    t = page.table
    named = wb.SignalTable(t.scores, t.member, sampling=t.sampling)
    lira, rmia = named.lira(), named.rmia()
    rows = np.isin(named.as_scores().model_names, lira.models)
    tables = {"a": named.as_scores().of_models(rows), "b": lira, "c": rmia}
    assert all(np.array_equal(one.member, lira.member) for one in tables.values())
    direct = wb.compare_attacks(tables, 0.1)
    found = page.comparison()
    assert list(found.numbers.values()) == direct.numbers.tolist()
    assert np.array_equal(found.jaccard, direct.jaccard, equal_nan=True)
    assert [n for _, n in found.intersections] == [n for _, n in direct.intersections]
    limits = direct.each_record(page.delta.value, 0.95)
    assert np.array_equal(found.together.limits, limits.values)
    summary, words = draw(page)
    assert f"LiRA finds {direct.numbers[1]}" in summary
    assert f"LiRA with RMIA {direct.jaccard[1, 2]:.0%}" in words
    count = int((limits.values > page.epsilon).sum())
    assert f"at least {count} record" in page.together_words()
    assert "no guarantee" in words
    assert "64 models" in words


def test_leaking_records_are_found_by_all_three():
    page = RecordsPage(data=DRAWN, scores_are="log-odds")
    assert page.comparison().intersections[1] == (("signal itself", "LiRA", "RMIA"), 5)
    assert "all three: 5" in draw(page)[0]
    page.epsilon = 0.5
    assert "at least 5 records exceed ε₀ = 0.5" in page.together_words()


@pytest.mark.parametrize("kind", ["log-odds", "probability", "loss"])
def test_kinds_of_signals(kind):
    given = signals(models=64, n=40)
    p = 1 / (1 + np.exp(-given.scores))
    scores = {"log-odds": given.scores, "probability": p, "loss": -np.log(p)}[kind]
    page = RecordsPage(
        wb.ScoreTable(scores, given.member, larger_is_member=kind != "loss"), scores_are=kind
    )
    # The first record is found by each of the attacks, and one number serves all kinds of signals.
    tables = attacks_module.attacks_of(page.table, kind)
    assert all(wb.compare_attacks(tables, 0.05).found[:, 0])
    expected = attacks_module.attacks_of(given, "log-odds")
    for name in ("LiRA", "RMIA"):
        assert tables[name].scores == pytest.approx(expected[name].scores, rel=1e-6, abs=1e-9)
    draw(page)


REFUSED = {
    "out of range": ({}, "probability", "lie in [0, 1]"),
    "direction": ({}, "loss", "Losses are smaller for members"),
    "few models": ({"models": 3}, "log-odds", "3 models cannot be split"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_compared_is_named(why):
    more, kind, said = REFUSED[why]
    page = RecordsPage(signals(**more), scores_are=kind)
    summary, words = draw(page)
    assert summary == "No comparison of attacks is possible."
    assert said in words
    for item in page.items():
        page.draw(item)


def test_a_rate_that_few_models_cannot_show_is_named():
    page = RecordsPage(signals(), scores_are="log-odds", fpr=0.001)
    assert "too few for a false positive rate of 0.001" in draw(page)[1]
    page.fpr = 0.1
    assert isinstance(page.comparison(), ComparedAttacks)


def test_a_move_computes_no_attack_again():
    page = RecordsPage(data=DRAWN, scores_are="log-odds")
    draw(page)
    with (
        mock.patch.object(attacks_module, "attacks_of", side_effect=AssertionError),
        mock.patch.object(attacks_module, "together_of", side_effect=AssertionError),
    ):
        for fpr, epsilon, rank in ((0.01, 1.0, 1), (0.1, 0.2, 7)):
            page.param.update(fpr=fpr, epsilon=epsilon, rank=rank)
            draw(page)


def test_a_large_table_is_compared_when_asked(monkeypatch):
    expected = RecordsPage(data=DRAWN, scores_are="log-odds").comparison()
    monkeypatch.setattr(ranking_module, "SMALL", 100)
    page = RecordsPage(data=DRAWN)
    offered = {c.name: c.offered(page) for c in page.signals.attacks.controls}
    assert offered == {"scores_are": True, "fpr": False, "compare_attacks": False}
    page.scores_are = "log-odds"
    assert all(control.offered(page) for control in page.signals.attacks.controls)
    with mock.patch.object(attacks_module, "attacks_of", side_effect=AssertionError):
        assert draw(page) == ("Press “Compare attacks”.", "")
    fractions = []
    page.work.run("compare_attacks")
    page.compare_attacks(lambda done=None, *rest: fractions.append(done))
    told = [done for done in fractions if done is not None]
    assert told == sorted(told)
    assert told[-1] == 1.0
    found = page.comparison()
    assert (found.numbers, found.intersections) == (expected.numbers, expected.intersections)
    assert np.array_equal(found.together.limits, expected.together.limits)
    shown = draw(page)
    page.fpr = 0.01
    assert page.work.state("compare_attacks").stale
    assert draw(page) == shown  # which states its own rate
    page.larger_is_member = False
    assert draw(page)[0] == "Press “Compare attacks”."


def test_another_kind_after_looking_voids_the_limits():
    page = RecordsPage()
    page.scores_are = "log-odds"
    assert page.looked == ""
    page.scores_are = "probability"
    assert page.looked == "what the scores are"
    assert "not valid: what the scores are was changed" in page.validity.sentence
    page.scores_are = "log-odds"  # as before anything was seen
    assert page.looked == ""


def test_settings_come_back_and_another_table_has_no_kind():
    ws = Workspace()
    kept = ws.add_table(signals(name="mine"))
    page = RecordsPage(workspace=ws, data=kept.key)
    page.param.update(scores_are="log-odds", fpr=0.1)
    again = RecordsPage(workspace=ws, data=DRAWN, scores_are="log-odds")
    assert again.restore(page.settings()) == []
    assert (again.scores_are, again.fpr, again.looked) == ("log-odds", 0.1, "")
    assert draw(again) == draw(page)
    again.data = DRAWN
    assert again.scores_are == ""


def test_the_shown_code_gives_the_comparison():
    page = RecordsPage(scores_are="log-odds")
    code = code_of(page, Spec(page, page.at_start()).changes())
    space = {}
    exec(code.rpartition("view = ")[0], space)
    found = page.comparison()
    assert dict(zip(space["overlap"].names, space["overlap"].numbers, strict=True)) == found.numbers
    assert np.array_equal(space["together"].values, found.together.limits)
    assert re.search(r"spec=\{[^}]*'scores_are': 'log-odds'", code)
    assert "SignalTable" not in code_of(RecordsPage(), {})


@pytest.mark.parametrize("fields", ["one record", "all in all models", "no leak", "ties"])
def test_odd_tables(fields):
    given = {
        "one record": lambda: signals(n=1),
        "all in all models": lambda: wb.ScoreTable(np.zeros((6, 3)), np.ones((6, 3), bool)),
        "no leak": lambda: signals(n=40, seed=3),
        "ties": lambda: wb.ScoreTable(np.zeros((32, 5)), signals(n=5).member),
    }[fields]()
    page = RecordsPage(given, scores_are="log-odds")
    draw(page)
    found = page.comparison()
    if isinstance(found, ComparedAttacks) and isinstance(found.together, Together):
        assert "nan" not in page.attack_words() + page.together_words()


def test_the_chart_counts_every_record_once():
    combined = [((), 80), *((names, 2) for k in (1, 2, 3) for names in combinations("abc", k))]
    drawn = overlap(dict.fromkeys("abc", 8), combined, 0.01, 94)
    texts = [note["text"] for note in drawn["layout"]["annotations"]]
    assert "By none: 80 of 94 records" in texts
    assert svg(drawn).startswith("<svg")
    assert "…" not in figure_bytes(drawn, "svg").decode()  # a text cut off
    table = figure_csv(drawn).splitlines()[1:]
    assert table[:4] == ["a,8,1", "b,8,2", "c,8,3", "a alone,2,5"]
    assert sum(int(row.split(",")[1]) for row in table[3:]) + 80 == 94


def test_an_audit_keeps_the_comparison():
    page = RecordsPage(signals(n=40, name="mine"), scores_are="log-odds", fpr=0.1)
    audit, other = audit_of(page), Workspace()
    bring_data(audit, attachments_of(page), other)
    assert draw(page_of(audit, other)) == draw(page)
