"""The command of the five papers: kept parts, totals, tables and pages, on items made up here."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import papers
from benchmarks.papers import command, registry
from benchmarks.papers.drawing import svg
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.page import document
from benchmarks.papers.registry import PAPERS
from benchmarks.papers.run import Run, cpu

LINE = Line("μ", "0.8582", 0.85823, "exact")


def item(lines=(LINE,), charts=(), name="Fig. 1"):
    found = Found(Verdict.EQUAL, list(lines), tuple(charts))
    return Item(name, "A figure", "*Scores*", lambda run: found)


# -- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "ours", "text", "deviation"),
    [
        ("0.8582", 0.85823, "0.8582", 0),
        ("0.8582", 0.85826, "0.8583", 1e-4 / 0.8582),
        ("5.90", 6.288, "6.29", 0.39 / 5.90),
        ("1e-05", 1.04e-5, "1e-05", 0),
        ("0", 0.2, "0", 0),
        ("0.0", 0.2, "0.2", 0.2),
        ("2.5", math.inf, "∞", math.inf),
        ("tight", 0.123456, "0.1235", None),
        ("2.5", "2.4 ± 0.1", "2.4 ± 0.1", None),
    ],
)
def test_ours_is_written_and_compared_as_it_is_printed(printed, ours, text, deviation):
    line = Line("what", printed, ours, "exact")
    assert line.ours_text == text
    assert line.deviation == (deviation if deviation is None else pytest.approx(deviation))


def test_a_line_may_have_a_verdict_of_its_own():
    found = Found(Verdict.TIGHTER, [LINE])
    assert found.verdict_of(LINE) == "tighter"
    assert found.verdict_of(replace(LINE, verdict=Verdict.EQUAL)) == "equal"
    assert found.verdict_of(replace(LINE, why="a bound")) == "tighter: a bound"


# -- parts that are kept ---------------------------------------------------------------------------


def test_a_full_run_resumes_after_an_interruption(tmp_path):
    calls = []

    def part(name, broken=False):
        def compute():
            calls.append(name)
            if broken:
                raise KeyboardInterrupt
            return {"values": np.arange(3), "mean": np.float64(0.5), "pair": (1, 2)}

        return compute

    run = Run(tmp_path, full=True)
    first = run.kept("a, n = 10", part("a"))
    with pytest.raises(KeyboardInterrupt):
        run.kept("b", part("b", broken=True))
    again = Run(tmp_path, full=True)
    assert again.kept("a, n = 10", part("a")) == first
    assert first == {"values": [0, 1, 2], "mean": 0.5, "pair": [1, 2]}
    again.kept("b", part("b"))
    assert calls == ["a", "b", "b"]


def test_other_scales_and_seeds_have_parts_of_their_own(tmp_path):
    assert Run(tmp_path, full=True, seed=1).kept("a", lambda: 1) == 1
    assert Run(tmp_path, full=True, seed=2).kept("a", lambda: 2) == 2
    assert Run(tmp_path, seed=1).kept("a", lambda: 3) == 3
    assert Run(tmp_path, seed=1).kept("a", lambda: 4) == 4  # the default computes anew
    run = Run(tmp_path, full=True, seed=1)
    run.forget()
    assert run.kept("a", lambda: 5) == 5
    assert Run(tmp_path, full=True, seed=2).kept("a", lambda: 6) == 2


def test_what_is_no_json_is_refused(tmp_path):
    with pytest.raises(TypeError, match="JSON, got Line"):
        Run(tmp_path).kept("a", lambda: LINE)


def test_cpu_seconds_count_children_and_parts_of_earlier_runs(tmp_path):
    start = cpu()
    work = [sys.executable, "-c", "sum(range(10**7)); print(flush=True); input()"]
    with subprocess.Popen(work, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        running = cpu()  # the shared processes of the workbench do not end
        if sys.platform == "linux":
            assert running > start + 0.05
        child.communicate(b"\n")
    assert cpu() >= max(running, start + 0.05)

    run = Run(tmp_path, full=True)
    run.kept("a", lambda: sum(range(10**6)))
    again = Run(tmp_path, full=True)
    again.kept("a", lambda: 0)
    assert again.read > 0


def test_streams_of_a_run_are_reproducible_and_differ(tmp_path):
    draws = [Run(tmp_path, seed=s).rng(*k).random() for s, k in ((0, ()), (0, (1,)), (1, ()))]
    assert len(set(draws)) == 3
    assert Run(tmp_path).rng().random() == draws[0]


# -- what the command says -------------------------------------------------------------------------


def done(*items):
    return [command.Done(one, one.make(Run(None)), 1.5) for one in items]


def test_totals_name_the_largest_deviation_and_why():
    off = Line("ε", "5.90", 6.29, "upper bound", "the print loses a tail")
    said = command.totals(done(item(), item([LINE, off], name="Table 4")), Run(None, seed=3))
    assert "Items: 2; lines: 3, of which 3 compare numbers; seed 3" in said
    assert "3.0 CPU seconds" in said
    assert "6.6%: Table 4, ε, printed 5.90, ours 6.29 (the print loses a tail)." in said
    assert command.totals(done(item()), Run(None)).endswith("rounded as printed.")


@pytest.fixture
def two_items(monkeypatch):
    def draw(panels):
        panels[0].plot([0, 1], [0, 1])

    items = (item(charts=[Chart("fig-1", draw, "A < line")]), item(name="Fig. 2"))
    paper = type("Paper", (), {"name": "bits", "key": "BITS", "source": "A & B", "items": items})()
    monkeypatch.setitem(PAPERS, "bits", paper)


def test_the_command_prints_a_table_and_writes_a_page(two_items, tmp_path, capsys):
    assert benchmarks.main(["papers", "bits", "--out", str(tmp_path), "--rows"]) == 0
    printed = capsys.readouterr().out
    assert "what  printed  ours    verdict" in printed
    assert "item    place     lines  deviation  verdict  CPU s" in printed
    assert "Fig. 2  *Scores*  1      0.0%       equal" in printed
    assert "| Fig. 2 | μ | *Scores* | 0.8582 | 0.8582 | exact | equal |" in printed
    page = (tmp_path / "bits.html").read_text(encoding="utf-8")
    assert page.count("<section") == 2
    assert "A &lt; line" in page
    assert "A &amp; B" in page
    # Nothing is loaded: the only source is in the page.
    assert page.count("src=") == page.count('src="data:image/svg+xml;base64,') == 1
    assert "http" not in page
    assert "<script" not in page


def test_each_reason_is_printed_once():
    one, two = (replace(LINE, ours=ours, why="a tail is lost") for ours in (0.9, 0.95))
    text = command.lines_of(*done(item([one, two, LINE])))
    assert text.count("equal [1]") == 2
    assert text.endswith("\n[1] a tail is lost.")


def test_one_item_alone(two_items, tmp_path, capsys):
    assert command.command(["bits", "--item", "Fig. 2", "--out", str(tmp_path)]) == 0
    assert "Fig. 1" not in capsys.readouterr().out


def test_all_benchmarks_have_the_lines_of_the_papers(two_items, monkeypatch, capsys):
    monkeypatch.setattr(registry, "PAPERS", {"bits": PAPERS["bits"]})
    assert papers.main() == [
        ("BITS Fig. 1: μ", "0.8582", "0.8582"),
        ("BITS Fig. 2: μ", "0.8582", "0.8582"),
    ]


@pytest.mark.parametrize("given", [["nobody"], ["bits", "--item", "Fig. 99"]])
def test_unknown_papers_and_items_are_named(given, capsys):
    with pytest.raises(SystemExit, match="2"):
        benchmarks.main(["papers", *given])
    assert given[-1] in capsys.readouterr().err


def test_more_than_three_panels_are_drawn_in_rows():
    asked = []

    def draw(panels):
        asked.append([axes.get_subplotspec().get_geometry()[:2] for axes in panels])

    for columns in (1, 3, 4, 5):
        svg(Chart("c", draw, "caption", columns))
    assert asked == [[(1, 1)], [(1, 3)] * 3, [(2, 2)] * 4, [(2, 3)] * 5]


def test_a_page_without_charts():
    run = Run(None)
    assert "<section" in document(PAPERS["bits"], done(item()), run, "totals")
