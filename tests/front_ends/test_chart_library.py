"""The plotly.js of the package: it can draw what the pages draw, and it says whose it is."""

from __future__ import annotations

import re

import pytest

from workbench.assets.packed import PLOTLY
from workbench.pages.registry import PAGES

VENDOR = PLOTLY.path.parent


@pytest.fixture(scope="module")
def library():
    return PLOTLY.content().decode()


@pytest.fixture(scope="module")
def known(library):
    """The trace types of the bundle."""
    return set(re.findall(r'moduleType:"trace",name:"(\w+)"', library))


@pytest.mark.parametrize("name", PAGES)
def test_the_bundle_has_the_trace_types_of_all_pages(name, known):
    page = PAGES[name].kind()
    drawn = [trace for item in page.figures() for trace in page.draw(item)["data"]]
    assert {trace.get("type", "scatter") for trace in drawn} <= known


def test_a_trace_type_that_is_not_in_the_bundle_would_be_noticed(known):
    assert known == {"scatter", "bar", "pie"}


def test_the_readme_states_the_version_and_the_license_is_there(library):
    (version,) = re.findall(r"\* plotly\.js \(basic - minified\) v([\d.]+)", library)
    assert f"plotly.js {version}" in (VENDOR / "README.md").read_text(encoding="utf-8")
    assert "MIT License" in (VENDOR / "plotly-LICENSE").read_text(encoding="utf-8")


def test_the_bundle_is_compiled_while_it_is_loaded(library):
    # The parentheses of the README around the function that makes the library.
    assert ": this, (() => {\n" in library
    assert library.rstrip().endswith("})));")


def test_it_is_packed_once_and_always_alike():
    assert PLOTLY.packed is PLOTLY.packed
    assert len(PLOTLY.packed) < 450_000
    assert PLOTLY.packed[4:8] == bytes(4)  # no time stamp
