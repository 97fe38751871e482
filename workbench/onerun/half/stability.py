"""`half_stability`: how far one run with a random half may stand for all halves.

S is the random half that was in, M(S) the model, g(x, M(S)) the score of record x. P_S is the law
of the score of a record drawn from S, Q_S that of one drawn from the records that were held out,
and P̄, Q̄ are their means over S: what pools the scores of trainings with halves of their own.

**Pooling** (Koskela and Mohammadi 2024, Theorem 3.2). If M is (ε, δ)-DP for substituting a record,
H_{e^ε}(P̄‖Q̄) ≤ δ and H_{e^ε}(Q̄‖P̄) ≤ δ.

*Proof.* Draw S, x in S and y outside, uniformly. Then (S − x + y, y, x) has the same law as (S, x,
y), so Q̄(A) = P[g(y, M(S)) ∈ A] = P[g(x, M(S − x + y)) ∈ A]. The two training sets differ by one
substitution: P[g(x, M(S)) ∈ A] ≤ e^ε P[g(x, M(S − x + y)) ∈ A] + δ for all S, x, y. The mean of
both sides is the claim; the other direction is the same with the roles exchanged. ∎

**One training** (Theorem 3.4). For one S this gives P_S(A) ≤ e^ε R_S(A) + δ, where R_S is the law
of the score that x has when it is replaced, the mean over x and y. If R_S and Q_S differ by at most
τ on every set, with probability 1 − p over S, then H_{e^ε}(P_S‖Q_S) ≤ δ + e^ε τ with that
probability. So what one training shows may exceed what is true by e^ε τ, and no confidence interval
of its histogram contains that.

R_S needs a training for each pair of records. Trainings with other random halves are at hand
instead, and Theorem 3.2 with the triangle inequality says as much by them: with τ_P = TV(P_S, P̄)
and τ_Q = TV(Q_S, Q̄)::

    H_{e^ε}(P_S‖Q_S) ≤ H_{e^ε}(P̄‖Q̄) + τ_P + e^ε τ_Q ≤ δ + τ_P + e^ε τ_Q.

Both distances are estimated by cross-fitted histograms of one training against the others, whose
mean is at most the distance, and 0 where there is none: the floor of the plain histogram is not in
them. What the scores of one model have in common, such as a final loss that is lower on all
records, is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench._markup import table
from workbench.curves.validation import Floats
from workbench.estimators.histogram import histogram
from workbench.onerun.run import OneRun
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError
from workbench.tables.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class HalfStability:
    """Total variation distances of trainings with random halves: of one, of all, between them.

    All are estimates. Cross-fitted ones may be negative where nothing differs.

    Attributes
    ----------
    single : ndarray, shape (k,)
        Members against held-out records of each training, cross-fitted.
    plain : ndarray, shape (k,)
        The same by plain histograms, which are biased upwards.
    members, held_out : ndarray, shape (k,)
        τ_P and τ_Q: the scores of a training's members, and of its held-out records, against those
        of all other trainings, cross-fitted.
    pooled : float
        Members against held-out records of all trainings together, cross-fitted: an estimate of
        what (ε, δ)-DP limits.
    """

    single: Floats
    plain: Floats
    members: Floats
    held_out: Floats
    pooled: float

    def __post_init__(self) -> None:
        _checks.fields(self)
        sizes = {len(x) for x in (self.single, self.plain, self.members, self.held_out)}
        if len(sizes) > 1 or self.single.size < 2:
            raise ValueError(
                "single, plain, members and held_out must have one value for each of at least 2 "
                f"trainings, got {sorted(sizes)}"
            )

    @property
    def trainings(self) -> int:
        """Number k of trainings."""
        return self.single.size

    @_checks.arguments
    def excess(self, epsilon: float = 0.0) -> float:
        """Estimate of τ_P + e^ε τ_Q: what one training may show beyond H_{e^ε}(P̄‖Q̄), on average.

        Parameters
        ----------
        epsilon : float
            At least 0; at 0 it is about total variation.
        """
        epsilon = _checks.non_negative(epsilon, "epsilon")
        members, held_out = (max(float(x.mean()), 0.0) for x in (self.members, self.held_out))
        return members + (math.exp(min(epsilon, 700.0)) * held_out if held_out else 0.0)

    def explain(self) -> str:
        """The finding in plain sentences."""
        members, held_out = (max(float(x.mean()), 0.0) for x in (self.members, self.held_out))
        one, plain = float(self.single.mean()), float(self.plain.mean())
        return (
            f"{self.trainings} trainings show a total variation of {one:.3f} each on average, and "
            f"{self.pooled:.3f} together (cross-fitted estimates; plain histograms: {plain:.3f}). "
            f"The scores of members differ by {members:.3f} between trainings, those of held-out "
            f"records by {held_out:.3f}, so that one training may exceed what privacy limits by "
            f"{self.excess():.3f}."
        )

    def to_frame(self) -> pd.DataFrame:
        """One row for each training: ``single``, ``plain``, ``members``, ``held_out``."""
        import pandas as pd

        names = ("single", "plain", "members", "held_out")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        return (
            f"HalfStability({self.trainings} trainings: single {self.single.mean():.3f}, pooled "
            f"{self.pooled:.3f}, excess {self.excess():.3f})"
        )

    def _repr_html_(self) -> str:
        rows = [("one training, mean", f"{self.single.mean():.3f}", "cross-fitted estimate")]
        rows += [("the same, plain histogram", f"{self.plain.mean():.3f}", "biased upwards")]
        rows += [("all trainings together", f"{self.pooled:.3f}", "cross-fitted estimate")]
        rows += [("members, between trainings", f"{self.members.mean():.3f}", "τ_P")]
        rows += [("held-out, between trainings", f"{self.held_out.mean():.3f}", "τ_Q")]
        return table("Stability of trainings with random halves", rows, self.explain())


def half_stability(runs: Sequence[OneRun | Scores] | ScoreTable) -> HalfStability:
    """Total variation of single trainings with random halves, of all together, and between them.

    Parameters
    ----------
    runs : sequence of OneRun or Scores, or a ScoreTable
        At least two trainings of the same kind, each with a random part of the records of its own;
        of a table, its models.

    Returns
    -------
    HalfStability

    Raises
    ------
    ScoresError
        Fewer than two trainings; canaries that are pairs.

    Notes
    -----
    Guarantee: none, all numbers are estimates. `matched_pairs` needs no stability: its bounds hold
    for one training whatever these numbers are.

    References
    ----------
    Koskela and Mohammadi, Black box differential privacy auditing using total variation distance
    (2024), Theorems 3.2 and 3.4; see the head of `workbench.onerun.half.stability`.

    Examples
    --------
    >>> runs = [wb.GaussianPair(1.0).sample(300, seed=k) for k in range(6)]
    >>> wb.onerun.half_stability(runs)
    HalfStability(6 trainings: single 0.359, pooled 0.372, excess 0.000)
    """
    groups = [_groups(run) for run in _trainings(runs)]
    if len(groups) < 2:
        raise ScoresError(f"{len(groups)} trainings; give at least 2, each with a half of its own")
    single = [histogram(_pair(*sides)) for sides in groups]
    between = [
        [_distance(sides[side], [other[side] for other in groups if other is not sides])
         for sides in groups]
        for side in (0, 1)
    ]  # fmt: skip
    pooled = _pair(*(np.concatenate([sides[side] for sides in groups]) for side in (0, 1)))
    return HalfStability(
        single=np.array([found.cross_fitted() for found in single]),
        plain=np.array([found.total_variation for found in single]),
        members=np.array(between[0]),
        held_out=np.array(between[1]),
        pooled=float(histogram(pooled).cross_fitted()),
    )


def _trainings(runs: Sequence[OneRun | Scores] | ScoreTable) -> list[OneRun | Scores]:
    if not isinstance(runs, ScoreTable):
        need = "a workbench.OneRun or workbench.Scores of one training"
        return list(_checks.each_of(runs, (OneRun, Scores), "runs", need))
    here = np.ones(runs.member.shape, bool) if runs.present is None else runs.present
    return [
        OneRun(runs.matrix[m][here[m]], runs.member[m][here[m]], design="fixed-size",
               larger_is_member=runs.larger_is_member)
        for m in range(runs.n_models)
    ]  # fmt: skip


def _groups(run: OneRun | Scores) -> tuple[Floats, Floats]:
    """Scores of members and of held-out records, larger for members."""
    if isinstance(run, OneRun):
        if run.design == "matched-pairs":
            raise ScoresError("the canaries of a run are pairs; give the run of records")
        sides: tuple[Floats, Floats] = run.scores[run.included], run.scores[~run.included]
    else:
        sides = run.p, run.q
    return tuple(oriented(x, run.larger_is_member) for x in sides)  # type: ignore[return-value]


def _distance(one: Floats, others: list[Floats]) -> float:
    return float(histogram(_pair(one, np.concatenate(others))).cross_fitted())


def _pair(p: Floats, q: Floats) -> Scores:
    return Scores(p, q, larger_is_member=True)
