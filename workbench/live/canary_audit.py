"""`CanaryAudit`: many canaries in one training, looked at while it runs.

**What is bounded.** The training releases y_1, y_2, … (noisy gradients, or models); B is the
vector of the coins that put each canary in or left it out. Let M_t be the mechanism that releases
y_1, …, y_t, and ε_t the smallest ε with which M_t is (ε, δ)-DP for the canaries, at the δ of the
audit. The k-th look, at step t_k, computes from y_1, …, y_{t_k} and B a number L_k with
Pr[L_k > ε_{t_k}] ≤ α_k, where 1 − α_k is the confidence of the look.

**Theorem.** Let the steps t_1 < t_2 < … of the looks, and their error probabilities α_k with
Σ α_k ≤ α, be fixed before the training begins. Then with a probability of at least 1 − α, the
largest bound of the looks so far is at most the truth at every look, and so at every later step:

    Pr[ for all k:  max(L_1, …, L_k) ≤ ε_{t_k} ] ≥ 1 − α.

*Proof.* y_1, …, y_s is a function of y_1, …, y_t for s ≤ t: it leaves out the rest. So M_s is a
post-processing of M_t, and ε_s ≤ ε_t. The events L_k > ε_{t_k} have probabilities of at most α_k,
and the probability that one of them happens is at most Σ α_k ≤ α, whatever the dependence between
looks, which is strong, as they share canaries and steps. Where none of them happens,
L_j ≤ ε_{t_j} ≤ ε_{t_k} for all j ≤ k. ∎

The same holds for μ, with an error budget of its own.

**Stopping** because of what was shown is therefore allowed: the bound holds for the steps that were
made, and had the training gone on it would hold for all. Three things are not:

- *Looks at other steps.* A step that was chosen because the scores looked good at it has no level.
  So `CanaryAudit` looks by itself, at the steps of `workbench.live.looks.LookPlan`, and reading the
  bound in between gives that of the last look.
- *Changing the training* because of what was shown. The bounds use the coins; a learning rate that
  was set by them would make later releases depend on the coins other than through the mechanism.
- *Coins that the training knows*, as from a generator that both share.

**What it assumes** about canaries in one run, which each bound names:

- "independent fair coins": each canary is in by a fair coin of its own, which `GradientCanaries`
  and `RecordCanaries` toss. Canaries may influence each other's scores, as they do in one model.
  L_k is "sharp" of `one_run_bound` for ε, and the method of Mahloujifar et al. (2024) for μ; the
  number of guesses is fixed in advance, and whom to guess depends on the scores alone.
- "one run": canaries behave like independent ones. L_k comes from the simultaneous band of the two
  samples. That is plausible for Dirac canaries and for random ones in many dimensions, and no
  theorem.

The running maximum has the guarantee "anytime".

References
----------
Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run, 2023 (one training, fair
coins). DeMets and Lan, Interim analysis: the alpha spending function approach, 1994 (the budget).
Nasr et al., Tight Auditing of Differentially Private Machine Learning, 2023 (canary gradients).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.live.audit import LiveAudit
from workbench.live.canaries.base import LiveCanaries
from workbench.live.canaries.records import RecordCanaries
from workbench.live.guessing import CanaryReading, reading
from workbench.live.kept_looks import KeptLooks, bound_of, coins_digest
from workbench.live.looks import LookPlan
from workbench.live.state import LiveState
from workbench.live.writing import replace_table
from workbench.onerun.run import OneRun
from workbench.pairs.base import Pair
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError

UNIT = "steps"


class CanaryAudit(LiveAudit):
    """Anytime bounds from many canaries in one training, fed step by step.

    ::

        canaries = wb.live.GradientCanaries.dirac(
            1000, size, sample_rate=0.01, noise_multiplier=1.0, clip=1.0, divisor=64, seed=7)
        audit = wb.live.CanaryAudit(canaries, steps=1000, delta=1e-5, path="canaries.csv")
        audit.show()
        for step in range(1000):
            gradients = canaries.insert(per_example_gradients(theta, batch()))
            released = noisy_mean_of_clipped(gradients)
            audit.observe(released)
            theta -= rate * released
        audit.close()

    Parameters
    ----------
    canaries : GradientCanaries or RecordCanaries
    steps : int, optional
        Of the whole training, where it is known. Then the look at the end has half of the error
        budget; otherwise the first looks have most of it.
    delta : float
        In [0, 1), of ε.
    confidence : float
        In (0.5, 1): the probability, at least, that no bound that is ever shown exceeds the truth.
        The bounds on ε and μ each have it by themselves.
    claim : Claim, Pair or str, optional
        Such as the accountant's `DPSGDPair`. It is refuted when the bound exceeds its ε at δ, which
        happens to a true claim with probability at most 1 − ``confidence``.
    assumption : {"independent fair coins", "one run"}
        What is assumed about canaries in one run.
    guesses : int, optional
        Number of canaries that are guessed at each look; a fifth of them by default. The bounds
        under "one run" do not guess.
    path : path, optional
        A csv file that is replaced at each look, for `read_one_run` and `read_scores`. Its scores
        are larger for members.
    resume : bool
        Whether to continue the audit of that file, if it exists: the looks that were made count,
        and none is made twice. They are kept in a second file beside it. Of `RecordCanaries` only.
    name : str
        Shown in titles; the name of the file by default.

    Raises
    ------
    ValueError
        An argument out of range; ``resume`` without a path, of canary gradients, or of the file of
        another audit.
    FileExistsError
        The file exists, and ``resume`` is False.

    See Also
    --------
    Audit : independent runs, one score each.
    OneRun : the canaries of a training that has ended.

    Notes
    -----
    Guarantee: anytime, by error spending over looks at steps that are fixed in advance; the proof
    is in `workbench.live.canary_audit`. Do not change the training because of what is shown; it may
    be stopped. Bounds for a fixed number of steps, computed from the file of a training that was
    stopped because of what was shown, are not valid; those of this object are.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> canaries = wb.live.GradientCanaries.dirac(
    ...     500, 500, sample_rate=1.0, noise_multiplier=1.0, seed=0)
    >>> audit = wb.live.CanaryAudit(canaries, steps=4, delta=1e-5)
    >>> for step in range(4):
    ...     gradients = canaries.insert(np.zeros((0, 500)))
    ...     audit.observe(gradients.sum(axis=0) + rng.standard_normal(500))
    >>> audit.bound.guarantee, audit.bound.assumption, audit.bound.value > 1
    ('anytime', 'independent fair coins', True)
    """

    def __init__(
        self,
        canaries: LiveCanaries,
        steps: int | None = None,
        delta: float = 1e-5,
        confidence: float = 0.95,
        claim: Claim | Pair | str | None = None,
        *,
        assumption: str = "independent fair coins",
        guesses: int | None = None,
        path: str | os.PathLike[str] | None = None,
        resume: bool = False,
        name: str = "",
    ):
        super().__init__(delta, confidence, claim, path, name)
        need = "wb.live.GradientCanaries or wb.live.RecordCanaries"
        self.canaries = _checks.instance(canaries, LiveCanaries, "canaries", need)
        self.looks = LookPlan(steps, self.confidence)
        self._reading: CanaryReading = reading(assumption, canaries.included.size, guesses)
        self.step = 0
        self._seen: list[tuple[int, float]] = []
        self._scores: Floats | None = None
        self._largest = {
            "epsilon": self._nothing("epsilon", QuantityArguments(delta=self.delta)),
            "mu": self._nothing("mu", QuantityArguments()),
        }
        self._refuted_at: int | None = None
        self._lost: dict[int, str] = {}
        self._kept: KeptLooks | None = None
        if _checks.flag(resume, "resume"):
            self._resume()
        elif self.path is not None and self.path.exists():
            raise FileExistsError(
                f"{self.path} exists already, and may hold another audit; give another path, or "
                "resume=True from the start of a training that may be continued"
            )

    @cached_property
    def claimed(self) -> float | None:
        """See `LiveAudit`; computed once, as accountants take their time."""
        return super().claimed

    def observe(self, observed: Any, step: int | None = None, **more: Any) -> None:
        """Take in what one step released, and look if this is a step with a look.

        Parameters
        ----------
        observed : array_like, or callable
            The noisy gradient, shape (size,), for `GradientCanaries`; for `RecordCanaries` the
            scores of all canaries, or a callable that returns them and is called at looks only.
        step : int, optional
            The number of the step, counted from 0, where the order has to be checked.
        **more
            Further arguments of the canaries' ``observe``.

        Raises
        ------
        ValueError
            NaN, another shape, a step out of order, or a closed audit. Nothing is taken in then.
        OSError
            The file cannot be written. The look counts, and the file is written at the next one.
        """
        with self._lock:
            self._require_open()
            if step is not None and _checks.count(step, "step") != self.step:
                raise ValueError(
                    f"step {step} is out of order: the next one is {self.step}, and each step "
                    "counts once"
                )
            self.canaries.observe(observed, **more)
            level = self.looks.confidence_at(self.step + 1)
            scores = None if level is None else self.canaries.scores
            self.step += 1
            if level is not None and scores is not None:
                self._look(scores, level)
        self._changed()

    def passed(self, steps: int) -> None:
        """Steps without a look were made, as `TrainingWatch` knows.

        Parameters
        ----------
        steps : int
            In all; the next look is at a later one.
        """
        if not self.closed:
            self.step = _checks.count(steps, "steps")
            if self._view is not None:
                self._changed()

    def skip(self, steps: int, reason: str = "this audit did not see the step") -> None:
        """Go on without steps: a look that was planned at one of them finds nothing.

        Its share of the error budget is lost, and the bound stays that of the looks before. So it
        is allowed for any reason, such as scores that could not be computed, or a training that
        resumes where the audit had not looked.

        Parameters
        ----------
        steps : int
            How many steps were made in all, at least as many as before.
        reason : str
            Shown for each look that is lost.

        Raises
        ------
        ValueError
            Fewer steps than before; canary gradients, whose scores need each step; a closed audit.
        """
        _checks.text(reason, "reason")
        with self._lock:
            self._require_open()
            if _checks.count(steps, "steps") < self.step:
                raise ValueError(f"steps must be at least the {self.step} made so far, got {steps}")
            if steps > self.step and not isinstance(self.canaries, RecordCanaries):
                raise ValueError(
                    "the scores of canary gradients are sums over all steps, of which none can be "
                    "left out; give each to observe(), or use wb.live.RecordCanaries"
                )
            lost = self.looks.between(self.step, steps)
            self._lost |= {step: reason for step in lost}
            self.step = steps
        if lost:
            self._changed()

    @property
    def last_look(self) -> int:
        """The step of the last look; 0 before the first."""
        return self._seen[-1][0] if self._seen else 0

    # -- a look ------------------------------------------------------------------------------------

    def _look(self, scores: Floats, level: float) -> None:
        self._scores = oriented(scores, self.canaries.larger_is_member)
        self._take("epsilon", level, lambda: self._reading.epsilon(self.run, self.delta, level))
        self._take("mu", level, lambda: self._reading.mu(self.run, level))
        self._seen.append((self.step, self._largest["epsilon"].value))
        self._refute()
        if self._kept is not None:  # first what was spent
            self._kept.write(
                {
                    "seen": self._seen,
                    "largest": self._largest,
                    "refuted_at": self._refuted_at,
                    "lost": [[step, why] for step, why in self._lost.items()],
                }
            )
        if self.path is not None:
            replace_table(self.path, self._lines())

    def _take(self, quantity: str, level: float, found: Callable[[], Bound]) -> None:
        """Keep the larger of the bound so far and that of this look."""
        try:
            bound = found()
        except ScoresError:  # fair coins put all canaries in, or none: nothing can be guessed
            return
        before = self._largest[quantity]
        if not before.n_p or bound.value > before.value:
            note = (
                f"The largest bound of the looks so far, that of step {self.step:,} at "
                f"{percent(round(level, 6))}."
            )
            notes = " ".join(part for part in (note, bound.note) if part)
            self._largest[quantity] = replace(
                bound, guarantee="anytime", confidence=self.confidence, note=notes, recompute=None
            )

    def _refute(self) -> None:
        if self.claim is None or self._refuted_at is not None or self.claimed is None:
            return
        if self._largest["epsilon"].value > self.claimed:
            self._refuted_at = self.step

    def _nothing(self, quantity: str, at: QuantityArguments) -> Bound:
        """The bound before the first look."""
        return Bound(
            quantity=quantity,
            value=0.0,
            guarantee="anytime",
            method="one run, sharp",
            assumption=self._reading.assumption,
            n_p=0,
            n_q=0,
            confidence=self.confidence,
            at=at,
            note="There was no look yet.",
        )

    def _lines(self) -> list[str]:
        run = self.run
        rows = zip(run.scores.tolist(), run.included.astype(int).tolist(), strict=True)
        table = (f"{i},{x!r},{b},{self.step}" for i, (x, b) in enumerate(rows))
        return ["canary,score,included,step", *table]

    def _resume(self) -> None:
        """Take up the looks that the file has."""
        if self.path is None:
            raise ValueError("resume=True needs path=, the file that is continued")
        if not isinstance(self.canaries, RecordCanaries):
            raise ValueError(
                "canary gradients cannot resume, as their scores are sums over all steps; use "
                "wb.live.RecordCanaries, or a new audit of the steps that are left"
            )
        of_audit = {
            "the canaries": coins_digest(self.canaries.included),
            "larger_is_member": self.canaries.larger_is_member,
            "steps": self.looks.steps,
            "delta": self.delta,
            "confidence": self.confidence,
            "assumption": self._reading.assumption,
            "guesses": self._reading.guesses,
            "claim": None if self.claim is None else str(self.claim),
        }
        self._kept = KeptLooks(self.path, of_audit)
        looks = self._kept.read()
        if looks is None:
            return
        self._seen = [(int(step), float(value)) for step, value in looks["seen"]]
        self._largest = {name: bound_of(found) for name, found in looks["largest"].items()}
        self._refuted_at = looks["refuted_at"]
        self._lost = {int(step): str(why) for step, why in looks["lost"]}
        self._scores = self._kept.scores(self.canaries.included)
        self.step = max(self.last_look, *self._lost, 0)

    def _finish(self) -> None:
        """Nothing is open: the file was written whole at each look."""

    # -- what is known -----------------------------------------------------------------------------

    @property
    def run(self) -> OneRun:
        """The canaries at the last look, with scores that are larger for members.

        Raises
        ------
        ScoresError
            There was no look yet, or the coins put all canaries in, or none.
        """
        if self._scores is None:
            raise ScoresError("there was no look yet, so the canaries have no scores")
        return OneRun(self._scores, self.canaries.included, name=self.name)

    @property
    def scores(self) -> Scores:
        """See `LiveAudit`: those of canaries in and out at the last look."""
        return self.run.as_scores()

    @property
    def state(self) -> LiveState:
        """See `LiveAudit`."""
        with self._lock:
            n, values = np.array(self._seen, dtype=float).reshape(-1, 2).T
            return LiveState(
                unit=UNIT,
                seen=self.step,
                epsilon=self._largest["epsilon"],
                mu=self._largest["mu"],
                n=n,
                values=values,
                claim=self.claim,
                claimed=self.claimed,
                refuted_at=self._refuted_at,
                notes=tuple(self._notes()),
                closed=self.closed,
            )

    def _notes(self) -> list[str]:
        steps, notes = self.looks.steps, []
        if steps is not None and self.step > steps:
            notes.append(f"No looks after the {steps:,} steps that were planned.")
        if self._lost:
            step, reason = max(self._lost.items())
            number = len(self._lost)
            looks = "look was" if number == 1 else "looks were"
            notes.append(f"{number} {looks} lost, the last at step {step:,}: {reason}.")
        return notes
