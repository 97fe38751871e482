"""`Compared`: a curve that scores are compared with: a person's claim, or a reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np

from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.figures.kit.axes import least_shown, profile_down_to
from workbench.figures.kit.marks import Style
from workbench.pairs.base import Pair

At = TypeVar("At")
Found = TypeVar("Found")

#: Points of a privacy profile, from 0 to the largest ε of a chart.
POINTS = 201

#: How references look, in their order.
_REFERENCES = (("warn", "dash"), ("muted", "dashdot"), ("bad", "dot"))

#: How many references charts draw.
MOST = len(_REFERENCES)


@dataclass(frozen=True)
class Compared:
    """A curve that scores are compared with.

    Attributes
    ----------
    style : Style
        Its name is that of the chart's key.
    pair : Pair
        Has all curves; of a claim, the pair that leaks most among those that meet it.
    words : str
        What summaries of charts call it, with what it does: "the reference Gaussian, μ = 1
        guarantees".
    claim : Claim, optional
        None for a reference, which is drawn and never tested.
    """

    style: Style
    pair: Pair
    words: str
    claim: Claim | None = None
    _last: dict[str, tuple[Any, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of_claim(cls, claim: Claim) -> Self:
        """A person's own claim."""
        name = f"your claim, {claim.short}"
        return cls(Style(name, "ink", "dash", 2), claim.dominating_pair, f"{name}, allows", claim)

    @classmethod
    def of_reference(cls, pair: Pair, name: str = "reference", place: int = 0) -> Self:
        """A reference.

        Parameters
        ----------
        pair : Pair
        name : str
            As in the chart's key.
        place : int
            Below `MOST`; it decides color and dash.
        """
        style = Style(name, *_REFERENCES[place], 1.5)
        return cls(style, pair, f"the reference {pair.name} guarantees")

    def tradeoff(self, alpha: Floats) -> Floats:
        """The false negative rates that are drawn: of a claim, what its test compares with."""
        return self._once("tradeoff", alpha, self._tradeoff)

    def local_mu(self, fpr: Floats) -> Floats:
        """The μ that each false positive rate would imply; NaN at 0 and 1."""
        return self._once("local_mu", fpr, self._local_mu)

    def epsilon(self, delta: float) -> float:
        """The smallest ε at a δ."""
        return self._once("epsilon", (delta,), lambda at: float(self.pair.epsilon(*at)))

    def profile(self, most: float, low: float, delta: float) -> tuple[Floats, Floats]:
        """ε and δ(ε) as a chart shows them; see `workbench.figures.kit.axes.visible_profile`.

        Parameters
        ----------
        most : float
            The largest ε of the chart.
        low : float
            log₁₀ of the least δ of the axis.
        delta : float
            Which is asked for.
        """
        return self._once("profile", (most, least_shown(self.pair, low, delta)), self._profile)

    def _profile(self, reach: tuple[float, float]) -> tuple[Floats, Floats]:
        most, low = reach
        return profile_down_to(self.pair, np.linspace(0, most, POINTS), low)

    def _tradeoff(self, alpha: Floats) -> Floats:
        if self.claim is None:
            return np.asarray(self.pair.tradeoff(alpha, symmetric=False))
        return np.asarray(self.claim.min_tradeoff(alpha))

    def _local_mu(self, fpr: Floats) -> Floats:
        inner = (fpr > 0) & (fpr < 1)
        found = np.full(fpr.shape, np.nan)
        found[inner] = self.pair.local_mu(fpr[inner])
        return found

    def _once(self, name: str, at: At, compute: Callable[[At], Found]) -> Found:
        """A curve, computed once for an array or for numbers that a drag leaves as they are."""
        known = self._last.get(name)
        if known is None or not (known[0] is at or (isinstance(at, tuple) and known[0] == at)):
            known = self._last[name] = at, compute(at)
        found: Found = known[1]
        return found
