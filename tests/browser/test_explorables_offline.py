"""Explorables in a browser without a network, at a desk and on a phone, light and dark."""

from __future__ import annotations

import time

import pytest
from helpers import browser
from helpers.explorables import NAMES, document_of, states_of
from helpers.reports import STRIP, shown

from workbench.explorables.registry import EXPLORABLES

pytestmark = pytest.mark.xdist_group("explorables")

SIZES = {"desk": (1280, 720), "phone": (390, 844)}

#: The color of the first chart's ticks.
INK = """() => getComputedStyle(document.querySelector(".wb-plot .xtick text")).fill"""

#: Whether all charts are drawn.
DRAWN = "document.querySelectorAll('.wb-plot .cartesianlayer').length >= 2"


def until(page, condition):
    """Wait for a condition, which the policy of a file lets no script of a page evaluate."""
    end = time.monotonic() + browser.PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(50)


@pytest.fixture
def opened(chromium, tmp_path):
    """``opened(name)`` opens an explorable; it may say no error and ask for nothing."""
    contexts, errors = [], []

    def open_file(name, size="desk"):
        path = tmp_path / f"{name}.html"
        path.write_text(document_of(name), encoding="utf-8")
        width, height = SIZES[size]
        visitor = chromium.new_context(viewport={"width": width, "height": height}, offline=True)
        contexts.append(visitor)
        page = visitor.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: note(r.url, path.as_uri()))
        page.goto(path.as_uri())
        until(page, DRAWN)
        return page

    def note(asked, own):
        if asked != own and not asked.startswith(("data:", "blob:")):
            errors.append(f"asked for {asked}")

    yield open_file
    for visitor in contexts:
        visitor.close()
    assert errors == []


def expected(name, **places):
    """What the strip shows at these places of the sliders."""
    one = EXPLORABLES[name].explorable
    numbers = [item for item in one.shown(one.make()) if item.kind == "number"]
    drawn = {item.title: shown(states_of(name).drawn(item.name, **places)) for item in numbers}
    return {title: [n["relation"], n["value"], n["badge"]] for title, n in drawn.items()}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_the_librarys_wherever_the_sliders_stand(opened, name, size):
    page = opened(name, size)
    inks = set()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        until(page, f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (sum(map(int, background[4:-1].split(","))) > 384) == (scheme == "light")
        assert page.evaluate(STRIP) == expected(name)
        page.wait_for_timeout(150)  # a frame, in which the charts are drawn
        inks.add(page.evaluate(INK))
    assert len(inks) == 2  # the charts are drawn again
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    places = {}
    for slider in states_of(name).sliders:  # by the keyboard alone
        page.locator(f"#at-{slider.name}").focus()
        page.keyboard.press("Home")
        places[slider.name] = 0
    assert page.evaluate(STRIP) == expected(name, **places)
    for slider in states_of(name).sliders:
        page.locator(f"#at-{slider.name}").focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        places[slider.name] = len(slider.values) - 2
        output = page.locator(f"#at-{slider.name} + output")
        assert output.inner_text() == slider.texts[places[slider.name]]
    assert page.evaluate(STRIP) == expected(name, **places)
    page.locator("#back").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(STRIP) == expected(name)
    assert not page.locator("#back").is_visible()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_questions_check_themselves_by_the_keyboard(opened, name):
    page = opened(name)
    for k, question in enumerate(EXPLORABLES[name].explorable.questions):
        form = page.locator(".question").nth(k)
        said = form.locator(".feedback")
        form.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert said.inner_text() == "… Not answered yet."
        right = question.truth()
        if question.choices:
            letters = "abcdef"[: len(question.choices)]
            for letter, radio in zip(letters, form.locator("input").all(), strict=True):
                radio.focus()
                page.keyboard.press("Space")
                assert said.inner_text() == ""
                page.keyboard.press("Enter")
                words, status = question.check(letter).words, question.check(letter).status
                assert said.inner_text() == f"{'✓' if status == 'right' else '✗'} {words}"
                assert said.get_attribute("data-status") == status
            continue
        for answer in (right + 5, right - 5, right):
            form.locator("input").fill(repr(float(answer)))
            page.keyboard.press("Enter")
            mark = "✓" if answer == right else "✗"
            assert said.inner_text() == f"{mark} {question.check(float(answer)).words}"
        form.locator("input").fill("a third")
        page.keyboard.press("Enter")
        assert said.inner_text() == "✗ Not yet: this is not a number."
        form.locator("input").fill(repr(float(right)).replace(".", ","))
        page.keyboard.press("Enter")
        assert said.inner_text().startswith("✓ Right.")


def test_the_line_of_the_threshold_can_be_dragged(opened):
    page = opened("threshold")
    card = page.locator('[data-item="distributions"]')
    card.scroll_into_view_if_needed()
    box = card.locator(".wb-plot").bounding_box()
    at = page.evaluate(
        """() => { const plot = document.querySelector('[data-item="distributions"] .wb-plot')
          const {xaxis, yaxis} = plot._fullLayout, shape = plot.layout.shapes.find(s => s.name)
          return [xaxis._offset + xaxis.d2p(shape.x0), yaxis._offset + yaxis._length / 2,
            xaxis._offset + xaxis.d2p(2)] }"""
    )
    y = box["y"] + at[1]
    page.mouse.move(box["x"] + at[0], y)
    page.mouse.down()
    page.mouse.move(box["x"] + at[2], y, steps=6)
    page.mouse.up()
    slider = states_of("threshold").sliders[0]
    place = int(page.locator("#at-threshold").input_value())
    assert abs(slider.values[place] - 2) == min(abs(value - 2) for value in slider.values)
    assert page.evaluate(STRIP) == expected("threshold", threshold=place)
    assert page.evaluate(STRIP)["ε at the threshold"][2] == "not valid"
