"""Results that visitors share: what rests on the same settings is computed once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from workbench.scores.sample import Scores

#: Results kept of settings alone, and of one and the same scores; the oldest make room.
MOST = 256

#: What a setting may be. Nothing of a person's file outlives the session.
PLAIN = (str, int, float, bool, type(None))

_of_settings: dict[Any, Any] = {}
_lock = Lock()


def shared_result(name: str, rests_on: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """What ``compute`` returns, or returned for another visitor.

    Parameters
    ----------
    name : str
        Of the result.
    rests_on : dict
        All parameters that it rests on: settings, and perhaps one set of scores, with which the
        result is kept and goes. It is not shared where anything else is among them.
    compute : callable
        Its result must not be changed afterwards.
    """
    scores = [value for value in rests_on.values() if isinstance(value, Scores)]
    settings = {k: value for k, value in rests_on.items() if not isinstance(value, Scores)}
    plain = all(isinstance(value, PLAIN) or value == () for value in settings.values())
    if len(scores) > 1 or not plain:
        return compute()
    kept = scores[0].results if scores else _of_settings
    key = (name, *((k, type(value), value) for k, value in settings.items()))
    with _lock:
        if key in kept:
            kept[key] = kept.pop(key)
            return kept[key]
    found = compute()
    with _lock:
        kept[key] = found
        while len(kept) > MOST:
            del kept[next(iter(kept))]
    return found
