"""The hockey-stick tester: learn log(p/q), choose a threshold, and count the event above it.

By the lemma of Neyman and Pearson the best events are {log p/q > t}. Kong et al. (2023) learn a
classifier of P against Q weighted by e^ε, and measure its accuracy; here the threshold has the role
of the weight, and is chosen for the evidence instead of the divergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.claims.base import Claim
from workbench.testers.learning.bits import bit_ratios
from workbench.testers.learning.log_ratio import Ratio, learn_ratios
from workbench.testers.property_testers.event_tester import EventTester


class HockeyStickTester(EventTester):
    """Tester of the hockey-stick divergence: any claim, any outputs."""

    name = "hockey-stick"
    method = "held-out event"

    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """None: it supports everything."""
        return None

    def ratios(self, p: NDArray[Any], q: NDArray[Any], rng: np.random.Generator) -> Sequence[Ratio]:
        """See `learn_ratios`."""
        return learn_ratios(p, q, rng)

    def bit_ratios(self, p: NDArray[Any], q: NDArray[Any]) -> Sequence[Ratio]:
        """See `workbench.testers.learning.bits.bit_ratios`."""
        return bit_ratios(p, q)


class BitsTester(HockeyStickTester):
    """The hockey-stick tester with the bits of floats as one more view of the outputs.

    It is asked for by name: a mechanism that adds noise to an exact result in floating point gives
    that away by its digits (Mironov 2012), so that nearly every one is refuted. Round results to a
    grid, as `workbench.mechanisms.floating_point.on_grid` does, to test what their values tell.
    """

    name = "bits"
    method = "held-out event of bits"
    reads_bits = True

    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Why outputs that are no floats are not supported; otherwise None."""
        if example.dtype.kind == "f":
            return None
        return "it views the digits of floats, and these outputs are none; use hockey-stick"
