"""`Budget`: one error probability, shared by all findings of an audit.

An audit of T trials with K testers makes up to T·K claims ("this divergence is at least that"),
each false with probability at most e = α/(T·K), α = 1 − confidence. The chance that any of them is
false is then at most α, and so is the chance that a private mechanism is accused.

Proof. Look at trial t. Its neighboring datasets may depend on all that earlier trials showed, and
its witnesses on the fitting part of its outputs; so do the K_t testers that take part, since a
tester refuses or fails before an output of the measured part is drawn. Given all this the measured
outputs are independent runs of the mechanism, so each finding, at level 1 − α/(T·K_t), is false
with probability at most α/(T·K_t), both directions included. By the union bound
trial t makes a false claim with probability at most α/T, and some trial does with at most α.
Trials that are lost, cancelled or never begun only take claims away. ∎

What the proof does not need:

- *A rule for stopping.* The share of a trial is fixed by T alone, before anything is run. An audit
  may stop after any trial because of what it has seen (the anytime mode stops at the first
  violation), or be cancelled, and every claim made until then holds.
- *Independent trials.* For independent trials 1 − (1 − α)^{1/T} (Šidák) in place of α/T would do.
  At 95% that is at most 1.026 times as much, worth less than 0.5% of a limit's width. The union
  bound also holds when workers of a pool begin with the same hidden state, so that two trials see
  the same noise.

What it needs is that the outputs of one trial are independent of each other; see
`workbench.testers.running.independence`.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench import _checks


@dataclass(frozen=True)
class Budget:
    """Error probability of an audit, shared among its trials and testers.

    Parameters
    ----------
    confidence : float
        Of all findings of the audit together.
    trials : int
        Planned number of trials; fewer may be run.
    """

    confidence: float
    trials: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence", _checks.confidence(self.confidence))
        object.__setattr__(
            self, "trials", _checks.count(self.trials, "trials", 1, _checks.REPEATED)
        )

    def level(self, testers: int) -> float:
        """Confidence of each finding in a trial with this number of testers."""
        return 1 - (1 - self.confidence) / (self.trials * testers)
