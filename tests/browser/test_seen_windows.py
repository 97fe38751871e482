"""Two windows and a reload in a real browser: what was seen of data is seen in all of them."""

from __future__ import annotations

import pytest
from helpers.bench import BenchPage, losses
from helpers.browser import NOTE_ANSWERS, await_charts, grave_faults

from workbench.scores.examples import card

LAPLACE = card("laplace").title

LATE = "was chosen after results of these data were seen"


def select(one, label, option):
    """Choose an option of a control of the page."""
    one.page.locator(".wb-drawer").get_by_role("combobox", name=label).select_option(option)


def window(one, url):
    """Another window of the same visitor."""
    page = one.page.context.new_page()
    page.add_init_script(NOTE_ANSWERS)
    page.goto(url)
    await_charts(page)
    return BenchPage(page)


def reload(one):
    one.page.reload()
    await_charts(one.page)


def bounds(one):
    """The bounds on ε and μ with their guarantees, and whether the question is said to be late."""
    numbers = one.numbers()
    late = one.shown.locator(".wb-sentence").filter(has_text=LATE).locator("visible=true").count()
    return numbers["ε lower bound"], numbers["μ lower bound"], late > 0


@pytest.fixture
def files(tmp_path):
    """A file of losses, and one with its rows in reverse order and other units."""
    first = losses(tmp_path / "ledger.csv")
    head, *rows = first.read_text().split("\n")
    numbers = [row.split(",") for row in rows[::-1]]
    again = tmp_path / "backwards.csv"
    again.write_text("\n".join([head, *(f"{4 * float(x)!r},{side}" for x, side in numbers)]))
    return first, again


def test_two_windows_and_a_reload_mark_as_one_page_does(visit, served, files):
    file, again = files
    first = BenchPage(visit(served + "scores"))
    first.open_files(file)
    first.accept()
    first.wait_for_data("ledger")
    seen = bounds(first)
    assert "simultaneous" in seen[1]
    assert not seen[2]
    # Another window looks at other data, and asks before it opens these.
    second = window(first, served + "scores")
    second.choose(LAPLACE)
    select(second, "One question", "μ")
    second.choose("ledger")
    select(second, "One question", "μ")
    late = bounds(second)
    assert late == (*seen[:2], True)
    reload(second)
    assert bounds(second) == late
    # Other choices that were made while other data were in view, and after a reload.
    second.choose(LAPLACE)
    reload(second)
    select(second, "One question", "none")
    select(second, "Confidence", "90%")
    second.choose("ledger")
    select(second, "Confidence", "90%")
    assert "not valid" in bounds(second)[0]
    reload(second)
    assert "not valid" in bounds(second)[0]
    assert "not valid" in bounds(first)[0]
    select(second, "Confidence", "95%")
    select(second, "One question", "none")
    assert bounds(second) == seen
    # The same rows backwards, in other units, opened in the first window under the question.
    first.choose(LAPLACE)
    select(first, "Confidence", "95%")
    select(first, "One question", "μ")
    first.open_files(again)
    first.accept()
    first.wait_for_data("backwards")
    found = bounds(first)
    assert found[1:] == (seen[1], True)
    said = first.shown.locator(".wb-sentence").filter(has_text="These scores were seen before")
    assert "“ledger”" in said.first.text_content()
    # New data are new: the question is in time for them.
    new = losses(file.with_name("new.csv"), seed=5)
    first.open_files(new)
    first.accept()
    first.wait_for_data("new")
    fresh = bounds(first)
    assert "one question" in fresh[1]
    assert not fresh[2]
    reload(first)
    assert bounds(first) == fresh
    assert grave_faults(first.page) == []
    second.page.close()
