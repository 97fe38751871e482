"""The report on one page: what is on it, in which order, and what is left out."""

from __future__ import annotations

import dataclasses

import pytest
from helpers.one_page import LONG, stuffed
from helpers.reports import NAMES, NASTY, page_audit, visible

from workbench.cli import main
from workbench.pages.registry import PAGES
from workbench.reports.contents import Contents
from workbench.reports.forms import DOCUMENTS, FORMS
from workbench.reports.html import html
from workbench.reports.one_page.content import (
    CHARTS,
    LONGEST,
    NOT_TESTED,
    NUMBERS,
    fitted,
    one_page,
    shortened,
)
from workbench.reports.one_page.document import DENSE
from workbench.reports.summary import _NOT_SHOWN
from workbench.reports.write import report_bytes, write_report


def page_of(name):
    audit = page_audit(name)
    return one_page(Contents(audit, audit.live))


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_an_answer_a_chart_numbers_and_how_to_check_it(name):
    page, audit = page_of(name), page_audit(name)
    assert page.words
    assert page.evidence
    assert page.chart is not None
    assert page.chart.figure["data"]
    assert page.summary
    assert 0 < len(page.numbers) <= NUMBERS
    assert page.rests_on
    assert page.not_tested
    assert page.size < DENSE
    checks = dict(page.checks)
    assert "computes every number again" in checks["Same numbers?"]
    assert audit.software["dp-audit-workbench"] in checks["Version"]


def test_tables_by_page_name_pages_and_charts():
    assert set(NOT_TESTED) | set(_NOT_SHOWN) == set(NAMES)
    for name, chart in CHARTS.items():
        assert chart in {one.name for one in PAGES[name].kind.figures()}


@pytest.mark.parametrize("name", NAMES)
def test_bounds_come_first_and_each_number_has_its_guarantee(name):
    audit = page_audit(name)
    by_title = {one.title: one for one in audit.numbers}
    shown = [(card, by_title[card.title]) for card in page_of(name).numbers]
    kinds = [
        0
        if one.bound is not None and not one.bound.void and one.bound.guarantee != "estimate"
        else 1
        for _, one in shown
        if not one.main
    ]
    assert kinds == sorted(kinds)
    for card, one in shown:
        if one.bound is not None:
            assert card.badge == ("not valid" if one.bound.void else one.bound.guarantee)
            assert card.value == one.bound.rounded


def test_a_void_number_is_said_to_be_so():
    page = page_of("pairlab")
    assert any("“ε at the best threshold” is not valid" in text for text in page.not_tested)
    assert "ε at the best threshold" not in [card.title for card in page.numbers]


def test_the_data_are_named_with_their_hash_and_the_record_with_its_own():
    audit = stuffed(page_audit("scores"), "release 7")
    page = one_page(Contents(audit))
    labels = [label for label, _ in page.checks]
    assert labels[:5] == ["Data", "SHA-256", "Data", "SHA-256", ""]
    assert ("SHA-256", "0" * 64) in page.checks
    assert ("", "2 more data sets in the complete report.") in page.checks
    assert ("Record", f"SHA-256 {audit.sha256}") in page.checks
    assert f"workbench report {audit.key} -o check.ipynb" in dict(page.checks)["Same numbers?"]


def test_an_audit_of_an_earlier_version_has_its_verdict_or_its_first_number():
    audit = page_audit("scores")
    old = dataclasses.replace(
        audit, sentences=tuple(one for one in audit.sentences if one.place != "answer")
    )
    verdict = {"claim": "μ = 1", "verdict": "refuted", "explanation": "The claim is refuted."}
    page = one_page(Contents(dataclasses.replace(old, verdicts=(verdict,))))
    assert (page.words, page.evidence, page.tone) == ("Refuted", "The claim is refuted.", "bad")
    page = one_page(Contents(dataclasses.replace(old, verdicts=())))
    assert page.words == "ε lower bound ≥ 2.23"
    assert page.evidence.startswith("With 95% certainty")
    bare = dataclasses.replace(old, verdicts=(), numbers=(), sentences=(), figures=())
    page = one_page(Contents(bare))
    assert (page.words, page.tone, page.chart) == ("Nothing to conclude", "void", None)
    assert "no chart" in visible(html(Contents(bare), form="one-page"))


def test_an_imported_audit_is_marked():
    audit = stuffed(page_audit("counts"), "release 7")
    page = one_page(Contents(audit))
    assert page.warnings[0] == "release 7"


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts_are_shortened_and_what_is_left_out_is_counted(text):
    page = one_page(Contents(stuffed(page_audit("scores"), text)))
    assert len(page.words) <= LONGEST["words"]
    assert len(page.title) <= LONGEST["title"]
    assert page.title.endswith("…")
    assert page.warnings[-1] == "3 more in the complete report."


def test_what_fits_is_kept_as_it_is():
    assert shortened("a b\n c", 5) == "a b c"
    assert shortened("one two three", 9) == "one two…"
    assert shortened("x" * 9, 5) == "xxxx…"
    assert fitted(["a", "b"], 200) == ("a", "b")
    assert fitted(["a", "b", "c"], 120) == ("a", "b", "1 more in the complete report.")
    assert fitted(["a" * 150, "b"], 100) == ("a" * 99 + "…", "1 more in the complete report.")
    assert fitted([], 100) == ()


def test_names_are_text():
    audit = stuffed(page_audit("counts"), NASTY)
    document = html(Contents(audit), form="one-page")
    assert "<img src=x" not in document
    assert "<script" not in document
    assert "default-src 'none'; script-src 'none'" in document


def test_both_forms_in_one_document_and_the_complete_one_stays_as_it_was():
    audit = page_audit("counts")
    contents = Contents(audit, audit.live)
    complete, page, both = (html(contents, form=form) for form in FORMS)
    assert complete == html(contents)
    assert "<article" not in complete
    assert "Reproduce the numbers" not in visible(page)
    assert visible(both).index("How to check it") < visible(both).index("Reproduce the numbers")


def test_a_form_that_there_is_not_is_refused_with_those_that_there_are(tmp_path):
    audit = page_audit("counts")
    with pytest.raises(ValueError, match="one of complete, one-page, both; got 'short'"):
        report_bytes(audit, "html", form="short")
    for kind in ("md", "json", "ipynb"):
        with pytest.raises(ValueError, match=r"needs \.html or \.pdf"):
            write_report(audit, tmp_path / f"a.{kind}", form="one-page")
    assert list(tmp_path.iterdir()) == []
    assert set(DOCUMENTS) == {"html", "pdf"}


def test_from_python_and_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    path = page_audit("counts").report(tmp_path / "a.html", form="one-page")
    assert "What was not tested" in visible(path.read_text(encoding="utf-8"))
    scores = tmp_path / "scores.csv"
    rows = "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90))
    scores.write_text(f"in,out\n{rows}", encoding="utf-8")
    out = tmp_path / "b.html"
    assert main(["report", str(scores), "-o", str(out), "--form", "one-page"]) == 0
    assert "What was not tested" in visible(out.read_text(encoding="utf-8"))
    assert main(["report", str(scores), "-o", str(tmp_path / "b.md"), "--form", "one-page"]) == 2
    assert "needs .html or .pdf" in capsys.readouterr().err
