"""The text of several releases, such as the phases of a training, as a page takes it."""

from __future__ import annotations

from typing import Any

from workbench.claims.pair import PairClaim
from workbench.claims.parse import parse_claim
from workbench.pairs.accounting.composed import ComposedPair
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.pairs.base import Pair

#: Bounds of a noise multiplier and of steps with which an accountant ends soon.
NOISE, MOST_STEPS = (0.3, 100), 100_000

#: Pairs that are composed at most, and of those that are no DP-SGD the largest number and releases.
_MOST_PAIRS, _LARGEST, _MOST_RELEASES = 8, 20, 1000

#: The text that a page begins with.
EXAMPLE = "dpsgd(1, 0.01, 500) + dpsgd(2, 0.01, 500)"


def check_releases(text: str) -> None:
    """Refuse text that composes no pairs, or others than an accountant composes soon.

    Raises
    ------
    ValueError
        With what to write instead.
    """
    claim = parse_claim(text)
    if not isinstance(claim, PairClaim):
        raise ValueError(
            f"{text!r} composes no pairs; join them by +, such as {EXAMPLE}, and state other "
            "claims by their own kind"
        )
    pairs = _pairs_of(claim.pair)
    if len(pairs) > _MOST_PAIRS:
        raise ValueError(f"the page composes at most {_MOST_PAIRS} pairs, got {len(pairs)}")
    for one, _ in pairs:
        if not isinstance(one, DPSGDPair):
            _require("numbers", max(map(abs, _numbers(one)), default=0), 0, _LARGEST)
        else:
            _require("a noise multiplier", one.noise_multiplier, *NOISE)
    steps = sum(k * one.steps for one, k in pairs if isinstance(one, DPSGDPair))
    _require("steps in all", steps, 0, MOST_STEPS)
    releases = sum(k for one, k in pairs if not isinstance(one, DPSGDPair))
    _require("releases in all", releases, 0, _MOST_RELEASES)


def _pairs_of(pair: Pair) -> list[tuple[Pair, int]]:
    """The pairs of a composition as text has them, and how often each is released."""
    if not isinstance(pair, ComposedPair):
        return [(pair, 1)]
    if isinstance(pair.pair, Pair):
        return [(pair.pair, pair.k)]
    return [found for one in pair.pair for found in _pairs_of(one)]


def _numbers(pair: Pair) -> list[float]:
    values: Any = pair.parameters.values()
    return [float(value) for value in values if isinstance(value, int | float)]


def _require(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ValueError(f"the page takes {what} from {low:g} to {high:g}, got {value:g}")
