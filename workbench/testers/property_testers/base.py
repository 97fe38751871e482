"""What a property tester is: it finds evidence on one part of the runs, and measures it on another.

A tester sees outputs on a dataset (P) and on its neighbor (Q). `Tester.fit` looks at some of them
as long as it likes and returns a `Witness`, something definite to measure: a set of outputs, a
function, bins. `Witness.measure` looks at *other* outputs, and what it says holds with the stated
confidence whatever the witness is. That is all that the guarantee needs: nothing that happened
while fitting can make it false.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.bound import Bound
from workbench.claims.base import Claim


@dataclass(frozen=True, eq=False)
class Finding:
    """What one witness showed on fresh outputs.

    Attributes
    ----------
    bound : Bound
        On the tester's own divergence; guarantee "held-out", both directions paid for.
    claim : Claim
    allowed : float
        The largest value of that divergence that the claim allows.
    parameter : float, optional
        The same evidence as a lower limit on the claim's own parameter, at the same confidence: ε
        (pure; at the claim's δ; of its Rényi order) or μ. None for a pair, which has none.
    """

    bound: Bound
    claim: Claim
    allowed: float
    parameter: float | None = None

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound.void is None and self.bound.value > self.allowed


class Witness(ABC):
    """Something definite to measure on fresh outputs.

    Attributes
    ----------
    promise : float
        What the fitting part suggests of the claim's parameter (see `Finding.parameter`), or of
        the bound's excess over ``allowed`` where there is none: an estimate that promises
        nothing, by which datasets are compared during a search.
    """

    promise: float

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
    def strength(self, outputs: NDArray[Any]) -> NDArray[np.float64]:
        """How much each output speaks for P, shape (n,): a log-ratio, h, or a witness function."""


class Tester(ABC):
    """Looks for evidence against a claim."""

    #: As people choose it: "hockey-stick", "renyi", "mmd", "histogram".
    name: ClassVar[str]

    @abstractmethod
    def refuses(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Why it cannot test such a claim, or such outputs; None when it can.

        Parameters
        ----------
        claim : Claim
        example : array, shape (n,) or (n, d)
            A few outputs.
        """

    @abstractmethod
    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> Witness:
        """Choose a witness, from outputs that are used for nothing else.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        claim : Claim
        rng : numpy.random.Generator
            For subsamples and starting points.
        """

    @abstractmethod
    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """What so many outputs would have shown: the power behind a "none found".

        Parameters
        ----------
        claim : Claim
        n_p, n_q : int
            Outputs that are measured.
        confidence : float
            As of `Witness.measure`.

        Returns
        -------
        float or None
            The claim's parameter (see `Finding.parameter`) from which on the leakiest mechanism
            with that parameter is refuted with a chance of at least 80 %, by the best witness;
            ``inf`` where these outputs are too few for any. None for a pair as claim.
        """
