"""Names that mean something in an output language are text in whatever writes them."""

from __future__ import annotations

import ast
import dataclasses
import json
import logging
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import nbformat
import pytest
from helpers.junit import assert_junit
from helpers.nasty_documents import (
    MARKDOWN,
    chart,
    chart_of_series,
    html_report,
    mechanism_audit,
    named,
    recorded,
    representations,
    sample,
    score_audit,
)
from helpers.nasty_names import (
    HARMLESS,
    NASTY_NAMES,
    RENDERERS,
    one_line,
    parsed,
    rows_of,
)
from helpers.reports import page_audit, page_states

import workbench as wb
from workbench._markup import visible, visible_lines
from workbench.bounds.latex import escape as escape_latex
from workbench.cli.mechanism_audit.formats import FORMATS as MECHANISM_FORMATS
from workbench.cli.mechanism_audit.formats import MechanismReport
from workbench.cli.output import ShownNames, say, say_table
from workbench.cli.score_audit.formats import FORMATS as SCORE_FORMATS
from workbench.figures.kit.svg import svg
from workbench.figures.paper.table import figure_csv
from workbench.pages.auditing.notebook import notebook_of
from workbench.pages.scores.page import ScoresPage
from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.write import report_bytes
from workbench.server.handlers.downloads import file_name
from workbench.server.operations.log import JSONFormatter, LineFormatter

#: Characters that act where a line is shown.
ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def failing(check):
    """What a check says of each name that does not pass it."""
    found = {}
    for label, name in NASTY_NAMES.items():
        try:
            check(name)
        except Exception as error:
            found[label] = f"{type(error).__name__}: {str(error)[:400]}"
    return found


def shown(name):
    """A name as HTML and code show it."""
    return one_line(visible_lines(name))


def shown_in_a_line(name):
    """A name as Markdown and terminals show it."""
    return one_line(visible(" ".join(name.split())))


# -- HTML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [html_report, representations])
def test_a_name_is_text_in_html(write):
    def check(name):
        document = write(name)
        found = parsed(document)
        assert found.elements == parsed(write(HARMLESS)).elements
        assert not ACTING.search(document)
        assert found.text.count(shown(name)) >= 5

    assert failing(check) == {}


def test_names_leave_no_script_of_a_live_report():
    audit = page_audit("counts")
    for name in (one for one in NASTY_NAMES.values() if "<!--" in one or "</script" in one):
        one = dataclasses.replace(named(audit, name), live=None)
        document = html(Contents(one), page_states("counts"))
        assert document.count("<script") == document.count("</script>") == 4
        frame = re.search(r'id="frame">(.*?)</script>', document, re.S)[1]
        assert json.loads(frame)["numbers"][0]["title"] == name


# -- Markdown -----------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("write", MARKDOWN)
def test_a_name_is_text_in_markdown(write, renderer):
    def check(name):
        source, render = write(name), RENDERERS[renderer]
        assert not ACTING.search(source)
        outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", source, flags=re.M | re.S)
        assert not re.search(r"<(?!/?span>)[a-z!/?]|\]\(", re.sub(r"(`+)[^`].*?\1", "", outside))
        found = parsed(render(source))
        assert without_parts(found.elements) == usual
        assert shown_in_a_line(name) in found.text

    usual = without_parts(parsed(RENDERERS[renderer](write(HARMLESS))).elements)
    assert failing(check) == {}


def without_parts(elements):
    """Elements without those that part a note of several lines, or what begins a formula."""
    return {one: count for one, count in elements.items() if one not in (("span",), ("p",))}


def test_a_name_mentions_nobody():
    """GitHub looks for ``@name`` and ``#1`` in the text that it rendered, outside of code."""

    def check(name):
        for write in MARKDOWN:
            page = RENDERERS["GitHub"](write(name))
            outside = re.sub(r"<(code|pre).*?</\1>", "", page, flags=re.S)
            assert not re.search(r"(?<![\w/])@[a-z\d]|(?<!&)#\d", re.sub(r"<[^>]*>", "", outside))

    assert failing(check) == {}


# -- programs and data --------------------------------------------------------------------------


def test_a_name_is_a_text_of_a_program():
    """Names differ in a program in nothing but its texts and remarks."""
    usual = None
    for name in [HARMLESS, *NASTY_NAMES.values()]:
        made = nbformat.from_dict(notebook_of(named(recorded(), name)))
        nbformat.validate(made)
        workspace = wb.Workspace()
        key = workspace.add_scores(sample(name), "x").key
        with pytest.MonkeyPatch.context() as patch:
            kind = type(workspace.dataset(key))
            renamed = dataclasses.replace(workspace.dataset(key), name=name)
            patch.setattr(type(workspace), "dataset", lambda *given, one=renamed: one)
            assert isinstance(renamed, kind)
            code = ScoresPage(workspace=workspace, data=key).code({})
        programs = [*(one["source"] for one in made["cells"] if one["cell_type"] == "code"), code]
        for program in programs:
            assert not ACTING.search(program)
        shape = [shape_of(program) for program in programs]
        usual = usual or shape
        assert shape == usual, name


def shape_of(program):
    """A program without its texts, and without magics, which IPython would run."""
    assert not re.search(r"^\s*[%!]", program, re.M)
    tree = ast.parse(program)
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            one.value = ""
    return ast.dump(tree)


def test_a_name_is_the_same_in_json():
    def check(name):
        card = report_bytes(named(recorded(), name), "json").decode()
        scores = SCORE_FORMATS["json"](score_audit(name))
        sarif = SCORE_FORMATS["sarif"](score_audit(name))
        mechanism = MECHANISM_FORMATS["json"](MechanismReport(mechanism_audit(name)))
        for text in (card, scores, sarif, mechanism):
            assert not ACTING.search(text)
        assert json.loads(card)["data"][0]["files"] == [name, name]
        assert json.loads(scores)["saved"]["name"] == name
        assert json.loads(mechanism)["mechanism"] == name
        run = json.loads(sarif)["runs"][0]
        assert run["properties"]["saved"]["name"] == name
        for result in run["results"]:  # no link and no placeholder; sections 3.11.5 and 3.11.6
            message = result["message"]["text"]
            assert not re.search(r"(?<!\\)(\\\\)*[\[\]]", message)
            assert not re.search(r"(?<!\{)(\{\{)*\{(?!\{)", message)

    assert failing(check) == {}


def test_a_name_is_text_in_junit():
    def check(name):
        for text in (
            SCORE_FORMATS["junit"](score_audit(name)),
            MECHANISM_FORMATS["junit"](MechanismReport(mechanism_audit(name))),
        ):
            root = ElementTree.fromstring(text)
            assert_junit(root)
            assert {one.tag for one in root.iter()} <= {
                *("testsuites", "testsuite", "properties", "property", "testcase", "failure"),
                *("skipped", "system-out"),
            }
            names = [one.get("value") for one in root.iter("property")]
            assert shown(name) in [one_line(value) for value in names] or visible(name) in names

    assert failing(check) == {}


def test_a_name_is_no_formula_in_a_spreadsheet():
    def check(name):
        rows = rows_of(figure_csv(chart(name)))
        usual = rows_of(figure_csv(chart(HARMLESS)))
        assert [len(row) for row in rows] == [len(row) for row in usual]
        assert [row[1:] for row in rows[1:]] == [
            row[1:] for row in usual[1:]
        ]  # numbers stay numbers
        for row in rows:
            assert not re.match(r"\s*[=+\-@＝＋－＠]", row[0])
        axes = {f"{one}axis": {"title": {"text": name}} for one in "xy"}
        drawn = {"layout": axes, "data": [{"name": name, "x": [-1.0], "y": [2.5]}]}
        head, (first, *numbers) = rows_of(figure_csv(drawn))
        assert numbers == ["-1", "2.5"]
        for cell in (*head, first):
            assert not re.match(r"\s*[=+\-@＝＋－＠]", cell)
            assert not ACTING.search(cell)
        assert not re.search(r"(?m)^[^\"]*;", figure_csv(drawn))  # another country's separator

    assert failing(check) == {}


# -- charts -------------------------------------------------------------------------------------


def test_a_name_is_text_in_charts():
    def check(name):
        for draw in (chart, chart_of_series):
            figure, usual = draw(name), draw(HARMLESS)
            found, known = [re.findall("<[^>]*>", json.dumps(one, default=list)) for one in
                            (without_summary(figure), without_summary(usual))]  # fmt: skip
            assert sorted(found) == sorted(known)
            drawn = ElementTree.fromstring(svg(figure))
            assert drawn.get("aria-label")
            assert {one.tag.rpartition("}")[2] for one in drawn.iter()} <= {
                *("svg", "rect", "clipPath", "g", "path", "circle", "text", "tspan")
            }

    assert failing(check) == {}


def without_summary(figure):
    return {**figure, "layout": {**figure["layout"], "meta": None}}


# -- lines --------------------------------------------------------------------------------------


def test_a_name_is_text_in_lines(capsys):
    def check(name):
        say(name)
        say_table([("name", "value"), (name, "1")])
        say(SCORE_FORMATS["text"](score_audit(name)))
        say(MECHANISM_FORMATS["text"](MechanismReport(mechanism_audit(name))))
        lines = capsys.readouterr().out
        assert not ACTING.search(lines)
        record = logging.LogRecord("workbench.server", 20, "", 0, "name %s", (name,), None)
        record.path = name
        for one in (LineFormatter(), JSONFormatter()):
            assert not ACTING.search(one.format(record))
            assert "\n" not in one.format(record)
        assert ShownNames().filter(record)
        assert "\n" not in record.getMessage()
        assert not ACTING.search(record.getMessage())

    assert failing(check) == {}


def test_a_name_forges_no_line_of_a_build():
    def check(name):
        usual = SCORE_FORMATS["github"](score_audit(HARMLESS)).splitlines()
        lines = SCORE_FORMATS["github"](score_audit(name)).split("\n")
        assert len(lines) == len(usual)
        for line in lines:
            assert re.match(r"::(error|notice|warning) title=[^:,\r\n]*::[^\r\n]*$", line), line
            assert not ACTING.search(line)

    assert failing(check) == {}


def test_a_name_is_part_of_the_name_of_a_file():
    def check(name):
        made = file_name(name)
        assert re.fullmatch(r"[\w-][\w.-]*", made)
        assert len(made) <= 200
        assert unquote(made) == made

    assert failing(check) == {}


def test_a_name_is_text_in_latex():
    def check(name):
        made = escape_latex(name)
        assert made.isprintable()
        known = r"\\(text\w+|[#$%&_{}^~'`\"=.]|[a-zA-Z]+)"
        assert not re.search(r"\\(input|immediate|write|href|begin)\b", made)
        assert re.sub(known, "", made).count("{") == re.sub(known, "", made).count("}")

    assert failing(check) == {}
