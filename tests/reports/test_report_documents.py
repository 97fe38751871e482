"""Reports as documents: what is in them, what is escaped, and that they reproduce the numbers."""

import dataclasses
import json
import re
import subprocess
import sys
from datetime import UTC, datetime

import jsonschema
import nbformat
import pytest
from helpers.pages import upload
from helpers.reports import NAMES, NASTY, page_audit, page_states, visible

import workbench as wb
from workbench._markup import escape_markdown as text
from workbench.audits.audit import Audit
from workbench.audits.items import AuditData
from workbench.audits.plan import Deviation, RegisteredPlan
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.notebook import NOT_SHOWN
from workbench.pages.inputs.data import example_key
from workbench.pages.registry import PAGES
from workbench.reports import pdf as printing
from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.markdown import markdown
from workbench.reports.summary import TESTED, summary
from workbench.reports.write import report_bytes, write_report

#: Of an HTML report, in bytes.
MOST = 3_000_000

VALIDATOR = jsonschema.Draft202012Validator(wb.card_schema())


def contents(name):
    audit = page_audit(name)
    return Contents(audit, audit.live)


def planned(audit, **more):
    plan = RegisteredPlan("Night audit", "scores of release 7", datetime(2026, 3, 4, tzinfo=UTC))
    return dataclasses.replace(audit, plan=plan, **more)


def nasty(audit):
    data = tuple(
        dataclasses.replace(
            one, name=NASTY, source=f"File “{NASTY}”", files=(NASTY,), sha256="0" * 64
        )
        for one in audit.data
    ) or (AuditData("data", NASTY, NASTY),)
    return planned(
        dataclasses.replace(
            audit, name=NASTY, note=NASTY, tags=(NASTY, NASTY), by=NASTY, data=data
        ),
        deviations=(Deviation(NASTY, NASTY, NASTY),),
        series=NASTY,
        position=3,
    )


# -- HTML ---------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_report_has_every_number_as_the_page_shows_it(name):
    audit = page_audit(name)
    document = html(contents(name), page_states(name))
    assert len(document.encode()) < MOST
    seen = visible(document)
    for number in audit.numbers:
        assert f"{number.title} {number.shown}" in seen
        if number.bound is not None and not number.ask:
            assert number.bound.explain() in seen
    for figure in audit.figures:
        assert figure.title in seen
    sections = re.findall(r'<section id="(\w+)"', document)
    order = "summary numbers charts data parameters plan verdicts methods versions reproduce"
    assert sections == [one for one in order.split() if one in sections]


@pytest.mark.slow
def test_a_report_asks_nobody_for_anything():
    document = html(contents("counts"), page_states("counts"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', document)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    markup = re.sub(r"<(style|script)\b.*?</\1>", "", document, flags=re.DOTALL)
    assert not re.search(r"""(src|href|action)=["'](?!data:|#)""", markup)


@pytest.mark.slow
def test_names_and_notes_are_text():
    audit = nasty(page_audit("counts"))
    document = html(Contents(audit, audit.live), page_states("counts"))
    assert "<img src=x" not in document
    assert document.count("<script") == 4  # the frame, the states, plotly.js, and the module
    assert "alert(1)</script>" not in document
    shown = NASTY.replace("\u202e", r"\u202e")  # else it would turn around what follows
    assert visible(document).count(" ".join(shown.split())) >= 8


def test_a_name_of_10000_characters_is_there_as_a_whole():
    long = "<b>\N{GRINNING FACE}“" * 2000
    audit = page_audit("counts").named(long, note=long, tags=(long,))
    assert visible(html(Contents(audit))).count(long) >= 3
    assert text(long) in markdown(Contents(audit))


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("html", r"<h1>lone \ud800 surrogate"),
        ("md", "# lone &#92;ud800 surrogate"),
        ("json", r'"name": "lone \ud800 surrogate"'),
        ("ipynb", "# lone <span>&#92;</span>ud800 surrogate"),
    ],
)
def test_what_no_file_can_hold_is_an_escape(kind, shown):
    audit = page_audit("counts").named("lone \ud800 surrogate")
    assert shown in report_bytes(audit, kind).decode()


def test_the_paper_version_has_no_script_and_nothing_folded():
    document = html(contents("scores"))
    assert "<script" not in document
    assert "<details>" not in document
    assert "script-src 'none'" in document
    assert document.count("<img ") == len(page_audit("scores").figures)


def test_deviations_from_the_plan_are_listed():
    audit = planned(page_audit("counts"))
    assert "departs from this plan in nothing" in visible(html(Contents(audit)))
    assert any("fixed in the plan “Night audit”" in s for s in summary(audit).rests_on)
    departed = dataclasses.replace(audit, deviations=(Deviation("the threshold", "0.5", "0.7"),))
    seen = visible(html(Contents(departed)))
    assert "the threshold 0.5 0.7 voids bounds" in seen
    assert audit.plan.sha256 in seen
    assert "| the threshold | 0.5 | 0.7 | voids bounds |" in markdown(Contents(departed))


def test_a_saved_audit_whose_scores_are_gone_says_so(tmp_path):
    page = PAGES["scores"].kind()
    upload(page, ("mine.csv", "in,out\n" + "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90))))
    audit = audit_of(page)
    kept = Audit.from_dict(json.loads(json.dumps(audit.to_dict())), audit.figures)
    seen = visible(write_report(kept, tmp_path / "gone.html").read_text(encoding="utf-8"))
    assert "cannot be moved: the scores of “mine” are not in this workspace" in seen
    for number in audit.numbers:
        assert f"{number.title} {number.shown}" in seen
    alive = write_report(kept, tmp_path / "here.html", page.workspace)
    assert 'id="sliders"' in alive.read_text(encoding="utf-8")


# -- the summary --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_never_calls_anything_private(name):
    found = summary(page_audit(name))
    words = [
        found.tested,
        *found.warnings,
        *(s for _, s in found.shown),
        *found.void,
        *found.not_shown,
    ]
    assert TESTED[name]
    for text_ in words:
        for claim in re.finditer(r"\b(is|are) (safe|secure|private)\b", text_):
            before = text_[: claim.start()]
            assert re.search(r"\b(not|cannot|no)\b", before), text_
    assert found.not_shown


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_speaks_of_every_bound_as_shown_or_as_not_valid(name):
    audit = page_audit(name)
    found = summary(audit)
    for number in audit.numbers:
        if number.bound is None:
            continue
        if number.bound.void:
            assert any(
                f"“{number.title}”" in text_ and number.bound.void in text_ for text_ in found.void
            )
            assert all(title != number.title for title, _ in found.shown)
        else:
            (said,) = (text_ for title, text_ in found.shown if title == number.title)
            assert number.bound.guarantee != "estimate" or "estimate" in said


def test_a_factor_is_rounded_to_the_safe_side():
    audit = page_audit("counts")
    bound = dataclasses.replace(audit.numbers[0].bound, value=1.0999)
    number = dataclasses.replace(audit.numbers[0], bound=bound)
    ((_, said), *_) = summary(dataclasses.replace(audit, numbers=(number,))).shown
    assert "at least 2.97 times" in said  # e^1.09 = 2.974
    assert "ε ≥ 1.09" in said


def test_a_bound_of_zero_shows_no_leak_and_no_privacy():
    audit = page_audit("counts")
    bound = dataclasses.replace(audit.numbers[0].bound, value=0.0)
    found = summary(
        dataclasses.replace(audit, numbers=(dataclasses.replace(audit.numbers[0], bound=bound),))
    )
    assert "no leak is shown" in found.shown[0][1]
    assert any("not that there is none" in said for said in found.not_shown)


# -- Markdown -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_markdown_has_every_number(name):
    made = markdown(contents(name))
    for number in page_audit(name).numbers:
        assert f"| {text(number.title)} | {text(number.shown)} |" in made
    for line in made.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 4, 5)


def test_markdown_is_escaped():
    made = markdown(Contents(nasty(page_audit("scores"))))
    outside = re.sub(r"^(`{3,})\w*\n.*?\n\1$", "", made, flags=re.DOTALL | re.MULTILINE)
    outside = re.sub(r"`[0-9a-f]{64}`", "", outside)
    assert not re.search(r"(?<!\\)[<\[]", outside)
    assert not re.search(r"(?<!\\)`", outside)
    assert not re.search(r"^\s*(- item|1\. list)", outside, re.MULTILINE)


def test_code_cannot_leave_its_block():
    audit = dataclasses.replace(
        page_audit("counts"), code="import workbench as wb\n\nx = '''\n```\n````'''\n"
    )
    assert "`````python" in markdown(Contents(audit))


def test_code_that_is_no_python_is_shown_as_it_was_recorded():
    audit = dataclasses.replace(page_audit("counts"), code="rm -rf / <b>")
    assert "rm -rf / <b>" in visible(html(Contents(audit)))
    assert "```python\nrm -rf / <b>\n```" in markdown(Contents(audit))


# -- the card -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_card_of_every_page_is_as_the_schema_says(name):
    card = json.loads(report_bytes(page_audit(name), "json"))
    VALIDATOR.validate(card)
    assert Audit.from_dict(card).sha256 == page_audit(name).sha256


def test_a_card_with_all_that_there_may_be_is_as_the_schema_says():
    page = PAGES["scores"].kind()
    upload(page, ("mine.csv", "in,out\n" + "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90))))
    card = nasty(audit_of(page)).to_dict()
    VALIDATOR.validate(json.loads(json.dumps(card)))


def test_a_card_with_a_question_that_was_fixed_in_advance_is_as_the_schema_says():
    page = PAGES["scores"].kind()
    page.asked = "epsilon"
    page.data = example_key("laplace")
    card = json.loads(json.dumps(audit_of(page).to_dict()))
    VALIDATOR.validate(card)
    assert "one question" in json.dumps(card["numbers"])


def test_the_schema_is_a_schema_whose_every_field_is_described():
    schema = wb.card_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(":1")

    def check(part, where):
        for name, field in part.get("properties", {}).items():
            assert field.get("description") or "$ref" in field, (where, name)
            check(field, f"{where}.{name}")
        for one in (part.get("items"), *part.get("anyOf", ())):
            if isinstance(one, dict):
                check(one, where)
        if "properties" in part and where != "card.software":
            assert part.get("additionalProperties") is False, where

    check(schema, "card")
    for name, part in schema["$defs"].items():
        check(part, name)


@pytest.mark.parametrize(
    "change", [{"surprise": 1}, {"card": 2}, {"numbers": [{"name": "x"}]}, {"by": None}]
)
def test_another_card_is_refused_by_the_schema(change):
    card = {**page_audit("counts").to_dict(), **change}
    assert not VALIDATOR.is_valid(card)


# -- writing ------------------------------------------------------------------------------------


def test_the_ending_chooses_the_format(tmp_path):
    audit = page_audit("compare")
    assert write_report(audit, tmp_path / "a.MD").read_text(encoding="utf-8").startswith("# ")
    nbformat.validate(
        nbformat.reads(write_report(audit, tmp_path / "a.ipynb").read_text("utf-8"), 4)
    )
    with pytest.raises(ValueError, match=r"\.html, \.pdf, \.md, \.json, \.ipynb; got 'a\.docx'"):
        write_report(audit, tmp_path / "a.docx")
    with pytest.raises(ValueError, match="one of html, pdf, md, json, ipynb; got 'docx'"):
        report_bytes(audit, "docx")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.MD", "a.ipynb"]


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "audit.md"
    path.write_text("the old one", encoding="utf-8")
    monkeypatch.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        write_report(page_audit("counts"), path)
    assert [one.name for one in tmp_path.iterdir()] == ["audit.md"]
    assert path.read_text(encoding="utf-8") == "the old one"


def test_audit_report_writes(tmp_path):
    path = page_audit("counts").report(tmp_path / "audit.json")
    assert json.loads(path.read_text(encoding="utf-8"))["page"] == "counts"


def test_without_chromium_a_pdf_names_the_command_that_installs_one(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(wb.ReportError, match="apt-get install chromium"):
        write_report(page_audit("counts"), tmp_path / "a.pdf")
    monkeypatch.setenv("CHROMIUM", "/no/such/program")
    with pytest.raises(
        wb.ReportError, match=r"CHROMIUM names '/no/such/program', which is no program"
    ):
        report_bytes(page_audit("counts"), "pdf")


def test_a_chromium_that_hangs_or_fails_is_said(monkeypatch, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(slow))
    with pytest.raises(wb.ReportError, match=r"did not print the report within 0\.2 s"):
        printing.pdf("<p>", 0.2)
    slow.write_text("#!/bin/sh\necho out of memory\nexit 1\n", encoding="utf-8")
    with pytest.raises(wb.ReportError, match="printed no PDF: out of memory"):
        printing.pdf("<p>")


# -- the program --------------------------------------------------------------------------------


def soon_computed(name):
    """The audit of a page: of Coverage with fewer methods and draws, a tenth of its first ones."""
    if name != "coveragelab":
        return page_audit(name)
    page = PAGES[name].kind(group="approximate", log_reps=2.0)
    page.work.run("simulate")
    return audit_of(page, by="Ada Lovelace")


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_program_of_a_report_gives_its_numbers(name, tmp_path):
    audit = soon_computed(name)
    report = Contents(audit, audit.live)
    program = report.program
    assert program in markdown(report)
    checks = [
        f"    wb.same_number({one.name}, {one.bound.value if one.bound else one.text!r})"
        for one in audit.numbers
        if one.shown not in NOT_SHOWN
    ]
    script = tmp_path / "audit.py"
    script.write_text("\n".join([program, *checks]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr
    printed = [line for line in done.stdout.splitlines() if line]
    for number in audit.numbers:
        if number.shown in NOT_SHOWN:
            continue
        (line,) = (
            one
            for one in printed
            if one.startswith((f"{number.title}:", f"{number.title} (not valid"))
        )
        if number.bound is not None:
            assert ("not valid" in line) == bool(number.bound.void)
            if " at " in line or "(" in line:  # a bound, not its value alone
                assert f"{number.bound.relation} {number.bound.rounded}" in line


def test_the_data_of_a_file_are_checked_by_their_hash(tmp_path):
    page = PAGES["scores"].kind()
    upload(
        page, ("it's mine.csv", "in,out\n" + "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90)))
    )
    ((commands, digest),) = Contents(audit_of(page)).checks
    (tmp_path / "it's mine.csv").write_text(
        "in,out\n" + "\n".join(f"{i % 9 + 1},{i % 9}" for i in range(90)), encoding="utf-8"
    )
    program = f"workbench() {{ '{sys.executable}' -m workbench \"$@\"; }}\n{commands}"
    exported = re.sub(r"WORKBENCH_HOME=check ", "", program)
    done = subprocess.run(
        ["sh", "-c", f"WORKBENCH_HOME=check; export WORKBENCH_HOME\n{exported}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert digest in done.stdout, done.stderr
