"""What a view shows first, and that nothing of the page is lost by it."""

import pytest

import workbench as wb
from workbench.pages.registry import PAGES
from workbench.views.parts import brief_of


@pytest.fixture(scope="module")
def scores():
    return wb.GaussianPair(1).sample(2000, seed=3)


def frame_of(view):
    found = view.widget.frame
    view.close()
    return found


def test_a_view_shows_one_chart_and_its_controls_first(scores):
    view = wb.explore(scores)
    brief = view.widget.frame["brief"]
    charts = {item.name for item in view.page.figures()} & {*brief["items"]}
    numbers = {item.name for item in view.page.numbers()} & {*brief["items"]}
    assert charts == {"distributions"}
    assert "threshold" in brief["controls"]
    assert set(brief["controls"]) == set(view.page.main)
    assert 1 <= len(numbers) <= 2
    answer = view.page.answer_item()
    assert answer is None or answer.name in brief["items"]
    assert not {"show", "controls"} & view.spec().keys()
    view.close()


def test_the_picture_has_everything(scores):
    view = wb.explore(scores)
    shown = view._repr_mimebundle_()["text/html"]
    for item in (*view.page.numbers(), *view.page.figures()):
        assert item.title in shown
    assert shown.count("<img") == len(view.page.figures())
    view.close()


@pytest.mark.parametrize("show", ["all", ["all"], ("all",)])
def test_everything_at_once(scores, show):
    view = wb.explore(scores, show=show)
    assert "brief" not in view.widget.frame
    assert len(view.widget.frame["numbers"]) == len(view.page.numbers())
    assert view.spec()["show"] == ["all"]
    again = wb.explore(scores, spec=view.spec())
    assert "brief" not in frame_of(again)
    view.close()


def test_show_and_controls_compose_from_there(scores):
    some = wb.explore(scores, show=("tradeoff", "epsilon"))
    assert "brief" not in some.widget.frame
    assert [item["name"] for item in some.widget.frame["figures"]] == ["tradeoff"]
    some.close()
    other = wb.explore(scores, controls=("delta", "confidence"))
    assert other.widget.frame["brief"]["controls"] == ["log_delta", "confidence"]
    other.close()
    none = wb.explore(scores, controls=())
    assert none.widget.frame["brief"]["controls"] == []
    none.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_a_first_look_that_is_one_chart(name):
    page = PAGES[name].kind()
    brief = brief_of(page, list(page.sections))
    if not page.main or not page.figures():
        assert brief is None
        return
    charts = [item for item in page.figures() if item.name in brief.items]
    assert len(charts) == 1
    assert brief.controls
    assert [item for item in page.numbers() if item.name in brief.items] or not page.numbers()
