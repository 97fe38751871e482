"""Gestures as a socket brings them: checked before anything is done with them, and not too many."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from workbench import _json

#: Largest serial number: up to it, whole numbers of JavaScript are exact.
LAST = 2**53 - 1

_DIGITS = 15

#: Levels of lists and objects within each other; a gesture of a browser has five at most.
DEEPEST = 32

#: Messages per second, and at once, that are read. A drag sends fewer than a hundred per second.
RATE, BURST = 200.0, 400.0


#: Characters of a message that count as one more.
LONG = 4096


class GestureError(ValueError):
    """Raised for a message that no browser of ours sends."""


def read_gesture(text: str) -> dict[str, Any]:
    """A gesture as a dict, with a ``kind``, a ``page`` and a ``serial`` of the right types.

    Parameters
    ----------
    text : str
        JSON.

    Raises
    ------
    GestureError
        The text is not JSON, nests too deeply, has a number that is not finite, or is not a
        gesture.
    """
    try:
        gesture = _json.loads(text, parse_float=_finite, parse_int=_whole, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise GestureError("not JSON, or not of finite numbers") from error
    if not isinstance(gesture, dict):
        raise GestureError("not an object")
    if _depth(gesture) > DEEPEST:
        raise GestureError(f"more than {DEEPEST} levels")
    if not isinstance(gesture.get("kind"), str) or not isinstance(gesture.get("page", ""), str):
        raise GestureError("no kind, or a page that is not a name")
    serial = gesture.get("serial")
    if type(serial) is not int or not 0 <= serial <= LAST:
        raise GestureError("no serial number")
    return gesture


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number that is not finite")
    return value


def _whole(text: str) -> float:
    """A whole number, which is a float where JavaScript would have rounded it."""
    return int(text) if len(text) <= _DIGITS else _finite(text)


def _depth(value: Any) -> int:
    """The levels of lists and objects within each other."""
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        one, level = waiting.pop()
        inside = one.values() if isinstance(one, dict) else one if isinstance(one, list) else None
        if inside is not None:
            deepest = max(deepest, level)
            waiting += [(part, level + 1) for part in inside]
    return deepest


class Pace:
    """How fast messages of one socket are read: a token bucket.

    While `wait` is positive nothing more is read from the socket, so a sender that is too fast
    waits, and nothing of what it sends is lost or piles up here.

    Parameters
    ----------
    rate : float
        Messages per second in the long run.
    burst : float
        Messages at once.
    clock : callable
        The time in seconds.
    """

    def __init__(
        self, rate: float = RATE, burst: float = BURST, clock: Callable[[], float] = time.monotonic
    ):
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left, self._at = burst, clock()

    def wait(self, length: int = 0) -> float:
        """Seconds to wait before the next message is read, after one that came now.

        Parameters
        ----------
        length : int
            Characters of the message: a long one counts as several.
        """
        now, cost = self._clock(), 1 + length / LONG
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - cost
        self._at = now
        return max(0.0, -self._left / self._rate)
