"""The widget of a live audit: drawn from the loop, never in its way."""

import json

import numpy as np
import pytest

import workbench as wb
from workbench.live.drawing.chart import growth
from workbench.live.drawing.pace import LEAST, DrawingPace

pytest.importorskip("anywidget")


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_drawing_takes_a_small_share_of_the_time():
    clock, drawn = Clock(), []
    throttle = DrawingPace(clock)

    def slow():
        drawn.append(clock.now)
        clock.now += 1.0

    for _ in range(1000):
        throttle.run(slow)
        clock.now += 0.1
    assert 4 <= len(drawn) <= 6  # 1 of 20 seconds
    throttle.run(slow, at_once=True)
    assert drawn[-1] == clock.now - 1

    fast = []
    throttle = DrawingPace(clock)
    for _ in range(1000):
        throttle.run(lambda: fast.append(clock.now))
        clock.now += 0.01
    assert len(fast) == pytest.approx(10 / LEAST, abs=1)


def test_an_error_of_drawing_does_not_draw_at_once_again():
    clock = Clock()
    throttle, calls = DrawingPace(clock), []

    def broken():
        calls.append(1)
        raise RuntimeError("no drawing")

    with pytest.raises(RuntimeError):
        throttle.run(broken)
    throttle.run(broken)
    assert len(calls) == 1


@pytest.fixture
def audit():
    """An audit that is drawn at every change."""
    made = wb.live.Audit(claim="approx(0.5, 1e-5)", name="my training")
    made._throttle = DrawingPace(lambda: 0.0)
    made._throttle.run = lambda task, at_once=False: task()
    yield made
    made.close()
    if made._view is not None:
        made._view.close()


def feed(audit, pairs, seed=0):
    for p, q in zip(*wb.GaussianPair(2).sample(pairs, seed=seed), strict=True):
        audit.add(p, True)
        audit.add(q, False)


def test_the_board_follows_the_loop(audit):
    view = audit.view
    assert audit.view is view
    board = view.widget
    shown = json.loads(board.item_seen)
    assert shown["value"] == "0"
    feed(audit, 60)
    assert json.loads(board.item_seen)["value"] == "60"
    assert json.loads(board.item_epsilon)["value"] == audit.bound.rounded
    assert json.loads(board.item_claim)["value"] == "refuted"
    assert "data" in json.loads(board.item_course)
    assert board.message == ""


def test_a_closed_audit_says_so_and_keeps_its_picture(audit):
    feed(audit, 60)
    view = audit.view
    audit.close()
    board = view.widget
    assert "closed" in json.loads(board.item_seen)["note"]
    picture = view._repr_mimebundle_()["text/html"]
    assert f"≥ {audit.bound.rounded}" in picture
    assert "data:image/svg+xml" in picture


def test_a_view_that_was_freed_stops_nothing_and_may_be_made_again(audit):
    feed(audit, 40)
    first = audit.view
    first.close()
    feed(audit, 40, seed=1)
    second = audit.view
    assert second is not first
    assert json.loads(second.widget.item_seen)["value"] == "80"


def test_a_loop_goes_on_where_nothing_can_be_drawn(audit, monkeypatch, caplog):
    def broken(state):
        raise RuntimeError("the browser is gone")

    monkeypatch.setattr(audit.view, "update", broken)
    feed(audit, 40)
    assert audit.runs == 80
    assert "could not be drawn" in caplog.text


def test_the_chart_shows_the_bound_and_a_claim_that_is_near():
    audit = wb.live.Audit(claim="approx(1, 1e-5)")
    assert "no bound yet" in growth(audit.state)["layout"]["meta"]["summary"]
    feed(audit, 200)
    drawn = growth(audit.state)
    assert f"ε is at least {audit.bound.rounded}" in drawn["layout"]["meta"]["summary"]
    assert "the claim allows 1" in drawn["layout"]["meta"]["summary"]
    curve = drawn["data"][0]
    assert 10 ** max(curve["x"]) == pytest.approx(200)
    assert max(curve["y"]) == pytest.approx(audit.bound.value)
    lines = [shape for shape in drawn["layout"]["shapes"] if shape.get("y0") == 1]
    assert lines
    far = wb.live.Audit(claim="approx(100, 1e-5)")
    feed(far, 200)
    assert not [s for s in growth(far.state)["layout"]["shapes"] if s.get("y0") == 100]


def test_canaries_are_drawn_as_well():
    canaries = wb.live.GradientCanaries.dirac(200, 300, sample_rate=0.5, noise_multiplier=1, seed=1)
    audit = wb.live.CanaryAudit(canaries, steps=8)
    view = audit.view
    rng = np.random.default_rng(0)
    with audit:
        for _ in range(8):
            gradients = canaries.insert(np.zeros((0, 300)))
            audit.observe(gradients.sum(axis=0) + rng.standard_normal(300))
    board = view.widget
    assert json.loads(board.item_seen)["value"] == "8"
    assert "steps" in json.loads(board.item_course)["layout"]["xaxis"]["title"]["text"]
    assert json.loads(board.item_claim)["note"] == "no claim was given"
    view.close()


def test_states_are_tables_in_notebooks():
    audit = wb.live.Audit(claim="approx(1, 1e-5)")
    feed(audit, 50)
    text = audit.state._repr_html_()
    assert "50 runs" in text
    assert audit.bound.rounded in text
    assert "approx(1, 1e-5)" in text
