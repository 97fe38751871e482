"""Base classes of the property testers: `Tester`, `FittedWitness`, and their result `Finding`.

A tester sees outputs on a dataset (P) and on its neighbor (Q). `Tester.fit` uses some of them to
choose a `FittedWitness`: a set of outputs, a function or bins. `FittedWitness.measure` evaluates it
on *other* outputs, and its finding holds with the stated confidence whatever the witness is. The
guarantee needs nothing else, so nothing that happens while fitting can invalidate it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.testers.outputs.table_encoding import Encoding


@dataclass(frozen=True, eq=False)
class Finding:
    """Result of measuring one witness on fresh outputs.

    Attributes
    ----------
    bound : Bound
        On the divergence that the tester measures; guarantee "held-out", both directions included.
    claim : Claim
    allowed : float
        The largest value of that divergence that the claim allows.
    parameter : float, optional
        The same evidence as a lower limit on the claim's parameter, at the same confidence: ε
        (pure; at the claim's δ; of its Rényi order) or μ. None for a pair, which has no parameter.
    event : str, optional
        The event that was counted, in words; None for a tester that counts none.
    digits : bool
        Whether the digits of floats tell both sides apart on the fitting part, while this finding
        is on their values; the tester "bits" measures that.
    """

    bound: Bound
    claim: Claim
    allowed: float
    parameter: float | None = None
    event: str | None = None
    digits: bool = False

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound.void is None and self.bound.value > self.allowed

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Sort key, larger for stronger evidence: violations first, void findings last."""
        excess = self.bound.value - self.allowed
        size = excess if self.parameter is None else self.parameter
        return self.violation, self.bound.void is None, size

    def of_parameter(self) -> Finding:
        """The same finding; where nothing is claimed, its bound is on the parameter itself."""
        if self.claim.stated or self.parameter is None:
            return self
        bound = self.claim.parameter_bound(self.bound, self.parameter)
        return replace(self, bound=bound, allowed=math.inf)

    def voided(self, reason: str) -> Finding:
        """The same finding with a void bound, which refutes nothing."""
        return replace(self, bound=self.bound.voided(reason))


class FittedWitness(ABC):
    """What to measure on fresh outputs, chosen on others: an event, a function, or bins.

    Attributes
    ----------
    predicted : float
        The claim's parameter (see `Finding.parameter`) that the fitting part predicts, or the
        predicted excess of the bound over ``allowed`` where there is none: an estimate without
        guarantee, by which a search compares datasets.
    """

    predicted: float

    @abstractmethod
    def measure(self, p: NDArray[Any], q: NDArray[Any], confidence: float) -> Finding:
        """The finding on fresh outputs, which the witness was not fitted on.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
            Fresh outputs: numbers, booleans or strings.
        confidence : float
            Of the finding as a whole, both directions included; above ½.
        """

    def measure_in_words(
        self, p: NDArray[Any], q: NDArray[Any], confidence: float, encoding: Encoding
    ) -> Finding:
        """The finding of `measure`, with its event in words where one is counted.

        Parameters
        ----------
        p, q, confidence
            As in `measure`.
        encoding : PlainEncoding or TableEncoding
            Of the outputs, which has their names.
        """
        return self.measure(p, q, confidence)

    @abstractmethod
    def scores(self, outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Score of each output, shape (n,): larger is stronger evidence for P.

        It is an estimated log(p/q), or a witness function (MMD).
        """


class Tester(ABC):
    """A property tester: looks for evidence against a claim."""

    #: By which it is selected: "hockey-stick", "renyi", "mmd", "histogram", "bits".
    name: ClassVar[str]

    @abstractmethod
    def unsupported_reason(self, claim: Claim, example: NDArray[Any]) -> str | None:
        """Why the tester does not support a claim, or such outputs; None when it does.

        Parameters
        ----------
        claim : Claim
        example : array, shape (n,) or (n, d)
            A few outputs.
        """

    @abstractmethod
    def fit(
        self, p: NDArray[Any], q: NDArray[Any], claim: Claim, rng: np.random.Generator
    ) -> FittedWitness:
        """A witness, chosen on outputs that are used for nothing else.

        Parameters
        ----------
        p, q : array, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        claim : Claim
        rng : numpy.random.Generator
            For subsamples and starting points.
        """

    @abstractmethod
    def detectable(self, claim: Claim, n_p: int, n_q: int, confidence: float) -> float | None:
        """The smallest leak that so many outputs show with 80% power.

        Parameters
        ----------
        claim : Claim
        n_p, n_q : int
            Numbers of measured outputs.
        confidence : float
            As in `FittedWitness.measure`.

        Returns
        -------
        float or None
            The smallest parameter (see `Finding.parameter`) at which the leakiest mechanism with
            that parameter is refuted with probability at least 80%, by the best witness; ``inf``
            where these outputs are too few. None if the claim is a pair.
        """
