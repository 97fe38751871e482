"""Questions that check their own answers, for the notebooks.

A cell holds the answer, ``answer_1 = ...``, and a folded one below it checks it::

    wb.teaching.check(answer_1, lambda: pair.epsilon(delta), within=0.01, because="…")

What is right is computed when it is asked for, by what the notebook has at hand; so it stays right
when somebody changes a parameter of the notebook.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench import _checks
from workbench._markup import escape_html

__all__ = ["Feedback", "check"]

#: What each status is drawn with.
_MARKS = {"open": "…", "right": "✓", "wrong": "✗"}

_OPEN = "Not answered yet: replace the dots, run that cell, and then this one."


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer.

    Attributes
    ----------
    status : {"open", "right", "wrong"}
        "open" where nothing was answered yet.
    words : str
        Why it is right, or what to think about.
    """

    status: Literal["open", "right", "wrong"]
    words: str

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __repr__(self) -> str:
        return f"{_MARKS[self.status]} {self.words}"

    def _repr_html_(self) -> str:
        role = {"open": "inherit", "right": "#1B7F3B", "wrong": "#B4530A"}[self.status]
        mark = f'<b style="color:{role}">{_MARKS[self.status]}</b>'
        return f"<p>{mark} {escape_html(self.words)}</p>"


@_checks.arguments
def check(
    answer: Any,
    truth: Callable[[], Any],
    *,
    within: float = 0.0,
    mistakes: Mapping[str, Callable[[], Any]] | None = None,
    because: str = "",
) -> Feedback:
    """What is said of the answer to a question.

    Parameters
    ----------
    answer : number, str, bool, Bound or ...
        The answer; ``...`` is one that was not given yet. A `Bound` counts as its value. Of texts,
        capital letters and spaces around do not count.
    truth : callable
        Returns what is right: a number, a text such as the letter of a choice, or True or False. It
        is not called for an answer that was not given yet.
    within : float
        How far a number may be from the right one, both sides included.
    mistakes : mapping of str to callable, optional
        What to say of a wrong answer that is known, and a function that returns this answer.
    because : str
        Why the right answer is right; shown with it only.

    Returns
    -------
    Feedback

    Raises
    ------
    ValueError
        A negative ``within``, or a right answer that is none of the kinds above.

    Examples
    --------
    >>> wb.teaching.check(..., lambda: wb.GaussianPair(1).total_variation, within=0.001)
    … Not answered yet: replace the dots, run that cell, and then this one.
    >>> wb.teaching.check(0.5, lambda: wb.GaussianPair(1).total_variation, within=0.001)
    ✗ Not yet: this number is too large.
    >>> wb.teaching.check(0.383, lambda: wb.GaussianPair(1).total_variation, within=0.001)
    ✓ Right.
    """
    within = _checks.non_negative(within, "within")
    _checks.function(truth, "truth", "a function without arguments that returns what is right")
    if answer is ...:
        return Feedback("open", _OPEN)
    given, right = _plain(answer), _plain(truth())
    if not isinstance(right, bool | str | float):
        raise ValueError(f"the right answer must be a number, a text, True or False; got {right!r}")
    if type(given) is not type(right):
        return Feedback("wrong", f"Not yet: the answer is {_kind(right)}, not {_shown(answer)}.")
    if _same(given, right, within):
        return Feedback("right", f"Right. {because}".rstrip())
    for words, mistake in (mistakes or {}).items():
        if _same(given, _plain(mistake()), within):
            return Feedback("wrong", f"Not yet: {words}")
    return Feedback("wrong", f"Not yet: {_direction(given, right)}")


def _plain(value: Any) -> Any:
    """A bool, a text or a float; something else as it is."""
    value = getattr(value, "value", value)  # of a Bound
    value = getattr(value, "item", lambda: value)() if getattr(value, "size", 0) == 1 else value
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _same(given: Any, right: Any, within: float) -> bool:
    if isinstance(given, float) and isinstance(right, float):
        return given == right or abs(given - right) <= within + 1e-12
    return bool(type(given) is type(right) and given == right)


def _direction(given: Any, right: Any) -> str:
    if not isinstance(given, float):
        return "think again."
    if math.isnan(given):
        return "this is not a number."
    return f"this number is too {'large' if given > right else 'small'}."


def _kind(right: Any) -> str:
    if isinstance(right, bool):
        return "True or False"
    return "a number" if isinstance(right, float) else 'a text such as "a"'


def _shown(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 60 else f"{text[:60]}…"
