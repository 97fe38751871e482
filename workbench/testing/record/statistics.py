"""`audit_untrusted`: a statistical audit of what a recording cannot judge."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.adapting.adapted import AdaptedMechanism
from workbench.pairs.base import Pair
from workbench.testers.audit import audit_mechanism
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testing.record.checking import check, pair_of
from workbench.testing.record.places import Place
from workbench.testing.record.running import called, run_once
from workbench.testing.record.session import KeptResults
from workbench.testing.record.trace import NoisyValue


@dataclass(frozen=True, eq=False)
class UntrustedAudit:
    """A statistical audit of the random choices that are no primitive.

    Attributes
    ----------
    audit : MechanismAudit
        Of the runs in which all trusted primitives kept their recorded results.
    kept : tuple of Place
        These primitives; with none of them, it is an audit of the mechanism itself.
    claim : Claim
        What the rest was held against: the claim less what the kept primitives state.
    """

    audit: MechanismAudit
    kept: tuple[Place, ...]
    claim: Claim

    def __post_init__(self) -> None:
        _checks.fields(self)

    def in_words(self) -> str:
        """The verdict, and what it says of the mechanism."""
        if not self.kept:
            return self.audit.in_words()
        places = ", ".join(place.short for place in self.kept)
        return (
            f"{self.audit.in_words()}\nThe results of {places} were kept as in one recorded run, "
            f"and the rest was held against {self.claim}. A violation holds of the rest, given "
            "these results; it is one of the mechanism if its output shows them."
        )

    def __str__(self) -> str:
        return self.in_words()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "claim": str(self.claim),
            "kept": [place.short for place in self.kept],
            "verdict": self.audit.verdict,
            "words": self.in_words(),
        }

    def to_frame(self) -> Any:
        """The table of the audit; see `MechanismAudit.to_frame`."""
        return self.audit.to_frame()

    def _repr_html_(self) -> str:
        return self.audit._repr_html_()


def audit_untrusted(
    mechanism: Callable[..., Any],
    dataset: Any = None,
    neighbor: Any = None,
    claim: Claim | Pair | str | None = None,
    *,
    samples: int = 5000,
    confidence: float = 0.95,
    seed: int = 0,
) -> UntrustedAudit:
    """A statistical audit, on two data sets, of what recording a mechanism cannot judge.

    Primitives that state their cost (`laplace`, `gaussian`, `geometric`) and have no finding are
    trusted: they keep the results of one recorded run. Everything else is drawn anew in each run.

    Parameters
    ----------
    mechanism, dataset, neighbor, claim
        As of `check`; a claim is needed.
    samples : int
        Runs on each data set.
    confidence : float
        Of a violation that is found.
    seed : int

    Returns
    -------
    UntrustedAudit
        With probability at least ``confidence``, no violation is reported where the rest, given
        the kept results, meets its claim. It is the claim less what the kept primitives state:
        for ε the difference, for μ-GDP that of squares (basic composition; Dong, Roth and Su,
        2022, Corollary 3.3), for other claims the whole claim.

    Raises
    ------
    ValueError
        No claim; nothing is left to test; as of `check`.
    """
    adapted = mechanism_from(mechanism, claim)
    dataset, neighbor = pair_of(mechanism, dataset, neighbor)
    if adapted.claim is None:
        raise ValueError("what does the mechanism claim? Give a claim such as 'approx(1, 1e-5)'")
    found = check(adapted, dataset, neighbor, runs=2, seed=seed)
    call = called(adapted)
    trace = run_once(call, dataset, seed).trace
    faulty = {one.place for one in found.findings if one.kind != "output"}
    trusted = [one for one in trace.values if one.declared and one.place not in faulty]
    if len(trusted) == len(trace.values) and not found.untrusted and not found.findings:
        raise ValueError(
            "nothing is left to test: every random number belongs to a primitive that states its "
            "cost and has no finding"
        )
    left = _left(adapted.claim, trusted)
    audit = audit_mechanism(
        _Rest(adapted, _outputs(trusted)) if trusted else adapted, left, (dataset, neighbor),
        trials=1, samples=samples, confidence=confidence, seed=seed, neighboring_relation="stated",
    )  # fmt: skip
    return UntrustedAudit(audit, tuple(dict.fromkeys(one.place for one in trusted)), left)


def _outputs(values: list[NoisyValue]) -> dict[Place, list[Any]]:
    found: dict[Place, list[Any]] = defaultdict(list)
    for one in values:
        found[one.place].append(one.output if one.output.ndim else one.output[()])
    return dict(found)


class _Rest:
    """The mechanism with kept results."""

    def __init__(self, mechanism: AdaptedMechanism, outputs: dict[Place, list[Any]]) -> None:
        self.name, self._mechanism, self._outputs = mechanism.name, mechanism, outputs

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        kept = KeptResults(self._outputs)
        found = []
        for _ in range(size):
            with kept.active():
                found += list(self._mechanism(dataset, 1, rng))
        return found


def _left(claim: Claim, trusted: list[NoisyValue]) -> Claim:
    """The claim less what trusted primitives state; the whole claim where that is not known."""
    stated = [one.declared for one in trusted if one.declared is not None]
    epsilon = sum(one.epsilon or 0.0 for one in stated)
    mu = math.sqrt(sum((one.sensitivity / one.sigma) ** 2 for one in stated if one.sigma))
    if isinstance(claim, ApproxDP) and not mu:
        return claim.with_parameter(max((claim.parameter or 0.0) - epsilon, 0.0))
    if isinstance(claim, GDP) and not epsilon:
        return claim.with_parameter(math.sqrt(max(claim.mu**2 - mu**2, 0.0)))
    return claim
