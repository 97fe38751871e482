"""Figures for papers: the same curves as on the screen, exact widths, embedded fonts."""

import io
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from pypdf import PdfReader

import workbench as wb
from workbench.bounds.anytime.monitoring import EvidencePath
from workbench.figures.kit import marks
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart, empty
from workbench.figures.kit.legend import key
from workbench.figures.kit.marks import Style
from workbench.figures.kit.theme import LIGHT, paint
from workbench.figures.paper import export, look
from workbench.figures.paper.draw import draw, place
from workbench.figures.paper.export import figure_bytes
from workbench.figures.paper.labels import box_of
from workbench.figures.paper.texts import written
from workbench.figures.results import charts as results
from workbench.pages.registry import PAGES
from workbench.software.extras import MissingPackage

NASTY = (
    "$x_1$ & 100% {#} ~ ^ \\",
    "one $ sign",
    "a\\$b",
    '<img src=x onerror="alert(1)"> &amp;',
    "emoji 🎉 and ε ≤ δ",
    "long " * 2000,
    "line\nbreak\ttab",
)


@cache
def figures(name):
    """Charts of a page, as it starts."""
    page = PAGES[name].kind()
    return [page.draw(item) for item in page.figures()]


def axes():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    page = Figure(figsize=(3.3, 2.2), layout="constrained")
    FigureCanvasAgg(page)
    return page.add_subplot()


def small(*more, name="a curve", title="x"):
    curves = [Style(name, "p"), Style("other", "q", "dash")]
    return chart(
        [
            marks.line(curves[0], [0, 1, 2], [0.0, np.nan, 2]),
            marks.steps(curves[1], [0, 1, 2], [2, 1, 0]),
            *more,
            key(curves),
        ],
        axis(title, 0, 2),
        axis("y", 0, 3),
        summary="all of it",
    )


def visible(figure):
    """Traces that a reader sees."""
    return [
        trace
        for trace in figure["data"]
        if trace.get("marker", {}).get("color") != "rgba(0,0,0,0)"
        and ("markers" in trace["mode"] or trace["line"]["width"])
    ]


# -- the same as on the screen -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_paper_has_the_curves_of_the_screen(name):
    for figure in figures(name):
        ax = axes()
        place(figure, ax)
        lines = {line.get_zorder(): [] for line in ax.lines}
        for line in ax.lines:
            lines[line.get_zorder()].append(line)
        curves = [line for line in ax.lines if line.get_label() != "_shape"]
        points = [c for c in ax.collections if not str(c.get_label()).startswith("_child")]
        shown = visible(figure)
        drawn = [t for t in shown if "lines" in t["mode"] and t["line"]["width"]]
        assert len(curves) == len(drawn)
        for line, trace in zip(curves, drawn, strict=True):
            x, y = line.get_data(orig=True)
            np.testing.assert_array_equal(x, np.asarray(trace["x"], dtype=float))
            np.testing.assert_array_equal(y, np.asarray(trace["y"], dtype=float))
            stepped = trace["line"].get("shape") == "hv"
            assert line.get_drawstyle() == ("steps-post" if stepped else "default")
            assert line.get_label() == (trace["name"] or "_curve")
        dots = sum(len(c.get_offsets()) for c in points if hasattr(c, "get_offsets"))
        expected = 0
        for trace in shown:
            if "markers" in trace["mode"]:
                inside = np.isfinite(np.asarray(trace["x"], float))
                expected += int((inside & np.isfinite(np.asarray(trace["y"], float))).sum())
        assert dots <= expected
        assert bool(dots) == bool(expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_paper_has_the_axes_of_the_screen(name):
    for figure in figures(name):
        ax = axes()
        place(figure, ax)
        for given, limits, scale in (
            (figure["layout"]["xaxis"], ax.get_xlim(), ax.get_xscale()),
            (figure["layout"]["yaxis"], ax.get_ylim(), ax.get_yscale()),
        ):
            if "range" not in given:
                continue
            log = given.get("type") == "log"
            assert scale == ("log" if log else "linear")
            expected = 10.0 ** np.asarray(given["range"]) if log else given["range"]
            assert limits == pytest.approx(expected)


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_label_covers_another_or_leaves_the_page(name, monkeypatch):
    settled = []
    monkeypatch.setattr(export, "settle", lambda ax: (settle(ax), settled.append(ax)))
    for figure in figures(name):
        figure_bytes(figure, "png")
        ax = settled.pop()
        page, renderer = ax.get_figure().bbox, ax.get_figure().canvas.get_renderer()
        boxes = [box_of(text.get_window_extent(renderer)) for text in ax.texts]
        for i, (left, bottom, right, top) in enumerate(boxes):
            assert left >= page.x0 - 3
            assert right <= page.x1 + 3
            assert bottom >= page.y0 - 3
            assert top <= page.y1 + 3
            for other in boxes[:i]:
                wide = min(right, other[2]) - max(left, other[0])
                high = min(top, other[3]) - max(bottom, other[1])
                overlap = max(wide, 0) * max(high, 0)
                assert overlap <= 0.1 * (right - left) * (top - bottom), ax.texts[i].get_text()


settle = export.settle


def test_every_mark_of_the_vocabulary_is_drawn():
    from test_vocabulary import SPOKEN, drawn

    nothing = figure_bytes(drawn(), "svg")
    for verb, mark in SPOKEN.items():
        assert (figure_bytes(drawn(mark), "svg") == nothing) == (verb == "targets"), verb


def test_powers_of_ten_are_written_as_powers():
    figure = chart(
        [marks.line(Style("", "p"), [1, 2], [1e-5, 1])],
        axis("x", 0, 2),
        axis("δ", -6, 0, log=True, ticks={1e-6: "10<sup>−6</sup>", 1: "1"}),
        summary="s",
    )
    ax = axes()
    draw(figure, ax)
    texts = [label.get_text() for label in ax.get_yticklabels()]
    assert texts == [r"$\mathdefault{10^{-6}}$", "1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("δ = 1e-5", r"δ = $\mathdefault{10^{-5}}$"),
        ("ε at δ = 3.16e-8, 95%", r"ε at δ = $\mathdefault{3.16 \times 10^{-8}}$, 95%"),
        ("10<sup>−12</sup>", r"$\mathdefault{10^{-12}}$"),
        ("run_1e-5b, 2e5.csv, a1e-5", "run_1e-5b, 2e5.csv, a1e-5"),
        ("costs $1e-5", r"costs \$$\mathdefault{10^{-5}}$"),
    ],
)
def test_numbers_are_written_as_in_a_paper(text, expected):
    assert written(text) == expected
    axes().set_title(written(text)).get_window_extent()


# -- in gray -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_curves_of_a_chart_differ_in_gray(name):
    for figure in figures(name):
        painted = paint(figure, look.PRINT)
        strokes = [t["line"] for t in visible(painted) if "lines" in t["mode"]]
        chosen = look.dashes(strokes)
        kinds = list(chosen)
        for i, kind in enumerate(kinds):
            for other in kinds[:i]:
                assert chosen[kind] != chosen[other] or not look.alike(kind, other), name


def test_the_lightness_of_colors():
    assert look.lightness("#000000") == 0
    assert look.lightness("#FFFFFF") == pytest.approx(100)
    assert look.lightness("#777777") == pytest.approx(50, abs=0.5)


def test_print_has_every_role_of_the_screen():
    assert look.PRINT.keys() == LIGHT.keys()
    # P and Q in gray, and all letters on white, which need a contrast of 4.5.
    assert abs(look.lightness(look.PRINT["p"]) - look.lightness(look.PRINT["q"])) > 20
    for role in ("p", "q", "good", "bad", "fit", "ink", "muted"):
        red, green, blue, _ = look.of_letters(look.PRINT[role])
        shade = "#" + "".join(f"{round(255 * part):02X}" for part in (red, green, blue))
        assert look.lightness(shade) < 50


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["serif", "sans"])
@pytest.mark.parametrize("width", [3.3, 5.5])
def test_a_pdf_has_the_width_and_its_fonts(family, width):
    made = figure_bytes(small(), "pdf", title="ε at δ", width=width, family=family)
    (page,) = PdfReader(io.BytesIO(made)).pages
    assert float(page.mediabox.width) == pytest.approx(72 * width, abs=0.01)
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].get_object().values()]
    assert fonts
    for font in fonts:
        assert font["/Subtype"] != "/Type3"
        inner = font.get("/DescendantFonts", [font])[0].get_object()
        assert "/FontFile2" in inner["/FontDescriptor"].get_object()
    assert "a curve" in page.extract_text()


def test_an_svg_has_the_width_and_its_letters():
    root = ElementTree.fromstring(figure_bytes(small(), "svg", title="A & <b>"))
    assert root.attrib["width"] == "237.6pt"
    assert not list(root.iter("{http://www.w3.org/2000/svg}text"))  # outlines need no font
    assert "A & <b>" in "".join(root.itertext())


def test_a_png_has_six_hundred_dots_per_inch():
    made = figure_bytes(small(), "png", width=2.5)
    assert struct.unpack(">I", made[16:20]) == (1500,)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", export.KINDS)
def test_the_same_figure_gives_the_same_bytes_in_any_thread(kind):
    alone = figure_bytes(small(), kind)
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: figure_bytes(small(), kind), range(16)))
    assert set(made) == {alone}


def test_the_settings_of_the_user_neither_matter_nor_change():
    import matplotlib as mpl

    before = figure_bytes(small(), "svg")
    with mpl.rc_context({"font.size": 20, "axes.grid": True, "svg.fonttype": "none"}):
        assert figure_bytes(small(), "svg") == before
        assert mpl.rcParams["font.size"] == 20


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NASTY)
def test_any_name_is_text(name):
    figure = small(marks.label(1, 1, name, "ink"), name=name, title=name)
    made = figure_bytes(figure, "svg", title=name)
    assert ElementTree.fromstring(made).attrib["width"] == "237.6pt"
    figure_bytes(figure, "pdf", title=name)
    ax = axes()
    text = ax.set_title(written(name))
    shown, formula = text._preprocess_math(text.get_text())
    assert not formula
    line = " ".join(name.split()).replace("🎉", "[party popper]")
    assert shown == (line if len(line) <= 80 else line[:79] + "…")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("width", [2, 3.3])
@pytest.mark.parametrize("name", ["word " * 30, "x" * 300, "a short one", "5 $ " * 40])
def test_long_names_stay_on_the_page(name, width, monkeypatch):
    from matplotlib.text import Text

    outside, widths = [], []

    def measured(ax):
        settle(ax)
        page, renderer = ax.get_figure(), ax.get_figure().canvas.get_renderer()
        for text in page.findobj(Text):
            box = text.get_window_extent(renderer)
            inside = box.x0 > -4 and box.x1 < page.bbox.width + 4
            inside &= bool(box.y0 > -4 and box.y1 < page.bbox.height + 4)
            if text.get_text() and text.get_visible() and not inside:
                outside.append((text, box))
        widths.append(ax.get_window_extent().width / page.bbox.width)

    monkeypatch.setattr(export, "settle", measured)
    figure = small(marks.label(0.1, 2, name, "ink", ha="left"), name=name, title=name)
    figure["layout"]["yaxis"]["title"]["text"] = name
    figure_bytes(figure, "png", title=name, width=width)
    assert outside == []
    assert widths[0] > 0.5


def test_an_empty_chart_says_why():
    ax = axes()
    draw(empty("Press Run."), ax)
    assert [text.get_text() for text in ax.texts] == ["Press Run."]
    assert figure_bytes(empty("Press Run."), "pdf").startswith(b"%PDF")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "eps"}, "kind must be one of"),
        ({"family": "comic"}, "family must be one of"),
        ({"width": 0.1}, "width is in inches, from 2 to 20, got 0.1"),
        ({"width": "wide"}, "width"),
    ],
)
def test_wrong_wishes_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        figure_bytes(small(), **{"kind": "pdf", **wrong})


def test_without_matplotlib_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackage, match=re.escape("pip install 'dp-audit-workbench[paper]'")):
        figure_bytes(small(), "pdf")
    assert issubclass(MissingPackage, ValueError)


def test_matplotlib_is_loaded_when_a_figure_is_drawn():
    code = (
        "import sys; from workbench.figures.paper import draw, export, table; "
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- results -----------------------------------------------------------------------------------


SCORES = wb.GaussianPair(1.0).sample(400, seed=1)
PLOTTED = {
    "histogram": lambda: wb.histogram(SCORES, bins=10),
    "roc": lambda: wb.roc(SCORES),
    "curve": lambda: wb.tradeoff_band(SCORES).curve,
    "band": lambda: wb.tradeoff_band(SCORES),
    "pair": lambda: wb.SubsampledGaussianPair(0.25, 0.5),
    "discrete pair": lambda: wb.RandomizedResponsePair(1.0, 0.01),
    "comparison": lambda: wb.compare(SCORES, wb.GaussianPair(2.0).sample(400, seed=2)),
    "path": lambda: wb.anytime_path(SCORES, delta=1e-5),
    "series": lambda: wb.AuditSeries("nightly"),
    "evidence": lambda: EvidencePath(
        SCORES, 0.1, 1e-5, np.arange(10, 400, 10), np.linspace(-1, 20, 39), None
    ),
}


@pytest.mark.parametrize("name", PLOTTED)
def test_every_kind_of_every_result_is_plotted(name):
    result = PLOTTED[name]()
    for kind in results.kinds(result):
        ax = axes()
        assert result.plot(ax, kind) is ax
        assert ax.get_xlabel() or name == "series"  # without an audit it says so
        assert ax.has_data() or ax.texts
        assert figure_bytes(results.figure_of(result, kind), "pdf").startswith(b"%PDF")
    with pytest.raises(ValueError, match="kind must be one of"):
        result.plot(axes(), "pie")


def test_a_histogram_is_plotted_as_it_is():
    h = wb.histogram(SCORES, bins=10)
    q, p = h.plot(axes()).lines
    np.testing.assert_allclose(p.get_ydata()[:-1], h.p[:10] / np.diff(h.edges))
    np.testing.assert_allclose(q.get_ydata()[:-1], h.q[:10] / np.diff(h.edges))
    np.testing.assert_array_equal(p.get_xdata(), h.edges)


def test_curves_are_those_of_the_result():
    band = wb.tradeoff_band(SCORES)
    (line,) = band.plot(axes()).lines
    np.testing.assert_array_equal(line.get_data(), (band.curve.alpha, band.curve.beta))
    (line,) = band.plot(axes(), kind="profile").lines
    epsilon, delta = line.get_data()
    inside = np.isfinite(delta)
    np.testing.assert_allclose(band.profile(epsilon[inside]), delta[inside], atol=1e-9)
    pair = wb.GaussianPair(1.0)
    (line,) = pair.plot(axes(), kind="profile").lines
    np.testing.assert_allclose(pair.profile(line.get_xdata()), line.get_ydata(), rtol=1e-6)
    roc = wb.roc(SCORES)
    (line,) = roc.plot(axes()).lines
    np.testing.assert_allclose(roc.tpr(line.get_xdata()), line.get_ydata())


def test_results_are_plotted_over_each_other():
    ax = axes()
    wb.GaussianPair(1.0).plot(ax, kind="profile")
    narrow = ax.get_xlim()
    wb.GaussianPair(4.0).plot(ax, kind="profile", label="$ of mine")
    assert ax.get_xlim()[1] > narrow[1]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["Gaussian, μ = 1", r"\$ of mine"]
    first, second = ax.lines
    assert first.get_linestyle() != second.get_linestyle()
    wb.GaussianPair(2.0).plot(ax, kind="profile", color="red", linewidth=3)
    assert ax.lines[-1].get_color() == "red"
    assert ax.get_legend().get_lines()[-1].get_linewidth() == 3
    wb.GaussianPair(1.0).plot(ax, kind="profile")
    assert ax.get_xlim()[1] > narrow[1]


def test_what_is_no_axes_or_has_no_chart_is_refused():
    with pytest.raises(TypeError, match="ax must be axes of matplotlib"):
        wb.GaussianPair(1.0).plot(3)
    with pytest.raises(ValueError, match="there is no chart of Bound"):
        wb.save_figure(wb.tradeoff_band(SCORES).mu(), "x.pdf")
    with pytest.raises(ValueError, match="a figure is a dict with data and layout"):
        figure_bytes({}, "pdf")


def test_a_new_figure_is_made_where_no_axes_are_given():
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    ax = wb.GaussianPair(1.0).plot()
    assert pyplot.get_fignums() != before
    pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("name", "begin"), [("a.pdf", b"%PDF"), ("a.SVG", b"<?xml"), ("a.png", b"\x89PNG")]
)
def test_a_figure_or_a_result_is_saved(tmp_path, name, begin):
    for given in (wb.roc(SCORES), small()):
        path = wb.save_figure(given, tmp_path / name)
        assert path.read_bytes().startswith(begin)


def test_a_chart_of_a_view_is_saved(tmp_path):
    figures = wb.explore(SCORES).figures
    assert "tradeoff" in figures
    assert wb.save_figure(figures["tradeoff"], tmp_path / "a.svg").stat().st_size > 1000


def test_the_ending_chooses_the_kind(tmp_path):
    with pytest.raises(ValueError, match=re.escape("path must end in .svg, .pdf or .png")):
        wb.save_figure(small(), tmp_path / "a.jpg")


def test_without_matplotlib_plot_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(wb.MissingPackage, match="pip install"):
        wb.GaussianPair(1.0).plot()
