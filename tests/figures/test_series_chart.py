"""The chart of a series: bounds by audit, refuted ones marked, claims as lines, names as text."""

import json

import pytest
from helpers.series import series_of

import workbench as wb
from workbench.figures.kit.svg import svg
from workbench.figures.kit.theme import LIGHT, paint
from workbench.figures.series import series_chart


def chart_of(series):
    return series_chart(series.audits, series.name)


def traces(figure, name):
    return [one for one in figure["data"] if one.get("name") == name]


def test_every_audit_is_a_point_with_its_confidence():
    series = series_of([1.0, 1.2, 2.5], claims=("approx(4, 1e-5)", "pure(1)"))
    figure = chart_of(series)
    bounds, refutes = traces(figure, "lower bound"), traces(figure, "refutes a claim")
    shown = sorted([*zip(bounds[0]["x"], bounds[0]["customdata"], strict=True),
                    *zip(refutes[0]["x"], refutes[0]["customdata"], strict=True)])  # fmt: skip
    assert [x for x, _ in shown] == [1, 2, 3]
    for (_, text), one in zip(shown, series, strict=True):
        assert f"{one.bound.rounded}<br>" in text
        assert f"{100 * one.confidence:.6g}"[:5] in text
        assert "confidence" in text
    assert list(refutes[0]["x"]) == [one.position for one in series.refuted]
    assert refutes[0]["marker"]["symbol"] == "diamond"
    assert "Audits that refute a claim: " in figure["layout"]["meta"]["summary"]


def test_claims_are_lines_where_they_are_near():
    near = chart_of(series_of([1.0, 2.0], claims=("approx(2, 1e-5)",)))
    assert any("claimed: approx(2, 1e-5)" in one["text"] for one in near["layout"]["annotations"])
    (line,) = [one for one in near["layout"]["shapes"] if one.get("xref") == "paper"
               and one.get("y0") == one.get("y1") == 2]  # fmt: skip
    assert line["line"]["dash"] == "dash"
    far = chart_of(series_of([0.5], claims=("pure(60)",)))
    assert not any("claimed" in one["text"] for one in far["layout"]["annotations"])
    assert "pure(60) allows ε = 60" in far["layout"]["meta"]["summary"]


def test_a_pair_as_claim_has_a_verdict_and_no_line():
    figure = chart_of(series_of([2.0], claims=("dpsgd(noise=4, rate=0.01, steps=10)",)))
    (refutes,) = traces(figure, "refutes a claim")
    assert "no leakier than DP-SGD" in refutes["customdata"][0]


def test_an_empty_series_says_so():
    assert "no audit with a bound" in json.dumps(chart_of(wb.AuditSeries("x")), ensure_ascii=False)


@pytest.mark.parametrize("mus", [[], [1.0], [1.0] * 12 + [3.0]])
def test_the_picture_can_draw_it(mus):
    figure = chart_of(series_of(mus, n=60))
    drawn = svg(paint(figure, LIGHT))
    assert drawn.startswith("<svg")
    json.dumps(paint({"data": [], "layout": figure["layout"]}, LIGHT))


def test_names_are_text_for_a_pointer():
    nasty = "<b>bold</b>\n<a href='x'>link</a> & %{x} " + "é" * 10_000
    figure = series_chart(series_of([1.0], names=[nasty]).audits, nasty)
    (text,) = traces(figure, "lower bound")[0]["customdata"]
    assert "<b>" not in text
    assert "‹b›bold" in text
    assert len(text) < 400
