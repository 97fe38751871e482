"""Evidence at every look against a claim of any kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._frames import to_frame
from workbench._plot import beside, figure, plot
from workbench.bounds.anytime.betting import LEVELS, log_factors, log_wealth
from workbench.bounds.anytime.monitoring import betting_counts, evidence_words
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores

#: Values of ε among which the lines of a claim are chosen.
_EPSILONS = np.linspace(0.0, 20.0, 401)


@dataclass(frozen=True, eq=False)
class ClaimLines:
    """Lines P(S) ≤ s·Q(S) + δ that a claim implies, one for each level of the bets.

    Attributes
    ----------
    slopes, intercepts : ndarray, shape (levels,)
    """

    slopes: Floats
    intercepts: Floats
    cell: float = 1.0

    @classmethod
    def of(cls, claim: Claim) -> ClaimLines:
        """The line at the ε that the claim names; else, at each level, the one that allows least.

        Any line that the claim implies makes a valid bet.
        """
        named = claim.named_epsilon
        tried = _EPSILONS if named is None else np.array([named])
        delta = np.asarray(claim.delta(tried))
        slopes, intercepts = np.exp(tried), delta
        if named is None:
            slopes = np.concatenate([slopes, np.exp(-tried)])
            intercepts = np.concatenate([delta, _turned(delta, tried)])
        best = np.argmin(slopes * LEVELS[:, None] + intercepts, axis=1)
        # The sharper δ takes longer to find.
        of = tried[best % tried.size]
        deltas = {epsilon: min(claim.max_delta(float(epsilon)), 1.0) for epsilon in set(of)}
        sharper = np.array([deltas[epsilon] for epsilon in of])
        return cls(slopes[best], np.where(best < tried.size, sharper, _turned(sharper, of)))

    def line(self, theta: float, top: float) -> tuple[Floats, Floats]:
        """Slopes and intercepts; there is one claim, whatever the arguments."""
        return self.slopes, self.intercepts


def _turned(delta: Floats, epsilon: Floats) -> Floats:
    """Intercepts of the lines of slope e^(−ε), from the complements with P and Q exchanged.

    Q(S̄) ≤ e^ε P(S̄) + δ is P(S) ≤ e^(−ε) Q(S) + 1 − e^(−ε)(1 − δ).
    """
    return 1 - np.exp(-epsilon) * (1 - delta)


@dataclass(frozen=True, eq=False)
class ClaimEvidence:
    """E-values against a claim at every look.

    Attributes
    ----------
    claim : Claim
        Fixed before the rows were seen.
    n : ndarray of int, shape (looks,)
        Rows of P, and of Q, seen by each look.
    log : ndarray, shape (looks,)
        Natural logarithms of the e-values.
    void : str or None
        Why the rows cannot be in order of arrival.
    """

    claim: Claim
    n: NDArray[np.int64]
    log: Floats
    void: str | None = None

    plot = plot
    figure = figure
    to_frame = to_frame

    def __post_init__(self) -> None:
        n, log = _checks.array(self.n, "n"), _checks.array(self.log, "log")
        if n.ndim != 1 or n.shape != log.shape or np.isnan(log).any() or not _increases(n):
            raise ValueError(
                f"n and log must have one value for each look, with n in increasing order, got "
                f"shapes {n.shape} and {log.shape}"
            )
        object.__setattr__(self, "n", n.astype(np.int64))
        object.__setattr__(self, "log", log)

    @property
    def claimed(self) -> str:
        """The claim in words."""
        return str(self.claim)

    def _repr_html_(self) -> str:
        return beside(evidence_words(self.claimed, self.n, self.log, self.void), self)

    def log_at(self, n: int) -> float:
        """Logarithm of the e-value at the last look by row ``n``; 0 before the first."""
        last = int(np.searchsorted(self.n, _checks.count(n, "n"), side="right")) - 1
        return float(self.log[last]) if last >= 0 else 0.0

    def refuted_at(self, confidence: float, n: int) -> int | None:
        """The row by which the claim was refuted for good, None if it was not by row ``n``.

        Parameters
        ----------
        confidence : float
            In (0.5, 1), chosen before the rows are seen.
        n : int

        Raises
        ------
        ValueError
            A confidence out of range, or an n that is not a whole number.
        """
        goal, n = -math.log1p(-_checks.confidence(confidence)), _checks.count(n, "n")
        reached = self.n[(self.log >= goal) & (self.n <= n)]
        return int(reached[0]) if reached.size and not self.void else None


def _increases(n: Floats) -> bool:
    return bool(np.isfinite(n).all() and (np.diff(n) >= 0).all())


def claim_evidence(scores: Scores, claim: Claim | Pair | str) -> ClaimEvidence:
    """E-values at every look against a claim of any kind, for rows in order of arrival.

    Rows of P and of Q are taken in pairs; rows without a partner are left out.

    Parameters
    ----------
    scores : Scores
        Rows in order of arrival.
    claim : Claim, Pair or str
        Fixed before the rows are seen. A pair claims that the scores leak at most as much as it
        does, at all error rates.

    Raises
    ------
    ValueError
        Text that is no claim.

    Notes
    -----
    Guarantee: anytime. If the claim is true and the rows are independent, the e-value ever reaches
    1/α with probability at most α (Ville, 1939), whenever one stops. The proof is in
    `workbench.bounds.anytime.betting`.

    Examples
    --------
    >>> scores = wb.GaussianPair(2).sample(500, seed=0)
    >>> wb.claim_evidence(scores, wb.GaussianPair(1)).refuted_at(0.95, n=500) is not None
    True
    """
    claimed = as_claim(claim)
    return evidence_by_lines(scores, claimed, ClaimLines.of(claimed))


def evidence_by_lines(scores: Scores, claim: Claim, lines: ClaimLines) -> ClaimEvidence:
    """As `claim_evidence`, with the lines of the claim, which take up to a second.

    Parameters
    ----------
    scores : Scores
    claim : Claim
    lines : ClaimLines
        Of the claim.
    """
    looks, log = betting_counts(scores), np.zeros(0)
    if looks.n.size:
        log = np.asarray(log_wealth(looks.counts, log_factors(lines, 0.0, 0.0, (1, 1))))
    return ClaimEvidence(claim, looks.n, log, looks.void)
