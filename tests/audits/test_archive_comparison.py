"""Comparisons of audits name exactly what differs, whatever the names, and lay curves together."""

from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.audits.comparison import AuditComparison
from workbench.figures import overlay
from workbench.figures.kit.svg import svg
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage


def pair(name="scores", **changes):
    """Audits of a page before and after a change."""
    page = PAGES[name].kind()
    before = audit_of(page).named("before")
    page.param.update(**changes)
    return AuditComparison((before, audit_of(page).named("after")))


ONE_PARAMETER = [
    ("scores", {"threshold": 0.3}, "threshold", (0.48, 0.3)),
    ("scores", {"log_delta": -6.0}, "log_delta", (-5.0, -6.0)),
    ("counts", {"confidence": 0.99}, "confidence", ("95%", "99%")),
    ("counts", {"tp": 70}, "tp", None),
    ("compare", {"log_delta": -6.0}, "log_delta", (-5.0, -6.0)),
    ("family", {"confidence": 0.99}, "confidence", ("95%", "99%")),
    ("plan", {"log_delta": -6.0}, "log_delta", (-5.0, -6.0)),
]


@pytest.mark.parametrize(("page", "change", "name", "values"), ONE_PARAMETER)
def test_one_parameter_that_differs_is_the_only_one_named(page, change, name, values):
    found = pair(page, **change)
    assert list(found.parameters) == [name]
    assert values is None or found.parameters[name] == values
    assert (found.pages, found.data, found.software, found.plans) == ((), {}, {}, ())
    first, *rest = found.explain().splitlines()
    assert first.startswith(f"The parameter {name} differs: ")
    assert "“before”" in first
    assert "“after”" in first
    assert len(rest) == 1
    assert "numbers" in rest[0]


def test_equal_audits_differ_in_nothing(page_audit):
    found = AuditComparison((page_audit.named("a"), page_audit.named("b")))
    assert found.parameters == {}
    assert found.explain().splitlines() == [
        "The audits have the same page, parameters, data, plan and software.",
        f"All {len(page_audit.numbers)} numbers are the same.",
    ]


def test_numbers_are_side_by_side_with_their_guarantees():
    found = pair(threshold=0.3)
    by_name = {one.name: one for one in found.numbers}
    assert [name for name, one in by_name.items() if one.differs] == ["epsilon_here"]
    before, after = found.audits
    for number in before.numbers:
        both = by_name[number.name]
        assert both.numbers == (number, {one.name: one for one in after.numbers}[number.name])
        assert both.shown[0] == number.shown
        assert both.terms[0] == number.terms
    frame = found.to_frame()
    assert list(frame.columns) == ["before", "after"]
    assert frame.loc[("parameter", "threshold")].tolist() == ["0.48", "0.3"]
    assert frame.loc[("number", "AUC"), "before"].startswith("≈ 0.762 (estimate")


def test_bounds_at_several_deltas_differ_in_any_digit_and_say_at_which():
    by_name = {one.name: one for one in pair(log_delta=-7.0).numbers}
    assert [name for name, one in by_name.items() if one.differs] == ["epsilon"]
    shown = by_name["epsilon"].shown
    assert shown[0].startswith("ε at δ = 1e-5 ≥ ")
    assert shown[1].startswith("ε at δ = 1e-7 ≥ ")
    # Nobody has chosen a threshold in either.
    assert by_name["epsilon_here"].shown == ("choose a threshold", "choose a threshold")


def test_data_differ_by_content_and_reading_and_not_by_name_or_time():
    audit = audit_of(ScoresPage())
    (data,) = audit.data
    own = replace(data, key="", sha256="1" * 64, reading={"layout": "a"}, name="losses")

    def differs(**changes):
        return AuditComparison(
            (replace(audit, data=(own,)), replace(audit, data=(replace(own, **changes),)))
        )

    assert differs(name="renamed", opened="2026-01-01", source="elsewhere").data == {}
    content = differs(sha256="2" * 64)
    assert content.data["data"][1].sha256 == "2" * 64
    assert "The data of data differ in the content: losses in" in content.explain()
    reading = differs(reading={"layout": "b"})
    assert "differ in how they were read" in reading.explain()
    example = AuditComparison((audit, audit_of(with_example("no-leak"))))
    assert list(example.data) == ["data"]
    assert "The data of data differ in the data set: " in example.explain()


def with_example(name):
    page = ScoresPage()
    page.data = f"example:{name}"
    return page


def test_other_differences_are_named(page_audit):
    other = replace(page_audit, software={**page_audit.software, "numpy": "1.0"})
    assert "The version of numpy differs: " in AuditComparison((page_audit, other)).explain()
    assert AuditComparison((page_audit, other)).software["numpy"][1] == "1.0"
    scores = audit_of(ScoresPage())
    pages = AuditComparison((page_audit, scores))
    assert pages.pages == (page_audit.title, scores.title)
    assert pages.explain().startswith("The audits are of different pages: ")
    assert pages.figures == ()


def test_audits_of_one_name_are_told_apart(page_audit):
    found = AuditComparison((page_audit.named("a"), page_audit.named("a"), page_audit.named("b")))
    assert len(set(found.names)) == 3
    assert found.names[2] == "b"


def test_odd_names_appear_as_text():
    odd = "<img src=x onerror=alert(1)>\n" + "x" * 10_000
    found = pair(threshold=0.3)
    found = AuditComparison((found.audits[0].named(odd), found.audits[1]))
    assert "<img" not in found._repr_html_()
    assert "&lt;img" in found._repr_html_()
    assert len(found.explain()) < 1000
    assert len(found.explain().splitlines()) == 2
    for name in found.figures:
        assert "<img" not in str(found.overlay(name))


def test_a_comparison_needs_two_audits(page_audit, in_memory):
    for audits in ((), (page_audit,)):
        with pytest.raises(wb.ArchiveError, match="a comparison needs at least two audits"):
            AuditComparison(audits)
    in_memory.save(page_audit, "kept")
    assert in_memory.compare("kept", page_audit).audits[0].name == "kept"
    with pytest.raises(wb.ArchiveError, match="there is no audit 'absent'"):
        in_memory.compare("kept", "absent")


# -- curves ----------------------------------------------------------------------------------------


def test_curves_of_all_audits_are_in_one_chart():
    first = audit_of(ScoresPage()).named("first")
    second = audit_of(with_example("no-leak")).named("second")
    found = AuditComparison((first, second))
    assert "tradeoff" in found.figures
    chart = found.overlay("tradeoff")
    names = [trace["name"] for trace in chart["data"]]
    assert names[0] == "no leak"  # both have it: once, in gray
    assert chart["data"][0]["line"]["color"] == "@muted"
    for audit, role in ((first, "@p"), (second, "@q")):
        (figure,) = (one.figure for one in audit.figures if one.name == "tradeoff")
        lines = [t for t in figure["data"] if t["mode"] == "lines"]
        own = [t for t in lines if t["name"] != "no leak"]
        shown = [t for t in chart["data"] if t["name"].startswith(f"{audit.name}: ")]
        assert {t["line"]["color"] for t in shown} == {role}
        assert len(shown) == len(own)
        for before, after in zip(own, shown, strict=True):
            np.testing.assert_array_equal(before["x"], after["x"])
            np.testing.assert_array_equal(before["y"], after["y"])
            assert before["line"].get("dash") == after["line"].get("dash")
    key = [note["text"] for note in chart["layout"]["annotations"]]
    assert key[:2] == ["first", "second"]


def test_axes_are_widened_to_what_all_audits_show():
    before, after = pair().audits

    def moved(audit, low, high):
        figure = next(one for one in audit.figures if one.name == "profile")
        layout = figure.figure["layout"]
        x = {**layout["xaxis"], "range": [low, high]}
        changed = replace(figure, figure={**figure.figure, "layout": {**layout, "xaxis": x}})
        return replace(audit, figures=(changed,))

    found = AuditComparison((moved(before, 0, 3), moved(after, -1, 2)))
    assert found.overlay("profile")["layout"]["xaxis"]["range"] == [-1, 3]


def test_charts_over_other_axes_are_not_laid_together():
    audit = audit_of(ScoresPage())
    figure = audit.figures[1]
    layout = {**figure.figure["layout"]}
    layout["xaxis"] = {**layout["xaxis"], "type": "log"}
    other = replace(figure, figure={**figure.figure, "layout": layout})
    found = AuditComparison((audit, replace(audit, figures=(other,))))
    assert found.figures == ()
    with pytest.raises(wb.ArchiveError, match="share no figure 'tradeoff' with curves"):
        found.overlay("tradeoff")


@pytest.mark.parametrize("page", PAGES)
def test_the_charts_of_every_page_can_be_drawn_together(page):
    audit = audit_of(PAGES[page].kind())
    found = AuditComparison((audit.named("a"), audit.named("b"), audit.named("c")))
    for name in found.figures:
        chart = found.overlay(name)
        assert chart["layout"]["meta"]["summary"].endswith("audits: a, b, c.")
        assert svg(chart).startswith("<svg")


def test_many_audits_share_colors(page_audit):
    found = AuditComparison(tuple(page_audit.named(f"audit {n}") for n in range(20)))
    assert len(overlay.ROLES) < 20
    for name in found.figures:
        assert found.overlay(name)["data"]
