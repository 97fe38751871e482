"""Results that visitors share: those of the same settings are computed once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from workbench.scores.sample import Scores

#: Number of results that are kept of settings alone, and of each `Scores`; the oldest go first.
MOST = 256

#: Types of settings. Nothing of an uploaded file outlives the session.
PLAIN = (str, int, float, bool, type(None))

_of_settings: dict[Any, Any] = {}
_lock = Lock()


def shared_result(name: str, values: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """The result of ``compute()``, which may have been computed for another visitor.

    Parameters
    ----------
    name : str
        Name of the result.
    values : dict
        Names and values of all parameters that it depends on: settings, and at most one `Scores`,
        which then holds the result. With any other value among them it is not shared.
    compute : callable
        Computes the result, which must not be changed afterwards.
    """
    scores = [value for value in values.values() if isinstance(value, Scores)]
    settings = {k: value for k, value in values.items() if not isinstance(value, Scores)}
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
