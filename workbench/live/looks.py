"""`LookPlan`: at which steps of a training one looks, and what each look may err.

The plan is fixed before the training begins. A look at a step that was chosen because of what the
training has shown is not one of these looks, and would not keep its level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, takewhile

from workbench import _checks
from workbench.audits.series.spending import confidence_at

#: Looks while the number of steps doubles, and how many doublings before the end have looks.
PER_DOUBLING, DOUBLINGS = 4, 6

#: The first look where the number of steps is not known.
FIRST = 8


@dataclass(frozen=True)
class LookPlan:
    """The steps at which one looks, in a geometric progression, and the confidence of each look.

    With α = 1 − ``confidence``, the k-th look of a training of unknown length may err with
    probability α/(k(k + 1)). Where the length is known, looks are counted from the last one
    backwards, so that the look at the end, which sees most, has α/2. The sum is at most α either
    way.

    Parameters
    ----------
    steps : int, optional
        Of the whole training, if known. There are no looks beyond.
    confidence : float
        Of all looks together.

    Examples
    --------
    >>> from workbench.live.looks import LookPlan
    >>> LookPlan(steps=8).planned
    (1, 2, 3, 4, 5, 6, 7, 8)
    >>> LookPlan(steps=1000).confidence_at(1000)
    0.975
    """

    steps: int | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _checks.confidence(self.confidence)
        if self.steps is not None:
            object.__setattr__(self, "steps", _checks.count(self.steps, "steps", least=1))

    @cached_property
    def planned(self) -> tuple[int, ...]:
        """The looks of a training of known length; empty if it is not known."""
        if self.steps is None:
            return ()
        back = range(PER_DOUBLING * DOUBLINGS + 1)
        return tuple(sorted({max(round(self.steps * 2 ** (-j / PER_DOUBLING)), 1) for j in back}))

    def confidence_at(self, step: int) -> float | None:
        """The confidence of the look after this many steps; None if there is no look.

        Parameters
        ----------
        step : int
            From 1.
        """
        if self.steps is not None:
            known = self.planned
            if step not in known:
                return None
            return confidence_at(len(known) - known.index(step), self.confidence)
        for position, look in enumerate(_endless(), start=1):
            if look >= step:
                return confidence_at(position, self.confidence) if look == step else None
        return None

    def next_after(self, step: int) -> float:
        """The next step with a look; ∞ if there is none.

        Parameters
        ----------
        step : int
        """
        looks = _endless() if self.steps is None else iter(self.planned)
        return next((float(look) for look in looks if look > step), math.inf)

    def between(self, before: int, last: int) -> list[int]:
        """The steps with a look after one step, up to another one.

        Parameters
        ----------
        before, last : int
        """
        looks = _endless() if self.steps is None else iter(self.planned)
        return [step for step in takewhile(lambda step: step <= last, looks) if step > before]


def _endless() -> Iterator[int]:
    """Looks without an end."""
    last = 0
    for j in count():
        step = round(FIRST * 2 ** (j / PER_DOUBLING))
        if step != last:
            yield step
        last = step
