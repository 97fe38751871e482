"""The hockey-stick tester: learn what tells P from Q, choose one event by it, count that event.

By the lemma of Neyman and Pearson the best events are {log p/q > t}. AUDITORIUM learns a classifier
in the same place, of Q weighted e^ε against P, and measures its accuracy; here the threshold has
the place of the weight, chosen for the evidence and not for the divergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.claims.base import Claim
from workbench.testers.learning.log_ratio import Ratio, learn_ratios
from workbench.testers.property_testers.event_tester import EventTester


class HockeyStickTester(EventTester):
    """Any claim, any outputs: numbers, categories, several columns."""

    name = "hockey-stick"
    method = "held-out event"

    def refuses(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Nothing is refused."""
        return None

    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """See `learn_ratios`."""
        return learn_ratios(p, q, rng)
