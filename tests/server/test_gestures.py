"""Gestures as sockets bring them: what is refused, and how fast they are read."""

from __future__ import annotations

import json

import pytest

from workbench.server.sockets.gestures import LAST, GestureError, Pace, read_gesture

GESTURE = {"kind": "set", "page": "scores", "serial": 3, "name": "threshold", "value": 0.5}


def test_a_gesture_of_a_browser_is_read():
    assert read_gesture(json.dumps(GESTURE)) == GESTURE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"set"',
        "{",
        "{}",
        json.dumps({**GESTURE, "kind": None}),
        json.dumps({**GESTURE, "kind": ["set"]}),
        json.dumps({**GESTURE, "page": {}}),
        *(json.dumps({**GESTURE, "serial": one}) for one in (None, "3", -1, 1.5, True, LAST + 1)),
        json.dumps({key: value for key, value in GESTURE.items() if key != "serial"}),
        json.dumps({**GESTURE, "value": float("nan")}),
        json.dumps({**GESTURE, "value": float("inf")}),
        json.dumps({**GESTURE, "value": -float("inf")}),
        json.dumps(GESTURE).replace("0.5", "1e400"),
        json.dumps(GESTURE).replace("0.5", "9" * 5000),
        json.dumps(GESTURE).replace("0.5", "[" * 100 + "]" * 100),
        json.dumps(GESTURE).replace("0.5", "[" * 200_000),
        json.dumps(GESTURE).replace("0.5", '{"a":' * 100_000 + "1" + "}" * 100_000),
    ],
)
def test_what_no_browser_sends_is_refused(text):
    with pytest.raises(GestureError):
        read_gesture(text)


def test_a_whole_number_that_javascript_rounds_is_a_float():
    read = read_gesture(json.dumps({**GESTURE, "value": 123456789012345680000}))
    assert isinstance(read["value"], float)


def test_messages_are_read_at_a_bounded_rate():
    now = 0.0
    pace = Pace(rate=10, burst=5, clock=lambda: now)
    assert [pace.wait() for _ in range(5)] == [0.0] * 5
    assert pace.wait() == pytest.approx(0.1)
    assert pace.wait() == pytest.approx(0.2)
    now = 10.0
    assert pace.wait() == 0.0
    for _ in range(200):  # a sender that waits as it is told has its rate, and no more
        now += pace.wait()
    assert 200 / (now - 10.0) == pytest.approx(10, rel=0.05)
