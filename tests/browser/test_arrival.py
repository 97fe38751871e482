"""What a visit loads, and in which order it shows it, in a real browser."""

from __future__ import annotations

import re

from helpers.browser import WIDE, await_charts

LOADED = """() => performance.getEntriesByType("resource").map(
    ({name, transferSize, encodedBodySize}) => ({name, transferSize, encodedBodySize}))"""

#: Notes what is shown when plotly.js has run.
ORDER = """
let library
Object.defineProperty(window, "Plotly", {
    get: () => library,
    set: value => {
        library = value
        window.shownBefore = {
            numbers: [...document.querySelectorAll(".wb-value")].map(one => one.textContent),
            painted: performance.getEntriesByName("first-contentful-paint").length,
        }
    },
})
"""


def test_a_visit_loads_our_files_once_and_the_next_one_none(chromium, demo):
    context = chromium.new_context(**WIDE)
    page = context.new_page()
    page.goto(demo)
    await_charts(page)
    first = page.evaluate(LOADED)
    names = [file["name"].removeprefix(demo) for file in first]
    assert all(re.fullmatch(r"assets/[0-9a-f]{16}/[a-z_.-]+", name) for name in names)
    assert len(names) == len(set(names))
    assert sum(file["encodedBodySize"] for file in first) < 550_000
    again = context.new_page()
    again.goto(demo)
    await_charts(again)
    second = again.evaluate(LOADED)
    assert {file["name"] for file in second} <= {file["name"] for file in first}
    assert sum(file["transferSize"] for file in second) == 0
    context.close()


def test_numbers_are_painted_before_the_chart_library_runs(chromium, demo):
    page = chromium.new_context(**WIDE).new_page()
    page.add_init_script(ORDER)
    page.goto(demo)
    await_charts(page)
    shown = page.evaluate("shownBefore")
    assert shown["numbers"]
    assert all(shown["numbers"])
    assert shown["painted"] == 1
    page.context.close()
