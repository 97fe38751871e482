"""The picture draws all that figures say: each key is read or left out by name."""

import random
from functools import cache

import param
import pytest

from workbench.figures.kit import svg as picture
from workbench.figures.kit.theme import LIGHT, paint
from workbench.pages.core.upload import Upload
from workbench.pages.registry import PAGES

pytestmark = pytest.mark.slow

ACTS = 8


class Read(dict):
    """A dict that notes which keys were read."""

    def __init__(self, given):
        super().__init__({key: watched(value) for key, value in given.items()})
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key):
        self.read.add(key)
        return super().__contains__(key)


def watched(value):
    if isinstance(value, dict):
        return Read(value)
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return [watched(one) for one in value]
    return value


def paths(value, at=""):
    """Every key below a value, and whether it was read; entries of a list count as one."""
    if isinstance(value, Read):
        for key in value:
            inner = dict.__getitem__(value, key)
            yield f"{at}{key}", key in value.read
            yield from paths(inner, f"{at}{key}.")
    elif isinstance(value, list):
        for one in value:
            yield from paths(one, at)


def act(page, rng):
    """Change a control to another value that it offers."""
    names = [c.name for s in page.sections for c in s.controls if c.offered(page)]
    parameter = page.param[rng.choice([n for n in names if n in page.param])]
    if isinstance(parameter, Upload | param.Event | param.String):
        return
    if isinstance(parameter, param.Boolean):
        value = not getattr(page, parameter.name)
    elif isinstance(parameter, param.Selector):
        value = rng.choice([v for v in parameter.get_range().values() if v != "file"])
    elif None in parameter.get_soft_bounds():
        return
    else:
        value = parameter.get_soft_bounds()[rng.randrange(2)]
        value = (value + getattr(page, parameter.name)) / 2
        value = round(value) if isinstance(parameter, param.Integer) else value
    setattr(page, parameter.name, value)


@cache
def figures(name):
    """Charts of a page, as it starts and after changes."""
    page, rng = PAGES[name].kind(), random.Random(name)
    for big in ("sample_n", "a_n", "b_n", "n"):
        if big in page.param and 1000 in getattr(page.param[big], "objects", ()):
            setattr(page, big, 1000)
    found = [page.draw(item) for item in page.figures()]
    for _ in range(ACTS):
        act(page, rng)
        found += [page.draw(item) for item in page.figures()]
    return found


def values_of(figure, *keys):
    """All values of a key of the traces, such as ("line", "dash")."""
    for trace in figure["data"]:
        value = trace
        for key in keys:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            yield from ([value] if isinstance(value, str) else value)


def left_out(path):
    return any(path == one or path.startswith(f"{one}.") for one in picture.LEFT_OUT)


@pytest.mark.parametrize("name", PAGES)
def test_every_key_that_a_chart_holds_is_drawn_or_named_as_left_out(name, monkeypatch):
    for figure in figures(name):
        seen = watched(paint(figure, LIGHT))
        monkeypatch.setattr(picture, "paint", lambda *_, seen=seen: seen)
        picture.svg(figure)
        found = list(paths(seen))
        unread = {path for path, _ in found} - {path for path, read in found if read}
        assert {path for path in unread if not left_out(path)} == set()


def test_ticks_are_written_as_the_axis_says():
    def ticks(**given):
        return [text for _, text in picture.Axis({"range": [0, 1], **given}, 0, 100).ticks()]

    assert ticks(tickvals=[0, 0.5, 1]) == ["0", "0.5", "1"]
    assert ticks(tickvals=[0, 1], tickformat=".0%") == ["0%", "100%"]
    assert ticks(tickvals=[0, 1], ticktext=["none", "all"]) == ["none", "all"]
    assert ticks(range=[0.4, 3], tick0=1, dtick=1) == ["1", "2", "3"]
    assert ticks(range=[-1, 1], dtick=1, type="log") == [
        *("10<sup>−1</sup>", "10<sup>0</sup>", "10<sup>1</sup>")
    ]


def test_an_open_marker_is_an_outline_and_a_full_one_may_have_one():
    figure = PAGES["counts"].kind()
    figure = figure.draw(figure.figures()[0])
    for marker, expected in (
        (
            {"symbol": "circle-open", "line": {"width": 3}},
            'fill="none" stroke="@p" stroke-width="3"',
        ),
        ({"line": {"width": 2, "color": "@q"}}, 'fill="@p" stroke="@q" stroke-width="2"'),
        ({}, 'fill="@p"/>'),
    ):
        dot = {"type": "scatter", "mode": "markers", "x": [1], "y": [1]}
        figure["data"] = [{**dot, "marker": {"size": 9, "color": "@p", **marker}}]
        for role in "pq":
            expected = expected.replace(f"@{role}", LIGHT[role])
        assert expected in picture.svg(figure)


@pytest.mark.parametrize("name", PAGES)
def test_every_value_that_a_chart_holds_is_known(name):
    known = {
        ("line", "dash"): {"solid", *picture.DASHES},
        ("line", "shape"): {"linear", "hv"},
        ("fill",): {"none", "tozeroy", "tonexty"},
        ("type",): {"scatter"},
        ("mode",): {"lines", "markers", "lines+markers", "text", "none"},
        ("marker", "symbol"): {
            f"{shape}{style}" for shape in ("circle", *picture.CORNERS) for style in ("", "-open")
        },
    }
    for figure in figures(name):
        for keys, values in known.items():
            assert set(values_of(figure, *keys)) <= values
