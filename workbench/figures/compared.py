"""`Compared`: a curve that scores are compared with: a person's claim, or a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from workbench.claims.base import Claim
from workbench.figures.kit.marks import Style
from workbench.pairs.base import Pair

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

    def tradeoff(self, alpha: Any) -> Any:
        """The false negative rates that are drawn: of a claim, what its test compares with."""
        if self.claim is None:
            return self.pair.tradeoff(alpha, symmetric=False)
        return np.asarray(self.claim.min_tradeoff(np.asarray(alpha)))
