"""Figures of plotly: every chart of every page, and of every result, painted and valid."""

import base64
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
import pytest
from test_paper import PLOTTED

import workbench as wb
from benchmarks import _valid_calls as valid
from workbench.figures import plotly_figures as door
from workbench.figures.kit import marks
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Style
from workbench.figures.kit.theme import paint
from workbench.figures.paper.export import figure_bytes
from workbench.figures.paper.keys import entries
from workbench.figures.paper.look import PRINT
from workbench.figures.results import charts
from workbench.figures.results.overlaid import overlaid
from workbench.pages.registry import PAGES
from workbench.software.extras import MissingPackage

SCORES = wb.GaussianPair(1.0).sample(400, seed=1)
OTHERS = wb.GaussianPair(2.0).sample(400, seed=2)

#: Pages in further states, which draw what they lack at first.
STATES = {
    "scores": {"claim_mu": 0.3},
    "records": {"scores_are": "log-odds"},
    "pairlab": {"pair_kind": "subsampled-gaussian", "draw_many": True},
}


@cache
def drawn(name, state=()):
    """Charts of a page with their titles."""
    page = PAGES[name].kind()
    for setting, value in state:
        setattr(page, setting, value)
    return [(item.name, item.title, page.draw(item)) for item in page.figures()]


def colors(tree):
    """Texts at keys that hold colors."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if name.endswith("color") and isinstance(value, str | list | tuple):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from colors(value)
    elif isinstance(tree, list | tuple):
        for one in tree:
            yield from colors(one)


def same_numbers(shown, asked):
    if isinstance(shown, dict):  # as plotly sends arrays
        shown = np.frombuffer(base64.b64decode(shown["bdata"]), shown["dtype"])
    shown, asked = (np.asarray(values, dtype=object) for values in (shown, asked))
    assert shown.shape == asked.shape
    for a, b in zip(shown.ravel(), asked.ravel(), strict=True):
        assert (a is None and b is None) or a == b or (a != a and b != b)


def small(**more):
    curves = [Style("a curve", "p"), Style("other", "q", "dash"), Style("a rule", "ink", "dot")]
    return chart(
        [
            marks.line(curves[0], [0, 1, 2], [0.1, np.nan, 2]),
            marks.steps(curves[1], [0, 1, 2], [2, 1, 0]),
            marks.rule(curves[2], y=1.5),
            key(curves),
        ],
        axis("x", 0, 2),
        axis("y", 0, 3),
        summary="all of it",
        **more,
    )


# -- every chart ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("theme", door.THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_every_chart_of_every_page_is_valid_and_painted(name, theme):
    for state in ((), tuple(STATES.get(name, {}).items())):
        for of, title, figure in drawn(name, state):
            made = door.plotly_figure(figure, theme, title)
            assert type(made) is go.Figure  # which refuses what the schema lacks
            told = go.Figure(json.loads(made.to_json()))
            assert told.layout.title.text == title
            painted = list(colors(made.to_dict()))
            assert painted
            for color in painted:
                assert re.fullmatch(r"#[0-9A-F]{6}|rgba\(\d+,\d+,\d+,[\d.]+\)", color), (of, color)
            assert '"@' not in made.to_json()
            assert made.layout.meta["summary"] == figure["layout"]["meta"]["summary"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_numbers_of_plotly_are_those_of_the_chart(name):
    for _, title, figure in drawn(name):
        made = door.plotly_figure(figure, title=title)
        for shown, asked in zip(made.data, figure["data"], strict=False):
            for part in ("x", "y", "customdata"):
                if part in asked:
                    same_numbers(shown[part], asked[part])
            assert (shown.name, shown.mode) == (asked["name"], asked["mode"])
        samples = made.data[len(figure["data"]) :]
        assert all(one.meta == door.SAMPLE_OF_KEY for one in samples)
        assert list(made.layout.xaxis.range or ()) == list(
            figure["layout"]["xaxis"].get("range", ())
        )
        rows = entries(figure["layout"])
        named = sorted((one for one in made.data if one.showlegend), key=lambda one: one.legendrank)
        assert [one.name for one in named] == [row.name for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_roles_of_a_figure_of_plotly_are_found_again(name):
    for _, title, figure in drawn(name):
        for theme in door.THEMES:
            back = door.from_plotly(door.plotly_figure(figure, theme, title))
            parts = [paint(one, PRINT) for one in (back, figure)]
            for again, before in zip(*(one["data"] for one in parts), strict=True):
                for part in ("line", "marker", "fillcolor", "error_x"):
                    if part in before and isinstance(before[part], dict):
                        assert {**again[part], **before[part]}.keys() == again[part].keys()
                        assert again[part].get("color") == before[part].get("color")
                    elif part in before:
                        assert again[part] == before[part]
            for part in ("shapes", "annotations"):
                assert len(back["layout"][part]) == len(figure["layout"][part])
            rows = [entries(one["layout"]) for one in parts]
            assert rows[0] == rows[1]


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_print_draws_a_figure_of_plotly_as_its_dict(name):
    _, title, figure = drawn(name)[0]
    back = door.from_plotly(door.plotly_figure(figure, "dark", title))
    assert figure_bytes(back, "svg") == figure_bytes(figure, "svg")


@pytest.mark.parametrize("name", PLOTTED)
def test_every_result_with_a_chart_has_a_figure(name):
    result = PLOTTED[name]()
    for kind in charts.kinds(result):
        for theme in door.THEMES:
            made = result.figure(kind=kind, theme=theme)
            assert type(made) is go.Figure
            assert made.layout.title.text == charts.TITLES[kind]
            assert '"@' not in made.to_json()
    with pytest.raises(ValueError, match="kind must be one of"):
        result.figure(kind="pie")
    with pytest.raises(ValueError, match="theme must be one of"):
        result.figure(theme="blue")


def with_charts():
    for name, make in valid.OBJECTS.items():
        try:
            charts.kinds(make())
        except ValueError:
            continue
        yield name


@pytest.mark.slow
def test_every_object_with_a_chart_shows_it():
    found = list(with_charts())
    assert {"Verdict", "OneRun", "RecordLimits", "MechanismAudit", "FamilyCheck"} < set(found)
    for name in found:
        result = valid.OBJECTS[name]()
        for kind in charts.kinds(result):
            assert result.figure(kind=kind).layout.title.text == charts.TITLES[kind]
            assert result.plot(valid.axes(), kind) is not None
        assert ("<img" in result._repr_html_()) != hasattr(result, "_accounted"), name
        assert "<" not in repr(result)[:1]


# -- what plotly shows ---------------------------------------------------------------------------


def test_a_key_becomes_a_legend():
    made = door.plotly_figure(small())
    assert [one.name for one in made.data] == ["a curve", "other", "a rule"]
    assert made.layout.showlegend
    assert all(one.showlegend for one in made.data)
    assert not made.layout.annotations
    assert [shape.type for shape in made.layout.shapes] == ["line"]
    assert made.data[2].line.dash == "dot"  # a sample of the rule
    assert made.layout.legend.yanchor == "top"


@pytest.mark.parametrize(("theme", "paper"), [("light", "#FFFFFF"), ("dark", "#1C1F23")])
def test_a_figure_has_a_ground_and_our_template_only(theme, paper):
    made = door.plotly_figure(small(), theme)
    assert made.layout.paper_bgcolor == made.layout.plot_bgcolor == paper
    assert made.layout.template == pio.templates["none"]


def test_a_point_stands_for_itself_in_the_legend():
    made = wb.judge(OTHERS, "gdp(0.1)").figure()
    (point,) = [one for one in made.data if one.name == "refuting point"]
    assert point.mode == "markers"
    assert point.showlegend


def test_a_figure_of_rows_is_taller_and_prints_as_before():
    figure = small(height=200)
    made = door.plotly_figure(figure, title="rows")
    assert made.layout.height > 240
    assert door.from_plotly(made)["layout"]["height"] == 200


def test_long_words_of_an_empty_chart_have_lines():
    words = "Open one file with both groups, or two files: one per group, or scores and labels."
    made = door.plotly_figure(empty(words))
    assert "<br>" in made.layout.annotations[0].text
    assert door.from_plotly(made)["layout"]["annotations"][0]["text"] == words


def test_names_of_others_are_text():
    made = door.plotly_figure(small(), title="<b>bold</b>")
    assert "<" not in made.layout.title.text


def test_the_dict_is_not_changed():
    figure = small()
    before = repr(figure)
    door.plotly_figure(figure, "dark", "title")
    assert repr(figure) == before


# -- results over each other ---------------------------------------------------------------------


def test_histograms_are_drawn_over_each_other():
    first, second = wb.histogram(SCORES), wb.histogram(OTHERS)
    made = first.figure(second)
    looks = [(one.line.color, one.line.dash) for one in made.data]
    assert len(set(looks)) == len(made.data) == 4
    assert len({one.name for one in made.data}) == 4
    assert made.layout.legend.orientation == "h"  # four rows would cover the curves
    width = np.diff(second.edges)
    same_numbers(made.data[3].y[:-1], second.p[: second.bins] / width)
    ends = min(first.edges[0], second.edges[0]), max(first.edges[-1], second.edges[-1])
    assert made.layout.xaxis.range == pytest.approx(ends)


def test_a_pair_and_a_curve_are_drawn_over_a_band():
    band = wb.tradeoff_band(SCORES)
    made = band.figure([wb.roc(SCORES), wb.GaussianPair(1.0)], kind="tradeoff")
    assert [one.name for one in made.data] == ["simultaneous, 95%", "observed", "Gaussian, μ = 1"]
    same_numbers(made.data[0].x, band.curve.alpha)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("profile", "other must be a result with a chart, got 'profile'; kind='profile'"),
        (3, "there is no chart of int"),
        (wb.Counts(4, 1, 4, 1), "there is no chart of Counts"),
        (wb.tradeoff_band(SCORES), "kind must be one of"),
    ],
)
def test_what_has_no_such_chart_is_refused(other, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        wb.histogram(SCORES).figure(other)


def test_charts_over_other_axes_are_refused():
    other = small()
    other["layout"]["xaxis"] = axis("z", 0, 1)
    with pytest.raises(ValueError, match=re.escape("over 'z' and 'y', and this one over 'x'")):
        overlaid([small(), other], ["", ""])


# -- view.figures --------------------------------------------------------------------------------


@cache
def view():
    return wb.explore(SCORES)


def test_the_figures_of_a_view_are_a_mapping():
    figures = view().figures
    names = [item.name for item in view().page.figures()]
    assert list(figures) == list(figures.keys()) == names
    assert len(figures) == len(names)
    assert "tradeoff" in figures
    assert "nothing" not in figures
    assert figures.get("nothing") is None
    with pytest.raises(KeyError, match="did you mean tradeoff"):
        figures["tradeof"]
    assert dict(figures.items()).keys() == set(names)


def test_a_chart_is_drawn_when_it_is_asked_for(monkeypatch):
    page = view().page
    asked = []
    draw = page.draw
    monkeypatch.setattr(page, "draw", lambda item: asked.append(item.name) or draw(item))
    figures = view().figures
    assert "tradeoff" in figures
    assert len(list(figures)) == len(figures)
    assert asked == []
    assert type(figures["tradeoff"]) is go.Figure
    assert asked == ["tradeoff"]


def test_a_chart_shows_the_present_state():
    own = wb.explore(SCORES)
    figures = own.figures
    own.threshold = 0.5
    before = figures["distributions"].layout.shapes[0].x0
    own.threshold = 1.0
    assert figures["distributions"].layout.shapes[0].x0 != before


def test_themes_of_a_view():
    dark = view().figures.theme("dark")["tradeoff"]
    assert dark.layout.paper_bgcolor == "#1C1F23"
    with pytest.raises(ValueError, match="theme must be one of"):
        view().figures.theme("blue")


def test_panel_takes_a_chart():
    import panel as pn

    pane = pn.pane.Plotly(view().figures["tradeoff"])
    assert pane.object.data
    pane.get_root()


# -- files ---------------------------------------------------------------------------------------


def test_a_figure_of_plotly_is_saved_as_its_dict(tmp_path):
    page = view().page
    item = next(one for one in page.figures() if one.name == "tradeoff")
    wb.save_figure(page.draw(item), tmp_path / "dict.svg")
    wb.save_figure(view().figures["tradeoff"], tmp_path / "light.svg")
    wb.save_figure(view().figures.theme("dark")["tradeoff"], tmp_path / "dark.svg")
    pages = {(tmp_path / f"{name}.svg").read_bytes() for name in ("dict", "light", "dark")}
    assert len(pages) == 1


def test_what_update_layout_changed_is_saved():
    made = door.plotly_figure(small(), title="title")
    made.update_layout(xaxis_title="another", yaxis_range=[0, 5])
    made.add_hline(y=2, line={"color": "red"})
    made.add_scatter(x=[0, 1], y=[1, 2])
    back = door.from_plotly(made)
    assert back["layout"]["xaxis"]["title"]["text"] == "another"
    assert list(back["layout"]["yaxis"]["range"]) == [0, 5]
    assert len(back["data"]) == 3
    assert figure_bytes(back, "svg") != figure_bytes(small(), "svg")


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        (go.Figure(), "is not one of the workbench's"),
        (door.plotly_figure(small()).add_bar(x=[1], y=[2]), "a trace of type 'bar'"),
    ],
)
def test_other_figures_of_plotly_are_refused(figure, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        wb.save_figure(figure, tmp_path / "a.svg")


@pytest.mark.parametrize("wrong", [3, {}, {"data": [], "layout": {}}, go.Figure()])
def test_what_is_no_figure_is_refused(wrong):
    with pytest.raises(ValueError, match="a figure of the workbench is a dict"):
        wb.plotly_figure(wrong)


def test_without_plotly_the_command_is_named(monkeypatch):
    figures = view().figures
    monkeypatch.setitem(sys.modules, "plotly", None)
    assert "tradeoff" in figures
    command = re.escape("pip install 'dp-audit-workbench[panel]'")
    with pytest.raises(MissingPackage, match=f"view.figures needs plotly.*{command}"):
        figures["tradeoff"]
    with pytest.raises(MissingPackage, match=command):
        wb.roc(SCORES).figure()
    assert "<img" in wb.roc(SCORES)._repr_html_()


def test_plotly_is_loaded_when_a_figure_is_asked_for():
    code = (
        "import sys, workbench as wb; s = wb.GaussianPair(1).sample(50, seed=1);"
        "wb.roc(s)._repr_html_(); f = wb.explore(s).figures; list(f);"
        "import workbench.figures.plotly_figures;"
        "print('plotly' in sys.modules); f['tradeoff']; print('plotly' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


# -- notebooks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLOTTED)
def test_a_result_shows_its_chart_beside_its_words(name):
    shown = PLOTTED[name]()._repr_html_()
    assert shown.count("<img ") == 1
    assert re.search(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="[^"]+"', shown)
    assert "<table" in shown or "<b" in shown
    picture = base64.b64decode(re.search(r"base64,([\w+/=]+)", shown)[1]).decode()
    assert 'fill="#FFFFFF"' in picture  # a ground of its own, also in a dark notebook


def test_a_result_without_a_picture_shows_its_words(monkeypatch):
    from workbench.figures.results import doors

    def broken(result):
        raise RuntimeError("no picture")

    monkeypatch.setattr(doors, "picture", broken)
    shown = wb.roc(SCORES)._repr_html_()
    assert "Receiver operating curve" in shown
    assert "<img" not in shown


def test_compositions_show_words_only():
    """Their curves may take seconds."""
    assert "<img" not in wb.DPSGDPair(2.0, 0.1, 3)._repr_html_()


def test_a_bound_is_text():
    assert "<img" not in wb.mu_lower_bound(SCORES)._repr_html_()


# -- the guide -----------------------------------------------------------------------------------

GUIDE = Path(__file__).parents[2] / "docs" / "plotly-and-pandas.md"


def test_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = {}
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert len(code) >= 7
    for block in code:
        exec(block, told)
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "roc.html").stat().st_size > 1000
    assert isinstance(told["audited"].to_frame(), pd.DataFrame)


def test_the_guide_names_the_charts_of_each_result():
    text = GUIDE.read_text(encoding="utf-8")
    assert {kind for kind in charts.TITLES if f"`{kind}`" not in text} == set()
