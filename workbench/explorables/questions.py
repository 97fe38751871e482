"""`CheckedQuestion`: a question that checks its answer, with the words of `workbench.teaching`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.teaching import Feedback, check

LETTERS = "abcdef"


@dataclass(frozen=True)
class CheckedQuestion:
    """A question with a number or one of some choices as its answer.

    Attributes
    ----------
    text : str
    truth : callable
        Returns what is right: a number, or the letter of a choice.
    because : str
        Why it is right.
    choices : tuple of str
        What there is to choose from, "a" first; none where the answer is a number.
    within : float
        How far a number may be from the right one.
    mistakes : mapping of str to callable
        What to say of a wrong answer that is known, and a function that returns this answer.
    """

    text: str
    truth: Callable[[], Any]
    because: str
    choices: tuple[str, ...] = ()
    within: float = 0.0
    mistakes: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    def check(self, answer: Any) -> Feedback:
        """What is said of an answer."""
        return check(
            answer,
            self.truth,
            within=self.within,
            mistakes=self.mistakes,
            because=self.because,
        )

    def content(self) -> dict[str, Any]:
        """What a browser says of every answer, in which nothing but the answer is missing.

        Returns
        -------
        dict
            For choices ``"said"``, the feedback of each. For a number ``"near"``, the feedback of
            answers within a distance of a value, the first that applies, and what is said of those
            ``"above"`` and ``"below"`` the right one and of what is ``"no number"``.
        """
        if self.choices:
            letters = LETTERS[: len(self.choices)]
            return {"said": [_feedback(self.check(letter)) for letter in letters]}
        right = float(self.truth())
        known = [right, *(float(mistake()) for mistake in self.mistakes.values())]
        far = 1 + self.within + max(map(abs, known))  # beyond every known answer
        return {
            "near": [
                {"value": x, "within": self.within, **_feedback(self.check(x))} for x in known
            ],
            "right": right,
            "above": _feedback(self.check(right + far)),
            "below": _feedback(self.check(right - far)),
            "no number": _feedback(self.check(math.nan)),
        }


def _feedback(found: Feedback) -> dict[str, str]:
    return {"status": found.status, "words": found.words}
