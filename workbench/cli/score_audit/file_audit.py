"""`FileAudit`: the main bounds of a score file, verdicts on claims, and the exit status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.bounds.bound import Bound
from workbench.bounds.estimates import auc_estimate, checked_against, total_variation_estimate
from workbench.bounds.power.verdict import NOT_REFUTED, REFUTED, TOO_FEW, Verdict
from workbench.bounds.simultaneous.band import SUMMARY_FPR, tradeoff_band
from workbench.estimators.direction import is_reversed
from workbench.estimators.histogram import histogram
from workbench.estimators.roc import roc
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    from workbench.audits.audit import Audit
    from workbench.claims.base import Claim
    from workbench.cli.score_audit.baseline import Baseline
    from workbench.cli.score_audit.member import SeriesMember

#: The exit status of each verdict; of several, the first in this order counts.
STATUS = {REFUTED: 1, TOO_FEW: 3, NOT_REFUTED: 0}

#: The exit status where the scores leak more than those of the baseline.
WORSE = 1

#: The exit status where the direction of the score is in doubt and nothing is refuted.
DOUBTFUL = 4

#: What a doubtful direction is called, where a verdict would stand.
WRONG_WAY = "direction in doubt"


@dataclass(frozen=True)
class FileAudit:
    """The main bounds of a score file and verdicts on claims, which all hold together.

    Attributes
    ----------
    scores : Scores
    bounds : tuple of Bound
    verdicts : tuple of Verdict
    telling : Bound
        The true positive rate that says most.
    auc : Bound
    reversed : bool
        Whether the direction was not stated, and the scores speak against how they were read.
    files : tuple of Path
        Of the scores; none for the standard input.
    series : SeriesMember, optional
        Its place in a series.
    baseline : Baseline, optional
        What a saved audit is to it.
    saved : Audit, optional
        As it was saved.
    looked : str
        Why no guarantee is valid, where results of the same scores were seen with another choice
        before; "" otherwise.
    """

    scores: Scores
    bounds: tuple[Bound, ...]
    verdicts: tuple[Verdict, ...]
    telling: Bound
    auc: Bound
    reversed: bool = False
    files: tuple[Path, ...] = ()
    series: SeriesMember | None = None
    baseline: Baseline | None = None
    saved: Audit | None = None
    looked: str = ""

    @classmethod
    def of(
        cls,
        scores: Scores,
        claims: list[Claim],
        delta: float,
        confidence: float,
        direction_stated: bool = False,
        files: tuple[Path, ...] = (),
        random_part: bool = False,
    ) -> FileAudit:
        """The audit of scores.

        Parameters
        ----------
        scores : Scores
        claims : list of Claim
        delta, confidence : float
            Of the bounds; claims are judged at the same confidence.
        direction_stated : bool
            Whether a person said which scores speak for membership.
        files : tuple of Path
        random_part : bool
            Whether a person said that the scores are of one training, and its members a random
            part of the records: ε by matched pairs is the last of the bounds then, with an error
            probability of its own.
        """
        band = tradeoff_band(scores, confidence)
        certified = band.total_variation()
        auc = auc_estimate(roc(scores))
        bounds = (
            band.epsilon(delta),
            band.mu(),
            certified,
            *(band.tpr(fpr) for fpr in SUMMARY_FPR),
            auc,
            checked_against(total_variation_estimate(histogram(scores)), certified),
        )
        if random_part:
            from workbench.onerun.half.matching import matched_pairs
            from workbench.onerun.tuning import tune_one_run

            tuned = tune_one_run(matched_pairs(scores), delta=delta, confidence=confidence)
            bounds = (*bounds, tuned.simultaneous)
        verdicts = _verdicts(scores, claims, confidence) if claims else ()
        doubtful = not direction_stated and is_reversed(scores, auc.value)
        return cls(scores, bounds, verdicts, band.most_telling(), auc, doubtful, files)

    def after(self, looked: str) -> FileAudit:
        """The audit with its bounds marked, where something was changed after looking.

        Parameters
        ----------
        looked : str
            What was changed, as pages say it; "" for nothing.
        """
        if not looked:
            return self
        bounds = [b if b.guarantee == "estimate" else b.voided(looked) for b in self.bounds]
        telling = self.telling.voided(looked)
        return replace(self, bounds=tuple(bounds), telling=telling, looked=looked)

    @property
    def late(self) -> str:
        """Why no guarantee is valid, as a sentence; "" where they are."""
        return f"No guarantee is valid here: {self.looked}." if self.looked else ""

    @property
    def doubt(self) -> str:
        """Why the direction is in doubt, and which options state it."""
        return (
            f"Members score lower than non-members (AUC {self.auc.value:.3f}). If smaller scores "
            "speak for membership, as losses do, add --smaller-is-member; if not, "
            "--larger-is-member. If the two groups are exchanged, name the label of members with "
            "--member-value, or give the files in the other order."
        )

    @property
    def worse(self) -> bool:
        """Whether the scores certainly leak more than those of the baseline."""
        return self.baseline is not None and self.baseline.worse

    @property
    def status(self) -> int:
        """1 if a claim is refuted or the baseline leaks less, else 4 if the direction is in doubt.

        Otherwise 3 if there are too few samples for any claim, or 0.
        """
        found = {verdict.verdict for verdict in self.verdicts}
        if self.worse:
            return WORSE
        if self.reversed and REFUTED not in found:
            return DOUBTFUL
        return next((status for verdict, status in STATUS.items() if verdict in found), 0)


def _verdicts(scores: Scores, claims: list[Claim], confidence: float) -> tuple[Verdict, ...]:
    from workbench.bounds.power.judge import judge

    read = scores.with_direction(scores.larger_is_member)  # `reversed` says what is in doubt
    return tuple(judge(read, claim, confidence) for claim in claims)
