"""A series of audits: its error budget, what it knows of its audits, and how it shows itself."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from helpers.series import series_of

import workbench as wb
from workbench.audits.series.audit_series import scores_sha256
from workbench.audits.series.spending import confidence_at, probability_text, spent_at


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.001])
def test_the_levels_add_up_to_the_budget_and_never_beyond(alpha):
    confidence = 1 - alpha
    total = math.fsum(spent_at(k, confidence) for k in range(1, 2001))
    assert total == pytest.approx(alpha * (1 - 1 / 2001), rel=1e-12)
    # In exact arithmetic, for the sum that the docstring proves.
    exact = sum(Fraction(1, k * (k + 1)) for k in range(1, 51))
    assert exact == 1 - Fraction(1, 51)
    assert confidence_at(1, confidence) == 1 - spent_at(1, confidence)


@pytest.mark.parametrize("position", [0, -1, 1.5, "two"])
def test_a_position_is_a_whole_number_from_one(position):
    with pytest.raises(ValueError, match="position must be"):
        spent_at(position)


def test_a_confidence_is_one():
    with pytest.raises(ValueError, match=r"did you mean 0\.95"):
        wb.AuditSeries("nightly", 0.05)
    with pytest.raises(TypeError, match="name of AuditSeries must be text"):
        wb.AuditSeries(3)


def test_what_is_spent_and_left():
    series = series_of([1.0, 1.0, 1.0])
    assert series.spent == pytest.approx(math.fsum(one.spent for one in series), rel=1e-12)
    assert series.spent + series.left == pytest.approx(0.05)
    assert series.left == pytest.approx(0.05 / 4)
    assert series.next_confidence == confidence_at(4)
    assert [one.position for one in series] == [1, 2, 3]
    assert "Spent: 3.75% of an error probability of 5%; left: 1.25%" in series.explain()


def test_a_removed_audit_gives_nothing_back():
    series = series_of([1.0, 1.0])
    first, second = series.audits
    removed = replace(series, audits=(first, replace(second, load=None)))
    assert removed.left == series.left
    assert removed.next_confidence == series.next_confidence
    assert removed.audits[1].bound is None
    assert removed.audits[1].refuted == ()
    assert removed.to_frame()["epsilon"].isna().tolist() == [False, True]
    assert "not saved" in removed._repr_html_()


def test_a_series_knows_its_scores():
    series = series_of([1.0, 1.0])
    again = wb.GaussianPair(1.0).sample(400, seed=2)
    assert series.find(scores_sha256(again)) is series.audits[1]
    assert series.find(scores_sha256(wb.GaussianPair(1.0).sample(400, seed=9))) is None


def test_the_hash_of_scores_is_that_of_their_values_and_direction():
    p, q = np.array([1.0, 0.0, 3.0]), np.array([-1.0, 2.0, 5.0])
    one = scores_sha256(wb.Scores(p, q, name="a", sampling="independent runs"))
    assert one == scores_sha256(wb.Scores(p.astype("f4"), q + 0.0, name="b"))
    assert one == scores_sha256(wb.Scores([1.0, -0.0, 3.0], q))
    assert one != scores_sha256(wb.Scores(p, q, larger_is_member=False))
    assert one != scores_sha256(wb.Scores(q, p))
    assert one != scores_sha256(wb.Scores(np.append(p, -1.0), q[1:]))
    assert one != scores_sha256(wb.Scores(p, q, held_out="a classifier"))


def test_counts_are_recognized_by_values_counts_and_first_rows():
    values, p, q = [0.0, 1.0], [10**9, 2 * 10**9], [2 * 10**9, 10**9]
    one = scores_sha256(wb.CountedScores(values, p, q, name="a"))
    assert one == scores_sha256(wb.CountedScores([-0.0, 1.0], p, q))
    assert one != scores_sha256(wb.CountedScores(values, q, p))
    assert one != scores_sha256(wb.CountedScores([0.0, 2.0], p, q))
    assert one != scores_sha256(wb.CountedScores(values, p, q, larger_is_member=False))
    assert one != scores_sha256(wb.CountedScores(values, p, q, first=([1.0], [0.0])))


def test_refuted_claims_are_named():
    series = series_of([1.0, 2.0], claims=("gdp(1)", "pure(0.5)"))
    assert series.audits[0].refuted == ("pure(0.5)",)
    assert series.audits[1].refuted == ("gdp(1)", "pure(0.5)")
    assert len(series.refuted) == 2
    assert "Refuted: pure(0.5) by audit 1; gdp(1), pure(0.5) by audit 2." in series.explain()
    assert "refuted: gdp(1), pure(0.5)" in series._repr_html_()
    assert series_of([1.0]).explain().endswith("No claim is refuted.")


def test_a_series_as_a_table():
    frame = series_of([1.0, 2.0]).to_frame()
    assert frame["position"].tolist() == [1, 2]
    assert frame["confidence"].tolist() == [confidence_at(1), confidence_at(2)]
    assert frame["left"].tolist() == pytest.approx([0.025, 0.05 / 3])
    assert frame["refuted"].tolist() == ["", "gdp(1)"]
    assert frame["name"].tolist() == ["release 1", "release 2"]
    empty = wb.AuditSeries("nightly").to_frame()
    assert list(empty.columns) == list(frame.columns)


def test_an_empty_series_is_one():
    series = wb.AuditSeries("nightly", 0.9)
    assert series
    assert len(series) == 0
    assert series.spent == 0
    assert "first one is made at 95% confidence" in series.explain()


def test_a_long_series_shows_its_last_audits():
    shown = series_of([1.0] * 23, n=30)._repr_html_()
    assert "3 earlier" in shown
    assert shown.count("<tr>") == 21


def test_names_are_text():
    nasty = "<script>alert('x')</script> **b** `c` \u202e 😀 \x07"
    series = series_of([1.0], name=nasty)
    assert "<script>" not in series._repr_html_()
    assert "&lt;script&gt;" in series._repr_html_()


@pytest.mark.parametrize(
    ("probability", "text"), [(0.05, "5%"), (1 - 0.95, "5%"), (0.05 / 3, "1.67%"), (2e-5, "0.002%")]
)
def test_error_probabilities_as_text(probability, text):
    assert probability_text(probability) == text
