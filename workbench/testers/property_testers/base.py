"""Base classes of the property testers: `Tester`, `FittedWitness`, and their result `Finding`.

A tester sees outputs on a dataset (P) and on its neighbor (Q). `Tester.fit` uses some of them to
choose a `FittedWitness`: a set of outputs, a function or bins. `FittedWitness.measure` evaluates it
on *other* outputs, and its finding holds with the stated confidence whatever the witness is. The
guarantee needs nothing else, so nothing that happens while fitting can invalidate it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.bound import Bound
from workbench.claims import Claim, parse_claim
from workbench.pairs.base import Pair

#: What may be claimed: a `Claim`, or a pair whose trade-off function is claimed (f-DP).
Claimed = Claim | Pair


def as_claimed(claim: str | Claimed) -> Claimed:
    """What text such as ``"approx(1, 1e-5)"`` claims; a claim or a pair as it is."""
    return claim if isinstance(claim, (Claim, Pair)) else parse_claim(claim)


@dataclass(frozen=True, eq=False)
class Finding:
    """What one witness showed on fresh outputs.

    Attributes
    ----------
    bound : Bound
        On the tester's own divergence; guarantee "held-out", both directions paid for.
    claim : Claim or Pair
    allowed : float
        The largest value of that divergence that the claim allows.
    parameter : float, optional
        The same evidence as a lower limit on the claim's own parameter, at the same confidence: ε
        (pure; at the claim's δ; of its Rényi order) or μ. None for a pair, which has none.
    """

    bound: Bound
    claim: Claimed
    allowed: float
    parameter: float | None = None

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound.void is None and self.bound.value > self.allowed


class FittedWitness(ABC):
    """Something definite to measure on fresh outputs.

    Attributes
    ----------
    predicted : float
        What the fitting part suggests of the claim's parameter (see `Finding.parameter`), or of
        the bound's excess over ``allowed`` where there is none: an estimate that promises
        nothing, by which datasets are compared during a search.
    """

    predicted: float

    @abstractmethod
    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """Measure fresh outputs, which the witness was not fitted on.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
            Fresh outputs; numbers, booleans or strings, as they came.
        confidence : float
            Of the finding as a whole, both directions included; above ½.
        """

    @abstractmethod
    def scores(self, outputs: NDArray[Any]) -> NDArray[np.float64]:
        """How much each output speaks for P, shape (n,): a log-ratio, h, or a witness function."""


class Tester(ABC):
    """Looks for evidence against a claim."""

    #: As people choose it: "hockey-stick", "renyi", "mmd", "histogram".
    name: ClassVar[str]

    @abstractmethod
    def unsupported_reason(self, claim: Claimed, example: NDArray[Any]) -> str | None:
        """Why it cannot test such a claim, or such outputs; None when it can.

        Parameters
        ----------
        claim : Claim or Pair
        example : array, shape (n,) or (n, d)
            A few outputs.
        """

    @abstractmethod
    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claimed, rng: np.random.Generator
    ) -> FittedWitness:
        """Choose a witness, from outputs that are used for nothing else.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        claim : Claim or Pair
        rng : numpy.random.Generator
            For subsamples and starting points.
        """

    @abstractmethod
    def detectable(self, claim: Claimed, n_p: int, n_q: int, confidence: float) -> float | None:
        """What so many outputs would have shown: the power behind a "none found".

        Parameters
        ----------
        claim : Claim or Pair
        n_p, n_q : int
            Outputs that are measured.
        confidence : float
            As of `FittedWitness.measure`.

        Returns
        -------
        float or None
            The claim's parameter (see `Finding.parameter`) from which on the leakiest mechanism
            with that parameter is refuted with a chance of at least 80 %, by the best witness;
            ``inf`` where these outputs are too few for any. None for a pair as claim.
        """
