"""The states of a report are what its page shows at each place of its sliders, to the digit."""

import dataclasses
import json
import random
from typing import ClassVar

import pytest
from helpers.pages import numbers_of, upload
from helpers.reports import NAMES, page_audit, page_states, shown

import workbench as wb
from workbench.assets import stored_states
from workbench.assets.board import content
from workbench.audits.audit import Audit
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.core.state import EveryResult, _hashed, same
from workbench.pages.registry import PAGES
from workbench.progress import Cancelled
from workbench.reports.states import ANSWERS, shown_jobs, states
from workbench.workspaces.workspace import Workspace

pytestmark = pytest.mark.slow

#: Pages that begin with a result of long work, on which all but a few facts rest.
RESULTS = ("mechanism", "coveragelab", "plan")

#: Pages without a threshold and without δ.
NEITHER = ("risk",)

#: Pages whose numbers and charts answer to a threshold or to δ.
ANSWERING = [name for name in NAMES if name not in (*RESULTS, *NEITHER)]

#: Charts of results of long work beside others that answer; they stay as they are.
STAYING = {"onerun": {"growth", "spread"}}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_the_own_state_is_what_the_page_shows(name):
    page, found = PAGES[name].kind(), page_states(name)
    for item in (*numbers_of(page), *page.sentences()):
        assert found.drawn(item.name)["all"] == content(page.draw(item)), item.name
    for item in page.figures():
        layout = json.loads(found.drawn(item.name)["layout"])
        assert layout == json.loads(content(page.draw(item)["layout"])), item.name


@pytest.mark.parametrize("name", ANSWERING)
def test_any_state_is_that_of_a_page_whose_sliders_a_person_moved(name):
    answers_as_moved(page_states(name), PAGES[name].kind, STAYING.get(name, set()))


def answers_as_moved(found, made, staying=frozenset()):
    """Asserts that states are those of a page whose sliders were moved; some charts may stay."""
    assert {slider.name for slider in found.sliders} <= set(ANSWERS)
    assert found.sliders
    first = made()
    assert staying <= found.fixed()
    rng = random.Random(first.title)
    for _ in range(3):
        page = made()
        places = {s.name: rng.randrange(len(s.values)) for s in found.sliders}
        for slider in found.sliders:
            if places[slider.name] != slider.start:
                setattr(page, slider.name, slider.values[places[slider.name]])
        for item in (*numbers_of(page), *page.sentences()):
            drawn = found.drawn(item.name, **places)["all"]
            assert drawn == content(page.draw(item)), (item.name, places)
        for item in page.figures():
            layout = json.loads(found.drawn(item.name, **places)["layout"])
            shows = first if item.name in staying else page
            assert layout == json.loads(content(shows.draw(item)["layout"])), (item.name, places)


@pytest.mark.parametrize("name", NEITHER)
def test_a_page_without_a_threshold_and_delta_has_no_sliders_in_its_report(name):
    assert page_states(name).sliders == ()


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_long_work_are_not_moved_by_its_settings(name):
    assert page_states(name).sliders == ()


def test_a_result_that_the_page_holds_and_does_not_show_keeps_nothing_from_moving():
    def made():
        page = PAGES["plan"].kind()
        page.method = "pointwise"
        return page

    page = made()
    assert page.plan is not None
    assert shown_jobs(page) == {}
    found = states(audit_of(page), page)
    assert {slider.name for slider in found.sliders} == {"log_delta"}
    answers_as_moved(found, made)


def test_what_rests_on_a_result_of_long_work_is_found():
    page = PAGES["onerun"].kind()
    (shown_on,) = shown_jobs(page).values()
    assert shown_on == STAYING["onerun"]
    page.seeds += 5  # the page then shows no result that was computed in advance
    assert shown_jobs(page) == {}


def test_whoever_moves_the_threshold_of_the_scores_page_chose_it_after_seeing_them():
    found = page_states("scores")
    here = [
        shown(found.drawn("epsilon_here", threshold=k)) for k in range(len(found.sliders[0].values))
    ]
    start = found.sliders[0].start
    assert here[start]["tone"] == "unset"
    assert {one["tone"] for k, one in enumerate(here) if k != start} == {"void"}
    assert "chosen after seeing" in here[start + 1]["note"]


def test_a_threshold_that_was_fixed_stays_valid_where_only_delta_is_moved():
    page = PAGES["scores"].kind()
    page.threshold_moved = False
    audit = audit_of(page)
    few = dataclasses.replace(audit, live=None)
    found = states(few, audit.live)
    for place in (0, 5, 11):
        assert shown(found.drawn("epsilon_here", log_delta=place))["tone"] == "warn"
    assert shown(found.drawn("epsilon_here", threshold=0))["tone"] == "void"


def test_the_page_of_the_audit_is_not_changed():
    audit = page_audit("scores")
    before = dict(audit.live.param.values())
    page_states("scores")
    after = audit.live.param.values()
    assert {n for n in before if n != "job_states" and before[n] is not after[n]} == set()


def test_the_sliders_span_those_of_the_page_and_have_its_values():
    threshold, delta = page_states("scores").sliders
    page = PAGES["scores"].kind()
    low, high = page.param.threshold.get_soft_bounds()
    assert (threshold.values[0], threshold.values[-1]) == (low, high)
    assert threshold.values[threshold.start] == page.threshold
    assert delta.values == tuple(float(k) for k in range(-12, 0))  # whole powers of ten
    assert delta.texts[delta.start] == "1e-5"


def test_a_typed_value_between_the_steps_is_a_place_of_its_own():
    page = PAGES["compare"].kind()
    page.log_delta = -5.4321
    found = states(audit_of(page), page)
    (slider,) = found.sliders
    assert slider.values[slider.start] == -5.4321
    assert len(slider.values) == 24


def test_a_saved_audit_without_its_page_has_what_was_recorded():
    audit = page_audit("counts")
    kept = Audit.from_dict(audit.to_dict(), audit.figures)
    found = states(kept)
    assert not found.sliders
    for item in audit.live.numbers():
        assert found.drawn(item.name)["all"] == content(audit.live.draw(item))


def test_numbers_that_the_page_shows_otherwise_today_stay_as_recorded():
    audit = page_audit("compare")
    numbers = tuple(
        dataclasses.replace(one, bound=dataclasses.replace(one.bound, value=1.23))
        if one.name == "epsilon_a"
        else one
        for one in audit.numbers
    )
    found = states(dataclasses.replace(audit, numbers=numbers), audit.live)
    assert "epsilon_a" in found.fixed()
    assert shown(found.drawn("epsilon_a", log_delta=0))["value"] == "1.23"
    assert "epsilon_b" not in found.fixed()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["scores", "onerun"])
def test_nothing_is_computed_or_drawn_twice_for_two_places_of_the_sliders(name):
    """The threshold is the outer loop: what depends on δ alone is met again at each threshold."""
    made = PAGES[name].kind()
    page, drawn = made.snapshot(watching=True), []
    draw = type(page).draw

    class Counting(EveryResult):
        found: ClassVar[list] = []

        def result(self, key_name, key, compute):
            def once():
                Counting.found.append((self, key_name, _hashed(key)))
                return compute()

            return super().result(key_name, key, once)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_states, "EveryResult", Counting)
        patch.setattr(
            type(page), "draw", lambda self, item: (drawn.append(item.name), draw(self, item))[1]
        )
        found = states(audit_of(made), page)
    assert len(Counting.found) == len(set(Counting.found))
    if name == "scores":
        assert found.items["profile"]["sliders"] == [0, 1]  # by the names of what it needs
        # Once for the record, once to see whether the page still draws it, and once for each δ.
        assert drawn.count("profile") <= 2 + len(found.sliders[1].values)


def test_results_are_told_apart_as_a_page_does():
    every, nan, a, b = EveryResult(), float("nan"), object(), object()
    keys = [(1,), (1.0,), (True,), ("1",), ((1, 2),), ((1.0, 2),), (None,), (a,), (b,), (nan,), ()]
    for k, key in enumerate(keys):
        assert every.result("x", key, lambda k=k: k) == k
    for k, key in enumerate(keys):
        again = tuple(list(key))
        assert every.result("x", again, lambda: "computed again") == k
        assert [same(again, other) for other in keys] == [j == k for j in range(len(keys))]
    assert every.result("y", (1,), lambda: "another") == "another"


def test_it_can_be_cancelled_and_reports_its_progress():
    audit, fractions = page_audit("family"), []

    def report(fraction=None, message=None, partial=None):
        fractions.append(fraction)
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        states(audit, audit.live, report)
    assert fractions == sorted(fractions)
    assert fractions[0] > 0


@pytest.mark.parametrize("values", ["1e9,2e9\n3e9,1e9\n2.5e9,1.2e9", "5,5\n5,5\n6,5", "1,2\n2,1"])
def test_odd_scores_have_states_too(values):
    page = PAGES["scores"].kind()
    upload(page, ("odd.csv", f"in,out\n{values}"))
    found = states(audit_of(page), page)
    assert len(found.sliders) == 2
    json.loads(found.to_json())


def test_scores_that_were_given_in_python_have_states():
    view_page = PAGES["scores"].page_about(wb.Scores([1.0, 2.0, 3.0] * 9, [0.0, 1.0, 2.0] * 9))
    audit = audit_of(view_page)
    assert {s.name for s in states(audit, audit.live).sliders} == set(ANSWERS)


def test_under_a_plan_a_moved_slider_departs_from_it_as_on_the_page():
    space = Workspace()
    plan = wb.plan("release 3", "the nightly run", threshold=0.3, workspace=space)
    data = space.add_scores(wb.GaussianPair(1.0).sample(300, seed=0), "nightly")

    def page_under_plan():
        page = PAGES["scores"].kind(workspace=space)
        page.follow(data.key)
        page.plan = plan.sha256
        return page

    page = page_under_plan()
    found = states(audit_of(page), page)
    threshold, delta = found.sliders
    assert "fixed in advance" in found.drawn("epsilon_here")["all"]
    for places in ({"threshold": threshold.start - 5}, {"log_delta": delta.start - 2}):
        moved = page_under_plan()
        for slider in found.sliders:
            if slider.name in places:
                setattr(moved, slider.name, slider.values[places[slider.name]])
        for item in (*numbers_of(moved), *moved.sentences()):
            assert found.drawn(item.name, **places)["all"] == content(moved.draw(item)), item.name
    moved = shown(found.drawn("epsilon_here", threshold=threshold.start - 5))
    assert moved["tone"] == "void"
