"""Figures speak a closed vocabulary, which any renderer can draw."""

import ast
import inspect
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.assets import board
from workbench.figures.kit import marks
from workbench.figures.kit.axes import axis, powers_of_ten
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Mark, Share, Style
from workbench.figures.kit.svg import svg

FIGURES = Path(wb.__file__).parent / "figures"
#: The kit makes figures; the renderer for papers, the overlays of several figures and the door to
#: plotly read them.
SPEAKERS = {
    *(FIGURES / "kit", FIGURES / "paper", FIGURES / "overlay.py"),
    *(FIGURES / "results" / "overlaid.py", FIGURES / "results" / "doors.py"),
    FIGURES / "plotly_figures.py",
}
MODULES = [p for p in sorted(FIGURES.rglob("*.py")) if not SPEAKERS & {p, *p.parents}]


def words(text):
    return set(text.split())


#: Words of plotly's figures. As keys or keyword arguments they belong into the kit.
PLOTLY = words(
    """
    data layout shapes annotations traces type mode x0 x1 y0 y1 x y line marker fill fillcolor
    xref yref xanchor yanchor xshift yshift showarrow bgcolor font hovertemplate hoverinfo
    hovermode customdata error_x cliponaxis range tickvals ticktext tickformat tickangle dtick
    showgrid showticklabels showlegend uirevision xaxis yaxis meta
    """
)
#: Of these, arguments of the verbs.
OWN = {"x", "y"}

CURVE = Style("curve", "p", "dash")

#: One chart part by each verb.
SPOKEN = {
    "line": marks.line(CURVE, [0, 1, 2], [1, math.nan, 3], dots=6),
    "steps": marks.steps(CURVE, [0, 1, 2], [1, 2, 3], until=True, hover="{y:.1%} {name}"),
    "band": marks.band(
        marks.line(CURVE, [0, 1], [1, 2]), marks.line(CURVE, [0, 1], [2, 3]), "good", 0.1
    ),
    "histogram": marks.histogram(CURVE, [0, 1, 2], [3, 1]),
    "bars": marks.bars(CURVE, [0.3, 0.7], ["no", "yes"], -1),
    "markers": marks.markers(
        CURVE, [0, 1], [1, 2], symbol=["diamond", "x-open"], hover="{value}", values=["a", "b"]
    ),
    "targets": marks.targets("cells", [0, 1], [1, 2], "{x}: {value}", [3, 4]),
    "whiskers": marks.whiskers("rows", [1, 2], [0, 1], [2, 3], ["p", "q"], ["a", "b"]),
    "rule": marks.rule(CURVE, x=1, end=Share(0.8), drag="threshold"),
    "box": marks.box((0, 1), (1, 2), "q", opacity=0.5),
    "label": marks.label(1, 2, "here", "p", ha="left", drag="threshold"),
    "key": key([CURVE, Style("other", "q")], columns=2),
}

TRACE = words(
    """
    type mode name x y line marker fill fillcolor hoverinfo hovertemplate customdata error_x
    cliponaxis
    """
)
SHAPE = words(
    """
    type x0 x1 y0 y1 xref yref xsizemode ysizemode xanchor yanchor line fillcolor layer name
    """
)
LABEL = words(
    """
    x y xref yref xanchor yanchor xshift yshift text showarrow font bgcolor name
    """
)


def drawn(*made, **more):
    return chart(made, axis("x", 0, 2), axis("y", 0, 4), summary="all of it", **more)


# -- what figures may say ------------------------------------------------------------------------


def strange_words(tree):
    """Plotly's words in a module, and the lines where they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            words = {k.value for k in node.keys if isinstance(k, ast.Constant)} & PLOTLY
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            words = {node.slice.value} & PLOTLY
        elif isinstance(node, ast.Call):
            words = {k.arg for k in node.keywords} & (PLOTLY - OWN)
        elif isinstance(node, ast.Import):
            words = {a.name.split(".")[0] for a in node.names} & {"plotly", "matplotlib"}
        elif isinstance(node, ast.ImportFrom):
            words = {(node.module or "").split(".")[0]} & {"plotly", "matplotlib"}
        else:
            continue
        yield from ((node.lineno, word) for word in words)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(FIGURES)))
def test_figures_do_not_speak_plotly(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not list(strange_words(tree))
    made = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and hasattr(n.func, "id")]
    assert "Mark" not in made, "a mark comes from a verb of the kit"


@pytest.mark.parametrize(
    "code",
    [
        "trace = {'type': 'scatter'}",
        "trace['y'] = [1]",
        "dict(fillcolor='@p/.1')",
        "import plotly.graph_objects as go",
        "from plotly import graph_objects",
    ],
)
def test_raw_plotly_would_be_noticed(code):
    assert list(strange_words(ast.parse(code)))


def test_the_vocabulary_is_what_its_docstring_lists():
    listed = set(re.findall(r"^(\w+)  +[A-Z]", marks.__doc__, re.M)) - {"Verb"}
    verbs = {
        name
        for name, made in inspect.getmembers(marks, inspect.isfunction)
        if not name.startswith("_") and made.__annotations__.get("return") == "Mark"
    }
    assert listed == verbs | {"key"} == set(SPOKEN)
    assert {mark.verb for mark in SPOKEN.values()} == listed


def test_a_chart_takes_nothing_but_marks():
    with pytest.raises(TypeError, match="consists of marks, got dict"):
        drawn({"type": "scatter"})


# -- what a renderer has to know -----------------------------------------------------------------


@pytest.mark.parametrize("verb", SPOKEN)
def test_every_verb_is_drawn_by_both_renderers(verb):
    figure = drawn(SPOKEN[verb])
    json.loads(board.content(figure))
    picture, nothing = svg(figure), svg(drawn())
    if verb != "targets":
        assert picture != nothing
    assert 'aria-label="all of it"' in picture


@pytest.mark.parametrize("verb", SPOKEN)
def test_verbs_emit_a_closed_set_of_attributes(verb):
    figure = drawn(SPOKEN[verb])
    for trace in figure["data"]:
        assert set(trace) <= TRACE
        assert trace["type"] == "scatter"
        assert trace["mode"] in ("lines", "markers", "lines+markers")
    for shape in figure["layout"]["shapes"]:
        assert set(shape) <= SHAPE
        assert shape["type"] in ("line", "rect")
    for note in figure["layout"]["annotations"]:
        assert set(note) <= LABEL


def test_a_band_is_its_two_curves_and_the_area_between_them():
    low, high = marks.line(CURVE, [0, 1], [1, 2]), marks.line(CURVE, [0, 1], [2, 3])
    first, second = drawn(marks.band(low, high, "good", 0.1))["data"]
    assert first == low.traces[0]
    assert second == {**high.traces[0], "fill": "tonexty", "fillcolor": "@good/0.1"}


def test_a_step_holds_from_its_place_or_until_it():
    assert list(SPOKEN["steps"].traces[0]["y"]) == [2, 3, 3]
    (since,) = marks.steps(CURVE, [0, 1, 2], [1, 2, 3]).traces
    assert list(since["y"]) == [1, 2, 3]
    assert since["line"]["shape"] == "hv"


def test_a_rule_has_one_place():
    for places in ({}, {"x": 1, "y": 2}):
        with pytest.raises(ValueError, match="a rule has one place, got x="):
            marks.rule(CURVE, **places)


def test_a_rule_ends_at_the_chart_or_in_the_data():
    (across,) = marks.rule(CURVE, y=3).shapes
    assert (across["y0"], across["x0"], across["x1"], across["xref"]) == (3, 0, 1, "paper")
    (part,) = marks.rule(CURVE, y=3, start=0.2, end=1.5).shapes
    assert (part["x0"], part["x1"], "xref" in part) == (0.2, 1.5, False)


def test_labels_stand_at_data_also_on_a_logarithmic_axis():
    """Plotly wants exponents there, and only there."""
    notes = [marks.label(1, 1e-5, "a", "p"), marks.label(Share(0.5), Share(0.5), "b", "p")]
    y = axis("δ", -8, 0, log=True, ticks=powers_of_ten([-8, 0]))
    a, b = chart(notes, axis("x", 0, 2), y, summary="s")["layout"]["annotations"]
    assert (a["x"], a["y"]) == (1, pytest.approx(-5))
    assert (b["x"], b["y"], b["xref"], b["yref"]) == (0.5, 0.5, "paper", "paper")
    assert notes[0].labels[0]["y"] == 1e-5  # the mark itself stays as it was


@pytest.mark.parametrize(
    ("hover", "template"),
    [
        ("{x:.3g}: {y:.1%}", "%{x:.3g}: %{y:.1%}<extra></extra>"),
        ("{y:.2%} {name}", "%{y:.2%}<extra>curve</extra>"),
        ("{value[0]:,} of {value[1]}", "%{customdata[0]:,} of %{customdata[1]}<extra></extra>"),
    ],
)
def test_what_a_pointer_shows(hover, template):
    (trace,) = marks.line(CURVE, [1], [2], hover=hover, values=[(3, 4)]).traces
    assert trace["hovertemplate"] == template
    assert trace["customdata"] == [(3, 4)]


def test_a_pointer_shows_coordinates_by_default_and_nothing_on_demand():
    (plain,), (silent,) = (marks.line(CURVE, [1], [2], hover=h).traces for h in (None, ""))
    assert not {"hoverinfo", "hovertemplate"} & set(plain)
    assert silent["hoverinfo"] == "skip"


def test_an_empty_chart_says_why():
    figure = empty("Press Run.")
    assert figure["data"] == []
    assert figure["layout"]["meta"]["summary"] == "Press Run."
    assert "Press Run." in svg(figure)


def test_marks_are_not_changed_by_a_chart():
    made = marks.histogram(CURVE, np.array([0.0, 1.0]), np.array([2.0]))
    assert drawn(made)["data"] == drawn(made)["data"] == list(made.traces)
    assert isinstance(made, Mark)
